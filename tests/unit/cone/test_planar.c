// Planar friction with few contacts: every problem against all its modes, tried one by one with an elimination of its
// own; M of no sign (Painleve) included, where "no solution" must be a fact.
#include "contacts.h"

enum { MOST = 10 };
static const unsigned planar_types = 1u << NSM_CONE_COULOMB | 1u << NSM_CONE_GRIP | 1u << NSM_CONE_DISK | PLANE_ONLY;

// A x = b; 0 where nearly singular.
static int eliminate(int n, double A[MOST][MOST + 1], double *x) {
  for (int p = 0; p < n; p++) {
    int r = p;
    for (int i = p; i < n; i++) r = fabs(A[i][p]) > fabs(A[r][p]) ? i : r;
    if (fabs(A[r][p]) < 1e-7) return 0;
    for (int j = 0; j <= n; j++) { double t = A[r][j]; A[r][j] = A[p][j]; A[p][j] = t; }
    for (int i = p + 1; i < n; i++)
      for (int j = n; j >= p; j--) A[i][j] -= A[i][p] / A[p][p] * A[p][j];
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] = A[i][n];
    for (int j = i + 1; j < n; j++) x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
  return 1;
}

// The answers among all modes: unknowns are all of lambda, equations are those of the modes. Writes the first one to
// b->lambda.
static int answers(bench *b) {
  int m = b->p.m, at[MOST] = { 0 }, kind[MOST], count = 0, found = 0;
  double first[MOST] = { 0 };
  for (int i = 0, c = 0; i < m; count++) {
    kind[count] = -1;
    if (c < b->p.cones && b->p.cone[c].first == i) { kind[count] = c; i += b->p.cone[c++].size; }
    else i++;
  }
  for (;;) {
    double A[MOST][MOST + 1] = { { 0 } }, x[MOST];
    int possible = 1;
    for (int k = 0, i = 0; k < count; k++) {
      const nsm_cone_block *c = kind[k] < 0 ? NULL : &b->p.cone[kind[k]];
      int planar = c && c->type != NSM_CONE_DISK;
      double lo = c && !planar ? -c->radius : b->lo[i], hi = c && !planar ? c->radius : b->hi[i];
      for (int r = i; r < i + 1 + planar; r++) {        // u_r = 0 unless said otherwise below
        for (int j = 0; j < m; j++) A[r][j] = b->M[r + j * m];
        A[r][m] = -b->q[r];
      }
      int zero = -1;
      double to = 0;
      if (!planar && at[k] > 0) { zero = i; to = at[k] == 1 ? lo : hi; possible &= at[k] < 3 && fabs(to) < HUGE_VAL; }
      if (planar && at[k] == 1) { zero = i; possible &= c->type == NSM_CONE_COULOMB; }
      if (zero >= 0) { for (int j = 0; j <= m; j++) A[i][j] = j == i; A[i][m] = to; }
      if (planar && at[k] > 0) {
        for (int j = 0; j <= m; j++) A[i + 1][j] = j == i + 1;
        if (at[k] > 1) A[i + 1][i] = at[k] == 2 ? -c->mu : c->mu;
      }
      i += 1 + planar;
    }
    if (possible && eliminate(m, A, x)) {
      memcpy(b->lambda, x, sizeof(double) * (size_t)m);
      if (laws_violation(b) < 1e-12) { if (!found++) memcpy(first, x, sizeof x); }
    }
    int k = 0;
    while (k < count && ++at[k] == 4) at[k++] = 0;
    if (k == count) break;
  }
  memcpy(b->lambda, first, sizeof(double) * (size_t)m);
  return found;
}

static void all_modes(void **state) {
  (void)state;
  int without = 0, several = 0, proved = 0;
  for (int trial = 0; trial < 3000 / THIN; trial++) {
    nsm_cone_block *cone;
    bench b = bench_blocks(1 + trial % 3, planar_types, trial / 3 % 3, 7, 3, &cone);
    int m = b.p.m;
    if (trial % 2) fill_semidefinite(&b, m, 0);
    for (int i = 0; i < m * m && !(trial % 2); i++) b.M[i] = draw();
    if (trial % 2) for (int i = 0; i < m; i++) b.M[i + i * m] += 0.1;
    for (int i = 0; i < m; i++) b.q[i] = draw();
    b.p.matrix_id = (uint64_t)(trial % 3);
    int n = answers(&b);
    without += n == 0;
    several += n > 1;
    if (trial % 2) memset(b.lambda, 0, sizeof(double) * (size_t)m);
    bench_solve(&b, NULL, trial % 5 == 0);
    if (n > 0 || b.r.status == NSM_CONE_SOLVED) assert_laws(&b);
    else proved += b.r.status == NSM_CONE_NO_SOLUTION;
    if (n == 0 && trial % 2) fail_msg("a definite problem without an answer, trial %d", trial);
    bench_close(&b);
    free(cone);
  }
  assert_true(without > 100 / THIN && several > 50 / THIN && proved > 9 * without / 10);
}

// A rod with tip in sliding contact: M_NT large and negative. No answer, or several, depending on q (Painleve 1895).
static void painleve(void **state) {
  (void)state;
  const double mu = 2;
  nsm_cone_block k = { NSM_CONE_COULOMB, 0, 2, mu, 0, 0 };
  bench b = bench_open(2, 0, 0);
  b.M[0] = 1; b.M[3] = 1.5; b.M[1] = b.M[2] = -1;     // M_NN - mu |M_NT| < 0, M definite
  b.p.cone = &k;
  b.p.cones = 1;
  b.q[1] = 3;
  for (double qn = -2; qn <= 2; qn += 0.25) {
    b.q[0] = qn;
    bench_solve(&b, NULL, 0);
    assert_laws(&b);                                  // M definite: there always is one
  }
  b.M[3] = 0.2;                                       // M indefinite
  b.q[1] = -3;
  b.q[0] = -1;  // u_N < 0 when open, and with T = mu N, towards the slip, N (1 - 2) = 1
  int n = answers(&b);
  bench_solve(&b, NULL, 0);
  assert_int_equal(b.r.status, n > 0 ? NSM_CONE_SOLVED : NSM_CONE_NO_SOLUTION);
  bench_close(&b);
}

// A constant matrix, q that wanders: the answer of each step, by the modes of the last one or by new ones.
static void steps(void **state) {
  (void)state;
  nsm_cone_block *cone;
  bench b = bench_blocks(3, 1u << NSM_CONE_COULOMB | PLANE_ONLY, 0, 1, 0.8, &cone);
  int m = b.p.m;
  double q[6] = { 0 };
  assert_int_equal(m, 6);
  fill_semidefinite(&b, m, 0);
  for (int i = 0; i < m; i++) b.M[i + i * m] += 0.2;
  b.p.matrix_id = 5;
  for (int step = 0; step < 20000; step++) {
    for (int i = 0; i < m; i++) { q[i] += 0.05 * draw() - 0.01 * q[i]; b.q[i] = q[i] - (i % 2 == 0) * 0.1; }
    bench_solve(&b, NULL, 1);
    assert_laws(&b);
  }
  bench_close(&b);
  free(cone);
}

// The modes that the natural map sees, and those that a violation points to: of definite problems without a guess this
// loop alone finds nearly all answers.
static void alone(void **state) {
  (void)state;
  int found = 0;
  for (int trial = 0; trial < 200; trial++) {
    nsm_cone_block *cone;
    bench b = bench_blocks(3, 1u << NSM_CONE_COULOMB | PLANE_ONLY, 0, 1, 0.3, &cone);
    fill_semidefinite(&b, b.p.m, 0);
    for (int i = 0; i < b.p.m; i++) { b.M[i + i * b.p.m] += 0.5; b.q[i] = draw() - 0.5 * (i % 2 == 0); }
    if (bench_solve(&b, "modes", 0) == NSM_CONE_SOLVED) { assert_laws(&b); found++; }
    bench_close(&b);
    free(cone);
  }
  assert_true(found >= 180);
}

// Mass ratios up to 1e24 in M: solvable problems of any rank and sign are never called unsolvable, and nearly all of
// them are solved.
static void badly_scaled(void **state) {
  (void)state;
  int missed = 0;
  for (int trial = 0; trial < 3000 / THIN; trial++) {
    nsm_cone_block *cone;
    int count = 1 + trial % 4;
    bench b = bench_blocks(count, planar_types, trial % 3, 7, trial % 5 ? 1 : 10, &cone);
    int m = b.p.m;
    fill_semidefinite(&b, trial % 2 ? m : m / 2 + 1, 0);
    for (int i = 0; i < m * m && trial % 3 == 0; i++) b.M[i] = draw();
    for (int c = 0; c < count; c++) {
      double f = pow(10, trial % 7 * draw());
      for (int i = cone[c].first; i < cone[c].first + cone[c].size; i++)
        for (int j = 0; j < m; j++) { b.M[i + j * m] *= f; b.M[j + i * m] *= f; }
    }
    fill_answer(&b, 1);
    bench_solve(&b, NULL, 0);
    if (b.r.status == NSM_CONE_NO_SOLUTION)
      fail_msg("trial %d is called unsolvable by %s, residual %g", trial, b.r.solver, b.r.residual);
    missed += b.r.status != NSM_CONE_SOLVED;
    bench_close(&b);
    free(cone);
  }
  assert_true(missed <= 6);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(all_modes), cmocka_unit_test(painleve), cmocka_unit_test(steps),
                                      cmocka_unit_test(alone), cmocka_unit_test(badly_scaled) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
