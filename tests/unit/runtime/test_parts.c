// Steps that are not accepted, and what is tried then: parts of them. Planted: a solver that fails where a step is
// long, or says that there is no solution; books that say another energy than there is.
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
#include "tests/unit/runtime/opened.h"
#include "runtime/clock/clock.h"
#include "runtime/schemes/schemes.h"

// ---- a one-step problem that is not solved --------------------------------------------------------------------------
static const char ball[] = "model Ball {\n  coord z = 0.02, z' = -1;\n  kinetic z'^2/2;\n  potential 9.81*z;\n"
                           "  contact floor: z >= 0 with newton(0.5);\n"
                           "  simulate { until = 0.1, step = 0.01, scheme = %s }\n}\n";
static const sim_scheme *real;

static opened open_with(const char *form, const char *scheme) {
  char text[512];
  snprintf(text, sizeof text, form, scheme);
  return open_text(text);
}

// Its problem is not solved where the step is longer than 3 ms; `why` otherwise.
static nsm_cone_status why;
static nsm_code hard_step(nsm_sim *s, double t1, nsm_error *e) {
  if (s->n.h <= 3e-3) return real->step(s, t1, e);
  s->n.isl.solver.result = (nsm_cone_result){ .status = why, .residual = 1, .worst = 0 };
  s->n.isl.solver.failed_row = 0;
  return sim_cone_failed(s, t1, e);
}

static void unsolved(void **state) {
  static const char *const taken[] = { "moreau", "midpoint", "consistent" };
  (void)state;
  for (size_t k = 0; k < 2 * sizeof taken / sizeof *taken; k++) {
    nsm_error e;
    opened o = open_with(ball, taken[k / 2]);
    real = o.s->a->scheme;
    sim_scheme hard = *real;
    hard.step = hard_step;
    o.s->a->scheme = &hard;
    why = k % 2 ? NSM_CONE_NO_SOLUTION : NSM_CONE_FAILED;
    nsm_code code = nsm_step(o.s, &e);
    if (code != (k % 2 ? NSM_FAILED : NSM_OK)) fail_msg("%s: %d, %s", taken[k / 2], (int)code, e.text);
    assert_true(k % 2 ? o.s->now.t == 0 : o.s->now.t == 0.01);
    assert_int_equal(o.s->now.count.halved, k % 2 ? 0 : 3);        // of 10 ms: 2.5, 1.875, 2.8125, and the rest whole
    o.s->a->scheme = real;
    close_all(o);
  }
}

// ---- an impact from nowhere -----------------------------------------------------------------------------------------
static nsm_code hard_impact(nsm_sim *s, nsm_error *e) {
  nsm_code code = real->impact(s, e);
  s->w.z1[0] *= 3;
  return code;
}

static void impact_from_nowhere(void **state) {
  static const char *const taken[] = { "moreau(located = true)", "consistent(located = true)" };
  (void)state;
  for (size_t k = 0; k < 2 * sizeof taken / sizeof *taken; k++) {
    char text[512];
    nsm_error e;
    snprintf(text, sizeof text, ball, taken[k / 2]);
    opened o = open_text(text);
    nsm_keep_ledger(o.s);
    real = o.s->a->scheme;
    sim_scheme hard = *real;
    if (k % 2) hard.impact = hard_impact;
    o.s->a->scheme = &hard;
    nsm_code code = nsm_step(o.s, &e);
    if (code == NSM_OK) code = nsm_step(o.s, &e);
    if (code != (k % 2 ? NSM_FAILED : NSM_OK)) fail_msg("%s: %d, %s", taken[k / 2], (int)code, e.text);
    if (k % 2 && !strstr(e.text, "the energy of the impact at t = 0.018")) fail_msg("%s: %s", taken[k / 2], e.text);
    o.s->a->scheme = real;
    close_all(o);
  }
}

// ---- energy from nowhere --------------------------------------------------------------------------------------------
static const char pendulum[] = "model Pendulum {\n  coord x = 1, y = 0;\n  kinetic (x'^2 + y'^2)/2;\n"
                               "  potential 9.81*y;\n  constraint rod: x^2 + y^2 = 1;\n"
                               "  simulate { until = 1, step = 0.01, scheme = %s }\n}\n";

// By single steps, and by as many as are asked for: whole steps, but for those whose code has books of its own.
static void from_nowhere(void **state) {
  static const char *const taken[] = { "moreau", "midpoint", "consistent", "consistent1" };
  (void)state;
  for (size_t k = 0; k < 2 * sizeof taken / sizeof *taken; k++) {
    nsm_error e;
    opened o = open_with(pendulum, taken[k / 2]);
    nsm_keep_ledger(o.s);
    assert_int_equal(nsm_advance(o.s, 5, &e), NSM_OK);
    double t = o.s->now.t, x = o.s->now.q[0];
    o.s->now.ledger.kinetic -= 1e6;
    nsm_code code = k % 2 || k > 3 ? nsm_step(o.s, &e) : nsm_advance(o.s, 3, &e);
    assert_int_equal(code, NSM_FAILED);
    if (!strstr(e.text, "is not accepted at t = 0.06 s, step 6")) fail_msg("%s: %s", taken[k / 2], e.text);
    assert_true(o.s->now.t == t && o.s->now.q[0] == x && o.s->now.k == 5 && nsm_steps_done(o.s) == 5);
    o.s->now.ledger.kinetic += 1e6;
    if (nsm_advance(o.s, 10, &e) != NSM_OK) fail_msg("%s: %s", taken[k / 2], e.text);
    assert_int_equal(nsm_steps_done(o.s), 15);
    assert_true(o.s->now.ledger.residue < 0.05);
    close_all(o);
  }
}

// Whole steps whose code keeps the books: the run ends behind those that were asked for, or looked at together, also
// where they are the last.
static void by_whole_steps(void **state) {
  static const long asked[] = { 1, 95 };
  char text[512];
  nsm_error e;
  (void)state;
  snprintf(text, sizeof text, pendulum, "consistent");
  for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
    opened o = open_text(text);
    nsm_keep_ledger(o.s);
    assert_int_equal(nsm_advance(o.s, 5, &e), NSM_OK);
    if (o.s->now.count.whole_steps > 0) {
      o.s->now.ledger.residue = 1e6;
      assert_int_equal(nsm_advance(o.s, asked[k], &e), NSM_FAILED);
      assert_non_null(strstr(e.text, "is off by 1e+06 J"));
      assert_int_equal(nsm_steps_done(o.s), 5 + asked[k]);
      assert_int_equal(o.s->now.count.steps, o.s->now.count.whole_steps);
    }
    close_all(o);
  }
}

// Instants of `every` and of conditions of time leave the steps between them whole.
static const char clock[] = "model Clock {\n  discrete k = 0;\n  coord a = 1;\n  kinetic a'^2/2;\n"
                            "  potential -cos(a);\n"
                            "  force a = 0.1*k + (if time > 0.3337 then 0.3 else 0);\n  every 0.05 { k = 1 - k; }\n"
                            "  simulate { until = 1, step = 1e-3, scheme = %s }\n}\n";
static void whole_between_instants(void **state) {
  static const char *const taken[] = { "moreau", "midpoint", "consistent" };
  (void)state;
  for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
    nsm_error e;
    opened o = open_with(clock, taken[k]);
    assert_int_equal(nsm_advance(o.s, 1000, &e), NSM_OK);
    assert_in_range(o.s->now.count.whole_steps, 998, 999);     // of 1000: not where the force begins within a step
    close_all(o);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(unsolved), cmocka_unit_test(impact_from_nowhere),
                                      cmocka_unit_test(from_nowhere), cmocka_unit_test(by_whole_steps),
                                      cmocka_unit_test(whole_between_instants) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
