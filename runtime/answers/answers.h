// Derivatives of runs: `nsm sens`, and what fit and analyse ask for. docs/answers.md
#pragma once
#include "play.h"

// "final(z)", "at(z, 1 s)", "first(floor)", "hit(floor, 3)": a number of a run, and its derivatives.
typedef struct answers_of {
  char   name[256], of[256];
  int    kind;                          // NSM_STAT_...
  double time;                          // of an `at`
  long   number;                        // of a `hit`, from 1
  int    column, row;                   // row: of `first`, `last`, `hit`, whose column is -1
  double scale;                         // of the unit in which it is shown
  const char *unit;                     // that, of a column
} answers_of;
static inline int answers_of_event(const answers_of *of) { return of->row >= 0; }

// Rows of columns with their derivatives: [n, ncolumn, 1 + nby] in SI; derivatives are NaN where a column has none.
typedef struct answers_rows { int ncolumn; long every, n, room, seen; double *x; } answers_rows;

#define ANSWERS_ROOM 256e6

// A run with its outputs: value [nof], d [nof, nby] by rows, in SI.
typedef struct answers {
  const nsm_model *m;
  dual_kernel *run;
  void        *with;
  answers_of  *of;   int nof;
  play_name   *by;   int nby;
  char       **text;                    // [nby] names
  double      *value, *d, *largest;     // largest: [nof] of the rows, where it is asked for; NULL: it is not
  long captured, weak, grazing, joint, unique, events, pieces;
  double on_step;                       // the first instant at a time of the clock; NAN: there is none
  double grazed;                        // time of the first
  long held;                            // numbers are read where an instant stands that moves; the first time
  double held_at;
  char   grazer[256];
  answers_rows *rows;                   // columns at times of the clock are kept as well; NULL: they are not
  struct aligned *note, *phases;        // aligned.h: what ends pieces is noted; steps are aligned to that
  int    back;                          // derivatives by the adjoint
  double room;                          // bytes that it may keep of the run at a time; 0: it is not to be taken
  const char *of_flag, *by_flag;        // what names are blamed on; NULL: --of, --by
  long   jumps;                         // of means, at times that move; by_rows: they do not count
  int    by_rows;
  uint64_t sequence, steps;             // of the events: the same where these are; where they are in the same steps
} answers;

// words.c. s: a simulation of the model, for its names. NSM_USAGE with the reason.
nsm_code answers_read_of(nsm_sim *s, const char *text, answers *a, nsm_error *e);
nsm_code answers_read_by(nsm_sim *s, const char *text, answers *a, nsm_error *e);
void     answers_free(answers *a);

// take.c: one run with these settings, from the start to the end. start: [nby] what is added to initial values among
// `by`, NULL: nothing; derivatives: 0: values and the sequence of events alone.
nsm_code answers_take(answers *a, const nsm_settings *set, const double *start, int derivatives, nsm_error *e);

// jacobian.c: of one step from the present state, which stays: rows are the columns of states, by the same, by the
// inputs, by n parameters. d [states, states + inputs + n]. answers_states: column numbers; returns how many there are.
int      answers_states(const nsm_sim *s, int *column);
// What it is made in is kept beside s until that is closed. e: not NULL.
nsm_code answers_jacobian(nsm_sim *s, const play_kernels *run, const play_name *by, int n, double *d, nsm_error *e);

// check.c: the derivative along a random direction against differences of runs with the same events. off, unsure: of
// the derivative of output `of`, the one that is farthest off beside what its difference leaves open; distance: of the
// farthest runs, beside the values.
typedef struct answers_checked { double off, unsure, distance; const char *of; } answers_checked;
nsm_code answers_check(answers *a, const nsm_settings *set, answers_checked *to, nsm_error *e);
