// Dense LU and Cholesky (LAPACKE's `_work` entries: no allocation, no scan for nan) and matrix products (CBLAS).
#include "la.h"
#include <cblas.h>
#include <lapacke.h>

static const nsm_la_status ok = { NSM_LA_OK, 0 }, bad_shape = { NSM_LA_BAD_SHAPE, 0 };

// LAPACK's info: 0, or k > 0 where pivot k (1-based) stops the factorization, or -k where argument k is wrong.
static nsm_la_status from_info(lapack_int info) {
  if (info == 0) return ok;
  if (info < 0) return bad_shape;
  return (nsm_la_status){ NSM_LA_SINGULAR, (int)info - 1 };
}

static int at_least(int ld, int n) { return n >= 0 && ld >= (n > 1 ? n : 1); }

nsm_la_status nsm_la_lu_factor(int n, double *A, int lda, int *ipiv) {
  if (!at_least(lda, n)) return bad_shape;
  if (n == 0) return ok;
  return from_info(LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, lda, ipiv));
}

static nsm_la_status lu_solve(char trans, int n, int nrhs, const double *LU, int lda, const int *ipiv, double *B,
                              int ldb) {
  if (!at_least(lda, n) || !at_least(ldb, n) || nrhs < 0) return bad_shape;
  if (n == 0 || nrhs == 0) return ok;
  return from_info(LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, trans, n, nrhs, LU, lda, ipiv, B, ldb));
}

nsm_la_status nsm_la_lu_solve(int n, int nrhs, const double *LU, int lda, const int *ipiv, double *B, int ldb) {
  return lu_solve('N', n, nrhs, LU, lda, ipiv, B, ldb);
}

nsm_la_status nsm_la_lu_solve_transposed(int n, int nrhs, const double *LU, int lda, const int *ipiv, double *B,
                                         int ldb) {
  return lu_solve('T', n, nrhs, LU, lda, ipiv, B, ldb);
}

nsm_la_status nsm_la_cholesky_factor(int n, double *A, int lda) {
  if (!at_least(lda, n)) return bad_shape;
  if (n == 0) return ok;
  return from_info(LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, lda));
}

nsm_la_status nsm_la_cholesky_solve(int n, int nrhs, const double *L, int lda, double *B, int ldb) {
  if (!at_least(lda, n) || !at_least(ldb, n) || nrhs < 0) return bad_shape;
  if (n == 0 || nrhs == 0) return ok;
  return from_info(LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, nrhs, L, lda, B, ldb));
}

int nsm_la_pseudo_inverse_work(int n) { return 70 * (n + 4); }

int nsm_la_pseudo_inverse(int n, double *A, double rcond, double *X, int *jpvt, double *work, int lwork) {
  lapack_int rank = 0;
  if (n < 1 || lwork < nsm_la_pseudo_inverse_work(n)) return -1;
  for (int j = 0; j < n; j++) {
    jpvt[j] = 0;
    for (int i = 0; i < n; i++) X[i + j * n] = i == j;
  }
  return LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, n, n, n, A, n, X, n, jpvt, rcond, &rank, work, lwork) == 0 ? (int)rank
                                                                                                          : -1;
}

nsm_la_status nsm_la_gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double beta,
                          double *y) {
  if (!at_least(lda, m) || n < 0) return bad_shape;
  if (m == 0) return ok;
  cblas_dgemv(CblasColMajor, CblasNoTrans, m, n, alpha, A, lda, x, 1, beta, y, 1);
  return ok;
}

nsm_la_status nsm_la_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                          double beta, double *C, int ldc) {
  if (!at_least(lda, m) || !at_least(ldb, k) || !at_least(ldc, m) || n < 0) return bad_shape;
  if (m == 0 || n == 0) return ok;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  return ok;
}
