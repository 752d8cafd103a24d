// plot "name": a, b vs c; what a page shows at first. Columns are names; what has none is named by an `output`. Plots
// of parts do not count: the model that is run says what is shown.
#include <string.h>
#include "elab.h"

// x, x', k[2], bead[1].z, bead.z
static bool is_name(const Ast *x) {
  while (x->kind == AST_MEMBER || x->kind == AST_INDEX || x->kind == AST_PRIME) x = x->a;
  return x->kind == AST_NAME;
}

static bool not_a_column(const Env *env, const Ast *x, const char *what) {
  Diag *d = diag(env->e->bag, DIAG_E0272, x->span, "%s is not a column of the run", what);
  if (x->kind == AST_NAME) diag_help(d, "output %s_shown = %s; and plot %s_shown", x->name, x->name, x->name);
  else diag_help(d, "output shown = %s; and plot shown", ast_text(env->e, x));
  return false;
}

static bool column(const Env *env, const Ast *x, const char **out) {
  if (!is_name(x)) return not_a_column(env, x, "an expression");
  const Symbol *y = x->kind == AST_NAME ? scope_find(env->scope, x->name) : NULL;
  if (y && (y->kind == SY_VAR || y->kind == SY_PARAM || y->kind == SY_FORMAL))
    return not_a_column(env, x, y->kind == SY_VAR ? "a `var`" : "a parameter");
  Env in = *env;
  *out = ast_text(env->e, x);
  return !elab_expr(&in, x).bad;
}

void elab_plot(Env env, const Ast *x) {
  Elab *e = env.e;
  MPlot plot = { .title = x->doc, .column = ARENA_ARRAY(e->a, const char *, x->list.n) };
  bool good = true;
  for (int i = 0; i < x->list.n; i++) good = column(&env, x->list.at[i], &plot.column[plot.ncolumn++]) && good;
  if (x->a) good = column(&env, x->a, &plot.over) && good;
  if (good && !env.scope->instance) vec_push(&e->plot, plot);
}
