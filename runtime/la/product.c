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

// C [m, n] += factor A [m, k] B [k, n], B given by columns, or by rows (B = T^T, T [n, k]).
typedef struct product {
  int           m, n, k, by_rows;
  double        factor;
  const double *A, *B;
  double       *C;
  int           lda, ldb, ldc;
} product;

// A [count, depth] from row i and column l on, in strips of ROWS rows, with zeros below its last row.
static void copy_strips(const product *p, int i, int l, int rows, int depth, double (*a)[DEPTH * ROWS]) {
  size_t la = (size_t)p->lda;
  for (int s = 0; s * ROWS < rows; s++) {
    int count = least(ROWS, rows - s * ROWS);
    const double *from = p->A + (size_t)(i + s * ROWS) + (size_t)l * la;
    for (int q = 0; q < depth; q++) {
      double *to = a[s] + q * ROWS;
      if (count == ROWS) memcpy(to, from + (size_t)q * la, ROWS * sizeof *to);
      else for (int r = 0; r < ROWS; r++) to[r] = r < count ? from[(size_t)r + (size_t)q * la] : 0;
    }
  }
}

static void add_tiles(const product *p) {
  double a[STRIPS][DEPTH * ROWS], b[DEPTH * COLS];
  void (*multiply)(int, const double *, const double *, double *) = la_wide() ? tile_wide : tile_plain;
  size_t lb = (size_t)p->ldb, lc = (size_t)p->ldc;
  for (int l = 0; l < p->k; l += DEPTH) {
    int depth = least(DEPTH, p->k - l);
    for (int i = 0; i < p->m; i += STRIPS * ROWS) {
      int rows = least(STRIPS * ROWS, p->m - i);
      copy_strips(p, i, l, rows, depth, a);
      for (int j = 0; j < p->n; j += COLS) {
        int cols = least(COLS, p->n - j);
        for (int q = 0; q < depth; q++)
          for (int c = 0; c < COLS; c++) {
            size_t col = (size_t)(j + c), row = (size_t)(l + q);
            b[q * COLS + c] = c < cols ? p->factor * (p->by_rows ? p->B[col + row * lb] : p->B[row + col * lb]) : 0;
          }
        for (int s = 0; s * ROWS < rows; s++)
          at(multiply, depth, a[s], b, p->C + (size_t)(i + s * ROWS) + (size_t)j * lc, p->ldc,
             least(ROWS, rows - s * ROWS), cols);
      }
    }
  }
}

// The same by columns of A, four at a time, where there are no tiles to fill. Products with zero are left out.
LA_INLINE void add_columns(const product *p) {
  size_t step = p->by_rows ? (size_t)p->ldb : 1, la = (size_t)p->lda;
  for (int j = 0; j < p->n; j++) {
    const double *b = p->by_rows ? p->B + j : p->B + (size_t)j * (size_t)p->ldb;
    double *c = p->C + (size_t)j * (size_t)p->ldc;
    for (int l = 0; l < p->k;) {
      double f[4] = { 0 };
      int count = 0;
      while (count < 4 && l + count < p->k && b[(size_t)(l + count) * step] != 0) {
        f[count] = -p->factor * b[(size_t)(l + count) * step];
        count++;
      }
      if (count == 4) la_subtract_four(p->m, f, p->A + (size_t)l * la, la, c);
      else for (int q = 0; q < count; q++) la_subtract(p->m, f[q], p->A + (size_t)(l + q) * la, c);
      l += count < 4 ? count + 1 : 4;
    }
  }
}
static void columns_plain(const product *p) { add_columns(p); }
LA_WIDE static void columns_wide(const product *p) { add_columns(p); }

static void add_plain(const product *p) { (la_wide() ? columns_wide : columns_plain)(p); }

void nsm_la_add_product(int m, int n, int k, double factor, const double *A, int lda, const double *B, int ldb,
                        int by_rows, double *C, int ldc) {
  if (m <= 0 || n <= 0 || k <= 0) return;
  product p = { m, n, k, by_rows, factor, A, B, C, lda, ldb, ldc };
  if (m < FEW || n < COLS || k < FEW) add_plain(&p);
  else add_tiles(&p);
}

static void scale(int n, double beta, double *y) {
  if (beta == 0) memset(y, 0, (size_t)n * sizeof(double));
  else if (beta != 1) for (int i = 0; i < n; i++) y[i] *= beta;
}

nsm_la_status nsm_la_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                          double beta, double *C, int ldc) {
  if (!la_holds(lda, m) || !la_holds(ldb, k) || !la_holds(ldc, m) || n < 0)
    return (nsm_la_status){ NSM_LA_BAD_SHAPE, 0 };
  for (int j = 0; j < n; j++) scale(m, beta, C + (size_t)j * (size_t)ldc);
  nsm_la_add_product(m, n, k, alpha, A, lda, B, ldb, 0, C, ldc);
  return (nsm_la_status){ NSM_LA_OK, 0 };
}

nsm_la_status nsm_la_gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double beta,
                          double *y) {
  if (!la_holds(lda, m) || n < 0) return (nsm_la_status){ NSM_LA_BAD_SHAPE, 0 };
  scale(m, beta, y);
  add_plain(&(product){ m, 1, n, 0, alpha, A, x, y, lda, n > 1 ? n : 1, m });
  return (nsm_la_status){ NSM_LA_OK, 0 };
}
