// nsm_run.h: the public interface of the runtime: open a model, step it, read it, close it. Ownership: nsm_open
// allocates everything of a run; later only the room of active rows grows, in rare cases (docs/numerics/sparse.md, 3).
// One thread per nsm_sim.
#ifndef NSM_RUN_H
#define NSM_RUN_H
#include <stddef.h>
#include <stdio.h>
#include "nsm_abi.h"

typedef struct nsm_sim nsm_sim;

// Exit codes of the command, and what calls return. NSM_FILE: what the system gives is missing, a file or memory.
// NSM_PIPE: the reader of standard output went away.
typedef enum {
  NSM_OK = 0, NSM_MODEL_WRONG = 1, NSM_USAGE = 2, NSM_FAILED = 3, NSM_FILE = 4, NSM_CLAIM = 5, NSM_INTERRUPTED = 130,
  NSM_PIPE = 141
} nsm_code;

typedef struct nsm_assignment { const char *name; double value; } nsm_assignment;

typedef struct nsm_settings {
  const nsm_assignment *set; int nset;   // parameters by full name
  double until, step, start;             // NaN: the model's own
  double theta, gamma;                   // NaN: the model's own
  const char *solver;                    // NULL: automatic
  double tolerance;                      // of the outer Newton, relative; 0: default
  double solve_budget;                   // seconds that one problem of a step may take; 0: default
  const char *dump_problems;             // folder for every one-step problem of the run (runtime/problems), or NULL
  int general;                           // step_newton even where all is linear: the oracle of tests
  int project_start;                     // initial values are moved onto constraints and out of obstacles, however far
} nsm_settings;

// Where in the model: a class, parameter, variable or claim by its number. line: 0, or the line where it is not the
// first one of the statement.
typedef enum { NSM_AT_NOTHING, NSM_AT_CLASS, NSM_AT_PARAMETER, NSM_AT_VARIABLE, NSM_AT_CLAIM } nsm_place_kind;
typedef struct nsm_place { nsm_place_kind kind; int number, line; } nsm_place;

// text: one or more lines, as printed after "error: "
typedef struct nsm_error { nsm_code code; char text[1024]; nsm_place at; } nsm_error;

int  nsm_place_line(const nsm_model *m, nsm_place at, const char **file);  // 0: none
void nsm_print_error(const nsm_model *m, const nsm_error *e, FILE *f);     // "error: ...", and "  --> ball.nsm:9"

nsm_sim *nsm_open(const nsm_model *m, const nsm_settings *s, nsm_error *e);      // NULL on error
nsm_code nsm_step(nsm_sim *s, nsm_error *e);  // one step; on NSM_FAILED the state is that before it
nsm_code nsm_step_by(nsm_sim *s, double h, nsm_error *e);  // one step of length h > 0 [s], off the clock of the run
void     nsm_reset(nsm_sim *s);                                                   // back to the start
void     nsm_close(nsm_sim *s);

// The state as bytes: what a run goes on from, with the same bits. It fits every simulation of the same model with the
// same sizes and parameters, in the same build of the runtime; nsm_restore refuses others (NSM_USAGE) as far as sizes,
// scheme and version tell.
size_t   nsm_state_size(const nsm_sim *s);
void     nsm_save(const nsm_sim *s, void *to);             // [nsm_state_size]
nsm_code nsm_restore(nsm_sim *s, const void *from, nsm_error *e);
// Another simulation with the same settings in the same state; it dumps no problems. To be closed with nsm_close. NULL
// on error.
nsm_sim *nsm_clone(const nsm_sim *s, nsm_error *e);

double nsm_time(const nsm_sim *s);
long   nsm_steps_done(const nsm_sim *s);
long   nsm_steps_total(const nsm_sim *s);

// Columns: time, states, coordinates, velocities, multipliers and impulses, outputs.
int         nsm_ncolumn(const nsm_sim *s);
const char *nsm_column_name(nsm_sim *s, int c);
void        nsm_read(nsm_sim *s, double *row);  // row[nsm_ncolumn]; evaluates the outputs
double      nsm_read_column(nsm_sim *s, int c);     // one of them; NaN where there is none
int         nsm_find_column(nsm_sim *s, const char *name);                        // -1: none

typedef struct nsm_counters {
  long   steps, newton_iterations, solver_iterations, impacts;
  long   stagnations;   // steps that Newton's method left above the tolerance, where its residual fell no more
  double worst_residual; // of these, relative
  long   left_out;      // steps of the energy-consistent schemes that left a contact to the next step (consistent.md 4)
  double max_residual;  // of the one-step problems, by the independent check
} nsm_counters;
void nsm_get_counters(const nsm_sim *s, nsm_counters *c);

// The whole command line of a simulation, shared by `nsm run` and by standalone simulators: flags, CSV, summary, bench,
// Ctrl-C. argv[0] is skipped. compile_s: what the compiler spent (0 for standalone). Returns the exit code.
int nsm_run_command(const nsm_model *m, int argc, char **argv, double compile_s, FILE *out, FILE *err);
// The same as a whole program: `int main(int argc, char **argv) { return nsm_run_main(model, argc, argv); }`.
int nsm_run_main(const nsm_model *m, int argc, char **argv);
#endif
