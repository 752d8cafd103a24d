// `nsm analyse`: where a model is at rest, how it moves near there, and what a run tends to. docs/answers.md, 6, 7
//
//   analyse.c       the command                      steady.c       periodic orbits by Newton's method
//   rest.c          what --equilibrium, --linear and --modes write
//   field.[ch]      equations at a point             equilibrium.[ch]   at rest
//   linear.[ch]     x' = A x + B u                   modes.c        eigenvalues and shapes
//   lapack.[ch]     the plug-in that finds them      write.[ch]     numbers and files
#pragma once
#include "runtime/answers/answers.h"

// A periodic orbit: the state at the begin of a period, SI; multipliers re + i im of its monodromy matrix [n, n], by
// columns.
typedef struct steady {
  answers a;                            // of: states after a period; by: states at its begin
  int     n, iterations;
  double *y, *re, *im, *M, *r;          // [n] [n] [n] [n, n] [n]
  unsigned char *drifts;                // [n] nothing depends on it but itself, which a period adds something to
  int     nmultiplier;                  // of the others
  double  period, residual;             // |P(Y) - Y|, the largest of all states in SI
} steady;

// NSM_FAILED with the reason where there is none, or it grazes.
nsm_code steady_find(steady *w, const nsm_settings *set, nsm_error *e);
void     steady_free(steady *w);

// What was asked for of a point at rest; its report to host->out or the file of -o.
typedef struct analysis {
  const nsm_model *m;
  const nsm_flags *f;
  const struct nsm_options *o;
  nsm_host *host;
  dual_kernel *run;
  void *with;
} analysis;
nsm_code rest_report(const analysis *a, nsm_error *e);

int nsm_analyse_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);
