// From the flags of a command line to the settings of a simulation: what names parameters of the model is read here,
// the rest is taken over.
#include "options.h"
#include "runtime/record/record.h"
#include "runtime/shared/nearest.h"
#include "runtime/clock/clock.h"
#include <math.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>

static const char *text_of(const nsm_model *m, int at) { return (const char *)m->text + at; }

static const char *parameter_name(void *m, int i) { return text_of(m, ((const nsm_model *)m)->par[i].name); }

// The name without the indices of its parts.
static void without_indices(const char *name, char *plain, size_t size) {
  size_t n = 0;
  int depth = 0;
  for (const char *s = name; *s && n + 1 < size; s++) {
    depth += *s == '[';
    if (!depth) plain[n++] = *s;
    depth -= *s == ']';
  }
  plain[n] = 0;
}

// Is name, less the indices of its parts, a parameter? "bead[2].g" is one member's "bead.g".
static int is_member(const nsm_model *m, const char *name) {
  char plain[256];
  without_indices(name, plain, sizeof plain);
  for (int i = 0; i < m->npar && strcmp(plain, name) != 0; i++)
    if (strcmp(parameter_name((void *)(uintptr_t)m, i), plain) == 0) return 1;
  return 0;
}

// The value where it is a number and nothing else; NaN otherwise.
static double number_of(const char *value) {
  char *end;
  double x = strtod(value, &end);
  return *end ? NAN : x;
}

// A bare number is in SI, also where the model gives the parameter in millimetres: worth a word.
static void note_scaled(nsm_options *o, const char *name, const char *unit, const char *value) {
  nsm_unit u;
  if (!*unit || !nsm_unit_parse(unit, &u, NULL, NULL) || fabs(u.scale - 1) < 1e-12) return;
  snprintf(o->note, sizeof o->note, "--set %s=%s is in SI units; the model gives %s in %s: --set %s=%s%s", name, value,
           name, unit, name, value, unit);
}

static nsm_code read_set(const nsm_model *m, nsm_options *o, const char *text, nsm_error *e) {
  const char *equal = strchr(text, '=');
  if (!equal || equal == text || !equal[1]) {
    sim_fail(e, NSM_USAGE, "--set %s: it takes NAME=VALUE", text);
    return NSM_USAGE;
  }
  size_t n = (size_t)(equal - text);
  char *name = malloc(n + 1);
  if (!name) return sim_no_memory(e, "reading the command line");
  memcpy(name, text, n);
  while (n > 0 && name[n - 1] == ' ') n--;
  name[n] = 0;
  int at = o->run.nset++;
  o->names[at] = name;
  int found = -1;
  for (int i = 0; i < m->npar && found < 0; i++)
    if (strcmp(parameter_name((void *)(uintptr_t)m, i), name) == 0) found = i;
  if (found < 0 && is_member(m, name)) {
    sim_fail(e, NSM_USAGE, "--set %s: this simulator has one value for all members, without the index; `nsm run` and "
                           "`nsm build` take --set for one of them", text);
    return NSM_USAGE;
  }
  if (found < 0) {
    char meant[200];
    nsm_meant(name, m->npar, parameter_name, (void *)(uintptr_t)m, meant, sizeof meant);
    sim_fail(e, NSM_USAGE, "--set %s: there is no parameter `%s`%s", text, name, meant);
    return NSM_USAGE;
  }
  const char *unit = text_of(m, m->par[found].unit), *value = equal + 1;
  double x;
  const char *wrong = nsm_read_quantity(value, unit, &x);
  if (wrong) {
    sim_fail(e, NSM_USAGE, "--set %s: the value of %s is `%s`: %s%s%s%s", text, name, value, wrong,
             *unit ? " (the model says " : "", unit, *unit ? ")" : "");
    return NSM_USAGE;
  }
  o->set[at] = (nsm_assignment){ name, x };
  if (x == number_of(value) && x != 0) note_scaled(o, name, unit, value);
  return NSM_OK;
}

static const char *unit_of_input(const nsm_model *m, const char *name) {
  char plain[256], own[256];
  without_indices(name, plain, sizeof plain);
  for (int i = 0; i < m->nvar; i++) {
    without_indices(text_of(m, m->var[i].name), own, sizeof own);
    if (m->var[i].kind == NSM_VAR_INPUT && strcmp(own, plain) == 0) return text_of(m, m->var[i].unit);
  }
  return "";
}

// A number in place of a file: "5", "5V", "5 [V]". 0: it is none.
static int is_held(const nsm_model *m, nsm_options *o, nsm_input *in, nsm_error *e) {
  static const double start = 0;
  double *value = &o->held[in - o->input];
  nsm_unit u;
  int has_unit;
  FILE *f = fopen(in->path, "rb");
  if (f) fclose(f);
  if (f || nsm_read_any_quantity(in->path, value, &has_unit, &u)) return 0;
  const char *unit = unit_of_input(m, in->name), *wrong = nsm_read_quantity(in->path, *unit ? unit : NULL, value);
  if (wrong)
    sim_fail(e, NSM_USAGE, "--input %s: the value is `%s`: %s%s%s%s", in->name, in->path, wrong,
             *unit ? " (the model says " : "", unit, *unit ? ")" : "");
  in->path = NULL;
  in->n = 1;
  in->time = &start;
  in->value = value;
  return 1;
}

// NAME=FILE[:COLUMN][,hold|,smooth], or NAME=NUMBER; a colon before a slash is one of the path, but where
// the slash is that of a unit.
static nsm_code read_input(const nsm_model *m, nsm_options *o, const char *text, nsm_error *e) {
  const char *equal = strchr(text, '=');
  if (!equal || equal == text || !equal[1]) {
    sim_fail(e, NSM_USAGE, "--input %s: it takes NAME=FILE[:COLUMN][,hold] or ,smooth, or NAME=NUMBER", text);
    return NSM_USAGE;
  }
  char *copy = strdup(text);
  if (!copy) return sim_no_memory(e, "reading the command line");
  nsm_input *in = &o->input[o->run.ninput++];
  char *path = copy + (equal - text) + 1, *comma = strrchr(path, ',');
  path[-1] = 0;
  *in = (nsm_input){ .name = copy, .path = path };
  if (e) e->code = NSM_OK;
  if (is_held(m, o, in, e)) return e ? e->code : NSM_OK;
  in->between = comma && strcmp(comma, ",hold") == 0     ? NSM_INPUT_HOLD
                : comma && strcmp(comma, ",smooth") == 0 ? NSM_INPUT_SMOOTH : NSM_INPUT_LINEAR;
  if (in->between != NSM_INPUT_LINEAR) *comma = 0;
  char *colon = strrchr(path, ':');
  if (colon && !memchr(colon, '/', strcspn(colon, "[")) && colon[1]) { *colon = 0; in->column = colon + 1; }
  return NSM_OK;
}

// The scheme is part of the compiled model: another one needs another compilation.
static nsm_code check_scheme(const nsm_model *m, const nsm_flags *f, nsm_error *e) {
  const sim_scheme *at = sim_scheme_at(m->scheme);
  const char *own = at ? at->name : NULL;
  if (!*f->scheme || (own && strcmp(f->scheme, own) == 0)) return NSM_OK;
  sim_fail(e, NSM_USAGE, "--scheme %s: this simulator was compiled for `%s`; compile again to change it", f->scheme,
           own ? own : "another scheme");
  return NSM_USAGE;
}

static nsm_code check_order(const nsm_model *m, const nsm_flags *f, nsm_error *e) {
  double order = f->number[NSM_FLAG_ORDER];
  const sim_scheme *scheme = sim_scheme_at(m->scheme);
  if (isnan(order)) return NSM_OK;
  int has = scheme && scheme->two_point && scheme->located, even = (int)order % 2 == 0;
  if (has && even) return NSM_OK;
  if (!even) sim_fail(e, NSM_USAGE, "--order %g: it is 2, 4, 6 or 8", order);
  else sim_fail(e, NSM_USAGE, "--order %g: the scheme of this model has no order to choose; `consistent` has", order);
  return NSM_USAGE;
}

static nsm_code check_tolerances(const nsm_model *m, const nsm_flags *f, nsm_error *e) {
  const sim_scheme *scheme = sim_scheme_at(m->scheme);
  int given = !isnan(f->number[NSM_FLAG_RTOL]) || !isnan(f->number[NSM_FLAG_ATOL]);
  if (!given || (scheme && scheme->flows)) return NSM_OK;
  sim_fail(e, NSM_USAGE, "--rtol and --atol are of event_driven, and this model has the scheme `%s`",
           scheme ? scheme->name : "");
  return NSM_USAGE;
}

static nsm_code check_bench(const nsm_flags *f, nsm_error *e) {
  static const nsm_flag_id writes[] = { NSM_FLAG_OUTPUT, NSM_FLAG_DUMP_PROBLEMS, NSM_FLAG_EVERY, NSM_FLAG_RECORD };
  static const char *const name[] = { "--output", "--dump-problems", "--every", "--record" };
  for (size_t i = 0; f->text[NSM_FLAG_BENCH] && i < sizeof writes / sizeof *writes; i++)
    if (f->text[writes[i]]) {
      sim_fail(e, NSM_USAGE, "--bench and %s do not go together: a benchmark writes nothing", name[i]);
      return NSM_USAGE;
    }
  return NSM_OK;
}

static double given_or_0(const nsm_flags *f, nsm_flag_id i) { return isnan(f->number[i]) ? 0 : f->number[i]; }
static int on_off(const char *text) { return !text ? 0 : !strcmp(text, "on") ? 1 : -1; }

void nsm_options_scheme(const nsm_flags *f, nsm_settings *to) {
  int order = (int)given_or_0(f, NSM_FLAG_ORDER);
  to->theta = f->number[NSM_FLAG_THETA];
  to->gamma = f->number[NSM_FLAG_GAMMA];
  to->rtol = given_or_0(f, NSM_FLAG_RTOL);
  to->atol = given_or_0(f, NSM_FLAG_ATOL);
  to->located = on_off(f->text[NSM_FLAG_LOCATED]);
  to->projection = on_off(f->text[NSM_FLAG_PROJECTION]);
  to->stages = order ? order / 2 : (int)given_or_0(f, NSM_FLAG_STAGES);
}

nsm_code nsm_options_read(const nsm_model *m, const nsm_flags *f, nsm_options *o, nsm_error *e) {
  memset(o, 0, sizeof *o);
  o->every = f->text[NSM_FLAG_EVERY] ? (long)f->number[NSM_FLAG_EVERY] : 1;
  o->bench = f->text[NSM_FLAG_BENCH] ? (long)f->number[NSM_FLAG_BENCH] : 0;
  o->output = f->text[NSM_FLAG_OUTPUT];
  o->record = f->text[NSM_FLAG_RECORD];
  o->summary = f->text[NSM_FLAG_SUMMARY];
  o->contacts = f->text[NSM_FLAG_CONTACTS];
  o->events = f->text[NSM_FLAG_RECORD_EVENTS];
  o->expect = f->text[NSM_FLAG_EXPECT] != NULL || f->command == NSM_FOR_TEST;
  o->quiet = f->text[NSM_FLAG_QUIET] != NULL || f->command == NSM_FOR_TEST;
  o->set = calloc((size_t)f->nset + 1, sizeof *o->set);
  o->names = calloc((size_t)f->nset + 1, sizeof *o->names);
  o->input = calloc((size_t)f->nlist + 1, sizeof *o->input);
  o->held = calloc((size_t)f->nlist + 1, sizeof *o->held);
  if (!o->set || !o->names || !o->input || !o->held) return sim_no_memory(e, "reading the command line");
  o->run = (nsm_settings){ .set = o->set,
                           .start = f->number[NSM_FLAG_START],
                           .until = f->number[NSM_FLAG_UNTIL],
                           .step = f->number[NSM_FLAG_STEP],
                           .solver = f->text[NSM_FLAG_SOLVER],
                           .tolerance = f->text[NSM_FLAG_TOLERANCE] ? f->number[NSM_FLAG_TOLERANCE] : 0,
                           .accept = f->text[NSM_FLAG_ACCEPT] ? f->number[NSM_FLAG_ACCEPT] : 0,
                           .solve_budget = f->text[NSM_FLAG_SOLVE_BUDGET] ? f->number[NSM_FLAG_SOLVE_BUDGET] : 0,
                           .dump_problems = f->text[NSM_FLAG_DUMP_PROBLEMS],
                           .check_unique = f->text[NSM_FLAG_CHECK_UNIQUE] != NULL,
                           .project_start = f->text[NSM_FLAG_PROJECT_START] != NULL,
                           .strict = f->text[NSM_FLAG_STRICT] != NULL,
                           .step_by_step =
                               f->text[NSM_FLAG_WHOLE_STEPS] && !strcmp(f->text[NSM_FLAG_WHOLE_STEPS], "off") };
  nsm_options_scheme(f, &o->run);
  nsm_code code = check_scheme(m, f, e);
  if (code == NSM_OK) code = check_order(m, f, e);
  if (code == NSM_OK) code = check_tolerances(m, f, e);
  if (code == NSM_OK) code = check_bench(f, e);
  for (int i = 0; i < f->nset && code == NSM_OK; i++) code = read_set(m, o, f->set[i], e);
  for (int i = 0; i < f->nlist && code == NSM_OK; i++)
    if (f->list[i].flag == NSM_FLAG_INPUT) code = read_input(m, o, f->list[i].text, e);
  o->run.input = o->input;
  return code;
}

void nsm_options_free(nsm_options *o) {
  for (int i = 0; o->names && i < o->run.nset; i++) free(o->names[i]);
  for (int i = 0; o->input && i < o->run.ninput; i++) free((char *)(uintptr_t)o->input[i].name);
  free(o->input);
  free(o->held);
  free(o->names);
  free(o->set);
}

void nsm_options_help(const nsm_model *m, FILE *f) {
  fprintf(f, "Simulates %s (%s) and writes the trajectory as CSV.\n\nFlags:\n", text_of(m, m->name),
          text_of(m, m->file));
  nsm_flags_help(NSM_FOR_SIMULATOR, f);
  fprintf(f, "\nParameters:\n");
  for (int i = 0; i < m->npar; i++)
    fprintf(f, "  %-12s %-8s %s%s\n", text_of(m, m->par[i].name), text_of(m, m->par[i].unit), text_of(m, m->par[i].doc),
            m->par[i].structural ? " (fixed when compiled)" : "");
  fprintf(f, "\nSolvers:");
  for (const char *const *n = nsm_cone_solver_names(); *n; n++) fprintf(f, " %s", *n);
  fprintf(f, "\nExit codes: 0 ok, 1 model wrong, 2 usage, 3 simulation failed, 4 file or memory trouble, "
             "5 claim failed, 130 interrupted\n");
}
