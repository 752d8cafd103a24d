// Random problems of every kind; each answer is checked by the residual of bench.h.
#include "bench.h"

// Definite with a skew part: a P-matrix, one solution for all bounds.
static void definite(void **state) {
  (void)state;
  const char *const solvers[] = { "auto", "pivot", "lemke", "proximal" };
  for (int m = 1; m <= 40; m++)
    for (int trial = 0; trial < 8; trial++) {
      bench b = bench_open(m, 0, 0);
      fill_semidefinite(&b, m, trial % 2 ? 1.0 : 0.0);
      for (int i = 0; i < m; i++) { b.M[i + i * m] += 0.1; b.q[i] = draw(); }
      fill_bounds(&b, trial < 2 ? 1 : trial < 4 ? 3 : trial < 6 ? 7 : 31);
      double *first = zeros((size_t)m, 8);
      for (int s = 0; s < 4; s++) {
        bench_solve(&b, solvers[s], 0);
        assert_solved(&b);
        if (s == 0) memcpy(first, b.lambda, (size_t)m * 8);
        for (int i = 0; i < m; i++) assert_true(fabs(first[i] - b.lambda[i]) < 1e-8 * (1 + fabs(first[i])));
      }
      free(first);
      bench_close(&b);
    }
}

// Semidefinite of any rank, with a solution made first.
static void semidefinite(void **state) {
  (void)state;
  for (int m = 1; m <= 24; m++)
    for (int trial = 0; trial < 40; trial++) {
      bench b = bench_open(m, 0, 0);
      fill_semidefinite(&b, (m + 1) / 2, trial % 2 ? 0.5 : 0.0);
      fill_bounds(&b, trial % 4 < 2 ? 1 : trial % 4 == 2 ? 3 : 15);
      fill_consistent_q(&b);
      bench_solve(&b, NULL, 0);
      assert_solved(&b);
      bench_close(&b);
    }
}

// Three contacts that share one load, each twice; bilateral rows stated twice.
static void redundant(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++)
    for (int n = 1; n <= 6; n++) {
      int m = 2 * n;
      bench b = bench_open(m, 0, 0);
      fill_semidefinite(&b, n, 0.0);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          double a = b.M[i + j * m] + (i == j);
          b.M[i + j * m] = b.M[i + n + j * m] = b.M[i + (j + n) * m] = b.M[i + n + (j + n) * m] = a;
        }
      for (int i = 0; i < n; i++) {
        b.q[i] = b.q[i + n] = draw();
        if (kind == 1) b.lo[i] = b.lo[i + n] = -HUGE_VAL;
        if (kind == 2) b.lo[i] = -HUGE_VAL;
      }
      bench_solve(&b, NULL, 0);
      assert_solved(&b);
      bench_close(&b);
    }
}

// General M in a compact set always has a solution, and Lemke's path on it ends there.
static void boxes_with_any_matrix(void **state) {
  (void)state;
  for (int m = 1; m <= 20; m++)
    for (int trial = 0; trial < 20; trial++) {
      bench b = bench_open(m, 0, 0);
      for (int i = 0; i < m * m; i++) b.M[i] = draw();
      for (int i = 0; i < m; i++) { b.q[i] = draw(); b.lo[i] = -1; b.hi[i] = 1; }
      bench_solve(&b, NULL, 0);
      assert_solved(&b);
      bench_close(&b);
    }
}

// The same matrix with changing q and bounds: the kept factors must not leak into the answer.
static void same_matrix(void **state) {
  (void)state;
  for (int m = 1; m <= 12; m++) {
    bench b = bench_open(m, 0, 0);
    fill_semidefinite(&b, m, 0.7);
    for (int i = 0; i < m; i++) b.M[i + i * m] += 0.2;
    fill_bounds(&b, 7);
    b.p.matrix_id = 5;
    for (int k = 0; k < 300; k++) {
      for (int i = 0; i < m; i++) {
        b.q[i] = draw() * (k % 7 ? 1 : 1e-3);
        if (b.lo[i] > -HUGE_VAL && b.hi[i] < HUGE_VAL) { b.lo[i] = -fabs(draw()); b.hi[i] = fabs(draw()); }
      }
      if (k == 150) { b.p.matrix_id = 6; b.M[0] += 1; }
      bench_solve(&b, NULL, k % 2);
      assert_solved(&b);
      assert_string_equal(b.r.solver, m <= 5 ? "bases" : "pivot");
    }
    bench_close(&b);
  }
}

// Sparse rows give what dense ones give.
static void sparse_equals_dense(void **state) {
  (void)state;
  for (int m = 1; m <= 80; m += 3) {
    int band = 1 + m / 10, nnz = 0;
    bench d = bench_open(m, 0, 0), s = bench_open(m, m * (2 * band + 1), band);
    for (int i = 0; i < m; i++) {
      s.row_start[i] = nnz;
      for (int j = i - band < 0 ? 0 : i - band; j < m && j <= i + band; j++) {
        double a = draw() + (i == j ? 2.5 * band : 0);
        s.col[nnz] = j;
        d.M[i + j * m] = s.M[nnz++] = a;
      }
    }
    s.row_start[m] = nnz;
    fill_bounds(&d, 7);
    for (int i = 0; i < m; i++) { s.q[i] = d.q[i] = draw(); s.lo[i] = d.lo[i]; s.hi[i] = d.hi[i]; }
    bench_solve(&d, NULL, 0);
    assert_solved(&d);
    bench_solve(&s, NULL, 0);
    assert_solved(&s);
    for (int i = 0; i < m; i++) assert_true(fabs(s.lambda[i] - d.lambda[i]) < 1e-11);
    bench_solve(&s, "nsgs", 0);
    assert_solved(&s);
    bench_close(&d);
    bench_close(&s);
  }
}

// Units must not matter: rows and columns scaled by factors from 1e-6 to 1e6.
static void badly_scaled(void **state) {
  (void)state;
  for (int m = 1; m <= 20; m++)
    for (int trial = 0; trial < 10; trial++) {
      bench b = bench_open(m, 0, 0);
      fill_semidefinite(&b, m, 0.5);
      for (int i = 0; i < m; i++) b.M[i + i * m] += 1;
      for (int i = 0; i < m; i++) {
        double s = pow(10, 6 * draw());
        for (int j = 0; j < m; j++) { b.M[i + j * m] *= s; b.M[j + i * m] *= s; }
        b.q[i] = s * draw();
      }
      fill_bounds(&b, 5);
      bench_solve(&b, NULL, 0);
      assert_solved(&b);
      bench_close(&b);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(definite),     cmocka_unit_test(semidefinite),
    cmocka_unit_test(redundant),    cmocka_unit_test(boxes_with_any_matrix),
    cmocka_unit_test(same_matrix),  cmocka_unit_test(sparse_equals_dense),
    cmocka_unit_test(badly_scaled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
