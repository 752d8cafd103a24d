// Small problems with known answers, bad input, and problems without a solution.
#include "bench.h"

static void no_rows(void **state) {
  (void)state;
  bench b = bench_open(0, 0, 0);
  assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_SOLVED);
  assert_int_equal(nsm_cone_solve(&b.p, NULL, b.work, b.lambda, b.u, NULL), NSM_CONE_SOLVED);
  bench_close(&b);
}

// One row, all signs of M and q and all kinds of bounds, against the definition.
static void one_row(void **state) {
  (void)state;
  const double values[] = { -2, -1, 0, 1, 3 },
               bounds[][2] = { { 0, HUGE_VAL }, { -HUGE_VAL, 0 }, { -1, 2 }, { -HUGE_VAL, HUGE_VAL }, { 1, 1 } };
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      for (int k = 0; k < 5; k++) {
        bench b = bench_open(1, 0, 0);
        double M = b.M[0] = values[i], q = b.q[0] = values[j], lo = b.lo[0] = bounds[k][0], hi = b.hi[0] = bounds[k][1];
        int exists = (M != 0 && -q / M >= lo && -q / M <= hi) || (M == 0 && q == 0) ||
                     (lo > -HUGE_VAL && M * lo + q >= 0) || (hi < HUGE_VAL && M * hi + q <= 0) || lo == hi;
        bench_solve(&b, NULL, 0);
        if (exists) assert_solved(&b);
        else assert_int_equal(b.r.status, NSM_CONE_NO_SOLUTION);
        bench_close(&b);
      }
}

static void resistor_and_diode(void **state) {
  (void)state;
  bench b = bench_open(1, 0, 0);
  b.M[0] = 2;
  b.q[0] = -3;
  bench_solve(&b, NULL, 0);
  assert_true(b.lambda[0] == 1.5 && b.u[0] == 0);
  b.q[0] = 3;
  bench_solve(&b, NULL, 0);
  assert_true(b.lambda[0] == 0 && b.u[0] == 3);
  bench_close(&b);
}

// Four diodes, a load R and a capacitor: for the two rows of the currents M has a zero diagonal, so half of the bases
// are singular.
static void diode_bridge(void **state) {
  (void)state;
  const double R = 1e3, h = 1e-6, C = 1e-9,
               rows[4][4] = {
                 { 1 / R, 1 / R, -1, 0 }, { 1 / R, 1 / R, 0, -1 }, { 1, 0, h / C, -h / C }, { 0, 1, -h / C, h / C }
               };
  const char *const solvers[] = { NULL, "bases", "enumeration", "lemke" };
  for (int s = 0; s < 4; s++) {
    bench b = bench_open(4, 0, 0);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) b.M[i + 4 * j] = rows[i][j];
    for (int k = 0; k < 400; k++) {
      double v = k % 5 == 0 ? 0 : 10 * sin(0.1 * k);
      b.p.matrix_id = k % 3 == 0 ? 0 : 8;
      b.q[2] = -v;
      b.q[3] = v;
      bench_solve(&b, solvers[s], k % 2);
      assert_solved(&b);
      // currents and voltages of a bridge that is driven by v: one pair conducts
      assert_true(fabs(b.lambda[0] * b.u[0]) < 1e-12 && fabs(b.lambda[3] * b.u[3]) < 1e-12);
    }
    bench_close(&b);
  }
}

static void relay(void **state) {
  (void)state;
  // u = q, lambda in [-1, 1]: the sign of -q, anything at 0
  bench b = bench_open(3, 0, 0);
  for (int i = 0; i < 3; i++) { b.lo[i] = -1; b.hi[i] = 1; b.q[i] = i - 1.0; }
  bench_solve(&b, NULL, 0);
  assert_solved(&b);
  assert_true(b.lambda[0] == 1 && b.lambda[2] == -1);
  bench_close(&b);
}

// Relays beside four feet of one box, in a piece of 4e-17 s: their forces move nothing, and have the signs of their
// laws all the same. The other bound has a residual of rounding beside a force that a row would feel, 1e16.
static void relays_that_move_nothing(void **state) {
  (void)state;
  static const double feet[4][4] = {
    { 1.08, 1, 1, 0.92 }, { 1, 1.08, 0.92, 1 }, { 1, 0.92, 1.08, 1 }, { 0.92, 1, 1, 1.08 }
  };
  static const char *const with[] = { NULL, "bases", "enumeration", "pivot", "lemke", "branch", "proximal" };
  for (int k = 0; k < 4 * (int)(sizeof with / sizeof *with); k++) {
    int relays = 1 + k % 2, m = 4 + relays;
    double side = k % 4 < 2 ? 1 : -1;
    const char *by = with[k / 4];
    if (m > 5 && by && (strcmp(by, "bases") == 0 || strcmp(by, "enumeration") == 0)) continue;
    bench b = bench_open(m, 0, 0);
    for (int i = 0; i < relays; i++) {
      b.M[i + m * i] = 4e-17;
      b.q[i] = 0.5 * side * (i ? -1 : 1);
      b.lo[i] = -5;
      b.hi[i] = 5;
    }
    for (int i = 0; i < 4; i++) {
      b.q[relays + i] = -4e-16;
      for (int j = 0; j < 4; j++) b.M[relays + i + m * (relays + j)] = feet[i][j];
    }
    nsm_cone_status status = bench_solve(&b, by, 0);
    assert_true(status == NSM_CONE_SOLVED || by);
    for (int i = 0; status == NSM_CONE_SOLVED && i < relays; i++) assert_true(b.lambda[i] * b.q[i] == -2.5);
    bench_close(&b);
  }
}

// The only solutions lie where the basis is singular.
static void singular_bases_only(void **state) {
  (void)state;
  bench b = bench_open(2, 0, 0);
  b.M[1] = 1;          // M = [0 0; 1 0], q = (0, -1): lambda_1 >= 1
  b.q[1] = -1;
  bench_solve(&b, NULL, 0);
  assert_solved(&b);
  assert_true(b.lambda[0] >= 1);
  b.M[3] = -2;  // M = [0 0; 1 -2]: the larger column is the wrong one, lambda_2 must stay at its bound with u_2 = 0
  bench_solve(&b, "enumeration", 0);
  assert_solved(&b);
  bench_close(&b);
}

// A bilateral row that touches no free unknown: M = [0 a; -a b], the row fixes lambda_2 and u_2 = 0 fixes the free one.
static void bilateral_row_with_zero_diagonal(void **state) {
  (void)state;
  const char *const solvers[] = { "auto", "lemke", "enumeration" };
  for (int s = 0; s < 3; s++) {
    bench b = bench_open(2, 0, 0);
    b.lo[0] = -HUGE_VAL;
    b.M[1] = -2;
    b.M[2] = 2;
    b.M[3] = 3;
    b.q[0] = -1;
    b.q[1] = 4;
    bench_solve(&b, solvers[s], 0);
    assert_solved(&b);
    assert_true(fabs(b.lambda[1] - 0.5) < 1e-15 && fabs(b.lambda[0] - 2.75) < 1e-15);
    b.q[0] = 1;        // lambda_2 = -1/2 is not allowed
    assert_int_not_equal(bench_solve(&b, solvers[s], 0), NSM_CONE_SOLVED);
    bench_close(&b);
  }
}

static void bad_input(void **state) {
  (void)state;
  const double nan_ = NAN, inf = HUGE_VAL;
  for (int m = 1; m <= 40; m = m < 8 ? m + 1 : m * 2)
    for (int id = 0; id < 2; id++)
      for (int what = 0; what < 8; what++) {
        bench b = bench_open(m, 0, 0);
        for (int i = 0; i < m; i++) { b.M[i + i * m] = 2; b.q[i] = -1; }
        b.p.matrix_id = (uint64_t)id;
        // with everything already kept
        if (what >= 4 && id) assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_SOLVED);
        switch (what) {
          case 0: b.M[m - 1] = nan_; break;
          case 1: b.M[m * m - 1] = inf; break;
          case 2: b.M[0] = -inf; break;
          case 3: b.M[m * (m - 1)] = inf; break;
          case 4: b.q[m - 1] = nan_; break;
          case 5: b.q[0] = inf; break;
          case 6: b.lo[m - 1] = 1; b.hi[m - 1] = 0; break;
          case 7: b.lo[0] = b.hi[0] = inf; break;
        }
        assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_BAD_INPUT);
        b.lo[0] = nan_;
        assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_BAD_INPUT);
        bench_close(&b);
      }
  bench b = bench_open(1, 0, 0);
  b.p.m = -1;
  assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_BAD_INPUT);
  b.p.m = 1;
  b.M[0] = 1;
  assert_int_equal(bench_solve(&b, "no such solver", 0), NSM_CONE_BAD_INPUT);
  bench_close(&b);
  b = bench_chain(10, -1, 2, -1);
  b.col[4] = 99;
  assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_BAD_INPUT);
  bench_close(&b);
}

// u = M lambda + q stays negative somewhere whatever lambda is: no status but these two, and a proof where M is
// monotone.
static void without_solution(void **state) {
  (void)state;
  for (int m = 1; m <= 30; m += m < 12 ? 1 : 3)
    for (int trial = 0; trial < 12; trial += THIN) {
      bench b = bench_open(m, 0, 0);
      fill_semidefinite(&b, m > 1 ? m / 2 : 0, 0.0);
      // a direction y >= 0 with M y = 0: project the rows; q against it
      double *y = zeros((size_t)m, 8), yy = 0;
      for (int i = 0; i < m; i++) { y[i] = trial % 3 ? fabs(draw()) : i == m - 1; yy += y[i] * y[i]; }
      for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < m; j++) {
          double s = 0;
          for (int i = 0; i < m; i++) s += y[i] * (pass ? b.M[j + i * m] : b.M[i + j * m]);
          for (int i = 0; i < m; i++) {
            if (pass) b.M[j + i * m] -= s * y[i] / yy;
            else b.M[i + j * m] -= s * y[i] / yy;
          }
        }
      for (int i = 0; i < m; i++) b.q[i] = draw();
      double yq = 0;
      for (int i = 0; i < m; i++) yq += y[i] * b.q[i];
      for (int i = 0; i < m; i++) b.q[i] -= (yq + 1) * y[i] / yy;
      if (trial % 4 == 3)
        for (int i = 0; i < m; i++) b.lo[i] = -HUGE_VAL;
      for (const char *const *s = nsm_cone_solver_names(); *s; s++) {
        bench_solve(&b, *s, 0);
        if (b.r.status == NSM_CONE_SOLVED) fail_msg("%s solved an infeasible problem, m %d, trial %d", *s, m, trial);
        if (strcmp(*s, "auto") == 0) assert_int_equal(b.r.status, NSM_CONE_NO_SOLUTION);
      }
      free(y);
      bench_close(&b);
    }
}

// A loose tolerance must not let a huge lambda pass for a solution.
static void without_solution_loosely(void **state) {
  (void)state;
  bench b = bench_open(2, 0, 0);
  b.M[0] = b.M[3] = 1;
  b.M[1] = b.M[2] = -1;
  b.q[0] = b.q[1] = -1;
  for (double tolerance = 1e-14; tolerance < 1e-1; tolerance *= 10)
    for (const char *const *s = nsm_cone_solver_names(); *s; s++) {
      nsm_cone_options o = { .solver = *s, .tolerance = tolerance };
      assert_int_not_equal(nsm_cone_solve(&b.p, &o, b.work, b.lambda, b.u, &b.r), NSM_CONE_SOLVED);
    }
  bench_close(&b);
}

// Two bilateral rows that contradict each other.
static void contradiction(void **state) {
  (void)state;
  for (int m = 2; m <= 12; m += 2) {
    bench b = bench_open(m, 0, 0);
    for (int i = 0; i < m; i++) {
      b.lo[i] = -HUGE_VAL;
      for (int j = 0; j < m; j++) b.M[i + j * m] = i / 2 == j / 2;
      b.q[i] = i == m - 1 ? 2 : 1;
    }
    assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_NO_SOLUTION);
    b.q[m - 1] = 1;
    bench_solve(&b, NULL, 0);
    assert_solved(&b);
    bench_close(&b);
  }
}

// The same two equations, apart by the round-off of their terms, beside a small force: no proof that there is none.
static void apart_by_round_off(void **state) {
  (void)state;
  const char *const solvers[] = { "enumeration", "planar" };
  for (int k = 0; k < 2; k++) {
    bench b = bench_open(4, 0, 0);
    nsm_cone_block slides = { .type = NSM_CONE_COULOMB, .first = 2, .size = 2, .mu = 0.5 };
    const double terms[] = { 1, 1, 1e-10, 1e-10 };
    double apart[] = { 1e-17, 5e-17, 1e-3 };
    for (int n = 0; n < 3; n++) {
      b.lo[0] = b.lo[1] = -HUGE_VAL;
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) b.M[i + 4 * j] = i < 2 ? j < 2 : i == j;
      b.q[0] = 1e-17;
      b.q[1] = apart[n];
      b.q[2] = -1e-10;
      b.q[3] = 0;
      b.p.q_terms = terms;
      b.p.cone = &slides;
      b.p.cones = k;
      nsm_cone_status found = bench_solve(&b, solvers[k], 0);
      assert_int_equal(found, n < 2 ? NSM_CONE_SOLVED : NSM_CONE_NO_SOLUTION);
    }
    bench_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_rows),
    cmocka_unit_test(one_row),
    cmocka_unit_test(resistor_and_diode),
    cmocka_unit_test(diode_bridge),
    cmocka_unit_test(relay),
    cmocka_unit_test(relays_that_move_nothing),
    cmocka_unit_test(singular_bases_only),
    cmocka_unit_test(bilateral_row_with_zero_diagonal),
    cmocka_unit_test(bad_input),
    cmocka_unit_test(without_solution),
    cmocka_unit_test(without_solution_loosely),
    cmocka_unit_test(contradiction),
    cmocka_unit_test(apart_by_round_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
