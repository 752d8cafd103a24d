// Bodies on joints by a matrix that is near to K, docs/numerics/consistent.md, section 4, "A near matrix".
//
//   consistent_near.c           the iteration, its start          consistent_near_setup.c    which models, places
//   consistent_near_matrix.c    the matrix, its solves
//
// All work is on small dense blocks. Velocities go by *units*: those that M or a body couples. Rows of constraints that
// act on the same units go together as a *joint*. Vectors have a seat for each velocity, or for each row; units and
// joints begin at whole vectors (la/blocks.h), what fills these up is 0. The values of a joint at one of its units, its
// *part*, stand by rows: one row of the constraint after the other, each by seats of the unit; or by columns: one
// velocity after the other, each by seats of the joint.
#pragma once
#include "consistent.h"
#include "runtime/la/blocks.h"

struct con_near {
  int     units, *unit, *seat;               // [nv] unit of a velocity, its seat
  int    *unit0, *velocities, *a0;           // [units+1] first seat; [units] velocities; [units+1] its block in a
  int     seats, held;                       // length of vectors of velocities, of rows
  int    *joint, *row_seat;                  // [ns] joint of a row, its seat
  nsm_blocks *blocks;                        // joints that share a unit; blocks->size: rows of a joint
  int    *part0, *part;                      // [joints+1] parts of a joint; unit of a part
  int    *by_row, *by_column;                // [parts+1] first of its values
  double *dg, *x, *p, *dr;                   // by rows: Dg, (A^-1 Dg^T)^T, P^T, Drate
  double *h, *g, *rq;                        // by columns: H + (h/2) rate_q, G, rate_q
  double *a, *inverse;                       // A, unit by unit; A^-1
  int     shares;                            // pairs of joints by the unit that they share
  struct con_share { size_t to; int row, col, own, other; } *share;   // place of the block; joints; their parts
  double *s, *t;                             // H A^-1 Dg^T, G P and their factors
  int   **cjac_at, **bend_at;                // [nclass] places in `a`, -1: between units
  int   **h_at, **g_at, **dg_at, **dr_at, **rq_at;  // [nclass] places of the entries of a class among the values
  int    *p_at;                              // likewise of the columns of P
  double **bend;                             // [nclass] outputs of the kernel
  double *momentum, *rate, *gap;             // residual: [seats], [held], [held]
  double *du, *dlambda, *dkappa;             // the step, by seats
  double *right;                             // [seats] scratch
  double *terms;                             // [ns] sizes of the terms of gaps
};

static inline int con_room(const struct con_near *near, int u) { return near->unit0[u + 1] - near->unit0[u]; }

// consistent_near_matrix.c
int  con_near_matrix(nsm_sim *s, const nsm_view *v);     // at the iterate evaluated last; 1: it has factors
// What the rows of momentum are measured by: adds the terms of K that the near matrix leaves out, the curvature of the
// constraints, |d (Dg^T lambda)/dq| |q|, at the iterate.
void  con_near_curvature(nsm_sim *s, const nsm_view *v);
void con_near_solve(nsm_sim *s, double h);               // du, dlambda, dkappa from the residual
