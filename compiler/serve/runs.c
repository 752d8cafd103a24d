// Runs: started, set, advanced, read, saved. All values are in SI units.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "server.h"

enum { MOST_ROWS = 1 << 22 };           // numbers in one answer

static const nsm_program *program_of(const Serve *s, const ServedRun *r) { return s->model.at[r->model - 1].program; }

static void put_run(Serve *s, const ServedRun *r) {
  text_add(&s->out, ",\"time\":");
  serve_put_number(&s->out, nsm_time(r->sim));
  long k = nsm_steps_done(r->sim), total = nsm_steps_total(r->sim);
  text_printf(&s->out, ",\"steps_done\":%ld,\"steps_total\":%ld,\"done\":%s", k, total,
              r->stopped || k >= total ? "true" : "false");
}

// ---- started --------------------------------------------------------------------------------------------------------
static bool put_numbers(Serve *s, const char *what, const Json *list, const double **to, int *n) {
  Vec(double) all = { 0 };
  const Json *x = list && list->kind == JSON_ARRAY ? list->first : NULL;
  for (; x && x->kind == JSON_NUMBER; x = x->next) vec_push(&all, x->number);
  *n = (int)all.n;
  if (x || !all.n) {
    vec_free(&all);
    return serve_wrong(s, NSM_USAGE, "the input %s: \"time\" and \"value\" are lists of numbers", what);
  }
  *to = vec_freeze(s->arena, &all);
  return true;
}

// {name: "file.csv"} or {name: {"time": [...], "value": [...], "between": "linear" | "hold" | "smooth"}}
static bool inputs(Serve *s, const nsm_input **to, int *n) {
  static const char *const kinds[] = { "linear", "hold", "smooth" };
  const Json *first;
  Vec(nsm_input) all = { 0 };
  bool good = serve_object(s, "inputs", &first);
  for (const Json *x = first; good && x; x = x->next) {
    nsm_input one = { .name = x->key, .path = x->kind == JSON_STRING ? x->text : NULL };
    if (!one.path) {
      const char *between = json_at(x, "between") ? json_text(x, "between") : kinds[0];
      int ntime = 0;
      while (between && one.between < 3 && strcmp(between, kinds[one.between])) one.between++;
      good = !between || one.between == 3
                 ? serve_wrong(s, NSM_USAGE, "the input %s: \"between\" is \"linear\", \"hold\" or \"smooth\"", x->key)
                 : put_numbers(s, x->key, json_at(x, "time"), &one.time, &ntime) &&
             put_numbers(s, x->key, json_at(x, "value"), &one.value, &one.n);
      if (good && ntime != one.n)
        good = serve_wrong(s, NSM_USAGE, "the input %s has %d times, and %d values", x->key, ntime, one.n);
    }
    vec_push(&all, one);
  }
  *n = (int)all.n;
  if (good && all.n) *to = vec_freeze(s->arena, &all);
  else vec_free(&all);
  return good;
}

static bool is_parameter(const nsm_program *p, const char *name) {
  for (int i = 0; i < nsm_nparameter(p); i++)
    if (!strcmp(nsm_parameter_at(p, i).name, name)) return true;
  return false;
}

static bool settings(Serve *s, const nsm_program *p, nsm_settings *set) {
  const struct { const char *name, *unit; double *to; } numbers[] = {
    { "until", "s", &set->until }, { "step", "s", &set->step }, { "from", "s", &set->start },
    { "theta", "", &set->theta }, { "gamma", "", &set->gamma }, { "tolerance", "", &set->tolerance },
    { "accept", "", &set->accept }
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const Json *x = json_at(s->request, numbers[i].name);
    if (x && !serve_number(s, numbers[i].name, x, numbers[i].unit, numbers[i].to)) return false;
  }
  const Json *located = json_at(s->request, "located"), *first;
  if (located) set->located = located->kind == JSON_TRUE ? 1 : -1;
  const Json *projection = json_at(s->request, "projection");
  if (projection) set->projection = projection->kind == JSON_TRUE ? 1 : -1;
  set->solver = json_text(s->request, "solver");
  Vec(nsm_assignment) all = { 0 };
  bool good = serve_object(s, "set", &first);
  for (const Json *x = first; good && x; x = x->next) {
    nsm_assignment one = { x->key, 0 };
    good = serve_number(s, x->key, x, nsm_meaning_of(p, x->key).unit, &one.value);
    if (good && is_parameter(p, x->key)) vec_push(&all, one);
  }
  set->nset = (int)all.n;
  if (good && all.n) set->set = vec_freeze(s->arena, &all);
  else vec_free(&all);
  return good && inputs(s, &set->input, &set->ninput);
}

static void *state_of(Serve *s, const nsm_sim *sim) {
  void *state = arena_alloc(s->arena, nsm_state_size(sim));
  nsm_save(sim, state);
  return state;
}

// ---- values that a request gives ------------------------------------------------------------------------------------
enum { PARAMETERS = 1, INPUTS = 2, COLUMNS = 4, ALL = 7 };

// What x names, -1: nothing that takes a value. *number: of the input or column.
static int kind_of(const Serve *s, const ServedRun *r, const char *name, int *number) {
  if (is_parameter(program_of(s, r), name)) return PARAMETERS;
  for (*number = 0; *number < nsm_ninput(r->sim); ++*number)
    if (!strcmp(nsm_input_name(r->sim, *number), name)) return INPUTS;
  *number = nsm_find_column(r->sim, name);
  return *number >= 0 ? COLUMNS : -1;
}

// One value, if it is of one of these kinds; what is of another kind is left alone. known: kinds that may be named.
static bool write_one(Serve *s, ServedRun *r, const Json *x, int kinds, int known) {
  nsm_error e = { .code = NSM_OK };
  double value;
  nsm_code code = NSM_OK;
  int number, kind = kind_of(s, r, x->key, &number);
  if (kind < 0 || !(kind & known))
    return serve_no_column(s, program_of(s, r), r->sim,
                           known & INPUTS ? "parameter, input or column" : "parameter or column", x->key);
  if (!(kind & kinds)) return true;
  if (!serve_number(s, x->key, x, nsm_meaning_of(program_of(s, r), x->key).unit, &value)) return false;
  if (kind == PARAMETERS) code = nsm_set_parameter(r->sim, x->key, value, &e);
  else if (kind == INPUTS) code = nsm_set_input_at(r->sim, number, value, &e);
  else code = nsm_write_column(r->sim, number, value, &e);
  return code == NSM_OK || serve_failed(s, r, &e);
}

static bool write_kinds(Serve *s, ServedRun *r, const Json *first, int kinds, int known) {
  bool good = true;
  for (const Json *x = first; good && x; x = x->next) good = write_one(s, r, x, kinds, known);
  return good;
}

// The columns are initial values.
static bool begin(Serve *s, ServedRun *r, const Json *first) {
  Vec(int) column = { 0 };
  Vec(double) value = { 0 };
  nsm_error e = { .code = NSM_OK };
  bool good = true;
  double one;
  int number;
  for (const Json *x = first; good && x; x = x->next) {
    if (kind_of(s, r, x->key, &number) != COLUMNS) continue;
    good = serve_number(s, x->key, x, nsm_meaning_of(program_of(s, r), x->key).unit, &one);
    vec_push(&column, number);
    vec_push(&value, one);
  }
  if (good && nsm_begin(r->sim, (int)column.n, column.at, value.at, &e) != NSM_OK) good = serve_failed(s, r, &e);
  vec_free(&column);
  vec_free(&value);
  return good;
}

// What `set` says: from the start on, or a disturbance now. Where one value is refused, parameters and state are what
// they were: `before`.
static bool write_columns(Serve *s, ServedRun *r, const Json *first, bool from_start, const void *before) {
  Vec(nsm_assignment) old = { 0 };
  nsm_error e;
  for (const Json *x = first; x; x = x->next)
    vec_push(&old, ((nsm_assignment){ x->key, nsm_get_parameter(r->sim, x->key) }));
  bool good = from_start ? write_kinds(s, r, first, PARAMETERS, ALL) && begin(s, r, first) &&
                             write_kinds(s, r, first, INPUTS, ALL)
                         : write_kinds(s, r, first, ALL, ALL);
  for (size_t i = old.n; !good && i-- > 0;)
    if (isfinite(old.at[i].value)) nsm_set_parameter(r->sim, old.at[i].name, old.at[i].value, &e);
  if (!good) nsm_restore(r->sim, before, &e);
  vec_free(&old);
  return good;
}

static void put_columns(Serve *s, const nsm_program *p, nsm_sim *sim) {
  static const char *const kind[] = { "time", "state", "reaction", "discrete", "output", "energy" };
  for (int c = 0; c < nsm_ncolumn(sim); c++) {
    const char *name = nsm_column_name(sim, c);
    text_printf(&s->out, "%s{\"name\":", c ? "," : ",\"columns\":[");
    text_json_string(&s->out, name);
    text_add(&s->out, ",\"unit\":");
    text_json_string(&s->out, nsm_meaning_of(p, name).unit);
    text_printf(&s->out, ",\"kind\":\"%s\"}", kind[nsm_kind_of_column(sim, c)]);
  }
  text_add(&s->out, "],\"inputs\":[");
  for (int i = 0; i < nsm_ninput(sim); i++) {
    const char *name = nsm_input_name(sim, i);
    text_add(&s->out, i ? ",{\"name\":" : "{\"name\":");
    text_json_string(&s->out, name);
    text_add(&s->out, ",\"unit\":");
    text_json_string(&s->out, nsm_input_unit(sim, i));
    text_add(&s->out, "}");
  }
  text_add(&s->out, "]");
}

static void keep_run(Serve *s, nsm_sim *sim, long model, bool stopped) {
  vec_push(&s->run, ((ServedRun){ sim, model, stopped }));
  s->model.at[model - 1].runs++;
  text_printf(&s->out, ",\"run\":%zu", s->run.n);
}

bool serve_start(Serve *s) {
  long handle;
  nsm_program *p = serve_model(s, &handle);
  nsm_settings set = nsm_default_settings();
  nsm_error e = { .code = NSM_OK };
  const Json *first;
  if (!p || !settings(s, p, &set) || !serve_object(s, "set", &first)) return false;
  set.any_start = first != NULL;
  ServedRun r = { nsm_simulate(p, &set, &e), handle, false };
  if (!r.sim) return serve_failed(s, &r, &e);
  if (first && !(write_kinds(s, &r, first, 0, PARAMETERS | COLUMNS) && begin(s, &r, first))) {
    nsm_close(r.sim);
    return false;
  }
  keep_run(s, r.sim, handle, false);
  put_columns(s, p, r.sim);
  put_run(s, &r);
  return true;
}

bool serve_set(Serve *s) {
  ServedRun *r = serve_run(s);
  const Json *first;
  return r && serve_object(s, "values", &first) && write_columns(s, r, first, false, state_of(s, r->sim));
}

// ---- steps ----------------------------------------------------------------------------------------------------------
static void event(void *with, const nsm_located_event *v) {
  Text *t = with;
  text_add(t, t->n ? ",{\"time\":" : "{\"time\":");
  text_number(t, v->time);
  text_printf(t, ",\"kind\":\"%s\",\"name\":", v->kind);
  text_json_string(t, v->name);
  const struct { const char *name; double value; } number[] = {
    { "before", v->before }, { "after", v->after }, { "impulse", v->impulse }, { "loss", v->loss }
  };
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
    text_printf(t, ",\"%s\":", number[i].name);
    serve_put_number(t, number[i].value);
  }
  text_add(t, "}");
}

// How many steps: "steps", or those that lead to the time "to", at least.
static bool how_many(Serve *s, const ServedRun *r, long *n) {
  const Json *to = json_at(s->request, "to"), *steps = json_at(s->request, "steps");
  double t;
  *n = 1;
  if (to && steps) return serve_wrong(s, NSM_USAGE, "\"steps\" says how many, or \"to\" until when");
  if (steps) *n = json_whole(s->request, "steps", 0);
  if (!to) return true;
  if (!serve_number(s, "to", to, "s", &t)) return false;
  long k = nsm_steps_done(r->sim), total = nsm_steps_total(r->sim);
  double slack = 1e-9 * (nsm_time_of_step(r->sim, 1) - nsm_time_of_step(r->sim, 0));
  for (*n = 0; k + *n < total && nsm_time_of_step(r->sim, k + *n) < t - slack;) ++*n;
  return true;
}

static void put_rows(Serve *s, const double *rows, long nrow, int n) {
  text_add(&s->out, ",\"rows\":[");
  for (long i = 0; i < nrow; i++) {
    text_add(&s->out, i ? ",[" : "[");
    for (int c = 0; c < n; c++) {
      if (c) text_add(&s->out, ",");
      serve_put_number(&s->out, rows[i * n + c]);
    }
    text_add(&s->out, "]");
  }
  text_add(&s->out, "]");
}

bool serve_advance(Serve *s) {
  ServedRun *r = serve_run(s);
  const Json *first, *listed = json_at(s->request, "events");
  const int *column;
  int n;
  long steps, nrow = 0, every = json_whole(s->request, "every", json_at(s->request, "record") != NULL);
  nsm_error e = { .code = NSM_OK };
  if (!r || !serve_object(s, "inputs", &first) || !how_many(s, r, &steps) ||
      !serve_columns(s, r->sim, "record", &column, &n))
    return false;
  long left = nsm_steps_total(r->sim) - nsm_steps_done(r->sim);
  if (steps > left) steps = left;
  long most = every > 0 ? steps / every + 1 : 0;
  if (most * n > MOST_ROWS) return serve_wrong(s, NSM_USAGE, "an answer has at most %d numbers in its rows", MOST_ROWS);
  if (first && !write_columns(s, r, first, false, state_of(s, r->sim))) return false;
  double *rows = arena_alloc(s->arena, (size_t)(most * n + 1) * sizeof(double));
  Text events = { 0 };
  if (listed && listed->kind == JSON_TRUE) nsm_on_event(r->sim, event, &events);
  nsm_code code = r->stopped ? NSM_OK : nsm_record(r->sim, steps, every, column, n, rows, &nrow, &e);
  nsm_on_event(r->sim, NULL, NULL);
  if (code == NSM_STOPPED) {
    r->stopped = true;
    serve_put_text(s, "stopped", e.text);
  }
  put_run(s, r);
  if (every > 0) put_rows(s, rows, nrow, n);
  if (listed && listed->kind == JSON_TRUE) text_printf(&s->out, ",\"events\":[%s]", text_str(&events));
  text_free(&events);
  return code == NSM_OK || code == NSM_STOPPED || serve_failed(s, r, &e);
}

bool serve_get(Serve *s) {
  ServedRun *r = serve_run(s);
  const int *column;
  int n;
  nsm_error e;
  if (!r || !serve_columns(s, r->sim, "names", &column, &n)) return false;
  double *row = arena_alloc(s->arena, (size_t)(n + 1) * sizeof(double));
  if (nsm_read_columns(r->sim, column, n, row, &e) != NSM_OK) return serve_failed(s, r, &e);
  text_add(&s->out, ",\"values\":{");
  for (int i = 0; i < n; i++) {
    if (i) text_add(&s->out, ",");
    text_json_string(&s->out, nsm_column_name(r->sim, column ? column[i] : i));
    text_add(&s->out, ":");
    serve_put_number(&s->out, row[i]);
  }
  text_add(&s->out, "}");
  return true;
}

bool serve_energy(Serve *s) {
  ServedRun *r = serve_run(s);
  nsm_energy e;
  if (!r) return false;
  if (!nsm_get_energy(r->sim, &e)) return serve_wrong(s, NSM_USAGE, "the model has no energy");
  text_add(&s->out, ",\"kinetic\":");
  serve_put_number(&s->out, e.kinetic);
  text_add(&s->out, ",\"potential\":");
  serve_put_number(&s->out, e.potential);
  return true;
}

// ---- states ---------------------------------------------------------------------------------------------------------
bool serve_save(Serve *s) {
  const ServedRun *r = serve_run(s);
  if (!r) return false;
  size_t n = nsm_state_size(r->sim);
  const unsigned char *state = state_of(s, r->sim);
  text_add(&s->out, ",\"state\":\"");
  for (size_t i = 0; i < n; i++) text_printf(&s->out, "%02x", state[i]);
  text_add(&s->out, "\"");
  return true;
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

bool serve_restore(Serve *s) {
  ServedRun *r = serve_run(s);
  const Json *text = r ? json_at(s->request, "state") : NULL;
  nsm_error e;
  if (!r) return false;
  size_t n = nsm_state_size(r->sim);
  if (!text || text->kind != JSON_STRING || text->n != 2 * n)
    return serve_wrong(s, NSM_USAGE, "\"state\" is what \"save\" gave of a run of this model, with its sizes");
  unsigned char *state = arena_alloc(s->arena, n);
  for (size_t i = 0; i < n; i++) {
    int high = digit(text->text[2 * i]), low = digit(text->text[2 * i + 1]);
    if (high < 0 || low < 0) return serve_wrong(s, NSM_USAGE, "the state was altered");
    state[i] = (unsigned char)(16 * high + low);
  }
  if (nsm_restore(r->sim, state, &e) != NSM_OK) return serve_failed(s, r, &e);
  r->stopped = false;
  put_run(s, r);
  return true;
}

bool serve_clone(Serve *s) {
  ServedRun *r = serve_run(s);
  nsm_error e;
  if (!r) return false;
  nsm_sim *other = nsm_clone(r->sim, &e);
  if (!other) return serve_failed(s, r, &e);
  keep_run(s, other, r->model, r->stopped);
  return true;
}

bool serve_reset(Serve *s) {
  ServedRun *r = serve_run(s);
  const Json *first;
  if (!r || !serve_object(s, "set", &first)) return false;
  const void *before = state_of(s, r->sim);
  if (!write_columns(s, r, first, true, before)) return false;
  r->stopped = false;
  put_run(s, r);
  return true;
}
