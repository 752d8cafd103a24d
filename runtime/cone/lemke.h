// The tableau of Lemke's method for intervals (lemke.c, lemke_free.c): basic variables as affine functions of nonbasic ones.
#pragma once
#include "solver.h"

// Variables: u_i is i, lambda_i is m+i, the covering variable z is 2m.
typedef struct nsm_lemke {
  const nsm_cone_problem *p;
  int     m;
  double *T;            // [m, m+1] column-major: d basic_r / d nonbasic_c;  column m starts as that of z
  double *x;            // [m] values of the basic variables
  double *value;        // [2m+1] values of the nonbasic ones
  int    *basic;        // [m] variable of each row
  int    *nonbasic;     // [m+1] variable of each column
  int    *where;        // [2m+1] row r as r, column c as -1-c
  int    *start;        // [m] the basic variables that Lemke starts with: those that the perturbation belongs to
  double *sign;         // [m] its sign
  unsigned char *at;    // [m] NSM_LOW or NSM_HIGH: the bound of lambda_i while it is not basic
  unsigned char *inert; // [m] u_i is a redundant free row: it never blocks
  double  largest;      // max |M_ij|
} nsm_lemke;

// Exchanges row r with column s after moving the entering variable by t: the leaving one gets exactly `leaving_value`.
void nsm_lemke_exchange(nsm_lemke *k, int r, int s, double t, double leaving_value);

// Makes every free lambda_i basic (u_i = 0). PROPOSED: done. PROVED_NONE: y [m] holds a certificate, to be checked.
nsm_cone_outcome nsm_lemke_eliminate_free(nsm_lemke *k, double *y);
