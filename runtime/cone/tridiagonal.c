// Intervals of which each is coupled with its two neighbours at most: chains of beads, cradles, columns. The active
// set by principal pivoting, each round one elimination by Thomas' algorithm in O(m).
//
//   basic rows:  b_i lambda_i + a_i lambda_{i-1} + c_i lambda_{i+1} = -q_i,      others: lambda_i = lo_i or hi_i
//   d_i = b_i - a_i c_{i-1}/d_{i-1},   r_i = -q_i - a_i r_{i-1}/d_{i-1},   lambda_i = (r_i - c_i lambda_{i+1})/d_i  (1)
//
// with a_i c_{i-1} and c_i left out of (1) where a neighbour is not basic; its bound is then in r_i. All rows that are
// on the wrong side change it at once (Kostreva 1978). That ends for most chains after a few rounds; where it does not,
// or a pivot d_i is none that a definite matrix has, the problem is one for the solvers of the table. An answer stands
// only where the judge's first look, which is a program of its own (residual_tridiagonal.c), accepts every row.
#include "solver.h"
#include <float.h>
#include <math.h>

enum { ROUNDS = 24 };
static const double pivots = 1e-14,           // d_i beside b_i
                    rounding = 4 * DBL_EPSILON;

// Thomas' algorithm (1) for the rows first ... end - 1, beside which no row is basic; 0 where a pivot is too small.
static int eliminate(const nsm_cone_tridiagonal *p, int first, int end, const unsigned char *state, double *share,
                     double *lambda) {
  double d = 1, product = 0,                                     // d_{i-1}; a_i c_{i-1}, 0 behind a row at a bound
         before = first > 0 ? lambda[first - 1] : 0;             // r_{i-1}/d_{i-1}, or the bound
  for (int i = first; i < end; i++) {
    if (state[i] != NSM_BASIC) {
      lambda[i] = before = state[i] == NSM_LOW ? p->lo[i] : p->hi[i];
      product = 0;
      continue;
    }
    double r = -p->q[i] - p->below[i] * before;
    int joined = i + 1 < end && state[i + 1] == NSM_BASIC;
    if (!joined && i + 1 < p->m) r -= p->above[i] * (state[i + 1] == NSM_LOW ? p->lo[i + 1] : p->hi[i + 1]);
    d = p->diagonal[i] - product / d;
    if (!(d > pivots * p->diagonal[i])) return 0;
    product = joined ? p->above[i] * p->below[i + 1] : 0;
    share[i] = joined ? p->above[i] / d : 0;
    lambda[i] = before = r / d;
  }
  for (int i = end - 2; i >= first; i--) if (state[i] == NSM_BASIC) lambda[i] -= share[i] * lambda[i + 1];
  return 1;
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

int nsm_cone_solve_tridiagonal(const nsm_cone_tridiagonal *p, unsigned char *state, double *scratch, double *lambda,
                               double *u, double *residual) {
  int rounds = 1;
  *residual = HUGE_VAL;
  if (p->m == 1) {
    if (!(p->diagonal[0] > 0)) return 0;
    lambda[0] = nsm_cone_project(-p->q[0] / p->diagonal[0], p->lo[0], p->hi[0]);
    return nsm_cone_check_tridiagonal(p, lambda, u, residual);
  }
  for (int i = 0; i < p->m; i++) state[i] = NSM_BASIC;
  for (int first = 0, end = p->m; first < end; rounds++) {
    if (rounds > ROUNDS || !eliminate(p, first, end, state, scratch, lambda)) return 0;
    int from = p->m, to = 0;                               // rows that change
    for (int i = first > 0 ? first - 1 : 0; i < p->m && i <= end; i++) {
      unsigned char other = side(p, lambda, i, state[i]);
      if (other == state[i]) continue;
      if (i < from) from = i;
      to = i + 1;
      state[i] = other;
    }
    while (from > 0 && state[from - 1] == NSM_BASIC) from--;
    while (to > 0 && to < p->m && state[to] == NSM_BASIC) to++;
    first = from;
    end = to;
  }
  rounds--;
  return nsm_cone_check_tridiagonal(p, lambda, u, residual) ? rounds : 0;
}
