// A proof that a problem has no solution, checked on the problem itself.
//
// What (1) asks of the sign of u_i, by the form of K_i:
//   free: u_i = 0;   [lo, inf): u_i >= 0;   (-inf, hi]: u_i <= 0;   [lo, hi]: no sign is asked.
// With y_i free, >= 0, <= 0, = 0 in these cases, y.u >= 0 at every solution. But y.u = (M^T y).lambda + y.q, so there
// is none where
//   sup over lambda in K of (M^T y).lambda + y.q < 0                         (Farkas; Rockafellar, Convex Analysis, 22)
// In a branch (branch.c) some rows are decided: basic, u_i = 0; low, lambda_i = lo_i and u_i >= 0; high, lambda_i =
// hi_i and u_i <= 0. The same holds with K_i and the sign of y_i taken from the decision.
//
// y_i of the wrong sign are replaced by zero, so what is checked is an admissible y. (M^T y)_j below 1e-11 of its terms
// counts as zero, and the supremum must be below zero by 1e-9 of its terms: "proved" means for all matrices within a
// relative change of 1e-11 of each entry.
#include "solver.h"
#include <math.h>
#include <string.h>

enum { OPEN = NSM_OPEN };

// y_i, or 0 where its sign is not admissible.
static double admissible(const nsm_cone_problem *p, const unsigned char *state, int i, double y) {
  int low = p->lo[i] > -HUGE_VAL, high = p->hi[i] < HUGE_VAL, s = state ? state[i] : OPEN;
  if (s == NSM_BASIC) return y;
  if (s == NSM_LOW) { low = 1; high = 0; }
  if (s == NSM_HIGH) { low = 0; high = 1; }
  if (low && high) return 0;
  return low ? fmax(y, 0) : high ? fmin(y, 0) : y;
}

int nsm_cone_is_certificate_at(const nsm_cone_problem *p, const unsigned char *state, const double *y,
                               double *scratch) {
  int m = p->m;
  double *s = scratch, *terms = scratch + m, sum = 0, size = 0;
  memset(scratch, 0, 2 * (size_t)m * sizeof(double));
  for (int i = 0; i < m; i++) {
    double a = admissible(p, state, i, y[i]);
    if (!(fabs(a) < HUGE_VAL)) return 0;
    sum += a * p->q[i];
    size += fabs(a * p->q[i]);
    if (p->row_start && a != 0)
      for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
        s[p->col[k]] += p->M[k] * a;
        terms[p->col[k]] += fabs(p->M[k] * a);
      }
  }
  for (int j = 0; j < m; j++) {
    if (!p->row_start)
      for (int i = 0; i < m; i++) {
        double a = p->M[(size_t)i + (size_t)j * (size_t)m] * admissible(p, state, i, y[i]);
        s[j] += a;
        terms[j] += fabs(a);
      }
    if (fabs(s[j]) <= 1e-11 * terms[j]) continue;
    double bound = s[j] > 0 ? p->hi[j] : p->lo[j];
    if (state && state[j] == NSM_LOW) bound = p->lo[j];
    if (state && state[j] == NSM_HIGH) bound = p->hi[j];
    if (fabs(bound) == HUGE_VAL) return 0;
    sum += s[j] * bound;
    size += fabs(terms[j] * bound);
  }
  return size < HUGE_VAL && sum < -1e-9 * size;
}

int nsm_cone_is_certificate(const nsm_cone_problem *p, const double *y, double *scratch) {
  return nsm_cone_is_certificate_at(p, NULL, y, scratch);
}
