// `nsm fit`: parameters and initial values for which runs come nearest to data. docs/answers.md, 5
//
//   fit.c        the command: what is fitted, starts, what is written      least.c    linear least squares
//   fit_data.c   --data, --match, --vary                                   levenberg.c  the method, from one start
#pragma once
#include "answers.h"
#include "runtime/command/command.h"

typedef struct fit_vary { double lo, hi; int log; } fit_vary;         // infinite: no bound; in the unit that is shown

// A file of data, and a run of its own: what of it each number is compared with.
typedef struct fit_file { const char *path; answers a; double *y; double last; } fit_file;

typedef struct fit {
  const nsm_model *m;
  nsm_settings set;
  dual_kernel *run;
  void        *with;
  fit_file    *file; int nfile;
  fit_vary    *vary; int np;
  int          n;                       // numbers in all files
  long         runs;
} fit;

// The sum of squares from a start, and how it ended.
typedef struct fit_end {
  double *x;                            // [np] in the unit that is shown
  double  rss;
  int     iterations, converged, held;  // held: parameters at a bound
  int     silent;                       // the first parameter that no number depends on at the start, and 1; 0: none
  char    why[300];                     // it did not converge
} fit_end;

// fit_data.c: NSM_USAGE, NSM_FILE with the reason
nsm_code fit_read(fit *f, const nsm_flags *flags, nsm_error *e);
void     fit_free(fit *f);

// levenberg.c. fit_residuals: r [n] what runs are above the data, J [n, np] by columns, NULL: not asked for; x in the
// unit that is shown. NSM_FAILED: a run failed.
nsm_code fit_residuals(fit *f, const double *x, double *r, double *J, nsm_error *e);
nsm_code fit_from(fit *f, const double *start, fit_end *to, nsm_error *e);
// Covariance [np, np] at x, 0 of those that are held at a bound; *sensible: how well columns are told apart.
nsm_code fit_covariance(fit *f, const double *x, double *C, int *free_of, double *sensible, nsm_error *e);

int nsm_fit_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);
