// Vectors in space:
//   cross(a, b)            of two vectors of 3; of two vectors of 2 the number a1*b2 - a2*b1
//   rotation(axis, angle)  3 x 3, turns by the angle about the axis n = axis/|axis|, by Rodrigues' formula
//                            R = cos(angle) I + sin(angle) n^ + (1 - cos(angle)) n n^T,    n^ a = n x a
//   rotation(angle)        2 x 2, in the plane
//   identity(n)            n x n
#include <math.h>
#include <string.h>

#include "elab.h"

// a_i b_k - a_k b_i
static MExpr *minor(Arena *m, const Value *a, const Value *b, int i, int k) {
  return mx_minus(m, mx_times(m, a->at[i], b->at[k]), mx_times(m, a->at[k], b->at[i]));
}

static Value cross_value(const Env *env, Value a, Value b, Span at) {
  if (a.bad || b.bad) return bad_value(env, at);
  bool fit = a.ndim == 1 && b.ndim == 1 && a.dim[0] == b.dim[0] && (a.dim[0] == 3 || a.dim[0] == 2);
  if (!fit) {
    shape_error(env, at, &a, &b, "take the cross product of", "cross(a, b) takes two vectors of 3 (or two of 2)");
    return bad_value(env, at);
  }
  Unit u = unit_mul(a.unit, b.unit);
  if (a.dim[0] == 2) return scalar_value(minor(env->e->a, &a, &b, 0, 1), u, at, env);
  Value r = {.unit = u, .ndim = 1, .dim = {3, 0}, .span = at, .at = ARENA_ARRAY(env->e->a, MExpr *, 3)};
  for (int i = 0; i < 3; i++) r.at[i] = minor(env->e->a, &a, &b, (i + 1) % 3, (i + 2) % 3);
  return r;
}

static Value identity_value(const Env *env, Value n, Span at) {
  int size;
  if (!unit_check(env, n, UNIT_ONE, "the size of an identity matrix") ||
      !fixed_size(env, n.at[0], "the size of an identity matrix", &size))
    return bad_value(env, at);
  if (size < 1 || (double)size * size > MAX_ELEMENTS) {
    Diag *d = diag(env->e->bag, size < 1 ? DIAG_E0602 : DIAG_E0607, n.span, "no identity matrix of this size");
    diag_label(d, "this is %d", size);
    diag_help(d, size < 1 ? "identity(3) has three rows and columns" : "write it with loops: for i in 1:n { ... }");
    return bad_value(env, at);
  }
  Value r = {.unit = UNIT_BARE, .ndim = 2, .dim = {size, size}, .span = at};
  r.at = ARENA_ARRAY(env->e->a, MExpr *, size * size);
  for (int i = 0; i < size * size; i++) r.at[i] = mx_num(env->e->a, i / size == i % size, at);
  return r;
}

// --- rotations ---

static bool is_angle(const Env *env, const Value *v) {
  if (v->bad) return false;
  if (v->ndim) {
    Diag *d = diag(env->e->bag, DIAG_E0302, v->span, "the angle of a rotation is a number, not %s",
                   shape_text(env->e, v));
    diag_label(d, "this is %s", shape_text(env->e, v));
    diag_help(d, "rotation(axis, angle), or rotation(angle) in the plane");
    return false;
  }
  if (!unit_check(env, *v, UNIT_ONE, "the angle of a rotation")) return false;
  note_angle(env, v);
  return true;
}

// The axis over its length; numbers are divided here.
static bool direction(const Env *env, const Value *axis, MExpr *n[3], Span at) {
  Elab *e = env->e;
  if (axis->bad) return false;
  if (axis->ndim != 1 || axis->dim[0] != 3 || axis->truth) {
    Diag *d = diag(e->bag, DIAG_E0302, axis->span, "the axis of a rotation is a vector of 3, not %s",
                   shape_text(e, axis));
    diag_label(d, "this is %s", shape_text(e, axis));
    diag_help(d, axis->ndim == 1 && axis->dim[0] == 2 ? "in the plane: rotation(angle)"
                                                      : "rotation([0, 0, 1], angle) turns about z");
    return false;
  }
  double x[3], length = 0;
  bool known = !extra_uses(axis, MU_PARAM), numbers = !extra_uses(axis, 0);
  for (int i = 0; i < 3 && known; i++) known = try_eval(e, axis->at[i], false, NULL, 0, &x[i]);
  if (known) length = hypot(hypot(x[0], x[1]), x[2]);
  if (known && !(length > 0 && isfinite(length))) {
    Diag *d = diag(e->bag, DIAG_E0305, axis->span, "the axis of this rotation has %s",
                   length == 0 ? "no direction" : "no finite length");
    diag_label(d, "this is [%.17g, %.17g, %.17g]", x[0], x[1], x[2]);
    diag_help(d, "an axis of any length but 0: rotation([0, 0, 1], angle) turns about z");
    return false;
  }
  MExpr *norm = known && numbers ? NULL : norm_value(env, *axis, at).at[0];
  for (int i = 0; i < 3; i++)
    n[i] = !norm                        ? mx_num(e->a, x[i] / length, at)
           : mx_is_num(axis->at[i], 0) ? axis->at[i]
                                        : mx_2(e->a, MOP_DIV, axis->at[i], norm, at);
  return true;
}

static Value rotation_value(const Env *env, const Value *axis, Value angle, Span at) {
  Arena *m = env->e->a;
  MExpr *n[3];
  int size = axis ? 3 : 2;
  if ((axis && !direction(env, axis, n, at)) || !is_angle(env, &angle)) return bad_value(env, at);
  MExpr *c = mx_1(m, MOP_COS, angle.at[0], at), *s = mx_1(m, MOP_SIN, angle.at[0], at);
  Value r = {.unit = UNIT_BARE, .ndim = 2, .dim = {size, size}, .span = at};
  r.at = ARENA_ARRAY(m, MExpr *, size * size);
  if (!axis) {
    r.at[0] = r.at[3] = c;
    r.at[1] = mx_neg(m, s, at);
    r.at[2] = s;
    return r;
  }
  MExpr *rest = mx_2(m, MOP_SUB, mx_num(m, 1, at), c, at);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      MExpr *both = mx_times(m, n[i], n[k]), *plane = mx_times(m, rest, both);
      if (i == k) {                                                // c + (1 - c) n_i^2, of a unit vector of numbers 1
        r.at[4 * i] = mx_is_num(both, 1) ? mx_num(m, 1, at) : mx_plus(m, c, plane);
        continue;
      }
      MExpr *turn = mx_times(m, s, n[3 - i - k]);                  // n^ has -n_l at (i, k) where i, k, l is cyclic
      r.at[3 * i + k] = (k + 3 - i) % 3 == 1 ? mx_minus(m, plane, turn) : mx_plus(m, plane, turn);
    }
  return r;
}

// --- calls ---

bool is_space_function(const char *name) {
  return !strcmp(name, "cross") || !strcmp(name, "rotation") || !strcmp(name, "identity");
}

Value space_call(const Env *env, const Ast *x) {
  bool cross = !strcmp(x->name, "cross"), rotation = !strcmp(x->name, "rotation");
  int want = cross ? 2 : rotation && x->list.n != 1 ? 2 : 1;
  if (!arity_ok(env, x, want)) return bad_value(env, x->span);
  Value a = rotation && want == 1 ? elab_expr(env, x->list.at[0]) : cross || rotation
                                                                  ? elab_expr(env, x->list.at[0])
                                                                  : elab_scalar(env, x->list.at[0]);
  if (want == 1) return rotation ? rotation_value(env, NULL, a, x->span) : identity_value(env, a, x->span);
  Value b = elab_expr(env, x->list.at[1]);
  return cross ? cross_value(env, a, b, x->span) : rotation_value(env, &a, b, x->span);
}

// --- angles that count revolutions ---

// turned(y, x): the angle of the point (x, y), as atan2 where the run starts, and from there on by what it turns: it
// does not jump at +-pi, so it counts revolutions.
//
//   turned(y, x) = TURNED(y, x, near): the angle of (x, y) that lies within half a turn of `near`
//
// `near` is a position without a velocity that is written here: the angle where the step at hand began
// (docs/numerics/bodies.md, section 6). A step may turn by less than pi.
static int memory(const Env *env, Span at) {
  Elab *e = env->e;
  MVar v = { .kind = MV_POSITION, .ndim = env->ctx.n, .unit = e->has_units ? UNIT_ONE : UNIT_ANY, .span = at };
  const char *name = arena_printf(e->a, "turned%zu", e->angle.n + 1);
  v.plain = prefixed(e, env->scope->plain, name);
  v.name = family_name(env, name);
  family_bounds(&v, &env->ctx);
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
