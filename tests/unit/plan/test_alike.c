// Which statements about bodies share what a plan makes of them: those that are one another in other bodies and
// parameters, one to one, and no others.
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
#include "rig.h"

#define BODIES                                                                                                        \
  "param u = 0.1, v = 0.3, w = 0.2; body a { mass = 1, inertia = [1, 2, 3] } "                                        \
  "body b { mass = 1, inertia = [1, 2, 3] } "                                                                          \
  "body c { mass = 1, inertia = [1, 2, 3] } body d { mass = 1, inertia = [1, 2, 3] } "

static const PlanClass *planned(const Rig *r, const char *label) {
  const Plan *p = r->c->plan;
  for (int i = 0; i < p->ncls; i++)
    if (!strcmp(p->cls[i].c->label, label)) return &p->cls[i];
  fail_msg("no class '%s'", label);
  return NULL;
}

// The label of the class that this one computes as; "" for none.
static const char *like(const Rig *r, const char *label) {
  const PlanClass *pc = planned(r, label);
  return pc->like < 0 ? "" : r->c->plan->cls[pc->like].c->label;
}

static void others(void **unused) {
  static const struct { const char *text, *like; } each[] = {
    { "c.point([w, 0, 0]) = b.point([0, v, 0])", "constraint one[1]" },       // other bodies, other parameters
    { "d.point([u, 0, 0]) = c.point([0, v, 0])", "constraint one[1]" },
    { "c.point([w, 0, 0]) = b.point([0, w, 0])", "" },                        // one parameter for two
    { "c.point([w, 0, 0]) = b.point([0, 0, v])", "" },                        // at another place
    { "c.point([w, 0, 0]) = b.point([0, 2*v, 0])", "" },                      // another number
    { "c.point([0.2, 0, 0]) = b.point([0, 0.3, 0])", "" },                    // numbers for parameters
    { "c.point([w, 0, 0]) = b.r + [0, v, 0]", "" },
  };
  (void)unused;
  static const char *const schemes_[] = { "consistent", "moreau", "midpoint" };
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    for (int k = 0; k < 3; k++) {
      Text text = {0};
      text_printf(&text, BODIES "constraint one: b.point([u, 0, 0]) = a.point([0, v, 0]); constraint two: %s;",
                  each[i].text);
      Rig r = rig_of("alike", text_str(&text), schemes_[k]);
      assert_string_equal(like(&r, "constraint one[1]"), "");
      if (strcmp(like(&r, "constraint two[1]"), each[i].like))
        fail_msg("%s by %s computes as '%s'", each[i].text, schemes_[k], like(&r, "constraint two[1]"));
      text_free(&text);
      compilation_free(r.c);
    }
  }
}

// Columns of a copy are those of the first in its own parameters.
static void columns(void **unused) {
  (void)unused;
  Rig r = rig_of("columns", BODIES "constraint one: b.point([u, 0, 0]) = a.point([0, v, 0]); "
                            "constraint two: d.point([v, 0, 0]) = c.point([0, w, 0]);", "consistent");
  const PlanClass *one = planned(&r, "constraint one[2]"), *two = planned(&r, "constraint two[2]");
  assert_int_equal(one->nnum, two->nnum);
  assert_true(two->like >= 0 && one->index_num > 0);
  double was[64];
  for (int i = 0; i < one->index_num; i++) was[i] = eval(&r, two->num[i]);
  for (int i = 0; i < r.s->model->nparam; i++) {
    const char *name = r.s->model->param[i].name;
    *place(&r, SYM_PARAM, i) = !strcmp(name, "u") ? 0.3 : !strcmp(name, "v") ? 0.2 : 0.7;      // what v and w were
  }
  for (int i = 0; i < one->index_num; i++) assert_true(eval(&r, one->num[i]) == was[i]);
  compilation_free(r.c);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(others), cmocka_unit_test(columns) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
