// `nsm fit`: parameters and initial values for which runs come nearest to data. docs/answers.md, 5
//
//   fit.c        the command: what is fitted, starts, what is written      least.c    linear least squares
//   fit_data.c   --data, --match                                 levenberg.c  the method, from one start
//   fit_vary.c   --vary, --each
//   fit_known.c  --prior, --loss                                           fit_starts.c starts on threads
//   fit_profile.c  --profile                                             fit_rows.c  --residuals
//   fit_shown.[ch]  --page
#pragma once
#include "answers.h"
#include "fit_shown.h"
#include "runtime/command/command.h"

// Bounds, infinite: none; where the first start is, NaN: where the model is; in the unit that is shown. It has a value
// for each file of its own, or one for all; name: that of the parameter, and of the file where there are several.
typedef struct fit_vary { double lo, hi, from, scale; int log, own; char name[300], unit[64]; } fit_vary;

// A parameter is known to be `mean` with deviation sd; numbers that are off by more than `scale` count less.
typedef struct fit_prior { int which; double mean, sd; } fit_prior;
typedef enum { LOSS_SQUARES, LOSS_HUBER, LOSS_SOFT, LOSS_CAUCHY } fit_loss_kind;
typedef struct fit_loss { fit_loss_kind kind; double scale; } fit_loss;

// A file of data, and a run of its own: what of it each number is compared with.
typedef struct fit_file { const char *path; answers a; double *y, *sigma; double last; } fit_file;   // sigma: of each

typedef struct fit {
  const nsm_model *m;
  nsm_settings set;
  dual_kernel *run;
  void        *with;
  fit_file    *file; int nfile;
  fit_vary    *vary; int np;            // np: values of all files
  int         *at;                      // [nfile, nname] which of them a name of a file has
  int          nname;
  int          n;                       // numbers in all files, and priors
  fit_prior   *prior; int nprior;
  fit_loss     loss;
  int          fixed;                   // of what is varied, one that keeps its value; -1: none
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

// The run of a file: settings with the values of parameters, what is added to initial values.
typedef struct fit_run { nsm_settings set; nsm_assignment *all; double *start; } fit_run;

static inline const int *fit_values_of(const fit *f, int file) { return f->at + (long)file * f->nname; }

// A word of a flag that means nothing.
static inline nsm_code fit_refuse(nsm_error *e, const char *flag, const char *word, const char *why) {
  sim_fail(e, NSM_USAGE, "E0777: %s %.200s: %s", flag, word, why);
  return NSM_USAGE;
}
// The same of a number; where its unit is wrong with the one in which results show what it is for.
static inline nsm_code fit_refuse_unit(nsm_error *e, const char *flag, const char *word, const char *wrong,
                                       const char *unit) {
  char why[400];
  snprintf(why, sizeof why, "%.200s; results show it in %.100s", wrong, unit);
  return fit_refuse(e, flag, word, *unit && strstr(wrong, "unit") ? why : wrong);
}

// fit_data.c: NSM_USAGE, NSM_FILE with the reason
nsm_code fit_read(fit *f, const nsm_flags *flags, nsm_error *e);
void     fit_free(fit *f);

// fit_vary.c. names: as answers_read_by takes them; then, where these are read for each file, bounds, and which value
// is whose.
nsm_code fit_read_names(fit *f, const nsm_flags *flags, char *names, size_t room, nsm_error *e);
// text[0, n) in the unit that is shown; NULL, or what is wrong with it.
const char *fit_number(const fit_vary *v, const char *text, size_t n, double *x);
nsm_code fit_read_vary(fit *f, const nsm_flags *flags, nsm_sim *s, nsm_error *e);

// fit_known.c
nsm_code fit_read_known(fit *f, const nsm_flags *flags, nsm_error *e);
// r such that r^2 is the loss of a number that is off by r, and its slope.
double   fit_lessened(const fit_loss *loss, double r, double *slope);

// levenberg.c; x in the unit that is shown. fit_run_of: to: zeroed, to be freed in any case. fit_residuals: r [n] what
// runs are above the data, J [n, np] by columns, NULL: not asked for. NSM_FAILED: a run failed.
nsm_code fit_run_of(fit *f, int k, const double *x, fit_run *to, nsm_error *e);
void     fit_run_free(fit_run *r);
nsm_code fit_residuals(fit *f, const double *x, double *r, double *J, nsm_error *e);
nsm_code fit_from(fit *f, const double *start, fit_end *to, nsm_error *e);
// Covariance [np, np] at x, 0 of those that are held at a bound; *sensible: how well columns are told apart.
nsm_code fit_covariance(fit *f, const double *x, double *C, int *free_of, double *sensible, nsm_error *e);

// fit_starts.c: all of n starts [n, np], on threads; each is the same on any number of them.
nsm_code fit_all(fit *f, const double *start, fit_end *end, int n, int threads, nsm_error *e);

// fit_profile.c: sums of squares for values beside the best one, upwards. lo, hi: where the sum is that of the
// interval, NaN where it is not reached.
enum { FIT_PROFILE = 12 };
typedef struct fit_profile { int which; double value[FIT_PROFILE], rss[FIT_PROFILE], lo, hi; } fit_profile;
nsm_code fit_profile_of(fit *f, const fit_end *best, double sd, double quantile, int freedom, fit_profile *to,
                        nsm_error *e);

// fit_rows.c: are these numbers of one column, or impacts of one contact? The first of each, in the order in which they
// are asked for: first [a->nof]; how many. to: "z", "hit(floor)".
int  fit_same_column(const answers_of *a, const answers_of *b);
int  fit_columns(const answers *a, int *first);
void fit_column_name(const answers_of *of, char *to, size_t room);

// fit_shown.c: columns of a page, of a run with x.
nsm_code fit_show_columns(fit *f, const double *x, fit_shown *to, nsm_error *e);
void     fit_shown_free(fit_shown *of);                    // what is in it, but for texts

// The command for a program: its words, argv[0] first; the JSON goes to out.
nsm_code nsm_fit_asked(const nsm_model *m, const play_kernels *run, const nsm_settings *set, int argc, char **argv,
                       FILE *out, nsm_error *e);
// fit_rows.c: data, the run with x and the difference as CSV.
nsm_code fit_write_rows(fit *f, const double *x, const char *path, nsm_error *e);

int nsm_fit_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);
