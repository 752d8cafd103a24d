// In place of schemes/consistent*.c and their step in an FMU whose scheme is another one: nothing here is ever
// asked for.
#include "runtime/schemes/schemes.h"
#include "runtime/schemes/whole.h"

static nsm_code none(nsm_error *e) {
  sim_fail(e, NSM_FAILED, "this FMU does not have schemes of two points");
  return NSM_FAILED;
}
int      sim_consistent_fits(nsm_sim *s, nsm_error *e) { (void)s; return none(e) == NSM_OK; }
void     sim_consistent_analyse(nsm_sim *s) { (void)s; }
nsm_code sim_step_consistent(nsm_sim *s, double t1, nsm_error *e) { (void)s; (void)t1; return none(e); }
nsm_code sim_impact_consistent(nsm_sim *s, nsm_error *e) { (void)s; return none(e); }
void     sim_accept_consistent(nsm_sim *s) { (void)s; }
const sim_whole_kind sim_whole_two_point = { 0 };
