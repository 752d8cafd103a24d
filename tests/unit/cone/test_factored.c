// Problems in factors, M = C X: the same as multiplied out, checked by their own verifier, which must refuse what is
// wrong.
#include "bench.h"
#include "packing.h"
#include "runtime/cone/solver.h"
#include <stdio.h>

typedef struct factored { packing k; nsm_cone_factors f; nsm_cone_problem p; int *first, *start, *z; size_t *at;
                          double *c, *x, *lambda, *u; nsm_cone_work *work; } factored;

static void take_work(factored *a) {
  size_t bytes = nsm_cone_factors_workspace(a->p.m, a->f.nodes, a->f.n);
  a->work = malloc(bytes);
  assert_non_null(a->work);
  nsm_cone_workspace_init(a->work, bytes);
  a->lambda = packing_new((size_t)a->p.m, sizeof *a->lambda);
  a->u = packing_new((size_t)a->p.m, sizeof *a->u);
}

static factored take(packing k, double heaviest, packing_state state) {
  packing_problem(&k, 0.3, heaviest, state);
  size_t n = (size_t)k.contacts;
  factored a = { .k = k, .first = packing_new(n + 1, sizeof(int)), .start = packing_new(n + 1, sizeof(int)),
                 .z = packing_new(12 * n, sizeof(int)), .at = packing_new(n + 1, sizeof(size_t)),
                 .c = packing_new(36 * n, sizeof(double)), .x = packing_new(36 * n, sizeof(double)) };
  for (int c = 0; c < k.contacts; c++) {
    int e = k.pair[c][1] >= 0 ? 12 : 6;
    for (int s = 0; s < e / 6; s++) {
      double H[18], b = k.radius[k.pair[c][s]];
      packing_rows(&k, c, s, H);
      for (int i = 0; i < 6; i++) {
        double w = (i < 3 ? 1 : 2.5 / (b * b)) / k.mass[k.pair[c][s]];
        a.z[a.start[c] + 6 * s + i] = 6 * k.pair[c][s] + i;
        for (int r = 0; r < 3; r++) {
          size_t to = a.at[c] + (size_t)(r * e + 6 * s + i);
          a.c[to] = H[6 * r + i];
          a.x[to] = H[6 * r + i] * w;
        }
      }
    }
    a.first[c + 1] = 3 * (c + 1);
    a.start[c + 1] = a.start[c] + e;
    a.at[c + 1] = a.at[c] + 3 * (size_t)e;
  }
  return a;
}

static void open_factors(factored *a) {
  a->f = (nsm_cone_factors){ .n = 6 * a->k.balls, .nodes = a->k.contacts, .first = a->first, .start = a->start,
                             .z = a->z, .c = a->c, .x = a->x, .at = a->at };
  a->p = (nsm_cone_problem){ .m = a->k.rows, .q = a->k.q, .lo = a->k.none, .hi = a->k.none, .cones = a->k.contacts,
                             .cone = a->k.cone, .factors = &a->f };
  take_work(a);
}

static void end(factored *a) {
  free(a->first); free(a->start); free(a->z); free(a->at); free(a->c); free(a->x);
  free(a->lambda); free(a->u); free(a->work);
  packing_free(&a->k);
}

static nsm_cone_result solve(factored *a, double tolerance, int warm) {
  nsm_cone_options o = { .tolerance = tolerance, .warm = warm };
  nsm_cone_result r;
  nsm_cone_status status = nsm_cone_solve(&a->p, &o, a->work, a->lambda, a->u, &r);
  if (getenv("NSM_SHOW")) printf("%g: %g after %d of %d rows\n", tolerance, r.residual, r.iterations, a->p.m);
  assert_int_equal(status, NSM_CONE_SOLVED);
  assert_true(r.residual <= tolerance);
  return r;
}

// The answer is one of the problem multiplied out: by the laws in words, with u from M.
static void laws(const factored *a, double tolerance) {
  const packing *k = &a->k;
  double most = 0, fast = 0;
  for (int i = 0; i < k->rows; i++) { most = fmax(most, fabs(a->lambda[i])); fast = fmax(fast, fabs(k->q[i])); }
  for (int c = 0; c < k->contacts; c++) {
    double u[3];
    for (int r = 0; r < 3; r++) {
      int i = 3 * c + r;
      u[r] = k->q[i];
      for (int e = k->row_start[i]; e < k->row_start[i + 1]; e++) u[r] += k->M[e] * a->lambda[k->col[e]];
      assert_true(fabs(u[r] - a->u[i]) <= 1e-13 * (fast + most));
    }
    const double *l = a->lambda + 3 * c;
    double slip = hypot(u[1], u[2]);
    assert_true(l[0] >= 0 && hypot(l[1], l[2]) <= 0.3 * l[0] * (1 + 1e-12));
    assert_true(u[0] >= -tolerance * fast && l[0] * u[0] <= tolerance * most * fast);
    assert_true(0.3 * l[0] * slip + l[1] * u[1] + l[2] * u[2] <= tolerance * most * fast);
  }
}

static void piles(void **state) {
  (void)state;
  packing_seed = 3;
  const struct { int size; double heaviest, tolerance; packing_state state; } of[] = {
    { 4, 1, 1e-4, PACKING_REST }, { 3, 1, 1e-8, PACKING_REST }, { 4, 1, 1e-6, PACKING_SHAKEN },
    { 3, 30, 1e-6, PACKING_SHAKEN }, { 0, 10, 1e-6, PACKING_SHAKEN }         // 0: a heap of different radii
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    int n = of[i].size;
    factored a = take(n > 0 ? packing_pyramid(n, n, n, 0) : packing_heap(60, 8, 0.3), of[i].heaviest, of[i].state);
    open_factors(&a);
    int cold = solve(&a, of[i].tolerance, 0).iterations;
    laws(&a, 100 * of[i].tolerance);
    assert_true(solve(&a, 10 * of[i].tolerance, 1).iterations < cold);      // it rests
    end(&a);
  }
}

// Each of these is no answer, and the verifier says so.
static void refused(void **state) {
  (void)state;
  packing_seed = 3;
  factored a = take(packing_pyramid(3, 4, 3, 0), 1, PACKING_SHAKEN);
  open_factors(&a);
  solve(&a, 1e-8, 0);
  double *kept = packing_new((size_t)a.p.m, sizeof *kept), most = 0;
  memcpy(kept, a.lambda, (size_t)a.p.m * sizeof *kept);
  for (int i = 0; i < a.p.m; i++) most = fmax(most, fabs(kept[i]));
  int largest = 0, open = -1;
  for (int c = 0; c < a.p.cones; c++) {
    if (kept[3 * c] > kept[3 * largest]) largest = c;
    if (kept[3 * c] == 0 && a.u[3 * c] > 1e-3) open = c;
  }
  assert_true(open >= 0);
  for (int wrong = 0; wrong < 6; wrong++) {
    memcpy(a.lambda, kept, (size_t)a.p.m * sizeof *kept);
    if (wrong == 0) a.lambda[3 * largest] *= 1.01;                          // a force too large
    if (wrong == 1) a.lambda[3 * largest + 1] = 0.31 * kept[3 * largest];   // out of its cone
    if (wrong == 2) a.lambda[3 * open] = 0.02 * most;                       // where the contact opens
    if (wrong == 3) a.lambda[3 * open] = -0.02 * most;                      // a force that pulls
    if (wrong == 4) memset(a.lambda, 0, (size_t)a.p.m * sizeof *kept);
    if (wrong == 5) a.lambda[3 * largest] = NAN;
    double r = nsm_cone_factors_distance(&a.p, a.work, a.lambda, NULL, NULL);
    if (getenv("NSM_SHOW")) printf("wrong %d: %g\n", wrong, r);
    assert_true(r > 1e-4);
  }
  memcpy(a.lambda, kept, (size_t)a.p.m * sizeof *kept);
  assert_true(nsm_cone_factors_distance(&a.p, a.work, a.lambda, NULL, NULL) <= 1e-8);
  free(kept);
  end(&a);
}

// A body between two jaws that close: u_1 + u_2 = -2 whatever the forces, and no force is the answer. Sweeps make them
// as large as they like, so that the rates are small beside their terms; they are not beside q.
static void jaws(void **state) {
  (void)state;
  int first[] = { 0, 3, 6 }, start[] = { 0, 3, 6 }, z[] = { 0, 1, 2, 0, 1, 2 };
  double c[18] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, 1 }, q[6] = { -1, 0, 0, -1, 0, 0 },
         none[6] = { 0 };
  size_t at[] = { 0, 9, 18 };
  nsm_cone_block cone[] = { { NSM_CONE_COULOMB, 0, 3, 0.3, 0, 0 }, { NSM_CONE_COULOMB, 3, 3, 0.3, 0, 0 } };
  factored a = { .f = { .n = 3, .nodes = 2, .first = first, .start = start, .z = z, .c = c, .x = c, .at = at } };
  a.p = (nsm_cone_problem){ .m = 6, .q = q, .lo = none, .hi = none, .cones = 2, .cone = cone, .factors = &a.f };
  take_work(&a);
  nsm_cone_options o = { .tolerance = 1e-4, .accept = 1e-2 };
  nsm_cone_result r;
  assert_int_equal(nsm_cone_solve(&a.p, &o, a.work, a.lambda, a.u, &r), NSM_CONE_FAILED);
  for (double force = 1; force <= 1e17; force *= 10) {
    double lambda[6] = { force, 0, 0, force + 1, 0, 0 };
    assert_true(nsm_cone_factors_distance(&a.p, a.work, lambda, NULL, NULL) > 1e-2);
  }
  double M[36] = { 0 };
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 3; k++) M[i + 6 * j] += c[3 * i + k] * c[3 * j + k];
  size_t bytes = nsm_cone_workspace_size_with(6, 36, 6, 2);
  nsm_cone_problem out = { .m = 6, .M = M, .q = q, .lo = none, .hi = none, .cones = 2, .cone = cone };
  void *work = malloc(bytes);
  assert_non_null(work);
  nsm_cone_workspace_init(work, bytes);
  o.solver = "sweeps";
  memset(a.lambda, 0, 6 * sizeof *a.lambda);
  nsm_cone_status status = nsm_cone_solve(&out, &o, work, a.lambda, a.u, &r);
  if (getenv("NSM_SHOW")) printf("multiplied out: %d, %g, force %g\n", status, r.residual, a.lambda[0]);
  assert_true(status == NSM_CONE_FAILED || status == NSM_CONE_NO_SOLUTION);
  free(work);
  free(a.lambda); free(a.u); free(a.work);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(piles), cmocka_unit_test(refused), cmocka_unit_test(jaws) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
