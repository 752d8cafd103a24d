// Calls: the model's own functions are inlined, vector functions written out, sgn and normal_cone sent to where they
// belong.
#include <string.h>

#include "elab.h"

enum { MAX_INLINE = 200 };

static Value recursion(const Env *env, const Ast *x, const Ast *f) {
  Diag *d = diag(env->e->bag, DIAG_E0211, x->span, "function `%s` calls itself", f->name);
  diag_label(d, "called again here");
  diag_also(d, f->name_span, "declared here");
  diag_help(d, "functions are written out where they are called; use sum(i in 1:n) or a closed form");
  return bad_value(env, x->span);
}

// f(a, b): the body with the formals standing for the values; it sees file-level parameters and other functions,
// nothing else.
static Value inline_function(const Env *env, const Ast *x, const Ast *f) {
  Elab *e = env->e;
  if (!arity_ok(env, x, f->list.n)) return bad_value(env, x->span);
  for (size_t i = 0; i < e->calls.n; i++)
    if (e->calls.at[i] == f) return recursion(env, x, f);
  if (env->depth > MAX_INLINE) return recursion(env, x, f);
  Env in = {.e = e, .scope = e->globals, .ctx = env->ctx, .depth = env->depth + 1};
  bool bad = false;
  for (int i = 0; i < f->list.n; i++) {
    const Ast *formal = f->list.at[i];
    Value v = adopt(env, elab_expr(env, x->list.at[i]), formal, "argument");
    bad = bad || v.bad;
    for (int k = 0; k < i; k++)
      if (f->list.at[k]->name == formal->name) {
        Diag *d = diag(e->bag, DIAG_E0202, formal->name_span, "`%s` is declared twice", formal->name);
        diag_also(d, f->list.at[k]->name_span, "first declared here");
      }
    in = env_with(in, &(Local){.kind = L_VALUE, .name = formal->name, .span = formal->name_span, .value = v});
  }
  if (bad || !f->a) return bad_value(env, x->span);
  vec_push(&e->calls, f);
  Value r = adopt(&in, elab_expr(&in, f->a), f, "function");
  e->calls.n--;
  r.span = x->span;
  return r;
}

static Value misplaced_law(const Env *env, const Ast *x) {
  bool sgn = strcmp(x->name, "sgn") == 0;
  Diag *d = diag(env->e->bag, DIAG_E0208, x->span, "`%s` is set-valued and cannot be a term of an ordinary expression",
                 x->name);
  diag_label(d, sgn ? "at 0 this is the whole interval [-1, 1]" : "this is a set, not a number");
  diag_note(d, "a set-valued law needs a multiplier and a relation");
  if (sgn)
    diag_help(d, "relation N: u in -sgn(s); with a multiplier u -- or sign(s), the ordinary function that is 0 at 0");
  else diag_help(d, "relation N: -y in normal_cone([lo, hi], u); with a multiplier u");
  return bad_value(env, x->span);
}

Value elab_call(const Env *env, const Ast *x) {
  const char *name = x->name ? x->name : "";
  const Ast *f = map_get(env->e->functions, name);
  MOp op;
  bool is_statistic;
  if (f) return inline_function(env, x, f);
  Value v = elab_statistic(env, x, &is_statistic);
  if (is_statistic) return v;
  if (find_builtin(name, &op)) return builtin_call(env, op, x);
  if (strcmp(name, "sgn") == 0 || strcmp(name, "normal_cone") == 0) return misplaced_law(env, x);
  bool dot = strcmp(name, "dot") == 0, norm = strcmp(name, "norm") == 0, transpose = strcmp(name, "transpose") == 0;
  bool sum = strcmp(name, "sum") == 0;
  if (!dot && !norm && !transpose && !sum) {
    unknown_function(env, x);
    return bad_value(env, x->span);
  }
  if (!arity_ok(env, x, dot ? 2 : 1)) return bad_value(env, x->span);
  Value a = elab_expr(env, x->list.at[0]);
  if (transpose) return transpose_value(env, a, x->span);
  if (norm) return norm_value(env, a, x->span);
  if (sum) return a.bad ? a : scalar_value(mx_sum(env->e->a, a.at, value_count(&a), x->span), a.unit, x->span, env);
  return dot_value(env, a, elab_expr(env, x->list.at[1]), x->span);
}
