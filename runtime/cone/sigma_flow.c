// The flow of De Saxce's shift, for the largest friction problems.
//
// For a given shift s the problem is the convex one of least distance, quickly solved whatever its size; let |V_T|(s)
// be the sliding speeds of its solution. A solution of the friction problem is a point of rest of
//
//   s' = |V_T|(s) - s                                                                                              (a)
//
// What |V_T| answers to a change of s grows with the layers of a pile: from about ten of them on, s := |V_T|(s) runs
// away, and Newton's method stops where the residual has a least that is not zero, at what is left of two solutions
// that have just vanished. The flow passes such places slowly, and comes to rest at a solution that is stable, or
// wanders near one. Implicit Euler steps of (a), of length D = 1 / delta - 1, are the friction problem again with a
// part of its shift held fixed,
//
//   u_N + delta (s0 - sigma)  in place of  u_N,    s0 := s0 + (1 - delta)(sigma - s0)                              (b)
//
// where with delta = 1 everything is convex. D grows where Newton's method follows easily and falls where it does not
// (pseudo-transient continuation: Kelley and Keyes, SIAM J. Numer. Anal. 35 (1998) 508-523). tau falls where a step
// moves the shift by no more than `settled` tau. With D infinite from the beginning it is Newton's method on the
// smoothed problems alone, with the proximal term: short where it is not stopped.
#include "sigma.h"
#include <math.h>
#include <string.h>

enum { FAILS = 12, EARLY = 3 };
static const double first_alpha = 1e-3, least_alpha = 1e-12, last_tau = 1e-14, from = 1e-2,
    longest = 1e6, settled = 100,
    early = 0.1;             // of the first tau: straight down is no way where Newton's method fails up here

// The largest r |s0 - sigma|, in the unit of tau.
static double moved(const nsm_sigma *k) {
  double most = 0;
  for (int c = 0; c < k->g.nodes; c++)
    most = fmax(most, k->push * k->rho[c] * fabs(k->s0[c] - k->s[c]) / k->share[c]);
  return most;
}

int nsm_sigma_flow(nsm_sigma *k, double push, double tau, double step) {
  nsm_sigma_begin(k, push, tau);
  double first = k->tau, end = last_tau * first, begin = from * first;
  int found = 0;
  k->alpha = first_alpha;
  nsm_sigma_keep(k, &k->old);
  for (int fails = 0; !found && fails < FAILS && k->tau > end && nsm_sigma_may_go_on(k);) {
    int used;
    double start, norm;
    k->delta = 1 / (1 + step);
    if (!nsm_sigma_stage(k, &used, &start, &norm)) {
      if (++fails == EARLY && !(step < HUGE_VAL) && k->tau > early * first) break;
      step *= 0.25;
      k->alpha *= 3;
      nsm_sigma_go_back(k, &k->old);
      continue;
    }
    fails = 0;
    if (k->tau <= begin && used)
      found = nsm_sigma_checked(k, k->x, k->tau) || nsm_sigma_will_do(k);
    int rests = k->delta * moved(k) <= settled * k->tau;
    for (int c = 0; c < k->g.nodes; c++) k->s0[c] += (1 - k->delta) * (k->s[c] - k->s0[c]);
    memcpy(k->center, k->x, (size_t)k->g.rows * sizeof(double));
    if (k->tau <= begin && step < longest)
      step = fmin(longest, step * (used <= 2 ? 2 : used <= 4 ? 1.4 : used <= 6 ? 1 : 0.7));
    if (k->tau > begin || rests) k->tau *= used <= 1 ? 0.2 : used <= 4 ? 0.5 : 0.7;
    k->alpha = fmax(0.5 * k->alpha, least_alpha);
    nsm_sigma_keep(k, &k->old);
  }
  k->delta = 0;
  return found;
}
