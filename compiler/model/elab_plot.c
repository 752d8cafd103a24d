// plot "name": a, b vs c; what a page shows at first. Columns are names; what has none is named by an `output`. Plots
// of parts do not count: the model that is run says what is shown.
#include <string.h>
#include "elab.h"

bool has_column_name(const Ast *x) {
  while (x->kind == AST_MEMBER || x->kind == AST_INDEX || x->kind == AST_PRIME) x = x->a;
  return x->kind == AST_NAME;
}

const Symbol *symbol_named(const Env *env, const Ast *x) {
  while (x->kind == AST_INDEX || x->kind == AST_PRIME) x = x->a;
  return x->kind == AST_NAME ? scope_find(env->scope, x->name) : NULL;
}

const char *not_a_column(const Env *env, const Ast *x) {
  const Symbol *y = symbol_named(env, x);
  if (!has_column_name(x)) return "an expression";
  if (!y || (y->kind != SY_VAR && y->kind != SY_PARAM && y->kind != SY_FORMAL)) return NULL;
  return y->kind == SY_VAR ? "a `var`" : "a parameter";
}

bool column_is_known(const Env *env, const Ast *x) {
  Env in = *env;
  const Symbol *y = x->kind == AST_NAME ? symbol_named(env, x) : NULL;
  if (y && y->kind == SY_OUTPUT && y->nfors) return true;              // V: all members of V[i]
  return !elab_expr(&in, x).bad;
}

static bool column(const Env *env, const Ast *x, const char **out) {
  const char *what = not_a_column(env, x);
  *out = ast_text(env->e, x);
  if (!what) return column_is_known(env, x);
  Diag *d = diag(env->e->bag, DIAG_E0272, x->span, "%s is not a column of the run", what);
  if (x->kind == AST_NAME) diag_help(d, "output %s_shown = %s; and plot %s_shown", x->name, x->name, x->name);
  else diag_help(d, "output shown = %s; and plot shown", *out);
  return false;
}

void elab_plot(Env env, const Ast *x) {
  Elab *e = env.e;
  MPlot plot = { .title = x->doc, .column = ARENA_ARRAY(e->a, const char *, x->list.n) };
  bool good = true;
  for (int i = 0; i < x->list.n; i++) good = column(&env, x->list.at[i], &plot.column[plot.ncolumn++]) && good;
  if (x->a) good = column(&env, x->a, &plot.over) && good;
  if (good && !env.scope->instance) vec_push(&e->plot, plot);
}
