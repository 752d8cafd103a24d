// Banded LU with partial pivoting: O(n kl (kl + ku)) to factor, O(n (2 kl + ku)) to solve.
#include "la.h"
#include <lapacke.h>

static const nsm_la_status ok = { NSM_LA_OK, 0 }, bad_shape = { NSM_LA_BAD_SHAPE, 0 };

static int shape_ok(int n, int kl, int ku, int ldab) {
  return n >= 0 && kl >= 0 && ku >= 0 && ldab >= 2 * kl + ku + 1;
}

nsm_la_status nsm_la_band_factor(int n, int kl, int ku, double *AB, int ldab, int *ipiv) {
  if (!shape_ok(n, kl, ku, ldab)) return bad_shape;
  if (n == 0) return ok;
  lapack_int info = LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, kl, ku, AB, ldab, ipiv);
  if (info < 0) return bad_shape;
  return info == 0 ? ok : (nsm_la_status){ NSM_LA_SINGULAR, (int)info - 1 };
}

nsm_la_status nsm_la_band_solve(int n, int kl, int ku, int nrhs, const double *AB, int ldab, const int *ipiv, double *B,
                                int ldb) {
  if (!shape_ok(n, kl, ku, ldab) || nrhs < 0 || ldb < (n > 1 ? n : 1)) return bad_shape;
  if (n == 0 || nrhs == 0) return ok;
  lapack_int info = LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, 'N', n, kl, ku, nrhs, AB, ldab, ipiv, B, ldb);
  return info == 0 ? ok : bad_shape;
}
