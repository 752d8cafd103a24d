// In place of schemes/radau*.c, clock/radau*.c and its step in an FMU whose scheme is another one: nothing here is ever
// asked for.
#include "runtime/clock/radau_pieces.h"

static nsm_code none(nsm_error *e) {
  sim_fail(e, NSM_FAILED, "this FMU does not have radau");
  return NSM_FAILED;
}
int      sim_radau_fits(nsm_sim *s, nsm_error *e) { (void)s; return none(e) == NSM_OK; }
void     sim_radau_analyse(nsm_sim *s) { (void)s; }
nsm_code sim_step_radau(nsm_sim *s, double t1, nsm_error *e) { (void)s; (void)t1; return none(e); }
void     sim_radau_accept(nsm_sim *s) { (void)s; }
void     sim_radau_stale(nsm_sim *s) { (void)s; }
nsm_code sim_radau_checked(nsm_sim *s, double h, double t1, nsm_error *e) {
  (void)s; (void)h; (void)t1;
  return none(e);
}
void     sim_radau_step(nsm_sim *s) { (void)s; }
nsm_code sim_radau_begin(nsm_sim *s, nsm_error *e) { (void)s; return none(e); }
nsm_code sim_radau_after(nsm_sim *s, nsm_error *e) { (void)s; return none(e); }
int      sim_radau_give_up(nsm_sim *s) { (void)s; return 0; }
nsm_code sim_radau_end(nsm_sim *s, double t1, double length, int ends, nsm_error *e) {
  (void)s; (void)t1; (void)length; (void)ends;
  return none(e);
}
nsm_code sim_radau_find(nsm_sim *s, double *length, nsm_error *e) { (void)s; (void)length; return none(e); }
double   radau_rate(nsm_sim *s, int z) { (void)s; (void)z; return 0; }
