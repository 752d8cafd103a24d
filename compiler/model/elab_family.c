// What belongs to families: the indices that rows carry, and names with a mark for each index, "pair[%]".
#include "elab.h"

void not_supported(const Env *env, DiagCode code, Span at, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, code, at, "not supported yet: %s", what);
  diag_label(d, "not in this version");
  diag_help(d, "%s", help);
}

const char *loop_indices(const Env *env) {
  int outer = env->scope->ctx.n;
  const char *all = "";
  for (int k = outer; k < env->ctx.n; k++)
    all = arena_printf(env->e->a, "%s%s%s", all, k > outer ? ", " : "[", env->ctx.loop[k].name);
  return *all ? arena_printf(env->e->a, "%s]", all) : "";
}

// The rows of a family are told apart by the indices of the loops around them, in their order: for i in 1:n { contact
// pair[i]: ... }
bool own_indices(const Env *env, const Ast *x, const char *what) {
  int outer = env->scope->ctx.n, want = env->ctx.n - outer;
  bool ok = x->list.n == want;
  for (int k = 0; ok && k < want; k++) {
    const Ast *i = x->list.at[k];
    ok = i->kind == AST_NAME && i->name == env->ctx.loop[outer + k].name;
  }
  if (ok) return true;
  const char *index = loop_indices(env);
  Diag *d = diag(env->e->bag, DIAG_E0229, x->name_span.file ? x->name_span : x->span,
                 "the indices of %s `%s` do not match the loops around it", what, x->name ? x->name : "");
  if (want == 0) diag_label(d, "there is no loop around it");
  else diag_label(d, "inside the loop%s over %s", want == 1 ? "" : "s", index);
  diag_help(d, "%s %s%s: ...", what, x->name ? x->name : "name", index);
  return false;
}

const char *index_marks(Arena *a, int n) {
  Text t = {0};
  for (int k = 0; k < n; k++) text_add(&t, k ? ",%" : "[%");
  if (n) text_addc(&t, ']');
  const char *r = arena_printf(a, "%s", text_str(&t));
  text_free(&t);
  return r;
}

const char *family_name(const Env *env, const char *name) {
  Elab *e = env->e;
  return arena_printf(e->a, "%s%s", prefixed(e, env->scope->path, name ? name : "unnamed"),
                      index_marks(e->a, env->ctx.n - env->scope->ctx.n));
}

void family_bounds(MVar *v, const MContext *ctx) {
  for (int k = 0; k < ctx->n; k++) {
    v->lo[k] = ctx->loop[k].lo;
    v->hi[k] = ctx->loop[k].hi;
  }
}
