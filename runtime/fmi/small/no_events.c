// In place of clock/events.c and clock/resets.c in an FMU of a model without blocks that locates no events of sets: its
// steps are not taken in pieces.
#include "runtime/clock/clock.h"

int      sim_events_analyse(nsm_sim *s, nsm_error *e) { (void)s; (void)e; return 1; }
nsm_code sim_events_start(nsm_sim *s, nsm_error *e) { (void)s; (void)e; return NSM_OK; }
nsm_code sim_events_fused(nsm_sim *s, nsm_error *e) { (void)s; (void)e; return NSM_OK; }
nsm_code sim_events_step(nsm_sim *s, double t1, nsm_error *e) {
  (void)s; (void)t1;
  sim_fail(e, NSM_FAILED, "this FMU has no events");
  return NSM_FAILED;
}
