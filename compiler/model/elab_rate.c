// The time derivative x': of a variable its velocity or rate, of a composed expression by the rules of calculus.
#include "elab.h"

typedef struct Rate { const Env *env; Span at; bool bad; Map *done; } Rate;

static MExpr *rate(Rate *r, MExpr *x);

static MExpr *times(Rate *r, MExpr *a, MExpr *b) {
  Arena *m = r->env->e->a;
  if (mx_is_num(a, 0) || mx_is_num(b, 0)) return mx_num(m, 0, r->at);
  return mx_is_num(a, 1) ? b : mx_is_num(b, 1) ? a : mx_2(m, MOP_MUL, a, b, r->at);
}

static MExpr *plus(Rate *r, MOp op, MExpr *a, MExpr *b) {
  Arena *m = r->env->e->a;
  if (mx_is_num(b, 0)) return a;
  if (mx_is_num(a, 0)) return op == MOP_ADD ? b : mx_neg(m, b, r->at);
  return mx_2(m, op, a, b, r->at);
}

// a^(p - 1)
static MExpr *lower_power(Rate *r, MExpr *a, MExpr *p) {
  Arena *m = r->env->e->a;
  if (p->kind != MX_NUM) return mx_2(m, MOP_POW, a, mx_2(m, MOP_SUB, p, mx_num(m, 1, r->at), r->at), r->at);
  return p->num == 2 ? a : mx_2(m, MOP_POW, a, mx_num(m, p->num - 1, r->at), r->at);
}

static MExpr *fail(Rate *r, const char *what, const char *help) {
  r->bad = true;
  Diag *d = diag(r->env->e->bag, DIAG_E0222, r->at, "%s", what);
  diag_label(d, "no time derivative");
  diag_help(d, "%s", help);
  return mx_num(r->env->e->a, 0, r->at);
}

// d/dt f(a) = f'(a)*a', the outer factor f'(a) by operation.
static MExpr *outer(Rate *r, const MExpr *x) {
  Arena *m = r->env->e->a;
  MExpr *a = x->arg[0], *self = (MExpr *)x;
  Span at = r->at;
  MExpr *one = mx_num(m, 1, at);
  switch (x->op) {
  case MOP_SQRT: return mx_2(m, MOP_DIV, mx_num(m, 0.5, at), self, at);
  case MOP_EXP: return self;
  case MOP_LOG: return mx_2(m, MOP_DIV, one, a, at);
  case MOP_SIN: return mx_1(m, MOP_COS, a, at);
  case MOP_COS: return mx_neg(m, mx_1(m, MOP_SIN, a, at), at);
  case MOP_TAN: return mx_2(m, MOP_ADD, one, mx_2(m, MOP_MUL, self, self, at), at);
  case MOP_SINH: return mx_1(m, MOP_COSH, a, at);
  case MOP_COSH: return mx_1(m, MOP_SINH, a, at);
  case MOP_TANH: return mx_2(m, MOP_SUB, one, mx_2(m, MOP_MUL, self, self, at), at);
  case MOP_ATAN: return mx_2(m, MOP_DIV, one, mx_2(m, MOP_ADD, one, mx_2(m, MOP_MUL, a, a, at), at), at);
  case MOP_ABS: return mx_1(m, MOP_SIGN, a, at);
  default:
    return fail(r, "this function has no time derivative here", "name the quantity and write its derivative out");
  }
}

static MExpr *rate_of_operation(Rate *r, MExpr *x) {
  Arena *m = r->env->e->a;
  MExpr *a = x->arg[0], *b = x->nargs > 1 ? x->arg[1] : NULL;
  switch (x->op) {
  case MOP_ADD:
  case MOP_SUB: return plus(r, x->op, rate(r, a), rate(r, b));
  case MOP_NEG: return mx_neg(m, rate(r, a), r->at);
  case MOP_MUL: return plus(r, MOP_ADD, times(r, rate(r, a), b), times(r, a, rate(r, b)));
  case MOP_DIV: {
    MExpr *ra = rate(r, a), *over = mx_is_num(ra, 0) ? ra : mx_2(m, MOP_DIV, ra, b, r->at);
    if (mx_constant(b)) return over;
    return plus(r, MOP_SUB, over, mx_2(m, MOP_DIV, times(r, a, rate(r, b)), mx_2(m, MOP_MUL, b, b, r->at), r->at));
  }
  case MOP_POW:
    if (!mx_constant(b))
      return fail(r, "a power with a changing exponent has no time derivative here", "write exp(p*log(x))");
    return times(r, times(r, b, lower_power(r, a, b)), rate(r, a));
  case MOP_IF: return mx_op(m, MOP_IF, (MExpr *[]){a, rate(r, b), rate(r, x->arg[2])}, 3, r->at);
  default: return times(r, outer(r, x), rate(r, a));
  }
}

static MExpr *rate_of_variable(Rate *r, MExpr *x) {
  const MVar *v = &r->env->e->var.at[x->id];
  if (x->derivative && v->kind == MV_COORD)
    return fail(r, "accelerations cannot be written",
                "a force is given by `force z = ...;`, the acceleration follows from it");
  if (x->derivative) return fail(r, "a state has one derivative only", "introduce a second state: x' = v; v' = ...;");
  if (v->kind == MV_MULTIPLIER || v->kind == MV_ROW)
    return fail(r, "a multiplier has no time derivative",
                "it may jump at any time; use the derivatives of states and coordinates");
  return mx_var(r->env->e->a, v, x->id, x->arg, x->nargs, true, r->at);
}

static MExpr *rate(Rate *r, MExpr *x) {
  Arena *m = r->env->e->a;
  if (r->bad || !(x->uses & (MU_VAR | MU_TIME))) return mx_num(m, 0, r->at);
  MExpr *seen = map_get(r->done, x);
  if (seen) return seen;
  MExpr *y = x->kind == MX_TIME  ? mx_num(m, 1, r->at)
             : x->kind == MX_VAR ? rate_of_variable(r, x)
                                 : rate_of_operation(r, x);
  map_put(r->done, x, y);
  return y;
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
  Rate r = {.env = env, .at = x->span, .done = map_new(env->e->a)};
  Value d = v;
  d.span = x->span;
  d.unit = v.unit.state == UNIT_LITERAL ? UNIT_ANY : unit_rate(env->e, v.unit);
  d.at = ARENA_ARRAY(env->e->a, MExpr *, value_count(&v));
  for (int i = 0; i < value_count(&v); i++) d.at[i] = rate(&r, v.at[i]);
  d.bad = r.bad;
  return d;
}
