// Large coupled systems (rows_couple.c, augmented.c): what follows the active rows gives what the patterns of all rows
// give, the system of motion and multipliers what the one-step matrix gives, and a state in the middle goes on with the
// same bits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/compile_text.h"
#include "tests/unit/thin.h"
#include "runtime/sim.h"
#include "runtime/assembly/augmented.h"

static const nsm_settings own = { .until = NAN, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN };

// A chain between walls, with what may hold each mass.
#define CHAIN(spring, contacts)                                                                                        \
  "model Chain { param n = 400, g = 9.81; coord u[n] = 0; kinetic sum(i in 1:n) 0.1*u[i]'^2/2;"                        \
  " potential sum(i in 1:n) 0.1*g*u[i] + 500*(u[1]^2 + u[n]^2);"                                                       \
  " potential sum(i in 1:n-1) (" spring "); for i in 1:n {" contacts "}"                                               \
  " simulate { until = 0.1, step = 1e-3, scheme = moreau(theta = 1/2) } }"
#define SPRING "500*(u[i+1] - u[i])^2"
#define STOP "contact stop[i]: u[i] + 0.005*(1 + sin(i*pi/40)) >= 0 with newton(0.5);"

static const char *const chains[] = {
  CHAIN(SPRING, STOP),                                                              // matrices are constant
  CHAIN(SPRING "+ 1e5*(u[i+1] - u[i])^4", STOP),                                    // they change in each iteration
  CHAIN(SPRING, STOP "contact again[i]: u[i] + 0.005*(1 + sin(i*pi/40)) >= 0 with newton(0.5);"
                     "contact lid[i]: 0.015 - u[i] >= 0 with newton(0);")           // dependent rows
};

typedef struct compiled { Compilation *c; Jit *j; } compiled;

static compiled compile(const char *text) {
  JitStatus status;
  const char *why = "";
  compiled x = { .c = compile_text(text, STAGE_C) };
  x.j = jit_compile(x.c->arena, JIT_TCC, text_str(&x.c->c), &x.c->kernels, &status, &why);
  if (!x.j) fail_msg("%s", why);
  return x;
}

static void drop(compiled *x) {
  jit_free(x->j);
  compilation_free(x->c);
}

static nsm_sim *open_model(const compiled *x) {
  nsm_error e;
  nsm_sim *s = nsm_open(jit_model(x->j), &own, &e);
  if (!s) fail_msg("%s", e.text);
  return s;
}

static void same(const nsm_sim *a, const nsm_sim *b, double within) {
  double q = 0, v = 0, dq = 0, dv = 0;
  for (int i = 0; i < a->a->nq; i++) {
    q = fmax(q, fabs(a->now.q[i]));
    v = fmax(v, fabs(a->now.z[i]));
    dq = fmax(dq, fabs(a->now.q[i] - b->now.q[i]));
    dv = fmax(dv, fabs(a->now.z[i] - b->now.z[i]));
  }
  assert_true(dq <= within * q && dv <= within * v);
}

static void motion_and_multipliers(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof chains / sizeof *chains; k += THIN > 1 ? 2 : 1) {    // the second: other numbers
    compiled c = compile(chains[k]);
    nsm_sim *a = open_model(&c), *b = open_model(&c);
    nsm_error e;
    long whole = 0;
    assert_non_null(a->n.r.augmented);
    b->n.r.augmented = NULL;                             // X and M_osns of the active rows
    long end = THIN > 1 ? nsm_steps_total(a) / 2 : nsm_steps_total(a);
    while (nsm_steps_done(a) < end) {
      if (nsm_step(a, &e) != NSM_OK || nsm_step(b, &e) != NSM_OK) fail_msg("%s", e.text);
      whole += a->n.r.whole;
      assert_true(!b->n.r.whole);
      same(a, b, 1e-9);
    }
    assert_true(whole > (THIN > 1 ? 10 : 50) && a->now.count.impacts > (THIN > 1 ? 100 : 300));
    nsm_close(a);
    nsm_close(b);
    drop(&c);
  }
}

// An answer that is not one is refused.
static void the_verifier(void **state) {
  (void)state;
  compiled c = compile(chains[0]);
  nsm_sim *s = open_model(&c);
  nsm_error e;
  do assert_int_equal(nsm_step(s, &e), NSM_OK);
  while (!s->n.r.whole);
  sim_islands *is = &s->n.isl;
  int n = s->n.w.n;
  double *dz = calloc((size_t)n, sizeof *dz), *u = calloc((size_t)s->n.r.n, sizeof *u),
         *scratch[2] = { calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double)) };
  sim_augmented_motion(s, dz);
  assert_true(sim_augmented_residual(s, dz, is->lambda, u, scratch) <= 1e-12);
  for (int i = 0; i < is->nactive; i += 7) {
    double kept = is->lambda[i];
    is->lambda[i] = kept > 0 ? kept * (1 + 1e-9) : 1e-9;
    assert_true(sim_augmented_residual(s, dz, is->lambda, u, scratch) > 1e-12);
    is->lambda[i] = kept;
  }
  dz[n / 2] *= 1 + 1e-9;
  assert_true(sim_augmented_residual(s, dz, is->lambda, u, scratch) > 1e-12);
  free(dz);
  free(u);
  free(scratch[0]);
  free(scratch[1]);
  nsm_close(s);
  drop(&c);
}

// A contact whose gap is three times as long has nine times the inertia, H W^-1 H^T.
static void inertias_of_rows(void **state) {
  (void)state;
  double inertia[2];
  const char *const text[] = { CHAIN(SPRING, STOP),
    CHAIN(SPRING, "contact stop[i]: 3*(u[i] + 0.005*(1 + sin(i*pi/40))) >= 0 with newton(0.5);") };
  for (int k = 0; k < 2; k++) {
    compiled c = compile(text[k]);
    nsm_sim *s = open_model(&c);
    nsm_error e;
    do assert_int_equal(nsm_step(s, &e), NSM_OK);
    while (!s->n.r.whole);
    inertia[k] = sim_assembly_inertia(s, 200);
    nsm_close(s);
    drop(&c);
  }
  assert_true(inertia[0] > 0 && fabs(inertia[1] - 9 * inertia[0]) <= 1e-12 * inertia[1]);
}

static void a_state_in_the_middle(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof chains / sizeof *chains; k += THIN) {     // memory: the others differ in numbers alone
    compiled c = compile(chains[k]);
    nsm_sim *a = open_model(&c), *b = open_model(&c);
    nsm_error e;
    void *kept = NULL;
    while (nsm_steps_done(a) < nsm_steps_total(a)) {
      if (nsm_steps_done(a) == 60) { kept = malloc(nsm_state_size(a)); nsm_save(a, kept); }
      assert_int_equal(nsm_step(a, &e), NSM_OK);
    }
    assert_int_equal(nsm_restore(b, kept, &e), NSM_OK);
    while (nsm_steps_done(b) < nsm_steps_total(b)) assert_int_equal(nsm_step(b, &e), NSM_OK);
    assert_memory_equal(a->now.q, b->now.q, (size_t)a->a->nq * sizeof(double));
    assert_memory_equal(a->now.z, b->now.z, (size_t)a->a->nz * sizeof(double));
    free(kept);
    nsm_close(a);
    nsm_close(b);
    drop(&c);
  }
}

// Disks in a row that fall on a floor, with friction: all pairs, or the neighbours alone, which are the only ones that
// meet.
#define DISKS(pairs)                                                                                                   \
  "model Disks { param n = 40; coord x[n] = 0, z[n] = 0.1, x'[n] = 0.2;"                                               \
  " kinetic sum(i in 1:n) (x[i]'^2 + z[i]'^2)/2; potential sum(i in 1:n) 9.81*z[i];"                                   \
  pairs                                                                                                                \
  " for i in 1:n { contact floor[i] { normal = z[i]; slip = x[i]'; with newton(0), coulomb(0.1 + 0.01*i); } }"         \
  " simulate { until = 0.4, step = 2e-3, scheme = moreau(theta = 1/2) } }"
#define PAIR                                                                                                           \
  " contact pair[i, j] { normal = x[j] - x[i] + 0.001*(j - i); slip = z[j]' - z[i]'; with newton(0.5), coulomb(0.2); }"

static void all_pairs(void **state) {
  (void)state;
  compiled all = compile(DISKS("for i in 1:n-1 { for j in i+1:n {" PAIR "} }")),
           few = compile(DISKS("for i in 1:n-1 { for j in i+1:i+1 {" PAIR "} }"));
  nsm_sim *a = open_model(&all), *b = open_model(&few);
  nsm_error e;
  assert_true(a->n.r.m_follows && !b->n.r.m_follows);
  assert_true(a->taken < 4 * b->taken);
  while (nsm_steps_done(a) < nsm_steps_total(a)) {
    if (nsm_step(a, &e) != NSM_OK || nsm_step(b, &e) != NSM_OK) fail_msg("%s", e.text);
    same(a, b, 1e-9);
  }
  assert_true(a->now.count.impacts >= 40 && a->now.count.impacts == b->now.count.impacts);
  nsm_close(a);
  nsm_close(b);
  drop(&all);
  drop(&few);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(motion_and_multipliers), cmocka_unit_test(the_verifier), cmocka_unit_test(inertias_of_rows),
    cmocka_unit_test(a_state_in_the_middle), cmocka_unit_test(all_pairs)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
