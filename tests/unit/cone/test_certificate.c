// "There is no solution" is said with a proof only: the check of the proof, and solvable problems for which it must
// never be said.
#include "bench.h"
#include "runtime/cone/solver.h"

static void proof_by_hand(void **state) {
  (void)state;
  // u = (l1 - l2 - 1, l2 - l1 - 1): y = (1, 1) gives y.u = -2
  bench b = bench_open(2, 0, 0);
  double y[2] = { 1, 1 }, scratch[4];
  b.M[0] = b.M[3] = 1;
  b.M[1] = b.M[2] = -1;
  b.q[0] = b.q[1] = -1;
  assert_true(nsm_cone_is_certificate(&b.p, y, scratch));
  y[1] = 0.5;                                     // M^T y is not <= 0
  assert_false(nsm_cone_is_certificate(&b.p, y, scratch));
  y[0] = y[1] = -1;                               // u >= 0 has the wrong sign for this
  assert_false(nsm_cone_is_certificate(&b.p, y, scratch));
  y[0] = y[1] = 1;
  b.q[1] = 1;                                     // y.q = 0: solvable
  assert_false(nsm_cone_is_certificate(&b.p, y, scratch));
  b.q[1] = -1;
  b.hi[0] = 10;                                   // a box asks for no sign of u_1
  assert_false(nsm_cone_is_certificate(&b.p, y, scratch));
  b.hi[0] = HUGE_VAL;
  b.M[1] = -1.001;
  assert_true(nsm_cone_is_certificate(&b.p, y, scratch));
  y[0] = y[1] = 0;
  assert_false(nsm_cone_is_certificate(&b.p, y, scratch));
  bench_close(&b);
}

// Two speeds that are differences of numbers of size 1, and were left at -1.5e-15 each: lambda = (0, 0, 1) solves it to
// round-off, so the sum of both rows, -3e-15, denies nothing. Ten times what q is known to does, and so does q itself
// where its terms are as small as it is.
static void round_off_of_terms_proves_nothing(void **state) {
  (void)state;
  bench b = bench_open(3, 0, 0);
  double terms[3] = { 1, 1, 1 }, y[3] = { 1, 1, 0 }, scratch[6];
  b.M[0] = b.M[4] = b.M[8] = 1;
  b.M[1] = b.M[3] = b.q[2] = -1;
  b.p.q_terms = terms;
  b.q[0] = b.q[1] = -1.5e-15;
  assert_false(nsm_cone_is_certificate(&b.p, y, scratch));
  for (const char *const *s = nsm_cone_solver_names(); *s; s++)
    assert_int_not_equal(bench_solve(&b, *s, 0), NSM_CONE_NO_SOLUTION);
  assert_int_equal(bench_solve(&b, NULL, 0), NSM_CONE_SOLVED);
  b.q[0] = b.q[1] = -1.5e-14;
  assert_true(nsm_cone_is_certificate(&b.p, y, scratch));
  assert_int_equal(bench_solve(&b, "farkas", 0), NSM_CONE_NO_SOLUTION);
  b.q[0] = b.q[1] = -1.5e-15;
  b.p.q_terms = NULL;
  assert_true(nsm_cone_is_certificate(&b.p, y, scratch));
  assert_int_equal(bench_solve(&b, "farkas", 0), NSM_CONE_NO_SOLUTION);
  bench_close(&b);
}

// Two speeds whose sum is -2 whatever the forces are. The proof is looked for where a solver alone looks for none, but
// not where it was to try once.
static void who_looks_for_a_proof(void **state) {
  (void)state;
  bench b = bench_open(2, 0, 0);
  b.M[0] = b.M[3] = 1;
  b.M[1] = b.M[2] = b.q[0] = b.q[1] = -1;
  for (int once = 0; once < 2; once++) {
    nsm_cone_options o = { .solver = "nsgs", .once = once };
    nsm_cone_status s = nsm_cone_solve(&b.p, &o, b.work, b.lambda, b.u, &b.r);
    assert_int_equal(s, once ? NSM_CONE_FAILED : NSM_CONE_NO_SOLUTION);
    assert_string_equal(b.r.solver, once ? "nsgs" : "farkas");
  }
  bench_close(&b);
}

// Any matrix, with a solution made first: found or not, but never denied.
static void solvable_is_never_denied(void **state) {
  (void)state;
  for (int m = 1; m <= 16; m++)
    for (int trial = 0; trial < 60; trial += THIN) {
      bench b = bench_open(m, 0, 0);
      if (trial % 2) fill_semidefinite(&b, m / 2, trial % 4 == 1 ? 1.0 : 0.0);
      else for (int i = 0; i < m * m; i++) b.M[i] = draw();
      fill_bounds(&b, trial % 3 ? 31 : 5);
      fill_consistent_q(&b);
      for (const char *const *s = nsm_cone_solver_names(); *s; s++) {
        bench_solve(&b, *s, 0);
        if (b.r.status == NSM_CONE_SOLVED) assert_solved(&b);
        else assert_int_equal(b.r.status, NSM_CONE_FAILED);
      }
      bench_close(&b);
    }
}

// Three equal ratios at every step: without its rule for ties, Lemke's path may come back to where it was (Kostreva
// 1979).
static void ties(void **state) {
  (void)state;
  for (int copies = 1; copies <= 5; copies++) {
    int m = 3 * copies;
    bench b = bench_open(m, 0, 0);
    for (int i = 0; i < m; i++) {
      int next = i / 3 * 3 + (i + 1) % 3;
      b.M[i + i * m] = 1;
      b.M[i + next * m] = 2;
      b.q[i] = -1;
    }
    bench_solve(&b, "lemke", 0);
    assert_solved(&b);
    bench_solve(&b, NULL, 0);
    assert_solved(&b);
    bench_close(&b);
  }
}

// One workspace, one matrix, one solver after another: factors of the shifted matrix are not those of the matrix.
static void solvers_in_turn(void **state) {
  (void)state;
  bench b = bench_open(9, 0, 0);
  fill_semidefinite(&b, 9, 0.3);
  for (int i = 0; i < 9; i++) b.M[i + 9 * i] += 1;
  b.p.matrix_id = 4;
  const char *const order[] = { "pivot", "proximal", "pivot", "nsgs", "lemke", "nsgs", "proximal", "auto" };
  for (int k = 0; k < 40; k++) {
    for (int i = 0; i < 9; i++) b.q[i] = draw();
    const char *s = order[k % 8];
    if (strcmp(s, "nsgs")) { bench_solve(&b, s, k % 3 == 0); assert_solved(&b); }
    else { bench_solve(&b, s, 0); if (b.r.status == NSM_CONE_SOLVED) assert_solved(&b); }
  }
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(proof_by_hand),
    cmocka_unit_test(round_off_of_terms_proves_nothing),
    cmocka_unit_test(who_looks_for_a_proof),
    cmocka_unit_test(solvable_is_never_denied),
    cmocka_unit_test(ties),
    cmocka_unit_test(solvers_in_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
