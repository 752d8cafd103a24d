// Which models have a whole step, of which kind, and what the runtime is told of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "../compile_text.h"

#define RUN "simulate { until = 1 [s], step = 1 [ms] }\n}\n"
#define BY_MOREAU "simulate { until = 1 [s], step = 1 [ms], scheme = moreau }\n}\n"
#define BALL "coord z : m = 1; kinetic z'^2/2 * 1 [kg]; potential 9.81 [m/s^2]*1 [kg]*z;\n"

static Compilation *compiled(const char *text, int kind) {
  Compilation *c = compile_text(text, STAGE_C);
  assert_int_equal(c->whole ? (int)c->whole->kind : 0, kind);
  return c;
}

static void linear(void **state) {
  (void)state;
  Compilation *c = compiled("model A {\n" BALL "contact floor: z >= 0 with newton(0.5);\n" BY_MOREAU, WHOLE_LINEAR);
  const Whole *w = c->whole;
  assert_int_equal(w->nrow, 1);
  assert_int_equal(w->npattern, 1);                      // gravity: a constant
  assert_int_equal(w->row[0], 0);
  assert_int_equal(w->col[0], 2);                        // after q and z
  assert_false(w->here);
  assert_true(w->stays);                                 // with M and X of the contact
  assert_int_equal(w->nm, 1);
  assert_int_equal(w->nx, 1);
  const PlanKernel *last = &c->kernels.at[c->kernels.n - 1];
  assert_int_equal(last->cls, -1);
  assert_ptr_equal(last->kernel, w->kernel);
  compilation_free(c);
  c = compiled("model A {\n" BALL "contact floor: z >= 0 with newton(0.5);\n" RUN, WHOLE_LINEAR);
  assert_true(c->whole->located && c->whole->stays);     // by default: it stops where an event may be
  compilation_free(c);
}

// Rows that always act are in the emitted loop.
static void relations(void **state) {
  (void)state;
  Compilation *c = compiled("model A {\nstate x = 1;\nmultiplier u;\nx' = u;\nrelation s: u in -sgn(x);\n" BY_MOREAU,
                            WHOLE_LINEAR);
  assert_true(c->whole->here);
  assert_int_equal(c->whole->nm, 1);
  assert_int_equal(c->whole->nx, 1);
  compilation_free(c);
}

static void nonlinear(void **state) {
  (void)state;
  const char *pendulum = "coord a : rad = 1; kinetic a'^2/2 * 1 [kg*m^2/rad^2]; potential -1 [J]*cos(a);\n";
  char text[1000];
  snprintf(text, sizeof text, "model A {\n%ssimulate { until = 1 [s], step = 1 [ms], scheme = moreau }\n}\n", pendulum);
  compilation_free(compiled(text, WHOLE_PIECE));
  snprintf(text, sizeof text, "model A {\n%ssimulate { until = 1 [s], step = 1 [ms], scheme = consistent }\n}\n",
           pendulum);
  compilation_free(compiled(text, WHOLE_TWO_POINT));
  snprintf(text, sizeof text, "model A {\n%ssimulate { until = 1 [s], step = 1 [ms], scheme = midpoint }\n}\n",
           pendulum);
  compilation_free(compiled(text, WHOLE_PIECE));
}

// What is held between two instants is a constant of the steps there; conditions on the state are for the generic step.
static void held(void **state) {
  (void)state;
  compilation_free(compiled("model A {\ninput w = 0; discrete k = 0; state x = 1;\nx' = (w + k)/(1 [s]);\n"
                            "every 10 [ms] { k = 1 - k; }\n" BY_MOREAU, WHOLE_LINEAR));
  compilation_free(compiled("model A {\ndiscrete k = 0; state x = 1;\nx' = -k/(1 [s]);\n"
                            "when x < 0.5 { k = 0; }\n" BY_MOREAU, 0));
  compilation_free(compiled("model A {\ndiscrete k = 1; state x = 1; multiplier u;\nx' = u/(1 [s]);\n"
                            "relation s: u in -k*sgn(x);\nevery 10 [ms] { k = k/2; }\n" BY_MOREAU, 0));
}

// A length that a parameter gives, a scheme for comparison: the generic step alone.
static void none(void **state) {
  (void)state;
  compilation_free(compiled("model A {\nparam n = 3;\ncoord z[n] : m = 1;\n"
                            "for i in 1:n { kinetic z[i]'^2/2 * 1 [kg]; }\n" RUN, 0));
  compilation_free(compiled("model A {\n" BALL "simulate { until = 1 [s], step = 1 [ms], "
                            "scheme = consistent_explicit_mass }\n}\n", 0));
  compilation_free(compiled("model A {\nstate x = 1;\nx' = -x/(1 [s]);\nsimulate { until = 1 [s], step = 1 [ms], "
                            "scheme = radau(located = false) }\n}\n", 0));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(linear), cmocka_unit_test(relations),
                                      cmocka_unit_test(nonlinear), cmocka_unit_test(held), cmocka_unit_test(none) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
