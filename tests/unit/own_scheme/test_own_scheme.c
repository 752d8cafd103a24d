// A scheme is one file and one line (docs/adding.md): implicit_euler.c, explicit_euler.c, simpson.c and their lines in
// own.def. Their steps are checked by hand, their fused steps against those; no_step.c is one that is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/compile_text.h"
#include "runtime/nsm_run.h"

#define EXPERIMENT(scheme) "simulate { until = 2, step = 0.01, scheme = " scheme " }\n}\n"
#define BY EXPERIMENT("implicit_euler")
#define BY_SIMPSON EXPERIMENT("simpson")
#define BY_EXPLICIT EXPERIMENT("explicit_euler")
static const double h = 0.01;

typedef struct Run { Compilation *c; Jit *jit; nsm_sim *sim; nsm_error e; } Run;

static Run start(const char *text, int step_by_step) {
  Run r = { .c = compile_text(text, STAGE_C) };
  JitStatus status;
  const char *why = "";
  r.jit = jit_compile(r.c->arena, JIT_TCC, text_str(&r.c->c), &r.c->kernels, &status, &why);
  if (!r.jit) fail_msg("%s", why);
  nsm_settings set = nsm_default_settings();
  set.step_by_step = step_by_step;
  r.sim = nsm_open(jit_model(r.jit), &set, &r.e);
  if (!r.sim) fail_msg("%s", r.e.text);
  return r;
}

static void end(Run *r) {
  nsm_close(r->sim);
  jit_free(r->jit);
  compilation_free(r->c);
}

static void step(Run *r) { if (nsm_step(r->sim, &r->e) != NSM_OK) fail_msg("%s", r->e.text); }

static double value(const Run *r, const char *name) {
  int c = nsm_find_column(r->sim, name);
  if (c < 0) fail_msg("there is no column %s", name);
  return nsm_read_column(r->sim, c);
}

static void near(double x, double y) { if (!(fabs(x - y) <= 1e-13)) fail_msg("%.17g is not %.17g", x, y); }

// (1 + q_E^2) (u_E - u_B) = -h (q_E u_E^2 + sin q_E), q_E = q_B + h u_E
static void moving_mass(void **state) {
  (void)state;
  Run r = start("model A {\ncoord q = 0.7, q' = 0.4;\nkinetic (1 + q^2)*q'^2/2;\npotential -cos(q);\n" BY, 1);
  for (int k = 0; k < 200; k++) {
    double q = value(&r, "q"), u = value(&r, "q'");
    step(&r);
    double q1 = value(&r, "q"), u1 = value(&r, "q'");
    near(q1, q + h * u1);
    near((1 + q1 * q1) * (u1 - u), -h * (q1 * u1 * u1 + sin(q1)));
  }
  end(&r);
}

// A spring between walls that throw it back by 0.5, once the gap is not positive at the begin.
static void contacts(void **state) {
  (void)state;
  Run r = start("model A {\ncoord q = 0.3, q' = 1;\nkinetic q'^2/2;\npotential 2*q^2;\n"
                "contact wall: 0.5 - q >= 0 with newton(0.5);\n" BY, 1);
  int struck = 0;
  for (int k = 0; k < 200; k++) {
    double q = value(&r, "q"), u = value(&r, "q'"), free = (u - 4 * h * q) / (1 + 4 * h * h);
    step(&r);
    int hit = q >= 0.5 && free + 0.5 * u > 0;
    near(value(&r, "q'"), hit ? -0.5 * u : free);
    struck += hit;
  }
  assert_true(struck > 0);
  end(&r);
}

// x' = 1/2 - s with s in the sign of x comes to 0 and stays; the multiplier is that of the end.
static void relations(void **state) {
  (void)state;
  Run r = start("model A {\nstate x = 0.2;\nmultiplier s;\nx' = 0.5 - s;\nrelation r: s in sgn(x);\n" BY, 1);
  for (int k = 0; k < 200; k++) {
    double x = value(&r, "x"), s = fmin(1, (x + 0.5 * h) / h);
    step(&r);
    near(value(&r, "s"), s);
    near(value(&r, "x"), x + h * (0.5 - s));
  }
  assert_true(fabs(value(&r, "x")) < 1e-14);
  end(&r);
}

// Coulomb: u_E = u_B - h mu g until it rests.
static void friction(void **state) {
  (void)state;
  Run r = start("model A {\ncoord x = 0, x' = 0.1;\ncoord z = 0;\nkinetic (x'^2 + z'^2)/2;\npotential 10*z;\n"
                "contact floor { normal = z; slip = x'; with newton(0), coulomb(0.2); }\n" BY, 1);
  for (int k = 0; k < 200; k++) {
    double u = value(&r, "x'");
    step(&r);
    near(value(&r, "x'"), fmax(0, u - h * 2));
  }
  end(&r);
}

// On a circle: the rate is 0 at the end, and the impulse is along H of the end. M and forces are constant.
static void on_a_circle(const char *text) {
  Run r = start(text, 1);
  for (int k = 0; k < 100; k++) {
    double u = value(&r, "x'"), v = value(&r, "y'");
    step(&r);
    double x = value(&r, "x"), y = value(&r, "y"), u1 = value(&r, "x'"), v1 = value(&r, "y'");
    near(x * u1 + y * v1, 0);
    near((u1 - u) * y - (v1 - v + 10 * h) * x, 0);
  }
  end(&r);
}

#define CIRCLE "model A {\ncoord x = 1, y = 0;\nkinetic (x'^2 + y'^2)/2;\npotential 10*y;\n" \
               "constraint rod: x^2 + y^2 = 1;\n"

static void constraints(void **state) {
  (void)state;
  on_a_circle(CIRCLE BY);
}

static void along_the_end(void **state) {
  (void)state;
  on_a_circle(CIRCLE BY_SIMPSON);
}

// (1 + q_B^2) (u_E - u_B) = (h/6) (f_B + 4 f~ + f_E), f = -q u^2 - sin q + cos 3t, q~ of (q_B + q_E)/2 and u~ likewise
static double force_at(double t, double q, double u) { return -q * u * u - sin(q) + cos(3 * t); }

static void three_points(void **state) {
  (void)state;
  Run r = start("model A {\ncoord q = 0.7, q' = 0.4;\nkinetic (1 + q^2)*q'^2/2;\npotential -cos(q);\n"
                "force q = cos(3*time);\n" BY_SIMPSON, 1);
  for (int k = 0; k < 200; k++) {
    double t = k * h, q = value(&r, "q"), u = value(&r, "q'");
    step(&r);
    double q1 = value(&r, "q"), u1 = value(&r, "q'"), qm = 0.5 * (q + q1), um = 0.5 * (u + u1);
    near(q1, q + h * um);
    near((1 + q * q) * (u1 - u), h / 6 * (force_at(t, q, u) + 4 * force_at(t + 0.5 * h, qm, um) +
                                          force_at(t + h, q1, u1)));
  }
  end(&r);
}

static void nothing_at_the_end(void **state) {
  (void)state;
  Run r = start("model A {\ncoord q = 0.7, q' = 0.4;\nkinetic (1 + q^2)*q'^2/2;\npotential -cos(q);\n"
                "force q = cos(3*time);\n" BY_EXPLICIT, 1);
  for (int k = 0; k < 200; k++) {
    double q = value(&r, "q"), u = value(&r, "q'");
    step(&r);
    near(value(&r, "q"), q + h * u);
    near((1 + q * q) * (value(&r, "q'") - u), h * force_at(k * h, q, u));
  }
  end(&r);
}

static void refused(void **state) {
  (void)state;
  const char *contact = "model A {\ncoord q = 1;\nkinetic q'^2/2;\ncontact c: q >= 0 with inelastic();\n"
                        EXPERIMENT("no_step");
  Compilation *c = compile_text(contact, STAGE_SYSTEM);
  DiagBag *bag = diag_bag_new(c->stages);
  assert_null(make_plan(c->stages, c->system, NULL, bag));
  assert_int_equal(diag_errors(bag), 1);
  compilation_free(c);
  c = compile_text("model A {\ncoord q = 1;\nkinetic q'^2/2;\n" EXPERIMENT("no_step"), STAGE_SYSTEM);
  assert_non_null(make_plan(c->stages, c->system, NULL, c->bag));          // which has no contacts
  compilation_free(c);
}

// Fused steps are the same steps.
static void fused(void **state) {
  (void)state;
  static const struct { const char *text; WholeKind kind; } all[] = {
    { "model A {\ncoord q = 0.7, q' = 0.4;\nkinetic (1 + q^2)*q'^2/2;\npotential -cos(q);\nforce q = cos(3*time);\n"
      BY_SIMPSON, WHOLE_PIECE },
    { "model A {\ncoord x = 1, y = 0;\nkinetic (x'^2 + y'^2)/2;\npotential 10*y;\n"
      "constraint rod: x^2 + y^2 = 1;\n" BY_SIMPSON, WHOLE_PIECE },
    { "model A {\ncoord q = 0.3, q' = 1;\nkinetic q'^2/2;\npotential 2*q^2;\nforce q = sin(3*time) - 0.1*q';\n"
      "contact wall: 0.5 - q >= 0 with newton(0.5);\n" BY_SIMPSON, WHOLE_LINEAR },
    { "model A {\ncoord q = 0.7, q' = 0.4;\nkinetic (1 + q^2)*q'^2/2;\npotential -cos(q);\n" BY, WHOLE_PIECE },
    { "model A {\ncoord x = 1, y = 0;\nkinetic (x'^2 + y'^2)/2;\npotential 10*y;\n"
      "constraint rod: x^2 + y^2 = 1;\n" BY, WHOLE_PIECE },
    { "model A {\ncoord q = 0.3, q' = 1;\nkinetic q'^2/2;\npotential 2*q^2;\nforce q = sin(3*time);\n"
      "contact wall: 0.5 - q >= 0 with newton(0.5);\n" BY, WHOLE_LINEAR },
    { "model A {\ncoord x = 0, x' = 0.1;\ncoord z = 0;\nkinetic (x'^2 + z'^2)/2;\npotential 10*z;\n"
      "contact floor { normal = z; slip = x'; with newton(0), coulomb(0.2); }\n" BY, WHOLE_LINEAR },
    { "model A {\nstate x = 0.2;\nmultiplier s;\nx' = 0.5 + cos(time) - 2*s;\nrelation r: s in sgn(x);\n" BY,
      WHOLE_LINEAR } };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    Run a = start(all[i].text, 1), b = start(all[i].text, 0);
    assert_non_null(b.c->whole);
    assert_int_equal(b.c->whole->kind, all[i].kind);
    if (nsm_advance(b.sim, 150, &b.e) != NSM_OK) fail_msg("%s", b.e.text);
    for (int k = 0; k < 150; k++) step(&a);
    for (int c = 0; c < nsm_ncolumn(a.sim); c++) near(nsm_read_column(a.sim, c), nsm_read_column(b.sim, c));
    nsm_counters count;
    nsm_get_counters(b.sim, &count);
    assert_true(count.whole_steps > 100);
    end(&a);
    end(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(moving_mass), cmocka_unit_test(contacts),
                                      cmocka_unit_test(relations), cmocka_unit_test(friction),
                                      cmocka_unit_test(constraints), cmocka_unit_test(three_points),
                                      cmocka_unit_test(nothing_at_the_end), cmocka_unit_test(along_the_end),
                                      cmocka_unit_test(refused), cmocka_unit_test(fused) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
