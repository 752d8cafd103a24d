// The calls of FMI 2.0 for co-simulation and for model exchange, over component.h and exchange.h; those that FMI 3.0
// has in the same way stand in calls.h. Types and signatures are those of the standard, 2.1.2 to 2.1.9, 3.2 and 4.2.
#include "directional.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef void fmi2Logger(void *environment, const char *name, fmi2Status status, const char *category,
                        const char *message, ...);
typedef struct fmi2Callbacks {
  fmi2Logger *logger;
  void *(*allocate)(size_t n, size_t size);
  void  (*release)(void *at);
  void  (*step_finished)(void *environment, fmi2Status status);
  void *environment;
} fmi2Callbacks;

typedef struct fmi2 {
  fmi_component *c;
  fmi2Callbacks call;                   // a copy: the caller's may go away
  char   *name;
  int     logging;
  double  start, until;
  fmi2Status last;                      // of the last step
} fmi2;

static fmi2Status say(const fmi2 *f, fmi2Status status, const char *category, const char *text) {
  if (f->call.logger) f->call.logger(f->call.environment, f->name, status, category, "%s", text);
  return status;
}

#define ERRORS "logStatusError"
#define DISCARDS "logStatusDiscard"
#define FMI(name) fmi2##name
#define STATE(does) fmi2##does##FMUstate
#define STATE_SIZE fmi2SerializedFMUstateSize
#define READ_STATE fmi2DeSerializeFMUstate
typedef char Bytes;
typedef fmi2 instance_of_fmu;
#include "calls.h"

// ---- life -----------------------------------------------------------------------------------------------------------
const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

static void *refuse(const fmi2Callbacks *call, const char *name, const char *why) {
  if (call && call->logger) call->logger(call->environment, name, fmi2Error, "logStatusError", "%s", why);
  return NULL;
}

void *fmi2Instantiate(const char *name, fmi2Type type, const char *guid, const char *resources,
                      const fmi2Callbacks *call, int visible, int logging) {
  (void)resources; (void)visible;
  char why[1024];
  if (!name || !*name) return refuse(call, "", "an instance needs a name");
  if (!call) return NULL;
  if ((type == fmi2ModelExchange) != fmi_exchange_model(nsm_model_get()))
    return refuse(call, name, type == fmi2ModelExchange ? "this FMU is for co-simulation"
                                                        : "this FMU is for model exchange");
  if (!guid || strcmp(guid, nsm_fmu_token) != 0)
    return refuse(call, name, "the GUID is not that of this FMU: modelDescription.xml is of another one");
  fmi2 *f = calloc(1, sizeof *f);
  if (f) f->name = malloc(strlen(name) + 1);
  if (!f || !f->name) { free(f); return refuse(call, name, "not enough memory for an instance"); }
  strcpy(f->name, name);
  f->call = *call;
  f->logging = logging;
  f->until = NAN;
  f->c = fmi_new(nsm_model_get(), 0, why);
  if (f->c) { f->start = fmi_time(f->c); return f; }
  free(f->name);
  free(f);
  return refuse(call, name, why);
}

void fmi2FreeInstance(void *instance) {
  fmi2 *f = instance;
  if (!f) return;
  fmi_free(f->c);
  free(f->name);
  free(f);
}

fmi2Status fmi2SetDebugLogging(void *instance, int on, size_t n, const char *const *category) {
  (void)n; (void)category;
  ALLOWED(ANY);
  f->logging = on;
  return fmi2OK;
}

fmi2Status fmi2SetupExperiment(void *instance, int has_tolerance, double tolerance, double start, int has_stop,
                               double stop) {
  (void)has_tolerance; (void)tolerance;
  ALLOWED(FMI_MADE);
  if (!isfinite(start) || (has_stop && !(stop > start))) return wrong_call(f, "the run must end behind its start");
  f->start = start;
  f->until = has_stop ? stop : NAN;
  return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(void *instance) {
  ALLOWED(FMI_MADE);
  return fmi_begin(f->c, f->start, f->until) ? fmi2OK : wrong(f);
}

fmi2Status fmi2ExitInitializationMode(void *instance) {
  ALLOWED(FMI_INITIALIZING);
  if (!fmi_begun(f->c)) return wrong(f);
  if (f->c->exchange) f->c->phase = FMI_IN_EVENT;
  return fmi2OK;
}

fmi2Status fmi2Reset(void *instance) {
  ALLOWED(ANY);
  f->last = fmi2OK;
  if (!fmi_reset(f->c)) return wrong(f);
  f->start = fmi_time(f->c);
  f->until = NAN;
  return fmi2OK;
}

// ---- values ---------------------------------------------------------------------------------------------------------
fmi2Status fmi2GetReal(void *instance, const unsigned *reference, size_t n, double *value) {
  ALLOWED(ANY);
  for (size_t i = 0; i < n; i++)
    if (!fmi_get(f->c, reference[i], &value[i])) return wrong(f);
  return fmi2OK;
}

fmi2Status fmi2SetReal(void *instance, const unsigned *reference, size_t n, const double *value) {
  ALLOWED(ALIVE);
  for (size_t i = 0; i < n; i++)
    if (!fmi_set(f->c, reference[i], &value[i])) return wrong(f);
  return fmi2OK;
}

// There are no variables of other types.
#define NONE(name, type) \
  fmi2Status name(void *instance, const unsigned *reference, size_t n, type value) { \
    (void)reference; (void)value; \
    ALLOWED(ANY); \
    return n == 0 ? fmi2OK : wrong_call(f, #name ": all variables of this FMU are Real"); \
  }
NONE(fmi2GetInteger, int *)
NONE(fmi2GetBoolean, int *)
NONE(fmi2GetString, const char **)
NONE(fmi2SetInteger, const int *)
NONE(fmi2SetBoolean, const int *)
NONE(fmi2SetString, const char *const *)

fmi2Status fmi2SetRealInputDerivatives(void *instance, const unsigned *reference, size_t n, const int *order,
                                       const double *value) {
  (void)reference; (void)order; (void)value;
  ALLOWED(ALIVE);
  return n == 0 ? fmi2OK : wrong_call(f, "inputs are held over a step: they have no derivatives");
}

fmi2Status fmi2GetRealOutputDerivatives(void *instance, const unsigned *reference, size_t n, const int *order,
                                        double *value) {
  (void)reference; (void)order; (void)value;
  ALLOWED(ANY);
  return n == 0 ? fmi2OK : wrong_call(f, "derivatives of outputs are not provided");
}

// ---- steps ----------------------------------------------------------------------------------------------------------
fmi2Status fmi2DoStep(void *instance, double time, double h, int no_return) {
  (void)no_return;
  ALLOWED(FMI_STEPPING);
  if (f->c->exchange) return wrong_call(f, "fmi2DoStep: this FMU is for model exchange");
  if (f->c->stopped) return wrong_call(f, "the model has ended the run");
  fmi_step step = fmi_advance(f->c, time, h);
  if (step == FMI_STEP_WRONG) return wrong(f);
  f->last = step == FMI_STEP_DONE ? fmi2OK : fmi2Discard;
  if (f->last != fmi2OK) say(f, fmi2Discard, "logStatusDiscard", f->c->error.text);
  return f->last;
}

fmi2Status fmi2CancelStep(void *instance) {
  ALLOWED(ANY);
  return wrong_call(f, "steps are not asynchronous: there is none to cancel");
}

fmi2Status fmi2GetStatus(void *instance, fmi2StatusKind kind, fmi2Status *value) {
  ALLOWED(ANY);
  if (kind != fmi2DoStepStatus) return fmi2Discard;
  *value = f->last;
  return fmi2OK;
}

fmi2Status fmi2GetRealStatus(void *instance, fmi2StatusKind kind, double *value) {
  ALLOWED(ANY);
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = fmi_time(f->c);
  return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(void *instance, fmi2StatusKind kind, int *value) {
  (void)kind; (void)value;
  ALLOWED(ANY);
  return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(void *instance, fmi2StatusKind kind, int *value) {
  ALLOWED(ANY);
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = f->c->stopped;
  return fmi2OK;
}

fmi2Status fmi2GetStringStatus(void *instance, fmi2StatusKind kind, const char **value) {
  ALLOWED(ANY);
  if (kind != fmi2PendingStatus) return fmi2Discard;
  *value = "";
  return fmi2OK;
}

// ---- model exchange -------------------------------------------------------------------------------------------------
typedef struct fmi2EventInfo { int again, ends, nominals, values, has_next; double next; } fmi2EventInfo;

fmi2Status fmi2EnterEventMode(void *instance) {
  EXCHANGE(FMI_STEPPING);
  f->c->phase = FMI_IN_EVENT;
  return fmi2OK;
}

// States go onto constraints.
fmi2Status fmi2NewDiscreteStates(void *instance, fmi2EventInfo *info) {
  EXCHANGE(FMI_IN_EVENT);
  int changed;
  if (!fmi_update(f->c, &changed)) return wrong(f);
  *info = (fmi2EventInfo){ .values = changed };
  return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(void *instance, int keeps, int *event, int *ends) {
  (void)keeps;
  EXCHANGE(FMI_STEPPING);
  *ends = 0;
  return fmi_drifted(f->c, event) ? fmi2OK : wrong(f);
}

fmi2Status fmi2GetDerivatives(void *instance, double *x, size_t n) {
  EXCHANGE(FMI_INITIALIZING | RUNNING);
  return found(f, fmi_get_rates(f->c, x, n));
}

fmi2Status fmi2GetDirectionalDerivative(void *instance, const unsigned *unknown, size_t n, const unsigned *known,
                                        size_t m, const double *seed, double *out) {
  EXCHANGE(FMI_INITIALIZING | RUNNING);
  return found(f, fmi_derive(f->c, &(fmi_derivative){ unknown, known, n, m, seed, 0 }, out));
}
