// In place of the solvers that take blocks alone (cone/solver_table.c) in an FMU of a model without friction: no
// problem of it has a block, and none is a pile.
#include "none.h"

NONE(nsm_cone_modes)
NONE(nsm_cone_planar)
NONE(nsm_cone_sigma)
NONE(nsm_cone_farkas)
NONE(nsm_cone_interior)
NONE(nsm_cone_sweeps)
NONE(nsm_cone_rest)
int nsm_cone_is_planar(const nsm_cone_problem *p) { (void)p; return 0; }
int nsm_cone_modes_again(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda, double *u,
                         struct nsm_cone_check *c) {
  (void)p; (void)w; (void)t; (void)lambda; (void)u; (void)c;
  return 0;
}
int nsm_cone_modes_checked(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                          double *u, struct nsm_cone_check *c) {
  return nsm_cone_modes_again(p, w, t, lambda, u, c);
}
size_t nsm_cone_factors_workspace(int m, int nodes, int n) { (void)m; (void)nodes; (void)n; return 0; }
nsm_cone_status nsm_cone_solve_factors(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *asked,
                                       double *lambda, double *u, nsm_cone_result *r) {
  (void)p; (void)w; (void)asked; (void)lambda; (void)u;
  *r = (nsm_cone_result){ .status = NSM_CONE_FAILED, .worst = -1 };
  return NSM_CONE_FAILED;
}
