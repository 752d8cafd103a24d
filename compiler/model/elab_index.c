// Sizes, loop bounds and indices: what must be known when the run starts, what already when compiling, and what is in
// range. A parameter that a shape depends on is marked structural: its value (default or override) is fixed when
// compiled.
#include <math.h>
#include <string.h>

#include "elab.h"

// --- known when the run starts ---

static const char *what_varies(const MExpr *x) {
  if (x->uses & MU_STAT) return "a result of the run";
  if (x->uses & MU_LAMBDA) return "a multiplier";
  if (x->uses & MU_VAR) return "a variable of the motion";
  if (x->uses & MU_DISCRETE) return "a discrete variable";
  if (x->uses & MU_TIME) return "the time";
  return "the index of a loop";
}

bool bound_ok(const Env *env, const Value *v, bool loops_too, const char *what) {
  if (v->bad) return false;
  const MExpr *x = v->at[0];
  unsigned fine = MU_PARAM | (loops_too ? (unsigned)MU_LOOP : 0u);
  if (x->uses & ~fine) {
    Diag *d = diag(env->e->bag, DIAG_E0601, v->span, "%s is not known when the run starts", what);
    diag_label(d, "depends on %s", what_varies(x));
    diag_note(d, loops_too ? "it may use numbers, parameters and the indices of outer loops"
                           : "it may use numbers and parameters");
    if ((x->uses & MU_LOOP) && strstr(what, "array"))
      diag_help(d, "what a loop declares has a value for each index: leave the brackets out");
    else if (x->uses & MU_LOOP)
      diag_help(d, "all members have the same size: number them by one index, or write a family for each row");
    else diag_help(d, "declare a parameter for it: param n = 10;");
    return false;
  }
  double value;
  if (!(x->uses & MU_LOOP) && try_eval(env->e, x, false, NULL, 0, &value) &&
      !(isfinite(value) && value == floor(value))) {
    Diag *d = diag(env->e->bag, DIAG_E0602, v->span, "%s must be a whole number", what);
    diag_label(d, "this is %.17g", value);
    diag_help(d, "floor(...) makes a whole number");
    return false;
  }
  return true;
}

void warn_empty(const Env *env, const Ast *range, const MExpr *lo, const MExpr *hi) {
  double first, last;
  if (lo->uses || hi->uses || !try_eval(env->e, lo, false, NULL, 0, &first) ||
      !try_eval(env->e, hi, false, NULL, 0, &last) || last >= first - 1)
    return;
  Diag *d = diag(env->e->bag, DIAG_W0843, range->span, "this range is empty: it counts up");
  diag_help(d, "%.17g:%.17g", last, first);
}

bool elab_range(const Env *env, const Ast *range, bool loops_too, const char *what, MExpr **lo, MExpr **hi) {
  if (!range || range->kind != AST_RANGE) return false;
  Value a = elab_scalar(env, range->a), b = elab_scalar(env, range->b);
  if (!unit_check(env, a, UNIT_ONE, what) || !unit_check(env, b, UNIT_ONE, what)) return false;
  bool ok = bound_ok(env, &a, loops_too, what);
  ok = bound_ok(env, &b, loops_too, what) && ok;
  double first, last;
  if (ok && !loops_too && try_eval(env->e, a.at[0], false, NULL, 0, &first) &&
      try_eval(env->e, b.at[0], false, NULL, 0, &last) && last < first - 1) {
    Diag *d = diag(env->e->bag, DIAG_E0602, range->span, "%s is negative", what);
    diag_label(d, "from %.17g to %.17g", first, last);
    diag_help(d, "sizes count from 0 up");
    ok = false;
  }
  if (!ok) return false;
  if (loops_too) warn_empty(env, range, a.at[0], b.at[0]);
  *lo = a.at[0];
  *hi = b.at[0];
  return true;
}

// --- known when compiling ---

bool fixed_number(const Env *env, const MExpr *x, const char *what, double *out) {
  if (x->uses & ~(unsigned)MU_PARAM) {
    Diag *d = diag(env->e->bag, DIAG_E0601, x->span, "%s is not known when the model is compiled", what);
    diag_label(d, "depends on %s", what_varies(x));
    diag_note(d, "vectors and sums are written out when the model is compiled; loops (`for`) are not");
    diag_help(d, "use numbers and parameters here, or write the statement with `for i in 1:n { ... }`");
    return false;
  }
  if (!try_eval(env->e, x, true, NULL, 0, out)) {
    Diag *d = diag(env->e->bag, DIAG_E0601, x->span, "%s has no value when the model is compiled", what);
    diag_label(d, "a parameter in it has no default");
    diag_help(d, "give the parameter a default, or a value on the command line with --set");
    return false;
  }
  return true;
}

bool fixed_size(const Env *env, const MExpr *x, const char *what, int *out) {
  double v;
  if (!fixed_number(env, x, what, &v)) return false;
  if (!(v >= 0 && v == floor(v))) {
    Diag *d = diag(env->e->bag, DIAG_E0602, x->span, "%s must be a whole number that is not negative", what);
    diag_label(d, "this is %.17g", v);
    diag_help(d, v < 0 ? "sizes count from 0 up" : "floor(...) makes a whole number");
    return false;
  }
  if (v > MAX_ELEMENTS) {
    Diag *d = diag(env->e->bag, DIAG_E0607, x->span, "%s is too large to be written out", what);
    diag_label(d, "this is %.17g, the limit is %d", v, MAX_ELEMENTS);
    diag_help(d, "keep it a family: write the statement with `for i in 1:n { ... }`");
    return false;
  }
  *out = (int)v;
  return true;
}

int array_sizes(const Env *env, const Ast *decl, int most, MExpr **size) {
  if (decl->list.n > most) {
    if (most == MAX_DIMS)
      not_supported(env, DIAG_E0703, decl->name_span, "a vector or matrix of more than two dimensions",
                    "use a matrix A[n, m], or several");
    else
      not_supported(env, DIAG_E0703, decl->name_span, "a variable with more than eight indices",
                    "instances and arrays together may have eight");
    return -1;
  }
  int n = decl->list.n;
  for (int k = 0; k < decl->list.n; k++) {
    Value v = elab_scalar(env, decl->list.at[k]);
    if (!bound_ok(env, &v, false, "the size of an array")) {
      n = -1;
      continue;
    }
    double value;
    if (try_eval(env->e, v.at[0], false, NULL, 0, &value) && value < 0) {
      Diag *d = diag(env->e->bag, DIAG_E0602, v.span, "the size of an array is negative");
      diag_label(d, "this is %.17g", value);
      diag_help(d, "sizes count from 0 up");
      n = -1;
    }
    size[k] = v.at[0];
  }
  return n;
}

// --- ranges of indices ---

// The extremes of an index over the loops around it. Only for sums, multiples and parts of loop indices, whose extremes
// are at corners.
static bool is_affine(const MExpr *x) {
  if (!(x->uses & MU_LOOP)) return true;
  if (x->kind == MX_LOOP) return true;
  if (x->kind != MX_OP) return false;
  if (x->op == MOP_ADD || x->op == MOP_SUB) return is_affine(x->arg[0]) && is_affine(x->arg[1]);
  if (x->op == MOP_NEG) return is_affine(x->arg[0]);
  if (x->op == MOP_MUL && (!(x->arg[0]->uses & MU_LOOP) || !(x->arg[1]->uses & MU_LOOP)))
    return is_affine(x->arg[0]) && is_affine(x->arg[1]);
  if (x->op == MOP_DIV) return is_affine(x->arg[0]) && !(x->arg[1]->uses & MU_LOOP);
  return false;
}

typedef struct Corners { const Env *env; const MExpr *index; double lo, hi, part; bool any, whole; } Corners;

static bool visit_corners(Corners *c, double *loop, int k) {
  Elab *e = c->env->e;
  if (k == c->env->ctx.n) {
    double v;
    if (!try_eval(e, c->index, false, loop, k, &v)) return false;
    if (v != floor(v) && c->whole) c->part = v;
    c->whole = c->whole && v == floor(v);
    c->lo = c->any ? fmin(c->lo, v) : v;
    c->hi = c->any ? fmax(c->hi, v) : v;
    c->any = true;
    return true;
  }
  double lo, hi;
  const MLoop *l = &c->env->ctx.loop[k];
  if (!l->lo || !try_eval(e, l->lo, false, loop, k, &lo) || !try_eval(e, l->hi, false, loop, k, &hi)) return false;
  if (lo > hi) return true;   // an empty loop reaches nothing
  const double at[] = { lo, lo + 1, hi };   // an affine index that is whole at two neighbours is whole at all
  for (int i = 0; i < 3; i++) {
    loop[k] = fmin(at[i], hi);
    if (!visit_corners(c, loop, k + 1)) return false;
  }
  return true;
}

// An index that leaves an array is told once in a loop, though it stands at several places of it.
static bool report_loop(const Env *env, const Corners *c, const char *of) {
  Elab *e = env->e;
  if (!(c->index->uses & MU_LOOP) || env->ctx.n == 0) return false;
  Span loop = env->ctx.loop[env->ctx.n - 1].span;
  const char *key = intern(e->in, arena_printf(e->a, "%s %p %zu %.17g %.17g", of, (const void *)loop.file, loop.lo,
                                               c->lo, c->hi));
  if (map_get(e->reported, key)) return true;
  map_put(e->reported, key, (void *)env);
  return false;
}

bool index_in_range(const Env *env, const MExpr *i, const MExpr *lo, const MExpr *hi, const char *of, Span at) {
  Elab *e = env->e;
  double first, last, loop[MAX_LOOPS + 1] = {0};
  if (env->in_branch || !is_affine(i) || env->ctx.n > MAX_LOOPS) return true;
  if (!try_eval(e, lo, false, NULL, 0, &first) || !try_eval(e, hi, false, NULL, 0, &last)) return true;
  Corners c = {.env = env, .index = i, .whole = true};
  if (i->uses & MU_LOOP) {
    if (!visit_corners(&c, loop, 0)) return true;
  } else if (try_eval(e, i, false, NULL, 0, &c.lo)) {
    c.hi = c.lo;
    c.any = true;
    c.whole = c.lo == floor(c.lo);
    c.part = c.lo;
  }
  if (!c.any) return true;
  if (!c.whole) {
    Diag *d = diag(e->bag, DIAG_E0602, at, "an index must be a whole number");
    diag_label(d, i->uses & MU_LOOP ? "in a pass of the loop this is %.17g" : "this is %.17g", c.part);
    diag_help(d, "floor(...) makes a whole number");
    return false;
  }
  if (c.lo >= first && c.hi <= last) return true;
  if (report_loop(env, &c, of)) return false;
  Diag *d = diag(e->bag, DIAG_E0608, at, "index %.17g of `%s` is out of range", c.lo < first ? c.lo : c.hi, of);
  if (i->uses & MU_LOOP) diag_label(d, "runs from %.17g to %.17g", c.lo, c.hi);
  else diag_label(d, "this is %.17g", c.lo);
  if (last < first) diag_note(d, "`%s` is empty", of);
  else diag_note(d, "the indices of `%s` run from %.17g to %.17g", of, first, last);
  if (c.hi == last + 1 && i->uses & MU_LOOP) diag_help(d, "end the loop one earlier");
  else if (c.lo < 1 && first == 1) diag_help(d, "indices count from 1");
  else diag_help(d, "change the index or the size");
  return false;
}
