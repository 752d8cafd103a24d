// nsm sweep. Workers take runs in order and put their rows into a ring; the main thread takes the rows out of it in
// order and writes them, so the file always holds the first rows of what it will hold. With several ranks, blocks of
// runs go round: block b belongs to rank b mod size; the others send the rows of a block to rank 0 as one message.
#define _GNU_SOURCE
#include "sweep.h"
#include "runtime/command/interrupt.h"
#include "runtime/command/options.h"
#include "runtime/command/outputs.h"
#include "runtime/clock/clock.h"
#include "runtime/record/hdf5.h"
#include "runtime/shared/seconds.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RING = 4096, MOST_BLOCK = 256, OPENED = 100, ROWS_AT_ONCE = 16 };

typedef struct slot { sweep_text row; sweep_outcome outcome; int ready; } slot;
typedef struct tally { long done, failed, claims; } tally;

typedef struct sweep {
  const nsm_host *host;
  nsm_options     o;
  sweep_plan      plan;
  sweep_measure  *measure;
  sweep_task      task;
  sweep_ranks     ranks;
  long            first, block;         // first run that the file does not have; runs of a block
  FILE           *file;
  sweep_sums      sums;                 // beside it
  uint64_t        key;                  // of these
  sweep_h5       *h5;                   // in place of it; NULL
  int             quiet, threads;
  // between the threads, under `lock`
  pthread_mutex_t lock;
  pthread_cond_t  rows, room;           // the main thread waits for rows, workers for room or for `hold` to end
  slot           *ring;                 // [RING] run number `taken` of this rank stands at taken % RING
  long            taken, given;         // runs of this rank that were begun; that were written
  int             running, hold;        // runs under way; no other one is to begin
  volatile int    stop;
  // the main thread's
  tally           tally;
  double          began, shown, offered;
} sweep;

// Run number j of this rank in the numbering of all; at or beyond the total: there is none.
static long run_of(const sweep *w, long j) {
  long b = j / w->block * w->ranks.size + w->ranks.rank;
  return w->first + b * w->block + j % w->block;
}

// ---- workers --------------------------------------------------------------------------------------------------------
// The next runs, where the ring has room for them; how many.
static int take_runs(sweep *w, sweep_lane *lane) {
  int n = 0, most = sweep_lanes(w->task.m);
  for (; n < most && w->taken - w->given < RING && run_of(w, w->taken) < w->plan.total; n++, w->taken++) {
    slot *s = &w->ring[w->taken % RING];
    s->row.n = 0;
    lane[n] = (sweep_lane){ run_of(w, w->taken), &s->row, SWEEP_OK };
  }
  return n;
}

static void *work(void *with) {
  sweep *w = with;
  void *stack[SWEEP_LANES] = { NULL };
  pthread_mutex_lock(&w->lock);
  for (;;) {
    while (!w->stop && (w->hold || w->taken - w->given >= RING)) pthread_cond_wait(&w->room, &w->lock);
    sweep_lane lane[SWEEP_LANES];
    long j = w->taken;
    int n = w->stop ? 0 : take_runs(w, lane);
    if (n == 0) break;
    w->running++;
    pthread_mutex_unlock(&w->lock);
    sweep_runs(&w->task, lane, n, stack, &w->stop);
    pthread_mutex_lock(&w->lock);
    int asks = 0;
    for (int l = 0; l < n; l++) {
      slot *s = &w->ring[(j + l) % RING];
      s->outcome = lane[l].outcome;
      s->ready = 1;
      asks |= (j + l) % ROWS_AT_ONCE == 0;
    }
    w->running--;
    // The main thread would take the place of a worker, so it is asked for when there is something to do for it.
    if (asks || (w->running == 0 && (w->hold || w->stop || run_of(w, w->taken) >= w->plan.total)))
      pthread_cond_signal(&w->rows);
  }
  pthread_mutex_unlock(&w->lock);
  sweep_give_stacks(stack);
  return NULL;
}

// ---- progress -------------------------------------------------------------------------------------------------------
static void show_progress(sweep *w) {
  double now = nsm_seconds();
  if (w->quiet || w->ranks.rank != 0 || now - w->shown < 0.2 || !isatty(fileno(w->host->err))) return;
  long n = w->plan.total - w->first;
  double left = w->tally.done > 0 ? (now - w->began) * (double)(n - w->tally.done) / (double)w->tally.done : NAN;
  fprintf(w->host->err, "\r%ld of %ld runs", w->first + w->tally.done, w->plan.total);
  if (w->tally.failed) fprintf(w->host->err, ", %ld failed", w->tally.failed);
  if (!isnan(left)) fprintf(w->host->err, ", %.0f s left   ", left);
  fflush(w->host->err);
  w->shown = now;
}

// ---- faster code ----------------------------------------------------------------------------------------------------
// The program around may have faster code for the model; it is taken while no run is under way.
static void offer_faster_code(sweep *w) {
  double now = nsm_seconds();
  if (!w->host->between_runs || now - w->offered < 0.02) return;
  w->offered = now;
  pthread_mutex_lock(&w->lock);
  long done = w->given, mine = (w->plan.total - w->first) / w->ranks.size;
  pthread_mutex_unlock(&w->lock);
  double left = done > 0 ? (now - w->began) / (double)done * (double)(mine - done) * w->threads : 0;
  if (!w->host->between_runs(w->host->steps, left, 0)) return;
  pthread_mutex_lock(&w->lock);
  w->hold = 1;
  while (w->running > 0) pthread_cond_wait(&w->rows, &w->lock);
  w->host->between_runs(w->host->steps, left, 1);
  w->hold = 0;
  pthread_cond_broadcast(&w->room);
  pthread_mutex_unlock(&w->lock);
}

// ---- rows in order --------------------------------------------------------------------------------------------------
// The row of run j of this rank, when it is there; NULL where the sweep was stopped before.
static slot *wait_for(sweep *w, long j) {
  slot *s = &w->ring[j % RING];
  pthread_mutex_lock(&w->lock);
  while (!s->ready) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000;
    if (until.tv_nsec >= 1000000000) { until.tv_sec++; until.tv_nsec -= 1000000000; }
    pthread_cond_timedwait(&w->rows, &w->lock, &until);
    if (nsm_interrupted()) w->stop = 1;
    pthread_mutex_unlock(&w->lock);
    show_progress(w);
    offer_faster_code(w);
    pthread_mutex_lock(&w->lock);
    if (w->stop && !s->ready && w->taken <= j) break;
  }
  int there = s->ready && s->outcome != SWEEP_STOPPED;
  pthread_mutex_unlock(&w->lock);
  return there ? s : NULL;
}

// Run j is done with. 1 where the row of the next one is there.
static int hand_back(sweep *w, slot *s, long j) {
  pthread_mutex_lock(&w->lock);
  int waits = w->taken - w->given >= RING, more = w->ring[(j + 1) % RING].ready;
  s->ready = 0;
  w->given++;
  if (waits) pthread_cond_broadcast(&w->room);
  pthread_mutex_unlock(&w->lock);
  return more;
}

static void count(tally *t, sweep_outcome outcome) {
  t->done++;
  t->failed += outcome == SWEEP_FAILED;
  t->claims += outcome == SWEEP_CLAIM;
}

// flush: nothing more comes at once.
static nsm_code write_rows(sweep *w, const char *bytes, size_t n, int flush, nsm_error *e) {
  errno = 0;
  if (w->h5 ? sweep_h5_rows(w->h5, bytes, n)
            : fwrite(bytes, 1, n, w->file) == n && (!flush || fflush(w->file) == 0) &&
              sweep_sums_add(&w->sums, bytes, n, flush))
    return NSM_OK;
  if (errno == EPIPE) return NSM_PIPE;
  sim_fail(e, NSM_FILE, "writing to %s failed: %s", w->o.output ? w->o.output : "standard output", strerror(errno));
  return NSM_FILE;
}

static nsm_code no_room(nsm_error *e) { return sim_no_memory(e, "the rows of a sweep"); }

// The runs of this rank in the block that starts with its run j: into the file (rank 0), or to rank 0.
static nsm_code own_block(sweep *w, long j, nsm_error *e) {
  sweep_text all = { NULL, 0, 0, 0 };
  tally t = { 0, 0, 0 };
  nsm_code code = NSM_OK;
  int alone = w->ranks.rank == 0;
  if (!alone) sweep_add(&all, (const char *)&t, sizeof t);
  for (long i = j; i < j + w->block && run_of(w, i) < w->plan.total && code == NSM_OK; i++) {
    slot *s = wait_for(w, i);
    if (!s) { code = NSM_INTERRUPTED; break; }
    if (s->outcome == SWEEP_NO_ROOM) code = no_room(e);
    else if (alone) {
      code = write_rows(w, s->row.at, s->row.n, 0, e);
      count(&w->tally, s->outcome);
      show_progress(w);
    } else {
      sweep_add(&all, s->row.at, s->row.n);
      count(&t, s->outcome);
    }
    if (!hand_back(w, s, i) && alone && code == NSM_OK) code = write_rows(w, "", 0, 1, e);
    if (nsm_interrupted() && code == NSM_OK) code = NSM_INTERRUPTED;
  }
  if (!alone && all.failed) code = no_room(e);
  if (!alone && code == NSM_OK) {
    memcpy(all.at, &t, sizeof t);
    if (!w->ranks.send(0, all.at, (long)all.n)) sim_fail(e, code = NSM_FILE, "sending rows to rank 0 failed");
  }
  free(all.at);
  return code;
}

static nsm_code block_of(sweep *w, int rank, nsm_error *e) {
  char *bytes = NULL;
  long n = 0;
  tally t;
  nsm_code code = NSM_OK;
  if (!w->ranks.receive(rank, &bytes, &n) || n < (long)sizeof t)
    sim_fail(e, code = NSM_FILE, "the rows of rank %d did not arrive", rank);
  else {
    memcpy(&t, bytes, sizeof t);
    code = write_rows(w, bytes + sizeof t, (size_t)n - sizeof t, 1, e);
    w->tally.done += t.done;
    w->tally.failed += t.failed;
    w->tally.claims += t.claims;
    show_progress(w);
  }
  free(bytes);
  return code;
}

static nsm_code all_blocks(sweep *w, nsm_error *e) {
  nsm_code code = NSM_OK;
  long own = 0, blocks = (w->plan.total - w->first + w->block - 1) / w->block;
  for (long b = 0; b < blocks && code == NSM_OK; b++) {
    int rank = (int)(b % w->ranks.size);
    if (rank == w->ranks.rank) { code = own_block(w, own, e); own += w->block; }
    else if (w->ranks.rank == 0) code = block_of(w, rank, e);
  }
  return code;
}

// ---- before and after -----------------------------------------------------------------------------------------------
// A simulation that tells the columns: the first run that can be opened.
static nsm_code open_one(sweep *w, nsm_sim **s, nsm_error *first) {
  int n = w->plan.nvary + w->plan.nsample, given = w->o.run.nset;
  nsm_assignment *set = calloc((size_t)(n + given), sizeof *set);
  double *value = calloc((size_t)n, sizeof *value);
  *s = NULL;
  if (!set || !value) sim_no_memory(first, "the sweep");
  for (int v = 0; set && v < given; v++) set[v] = w->o.run.set[v];
  for (long i = 0; set && value && !*s && i < w->plan.total && i < OPENED; i++) {
    nsm_settings settings = w->o.run;
    nsm_error e;
    sweep_values(&w->plan, i, value);
    for (int v = 0; v < n; v++) set[given + v] = (nsm_assignment){ w->plan.of[v].name, value[v] };
    settings.set = set;
    settings.nset = given + n;
    *s = nsm_open(w->task.m, &settings, &e);
    if (!*s && i == 0) *first = e;
  }
  free(set);
  free(value);
  return *s ? NSM_OK : first->code;
}

static nsm_code prepare(sweep *w, const nsm_flags *f, nsm_error *e) {
  nsm_code code = nsm_options_read(w->task.m, f, &w->o, e);
  if (code == NSM_OK) code = sweep_plan_read(w->task.m, f, &w->plan, e);
  nsm_sim *s = NULL;
  if (code == NSM_OK) code = open_one(w, &s, e);
  if (code == NSM_OK)
    code = sweep_measures_read(s, f->text[NSM_FLAG_MEASURES], &w->measure, &w->task.nmeasure, e);
  w->task.ncolumn = s ? nsm_ncolumn(s) : 0;
  nsm_close(s);
  w->quiet = w->o.quiet;
  w->o.run.stop = nsm_interrupt_flag();
  w->task.settings = &w->o.run;
  w->task.plan = &w->plan;
  w->task.measure = w->measure;
  w->task.folder = f->text[NSM_FLAG_TRAJECTORIES];
  w->task.every = w->o.every;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  w->threads = f->text[NSM_FLAG_THREADS] ? (int)f->number[NSM_FLAG_THREADS]
             : w->ranks.size > 1 || processors < 1 ? 1 : (int)processors;
  if (code == NSM_OK && w->task.folder && mkdir(w->task.folder, 0777) != 0 && errno != EEXIST)
    sim_fail(e, code = NSM_FILE, "cannot make the folder %s: %s", w->task.folder, strerror(errno));
  return code;
}

static nsm_code open_file(sweep *w, int resume, nsm_error *e) {
  const char *path = w->o.output ? w->o.output : "-";
  int console = strcmp(path, "-") == 0;
  if (resume && console) {
    sim_fail(e, NSM_USAGE, "--resume goes on with a file: name it with -o FILE");
    return NSM_USAGE;
  }
  char beside[PATH_MAX];
  const char *sums = console || nsm_h5_is(path) ? NULL : sweep_sums_path(path, beside);
  nsm_output output[] = { { w->o.output ? "--output" : "the rows", path }, { "the sums of --output", sums } };
  nsm_code code = nsm_outputs_check(w->host->input, w->host->ninput, output, sums ? 2 : 1, e);
  for (int i = 0; i < w->o.run.ninput && code == NSM_OK; i++)
    if (w->o.input[i].path) code = nsm_outputs_check(&w->o.input[i].path, 1, output, sums ? 2 : 1, e);
  const nsm_output_folder runs = { "--trajectories", w->task.folder, "run", ".csv" };
  if (code == NSM_OK && runs.path)
    code = nsm_outputs_check_folder(&runs, w->host->input, w->host->ninput, output, 1, e);
  for (int i = 0; runs.path && i < w->o.run.ninput && code == NSM_OK; i++)
    if (w->o.input[i].path) code = nsm_outputs_check_folder(&runs, &w->o.input[i].path, 1, NULL, 0, e);
  if (code == NSM_OK) code = nsm_outputs_check_table(path, e);
  if (code != NSM_OK) return code;
  if (nsm_h5_is(path)) {
    if (resume) sim_fail(e, code = NSM_USAGE, "--resume goes on with a file of CSV, not of HDF5");
    else if (!(w->h5 = sweep_h5_open(&w->task, path, e))) code = e->code;
    return code;
  }
  struct stat st;
  if (resume && stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
    sim_fail(e, NSM_USAGE, "--resume goes on with an ordinary file, and %s is none", path);
    return NSM_USAGE;
  }
  w->file = console ? w->host->out : nsm_output_open(path, resume, e);
  if (!w->file) return NSM_FILE;
  int unsealed = 0;
  if (resume && (w->first = sweep_resume(&w->task, path, w->key, &unsealed, e)) < 0) return e->code;
  if (unsealed && !w->quiet)
    fprintf(w->host->err, "note: %s.sums does not tell of all rows: those from number %ld on are made anew\n", path,
            w->first + 1);
  if (resume && fseek(w->file, 0, SEEK_END) != 0)
    sim_fail(e, code = NSM_FILE, "--resume: %s: %s", path, strerror(errno));
  else if (w->first == 0 && !(resume && ftell(w->file) > 0)) {
    sweep_text header = { NULL, 0, 0, 0 };
    sweep_header(&w->task, &header);
    code = header.failed ? no_room(e) : write_rows(w, header.at, header.n, 1, e);
    free(header.at);
  }
  w->sums.last = w->key;
  if (code == NSM_OK && !console && !sweep_sums_open(&w->sums, path, w->file, w->first, e)) code = NSM_FILE;
  return code;
}

static void say_summary(const sweep *w, nsm_code code) {
  if (w->quiet || w->ranks.rank != 0) return;
  FILE *err = w->host->err;
  if (isatty(fileno(err))) fprintf(err, "\r%60s\r", "");
  long all = w->first + w->tally.done;
  fprintf(err, "%ld of %ld runs", all, w->plan.total);
  if (w->first > 0) fprintf(err, ", %ld of them from before", w->first);
  fprintf(err, "; %ld failed, in %ld a claim does not hold; %.3g s\n", w->tally.failed, w->tally.claims,
          nsm_seconds() - w->began);
  if (all < w->plan.total && w->o.output && code == NSM_INTERRUPTED)
    fprintf(err, "note: --resume goes on with %s\n", w->o.output);
}

static nsm_code run_all(sweep *w, nsm_error *e) {
  pthread_t *thread = calloc((size_t)w->threads, sizeof *thread);
  w->ring = calloc(RING, sizeof *w->ring);
  if (!thread || !w->ring) { free(thread); return no_room(e); }
  long share = (w->plan.total - w->first) / (8 * w->ranks.size);
  w->block = share < 1 ? 1 : share > MOST_BLOCK ? MOST_BLOCK : share;
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->rows, NULL);
  pthread_cond_init(&w->room, NULL);
  int n = 0;
  while (n < w->threads && pthread_create(&thread[n], NULL, work, w) == 0) n++;
  nsm_code code = NSM_OK;
  if (n == 0) sim_fail(e, code = NSM_FILE, "no thread could be started: %s", strerror(errno));
  else code = all_blocks(w, e);
  pthread_mutex_lock(&w->lock);
  if (code != NSM_OK) w->stop = 1;
  pthread_cond_broadcast(&w->room);
  pthread_mutex_unlock(&w->lock);
  if (code != NSM_OK && w->ranks.size > 1 && w->ranks.library) {
    if (w->ranks.rank == 0) {
      fflush(w->file);
      say_summary(w, code);
    }
    w->ranks.give_up((int)code);
  }
  for (int i = 0; i < n; i++) pthread_join(thread[i], NULL);
  pthread_cond_destroy(&w->rows);
  pthread_cond_destroy(&w->room);
  pthread_mutex_destroy(&w->lock);
  for (int i = 0; i < RING; i++) free(w->ring[i].row.at);
  free(w->ring);
  free(thread);
  return code;
}

static nsm_code sweep_all(sweep *w, const nsm_flags *f, nsm_error *e) {
  nsm_code code = prepare(w, f, e);
  w->key = sweep_key(w->host->key, f);
  if (code == NSM_OK && w->ranks.rank == 0) code = open_file(w, f->text[NSM_FLAG_RESUME] != NULL, e);
  long first = code == NSM_OK ? w->first : -(long)code;    // negative: rank 0 cannot begin, and says why
  if (w->ranks.size > 1 && !w->ranks.share(&first)) sim_fail(e, code = NSM_FILE, "the ranks cannot reach each other");
  if (first < 0 && w->ranks.rank != 0) *e->text = 0;
  if (first < 0) return (nsm_code)-first;
  if (code != NSM_OK) {                                    // this rank alone: the others would wait for it
    nsm_print_error(w->task.m, e, w->host->err);
    w->ranks.give_up((int)code);
    return code;
  }
  w->first = first;
  if (*w->o.note && !w->quiet && w->ranks.rank == 0) fprintf(w->host->err, "note: %s\n", w->o.note);
  nsm_signals old;
  nsm_catch_signals(&old);
  w->began = w->shown = nsm_seconds();
  code = run_all(w, e);
  code = (nsm_code)nsm_interrupted_code((int)code);
  nsm_release_signals(&old);
  say_summary(w, code);
  if (code == NSM_OK && w->tally.claims > 0 && w->o.expect) code = NSM_CLAIM;
  if (code == NSM_OK && w->tally.done > 0 && w->tally.failed == w->tally.done) {
    sim_fail(e, code = NSM_FAILED, "every run failed; the last column of the rows says why");
  }
  return code;
}

int nsm_sweep_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host) {
  sweep w = { .host = host, .task.m = m };
  nsm_error e = { .code = NSM_OK };
  nsm_code code = sweep_ranks_open(&w.ranks, &e) ? sweep_all(&w, f, &e) : e.code;
  errno = 0;
  if (!sweep_h5_close(w.h5) && code == NSM_OK)
    sim_fail(&e, code = NSM_FILE, "writing to %s failed: %s", w.o.output, strerror(errno));
  if (!sweep_sums_close(&w.sums) && code == NSM_OK)
    sim_fail(&e, code = NSM_FILE, "writing to %s.sums failed: %s", w.o.output, strerror(errno));
  if (w.file && w.file != host->out && fclose(w.file) != 0 && code == NSM_OK)
    sim_fail(&e, code = NSM_FILE, "writing to %s failed: %s", w.o.output, strerror(errno));
  if (code != NSM_OK && *e.text) nsm_host_say(host, m, &e, host->err);
  sweep_ranks_close(&w.ranks);
  free(w.measure);
  sweep_plan_free(&w.plan);
  nsm_options_free(&w.o);
  return (int)code;
}
