// The verifier once more, with u = M lambda + q summed in twice the working precision: what remains is the residual of
// the numbers in lambda, not the round-off of the product. For problems whose floor (residual.c) lies above the
// tolerance, and for nsm_cone_residual.
//
// Sums and products carry their errors along (Dekker 1971; Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26 (2005) 1955,
// Dot2). No fused operations, so every processor gives the same digits.
#include "residual_rows.h"

typedef struct twice { double high, low; } twice;

// a + b and a b as a rounded value and its exact error.
VERIFY_INLINE twice two_sum(double a, double b) {
  double s = a + b, t = s - a;
  return (twice){ s, (a - (s - t)) + (b - t) };
}

VERIFY_INLINE twice two_product(double a, double b) {
  const double split = 134217729.0;   // 2^27 + 1
  double c = split * a, d = split * b, p = a * b;
  double a1 = c - (c - a), b1 = d - (d - b), a2 = a - a1, b2 = b - b1;
  return (twice){ p, a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2) };
}

VERIFY_INLINE void add_product(twice *sum, double a, double b) {
  twice p = two_product(a, b), s = two_sum(sum->high, p.high);
  sum->high = s.high;
  sum->low += s.low + p.low;
}

// Row i: u, sum_j |M_ij lambda_j|, M_ii.
static void sum_row(const nsm_cone_problem *p, const double *lambda, int i, double *u, double *terms,
                    double *diagonal) {
  twice sum = { p->q[i], 0 };
  *terms = *diagonal = 0;
  if (p->row_start)
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
      add_product(&sum, p->M[k], lambda[p->col[k]]);
      *terms += fabs(p->M[k] * lambda[p->col[k]]);
      if (p->col[k] == i) *diagonal = p->M[k];
    }
  else {
    const double *row = p->M + i;
    size_t m = (size_t)p->m;
    for (size_t k = 0; k < m; k++) {
      add_product(&sum, row[k * m], lambda[k]);
      *terms += fabs(row[k * m] * lambda[k]);
    }
    *diagonal = row[(size_t)i * m];
  }
  *u = sum.high + sum.low;
}

void nsm_cone_check_twice(const nsm_cone_problem *p, const double *lambda, verifier *j, double *u) {
  verify_block f;
  f.next = f.n = 0;
  for (int i = 0; i < p->m; i++) {
    double sum, terms, diagonal;
    sum_row(p, lambda, i, &sum, &terms, &diagonal);
    if (u) u[i] = sum;
    verify_feed(j, &f, p, lambda, i, verify_terms(p, i, sum, terms, diagonal));
  }
}
