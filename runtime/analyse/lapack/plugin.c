// LAPACKE's dgeev, dggev and dgesvd, in the shape of lapack.h.
#include "../lapack.h"
#include <lapacke.h>
#include <stdlib.h>

static int eigen(int n, double *A, double *re, double *im, double *V) {
  return n == 0 || LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', n, A, n, re, im, NULL, 1, V, n) == 0;
}

static int pencil(int n, double *A, double *B, double *re, double *im, double *beta, double *V) {
  return n == 0 || LAPACKE_dggev(LAPACK_COL_MAJOR, 'N', 'V', n, A, n, B, n, re, im, beta, NULL, 1, V, n) == 0;
}

static int svd(int m, int n, double *A, double *s, double *U, double *VT) {
  if (m == 0 || n == 0) return 1;
  double *rest = malloc((size_t)(m < n ? m : n) * sizeof *rest);
  int good = rest && LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'A', 'A', m, n, A, m, s, U, m, VT, n, rest) == 0;
  free(rest);
  return good;
}

extern const nsm_lapack nsm_lapack_;
const nsm_lapack nsm_lapack_ = { NSM_LAPACK_VERSION, eigen, pencil, svd };
