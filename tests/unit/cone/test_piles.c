// Piles of spheres with friction, rank-deficient: by the path of smoothed problems (sigma_path.c), checked as all
// answers are, and by the laws in words.
#include "bench.h"
#include "packing.h"
#include <stdio.h>

// Solves packing k by `solver`, tolerance 1e-8, a minute at most; frees it.
static void solve(packing k, double heaviest, packing_state state, const char *solver, const char *expected) {
  packing_problem(&k, 0.3, heaviest, state);
  size_t rows = (size_t)k.rows, bytes = nsm_cone_workspace_size_with(k.rows, (size_t)k.row_start[k.rows], k.rows,
                                                                      k.contacts);
  void *work = malloc(bytes);
  double *lambda = packing_new(rows, sizeof *lambda), *u = packing_new(rows, sizeof *u);
  assert_non_null(work);
  nsm_cone_workspace_init(work, bytes);
  nsm_cone_options o = { .solver = solver, .tolerance = 1e-8, .budget = 60 };
  nsm_cone_result r;
  assert_int_equal(nsm_cone_solve(&k.p, &o, work, lambda, u, &r), NSM_CONE_SOLVED);
  assert_string_equal(r.solver, expected);
  assert_true(nsm_cone_residual(&k.p, lambda, NULL, NULL) <= 1e-8);
  double most = 0;
  for (int i = 0; i < k.rows; i++) most = fmax(most, fabs(lambda[i]));
  for (int c = 0; c < k.contacts; c++) {
    const double *l = lambda + 3 * c;
    assert_true(hypot(l[1], l[2]) <= 0.3 * l[0] * (1 + 1e-7) + 1e-9 * most);
    assert_true(u[3 * c] >= -1e-7 && l[0] * u[3 * c] <= 1e-7 * most);
  }
  free(work);
  free(lambda);
  free(u);
  packing_free(&k);
}

static void cannonballs(void **state) {
  (void)state;
  packing_seed = 1;
  solve(packing_pyramid(4, 4, 4, 0), 1, PACKING_REST, "sigma", "sigma");
  solve(packing_pyramid(4, 4, 4, 0), 1, PACKING_SHAKEN, "sigma", "sigma");
  solve(packing_pyramid(4, 4, 4, 0), 100, PACKING_REST, "sigma", "sigma");
}

static void others(void **state) {
  (void)state;
  packing_seed = 2;
  solve(packing_pyramid(5, 6, 4, 0.05), 30, PACKING_SHAKEN, NULL, "sigma");
  solve(packing_heap(60, 8, 0.3), 100, PACKING_REST, NULL, "sigma");
}

// Masses 1 : 100 on 960 contacts, where what makes tau smaller from step to step stalls at a fold.
static void through_folds(void **state) {
  (void)state;
  if (THIN > 1) return;                                    // the same code as above, on more contacts
  packing_seed = 1;
  solve(packing_pyramid(8, 8, 8, 0), 100, PACKING_REST, "sigma", "sigma");
}

typedef struct pile { packing k; void *work; double *lambda, *u; } pile;

static pile open_pile(int size, packing_state state, double heaviest) {
  pile p = { .k = packing_pyramid(size, size, size, 0) };
  packing_problem(&p.k, 0.3, heaviest, state);
  size_t rows = (size_t)p.k.rows, bytes = nsm_cone_workspace_size_with(p.k.rows, (size_t)p.k.row_start[p.k.rows],
                                                                        p.k.rows, p.k.contacts);
  p.work = malloc(bytes);
  p.lambda = packing_new(rows, sizeof *p.lambda);
  p.u = packing_new(rows, sizeof *p.u);
  assert_non_null(p.work);
  nsm_cone_workspace_init(p.work, bytes);
  return p;
}

static void close_pile(pile *p) {
  free(p->work);
  free(p->lambda);
  free(p->u);
  packing_free(&p->k);
}

// As in time-stepping: the next problem differs a little, the forces of the last one are the guess. The proximal loop
// does then, by a few factorizations and fewer iterations than from nothing; where it may not begin, sweeps on the
// bodies do.
static void warm(void **state) {
  (void)state;
  packing_seed = 1;
  pile p = open_pile(6, PACKING_SHAKEN, 1);
  nsm_cone_options o = { .tolerance = 1e-7, .budget = 60 };
  nsm_cone_result r;
  assert_int_equal(nsm_cone_solve(&p.k.p, &o, p.work, p.lambda, p.u, &r), NSM_CONE_SOLVED);
  int cold = r.iterations;
  o.warm = 1;
  for (int i = 0; i < p.k.rows; i++) p.k.q[i] *= 1 + 1e-6 * sin(i);
  assert_int_equal(nsm_cone_solve(&p.k.p, &o, p.work, p.lambda, p.u, &r), NSM_CONE_SOLVED);
  if (getenv("NSM_SHOW")) printf("cold %d, warm %d\n", cold, r.iterations);
  assert_string_equal(r.solver, "proximal_newton");
  assert_true(r.iterations <= 8 && r.iterations < cold / 2);
  assert_true(nsm_cone_residual(&p.k.p, p.lambda, NULL, NULL) <= 1e-7);
  o.solver = "sigma";
  for (int i = 0; i < p.k.rows; i++) p.k.q[i] *= 1 + 1e-6 * cos(i);
  assert_int_equal(nsm_cone_solve(&p.k.p, &o, p.work, p.lambda, p.u, &r), NSM_CONE_SOLVED);
  assert_true(r.iterations < cold / 2 && nsm_cone_residual(&p.k.p, p.lambda, NULL, NULL) <= 1e-7);
  close_pile(&p);
}

// Where there is no time, the best of all that was checked comes back, by the residual that the verifier names at last.
static void best_comes_back(void **state) {
  (void)state;
  packing_seed = 1;
  pile p = open_pile(THIN > 1 ? 6 : 8, PACKING_REST, 100);
  nsm_cone_options o = { .solver = "sigma", .tolerance = 1e-12, .accept = 1e-2, .max_iterations = 12, .once = 1,
                         .budget = 60 };
  nsm_cone_result r;
  assert_int_equal(nsm_cone_solve(&p.k.p, &o, p.work, p.lambda, p.u, &r), NSM_CONE_ACCEPTED);
  double residual = nsm_cone_residual(&p.k.p, p.lambda, NULL, NULL);
  if (getenv("NSM_SHOW")) printf("accepted with %g\n", residual);
  assert_true(residual <= 1e-2 && residual > 1e-12);
  o.accept = 0;
  assert_int_equal(nsm_cone_solve(&p.k.p, &o, p.work, p.lambda, p.u, &r), NSM_CONE_FAILED);
  assert_true(nsm_cone_residual(&p.k.p, p.lambda, NULL, NULL) <= 1e-2);
  close_pile(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(cannonballs), cmocka_unit_test(others),
                                      cmocka_unit_test(through_folds), cmocka_unit_test(warm),
                                      cmocka_unit_test(best_comes_back) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
