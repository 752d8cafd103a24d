// The one-step problem and what its solvers return. With sets.h the only header of this folder that others include.
//
//   Find lambda and u = M lambda + q with, block by block,  -(u_i + s_i(u_i)) in N_{K_i}(lambda_i)
//   (docs/numerics/one-step-problem.md (1))
//
// Rows that belong to no cone block are intervals K_i = [lo_i, hi_i], s = 0: free (-inf, inf), nonneg [0, inf), box [l,
// h]. Cone blocks are runs of neighbouring rows; `cone` lists them in ascending order. N = lambda_first is the normal
// row, T the rest.
//
//   type        rows             K                                                    s on the normal row
//   COULOMB     n,t | n,t1,t2    |lambda_T| <= mu N                                   mu |u_T|
//   ELLIPTIC    n,t1,t2          (lambda_1/mu)^2 + (lambda_2/mu2)^2 <= N^2            |(mu u_1, mu2 u_2)|
//   CONTENSOU  n,t1,t2,s  |lambda_T|^2 + (lambda_s/radius)^2 <= (mu N)^2  mu |(u_T, radius u_s)|  [Möller 2011,
//     (3.122)]
//   CONTENSOU_EXACT  as CONTENSOU, with the set of a circular area under Hertz' pressure  mu h(u_T, radius u_s)
//                             [Möller 2011, (3.118)-(3.120)], contensou.c
//   GRIP   n,t | n,t1,t2  |lambda_T| <= mu |N|, N free, u_N = 0           0  friction on a bilateral constraint
//   GRIP2  n1,n2,t | n1,n2,t1,t2  |lambda_T| <= mu |(N1, N2)|, u_N1 = u_N2 = 0  0  friction at a pin, of the resultant
//   GRIP3  n1,n2,n3,t     the same with three normal rows
//   DISK  t | t1,t2  |lambda| <= radius                           0  friction under a given normal impulse
//   ELLIPSE  t1,t2 | t1,t2,s  |A^-1 lambda| <= radius, A = diag(mu, mu2) | diag(mu, mu, mu2)   0  the same of ELLIPTIC
//                             and CONTENSOU
//   ELLIPSE_EXACT  t1,t2,s  A^-1 lambda in radius times the set of CONTENSOU_EXACT             0  the same of that
//   ROLLING  n,t,r | n,t1,t2,r1,r2  |lambda_T| <= mu N, |lambda_R| <= mu2 N     mu |u_T| + mu2 |u_R|  rolling friction
//
// Where mu = 0 or N = 0 forces lambda_T = 0, u_T is free. lo and hi of rows in a cone block are not read (NULL where
// all rows are in blocks). Everything is in the caller's memory: solvers allocate nothing after
// nsm_cone_workspace_size, print nothing, keep no global state.
#pragma once
#include "runtime/shared/team.h"
#include <stddef.h>
#include <stdint.h>

enum { NSM_CONE_MOST_ROWS = 5 };   // of a block
typedef enum {
#define LAW(...)
#define BLOCK(name, number, ...) NSM_CONE_##name = number,
#include "runtime/shared/laws.def"
  NSM_CONE_TYPES = 16      // beyond the last number
} nsm_cone_type;

typedef struct nsm_cone_block {
  nsm_cone_type type;
  int    first, size;        // rows first ... first + size - 1
  double mu, mu2, radius;    // >= 0, finite; those that the type names
} nsm_cone_block;

enum { NSM_SLAB = 500 };   // contacts that a slab has at least, those between it and the next one included

// M = C X + D in factors, for problems that are too large to be multiplied out: C and X^T [m, n] have the same few
// unknowns in all rows of a node, D is diagonal. A node is a cone block, or a row that is in none; they are in order.
typedef struct nsm_cone_factors {
  int           n, nodes;
  const int    *first;       // [nodes+1] its rows
  const int    *start, *z;   // [nodes+1], [start[nodes]] its unknowns
  const double *c, *x;       // row r of node k: C at c + at[k] + r e and its column of X at x + at[k] + r e, for the
  const size_t *at;          // e = start[k+1] - start[k] unknowns of the node; [nodes+1]
  const double *d;           // [m] D, or NULL
  int           slabs;       // up to 1: none. Else the nodes stand in 2 slabs - 1 parts: those within each slab, then
  const int    *part;        // those between each slab and the next one; [2 slabs] where they begin, and the end;
  const int    *owned;       // [slabs + 1] the unknowns of each slab. Nothing of a slab meets another but what is
                             // between them, nor do two of the latter meet
  const nsm_team *team;      // of threads; NULL: one
} nsm_cone_factors;

// M is dense column-major (row_start == NULL; M[i + j*m]) or compressed rows (CSR; columns ascending in each row); or
// NULL and in `factors`: sweeps.c alone solves these, from a workspace of nsm_cone_factors_workspace, and
// residual_factors.c verifies them.
typedef struct nsm_cone_problem {
  int            m;          // number of rows
  const double  *M;          // dense: [m*m] column-major; sparse: [row_start[m]] values
  const int     *row_start;  // [m+1] or NULL
  const int     *col;        // [row_start[m]]
  const double  *q;          // [m]
  const double  *lo, *hi;    // [m]; -inf / +inf allowed, lo <= hi
  uint64_t       matrix_id;  // 0: unknown. Otherwise: same id in the same workspace means same m, M, cones (but for the
                             // radius of one under a given impulse) and
                             // lo/hi *kinds* as last time, so factors may be reused
  int                   cones;
  const nsm_cone_block *cone; // [cones]
  const double  *q_terms;    // [m] or NULL: size of the terms that q_i was made of, which it has the round-off of
  const nsm_cone_factors *factors;
  const unsigned char *equation; // [m] or NULL: nonzero where a row that is free and in no block is worth eliminating
                             // beforehand (reduced.c): a constraint that does not depend on others of these
} nsm_cone_problem;

typedef enum {
  NSM_CONE_SOLVED = 0,       // every row within max(tolerance, 8 floor) of (2), and explained by q and the bounds (5):
                             // see residual.c
  NSM_CONE_NO_SOLUTION,      // proved up to round-off: by a direction that certificate.c has checked, or by trying
                             // every case (m <= 5)
  NSM_CONE_FAILED,           // every solver tried; lambda holds the best one found
  NSM_CONE_BAD_INPUT,        // nan, inf in M or q, lo > hi, m < 0; blocks that overlap, are out of order or range, have
                             // the wrong size or
                             // a coefficient that is negative, infinite or nan
  NSM_CONE_ACCEPTED          // not within the tolerance, but within `accept` of the options: by the same verifier
} nsm_cone_status;

typedef struct nsm_cone_options {
  const char *solver;        // NULL or "auto": the driver chooses; else a name of solver_table.c, and that one alone
  double      tolerance;     // on the residual (2); 0: the default 1e-12
  double      accept;        // the residual with which an answer will do where the tolerance is not reached once all
                             // solvers were tried, of large piles sooner; status ACCEPTED; up to the tolerance: none
  int         max_iterations;// 0: the solver's own default
  int         warm;          // nonzero: lambda on entry is a guess (its active set is tried first)
  double      budget;        // work, in NSM_CONE_OPERATIONS; 0: the default NSM_CONE_BUDGET; HUGE_VAL: no end
  const volatile int *stop;  // where it becomes nonzero nothing more is tried, as if the budget were used up; or NULL
  int         once;  // nonzero: FAILED after every solver was tried once; for callers with another way to go on
  int         brief; // nonzero: one of an iteration, which goes on from whatever comes of it: of a pile no more is done
                     // than the loop that is quickest from a guess and interior points; FAILED with the best answer
                     // where that is not within `accept`; 2: no interior points
} nsm_cone_options;
#define NSM_CONE_BUDGET 40.0
#define NSM_CONE_OPERATIONS 1e9   // additions and multiplications, as solvers count them: 0.15 to 0.5 s

typedef struct nsm_cone_result {
  nsm_cone_status status;
  double          residual;  // (2), computed by residual.c from M, q, lo, hi and lambda alone: relative to the terms of
                             // each row; where q drowns in them, to what is explained
  double          floor;     // eps: no solver can be asked for less
  int             worst;     // row with the largest residual
  const char     *solver;    // who solved it; otherwise who came closest, or NULL
  int             iterations;// summed over all solvers tried
  int             late;      // FAILED because the budget was used up
  double          work;      // operations of all solvers and of the verifier
} nsm_cone_result;

// Bytes of workspace for problems of up to m rows with up to nnz entries (dense: m*m) and half bandwidth up to
// `bandwidth` (dense: m).
size_t nsm_cone_workspace_size(int m, size_t nnz, int bandwidth);
// The same for problems with up to `cones` cone blocks; their solvers need more than those of intervals.
size_t nsm_cone_workspace_size_with(int m, size_t nnz, int bandwidth, int cones);
// The same for problems in factors, of m rows in `nodes` nodes and n unknowns.
size_t nsm_cone_factors_workspace(int m, int nodes, int n);
// Must be called once on fresh memory before the first solve. Not to be moved afterwards. One workspace serves any
// sequence of problems that it is large enough for; a smaller one is safe (down to the size for m = 0) but leaves out
// the solvers that do not fit.
void   nsm_cone_workspace_init(void *workspace, size_t bytes);

// What a workspace carries from one problem to the next one with the same matrix_id, beside factors that are the same
// again when they are made again: its last answer, as a set of rows. All zero: nothing. A workspace that recalls what
// another one remembers gives the same bits as that one, for problems with the ids that the other one had.
typedef struct nsm_cone_memory {
  uint64_t matrix_id;
  int      m, sparse;
  unsigned basic, high, modes;
  int      basis_known, modes_known;
} nsm_cone_memory;
void nsm_cone_remember(const void *workspace, nsm_cone_memory *to);
void nsm_cone_recall(void *workspace, const nsm_cone_memory *from);

// lambda [m] in (if warm) and out; u [m] out (= M lambda + q).
nsm_cone_status nsm_cone_solve(const nsm_cone_problem *p, const nsm_cone_options *o, void *workspace,
                               double *lambda, double *u, nsm_cone_result *r);

// Why the last problem of the workspace has no solution: y [m] with y.u <= -*margin for all lambda in K, where every
// solution has y.u >= 0; the largest |y_i| is 1. NULL where it has one, or where every case was tried instead. Stays
// until the workspace is used again.
const double *nsm_cone_proof(const void *workspace, double *margin);
// The same in a sentence without a stop. `name` writes what u of a row is called. Returns the row that weighs most, -1
// where every case was tried.
typedef void nsm_cone_name(void *with, int row, char *out, size_t size);
int nsm_cone_explain(const nsm_cone_problem *p, const void *workspace, nsm_cone_name *name, void *with, char *out,
                     size_t size);

// Natural-map residual (2): max over rows and blocks of |lambda_i - P_i(lambda_i - (L_i / U_i)(u_i + s_i))|_2 / L_i,
// U_i the size of the terms of u_i, L_i of lambda_i; near round-off with M lambda + q summed in twice the working
// precision; see residual.c. Infinite where the blocks are malformed. Shares nothing with the solvers. `floor` and
// `worst` may be NULL.
double nsm_cone_residual(const nsm_cone_problem *p, const double *lambda, double *floor, int *worst);
// The same of one interval by one look at it; -1 where that is not enough. u [1] out.
double nsm_cone_glance(const nsm_cone_problem *p, const double *lambda, double *u);

// Intervals of which each is coupled with its neighbours alone: M_i,i-1 M_ii M_i,i+1, the rest as in nsm_cone_problem.
// The first of `below` and the last of `above` are not read.
typedef struct nsm_cone_tridiagonal {
  int           m;
  const double *below, *diagonal, *above, *q, *q_terms, *lo, *hi;   // [m]
} nsm_cone_tridiagonal;
// One or more rounds of pivoting in O(m), and the verifier: how many rounds, 0 where the answer is not accepted at the
// verifier's first look and nsm_cone_solve is to be asked. lambda, u, scratch, state: [m], out. *residual: as (2); 1
// where lambda wants a second look, infinite where there is no answer.
int nsm_cone_solve_tridiagonal(const nsm_cone_tridiagonal *p, unsigned char *state, double *scratch, double *lambda,
                               double *u, double *residual);
// The verifier's first look alone: u := M lambda + q; is every row right to round-off? *residual: the largest, 1 if
// not. scratch [m].
int nsm_cone_check_tridiagonal(const nsm_cone_tridiagonal *p, const double *lambda, unsigned char *scratch, double *u,
                               double *residual);

// The row of laws.def of a type; `word` is NULL where there is no type of this number. blocks.c
typedef struct nsm_cone_kind {
  const char   *word;
  nsm_cone_type type;
  int           normals, sizes, mu, mu2, radius;
} nsm_cone_kind;
const nsm_cone_kind *nsm_cone_kind_of(nsm_cone_type type);
// The kinds in the order of laws.def, the `k`th; NULL behind the last.
const nsm_cone_kind *nsm_cone_kind_at(int k);

// Normal rows of a type: they come first. 0: there is none.
static inline int nsm_cone_normals(nsm_cone_type type) {
  switch (type) {
#define LAW(...)
#define BLOCK(name, number, word, normals, ...) case NSM_CONE_##name: return normals;
#include "runtime/shared/laws.def"
    default: return 0;
  }
}
// Friction under a given normal impulse.
static inline int nsm_cone_is_given(nsm_cone_type type) { return nsm_cone_normals(type) == 0; }
// Bilateral, and its friction: the normal rows are free.
static inline int nsm_cone_is_grip(nsm_cone_type type) {
  return type == NSM_CONE_GRIP || type == NSM_CONE_GRIP2 || type == NSM_CONE_GRIP3;
}
// 1 where a block of this type may have this many rows.
static inline int nsm_cone_has_size(nsm_cone_type type, int size) {
  return size > 0 && size <= NSM_CONE_MOST_ROWS && nsm_cone_kind_of(type)->sizes >> size & 1;
}

// The exact set B of Contensou in the frame (lambda_T, lambda_s / radius): out := the point of r B that is nearest to x
// [3]; with an element of its generalised Jacobian J [9], column-major, and by_radius [3] = d out / d r, or NULL.
void nsm_cone_project_contensou(double r, const double *x, double *out, double *J, double *by_radius);
double nsm_cone_gauge_contensou(const double *x);   // the least r with x in r B

// The table of solvers, for --solver and its error message: names in order, NULL at the end.
const char *const *nsm_cone_solver_names(void);
// Who solves what a solver that is gone solved; NULL where there never was one of this name.
const char *nsm_cone_solver_instead(const char *name);
