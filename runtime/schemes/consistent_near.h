// A matrix near to K for bodies on joints: what consistent_near.c (the iteration) and consistent_near_matrix.c share.
#pragma once
#include "consistent.h"

// Velocities go by units: those that M or a body couples. A constraint acts on whole units: its values stand one unit
// after the other, in the order of `seat`, from value0 on.
struct con_near {
  int     units, *unit0, *velocities;        // [units+1] first seat; [units] how many, at most as many as seats
  int    *unit, *seat;                       // [nv] unit of a velocity, its seat
  int    *value0, *part0, *part;             // [ns+1] values of a row, its parts; unit of a part
  double *end, *h, *dg, *g, *dr, *rq;        // rows of H, H + (h/2) rate_q, Dg, G, Drate, rate_q
  double *x, *p;                             // columns of A^-1 Dg^T, P
  double *a, *inverse;                       // A, unit by unit; A^-1
  int    *a0;                                // [units+1]
  int    *pair0, *pair, *pair_at;            // [ns+1] the rows that a row shares units with; their places in s, t
  int    *share0;                            // [pairs+1] the shared units of a pair in
  struct con_share { int own, other, n; } *share;   // values of the row, of the other one, their number
  sim_matrix s, t;                           // [ns] H A^-1 Dg^T, G P
  int   **cjac_at, **bend_at;                // [nclass] places in `a`, -1: between units
  int   **h_at, **g_at, **dr_at, **rq_at;    // [nclass] places of the entries of a class among the values
  int    *p_at;                              // likewise of the columns of P
  double **bend;                             // [nclass] outputs of the kernel
  double *right, *solution, *rates, *gaps;   // by seat, by seat, [ns], [ns]
  unsigned char *turn;                       // [nv] 1: of an attitude
  double *size, *speed;                      // [nv] terms of the momentum rows; what velocities are known by
};

int  con_near_matrix(nsm_sim *s, const nsm_view *v);     // at the iterate evaluated last; 1: it has factors
void con_near_solve(nsm_sim *s, double h);               // dz from the residual
