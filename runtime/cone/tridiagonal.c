// Intervals of which each is coupled with its two neighbours at most: chains of beads, cradles, columns. The active
// set by principal pivoting, each round one elimination by Thomas' algorithm in O(m).
//
//   basic rows:  b_i lambda_i + a_i lambda_{i-1} + c_i lambda_{i+1} = -q_i,      others: lambda_i = lo_i or hi_i
//   d_i = b_i - a_i c_{i-1}/d_{i-1},   y_i = (-q_i - a_i y_{i-1})/d_i,   lambda_i = y_i - (c_i/d_i) lambda_{i+1}    (1)
//
// for each run of basic rows, with what bounds beside it give in q. Each number of (1) waits for the one before, so a
// run is eliminated from both ends at once, towards its middle. All rows that are on the wrong side change it at once
// (Kostreva 1978), and only the runs that changed are eliminated again. That ends for most chains after a few rounds;
// where it does not, or a pivot d_i is none that a definite matrix has, the problem is one for the solvers of the
// table. An answer stands only where the verifier's first look, which is a program of its own (residual_tridiagonal.c),
// accepts every row.
#include "solver.h"
#include <float.h>
#include <math.h>

enum { ROUNDS = 24 };
static const double pivots = 1e-14,           // d_i beside b_i
                    rounding = 4 * DBL_EPSILON;

// The half of (1) that waits for nothing but one end: d, y of the last row that was eliminated from there.
typedef struct tip { double d, y, product; } tip;

// The next row of a run from one end: a is its entry in the column of the row before, c in that of the next row, and
// `mirror` the entry of the next row in its column. 0 where the pivot is too small.
static inline int eliminate_row(tip *from, double a, double b, double c, double mirror, double q, double *share) {
  from->d = b - from->product / from->d;
  double inverse = 1 / from->d;
  from->y = (-q - a * from->y) * inverse;
  from->product = c * mirror;
  *share = c * inverse;
  return from->d > pivots * b;
}

// (1) for the run of basic rows first ... last, from both ends towards the row `middle`.
static int eliminate_run(const nsm_cone_tridiagonal *p, int first, int last, double *restrict share,
                         double *restrict lambda) {
  const double *restrict a = p->below, *restrict b = p->diagonal, *restrict c = p->above, *restrict q = p->q;
  int middle = first + (last - first) / 2, good = 1, i = first, j = last;
  tip up = { 1, 0, 0 }, down = { 1, 0, 0 };
  if (first > 0) up.y = lambda[first - 1];                 // beside the run: at their bounds
  if (last + 1 < p->m) down.y = lambda[last + 1];
  if (j - middle > middle - i) {
    good &= eliminate_row(&down, j + 1 < p->m ? c[j] : 0, b[j], a[j], c[j - 1], q[j], &share[j]);
    lambda[j--] = down.y;
  }
  for (; i < middle; i++, j--) {
    good &= eliminate_row(&up, i > 0 ? a[i] : 0, b[i], c[i], a[i + 1], q[i], &share[i]);
    lambda[i] = up.y;
    good &= eliminate_row(&down, j + 1 < p->m ? c[j] : 0, b[j], a[j], c[j - 1], q[j], &share[j]);
    lambda[j] = down.y;
  }
  double d = b[i] - up.product / up.d - down.product / down.d,
         r = -q[i] - (i > 0 ? a[i] * up.y : 0) - (i + 1 < p->m ? c[i] * down.y : 0), above = r / d, below = above;
  lambda[i] = above;
  for (int k = 1; i - k >= first; k++) {
    lambda[i - k] = above = lambda[i - k] - share[i - k] * above;
    lambda[i + k] = below = lambda[i + k] - share[i + k] * below;
  }
  if (last - i > i - first) lambda[last] -= share[last] * below;
  return good & (d > pivots * b[i]);
}

// The rows first ... end - 1, beside which no row is basic.
static int eliminate(const nsm_cone_tridiagonal *p, int first, int end, const unsigned char *state, double *share,
                     double *lambda) {
  int good = 1;
  for (int i = first; i < end; i++)
    if (state[i] != NSM_BASIC) lambda[i] = state[i] == NSM_LOW ? p->lo[i] : p->hi[i];
  for (int i = first; i < end; i++) {
    if (state[i] != NSM_BASIC) continue;
    int last = i;
    while (last + 1 < end && state[last + 1] == NSM_BASIC) last++;
    good &= eliminate_run(p, i, last, share, lambda);
    i = last;
  }
  return good;
}

// The side on which row i should be.
static inline unsigned char side(const nsm_cone_tridiagonal *p, const double *lambda, int i, unsigned char now) {
  if (now == NSM_BASIC) return lambda[i] < p->lo[i] ? NSM_LOW : lambda[i] > p->hi[i] ? NSM_HIGH : NSM_BASIC;
  if (!(p->lo[i] < p->hi[i])) return now;
  double l = p->diagonal[i] * lambda[i], a = i > 0 ? p->below[i] * lambda[i - 1] : 0,
         c = i + 1 < p->m ? p->above[i] * lambda[i + 1] : 0, u = p->q[i] + l + a + c,
         small = rounding * (fabs(p->q[i]) + fabs(l) + fabs(a) + fabs(c));
  return (now == NSM_LOW ? u < -small : u > small) ? NSM_BASIC : now;
}

// Are all forces between their bounds?
static int is_within(const nsm_cone_tridiagonal *p, const double *lambda) {
  for (int i = 0; i < p->m; i++) if (!(lambda[i] >= p->lo[i]) || !(lambda[i] <= p->hi[i])) return 0;
  return 1;
}

// The rounds from the answer on in which all rows are basic; how many with that one, 0 where they do not end.
static int pivot(const nsm_cone_tridiagonal *p, unsigned char *state, double *scratch, double *lambda) {
  int rounds = 1;
  for (int i = 0; i < p->m; i++) state[i] = NSM_BASIC;
  for (int first = 0, end = p->m;; rounds++) {
    int from = p->m, to = 0;                               // rows that change
    for (int i = first > 0 ? first - 1 : 0; i < p->m && i <= end; i++) {
      unsigned char other = side(p, lambda, i, state[i]);
      if (other == state[i]) continue;
      if (i < from) from = i;
      to = i + 1;
      state[i] = other;
    }
    if (to == 0) return rounds;
    while (from > 0 && state[from - 1] == NSM_BASIC) from--;
    while (to > 0 && to < p->m && state[to] == NSM_BASIC) to++;
    first = from;
    end = to;
    if (rounds >= ROUNDS || !eliminate(p, first, end, state, scratch, lambda)) return 0;
  }
}

int nsm_cone_solve_tridiagonal(const nsm_cone_tridiagonal *p, unsigned char *state, double *scratch, double *lambda,
                               double *u, double *residual) {
  int rounds = 1;
  *residual = HUGE_VAL;
  if (p->m == 1) {
    if (!(p->diagonal[0] > 0)) return 0;
    lambda[0] = nsm_cone_project(-p->q[0] / p->diagonal[0], p->lo[0], p->hi[0]);
  } else if (!eliminate_run(p, 0, p->m - 1, scratch, lambda) ||
             (!is_within(p, lambda) && (rounds = pivot(p, state, scratch, lambda)) == 0))
    return 0;
  return nsm_cone_check_tridiagonal(p, lambda, state, u, residual) ? rounds : 0;
}
