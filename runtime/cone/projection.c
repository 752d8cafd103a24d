// Projection on the sets K_i, and the active set seen by the natural map.
#include "solver.h"
#include <float.h>

// P_K(x) for an interval.
void nsm_cone_project_all(const nsm_cone_problem *p, double *lambda) {
  for (int i = 0; i < p->m; i++) lambda[i] = nsm_cone_project(lambda[i], p->lo[i], p->hi[i]);
}

// lambda_i - rho_i u_i inside the interval: basic; outside: at the bound on that side (the choice of a semismooth Newton step on (2)).
void nsm_cone_guess_state(const nsm_cone_problem *p, const double *lambda, const double *u, unsigned char *state) {
  for (int i = 0; i < p->m; i++) {
    double d = nsm_cone_diagonal(p, i), x = lambda[i] - u[i] / (d >= DBL_MIN ? d : 1.0);
    state[i] = x <= p->lo[i] ? NSM_LOW : x >= p->hi[i] ? NSM_HIGH : NSM_BASIC;
  }
}
