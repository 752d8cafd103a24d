// nsm compare: one model by several schemes and steps, against the tightest run. compare.c runs,
// compare_write.c writes.
#pragma once
#include "commands.h"

typedef struct CompareScheme {
  const char *text, *name;       // as given; without its arguments
  int    order, located;         // 0: as the model says
  const char *refused;           // why the model is none for it: code and headline; NULL
  nsm_program *program;
} CompareScheme;

// One run. error: of the columns at the end, relative; mean: of that over the times that all runs have.
typedef struct CompareRun {
  const CompareScheme *scheme;
  double step, error, mean, order; // order: between this step and the one before of the scheme; NAN
  double energy, residue, seconds; // at the end minus the reference's [J], NAN without energies; unexplained [J]
  long   steps, captured;        // captured: those whose rest was taken without locating any event
  const char *failed;            // why it ended early; NULL
} CompareRun;

typedef struct Compare {
  Arena *arena;
  const char *model, *reference; // the reference in words
  double until;
  int nscheme; CompareScheme *scheme;
  int nstep;   double *step;     // falling
  int nrun;    CompareRun *run;
  int ncolumn;                   // that were compared
} Compare;

void compare_text(const Compare *c, Text *out);
void compare_csv(const Compare *c, Text *out);
void compare_page(const Compare *c, Text *out);
