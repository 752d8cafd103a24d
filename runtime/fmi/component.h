// An instance of the model, as both versions of FMI need it: values by reference, phases of its life, steps from one
// communication point to the next, its state as bytes. Nothing here prints, ends the process or is shared by two
// instances. Functions that return int give 1, or 0 with the reason in `error`; after a 0 the instance is as it was.
#ifndef NSM_FMI_COMPONENT_H
#define NSM_FMI_COMPONENT_H
#include <stddef.h>
#include "variables.h"

// Made: parameters and initial values may be set; initializing: values may be asked for, too; stepping: behind
// initialization and between steps; event: of FMI 3, values of behind the event at hand; ended: after terminate.
typedef enum { FMI_MADE = 1, FMI_INITIALIZING = 2, FMI_STEPPING = 4, FMI_IN_EVENT = 8, FMI_ENDED = 16 } fmi_phase;

// Of this FMU, in its own file: what modelDescription.xml is known by, and the parameters that --set gave it.
extern const char nsm_fmu_token[];
extern const nsm_assignment nsm_fmu_set[];
extern const int nsm_fmu_sets;
extern const double nsm_fmu_input[];      // at the start, in SI: what the model says, else 0

typedef struct fmi_component {
  const nsm_model *m;
  nsm_sim  *s;
  fmi_phase phase;
  int       stale;                      // what was set needs the simulation to be opened anew
  int       events;                     // steps end at events
  int       nvariable, ncolumn, ninput;
  int       exchange, nstate;           // for model exchange (exchange.h); columns of states
  double    time;                       // there: what the tool has set
  int       known;                      // columns and derivatives are those of the time and the states at hand
  fmi_variable *variable;
  double    start, until;               // as of nsm_settings
  double   *parameter;                  // [npar]
  double   *initial, *input;            // [ncolumn], [ninput] what was set, where `given` says so
  double   *before;                     // [ncolumn] the row before the event at hand; for model exchange the states
  double   *rate;                       // [nstate] derivatives
  int       at_event;                   // 1: the last step ended at an event; 2: and `before` stands for it
  int       stopped;                    // the model has ended the run
  unsigned char *given;                 // [npar + ncolumn + ninput]
  nsm_error error;
} fmi_component;

// error: of at least 1024 bytes, the reason where it gives NULL. arrays: as of fmi_variables.
fmi_component *fmi_new(const nsm_model *m, int arrays, char *error);
void fmi_free(fmi_component *c);
int  fmi_reset(fmi_component *c);       // as it was made

// Is it in one of these phases? `call` is named in the reason.
int fmi_allowed(fmi_component *c, int phases, const char *call);
// How many values a reference stands for; 0: there is no such variable.
int fmi_count(fmi_component *c, uint32_t reference);
int fmi_get(fmi_component *c, uint32_t reference, double *value);
// value: as many as the reference stands for.
int fmi_set(fmi_component *c, uint32_t reference, const double *value);
// Of one element of a variable that is there, as both versions number them.
int fmi_get_element(fmi_component *c, uint32_t reference, double *value);
int fmi_set_element(fmi_component *c, uint32_t reference, double value);

// until: NaN where the end is not known. The tolerance of a master means nothing here: the scheme has the model's step.
int fmi_begin(fmi_component *c, double start, double until);
int fmi_begun(fmi_component *c);        // initialization ends

typedef enum { FMI_STEP_DONE, FMI_STEP_EVENT, FMI_STEP_STOPPED, FMI_STEP_FAILED, FMI_STEP_WRONG } fmi_step;
// From `time`, which is that of the instance, on by h. EVENT: it ended before, or there, at an event; STOPPED: the
// model ends the run; FAILED: the instance is at fmi_time, where a step was not solved; WRONG: the call was.
fmi_step fmi_advance(fmi_component *c, double time, double h);
double   fmi_time(const fmi_component *c);

// Size of its state as bytes; these; and back. The state has all that was set as well.
size_t fmi_state_size(const fmi_component *c);
int    fmi_save(fmi_component *c, void *to);
int    fmi_restore(fmi_component *c, const void *from, size_t size);
// States that a master holds, as memory of their own (kept.c): *state is NULL or one that fmi_keep gave, which it may
// use again. `call` is named in the reason where there is no state, no place for it or no memory.
int    fmi_keep(fmi_component *c, void **state, const char *call);
int    fmi_take_back(fmi_component *c, const void *state, const char *call);
void   fmi_forget(void **state);
int    fmi_kept_size(fmi_component *c, const void *state, size_t *size, const char *call);
int    fmi_kept_bytes(fmi_component *c, const void *state, void *to, size_t size, const char *call);
int    fmi_keep_bytes(fmi_component *c, const void *from, size_t size, void **state, const char *call);
// Is the simulation the one of all that was set? It is opened anew where it is not.
int    fmi_fresh(fmi_component *c);
// For model exchange, before the run: time and states at hand are those of the simulation.
void   fmi_take_states(fmi_component *c);
// For state.c: the simulation anew with all that was set; another state takes the place of its start.
int    fmi_reopen(fmi_component *c);
#endif
