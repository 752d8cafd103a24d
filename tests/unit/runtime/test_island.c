// The island service: a small problem keeps its id while matrix, kinds of rows and friction are the same; rows of
// another kind than the law's leave it alone and are answered as they ask.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/clock/clock.h"
#include "fixtures.h"

typedef struct Rig { nsm_sim *s; double M[4], q[2], lo[2], hi[2], lambda[2], u[2]; int row[2]; } Rig;

static Rig rig(void) {
  nsm_settings set = { .until = 1, .step = 0.1, .start = NAN, .theta = NAN, .gamma = NAN };
  nsm_error e;
  Rig r = { .s = nsm_open(bridge_model(), &set, &e), .M = { 2, 1, 1, 2 }, .q = { -1, -1 }, .hi = { INFINITY, INFINITY },
            .row = { 0, 1 } };
  if (!r.s) fail_msg("%s", e.text);
  assert_true(r.s->n.r.n >= 2);
  return r;
}

// The id that the problem had.
static uint64_t solve(Rig *r, sim_island_kind kind) {
  sim_solver *w = &r->s->n.isl.solver;
  sim_island k = { { .m = 2, .M = r->M, .q = r->q, .lo = r->lo, .hi = r->hi }, r->row, r->row, r->lambda, r->u, 0,
                   NULL };
  w->kind = kind;
  assert_true(sim_island_solve(r->s, w, &k));
  w->kind = SIM_BY_LAW;
  return k.p.matrix_id;
}

static void answer(const Rig *r, double first, double second) {
  assert_true(fabs(r->lambda[0] - first) < 1e-12 && fabs(r->lambda[1] - second) < 1e-12);
}

static void ids(void **state) {
  (void)state;
  Rig r = rig();
  uint64_t first = solve(&r, SIM_BY_LAW);
  answer(&r, 1.0 / 3, 1.0 / 3);
  assert_true(first != 0);
  assert_true(solve(&r, SIM_BY_LAW) == first);
  r.hi[0] = 0.25;                                          // a bound that was not there: rows of other kinds
  uint64_t boxed = solve(&r, SIM_BY_LAW);
  answer(&r, 0.25, 0.375);
  assert_true(boxed != first);
  r.hi[0] = 0.125;                                         // another value alone
  assert_true(solve(&r, SIM_BY_LAW) == boxed);
  answer(&r, 0.125, 0.4375);
  r.M[0] = 4;
  assert_true(solve(&r, SIM_BY_LAW) != boxed);
  nsm_close(r.s);
}

static void apart(void **state) {
  (void)state;
  Rig r = rig();
  uint64_t first = solve(&r, SIM_BY_LAW);
  r.lo[0] = r.lo[1] = -INFINITY;
  r.q[0] = 1;
  assert_true(solve(&r, SIM_APART) == 0);
  answer(&r, -1, 1);
  assert_true(solve(&r, SIM_CORRECTION) == 0);
  answer(&r, -1, 1);
  r.lo[0] = r.lo[1] = 0;
  r.q[0] = -1;
  assert_true(solve(&r, SIM_BY_LAW) == first);
  answer(&r, 1.0 / 3, 1.0 / 3);
  nsm_close(r.s);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(ids), cmocka_unit_test(apart) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
