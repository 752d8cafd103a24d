// Factors of steps before. W changes little from one step to the next of a smooth motion: the factors of the last W
// that was made go on while each iteration with them takes enough of the residual. This is the simplified method of
// Newton (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8), with the fixed point of the other one,
// as what is kept acts on changes alone (newton_iteration.c).
//
// W is part of the state (now.made), so that a run goes on with the same bits from where it was saved: what restores a
// state makes the factors again. Kept are those of steps that are foretold and have no rows of laws.
#include "newton.h"
#include <string.h>

enum { MOST = 4,                         // iterations with old factors
       LONGEST = 63 };                   // steps that make their own where old factors did not do
static const double near_enough = 1e-4, contracts = 3e-2;   // the residual at first; what an iteration leaves of it

// At the begin of a step, whose start values know of no old factors (step_newton.c): shall it try them? They are made
// again where W has been another one since.
void newton_factors_begin(nsm_sim *s, int foretold) {
  if (!SIM_KEEPS(s) || !foretold || s->n.isl.nactive > 0 || s->now.old.h != s->n.h) return;
  if (s->now.old.rest > 0) { s->now.old.rest--; return; }
  s->w.old = s->n.w.factored || sim_matrix_again(s) < 0;
}

// At an iterate, of which the first has no residual yet: is the step to go on with them?
int newton_factors_do(nsm_sim *s, sim_iteration *it) {
  if (!s->w.old) return 0;
  if (it->number == 0) {
    s->w.old_error = newton_residual(s, 0, &it->worst);
    s->w.old = s->w.old_error <= near_enough;
  } else {
    s->w.old = it->number < MOST && it->alpha == 1 && it->error <= contracts * s->w.old_error;
    s->w.old_error = it->error;
  }
  if (s->w.old) return 1;
  s->now.old.wait = 2 * s->now.old.wait + 1 < LONGEST ? 2 * s->now.old.wait + 1 : LONGEST;
  s->now.old.rest = s->now.old.wait;
  return 0;
}
