// Laws of all kinds are located at the instant at which they change: states, and what is fed from then on, as in closed
// form; one instant, and no step captured.
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

// x falls to 0 at t0, and is held there by u; w' = u t.
typedef struct law { const char *text; double t0, u; } law;
static const law laws[] = { { "x' = u - 1; relation r: 0 <= x perp u >= 0;", 1.013, 1 },
                            { "x' = u - 0.5; relation r: u in -sgn(x);", 1.013 / 1.5, 0.5 },
                            { "x' = u - 1; relation r: -x in normal_cone([0, 3], u);", 1.013, 1 } };

static void changes(const law *k, const char *scheme) {
  char text[600];
  nsm_error e;
  snprintf(text, sizeof text, "model M { state x = 1.013, w = 0; multiplier u; w' = u*time; %s\n"
           "simulate { until = 2, step = 0.1, scheme = %s } }", k->text, scheme);
  opened o = open_text(text);
  nsm_sim *s = o.s;
  while (nsm_steps_done(s) < nsm_steps_total(s)) if (nsm_step(s, &e) != NSM_OK) fail_msg("%s", e.text);
  double before = k->u - (k->t0 < 1 ? 1.5 : 1), w = 0.5 * (before * k->t0 * k->t0 + k->u * (4 - k->t0 * k->t0));
  if (fabs(s->now.z[0]) > 1e-12 || fabs(s->now.z[1] - w) > 1e-9)
    fail_msg("%s, %s: x = %g, w = %.17g, not %.17g", k->text, scheme, s->now.z[0], s->now.z[1], w);
  assert_int_equal(s->now.count.located, 1);
  assert_int_equal(s->now.count.captured, 0);
  close_all(o);
}

static void all_laws(void **state) {
  (void)state;
  static const char *const by[] = { "moreau(located = true)", "event_driven", "radau" };
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++)
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) changes(&laws[k], by[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(all_laws) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
