// What the books tell, mostly by numbers that are put in: sums of what was exchanged, and from where on a residue, an
// impact or a step is beyond reason (runtime/ledger/misses.c, reason.c).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/runtime/opened.h"
#include "runtime/ledger/ledger.h"
#include "runtime/schemes/schemes.h"
#include "fixtures.h"
#include "fixtures_small.h"

// Of a simulation what the books ask for: a scheme, no rows, no events.
static nsm_sim *books(int scheme) {
  static nsm_sim s;
  static sim_analysis a;
  static nsm_model m;
  memset(&s, 0, sizeof s);
  memset(&a, 0, sizeof a);
  s.a = &a;
  a.m = &m;
  a.scheme = sim_scheme_at(scheme);
  s.now.ledger.on = 1;
  return &s;
}

// What is exchanged is the sum of all sizes; only gains add up; the scale is the largest energy there was.
static void adds_up(void **state) {
  (void)state;
  nsm_sim *s = books(NSM_SCHEME_MOREAU);
  sim_ledger *g = &s->now.ledger;
  for (int sign = -1; sign < 2; sign += 2) {
    *g = (sim_ledger){ .on = 1, .kinetic = 3, .potential = -5, .scale = 7, .drive = sign * 8, .gross = 32 };
    g->residue_now = 0.5 * sign;
    sim_residue_book(s, sign, sign * 2, sign * 4, sign * 16);
    assert_true(g->exchanged == 63 && g->scale == 8 && g->gains == (sign > 0 ? 0.5 : 0));
    g->kinetic = 1;
    sim_residue_whole(s);
    assert_true(g->scale == 8);
  }
}

// Steps that begin and end with no motion but round-off add nothing; one that comes to rest, or leaves it, does.
static void rests(void **state) {
  (void)state;
  nsm_sim *s = books(NSM_SCHEME_CONSISTENT);
  sim_ledger *g = &s->now.ledger;
  double q[] = { 1 }, z[] = { 0 };
  s->now.q = q;
  s->now.z = z;
  s->a->nq = s->a->nv = 1;
  s->n.h = 1e-3;
  g->rested = 1;
  static const double missed[] = { 0, 0.25, 0.5, 0.5 }, exchanged[] = { 0, 1, 2, 2 };
  for (int step = 0; step < 4; step++) {                  // at rest, begins to move, comes to rest, at rest
    z[0] = step == 1 ? 1e-6 : 1e-14;
    g->residue_now = step == 2 ? -0.5 : 0.25;
    sim_ledger_rests(s);
    sim_residue_book(s, 1, 0, 0, 0);
    assert_true(g->missed == missed[step]);
    assert_true(g->gains == (step < 1 ? 0 : 0.25) && g->exchanged == exchanged[step]);
  }
}

// The works that a residue is measured by: each of them alone is as good.
static void put_in(sim_ledger *g, int which, double size) {
  double *of[] = { &g->scale, &g->forces, &g->dampers, &g->contacts, &g->resets };
  for (int i = 0; i < 5; i++) *of[i] = i == which ? (i == 0 ? size : -size) : 0;
}

static void residues(void **state) {
  (void)state;
  for (int which = 0; which < 5; which++)
    for (int above = 0; above < 2; above++) {
      nsm_sim *s = books(NSM_SCHEME_CONSISTENT);
      sim_ledger *g = &s->now.ledger;
      put_in(g, which, 8);
      g->missed = 8e-6 * (above ? 1.01 : 1);
      assert_true(sim_residue_checked(s) == (above ? g->missed / 8 : 0));
      g->residue = 8e-3 * (above ? 1.01 : 1);
      s->now.z = (double[]){ 1 };
      s->now.q = s->now.z;
      s->a->nv = s->a->nq = 1;
      s->n.h = 1e-3;
      assert_int_equal(sim_was_from_nothing(s), above);
      g->residue_now = -g->residue;
      assert_int_equal(sim_impact_from_nothing(s), above);
      s = books(NSM_SCHEME_MOREAU);
      put_in(g, which, 8);
      g->exchanged = 4e-6;
      g->gains = 8e-6 * (above ? 1.01 : 1);
      assert_true(sim_residue_checked(s) == (above ? g->gains / 4e-6 : 0));
      g->exchanged = 100;
      g->gains = 25 * (above ? 1.01 : 1);
      assert_true(sim_residue_checked(s) == (above ? g->gains / 100 : 0));
      g->kinetic = INFINITY;
      assert_true(isinf(sim_residue_checked(s)));
      g->on = 0;
      assert_true(sim_residue_checked(s) == 0 && !sim_impact_from_nothing(s));
    }
}

// What an event, or somebody outside, sets in motion begins no step at rest; before the first step its length is known.
static void resets(void **state) {
  (void)state;
  nsm_sim *s = books(NSM_SCHEME_MOREAU);
  sim_ledger *g = &s->now.ledger;
  double q[] = { 1 }, z[] = { 1e-6 };
  s->now.q = q;
  s->now.z = z;
  s->a->nq = s->a->nv = 1;
  s->a->step = 1e-3;
  g->rested = 1;
  sim_ledger_reset(s);
  assert_false(g->rested);
  sim_ledger_start(s);
  assert_false(g->rested);
  z[0] = 1e-14;
  sim_ledger_reset(s);
  assert_true(g->rested);
}

// Velocities that rounding of places, or of pushes, makes have no energy to speak of.
static void rounding(void **state) {
  (void)state;
  nsm_sim *s = books(NSM_SCHEME_CONSISTENT);
  double q[] = { -3, 1 }, z[] = { 0, 0 }, push[] = { 1, 4e3 };
  s->now.q = q;
  s->now.z = z;
  s->a->nq = s->a->nv = 2;
  s->n.h = 1e-3;
  s->now.ledger.scale = s->now.ledger.residue = 1;
  for (int pushed = 0; pushed < 2; pushed++) {
    s->n.push = pushed ? push : NULL;
    z[1] = -16 * DBL_EPSILON * (pushed ? 4e3 : 3 / 1e-3) * 0.99;
    assert_false(sim_was_from_nothing(s));
    z[1] *= 1.02;
    assert_true(sim_was_from_nothing(s));
  }
}

static void impacts(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++)
    for (int above = 0; above < 2; above++) {
      nsm_sim *s = books(k == 1 ? NSM_SCHEME_CONSISTENT : NSM_SCHEME_MOREAU);
      s->a->located = k == 2;
      s->now.ledger.scale = 4;
      s->now.ledger.made = 4 * (k == 0 ? 1e-3 : 1e-6) * (above ? 1.01 : 1);
      assert_true(sim_made_checked(s) == (above ? s->now.ledger.made / 4 : 0));
    }
}

// Without books: a rise of more than a quarter of all that there is, of what nothing feeds.
static void alone(void **state) {
  (void)state;
  nsm_sim *s = books(NSM_SCHEME_MOREAU);
  assert_true(sim_gained_alone(s, -1, 2, -1) == 2);
  assert_true(sim_gained_alone(s, 3, 4, 1) == 0);           // 2 of 8
  assert_true(fabs(sim_gained_alone(s, 3, 4.1, 1) - 2.1) < 1e-15);
  assert_true(isinf(sim_gained_alone(s, 1, NAN, 0)) && sim_gained_alone(s, INFINITY, 1, 0) == 0);
  s->n.r.n = 1;
  assert_true(sim_gained_alone(s, -1, 2, -1) == 0);
  s->n.r.n = 0;
  s->a->nz = 1;
  assert_true(sim_gained_alone(s, -1, 2, -1) == 0);
}

// How far two constraints are missed, beside the sizes of their terms: a size is at least 1e-9 of the largest, and
// where all of them are nothing there is nothing to tell.
static double sizes[2];
static void two_gaps(const nsm_view *w, const nsm_table *t, double *gap, double *rate) {
  (void)w; (void)t;
  gap[0] = 1e-9;
  gap[1] = -2e-9;
  rate[0] = rate[1] = 0;
}
static void two_sizes(const nsm_view *w, const nsm_table *t, double *size) {
  (void)w; (void)t;
  memcpy(size, sizes, sizeof sizes);
}

static void misses(void **state) {
  (void)state;
  static const nsm_class class = { .kind = NSM_CONSTRAINT, .gap_fn = two_gaps, .size_fn = two_sizes };
  sim_class k = { .c = &class, .tab.count = 2 };
  double room[6];
  int first = 0, at = -1;
  nsm_sim *s = books(NSM_SCHEME_MOREAU);
  s->a->cls = &k;
  s->a->on.constraint = (sim_list){ 1, &first };
  s->n.r.n = 2;
  s->w.misses = room;
  assert_true(sim_misses_any(s));
  memcpy(sizes, (double[]){ 1e-2, 50 }, sizeof sizes);
  assert_true(fabs(sim_miss_now(s, &at) - 1e-7) <= 1e-22 && at == 0);
  memcpy(sizes, (double[]){ 1, 2 }, sizeof sizes);          // the first of those that are missed as much
  assert_true(sim_miss_now(s, &at) == 1e-9 && at == 0);
  memcpy(sizes, (double[]){ 50, 1e-12 }, sizeof sizes);
  assert_true(fabs(sim_miss_now(s, &at) - 0.04) <= 1e-16 && at == 1);
  s->now.t = 3;
  sim_misses_take(s);
  s->now.t = 4;
  sim_misses_take(s);
  assert_true(fabs(s->now.count.max_miss - 0.04) <= 1e-16 && s->now.miss_at == 1 && s->now.miss_time == 3);
  memcpy(sizes, (double[]){ 1e-12, 1e-12 }, sizeof sizes);
  assert_true(sim_miss_now(s, &at) == 0);
}

// A step of a mass on a rod that ends with v: its energy is from nothing where it is beyond a hundred times what was
// there, what its weight can have given and what the rod has, which is driven with a rate of 5 then. Where the scheme
// books its works, they are measured one by one.
static void driven(const nsm_view *w, const nsm_table *t, double *rate) {
  (void)w; (void)t;
  rate[0] = -5;
}

static void steps(void **state) {
  (void)state;
  nsm_error e;
  nsm_settings set = { .until = NAN, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN };
  nsm_sim *s = nsm_open(rod_model(), &set, &e);
  if (!s) fail_msg("%s", e.text);
  nsm_keep_ledger(s);
  double h = s->w.length = s->n.h, there = fabs(s->now.ledger.potential), v = 50 * there;
  sim_class *rod = &s->a->cls[s->a->on.constraint.of[0]];
  nsm_class with_drive = *rod->c;
  memcpy(s->w.q1, s->now.q, (size_t)s->a->nq * sizeof(double));
  memset(s->w.z1, 0, (size_t)s->a->nz * sizeof(double));
  for (int push = 0; push < 2; push++) {
    s->w.l1[0] = 100 * push;
    for (int i = 0; i < 20; i++) v = sqrt(200 * (there + 2 * h * v + 2 * 5 * 100 * push));
    for (int above = 0; above < 2; above++) {
      s->w.z1[1] = -v * (above ? 1.001 : 0.999);
      double from = sim_from_nothing(s, s->now.t + h);
      assert_true(above ? fabs(from - 0.5 * s->w.z1[1] * s->w.z1[1]) < 1e-12 * from : from == 0);
    }
    with_drive.rate_fn = driven;
    rod->c = &with_drive;
  }
  sim_ledger *g = &s->now.ledger;
  g->forces_now = 1;
  g->dampers_now = 2;
  g->loss = 4;
  g->loss_friction = 8;
  s->a->scheme = sim_scheme_at(NSM_SCHEME_CONSISTENT);
  s->w.z1[1] = 1e-3;
  assert_true(fabs(sim_from_nothing(s, s->now.t + h) - 13) < 1e-6);
  g->forces_now = 14.01;
  assert_true(fabs(sim_from_nothing(s, s->now.t + h)) == 0);
  nsm_close(s);
}

// What changes states of a potential feeds it: without motion at the point of the equations, so that implicit Euler's
// rule takes dx V'' dx/2; beside motion in the mean of both places.
static void feeds(void **state) {
  (void)state;
  nsm_error e;
  opened o = open_text("model M { state x = 1; x' = -x; potential 3*x^2/2;\n"
                       "simulate { until = 1, step = 0.1, scheme = moreau(theta = 1) } }");
  nsm_keep_ledger(o.s);
  assert_int_equal(nsm_step(o.s, &e), NSM_OK);
  double x = 1 / 1.1, dx = x - 1;
  assert_true(fabs(o.s->now.ledger.residue_now + 1.5 * dx * dx) < 1e-15);
  assert_true(fabs(o.s->now.ledger.forces - 3 * x * dx) < 1e-15);
  close_all(o);
  o = open_text("model M { coord q = 1, q' = 2; state x = 1; x' = -x; kinetic q'^2/2; potential q*x^2/2;\n"
                "simulate { until = 1, step = 0.1, scheme = moreau(theta = 1) } }");
  nsm_keep_ledger(o.s);
  assert_int_equal(nsm_step(o.s, &e), NSM_OK);
  assert_true(fabs(o.s->now.ledger.forces - 0.25 * (1 + o.s->now.q[0]) * (x * x - 1)) < 1e-15);
  close_all(o);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(adds_up), cmocka_unit_test(rests), cmocka_unit_test(resets),
                                      cmocka_unit_test(residues), cmocka_unit_test(rounding),
                                      cmocka_unit_test(impacts), cmocka_unit_test(alone),    cmocka_unit_test(misses),
                                      cmocka_unit_test(steps), cmocka_unit_test(feeds) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
