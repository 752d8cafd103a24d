// In place of schemes/flow*.c, fmi/exchange_field.c and fmi/directional.c, beside no_pieces.c, in an FMU for
// co-simulation, which is never one of `event_driven` (compiler/driver/build_fmu.c refuses it): sim.flow is NULL there,
// and what asks for it is answered so. One for model exchange has no_steps.c.
#include "runtime/clock/flow_pieces.h"
#include "runtime/fmi/directional.h"

int      sim_flow_fits(nsm_sim *s, nsm_error *e) {
  (void)s;
  sim_fail(e, NSM_FAILED, "an FMU does not have event_driven");
  return 0;
}
void     sim_flow_analyse(nsm_sim *s) { (void)s; }
void     sim_flow_close(nsm_sim *s) { (void)s; }
int      sim_flow_settle(nsm_sim *s) { (void)s; return 0; }
nsm_code sim_step_flow(nsm_sim *s, double t1, nsm_error *e) {
  (void)t1;
  return sim_flow_fits(s, e) ? NSM_OK : NSM_FAILED;
}
double   sim_flow_force(const nsm_sim *s, int row) { (void)s; (void)row; return 0; }
double   sim_flow_pressed(const nsm_sim *s, int friction) { (void)s; (void)friction; return 0; }
int      fmi_evaluate(fmi_component *c, double *dx) { (void)dx; return fmi_exchanges(c, __func__); }
int      fmi_project(fmi_component *c, double *x) { (void)x; return fmi_exchanges(c, __func__); }
int      fmi_has_derivatives(nsm_sim *s) { (void)s; return 0; }
int      fmi_derive(fmi_component *c, const fmi_derivative *of, double *out) {
  (void)of; (void)out;
  return fmi_exchanges(c, __func__);
}
