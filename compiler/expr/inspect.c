// Questions about an expression: which operations, is it affine, how large. (Which symbols: symbols.c.)
#include <math.h>
#include <stdlib.h>
#include "pool_impl.h"

// below[e]: a member symbol stands at or below e
static bool any_below(const Pool *p, Ex e, const bool *below) {
  for (int i = 0; i < node_of(p, e)->n_args; i++)
    if (below[args_of(p, e)[i]]) return true;
  return false;
}

bool ex_uses_op(Pool *p, Ex e, Op op, bool (*member)(int id, void *ctx), void *ctx) {
  if (op == OP_IF && (!member || !node_of(p, e)->choosing)) return node_of(p, e)->choosing;
  ExVec order = {0};
  walk_collect(p, &e, 1, 0, &order);
  bool *below = memory_for((size_t)e + 1), found = false;   // only entries in `order` are written and read
  for (size_t i = 0; i < order.n && !found; i++) {
    Ex at = order.at[i];
    bool sym = node_of(p, at)->op == OP_SYM;
    below[at] = member && (sym ? member(ex_symbol(p, at), ctx) : any_below(p, at, below));
    found = node_of(p, at)->op == op && (!member || below[at]);
  }
  free(below);
  vec_free(&order);
  return found;
}

// --- affine ---

static bool has_zero_slope(Op op) {                     // piecewise constant: its derivative says nothing
  switch (op) {
    case OP_SIGN: case OP_FLOOR: case OP_LT: case OP_LE: case OP_EQ: case OP_AND: case OP_OR: case OP_NOT: return true;
    default: return false;
  }
}

static bool listed(int id, const int *ids, int n) {
  for (int i = 0; i < n; i++)
    if (ids[i] == id) return true;
  return false;
}

static bool depends_on_listed(Pool *p, Ex e, const int *ids, int n) {
  for (int i = 0; i < n; i++)
    if (ex_depends(p, e, ids[i])) return true;
  return false;
}

// No jump, kink or choice is governed by the listed symbols.
static bool smooth_in(Pool *p, Ex e, const int *ids, int n) {
  ExVec order = {0};
  walk_collect(p, &e, 1, 0, &order);
  bool *below = memory_for((size_t)e + 1), smooth = true;
  for (size_t i = 0; i < order.n && smooth; i++) {
    Ex at = order.at[i];
    Op op = (Op)node_of(p, at)->op;
    below[at] = op == OP_SYM ? listed(ex_symbol(p, at), ids, n) : any_below(p, at, below);
    if (has_zero_slope(op) || op == OP_ABS || op == OP_MIN || op == OP_MAX) smooth = !below[at];
    if (op == OP_IF) smooth = !below[args_of(p, at)[0]];
  }
  free(below);
  vec_free(&order);
  return smooth;
}

// The degree of e in the listed symbols as its operations have it, 2 for "more than 1 or not a polynomial": what
// cancels counts.
static int degree_of(const Pool *p, Ex e, const unsigned char *of) {
  const Ex *a = args_of(p, e);
  int n = node_of(p, e)->n_args, most = 0, sum = 0;
  long k;
  for (int i = 0; i < n; i++) {
    most = of[a[i]] > most ? of[a[i]] : most;
    sum += of[a[i]];
  }
  switch ((Op)node_of(p, e)->op) {
    case OP_ADD: case OP_PLUS: case OP_MINUS: case OP_OPPOSITE: case OP_SHARED: return most;
    case OP_MUL: case OP_TIMES: return sum > 1 ? 2 : sum;
    case OP_OVER: return of[a[1]] ? 2 : of[a[0]];
    case OP_IF:  return of[a[0]] ? 2 : most;
    case OP_POW: return sum == 1 && is_integer(p, a[1], &k) && k == 1 ? 1 : sum ? 2 : 0;
    default:     return sum ? 2 : 0;
  }
}

static bool is_first_degree(Pool *p, Ex e, const int *ids, int n) {
  ExVec order = {0};
  walk_collect(p, &e, 1, 0, &order);
  unsigned char *of = memory_for((size_t)e + 1);          // only entries in `order` are written and read
  for (size_t i = 0; i < order.n; i++) {
    Ex at = order.at[i];
    of[at] = (unsigned char)(node_of(p, at)->op == OP_SYM ? listed(ex_symbol(p, at), ids, n) : degree_of(p, at, of));
  }
  bool first = of[e] <= 1;
  free(of);
  vec_free(&order);
  return first;
}

typedef struct Line { const int *ids; int n; double at; } Line;

static double on_line(int id, void *ctx) {                // some point, and a step of its own for each listed symbol
  const Line *l = ctx;
  double x = 0.37 + 0.61*fabs(sin(1.7*id + 1));
  return listed(id, l->ids, l->n) ? x + l->at*(0.1 + 0.23*fabs(sin(2.3*id + 2))) : x;
}

// Along a straight line an affine e has no second difference. True where there is one beyond doubt.
static bool bends(Pool *p, Ex e, const int *ids, int n) {
  double v[3], size = 0;
  for (int i = 0; i < 3; i++) {
    v[i] = ex_eval(p, e, on_line, &(Line){ids, n, i});
    size = fmax(size, fabs(v[i]));
  }
  return isfinite(size) && fabs(v[0] - 2*v[1] + v[2]) > 1e-4*size;
}

// e is affine in the listed symbols iff none of its derivatives by them contains any of them. Most questions are
// answered by the degree of its operations, or by three points on a line; only what could cancel is multiplied out,
// unless it is large.
bool ex_affine(Pool *p, Ex e, const int *ids, int n) {
  if (is_first_degree(p, e, ids, n)) return true;
  if (node_of(p, e)->shared || !smooth_in(p, e, ids, n) || bends(p, e, ids, n)) return false;
  for (int i = 0; i < n; i++) {
    if (!ex_depends(p, e, ids[i])) continue;
    Ex d = ex_diff(p, e, ids[i]);
    if (depends_on_listed(p, d, ids, n) && depends_on_listed(p, ex_expand(p, d), ids, n)) return false;
  }
  return true;
}

// --- size ---

double ex_tree_size(Pool *p, Ex e) {
  ExVec order = {0};
  walk_collect(p, &e, 1, 0, &order);
  double *size = memory_for(sizeof *size*((size_t)e + 1)), total;
  for (size_t i = 0; i < order.n; i++) {
    total = 1;
    for (int j = 0; j < node_of(p, order.at[i])->n_args; j++) total += size[args_of(p, order.at[i])[j]];
    size[order.at[i]] = total;
  }
  total = size[e];
  free(size);
  vec_free(&order);
  return total;
}
