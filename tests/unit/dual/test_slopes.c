// Slopes that are compiled, against kernels that are interpreted in dual numbers: Jacobians of a step of random
// equations with all functions, and of models of models/.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/api/program.h"

enum { ROOM = 4000, SEEDS = 40 };

static uint64_t state;
static int draw(int n) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((unsigned)(state >> 33) % (unsigned)n);
}

// A random term of x, y, k and the time, with values and slopes of moderate size.
static void term(char *to, int depth) {
  static const char *const leaf[] = { "x", "y", "k", "time", "0.7", "(x - y)" };
  static const char *const one[] = { "sin(%s)", "cos(%s)", "exp(sin(%s))", "sqrt(1 + (%s)^2)", "atan(%s)", "tanh(%s)",
                                     "abs(%s)", "log(1.5 + cos(%s))", "sinh(sin(%s))", "cosh(cos(%s))",
                                     "asin(0.5*sin(%s))", "acos(0.5*cos(%s))", "tan(0.3*sin(%s))", "(-%s)",
                                     "(0.1*sin(%s))^3", "floor(3*sin(%s))", "(2 + sin(%s))^(-1/2)", "sign(%s)" };
  static const char *const two[] = { "(%s + %s)", "(%s - %s)", "sin(%s)*cos(%s)", "%s/(2 + sin(%s))", "min(%s, %s)",
                                     "max(%s, %s)", "atan2(sin(%s), 2 + cos(%s))", "(if %s < %s then x*y else y/3)" };
  char a[ROOM], b[ROOM];
  if (depth == 0) { strcpy(to, leaf[draw(6)]); return; }
  term(a, depth - 1);
  term(b, draw(depth));
  if (draw(2)) snprintf(to, ROOM, one[draw(sizeof one / sizeof *one)], a);
  else snprintf(to, ROOM, two[draw(sizeof two / sizeof *two)], a, b);
}

// The largest difference of the two Jacobians, beside the largest entry.
static double apart(const nsm_program *p, int steps, const char *by, int nby) {
  nsm_error e;
  nsm_settings set = nsm_default_settings();
  Slopes *const *all;
  set.located = 1;
  nsm_sim *s = nsm_simulate(p, &set, &e);
  if (!s) fail_msg("%s", e.text);
  for (int i = 0; i < steps; i++) assert_int_equal(nsm_step(s, &e), NSM_OK);
  size_t n = (size_t)nsm_nstate(s, NULL), size = n * (n + (size_t)nsm_ninput(s) + (size_t)nby);
  double *compiled = calloc(size, sizeof *compiled), *read = calloc(size, sizeof *read), off = 0, most = 0;
  if (nsm_jacobian(p, s, by, compiled, &e) != NSM_OK) fail_msg("%s", e.text);
  int slopes = dual_slopes(program_dual(p), &all);
  assert_true(slopes > 0);
  for (int i = 0; i < slopes; i++) {
    assert_non_null(all[i]->run);
    all[i]->run = NULL;
  }
  if (nsm_jacobian(p, s, by, read, &e) != NSM_OK) fail_msg("%s", e.text);
  for (size_t i = 0; i < size; i++) {
    off = fmax(off, fabs(compiled[i] - read[i]));
    most = fmax(most, fabs(read[i]));
    assert_false(isnan(compiled[i]) || isnan(read[i]));
  }
  assert_true(most > 0);
  free(compiled);
  free(read);
  nsm_close(s);
  return off / most;
}

static void random_equations(void **unused) {
  (void)unused;
  char text[3 * ROOM], a[ROOM], b[ROOM];
  for (int seed = 0; seed < SEEDS; seed++) {
    state = 77 + (uint64_t)seed;
    do term(a, 5); while (strlen(a) > 600);
    do term(b, 5); while (strlen(b) > 600);
    snprintf(text, sizeof text,
             "model R {\n  param k = 0.3;\n  state x = 0.4, y = -0.2;\n  x' = %s - x;\n  y' = %s + x;\n"
             "  simulate { until = 1, step = 0.01, scheme = moreau(theta = 1/2) }\n}\n", a, b);
    nsm_program *p = nsm_compile_text(text, "random", NULL);
    if (nsm_program_status(p) != NSM_OK) fail_msg("%s\n%s", nsm_program_message(p), text);
    double off = apart(p, 7, "k", 1);
    if (!(off < 1e-12)) fail_msg("%g apart:\n%s", off, text);
    nsm_program_free(p);
  }
}

static void of_models(void **unused) {
  (void)unused;
  static const struct { const char *path; int steps; } model[] = {
    { "models/two_link_arm.nsm", 50 }, { "models/bouncing_ball.nsm", 85 }, { "models/belt_oscillator.nsm", 30 },
    { "models/free_top.nsm", 20 }, { "models/simplest_walker.nsm", 10 } };
  for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
    const char *jit = i == 0 && jit_llvm_version() ? "llvm" : "tcc";
    nsm_program *p = nsm_compile_file(model[i].path,
                                      &(nsm_compile_settings){ .scheme = "moreau(theta = 1/2)", .jit = jit });
    if (nsm_program_status(p) != NSM_OK) fail_msg("%s: %s", model[i].path, nsm_program_message(p));
    double off = apart(p, model[i].steps, "", 0);
    if (!(off < 1e-11)) fail_msg("%s: %g apart", model[i].path, off);
    nsm_program_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(random_equations), cmocka_unit_test(of_models) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
