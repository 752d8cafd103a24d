// Dense LU and Cholesky factors by blocks of columns, and the triangular solves that go with them: Golub and Van Loan,
// Matrix Computations, 4th ed. 2013, 3.2.11 and 4.2.9. All sums are taken in a fixed order (product.c): the same digits
// on every processor.
#include "pivots.h"

enum { BLOCK = 32, SMALL = 128, WIDE = 8 };   // columns of a block; up to here there is one; wide vectors from here on

static const nsm_la_status ok = { NSM_LA_OK, 0 }, bad_shape = { NSM_LA_BAD_SHAPE, 0 };

static nsm_la_status singular(int pivot) { return (nsm_la_status){ NSM_LA_SINGULAR, pivot }; }
static int least(int a, int b) { return a < b ? a : b; }
static size_t place(int i, int j, int ld) { return (size_t)i + (size_t)j * (size_t)ld; }

// ---- triangular -----------------------------------------------------------------------------------------------------
// One right-hand side, for blocks of up to BLOCK columns and for single vectors.
static void lower_plain(int n, int unit, const double *L, int ldl, double *x) { la_lower(n, unit, L, (size_t)ldl, x); }
LA_WIDE static void lower_wide(int n, int unit, const double *L, int ldl, double *x) {
  la_lower(n, unit, L, (size_t)ldl, x);
}
static void lower(int n, int unit, const double *L, int ldl, double *x) {
  (n >= WIDE && la_wide() ? lower_wide : lower_plain)(n, unit, L, ldl, x);
}

LA_INLINE void upper_columns(int n, const double *U, size_t ld, double *x) {
  for (int j = n - 1; j >= 0; j--) {
    const double *u = U + (size_t)j * ld;
    double f = x[j] /= u[j];
    if (f != 0) la_subtract(j, f, u, x);
  }
}
static void upper_plain(int n, const double *U, int ldu, double *x) { upper_columns(n, U, (size_t)ldu, x); }
LA_WIDE static void upper_wide(int n, const double *U, int ldu, double *x) { upper_columns(n, U, (size_t)ldu, x); }
static void upper(int n, const double *U, int ldu, double *x) {
  (n >= WIDE && la_wide() ? upper_wide : upper_plain)(n, U, ldu, x);
}

// B [m, n] := B U^-1, for up to BLOCK columns.
LA_INLINE void right_columns(int m, int n, const double *U, size_t ldu, double *B, size_t ldb) {
  for (int j = 0; j < n; j++) {
    const double *u = U + (size_t)j * ldu;
    double *b = B + (size_t)j * ldb;
    int l = 0;
    for (; l + 4 <= j; l += 4) la_subtract_four(m, u + l, B + (size_t)l * ldb, ldb, b);
    for (; l < j; l++) la_subtract(m, u[l], B + (size_t)l * ldb, b);
    la_divide(m, u[j], b);
  }
}
static void right_plain(int m, int n, const double *U, int ldu, double *B, int ldb) {
  right_columns(m, n, U, (size_t)ldu, B, (size_t)ldb);
}
LA_WIDE static void right_wide(int m, int n, const double *U, int ldu, double *B, int ldb) {
  right_columns(m, n, U, (size_t)ldu, B, (size_t)ldb);
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
    (la_wide() ? right_wide : right_plain)(m, width, U + place(k, k, ldu), ldu, B + place(0, k, ldb), ldb);
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

// Columns [first, end) of the m rows, one after the other, exchanges within them. -1, or the first pivot that vanishes;
// the others go on from there.
LA_INLINE int few_columns(int m, int first, int end, double *A, size_t ld, int *ipiv, nsm_la_pivots *rule) {
  int zero = -1;
  for (int j = first; j < end; j++) {
    double *a = A + (size_t)j * ld;
    int best = la_pivot(j, m, a, rule);
    ipiv[j] = best < 0 ? j : best;
    if (best < 0) {
      if (rule->drop) la_drop(j, m, a, rule);
      else if (zero < 0) zero = j;
      continue;
    }
    exchange(end - first, A + (size_t)first * ld, (int)ld, j, best);
    la_divide(m - j - 1, a[j], a + j + 1);
    for (int k = j + 1; k < end; k++) {
      double *below = A + (size_t)k * ld + (size_t)j;
      la_subtract(m - j - 1, *below, a + j + 1, below + 1);
    }
  }
  return zero;
}

// n columns of m rows, m >= n: partial pivoting, four columns at a time, then all to the right of them.
LA_INLINE int block_of_columns(int m, int n, double *A, size_t ld, int *ipiv, nsm_la_pivots *rule) {
  int zero = -1;
  for (int k = 0; k < n; k += 4) {
    int end = least(k + 4, n), bad = few_columns(m, k, end, A, ld, ipiv, rule);
    zero = zero < 0 ? bad : zero;
    for (int j = k; j < end; j++) exchange(k, A, (int)ld, j, ipiv[j]);
    for (int c = end; c < n; c++) {                          // end = k + 4 here
      double *x = A + (size_t)c * ld;
      for (int j = k; j < end; j++) { double t = x[j]; x[j] = x[ipiv[j]]; x[ipiv[j]] = t; }
      for (int p = 0; p < 4; p++)
        for (int i = p + 1; i < 4; i++) x[k + i] -= A[(size_t)(k + p) * ld + (size_t)(k + i)] * x[k + p];
      la_subtract_four(m - end, x + k, A + (size_t)k * ld + (size_t)end, ld, x + end);
    }
  }
  return zero;
}
static int block_plain(int m, int n, double *A, int lda, int *ipiv, nsm_la_pivots *rule) {
  return block_of_columns(m, n, A, (size_t)lda, ipiv, rule);
}
LA_WIDE static int block_wide(int m, int n, double *A, int lda, int *ipiv, nsm_la_pivots *rule) {
  return block_of_columns(m, n, A, (size_t)lda, ipiv, rule);
}

int nsm_la_lu_by_rule(int n, double *A, int lda, int *ipiv, nsm_la_pivots *rule) {
  int zero = -1, width = n <= SMALL ? n : BLOCK;
  const double *largest = rule->largest;
  for (int k = 0; k < n; k += width) {
    int wide = least(width, n - k), after = k + wide;
    double *block = A + place(k, k, lda);
    int bad = (la_wide() ? block_wide : block_plain)(n - k, wide, block, lda, ipiv + k, rule);
    if (largest) rule->largest = largest + after;
    if (bad >= 0 && zero < 0) zero = k + bad;
    for (int j = k; j < after; j++) {
      ipiv[j] += k;
      exchange(k, A, lda, j, ipiv[j]);
      exchange(n - after, A + place(0, after, lda), lda, j, ipiv[j]);
    }
    nsm_la_lower_solve(wide, 1, n - after, block, lda, A + place(k, after, lda), lda);
    nsm_la_add_product(n - after, n - after, wide, -1, A + place(after, k, lda), lda, A + place(k, after, lda), lda, 0,
                       A + place(after, after, lda), lda);
  }
  rule->largest = largest;
  return zero;
}

nsm_la_status nsm_la_lu_factor(int n, double *A, int lda, int *ipiv) {
  nsm_la_pivots rule = nsm_la_any_pivot();
  int zero = la_holds(lda, n) ? nsm_la_lu_by_rule(n, A, lda, ipiv, &rule) : -1;
  return !la_holds(lda, n) ? bad_shape : zero < 0 ? ok : singular(zero);
}

nsm_la_status nsm_la_lu_solve(int n, int nrhs, const double *LU, int lda, const int *ipiv, double *B, int ldb) {
  if (!la_holds(lda, n) || !la_holds(ldb, n) || nrhs < 0) return bad_shape;
  for (int k = 0; k < n; k++) exchange(nrhs, B, ldb, k, ipiv[k]);
  nsm_la_lower_solve(n, 1, nrhs, LU, lda, B, ldb);
  nsm_la_upper_solve(n, nrhs, LU, lda, B, ldb);
  return ok;
}

nsm_la_status nsm_la_lu_solve_transposed(int n, int nrhs, const double *LU, int lda, const int *ipiv, double *B,
                                         int ldb) {
  if (!la_holds(lda, n) || !la_holds(ldb, n) || nrhs < 0) return bad_shape;
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
LA_INLINE int cholesky_block(int m, int width, double *A, size_t ld) {
  for (int j = 0; j < width; j++) {
    double *a = A + (size_t)j * ld;
    int k = 0;
    for (; k + 4 <= j; k += 4) {
      const double *l = A + (size_t)k * ld + (size_t)j;
      double f[4] = { l[0], l[ld], l[2 * ld], l[3 * ld] };
      la_subtract_four(m - j, f, l, ld, a + j);
    }
    for (; k < j; k++) la_subtract(m - j, A[(size_t)k * ld + (size_t)j], A + (size_t)k * ld + (size_t)j, a + j);
    if (!(a[j] > 0)) return j;
    a[j] = sqrt(a[j]);
    la_divide(m - j - 1, a[j], a + j + 1);
  }
  return -1;
}
static int cholesky_plain(int m, int width, double *A, int lda) { return cholesky_block(m, width, A, (size_t)lda); }
LA_WIDE static int cholesky_wide(int m, int width, double *A, int lda) {
  return cholesky_block(m, width, A, (size_t)lda);
}

nsm_la_status nsm_la_cholesky_factor(int n, double *A, int lda) {
  if (!la_holds(lda, n)) return bad_shape;
  int block = n <= SMALL ? n : BLOCK;
  for (int k = 0; k < n; k += block) {
    int width = least(block, n - k);
    int bad = (la_wide() ? cholesky_wide : cholesky_plain)(n - k, width, A + place(k, k, lda), lda);
    if (bad >= 0) return singular(k + bad);
    for (int c = k + width; c < n; c += BLOCK)     // the lower triangle of what is left, a block of columns at a time
      nsm_la_add_product(n - c, least(BLOCK, n - c), width, -1, A + place(c, k, lda), lda, A + place(c, k, lda), lda, 1,
                         A + place(c, c, lda), lda);
  }
  return ok;
}

nsm_la_status nsm_la_cholesky_solve(int n, int nrhs, const double *L, int lda, double *B, int ldb) {
  if (!la_holds(lda, n) || !la_holds(ldb, n) || nrhs < 0) return bad_shape;
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
