// A simulation as a command, for the program around it: `nsm run`, `nsm test`, or a built simulator.
#pragma once
#include "flags.h"
#include <stdint.h>

// Who looks at a run in place of a file: called in the order start, row at each row that would be recorded, claim, end.
// column: [ncolumn], those chosen, in order; energies stand behind those of the simulation. The simulation may be asked
// for all that nsm.h knows. It keeps its ledger where that changes no digit of the run, which whole steps would take
// otherwise; ledger: always.
typedef enum { NSM_CLAIM_HOLDS, NSM_CLAIM_FAILS, NSM_CLAIM_NOT_REACHED } nsm_outcome;
typedef struct nsm_watch {
  void *with;
  int   ledger;
  nsm_code (*start)(void *with, nsm_sim *s, const int *column, int ncolumn, nsm_error *e);
  nsm_code (*row)(void *with, nsm_sim *s, const double *row, nsm_error *e);
  void (*claim)(void *with, int claim, nsm_outcome how);
  void (*end)(void *with, nsm_sim *s, nsm_code code, const char *message, double seconds);
} nsm_watch;

struct fit_shown;

// Where a run begins, other than its model: n columns with their values in SI, at the time `start`.
typedef struct nsm_beginning { int n; int *column; double *value, start; } nsm_beginning;

// What that program gives, and what it gets back.
typedef struct nsm_host {
  FILE              *out, *err;
  double             compile_s;         // spent in the compiler
  const char *const *input; int ninput; // files that were read: no output may overwrite them
  void             (*say)(void *with, const nsm_error *e, FILE *err);   // shows an error; NULL: nsm_print_error
  void              *with;
  // Called before the first step of a run and then when as many steps were done as it said last; NULL. total: steps of
  // all runs to come (--bench), and done counts on over them.
  long             (*between_steps)(void *steps, long done, long total);
  // nsm sweep: now and then, with the seconds of processor time that are left. Not 0: it wants to be called with quiet
  // not 0, while no run is under way. NULL: never.
  int              (*between_runs)(void *steps, double left, int quiet);
  void              *steps;
  // nsm fit: the best value of what was varied, in SI; NULL: not asked for.
  void             (*fitted)(void *with, const char *name, double value);
  void             (*fit_shown)(void *with, const struct fit_shown *of);       // what a page of it shows; NULL
  // Unit and description of a column; NULL: not known. text: of the model; NULL.
  nsm_meaning      (*meaning)(const nsm_program *program, const char *name);
  const nsm_program *program;
  const char        *text;
  uint64_t           key;               // nsm sweep: a sum of the code of the model
  int                gains;             // impacts may make energy (W0821): the ledger is kept, to say so
  const nsm_watch   *watch;             // NULL: the trajectory is written as CSV
  const nsm_beginning *begin;           // NULL: as the model says
  int                not_reached;       // out: claims about times that the run did not reach
} nsm_host;

// Shows an error of a run of m on f.
void nsm_host_say(const nsm_host *host, const nsm_model *m, const nsm_error *e, FILE *f);
int nsm_run_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host);       // the exit code
// The end of a program: what standard output did not take is an error, and a reader that went away ends it as SIGPIPE
// does. Returns the exit code.
int nsm_exit(int code);
