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

// At an iterate, of which the first has no residual yet: is the step to go on with them? w.old becomes the number of
// its iterations with them. Where one was all that the step before took, the start is taken to be near.
int newton_factors_do(nsm_sim *s, sim_iteration *it) {
  if (!s->w.old) return 0;
  double error = it->number > 0 ? it->error : s->now.old.wait < 0 ? near_enough : newton_residual(s, 0, &it->worst);
  int goes_on = it->number == 0 ? error <= near_enough
                                : it->number < MOST && it->alpha == 1 && error <= contracts * s->w.old_error;
  s->w.old_error = error;
  s->w.old = goes_on ? it->number + 1 : 0;
  if (goes_on) return 1;
  if (s->now.old.wait < 0) s->now.old.wait = 0;
  s->now.old.wait = 2 * s->now.old.wait + 1 < LONGEST ? 2 * s->now.old.wait + 1 : LONGEST;
  s->now.old.rest = s->now.old.wait;
  return 0;
}
