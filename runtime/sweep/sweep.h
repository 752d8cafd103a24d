// Many runs of one model: `nsm sweep`. One row of a CSV file for each run, in the order of the runs.
//
//   tour:  sweep.c      the command: which runs, who does them, what becomes of their rows
//          variation.c  --vary and --sample: the values of the parameters of run i         random.c  numbers of a run
//          measure.c    --record: what is kept of a run
//          one_run.c    one run, from its values to its row
//          together.c   several runs whose fused steps go together, in the lanes of vectors
//          rows.c       the file: rows in order, from any thread; where a file that was cut short goes on
//          sums.c       whether rows are still those that were written
//          rows_h5.c    the same rows in a file of HDF5
//          ranks.c      runs on several machines, by MPI (a plug-in that may be absent)
//
// A row depends on the number of its run alone: not on threads, ranks, or what ran before. So every way of doing the
// same sweep writes the same bytes.
#pragma once
#include "runtime/command/command.h"
#include "runtime/record/record.h"
#include <stdint.h>

struct sim_together;                    // runtime/sim.h

// ---- text that grows ------------------------------------------------------------------------------------------------
// at: NULL or terminated; failed: there was no memory for a part of it.
typedef struct sweep_text { char *at; size_t n, room; int failed; } sweep_text;
void sweep_add(sweep_text *t, const char *bytes, size_t n);
// Behind a comma unless it is the first; quoted where it must be.
void sweep_add_field(sweep_text *t, const char *field);
void sweep_add_number(sweep_text *t, double x);           // likewise; as many digits as read back
void sweep_end_row(sweep_text *t);

// ---- variation.c ----------------------------------------------------------------------------------------------------
typedef enum { SWEEP_LINEAR, SWEEP_LOG, SWEEP_LIST, SWEEP_NORMAL, SWEEP_UNIFORM, SWEEP_LOGNORMAL } sweep_form;

// One --vary (linear from a to b, logarithmic, or a list, n values) or --sample (normal(a, b): mean and deviation;
// uniform(a, b); lognormal(a, b): median, deviation of the logarithm). Values in SI.
typedef struct sweep_variation {
  const char *name;                     // of the parameter, in the text of the model
  sweep_form  form;
  double      a, b;
  double      scale;                    // of the unit of the parameter, in which rows show it
  long        n;
  double     *list;                     // [n] of SWEEP_LIST
} sweep_variation;

typedef struct sweep_plan {
  sweep_variation *of;                  // [nvary + nsample]: grids first
  int      nvary, nsample;
  long     each, total;                 // runs at each point of the grid; all
  uint64_t seed;
} sweep_plan;

// NSM_OK, or NSM_USAGE with the reason: what cannot be read, a parameter that is not there, one that is fixed when
// compiled, one that is given twice.
nsm_code sweep_plan_read(const nsm_model *m, const nsm_flags *f, sweep_plan *p, nsm_error *e);
void     sweep_plan_free(sweep_plan *p);
// Values of run i, 0 <= i < total, one for each variation. The first grid changes slowest.
void     sweep_values(const sweep_plan *p, long i, double *value);

// ---- measure.c ------------------------------------------------------------------------------------------------------
// "final(x)", "max(energy)", "at(z, 2.5)": a statistic of a column or of an energy.
typedef struct sweep_measure {
  char   name[256];                     // as it was given
  char   of[256];                       // the column
  int    kind;                          // NSM_STAT_...
  double time;                          // of an `at`
  int    column;                        // -1 - number of an energy, total, kinetic, potential
} sweep_measure;

// --record; NULL: none. NSM_USAGE with the reason where a measure or its column is not known.
nsm_code sweep_measures_read(nsm_sim *s, const char *text, sweep_measure **of, int *n, nsm_error *e);
// The same columns in a simulation whose sizes are others; 0 with the reason where one of them is missing.
int      sweep_measures_find(nsm_sim *s, sweep_measure *of, int n, nsm_error *e);
void     sweep_measures_start(nsm_sim *s, const sweep_measure *of, int n, nsm_statistic *a);
void     sweep_measures_step(nsm_sim *s, const sweep_measure *of, int n, nsm_statistic *a);
void     sweep_measures_end(nsm_sim *s, const sweep_measure *of, int n, nsm_statistic *a, double *value);
double   sweep_measures_idle(const sweep_measure *of, int n, const nsm_statistic *a);  // as nsm_statistic_idle

// ---- one_run.c ------------------------------------------------------------------------------------------------------
typedef enum { SWEEP_OK, SWEEP_CLAIM, SWEEP_FAILED, SWEEP_STOPPED, SWEEP_NO_ROOM } sweep_outcome;

// What all runs share; constant while they run.
typedef struct sweep_task {
  const nsm_model    *m;
  const nsm_settings *settings;         // with the assignments of --set
  const sweep_plan   *plan;
  const sweep_measure *measure;
  int                 nmeasure, ncolumn; // ncolumn: of the simulation that the measures were read with
  const char         *folder;           // of trajectories; NULL for none
  long                every;            // step that they keep
} sweep_task;

void sweep_header(const sweep_task *k, sweep_text *row);
void sweep_begin_row(const sweep_task *k, long i, sweep_text *row);   // number and values: what a row begins with
// Run i into `row`. *stop is looked at now and then: SWEEP_STOPPED where it is set, and the row is of no use.
// together: the runs beside it; NULL: it is alone.
sweep_outcome sweep_one_run(const sweep_task *k, long i, const volatile int *stop, struct sim_together *together,
                            sweep_text *row);

// ---- together.c -----------------------------------------------------------------------------------------------------
// Runs that a thread takes at a time, 1 to SWEEP_LANES. `n` of them into their rows, as sweep_one_run. The stacks are
// the thread's, NULL at first.
enum { SWEEP_LANES = 8 };
typedef struct sweep_lane { long run; sweep_text *row; sweep_outcome outcome; } sweep_lane;
int  sweep_lanes(const nsm_model *m);
void sweep_runs(const sweep_task *k, sweep_lane *lane, int n, void *stack[SWEEP_LANES], const volatile int *stop);
void sweep_give_stacks(void *stack[SWEEP_LANES]);

// ---- rows.c ---------------------------------------------------------------------------------------------------------
// The complete rows of a file that a sweep with this header wrote, or began to write: their number. What stands behind
// the last one is cut off, and what has no sum beside it; *unsealed: rows were lost so. -1, with the reason in e, where
// the file cannot be read, is of another sweep, or was altered.
long sweep_resume(const sweep_task *k, const char *path, uint64_t key, int *unsealed, nsm_error *e);

// ---- sums.c ---------------------------------------------------------------------------------------------------------
typedef struct sweep_sums { FILE *file; uint64_t last; } sweep_sums;       // file: NULL where nothing is to be written
typedef enum { SWEEP_SAME, SWEEP_OTHER, SWEEP_NO_SUM } sweep_seal;

// Of all that rows depend on: the model's code, and flags (not how many runs, on how many threads, and the like).
uint64_t    sweep_key(uint64_t model, const nsm_flags *f);
const char *sweep_sums_path(const char *rows, char *out);                  // out: [PATH_MAX]; NULL: too long
// s: { .last = the key }. Beside the rows, which are in `file`, going on after `keep` of them; only where that is an
// ordinary file. 0: with the reason.
int         sweep_sums_open(sweep_sums *s, const char *rows, FILE *file, long keep, nsm_error *e);
int         sweep_sums_add(sweep_sums *s, const char *rows, size_t n, int flush);       // 0: errno
int         sweep_sums_close(sweep_sums *s);                                            // 0: errno
// Is the file of sums that of these rows? Then of each row in turn, with its end of line.
sweep_seal  sweep_sums_read(sweep_sums *s, const char *rows, uint64_t key);
sweep_seal  sweep_sums_next(sweep_sums *s, const char *row, size_t n);

// ---- rows_h5.c ------------------------------------------------------------------------------------------------------
typedef struct sweep_h5 sweep_h5;
sweep_h5 *sweep_h5_open(const sweep_task *k, const char *path, nsm_error *e);    // NULL with the reason
int       sweep_h5_rows(sweep_h5 *h, const char *bytes, size_t n);               // lines of CSV; 0 with errno: failed
int       sweep_h5_close(sweep_h5 *h);                                           // frees h, which may be NULL

// ---- ranks.c --------------------------------------------------------------------------------------------------------
// Processes that share a sweep. rank 0 writes. Without MPI there is one.
typedef struct sweep_ranks {
  int  rank, size;
  void *library;
  int  (*start)(int *rank, int *size);
  int  (*send)(int to, const char *bytes, long n);
  int  (*receive)(int from, char **bytes, long *n);        // *bytes by malloc
  int  (*share)(long *number);                             // rank 0's number to all
  void (*end)(void);
  void (*give_up)(int code);
} sweep_ranks;
// 1; 0 with the reason where several processes were started together and cannot share.
int  sweep_ranks_open(sweep_ranks *r, nsm_error *e);
void sweep_ranks_close(sweep_ranks *r);

// ---- the command ----------------------------------------------------------------------------------------------------
int nsm_sweep_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host);     // the exit code
