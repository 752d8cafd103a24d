// One run of a sweep: opened with its values, stepped to its end, and what is kept of it as a row. A run that cannot be
// opened or that fails is a row, too; its measures are empty then.
#include "sweep.h"
#include "runtime/command/outputs.h"
#include "runtime/clock/clock.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- rows as text (RFC 4180) ----------------------------------------------------------------------------------------
void sweep_add(sweep_text *t, const char *bytes, size_t n) {
  if (t->n + n + 1 > t->room) {
    size_t room = 2 * (t->n + n) + 256;
    char *at = realloc(t->at, room);
    if (!at) { t->failed = 1; return; }
    t->at = at;
    t->room = room;
  }
  memcpy(t->at + t->n, bytes, n);
  t->n += n;
  t->at[t->n] = 0;
}

static int at_line_start(const sweep_text *t) { return t->n == 0 || t->at[t->n - 1] == '\n'; }

void sweep_add_field(sweep_text *t, const char *field) {
  if (!at_line_start(t)) sweep_add(t, ",", 1);
  if (!strpbrk(field, ",\"\r\n")) { sweep_add(t, field, strlen(field)); return; }
  sweep_add(t, "\"", 1);
  for (const char *c = field; *c; c++) {
    if (*c == '"') sweep_add(t, "\"", 1);
    sweep_add(t, *c == '\n' || *c == '\r' ? " " : c, 1);   // a row is one line
  }
  sweep_add(t, "\"", 1);
}

void sweep_add_number(sweep_text *t, double x) {
  char digits[NSM_NUMBER_ROOM];
  int n = 0;
  for (int d = 15; d <= 17; d++) {
    n = snprintf(digits, sizeof digits, "%.*g", d, x);
    if (strtod(digits, NULL) == x) break;
  }
  if (!at_line_start(t)) sweep_add(t, ",", 1);
  sweep_add(t, digits, (size_t)n);
}

void sweep_end_row(sweep_text *t) { sweep_add(t, "\n", 1); }

void sweep_header(const sweep_task *k, sweep_text *row) {
  sweep_add_field(row, "run");
  for (int i = 0; i < k->plan->nvary + k->plan->nsample; i++) sweep_add_field(row, k->plan->of[i].name);
  for (int i = 0; i < k->nmeasure; i++) sweep_add_field(row, k->measure[i].name);
  for (int i = 0; i < k->m->nexpect; i++) sweep_add_field(row, (const char *)k->m->text + k->m->expect_text[i]);
  sweep_add_field(row, "status");
  sweep_add_field(row, "message");
  sweep_end_row(row);
}

static void add_run(sweep_text *row, long i) {
  char number[32];
  snprintf(number, sizeof number, "%ld", i + 1);
  sweep_add_field(row, number);
}

void sweep_begin_row(const sweep_task *k, long i, sweep_text *row) {
  int n = k->plan->nvary + k->plan->nsample;
  double *value = calloc((size_t)n + 1, sizeof *value);
  if (!value) { row->failed = 1; return; }
  sweep_values(k->plan, i, value);
  add_run(row, i);
  for (int v = 0; v < n; v++) sweep_add_number(row, nsm_from_si(value[v], k->plan->of[v].scale));
  free(value);
}

// ---- trajectories ---------------------------------------------------------------------------------------------------
typedef struct trajectory { nsm_csv csv; double *row; int *column; int n; } trajectory;

static int open_trajectory(const sweep_task *k, long i, nsm_sim *s, trajectory *t, nsm_error *e) {
  char path[4096];
  if (!k->folder) return 1;
  t->n = nsm_ncolumn(s);
  t->row = calloc((size_t)t->n, sizeof *t->row);
  t->column = calloc((size_t)t->n, sizeof *t->column);
  t->csv.buffer = malloc(NSM_CSV_BUFFER);
  if (!t->row || !t->column || !t->csv.buffer) return sim_no_memory(e, "a trajectory"), 0;
  snprintf(path, sizeof path, "%s/run-%ld.csv", k->folder, i + 1);
  if (!(t->csv.file = nsm_output_open(path, 0, e))) return 0;
  for (int c = 0; c < t->n; c++) {
    t->column[c] = c;
    nsm_csv_text(&t->csv, nsm_column_name(s, c), c + 1 == t->n);
  }
  return 1;
}

static void write_trajectory(trajectory *t, nsm_sim *s) {
  if (!t->csv.file) return;
  nsm_read(s, t->row);
  nsm_in_units(s, t->row);
  nsm_csv_row(&t->csv, t->row, t->column, t->n);
}

static int close_trajectory(trajectory *t, nsm_error *e) {
  if (t->csv.file) {
    nsm_csv_flush(&t->csv);
    if (fclose(t->csv.file) != 0 && !t->csv.error) t->csv.error = errno;
  }
  free(t->csv.buffer);
  free(t->row);
  free(t->column);
  if (!t->csv.error) return 1;
  sim_fail(e, NSM_FILE, "a trajectory could not be written: %s", strerror(t->csv.error));
  return 0;
}

// ---- the run --------------------------------------------------------------------------------------------------------
typedef struct run {
  const sweep_task *k;
  nsm_sim          *s;
  nsm_settings      settings;
  nsm_assignment   *set;
  double           *value;
  sweep_measure    *of;                 // [nmeasure] the columns in this run
  nsm_statistic    *measure, *claim;
  double           *claimed;            // [nstat]
  trajectory        t;
} run;

static int take(run *r, nsm_error *e) {
  const sweep_task *k = r->k;
  int n = k->plan->nvary + k->plan->nsample;
  r->set = calloc((size_t)(k->settings->nset + n), sizeof *r->set);
  r->value = calloc((size_t)n + 1, sizeof *r->value);
  r->of = calloc((size_t)k->nmeasure + 1, sizeof *r->of);
  r->measure = calloc((size_t)k->nmeasure + 1, sizeof *r->measure);
  r->claim = calloc((size_t)k->m->nstat + 1, sizeof *r->claim);
  r->claimed = calloc((size_t)k->m->nstat + 1, sizeof *r->claimed);
  if (r->set && r->value && r->of && r->measure && r->claim && r->claimed) return 1;
  return sim_no_memory(e, "a run"), 0;
}

static int open_run(run *r, long i, nsm_error *e) {
  const sweep_task *k = r->k;
  int n = k->plan->nvary + k->plan->nsample, given = k->settings->nset;
  sweep_values(k->plan, i, r->value);
  for (int v = 0; v < given; v++) r->set[v] = k->settings->set[v];
  for (int v = 0; v < n; v++) r->set[given + v] = (nsm_assignment){ k->plan->of[v].name, r->value[v] };
  r->settings = *k->settings;
  r->settings.set = r->set;
  r->settings.nset = given + n;
  r->s = nsm_open(k->m, &r->settings, e);
  if (!r->s) return 0;
  memcpy(r->of, k->measure, (size_t)k->nmeasure * sizeof *r->of);
  return nsm_ncolumn(r->s) == k->ncolumn || sweep_measures_find(r->s, r->of, k->nmeasure, e);
}

enum { LOOK = 1024 };                   // steps between two looks at `stop`

// Measures and claims, behind each step that fused steps need not end for.
typedef struct watch { struct sim_watch to; run *r; } watch;

static void measure(run *r) {
  const sweep_task *k = r->k;
  sweep_measures_step(r->s, r->of, k->nmeasure, r->measure);
  if (k->m->nstat > 0) nsm_statistics_step(r->s, r->claim);
}

static void measure_step(struct sim_watch *w, nsm_sim *s) { (void)s; measure(((watch *)w)->r); }

static int may_watch(const run *r) {
  const sweep_task *k = r->k;
  int yes = 1;
  for (int i = 0; i < k->nmeasure && yes; i++)
    yes = !nsm_statistic_follows(&r->measure[i], r->of[i].kind) || sim_watches_column(r->s, r->of[i].column);
  for (int i = 0; i < k->m->nstat && yes; i++)
    yes = !nsm_statistic_follows(&r->claim[i], k->m->stat[i].kind) || sim_watches_class(r->s, k->m->stat[i].cls);
  return yes;
}

static nsm_code step_through(run *r, const volatile int *stop, nsm_error *e) {
  const sweep_task *k = r->k;
  nsm_sim *s = r->s;
  long total = nsm_steps_total(s), written = 0;
  sweep_measures_start(s, r->of, k->nmeasure, r->measure);
  if (k->m->nstat > 0) nsm_statistics_start(s, r->claim);
  write_trajectory(&r->t, s);
  watch each = { { measure_step }, r };
  int watches = may_watch(r);
  nsm_code code = NSM_OK;
  for (long i = 0; i < total && code == NSM_OK;) {
    double idle = fmin(sweep_measures_idle(r->of, k->nmeasure, r->measure), nsm_statistics_idle(k->m, r->claim));
    long n = LOOK - i % LOOK, before = sim_steps_before(s, idle);     // steps that nobody looks at
    int watched = watches && before <= 1;
    if (before < n && !watched) n = before;
    if (r->t.csv.file && n > k->every - i % k->every) n = k->every - i % k->every;
    code = watched ? sim_advance_watched(s, n, &each.to, e) : nsm_advance(s, n, e);
    if (code != NSM_OK && code != NSM_STOPPED) break;
    i = nsm_steps_done(s);
    if (!watched) measure(r);
    if (r->t.csv.file && i % k->every == 0) { write_trajectory(&r->t, s); written = i; }
    if (i % LOOK == 0 && *stop) return NSM_INTERRUPTED;
  }
  if (written != nsm_steps_done(s) || (code == NSM_STOPPED && s->now.between)) write_trajectory(&r->t, s);
  if (code == NSM_STOPPED && e) *e = (nsm_error){ .code = NSM_OK };
  return code == NSM_STOPPED ? NSM_OK : code;
}

// 1, 0, or NaN where the run does not reach the time that the claim is about.
static double held(const run *r, int i) {
  const nsm_model *m = r->k->m;
  for (int a = m->expect_stat[i]; a < m->expect_stat[i + 1]; a++)
    if (m->stat[a].kind == NSM_STAT_AT && r->claim[a].outside) return NAN;
  return m->expect(r->s->a->p, r->claimed, i) != 0;
}

// The measures and claims of a run that came to its end. said: of what it does not reach, whose cell is empty.
static int keep(run *r, sweep_text *row, nsm_error *said) {
  const sweep_task *k = r->k;
  int all = 1;
  double *value = calloc((size_t)k->nmeasure + 1, sizeof *value);
  if (!value) { row->failed = 1; return 0; }
  sweep_measures_end(r->s, r->of, k->nmeasure, r->measure, value);
  for (int i = 0; i < k->nmeasure; i++) {
    const sweep_measure *of = &r->of[i];
    if (of->kind != NSM_STAT_AT || !r->measure[i].outside) { sweep_add_number(row, value[i]); continue; }
    sweep_add_field(row, "");
    snprintf(said->text, sizeof said->text, "%s: this run goes from t = %.6g s to %.6g s", of->name, r->s->a->start,
             r->s->a->until);
  }
  free(value);
  if (k->m->nstat > 0) nsm_statistics_end(r->s, r->claim, r->claimed);
  for (int i = 0; i < k->m->nexpect; i++) {
    double h = held(r, i);
    if (isnan(h)) sweep_add_field(row, "");
    else sweep_add_field(row, h != 0 ? "1" : "0");
    all &= h != 0;
  }
  return all;
}

static void keep_nothing(const sweep_task *k, sweep_text *row) {
  for (int i = 0; i < k->nmeasure + k->m->nexpect; i++) sweep_add(row, ",", 1);
}

static void release(run *r) {
  nsm_close(r->s);
  free(r->set);
  free(r->value);
  free(r->of);
  free(r->measure);
  free(r->claim);
  free(r->claimed);
}

sweep_outcome sweep_one_run(const sweep_task *k, long i, const volatile int *stop, struct sim_together *together,
                            sweep_text *row) {
  nsm_error e = { .code = NSM_OK };
  run r = { .k = k };
  int good = take(&r, &e) && open_run(&r, i, &e) && open_trajectory(k, i, r.s, &r.t, &e);
  if (good) r.s->together = together;
  nsm_code code = good ? step_through(&r, stop, &e) : e.code;
  if (!close_trajectory(&r.t, &e) && code == NSM_OK) code = NSM_FILE;
  sweep_begin_row(k, i, row);
  int all = code == NSM_OK ? keep(&r, row, &e) : 1;
  if (code != NSM_OK) keep_nothing(k, row);
  sweep_add_field(row, code != NSM_OK ? "failed" : all ? "ok" : "claim failed");
  sweep_add_field(row, e.text);
  sweep_end_row(row);
  release(&r);
  if (code == NSM_INTERRUPTED || (code != NSM_OK && k->settings->stop && *k->settings->stop)) return SWEEP_STOPPED;
  if (row->failed) return SWEEP_NO_ROOM;
  return code != NSM_OK ? SWEEP_FAILED : all ? SWEEP_OK : SWEEP_CLAIM;
}
