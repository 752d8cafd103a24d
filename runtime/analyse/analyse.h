// `nsm analyse`: where a model is at rest, how it moves near there, and what a run tends to. docs/answers.md, 6, 7
//
//   analyse.c       the command                      steady.c       periodic orbits by Newton's method
//   rest.[ch]       equilibrium, linear model, modes  report.c    what is written of them
//   turn.c          the map of a period              guess.c        a point of a free orbit
//   manifold.c      states that laws leave           settings.c     of a run of one period
//   begin.c         when a period of a driven orbit begins       means.c    of columns over a period
//   bode.c          frequency responses at rest and about an orbit
//   section.c       points of a Poincare map         bifurcation.c   over a parameter
//   lyapunov.c      exponents                        follow.c       a branch of orbits over a parameter
//   field.[ch]      equations at a point             equilibrium.[ch]   at rest
//   linear.[ch]     x' = A x + B u                   modes.c        eigenvalues and shapes
//   shown_mode.c    a mode as a motion that is looked at
//   lapack.[ch]     the plug-in that finds them      write.[ch]     numbers and files
#pragma once
#include "runtime/answers/answers.h"
#include "runtime/command/command.h"

// What laws leave of the state: a manifold with d of the n states as its coordinates. manifold.c
typedef struct manifold {
  int bound, any, d;                    // constraints or quaternions bind it; these, or closed contacts
  unsigned char *held;                  // [rows] contacts that are closed
  int quaternions, *quaternion;         // [quaternions, 4] which states
  double *T;                            // [n, n] dy by coordinate j, where that is one
  unsigned char *chosen, *group;        // [n] a coordinate; 0 places, 1 velocities, 2 states, 3 remembered turns
  unsigned char *angle, *turns;         // [n] it may turn; a begin that is turned by what it turned is the same one
  int *whole;                           // [n] turns within the last period
} manifold;
#define MANIFOLD_TURN 6.283185307179586

// A periodic orbit: the state at the begin of a period, SI; multipliers re + i im of its monodromy matrix [n, n], by
// columns.
typedef struct steady {
  answers a;                            // of: states after a period; by: states at its begin
  int     n, iterations;
  int     free;                         // nothing drives it: the period is found, too
  int     remembers, clocked;           // it has discrete variables; blocks of `every`, which count from the start
  manifold on;
  long    steps;                        // of a period, whose length they follow; 0: the step of the model
  const char *vary; int vary_at;        // a parameter that is followed, its number; NULL: none
  double  p;                            // its value, SI
  nsm_assignment *with_p;               // room for one more than the settings have
  double *y, *re, *im, *M, *r;          // [n] [n] [n] [n, n] [n]
  double *flow, *across;                // [n] dP/dT, where it is known; that of the start, across which a free Y moves
  double *by_p;                         // [n] dP/dp
  int     levels;                       // of --refine; 0: without
  double *error;                        // [n, n + free] what the last level has changed in derivatives
  double *begin, start;                 // [n] the start of the model, and its time
  unsigned char *turns;                 // [n] of a free one: it rises and falls, in the run that was looked at
  unsigned char *drifts;                // [n] nothing depends on it but itself, which a period adds something to
  int     nmultiplier, trivial;         // of the others; which is that along a free orbit, 1 in truth; -1
  double  period, residual;             // |P(Y) - Y|, the largest of all states in SI
  double  miss;                         // the same with what follows by laws, which some schemes leave
} steady;

nsm_code manifold_open(steady *w, nsm_sim *s, nsm_error *e);
void     manifold_free(manifold *on);
int      manifold_follows(const steady *w, int i);         // state i follows from the coordinates
int      steady_comes_back(const steady *w, int i);        // it is a coordinate, and does not drift
// T at y, at the time w->start.
nsm_code manifold_tangent(steady *w, const nsm_settings *set, const double *y, nsm_error *e);
// Q [n, m] onto the tangent space at y.
nsm_code manifold_project(steady *w, const nsm_settings *set, const double *y, int m, double *Q, nsm_error *e);
// y of a run, which a scheme may have left beside it, is moved onto it; contacts that are closed there are held.
nsm_code manifold_begin(steady *w, const nsm_settings *set, double *y, nsm_error *e);
nsm_code manifold_onto(const steady *w, const nsm_settings *set, double *y, nsm_error *e);    // y is moved onto it
void     manifold_way(const steady *w, double *step);      // what follows moves by T with the coordinates of step [n]
void     manifold_along(const steady *w, double *d);       // d [n] by states -> by coordinates
nsm_code manifold_by_parameter(steady *w, const nsm_settings *set, const double *y, double *v, nsm_error *e);
int      manifold_turned(const steady *w, int k, const double *from, const double *to);    // quaternion k
void     manifold_near(const steady *w, const double *from, double *to);   // the same state as `to`, nearest to `from`

// turn.c: P(y) - y into r, derivatives, and the largest |r|. [n] [n, n] [n] [n]; flow where it is free or a parameter
// is followed, by_p in the latter case.
typedef struct turn { double *r, *M, *flow, *by_p, most; } turn;
nsm_code steady_turn(steady *w, const nsm_settings *set, const double *y, double length, turn *to, nsm_error *e);
void     steady_drifts(steady *w);                         // from r and M
nsm_code steady_multipliers(steady *w, nsm_error *e);      // from M
// NSM_FAILED with the reason where there is none, or it grazes. period nan: it is free.
nsm_code steady_find(steady *w, const nsm_settings *set, nsm_error *e);
// From y: Newton's method, multipliers, and that the next period is the same.
nsm_code steady_settle(steady *w, const nsm_settings *set, nsm_error *e);
// begin.c: steady_find; where that finds none for a driven model, from later states of its run, with periods that begin
// at other times.
nsm_code steady_find_later(steady *w, const nsm_settings *set, nsm_error *e);
// Names, room and the start of the model.
nsm_code steady_names(steady *w, nsm_sim *s, nsm_error *e);
nsm_settings steady_settings(const steady *w, const nsm_settings *set, double length);    // of a run of one period
// Quaternions of the end, of the first n of a, with the sign that they have in y.
void     steady_same_signs(const steady *w, answers *a, const double *y);
// The end of a period from y that answers_take has found, and its derivatives, as the same state nearest to y.
nsm_code steady_come_near(steady *w, const nsm_settings *set, const double *y, double length, nsm_error *e);
// Where a run from y, NULL: from the start of the model, leads.
nsm_code steady_after(const steady *w, const nsm_settings *set, const double *y, double length, double *to,
                      nsm_error *e);
// A run of one period of the orbit y, whose events the hook is told.
nsm_code steady_run(const steady *w, const nsm_settings *set, nsm_event_hook *hook, void *with, nsm_error *e);
// passes.c: each contact that the orbit y passes at a thousandth of its largest gap, or less, without touching it
typedef void steady_pass(void *with, const char *name, double time, double gap);
nsm_code steady_passes(const steady *w, const nsm_settings *set, steady_pass *tell, void *with, nsm_error *e);
// means.c: of each state, discrete variable and output over the period: mean, rms, least, largest, in the unit shown
typedef void steady_mean(void *with, const char *name, const double *of);
nsm_code steady_means(const steady *w, const nsm_settings *set, steady_mean *tell, void *with, nsm_error *e);
double   steady_largest(const steady *w);                  // |multiplier|, without the trivial one
void     steady_free(steady *w);
// guess.c: y and period of a free orbit from a run twice as long as that of the model.
nsm_code steady_guess(steady *w, const nsm_settings *set, nsm_error *e);

// What was asked for of a point at rest; its report to host->out or the file of -o.
typedef struct analysis {
  const nsm_model *m;
  const nsm_flags *f;
  const struct nsm_options *o;
  nsm_host *host;
  dual_kernel *run;
  void *with;
} analysis;
// What --period says: NaN without; a parameter has its value in s. NSM_USAGE with the reason.
nsm_code analysis_period(const analysis *a, nsm_sim *s, double *period, nsm_error *e);
// "P=A:B" or "P=A:B:N" (n 0: not given), values in SI; flag: its name, for messages. NSM_USAGE with the reason.
typedef struct analysis_range { char name[256]; int parameter; double from, to, scale; long n; } analysis_range;
nsm_code analysis_range_read(analysis_range *r, const char *flag, const char *text, nsm_sim *s, nsm_error *e);
nsm_code rest_report(const analysis *a, nsm_error *e);
nsm_code bode_report(const analysis *a, nsm_error *e);     // bode.c
nsm_code section_report(const analysis *a, nsm_error *e);
nsm_code bifurcation_report(const analysis *a, nsm_error *e);
nsm_code lyapunov_report(const analysis *a, nsm_error *e);
nsm_code follow_report(const analysis *a, nsm_error *e);

// For programs: argv as of the command, without the model; to `out`, and nothing is said beside it.
nsm_code nsm_analyse_asked(const nsm_model *m, const play_kernels *run, const nsm_settings *set, int argc, char **argv,
                           FILE *out, nsm_error *e);
// The begin of the periodic orbit of a run with these flags, as `nsm run --steady` has it; the arrays are the caller's.
int nsm_orbit_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with,
                    nsm_beginning *to);
// Mode K at rest, --mode K, as a motion that host->watch looks at. The exit code.
int nsm_mode_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);
int nsm_analyse_flags(const nsm_model *m, const nsm_flags *f, nsm_host *host, dual_kernel *run, void *with);
