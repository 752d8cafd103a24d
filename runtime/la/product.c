// Matrix products with a fixed order of summation: every element of C starts from beta C_ij and takes its products for
// k = 1, 2, ... one after the other, each rounded by itself. Vectors run along the rows, over different elements, so
// their width changes the speed and not one bit: every processor gives the same digits.
//
// The product is cut into tiles that fit the registers (Goto and van de Geijn, ACM Trans. Math. Softw. 34 (2008) 12:1),
// from copies of A and B in the order in which the tiles read them.
#include "la.h"
#include "vector.h"

enum { ROWS = 8, COLS = 4, DEPTH = 128, STRIPS = 16, FEW = 8 };  // of a tile; depth and tiles of a copy; no tiles below


// C[ROWS, COLS] += strip of A times strip of B. a: [depth][ROWS], b: [depth][COLS], c: [COLS][ROWS]. `parts` of the
// rows at a time, as many as the registers hold.
LA_INLINE void tile(const int parts, int depth, const double *a, const double *b, double *c) {
  for (int first = 0; first < ROWS / 4; first += parts) {
    four s[COLS][ROWS / 4], x[ROWS / 4];
#pragma GCC unroll 8
    for (int j = 0; j < COLS; j++)
#pragma GCC unroll 8
      for (int p = 0; p < parts; p++) memcpy(&s[j][p], c + j * ROWS + 4 * (first + p), sizeof(four));
    for (int k = 0; k < depth; k++) {
#pragma GCC unroll 8
      for (int p = 0; p < parts; p++) memcpy(&x[p], a + k * ROWS + 4 * (first + p), sizeof(four));
#pragma GCC unroll 8
      for (int j = 0; j < COLS; j++)
#pragma GCC unroll 8
        for (int p = 0; p < parts; p++) s[j][p] += x[p] * b[k * COLS + j];
    }
#pragma GCC unroll 8
    for (int j = 0; j < COLS; j++)
#pragma GCC unroll 8
      for (int p = 0; p < parts; p++) memcpy(c + j * ROWS + 4 * (first + p), &s[j][p], sizeof(four));
  }
}

static void tile_plain(int depth, const double *a, const double *b, double *c) { tile(1, depth, a, b, c); }
LA_WIDE static void tile_wide(int depth, const double *a, const double *b, double *c) { tile(2, depth, a, b, c); }

// A tile that may reach over the edge of C.
static void at(void (*multiply)(int, const double *, const double *, double *), int depth, const double *a,
               const double *b, double *C, int ldc, int rows, int cols) {
  double c[COLS * ROWS] = { 0 };
  if (rows == ROWS && cols == COLS) {                          // the same, with lengths that are known
    for (int j = 0; j < COLS; j++) memcpy(c + j * ROWS, C + (size_t)j * (size_t)ldc, ROWS * sizeof(double));
    multiply(depth, a, b, c);
    for (int j = 0; j < COLS; j++) memcpy(C + (size_t)j * (size_t)ldc, c + j * ROWS, ROWS * sizeof(double));
    return;
  }
  for (int j = 0; j < cols; j++) memcpy(c + j * ROWS, C + (size_t)j * (size_t)ldc, (size_t)rows * sizeof(double));
  multiply(depth, a, b, c);
  for (int j = 0; j < cols; j++) memcpy(C + (size_t)j * (size_t)ldc, c + j * ROWS, (size_t)rows * sizeof(double));
}

static int least(int a, int b) { return a < b ? a : b; }

// C += factor A B, B given by columns, or by rows (B = T^T, T [n, k]).
static void add_tiles(int m, int n, int k, double factor, const double *A, int lda, const double *B, int ldb,
                      int by_rows, double *C, int ldc) {
  double a[STRIPS][DEPTH * ROWS], b[DEPTH * COLS];
  void (*multiply)(int, const double *, const double *, double *) = la_wide() ? tile_wide : tile_plain;
  size_t la = (size_t)lda, lb = (size_t)ldb, lc = (size_t)ldc;
  for (int l = 0; l < k; l += DEPTH) {
    int depth = least(DEPTH, k - l);
    for (int i = 0; i < m; i += STRIPS * ROWS) {
      int rows = least(STRIPS * ROWS, m - i), strips = (rows + ROWS - 1) / ROWS;
      for (int s = 0; s < strips; s++) {
        int count = least(ROWS, rows - s * ROWS);
        const double *from = A + (size_t)(i + s * ROWS) + (size_t)l * la;
        for (int p = 0; p < depth; p++) {
          double *to = a[s] + p * ROWS;
          if (count == ROWS) memcpy(to, from + (size_t)p * la, ROWS * sizeof *to);
          else for (int r = 0; r < ROWS; r++) to[r] = r < count ? from[(size_t)r + (size_t)p * la] : 0;
        }
      }
      for (int j = 0; j < n; j += COLS) {
        int cols = least(COLS, n - j);
        for (int p = 0; p < depth; p++)
          for (int c = 0; c < COLS; c++) {
            size_t col = (size_t)(j + c), row = (size_t)(l + p);
            b[p * COLS + c] = c < cols ? factor * (by_rows ? B[col + row * lb] : B[row + col * lb]) : 0;
          }
        for (int s = 0; s < strips; s++)
          at(multiply, depth, a[s], b, C + (size_t)(i + s * ROWS) + (size_t)j * lc, ldc,
             least(ROWS, rows - s * ROWS), cols);
      }
    }
  }
}

// The same by columns of A, four at a time, where there are no tiles to fill. Products with zero are left out.
LA_INLINE void add_columns(int m, int n, int k, double factor, const double *A, size_t lda, const double *B, size_t ldb,
                           int by_rows, double *C, size_t ldc) {
  size_t step = by_rows ? ldb : 1;
  for (int j = 0; j < n; j++) {
    const double *b = by_rows ? B + j : B + (size_t)j * ldb;
    double *c = C + (size_t)j * ldc;
    for (int l = 0; l < k;) {
      double f[4] = { 0 };
      int count = 0;
      while (count < 4 && l + count < k && b[(size_t)(l + count) * step] != 0) {
        f[count] = -factor * b[(size_t)(l + count) * step];
        count++;
      }
      if (count == 4) la_subtract_four(m, f, A + (size_t)l * lda, lda, c);
      else for (int p = 0; p < count; p++) la_subtract(m, f[p], A + (size_t)(l + p) * lda, c);
      l += count < 4 ? count + 1 : 4;
    }
  }
}
static void columns_plain(int m, int n, int k, double factor, const double *A, size_t lda, const double *B, size_t ldb,
                          int by_rows, double *C, size_t ldc) {
  add_columns(m, n, k, factor, A, lda, B, ldb, by_rows, C, ldc);
}
LA_WIDE static void columns_wide(int m, int n, int k, double factor, const double *A, size_t lda, const double *B,
                                 size_t ldb, int by_rows, double *C, size_t ldc) {
  add_columns(m, n, k, factor, A, lda, B, ldb, by_rows, C, ldc);
}

static void add_plain(int m, int n, int k, double factor, const double *A, int lda, const double *B, int ldb,
                      int by_rows, double *C, int ldc) {
  (la_wide() ? columns_wide : columns_plain)(m, n, k, factor, A, (size_t)lda, B, (size_t)ldb, by_rows, C, (size_t)ldc);
}

void nsm_la_add_product(int m, int n, int k, double factor, const double *A, int lda, const double *B, int ldb,
                        int by_rows, double *C, int ldc) {
  if (m < FEW || n < COLS || k < FEW) add_plain(m, n, k, factor, A, lda, B, ldb, by_rows, C, ldc);
  else add_tiles(m, n, k, factor, A, lda, B, ldb, by_rows, C, ldc);
}

static int at_least(int ld, int n) { return n >= 0 && ld >= (n > 1 ? n : 1); }

static void scale(int n, double beta, double *y) {
  if (beta == 0) memset(y, 0, (size_t)n * sizeof(double));
  else if (beta != 1) for (int i = 0; i < n; i++) y[i] *= beta;
}

nsm_la_status nsm_la_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                          double beta, double *C, int ldc) {
  if (!at_least(lda, m) || !at_least(ldb, k) || !at_least(ldc, m) || n < 0)
    return (nsm_la_status){ NSM_LA_BAD_SHAPE, 0 };
  for (int j = 0; j < n; j++) scale(m, beta, C + (size_t)j * (size_t)ldc);
  nsm_la_add_product(m, n, k, alpha, A, lda, B, ldb, 0, C, ldc);
  return (nsm_la_status){ NSM_LA_OK, 0 };
}

nsm_la_status nsm_la_gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double beta,
                          double *y) {
  if (!at_least(lda, m) || n < 0) return (nsm_la_status){ NSM_LA_BAD_SHAPE, 0 };
  scale(m, beta, y);
  add_plain(m, 1, n, alpha, A, lda, x, n > 1 ? n : 1, 0, y, m);
  return (nsm_la_status){ NSM_LA_OK, 0 };
}
