// The loop that the schemes share, on one equation: a step that overshoots is shortened, one that never falls is taken
// whole, and what is no number or takes too long fails where it should.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/schemes/josephy_newton.h"

static volatile int stop;               // set by the iterate of this number
static int stops_at;

typedef struct equation {
  double (*f)(double), (*slope)(double), x, from, step;
  int steps, shortened, number;
} equation;
static equation *now;

static void measure(nsm_sim *s, const nsm_view *v, sim_iteration *it) {
  (void)s; (void)v;
  it->error = fabs(now->f(now->x));
  it->worst = 0;
  stop = stops_at > 0 && it->number >= stops_at;
}
static sim_verdict verify(nsm_sim *s, const nsm_view *v, sim_iteration *it) {
  (void)s; (void)v;
  return it->error <= 1e-12 ? SIM_STANDS : SIM_GO_ON;
}
static void go(nsm_sim *s, double alpha) {
  (void)s;
  now->shortened += alpha < 1;
  now->x = now->from + alpha * now->step;
}
static nsm_code step(nsm_sim *s, const nsm_view *v, sim_iteration *it, nsm_error *e) {
  (void)v; (void)it; (void)e;
  now->from = now->x;
  now->step = -now->f(now->x) / now->slope(now->x);
  now->steps++;
  go(s, 1);
  return NSM_OK;
}
static nsm_code failed(nsm_sim *s, const nsm_view *v, const sim_iteration *it, nsm_error *e) {
  (void)s; (void)v;
  now->number = it->number;
  e->code = NSM_FAILED;
  return isnan(it->error) ? NSM_FILE : NSM_FAILED;         // two codes to tell them apart
}

static nsm_code solve(equation *f, int most, int shortens, nsm_sim *s, nsm_error *e) {
  static const sim_newton_method method = { 0, measure, verify, NULL, step, go, failed, NULL };
  now = f;
  return sim_josephy_newton(s, &method, most, shortens, NULL, e);
}

static double atan_slope(double x) { return 1 / (1 + x * x); }
static double line(double x) { return 3 * x - 6; }
static double line_slope(double x) { (void)x; return 3; }
static double hole(double x) { return x > 0.5 ? x - 2 : NAN; }
static double hole_slope(double x) { (void)x; return -0.25; }             // leads to where there is no number
static double kink(double x) { return x < 1 ? 1 + 1e-3 * x : 8 - x; }     // rises at first, its root lies behind
static double kink_slope(double x) { return x < 1 ? -0.5 : -1; }

static void loop(void **state) {
  (void)state;
  nsm_sim *s = calloc(1, sizeof *s);
  s->a = calloc(1, sizeof *s->a);
  nsm_error e = { 0 };
  s->w.cone.budget = 10;
  equation far = { .f = atan, .slope = atan_slope, .x = 3 };
  assert_int_equal(solve(&far, 50, 1, s, &e), NSM_OK);
  assert_true(fabs(far.x) < 1e-12 && far.shortened > 0);
  assert_int_equal(s->now.count.newton_iterations, far.steps);

  far = (equation){ .f = atan, .slope = atan_slope, .x = 3 };              // whole steps run away
  assert_int_not_equal(solve(&far, 8, 0, s, &e), NSM_OK);

  equation straight = { .f = line, .slope = line_slope, .x = -1 };
  assert_int_equal(solve(&straight, 50, 1, s, &e), NSM_OK);
  assert_true(straight.steps == 1 && straight.shortened == 0 && straight.x == 2);

  equation gap = { .f = hole, .slope = hole_slope, .x = 1.5 };
  assert_int_equal(solve(&gap, 50, 1, s, &e), NSM_FILE);
  assert_true(gap.shortened >= 6);

  equation rises = { .f = kink, .slope = kink_slope, .x = 0 };
  assert_int_equal(solve(&rises, 50, 1, s, &e), NSM_OK);
  assert_true(rises.x == 8);

  equation slow = { .f = line, .slope = atan_slope, .x = 2.5 };            // a wrong slope: nothing but steps
  assert_int_equal(solve(&slow, 3, 0, s, &e), NSM_FAILED);
  assert_int_equal(slow.number, 3);
  free(s->a);
  free(s);
}

// An interrupt is heard within the loop.
static void interrupted(void **state) {
  (void)state;
  nsm_sim *s = calloc(1, sizeof *s);
  s->a = calloc(1, sizeof *s->a);
  nsm_error e = { 0 };
  s->w.cone.budget = 10;
  s->w.cone.stop = &stop;
  equation slow = { .f = line, .slope = atan_slope, .x = 2.5 };
  stops_at = 7;
  assert_int_equal(solve(&slow, 1000, 0, s, &e), NSM_INTERRUPTED);
  assert_true(slow.steps == 7 && s->w.late);
  stops_at = stop = 0;
  free(s->a);
  free(s);
}

// Factors are kept of large matrices alone, not at the start of a step, not behind a step that was shortened, and not
// where they contract too little.
static void kept_factors(void **state) {
  (void)state;
  sim_matrix small = { .n = 4 }, large = { .n = 200, .large = 1 };
  sim_iteration first = { .number = 1, .error = 1e-6, .alpha = 1 }, far = first, start = first, shortened = first,
                second = { .number = 2, .error = 1e-6, .rate = 1e-3, .alpha = 1 }, slow = second;
  far.error = 1e-3;
  start.number = 0;
  shortened.alpha = 0.5;
  slow.rate = 0.1;
  assert_true(sim_keeps_factors(&large, &first) && sim_keeps_factors(&large, &second));
  assert_false(sim_keeps_factors(&small, &first) || sim_keeps_factors(&small, &second));
  assert_false(sim_keeps_factors(&large, &far) || sim_keeps_factors(&large, &start));
  assert_false(sim_keeps_factors(&large, &shortened) || sim_keeps_factors(&large, &slow));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(loop), cmocka_unit_test(interrupted),
                                      cmocka_unit_test(kept_factors) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
