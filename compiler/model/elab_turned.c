// turned(y, x): the angle of the point (x, y), as atan2 where the run starts, and from there on by what it turns: it
// does not jump at +-pi, so it counts revolutions.
//
//   turned(y, x) = TURNED(y, x, near): the angle of (x, y) that lies within half a turn of `near`
//
// `near` is a position without a velocity that is written here: the angle where the step at hand began
// (docs/numerics/bodies.md, section 6). A step may turn by less than pi.
#include <string.h>

#include "elab.h"

static int memory(const Env *env, Span at) {
  Elab *e = env->e;
  MVar v = { .kind = MV_POSITION, .ndim = env->ctx.n, .unit = e->has_units ? UNIT_ONE : UNIT_ANY, .span = at };
  const char *name = arena_printf(e->a, "turned%zu", e->angle.n + 1);
  v.plain = prefixed(e, env->scope->plain, name);
  v.name = family_name(env, name);
  for (int k = 0; k < env->ctx.n; k++) {
    v.lo[k] = env->ctx.loop[k].lo;
    v.hi[k] = env->ctx.loop[k].hi;
  }
  vec_push(&e->var, v);
  return (int)e->var.n - 1;
}

static bool of_places(const Env *env, const Value *v) {
  if (v->bad || !(extra_uses(v, 0) & (MU_RATE | MU_LAMBDA | MU_STAT))) return !v->bad;
  Diag *d = diag(env->e->bag, DIAG_E0223, v->span, "`turned` takes places, not what moves or pushes them");
  diag_help(d, "its arguments are made of coordinates, bodies, parameters and time; atan2 takes everything");
  return false;
}

Value turned_call(const Env *env, const Ast *x) {
  Elab *e = env->e;
  if (!arity_ok(env, x, 2)) return bad_value(env, x->span);
  Value y = elab_scalar(env, x->list.at[0]), by = elab_scalar(env, x->list.at[1]);
  if (y.bad || by.bad || !unit_check(env, by, y.unit, "the second argument of turned")) return bad_value(env, x->span);
  if (!of_places(env, &y) || !of_places(env, &by)) return bad_value(env, x->span);
  Unit unit = unit_compatible(y.unit, UNIT_ONE) && y.unit.state != UNIT_KNOWN ? UNIT_ANY : UNIT_ONE;
  if (!extra_uses(&y, MU_PARAM | MU_LOOP) && !extra_uses(&by, MU_PARAM | MU_LOOP))
    return scalar_value(mx_2(e->a, MOP_ATAN2, y.at[0], by.at[0], x->span), unit, x->span, env);
  int id = memory(env, x->span);
  MExpr *index[MAX_LOOPS], *zero = mx_num(e->a, 0, x->span);
  for (int k = 0; k < env->ctx.n; k++) index[k] = mx_loop(e->a, k, x->span);
  MExpr *near = mx_var(e->a, &e->var.at[id], id, index, env->ctx.n, false, x->span);
  vec_push(&e->angle, ((MAngle){ .ctx = env->ctx, .var = id, .y = y.at[0], .x = by.at[0], .span = x->span }));
  vec_push(&e->init, ((MInit){ .ctx = env->ctx, .on = near, .value = zero, .span = x->span }));
  MExpr **start = ARENA_ARRAY(e->a, MExpr *, 1);
  start[0] = zero;
  vec_push(&e->placed, ((Placed){ .id = id, .nloop = env->ctx.n, .n = 1, .value = start }));
  MExpr *value = mx_op(e->a, MOP_TURNED, (MExpr *[]){ y.at[0], by.at[0], near }, 3, x->span);
  return scalar_value(value, unit, x->span, env);
}
