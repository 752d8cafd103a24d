// Cone blocks without a solver: which blocks are refused, and the verifier on answers that hold (1) by construction and
// on wrong ones.
#include "contacts.h"

static const nsm_cone_type types[] = { NSM_CONE_COULOMB, NSM_CONE_ELLIPTIC, NSM_CONE_CONTENSOU, NSM_CONE_GRIP,
                                       NSM_CONE_DISK, NSM_CONE_ELLIPSE };

static void refused(void **state) {
  (void)state;
  bench b = bench_open(8, 0, 0);
  for (int i = 0; i < 8; i++) { b.M[i + 8 * i] = 1; b.q[i] = -1; }
  nsm_cone_block good[3] = { { NSM_CONE_COULOMB, 0, 3, 0.3, 0, 0 },
                             { NSM_CONE_GRIP, 3, 2, 0.3, 0, 0 },
                             { NSM_CONE_DISK, 7, 1, 0, 0, 1 } },
                 bad[3];
  const double wrong[] = { -1e-300, -1, -HUGE_VAL, HUGE_VAL, NAN };
  const int places[][2] = { { -1, 3 }, { 2, 3 }, { 0, 4 },   { 0, 1 },          { 0, 0 },
                            { 0, -2 }, { 4, 3 }, { 100, 3 }, { 2147483647, 3 }, { -2147483647, 3 } };
  for (const char *const *s = nsm_cone_solver_names(); *s; s++) {
    b.p.cone = good;
    b.p.cones = 3;
    assert_int_not_equal(bench_solve(&b, *s, 0), NSM_CONE_BAD_INPUT);
    b.p.cone = bad;
    for (int k = 0; k < 5; k++)
      for (int c = 0; c < 3; c++) {
        memcpy(bad, good, sizeof bad);
        if (c < 2) bad[c].mu = wrong[k];
        else bad[c].radius = wrong[k];
        assert_int_equal(bench_solve(&b, *s, 0), NSM_CONE_BAD_INPUT);
        assert_true(nsm_cone_residual(&b.p, b.lambda, NULL, NULL) == HUGE_VAL);
      }
    for (int k = 0; k < 10; k++) {
      memcpy(bad, good, sizeof bad);
      bad[0].first = places[k][0];
      bad[0].size = places[k][1];
      assert_int_equal(bench_solve(&b, *s, 0), NSM_CONE_BAD_INPUT);
    }
    memcpy(bad, good, sizeof bad);
    bad[2].size = 2;
    assert_int_equal(bench_solve(&b, *s, 0), NSM_CONE_BAD_INPUT);
    bad[2] = good[2];
    bad[1].type = (nsm_cone_type)77;
    assert_int_equal(bench_solve(&b, *s, 0), NSM_CONE_BAD_INPUT);
    b.p.cones = -1;
    assert_int_equal(bench_solve(&b, *s, 0), NSM_CONE_BAD_INPUT);
    b.p.cones = 1;
    b.p.cone = NULL;
    assert_int_equal(bench_solve(&b, *s, 0), NSM_CONE_BAD_INPUT);
  }
  bench_close(&b);
}

// One block among nonneg rows; q such that a given pair is an answer. The verifier accepts it and refuses it when
// lambda or q is disturbed.
static void checked(void **state) {
  (void)state;
  const double mus[] = { 0, 1e-3, 0.3, 1, 10 };
  for (int trial = 0; trial < 4000; trial++) {
    nsm_cone_type type = types[trial % 6];
    int mode = trial / 6 % MODES, spatial = trial / 24 % 2, sparse = trial / 48 % 2, rows = trial % 7,
        n = block_rows(type, spatial), m = n + rows, first = rows / 2;
    double scale = pow(10, 6 * draw());
    bench b = bench_open(m, 0, 0);
    fill_semidefinite(&b, m, 0.2);
    nsm_cone_block k = block_of(type, spatial, first, mus[trial / 96 % 5]);
    if (nsm_cone_is_given(type)) k.radius *= scale;
    double u[16], disturbed[16];
    for (int i = 0; i < m; i++) { b.lambda[i] = i % 2 ? scale : 0; u[i] = i % 2 ? 0 : 1; }
    block_answer(&k, mode, scale, b.lambda + first, u + first);
    for (int i = 0; i < m; i++) {
      b.q[i] = u[i];
      for (int j = 0; j < m; j++) b.q[i] -= b.M[i + j * m] * b.lambda[j];
    }
    int row_start[16] = { 0 }, col[256];
    double value[256];
    if (sparse) {
      for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
          col[i * m + j] = j;
          value[i * m + j] = b.M[i + j * m];
          row_start[i + 1] = (i + 1) * m;
        }
      b.p.row_start = row_start; b.p.col = col; b.p.M = value;
    }
    b.p.cone = &k;
    b.p.cones = 1;
    double floor, r = nsm_cone_residual(&b.p, b.lambda, &floor, NULL);
    if (!(r <= 1e-13 + 4 * floor)) fail_msg("type %d mode %d mu %g: residual %g, floor %g", type, mode, k.mu, r, floor);
    double largest = 0;
    for (int i = 0; i < m; i++) largest = fmax(largest, fabs(b.lambda[i]));
    memcpy(disturbed, b.lambda, sizeof(double) * (size_t)m);
    for (int i = 0; i < n && largest > 0; i++) {            // a change of lambda in any row of the block is seen
      int changes = mode == STICK || mode == SLIP;  // where u follows it; in the other modes lambda must stay zero
      double by = 1e-3 * largest * (changes ? draw() : fabs(draw()));
      disturbed[first + i] += by;
      double seen = nsm_cone_residual(&b.p, disturbed, NULL, NULL);
      disturbed[first + i] = b.lambda[first + i];
      if (!nsm_cone_is_given(type) && fabs(by) > 1e-5 * largest && k.mu >= 0.3 && !(seen > 1e-11))
        fail_msg("type %d mode %d row %d: a change of %g is not seen (%g)", type, mode, i, by, seen);
    }
    bench_close(&b);
  }
}

// The floor of an ill-conditioned product is measured away: M lambda cancels, q is what remains, exactly.
static void twice_the_precision(void **state) {
  (void)state;
  bench b = bench_open(2, 0, 0);
  nsm_cone_block k = { NSM_CONE_COULOMB, 0, 2, 0.5, 0, 0 };
  b.M[0] = b.M[3] = 1 + 0x1p-30;
  b.M[1] = b.M[2] = -1;
  b.lambda[0] = 3e7 + 1. / 3;
  b.lambda[1] = 1e7 + 1. / 7;
  b.p.cone = &k;
  b.p.cones = 1;
  for (int i = 0; i < 2; i++)
    b.q[i] = (double)-((long double)b.M[i] * b.lambda[0] + (long double)b.M[i + 2] * b.lambda[1]);
  double floor, r = nsm_cone_residual(&b.p, b.lambda, &floor, NULL);
  assert_true(r <= floor);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(refused), cmocka_unit_test(checked),
                                      cmocka_unit_test(twice_the_precision) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
