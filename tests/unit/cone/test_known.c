// Families from the literature: Murty's and Fathi's matrices, where one-at-a-time pivoting takes 2^n steps.
#include "bench.h"

// Murty: M upper triangular with 1 on the diagonal and 2 above, q = -1: lambda = (0, .., 0, 1).
static void murty(void **state) {
  (void)state;
  for (int n = 1; n <= 50; n++) {
    bench b = bench_open(n, 0, 0);
    for (int j = 0; j < n; j++) {
      b.q[j] = -1;
      for (int i = 0; i <= j; i++) b.M[i + j * n] = i == j ? 1 : 2;
    }
    bench_solve(&b, NULL, 0);
    assert_solved(&b);
    for (int i = 0; i < n; i++) assert_true(fabs(b.lambda[i] - (i == n - 1)) < 1e-12);
    if (n <= 10) { bench_solve(&b, "lemke", 0); assert_solved(&b); }
    bench_close(&b);
  }
}

// Fathi: M = L L^T of the transposed of the above, symmetric definite, q = -1: lambda = (1, 0, .., 0).
static void fathi(void **state) {
  (void)state;
  for (int n = 1; n <= 50; n++) {
    bench b = bench_open(n, 0, 0);
    for (int j = 0; j < n; j++) {
      b.q[j] = -1;
      for (int i = 0; i < n; i++) {
        int least = i < j ? i : j;
        b.M[i + j * n] = i == j ? 4 * least + 1 : 4 * least + 2;
      }
    }
    bench_solve(&b, NULL, 0);
    assert_solved(&b);
    for (int i = 0; i < n; i++) assert_true(fabs(b.lambda[i] - (i == 0)) < 1e-10);
    if (n <= 10) { bench_solve(&b, "lemke", 0); assert_solved(&b); }
    bench_close(&b);
  }
}

// Hilbert matrices: definite on paper, singular in the machine from n = 13 on. Whatever is called solved must be.
static void hilbert(void **state) {
  (void)state;
  for (int n = 1; n <= 30; n++) {
    bench b = bench_open(n, 0, 0);
    for (int i = 0; i < n * n; i++) b.M[i] = 1.0 / (1 + i / n + i % n);
    for (int i = 0; i < n; i++) b.q[i] = i % 2 ? -1 : 0.5;
    bench_solve(&b, NULL, 0);
    if (b.r.status == NSM_CONE_SOLVED) assert_solved(&b);
    assert_int_not_equal(b.r.status, NSM_CONE_BAD_INPUT);
    bench_close(&b);
  }
}

int main(void) {
  nsm_la_init();
  const struct CMUnitTest tests[] = { cmocka_unit_test(murty), cmocka_unit_test(fathi), cmocka_unit_test(hilbert) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
