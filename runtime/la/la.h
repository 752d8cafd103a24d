// Linear algebra for the runtime: dense, banded and small matrices.
//
// All of it is the project's own, and every sum is taken in a fixed order, each product rounded by itself: results are
// the same, bit by bit, on every processor and for every width of its vectors.
//
// Everything works in the caller's memory: nothing here allocates, prints or scans for nan (a nan goes in, a nan comes
// out). Matrices are column-major as in LAPACK: A[i + j*lda]. Every function that can fail returns a named status;
// nothing is silently accepted.
#pragma once

typedef enum {
  NSM_LA_OK = 0,
  NSM_LA_SINGULAR,     // `pivot` says which one (0-based) is zero or, for Cholesky, not positive
  NSM_LA_BAD_SHAPE     // a dimension is negative or a leading dimension too small; nothing was touched
} nsm_la_code;

typedef struct nsm_la_status {
  nsm_la_code code;
  int         pivot;   // meaningful for NSM_LA_SINGULAR only
} nsm_la_status;

// ---- dense ----------------------------------------------------------------------------------------------------------
// P A = L U, partial pivoting, in place.  A [lda, n], ipiv [n]: row i was exchanged with row ipiv[i] >= i, counted from
// 0.
nsm_la_status nsm_la_lu_factor(int n, double *A, int lda, int *ipiv);
// B := A^{-1} B from the factors.  LU [lda, n], ipiv [n], B [ldb, nrhs].
nsm_la_status nsm_la_lu_solve(int n, int nrhs, const double *LU, int lda, const int *ipiv, double *B, int ldb);
// B := A^{-T} B from the factors.
nsm_la_status nsm_la_lu_solve_transposed(int n, int nrhs, const double *LU, int lda, const int *ipiv, double *B,
                                         int ldb);
// A = L L^T, A symmetric positive definite; only the lower triangle is read and written.
nsm_la_status nsm_la_cholesky_factor(int n, double *A, int lda);
nsm_la_status nsm_la_cholesky_solve(int n, int nrhs, const double *L, int lda, double *B, int ldb);
// X := pseudo-inverse of A by a complete orthogonal factorization; pivots of at most rcond times the first count as
// zero. A is lost. X [n, n], jpvt [n], work [lwork >= nsm_la_pseudo_inverse_work(n)]. Returns the rank, -1 on bad
// shapes.
int nsm_la_pseudo_inverse(int n, double *A, double rcond, double *X, int *jpvt, double *work, int lwork);
int nsm_la_pseudo_inverse_work(int n);
// Column k of V [n, k + 1] made orthogonal to the k before it, which have length 1: twice, so that it is to round-off
// [Giraud et al. 2005]. Returns its length.
double nsm_la_orthogonalise(int n, int k, double *V);
// Which columns of A [n, columns] are independent: the first of `order` [columns], always the one that is farthest from
// those before it; how many are farther than `small` times the longest. On its diagonal A has how far. work [columns].
int nsm_la_independent(int n, int columns, double *A, double small, int *order, double *work);
// Eigenvalues re + i im [n] of A [n, n], which is lost; 0: not found. eigenvalues.c
int nsm_la_eigenvalues(int n, double *A, double *re, double *im);
// y := alpha A x + beta y.  A [lda, n] with m rows, x [n], y [m].
nsm_la_status nsm_la_gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double beta,
                          double *y);
// C := alpha A B + beta C.  A [m, k], B [k, n], C [m, n].
nsm_la_status nsm_la_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                          double beta, double *C, int ldc);

// C += factor A B, or factor A B^T where by_rows.  A [m, k], B [k, n] or [n, k], C [m, n]. Shapes are the caller's.
void nsm_la_add_product(int m, int n, int k, double factor, const double *A, int lda, const double *B, int ldb,
                        int by_rows, double *C, int ldc);
// B := L^{-1} B, B := U^{-1} B, B := B U^{-1}; the other triangle is not read; unit: the diagonal of L is 1.
// L, U [n, n]; B [n, nrhs], in the last [m, n]. Shapes are the caller's.
void nsm_la_lower_solve(int n, int unit, int nrhs, const double *L, int ldl, double *B, int ldb);
void nsm_la_upper_solve(int n, int nrhs, const double *U, int ldu, double *B, int ldb);
void nsm_la_upper_solve_right(int m, int n, const double *U, int ldu, double *B, int ldb);

// How pivots are found among the own rows: the largest where `search`, if it is more than `margin` times the diagonal;
// else the diagonal, which is to be positive. One of at most `small` times largest[column] vanishes (largest is read
// where small > 0); with `drop` it is left out, NSM_SPARSE_DROPPED (sparse.h) is put there, and it is counted.
typedef struct nsm_la_pivots { int search; double margin, small; int drop; const double *largest; int dropped; }
    nsm_la_pivots;
static inline nsm_la_pivots nsm_la_any_pivot(void) { return (nsm_la_pivots){ .search = 1, .margin = 1 }; }
// nsm_la_lu_factor by such rules: -1, or the first column whose pivot vanishes; those after it are factored too.
int nsm_la_lu_by_rule(int n, double *A, int lda, int *ipiv, nsm_la_pivots *rule);
// One front: own of its rows are eliminated, exchanges among these alone; -1, or the column of a pivot that vanishes.
//   F [rows, rows], leading dimension rows:  P F11 = L U,  F12 := L^{-1} P F12,  F21 := F21 U^{-1},  F22 -= F21 F12
// pivot [own] as in nsm_la_lu_factor.
int nsm_la_front(int own, int rows, double *F, int *pivot, nsm_la_pivots *rule);

// ---- banded ---------------------------------------------------------------------------------------------------------
// Layout: A_ij stands at AB[kl + ku + i - j + j*ldab] for max(0, j-ku) <= i <= min(n-1, j+kl); ldab >= 2*kl + ku + 1.
// The first kl rows of AB are room for fill-in and need no value.
// Index of A_ij in AB:
static inline long nsm_la_band_index(int kl, int ku, int ldab, int i, int j) {
  return (long)(kl + ku + i - j) + (long)j * ldab;
}
// P A = L U in band storage, in place.  ipiv [n].
nsm_la_status nsm_la_band_factor(int n, int kl, int ku, double *AB, int ldab, int *ipiv);
// The same where equations may depend on each other: pivots of at most `small` are dropped, and counted in *dropped;
// their unknowns are 0 in every solution. Meant for matrices whose columns have a largest entry of 1.
nsm_la_status nsm_la_band_factor_dropping(int n, int kl, int ku, double *AB, int ldab, int *ipiv, double small,
                                          int *dropped);
// B := A^{-1} B from the factors.  B [ldb, nrhs].
nsm_la_status nsm_la_band_solve(int n, int kl, int ku, int nrhs, const double *AB, int ldab, const int *ipiv, double *B,
                                int ldb);

// ---- small, unrolled ------------------------------------------------------------------------------------------------
enum { NSM_LA_SMALL = 5 };    // the largest n taken below
// X := A^{-1}, Gauss-Jordan with row pivoting.  1 <= n <= NSM_LA_SMALL; A [lda, n] is kept, X [n, n] with leading
// dimension n. A pivot counts as zero where |pivot| <= small_pivot * (largest entry of its column of A); 0 asks for
// exact zeros only.
nsm_la_status nsm_la_small_inverse(int n, const double *A, int lda, double small_pivot, double *X);
// x := A^{-1} b, Gauss with row pivoting, same rule; b and x [n] may be the same.
nsm_la_status nsm_la_small_solve(int n, const double *A, int lda, double small_pivot, const double *b, double *x);
