// Large friction problems: what the ways to their answers share. sigma.c tries them in turn: sweeps and splitting on
// the bodies (sigma_split.c), the path of smoothed problems (sigma_path.c), the flow of the shift (sigma_flow.c); the
// last two by Newton's method on the smoothed problem with the sliding speed as an unknown of its own (sigma_newton.c).
#pragma once
#include "bodies.h"

typedef struct nsm_sigma_cell { double b, c, shift, e[NSM_NODE_ROWS]; } nsm_sigma_cell;    // of sigma_newton.c (b)

// A point of the path: unknowns, y = M x + q without the proximal term, tau, and the center of that term.
typedef struct nsm_sigma_point { double *x, *y, *s, *center, tau; } nsm_sigma_point;

typedef struct nsm_sigma {
  const nsm_cone_problem *p;
  const nsm_cone_try     *t;
  double          *u;                  // [m] out, of the answer
  nsm_seed         seed;
  nsm_graph        g;                  // in the frame of the unit cone
  nsm_bodies       bodies;
  nsm_body_factor  factor;
  int              on_bodies;          // linear systems on the bodies; else on the contacts, by
  nsm_fronts       fronts;
  nsm_factor       whole;
  nsm_cone_work   *w;
  double *rho, *share;                 // [nodes] 1 / stiffness; tau of a node is share times tau
  double *x, *y, *s, *center;          // the present point; alpha: weight of the proximal term
  double  push, alpha, tau;
  double *s0, delta;                   // [nodes] the shift of the last instant, and its share (sigma_flow.c)
  double *R, *R0;                      // what is not zero yet, rows and the first one of (a) each
  double *dx, *dy, *ds;                // a Newton step
  double *T, *T0, *dV;                 // derivatives by log tau
  double *tx, *ty, *ts, *px, *py, *ps; // the tangent of the path; the solution that it comes from
  double *stiff;                       // [2 nodes] of sigma_split.c
  double *weight, *xt, *yt, *st, *rhs, *v, *lambda, *best;
  double *A, *B, *Ai, *C;              // [nodes * NSM_NODE_BLOCK]
  nsm_sigma_cell *cell;
  nsm_sigma_point old, turn;           // the last point; where the walk was left
  double  least;                       // nsm_cone_distance of `best`
  int     steps, limit;                // factorizations
  int     enough;                      // `best` is accepted at the second level, nsm_cone_try.accept
} nsm_sigma;

// R, R0 at (x, y, s) and tau, alpha; with the blocks A, B, cell if `blocks`. The largest |R| / share is in *norm, the
// root of the sum of their squares is returned.
double nsm_sigma_residual(nsm_sigma *k, const double *x, const double *y, const double *s, int blocks, double *norm);
// T, T0, dV: the derivatives by log tau at the present point, where alpha goes with tau.
void nsm_sigma_by_tau(nsm_sigma *k);
// Factors the matrix of the present blocks; 0: singular.
int nsm_sigma_factor(nsm_sigma *k);
// dx, dy = M dx, ds with  J (dx, ds) = -(R, R0) - B dV  (dV may be NULL). 0: not finite.
int nsm_sigma_solve(nsm_sigma *k, const double *R, const double *R0, const double *dV, double *dx, double *dy,
                    double *ds);
// dx += the solution of the linear system with right-hand side rhs, which is lost.
void nsm_sigma_back(nsm_sigma *k, double *rhs, double *dx);
// Newton's method at one tau: 1 where |R|_inf <= tau. *used: steps; *start: |R|_inf at first; norm at the end.
int nsm_sigma_stage(nsm_sigma *k, int *used, double *start, double *norm);

// ---- sigma_point.c --------------------------------------------------------------------------------------------------
enum { NSM_SIGMA_LARGE = 1500 };         // nodes from which on there is no time for more than is asked for
void nsm_sigma_keep(const nsm_sigma *k, nsm_sigma_point *p);
void nsm_sigma_go_back(nsm_sigma *k, const nsm_sigma_point *p);
// 0: out of time, or of factorizations.
int  nsm_sigma_may_go_on(const nsm_sigma *k);
// Verifies x, without forces below tau, which only tau makes: 1 where it is the answer. Keeps the best.
int  nsm_sigma_checked(nsm_sigma *k, const double *x, double tau);
// 1 where the best is as good as `accept` asks, and there is no time for more.
int  nsm_sigma_will_do(const nsm_sigma *k);
// tau large, all contacts press a little.
void nsm_sigma_begin(nsm_sigma *k, double push, double tau);

// ---- the ways: 1 where the answer is found, or where it will do -----------------------------------------------------
// Splitting and sweeps start from x, y = M x + q and leave them where they end. patience: sweeps without progress.
int nsm_sigma_split(nsm_sigma *k);
int nsm_sigma_sweeps(nsm_sigma *k, int patience);
// push: r / rho; ratio: alpha at first; tau: at first, of what q suggests.
int nsm_sigma_path(nsm_sigma *k, double push, double ratio, double tau);
// step: the first one of the flow; HUGE_VAL: straight down.
int nsm_sigma_flow(nsm_sigma *k, double push, double tau, double step);
