// The method of Josephy and Newton as all schemes use it: linearised smooth rows with the one-step problem inside, a
// step that is shortened while the residual grows, and what decides that an iterate stands [Josephy 1979]. What a
// scheme's residual and its step are, it says in a sim_newton_method.
#pragma once
#include "schemes.h"
#include <float.h>
#include <math.h>

typedef struct sim_iteration {
  int    number;                        // of steps done
  int    worst;                         // where the residual is largest: z, or ~row
  int    halvings;                      // of the last step; -1: it is taken whole, whatever comes of it
  int    exact;                         // one step was exact: nothing is left to measure
  int    leaps;                         // the step was made longer: its residual may rise
  double error, before, rate;           // largest relative residual; that of the iterate before; their quotient
  double alpha;                         // share of the last step that was taken
} sim_iteration;

typedef enum { SIM_GO_ON, SIM_STANDS, SIM_HOPELESS } sim_verdict;

// v: the view at the end of the step, of the iterate.
typedef struct sim_newton_method {
  int         free;  // steps up to which the residual may double; later it must fall
  // kernels; error and worst from step 1 on
  void      (*measure)(nsm_sim *s, const nsm_view *v, sim_iteration *it);
  sim_verdict (*verify)(nsm_sim *s, const nsm_view *v, sim_iteration *it);
  int       (*rests)(nsm_sim *s, const nsm_view *v, sim_iteration *it);        // stands where it falls no more? or NULL
  nsm_code  (*step)(nsm_sim *s, const nsm_view *v, sim_iteration *it, nsm_error *e);   // one step, whole
  void      (*go)(nsm_sim *s, double alpha);                                   // this share of it instead
  // says so; it->error may be nan
  nsm_code  (*failed)(nsm_sim *s, const nsm_view *v, const sim_iteration *it, nsm_error *e);
  int       (*still)(nsm_sim *s, const nsm_view *v);       // the start is the answer, as measured at step 0; or NULL
} sim_newton_method;

// 1 where the step is given up: it was interrupted, or its problems and iterations have taken SIM_STEP_BUDGETS times
// the operations that one problem may.
enum { SIM_STEP_BUDGETS = 10 };
int sim_is_late(nsm_sim *s);

// From the iterate at hand. most: iterations; shortens: whether steps are shortened at all.
nsm_code sim_josephy_newton(nsm_sim *s, const sim_newton_method *m, int most, int shortens, const nsm_view *v,
                            nsm_error *e);

// Are the factors of an iterate before kept for the next step? Where they contract enough; small ones, which are cheap,
// for the last step alone. The matrices of the schemes leave out derivatives of order h, so new ones contract linearly
// as well, and to make them is most of an iteration [Kelley 1995, 5.4, the Shamanskii method].
int sim_keeps_factors(const sim_matrix *w, const sim_iteration *it);

// The natural map of lambda in [lo, hi] with rate u, l - P(l - rho u); rho = 1/M_ii makes it scale as l does.
static inline double sim_natural_map(double l, double u, double rho, double lo, double hi) {
  double p = l - rho * u;
  return l - (p < lo ? lo : p > hi ? hi : p);
}
static inline double sim_rho(double diagonal) { return diagonal > 0 ? 1 / diagonal : 1; }

// The step stands: how far three guesses of its change would have been off, in the mass metric, into now.off: none, the
// change of the step before, and that extrapolated (where now.gain0 is kept). weight [n]: M_ii, or what is taken for 1
// where it is not positive; inverse: 1/M_ii.
void sim_learn(nsm_sim *s, int n, const double *change, const double *weight, int inverse);

// A step that stands above the tolerance, where its residual falls no more: for the summary.
void sim_stagnated(nsm_sim *s, double t1, const sim_iteration *it);
