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
  if (kind == MV_DELAY)
    return refuse(env, at, "a delayed quantity has no time derivative here",
                  "delay the derivative: state v; and delay(v, T)");
  if (kind == MV_DISCRETE)
    return refuse(env, at, "a discrete variable has no time derivative",
                  "it holds its value between events; what changes in between is a state");
  if (kind == MV_MULTIPLIER || kind == MV_ROW)
    return refuse(env, at, "a multiplier has no time derivative",
                  "it may jump at any time; use the derivatives of states and coordinates");
  return true;
}

static bool has_rate(const Env *env, Span at, const MExpr *x, Map *seen) {
  if (!(x->uses & (MU_VAR | MU_DISCRETE | MU_INPUT)) || map_get(seen, x)) return true;
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

// k' of a parameter of this model or file is meant as something else.
static bool prime_of_param(const Env *env, const Ast *x, const Value *v) {
  const Ast *of = x->a->kind == AST_INDEX ? x->a->a : x->a;
  if (of->kind != AST_NAME || local_find(env, of->name)) return false;
  const Symbol *y = scope_find(env->scope, of->name);
  if (!y) y = scope_find(env->e->globals, of->name);
  if (!y || y->kind != SY_PARAM) return false;
  Diag *d = diag(env->e->bag, DIAG_E0222, x->span, "`%s` is a parameter, its derivative is 0", of->name);
  diag_also(d, y->span, "declared here");
  if (v->ndim == 1) diag_help(d, "for the scalar product write dot(%s, b)", of->name);
  else if (v->ndim > 1) diag_help(d, "the transpose is transpose(%s)", of->name);
  else diag_help(d, "what changes in time is a state or a coordinate: state %s = ...; %s' = ...;", of->name, of->name);
  return true;
}

Value elab_prime(const Env *env, const Ast *x) {
  Value v = elab_expr(env, x->a);
  if (v.bad) return v;
  if (prime_of_param(env, x, &v)) return bad_value(env, x->span);
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
