// The calls that both versions of the standard have: fmi2.c and fmi3.c include this text, each with its own names. They
// define before: FMI(name) for fmi2name or fmi3name; `instance_of_fmu`, with a component c; say() and the names of its
// categories, ERRORS and DISCARDS; STATE, STATE_SIZE and READ_STATE, names that are written in two ways; Bytes, of a
// state.
#ifdef FMI

static FMI(Status) wrong(const instance_of_fmu *f) { return say(f, FMI(Error), ERRORS, f->c->error.text); }
static FMI(Status) wrong_call(const instance_of_fmu *f, const char *text) { return say(f, FMI(Error), ERRORS, text); }

enum { RUNNING = FMI_STEPPING | FMI_IN_EVENT, ALIVE = FMI_MADE | FMI_INITIALIZING | RUNNING, ANY = ALIVE | FMI_ENDED };
#define ALLOWED(phases) \
  instance_of_fmu *f = instance; \
  if (!f) return FMI(Error); \
  if (!fmi_allowed(f->c, phases, __func__)) return wrong(f)
#define EXCHANGE(phases) \
  ALLOWED(phases); \
  if (!fmi_exchanges(f->c, __func__)) return wrong(f)

FMI(Status) FMI(Terminate)(void *instance) {
  ALLOWED(RUNNING);
  f->c->phase = FMI_ENDED;
  return FMI(OK);
}

// ---- states ---------------------------------------------------------------------------------------------------------
FMI(Status) STATE(Get)(void *instance, void **state) {
  ALLOWED(ANY);
  return fmi_keep(f->c, state, __func__) ? FMI(OK) : wrong(f);
}

FMI(Status) STATE(Set)(void *instance, void *state) {
  ALLOWED(ANY);
  return fmi_take_back(f->c, state, __func__) ? FMI(OK) : wrong(f);
}

FMI(Status) STATE(Free)(void *instance, void **state) {
  (void)instance;
  fmi_forget(state);
  return FMI(OK);
}

FMI(Status) STATE_SIZE(void *instance, void *state, size_t *size) {
  ALLOWED(ANY);
  return fmi_kept_size(f->c, state, size, __func__) ? FMI(OK) : wrong(f);
}

FMI(Status) STATE(Serialize)(void *instance, void *state, Bytes *to, size_t size) {
  ALLOWED(ANY);
  return fmi_kept_bytes(f->c, state, to, size, __func__) ? FMI(OK) : wrong(f);
}

FMI(Status) READ_STATE(void *instance, const Bytes *from, size_t size, void **state) {
  ALLOWED(ANY);
  return fmi_keep_bytes(f->c, from, size, state, __func__) ? FMI(OK) : wrong(f);
}

// ---- model exchange -------------------------------------------------------------------------------------------------
FMI(Status) FMI(EnterContinuousTimeMode)(void *instance) {
  EXCHANGE(FMI_IN_EVENT);
  f->c->phase = FMI_STEPPING;
  return FMI(OK);
}

FMI(Status) FMI(SetTime)(void *instance, double time) {
  EXCHANGE(RUNNING);
  return fmi_set_time(f->c, time) ? FMI(OK) : wrong(f);
}

FMI(Status) FMI(SetContinuousStates)(void *instance, const double *x, size_t n) {
  EXCHANGE(FMI_STEPPING);
  return fmi_set_states(f->c, x, n) ? FMI(OK) : wrong(f);
}

FMI(Status) FMI(GetContinuousStates)(void *instance, double *x, size_t n) {
  EXCHANGE(FMI_INITIALIZING | RUNNING);
  return fmi_get_states(f->c, x, n) ? FMI(OK) : wrong(f);
}

FMI(Status) FMI(GetNominalsOfContinuousStates)(void *instance, double *x, size_t n) {
  EXCHANGE(FMI_INITIALIZING | RUNNING);
  if (n != (size_t)f->c->nstate) return wrong_call(f, "the number of values is not that of the continuous states");
  for (size_t i = 0; i < n; i++) x[i] = 1;
  return FMI(OK);
}

FMI(Status) FMI(GetEventIndicators)(void *instance, double *x, size_t n) {
  (void)x;
  EXCHANGE(FMI_INITIALIZING | RUNNING);
  return n == 0 ? FMI(OK) : wrong_call(f, "event indicators: a smooth model has none");
}

// A point at which the equations have no solution is one for a shorter step.
static FMI(Status) found(const instance_of_fmu *f, int ok) {
  if (ok) return FMI(OK);
  return f->c->error.code == NSM_FAILED ? say(f, FMI(Discard), DISCARDS, f->c->error.text) : wrong(f);
}
#endif
