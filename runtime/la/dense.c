// Dense LU and Cholesky factors by blocks of columns, and the triangular solves that go with them: Golub and Van Loan,
// Matrix Computations, 4th ed. 2013, 3.2.11 and 4.2.9. All sums are taken in a fixed order (product.c): the same digits
// on every processor.
#include "la.h"
#include "vector.h"
#include <math.h>

enum { BLOCK = 32, PANEL = 8 };     // columns of a block; of the pieces in which its own columns are factored

static const nsm_la_status ok = { NSM_LA_OK, 0 }, bad_shape = { NSM_LA_BAD_SHAPE, 0 };

static nsm_la_status singular(int pivot) { return (nsm_la_status){ NSM_LA_SINGULAR, pivot }; }
static int at_least(int ld, int n) { return n >= 0 && ld >= (n > 1 ? n : 1); }
static int least(int a, int b) { return a < b ? a : b; }
static size_t place(int i, int j, int ld) { return (size_t)i + (size_t)j * (size_t)ld; }

// ---- triangular -----------------------------------------------------------------------------------------------------
// One right-hand side, for blocks of up to BLOCK columns and for single vectors.
static void lower(int n, int unit, const double *L, int ldl, double *x) {
  for (int j = 0; j < n; j++) {
    const double *l = L + place(0, j, ldl);
    if (!unit) x[j] /= l[j];
    double f = x[j];
    if (f != 0) la_subtract(n - j - 1, f, l + j + 1, x + j + 1);
  }
}

static void upper(int n, const double *U, int ldu, double *x) {
  for (int j = n - 1; j >= 0; j--) {
    const double *u = U + place(0, j, ldu);
    double f = x[j] /= u[j];
    if (f != 0) la_subtract(j, f, u, x);
  }
}

void nsm_la_lower_solve(int n, int unit, int nrhs, const double *L, int ldl, double *B, int ldb) {
  if (nrhs == 1) { lower(n, unit, L, ldl, B); return; }
  for (int k = 0; k < n; k += BLOCK) {
    int width = least(BLOCK, n - k);
    for (int c = 0; c < nrhs; c++) lower(width, unit, L + place(k, k, ldl), ldl, B + place(k, c, ldb));
    nsm_la_add_product(n - k - width, nrhs, width, -1, L + place(k + width, k, ldl), ldl, B + place(k, 0, ldb), ldb, 0,
                       B + place(k + width, 0, ldb), ldb);
  }
}

void nsm_la_upper_solve(int n, int nrhs, const double *U, int ldu, double *B, int ldb) {
  if (nrhs == 1) { upper(n, U, ldu, B); return; }
  for (int end = n; end > 0;) {
    int width = (end - 1) % BLOCK + 1, k = end - width;
    for (int c = 0; c < nrhs; c++) upper(width, U + place(k, k, ldu), ldu, B + place(k, c, ldb));
    nsm_la_add_product(k, nrhs, width, -1, U + place(0, k, ldu), ldu, B + place(k, 0, ldb), ldb, 0, B, ldb);
    end = k;
  }
}

void nsm_la_upper_solve_right(int m, int n, const double *U, int ldu, double *B, int ldb) {
  for (int k = 0; k < n; k += BLOCK) {
    int width = least(BLOCK, n - k);
    for (int j = k; j < k + width; j++) {
      double *b = B + place(0, j, ldb), pivot = U[place(j, j, ldu)];
      for (int l = k; l < j; l++) {
        double f = U[place(l, j, ldu)];
        if (f != 0) la_subtract(m, f, B + place(0, l, ldb), b);
      }
      la_divide(m, pivot, b);
    }
    nsm_la_add_product(m, n - k - width, width, -1, B + place(0, k, ldb), ldb, U + place(k, k + width, ldu), ldu, 0,
                       B + place(0, k + width, ldb), ldb);
  }
}

// ---- LU -------------------------------------------------------------------------------------------------------------
static void exchange(int n, double *A, int lda, int i, int k) {
  if (i == k) return;
  for (int j = 0; j < n; j++) {
    double t = A[place(i, j, lda)];
    A[place(i, j, lda)] = A[place(k, j, lda)];
    A[place(k, j, lda)] = t;
  }
}

// Columns [0, width) of the rows [0, m), one after the other: partial pivoting, exchanges within these columns. -1, or
// the first zero pivot.
static int columns(int m, int width, double *A, int lda, int *ipiv) {
  int zero = -1;
  for (int j = 0; j < width; j++) {
    double *a = A + place(0, j, lda);
    int best = j;
    for (int i = j + 1; i < m; i++) best = fabs(a[i]) > fabs(a[best]) ? i : best;
    ipiv[j] = best;
    if (a[best] == 0) { zero = zero < 0 ? j : zero; continue; }
    exchange(width, A, lda, j, best);
    la_divide(m - j - 1, a[j], a + j + 1);
    for (int k = j + 1; k < width; k++) {
      double *b = A + place(0, k, lda), f = b[j];
      if (f != 0) la_subtract(m - j - 1, f, a + j + 1, b + j + 1);
    }
  }
  return zero;
}

// m rows, n columns by blocks of `width` columns; each block by `PANEL` columns first.
static int factor(int m, int n, int width, double *A, int lda, int *ipiv) {
  int zero = -1;
  for (int k = 0; k < n && k < m; k += width) {
    int wide = least(width, n - k), after = k + wide;
    double *block = A + place(k, k, lda);
    int bad = width > PANEL ? factor(m - k, wide, PANEL, block, lda, ipiv + k)
                            : columns(m - k, wide, block, lda, ipiv + k);
    if (bad >= 0 && zero < 0) zero = k + bad;
    for (int j = k; j < after; j++) {
      ipiv[j] += k;
      exchange(k, A, lda, j, ipiv[j]);
      exchange(n - after, A + place(0, after, lda), lda, j, ipiv[j]);
    }
    nsm_la_lower_solve(wide, 1, n - after, block, lda, A + place(k, after, lda), lda);
    nsm_la_add_product(m - after, n - after, wide, -1, A + place(after, k, lda), lda, A + place(k, after, lda), lda, 0,
                       A + place(after, after, lda), lda);
  }
  return zero;
}

nsm_la_status nsm_la_lu_factor(int n, double *A, int lda, int *ipiv) {
  if (!at_least(lda, n)) return bad_shape;
  int zero = factor(n, n, n > BLOCK ? BLOCK : PANEL, A, lda, ipiv);
  return zero < 0 ? ok : singular(zero);
}

nsm_la_status nsm_la_lu_solve(int n, int nrhs, const double *LU, int lda, const int *ipiv, double *B, int ldb) {
  if (!at_least(lda, n) || !at_least(ldb, n) || nrhs < 0) return bad_shape;
  for (int k = 0; k < n; k++) exchange(nrhs, B, ldb, k, ipiv[k]);
  nsm_la_lower_solve(n, 1, nrhs, LU, lda, B, ldb);
  nsm_la_upper_solve(n, nrhs, LU, lda, B, ldb);
  return ok;
}

nsm_la_status nsm_la_lu_solve_transposed(int n, int nrhs, const double *LU, int lda, const int *ipiv, double *B,
                                         int ldb) {
  if (!at_least(lda, n) || !at_least(ldb, n) || nrhs < 0) return bad_shape;
  for (int c = 0; c < nrhs; c++) {
    double *x = B + place(0, c, ldb);
    for (int j = 0; j < n; j++) {
      const double *u = LU + place(0, j, lda);
      double sum = x[j];
      for (int i = 0; i < j; i++) sum -= u[i] * x[i];
      x[j] = sum / u[j];
    }
    for (int j = n - 1; j >= 0; j--) {
      const double *l = LU + place(0, j, lda);
      double sum = x[j];
      for (int i = j + 1; i < n; i++) sum -= l[i] * x[i];
      x[j] = sum;
    }
  }
  for (int k = n; k-- > 0;) exchange(nrhs, B, ldb, k, ipiv[k]);
  return ok;
}

// ---- Cholesky -------------------------------------------------------------------------------------------------------
// Columns [0, width) of the lower triangle with m rows; -1, or the first pivot that is not positive.
static int cholesky_panel(int m, int width, double *A, int lda) {
  for (int j = 0; j < width; j++) {
    double *a = A + place(0, j, lda);
    for (int k = 0; k < j; k++) {
      const double *l = A + place(0, k, lda);
      if (l[j] != 0) la_subtract(m - j, l[j], l + j, a + j);
    }
    if (!(a[j] > 0)) return j;
    a[j] = sqrt(a[j]);
    la_divide(m - j - 1, a[j], a + j + 1);
  }
  return -1;
}

nsm_la_status nsm_la_cholesky_factor(int n, double *A, int lda) {
  if (!at_least(lda, n)) return bad_shape;
  int block = n > 4 * BLOCK ? BLOCK : PANEL;
  for (int k = 0; k < n; k += block) {
    int width = least(block, n - k), bad = cholesky_panel(n - k, width, A + place(k, k, lda), lda);
    if (bad >= 0) return singular(k + bad);
    for (int c = k + width; c < n; c += BLOCK)     // the lower triangle of what is left, a block of columns at a time
      nsm_la_add_product(n - c, least(BLOCK, n - c), width, -1, A + place(c, k, lda), lda, A + place(c, k, lda), lda, 1,
                         A + place(c, c, lda), lda);
  }
  return ok;
}

nsm_la_status nsm_la_cholesky_solve(int n, int nrhs, const double *L, int lda, double *B, int ldb) {
  if (!at_least(lda, n) || !at_least(ldb, n) || nrhs < 0) return bad_shape;
  nsm_la_lower_solve(n, 0, nrhs, L, lda, B, ldb);
  for (int c = 0; c < nrhs; c++) {
    double *x = B + place(0, c, ldb);
    for (int j = n - 1; j >= 0; j--) {
      const double *l = L + place(0, j, lda);
      double sum = x[j];
      for (int i = j + 1; i < n; i++) sum -= l[i] * x[i];
      x[j] = sum / l[j];
    }
  }
  return ok;
}
