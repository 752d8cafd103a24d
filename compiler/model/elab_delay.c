// delay(y, T): what y was a time T ago (runtime/assembly/signals.c). It becomes a variable with the loops around it as
// indices, and a statement that says of what it is the past.
#include "elab.h"

static Value bad(const Env *env, Span at, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0239, at, "%s", what);
  diag_help(d, "%s", help);
  return bad_value(env, at);
}

static bool same_loops(const MContext *a, const MContext *b) {
  if (a->n != b->n) return false;
  for (int i = 0; i < a->n; i++)
    if (!mx_same(a->loop[i].lo, b->loop[i].lo) || !mx_same(a->loop[i].hi, b->loop[i].hi)) return false;
  return true;
}

static int variable(const Env *env, const Ast *x, MExpr *y, MExpr *time, Unit unit) {
  Elab *e = env->e;
  for (size_t i = 0; i < e->delay.n; i++) {
    const MDelay *o = &e->delay.at[i];
    if (same_loops(&o->ctx, &env->ctx) && mx_same(o->value, y) && mx_same(o->time, time)) return o->var;
  }
  MVar v = { .kind = MV_DELAY, .ndim = env->ctx.n, .unit = unit, .span = x->span, .plain = ast_text(e, x) };
  v.name = arena_printf(e->a, "delay%d%s", (int)e->delay.n + 1, index_marks(e, env->ctx.n));
  for (int k = 0; k < env->ctx.n; k++) {
    v.lo[k] = env->ctx.loop[k].lo;
    v.hi[k] = env->ctx.loop[k].hi;
  }
  vec_push(&e->var, v);
  MDelay d = { .ctx = env->ctx, .var = (int)e->var.n - 1, .value = y, .time = time, .span = x->span };
  vec_push(&e->delay, d);
  return d.var;
}

Value elab_delay(const Env *env, const Ast *x) {
  Elab *e = env->e;
  double number;
  if (!arity_ok(env, x, 2)) return bad_value(env, x->span);
  Value y = elab_scalar(env, x->list.at[0]), T = elab_scalar(env, x->list.at[1]);
  if (y.bad || T.bad || !unit_check(env, T, e->has_units ? unit_named("s") : UNIT_ANY, "a delay"))
    return bad_value(env, x->span);
  if (extra_uses(&T, MU_PARAM | MU_LOOP)) {
    not_constant(env, &T, "a delay", "delays that change with time are not supported");
    return bad_value(env, x->span);
  }
  if (try_eval(e, T.at[0], false, NULL, 0, &number) && !(number > 0))
    return bad(env, T.span, "a delay is positive", "delay(y, T) with T of one step or more");
  if (y.at[0]->uses & MU_STAT) return bad(env, y.span, "a result of the run has no past", "delay what moves");
  for (int k = 0; k < env->ctx.n; k++)
    if ((env->ctx.loop[k].lo->uses | env->ctx.loop[k].hi->uses) & MU_LOOP) {
      not_supported(env, DIAG_E0703, x->span, "a delay inside of a loop whose range depends on another loop",
                    "give both loops ranges of their own");
      return bad_value(env, x->span);
    }
  MExpr *index[MAX_LOOPS];
  for (int k = 0; k < env->ctx.n; k++) index[k] = mx_loop(e->a, k, x->span);
  int id = variable(env, x, y.at[0], T.at[0], y.unit);
  return scalar_value(mx_var(e->a, &e->var.at[id], id, index, env->ctx.n, false, x->span), y.unit, x->span, env);
}
