// Built-in functions: arity, shapes and units of their arguments, by the rules of builtins.def.
#include <stdio.h>
#include <string.h>

#include "../base/suggest.h"
#include "elab.h"

typedef enum {
  RULE_SAME,
  RULE_NONE,
  RULE_MUL,
  RULE_DIV,
  RULE_POW,
  RULE_SQRT,
  RULE_COMPARE,
  RULE_LOGIC,
  RULE_IF,
  RULE_ATAN2,
  RULE_FREE,
  RULE_SIGN
} UnitRule;

static const struct { const char *name; int arity; UnitRule rule; } builtins[] = {
#define BUILTIN(name, text, arity, units) {text, arity, RULE_##units},
#include "builtins.def"
#undef BUILTIN
};

static const char *const others[] = {"sgn", "normal_cone", "transpose", "dot",      "norm",
                                     "der", "cross",       "rotation",  "identity",
                                     "turned", "given"};

static bool is_word(const char *s) {
  return (*s >= 'a' && *s <= 'z') && strcmp(s, "and") && strcmp(s, "or") && strcmp(s, "not") && strcmp(s, "if");
}

bool find_builtin(const char *name, MOp *out) {
  for (int i = 0; i < MOP_COUNT; i++)
    if (is_word(builtins[i].name) && strcmp(builtins[i].name, name) == 0) {
      *out = (MOp)i;
      return true;
    }
  return false;
}

void unknown_function(const Env *env, const Ast *x) {
  Elab *e = env->e;
  Vec(const char *) names = {0};
  for (int i = 0; i < MOP_COUNT; i++)
    if (is_word(builtins[i].name)) vec_push(&names, builtins[i].name);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) vec_push(&names, others[i]);
  for (size_t i = 0; i < map_size(e->functions); i++) vec_push(&names, (const char *)map_key_at(e->functions, i));
  for (int i = 0; env->in_claim && statistic_name(i); i++) vec_push(&names, statistic_name(i));
  Diag *d = diag(e->bag, DIAG_E0210, x->name_span.file ? x->name_span : x->span, "unknown function `%s`", x->name);
  diag_label(d, "not declared");
  const char *near = suggest(x->name, names.at, names.n), *meant = function_meant(e, x);
  const Symbol *quantity = scope_find(env->scope, x->name);
  if (quantity && quantity->decl && quantity->decl->kind == AST_DECL && quantity->decl->list.n > 0)
    diag_help(d, "`%s` is an array: its elements are %s[i]", x->name, x->name);
  else if (quantity && env->in_claim && x->list.n == 1)
    diag_help(d, "the value at a time is at(%s, %s)", x->name, ast_text(e, x->list.at[0]));
  else if (quantity && x->list.n == 1 && x->list.at[0]->kind == AST_NAME &&
           (!strcmp(x->list.at[0]->name, "t") || x->list.at[0]->name == e->word.time))
    diag_help(d, "a quantity changes in time without being told so: %s", x->name);
  else if (quantity || local_find(env, x->name))
    diag_help(d, "`%s` is a quantity: for a product write %s*(...)", x->name, x->name);
  else if (map_get(e->models, x->name))
    diag_help(d, "`%s` is a model: make an instance of it, %s part(...);", x->name, x->name);
  else if (meant) diag_help(d, "%s", meant);
  else if (near) diag_help(d, "did you mean `%s`?", near);
  else diag_help(d, "declare it: function %s(x) = ...;", x->name);
  vec_free(&names);
}

bool arity_ok(const Env *env, const Ast *x, int want) {
  for (int i = 0; i < x->list.n; i++)
    if (x->list.at[i]->kind == AST_ARG) {
      Diag *d =
          diag(env->e->bag, DIAG_E0209, x->list.at[i]->span, "`%s` takes its arguments in order, not by name", x->name);
      diag_label(d, "a named argument");
      diag_help(d, "leave `%s =` out", x->list.at[i]->name);
      return false;
    }
  if (x->list.n == want) return true;
  Diag *d = diag(env->e->bag, DIAG_E0209, x->span, "`%s` takes %d argument%s, not %d", x->name, want,
                 want == 1 ? "" : "s", x->list.n);
  diag_label(d, "%d given", x->list.n);
  const Ast *f = map_get(env->e->functions, x->name);
  if (f) diag_also(d, f->name_span, "declared here");
  diag_help(d, want == 0 ? "%s()" : want == 1 ? "%s(x)" : want == 2 ? "%s(x, y)" : "%s(x, y, ...)", x->name);
  return false;
}

static bool all_numbers(const Env *env, const Ast *x, const Value *v, int n) {
  for (int i = 0; i < n; i++) {
    if (v[i].bad) return false;
    if (v[i].truth) return unit_check(env, v[i], UNIT_ANY, "the argument of a function");
    if (v[i].ndim == 0) continue;
    Diag *d =
        diag(env->e->bag, DIAG_E0302, v[i].span, "`%s` takes numbers, not %s", x->name, shape_text(env->e, &v[i]));
    diag_label(d, "this is %s", shape_text(env->e, &v[i]));
    if (strcmp(x->name, "abs") == 0) diag_help(d, "for the length of a vector write norm(a)");
    else diag_help(d, "apply it to each element: [%s(a[1]), %s(a[2])]", x->name, x->name);
    return false;
  }
  return true;
}

// The unit of op(v), or false after a message.
static bool result_unit(const Env *env, MOp op, const Ast *x, const Value *v, int n, Unit *out) {
  char what[80];
  (void)snprintf(what, sizeof what, "the argument of %.40s", builtins[op].name);
  *out = UNIT_BARE;
  for (int i = 0; i < n; i++) *out = unit_merge(*out, v[i].unit);
  switch (builtins[op].rule) {
  case RULE_NONE:
    for (int i = 0; i < n; i++)
      if (!unit_check(env, v[i], UNIT_ONE, what)) return false;
    *out = unit_plain(*out);
    return true;   // bare stays bare, unknown stays unknown
  case RULE_SQRT:
    if (unit_pow(v[0].unit, 0.5, out)) return true;
    break;
  case RULE_SAME:
  case RULE_ATAN2:
    for (int i = 1; i < n; i++)
      if (!unit_compatible(v[0].unit, v[i].unit)) {
        Text a = {0}, b = {0};
        unit_print(v[0].unit, &a);
        unit_print(v[i].unit, &b);
        Diag *d = diag(env->e->bag, DIAG_E0301, v[0].span, "cannot take `%s` of %s and %s", builtins[op].name,
                       text_str(&a), text_str(&b));
        diag_label(d, "in %s", text_str(&a));
        diag_also(d, v[i].span, "in %s", text_str(&b));
        diag_help(d, "all arguments need the same unit");
        text_free(&a);
        text_free(&b);
        return false;
      }
    for (int i = 1; i < n; i++) bare_number(env, &v[0], &v[i]);
    if (builtins[op].rule == RULE_ATAN2 && out->state == UNIT_KNOWN) *out = UNIT_ONE;
    return true;
  case RULE_SIGN:
    if (out->state == UNIT_KNOWN) *out = UNIT_ONE;
    return true;
  default: return true;
  }
  Text t = {0};
  unit_print(v[0].unit, &t);
  Diag *d = diag(env->e->bag, DIAG_E0304, x->span, "the root of %s is not a unit", text_str(&t));
  diag_label(d, "only whole and half exponents of units exist");
  diag_help(d, "divide by a reference quantity first: sqrt(x/x0)");
  text_free(&t);
  return false;
}

Value builtin_call(const Env *env, MOp op, const Ast *x) {
  bool folds = (op == MOP_MIN || op == MOP_MAX) && x->list.n > 2;   // max(a, b, c)
  if (!arity_ok(env, x, folds ? x->list.n : builtins[op].arity)) return bad_value(env, x->span);
  int n = x->list.n;
  Value *v = ARENA_ARRAY(env->e->a, Value, n);
  for (int i = 0; i < n; i++) v[i] = elab_expr(env, x->list.at[i]);
  Unit u;
  if (!all_numbers(env, x, v, n) || !result_unit(env, op, x, v, n, &u)) return bad_value(env, x->span);
  if (op == MOP_SIN || op == MOP_COS || op == MOP_TAN) note_angle(env, &v[0]);
  MExpr *r = NULL;
  if (folds) {
    r = v[0].at[0];
    for (int i = 1; i < n; i++) r = mx_2(env->e->a, op, r, v[i].at[0], x->span);
  } else {
    MExpr *arg[3] = {NULL, NULL, NULL};
    for (int i = 0; i < n && i < 3; i++) arg[i] = v[i].at[0];
    r = mx_op(env->e->a, op, arg, n, x->span);
  }
  return scalar_value(r, u, x->span, env);
}
