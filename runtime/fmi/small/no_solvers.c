// In place of solvers for intervals and blocks in an FMU of a model whose rows are all constraints: pivoting takes
// them all into its basis, and the proximal loop solves what is singular.
#include "none.h"
#include "runtime/cone/newton.h"

NONE(nsm_cone_branch)
NONE(nsm_cone_contact)
NONE(nsm_cone_enumeration)
NONE(nsm_cone_lemke)
NONE(nsm_cone_nsgs)
NONE(nsm_cone_proximal_newton)
int    nsm_cone_chain_state(const nsm_cone_problem *p, nsm_cone_work *w) { (void)p; (void)w; return 0; }
int    nsm_reduced_make(const nsm_cone_problem *p, nsm_cone_work *w, nsm_reduced *r) {
  (void)p; (void)w; (void)r;
  return 0;
}
void   nsm_reduced_guess(const nsm_cone_problem *p, const nsm_reduced *r, const double *lambda) {
  (void)p; (void)r; (void)lambda;
}
void   nsm_reduced_answer(const nsm_cone_problem *p, nsm_reduced *r, double *lambda) { (void)p; (void)r; (void)lambda; }
int    nsm_cone_local_given(const nsm_cone_problem *p, double *lambda) { (void)p; (void)lambda; return 0; }
int    nsm_cone_local(const nsm_cone_block *b, const double *M, const double *q, double *lambda) {
  (void)b; (void)M; (void)q; (void)lambda;
  return 0;
}
double nsm_cone_gauge_contensou(const double *x) { (void)x; return 0; }
double nsm_cone_power_contensou(const double *v, double *lambda) { (void)v; (void)lambda; return 0; }
void   nsm_cone_project_contensou(double r, const double *x, double *out, double *J, double *by_radius) {
  (void)r; (void)x; (void)out; (void)J; (void)by_radius;
}
void   nsm_cone_project_contensou_cone(double mu, const double *x, double *out) { (void)mu; (void)x; (void)out; }
