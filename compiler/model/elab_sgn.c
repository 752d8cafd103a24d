// The right-hand side of `u in ...`: a + b*sgn(s), affine in one sgn. Signs and factors are collected on the way down.
#include <string.h>

#include "elab.h"

bool has_sgn(const Ast *x) {
  if (!x) return false;
  if (x->kind == AST_CALL && x->name && strcmp(x->name, "sgn") == 0) return true;
  if (has_sgn(x->a) || has_sgn(x->b) || has_sgn(x->c)) return true;
  for (int i = 0; i < x->list.n; i++)
    if (has_sgn(x->list.at[i])) return true;
  return false;
}

typedef struct Walk { const Env *env; Relay *out; } Walk;

static bool unreadable(const Env *env, const Ast *x, const char *why) {
  Diag *d = diag(env->e->bag, DIAG_E0227, x->span, "this is not of the form a + b*sgn(s)");
  diag_label(d, "%s", why);
  diag_note(
      d,
      "a relay is an interval that moves along: u in a + b*sgn(s), with one sgn that is neither a divisor nor inside "
      "a function");
  diag_help(d, "relation N: u in -K*sgn(s);");
  return false;
}

static bool add_constant(Walk *w, const Ast *x, bool negative, const Value *factor) {
  const Env *env = w->env;
  Value v = elab_expr(env, x);
  if (factor) v = binary_value(env, AO_MUL, *factor, v, x);
  if (negative) v = negated(env, v, x->span);
  if (w->out->has_a) v = binary_value(env, AO_ADD, w->out->a, v, x);
  w->out->a = v;
  w->out->has_a = true;
  return !v.bad;
}

static bool read(Walk *w, const Ast *x, bool negative, const Value *factor) {
  const Env *env = w->env;
  if (!has_sgn(x)) return add_constant(w, x, negative, factor);
  if (x->kind == AST_PAREN) return read(w, x->a, negative, factor);
  if (x->kind == AST_UNARY && x->op == AO_NEG) return read(w, x->a, !negative, factor);
  if (x->kind == AST_CALL && strcmp(x->name, "sgn") == 0) {
    if (w->out->s.at) return unreadable(env, x, "a second sgn");
    if (!arity_ok(env, x, 1)) return false;
    if (has_sgn(x->list.at[0])) return unreadable(env, x, "sgn of a sgn");
    w->out->s = elab_expr(env, x->list.at[0]);
    w->out->negative = negative;
    w->out->has_b = factor != NULL;
    if (factor) w->out->b = *factor;
    return !w->out->s.bad;
  }
  if (x->kind != AST_BINARY) return unreadable(env, x, "sgn stands inside something else");
  if (x->op == AO_ADD || x->op == AO_SUB) {
    bool ok = read(w, x->a, negative, factor);
    return read(w, x->b, x->op == AO_SUB ? !negative : negative, factor) && ok;
  }
  bool left = has_sgn(x->a), right = has_sgn(x->b);
  if ((x->op != AO_MUL && x->op != AO_DIV) || (left && right) || (x->op == AO_DIV && right))
    return unreadable(env, x, "not a sum, nor a multiple of sgn");
  Value f = elab_expr(env, left ? x->b : x->a);
  if (x->op == AO_DIV)
    f = binary_value(env, AO_DIV,
                     factor ? *factor : scalar_value(mx_num(env->e->a, 1, x->span), UNIT_BARE, x->span, env), f, x);
  else if (factor) f = binary_value(env, AO_MUL, *factor, f, x);
  return !f.bad && read(w, left ? x->a : x->b, negative, &f);
}

bool relay_form(const Env *env, const Ast *x, Relay *out) {
  *out = (Relay){0};
  Walk w = {.env = env, .out = out};
  return read(&w, x, false, NULL);
}
