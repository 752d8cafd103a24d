// What the solvers of this folder share: the workspace, the shape of a solver, and its helpers. Not for other folders.
//
// A solver proposes; the driver alone decides. It gets the problem and a workspace, writes lambda, and says whether it
// means it. Whether lambda is a solution is checked by residual.c, which uses nothing declared here except its own
// result.
#pragma once
#include "sets.h"
#include <math.h>
#include <string.h>

// Which way the linear systems of a problem are solved (matrix.c decides, basis.c solves).
typedef enum {
  NSM_FORM_DENSE,        // column-major, the caller's or a copy made of a small sparse one
  NSM_FORM_TRIDIAGONAL,  // three arrays, own kernel
  NSM_FORM_BANDED,       // banded LU
  NSM_FORM_SPARSE        // rows only: no factorization fits the workspace, only the Gauss-Seidel solvers work
} nsm_cone_form;

// Where lambda_i stands: strictly between its bounds with u_i = 0, or at a bound.
enum { NSM_BASIC = 0, NSM_LOW = 1, NSM_HIGH = 2, NSM_OPEN = 3 };   // NSM_OPEN: not decided (branch.c, certificate.c)

// the largest m of modes.c, inverses kept there, no set of modes
enum { NSM_MODES_MAX = 8, NSM_MODES_SLOTS = 24, NSM_MODES_NONE = 0xffff };
enum { NSM_PLANAR_MAX = 12, NSM_PLANAR_QUICK = 6 }; // the largest m of planar.c; up to here it takes microseconds
// basis_known, modes_known: the last answer is known, its inverse is still to be made (nsm_cone_recall)
enum { NSM_WITHOUT_INVERSE = 2 };
// Problems with blocks: sparse ones with more rows than the first are not made dense, with more than the second never
enum { NSM_FEW_ROWS = 64, NSM_DENSE_ROWS = 4096 };
enum { NSM_BASES_MAX = 5 };   // the largest m whose bases are kept with their inverses (bases.c), and enumerated

typedef struct nsm_cone_work {
  size_t bytes, used;         // the arena behind this struct
  int    iterations;          // of the present call, all solvers
  double work, work_most;     // operations of the present call so far; those that it may take (budget.c)
  int    brief;               // of the options
  const volatile int *stop;   // somebody wants it to end: of the options, or NULL
  int    late;                // it is over
  int    once;                // no solver is tried again
  unsigned left_out;          // bit k: entry k of solver_table.c is not tried; for measurements
  double *proof, margin;      // [m] y of certificate.c and by how much it proves (0: nothing yet); NULL: not wanted
  double  zeta;               // of a proof: the largest share of its terms that is left where s = M^T y must vanish
  double *scales;             // [2m] e and d of scale.c for the problem at hand, once they are known; NULL: no room
  const double         *scales_of;        // its M and
  const nsm_cone_block *scales_of_cone;   // blocks
  int     scales_known;

  // valid while the matrix is the same
  uint64_t      matrix_id;
  int           m, sparse_input;
  int           analysed;     // the fields down to `pivot` are set
  nsm_cone_form form;
  const double *dense;        // [m*m] (dense form)
  int           dense_is_copy;
  int           kl, ku;       // half bandwidths (sparse input)
  int           symmetric;
  double       *below, *diagonal, *above; // [m] each: M_i,i-1  M_ii  M_i,i+1 (tridiagonal form)
  double       *row_norm;     // [m] sum_j |M_ij|

  // pivot: last active set, and the factors of the last basis
  unsigned char *state;       // [m]
  int            state_known;
  unsigned char *factored;    // [m] the state that `factor` belongs to
  int            factor_kind; // basis.c: 0 none
  double         factor_shift;
  int            basic_count;
  int           *index;       // [m] basic rows (dense form)
  int           *ipiv;        // [m]
  double        *factor;      // dense [m*m], tridiagonal and banded [m * max(3, 2kl+ku+1)]

  // bases: for each set of basic rows (bit mask) the negative inverse of M_BB, padded with zeros to m*m
  unsigned known, singular;   // bit masks over the 2^m masks
  unsigned basic, high;       // last basis
  int      basis_known;
  // modes: the same for planar friction, in the same room
  int            planar;      // 1: modes.c can do it, -1: it cannot, 0: not looked at
  int            modes_known, mode_slot, mode_count, mode_turn;
  unsigned short mode_set[NSM_MODES_SLOTS];
  union {
    double inverse[1 << NSM_BASES_MAX][NSM_BASES_MAX * NSM_BASES_MAX];
    double room[(1 << NSM_BASES_MAX) * NSM_BASES_MAX * NSM_BASES_MAX];
  };
} nsm_cone_work;
enum { NSM_MODES_ROOM = (1 << NSM_BASES_MAX) * NSM_BASES_MAX * NSM_BASES_MAX };

// ---- the shape of a solver ------------------------------------------------------------------------------------------
typedef enum {
  NSM_CONE_PROPOSED,     // lambda is believed to be a solution
  NSM_CONE_PROVED_NONE,  // there is none (by a certificate, or by exhaustion)
  NSM_CONE_GAVE_UP       // lambda may hold a start for somebody else
} nsm_cone_outcome;

typedef struct nsm_cone_try {
  double tolerance, sqrt_tolerance;
  int    max_iterations; // 0: own default
  int    warm;           // lambda is a guess
  int    attempt;        // 0, or one of a sequence of attempts, each from elsewhere or with other parameters
  double asked, accept;  // the tolerance asked for, of which `tolerance` is a part; nsm_cone_options.accept
  int    brief;          // the verifier is asked whether it accepts, not for the residual of what it does not
  const struct nsm_cone_solver *only;   // the one that is to try; NULL: all
} nsm_cone_try;

typedef nsm_cone_outcome nsm_cone_solver_function(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                                  double *lambda, double *u);

nsm_cone_solver_function nsm_cone_bases, nsm_cone_enumeration, nsm_cone_pivot, nsm_cone_lemke, nsm_cone_branch,
    nsm_cone_proximal;
nsm_cone_solver_function nsm_cone_nsgs;
nsm_cone_solver_function nsm_cone_contact, nsm_cone_modes, nsm_cone_planar;   // with cone blocks
nsm_cone_solver_function nsm_cone_farkas;                                     // proofs that there is none
nsm_cone_solver_function nsm_cone_proximal_newton, nsm_cone_rest, nsm_cone_sigma, nsm_cone_interior, nsm_cone_sweeps;

struct nsm_cone_check;
// bases.c, checked, for the driver's short cuts: the last basis alone (w->basis_known must hold); all of them.
int nsm_cone_bases_again(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda, double *u,
                         struct nsm_cone_check *c);
int nsm_cone_bases_checked(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                          double *u, struct nsm_cone_check *c);

// modes.c likewise (w->modes_known must hold for the first).
int nsm_cone_modes_again(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda, double *u,
                         struct nsm_cone_check *c);
int nsm_cone_modes_checked(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                          double *u, struct nsm_cone_check *c);
int nsm_cone_is_planar(const nsm_cone_problem *p);

typedef struct nsm_cone_solver {
  const char               *name;
  nsm_cone_solver_function *solve;
  int                       max_rows;    // 0: any
  int                       start;       // NSM_FROM_GUESS ..., below
  unsigned                  blocks;      // kinds of cone blocks that it takes: bits 1 << nsm_cone_type; 0: intervals
                                         // only; NSM_BLOCKS_ONLY: the driver
                                         // does not try it on problems without blocks; NSM_BLOCKS_OR_SMALL: up to
                                         // NSM_SMALL rows it does
  const char               *takes;       // for the reader
} nsm_cone_solver;
enum {
  NSM_FROM_ZERO = 0,
  NSM_FROM_GUESS = 1,        // from the guess that it is given
  NSM_FROM_BEST = 2,         // from the best answer of those before it
  NSM_AGAIN = 4,             // other attempts (nsm_cone_try) differ: to be tried again and again while there is time
  NSM_LARGE = 8,             // the driver tries it only where no factorization fits the workspace (NSM_FORM_SPARSE)
  NSM_PILES = 32,            // the driver tries it where there are NSM_PILE blocks or more
  NSM_BY_NAME = 16           // the driver does not try it: an ablation found no problem that needs it (cone.md 3.15)
};
enum {
#define LAW(...)
#define BLOCK(name, number, word, normals, sizes, mu, mu2, radius, parts, exact, ...) \
  | ((parts) == 1 && !(exact) && (normals) < 2) << NSM_CONE_##name
  NSM_UNIT_BLOCKS = 0                                  // one disk or ellipsoid, one normal row or none
#include "runtime/shared/laws.def"
  ,
#define LAW(...)
#define BLOCK(name, number, word, normals, sizes, mu, mu2, radius, parts, ...) | ((parts) == 1) << NSM_CONE_##name
  NSM_ALL_BLOCKS = 0                                   // all of one part
#include "runtime/shared/laws.def"
  ,
#define LAW(...)
#define BLOCK(name, number, word, normals, sizes, mu, mu2, radius, parts, ...) | ((parts) == 2) << NSM_CONE_##name
  NSM_ROLLING = 0
#include "runtime/shared/laws.def"
  ,
  NSM_BLOCKS_ONLY = 1 << 16,
  NSM_BLOCKS_OR_SMALL = 1 << 17,
  NSM_SMALL = 300,
  NSM_POINTS = 6000,         // blocks up to which interior points are tried then
  NSM_NEAR = 6000,           // blocks up to which the proximal loop is tried from the answer of the step before
  NSM_FACTORED = 40000,      // blocks up to which there is room for factors on bodies
  NSM_PILE = 100,            // of these
  NSM_WARM_FEW = 4           // from here on, up to NSM_NEAR, the answer of the step before is a good start
};

extern const nsm_cone_solver nsm_cone_solvers[];   // ends with a NULL name
const nsm_cone_solver *nsm_cone_solver_find(const char *name);

// ---- residual.c -----------------------------------------------------------------------------------------------------
typedef struct nsm_cone_check {
  double residual, floor;
  int    worst, accepted;
} nsm_cone_check;

// A last look at an answer that was refused for its free rows alone: held.c. 1 where it is accepted, with *c and u.
int nsm_cone_held(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, const double *lambda, double *u,
                  nsm_cone_check *c);

// u := M lambda + q (u may be NULL), residual (2), and whether every row is within what may be called solved (4). Takes
// a few vectors of memory from w and gives them back.
void nsm_cone_check_answer(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, const double *lambda,
                           double *u, nsm_cone_check *c);
// The residual of nsm_cone_residual, which is not the one of a first look that rejects: for solvers that compare
// answers of which none is accepted. Infinite where there is no memory for it.
double nsm_cone_distance(const nsm_cone_problem *p, nsm_cone_work *w, const double *lambda);

// ---- residual_factors.c: the verifier of problems in factors
// ----------------------------------------------------------- u := M lambda + q (u may be NULL) and the measure (2) of
// its head; *worst: the row of the largest part. Infinite where something is not finite, or there is no memory for it.
double nsm_cone_factors_distance(const nsm_cone_problem *p, nsm_cone_work *w, const double *lambda, double *u,
                                 int *worst);

// factored.c: sweeps, and that verifier.
nsm_cone_status nsm_cone_solve_factors(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *asked,
                                       double *lambda, double *u, nsm_cone_result *r);

// ---- budget.c -------------------------------------------------------------------------------------------------------
void nsm_cone_start_budget(nsm_cone_work *w, double budget);
static inline void nsm_cone_charge(nsm_cone_work *w, double operations) { w->work += operations; }
// What a product with M takes.
static inline double nsm_cone_entries(const nsm_cone_problem *p) {
  if (p->factors) return 2.0 * (double)p->factors->at[p->factors->nodes] + p->m;
  return p->row_start ? p->row_start[p->m] + (double)p->m : (double)p->m * p->m;
}
// 1 where the budget of the present call is used up, or somebody wants it to end: to be asked between two iterations of
// anything that may take long.
int  nsm_cone_late(nsm_cone_work *w);

// ---- workspace.c ----------------------------------------------------------------------------------------------------
// n bytes from the arena (64-byte aligned), or NULL. Released by resetting w->used to what it was.
void *nsm_cone_take(nsm_cone_work *w, size_t bytes);
static inline double *nsm_cone_take_doubles(nsm_cone_work *w, size_t n) { return nsm_cone_take(w, n * sizeof(double)); }
static inline int    *nsm_cone_take_ints(nsm_cone_work *w, size_t n)    { return nsm_cone_take(w, n * sizeof(int)); }

// ---- matrix.c -------------------------------------------------------------------------------------------------------
// Looks at a new matrix once: validity, bandwidth, symmetry, form. Returns 0 where it is malformed or not finite.
int  nsm_cone_analyse(const nsm_cone_problem *p, nsm_cone_work *w);
// q finite, bounds ordered and not on the wrong side of infinity.
int  nsm_cone_vectors_ok(const nsm_cone_problem *p);
// out := M x + q (in the form chosen by nsm_cone_analyse).
void nsm_cone_apply(const nsm_cone_problem *p, const nsm_cone_work *w, const double *x, double *out);
double nsm_cone_entry(const nsm_cone_problem *p, int i, int j);   // M_ij
double nsm_cone_diagonal(const nsm_cone_problem *p, int i);
// Walking through rows and blocks in order: the block whose first row is i, NULL for intervals; *c, 0 at first, is the
// number of the next block.
static inline const nsm_cone_block *nsm_cone_block_at(const nsm_cone_problem *p, int i, int *c) {
  return *c < p->cones && p->cone[*c].first == i ? &p->cone[(*c)++] : NULL;
}

// ---- blocks.c -------------------------------------------------------------------------------------------------------
// 1 where the blocks are in order, in range, of the right size, and have coefficients >= 0 and finite.
int  nsm_cone_blocks_ok(const nsm_cone_problem *p);
// Bits 1 << type of the blocks of a problem.
unsigned nsm_cone_blocks_used(const nsm_cone_problem *p);
// The largest half axis of a block under a given normal impulse; 0 of others.
static inline double nsm_cone_reach(const nsm_cone_block *b) {
  double d[NSM_CONE_MOST_ROWS];
  return nsm_cone_is_given(b->type) ? nsm_cone_round(b, d) : 0;
}
// Is its tangential set Contensou's exact one? (Without an axis it is as thin as the ellipsoid.)
int nsm_cone_is_exact(const nsm_cone_block *b);
// max of s_T.lambda_T over the tangential set of a block where its normal force is 1 (given: over the set).
double nsm_cone_support(const nsm_cone_block *b, const double *s);
// The same, with a point of the set where it is attained.
double nsm_cone_support_point(const nsm_cone_block *b, const double *s, double *lambda);
// lambda := the point of K nearest to zero.
void nsm_cone_start(const nsm_cone_problem *p, double *lambda);

// ---- local.c --------------------------------------------------------------------------------------------------------
// One block alone: lambda [n] of  u = M lambda + q  (M [n*n] column-major). 0 where it found none, lambda is then a
// start at best.
int  nsm_cone_local(const nsm_cone_block *b, const double *M, const double *q, double *lambda);
// block_newton.c: for CONTENSOU_EXACT, from the answer for its ellipsoid (found: 1 where lambda is one); for GRIP2 and
// GRIP3; for ROLLING.
int  nsm_cone_local_contensou(const nsm_cone_block *b, const double *M, const double *q, int found, double *lambda);
int  nsm_cone_local_grip(const nsm_cone_block *b, const double *M, const double *q, double *lambda);
int  nsm_cone_local_rolling(const nsm_cone_block *b, const double *M, const double *q, double *lambda);
// A problem of few rows: one or two disks of given radii beside free rows, from lambda. 0: it is another one, or not
// solved.
int  nsm_cone_local_given(const nsm_cone_problem *p, double *lambda);

// The size of the terms of q_i.
static inline double nsm_cone_terms(const nsm_cone_problem *p, int i) {
  double q = fabs(p->q[i]);
  return p->q_terms && p->q_terms[i] > q ? p->q_terms[i] : q;
}

// ---- rectangular.c --------------------------------------------------------------------------------------------------
// x := a solution of A x = b, A by rows, `stride` apart, at most NSM_PLANAR_MAX each way; 0 where there is none. terms:
// sizes of what each b_i was summed from. A, b and terms are lost. *doubtful is set where the rank of A is not certain.
typedef struct nsm_rectangular { int rows, columns, stride; double *A, *b, *terms, *x; } nsm_rectangular;
int  nsm_cone_solve_rectangular(const nsm_rectangular *s, int *doubtful);

// ---- contensou.c, besides what problem.h declares -------------------------------------------------------------------
// max of v.lambda over B, and where it is attained (or NULL).
double nsm_cone_power_contensou(const double *v, double *lambda);
// out [4] := the point of { (N, mu N B) } that is nearest to x.
void nsm_cone_project_contensou_cone(double mu, const double *x, double *out);

// ---- projection.c ---------------------------------------------------------------------------------------------------
static inline double nsm_cone_project(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }
// lambda := its nearest point in K: intervals, cones in the frame of residual_rows.h, grips with the present |N|.
void nsm_cone_project_all(const nsm_cone_problem *p, double *lambda);
// The interval rows alone.
void nsm_cone_clip(const nsm_cone_problem *p, double *lambda);
void nsm_cone_project_block(const nsm_cone_block *b, double *lambda);
// out := P(x) on |x_T| <= mu x_0, |x_R| <= mu2 x_0, k rows of T, k of R (out may be x).
void nsm_cone_project_rolling(int k, double mu, double mu2, const double *x, double *out);
// out := P(x) on |x_T| <= mu x_0, n <= 4 (out may be x); and with an element of its generalised Jacobian J [n*n],
// column-major.
void nsm_cone_project_cone(int n, double mu, const double *x, double *out);
void nsm_cone_project_cone_derivative(int n, double mu, const double *x, double *out, double *J);
// out := P(x) on |x| <= radius, n <= 3; with J [n*n] = d out / d x and by_radius [n] = d out / d radius (inside: I and
// 0).
void nsm_cone_project_disk(int n, double radius, const double *x, double *out);
void nsm_cone_project_disk_derivative(int n, double radius, const double *x, double *out, double *J, double *by_radius);
// The active set that the natural map sees at (lambda, u).
void nsm_cone_guess_state(const nsm_cone_problem *p, const double *lambda, const double *u, unsigned char *state);

// ---- basis.c --------------------------------------------------------------------------------------------------------
// Factors M_BB + shift I for the basic rows of w->state (kept where it is the same as last time); 0 where it is
// singular.
int  nsm_cone_basis_factor(const nsm_cone_problem *p, nsm_cone_work *w, double shift);
// x [m]: on entry a right-hand side, on exit x_B = (M_BB + shift I)^{-1} rhs_B, and 0 elsewhere.
void nsm_cone_basis_solve(nsm_cone_work *w, double *x);

// ---- pivot.c --------------------------------------------------------------------------------------------------------
// The pivoting loop on  u = (M + shift I) lambda + q - shift * center;  starts from w->state, ends with it. 1 where it
// found a solution.
int nsm_cone_pivot_loop(const nsm_cone_problem *p, nsm_cone_work *w, double shift, const double *center,
                        int max_iterations, double *lambda, double *u);

// ---- chain.c --------------------------------------------------------------------------------------------------------
// Writes w->state for a tridiagonal problem with off-diagonal entries <= 0 and lower bounds (or none); 0 where it does
// not apply.
int  nsm_cone_chain_state(const nsm_cone_problem *p, nsm_cone_work *w);

// e with 2^(e-1) <= |x| < 2^e, x not 0.
static inline int nsm_cone_exponent(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int e = (int)(bits >> 52 & 0x7ff);
  if (e == 0) frexp(x, &e);
  else e -= 1022;
  return e;
}

// ---- scale.c --------------------------------------------------------------------------------------------------------
// Exponents e, d [m] of powers of two: E M D has entries near one in every row and column; where unit is not NULL, E (M
// D, 2^unit q). scratch [3m]. w, which may be NULL, lends memory.
void nsm_cone_balance(const nsm_cone_problem *p, nsm_cone_work *w, double *e, double *d, double *unit,
                      double *scratch);
// The same without q. They depend on M and on the kinds of blocks alone: made once for the problem that w is at work
// on; w may be NULL.
void nsm_cone_balance_once(const nsm_cone_problem *p, nsm_cone_work *w, double *e, double *d, double *scratch);

// The balanced problem: M' = E M D, q' = 2^unit E q, lambda' = 2^unit D^-1 lambda, u' = 2^unit E u.
typedef struct nsm_cone_balanced {
  nsm_cone_problem p;
  double *e, *d, unit;         // exponents
  double *M, *q, *lo, *hi, *terms, *lambda, *u, *proof;
  nsm_cone_block *cone;
} nsm_cone_balanced;
// Takes its memory from the end of w (given back by w->bytes). 0 where there is no room, nothing to gain, or some entry
// would get lost.
int  nsm_cone_balanced_make(const nsm_cone_problem *p, nsm_cone_work *w, nsm_cone_balanced *b);
// b->lambda from lambda (there), or lambda from b->lambda.
void nsm_cone_balanced_lambda(const nsm_cone_balanced *b, int there, double *lambda);

// ---- farkas.c -------------------------------------------------------------------------------------------------------
// A column: weight[k] times column first + k of M, k < size; or -weight[0] times the unit vector `slack`.
typedef struct nsm_cone_column {
  int    first, size, slack, state, barred;
  double weight[NSM_CONE_MOST_ROWS], low, high, x, length;
} nsm_cone_column;
enum { NSM_FARKAS_ROWS = 600 };           // beyond so many rows of normals and intervals no proof is looked for
// How many a problem of m rows may need.
static inline size_t nsm_cone_farkas_columns(int m) {
  return (size_t)m + 12 * (size_t)(m < NSM_FARKAS_ROWS ? m : NSM_FARKAS_ROWS) + 16;
}

// ---- certificate.c --------------------------------------------------------------------------------------------------
// 1 where y proves that no lambda in K gives a u with the signs that (1) asks for. scratch [2m].
int  nsm_cone_is_certificate(const nsm_cone_problem *p, const double *y, double *scratch);
// The same, and where entries of M are nothing but round-off. Takes memory from w and gives it back.
int  nsm_cone_proves(const nsm_cone_problem *p, nsm_cone_work *w, const double *y);
// The same as the first for what is left of the problem where rows are decided: state [m] of BASIC, LOW, HIGH, OPEN.
int nsm_cone_is_certificate_at(const nsm_cone_problem *p, const unsigned char *state, const double *y, double *scratch);
