// What a person can get wrong before the first step, and what the message says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/nsm_run.h"
#include "fixtures.h"
#include "fixtures_small.h"

static void refused_at(const nsm_model *m, nsm_settings set, nsm_code code, const char *text) {
  nsm_error e;
  nsm_sim *s = nsm_open(m, &set, &e);
  assert_null(s);
  if (e.code != code || !strstr(e.text, text)) fail_msg("got %d: %s", (int)e.code, e.text);
}
static const nsm_settings plain = { .until = NAN, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN };
static void refused(const nsm_model *m, nsm_code code, const char *text) { refused_at(m, plain, code, text); }
static void refused_with(const nsm_model *m, const char *name, double value, nsm_code code, const char *text) {
  nsm_assignment a = { name, value };
  nsm_settings set = plain;
  set.set = &a;
  set.nset = 1;
  refused_at(m, set, code, text);
}

static void sizes(void **state) {
  (void)state;
  refused_with(column_model(), "n", 0, NSM_MODEL_WRONG, "line 5: bead[1].z does not exist: there are no elements");
  refused_with(column_model(), "n", -3, NSM_MODEL_WRONG, "line 2: the size of bead[...].z is negative");
  refused_with(column_model(), "n", 2.5, NSM_MODEL_WRONG, "line 2: the size of bead[...].z is not an integer");
  refused_with(column_model(), "n", 1e9, NSM_MODEL_WRONG, "line 2: bead[...].z has 1000000000 elements");
  refused_with(column_model(), "n", NAN, NSM_USAGE, "parameter n: the value is not finite");
  refused_with(column_model(), "k", 1, NSM_USAGE, "no parameter `k`");
}

static void experiments(void **state) {
  (void)state;
  nsm_settings s = plain;
  s.step = 0;         refused_at(ball_model(), s, NSM_USAGE, "step must be positive");
  s = plain;
  s.until = 0;        refused_at(ball_model(), s, NSM_USAGE, "must lie after the start");
  s = plain;
  s.until = INFINITY; refused_at(ball_model(), s, NSM_USAGE, "finite");
  s = plain;
  s.theta = 1.5;      refused_at(ball_model(), s, NSM_USAGE, "theta");
  s = plain;
  s.solver = "none";  refused_at(ball_model(), s, NSM_USAGE, "no solver `none`");
}

static long out_of_range(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  (void)g;
  double four = 4;
  if (ix) { ix[0] = nsm_at(s, 0, 12, 1, &four); num[0] = 1; }
  return 1;
}
static long fraction(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  (void)g;
  double half = 1.5;
  if (ix) { ix[0] = nsm_at(s, 0, 13, 1, &half); num[0] = 1; }
  return 1;
}
static long bad_bound(nsm_setup *s, const nsm_setup_view *g, int *ix, double *num) {
  (void)g; (void)ix; (void)num;
  return nsm_bound(s, 14, 2.5);
}

// The column with one class replaced.
static void column_with(int cls, long (*fill)(nsm_setup *, const nsm_setup_view *, int *, double *), const char *text) {
  nsm_model m = *column_model();
  nsm_class c[5];
  memcpy(c, m.cls, sizeof c);
  c[cls].fill = fill;
  m.cls = c;
  refused_with(&m, "n", 3, NSM_MODEL_WRONG, text);
}

static void indices(void **state) {
  (void)state;
  column_with(1, out_of_range, "line 12: bead[4].z does not exist: index 4 is out of range 1..3");
  column_with(1, fraction, "line 13: bead[1.5].z does not exist: index 1.5 is not an integer");
  column_with(1, bad_bound, "line 14: a loop bound is 2.5");
}

static void massless(const nsm_view *w, const nsm_table *t, double *out) {
  (void)w;
  for (int k = 0; k < t->count; k++) out[k] = k == 1 ? 0 : 1;
}

static void cover(void **state) {
  (void)state;
  nsm_model m = *column_model();
  nsm_class c[5];
  memcpy(c, m.cls, sizeof c);
  m.cls = c;
  c[0].mass_fn = massless;
  refused_with(&m, "n", 3, NSM_MODEL_WRONG, "coordinate bead[2].z has no inertia");

  nsm_model b = *bridge_model();
  nsm_class d[8];
  b.cls = d;
  memcpy(d, bridge_model()->cls, sizeof d);
  d[1].fill = bridge_fill_v;
  d[1].nslot = 4;
  refused(&b, NSM_MODEL_WRONG, "line 6: state v has two equations; the other one is in line 5");
  memcpy(d, bridge_model()->cls, sizeof d);
  d[1].kind = NSM_OUTPUT;
  d[1].hidden = 1;
  refused(&b, NSM_MODEL_WRONG, "state i has no equation");
  memcpy(d, bridge_model()->cls, sizeof d);
  d[3].lambda_slot = 0;
  refused(&b, NSM_MODEL_WRONG, "multiplier uR1 has two laws");
  memcpy(d, bridge_model()->cls, sizeof d);
  d[2].kind = NSM_ASSERT;
  refused(&b, NSM_MODEL_WRONG, "multiplier uR1 has no law");
}

static void structural(void **state) {
  (void)state;
  nsm_model m = *ball_model();
  nsm_par par[4];
  memcpy(par, m.par, sizeof par);
  par[3].structural = 1;
  par[3].fixed = 0.9;
  m.par = par;
  refused_with(&m, "e", 0.5, NSM_MODEL_WRONG, "line 3: parameter e shapes the compiled model");
  nsm_error e;
  nsm_assignment a = { "e", 0.9 };
  nsm_settings set = plain;
  set.set = &a;
  set.nset = 1;
  nsm_sim *s = nsm_open(&m, &set, &e);
  assert_non_null(s);
  nsm_close(s);
  m.version++;
  refused(&m, NSM_MODEL_WRONG, "version");
}

static void names(void **state) {
  (void)state;
  nsm_assignment a = { "n", 3 };
  nsm_settings set = plain;
  set.set = &a;
  set.nset = 1;
  nsm_error e;
  nsm_sim *s = nsm_open(column_model(), &set, &e);
  assert_non_null(s);
  static const char *const expected[] = {
    "time",       "bead[1].z",  "bead[2].z",    "bead[3].z",      "bead[1].z'",
    "bead[2].z'", "bead[3].z'", "floor.lambda", "pair[1].lambda", "pair[2].lambda"
  };
  assert_int_equal(nsm_ncolumn(s), COUNT(expected));
  for (int i = 0; i < nsm_ncolumn(s); i++) {
    assert_string_equal(nsm_column_name(s, i), expected[i]);
    assert_int_equal(nsm_find_column(s, expected[i]), i);
  }
  assert_int_equal(nsm_find_column(s, "bead"), -1);
  nsm_close(s);
}

// A nan in an expression: the step fails, says where, and the state before it stays.
static void not_a_number(void **state) {
  (void)state;
  nsm_error e = { .code = NSM_OK };
  nsm_sim *s = nsm_open(log_model(), &plain, &e);
  assert_non_null(s);
  nsm_code c = NSM_OK;
  while (c == NSM_OK && nsm_steps_done(s) < nsm_steps_total(s)) c = nsm_step(s, &e);
  assert_int_equal(c, NSM_FAILED);
  assert_non_null(strstr(e.text, "line 3 (force)"));
  assert_non_null(strstr(e.text, "became NaN at t = 1.005 s, step 67"));
  assert_int_equal(nsm_steps_done(s), 66);
  double row[8];
  nsm_read(s, row);
  assert_true(isfinite(row[1]) && isfinite(row[2]) && fabs(row[0] - 0.99) < 1e-12);
  nsm_close(s);
}

// A mass on a circle that starts with a velocity across it: below 1e-9 it is moved onto it, as all that is there is not
// large either; above the run is refused.
SLOT_FILL(across, 1, LIST(0), LIST(3e-10, 0))
SLOT_FILL(too_far, 1, LIST(0), LIST(3e-9, 0))
static void off_its_constraint(void **state) {
  (void)state;
  nsm_model m = *rod_model();
  nsm_class c[7];
  memcpy(c, m.cls, 6 * sizeof *c);
  c[6] = (nsm_class)SMALL_INIT(fx_q1, across, 1);
  m.cls = c;
  m.nclass = 7;
  nsm_error e;
  nsm_sim *s = nsm_open(&m, &plain, &e);
  if (!s) fail_msg("%s", e.text);
  double row[8];
  nsm_read(s, row);
  int vx = nsm_find_column(s, "x'"), vy = nsm_find_column(s, "y'");
  assert_true(row[vx] != 0 && fabs(0.8414709848078965 * row[vx] - 0.5403023058681398 * row[vy]) < 1e-22);
  nsm_close(s);
  c[6].fill = too_far;
  refused(&m, NSM_FAILED, "the initial velocities violate constraint rod");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(sizes),       cmocka_unit_test(experiments),
                                      cmocka_unit_test(indices),     cmocka_unit_test(cover),
                                      cmocka_unit_test(structural),  cmocka_unit_test(names),
                                      cmocka_unit_test(not_a_number),
                                      cmocka_unit_test(off_its_constraint) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
