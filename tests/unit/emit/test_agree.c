// Evaluator = libtcc = cc = LLVM: random outputs of a model, evaluated by the reference evaluator on the DAG and by the
// code of each backend. The compilers must agree bit by bit (the same operations, no contraction); the evaluator to
// 1e-11 of the value's scale, since hoisting and multiplied-out powers associate differently.
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
#include "tests/unit/thin.h"
#include "runtime/nsm_run.h"

enum { OUTPUTS = 25, MODELS = (12 + THIN - 1)/THIN };

static uint64_t state = 0x5eed;
static unsigned draw(unsigned n) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33) % n;
}

static void expression(Text *t, int depth) {
  static const char *const leaf[] = { "a", "b", "x", "y", "z", "z'", "time", "2", "0.5", "3" };
  static const char *const safe[] = { "sin", "cos", "tanh", "atan", "abs", "sign", "floor" };
  if (depth == 0 || draw(6) == 0) { text_add(t, leaf[draw(10)]); return; }
  const char *open = "(", *middle = " + ", *close = ")";
  bool two = true;
  switch (draw(11)) {
  case 0: case 1: break;
  case 2: middle = " - "; break;
  case 3: case 4: middle = "*"; break;
  case 5: middle = "/(1.5 + sin("; close = ")))"; break;
  case 6: open = "sqrt(1 + ("; middle = ")^2 + 0*"; close = ")"; break;
  case 7: two = false; text_printf(t, "%s(", safe[draw(7)]); expression(t, depth - 1); text_addc(t, ')'); break;
  case 8: two = false; text_addc(t, '('); expression(t, depth - 1); text_printf(t, ")^%u", draw(5) + 2); break;
  case 9: two = false; text_add(t, "(if "); expression(t, depth - 1); text_add(t, " < "); expression(t, depth - 1);
    text_add(t, " then ");
    expression(t, depth - 1);
    text_add(t, " else ");
    expression(t, depth - 1);
    text_addc(t, ')');
    break;
  default: open = draw(2) ? "min(" : "max("; middle = ", "; break;
  }
  if (!two) return;
  text_add(t, open); expression(t, depth - 1); text_add(t, middle); expression(t, depth - 1); text_add(t, close);
}

static void model_text(Text *t) {
  text_add(t, "model T {\n  param a = 0.7, b = -1.3;\n  state x = 0.9, y = -0.4;\n  coord z = 1.1, z' = 0.3;\n"
              "  x' = -x;\n  y' = -y;\n  kinetic z'^2/2;\n");
  for (int i = 0; i < OUTPUTS; i++) {
    text_printf(t, "  output o%d = ", i);
    expression(t, 5);
    text_add(t, ";\n");
  }
  text_add(t, "  simulate { until = 1, step = 0.1, start = 0.2 }\n}\n");
}

static double leaf_value(int id, void *system) {
  const System *s = system;
  const char *n = sym_name(id, system);
  (void)s;
  static const struct {
    const char *n;
    double v;
  } table[] = {
    { "a", 0.7 }, { "b", -1.3 }, { "x", 0.9 }, { "y", -0.4 }, { "z", 1.1 }, { "z'", 0.3 }, { "time", 0.2 }
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) if (!strcmp(table[i].n, n)) return table[i].v;
  fail_msg("unknown symbol %s", n);
  return 0;
}

static void read_outputs(Compilation *c, JitBackend backend, double *value) {
  const char *why = "";
  JitStatus status;
  Jit *j = jit_compile(c->arena, backend, text_str(&c->c), &c->kernels, &status, &why);
  if (!j) fail_msg("%s", why);
  nsm_settings set = { .until = NAN, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN };
  nsm_error e;
  nsm_sim *sim = nsm_open(jit_model(j), &set, &e);
  if (!sim) fail_msg("%s", e.text);
  double *row = calloc((size_t)nsm_ncolumn(sim), sizeof *row);
  nsm_read(sim, row);
  for (int i = 0; i < OUTPUTS; i++) {
    char name[16];
    snprintf(name, sizeof name, "o%d", i);
    int col = nsm_find_column(sim, name);
    assert_true(col >= 0);
    value[i] = row[col];
  }
  free(row);
  nsm_close(sim);
  jit_free(j);
}

static void agree(void **unused) {
  (void)unused;
  for (int m = 0; m < MODELS; m++) {
    Text t = {0};
    model_text(&t);
    Compilation *c = compile_text(text_str(&t), STAGE_C);
    double tcc[OUTPUTS], cc[OUTPUTS], llvm[OUTPUTS];
    read_outputs(c, JIT_TCC, tcc);
    read_outputs(c, JIT_CC, cc);
    if (jit_llvm_version()) read_outputs(c, JIT_LLVM, llvm); else memcpy(llvm, tcc, sizeof llvm);   // left out
    int k = 0;
    for (int i = 0; i < c->system->ncls; i++) {
      const SysClass *cls = &c->system->cls[i];
      if (cls->kind != CLASS_OUTPUT) continue;
      double want = ex_eval(c->system->pool, cls->value, leaf_value, (void *)c->system);
      if (memcmp(&tcc[k], &cc[k], sizeof(double)) && !(isnan(tcc[k]) && isnan(cc[k])))
        fail_msg("o%d: tcc %.17g, cc %.17g", k, tcc[k], cc[k]);
      if (memcmp(&tcc[k], &llvm[k], sizeof(double)) && !(isnan(tcc[k]) && isnan(llvm[k])))
        fail_msg("o%d: tcc %.17g, LLVM %.17g", k, tcc[k], llvm[k]);
      if (!(fabs(tcc[k] - want) <= 1e-11 * (1 + fabs(want))) && !(isnan(want) && isnan(tcc[k])))
        fail_msg("o%d: emitted %.17g, evaluator %.17g in\n%s", k, tcc[k], want, text_str(&t));
      k++;
    }
    assert_int_equal(k, OUTPUTS);
    compilation_free(c);
    text_free(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(agree) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
