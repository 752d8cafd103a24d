// Radau IIA in pieces with fixed sets: what its files share. docs/numerics/radau.md has the equations; numbers in
// comments are its own.
//
//   radau_method.c    nodes, coefficients, eigenvalues           radau_setup.c   what fits, room
//   radau_pattern.c   where A and E have entries                 radau_sets.c    A by sets, what is not determined, (4)
//   radau_system.c    F and its derivative A, the matrix E       radau_factor.c  factors by set and length
//   step_radau.c      the stages (3): Newton's method            radau_project.c a consistent begin (5)
//   radau_watch.c     what ends a set; sets from multipliers
//
// Unknowns Z of a stage: x [nz], then the multipliers l [nl]. Equations: those of x, then one for each multiplier.
#pragma once
#include "schemes.h"
#include "runtime/la/pivoted.h"

#define RADAU_JUMP 1e-6                  // length of the two steps of (5), of the step
enum { RADAU_STAGES = 3, RADAU_MODES = 2, RADAU_SETS = 24, RADAU_FACTORS = 48, RADAU_FREE = 16 };

// Nodes c, (a_ij), omega = (a_ij)^-1, and the eigenvalues of omega: those with im = 0 are real, the others stand for a
// pair. Right and left eigenvectors with left . right = 1.
typedef struct radau_method {
  int    s, modes;
  double c[RADAU_STAGES], a[RADAU_STAGES][RADAU_STAGES], omega[RADAU_STAGES][RADAU_STAGES];
  struct radau_mode { double re, im, right[RADAU_STAGES][2], left[RADAU_STAGES][2]; } mode[RADAU_MODES];
} radau_method;
void radau_method_make(radau_method *m, int stages);
// Values and slope of the polynomial through f at the nodes, at x in units of the piece.
double radau_polynomial(const radau_method *m, const double *f, double x);
double radau_slope(const radau_method *m, const double *f, double x);

// Where A = dF/dz has entries, by columns: of all sets, of E, and the diagonal. E has entries of its own.
typedef struct radau_pattern {
  int *start, *row;                     // [n + 1], [entries]
  int *diagonal;                        // [n] places of the diagonal
  int *place;                           // of what the kernels give, as radau_derivative meets it; -1: nowhere
  int *mass;                            // the same of the masses: an entry of E
  int  ne, *erow, *ecol, *eplace;       // entries of E, and their places in A
  int *order;                           // [n + RADAU_FREE] of elimination
} radau_pattern;

// A of one set of laws and one set of discrete values. U, X [n, free]: (4).
typedef struct radau_set {
  long    used;                         // 0: nothing stands here
  unsigned long number;                 // of this content
  unsigned char *side;                  // [rows]
  unsigned char *alone;                 // [n] states whose derivative depends on no unknown
  double *d;                            // [nd] discrete values, where matrices depend on them
  double *A;                            // [entries]
  double *U, *X, *left;                 // left [n, free]: null vectors of the unscaled matrix, for the test
  int     free;
  int     index2;                       // (5) moves E z
} radau_set;

// Factors of (mu/r) E - A: of all eigenvalues mu, or of mu = 1 and r < 0 too, for (5).
typedef struct radau_factors {
  long    used;
  unsigned long number;                 // of the set
  double  r;
  int     plain;                        // E/r - A alone
  int     n;                            // unknowns, with those of (4)
  double *scale;                        // [n] rows are multiplied by it
  nsm_lu  lu[RADAU_MODES];
} radau_factors;

typedef enum { RADAU_GOOD, RADAU_DIVERGES, RADAU_CONTRADICTS } radau_outcome;

struct sim_radau {
  radau_method m;
  int    n, nz, nl, linear;
  int    ncase, *cases;                 // rows whose law has a bound
  int   *group;                         // [n] unknowns of one unit are measured by the same size: the first of them
  radau_pattern at;
  double *E, *other;                    // [at.ne]; at a stage
  double *inertia;                      // [n] diagonal of E
  int     moving_mass;                  // E depends on the state
  double *Z[RADAU_STAGES], *F[RADAU_STAGES], *R[RADAU_STAGES];    // [n + 1] [n] [n]
  double *y[RADAU_STAGES], *lo[RADAU_STAGES], *hi[RADAU_STAGES];  // [rows]
  double *xr, *xi, *sum, *terms, *least;                          // [n]
  double *part;                         // [RADAU_STAGES n]
  double *z0, *zp;                      // [n + 1] the begin; a consistent one
  double *before;                       // [n] the state before it
  int    *kstart, *krow;                // the matrix that is factored, with rows and columns of (4)
  double *kre, *kim;
  nsm_lu  probe;                        // factors of determine
  nsm_lu_work lu_work;
  double  largest;                      // of E z at the begin of the trial at hand
  unsigned char *next, *old;            // [rows] sets after a step of implicit Euler, where `takes`; before an event
  int     takes;
  long    clock;                        // for `used`
  unsigned long numbers;
  int     nset, nfactors;
  radau_set     set[RADAU_SETS];
  radau_factors factors[RADAU_FACTORS];
  radau_set    *now;                    // that of the trial
  int           fresh;                  // not linear: A of the piece's begin is known
  radau_outcome outcome;                // of the trial at hand
  double        r;                      // its length
  double       *f;                      // [2 rows][s] what is watched
  // clock/radau_pieces.c: pieces of this step; short ones in a row; the next one is of implicit Euler; this step is
  // counted as captured; sets ended that are not yet told; the piece at hand ends before what implicit Euler passes
  int     pieces, shorts, euler, counted, tells, short_of;
  int     ended;                        // the row whose set ended last in this step; -1
  long    factorizations, solves;
};

// radau_system.c: F of a stage at t, y, lo and hi of its rows; A at a point; y += factor E w
void radau_evaluate(nsm_sim *s, double t, double *Z, double *F, double *y, double *lo, double *hi);
void radau_derivative(nsm_sim *s, double t, double *Z, double *A);
double radau_rate(nsm_sim *s, int z);                      // of a state, at present
void radau_mass(nsm_sim *s, double t, double *Z, double *E);
void radau_times(const struct sim_radau *w, const double *E, double factor, const double *x, double *to);
void radau_terms(const struct sim_radau *w, const double *A, const double *x, double *to);     // to += |A| |x|
void radau_terms_of_mass(const struct sim_radau *w, const double *x, double *to);              // to += |E| |x|
// radau_pattern.c
void radau_pattern_make(nsm_sim *s);
// The entries of what the kernels give, in the order of radau_derivative: visit(to, row, column), column -1: of no
// unknown; entries of E
typedef void radau_visit(void *to, int row, int column);
void radau_entries(nsm_sim *s, radau_visit *visit, void *to);
void radau_entries_of_mass(nsm_sim *s, radau_visit *visit, void *to);

// radau_sets.c: A of now.set at the begin; where it is known already, that. NULL: too much is not determined.
radau_set *radau_set_now(nsm_sim *s);
// Does the set contradict itself: is F outside of what A and E reach? (4)
int radau_contradicts(nsm_sim *s, const radau_set *set, const double *Z, const double *F);
void radau_complete(const nsm_sim *s, const radau_set *set, const double *Z, double *F);   // F -= U X^T Z

// radau_factor.c: mu E - A, [kstart, krow, kre, kim]; factors, NULL where it is singular
void radau_matrix(nsm_sim *s, const radau_set *set, double re, double im);
radau_factors *radau_factors_of(nsm_sim *s, radau_set *set, double r, int plain);
void radau_solve(nsm_sim *s, const radau_factors *f, double **R);       // R := the change of the stages
void radau_solve_plain(nsm_sim *s, const radau_factors *f, double *R);

// step_radau.c: the trial of length r from the present state, in w.z1, w.l1 and the stages
radau_outcome radau_trial(nsm_sim *s, double r);
void   radau_round_off(nsm_sim *s, const radau_set *set);          // before a residual is measured: w.least
double radau_off(nsm_sim *s, const radau_set *set, double r, const double *Z, const double *F, const double *R);
// radau_project.c: (5) with the set of now; z [n + 1] out. 0: not found
int radau_project(nsm_sim *s, double h, double *z);
void radau_renew(nsm_sim *s, double h, double *z);        // unknowns and multipliers of index 1, now; z: scratch

// radau_watch.c
enum { RADAU_NONE = -1 };
void   radau_watch(nsm_sim *s);                        // f of the trial at hand, and sizes
double radau_tolerance(const nsm_sim *s, int which, double r);
int    radau_is_watched(const nsm_sim *s, int which);
int    radau_worst(const nsm_sim *s);                   // what is broken most, beside its tolerance; -1: nothing
void   radau_clip(const nsm_sim *s, double *l);         // multipliers within their tolerance of a bound: at it
int    radau_holds(const nsm_sim *s, double loose);    // everything that is watched, at all stages
// The sets of the step at hand (w.l1, w.z1); keep: that of now where it has the same answer
void   radau_sets_of(nsm_sim *s, double t1, int keep, unsigned char *set);
double radau_verify(nsm_sim *s, int *worst);                       // the independent check, at the end
