// What every part of the elaboration asks of a value: how many elements, its shape and text, its unit, what it uses.
// Nothing here elaborates.
#include <string.h>

#include "elab.h"

// --- as written ---

const char *ast_text(Elab *e, const Ast *x) {
  if (!x->span.file || x->span.hi < x->span.lo || x->span.hi > x->span.file->len) return "...";
  size_t n = x->span.hi - x->span.lo;
  return arena_strndup(e->a, x->span.file->text + x->span.lo, n);
}

const char *inner_text(const Env *env, Span at) {
  Ast x = {.span = at};
  const char *s = ast_text(env->e, &x);
  size_t n = strlen(s);
  return s[0] == '(' && s[n - 1] == ')' ? arena_strndup(env->e->a, s + 1, n - 2) : s;
}

const char *shape_text(Elab *e, const Value *v) {
  if (v->ndim == 0) return "a number";
  if (v->ndim == 1) return arena_printf(e->a, "a vector of %d", v->dim[0]);
  return arena_printf(e->a, "a %d x %d matrix", v->dim[0], v->dim[1]);
}

// --- values ---

int value_count(const Value *v) { return v->ndim == 0 ? 1 : v->ndim == 1 ? v->dim[0] : v->dim[0] * v->dim[1]; }

Value scalar_value(MExpr *x, Unit u, Span at, const Env *env) {
  Value v = {.unit = u, .span = at, .at = ARENA_ARRAY(env->e->a, MExpr *, 1)};
  v.at[0] = x;
  return v;
}

Value bad_value(const Env *env, Span at) {
  Value v = scalar_value(mx_num(env->e->a, 0, at), UNIT_ANY, at, env);
  v.bad = true;
  return v;
}

Unit unit_named(const char *text) {
  Unit u = UNIT_ANY;
  (void)unit_parse(text, &u, NULL, NULL);
  return u;
}

Unit unit_rate(Elab *e, Unit u) {
  Unit r = unit_div(u, unit_named("s"));
  if (!unit_scaled(u)) return r;
  r.scale = u.scale;
  r.written = u.written ? arena_printf(e->a, strpbrk(u.written, "*/") ? "(%s)/s" : "%s/s", u.written) : NULL;
  return r;
}

bool unit_check(const Env *env, Value v, Unit want, const char *what) {
  if (v.bad) return false;
  if (v.truth) {
    Diag *d = diag(env->e->bag, DIAG_E0228, v.span, "%s must be a number", what);
    diag_label(d, "this is a condition");
    diag_help(d, "write: if %s then 1 else 0", inner_text(env, v.span));
    diag_edit(d, v.span, "(if %s then 1 else 0)", inner_text(env, v.span));
    return false;
  }
  if (units_meet(env->e, v.unit, want, v.span)) return true;
  Text have = {0}, need = {0};
  unit_print(v.unit, &have);
  unit_print(want, &need);
  bool none = strcmp(text_str(&need), "1") == 0;
  Diag *d = none ? diag(env->e->bag, DIAG_E0301, v.span, "%s must have no unit but is in %s", what, text_str(&have))
                 : diag(env->e->bag, DIAG_E0301, v.span, "%s must be in %s but is in %s", what, text_str(&need),
                        text_str(&have));
  diag_label(d, "this is in %s", text_str(&have));
  if (unit_compatible(unit_mul(v.unit, v.unit), want)) diag_help(d, "is a square missing?");
  else if (none && !strcmp(text_str(&have), "s"))
    diag_help(d, "multiply by a frequency, in 1/s, rad/s or Hz, or divide by a quantity in s");
  else if (none) diag_help(d, "divide by a quantity in %s", text_str(&have));
  else {
    Text missing = {0};
    unit_print(unit_div(want, v.unit), &missing);
    if (v.ndim == 0 && v.at[0]->kind == MX_NUM) diag_help(d, "give it in %s", text_str(&need));
    else diag_help(d, "is a factor in %s missing, or is a declared unit another one?", text_str(&missing));
    text_free(&missing);
  }
  text_free(&have);
  text_free(&need);
  return false;
}

// --- constants ---

unsigned extra_uses(const Value *v, unsigned fine) {
  unsigned all = 0;
  for (int i = 0; i < value_count(v); i++) all |= v->at[i]->uses;
  return all & ~fine;
}

void not_constant(const Env *env, const Value *v, const char *what, const char *help) {
  unsigned more = extra_uses(v, MU_PARAM | MU_LOOP);
  Diag *d = diag(env->e->bag, DIAG_E0224, v->span, "%s must be constant during a run", what);
  diag_label(d, more & MU_LAMBDA ? "depends on a multiplier"
                : more & MU_VAR  ? "depends on the motion"
                : more & MU_TIME ? "depends on the time"
                : more & MU_DISCRETE ? "depends on a discrete variable"
                : more & MU_STAT ? "depends on a result of the run"
                                 : "depends on the index of a loop");
  diag_help(d, "%s", help);
}
