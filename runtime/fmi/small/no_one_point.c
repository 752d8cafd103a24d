// In place of the steps of schemes of one point, of projections and of whole linear steps in an FMU whose scheme is one
// of two points: nothing here is ever asked for.
#include "runtime/schemes/newton.h"
#include "runtime/schemes/whole.h"

static nsm_code none(nsm_error *e) {
  sim_fail(e, NSM_FAILED, "this FMU does not have schemes of one point");
  return NSM_FAILED;
}
nsm_code sim_step_affine(nsm_sim *s, double t1, nsm_error *e) { (void)s; (void)t1; return none(e); }
nsm_code sim_step_kicks(nsm_sim *s, double t1, nsm_error *e) { (void)s; (void)t1; return none(e); }
void     sim_kicks_analyse(nsm_sim *s) { (void)s; }
nsm_code sim_step_newton(nsm_sim *s, double t1, nsm_error *e) { (void)s; (void)t1; return none(e); }
void     sim_newton_learn(nsm_sim *s) { (void)s; }
nsm_code sim_step_projected(nsm_sim *s, double t1, nsm_error *e, sim_step_of *solve) {
  (void)s; (void)t1; (void)solve;
  return none(e);
}
void     sim_projection_analyse(nsm_sim *s) { (void)s; }
void     newton_force_analyse(nsm_sim *s) { (void)s; }
const sim_whole_kind sim_whole_linear = { 0 };
int      sim_whole_linear_matrix(nsm_sim *s, const nsm_whole *w, double *c) { (void)s; (void)w; (void)c; return 0; }
void     sim_whole_linear_open(nsm_sim *s, struct sim_whole *w) { (void)s; (void)w; }
