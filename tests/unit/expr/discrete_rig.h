// Shared by the tests of the discrete derivative: two points, the derivative between them, and how much round-off a
// formula may make.
//
// Symbols 0 ... RT_SYMBOLS-1 are the variables; AT_A + i and AT_B + i are their values at the begin and at the end.
#pragma once
#include "random_tree.h"
#include "../../../compiler/expr/pool_impl.h"

enum { AT_A = 8, AT_B = 16, ROOM = 24 };
static const double EPS = 0x1p-53;

// --- the derivative at two points ---

typedef struct Between { Ex d[RT_SYMBOLS]; } Between;

__attribute__((unused)) static Between between(Ex f) {
  Between r;
  int ids[RT_SYMBOLS], a[RT_SYMBOLS], b[RT_SYMBOLS];
  for (int i = 0; i < RT_SYMBOLS; i++) {
    ids[i] = i;
    a[i] = AT_A + i;
    b[i] = AT_B + i;
  }
  ex_discrete(P, f, ids, a, b, RT_SYMBOLS, r.d);
  return r;
}

static double at_ends(Ex e, const double *a, const double *b) {
  double v[ROOM] = {0};
  for (int i = 0; i < RT_SYMBOLS; i++) {
    v[AT_A + i] = a[i];
    v[AT_B + i] = b[i];
  }
  return ex_eval_array(P, e, v);
}

// Df(a,b)*(b - a)
__attribute__((unused)) static double along(const Between *df, const double *a, const double *b) {
  double s = 0;
  for (int i = 0; i < RT_SYMBOLS; i++) s += at_ends(df->d[i], a, b)*(b[i] - a[i]);
  return s;
}

// --- round-off ---

// The value of e with every intermediate result off by a random relative error of at most `noise`.
static double noisy(Ex e, const double *at, double noise) {
  static double *v;                                // by node; only what `order` holds is written and read
  static size_t room;
  double args[160];
  ExVec list = {0};
  if (room <= e) v = realloc(v, sizeof *v*(room = 2*(size_t)e + 1));
  assert_non_null(v);
  walk_collect(P, &e, 1, 0, &list);
  const Ex *order = list.at;
  for (size_t i = 0; i < list.n; i++) {
    Op op = ex_operator(P, order[i]);
    int m = ex_nargs(P, order[i]);
    assert_true(m <= 160);
    for (int k = 0; k < m; k++) args[k] = v[ex_arg(P, order[i], k)];
    double x = op == OP_NUM ? ex_value(P, order[i]) : op == OP_SYM ? at[ex_symbol(P, order[i])] : op_value(op, args, m);
    bool exact = op == OP_NUM || op == OP_LT || op == OP_LE || op == OP_EQ || op == OP_AND || op == OP_OR ||
                 op == OP_NOT || op == OP_FLOOR || op == OP_SIGN;
    double size = fabs(x);                         // of a sum: its largest term, which is what its round-off is of
    for (int k = 0; op == OP_ADD && k < m; k++) size = fmax(size, fabs(args[k]));
    v[order[i]] = exact ? x : x + size*noise*(2*rt_unit() - 1);
  }
  vec_free(&list);
  return v[e];
}

// The scale of e at a point: what relative errors of 1 in its intermediate results would make of it, to first order. A
// round-off of `EPS` times this is what its formula, well evaluated, has.
__attribute__((unused)) static double scale(Ex e, const double *at) {
  enum { TRIALS = 12 };
  const double noise = 1e-9;
  double exact = noisy(e, at, 0), worst = fabs(exact);
  for (int i = 0; i < TRIALS; i++) worst = fmax(worst, 2*fabs(noisy(e, at, noise) - exact)/noise);
  return worst;
}

// The largest scale at the ends, in the middle and at corners of the box between them: products take one factor from
// here, one from there.
__attribute__((unused)) static double box_scale(Ex f, const double *a, const double *b) {
  double worst = fmax(scale(f, a), scale(f, b));
  for (int k = 0; k < 8; k++) {
    double m[RT_SYMBOLS];
    for (int i = 0; i < RT_SYMBOLS; i++) m[i] = a[i] + (k == 0 ? 0.5 : rt_below(2))*(b[i] - a[i]);
    double s = scale(f, m);
    if (isfinite(s)) worst = fmax(worst, s);
  }
  return worst;
}

// The scale of component i of a derivative of f: that of the gradient, and that of f over x_i where terms of the
// gradient vanish by algebra.
__attribute__((unused)) static double gradient_scale(Ex f, int i, const double *a, const double *b) {
  if (!ex_depends(P, f, i)) return 0;
  return box_scale(ex_diff(P, f, i), a, b) + box_scale(f, a, b)/fabs(a[i]);
}

// Does min, max or if take another branch at b than at a?
static bool switches(Ex e, const double *a, const double *b) {
  if (ex_operator(P, e) == OP_IF) return ex_eval_array(P, ex_arg(P, e, 0), a) != ex_eval_array(P, ex_arg(P, e, 0), b);
  Ex lead = ex_2(P, OP_LT, ex_arg(P, e, 0), ex_arg(P, e, 1));
  return ex_eval_array(P, lead, a) != ex_eval_array(P, lead, b);
}

// How much larger than at the ends a node of f gets when its arguments are taken from different ends, at least 1:
// products (x^3*x^(-3), x going from 1 to 100: 1e6), and branches at the end where they are not taken. Means have the
// round-off of the larger values.
__attribute__((unused)) static double mixing(Ex f, const double *a, const double *b) {
  const Ex *order;
  int n = ex_topological(P, &f, 1, &order);
  double worst = 1;
  for (int i = 0; i < n; i++) {
    Op op = ex_operator(P, order[i]);
    bool product = op == OP_MUL, choice = op == OP_MIN || op == OP_MAX || op == OP_IF;
    if (!product && !(choice && switches(order[i], a, b))) continue;
    double most = 1, ends = fmax(fabs(ex_eval_array(P, order[i], a)), fabs(ex_eval_array(P, order[i], b)));
    for (int k = 0; k < ex_nargs(P, order[i]); k++) {
      Ex x = ex_arg(P, order[i], k);
      double size = fmax(fabs(ex_eval_array(P, x, a)), fabs(ex_eval_array(P, x, b)));
      most = product ? most*size : fmax(most, size);
    }
    if (most > worst*ends) worst = most/ends;
  }
  return worst;
}

// A jump between a and b comes from a secant: its relative round-off is that of the difference of what governs it,
// size/change. The largest such quotient in f, at least 1.
__attribute__((unused)) static double steepness(Ex f, const double *a, const double *b) {
  const Ex *order;
  int n = ex_topological(P, &f, 1, &order);
  double worst = 1;
  for (int i = 0; i < n; i++) {
    Op op = ex_operator(P, order[i]);
    bool two = op == OP_LT || op == OP_LE || op == OP_EQ;
    if (!(two || op == OP_FLOOR || op == OP_SIGN) || ex_eval_array(P, order[i], a) == ex_eval_array(P, order[i], b))
      continue;
    double size = 0, change = 0;
    for (int k = 0; k < ex_nargs(P, order[i]); k++) {
      Ex x = ex_arg(P, order[i], k);
      size += scale(x, a) + scale(x, b);
      change += (k ? -1 : 1)*(ex_eval_array(P, x, b) - ex_eval_array(P, x, a));
    }
    worst = fmax(worst, size/fabs(change));
  }
  return worst;
}

// b = a + distance*(random direction); distance 0: anywhere
__attribute__((unused)) static void two_points(double distance, double *a, double *b) {
  rt_point(a);
  rt_point(b);
  for (int i = 0; distance > 0 && i < RT_SYMBOLS; i++) b[i] = a[i] + distance*(2*rt_unit() - 1);
}

__attribute__((unused)) static void middle(const double *a, const double *b, double *m) {
  for (int i = 0; i < RT_SYMBOLS; i++) m[i] = a[i] + (b[i] - a[i])/2;
}
