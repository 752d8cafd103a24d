// Model exchange: the tool integrates, the FMU gives derivatives. The kernels are those of `event_driven`, whose system
// of an instant (runtime/schemes/flow_instant.c) has accelerations and forces of constraints. Continuous states are the
// columns of kind NSM_COLUMN_STATE, which are 1, 2, ...; the values that the tool gave them are kept in `before`.
#ifndef NSM_FMI_EXCHANGE_H
#define NSM_FMI_EXCHANGE_H
#include "component.h"

// Is the model smooth? 0: not, with the first statement that is not, and its line. For the compiler.
int  fmi_smooth(nsm_sim *s, nsm_error *e);
// Are there derivatives of it (directional.h)? Where a constraint follows from others, a state that violates them has
// other forces than one nearby.
int  fmi_has_derivatives(nsm_sim *s);

// The calls of an instance; all are refused where the FMU is for co-simulation.
int  fmi_exchanges(fmi_component *c, const char *call);    // is it for model exchange?
int  fmi_set_time(fmi_component *c, double t);
int  fmi_set_states(fmi_component *c, const double *x, size_t n);
int  fmi_get_states(fmi_component *c, double *x, size_t n);
int  fmi_get_rates(fmi_component *c, double *dx, size_t n);
// Of an event that the tool enters: states onto constraints, attitudes to length 1. *changed: they are others now.
int  fmi_update(fmi_component *c, int *changed);
int  fmi_drifted(fmi_component *c, int *far);              // would an event be good for that?

// exchange_field.c. Columns and dx [fmi_state_count] of the time and the states at hand, dx may be NULL.
int  fmi_evaluate(fmi_component *c, double *dx);
// x [fmi_state_count]: the states at hand onto constraints. 0: they cannot be met
int  fmi_project(fmi_component *c, double *x);
#endif
