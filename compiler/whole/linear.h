// What the files of the linear kind share.
//
//   linear_pattern.c  which entries of A, M and X can differ from 0; what time gives
//   linear_rows.c     rows that always act, by the map in s
//   whole_linear.c    the step
#pragma once
#include "step.h"

typedef struct Pattern2 { int n, *row, *col; KValue *at, *size; } Pattern2;   // at [rows][cols]: K_NONE where 0; |at|

typedef struct Linear {
  Step *p;
  const Instance **contact; int ncontact;
  bool always, here;                    // some row acts in every step; rows act here, not in the runtime alone
  int *comp;                            // [nz] component of W
  int width;                            // columns of A: q, z, tau, 1
  int ntimed, *timed, *tau;             // tau [nz]: number of the row's tau, -1
  Ex *rest, *phi;                       // [nz] f at rest; [ntimed]
  Ex *y, *lo, *hi;                      // [nrow] at the free motion without multipliers; bounds
  Pattern2 A, M, X;                     // X [nz][nrow]
  int nconstant;                        // of c, so far
  int q, z, q1, z1, gap, rate, reach, y_at, l_at, worst, l0, L;     // places in s
  KValue *l, *l0_value, *L_value, *basic, worst_value, least;               // rows that act here: variables
} Linear;

Ex   linear_without(Written *w, RoleKind first, Ex e);   // variables from this kind on are 0: multipliers, or all
bool linear_timed(const Written *w, Ex e);
void linear_time(Linear *l);                             // timed, tau, rest, phi
void linear_patterns(Linear *l);                         // A; where rows act here, M and X
KValue *linear_load(Linear *l, Pattern2 *m, const char *name);   // its constants, the next of c

bool linear_rows_fit(const Linear *l);                   // few intervals with constant bounds that always act?
void linear_rows_open(Linear *l);                        // before the loop
// z1 of the free motion -> with forces; lambda [nrow], change [nz] of z1 (K_NONE: none); the condition that all is as
// the map says.
KValue linear_rows_act(Linear *l, const KValue *q, const KValue *z, KValue *z1, KValue *lambda, KValue *change);
void linear_rows_load(Linear *l);                        // what the runtime has put into s
void linear_rows_close(Linear *l);                       // after the loop
