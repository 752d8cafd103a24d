// A complementary tableau: basic variables as affine functions of nonbasic ones, for Lemke's method, principal pivoting
// and branching.
//
// Variables: u_i is i, lambda_i is m+i, the covering variable z is 2m. The problem is equilibrated by powers of two,
//   M' = E M D / largest,   u' = E u / unit,   lambda' = D^{-1} lambda / unit,
//   (E, D positive diagonal: complementarity does not change)
// so that entries and q are near one; everything in the struct but p is in these units.
#pragma once
#include "solver.h"

typedef struct nsm_tableau {
  const nsm_cone_problem *p;
  int     m;
  double *T;            // [m, m+1] column-major: d basic_r / d nonbasic_c;  column m starts as that of z
  double *x;            // [m] values of the basic variables
  double *value;        // [2m+1] values of the nonbasic ones
  int    *basic;        // [m] variable of each row
  int    *nonbasic;     // [m+1] variable of each column
  int    *where;        // [2m+1] row r as r, column c as -1-c
  double *q, *lo, *hi;  // [m] the problem
  double *row, *column; // [m] E and D
  double *cover;        // [m] covering vector: d u' / d z
  double  unit;
  int     exchanges;    // since the last load
  double *charged;      // where operations are counted (budget.c)
} nsm_tableau;

// Takes memory and equilibrates. 0 where it does not fit. Follow with nsm_tableau_load.
int  nsm_tableau_open(nsm_tableau *k, const nsm_cone_problem *p, nsm_cone_work *w);
// All u basic, lambda at the given values (in value[m ...]), z = value[2m].
void nsm_tableau_load(nsm_tableau *k);
// Loads again and exchanges back to the present basis, with complete pivoting: removes what round-off has gathered.
// flags [2m+1] is scratch. 0 where the basis is singular; the tableau is then of no use.
int  nsm_tableau_rebuild(nsm_tableau *k, unsigned char *flags);
// Exchanges row r with column s after moving the entering variable by t: the leaving one gets exactly `leaving_value`.
void nsm_tableau_exchange(nsm_tableau *k, int r, int s, double t, double leaving_value);
// The nonbasic variable of column c moves to `to`.
void nsm_tableau_move(nsm_tableau *k, int c, double to);
// lambda in the units of the problem, projected.
void nsm_tableau_read(const nsm_tableau *k, double *lambda);
// lambda of the present basis from the problem itself: LU of M_RC (R: nonbasic u, C: basic lambda) and refinement with
// residuals in extended precision. Destroys T. 0 (and the plain values) where M_RC is singular. scratch [m], index
// [2m].
int  nsm_tableau_polish(nsm_tableau *k, double *lambda, double *scratch, int *index);

static inline double *nsm_tableau_column(const nsm_tableau *k, int c) { return k->T + (size_t)c * (size_t)k->m; }
static inline double nsm_tableau_value(const nsm_tableau *k, int v) {
  return k->where[v] >= 0 ? k->x[k->where[v]] : k->value[v];
}
