// The calls of FMI 3.0 for co-simulation and for model exchange, over component.h and exchange.h; those that FMI 2.0
// has in the same way stand in calls.h. Types and signatures are those of the standard, 2.2 to 2.4, 3.2 and 4.2. In
// co-simulation, with event mode and early return, a step ends at each impact, reset or sample: until the master enters
// event mode the values are those of before it, then those of behind.
#include "directional.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef uint32_t fmi3ValueReference;
typedef void fmi3Log(void *environment, fmi3Status status, const char *category, const char *message);
typedef void fmi3IntermediateUpdate(void *environment, double time, bool sets, bool gets, bool finished, bool early,
                                    bool *wants, double *at);

typedef struct fmi3 {
  fmi_component *c;
  void    *environment;
  fmi3Log *log;
  int      logging, has_event_mode;
} fmi3;

static fmi3Status say(const fmi3 *f, fmi3Status status, const char *category, const char *text) {
  if (f->log) f->log(f->environment, status, category, text);
  return status;
}

#define ERRORS "error"
#define DISCARDS "discard"
#define FMI(name) fmi3##name
#define STATE(does) fmi3##does##FMUState
#define STATE_SIZE fmi3SerializedFMUStateSize
#define READ_STATE fmi3DeserializeFMUState
typedef uint8_t Bytes;
typedef fmi3 instance_of_fmu;
#include "calls.h"

// ---- life -----------------------------------------------------------------------------------------------------------
const char *fmi3GetVersion(void) { return "3.0"; }

static void *refuse(fmi3Log *log, void *environment, const char *why) {
  if (log) log(environment, fmi3Error, "error", why);
  return NULL;
}

// exchange: how it is to be used.
static fmi3 *instance_of(const char *name, const char *token, bool exchange, bool logging, void *environment,
                         fmi3Log *log) {
  char why[1024];
  if (!name || !*name) return refuse(log, environment, "an instance needs a name");
  if (!token || strcmp(token, nsm_fmu_token) != 0)
    return refuse(log, environment, "the token is not that of this FMU: modelDescription.xml is of another one");
  if (exchange != fmi_exchange_model(nsm_model_get()))
    return refuse(log, environment, exchange ? "this FMU is for co-simulation" : "this FMU is for model exchange");
  fmi3 *f = calloc(1, sizeof *f);
  if (!f) return refuse(log, environment, "not enough memory for an instance");
  f->environment = environment;
  f->log = log;
  f->logging = logging;
  f->c = fmi_new(nsm_model_get(), 1, why);
  if (f->c) return f;
  free(f);
  return refuse(log, environment, why);
}

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                  bool logging, bool event_mode, bool early_return,
                                  const fmi3ValueReference *intermediate, size_t n,
                                  void *environment, fmi3Log *log, fmi3IntermediateUpdate *update) {
  (void)resources; (void)visible; (void)intermediate; (void)n; (void)update;
  fmi3 *f = instance_of(name, token, false, logging, environment, log);
  if (!f) return NULL;
  f->has_event_mode = event_mode;
  f->c->events = event_mode && early_return;
  nsm_stop_at_events(f->c->s, f->c->events ? f->c->before : NULL);
  return f;
}

void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                   bool logging, void *environment, fmi3Log *log) {
  (void)resources; (void)visible;
  fmi3 *f = instance_of(name, token, true, logging, environment, log);
  if (f) f->has_event_mode = 1;
  return f;
}

void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources, bool visible,
                                        bool logging, void *environment, fmi3Log *log, void (*update)(void *),
                                        void (*lock)(void), void (*unlock)(void)) {
  (void)name; (void)token; (void)resources; (void)visible; (void)logging; (void)update; (void)lock; (void)unlock;
  return refuse(log, environment, "this FMU is not for scheduled execution");
}

void fmi3FreeInstance(void *instance) {
  fmi3 *f = instance;
  if (!f) return;
  fmi_free(f->c);
  free(f);
}

fmi3Status fmi3SetDebugLogging(void *instance, bool on, size_t n, const char *const *category) {
  (void)n; (void)category;
  ALLOWED(ANY);
  f->logging = on;
  return fmi3OK;
}

fmi3Status fmi3EnterInitializationMode(void *instance, bool has_tolerance, double tolerance, double start,
                                       bool has_stop, double stop) {
  (void)has_tolerance; (void)tolerance;
  ALLOWED(FMI_MADE);
  return fmi_begin(f->c, start, has_stop ? stop : NAN) ? fmi3OK : wrong(f);
}

// With event mode a run begins in it.
fmi3Status fmi3ExitInitializationMode(void *instance) {
  ALLOWED(FMI_INITIALIZING);
  if (!fmi_begun(f->c)) return wrong(f);
  if (f->has_event_mode) f->c->phase = FMI_IN_EVENT;
  return fmi3OK;
}

fmi3Status fmi3EnterEventMode(void *instance) {
  ALLOWED(FMI_STEPPING);
  if (!f->has_event_mode) return wrong_call(f, "fmi3EnterEventMode: the instance was made without event mode");
  f->c->phase = FMI_IN_EVENT;
  return fmi3OK;
}

fmi3Status fmi3EnterStepMode(void *instance) {
  ALLOWED(FMI_IN_EVENT);
  if (f->c->exchange) return wrong_call(f, "fmi3EnterStepMode: this FMU is for model exchange");
  f->c->phase = FMI_STEPPING;
  f->c->at_event = 0;
  return fmi3OK;
}

fmi3Status fmi3EnterConfigurationMode(void *instance) {
  ALLOWED(FMI_MADE);
  return wrong_call(f, "this FMU has no structural parameters to configure");
}

fmi3Status fmi3ExitConfigurationMode(void *instance) {
  ALLOWED(ANY);
  return wrong_call(f, "the instance is not in configuration mode");
}

fmi3Status fmi3Reset(void *instance) {
  ALLOWED(ANY);
  return fmi_reset(f->c) ? fmi3OK : wrong(f);
}

// ---- values ---------------------------------------------------------------------------------------------------------
// The numbers that the references stand for have to be as many as there is room for.
static int fits(fmi3 *f, const fmi3ValueReference *reference, size_t n, size_t nvalue) {
  size_t all = 0;
  for (size_t i = 0; i < n; i++) {
    int count = fmi_count(f->c, reference[i]);
    if (count == 0) { wrong(f); return 0; }
    all += (size_t)count;
  }
  if (all == nvalue) return 1;
  wrong_call(f, "the number of values is not that of the elements of these variables");
  return 0;
}

fmi3Status fmi3GetFloat64(void *instance, const fmi3ValueReference *reference, size_t n, double *value, size_t nvalue) {
  ALLOWED(ANY);
  if (!fits(f, reference, n, nvalue)) return fmi3Error;
  for (size_t i = 0; i < n; i++) {
    if (!fmi_get(f->c, reference[i], value)) return wrong(f);
    value += fmi_count(f->c, reference[i]);
  }
  return fmi3OK;
}

fmi3Status fmi3SetFloat64(void *instance, const fmi3ValueReference *reference, size_t n, const double *value,
                          size_t nvalue) {
  ALLOWED(ALIVE);
  if (!fits(f, reference, n, nvalue)) return fmi3Error;
  for (size_t i = 0; i < n; i++) {
    if (!fmi_set(f->c, reference[i], value)) return wrong(f);
    value += fmi_count(f->c, reference[i]);
  }
  return fmi3OK;
}

// There are no variables of other types.
#define NONE(name, type) \
  fmi3Status fmi3Get##name(void *instance, const fmi3ValueReference *reference, size_t n, type *value, size_t m) { \
    (void)reference; (void)value; (void)m; \
    ALLOWED(ANY); \
    return n == 0 ? fmi3OK : wrong_call(f, "fmi3Get" #name ": all variables of this FMU are Float64"); \
  } \
  fmi3Status fmi3Set##name(void *instance, const fmi3ValueReference *reference, size_t n, type const *value, \
                           size_t m) { \
    (void)reference; (void)value; (void)m; \
    ALLOWED(ALIVE); \
    return n == 0 ? fmi3OK : wrong_call(f, "fmi3Set" #name ": all variables of this FMU are Float64"); \
  }
NONE(Float32, float)
NONE(Int8, int8_t)
NONE(UInt8, uint8_t)
NONE(Int16, int16_t)
NONE(UInt16, uint16_t)
NONE(Int32, int32_t)
NONE(UInt32, uint32_t)
NONE(Int64, int64_t)
NONE(UInt64, uint64_t)
NONE(Boolean, bool)
NONE(String, const char *)

// Calls that this FMU has nothing to give for: of no variables they are fine, else they are refused.
#define UNUSED __attribute__((unused))
#define NOTHING(name, text, ...) \
  fmi3Status name(void *instance, UNUSED const fmi3ValueReference *reference, size_t n, __VA_ARGS__) { \
    ALLOWED(ANY); \
    return n == 0 ? fmi3OK : wrong_call(f, #name ": " text); \
  }
NOTHING(fmi3GetBinary, "all variables of this FMU are Float64", UNUSED size_t *size, UNUSED const uint8_t **value,
        UNUSED size_t m)
NOTHING(fmi3SetBinary, "all variables of this FMU are Float64", UNUSED const size_t *size,
        UNUSED const uint8_t *const *value, UNUSED size_t m)
NOTHING(fmi3GetClock, "this FMU has no clocks", UNUSED bool *value)
NOTHING(fmi3SetClock, "this FMU has no clocks", UNUSED const bool *value)
NOTHING(fmi3GetIntervalDecimal, "this FMU has no clocks", UNUSED double *interval, UNUSED int *qualifier)
NOTHING(fmi3GetIntervalFraction, "this FMU has no clocks", UNUSED uint64_t *counter, UNUSED uint64_t *resolution,
        UNUSED int *qualifier)
NOTHING(fmi3GetShiftDecimal, "this FMU has no clocks", UNUSED double *shift)
NOTHING(fmi3GetShiftFraction, "this FMU has no clocks", UNUSED uint64_t *counter, UNUSED uint64_t *resolution)
NOTHING(fmi3SetIntervalDecimal, "this FMU has no clocks", UNUSED const double *interval)
NOTHING(fmi3SetIntervalFraction, "this FMU has no clocks", UNUSED const uint64_t *counter,
        UNUSED const uint64_t *resolution)
NOTHING(fmi3SetShiftDecimal, "this FMU has no clocks", UNUSED const double *shift)
NOTHING(fmi3SetShiftFraction, "this FMU has no clocks", UNUSED const uint64_t *counter,
        UNUSED const uint64_t *resolution)
NOTHING(fmi3GetOutputDerivatives, "derivatives of outputs are not provided", UNUSED const int32_t *order,
        UNUSED double *value, UNUSED size_t m)

fmi3Status fmi3GetNumberOfVariableDependencies(void *instance, UNUSED fmi3ValueReference reference, UNUSED size_t *n) {
  ALLOWED(ANY);
  return wrong_call(f, "dependencies of elements are not provided");
}

fmi3Status fmi3GetVariableDependencies(void *instance, UNUSED fmi3ValueReference reference, UNUSED size_t *element,
                                       UNUSED fmi3ValueReference *known, UNUSED size_t *element_of_known,
                                       UNUSED int *kind, UNUSED size_t n) {
  ALLOWED(ANY);
  return wrong_call(f, "dependencies of elements are not provided");
}

// ---- steps ----------------------------------------------------------------------------------------------------------
fmi3Status fmi3DoStep(void *instance, double time, double h, bool no_return, bool *event, bool *ends, bool *early,
                      double *last) {
  (void)no_return;
  ALLOWED(FMI_STEPPING);
  if (f->c->exchange) return wrong_call(f, "fmi3DoStep: this FMU is for model exchange");
  if (f->c->stopped) return wrong_call(f, "the model has ended the run");
  fmi_step step = fmi_advance(f->c, time, h);
  if (step == FMI_STEP_WRONG) return wrong(f);
  *last = fmi_time(f->c);
  *event = step == FMI_STEP_EVENT;
  *ends = f->c->stopped;
  *early = *event && time + h - *last > 1e-12 * fabs(h) + 8e-16 * fabs(time);
  if (step == FMI_STEP_FAILED) return say(f, fmi3Discard, "discard", f->c->error.text);
  if (f->c->stopped) say(f, fmi3Warning, "event", f->c->error.text);
  return fmi3OK;
}

// Of co-simulation the event at hand was handled in the step; in model exchange states go onto constraints.
fmi3Status fmi3UpdateDiscreteStates(void *instance, bool *again, bool *ends, bool *nominals, bool *values,
                                    bool *has_next, double *next) {
  ALLOWED(FMI_IN_EVENT);
  *again = *nominals = *has_next = false;
  *ends = f->c->stopped;
  *values = f->c->at_event == 2;
  *next = 0;
  int changed = 0;
  if (f->c->exchange && !fmi_update(f->c, &changed)) return wrong(f);
  *values |= changed;
  return fmi3OK;
}

fmi3Status fmi3EvaluateDiscreteStates(void *instance) {
  ALLOWED(FMI_INITIALIZING | FMI_IN_EVENT);
  return fmi3OK;
}

// ---- model exchange -------------------------------------------------------------------------------------------------
fmi3Status fmi3CompletedIntegratorStep(void *instance, bool keeps, bool *event, bool *ends) {
  (void)keeps;
  EXCHANGE(FMI_STEPPING);
  int far;
  if (!fmi_drifted(f->c, &far)) return wrong(f);
  *event = far != 0;
  *ends = false;
  return fmi3OK;
}

fmi3Status fmi3GetContinuousStateDerivatives(void *instance, double *x, size_t n) {
  EXCHANGE(FMI_INITIALIZING | RUNNING);
  return found(f, fmi_get_rates(f->c, x, n));
}

// Of the unknowns along the knowns, or the other way round.
static fmi3Status derive(fmi3 *f, const fmi_derivative *of, size_t nseed, double *out, size_t nout) {
  int good = of->adjoint ? fits(f, of->unknown, of->nunknown, nseed) && fits(f, of->known, of->nknown, nout)
                         : fits(f, of->known, of->nknown, nseed) && fits(f, of->unknown, of->nunknown, nout);
  return good ? found(f, fmi_derive(f->c, of, out)) : fmi3Error;
}

#define DERIVATIVE(name, adjoint) \
  fmi3Status name(void *instance, const fmi3ValueReference *unknown, size_t n, const fmi3ValueReference *known, \
                  size_t m, const double *seed, size_t nseed, double *out, size_t nout) { \
    EXCHANGE(FMI_INITIALIZING | RUNNING); \
    return derive(f, &(fmi_derivative){ unknown, known, n, m, seed, adjoint }, nseed, out, nout); \
  }
DERIVATIVE(fmi3GetDirectionalDerivative, 0)
DERIVATIVE(fmi3GetAdjointDerivative, 1)

fmi3Status fmi3GetNumberOfContinuousStates(void *instance, size_t *n) {
  EXCHANGE(ANY);
  *n = (size_t)f->c->nstate;
  return fmi3OK;
}

// What is smooth has no events.
fmi3Status fmi3GetNumberOfEventIndicators(void *instance, size_t *n) {
  EXCHANGE(ANY);
  *n = 0;
  return fmi3OK;
}

// ---- of another kind of FMU, which this one is not: tools look for it all the same ----------------------------------
fmi3Status fmi3ActivateModelPartition(void *instance, UNUSED fmi3ValueReference clock, UNUSED double time) {
  ALLOWED(ANY);
  return wrong_call(f, "fmi3ActivateModelPartition: this FMU is not for scheduled execution");
}
