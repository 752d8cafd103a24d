// The time derivative x': of a variable its velocity or rate; a composed expression keeps the mark, and is
// differentiated by the rules of algebra when it is lowered (system/lower.c).
#include "elab.h"

static bool refuse(const Env *env, Span at, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0222, at, "%s", what);
  diag_label(d, "no time derivative");
  diag_help(d, "%s", help);
  return false;
}

static bool variable_has_rate(const Env *env, Span at, const MExpr *x) {
  MVarKind kind = env->e->var.at[x->id].kind;
  if (x->derivative && kind == MV_COORD)
    return refuse(env, at, "accelerations cannot be written",
                  "a force is given by `force z = ...;`, the acceleration follows from it");
  if (x->derivative)
    return refuse(env, at, "a state has one derivative only", "introduce a second state: x' = v; v' = ...;");
  if (kind == MV_MULTIPLIER || kind == MV_ROW)
    return refuse(env, at, "a multiplier has no time derivative",
                  "it may jump at any time; use the derivatives of states and coordinates");
  return true;
}

static bool has_rate(const Env *env, Span at, const MExpr *x, Map *seen) {
  if (!(x->uses & MU_VAR) || map_get(seen, x)) return true;
  map_put(seen, x, (void *)x);
  if (x->kind == MX_RATE)
    return refuse(env, at, "there is no second derivative",
                  "name the first one, and let a state or coordinate follow it");
  if (x->kind == MX_VAR) return variable_has_rate(env, at, x);
  for (int i = 0; i < x->nargs; i++)
    if (!has_rate(env, at, x->arg[i], seen)) return false;
  return true;
}

static MExpr *rate(const Env *env, Span at, MExpr *x) {
  Arena *m = env->e->a;
  if (!(x->uses & (MU_VAR | MU_TIME))) return mx_num(m, 0, at);
  if (x->kind == MX_TIME) return mx_num(m, 1, at);
  if (x->kind == MX_VAR) return mx_var(m, &env->e->var.at[x->id], x->id, x->arg, x->nargs, true, at);
  return mx_rate(m, x, at);
}

Value elab_prime(const Env *env, const Ast *x) {
  Value v = elab_expr(env, x->a);
  if (v.bad) return v;
  Value d = v;
  Map *seen = map_new(env->e->a);
  d.span = x->span;
  d.unit = v.unit.state == UNIT_LITERAL ? UNIT_ANY : unit_rate(env->e, v.unit);
  d.at = ARENA_ARRAY(env->e->a, MExpr *, value_count(&v));
  for (int i = 0; i < value_count(&v) && !d.bad; i++) {
    d.bad = !has_rate(env, x->span, v.at[i], seen);
    d.at[i] = rate(env, x->span, v.at[i]);
  }
  return d.bad ? bad_value(env, x->span) : d;
}
