// Long sparse problems: tridiagonal and banded. Right, and in time proportional to the rows.
#include "bench.h"
#include <stdio.h>
#include <time.h>

static double seconds(void) {              // of the processor: others may be at work beside
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A string over an obstacle under a smooth load: few wide contacts, the worst start for pivoting by blocks.
static bench obstacle(int m) {
  bench b = bench_chain(m, -1, 2, -1);
  for (int i = 0; i < m; i++) b.q[i] = -1e-3 * sin(20.0 * i / m) - 1e-4;
  return b;
}

static void string_over_obstacle(void **state) {
  (void)state;
  for (int m = 6; m <= 6000; m *= 10) {
    bench b = obstacle(m);
    bench_solve(&b, NULL, 0);
    assert_solved(&b);
    assert_true(b.r.iterations <= 3);
    bench_solve(&b, NULL, 1);
    assert_solved(&b);
    assert_int_equal(b.r.iterations, 1);
    bench_close(&b);
  }
}

static void chains_of_all_kinds(void **state) {
  (void)state;
  const int kinds[] = { 1, 3, 5, 7, 31 };
  for (int k = 0; k < 5; k++)
    for (int shape = 0; shape < 4; shape++) {
      bench b = bench_chain(1000, shape == 1 ? 0.9 : -0.9, 2, shape == 2 ? 0.9 : shape == 3 ? -0.1 : -0.9);
      fill_bounds(&b, kinds[k]);
      for (int i = 0; i < 1000; i++) b.q[i] = 2 * draw();
      bench_solve(&b, NULL, 0);
      assert_solved(&b);
      assert_true(b.r.iterations < 60);
      // the load moves a little
      for (int i = 0; i < 1000; i++) b.q[i] += 1e-3 * draw();
      b.p.matrix_id = 3;
      for (int again = 0; again < 3; again++) { bench_solve(&b, NULL, 1); assert_solved(&b); }
      bench_close(&b);
    }
}

static double time_of(int m, int times) {
  bench b = obstacle(m);
  b.p.matrix_id = 1;
  bench_solve(&b, NULL, 0);
  double best = 1e9;
  for (int k = 0; k < times; k++) {      // one by one: the least of them was not interrupted, on a busy machine too
    double t = seconds();
    bench_solve(&b, NULL, 1);
    t = seconds() - t;
    if (t < best) best = t;
  }
  assert_solved(&b);
  bench_close(&b);
  return best;
}

static void linear_time(void **state) {
  (void)state;
  double small = time_of(4000, 200), large = time_of(16000, 200);
  if (getenv("NSM_SHOW")) printf("4000 rows %g s, 16000 rows %g s\n", small, large);
  assert_true(large < 4 * 2.5 * small);     // 4 times the rows; a quadratic method would need 16 times as long
}

// A singular chain: free at both ends, held by the load alone.
static void singular_chain(void **state) {
  (void)state;
  for (int feasible = 0; feasible < 2; feasible++) {
    int m = 200;
    bench b = bench_chain(m, -1, 2, -1);
    b.M[0] = b.M[3 * m - 3] = 1;
    for (int i = 0; i < m; i++) b.q[i] = (feasible ? 0.01 : -0.01) + sin(0.1 * i + 0.05);
    double mean = 0;
    for (int i = 0; i < m; i++) mean += (b.q[i] - (feasible ? 0.01 : -0.01)) / m;
    for (int i = 0; i < m; i++) b.q[i] -= mean;
    bench_solve(&b, NULL, 0);
    if (feasible) assert_solved(&b);
    else assert_int_equal(b.r.status, NSM_CONE_NO_SOLUTION);
    bench_close(&b);
  }
}

// Five diagonals (a beam) with boxes.
static void beam(void **state) {
  (void)state;
  int m = 500, k = 0;
  bench b = bench_open(m, 5 * m, 2);
  const double row[5] = { 1, -4, 6.1, -4, 1 };
  for (int i = 0; i < m; i++) {
    b.row_start[i] = k;
    for (int j = i - 2; j <= i + 2; j++)
      if (j >= 0 && j < m) { b.col[k] = j; b.M[k++] = row[j - i + 2]; }
    b.q[i] = 0.1 * sin(0.05 * i) + 0.01 * draw();
    b.lo[i] = -0.3;
    b.hi[i] = 0.4;
  }
  b.row_start[m] = k;
  bench_solve(&b, NULL, 0);
  assert_solved(&b);
  bench_solve(&b, "nsgs", 0);
  assert_solved(&b);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(string_over_obstacle), cmocka_unit_test(chains_of_all_kinds), cmocka_unit_test(linear_time),
    cmocka_unit_test(singular_chain), cmocka_unit_test(beam),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
