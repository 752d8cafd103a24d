// The entries of a body as they are written: which there are, what is wrong with one, vectors, and the numbers of each
// member of a family, for checks.
#include <string.h>

#include "../base/suggest.h"
#include "body_parts.h"

// --- diagnostics ---

bool wrong_body_entry(Elab *e, Span at, const char *what, const char *help) {
  Diag *d = diag(e->bag, DIAG_E0240, at, "%s", what);
  diag_help(d, "%s", help);
  return false;
}

static const char *const entries[] = { "mass", "inertia", "position", "attitude", "velocity", "spin",
                                       "shape", "density", "material" };
static const char *const flags[] = { "fixed", "driven" };
enum { ENTRIES = sizeof entries / sizeof *entries };

static bool one_of(const char *name, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++) if (!strcmp(name, names[i])) return true;
  return false;
}

const Ast *body_entry(const Symbol *y, const char *name) {
  const Ast *x = named_arg(y->decl->list2, intern(y->env.e->in, name));
  return x ? x->a : NULL;
}

bool body_flag(const Symbol *y, const char *name) {
  for (int i = 0; i < y->decl->list2.n; i++) {
    const Ast *x = y->decl->list2.at[i];
    if (x->kind == AST_NAME && !strcmp(x->name, name)) return true;
  }
  return false;
}

bool body_entries_ok(const Symbol *y) {
  Elab *e = y->env.e;
  bool ok = true;
  for (int i = 0; i < y->decl->list2.n; i++) {
    const Ast *x = y->decl->list2.at[i];
    bool word = x->kind == AST_NAME && one_of(x->name, flags, 2);
    bool known = word || (x->kind == AST_ARG && one_of(x->name, entries, ENTRIES));
    if (known && x->kind == AST_ARG && named_arg(y->decl->list2, x->name) != x) {
      Diag *d = diag(e->bag, DIAG_E0240, x->span, "the entry `%s` of this body is given twice", x->name);
      diag_also(d, named_arg(y->decl->list2, x->name)->span, "first given here");
      diag_help(d, "keep one of them");
      ok = false;
    }
    if (known) continue;
    Diag *d = diag(e->bag, DIAG_E0240, x->span, "a body has no entry `%s`", x->name ? x->name : ast_text(e, x));
    const char *near = x->name ? suggest(x->name, entries, ENTRIES) : NULL;
    const char *meant = x->name ? body_entry_meant(x->name) : NULL;
    if (meant) diag_help(d, "%s", meant);
    else if (near) diag_mean(d, near);
    else
      diag_help(d, "its entries are mass, inertia, shape, density, material, position, attitude, velocity, spin, and "
                   "the words fixed, driven");
    ok = false;
  }
  return ok;
}

bool body_entry_moves(const Symbol *y, const Body *b, const Value *v, const char *what) {
  unsigned more = extra_uses(v, MU_PARAM | MU_LOOP | (b->driven ? MU_TIME : 0u));
  if (!more) return false;
  Diag *d = diag(y->env.e->bag, DIAG_E0243, v->span, "the %s of a body is %s", what,
                 b->driven ? "a function of time alone" : "where it is at the start, a constant");
  diag_label(d, more & MU_VAR ? "depends on the motion" : "depends on the time");
  if (more & MU_VAR)
    diag_help(d, "where another body is at the start is initial(...); what holds a body to another one is a "
                 "constraint");
  else diag_help(d, "for a body that is moved in a given way add the word `driven` to its entries");
  return true;
}

// --- numbers at the start, for checks ---

bool uses_loop(const MExpr *x, int loop) {
  if (x->kind == MX_LOOP && x->id == loop) return true;
  for (int i = 0; i < x->nargs; i++) if (uses_loop(x->arg[i], loop)) return true;
  return false;
}

// Of the first members of families.
bool first_number(const Env *env, const MExpr *x, double *out) {
  double loop[MAX_LOOPS] = { 0 };
  for (int k = 0; k < env->ctx.n && k < MAX_LOOPS; k++)
    if (!try_eval(env->e, env->ctx.loop[k].lo, false, loop, k, &loop[k])) return false;
  return mx_constant(x) && try_eval(env->e, x, false, loop, env->ctx.n, out);
}

enum { MOST_CHECKED = 4096, MOST_NUMBERS = 9 };
typedef struct Visit {
  const Env *env; MExpr *const *x; int n, depth, left; OnMember see; void *ctx; Span at; double loop[MAX_LOOPS];
} Visit;

static bool visit(Visit *s, int k) {
  Elab *e = s->env->e;
  double lo, hi, v[MOST_NUMBERS];
  if (k == s->depth) {
    const char *member = "";
    for (int i = 0; i < s->n; i++)
      if (!mx_constant(s->x[i]) || !try_eval(e, s->x[i], false, s->loop, k, &v[i])) return true;
    for (int i = 0; i < k; i++)
      member = arena_printf(e->a, "%s%s%g%s", member, i ? ", " : " of member [", s->loop[i], i + 1 == k ? "]" : "");
    return s->see(s->env, v, member, s->at, s->ctx);
  }
  const MLoop *l = &s->env->ctx.loop[k];
  if (!try_eval(e, l->lo, false, s->loop, k, &lo) || !try_eval(e, l->hi, false, s->loop, k, &hi)) return true;
  for (double i = lo; i <= hi && s->left-- > 0; i++) {
    s->loop[k] = i;
    if (!visit(s, k + 1)) return false;
  }
  return true;
}

bool every_member(const Env *env, MExpr *const *x, int n, OnMember see, Span at, void *ctx) {
  Visit s = { .env = env, .x = x, .n = n, .left = MOST_CHECKED, .see = see, .ctx = ctx, .at = at };
  for (int i = 0; i < n; i++)
    for (int k = s.depth; k < env->ctx.n && k < MAX_LOOPS; k++) if (uses_loop(x[i], k)) s.depth = k + 1;
  return visit(&s, 0);
}

// --- placement ---

bool body_vector(const Env *env, const Symbol *y, const Body *b, const char *name, const char *unit, int n,
                         MExpr **out) {
  Elab *e = env->e;
  const Ast *x = body_entry(y, name);
  for (int i = 0; i < n; i++) out[i] = number(e, 0, y->span);
  if (!x) return true;
  Value v = elab_expr(env, x);
  if (v.bad || !unit_check(env, v, e->has_units ? unit_named(unit) : UNIT_ANY, name)) return false;
  bool fits = n == 1 ? v.ndim == 0 : v.ndim == 1 && v.dim[0] == n;
  if (!fits)
    return wrong_body_entry(e, v.span, arena_printf(e->a, "the %s of this body is %s", name, shape_text(e, &v)),
                       n == 1 ? "in the plane it is one number" : n == 2 ? "in the plane it has two numbers"
                                                                         : "in space it has three numbers");
  if (body_entry_moves(y, b, &v, name)) return false;
  for (int i = 0; i < n; i++) out[i] = v.at[i];
  return true;
}
