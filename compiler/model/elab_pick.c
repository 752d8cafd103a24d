// y[i] of a vector that is not stored, with a loop index: `var y = A*x`, a vector that was given to an instance. Its
// elements are written out, so the one that is meant is either
//   - one tree for all, where the elements differ only in numbers and indices that follow the index: from
//     A[1,1]*x[1] + A[1,2]*x[2], A[2,1]*x[1] + A[2,2]*x[2], ...  the tree  A[i,1]*x[1] + A[i,2]*x[2], or
//   - a choice between all of them by the index.
// Either way one statement stands for all instances. What the range of the loops depends on is fixed when compiled.
#include <math.h>

#include "elab.h"

enum { MAX_CHOICES = 1000, MAX_RUNS = 1000000 };

typedef struct Pick {
  Elab *e;
  const Value *v;
  MExpr *const *index;        // one for each dimension of v
  int n;                      // elements
  Span at;
  bool differ;                // they are not one tree
  int budget;
} Pick;

// --- one tree for all elements ---

static int coordinate(const Pick *p, int element, int dimension) {
  if (p->v->ndim < 2) return element + 1;
  return dimension == 0 ? element / p->v->dim[1] + 1 : element % p->v->dim[1] + 1;
}

static MExpr *differ(Pick *p) {
  p->differ = true;
  return NULL;
}

// Numbers that are all equal, or an index plus a whole constant.
static MExpr *one_number(Pick *p, const double *x) {
  bool equal = true;
  for (int k = 1; k < p->n; k++) equal = equal && x[k] == x[0];
  if (equal) return mx_num(p->e->a, x[0], p->at);
  for (int d = 0; d < p->v->ndim; d++) {
    double c = x[0] - coordinate(p, 0, d);
    bool follows = c == floor(c);
    for (int k = 0; k < p->n && follows; k++) follows = x[k] == coordinate(p, k, d) + c;
    if (!follows) continue;
    if (c == 0) return p->index[d];
    return mx_2(p->e->a, c > 0 ? MOP_ADD : MOP_SUB, p->index[d], mx_num(p->e->a, fabs(c), p->at), p->at);
  }
  return differ(p);
}

// First element of the array that a parameter belongs to; -1: of none.
static int array_of(const Elab *e, int id) {
  while (id > 0 && e->param.at[id].ndim < 0) id--;
  return e->param.at[id].ndim > 0 ? id : -1;
}

static MExpr *one_parameter(Pick *p, MExpr *const *x) {
  Elab *e = p->e;
  int array = array_of(e, x[0]->id);
  const MParam *first = array < 0 ? NULL : &e->param.at[array];
  if (!first) return differ(p);
  double *row = ARENA_ARRAY(e->a, double, p->n), *col = ARENA_ARRAY(e->a, double, p->n);
  for (int k = 0; k < p->n; k++) {
    if (array_of(e, x[k]->id) != array) return differ(p);
    int at = x[k]->id - array, width = first->ndim == 2 ? first->dim[1] : 1;
    row[k] = at / width + 1;
    col[k] = at % width + 1;
  }
  MExpr *index[2] = {one_number(p, row), NULL};
  if (index[0] && first->ndim == 2) index[1] = one_number(p, col);
  if (p->differ) return NULL;
  if (index[0]->kind != MX_NUM || (index[1] && index[1]->kind != MX_NUM))
    return mx_param(e->a, array, index, first->ndim, p->at);
  int at = (int)index[0]->num - 1;
  if (index[1]) at = at * first->dim[1] + (int)index[1]->num - 1;
  return mx_param(e->a, array + at, NULL, 0, p->at);
}

static MExpr *one_tree(Pick *p, MExpr *const *x) {
  bool same = true;
  for (int k = 1; k < p->n; k++) same = same && x[k] == x[0];
  if (same) return x[0];
  if ((p->budget -= p->n) < 0) return differ(p);
  for (int k = 1; k < p->n; k++)
    if (x[k]->kind != x[0]->kind || x[k]->op != x[0]->op || x[k]->nargs != x[0]->nargs ||
        x[k]->derivative != x[0]->derivative || (x[0]->kind != MX_PARAM && x[k]->id != x[0]->id))
      return differ(p);
  if (x[0]->kind == MX_NUM) {
    double *number = ARENA_ARRAY(p->e->a, double, p->n);
    for (int k = 0; k < p->n; k++) number[k] = x[k]->num;
    return one_number(p, number);
  }
  // numbers of an attitude and of its turn are told apart when compiling (system/along.h)
  if (x[0]->kind == MX_VAR && p->e->var.at[x[0]->id].partner) return differ(p);
  if (x[0]->kind == MX_PARAM && x[0]->nargs == 0) return one_parameter(p, x);
  if (x[0]->kind == MX_PARAM)
    for (int k = 1; k < p->n; k++)
      if (x[k]->id != x[0]->id) return differ(p);
  if (x[0]->nargs == 0) return x[0];
  MExpr *r = ARENA_NEW(p->e->a, MExpr), **arg = ARENA_ARRAY(p->e->a, MExpr *, p->n);
  *r = *x[0];
  r->arg = ARENA_ARRAY(p->e->a, MExpr *, x[0]->nargs);
  r->span = p->at;
  for (int i = 0; i < x[0]->nargs; i++) {
    for (int k = 0; k < p->n; k++) arg[k] = x[k]->arg[i];
    r->arg[i] = one_tree(p, arg);
    if (p->differ) return NULL;
    r->uses |= r->arg[i]->uses;
  }
  return r;
}

// --- a choice ---

// Elements from .. to - 1 along one dimension, by halves.
static MExpr *choose(const Pick *p, int dimension, int row, int from, int to) {
  Arena *m = p->e->a;
  if (to - from > 1) {
    int middle = (from + to) / 2;
    MExpr *less = mx_2(m, MOP_LT, p->index[dimension], mx_num(m, middle + 1, p->at), p->at);
    return mx_op(m, MOP_IF, (MExpr *[]){less, choose(p, dimension, row, from, middle),
                                        choose(p, dimension, row, middle, to)}, 3, p->at);
  }
  if (p->v->ndim == 2 && dimension == 0) return choose(p, 1, from, 0, p->v->dim[1]);
  return p->v->at[p->v->ndim == 2 ? row * p->v->dim[1] + from : from];
}

// --- ranges ---

typedef struct Runs {
  const Env *env; const MExpr *index;
  double loop[MAX_LOOPS + 1];
  int depth, left;            // loops that the index depends on; values that are still looked at
  double bad;                 // the first one out of range
} Runs;

static int deepest(const MExpr *x) {
  int d = x->kind == MX_LOOP ? x->id + 1 : 0;
  for (int i = 0; i < x->nargs; i++) {
    int below = deepest(x->arg[i]);
    if (below > d) d = below;
  }
  return d;
}

// Runs the loops that the index depends on; false where a value is not in 1 .. most, or the range of a loop not known.
static bool runs(Runs *r, int k, int most) {
  Elab *e = r->env->e;
  double lo, hi;
  if (k == r->depth) {
    bool known = try_eval(e, r->index, true, r->loop, k, &r->bad);
    bool ok = known && r->bad >= 1 && r->bad <= most && r->bad == floor(r->bad);
    return --r->left < 0 || ok || r->env->in_branch;
  }
  const MLoop *l = &r->env->ctx.loop[k];
  r->bad = NAN;
  if (!try_eval(e, l->lo, true, r->loop, k, &lo) || !try_eval(e, l->hi, true, r->loop, k, &hi)) return false;
  for (double i = lo; i <= hi && r->left >= 0; i++) {
    r->loop[k] = i;
    if (!runs(r, k + 1, most)) return false;
  }
  return true;
}

static bool in_range(const Env *env, const MExpr *index, int most) {
  Runs r = {.env = env, .index = index, .depth = deepest(index), .left = MAX_RUNS};
  if (runs(&r, 0, most)) return true;
  Elab *e = env->e;
  if (isnan(r.bad)) {
    Diag *d = diag(e->bag, DIAG_E0601, index->span, "the range of this index is not known when the model is compiled");
    diag_note(d, "the vector is an expression, and written out when the model is compiled");
    diag_help(d, "give the parameters of the loops a default, or a value on the command line with --set");
  } else if (r.bad != floor(r.bad)) {
    Diag *d = diag(e->bag, DIAG_E0602, index->span, "an index must be a whole number");
    diag_label(d, "this becomes %.17g", r.bad);
  } else {
    Diag *d = diag(e->bag, DIAG_E0608, index->span, "index %.17g of this vector is out of range", r.bad);
    diag_note(d, "its indices run from 1 to %d", most);
    if (r.bad == most + 1) diag_help(d, "end the loop one earlier");
    else diag_help(d, "change the index or the size");
  }
  return false;
}

Value picked_value(const Env *env, const Value *v, MExpr *const *index, Span at) {
  int n = value_count(v);
  for (int d = 0; d < v->ndim; d++)
    if (!in_range(env, index[d], v->dim[d])) return bad_value(env, at);
  Pick p = {.e = env->e, .v = v, .index = index, .n = n, .at = at, .budget = 20 * MAX_ELEMENTS};
  MExpr *x = n > 0 ? one_tree(&p, v->at) : NULL;
  if (x) return scalar_value(x, v->unit, at, env);
  if (n > 0 && n <= MAX_CHOICES) return scalar_value(choose(&p, 0, 0, 0, v->dim[0]), v->unit, at, env);
  Diag *d =
      diag(env->e->bag, DIAG_E0607, at, "a choice between %d different expressions is too large to be written out", n);
  diag_help(d, "write the element out with the index, or use an array of parameters");
  return bad_value(env, at);
}
