// One-step problems as files. The only header of this folder that others include; docs/problems.md has the formats.
//
//   tour:  read.c      file -> memory -> kind -> reader
//          scan.c      where we are in the text: numbers, counts, the first error
//          json.c      nsm's own format (json_matrix.c: M)
//          kind.c      names of the kinds
//          dat.c       Siconos' plain text: LCP, relay, friction; dat_mlcp.c: MLCP; dat_matrix.c: matrices
//          matrix.c    triplets -> compressed rows, dense copy
//          check.c     what every problem must satisfy, whatever its format
//          stored.c    a solution after the data
//          write.c     a problem as JSON
//
// Ownership: nsm_problem_read allocates one nsm_problem with all its arrays, nsm_problem_free releases it. Nothing is
// allocated by a count that the file claims before the file is known to be long enough for it. No printing, no global
// state. Uses runtime/cone/problem.h and libc.
#pragma once
#include <stdio.h>
#include "runtime/cone/problem.h"

typedef enum {
  NSM_PROBLEM_GUESS = 0,     // by the content, then by the file's name
  NSM_PROBLEM_JSON,
  NSM_PROBLEM_LCP, NSM_PROBLEM_MLCP, NSM_PROBLEM_RELAY, NSM_PROBLEM_FC2D, NSM_PROBLEM_FC3D,
  NSM_PROBLEM_KINDS
} nsm_problem_kind;

enum { NSM_PROBLEM_MAX_ROWS = 1 << 20, NSM_PROBLEM_MAX_BYTES = 512 << 20 };

typedef enum { NSM_PROBLEM_OK = 0, NSM_PROBLEM_WRONG = 1, NSM_PROBLEM_UNREADABLE = 4 } nsm_problem_code;

typedef struct nsm_problem_error {
  nsm_problem_code code;
  long line, column;         // from 1; 0 where the fault has no place
  char text[512];            // what was expected and what is there, without file and place
  char help[256];            // one hint, or ""
} nsm_problem_error;

typedef struct nsm_problem {
  nsm_cone_problem p;        // its arrays belong to this problem
  nsm_problem_kind kind;
  int     guessed;           // the kind was not given
  int     unknowns;          // the unknowns of the file are lambda[0 ... unknowns): fewer than p.m for MLCPs with
                             // redundant rows
  size_t  entries;           // of M
  int     bandwidth;         // max |i - j| over the entries; dense: m
  double *guess;             // [m] where to start, or NULL
  double *stored_lambda;     // [m] the file's own answer, nan where it does not say; or NULL
  double *stored_u;          // [m] as above; or NULL
  char  **label;             // [m] names of rows, or NULL
  char    note[160];         // what a person should know about how the file was read, or ""
  double *own_M, *own_q, *own_lo, *own_hi, *own_terms;
  int    *own_row_start, *own_col;
  nsm_cone_block *own_cone;
} nsm_problem;

// Reads the file `path` ("-": standard input). NULL and the reason in *e where it cannot.
nsm_problem *nsm_problem_read(const char *path, nsm_problem_kind kind, nsm_problem_error *e);
// The same from memory: text[size] must be 0. `name` is what the kind is guessed from where the content leaves a
// choice.
nsm_problem *nsm_problem_parse(const char *text, size_t size, const char *name, nsm_problem_kind kind,
                               nsm_problem_error *e);
void         nsm_problem_free(nsm_problem *p);

// Makes M dense; 0 where memory does not suffice.
int nsm_problem_densify(nsm_problem *p);

// "lcp", ... as --kind takes them; NSM_PROBLEM_KINDS where there is none of that name.
const char      *nsm_problem_kind_name(nsm_problem_kind k);
nsm_problem_kind nsm_problem_kind_of(const char *name);

// What a run knows about a problem that it solved. Members may be NULL.
typedef struct nsm_problem_note {
  const char *model, *place;                       // name of the model; which stage of the step
  long        step;                                // -1: unknown
  double      time;
  const char *(*label)(void *with, int row);
  void       *with;
  const double *guess, *lambda;  // [m] lambda on entry, where the solver was told to use it; the answer
  const nsm_cone_result *result;
} nsm_problem_note;

// Writes p as JSON that nsm_problem_read takes, numbers to the last bit. 1, or 0 where the file did not take it (errno
// says why).
int nsm_problem_write(FILE *f, const nsm_cone_problem *p, const nsm_problem_note *n);
