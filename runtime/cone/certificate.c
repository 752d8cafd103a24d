// A proof that a problem has no solution, checked on the problem itself.
//
// What (1) asks of the sign of u_i, by the form of K_i:
//   free: u_i = 0;   [lo, inf): u_i >= 0;   (-inf, hi]: u_i <= 0;   [lo, hi]: no sign is asked.
// With y_i free, >= 0, <= 0, = 0 in these cases, y.u >= 0 at every solution. But y.u = (M^T y).lambda + y.q, so there is none where
//   sup over lambda in K of (M^T y).lambda + y.q < 0                                             (Farkas; Rockafellar, Convex Analysis, 22)
// Numbers below 1e-11 of the terms they are summed from count as zero, and the supremum must be below zero by 1e-9 of its terms.
#include "solver.h"
#include <math.h>

int nsm_cone_is_certificate(const nsm_cone_problem *p, const double *y, double *scratch) {
  int m = p->m;
  double y_max = 0, sum = 0, size = 0;
  for (int i = 0; i < m; i++) y_max = fmax(y_max, fabs(y[i]));
  if (!(y_max > 0 && y_max < HUGE_VAL)) return 0;

  // M_max bounds the terms of (M^T y)_j
  double M_max = 0;
  size_t entries = p->row_start ? (size_t)p->row_start[m] : (size_t)m * (size_t)m;
  for (size_t k = 0; k < entries; k++) M_max = fmax(M_max, fabs(p->M[k]));

  for (int i = 0; i < m; i++) {
    int below = p->lo[i] > -HUGE_VAL, above = p->hi[i] < HUGE_VAL;
    double small = 1e-11 * y_max;
    if (below && above && fabs(y[i]) > small) return 0;
    if (below && !above && y[i] < -small) return 0;
    if (!below && above && y[i] > small) return 0;
    sum += y[i] * p->q[i];
    size += fabs(y[i] * p->q[i]);
  }
  nsm_cone_apply_transposed(p, y, scratch);
  for (int j = 0; j < m; j++) {
    double s = scratch[j];
    if (fabs(s) <= 1e-11 * M_max * y_max) continue;
    double bound = s > 0 ? p->hi[j] : p->lo[j];
    if (fabs(bound) == HUGE_VAL) return 0;
    sum += s * bound;
    size += fabs(s * bound);
  }
  return sum < -1e-9 * size;
}
