// In place of clock/flow_pieces.c and of the steps of schemes/flow*.c in an FMU for model exchange: of event_driven it
// has the system of an instant (fmi/exchange_field.c), and never takes a step.
#include "runtime/clock/flow_pieces.h"
#include "runtime/schemes/flow.h"

static const nsm_flow_solver none;
const nsm_flow_solver *nsm_flow_plugin(nsm_error *e) { (void)e; return &none; }

void     sim_flow_open(nsm_sim *s) { (void)s; }
nsm_code sim_step_flow(nsm_sim *s, double t1, nsm_error *e) {
  (void)s; (void)t1;
  sim_fail(e, NSM_FAILED, "this FMU is for model exchange, and takes no steps");
  return NSM_FAILED;
}
void     sim_flow_accept(nsm_sim *s) { (void)s; }
void     sim_flow_stale(nsm_sim *s) { (void)s; }
void     sim_flow_mend_sets(nsm_sim *s) { (void)s; }
void     sim_flow_other_set(nsm_sim *s, int row) { (void)s; (void)row; }
int      sim_flow_found(nsm_sim *s, double *length) { (void)s; (void)length; return 0; }
int      sim_flow_is_at(const nsm_sim *s, int when) { (void)s; (void)when; return 0; }
double   sim_flow_force(const nsm_sim *s, int row) { return s->n.flow->in.force[s->n.r.l[row]]; }
double   sim_flow_verify(nsm_sim *s, double t1) { (void)s; (void)t1; return 0; }
