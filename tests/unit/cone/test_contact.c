// One block alone, of every type: exact answers for random M (definite, semidefinite, with a skew part) and for M of no
// kind in the plane.
#include "contacts.h"

static const nsm_cone_type types[] = { NSM_CONE_COULOMB, NSM_CONE_ELLIPTIC, NSM_CONE_CONTENSOU, NSM_CONE_GRIP,
                                       NSM_CONE_DISK, NSM_CONE_ELLIPSE };
static const double mus[] = { 0, 1e-6, 1e-3, 0.1, 0.3, 1, 3, 10, 1e4 };

static void definite(void **state) {
  (void)state;
  for (int trial = 0; trial < 40000; trial++) {
    nsm_cone_block k = block_of(types[trial % 6], trial / 6 % 2, 0, mus[trial / 12 % 9]);
    int n = k.size;
    double lambda_scale = pow(10, 6 * draw()), matrix_scale = pow(10, 6 * draw());
    bench b = bench_open(n, 0, 0);
    fill_semidefinite(&b, n, trial % 3 ? 0 : 0.5);
    for (int i = 0; i < n; i++) b.M[i + i * n] += 1e-3;
    for (int i = 0; i < n * n; i++) b.M[i] *= matrix_scale;
    for (int i = 0; i < n; i++) b.q[i] = draw() * lambda_scale * matrix_scale;
    if (trial % 7 == 0) b.q[0] = 0;
    if (nsm_cone_is_given(k.type)) k.radius *= lambda_scale;
    b.p.cone = &k;
    b.p.cones = 1;
    bench_solve(&b, trial % 2 ? NULL : "contact", 0);
    assert_laws(&b);
    bench_close(&b);
  }
}

// M of any rank; q such that an answer exists.
static void semidefinite(void **state) {
  (void)state;
  int missed = 0;
  for (int trial = 0; trial < 40000; trial++) {
    nsm_cone_block k = block_of(types[trial % 6], trial / 6 % 2, 0, mus[3 + trial / 12 % 4]);
    int n = k.size;
    bench b = bench_open(n, 0, 0);
    double u[4];
    fill_semidefinite(&b, trial / 40 % (n + 1), 0);
    block_answer(&k, trial / 200 % MODES, 1, b.lambda, u);
    for (int i = 0; i < n; i++) {
      b.q[i] = u[i];
      for (int j = 0; j < n; j++) b.q[i] -= b.M[i + j * n] * b.lambda[j];
    }
    b.p.cone = &k;
    b.p.cones = 1;
    bench_solve(&b, NULL, 0);
    missed += b.r.status != NSM_CONE_SOLVED;
    if (b.r.status == NSM_CONE_SOLVED) assert_laws(&b);
    bench_close(&b);
  }
  assert_true(missed < 60);   // singular M with a self-stress inside the cone: h has poles and roots far apart
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(definite), cmocka_unit_test(semidefinite) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
