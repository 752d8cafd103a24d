// Gauss-Seidel by blocks: blocks of uneven diagonals and stretched frames, on which projections by one factor for a
// block are slow [Möller 2011, 2.5.2, 2.5.3]; all kinds of blocks side by side; rows alone; no convergence.
#include "bench.h"

// The example (2.57): M = diag(1e4, 1), q = 1, in a disk large enough: more than 1e5 steps by projections, one here.
static void uneven_block(void **state) {
  (void)state;
  bench b = bench_open(2, 0, 0);
  nsm_cone_block disk = { NSM_CONE_DISK, 0, 2, 0, 0, 10 };
  b.M[0] = 1e4;
  b.M[3] = 1;
  b.q[0] = b.q[1] = 1;
  b.p.cones = 1;
  b.p.cone = &disk;
  assert_int_equal(bench_solve(&b, "nsgs", 0), NSM_CONE_SOLVED);
  assert_true(fabs(b.lambda[0] + 1e-4) < 1e-12 && fabs(b.lambda[1] + 1) < 1e-9);
  assert_true(b.r.iterations <= 10);
  bench_close(&b);
}

// One block with its frame stretched in proportion 1 : 1e3, as spinning friction has it.
static void stretched_block(void **state) {
  (void)state;
  for (int sliding = 0; sliding < 2; sliding++) {
    bench b = bench_open(4, 0, 0);
    nsm_cone_block block = { NSM_CONE_CONTENSOU, 0, 4, 0.4, 0, 1e-3 };
    const double d[4] = { 1, 1.5, 1.5, 2e6 };
    for (int i = 0; i < 4; i++) b.M[i + 4 * i] = d[i];
    b.M[1] = b.M[4] = 0.1;
    b.q[0] = -1;
    b.q[1] = sliding ? -3 : -0.1;
    b.q[3] = sliding ? 50 : 1;
    b.p.cones = 1;
    b.p.cone = &block;
    assert_int_equal(bench_solve(&b, "nsgs", 0), NSM_CONE_SOLVED);
    assert_true(b.r.residual <= 1e-12);
    assert_true(b.r.iterations <= 400);
    double T = hypot(b.lambda[1], hypot(b.lambda[2], b.lambda[3] / 1e-3)), limit = 0.4 * b.lambda[0];
    assert_true(sliding ? fabs(T - limit) < 1e-9 : T < limit);
    bench_close(&b);
  }
}

// Contacts, grips, disks and intervals side by side, definite M, dense and in rows: all that is called solved is, and
// mild ones are.
static void mixed_blocks(void **state) {
  (void)state;
  for (int trial = 0; trial < 60; trial++) {
    int m = 16, entries = m * m;
    nsm_cone_block blocks[] = { { NSM_CONE_COULOMB, 0, 3, 0.3, 0, 0 },
                                { NSM_CONE_COULOMB, 3, 2, 0.5, 0, 0 },
                                { NSM_CONE_ELLIPTIC, 5, 3, 0.2, 0.6, 0 },
                                { NSM_CONE_GRIP, 9, 2, 0.4, 0, 0 },
                                { NSM_CONE_DISK, 12, 2, 0, 0, 0.7 } };
    bench b = trial % 2 ? bench_open(m, entries, m) : bench_open(m, 0, 0), dense = bench_open(m, 0, 0);
    fill_semidefinite(&dense, m, 0.05);
    for (int i = 0; i < m; i++) dense.M[i + m * i] += 12;
    if (trial % 2)
      for (int i = 0, k = 0; i < m; i++) {
        for (int j = 0; j < m; j++, k++) { b.col[k] = j; b.M[k] = dense.M[i + m * j]; }
        b.row_start[i + 1] = k;
      }
    else memcpy(b.M, dense.M, (size_t)entries * 8);
    for (int i = 0; i < m; i++) { b.q[i] = 3 * draw(); b.lo[i] = i == 8 ? -1 : 0; b.hi[i] = i == 8 ? 1 : HUGE_VAL; }
    b.p.cones = 5;
    b.p.cone = blocks;
    bench_solve(&b, "nsgs", 0);
    assert_int_equal(b.r.status, NSM_CONE_SOLVED);
    assert_true(b.r.residual <= 1e-12);
    assert_true(nsm_cone_residual(&b.p, b.lambda, NULL, NULL) <= 1e-12);
    bench_close(&b);
    bench_close(&dense);
  }
}

// Without convergence: no answer, no nan.
static void runs_away(void **state) {
  (void)state;
  for (int trial = 0; trial < 3; trial++)
    for (int cones = 0; cones < 2; cones++) {
      bench b = bench_open(6, 0, 0);
      nsm_cone_block contact = { NSM_CONE_COULOMB, 0, 3, 0.5, 0, 0 };
      for (int i = 0; i < 36; i++) b.M[i] = 10 * draw();
      for (int i = 0; i < 6; i++) { b.q[i] = draw(); b.lo[i] = -HUGE_VAL; }
      b.p.cones = cones;
      b.p.cone = &contact;
      bench_solve(&b, "nsgs", 0);
      assert_true(b.r.residual < HUGE_VAL);
      for (int i = 0; i < 6; i++) assert_true(fabs(b.lambda[i]) < HUGE_VAL && fabs(b.u[i]) < HUGE_VAL);
      bench_close(&b);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(uneven_block),
    cmocka_unit_test(stretched_block),
    cmocka_unit_test(mixed_blocks),
    cmocka_unit_test(runs_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
