// The run of a simulation as a command: flags, run, CSV, summary, claims, bench. The only file here that prints, beside
// record/.
//
// A reader that goes away (EPIPE, as in `| head`) ends the run without a word, with NSM_PIPE. The flag of Ctrl-C
// (interrupt.h) is looked at after every step, and within steps that take long.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "interrupt.h"
#include "options.h"
#include "outputs.h"
#include "runtime/record/record.h"
#include "contacts.h"
#include "results.h"
#include "runtime/record/hdf5.h"
#include "events.h"
#include "summary.h"
#include "runtime/shared/nearest.h"
#include "runtime/shared/seconds.h"
#include "runtime/clock/clock.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct job {
  const nsm_model *m;
  const nsm_host  *host;
  nsm_sim         *s;
  nsm_options      o;
  nsm_team        *team;                // --threads
  nsm_summary      sum;
  nsm_csv          csv, contacts, events;
  nsm_results     *results;             // a file of HDF5 in place of csv; NULL
  int              recording;
  int             *column, ncolumn;     // of `row`, in the order of the CSV
  double          *row;                 // [ncolumn of the simulation + 4]: and the energies
  int              energies;            // any of them is recorded
  nsm_statistic   *stat;
  FILE            *summary, *out, *err; // out: NULL where no trajectory is wanted
} job;

// ---- which columns --------------------------------------------------------------------------------------------------
static const char *const energy_names[] = { "energy", "energy.kinetic", "energy.potential", "energy.residue" };
enum { ENERGIES = 4 };

// A column belongs to `what` where it is called so, or is an element or a part of it: bead -> bead[3].z, bead.z ->
// bead[3].z.
int nsm_selects(const char *what, const char *name) {
  size_t n = strlen(what);
  if (strncmp(what, name, n) == 0 && (name[n] == 0 || name[n] == '[' || name[n] == '.')) return 1;
  const char *w = what, *c = name;
  while (*c) {
    if (*c == '[' && *w != '[') { c += strcspn(c, "]"); c += *c == ']'; continue; }
    if (*w != *c) return 0;
    w++;
    c++;
  }
  return *w == 0;
}

static const char *column_or_energy(void *s, int i) {
  int n = nsm_ncolumn(s);
  return i < n ? nsm_column_name(s, i) : energy_names[i - n];
}

static void select_all(job *j) {
  for (int i = 0; i < nsm_ncolumn(j->s); i++) j->column[j->ncolumn++] = i;
}

// One element of the list after --record.
static nsm_code select_one(job *j, const char *what, int room, nsm_error *e) {
  int n = nsm_ncolumn(j->s), found = strcmp(what, "time") == 0;
  for (int i = 1; i < n && !found; i++) found = nsm_selects(what, nsm_column_name(j->s, i));
  if (!found) {
    for (int i = 0; i < ENERGIES; i++)
      if (strcmp(what, energy_names[i]) == 0 && j->ncolumn < room) {
        j->column[j->ncolumn++] = n + i;
        j->energies = 1;
        return NSM_OK;
      }
    char meant[400];
    nsm_meant(what, n + ENERGIES, column_or_energy, j->s, meant, sizeof meant);
    sim_fail(e, NSM_USAGE, "--record: there is no column `%s`%s", what, meant);
    return NSM_USAGE;
  }
  for (int i = 1; i < n; i++) {
    if (!nsm_selects(what, nsm_column_name(j->s, i))) continue;
    int known = 0;
    for (int k = 0; k < j->ncolumn && n < 4096; k++) known |= j->column[k] == i;
    if (!known && j->ncolumn < room) j->column[j->ncolumn++] = i;
  }
  return NSM_OK;
}

static nsm_code select_columns(job *j, nsm_error *e) {
  int n = nsm_ncolumn(j->s), names = 1;
  for (const char *c = j->o.record ? j->o.record : ""; *c; c++) names += *c == ',';
  int room = n * (j->o.record && n >= 4096 ? names : 1) + ENERGIES * names + 1;
  j->column = malloc((size_t)room * sizeof *j->column);
  j->row = calloc((size_t)n + ENERGIES, sizeof *j->row);
  if (!j->column || !j->row) return sim_no_memory(e, "the columns of the trajectory");
  if (!j->o.record) { select_all(j); return NSM_OK; }
  j->column[j->ncolumn++] = 0;
  const char *list = j->o.record;
  char what[512];
  int more;
  while ((more = nsm_next_name(&list, what, sizeof what)) > 0) {
    nsm_code code = *what ? select_one(j, what, room, e) : NSM_OK;
    if (code != NSM_OK) return code;
  }
  if (more < 0) { sim_fail(e, NSM_USAGE, "--record: a name is too long"); return NSM_USAGE; }
  return NSM_OK;
}

// ---- recording ------------------------------------------------------------------------------------------------------
static void write_header(job *j) {
  for (int i = 0; i < j->ncolumn; i++) {
    int c = j->column[i], n = nsm_ncolumn(j->s);
    nsm_csv_text(&j->csv, c < n ? nsm_column_name(j->s, c) : energy_names[c - n], i + 1 == j->ncolumn);
  }
}

static nsm_code write_row(job *j, nsm_error *e) {
  if (j->contacts.buffer) nsm_contacts_row(j->s, &j->contacts);
  if (!j->csv.buffer && !j->results && !j->host->watch) return NSM_OK;
  nsm_read(j->s, j->row);
  nsm_in_units(j->s, j->row);
  if (j->energies) {
    double *energy = j->row + nsm_ncolumn(j->s);
    sim_energy(j->s, &energy[1], &energy[2]);
    energy[0] = energy[1] + energy[2];
    energy[3] = j->s->now.ledger.residue_now;
  }
  if (j->csv.buffer) nsm_csv_row(&j->csv, j->row, j->column, j->ncolumn);
  if (j->results && !nsm_results_row(j->results, j->row)) j->csv.error = EIO;
  return j->host->watch ? j->host->watch->row(j->host->watch->with, j->s, j->row, e) : NSM_OK;
}

// Where the trajectory goes: NULL where nobody wants it.
static const char *trajectory(const job *j) {
  return j->o.bench > 0 || !j->out || j->host->watch ? NULL : j->o.output ? j->o.output : "-";
}

static nsm_code check_outputs(job *j, nsm_error *e) {
  nsm_output output[4];
  int n = 0;
  if (trajectory(j)) output[n++] = (nsm_output){ j->o.output ? "--output" : "the trajectory", trajectory(j) };
  if (j->o.summary) output[n++] = (nsm_output){ "--summary", j->o.summary };
  if (j->o.contacts && j->o.bench == 0) output[n++] = (nsm_output){ "--contacts", j->o.contacts };
  if (j->o.events && j->o.bench == 0) output[n++] = (nsm_output){ "--record-events", j->o.events };
  nsm_code code = nsm_outputs_check(j->host->input, j->host->ninput, output, n, e);
  if (code == NSM_OK && trajectory(j)) code = nsm_outputs_check_table(trajectory(j), e);
  for (int i = 0; i < j->o.run.ninput && code == NSM_OK; i++)
    if (j->o.input[i].path) code = nsm_outputs_check(&j->o.input[i].path, 1, output, n, e);
  const nsm_output_folder problems = { "--dump-problems", j->o.run.dump_problems,
                                       j->m->name ? (const char *)j->m->text + j->m->name : "", ".json" };
  if (code == NSM_OK && problems.path)
    code = nsm_outputs_check_folder(&problems, j->host->input, j->host->ninput, output, n, e);
  return code;
}

static nsm_code open_file(const char *path, FILE *out, FILE **file, nsm_error *e) {
  *file = strcmp(path, "-") == 0 ? out : nsm_output_open(path, 0, e);
  return *file ? NSM_OK : NSM_FILE;
}

static nsm_code open_contacts(job *j, nsm_error *e) {
  nsm_code code = open_file(j->o.contacts, j->host->out, &j->contacts.file, e);
  if (code != NSM_OK) return code;
  if (!(j->contacts.buffer = malloc(NSM_CSV_BUFFER))) return sim_no_memory(e, "the contacts");
  nsm_contacts_header(&j->contacts);
  j->recording = 1;
  return NSM_OK;
}

static nsm_code open_events(job *j, nsm_error *e) {
  if (!j->s->a->located) {
    sim_fail(e, NSM_USAGE, "--record-events: events are located by --located on with `moreau` or `consistent`, by "
             "`consistent(order = 4)`, `radau` and `event_driven`");
    return NSM_USAGE;
  }
  nsm_code code = open_file(j->o.events, j->host->out, &j->events.file, e);
  if (code != NSM_OK) return code;
  if (!(j->events.buffer = malloc(NSM_CSV_BUFFER))) return sim_no_memory(e, "the events");
  nsm_events_header(&j->events);
  return NSM_OK;
}

// Located events go to the file of --record-events and to that of HDF5.
static void on_event(void *with, const nsm_located_event *event) {
  job *j = with;
  if (j->events.buffer) nsm_events_row(&j->events, event);
  if (j->results) nsm_results_event(j->results, event);
}

static nsm_code open_results(job *j, const char *path, nsm_error *e) {
  nsm_results_rows rows = { j->column, j->ncolumn, energy_names, j->o.every };
  j->results = nsm_results_open(path, j->s, j->host, rows, e);
  if (!j->results) return e->code;
  j->recording = 1;
  if (j->s->a->located) nsm_on_event(j->s, on_event, j);
  return NSM_OK;
}

static nsm_code open_files(job *j, nsm_error *e) {
  nsm_code code = NSM_OK;
  if (j->o.summary) code = open_file(j->o.summary, j->host->out, &j->summary, e);
  if (code == NSM_OK && j->o.contacts && j->o.bench == 0) code = open_contacts(j, e);
  if (code == NSM_OK && j->o.events && j->o.bench == 0) code = open_events(j, e);
  if (code == NSM_OK && j->events.buffer) nsm_on_event(j->s, on_event, j);
  const char *path = trajectory(j);
  if (code != NSM_OK || !path) return code;
  if (nsm_h5_is(path)) return open_results(j, path, e);
  if ((code = open_file(path, j->out, &j->csv.file, e)) != NSM_OK) return code;
  j->csv.buffer = malloc(NSM_CSV_BUFFER);
  if (!j->csv.buffer) return sim_no_memory(e, "the trajectory");
  j->recording = 1;
  write_header(j);
  return NSM_OK;
}

static nsm_code close_csv(job *j, nsm_csv *w, const char *name, nsm_error *e) {
  if (!w->file) return NSM_OK;
  if (w->buffer) nsm_csv_flush(w);
  if (w->file != j->out && w->file != j->host->out && fclose(w->file) != 0 && !w->error) w->error = errno;
  w->file = NULL;
  if (!w->error) return NSM_OK;
  if (w->error == EPIPE) return NSM_PIPE;
  long rows = w->lines > 0 ? w->lines - 1 : 0;
  sim_fail(e, NSM_FILE, "writing to %s failed after %ld row%s: %s", name ? name : "standard output", rows,
           rows == 1 ? "" : "s", strerror(w->error));
  return NSM_FILE;
}

// ---- running --------------------------------------------------------------------------------------------------------
typedef struct progress { int on; long next, stride; double began, shown; } progress;

static void show_progress(job *j, progress *p) {
  double now = nsm_seconds();
  long done = nsm_steps_done(j->s);
  if (now - p->shown > 0.1) {
    fprintf(j->err, "\r%3.0f %%  t = %-12.6g", 100.0 * (double)done / (double)nsm_steps_total(j->s), nsm_time(j->s));
    fflush(j->err);
    p->stride = 1 + p->stride / 2;
    p->shown = now;
  } else if (now - p->shown < 0.01) p->stride *= 2;
  p->next = done + p->stride;
}

// How many steps may be done before the program around the run wants to be called (command.h).
static long between_steps(const job *j, long done, long total) {
  return j->host->between_steps ? j->host->between_steps(j->host->steps, done, total) : LONG_MAX;
}

// Steps that nobody looks at: up to the next row, the next call, the next time that a claim is about.
static long stride(const job *j, long left, long to_row, long to_call) {
  enum { LOOK = 1024 };                                    // for Ctrl-C and progress
  long n = left < LOOK ? left : LOOK;
  if (j->o.bench == 0 && j->recording && to_row < n) n = to_row;
  if (to_call < n) n = to_call > 1 ? to_call : 1;
  if (j->o.bench > 0 || j->m->nstat == 0) return n;
  long free = sim_steps_before(j->s, nsm_statistics_idle(j->m, j->stat));
  return free < n ? free : n;
}

// Of a step that is not waited for. An event may come within a step, so what is no whole line of them is left out.
static void keep_rows(void *with) {
  job *j = with;
  nsm_csv *events = &j->events;
  if (j->csv.buffer) nsm_csv_flush(&j->csv);
  if (j->contacts.buffer) nsm_csv_flush(&j->contacts);
  if (!events->buffer) return;
  while (events->used > 0 && events->buffer[events->used - 1] != '\n') events->used--;
  nsm_csv_flush(events);
}

static nsm_code run_once(job *j, nsm_error *e) {
  progress p = { !j->o.quiet && isatty(fileno(j->err)), 16, 16, nsm_seconds(), nsm_seconds() };
  long total = nsm_steps_total(j->s), every = j->o.every, written = -1;
  nsm_code code = NSM_OK;
  if (j->m->nstat > 0) nsm_statistics_start(j->s, j->stat);
  if (j->recording) { code = write_row(j, e); written = 0; }
  long call = between_steps(j, 0, total);
  for (long k = 0, next = every; k < total && code == NSM_OK;) {
    long before = k;
    nsm_interrupt_steps(j->o.quiet ? "" : "interrupted within a step; the rows before it are kept\n", keep_rows, j);
    code = nsm_advance(j->s, stride(j, total - k, next - k, call - k), e);
    nsm_interrupt_steps(NULL, NULL, NULL);
    k = nsm_steps_done(j->s);
    if (k > before || code == NSM_STOPPED) {
      if (j->m->nstat > 0) nsm_statistics_step(j->s, j->stat);
      if (j->recording && k == next) {
        nsm_code row = write_row(j, e);
        written = k;
        next += every;
        if (row != NSM_OK) return row;
        if (j->csv.error || j->contacts.error || j->events.error) return NSM_FILE;
      }
    }
    if (nsm_interrupted() && code == NSM_OK) code = NSM_INTERRUPTED;
    if (p.on && k >= p.next) show_progress(j, &p);
    if (k >= call) call = between_steps(j, k, total);
  }
  if (j->recording && (written != nsm_steps_done(j->s) || (code == NSM_STOPPED && j->s->now.between))) {
    nsm_error other;
    nsm_code row = write_row(j, code == NSM_OK ? e : &other);
    if (code == NSM_OK) code = row;
  }
  if (p.on && p.shown > p.began) fprintf(j->err, "\r%40s\r", "");
  return code;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static nsm_code run_bench(job *j, nsm_error *e) {
  long n = j->o.bench, done = 0, total = nsm_steps_total(j->s);
  double *ns = calloc((size_t)n, sizeof *ns);
  nsm_code code = NSM_OK;
  if (!ns) return sim_no_memory(e, "--bench");
  long call = between_steps(j, 0, n * total);
  for (; done < n && code == NSM_OK; done++) {
    nsm_reset(j->s);
    double began = nsm_seconds();
    for (long k = 0; k < total && code == NSM_OK; k = nsm_steps_done(j->s)) {
      code = nsm_advance(j->s, stride(j, total - k, 0, call - done * total - k), e);
      if (nsm_interrupted() && code == NSM_OK) code = NSM_INTERRUPTED;
      if (done * total + k >= call) call = between_steps(j, done * total + k, n * total);
    }
    if (code == NSM_STOPPED) code = NSM_OK;
    ns[done] = 1e9 * (nsm_seconds() - began) / (double)total;
  }
  qsort(ns, (size_t)done, sizeof *ns, by_value);
  j->sum.step_ns = ns[done / 2];
  free(ns);
  return code;
}

void nsm_host_say(const nsm_host *host, const nsm_model *m, const nsm_error *e, FILE *f) {
  if (host->say) host->say(host->with, e, f);
  else nsm_print_error(m, e, f);
}

static nsm_code say(const job *j, const nsm_error *e) {
  nsm_host_say(j->host, j->m, e, j->err);
  return e->code;
}

// An `at` of claim i whose time the run did not pass, -1 for none.
static int outside(const job *j, int i) {
  const int *first = j->m->expect_stat;
  for (int k = first ? first[i] : 0; first && k < first[i + 1]; k++)
    if (j->m->stat[k].kind == NSM_STAT_AT && j->stat[k].outside) return k;
  return -1;
}

// Could the experiment of the model, as it is written, pass this time?
static int within_experiment(const job *j, double t) {
  nsm_experiment x = sim_experiment(j->m, j->s->a->p);
  return isnan(x.until) || (t >= x.start && t <= x.until * (1 + 1e-12));
}

// In the unit of its quantity, where that is known.
static void say_statistic(job *j, int k, double value) {
  const nsm_stat *d = &j->m->stat[k];
  int of_quantity = d->kind <= NSM_STAT_MEAN || d->kind == NSM_STAT_AT;
  const char *unit = d->cls >= 0 && of_quantity ? sim_text(j->s, j->m->cls[d->cls].unit) : "";
  fprintf(j->err, "%s = %.9g%s%s", sim_statistic_name(j->s, k), nsm_from_si(value, nsm_unit_scale(unit)),
          *unit ? " " : "", unit);
}

// With the numbers that it is made of (value: NULL, there are none); a run that was shortened says so.
static void claim_failed(job *j, int i, const double *value, const char *what) {
  const char *file, *text = sim_text(j->s, j->m->expect_text[i]);
  nsm_experiment x = sim_experiment(j->m, j->s->a->p);
  char ended[96] = "";
  if (j->s->a->until < x.until)
    snprintf(ended, sizeof ended, " (the run ended at %g s, the experiment of the model at %g s)", j->s->a->until,
             x.until);
  j->sum.failed++;
  int line = nsm_place_line(j->m, (nsm_place){ NSM_AT_CLAIM, i, 0 }, &file);
  fprintf(j->err, "%s: %s:%d: %s: %s%s\n", j->o.expect ? "error" : "warning", file, line, what, text, ended);
  const int *first = j->m->expect_stat;
  for (int k = first && value ? first[i] : 0; first && value && k < first[i + 1]; k++) {
    fputs(k == first[i] ? "  in this run " : ", ", j->err);
    say_statistic(j, k, value[k]);
    if (k + 1 == first[i + 1]) fputc('\n', j->err);
  }
}

// The claims, each that does not hold with its line. One about a time that a shorter run does not reach is no failure.
static nsm_code check_claims(job *j) {
  const nsm_model *m = j->m;
  nsm_error e;
  double *value = calloc((size_t)m->nstat + 1, sizeof *value);
  if (!value) { sim_no_memory(&e, "the claims"); return say(j, &e); }
  nsm_statistics_end(j->s, j->stat, value);
  for (int i = 0; i < m->nexpect; i++) {
    int late = outside(j, i);
    const char *text = sim_text(j->s, m->expect_text[i]);
    nsm_place at = { NSM_AT_CLAIM, i, 0 };
    nsm_outcome how = NSM_CLAIM_HOLDS;
    if (late >= 0 && within_experiment(j, j->stat[late].time)) {
      const char *file;
      int line = nsm_place_line(m, at, &file);
      j->sum.not_reached++;
      how = NSM_CLAIM_NOT_REACHED;
      if (!j->o.quiet)
        fprintf(j->err, "note: %s:%d: the run from %g s to %g s does not reach the claim: %s\n", file, line,
                j->s->a->start, j->s->a->until, text);
    } else if (late >= 0) {
      char never[96];
      snprintf(never, sizeof never, "the claim can never be checked, t = %g s is outside of the experiment",
               j->stat[late].time);
      claim_failed(j, i, NULL, never);
      how = NSM_CLAIM_FAILS;
    } else if (!m->expect(j->s->a->p, value, i)) {
      claim_failed(j, i, value, "the claim does not hold");
      how = NSM_CLAIM_FAILS;
    } else j->sum.held++;
    if (j->host->watch) j->host->watch->claim(j->host->watch->with, i, how);
  }
  free(value);
  return j->sum.failed ? NSM_CLAIM : NSM_OK;
}

static const char *status_of(nsm_code c) {
  return c == NSM_OK ? "ok" : c == NSM_INTERRUPTED || c == NSM_PIPE ? "interrupted"
       : c == NSM_CLAIM ? "claim failed" : "failed";
}

static void notes_before(const job *j) {
  const nsm_sim *s = j->s;
  if (j->o.quiet) return;
  if (j->o.bench > 0 && j->o.output)
    fprintf(j->err, "note: --bench writes no trajectory, %s stays as it is\n", j->o.output);
  if (nsm_steps_total(s) > s->a->full && s->a->full > 0)
    fprintf(j->err, "note: the step does not divide the interval; the last step is %.6g s long\n",
            s->a->until - (s->a->start + (double)s->a->full * s->a->step));
  if (nsm_steps_total(s) == 1 && s->a->full == 0)
    fprintf(j->err, "note: the step of %.6g s is longer than the run, which is one step of %.6g s\n", s->a->step,
            s->a->until - s->a->start);
  if (*j->o.note) fprintf(j->err, "note: %s\n", j->o.note);
  if (*s->a->note) fprintf(j->err, "note: %s\n", s->a->note);
}

static nsm_code write_summary(job *j) {
  nsm_error e;
  if (!j->o.quiet) nsm_summary_lines(j->s, &j->sum, j->err);
  if (!j->o.quiet && sim_dump_count(j->s) == 0)
    fprintf(j->err, "note: no step had a one-step problem to solve: --dump-problems %s wrote no file\n",
            sim_dump_folder(j->s));
  if (!j->summary || nsm_summary_json(j->s, &j->sum, j->summary)) return NSM_OK;
  if (errno == EPIPE) return NSM_PIPE;
  sim_fail(&e, NSM_FILE, "writing the summary to %s failed: %s", j->o.summary, strerror(errno));
  return say(j, &e);
}

static nsm_code close_results(job *j) {
  nsm_error e;
  if (!j->results) return NSM_OK;
  int said = nsm_results_failed(j->results, j->o.output, &e);
  nsm_code code = nsm_results_close(j->results, &j->sum, j->o.output, &e);
  j->results = NULL;
  return code == NSM_OK || said ? code : say(j, &e);
}

static void notes_of_counts(job *j) {
  char above[400];
  if (j->o.quiet) return;
  if (j->sum.count.left_out > 0)
    fprintf(j->err, "note: in %ld steps no force could keep a closed gap from shrinking; the contact was left to the "
            "next step\n", j->sum.count.left_out);
  if (j->sum.count.frozen > 0)
    fprintf(j->err, "note: in %ld of %ld %s directions of contacts did not settle; they are those "
            "of the step's begin\n", j->sum.count.frozen, j->sum.count.steps, sim_counted(j->s));
  if (j->sum.count.unsettled > 0)
    fprintf(j->err, "note: in %ld of %ld %s the friction of some bodies was not settled at the end of the step; "
            "they keep their velocities of the motion, and the next step goes on from there\n",
            j->sum.count.unsettled, j->sum.count.steps, sim_counted(j->s));
  if (j->sum.count.softened > 0)
    fprintf(j->err, "note: in %ld of %ld %s bodies struck with less restitution than given, which would have made "
            "energy there, or friction jammed them\n", j->sum.count.softened, j->sum.count.steps, sim_counted(j->s));
  if (sim_unarmed_note(j->s, above, sizeof above)) fprintf(j->err, "note: %s\n", above);
  if (sim_tolerance_note(j->s, above, sizeof above)) fprintf(j->err, "note: %s\n", above);
  if ((j->s->now.implied_n > 0 || j->s->now.con.redundant))
    fprintf(j->err, "note: some constraints depend on each other; their multipliers are the smallest that do\n");
}

// Notes on the laws and on what was accepted; the last ones also where it is quiet.
static void notes_after(job *j) {
  char above[400];
  if (!j->o.quiet && sim_impulses_note(j->s, above, sizeof above)) fprintf(j->err, "note: %s\n", above);
  if (!j->o.quiet && sim_captured_note(j->s, above, sizeof above)) fprintf(j->err, "note: %s\n", above);
  if (!j->o.quiet && sim_weights_note(j->s, above, sizeof above)) fprintf(j->err, "note: %s\n", above);
  if (sim_accepted_note(j->s, above, sizeof above)) fprintf(j->err, "note: %s\n", above);   // also where it is quiet
  if (sim_pile_note(j->s, above, sizeof above) && (!j->o.quiet || j->sum.count.missed > 0))
    fprintf(j->err, "note: %s\n", above);
}

// Closes the files of rows. What they met is in *file, how the run ends in *code and *e; claims are checked where all
// was well.
static nsm_code close_files(job *j, nsm_code *code, nsm_error *e, nsm_error *file) {
  int all = nsm_steps_done(j->s) == nsm_steps_total(j->s) || *code == NSM_STOPPED;
  if (*code == NSM_STOPPED && !j->o.quiet) fprintf(j->err, "note: %s\n", e->text);
  if (*code == NSM_STOPPED) *e = (nsm_error){ .code = *code = NSM_OK };
  nsm_code csv = close_csv(j, &j->csv, j->o.output, file);
  if (csv == NSM_OK) csv = close_csv(j, &j->contacts, j->o.contacts, file);
  if (csv == NSM_OK) csv = close_csv(j, &j->events, j->o.events, file);
  if (csv == NSM_OK && j->results && nsm_results_failed(j->results, j->o.output, file)) csv = NSM_FILE;
  if (csv == NSM_PIPE) j->o.quiet = 1;
  if (*code != NSM_OK && *code != NSM_INTERRUPTED) say(j, e);
  if (csv == NSM_FILE) say(j, file);
  if (*code == NSM_OK && csv == NSM_OK && all && j->o.bench == 0 && j->m->nexpect > 0 && check_claims(j) != NSM_OK &&
      j->o.expect)
    *code = NSM_CLAIM;
  if (*code == NSM_OK || *code == NSM_CLAIM) *code = csv != NSM_OK ? csv : *code;
  return csv;
}

static double energy_now(const nsm_sim *s) {
  nsm_energy now;
  return nsm_get_energy(s, &now) ? now.kinetic + now.potential : NAN;
}

static nsm_code run(job *j) {
  nsm_error e = { .code = NSM_OK }, file = { .code = NSM_OK };
  nsm_code code = select_columns(j, &e);
  if (code == NSM_OK) code = open_files(j, &e);
  j->stat = calloc((size_t)j->m->nstat + 1, sizeof *j->stat);
  if (code == NSM_OK && !j->stat) code = sim_no_memory(&e, "the claims");
  if (code != NSM_OK) return say(j, &e);
  notes_before(j);
  // The ledger costs an evaluation of the energies per step. Beside a generic step that is little; steps in one piece
  // keep it only where somebody looks at it.
  const nsm_watch *watch = j->o.bench > 0 ? NULL : j->host->watch;
  if (j->s->a->on.energy.n > 0 && j->o.bench == 0 &&
      (!j->s->n.whole || j->s->n.con || j->energies || j->summary || j->host->gains || sim_claims_ledger(j->m) ||
       (watch && watch->ledger)))
    sim_ledger_start(j->s);
  j->sum.began_J = energy_now(j->s);
  if (watch) {
    j->recording = 1;
    code = watch->start(watch->with, j->s, j->column, j->ncolumn, &e);
    if (code != NSM_OK) return say(j, &e);
  }
  double began = nsm_seconds();
  j->sum.step_ns = -1;
  code = j->o.bench > 0 ? run_bench(j, &e) : run_once(j, &e);
  j->sum.wall_s = nsm_seconds() - began;
  nsm_interrupt_seen();
  if (code == NSM_FILE && !*e.text) code = NSM_OK;         // a row could not be written: close_csv tells
  if (j->s->unique && !j->o.quiet) {
    char text[1024];
    sim_unique_report(j->s, text, sizeof text);
    fprintf(j->err, "note: %s\n", text);
  }
  nsm_code csv = close_files(j, &code, &e, &file);
  j->sum.total = nsm_steps_total(j->s);
  j->sum.message = csv == NSM_FILE ? file.text : code != NSM_OK && *e.text ? e.text : NULL;
  j->sum.status = csv == NSM_FILE ? "failed" : status_of(code);
  sim_misses_take(j->s);
  nsm_get_counters(j->s, &j->sum.count);
  j->sum.ended_J = energy_now(j->s);
  if (watch) watch->end(watch->with, j->s, code, j->sum.message, j->sum.wall_s);
  notes_of_counts(j);
  nsm_code written = close_results(j);
  if (write_summary(j) != NSM_OK) written = NSM_FILE;
  notes_after(j);
  nsm_summary_warnings(j->s, &j->sum, j->err);
  return code == NSM_OK || code == NSM_CLAIM ? (written != NSM_OK ? written : code) : code;
}

// ---- the command ----------------------------------------------------------------------------------------------------
static nsm_code open_simulation(job *j, const nsm_flags *f, nsm_error *e) {
  nsm_code code = nsm_options_read(j->m, f, &j->o, e);
  if (code == NSM_OK && j->o.bench > 0 && j->o.run.dump_problems) {
    sim_fail(e, code = NSM_USAGE,
             "--bench and --dump-problems do not go together: writing files takes most of the time");
  }
  if (code == NSM_OK) code = check_outputs(j, e);
  j->o.run.stop = nsm_interrupt_flag();
  if (code == NSM_OK && f->text[NSM_FLAG_THREADS])
    j->o.run.team = j->team = nsm_team_open((int)f->number[NSM_FLAG_THREADS]);
  const nsm_beginning *begin = j->host->begin;
  if (code == NSM_OK && begin) j->o.run.start = begin->start;
  if (code == NSM_OK && !(j->s = nsm_open(j->m, &j->o.run, e))) code = e->code;
  if (code == NSM_OK && begin) code = nsm_begin(j->s, begin->n, begin->column, begin->value, e);
  if (code == NSM_OK && !sim_inputs_given(j->s, e)) code = e->code;
  return code;
}

int nsm_run_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host) {
  job j = { .m = m, .host = host, .out = f->command == NSM_FOR_TEST ? NULL : host->out, .err = host->err,
            .sum.compile_s = host->compile_s };
  nsm_error e = { .code = NSM_OK };
  nsm_code code = open_simulation(&j, f, &e);
  if (code != NSM_OK) say(&j, &e);
  else {
    nsm_signals old;
    nsm_catch_signals(&old);
    code = run(&j);
    code = (nsm_code)nsm_interrupted_code((int)code);      // also where that broke off what was being written
    nsm_release_signals(&old);
  }
  if (j.summary && j.summary != host->out && fclose(j.summary) != 0 && code == NSM_OK) code = NSM_FILE;
  if (j.csv.file && j.csv.file != j.out) fclose(j.csv.file);
  host->not_reached = j.sum.not_reached;
  if (j.contacts.file && j.contacts.file != host->out) fclose(j.contacts.file);
  if (j.events.file && j.events.file != host->out) fclose(j.events.file);
  if (j.results) nsm_results_close(j.results, NULL, j.o.output, &e);
  free(j.csv.buffer);
  free(j.contacts.buffer);
  free(j.events.buffer);
  free(j.column);
  free(j.row);
  free(j.stat);
  nsm_close(j.s);
  nsm_team_close(j.team);
  nsm_options_free(&j.o);
  return (int)code;
}

static int run_simulator(const nsm_model *m, int argc, char **argv, nsm_host *host) {
  nsm_flags f;
  nsm_error e = { .code = NSM_OK };
  nsm_code code = nsm_flags_read(NSM_FOR_SIMULATOR, argc, argv, &f, &e);
  if (code == NSM_OK && f.nfile > 0)
    sim_fail(&e, code = NSM_USAGE, "`%s` is not expected here; --help lists the flags", f.file[0]);
  if (code != NSM_OK) nsm_print_error(m, &e, host->err);
  else if (f.text[NSM_FLAG_HELP]) nsm_options_help(m, host->out);
  else code = (nsm_code)nsm_run_flags(m, &f, host);
  nsm_flags_free(&f);
  return (int)code;
}

int nsm_run_command(const nsm_model *m, int argc, char **argv, double compile_s, FILE *out, FILE *err) {
  nsm_host host = { .out = out, .err = err, .compile_s = compile_s };
  return run_simulator(m, argc, argv, &host);
}

int nsm_exit(int code) {
  int error = ferror(stdout);
  errno = 0;
  if (fflush(stdout) != 0 || error) {
    if (errno == EPIPE) code = NSM_PIPE;
    else if (code == NSM_OK) {
      fprintf(stderr, "error: standard output could not be written: %s\n", strerror(errno ? errno : EIO));
      code = NSM_FILE;
    }
  }
  if (code == NSM_PIPE) raise(SIGPIPE);                    // as other tools end, unless the caller ignores it
  return code;
}

int nsm_run_main(const nsm_model *m, int argc, char **argv) {
  nsm_guard_streams();
  nsm_end_at_signals(NULL);
  static const char *const self[] = { "/proc/self/exe" };
  nsm_host host = { .out = stdout, .err = stderr, .input = self, .ninput = 1 };
  return nsm_exit(run_simulator(m, argc, argv, &host));
}
