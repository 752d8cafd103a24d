// runtime/la: every factorization solves what it was given; singular matrices and bad shapes have names.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "runtime/la/la.h"
#include "runtime/la/sparse.h"

static uint64_t seed = 1;
static double draw(void) {   // in [-1, 1), xorshift
  seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
  return (double)(seed >> 11) * 0x1p-52 - 1.0;
}

// max |A x - b| for column-major A
static double miss(int n, const double *A, const double *x, const double *b, int transposed) {
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double s = -b[i];
    for (int j = 0; j < n; j++) s += (transposed ? A[j + i * n] : A[i + j * n]) * x[j];
    worst = fmax(worst, fabs(s));
  }
  return worst;
}

enum { N = 12 };

static void lu_solves(void **state) {
  (void)state;
  double A[N * N], F[N * N], b[N], x[N];
  int ipiv[N];
  for (int n = 1; n <= N; n++) {
    for (int i = 0; i < n * n; i++) F[i] = A[i] = draw() + (i % (n + 1) == 0 ? 3 : 0);
    for (int i = 0; i < n; i++) x[i] = b[i] = draw();
    assert_int_equal(nsm_la_lu_factor(n, F, n, ipiv).code, NSM_LA_OK);
    assert_int_equal(nsm_la_lu_solve(n, 1, F, n, ipiv, x, n).code, NSM_LA_OK);
    assert_true(miss(n, A, x, b, 0) < 1e-13);
    memcpy(x, b, sizeof b);
    assert_int_equal(nsm_la_lu_solve_transposed(n, 1, F, n, ipiv, x, n).code, NSM_LA_OK);
    assert_true(miss(n, A, x, b, 1) < 1e-13);
  }
}

static void lu_names_the_zero_pivot(void **state) {
  (void)state;
  double A[9] = { 1, 0, 0, 0, 0, 0, 0, 0, 1 };
  int ipiv[3];
  nsm_la_status s = nsm_la_lu_factor(3, A, 3, ipiv);
  assert_int_equal(s.code, NSM_LA_SINGULAR);
  assert_int_equal(s.pivot, 1);
  assert_int_equal(nsm_la_lu_factor(3, A, 2, ipiv).code, NSM_LA_BAD_SHAPE);
  assert_int_equal(nsm_la_lu_factor(0, A, 0, ipiv).code, NSM_LA_OK);              // a family without members
  assert_int_equal(nsm_la_lu_factor(0, A, 1, ipiv).code, NSM_LA_OK);
}

static void cholesky_solves_and_refuses(void **state) {
  (void)state;
  double A[N * N], R[N * N], F[N * N], b[N], x[N];
  for (int i = 0; i < N * N; i++) R[i] = draw();
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = i == j ? 0.1 : 0;
      for (int k = 0; k < N; k++) s += R[i + k * N] * R[j + k * N];
      F[i + j * N] = A[i + j * N] = s;
    }
  for (int i = 0; i < N; i++) x[i] = b[i] = draw();
  assert_int_equal(nsm_la_cholesky_factor(N, F, N).code, NSM_LA_OK);
  assert_int_equal(nsm_la_cholesky_solve(N, 1, F, N, x, N).code, NSM_LA_OK);
  assert_true(miss(N, A, x, b, 0) < 1e-11);
  A[3 + 3 * N] = -1;
  nsm_la_status s = nsm_la_cholesky_factor(N, A, N);
  assert_int_equal(s.code, NSM_LA_SINGULAR);
  assert_int_equal(s.pivot, 3);
}

// A band of n columns; what stands around it is no number, what stands in its corners is large.
static void a_band(int n, int kl, int ku) {
  enum { MOST = 40, AROUND = 8 };
  static double A[MOST * MOST], room[MOST * MOST + 2 * AROUND], sides[MOST + 2 * AROUND], b[MOST];
  double *AB = room + AROUND, *x = sides + AROUND, size = 0;
  int ld = 2 * kl + ku + 1, ipiv[MOST];
  memset(A, 0, sizeof A);
  memset(room, 0xff, sizeof room);
  memset(sides, 0xff, sizeof sides);
  for (int i = 0; i < ld * n; i++) AB[i] = 1e30;
  for (int j = 0; j < n; j++)
    for (int i = j - ku; i <= j + kl; i++) {
      if (i < 0 || i >= n) continue;
      AB[nsm_la_band_index(kl, ku, ld, i, j)] = A[i + j * n] = draw() + (i == j ? 0.5 : 0);
    }
  for (int i = 0; i < n; i++) x[i] = b[i] = draw();
  assert_int_equal(nsm_la_band_factor(n, kl, ku, AB, ld, ipiv).code, NSM_LA_OK);
  assert_int_equal(nsm_la_band_solve(n, kl, ku, 1, AB, ld, ipiv, x, n).code, NSM_LA_OK);
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  assert_true(miss(n, A, x, b, 0) < 1e-12 * (1 + size));
  for (int i = 0; i < AROUND; i++)
    assert_true(isnan(x[-1 - i]) && isnan(x[n + i]) && isnan(AB[-1 - i]) && isnan(AB[ld * n + i]));
  assert_int_equal(nsm_la_band_factor(n, kl, ku, AB, ld - 1, ipiv).code, NSM_LA_BAD_SHAPE);
}

static void band_solves(void **state) {
  (void)state;
  for (int n = 1; n <= 40; n += n < 4 ? 1 : 12)
    for (int kl = 0; kl < 6; kl++) for (int ku = 0; ku < 8; ku += 1 + ku / 2) a_band(n, kl, ku);
}

static void small_kernels(void **state) {
  (void)state;
  for (int n = 1; n <= NSM_LA_SMALL; n++)
    for (int trial = 0; trial < 200; trial++) {
      double A[25], X[25], b[5], x[5];
      for (int i = 0; i < n * n; i++) A[i] = draw() + (i % (n + 1) == 0 && trial % 2 ? 2 : 0);
      for (int i = 0; i < n; i++) b[i] = draw();
      if (nsm_la_small_solve(n, A, n, 1e-6, b, x).code != NSM_LA_OK) continue;
      double size = 1;
      for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
      assert_true(miss(n, A, x, b, 0) < 1e-12 * size);
      assert_int_equal(nsm_la_small_inverse(n, A, n, 1e-9, X).code, NSM_LA_OK);
      for (int i = 0; i < n; i++) {
        double y = 0;
        for (int j = 0; j < n; j++) y += X[i + j * n] * b[j];
        assert_true(fabs(y - x[i]) < 1e-9 * size * size);
      }
      // in place
      double c[5];
      memcpy(c, b, sizeof b);
      assert_int_equal(nsm_la_small_solve(n, A, n, 0, c, c).code, NSM_LA_OK);
      for (int i = 0; i < n; i++) assert_true(c[i] == x[i]);
    }
}

static void small_names_the_zero_pivot(void **state) {
  (void)state;
  double A[4] = { 1, 2, 2, 4 }, X[4], Z[4] = { 0, 1, 1, 0 };
  nsm_la_status s = nsm_la_small_inverse(2, A, 2, 1e-14, X);
  assert_int_equal(s.code, NSM_LA_SINGULAR);
  assert_int_equal(s.pivot, 1);
  assert_int_equal(nsm_la_small_inverse(2, Z, 2, 1e-14, X).code, NSM_LA_OK);   // needs the exchange
  assert_true(X[0] == 0 && X[1] == 1 && X[2] == 1 && X[3] == 0);
  assert_int_equal(nsm_la_small_inverse(6, A, 6, 0, X).code, NSM_LA_BAD_SHAPE);
}

static void products(void **state) {
  (void)state;
  double A[6] = { 1, 2, 3, 4, 5, 6 }, x[2] = { 1, -1 }, y[3] = { 1, 1, 1 }, C[4] = { 0 }, B[6] = { 1, 0, 0, 0, 1, 0 };
  nsm_la_gemv(3, 2, 1.0, A, 3, x, 2.0, y);
  assert_true(y[0] == -1 && y[1] == -1 && y[2] == -1);
  double At[6] = { 1, 4, 2, 5, 3, 6 };
  nsm_la_gemm(2, 2, 3, 1.0, At, 2, B, 3, 0.0, C, 2);
  assert_true(C[0] == 1 && C[1] == 4 && C[2] == 2 && C[3] == 5);
}

// Larger than a block, so that panels, triangular solves and products by tiles take part.
static void large_factors(void **state) {
  (void)state;
  enum { MOST = 150 };
  static double A[MOST * MOST], F[MOST * MOST], b[MOST], x[MOST];
  int ipiv[MOST];
  for (int n = 29; n <= MOST; n += 11) {
    for (int i = 0; i < n * n; i++) F[i] = A[i] = draw() + (i % (n + 1) == 0 ? 0.5 : 0);
    for (int i = 0; i < n; i++) x[i] = b[i] = draw();
    assert_int_equal(nsm_la_lu_factor(n, F, n, ipiv).code, NSM_LA_OK);
    nsm_la_lu_solve(n, 1, F, n, ipiv, x, n);
    double size = 1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    assert_true(miss(n, A, x, b, 0) < 1e-12 * size);
    memcpy(x, b, sizeof b);
    nsm_la_lu_solve_transposed(n, 1, F, n, ipiv, x, n);
    assert_true(miss(n, A, x, b, 1) < 1e-11 * size);
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) F[i + j * n] = F[j + i * n] = A[i + j * n] + (i == j ? n : 0);
    memcpy(A, F, (size_t)(n * n) * sizeof(double));
    memcpy(x, b, sizeof b);
    assert_int_equal(nsm_la_cholesky_factor(n, F, n).code, NSM_LA_OK);
    nsm_la_cholesky_solve(n, 1, F, n, x, n);
    assert_true(miss(n, A, x, b, 0) < 1e-13);
    A[(n - 2) * (n + 1)] = -1;
    nsm_la_status s = nsm_la_cholesky_factor(n, A, n);
    assert_true(s.code == NSM_LA_SINGULAR && s.pivot == n - 2);
  }
}

// L^-1 B, U^-1 B and B U^-1 give B back when multiplied.
static void triangular_solves(void **state) {
  (void)state;
  enum { n = 70, m = 37 };
  static double T[n * n], B[n * m], X[n * m], Y[n * m], R[m * n], S[m * n], P[m * n];
  for (int i = 0; i < n * n; i++) T[i] = 0.1 * draw() + (i % (n + 1) == 0 ? 2 : 0);
  for (int i = 0; i < n * m; i++) { X[i] = Y[i] = B[i] = draw(); S[i] = R[i] = draw(); }
  nsm_la_lower_solve(n, 0, m, T, n, X, n);
  nsm_la_upper_solve(n, m, T, n, Y, n);
  nsm_la_upper_solve_right(m, n, T, n, S, m);
  for (int c = 0; c < m; c++)
    for (int i = 0; i < n; i++) {
      double low = -B[i + c * n], high = -B[i + c * n];
      for (int k = 0; k <= i; k++) low += T[i + k * n] * X[k + c * n];
      for (int k = i; k < n; k++) high += T[i + k * n] * Y[k + c * n];
      assert_true(fabs(low) < 1e-13 && fabs(high) < 1e-13);
    }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      P[i + j * m] = -R[i + j * m];
      for (int k = 0; k <= j; k++) P[i + j * m] += S[i + k * m] * T[k + j * n];
      assert_true(fabs(P[i + j * m]) < 1e-13);
    }
}

// The order of a product's sums is part of its contract: k = 0, 1, ... for every element, whatever the tiles.
static void products_keep_their_order(void **state) {
  (void)state;
  enum { MOST = 300 };
  static double A[MOST * MOST], B[MOST * MOST], C[MOST * MOST], D[MOST * MOST];
  const int shape[][3] = { { 3, 2, 5 }, { 8, 4, 8 }, { 9, 5, 130 }, { 131, 6, 9 }, { 140, 67, 257 }, { 64, 64, 64 } };
  for (int i = 0; i < MOST * MOST; i++) { A[i] = draw(); B[i] = draw(); }
  for (size_t q = 0; q < sizeof shape / sizeof *shape; q++)
    for (int by_rows = 0; by_rows < 2; by_rows++) {
      int m = shape[q][0], n = shape[q][1], k = shape[q][2];
      for (int i = 0; i < MOST * MOST; i++) C[i] = D[i] = 0.1 * (i % 7);
      nsm_la_add_product(m, n, k, -0.7, A, MOST, B, MOST, by_rows, C, MOST);
      for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
          for (int l = 0; l < k; l++) {
            double f = -0.7 * (by_rows ? B[j + l * MOST] : B[l + j * MOST]);
            D[i + j * MOST] += A[i + l * MOST] * f;
          }
      assert_memory_equal(C, D, sizeof C);
    }
}

// Matrices of every rank: the four equations of Moore and Penrose.
static void pseudo_inverse(void **state) {
  (void)state;
  enum { MOST = 9 };
  double work[8 * MOST];
  int order[MOST];
  for (int n = 1; n <= MOST; n++)
    for (int rank = 0; rank <= n; rank++) {
      double A[MOST * MOST] = { 0 }, copy[MOST * MOST], X[MOST * MOST], P[MOST * MOST], Q[MOST * MOST], worst = 0;
      for (int r = 0; r < rank; r++) {
        double u[MOST], v[MOST];
        for (int i = 0; i < n; i++) { u[i] = draw(); v[i] = draw(); }
        for (int i = 0; i < n * n; i++) A[i] += u[i % n] * v[i / n];
      }
      memcpy(copy, A, sizeof A);
      assert_int_equal(nsm_la_pseudo_inverse(n, copy, 1e-12, X, order, work, nsm_la_pseudo_inverse_work(n)), rank);
      nsm_la_gemm(n, n, n, 1, A, n, X, n, 0, P, n);
      nsm_la_gemm(n, n, n, 1, X, n, A, n, 0, Q, n);
      double size = 1;
      for (int i = 0; i < n * n; i++) size = fmax(size, fabs(X[i]));
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          double axa = -A[i + j * n], xax = -X[i + j * n];
          for (int k = 0; k < n; k++) { axa += P[i + k * n] * A[k + j * n]; xax += Q[i + k * n] * X[k + j * n]; }
          worst = fmax(worst, fmax(fabs(axa), fabs(xax) / size));
          worst = fmax(worst, fmax(fabs(P[i + j * n] - P[j + i * n]), fabs(Q[i + j * n] - Q[j + i * n])));
        }
      assert_true(worst < 1e-12 * size);
    }
  double one = 1;
  assert_int_equal(nsm_la_pseudo_inverse(1, &one, 1e-12, &one, order, work, 1), -1);
  double four = 4, inverse = 0;                              // the smallest ones
  assert_int_equal(nsm_la_pseudo_inverse(1, &four, 1e-12, &inverse, order, work, nsm_la_pseudo_inverse_work(1)), 1);
  assert_true(fabs(inverse - 0.25) < 1e-15);
  four = 4;
  assert_int_equal(nsm_la_independent(1, 1, &four, 1e-12, order, work), 1);
  assert_int_equal(order[0], 0);
}

// A front: P F11 = L U, F12 = L^-1 P F12, F21 = F21 U^-1 and what is left, multiplied out again.
static void fronts(void **state) {
  (void)state;
  enum { MOST = 70 };
  static double A[MOST * MOST], F[MOST * MOST], B[MOST * MOST];
  int pivot[MOST];
  for (int own = 1; own <= 40; own += own < 10 ? 1 : 7)
    for (int rows = own; rows <= MOST; rows += 9) {
      for (int i = 0; i < rows * rows; i++) F[i] = A[i] = draw();
      nsm_la_pivots any = nsm_la_any_pivot();
      assert_int_equal(nsm_la_front(own, rows, F, pivot, &any), -1);
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
          double sum = i >= own && j >= own ? F[i + j * rows] : 0;
          for (int k = 0; k < own && k <= j; k++) sum += k < i ? F[i + k * rows] * F[k + j * rows] :
                                                         k == i ? F[i + j * rows] : 0;
          B[i + j * rows] = sum;
        }
      for (int p = 0; p < own; p++)
        for (int j = 0; j < rows; j++) {
          assert_true(pivot[p] >= p && pivot[p] < own);
          double t = A[p + j * rows];
          A[p + j * rows] = A[pivot[p] + j * rows];
          A[pivot[p] + j * rows] = t;
        }
      double most = 1, off = 0;
      for (int i = 0; i < rows * rows; i++) { most = fmax(most, fabs(F[i])); off = fmax(off, fabs(A[i] - B[i])); }
      assert_true(off < 1e-13 * most * most);
    }
  for (int own = 3; own <= 30; own += 27) {
    memset(F, 0, sizeof F);
    nsm_la_pivots any = nsm_la_any_pivot();
    assert_int_equal(nsm_la_front(own, 40, F, pivot, &any), 0);
  }
}

// A column that depends on others is left out, a small one that does not is kept: each beside its own largest entry.
static void rules(void **state) {
  (void)state;
  enum { N140 = 140, KEPT = 135, LEFT = 138 };
  static double A[N140 * N140], largest[N140];
  int pivot[N140];
  for (int from = 0; from < N140; from += 100) {             // 140 columns by blocks, 40 in one
    int n = N140 - from;
    for (int i = 0; i < n * n; i++) A[i] = draw();
    for (int i = 0; i < n; i++) {
      A[i + (KEPT - from) * n] *= 1e-10;
      A[i + (LEFT - from) * n] = 1e-6 * A[i + 3 * n];
    }
    for (int j = 0; j < n; j++) {
      largest[j] = 0;
      for (int i = 0; i < n; i++) largest[j] = fmax(largest[j], fabs(A[i + j * n]));
    }
    nsm_la_pivots rule = { .search = 1, .margin = 1.0000001, .small = 1e-9, .drop = 1, .largest = largest };
    assert_int_equal(nsm_la_front(n, n, A, pivot, &rule), -1);
    assert_int_equal(rule.dropped, 1);
    assert_ptr_equal(rule.largest, largest);
    for (int j = 0; j < n; j++) assert_int_equal(A[j * (n + 1)] == NSM_SPARSE_DROPPED, j == LEFT - from);
  }
  for (int i = 0; i < 40 * 40; i++) A[i] = i % 41 == 0 ? i == 41 * 30 ? -1 : 1 : 0;
  nsm_la_pivots diagonal = { .search = 0 };
  assert_int_equal(nsm_la_front(40, 40, A, pivot, &diagonal), 30);      // not positive
}

// Blocks [a b; -b a] and numbers, known, behind a similarity: A = L D L^{-1} with L lower, its diagonal 1.
static void eigenvalues(void **state) {
  (void)state;
  double A[N * N], L[N * N], re[N], im[N];
  for (int turn = 0; turn < 40; turn++) {
    double want[N], size[N], unit = pow(1e6, turn % 3 - 1);
    memset(A, 0, sizeof A);
    for (int i = 0; i < N * N; i++) L[i] = i % N > i / N ? draw() : i % (N + 1) == 0;
    for (int i = 0; i < N; i++) A[i + i * N] = want[i] = i + 1 + 0.1 * draw();
    for (int i = 0; i < N; i++) size[i] = 0;
    for (int i = 0; i < N / 2; i += 2) {
      A[i + 1 + (i + 1) * N] = want[i + 1] = want[i];
      A[i + (i + 1) * N] = size[i] = size[i + 1] = 3 + i;
      A[i + 1 + i * N] = -size[i];
    }
    nsm_la_lower_solve(N, 1, N, L, N, A, N);               // L^{-1} A L
    double B[N * N] = { 0 };
    nsm_la_add_product(N, N, N, 1, A, N, L, N, 0, B, N);
    for (int i = 0; i < N * N; i++) B[i] *= unit;
    assert_true(nsm_la_eigenvalues(N, B, re, im));
    for (int i = 0; i < N; i++) {
      double near = INFINITY;
      for (int k = 0; k < N; k++) near = fmin(near, hypot(re[k] / unit - want[i], fabs(im[k]) / unit - size[i]));
      assert_true(near < 1e-7);
    }
  }
  for (int back = 0; back < 2; back++) {                   // rings need the exceptional shift: |mu| = 1 for all
    double ring[N * N] = { 0 };
    for (int i = 0; i < N; i++) ring[(i + !back) % N + (i + back) % N * N] = 1;
    assert_true(nsm_la_eigenvalues(N, ring, re, im));
    for (int i = 0; i < N; i++) assert_true(fabs(hypot(re[i], im[i]) - 1) < 1e-12);
  }
  double bad[4] = { 1, NAN, 0, 1 };
  assert_false(nsm_la_eigenvalues(2, bad, re, im));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lu_solves),
    cmocka_unit_test(lu_names_the_zero_pivot),
    cmocka_unit_test(cholesky_solves_and_refuses),
    cmocka_unit_test(band_solves),
    cmocka_unit_test(small_kernels),
    cmocka_unit_test(small_names_the_zero_pivot),
    cmocka_unit_test(products),
    cmocka_unit_test(large_factors),
    cmocka_unit_test(triangular_solves),
    cmocka_unit_test(products_keep_their_order),
    cmocka_unit_test(pseudo_inverse),
    cmocka_unit_test(fronts),
    cmocka_unit_test(rules),
    cmocka_unit_test(eigenvalues),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
