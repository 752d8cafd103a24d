// Values are collected until they are asked for: a parameter that is set before the run begins marks the simulation as
// stale, and the next call that needs it opens it anew with all of them. From then on a parameter is changed in place
// (nsm_set_parameter).
//
// A communication step takes the steps of the clock that end in it, and a shorter one to its end: a master whose points
// are times of the clock gets the very numbers of `nsm run`.
#include "exchange.h"
#include "runtime/sim.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static int fail(fmi_component *c, const char *format, ...) {
  va_list list;
  va_start(list, format);
  c->error = (nsm_error){ .code = NSM_USAGE };
  vsnprintf(c->error.text, sizeof c->error.text, format, list);
  va_end(list);
  return 0;
}

// ---- opening --------------------------------------------------------------------------------------------------------
static const char *parameter_name(const fmi_component *c, int i) {
  return (const char *)c->m->text + c->m->par[i].name;
}

// What the master says; else the model, where that is behind the start. Steps go on behind it all the same.
static double end_of_run(fmi_component *c, const nsm_settings *with) {
  if (!isnan(c->until)) return c->until;
  nsm_experiment x = { 0 };
  double *p = calloc((size_t)c->m->npar + 1, sizeof *p);
  unsigned char *given = calloc((size_t)c->m->npar + 1, 1);
  for (int i = 0; p && given && i < with->nset; i++)
    for (int k = 0; k < c->m->npar; k++)
      if (strcmp(parameter_name(c, k), with->set[i].name) == 0) { p[k] = with->set[i].value; given[k] = 1; }
  int known = p && given && c->m->params(p, given) < 0;
  if (known) x = sim_experiment(c->m, p);
  free(p);
  free(given);
  if (!known) return NAN;
  double start = isnan(c->start) ? x.start : c->start;
  return x.until > start ? NAN : start + 1000 * x.step;
}

static nsm_sim *open_with(fmi_component *c, int any_start) {
  nsm_assignment *set = calloc((size_t)(nsm_fmu_sets + c->m->npar) + 1, sizeof *set);
  nsm_settings with = nsm_default_settings();
  if (!set) { fail(c, "not enough memory for the parameters"); return NULL; }
  for (int i = 0; i < nsm_fmu_sets; i++) set[with.nset++] = nsm_fmu_set[i];
  for (int i = 0; i < c->m->npar; i++)
    if (c->given[i]) set[with.nset++] = (nsm_assignment){ parameter_name(c, i), c->parameter[i] };
  with.set = set;
  with.start = c->start;
  with.until = end_of_run(c, &with);
  with.any_start = any_start;
  nsm_sim *s = nsm_open(c->m, &with, &c->error);
  free(set);
  return s;
}

static int give_inputs_again(fmi_component *c, nsm_sim *s) {
  const unsigned char *input = c->given + c->m->npar + c->ncolumn;
  for (int i = 0; i < c->ninput; i++)
    if (input[i] && nsm_set_input(s, nsm_input_name(s, i), c->input[i], &c->error) != NSM_OK) return 0;
  return 1;
}

// As they come: not before all are there they are compared with the laws.
static int give_values(fmi_component *c, nsm_sim *s) {
  const unsigned char *column = c->given + c->m->npar;
  for (int i = 0; i < c->ncolumn; i++)
    if (column[i] && nsm_write_column(s, i, c->initial[i], &c->error) != NSM_OK) return 0;
  return give_inputs_again(c, s);
}

// All initial values are there.
static int begin_with_values(fmi_component *c) {
  const unsigned char *given = c->given + c->m->npar;
  int n = 0, ok = 0, *column = calloc((size_t)c->ncolumn + 1, sizeof *column);
  double *value = calloc((size_t)c->ncolumn + 1, sizeof *value);
  for (int i = 0; column && value && i < c->ncolumn; i++)
    if (given[i]) column[n] = i, value[n++] = c->initial[i];
  if (!column || !value) fail(c, "not enough memory for the initial values");
  else ok = n == 0 || nsm_begin(c->s, n, column, value, &c->error) == NSM_OK;
  free(column);
  free(value);
  return ok && (n == 0 || give_inputs_again(c, c->s));
}

// Those that nobody set: they may depend on others.
static void read_parameters(fmi_component *c) {
  for (int i = 0; i < c->m->npar; i++)
    if (!c->given[i]) c->parameter[i] = nsm_get_parameter(c->s, parameter_name(c, i));
}

static int any_initial(const fmi_component *c) {
  return memchr(c->given + c->m->npar, 1, (size_t)c->ncolumn) != NULL;
}

// The simulation with all that was set; any_start: another state takes the place of its start.
static int open_again(fmi_component *c, int any_start) {
  nsm_sim *s = open_with(c, any_start);
  if (!s) return 0;
  if (nsm_ncolumn(s) != c->ncolumn || nsm_ninput(s) != c->ninput) {
    nsm_close(s);
    return fail(c, "a parameter changes the number of variables, which an FMU cannot: build another one, "
                   "nsm build --set");
  }
  if (!give_values(c, s)) { nsm_close(s); return 0; }
  nsm_close(c->s);
  c->s = s;
  c->stale = 0;
  read_parameters(c);
  nsm_stop_at_events(s, c->events ? c->before : NULL);
  return 1;
}

int fmi_reopen(fmi_component *c) { return open_again(c, 1); }
int fmi_fresh(fmi_component *c) { return !c->stale || open_again(c, any_initial(c)); }

static void start_values(fmi_component *c) {
  c->phase = FMI_MADE;
  c->start = c->until = NAN;
  c->at_event = c->stopped = 0;
}

static int take_memory(fmi_component *c, int arrays) {
  c->ncolumn = nsm_ncolumn(c->s);
  c->ninput = nsm_ninput(c->s);
  c->nstate = fmi_state_count(c->s);
  c->variable = fmi_variables(c->m, c->s, arrays, &c->nvariable);
  c->initial = calloc((size_t)c->ncolumn + 1, sizeof(double));
  c->before = calloc((size_t)c->ncolumn + 1, sizeof(double));
  c->rate = calloc((size_t)c->nstate + 1, sizeof(double));
  c->input = calloc((size_t)c->ninput + 1, sizeof(double));
  free(c->given);
  c->given = calloc((size_t)(c->m->npar + c->ncolumn + c->ninput) + 1, 1);
  return c->variable && c->initial && c->before && c->rate && c->input && c->given;
}

// An input that neither the model nor anybody else gives a value is 0.
static int give_inputs(fmi_component *c) {
  nsm_error e = { .code = NSM_OK };
  for (int i = 0; i < c->ninput; i++)
    if (!nsm_input_has_value(c->s, i)) {
      c->given[c->m->npar + c->ncolumn + i] = 1;
      c->input[i] = 0;
      if (nsm_set_input(c->s, nsm_input_name(c->s, i), 0, &e) != NSM_OK) { c->error = e; return 0; }
    }
  return 1;
}

fmi_component *fmi_new(const nsm_model *m, int arrays, char *error) {
  fmi_component *c = calloc(1, sizeof *c);
  int ok = c != NULL;
  if (ok) {
    c->m = m;
    c->exchange = fmi_exchange_model(m);
    start_values(c);
    c->parameter = calloc((size_t)m->npar + 1, sizeof(double));
    c->given = calloc((size_t)m->npar + 1, 1);
    ok = c->parameter && c->given;
  }
  if (ok && (c->s = open_with(c, 0)) != NULL) {
    ok = take_memory(c, arrays) && give_inputs(c);
    if (ok) { read_parameters(c); return c; }
  }
  snprintf(error, 1024, "%s", c && c->error.code ? c->error.text : "not enough memory for an instance");
  fmi_free(c);
  return NULL;
}

void fmi_free(fmi_component *c) {
  if (!c) return;
  nsm_close(c->s);
  free(c->variable);
  free(c->parameter);
  free(c->initial);
  free(c->input);
  free(c->before);
  free(c->rate);
  free(c->given);
  free(c);
}

int fmi_reset(fmi_component *c) {
  start_values(c);
  memset(c->given, 0, (size_t)(c->m->npar + c->ncolumn + c->ninput));
  return open_again(c, 0) && give_inputs(c);
}

int fmi_allowed(fmi_component *c, int phases, const char *call) {
  static const struct { fmi_phase phase; const char *what; } all[] = {
    { FMI_MADE, "instantiated" }, { FMI_INITIALIZING, "in initialization mode" }, { FMI_STEPPING, "in step mode" },
    { FMI_IN_EVENT, "in event mode" }, { FMI_ENDED, "terminated" } };
  if (c->phase & phases) return 1;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].phase == c->phase) return fail(c, "%s is not allowed now: the instance is %s", call, all[i].what);
  return 0;
}

// ---- values ---------------------------------------------------------------------------------------------------------
// The last one at or before a reference.
static const fmi_variable *variable_before(const fmi_component *c, uint32_t reference) {
  int lo = 0, hi = c->nvariable;                           // they are sorted by their references
  while (lo < hi) {
    int middle = lo + (hi - lo) / 2;
    if (c->variable[middle].reference <= reference) lo = middle + 1;
    else hi = middle;
  }
  return lo > 0 ? &c->variable[lo - 1] : NULL;
}

static const fmi_variable *variable_of(const fmi_component *c, uint32_t reference) {
  const fmi_variable *v = variable_before(c, reference);
  return v && v->reference == reference ? v : NULL;
}

int fmi_count(fmi_component *c, uint32_t reference) {
  const fmi_variable *v = variable_of(c, reference);
  if (!v) { fail(c, "there is no variable with the value reference %u", (unsigned)reference); return 0; }
  return v->count;
}

static int before_run(const fmi_component *c) { return (c->phase & (FMI_MADE | FMI_INITIALIZING)) != 0; }

static double value_at(fmi_component *c, uint32_t reference) {
  int i = (int)(reference & FMI_NUMBER);
  if (reference >= FMI_DERIVATIVE) return c->rate[i];
  if (reference >= FMI_INPUT) {
    double given = nsm_get_input(c->s, i);
    return isnan(given) ? nsm_fmu_input[i] : given;
  }
  if (reference >= FMI_PARAMETER) return c->parameter[i];
  if (c->exchange && i >= 1 && i <= c->nstate) return c->before[i];
  if (c->phase == FMI_STEPPING && c->at_event == 2 && i < c->ncolumn) return c->before[i];
  return nsm_read_column(c->s, i);
}

void fmi_take_states(fmi_component *c) {
  for (int i = 0; i < c->nstate; i++) c->before[1 + i] = nsm_read_column(c->s, 1 + i);
  c->time = nsm_time(c->s);
  c->known = 0;
}

// For model exchange columns are those of what the tool has set.
static int at_hand(fmi_component *c, uint32_t reference) {
  if (!c->exchange || (reference >= FMI_PARAMETER && reference < FMI_DERIVATIVE)) return 1;
  if (before_run(c)) fmi_take_states(c);
  return fmi_evaluate(c, c->rate);
}

int fmi_get(fmi_component *c, uint32_t reference, double *value) {
  int n = fmi_count(c, reference);
  if (n == 0 || !fmi_fresh(c)) return 0;
  if (!at_hand(c, reference)) return 0;
  for (int i = 0; i < n; i++) value[i] = value_at(c, reference + (uint32_t)i);
  return 1;
}

int fmi_get_element(fmi_component *c, uint32_t reference, double *value) {
  if (!fmi_fresh(c) || !at_hand(c, reference)) return 0;
  *value = value_at(c, reference);
  return 1;
}

static int set_parameter(fmi_component *c, int i, const double *value, int n) {
  const int before = before_run(c);
  for (int k = 0; k < n; k++) {
    const nsm_par *p = &c->m->par[i + k];
    if (!isfinite(value[k])) return fail(c, "the parameter %s cannot be %g", parameter_name(c, i + k), value[k]);
    if (p->structural && value[k] != p->fixed)
      return fail(c, "%s is fixed in this FMU, as sizes depend on it: build another one, nsm build --set %s=%g",
                  parameter_name(c, i + k), parameter_name(c, i + k), value[k]);
  }
  for (int k = 0; k < n; k++) {
    double old = c->parameter[i + k];
    unsigned char was = c->given[i + k];
    if (c->m->par[i + k].structural || (was && old == value[k])) continue;
    c->parameter[i + k] = value[k];
    c->given[i + k] = 1;
    c->known = 0;
    if (before) { c->stale = 1; continue; }
    if (nsm_set_parameter(c->s, parameter_name(c, i + k), value[k], &c->error) != NSM_OK) {
      c->parameter[i + k] = old;
      c->given[i + k] = was;
      return 0;
    }
    nsm_stop_at_events(c->s, c->events ? c->before : NULL);
    read_parameters(c);
  }
  return 1;
}

static int set_column(fmi_component *c, const fmi_variable *v, int i, const double *value, int n) {
  if (v->column != NSM_COLUMN_STATE && v->column != NSM_COLUMN_DISCRETE)
    return fail(c, "%s cannot be set: the model computes it", v->name);
  if (!before_run(c))
    return fail(c, "%s is a state and has a start value alone: it cannot be set in a run", v->name);
  for (int k = 0; k < n; k++)
    if (!isfinite(value[k])) return fail(c, "%s cannot be %g", v->name, value[k]);
  for (int k = 0; k < n; k++) {
    if (nsm_write_column(c->s, i + k, value[k], &c->error) != NSM_OK) return 0;
    c->initial[i + k] = value[k];
    c->given[c->m->npar + i + k] = 1;
  }
  return 1;
}

static int set_input(fmi_component *c, int i, const double *value, int n) {
  for (int k = 0; k < n; k++)
    if (!isfinite(value[k])) return fail(c, "the input %s cannot be %g", nsm_input_name(c->s, i + k), value[k]);
  for (int k = 0; k < n; k++) {
    if (nsm_set_input(c->s, nsm_input_name(c->s, i + k), value[k], &c->error) != NSM_OK) return 0;
    c->input[i + k] = value[k];
    c->known = 0;
    c->given[c->m->npar + c->ncolumn + i + k] = 1;
  }
  return 1;
}

static int set_some(fmi_component *c, const fmi_variable *v, uint32_t reference, const double *value, int n) {
  int i = (int)(reference & FMI_NUMBER);
  if (reference >= FMI_INPUT) return set_input(c, i, value, n);
  if (reference >= FMI_PARAMETER) return set_parameter(c, i, value, n);
  return set_column(c, v, i, value, n);
}

int fmi_set(fmi_component *c, uint32_t reference, const double *value) {
  const fmi_variable *v = variable_of(c, reference);
  if (!v) return fail(c, "there is no variable with the value reference %u", (unsigned)reference);
  if (!fmi_allowed(c, FMI_MADE | FMI_INITIALIZING | FMI_STEPPING | FMI_IN_EVENT, "setting a value")) return 0;
  return set_some(c, v, reference, value, v->count);
}

int fmi_set_element(fmi_component *c, uint32_t reference, double value) {
  return set_some(c, variable_before(c, reference), reference, &value, 1);
}

// ---- a run ----------------------------------------------------------------------------------------------------------
int fmi_begin(fmi_component *c, double start, double until) {
  if (!isfinite(start)) return fail(c, "the run cannot start at t = %g s", start);
  if (until == until && !(until > start && isfinite(until)))
    return fail(c, "the run cannot end at t = %g s, as it starts at %g s", until, start);
  double old_start = c->start, old_until = c->until;
  c->start = start;
  c->until = until;
  if (!open_again(c, any_initial(c))) {
    c->start = old_start;
    c->until = old_until;
    return 0;
  }
  c->phase = FMI_INITIALIZING;
  return 1;
}

int fmi_begun(fmi_component *c) {
  if (!fmi_fresh(c) || !begin_with_values(c)) return 0;
  if (c->exchange) fmi_take_states(c);
  c->phase = FMI_STEPPING;
  c->at_event = 0;
  return 1;
}

double fmi_time(const fmi_component *c) { return nsm_time(c->s); }

// A time of the clock, or the end of the communication step, where these are the same but for round-off.
static double near_of(const fmi_component *c, double step) { return 1e-9 * step + 8e-16 * fabs(nsm_time(c->s)); }

// One step towards `to`: that of the clock where it ends by then.
static nsm_code one_step(fmi_component *c, double to, double near, int *at_end) {
  long k = nsm_steps_done(c->s), total = nsm_steps_total(c->s);
  double next = k < total ? nsm_time_of_step(c->s, k + 1) : INFINITY, now = nsm_time(c->s);
  *at_end = next > to - near;
  if (next <= to + near) return nsm_step(c->s, &c->error);
  double step = nsm_time_of_step(c->s, 1) - nsm_time_of_step(c->s, 0);
  if (k >= total && to - now > step + near) { *at_end = 0; return nsm_step_by(c->s, step, &c->error); }
  *at_end = 1;
  return nsm_step_by(c->s, to - now, &c->error);
}

// Steps of the clock up to `to`, as many as there are.
static long steps_until(const fmi_component *c, double to, double near) {
  long k = nsm_steps_done(c->s), total = nsm_steps_total(c->s), lo = k, hi = total;
  while (lo < hi) {
    long middle = lo + (hi - lo + 1) / 2;
    if (nsm_time_of_step(c->s, middle) <= to + near) lo = middle;
    else hi = middle - 1;
  }
  return lo - k;
}

static fmi_step ended(fmi_component *c, nsm_code code) {
  if (code == NSM_OK) return c->at_event ? FMI_STEP_EVENT : FMI_STEP_DONE;
  c->stopped = code == NSM_STOPPED || code == NSM_CLAIM;
  return c->stopped ? FMI_STEP_STOPPED : FMI_STEP_FAILED;
}

fmi_step fmi_advance(fmi_component *c, double time, double h) {
  double now = nsm_time(c->s), step = nsm_time_of_step(c->s, 1) - nsm_time_of_step(c->s, 0);
  double near = near_of(c, step), to = time + h;
  nsm_code code = NSM_OK;
  int at_end = 0;
  if (!(h > 0) || !isfinite(h)) {
    fail(c, "a step of %g s cannot be taken", h);
    return FMI_STEP_WRONG;
  }
  if (!(fabs(time - now) <= near)) {
    fail(c, "the step begins at t = %.17g s, and the instance is at %.17g s", time, now);
    return FMI_STEP_WRONG;
  }
  c->at_event = 0;
  if (!c->events) code = nsm_advance(c->s, steps_until(c, to, near), &c->error);
  while (code == NSM_OK && !at_end && !c->at_event && nsm_time(c->s) < to - near) {
    code = one_step(c, to, near, &at_end);
    c->at_event = c->events && code == NSM_OK ? nsm_was_event(c->s) : 0;
    at_end = at_end && nsm_time(c->s) >= to - near;
  }
  return ended(c, code);
}
