// What laws share (elab_relation.c, elab_graph.c, elab_polyhedron.c): what a relation is solved for, where it is put,
// and multipliers that laws bring with them: the pieces of a graph, the forces of the faces of a polyhedron, arrays
// over the loops of their statement and over the pieces or faces.
#include <string.h>

#include "elab_relation.h"
#include "model_print.h"

const Ast *without_parentheses(const Ast *x) {
  while (x->kind == AST_PAREN) x = x->a;
  return x;
}

bool is_multiplier(const Env *env, const Value *v) {
  const Elab *e = env->e;
  if (v->bad) return false;
  for (int i = 0; i < value_count(v); i++)
    if (v->at[i]->kind != MX_VAR || v->at[i]->derivative ||
        e->var.at[v->at[i]->id].kind != (env->block ? MV_DISCRETE : MV_MULTIPLIER) ||
        e->var.at[v->at[i]->id].algebraic) return false;
  return true;
}

void push_relation(const Env *env, MRelation r) {
  r.made = part_of_library(env->scope);
  r.block = env->block;
  if (env->block) vec_push(&env->e->law, r);
  else vec_push(&env->e->relation, r);
}

bool relation_fits(const Env *env, const Value *v, const Value *like) {
  if (v->ndim == 0 || (v->ndim == like->ndim && value_count(v) == value_count(like))) return true;
  shape_error(env, v->span, v, like, "relate", "both sides of a relation must have the same size");
  return false;
}

void needs_multiplier(const Env *env, Span at, const char *what, const char *help) {
  Diag *d = diag(env->e->bag, DIAG_E0207, at, "%s", env->block ? "a relation at events solves for a discrete variable"
                                                               : what);
  diag_label(d, "not the name of a %s", env->block ? "discrete variable" : "multiplier");
  if (env->block) diag_help(d, "discrete u = 0;  every T { relation r: u in -K*sgn(x + T*u); }");
  else diag_help(d, "%s", help);
}

// --- multipliers that no declaration names ---

bool hidden_multiplier(const Env *env, const MExpr *of, HiddenName is, Span at, Hidden *out) {
  Elab *e = env->e;
  const char *name = is.name, *what = is.what;
  MVar v = { .kind = env->block ? MV_DISCRETE : MV_MULTIPLIER, .unit = is.unit, .span = at };
  bool over_loops = true;              // a loop whose range depends on another one is no range of an array
  for (int k = 0; k < env->ctx.n; k++)
    over_loops = over_loops && !((env->ctx.loop[k].lo->uses | env->ctx.loop[k].hi->uses) & MU_LOOP);
  if (over_loops) {
    v.ndim = env->ctx.n;
    if (v.ndim < MAX_INDICES) family_bounds(&v, &env->ctx);
    for (int k = 0; k < v.ndim; k++) out->index[k] = mx_loop(e->a, k, at);
  } else {                             // as the declared one
    const MVar *like = &e->var.at[of->id];
    v.ndim = of->nargs;
    for (int k = 0; k < v.ndim; k++) {
      v.lo[k] = like->lo[k];
      v.hi[k] = like->hi[k];
      out->index[k] = of->arg[k];
    }
  }
  if (v.ndim >= MAX_INDICES) {
    not_supported(env, DIAG_E0703, at, "a law of several pieces with more than seven indices",
                  "instances and arrays together may have seven here");
    return false;
  }
  v.lo[v.ndim] = mx_num(e->a, 1, at);
  v.hi[v.ndim] = mx_num(e->a, is.count, at);
  v.name = arena_printf(e->a, "%s.%s[%%]", name, what);
  v.plain = arena_printf(e->a, "%s.%s", name_shown(e->a, name, &env->ctx), what);
  out->n = ++v.ndim;
  if (!over_loops) {                   // "r[%,%]" without its own marks
    const char *mark = strrchr(name, '[');
    v.name = arena_printf(e->a, "%.*s.%s%s", mark ? (int)(mark - name) : (int)strlen(name), name, what,
                          index_marks(e->a, v.ndim - env->scope->ctx.n));
  }
  vec_push(&e->var, v);
  out->id = (int)e->var.n - 1;
  return true;
}

MExpr *hidden_number(const Env *env, const Hidden *h, int k, Span at) {
  MExpr *index[MAX_INDICES];
  for (int i = 0; i + 1 < h->n; i++) index[i] = h->index[i];
  index[h->n - 1] = mx_num(env->e->a, k, at);
  return mx_var(env->e->a, &env->e->var.at[h->id], h->id, index, h->n, false, at);
}
