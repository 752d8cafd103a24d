// Several blocks of every type among interval rows: the answers satisfy the laws of problem.h, whoever finds them,
// dense or in rows, warm or not; a library of its own: nothing here needs the compiler or the runtime.
#include "contacts.h"

static const unsigned all_types = 31;

// The dense problem of b as compressed rows, zeros left out.
typedef struct rows { int *start, *col; double *value; } rows;
static rows rows_of(bench *b) {
  int m = b->p.m, n = 0;
  rows r = { zeros((size_t)m + 1, sizeof(int)), zeros((size_t)(m * m), sizeof(int)), zeros((size_t)(m * m), 8) };
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++)
      if (b->M[i + j * m] != 0) { r.col[n] = j; r.value[n++] = b->M[i + j * m]; }
    r.start[i + 1] = n;
  }
  b->p.M = r.value; b->p.row_start = r.start; b->p.col = r.col;
  return r;
}
static void rows_close(rows *r) { free(r->start); free(r->col); free(r->value); }

static void definite(void **state) {
  (void)state;
  for (int trial = 0; trial < 1500; trial++) {
    nsm_cone_block *cone;
    bench b = bench_blocks(1 + trial % 9, all_types, trial % 4, 7, trial % 7 == 0 ? 10 : 1, &cone);
    int m = b.p.m, sparse = trial % 3 == 2;
    rows r = { 0 };
    fill_semidefinite(&b, m, trial % 5 ? 0 : 0.3);
    for (int i = 0; i < m; i++) b.M[i + i * m] += 0.05;
    for (int i = 0; i < m; i++) b.q[i] = draw();
    if (sparse) r = rows_of(&b);
    bench_solve(&b, NULL, 0);
    assert_laws(&b);
    for (int i = 0; i < m; i++) b.q[i] += 0.01 * draw();
    bench_solve(&b, NULL, 1);
    assert_laws(&b);
    rows_close(&r);
    bench_close(&b);
    free(cone);
  }
}

// Redundant contacts: M of half the rank, q such that an answer exists.
static void redundant(void **state) {
  (void)state;
  for (int trial = 0; trial < 600; trial++) {
    nsm_cone_block *cone;
    bench b = bench_blocks(2 + trial % 9, all_types, trial % 4, 5, 1, &cone);
    int m = b.p.m;
    fill_semidefinite(&b, m - 1 - (int)((draw() + 1) * 0.2 * m), 0);
    fill_answer(&b, pow(10, 2 * draw()));
    bench_solve(&b, NULL, 0);
    assert_laws(&b);
    bench_close(&b);
    free(cone);
  }
}

// Every solver that takes blocks, one at a time: right or not at all; nonsmooth Gauss-Seidel right where M is well
// conditioned.
static void one_at_a_time(void **state) {
  (void)state;
  for (int trial = 0; trial < 200; trial++) {
    nsm_cone_block *cone;
    bench b = bench_blocks(1 + trial % 8, all_types, trial % 4, 7, 1, &cone);
    int m = b.p.m;
    rows r = { 0 };
    fill_semidefinite(&b, m, 0);
    for (int i = 0; i < m; i++) b.M[i + i * m] += 0.3 * m;
    for (int i = 0; i < m; i++) b.q[i] = draw();
    if (trial % 2) r = rows_of(&b);
    for (const char *const *s = nsm_cone_solver_names(); *s; s++) {
      memset(b.lambda, 0, sizeof(double) * (size_t)m);
      bench_solve(&b, *s, 0);
      if (b.r.status == NSM_CONE_SOLVED || !strcmp(*s, "nsgs")) assert_laws(&b);
      else assert_int_equal(b.r.status, NSM_CONE_FAILED);
    }
    rows_close(&r);
    bench_close(&b);
    free(cone);
  }
}

// NaN and infinity in M and q, with blocks: BAD_INPUT from every solver and every size.
static void bad_numbers(void **state) {
  (void)state;
  const double wrong[] = { NAN, HUGE_VAL, -HUGE_VAL };
  for (int trial = 0; trial < 300; trial++) {
    nsm_cone_block *cone;
    bench b = bench_blocks(1 + trial % 6, trial % 2 ? all_types : 1u | PLANE_ONLY, trial % 3, 7, 1, &cone);
    int m = b.p.m;
    for (int i = 0; i < m; i++) { b.M[i + i * m] = 1; b.q[i] = draw(); }
    if (trial % 4 < 2) { b.p.matrix_id = 1; bench_solve(&b, NULL, 0); assert_laws(&b); }
    if (trial % 4 < 2) b.q[(trial * 7) % m] = wrong[trial % 3];
    else b.M[(trial * 11) % (m * m)] = wrong[trial % 3];
    for (const char *const *s = nsm_cone_solver_names(); *s; s++) {
      bench_solve(&b, *s, trial % 2);
      assert_int_equal(b.r.status, NSM_CONE_BAD_INPUT);
    }
    bench_close(&b);
    free(cone);
  }
}

// Rows that are named as equations are eliminated beforehand: the same laws hold, by less work where they are those of
// a chain, and where some of them depend on others all the same.
static void equations(void **state) {
  (void)state;
  double work[2] = { 0, 0 };
  for (int trial = 0; trial < 30; trial++) {
    nsm_cone_block *cone;
    bench b = bench_blocks(6 + trial % 3, all_types, 60, 7, 1, &cone);
    int m = b.p.m, next = 0, dependent = trial % 6 == 5;
    unsigned char *equation = zeros((size_t)m, 1);
    for (int i = 0; i < m; i++) {
      const nsm_cone_block *k = next < b.p.cones && cone[next].first == i ? &cone[next++] : NULL;
      if (k) { i += k->size - 1; continue; }
      equation[i] = 1;
      b.lo[i] = -HUGE_VAL;
      b.hi[i] = HUGE_VAL;
    }
    fill_semidefinite(&b, m, 0);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        b.M[i + j * m] = abs(i - j) > 4 ? 0 : b.M[i + j * m] + (i == j ? 4.0 * m : 0);
    for (int i = 0; i < m; i++) b.q[i] = draw();
    int last = m - 1;
    while (!equation[last] || !equation[last - 1]) last--;
    for (int j = 0; dependent && j < m; j++) {
      b.M[last + j * m] = b.M[last - 1 + j * m];
      b.q[last] = b.q[last - 1];
    }
    for (int i = 0; dependent && i < m; i++) b.M[i + last * m] = b.M[i + (last - 1) * m];
    rows r = rows_of(&b);
    for (int named = 0; named < 2; named++) {
      b.p.equation = named ? equation : NULL;
      memset(b.lambda, 0, sizeof(double) * (size_t)m);
      bench_solve(&b, "proximal_newton", 0);
      assert_int_equal(b.r.status, NSM_CONE_SOLVED);
      assert_laws(&b);
      if (!dependent) work[named] += b.r.work;
    }
    rows_close(&r);
    bench_close(&b);
    free(cone);
    free(equation);
  }
  print_message("work %.3g, without equations %.3g\n", work[0], work[1]);
  assert_true(work[1] < work[0]);
}

// A block on sixteen legs, rows n, t1, t2 of each at (x, y, -1/4): their lengths differ by `off`, and it is pushed.
enum { LEGS = 4, FEET = LEGS * LEGS };
static void sixteen_legs(bench *b, double off, double push) {
  static const double inverse[6] = { 1, 1, 1, 10, 10, 6 };
  double H[3 * FEET][6];
  unsigned seed = 1;
  for (int i = 0; i < 3 * FEET; i++) {
    double r[3] = { (i / 3 % LEGS) / (LEGS - 1.0) - 0.5, (i / 3 / LEGS) / (LEGS - 1.0) - 0.5, -0.25 }, d[3] = { 0 };
    d[(i + 2) % 3] = 1;
    for (int j = 0; j < 3; j++) {
      H[i][j] = d[j];
      H[i][3 + j] = r[(j + 1) % 3] * d[(j + 2) % 3] - r[(j + 2) % 3] * d[(j + 1) % 3];
    }
    for (int k = 0; k <= i; k++) {
      double sum = 0;
      for (int z = 0; z < 6; z++) sum += H[i][z] * inverse[z] * H[k][z];
      b->M[i + k * 3 * FEET] = b->M[k + i * 3 * FEET] = sum;
    }
    b->q[i] = push * H[i][0] - H[i][2];
    if (i % 3 == 0) b->q[i] += off * (((seed = seed * 1103515245u + 12345u) >> 16) % 1000 / 1000.0 - 0.5);
    b->lambda[i] = i % 3 == 0 ? 1.0 / FEET : i % 3 == 1 ? -push / FEET : 0;
  }
}

// Forces that nothing determines have a long way to go, through many kinks of the map, where legs differ: from forces
// that would be right if they did not, 2876 steps of Newton's method by a line search alone.
static void through_kinks(void **state) {
  (void)state;
  int steps = 0;
  for (double off = 1e-10; off < 2; off *= 100)
    for (int push = 0; push < 4; push++) {
      nsm_cone_block cone[FEET];
      for (int c = 0; c < FEET; c++)
        cone[c] = (nsm_cone_block){ .type = NSM_CONE_COULOMB, .first = 3 * c, .size = 3, .mu = 0.5 };
      bench b = bench_open(3 * FEET, 0, 0);
      b.p.cone = cone;
      b.p.cones = FEET;
      sixteen_legs(&b, off, 0.1 * push);
      bench_solve(&b, NULL, 1);
      assert_laws(&b);
      steps += b.r.iterations;
      bench_close(&b);
    }
  assert_true(steps < 1800);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(definite), cmocka_unit_test(redundant),
                                      cmocka_unit_test(one_at_a_time), cmocka_unit_test(bad_numbers),
                                      cmocka_unit_test(equations), cmocka_unit_test(through_kinks) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
