// `nsm analyse`: what a run tends to. docs/answers.md, 6
//
//   analyse.c   the command      steady.c   periodic orbits by Newton's method on the map of a period
#pragma once
#include "answers.h"

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

int nsm_analyse_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);
