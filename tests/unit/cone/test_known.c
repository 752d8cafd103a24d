// Families from the literature: where one-at-a-time pivoting takes 2^n steps, where Lemke's path is a ray, where the
// problem is NP-complete.
#include "families.h"

static const int sizes[] = { 1, 2, 3, 5, 6, 10, 31, 50, 100, 200 };
enum { SIZES = sizeof sizes / sizeof *sizes };

// Solved, and lambda_i = 1 at `at`, 0 elsewhere.
static void expect_unit(bench *b, int at, double tolerance) {
  bench_solve(b, NULL, 0);
  assert_solved(b);
  for (int i = 0; i < b->p.m; i++) assert_true(fabs(b->lambda[i] - (i == at)) < tolerance);
}

static void murty_and_fathi(void **state) {
  (void)state;
  for (int k = 0; k < SIZES; k++)
    for (int variant = 0; variant < 5; variant++) {
      int n = sizes[k];
      bench b = variant < 2 ? murty(n, variant) : fathi(n, variant - 2);
      if (variant == 3)        // M + 4 e e^T: 5 lambda_1 = 1
        for (int i = 0; i < n; i++) b.q[i] = -5;
      expect_unit(&b, variant == 0 ? n - 1 : 0, 1e-10);
      if (n <= 10) { bench_solve(&b, "lemke", 0); assert_solved(&b); }
      if (n <= 100) { bench_solve(&b, "branch", 0); assert_solved(&b); }
      bench_close(&b);
    }
}

static void triangular_and_banded(void **state) {
  (void)state;
  for (int k = 0; k < SIZES; k++) {
    bench b = csizmadia(sizes[k]);
    bench_solve(&b, NULL, 0);
    assert_solved(&b);
    for (int i = 0; i < sizes[k]; i++) assert_true(fabs(b.lambda[i] - (i % 2 == 0)) < 1e-12);
    bench_close(&b);
    b = ahn(sizes[k]);
    bench_solve(&b, NULL, 0);
    assert_solved(&b);
    bench_close(&b);
  }
}

// Parts of integers with a given sum: found where there is one. Where there is none (an odd sum of even numbers; more
// than all of them) it is said so or left unsolved, but nothing is called a solution.
static void parts_of_integers(void **state) {
  (void)state;
  double a[200];
  for (int k = 1; k < SIZES; k++)
    for (int trial = 0; trial < 6; trial++) {
      int n = sizes[k] - (sizes[k] == 200 ? 2 : 0);
      if (THIN > 1 && trial == 4 && n > 31) continue;      // searched to the end of its time
      double sum = 0, all = 0, largest = trial % 2 ? 1000 : 100;
      for (int i = 0; i < n; i++) {
        a[i] = 1 + floor((draw() + 1) / 2 * largest);
        if (trial == 4) a[i] *= 2;
        if (i % 2 == 0) sum += a[i];
        all += a[i];
      }
      if (trial == 4) sum += 1;
      if (trial == 5) sum = all + 1;
      bench b = chung(n, a, sum);
      nsm_cone_status s = bench_solve(&b, NULL, 0);
      if (trial < 4) assert_solved(&b);
      else if (trial == 5 || n <= 10) assert_int_equal(s, NSM_CONE_NO_SOLUTION);
      else assert_true(s == NSM_CONE_NO_SOLUTION || s == NSM_CONE_FAILED);
      bench_close(&b);
    }
}

static void games(void **state) {
  (void)state;
  for (int n = 1; n <= 15; n++)
    for (int trial = 0; trial < 5; trial++) {
      bench b = bimatrix(n);
      bench_solve(&b, NULL, 0);
      assert_solved(&b);
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

// A multiplier that nothing drives dies out in the steps of the proximal loop, from one problem of a run to the next.
// It ends at 0, not among the numbers that have lost their digits.
static void died_out(void **state) {
  (void)state;
  enum { N = 8 };
  bench b = bench_open(N, 0, 0);
  for (int i = 0; i < N - 1; i++)
    for (int j = 0; j < N - 1; j++) b.M[i + j * N] = 1;          // rank 1: pivoting alone cannot do it
  b.M[N * N - 1] = 1;
  b.lo[N - 1] = -HUGE_VAL;
  for (int i = 0; i < N - 1; i++) b.q[i] = -1;
  for (double last = 1e-3; last > 0; last *= 1e-3) {
    for (int i = 0; i < N; i++) b.lambda[i] = 1.0 / (N - 1);
    b.lambda[N - 1] = last;
    bench_solve(&b, "proximal", 1);
    assert_solved(&b);
    assert_true(b.lambda[N - 1] == 0 || fabs(b.lambda[N - 1]) >= DBL_MIN);
  }
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(murty_and_fathi),   cmocka_unit_test(triangular_and_banded),
    cmocka_unit_test(parts_of_integers), cmocka_unit_test(games),
    cmocka_unit_test(hilbert),           cmocka_unit_test(died_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
