// In place of schemes/galerkin*.c and their step in an FMU whose scheme is of order 2, or has no order: no piece is a
// galerkin's there (sim.n.galerkin is NULL).
#include "runtime/schemes/schemes.h"

int      sim_galerkin_fits(nsm_sim *s, nsm_error *e) { (void)s; (void)e; return 1; }
void     sim_galerkin_analyse(nsm_sim *s) { (void)s; }
nsm_code sim_step_galerkin(nsm_sim *s, double t1, nsm_error *e) {
  (void)s; (void)t1;
  sim_fail(e, NSM_FAILED, "this FMU has order 2");
  return NSM_FAILED;
}
double   sim_galerkin_verify(nsm_sim *s, double t1) { (void)s; (void)t1; return 0; }
double   sim_galerkin_force(const nsm_sim *s, int row) { (void)s; (void)row; return 0; }
double   sim_galerkin_pressed(const nsm_sim *s, int friction) { (void)s; (void)friction; return 0; }
