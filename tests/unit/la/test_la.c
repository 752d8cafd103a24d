// runtime/la: every factorization solves what it was given; singular matrices and bad shapes have names.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "runtime/la/la.h"

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

static void band_solves(void **state) {
  (void)state;
  enum { n = 40, kl = 2, ku = 1, ld = 2 * kl + ku + 1 };
  static double A[n * n], AB[ld * n], b[n], x[n];
  int ipiv[n];
  memset(A, 0, sizeof A);
  memset(AB, 0, sizeof AB);
  for (int j = 0; j < n; j++)
    for (int i = j - ku; i <= j + kl; i++) {
      if (i < 0 || i >= n) continue;
      AB[nsm_la_band_index(kl, ku, ld, i, j)] = A[i + j * n] = draw() + (i == j ? 0.5 : 0);
    }
  for (int i = 0; i < n; i++) x[i] = b[i] = draw();
  assert_int_equal(nsm_la_band_factor(n, kl, ku, AB, ld, ipiv).code, NSM_LA_OK);
  assert_int_equal(nsm_la_band_solve(n, kl, ku, 1, AB, ld, ipiv, x, n).code, NSM_LA_OK);
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  assert_true(miss(n, A, x, b, 0) < 1e-13 * (1 + size));
  assert_int_equal(nsm_la_band_factor(n, kl, ku, AB, ld - 1, ipiv).code, NSM_LA_BAD_SHAPE);
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

int main(void) {
  nsm_la_init();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lu_solves),
    cmocka_unit_test(lu_names_the_zero_pivot),
    cmocka_unit_test(cholesky_solves_and_refuses),
    cmocka_unit_test(band_solves),
    cmocka_unit_test(small_kernels),
    cmocka_unit_test(small_names_the_zero_pivot),
    cmocka_unit_test(products),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
