// Inverses and solves for n <= 5 without a library call. The body is written once for any n and inlined with n
// constant, so the compiler unrolls it. Row pivoting: cofactor formulas are shorter but lose digits on badly scaled
// matrices.
#include "la.h"
#include <math.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// Eliminates W = [A | R] (n rows, n + k columns, row-major) to [I | A^{-1} R]; returns the failing pivot or -1.
ALWAYS_INLINE int gauss_jordan(const int n, const int k, double W[][2 * NSM_LA_SMALL], double small_pivot,
                               const double *column_max) {
  for (int p = 0; p < n; p++) {
    int best = p;
    for (int i = p + 1; i < n; i++)
      if (fabs(W[i][p]) > fabs(W[best][p])) best = i;
    double size = fabs(W[best][p]);
    if (!(size > small_pivot * column_max[p])) return p;
    if (best != p)
      for (int j = p; j < n + k; j++) { double t = W[p][j]; W[p][j] = W[best][j]; W[best][j] = t; }
    double inverse = 1.0 / W[p][p];
    for (int j = p + 1; j < n + k; j++) W[p][j] *= inverse;
    for (int i = 0; i < n; i++) {
      if (i == p) continue;
      double f = W[i][p];
      for (int j = p + 1; j < n + k; j++) W[i][j] -= f * W[p][j];
    }
  }
  return -1;
}

ALWAYS_INLINE void load(const int n, const double *A, int lda, double W[][2 * NSM_LA_SMALL], double *column_max) {
  for (int j = 0; j < n; j++) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
      double a = A[i + j * lda];
      W[i][j] = a;
      if (fabs(a) > largest) largest = fabs(a);
    }
    column_max[j] = largest;
  }
}

ALWAYS_INLINE int inverse_n(const int n, const double *A, int lda, double small_pivot, double *X) {
  double W[NSM_LA_SMALL][2 * NSM_LA_SMALL], column_max[NSM_LA_SMALL];
  load(n, A, lda, W, column_max);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) W[i][n + j] = i == j;
  int failed = gauss_jordan(n, n, W, small_pivot, column_max);
  if (failed < 0)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) X[i + j * n] = W[i][n + j];
  return failed;
}

ALWAYS_INLINE int solve_n(const int n, const double *A, int lda, double small_pivot, const double *b, double *x) {
  double W[NSM_LA_SMALL][2 * NSM_LA_SMALL], column_max[NSM_LA_SMALL];
  load(n, A, lda, W, column_max);
  for (int i = 0; i < n; i++) W[i][n] = b[i];
  int failed = gauss_jordan(n, 1, W, small_pivot, column_max);
  if (failed < 0)
    for (int i = 0; i < n; i++) x[i] = W[i][n];
  return failed;
}

static nsm_la_status from_pivot(int failed) {
  return failed < 0 ? (nsm_la_status){ NSM_LA_OK, 0 } : (nsm_la_status){ NSM_LA_SINGULAR, failed };
}

nsm_la_status nsm_la_small_inverse(int n, const double *A, int lda, double small_pivot, double *X) {
  if (n < 1 || n > NSM_LA_SMALL || lda < n) return (nsm_la_status){ NSM_LA_BAD_SHAPE, 0 };
  switch (n) {
    case 1:  return from_pivot(inverse_n(1, A, lda, small_pivot, X));
    case 2:  return from_pivot(inverse_n(2, A, lda, small_pivot, X));
    case 3:  return from_pivot(inverse_n(3, A, lda, small_pivot, X));
    case 4:  return from_pivot(inverse_n(4, A, lda, small_pivot, X));
    default: return from_pivot(inverse_n(5, A, lda, small_pivot, X));
  }
}

nsm_la_status nsm_la_small_solve(int n, const double *A, int lda, double small_pivot, const double *b, double *x) {
  if (n < 1 || n > NSM_LA_SMALL || lda < n) return (nsm_la_status){ NSM_LA_BAD_SHAPE, 0 };
  switch (n) {
    case 1:  return from_pivot(solve_n(1, A, lda, small_pivot, b, x));
    case 2:  return from_pivot(solve_n(2, A, lda, small_pivot, b, x));
    case 3:  return from_pivot(solve_n(3, A, lda, small_pivot, b, x));
    case 4:  return from_pivot(solve_n(4, A, lda, small_pivot, b, x));
    default: return from_pivot(solve_n(5, A, lda, small_pivot, b, x));
  }
}
