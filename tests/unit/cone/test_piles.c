// Piles of spheres with friction, rank-deficient: by the path of smoothed problems (sigma_path.c), judged as all
// answers are, and by the laws in words.
#include "bench.h"
#include "packing.h"

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
  packing_seed = 1;
  solve(packing_pyramid(8, 8, 8, 0), 100, PACKING_REST, "sigma", "sigma");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(cannonballs), cmocka_unit_test(others),
                                      cmocka_unit_test(through_folds) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
