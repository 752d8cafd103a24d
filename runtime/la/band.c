// Banded LU with partial pivoting: O(n kl (kl + ku)) to factor, O(n (2 kl + ku)) to solve. Golub and Van Loan, Matrix
// Computations, 4th ed. 2013, 4.3.3, in the layout of LAPACK. Sums in a fixed order.
#include "la.h"
#include "vector.h"
#include <math.h>

static const nsm_la_status ok = { NSM_LA_OK, 0 }, bad_shape = { NSM_LA_BAD_SHAPE, 0 };

static int shape_ok(int n, int kl, int ku, int ldab) {
  return n >= 0 && kl >= 0 && ku >= 0 && ldab >= 2 * kl + ku + 1;
}
static int least(int a, int b) { return a < b ? a : b; }

nsm_la_status nsm_la_band_factor(int n, int kl, int ku, double *AB, int ldab, int *ipiv) {
  return nsm_la_band_factor_dropping(n, kl, ku, AB, ldab, ipiv, -1, NULL);
}

// A pivot of at most `small` is dropped: with one that is almost infinite in its place its unknown becomes 0, and with
// nothing below it the equation takes no part.
nsm_la_status nsm_la_band_factor_dropping(int n, int kl, int ku, double *AB, int ldab, int *ipiv, double small,
                                          int *dropped) {
  if (!shape_ok(n, kl, ku, ldab)) return bad_shape;
  int reach = 0, zero = -1;                        // the last column that row exchanges have filled so far
  for (int j = 0; j < n; j++) memset(AB + (size_t)j * (size_t)ldab, 0, (size_t)kl * sizeof(double));
  for (int j = 0; j < n; j++) {
    double *a = AB + nsm_la_band_index(kl, ku, ldab, j, j);      // A_jj, the entries below it behind it
    int below = least(kl, n - 1 - j), best = 0;
    for (int i = 1; i <= below; i++) best = fabs(a[i]) > fabs(a[best]) ? i : best;
    if (fabs(a[best]) <= small) {
      ipiv[j] = j;
      a[0] = 0x1p1000;
      for (int i = 1; i <= below; i++) a[i] = 0;
      reach = least(j + ku, n - 1) > reach ? least(j + ku, n - 1) : reach;
      (*dropped)++;
      continue;
    }
    ipiv[j] = j + best;
    if (a[best] == 0) { zero = zero < 0 ? j : zero; continue; }
    int last = least(j + ku + best, n - 1);
    reach = last > reach ? last : reach;
    if (best != 0)
      for (int c = j; c <= reach; c++) {
        double *x = AB + nsm_la_band_index(kl, ku, ldab, j, c), t = x[0];
        x[0] = x[best];
        x[best] = t;
      }
    la_divide(below, a[0], a + 1);
    for (int c = j + 1; c <= reach; c++) {
      double *x = AB + nsm_la_band_index(kl, ku, ldab, j, c), f = x[0];
      if (f != 0) la_subtract(below, f, a + 1, x + 1);
    }
  }
  return zero < 0 ? ok : (nsm_la_status){ NSM_LA_SINGULAR, zero };
}

nsm_la_status nsm_la_band_solve(int n, int kl, int ku, int nrhs, const double *AB, int ldab, const int *ipiv, double *B,
                                int ldb) {
  if (!shape_ok(n, kl, ku, ldab) || nrhs < 0 || ldb < (n > 1 ? n : 1)) return bad_shape;
  for (int c = 0; c < nrhs; c++) {
    double *x = B + (size_t)c * (size_t)ldb;
    for (int j = 0; j < n; j++) {
      const double *a = AB + nsm_la_band_index(kl, ku, ldab, j, j);
      double f = x[ipiv[j]];
      x[ipiv[j]] = x[j];
      x[j] = f;
      if (f != 0) la_subtract(least(kl, n - 1 - j), f, a + 1, x + j + 1);
    }
    for (int j = n - 1; j >= 0; j--) {
      const double *a = AB + nsm_la_band_index(kl, ku, ldab, j, j);
      double f = x[j] /= a[0];
      int above = least(kl + ku, j);
      if (f != 0) la_subtract(above, f, a - above, x + j - above);
    }
  }
  return ok;
}
