// Model exchange, what does not ask the equations: time and states that the tool gives (exchange.h).
#include "exchange.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double far_off = 1e-9;      // of a state, or of 1: drift that is worth an event

static int refuse(fmi_component *c, const char *call, const char *why) {
  c->error = (nsm_error){ .code = NSM_USAGE };
  snprintf(c->error.text, sizeof c->error.text, "%s: %s", call, why);
  return 0;
}

int fmi_exchanges(fmi_component *c, const char *call) {
  return c->exchange || refuse(c, call, "this FMU is for co-simulation");
}

// Is n their number, and are all finite where they are given?
static int fits(fmi_component *c, const char *call, const double *x, size_t n) {
  if (!fmi_exchanges(c, call)) return 0;
  if (n != (size_t)c->nstate) return refuse(c, call, "the number of values is not that of the continuous states");
  for (size_t i = 0; x && i < n; i++)
    if (!isfinite(x[i])) return refuse(c, call, "a value is not finite");
  return 1;
}

int fmi_set_time(fmi_component *c, double t) {
  if (!fmi_exchanges(c, __func__)) return 0;
  if (!isfinite(t)) return refuse(c, "SetTime", "a time must be finite");
  if (t != c->time) c->known = 0;
  c->time = t;
  return 1;
}

int fmi_set_states(fmi_component *c, const double *x, size_t n) {
  if (!fits(c, "SetContinuousStates", x, n)) return 0;
  if (n == 0 || memcmp(c->before + 1, x, n * sizeof *x) == 0) return 1;
  memcpy(c->before + 1, x, n * sizeof *x);
  c->known = 0;
  return 1;
}

// Is the simulation that of what was set? In initialization its states are those at hand.
static int fresh(fmi_component *c) {
  if (!fmi_fresh(c)) return 0;
  if (c->phase == FMI_INITIALIZING) fmi_take_states(c);
  return 1;
}

int fmi_get_states(fmi_component *c, double *x, size_t n) {
  if (!fits(c, "GetContinuousStates", NULL, n) || !fresh(c)) return 0;
  for (size_t i = 0; i < n; i++)
    x[i] = c->before[1 + i];
  return 1;
}

int fmi_get_rates(fmi_component *c, double *dx, size_t n) {
  return fits(c, "GetContinuousStateDerivatives", NULL, n) && fresh(c) && fmi_evaluate(c, dx);
}

// ---- drift ----------------------------------------------------------------------------------------------------------
static int nearest(fmi_component *c, double **x) {
  *x = malloc(((size_t)c->nstate + 1) * sizeof **x);
  if (!*x) return refuse(c, "a projection", "there is no memory");
  if (fmi_project(c, *x)) return 1;
  free(*x);
  return 0;
}

int fmi_update(fmi_component *c, int *changed) {
  double *x;
  if (!nearest(c, &x)) return 0;
  *changed = memcmp(x, c->before + 1, (size_t)c->nstate * sizeof *x) != 0;
  memcpy(c->before + 1, x, (size_t)c->nstate * sizeof *x);
  c->known &= !*changed;
  free(x);
  return 1;
}

int fmi_drifted(fmi_component *c, int *far) {
  double *x;
  if (!nearest(c, &x)) return 0;
  *far = 0;
  for (int i = 0; i < c->nstate; i++) *far |= fabs(x[i] - c->before[1 + i]) > far_off * fmax(1, fabs(x[i]));
  free(x);
  return 1;
}
