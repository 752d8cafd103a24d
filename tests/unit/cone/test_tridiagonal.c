// Islands of rows that are coupled with their neighbours alone: pivoting with Thomas' algorithm, and the verifier's
// first look at what it gives.
#include "bench.h"

typedef struct chain {
  bench b;
  nsm_cone_tridiagonal p;
  double *below, *diagonal, *above, *scratch;
  unsigned char *state;
} chain;

// The same problem in both forms.
static chain open_chain(int m, double below, double diagonal, double above) {
  chain c = { .b = bench_chain(m, below, diagonal, above) };
  double **to[] = { &c.below, &c.diagonal, &c.above, &c.scratch };
  for (int k = 0; k < 4; k++) *to[k] = zeros((size_t)m, 8);
  c.state = zeros((size_t)m, 1);
  for (int i = 0; i < m; i++) { c.below[i] = below; c.diagonal[i] = diagonal; c.above[i] = above; }
  c.p = (nsm_cone_tridiagonal){ m, c.below, c.diagonal, c.above, c.b.q, NULL, c.b.lo, c.b.hi };
  return c;
}

static void close_chain(chain *c) {
  free(c->below);
  free(c->diagonal);
  free(c->above);
  free(c->scratch);
  free(c->state);
  bench_close(&c->b);
}

static int solve(chain *c, double *residual) {
  return nsm_cone_solve_tridiagonal(&c->p, c->state, c->scratch, c->b.lambda, c->b.u, residual);
}

static int accepts(chain *c) {
  double residual;
  return nsm_cone_check_tridiagonal(&c->p, c->b.lambda, c->state, c->b.u, &residual);
}

// Chains of beads, boxes, free rows, off-diagonal entries of either sign: right, or not accepted at all.
static void is_right(void **state) {
  (void)state;
  const int kinds[] = { 1, 3, 4, 5, 7, 31 };
  int accepted = 0, all = 0;
  for (int k = 0; k < 6; k++)
    for (int m = 1; m <= 200; m += m < 12 ? 1 : 47)
      for (int turn = 0; turn < 40 / THIN; turn++) {
        double off = turn % 4 == 0 ? 0.9 : -0.9;
        chain c = open_chain(m, off, 2, turn % 3 == 0 ? off : off * 0.5);
        double residual;
        fill_bounds(&c.b, kinds[k]);
        for (int i = 0; i < m; i++) c.b.q[i] = 2 * draw();
        all++;
        if (solve(&c, &residual) > 0) {
          accepted++;
          double r = bench_residual(&c.b);
          if (!(r <= 1e-14)) fail_msg("m %d, kinds %d: residual %g", m, kinds[k], r);
          for (int i = 0; i < m; i++)
            assert_true(c.b.lambda[i] >= c.b.lo[i] && c.b.lambda[i] <= c.b.hi[i]);
          double *own = zeros((size_t)m, 8);                 // the solvers of the table agree
          memcpy(own, c.b.lambda, (size_t)m * sizeof *own);
          bench_solve(&c.b, NULL, 0);
          assert_solved(&c.b);
          for (int i = 0; i < m; i++) assert_true(fabs(own[i] - c.b.lambda[i]) <= 1e-12);
          free(own);
        }
        close_chain(&c);
      }
  assert_true(accepted > 0.9 * all);
}

// A bead that rests between others has no approach of its own: its force is explained by theirs.
static void rows_without_load(void **state) {
  (void)state;
  chain c = open_chain(30, -1, 2, -1);
  double residual;
  c.b.q[0] = -1;
  assert_true(solve(&c, &residual) > 0);
  assert_true(bench_residual(&c.b) <= 1e-14);
  assert_true(c.b.lambda[29] > 0.01);
  close_chain(&c);
}

// Forces that nothing asks for: M is singular up to rounding and every row vanishes.
static void unexplained_forces_are_refused(void **state) {
  (void)state;
  chain c = open_chain(4, -1, 2, -1);
  c.diagonal[0] = c.diagonal[3] = 1;
  for (int i = 0; i < 4; i++) c.b.lambda[i] = 1e12;
  c.b.q[0] = -1e-6;
  c.b.q[3] = 1e-6;
  assert_false(accepts(&c));
  for (int i = 0; i < 4; i++) c.b.lambda[i] = 0;
  c.b.q[0] = c.b.q[3] = 0;
  assert_true(accepts(&c));
  close_chain(&c);
}

static void wrong_answers_are_refused(void **state) {
  (void)state;
  for (int i = 0; i < 9; i++) {
    chain c = open_chain(9, -1, 2.5, -1);
    double residual, right;
    for (int k = 0; k < 9; k++) c.b.q[k] = k % 4 == 3 ? 2 : -1;
    assert_true(solve(&c, &residual) > 0);
    assert_true(accepts(&c));
    right = c.b.lambda[i];
    c.b.lambda[i] = right + 1e-13 * (right + 1);
    assert_false(accepts(&c));
    c.b.lambda[i] = -1e-300;                                // outside of its bounds
    assert_false(accepts(&c));
    c.b.lambda[i] = NAN;
    assert_false(accepts(&c));
    c.b.lambda[i] = INFINITY;
    assert_false(accepts(&c));
    if (right > 0) { c.b.lambda[i] = 0; assert_false(accepts(&c)); }
    close_chain(&c);
  }
}

// What it cannot do it says: singular, indefinite, not finite, bounds that cross.
static void says_where_it_fails(void **state) {
  (void)state;
  double residual;
  for (int what = 0; what < 4; what++) {
    chain c = open_chain(5, -1, 2, -1);
    for (int i = 0; i < 5; i++) c.b.q[i] = -1;
    if (what == 0) for (int i = 0; i < 5; i++) c.diagonal[i] = i == 0 || i == 4 ? 1 : 2;
    if (what == 1) c.diagonal[2] = -2;
    if (what == 2) c.b.q[3] = NAN;
    if (what == 3) { c.b.lo[1] = 2; c.b.hi[1] = 1; }
    assert_int_equal(solve(&c, &residual), 0);
    assert_true(residual > 1e-6);
    close_chain(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_right), cmocka_unit_test(rows_without_load), cmocka_unit_test(unexplained_forces_are_refused),
    cmocka_unit_test(wrong_answers_are_refused), cmocka_unit_test(says_where_it_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
