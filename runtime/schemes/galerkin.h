// Pieces of order 4, 6 and 8 of the energy-consistent scheme, `consistent(order = 2 s)`: what their files share.
// docs/numerics/galerkin.md has the equations; numbers in comments are its own.
//
//   galerkin_tables.c   Legendre's polynomials, Gauss' nodes, weights of the subintervals
//   galerkin_setup.c    what fits, room; the rows of a piece     galerkin_points.c  places and velocities in the piece
//   galerkin_system.c   the equations (3)-(6)                    galerkin_matrix.c  their derivatives
//   galerkin_nodes.c    forces and sliding friction at Gauss' nodes
//   galerkin_turns.c    attitudes: a chart about the mean one
//   galerkin_handed.c   what a piece hands to the next: factors, unknowns
//   galerkin_force.c    forces at the end of a piece             galerkin_books.c   works and losses
//   step_galerkin.c     a piece: Newton's method             galerkin_verify.c  the check of what stands
//
// Unknowns of a piece, for each polynomial j < s: a_j [nv], b_j [nv], lambda_j [m], kappa_j [m], m rows that are kept
// on both levels: constraints, closed contacts, friction that sticks. Equations in the same order: momentum (3),
// coordinates (4), positions (5), velocities (6).
#pragma once
#include "consistent.h"
#include "instant.h"

enum { GALERKIN_DEGREE = 4, GALERKIN_MOST = 800,           // polynomials; unknowns of a piece
       GALERKIN_PAST = SIM_PAST_PIECES };
enum { IN_PLACES, IN_SPEEDS, IN_FORCES, IN_KAPPAS };     // parts of a block of unknowns

typedef struct galerkin_tables {
  int    s;
  double node[GALERKIN_DEGREE], weight[GALERKIN_DEGREE];                     // of Gauss, on [0, 1]
  double P[GALERKIN_DEGREE][GALERKIN_DEGREE], I[GALERKIN_DEGREE][GALERKIN_DEGREE];  // P_j, I_j at node k: [k][j]
  double at[GALERKIN_DEGREE + 1][GALERKIN_DEGREE + 1][GALERKIN_DEGREE];      // I_j(i/N): [N][i][j]
  double share[GALERKIN_DEGREE + 1];                                         // c_N of (2)
} galerkin_tables;
void galerkin_tables_make(galerkin_tables *t, int s);

// A class' outputs at both ends of a subinterval.
typedef struct galerkin_class {
  double *mass[2], *h[2], *dr[2], *jac;
  double *hm;                           // the mean of H of constraints on bodies; NULL: that of both ends
} galerkin_class;
// A body: numbers of its turn among the velocities; B of (10) for the increment at hand.
typedef struct galerkin_turn { int z[3]; double B[9]; } galerkin_turn;

struct sim_galerkin {
  galerkin_tables t;
  int     m, block, n;                  // rows of the piece; unknowns of one polynomial, 2 (nv + m); of all
  int    *row;                          // [r.n] rows of the piece
  unsigned char *slides;                // [nfriction] a bit for each part that slides in this piece (instant.h)
  galerkin_class *cls;
  int     nturn; galerkin_turn *turn;
  double *middle;                       // [nq] with the attitudes p_M
  int     most;                         // unknowns with all rows
  double  places, speeds;               // places over the length beside velocities; sum m u^2 (galerkin_measure)
  double  pushes;                       // velocities and those of `push` (sim.h), beside velocities
  double *x, *dx, *res, *plain;         // [n] unknowns, Newton's step, residual; x of the motion from the begin
  double *A, *work;                     // [n, n] its derivative; scratch of the pseudo-inverse
  int    *jpvt, lwork;
  double *q[GALERKIN_DEGREE + 1], *u[GALERKIN_DEGREE + 1];     // [nq] [nz] at the points of one N, or at Gauss' nodes
  double *dq, *du, *minus_dq, *minus_du;// [nv] increments of a subinterval
  double *momentum, *coordinate;        // [nv] brackets of (3), (4)
  double *gap, *rate0, *rate1, *still0, *still1;   // [r.n] of (5), (6); rates at rest, of what moves by itself
  double *f, *l;                        // [nz] [nl] forces at a node, multipliers there
  sim_instant in;                       // at the end of the trial: forces of rows
};

static inline int galerkin_at(const nsm_sim *s, int j, int part, int i) {
  const struct sim_galerkin *g = s->n.galerkin;
  int nv = s->a->nv, first[] = { 0, nv, 2 * nv, 2 * nv + g->m };
  return j * g->block + first[part] + i;
}
// Subinterval i of N: integral of P_j over it.
static inline double galerkin_w(const galerkin_tables *t, int N, int i, int j) {
  return t->at[N][i][j] - t->at[N][i - 1][j];
}

// The rows of the class have no gap; it is a force, and taken at Gauss' nodes.
static inline int galerkin_on_velocities(const nsm_class *c) { return c->kind == NSM_FRICTION || c->velocity_level; }
static inline int galerkin_at_nodes(const nsm_class *c) { return c->work_fn != NULL; }

// galerkin_setup.c
void galerkin_rows(nsm_sim *s);                          // by the sets of now

// galerkin_points.c
void     galerkin_points(nsm_sim *s, int N);             // q, u at i/N
void     galerkin_nodes(nsm_sim *s);                     // q, and dq/dt for u, at Gauss' nodes
// Two-point view of subinterval i of N, of which the increments are made; backward: from its end to its begin
nsm_view galerkin_pair(nsm_sim *s, int N, int i);
nsm_view galerkin_backward(const nsm_sim *s, const nsm_view *v);
nsm_view galerkin_middle(nsm_sim *s, const nsm_view *v); // its middle, with the mean velocity
nsm_view galerkin_node(nsm_sim *s, int k);
double   galerkin_mean(const nsm_sim *s, int part, int i, int N, int k);  // lambda, kappa of row i, mean over k of N

// galerkin_turns.c: attitudes of the iterate; q gets those where the I_j have these values; B of (10), x [nv] from the
// unknowns to increments of kernels, rows of kernels to those of the unknowns; half of an increment
void galerkin_turns_analyse(nsm_sim *s);
void galerkin_turns_middle(nsm_sim *s);
void galerkin_turns_place(nsm_sim *s, const double *I, double *q);
void galerkin_turns_between(nsm_sim *s, const double *I0, const double *I1);
void galerkin_turns_forth(const nsm_sim *s, double *x);
void galerkin_turns_back(const nsm_sim *s, double *x);
void galerkin_turns_half(const nsm_sim *s, double *x);

// galerkin_system.c
void galerkin_residual(nsm_sim *s);
// Kernels of the rows of class `cls` in a subinterval; 0: it has no row in the piece
int  galerkin_row_kernels(nsm_sim *s, int cls, const nsm_view *v);
const double *galerkin_direction(const nsm_sim *s, int cls, int i);          // entries of pattern h, after that

// galerkin_nodes.c: adds forces at Gauss' nodes to the residual, their derivatives to the matrix; books their works
void galerkin_add_forces(nsm_sim *s);
void galerkin_add_slopes(nsm_sim *s);
void galerkin_book_forces(nsm_sim *s);

// galerkin_matrix.c
int  galerkin_matrix(nsm_sim *s);                        // makes it, and its factors in the state; 0: it is not finite
void galerkin_solve(nsm_sim *s, double *x);              // x := A^-1 x

// galerkin_handed.c
int  galerkin_handed(nsm_sim *s);                        // do the factors of the state do for this piece?
void galerkin_start(nsm_sim *s, int plain);              // plain: the motion from the begin, not of the last pieces
void galerkin_hand_on(nsm_sim *s, int iterations);       // of the piece that was found
double galerkin_measure(nsm_sim *s);                     // Newton's step beside the velocities
double galerkin_momentum_off(const nsm_sim *s);          // what is left of (3), beside the same and forces
void galerkin_lost(nsm_sim *s);                          // nothing is known of pieces before

// galerkin_force.c: accelerations in.e [nv], and in.force of the rows of the piece, at an instant (8)
void galerkin_instant(nsm_sim *s, double t, const double *q, const double *z);
void galerkin_push(nsm_sim *s);                          // what forces would make of velocities in the piece
int  galerkin_forces(nsm_sim *s, double t, const double *q, const double *z);         // the same, and 1
int  galerkin_factors(nsm_sim *s, double t, const double *q, const double *z);        // of a step; factors stay
double galerkin_speed(const nsm_sim *s, int row);        // size of the terms of a rate in the piece

// galerkin_books.c
void galerkin_book(nsm_sim *s);                          // the piece at hand into the ledger
