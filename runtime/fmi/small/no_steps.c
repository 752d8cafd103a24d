// In place of the steps of schemes/flow*.c, beside no_pieces.c, in an FMU for model exchange: of event_driven it
// has the system of an instant (fmi/exchange_field.c), and never takes a step.
#include "runtime/clock/flow_pieces.h"
#include "runtime/schemes/flow.h"

static const nsm_flow_solver none;
const nsm_flow_solver *nsm_flow_plugin(nsm_error *e) { (void)e; return &none; }

nsm_code sim_step_flow(nsm_sim *s, double t1, nsm_error *e) {
  (void)s; (void)t1;
  sim_fail(e, NSM_FAILED, "this FMU is for model exchange, and takes no steps");
  return NSM_FAILED;
}
double   sim_flow_force(const nsm_sim *s, int row) { return s->n.flow->in.force[s->n.r.l[row]]; }
