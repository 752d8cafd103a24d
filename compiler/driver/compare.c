// nsm compare F.nsm --schemes A,B --steps 10ms,5ms: runs each scheme with each step, and the reference: event_driven
// with a tight tolerance where it takes the model without a captured step, else a quarter of the smallest step by the
// scheme of highest order (the first of them), located where it can. At the multiples of
// the largest step, which all runs have,
//
//   error(t) = max_i |x_i(t) - r_i(t)| / s_i,   s_i = max over t and the columns of the unit of i of |r|            (1)
//
// over states, coordinates and velocities, or the columns of --record. What a scheme refuses is said in its row.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../base/suggest.h"
#include "../../runtime/shared/nearest.h"
#include "../schemes/scheme.h"
#include "../../runtime/command/options.h"
#include "../../runtime/command/outputs.h"
#include "compare.h"

enum { REFINED = 4 };
static const double divides = 1e-6, rounds = 1e-13, known = 1e-11,  // known: a reference by event_driven, to this
                    measurable = 0.04, ticks = 0.02;       // [s] of processor: of runs together; less is a clock's tick

// ---- what was asked for ---------------------------------------------------------------------------------------------
static bool usage(const char *text) {
  fprintf(stderr, "error: %s\n", text);
  return false;
}

// The next part of a list, up to a comma outside of parentheses; NULL at the end.
static const char *part(Arena *a, const char **list) {
  const char *from = *list + strspn(*list, " "), *at = from;
  if (!*from) return NULL;
  for (int depth = 0; *at && (depth > 0 || *at != ','); at++) depth += (*at == '(') - (*at == ')');
  *list = *at ? at + 1 : at;
  while (at > from && at[-1] == ' ') at--;
  return arena_strndup(a, from, (size_t)(at - from));
}

static bool read_scheme(Arena *a, const char *text, int located, CompareScheme *s) {
  nsm_flags given;
  nsm_error e = { .code = NSM_OK };
  if (nsm_flags_scheme(text, &given, &e) != NSM_OK)
    return usage(arena_printf(a, "--schemes: %s", e.text + (strncmp(e.text, "--scheme ", 9) ? 0 : 9)));
  nsm_settings of = nsm_default_settings();
  nsm_options_scheme(&given, &of);
  double order = given.number[NSM_FLAG_ORDER];
  *s = (CompareScheme){ .text = text, .name = arena_strndup(a, given.scheme, strlen(given.scheme)),
                        .order = isnan(order) ? 0 : (int)order, .located = of.located ? of.located : located };
  return true;
}

static int larger_first(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

// Not fewer than the list has.
static int most_parts(const char *list) {
  int n = 1;
  while (*list) n += *list++ == ',';
  return n;
}

static bool read_steps(Arena *a, const char *list, Compare *c) {
  const char *one;
  c->step = ARENA_ARRAY(a, double, most_parts(list));
  while ((one = part(a, &list))) {
    double h;
    const char *why = nsm_read_quantity(one, "s", &h);
    if (why) return usage(arena_printf(a, "--steps: `%s`: %s", one, why));
    if (!(h > 0) || !isfinite(h)) return usage(arena_printf(a, "--steps: `%s`: a step is greater than 0", one));
    c->step[c->nstep++] = h;
  }
  if (c->nstep == 0) return usage("--steps: give steps: --steps 10ms,5ms,2.5ms");
  qsort(c->step, (size_t)c->nstep, sizeof *c->step, larger_first);
  for (int i = 1; i < c->nstep; i++) {
    double q = c->step[0] / c->step[i];
    if (fabs(q - round(q)) > divides * q)
      return usage(arena_printf(a, "--steps: %g s does not divide %g s; runs are compared at the times of the largest "
                                   "step", c->step[i], c->step[0]));
  }
  return true;
}

static bool read_asked(const Options *o, Compare *c) {
  Arena *a = c->arena;
  const char *list = o->flags.text[NSM_FLAG_SCHEMES], *one;
  if (list) c->scheme = ARENA_ARRAY(a, CompareScheme, most_parts(list));
  while (list && (one = part(a, &list))) {
    if (!read_scheme(a, one, o->located, &c->scheme[c->nscheme])) return false;
    c->nscheme++;
  }
  if (c->nscheme == 0) return usage("--schemes: name the schemes: --schemes moreau,consistent");
  if (!o->flags.text[NSM_FLAG_STEPS]) return usage("--steps: give steps: --steps 10ms,5ms,2.5ms");
  return read_steps(a, o->flags.text[NSM_FLAG_STEPS], c);
}

// ---- programs -------------------------------------------------------------------------------------------------------
// False: no scheme can help, and all was said.
static bool compile(const Options *o, Compare *c, CompareScheme *s) {
  nsm_assignment *set = ARENA_ARRAY(c->arena, nsm_assignment, o->nset + 1);
  for (int i = 0; i < o->nset; i++) set[i] = (nsm_assignment){ o->set[i].name, o->set[i].value };
  nsm_compile_settings how = { .scheme = s->text, .set = set, .nset = o->nset };
  s->program = nsm_compile_file(o->file[0], &how);
  nsm_code code = nsm_program_status(s->program);
  if (code == NSM_OK) return true;
  const nsm_diagnostic *d = nsm_diagnostics(s->program);
  const char *why = nsm_program_message(s->program);
  bool only_scheme = code == NSM_MODEL_WRONG;
  for (int i = nsm_ndiagnostic(s->program); i-- > 0;) {
    if (d[i].severity != NSM_ERROR) continue;
    why = arena_printf(c->arena, "%s: %s", d[i].code, d[i].message);
    only_scheme &= !strcmp(d[i].code, "E0705");
  }
  s->refused = why;
  if (only_scheme) return true;
  nsm_print_diagnostics(s->program, stderr);
  if (nsm_program_message(s->program)[0]) fprintf(stderr, "error: %s\n", nsm_program_message(s->program));
  return false;
}

// Its order on smooth motion: the first number of its description.
static int order_of(const CompareScheme *s) {
  return s->order ? s->order : atoi(scheme_named(s->name, &(const char *){ NULL })->order);
}

// ---- runs -----------------------------------------------------------------------------------------------------------
// The columns at the multiples of the largest step, and the energies at the end.
typedef struct Samples { int n, ncolumn, *column; double *x; double energy; } Samples;

static nsm_sim *open_run(const Options *o, const Compare *c, const CompareScheme *s, double step, nsm_error *e) {
  nsm_settings set = nsm_default_settings();
  set.step = step;
  set.located = s->located;
  if (given(o, NSM_FLAG_UNTIL)) set.until = o->flags.number[NSM_FLAG_UNTIL];
  if (given(o, NSM_FLAG_START)) set.start = o->flags.number[NSM_FLAG_START];
  (void)c;
  return nsm_simulate(s->program, &set, e);
}

// The first column from `at` on that `name` of --record means: it, or a member of a family; -1: none.
static int next_column(nsm_sim *s, const char *name, int at) {
  for (int n = nsm_ncolumn(s); at < n; at++) if (nsm_selects(name, nsm_column_name(s, at))) return at;
  return -1;
}

// Are the columns of --record there? What is not is said of the other reference.
static bool has_columns(const Options *o, nsm_sim *s) {
  const char *list = o->flags.text[NSM_FLAG_RECORD];
  char name[512];
  while (list && nsm_next_name(&list, name, sizeof name) > 0) if (next_column(s, name, 0) < 0) return false;
  return true;
}

static const char *column_name(void *s, int i) { return nsm_column_name(s, i); }

// "drive.on.turned1": what turned() remembers of the step before, so no state of the motion.
static bool remembered(const char *name) {
  const char *last = strrchr(name, '.'), word[] = "turned";
  last = last ? last + 1 : name;
  size_t n = sizeof word - 1;
  return !strncmp(last, word, n) && last[n] && last[n + strspn(last + n, "0123456789")] == 0;
}

static bool choose_columns(const Options *o, Compare *c, nsm_sim *s, Samples *to) {
  int n = nsm_ncolumn(s);
  const char *list = o->flags.text[NSM_FLAG_RECORD];
  to->column = ARENA_ARRAY(c->arena, int, n + 1);
  to->ncolumn = 0;
  char name[512], meant[300];
  while (list && nsm_next_name(&list, name, sizeof name) > 0) {
    int at = next_column(s, name, 0);
    if (at < 0) {
      nsm_meant(name, n, column_name, s, meant, sizeof meant);
      return usage(arena_printf(c->arena, "--record: there is no column `%s`%s", name, meant));
    }
    for (; at >= 0; at = next_column(s, name, at + 1)) if (to->ncolumn < n) to->column[to->ncolumn++] = at;
  }
  for (int i = 0; !o->flags.text[NSM_FLAG_RECORD] && i < n; i++)
    if (nsm_kind_of_column(s, i) == NSM_COLUMN_STATE && !remembered(nsm_column_name(s, i)))
      to->column[to->ncolumn++] = i;
  c->ncolumn = to->ncolumn;
  if (to->ncolumn == 0) return usage("the model has no states to compare; name columns: --record A,B");
  return true;
}

// From the present state to the end; NULL, or why not.
static const char *run(const Compare *c, nsm_sim *s, Samples *to, CompareRun *r) {
  nsm_error e = { .code = NSM_OK };
  double largest = c->step[0];
  long per = lround(largest / r->step), total = nsm_steps_total(s);
  to->n = (int)(total / per) + 1;
  to->x = ARENA_ARRAY(c->arena, double, (size_t)to->n * (size_t)to->ncolumn + 1);
  nsm_keep_ledger(s);
  clock_t begin = clock();
  for (int k = 0; k < to->n; k++) {
    if (k > 0 && nsm_advance(s, per, &e) != NSM_OK) break;
    for (int i = 0; i < to->ncolumn; i++)
      to->x[(size_t)k * (size_t)to->ncolumn + (size_t)i] = nsm_read_column(s, to->column[i]);
  }
  r->seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  r->steps = nsm_steps_done(s);
  nsm_counters count;
  nsm_get_counters(s, &count);
  r->captured = count.captured;
  nsm_energy now = { .residue = NAN };
  to->energy = nsm_get_energy(s, &now) ? now.kinetic + now.potential : NAN;
  r->residue = now.residue;
  return e.code == NSM_OK || e.code == NSM_STOPPED ? NULL : arena_printf(c->arena, "%s", e.text);
}

// Of a run that is shorter than a tick of the clock of the processor: the mean of many.
static void time_again(nsm_sim *s, CompareRun *r) {
  nsm_error e = { .code = NSM_OK };
  int n = 0;
  if (r->seconds > ticks) return;
  clock_t begin = clock();
  double passed;
  do {
    nsm_reset(s);
    nsm_keep_ledger(s);
    (void)nsm_advance(s, r->steps, &e);
    n++;
    passed = (double)(clock() - begin) / CLOCKS_PER_SEC;
  } while (passed < measurable);
  r->seconds = passed / n;
}

// s_i of (1), by unit.
static double *scales(const Compare *c, nsm_sim *s, const Samples *r) {
  double *scale = ARENA_ARRAY(c->arena, double, r->ncolumn + 1);
  const char **unit = ARENA_ARRAY(c->arena, const char *, r->ncolumn + 1);
  for (int i = 0; i < r->ncolumn; i++) {
    unit[i] = arena_printf(c->arena, "%s", nsm_column_unit(s, r->column[i]));
    for (int k = 0; k < r->n; k++) scale[i] = fmax(scale[i], fabs(r->x[(size_t)k * (size_t)r->ncolumn + (size_t)i]));
  }
  for (int i = 0; i < r->ncolumn; i++)
    for (int j = 0; j < i; j++)
      if (!strcmp(unit[i], unit[j])) scale[i] = scale[j] = fmax(scale[i], scale[j]);
  for (int i = r->ncolumn; i-- > 0;)
    for (int j = 0; j < i; j++)
      if (!strcmp(unit[i], unit[j])) scale[j] = fmax(scale[i], scale[j]);
  return scale;
}

static void measure(const Samples *x, const Samples *ref, const double *scale, CompareRun *r) {
  int n = x->n < ref->n ? x->n : ref->n;
  r->mean = 0;
  for (int k = 0; k < n; k++) {
    r->error = 0;
    for (int i = 0; i < x->ncolumn; i++) {
      size_t at = (size_t)k * (size_t)x->ncolumn + (size_t)i;
      r->error = fmax(r->error, fabs(x->x[at] - ref->x[at]) / (scale[i] > 0 ? scale[i] : 1));
    }
    r->mean += r->error / n;
  }
  r->energy = x->energy - ref->energy;
}

// No order: of errors that a tolerance sets, of those that the reference has too, of round-off.
static bool has_order(const Compare *c, const CompareScheme *s, double before, double error) {
  const char *tolerant = schemes[SCHEME_EVENT_DRIVEN].name;
  double least = !strncmp(c->reference, tolerant, strlen(tolerant)) ? known : rounds;
  return before > 0 && error > 0 && fmin(before, error) > least && strcmp(s->name, tolerant) != 0;
}

// The rows of one scheme.
static bool rows(const Options *o, Compare *c, const CompareScheme *s, const Samples *ref, const double *scale) {
  double before = NAN;
  for (int i = 0; i < c->nstep; i++) {
    CompareRun *r = &c->run[c->nrun++];
    *r = (CompareRun){ .scheme = s, .step = c->step[i], .error = NAN, .mean = NAN, .order = NAN, .energy = NAN,
                       .residue = NAN, .seconds = NAN };
    if (s->refused) { r->failed = s->refused; return true; }
    nsm_error e;
    nsm_sim *sim = open_run(o, c, s, c->step[i], &e);
    if (!sim) { r->failed = arena_printf(c->arena, "%s", e.text); continue; }
    Samples x = *ref;
    r->failed = run(c, sim, &x, r);
    if (!r->failed) time_again(sim, r);
    nsm_close(sim);
    if (r->failed) { before = NAN; continue; }
    measure(&x, ref, scale, r);
    if (has_order(c, s, before, r->error)) r->order = log(before / r->error) / log(c->step[i - 1] / c->step[i]);
    before = r->error;
  }
  return true;
}

// The tightest run from event to event; false where there is none: it is not in this nsm, does not take the model, or
// has captured a step.
static bool by_events(const Options *o, Compare *c, Samples *ref, double **scale) {
  CompareScheme s = { .text = "event_driven(rtol = 1e-12)", .name = schemes[SCHEME_EVENT_DRIVEN].name };
  nsm_assignment *set = ARENA_ARRAY(c->arena, nsm_assignment, o->nset + 1);
  for (int i = 0; i < o->nset; i++) set[i] = (nsm_assignment){ o->set[i].name, o->set[i].value };
  nsm_compile_settings how = { .scheme = s.text, .set = set, .nset = o->nset };
  CompareRun r = { .scheme = &s, .step = c->step[c->nstep - 1] };
  nsm_error e;
  nsm_counters count = { 0 };
  s.program = nsm_compile_file(o->file[0], &how);
  nsm_sim *sim = nsm_program_status(s.program) == NSM_OK ? open_run(o, c, &s, r.step, &e) : NULL;
  bool good = sim && has_columns(o, sim) && choose_columns(o, c, sim, ref) && !run(c, sim, ref, &r);
  if (sim) nsm_get_counters(sim, &count);
  good = good && count.captured == 0;
  if (good) {
    *scale = scales(c, sim, ref);
    c->until = nsm_time(sim);
    c->model = arena_printf(c->arena, "%s", nsm_program_name(s.program));
    c->reference = arena_printf(c->arena, "%s", s.text);
  }
  nsm_close(sim);
  nsm_program_free(s.program);
  return good;
}

static void all_rows(const Options *o, Compare *c, const Samples *ref, const double *scale) {
  c->run = ARENA_ARRAY(c->arena, CompareRun, (size_t)c->nscheme * (size_t)c->nstep + 1);
  for (int i = 0; i < c->nscheme; i++) rows(o, c, &c->scheme[i], ref, scale);
}

static int all(const Options *o, Compare *c) {
  const CompareScheme *best = NULL;
  Samples ref = {0};
  double *scale;
  for (int i = 0; i < c->nscheme; i++) {
    CompareScheme *s = &c->scheme[i];
    if (!compile(o, c, s)) return EXIT_MODEL;
    if (i == 0 && o->output && check_output(s->program->c, o->output) != EXIT_OK) return EXIT_USAGE;
    if (!s->refused && (!best || order_of(s) > order_of(best))) best = s;
  }
  if (!best) {
    fprintf(stderr, "error: none of the schemes takes this model: %s\n", c->scheme[0].refused);
    return EXIT_MODEL;
  }
  if (by_events(o, c, &ref, &scale)) { all_rows(o, c, &ref, scale); return EXIT_OK; }
  CompareScheme tight = *best;
  if (scheme_named(best->name, &(const char *){ NULL })->located) tight.located = 1;
  CompareRun r = { .scheme = &tight, .step = c->step[c->nstep - 1] / REFINED };
  nsm_error e;
  nsm_sim *s = open_run(o, c, &tight, r.step, &e);
  if (!s && tight.located != best->located) {              // what is not located here
    tight.located = best->located;
    s = open_run(o, c, &tight, r.step, &e);
  }
  ref = (Samples){0};
  if (!s) { nsm_print_run_error(tight.program, &e, stderr); return e.code == NSM_USAGE ? EXIT_USAGE : EXIT_SIMULATION; }
  c->model = arena_printf(c->arena, "%s", nsm_program_name(tight.program));
  if (!choose_columns(o, c, s, &ref)) { nsm_close(s); return EXIT_USAGE; }
  const char *why = run(c, s, &ref, &r);
  scale = scales(c, s, &ref);
  c->until = nsm_time(s);
  nsm_close(s);
  if (why) {
    fprintf(stderr, "error: the reference, %s at %g s, fails: %s\n", best->text, r.step, why);
    return EXIT_SIMULATION;
  }
  c->reference = arena_printf(c->arena, "%s%s, step %g s (the scheme of highest order at a quarter of the smallest "
                              "step)", best->text, tight.located > 0 && best->located <= 0 ? ", located" : "", r.step);
  all_rows(o, c, &ref, scale);
  return EXIT_OK;
}

// ---- the command ----------------------------------------------------------------------------------------------------
int command_compare(const Options *o) {
  Compare c = { .arena = arena_new() };
  int code = EXIT_USAGE;
  const char *path = o->output ? o->output : "-", *dot = strrchr(path, '.'), *input[] = { o->file[0] };
  bool csv = dot && !strcmp(dot, ".csv"), page = dot && !strcmp(dot, ".html");
  nsm_output output = { "--output", path };
  nsm_error e = { .code = NSM_OK };
  if (o->output && strcmp(path, "-") && !csv && !page && !(dot && !strcmp(dot, ".txt")))
    usage(arena_printf(c.arena, "-o %s: the name ends with .csv, .html or .txt", o->output));
  else if (nsm_outputs_check(input, 1, &output, 1, &e) != NSM_OK) nsm_print_error(NULL, &e, stderr);
  else if (read_asked(o, &c)) code = all(o, &c);
  if (code == EXIT_OK) {
    Text out = {0};
    if (page) compare_page(&c, &out);
    else if (csv) compare_csv(&c, &out);
    else compare_text(&c, &out);
    code = write_file(&out, path);
    text_free(&out);
  }
  for (int i = 0; i < c.nscheme; i++) nsm_program_free(c.scheme[i].program);
  arena_free(c.arena);
  return code;
}
