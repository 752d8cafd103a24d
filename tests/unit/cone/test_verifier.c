// The verifier itself (residual*.c): what it says does not depend on units, means what one-step-problem.md (2) to (5)
// say, refuses what is no solution, and does not refuse what is one.
#include "friction.h"
#include "runtime/cone/solver.h"

static const nsm_cone_try usual = { .tolerance = 1e-12, .sqrt_tolerance = 1e-6 };

static nsm_cone_check verify(const bench *b, const double *lambda) {
  nsm_cone_check c;
  nsm_cone_check_answer(&b->p, b->work, &usual, lambda, b->u, &c);
  return c;
}

static int some(int n) { return (int)((draw() + 1) * 0.5 * n); }

// ---- units ----------------------------------------------------------------------------------------------------------
// u' = e u, lambda' = lambda / d by powers of two, of one size in each block; the spin of Contensou's with its radius.
static void change_units_of(friction *f, int range, double *lambda) {
  bench *b = &f->b;
  int m = b->p.m;
  double *e = zeros((size_t)m, 8), *d = zeros((size_t)m, 8);
  for (int i = 0, c = 0; i < m;) {
    const nsm_cone_block *k = c < b->p.cones && f->block[c].first == i ? &f->block[c] : NULL;
    int end = i + (k ? k->size : 1);
    double rows = ldexp(1, some(2 * range) - range), columns = ldexp(1, some(2 * range) - range),
           spin = ldexp(1, some(12) - 6);
    for (int r = 0; i < end; i++, r++) {
      e[i] = rows;
      d[i] = columns;
      if (k && k->type == NSM_CONE_CONTENSOU && r == 3) { e[i] /= spin; d[i] /= spin; f->block[c].radius *= spin; }
    }
    if (k && k->type == NSM_CONE_DISK) f->block[c].radius /= columns;
    c += k != NULL;
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) b->M[i + j * m] *= e[i] * d[j];
    b->q[i] *= e[i];
    if (b->p.q_terms) ((double *)(uintptr_t)b->p.q_terms)[i] *= e[i];
    b->lo[i] /= d[i];
    b->hi[i] /= d[i];
    lambda[i] /= d[i];
  }
  free(e);
  free(d);
}

// Every solver once: how many new starts a budget has room for depends on the load of the machine.
static nsm_cone_status solve_once(bench *b) {
  nsm_cone_options o = { .once = 1, .budget = HUGE_VAL };
  return nsm_cone_solve(&b->p, &o, b->work, b->lambda, b->u, &b->r);
}

// Answers, nearly answers, and anything.
static void some_lambda(friction *f, double *lambda) {
  int m = f->b.p.m, kind = some(5);
  solve_once(&f->b);
  for (int i = 0; i < m; i++) {
    lambda[i] = f->b.lambda[i];
    if (kind == 1) lambda[i] *= 1 + 1e-13 * draw();
    if (kind == 2) lambda[i] += 1e-14 * draw();
    if (kind == 3) lambda[i] *= 1 + pow(10, 8 * draw() - 8);
    if (kind == 4) lambda[i] = draw() > 0 ? pow(10, 8 * draw()) * draw() : 0;
  }
}

static void units(void **state) {
  (void)state;
  int accepted = 0, refused = 0;
  for (int k = 0; k < 3000 / THIN; k++) {
    bench_seed = 88172645463325252u + 7919u * (uint64_t)k;
    for (int i = 0; i < 9; i++) draw();
    friction f = random_blocks(1 + k % 6, 31, 0.3 + 0.1 * (k % 8), k % 3 ? 0 : 0.3, 0, k % 5 ? 1 : 5, 1, 1);
    bench *b = &f.b;
    int m = b->p.m, kinds = (int[]){ 1, 3, 5, 7, 31 }[k % 5];
    double *lambda = zeros((size_t)m, 8), *terms = zeros((size_t)m, 8);
    fill_bounds(b, kinds);
    if (k % 4 == 0) for (int i = 0; i < m; i++) b->q[i] = 0;
    if (k % 4 == 1) for (int i = 0; i < m; i++) if (draw() > 0) b->q[i] *= 1e-16;
    if (k % 3 == 0) {
      b->p.q_terms = terms;
      for (int i = 0; i < m; i++) terms[i] = fabs(b->q[i]) + (draw() > 0 ? fabs(draw()) : 0);
    }
    if (k % 7 == 0) for (int i = 0; i < m * m; i++) if (draw() > 0.3) b->M[i] = 0;
    some_lambda(&f, lambda);
    nsm_cone_check before = verify(b, lambda), after;
    double measure = nsm_cone_residual(&b->p, lambda, NULL, NULL);
    change_units_of(&f, 40, lambda);
    after = verify(b, lambda);
    accepted += after.accepted;
    refused += !after.accepted;
    if (before.accepted != after.accepted || before.residual != after.residual || before.worst != after.worst)
      fail_msg("%d: residual %.17g, accepted %d, in other units %.17g, %d", k, before.residual, before.accepted,
               after.residual, after.accepted);
    if (nsm_cone_residual(&b->p, lambda, NULL, NULL) != measure) fail_msg("%d: another measure", k);
    free(lambda);
    free(terms);
    friction_close(&f);
  }
  assert_true(accepted > 300 / THIN && refused > 300 / THIN);
}

// Small problems, some without a solution: what is said of one in other units is the same, and never the contrary.
static void verdicts(void **state) {
  (void)state;
  int different = 0, count = 3000 / THIN, seen[3] = { 0 };
  for (int k = 0; k < count; k++) {
    bench_seed = 88172645463325252u + 104729u * (uint64_t)k;
    for (int i = 0; i < 9; i++) draw();
    int m = 1 + k % 7;
    friction f = friction_open(m, 0);
    bench *b = &f.b;
    for (int i = 0; i < m * m; i++) b->M[i] = k % 3 ? draw() : floor(1.5 * draw() + 0.5);
    fill_bounds(b, k % 2 ? 5 : 1);
    for (int i = 0; i < m; i++) b->q[i] = k % 3 ? draw() : floor(1.5 * draw() + 0.5);
    nsm_cone_status one = solve_once(b), other;
    change_units_of(&f, 60, b->lambda);
    other = solve_once(b);
    seen[one]++;
    different += one != other;
    if (one != other && one != NSM_CONE_FAILED && other != NSM_CONE_FAILED)
      fail_msg("%d: status %d by %s, in other units %d", k, one, b->r.solver, other);
    friction_close(&f);
  }
  if (getenv("NSM_SHOW")) printf("%d of %d verdicts differ in other units\n", different, count);
  assert_true(different * 200 <= count);
  assert_true(seen[NSM_CONE_SOLVED] > count / 4 && seen[NSM_CONE_NO_SOLUTION] > count / 10);
}

// ---- what the residual means ----------------------------------------------------------------------------------------
// lambda solves the problem whose entries are changed by r of their size (Oettli and Prager).
static void a_change_of_entries(void **state) {
  (void)state;
  for (int k = 0; k < 600 / THIN; k++) {
    bench_seed = 88172645463325252u + 7919u * (uint64_t)k;
    for (int i = 0; i < 9; i++) draw();
    int m = 1 + k % 9;
    bench b = bench_open(m, 0, 0);
    fill_semidefinite(&b, m, 0.3);
    fill_bounds(&b, 7);
    fill_consistent_q(&b);
    bench_solve(&b, NULL, 0);
    double error = pow(10, -2 - 12 * fabs(draw()));
    for (int i = 0; i < m; i++)
      if (b.lambda[i] != b.lo[i] && b.lambda[i] != b.hi[i]) {
        double x = b.lambda[i] * (1 + error * draw());
        if (x > b.lo[i] && x < b.hi[i]) b.lambda[i] = x;
      }
    double r = nsm_cone_residual(&b.p, b.lambda, NULL, NULL), change = 0;
    int near_bound = 0;                                  // there (2) moves lambda to the bound instead
    for (int i = 0; i < m; i++) {
      double a = fmin(fabs(b.lambda[i] - b.lo[i]), fabs(b.hi[i] - b.lambda[i])), U = fabs(b.q[i]);
      for (int j = 0; j < m; j++) U += fabs(b.M[i + j * m] * b.lambda[j]);
      near_bound |= a > 0 && a * fabs(b.M[i + i * m]) < 0.1 * U;
    }
    for (int i = 0; i < m && !near_bound; i++) {
      long double u = b.q[i], U = fabs(b.q[i]);
      for (int j = 0; j < m; j++) {
        u += (long double)b.M[i + j * m] * b.lambda[j];
        U += fabs(b.M[i + j * m] * b.lambda[j]);
      }
      int wrong = u > 0 ? b.lambda[i] != b.lo[i] : b.lambda[i] != b.hi[i];
      double share = wrong && U > 0 ? (double)(u / U) : 0;
      change = fmax(change, fabs(share));
      b.q[i] -= fabs(b.q[i]) * share;
      for (int j = 0; j < m; j++) {
        double sign = b.M[i + j * m] * b.lambda[j] > 0 ? 1 : -1;
        b.M[i + j * m] -= b.M[i + j * m] * sign * share;
      }
    }
    if (near_bound) { bench_close(&b); continue; }
    if (!(change <= r * (1 + 1e-9) + 1e-15)) fail_msg("%d: residual %g, entries changed by %g", k, r, change);
    double left = nsm_cone_residual(&b.p, b.lambda, NULL, NULL);
    if (!(left <= 1e-15 * m)) fail_msg("%d: the changed problem is off by %g", k, left);
    bench_close(&b);
  }
}

// The residual of the answers of all kinds of intervals is that of its definition in extended precision.
static void by_definition(void **state) {
  (void)state;
  for (int k = 0; k < 2000 / THIN; k++) {
    bench_seed = 88172645463325252u + 7919u * (uint64_t)k;
    int m = 1 + k % 12;
    bench b = bench_open(m, 0, 0);
    for (int i = 0; i < m * m; i++) b.M[i] = draw() > 0.5 ? 0 : draw();
    fill_bounds(&b, 31);
    for (int i = 0; i < m; i++) {
      b.q[i] = draw();
      b.lambda[i] = draw() > 0 ? nsm_cone_project(draw(), b.lo[i], b.hi[i]) : fmin(fmax(b.lo[i], -9), b.hi[i]);
    }
    double r = nsm_cone_residual(&b.p, b.lambda, NULL, NULL), definition = bench_residual(&b);
    if (!(fabs(r - definition) <= 1e-12 + 1e-6 * definition) && definition < 1)
      fail_msg("%d: %g, by definition %g", k, r, definition);
    bench_close(&b);
  }
}

// ---- round-off ------------------------------------------------------------------------------------------------------
static void terms_of_q(void **state) {
  (void)state;
  bench b = bench_open(2, 0, 0);
  double zero[2] = { 0 }, terms[2] = { 1, 1 };
  for (int i = 0; i < 4; i++) b.M[i] = 1;
  b.lo[0] = b.lo[1] = -HUGE_VAL;
  b.q[0] = 1e-17;                                        // two equations that contradict each other, by round-off
  b.q[1] = -3e-17;
  assert_false(verify(&b, zero).accepted);
  b.p.q_terms = terms;
  assert_true(verify(&b, zero).accepted);
  assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_SOLVED);
  b.q[1] = -3e-13;                                       // more than round-off
  assert_false(verify(&b, zero).accepted);
  bench_close(&b);

  b = bench_open(2, 0, 0);                               // a relay in sliding, q nothing but round-off, M singular
  memcpy(b.M, (double[]){ 0.1, 1, 0.03, 0.3 }, 4 * sizeof(double));
  for (int i = 0; i < 2; i++) { b.q[i] = 1e-17; b.lo[i] = -1; b.hi[i] = 1; }
  for (double q = 1e-300; q < 1; q *= 10) {
    b.q[0] = q;
    b.q[1] = -0.7 * q;
    assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_SOLVED);
    assert_true(b.r.residual <= 1e-12);
  }
  bench_close(&b);
}

// A huge lambda hides u behind round-off: not accepted, and the number that is reported says so.
static void drowned(void **state) {
  (void)state;
  for (double size = 1e11; size < 1e17; size *= 10) {
    bench b = bench_open(2, 0, 0);
    double lambda[2] = { size, -size };
    memcpy(b.M, (double[]){ 1, 1, 1, 1 + 1 / size }, 4 * sizeof(double));
    b.lo[0] = b.lo[1] = -HUGE_VAL;
    b.q[0] = 0;
    b.q[1] = 1;
    nsm_cone_check c = verify(&b, lambda);
    assert_false(c.accepted);
    assert_true(c.residual >= 1e-6);
    b.lo[0] = b.lo[1] = -2 * size;                       // with bounds of that size it is explained
    b.hi[0] = b.hi[1] = 2 * size;
    assert_true(verify(&b, lambda).accepted);
    bench_close(&b);
  }
}

// Beads on each other, masses to 1 : 1e8 in any order, at rest or struck: the exact answer, rounded, is accepted; with
// one impulse wrong by 1e-9 of itself it is not.
static void light_bodies(void **state) {
  (void)state;
  for (int k = 0; k < 400 / THIN; k++) {
    bench_seed = 88172645463325252u + 7919u * (uint64_t)k;
    for (int i = 0; i < 9; i++) draw();
    int m = 2 + k % 9;
    bench b = bench_open(m, 0, 0);
    long double mass[12], velocity[12], above = 0;
    double lambda[12];
    for (int i = 0; i < m; i++) {
      mass[i] = powl(10, 4 * draw());
      velocity[i] = k % 2 ? -1e-2L : -1 - (long double)(m - i) / m;   // towards the ground, the lower the faster
    }
    for (int i = 0; i < m; i++) {                        // gap i between bead i-1 and i
      b.M[i + i * m] = (double)(1 / mass[i] + (i > 0 ? 1 / mass[i - 1] : 0));
      if (i > 0) b.M[i + (i - 1) * m] = b.M[i - 1 + i * m] = (double)(-1 / mass[i - 1]);
      b.q[i] = (double)(velocity[i] - (i > 0 ? velocity[i - 1] : 0));
    }
    if (k % 2 == 0) for (int i = 1; i < m; i++) b.q[i] = -fabs(b.q[i]);
    long double sum[12] = { 0 };                         // all stay in contact: velocities after it vanish
    for (int i = m - 1; i >= 0; i--) {
      long double v = 0;
      for (int j = 0; j <= i; j++) v += b.q[j];
      above += mass[i] * -v;
      sum[i] = above;
      lambda[i] = (double)sum[i];
    }
    nsm_cone_check c = verify(&b, lambda);
    if (!c.accepted) fail_msg("%d: residual %g refused", k, c.residual);
    lambda[some(m)] *= 1 + 1e-9;
    assert_false(verify(&b, lambda).accepted);
    assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_SOLVED);
    bench_close(&b);
  }
}

// ---- the largest and smallest numbers -------------------------------------------------------------------------------
static void extreme_sizes(void **state) {
  (void)state;
  static const struct { double M[4], q[2]; nsm_cone_status status;
  } given[] = {
    { { 1e-200, 0, 0, 1e-200 }, { -1e-100, -1e100 }, NSM_CONE_SOLVED },
    { { 1e-200, 0, 0, 1 }, { -1e200, -1 }, NSM_CONE_FAILED },            // lambda = 1e400: none that a double can hold
    { { 1e200, 0, 0, 1 }, { -1e-200, -1 }, NSM_CONE_FAILED },
    { { 1e-200, 1e-50, 1e-50, 1e200 }, { -1e-100, -1e100 }, NSM_CONE_SOLVED },
    { { 1e300, 1e299, 1e299, 1e300 }, { -1e300, -1e305 }, NSM_CONE_SOLVED },
    { { 1e-300, 0, 0, 1 }, { -1e-300, -1 }, NSM_CONE_SOLVED },
    { { 0, 0, 0, 1e-200 }, { -1e-200, -1e-200 }, NSM_CONE_NO_SOLUTION },
    { { 0, 0, 0, 1e-6 }, { -1, -1e6 }, NSM_CONE_NO_SOLUTION },           // called solved once, u_0 = -1
    { { 0, 0, 0, 1e-9 }, { -1e-15, -1e-9 }, NSM_CONE_NO_SOLUTION },      // one problem
    { { 0, 0, 0, 1 }, { -1e-6, -1 }, NSM_CONE_NO_SOLUTION },             // in two systems of units
    { { 1e-200, -1e-200, -1e-200, 1e-200 }, { -1e150, -1e150 }, NSM_CONE_NO_SOLUTION },
  };
  for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
    bench b = bench_open(2, 0, 0);
    memcpy(b.M, given[k].M, sizeof given[k].M);
    memcpy(b.q, given[k].q, sizeof given[k].q);
    nsm_cone_status s = bench_solve(&b, NULL, 0);
    if (s != given[k].status) fail_msg("problem %zu: status %d by %s", k, s, b.r.solver);
    if (s == NSM_CONE_SOLVED) assert_true(bench_residual(&b) <= 1e-12);
    bench_close(&b);
  }
}

// ---- why there is none ----------------------------------------------------------------------------------------------
static void name_row(void *with, int row, char *out, size_t size) { (void)with; snprintf(out, size, "row %d", row); }

static void reasons(void **state) {
  (void)state;
  char why[300];
  double margin;
  bench b = bench_open(3, 0, 0);
  b.M[8] = 1;                                            // rows 0, 1: u = l0 - l1 - 1, l1 - l0 - 2; row 2 is right
  b.M[0] = b.M[4] = 1;
  b.M[1] = b.M[3] = -1;
  b.q[0] = -1;
  b.q[1] = -2;
  b.q[2] = -5;
  assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_NO_SOLUTION);
  const double *y = nsm_cone_proof(b.work, &margin);
  assert_non_null(y);
  assert_true(fabs(y[0] - 1) <= 1e-14 && fabs(y[1] - 1) <= 1e-14 && y[2] == 0 && fabs(margin - 3) <= 1e-14);
  nsm_cone_explain(&b.p, b.work, name_row, NULL, why, sizeof why);
  assert_string_equal(why, "row 1 + row 0 cannot rise above -3 whatever the multipliers, but each must be >= 0");
  b.M[0] = b.M[3] = 0;
  b.M[6] = 2;                                            // row 0: u = 2 l2 - 1 with l2 <= 0.2
  b.hi[2] = 0.2;
  b.q[1] = 2;
  assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_NO_SOLUTION);
  assert_int_equal(nsm_cone_explain(&b.p, b.work, name_row, NULL, why, sizeof why), 0);
  assert_string_equal(why, "row 0 must be >= 0, but cannot rise above -0.6 whatever the multipliers");
  b.q[0] = 1;
  assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_SOLVED);
  bench_close(&b);
}

// ---- free rows whose multipliers are 0 by symmetry ------------------------------------------------------------------
// u_2 = l_2 - l_3, both what rounding left beside l_1 = 1; and two constraints that contradict each other.
static int held(bench *b, const double *lambda) {
  nsm_cone_check c;
  return nsm_cone_held(&b->p, b->work, &usual, lambda, b->u, &c);
}

static void free_rows_beside_others(void **state) {
  (void)state;
  for (int e = -40; e <= 40; e += 20) {                     // in any unit
    double unit = ldexp(1, e);
    bench b = bench_open(3, 0, -1);
    const double M[9] = { 2, 0, 0, 0, 1, -1, 0, -1, 2 };
    for (int i = 0; i < 9; i++) b.M[i] = M[i] * unit;
    for (int i = 0; i < 3; i++) { b.lo[i] = -HUGE_VAL; b.hi[i] = HUGE_VAL; b.q[i] = i ? 0 : -2 * unit; }
    const double noise[3] = { 1, 1e-16, 1.00001e-16 }, off[3] = { 1, 1e-13, 2e-13 };
    assert_false(verify(&b, noise).accepted);
    assert_true(held(&b, noise));
    assert_false(held(&b, off));
    b.lo[1] = 0;                                            // no free row: as refused as before
    b.lo[2] = 0;
    assert_false(held(&b, noise));
    bench_close(&b);
  }
  bench b = bench_open(2, 0, -1);
  const double M[4] = { 1, 1, 1, 1 + 0x1p-52 };
  for (int i = 0; i < 4; i++) b.M[i] = M[i];
  for (int i = 0; i < 2; i++) { b.lo[i] = -HUGE_VAL; b.hi[i] = HUGE_VAL; b.q[i] = i ? 1 : -1; }
  const double huge[2] = { 0x1p53, -0x1p53 };
  assert_false(held(&b, huge));
  bench_close(&b);
}

// The rows of a slider that bears a weight, where round-off of long ago drives the others: five equations, M definite.
static void driven_by_nothing(void **state) {
  (void)state;
  bench b = bench_open(5, 0, -1);
  const double M[5][5] = { { 10.03, 0, 30, 0, -1.522426e-52 }, { 0, 10.03, 0, 30, -1.061249e-35 },
                           { 30, 0, 30000, 0, -1.636067e-49 }, { 0, 30, 0, 30000, -1.061249e-32 },
                           { -1.522426e-52, -1.061249e-35, -1.636067e-49, -1.061249e-32, 16666.67 } };
  for (int i = 0; i < 25; i++) b.M[i] = M[i / 5][i % 5];
  for (int i = 0; i < 5; i++) { b.lo[i] = -HUGE_VAL; b.hi[i] = HUGE_VAL; b.q[i] = 0; }
  b.q[0] = -9.81e-3;
  b.q[1] = 9.94765e-40;
  assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_SOLVED);
  assert_true(fabs(b.lambda[0] - 9.81e-4) <= 1e-17 && fabs(b.lambda[2] + 9.81e-7) <= 1e-20);
  bench_close(&b);
}

int main(void) {
  bench_budget = 0.02;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(units),         cmocka_unit_test(verdicts), cmocka_unit_test(a_change_of_entries),
    cmocka_unit_test(by_definition), cmocka_unit_test(terms_of_q), cmocka_unit_test(drowned),
    cmocka_unit_test(light_bodies),  cmocka_unit_test(extreme_sizes), cmocka_unit_test(reasons),
    cmocka_unit_test(free_rows_beside_others), cmocka_unit_test(driven_by_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
