// The smoothed friction problem with the sliding speed as an unknown of its own, and its linear systems on the bodies:
// what sigma_newton.c (the equations and their derivatives) and sigma_path.c (the way to the answer) share.
#pragma once
#include "bodies.h"

typedef struct nsm_sigma_cell { double b, c, e[NSM_NODE_ROWS]; } nsm_sigma_cell;    // of sigma_newton.c (b)

// A point of the path: unknowns, y = M x + q without the proximal term, tau, and the center of that term.
typedef struct nsm_sigma_point { double *x, *y, *s, *center, tau; } nsm_sigma_point;

typedef struct nsm_sigma {
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
  double *R, *R0;                      // what is not zero yet, rows and the first one of (a) each
  double *dx, *dy, *ds;                // a Newton step
  double *T, *T0, *dV;                 // derivatives by log tau
  double *tx, *ty, *ts, *px, *py, *ps; // the tangent of the path; the solution that it comes from
  double *weight, *xt, *yt, *st, *rhs, *v, *lambda, *best;
  double *A, *B, *Ai, *C;              // [nodes * NSM_NODE_BLOCK]
  nsm_sigma_cell *cell;
  nsm_sigma_point old, turn;           // the last point; where the walk was left
  double  least;                       // residual of `best`
  int     steps, limit;                // factorizations
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
