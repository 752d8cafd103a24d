// Factors of steps before (schemes/newton_factors.c): mechanisms in angles and as bodies on joints move as they do with
// a new W in each step, and once the motion is slow most steps make none. Where a parameter is altered, too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/api/pipeline.h"
#include "runtime/sim.h"

enum { STEPS = 800, ALTERED = 600 };

static void one(const char *file, const char *parameter, double value) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", NSM_SOURCE_DIR, file);
  nsm_error e;
  Compilation *c = compilation_new();
  PipelineOptions o = { .path = path, .scheme = "moreau" };
  const char *why = "";
  JitStatus status;
  if (!compile_to(c, &o, STAGE_C, NULL)) fail_msg("%s does not compile", path);
  Jit *j = jit_compile(c->arena, JIT_TCC, text_str(&c->c), &c->kernels, &status, &why);
  if (!j) fail_msg("%s: %s", path, why);
  nsm_settings own = { .until = NAN, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN };
  nsm_sim *s = nsm_open(jit_model(j), &own, &e), *fresh = s ? nsm_clone(s, &e) : NULL;
  if (!fresh) fail_msg("%s: %s", path, e.text);
  assert_true(SIM_KEEPS(s));
  int without = 0;
  for (int k = 0; k < STEPS; k++) {
    nsm_sim *each[] = { s, fresh };
    fresh->now.old.h = 0;
    for (int i = 0; i < 2; i++) {
      if (k == ALTERED) assert_int_equal(nsm_set_parameter(each[i], parameter, value, &e), NSM_OK);
      assert_int_equal(nsm_step(each[i], &e), NSM_OK);
    }
    without += s->w.old;
    assert_false(fresh->w.old);
  }
  double most = 0, off = 0;
  for (int i = 0; i < s->a->nz; i++) {
    most = fmax(most, fabs(s->now.z[i]));
    off = fmax(off, fabs(s->now.z[i] - fresh->now.z[i]));
  }
  if (!(off <= 1e-11 * most)) fail_msg("%s: %g of %g", file, off, most);
  if (without < STEPS / 5) fail_msg("%s: only %d of %d steps made no W", file, without, STEPS);
  nsm_close(s);
  nsm_close(fresh);
  jit_free(j);
  compilation_free(c);
}

static void in_angles(void **unused) {
  (void)unused;
  one("tests/bench/answers/arm.nsm", "d", 30);
}

static void on_joints(void **unused) {
  (void)unused;
  one("models/robot_arm.nsm", "k", 350);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(in_angles), cmocka_unit_test(on_joints) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
