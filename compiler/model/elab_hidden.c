// Multipliers that laws bring with them: the pieces of a graph, the forces of the faces of a polyhedron. They are arrays
// over the loops of their statement, and over the pieces or faces.
#include <string.h>

#include "elab_relation.h"
#include "model_print.h"

bool hidden_multiplier(const Env *env, const MExpr *of, const char *name, const char *what, int count, Unit unit,
                       Span at, Hidden *out) {
  Elab *e = env->e;
  MVar v = { .kind = env->block ? MV_DISCRETE : MV_MULTIPLIER, .unit = unit, .span = at };
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
  v.hi[v.ndim] = mx_num(e->a, count, at);
  v.name = arena_printf(e->a, "%s.%s[%%]", name, what);
  v.plain = arena_printf(e->a, "%s.%s", name_shown(e->a, name, &env->ctx), what);
  out->n = ++v.ndim;
  if (!over_loops) {                   // "r[%,%]" without its own marks
    const char *mark = strrchr(name, '[');
    v.name = arena_printf(e->a, "%.*s.%s%s", mark ? (int)(mark - name) : (int)strlen(name), name, what,
                          index_marks(e, v.ndim - env->scope->ctx.n));
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
