// The command line of a simulation: flags, run, CSV, summary, claims, bench. The only file here that prints, beside
// record/.
//
// A reader that goes away (EPIPE, as in `| head`) is no failure: the run stops quietly with exit code 0. SIGINT and
// SIGTERM set a flag that is looked at after every step; what was computed is written, and the exit code is 130.
#define _POSIX_C_SOURCE 200809L
#include "options.h"
#include "runtime/record/record.h"
#include "consistent.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;   // the one global: a signal handler has nowhere else to write
static void on_signal(int number) { (void)number; interrupted = 1; }

typedef struct signals { struct sigaction in, term, pipe; } signals;

static void catch_signals(signals *old) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  sigemptyset(&a.sa_mask);
  interrupted = 0;
  a.sa_handler = on_signal;
  sigaction(SIGINT, &a, &old->in);
  sigaction(SIGTERM, &a, &old->term);
  a.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &a, &old->pipe);
}

static void release_signals(const signals *old) {
  sigaction(SIGINT, &old->in, NULL);
  sigaction(SIGTERM, &old->term, NULL);
  sigaction(SIGPIPE, &old->pipe, NULL);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct job {
  const nsm_model *m;
  nsm_sim         *s;
  nsm_options      o;
  nsm_summary      sum;
  nsm_csv          csv;
  int              recording;
  int             *column, ncolumn;     // of `row`, in the order of the CSV
  double          *row;                 // [ncolumn of the simulation + 4]: and the energies
  int              energies;            // any of them is recorded
  nsm_statistic   *stat;
  FILE            *summary, *err;
} job;

// ---- which columns --------------------------------------------------------------------------------------------------
static const char *const energy_names[] = { "energy", "energy.kinetic", "energy.potential", "energy.residue" };
enum { ENERGIES = 4 };

// A column belongs to `what` where it is called so, or is an element or a part of it: bead -> bead[3].z, bead.z ->
// bead[3].z.
static int selects(const char *what, const char *name) {
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

static const char *column_name(void *s, int i) { return nsm_column_name(s, i); }

static void select_all(job *j) {
  for (int i = 0; i < nsm_ncolumn(j->s); i++) j->column[j->ncolumn++] = i;
}

// One element of the list after --record.
static nsm_code select_one(job *j, const char *what, int room, nsm_error *e) {
  int n = nsm_ncolumn(j->s), found = strcmp(what, "time") == 0;
  for (int i = 1; i < n && !found; i++) found = selects(what, nsm_column_name(j->s, i));
  if (!found) {
    for (int i = 0; i < ENERGIES; i++)
      if (strcmp(what, energy_names[i]) == 0 && j->ncolumn < room) {
        j->column[j->ncolumn++] = n + i;
        j->energies = 1;
        return NSM_OK;
      }
    char bare[512];
    int near = nsm_nearest(what, n, column_name, j->s);
    snprintf(bare, sizeof bare, "%s", near >= 0 ? nsm_column_name(j->s, near) : "");
    sim_fail(e, NSM_USAGE, "--record: there is no column `%s`%s%s%s", what, near >= 0 ? "; did you mean `" : "", bare,
             near >= 0 ? "`?" : "");
    return NSM_USAGE;
  }
  for (int i = 1; i < n; i++) {
    if (!selects(what, nsm_column_name(j->s, i))) continue;
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
  if (!j->column || !j->row) { sim_fail(e, NSM_MODEL_WRONG, "not enough memory"); return NSM_MODEL_WRONG; }
  if (!j->o.record) { select_all(j); return NSM_OK; }
  j->column[j->ncolumn++] = 0;
  for (const char *c = j->o.record; *c;) {
    size_t length = 0;
    for (int depth = 0; c[length] && (c[length] != ',' || depth > 0); length++)
      depth += (c[length] == '[') - (c[length] == ']');
    char what[512];
    const char *from = c;
    size_t used = length;
    while (used > 0 && *from == ' ') { from++; used--; }
    while (used > 0 && from[used - 1] == ' ') used--;
    if (used >= sizeof what) { sim_fail(e, NSM_USAGE, "--record: a name is too long"); return NSM_USAGE; }
    memcpy(what, from, used);
    what[used] = 0;
    if (used > 0) {
      nsm_code code = select_one(j, what, room, e);
      if (code != NSM_OK) return code;
    }
    c += length + (c[length] == ',');
  }
  return NSM_OK;
}

// ---- recording ------------------------------------------------------------------------------------------------------
static void write_header(job *j) {
  for (int i = 0; i < j->ncolumn; i++) {
    int c = j->column[i], n = nsm_ncolumn(j->s);
    nsm_csv_text(&j->csv, c < n ? nsm_column_name(j->s, c) : energy_names[c - n], i + 1 == j->ncolumn);
  }
}

static void write_row(job *j) {
  nsm_read(j->s, j->row);
  if (j->energies) {
    double *e = j->row + nsm_ncolumn(j->s);
    sim_energy(j->s, &e[1], &e[2]);
    e[0] = e[1] + e[2];
    e[3] = j->s->ledger.residue_now;
  }
  nsm_csv_row(&j->csv, j->row, j->column, j->ncolumn);
}

static nsm_code open_files(job *j, FILE *out, nsm_error *e) {
  if (j->o.summary && !(j->summary = fopen(j->o.summary, "w"))) {
    sim_fail(e, NSM_FILE, "cannot write the summary to %s: %s", j->o.summary, strerror(errno));
    return NSM_FILE;
  }
  if (j->o.bench > 0) return NSM_OK;
  j->csv.file = out;
  if (j->o.output && strcmp(j->o.output, "-") != 0 && !(j->csv.file = fopen(j->o.output, "w"))) {
    sim_fail(e, NSM_FILE, "cannot write to %s: %s", j->o.output, strerror(errno));
    return NSM_FILE;
  }
  j->csv.buffer = malloc(NSM_CSV_BUFFER);
  if (!j->csv.buffer) { sim_fail(e, NSM_FILE, "not enough memory"); return NSM_FILE; }
  j->recording = 1;
  write_header(j);
  return NSM_OK;
}

static nsm_code close_csv(job *j, FILE *out, nsm_error *e) {
  if (!j->csv.file) return NSM_OK;
  if (j->csv.buffer) nsm_csv_flush(&j->csv);
  if (j->csv.file != out && fclose(j->csv.file) != 0 && !j->csv.error) j->csv.error = errno;
  j->csv.file = NULL;
  if (!j->csv.error || j->csv.error == EPIPE) return NSM_OK;
  sim_fail(e, NSM_FILE, "writing to %s failed after %ld rows: %s", j->o.output ? j->o.output : "standard output",
           j->csv.lines > 0 ? j->csv.lines - 1 : 0, strerror(j->csv.error));
  return NSM_FILE;
}

// ---- running --------------------------------------------------------------------------------------------------------
typedef struct progress { int on; long next, stride; double began, shown; } progress;

static void show_progress(job *j, progress *p) {
  double now = seconds();
  long done = nsm_steps_done(j->s);
  if (now - p->shown > 0.1) {
    fprintf(j->err, "\r%3.0f %%  t = %-12.6g", 100.0 * (double)done / (double)nsm_steps_total(j->s), nsm_time(j->s));
    fflush(j->err);
    p->stride = 1 + p->stride / 2;
    p->shown = now;
  } else if (now - p->shown < 0.01) p->stride *= 2;
  p->next = done + p->stride;
}

static nsm_code run_once(job *j, nsm_error *e) {
  progress p = { !j->o.quiet && isatty(fileno(j->err)), 16, 16, seconds(), seconds() };
  long total = nsm_steps_total(j->s), every = j->o.every, written = -1;
  nsm_code code = NSM_OK;
  if (j->m->nstat > 0) nsm_statistics_start(j->s, j->stat);
  if (j->recording) { write_row(j); written = 0; }
  for (long k = 1, next = every; k <= total && code == NSM_OK; k++) {
    code = nsm_step(j->s, e);
    if (nsm_steps_done(j->s) == k) {
      if (j->m->nstat > 0) nsm_statistics_step(j->s, j->stat);
      if (j->recording && k == next) {
        write_row(j);
        written = k;
        next += every;
        if (j->csv.error) return NSM_FILE;
      }
    }
    if (interrupted && code == NSM_OK) code = NSM_INTERRUPTED;
    if (p.on && k >= p.next) show_progress(j, &p);
  }
  if (j->recording && written != nsm_steps_done(j->s)) write_row(j);
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
  if (!ns) { sim_fail(e, NSM_USAGE, "--bench %ld: not enough memory", n); return NSM_USAGE; }
  for (; done < n && code == NSM_OK; done++) {
    nsm_reset(j->s);
    double began = seconds();
    for (long k = 0; k < total && code == NSM_OK; k++) {
      code = nsm_step(j->s, e);
      if (interrupted && code == NSM_OK) code = NSM_INTERRUPTED;
    }
    ns[done] = 1e9 * (seconds() - began) / (double)total;
  }
  qsort(ns, (size_t)done, sizeof *ns, by_value);
  j->sum.step_ns = ns[done / 2];
  free(ns);
  return code;
}

// The claims that do not hold, each with its line.
static nsm_code check_claims(job *j) {
  const nsm_model *m = j->m;
  int failed = 0;
  double *value = calloc((size_t)m->nstat + 1, sizeof *value);
  if (!value) return NSM_FILE;
  nsm_statistics_end(j->s, j->stat, value);
  for (int i = 0; i < m->nexpect; i++)
    if (!m->expect(j->s->p, value, i)) {
      fprintf(j->err, "%s:%d: the claim does not hold: %s\n", sim_text(j->s, m->file), m->expect_line[i],
              sim_text(j->s, m->expect_text[i]));
      failed++;
    }
  free(value);
  return failed ? NSM_CLAIM : NSM_OK;
}

static nsm_code say(FILE *err, const nsm_error *e) {
  fprintf(err, "error: %s\n", e->text);
  return e->code;
}

static const char *status_of(nsm_code c) {
  return c == NSM_OK ? "ok" : c == NSM_INTERRUPTED ? "interrupted" : c == NSM_CLAIM ? "claim failed" : "failed";
}

static int claims_ledger(const nsm_model *m) {
  int any = 0;
  for (int i = 0; i < m->nstat; i++) any |= m->stat[i].cls <= -4;
  return any;
}

static nsm_code run(job *j, FILE *out) {
  nsm_error e = { NSM_OK, "" }, file = { NSM_OK, "" };
  nsm_code code = select_columns(j, &e);
  if (code == NSM_OK) code = open_files(j, out, &e);
  if (code != NSM_OK) return say(j->err, &e);
  j->stat = calloc((size_t)j->m->nstat + 1, sizeof *j->stat);
  if (!j->stat) { sim_fail(&e, NSM_FILE, "not enough memory"); return say(j->err, &e); }
  if (nsm_steps_total(j->s) > j->s->full && j->s->full > 0 && !j->o.quiet)
    fprintf(j->err, "note: the step does not divide the interval; the last step is %.6g s long\n",
            j->s->until - (j->s->start + (double)j->s->full * j->s->step));

  if (*j->s->note && !j->o.quiet) fprintf(j->err, "note: %s\n", j->s->note);
  // The ledger costs an evaluation of the energies per step: only where somebody looks at it.
  if (j->s->on.energy.n > 0 && j->o.bench == 0 && (j->s->con || j->energies || j->summary || claims_ledger(j->m)))
    sim_ledger_start(j->s);
  double began = seconds();
  j->sum.step_ns = -1;
  code = j->o.bench > 0 ? run_bench(j, &e) : run_once(j, &e);
  j->sum.wall_s = seconds() - began;
  if (code == NSM_FILE && !*e.text) code = NSM_OK;         // a row could not be written: close_csv tells
  int all = nsm_steps_done(j->s) == nsm_steps_total(j->s);
  nsm_code csv = close_csv(j, out, &file);
  if (code != NSM_OK && code != NSM_INTERRUPTED) say(j->err, &e);
  if (csv != NSM_OK) say(j->err, &file);
  if (code == NSM_OK && csv == NSM_OK && all && j->o.bench == 0 && j->m->nexpect > 0 && check_claims(j) != NSM_OK &&
      j->o.expect)
    code = NSM_CLAIM;

  j->sum.total = nsm_steps_total(j->s);
  j->sum.message = csv != NSM_OK ? file.text : code != NSM_OK && *e.text ? e.text : NULL;
  j->sum.status = csv != NSM_OK ? "failed" : status_of(code);
  nsm_get_counters(j->s, &j->sum.count);
  char above[400];
  if (!j->o.quiet && sim_tolerance_note(j->s, above, sizeof above)) fprintf(j->err, "note: %s\n", above);
  if (j->s->con && j->s->con->redundant && !j->o.quiet)
    fprintf(j->err, "note: some constraints depend on each other; their multipliers are the smallest that do\n");
  if (!j->o.quiet) nsm_summary_lines(j->s, &j->sum, j->err);
  if (j->summary && !nsm_summary_json(j->s, &j->sum, j->summary)) {
    sim_fail(&file, NSM_FILE, "writing the summary to %s failed: %s", j->o.summary, strerror(errno));
    say(j->err, &file);
    csv = NSM_FILE;
  }
  return code == NSM_OK || code == NSM_CLAIM ? (csv != NSM_OK ? csv : code) : code;
}

int nsm_run_command(const nsm_model *m, int argc, char **argv, double compile_s, FILE *out, FILE *err) {
  job j;
  memset(&j, 0, sizeof j);
  j.m = m;
  j.err = err;
  j.sum.compile_s = compile_s;
  nsm_error e = { NSM_OK, "" };
  nsm_code code = nsm_options_read(m, argc, argv, &j.o, &e);
  if (code != NSM_OK) say(err, &e);
  else if (j.o.help) nsm_options_help(m, out);
  else if (j.o.bench > 0 && j.o.run.dump_problems) {
    sim_fail(&e, NSM_USAGE, "--bench and --dump-problems do not go together: writing files takes most of the time");
    code = say(err, &e);
  }
  else if (!(j.s = nsm_open(m, &j.o.run, &e))) code = say(err, &e);
  else {
    signals old;
    catch_signals(&old);
    code = run(&j, out);
    release_signals(&old);
  }
  if (j.summary && fclose(j.summary) != 0 && code == NSM_OK) code = NSM_FILE;
  if (j.csv.file && j.csv.file != out) fclose(j.csv.file);
  free(j.csv.buffer);
  free(j.column);
  free(j.row);
  free(j.stat);
  nsm_close(j.s);
  nsm_options_free(&j.o);
  return (int)code;
}
