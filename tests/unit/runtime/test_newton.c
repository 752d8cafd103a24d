// The general step: it repeats what the short one gives on linear models, has order two on smooth motion, and converges
// on nonlinear laws.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/clock/clock.h"
#include "fixtures.h"
#include "fixtures_small.h"

static nsm_sim *open_at(const nsm_model *m, double step, double until) {
  nsm_settings set = { .until = until, .step = step, .start = NAN, .theta = NAN, .gamma = NAN };
  nsm_error e;
  nsm_sim *s = nsm_open(m, &set, &e);
  if (!s) fail_msg("%s", e.text);
  return s;
}

static void run(nsm_sim *s) {
  nsm_error e;
  while (nsm_steps_done(s) < nsm_steps_total(s))
    if (nsm_step(s, &e) != NSM_OK) fail_msg("%s", e.text);
}

static double final(const nsm_model *m, double step, double until, const char *name) {
  nsm_sim *s = open_at(m, step, until);
  run(s);
  double *row = calloc((size_t)nsm_ncolumn(s), sizeof *row);
  nsm_read(s, row);
  int c = nsm_find_column(s, name);
  assert_true(c >= 0);
  double x = row[c];
  free(row);
  nsm_close(s);
  return x;
}

static void same_both_ways(const nsm_model *m, double until) {
  nsm_settings set = { .until = until, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN, .general = 1 };
  nsm_error e;
  nsm_sim *a = open_at(m, NAN, until), *b = nsm_open(m, &set, &e);
  if (!b) fail_msg("%s", e.text);
  assert_true(a->a->linear && !b->a->linear && !b->a->one_iteration);
  while (nsm_steps_done(a) < nsm_steps_total(a)) {
    if (nsm_step(a, &e) != NSM_OK || nsm_step(b, &e) != NSM_OK) fail_msg("%s", e.text);
    for (int i = 0; i < a->a->nq; i++) assert_true(fabs(a->now.q[i] - b->now.q[i]) <= 1e-9);
    for (int i = 0; i < a->a->nz; i++) assert_true(fabs(a->now.z[i] - b->now.z[i]) <= 1e-9);
  }
  assert_true(a->now.count.impacts == b->now.count.impacts);
  nsm_close(a);
  nsm_close(b);
}

static void linear_models_both_ways(void **state) {
  (void)state;
  same_both_ways(ball_model(), NAN);
  same_both_ways(bridge_model(), 1e-3);
  same_both_ways(column_model(), 1);
  same_both_ways(stop_model(), 5);
  same_both_ways(relay_model(), NAN);
}

// Errors at h and h/2 against a much finer step: their ratio is 4 for order two.
static void order_two(const nsm_model *m, double h, const char *name) {
  double reference = final(m, h / 64, NAN, name);
  double ratio = (final(m, h, NAN, name) - reference) / (final(m, h / 2, NAN, name) - reference);
  assert_true(ratio > 3.8 && ratio < 4.2);
}

static void smooth_order(void **state) {
  (void)state;
  order_two(pendulum_model(), 0.02, "q");
  order_two(pendulum_model(), 0.02, "q'");
  order_two(varying_model(), 0.02, "q");
}

static void varying_mass_invariant(void **state) {
  (void)state;
  double q = final(varying_model(), 1e-3, 4, "q"), v = final(varying_model(), 1e-3, 4, "q'");
  assert_true(fabs(v * sqrt(1 + q * q) - 0.5) < 1e-7);
}

static void rod_follows_the_angle(void **state) {
  (void)state;
  double angle = final(pendulum_model(), 2e-5, 2, "q"), error[2];
  for (int i = 0; i < 2; i++) error[i] = fabs(final(rod_model(), i ? 5e-4 : 1e-3, 2, "x") - sin(angle));
  assert_true(error[0] < 1e-6 && error[1] < 0.3 * error[0]);     // second order
}

static void cubic_relation(void **state) {
  (void)state;
  assert_true(fabs(final(cubic_model(), NAN, NAN, "x")) < 1e-14);
  assert_true(fabs(final(cubic_model(), NAN, NAN, "lambda") - 0.68232780382801932737) < 1e-12);
}

// Not a step divisor: the last step is shorter, lands on the end, and the result is that of the exact length.
static void shortened_last_step(void **state) {
  (void)state;
  nsm_sim *s = open_at(stop_model(), 0.3, 1);
  assert_int_equal(nsm_steps_total(s), 4);
  run(s);
  assert_true(nsm_time(s) == 1.0);
  double q = s->now.q[0];
  nsm_reset(s);
  run(s);
  assert_true(s->now.q[0] == q);                       // bit by bit, after another factorization
  nsm_close(s);
  s = open_at(stop_model(), 5, 1);
  assert_int_equal(nsm_steps_total(s), 1);
  run(s);
  assert_true(nsm_time(s) == 1.0);
  nsm_close(s);
}

// theta = gamma = 1/2 on the bridge: closer to the closed form of the circuit than theta = 1/2, gamma = 1
// (docs/numerics/moreau.md, 8).
static void bridge_gamma(void **state) {
  (void)state;
  double worst[2] = { 0, 0 };
  for (int i = 0; i < 2; i++) {
    nsm_settings set = { .until = 1e-3, .step = 1e-6, .start = NAN, .theta = 0.5, .gamma = i ? 0.5 : 1 };
    nsm_error e;
    nsm_sim *s = nsm_open(bridge_model(), &set, &e);
    if (!s) fail_msg("%s", e.text);
    double a = 1 / (2 * 1e3 * 1e-6), w = sqrt(1 / (1e-2 * 1e-6) - a * a);
    while (nsm_steps_done(s) < nsm_steps_total(s)) {
      if (nsm_step(s, &e) != NSM_OK) fail_msg("%s", e.text);
      double t = nsm_time(s), exact = 10 * exp(-a * t) * (cos(w * t) - a / w * sin(w * t));
      worst[i] = fmax(worst[i], fabs(s->now.z[0] - exact));
    }
    nsm_close(s);
  }
  printf("bridge: gamma = 1: %.2g V, gamma = 1/2: %.2g V off the closed form\n", worst[0], worst[1]);
  assert_true(worst[1] < worst[0] && worst[1] < 1e-2);
}

// ---- springs between the beads of the column: W and M_osns are no longer diagonal and tridiagonal -------------------
static int spring_stride, spring_ring;   // which beads are joined: i and i + stride (around the ring)
static long springs_fill(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  long n = (long)g->p[0], count = spring_ring ? n : n - spring_stride;
  if (ix)
    for (long i = 0; i < count; i++) {
      double a = (double)i + 1, b = (double)((i + spring_stride) % n) + 1;
      ix[2 * i] = nsm_at(s, 0, 8, 1, &a);
      ix[2 * i + 1] = nsm_at(s, 0, 8, 1, &b);
      num[i] = 50 + 10 * (double)(i % 3);
    }
  return count;
}
static void springs_f(const nsm_view *w, const nsm_table *t, double *fv, double *fx) {
  (void)fx;
  for (int k = 0; k < t->count; k++) {
    int a = t->ix[2 * k], b = t->ix[2 * k + 1];
    double f = t->num[k] * (w->q[a] - w->q[b]) + 2 * (w->v[a] - w->v[b]);
    fv[a] -= f;
    fv[b] += f;
  }
}
static void springs_jac(const nsm_view *w, const nsm_table *t, double *out) {
  (void)w;
  for (int k = 0; k < t->count; k++) {
    double *o = out + 8 * k, c = t->num[k];
    o[0] = -c; o[1] = c; o[2] = c; o[3] = -c;
    o[4] = -2; o[5] = 2; o[6] = 2; o[7] = -2;
  }
}

// Every step is solved once and then confirmed with fresh kernels: one iteration a step means that W, B, C and M_osns
// are right.
static void coupled_column(int n, int stride, int ring, int kind) {
  static const unsigned short row[] = { 0, 0, 1, 1, 0, 0, 1, 1 }, col[] = { 0, 1, 0, 1, 0, 1, 0, 1 };
  static const unsigned char wrt[] = { 0, 0, 0, 0, 1, 1, 1, 1 };
  nsm_model m = *column_model();
  nsm_class cls[6];
  memcpy(cls, m.cls, 5 * sizeof *cls);
  cls[5] = (nsm_class){ .kind = NSM_SMOOTH,
                        .line = 8,
                        .label = CT_POTENTIAL,
                        .nslot = 2,
                        .nnum = 1,
                        .slot = fx_q2,
                        .fill = springs_fill,
                        .f_stage = NSM_STATE,
                        .jac_stage = NSM_CONST,
                        .affine = 1,
                        .jac = { 8, row, col, wrt },
                        .f_fn = springs_f,
                        .jac_fn = springs_jac };
  m.cls = cls;
  m.nclass = 6;
  spring_stride = stride;
  spring_ring = ring;
  nsm_assignment a = { "n", n };
  nsm_settings set = { .set = &a, .nset = 1, .until = 1, .step = 5e-3, .start = NAN, .theta = NAN, .gamma = NAN };
  nsm_error e;
  nsm_sim *s = nsm_open(&m, &set, &e);
  set.general = 1;
  nsm_sim *b = nsm_open(&m, &set, &e);
  if (!s || !b) fail_msg("%s", e.text);
  assert_int_equal(s->n.w.block[0].kind, kind);
  while (nsm_steps_done(s) < nsm_steps_total(s)) {
    if (nsm_step(s, &e) != NSM_OK || nsm_step(b, &e) != NSM_OK) fail_msg("%s", e.text);
    for (int i = 0; i < n; i++) {
      assert_true(fabs(s->now.q[i] - b->now.q[i]) <= 1e-9);
      assert_true(fabs(s->now.z[i] - b->now.z[i]) <= 1e-7);
    }
  }
  assert_true(s->now.count.impacts > 0);
  assert_int_equal(b->now.count.newton_iterations, b->now.count.steps);
  nsm_close(s);
  nsm_close(b);
}

static void coupled_columns(void **state) {
  (void)state;
  coupled_column(4, 1, 0, BLOCK_SMALL);
  coupled_column(7, 1, 0, BLOCK_TRIDIAGONAL);
  coupled_column(40, 1, 0, BLOCK_TRIDIAGONAL);
  coupled_column(9, 1, 1, BLOCK_DENSE);
  coupled_column(40, 1, 1, BLOCK_BAND);
  coupled_column(30, 2, 0, BLOCK_TRIDIAGONAL);
  coupled_column(31, 3, 1, BLOCK_BAND);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(linear_models_both_ways), cmocka_unit_test(smooth_order), cmocka_unit_test(varying_mass_invariant),
    cmocka_unit_test(rod_follows_the_angle), cmocka_unit_test(cubic_relation), cmocka_unit_test(shortened_last_step),
    cmocka_unit_test(bridge_gamma), cmocka_unit_test(coupled_columns) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
