// Anderson's acceleration of  x := G(x)  (anderson.c). Not for other folders.
#pragma once
#include "solver.h"

enum { NSM_ANDERSON = 10 };              // differences that are kept

typedef struct nsm_anderson {
  int     size, count, next;
  const double *weight;                  // [size] of the norm
  double *dG[NSM_ANDERSON], *dF[NSM_ANDERSON], *G, *F, *now;
  double  product[NSM_ANDERSON][NSM_ANDERSON], right[NSM_ANDERSON], last;   // dF.dF, dF.F
} nsm_anderson;

// 0: no room.
int nsm_anderson_take(nsm_cone_work *w, int size, const double *weight, nsm_anderson *a);
// Forgets the differences.
void nsm_anderson_forget(nsm_anderson *a);
// x := the next point, from x and G = G(x). Returns |G - x|.
double nsm_anderson_step(nsm_anderson *a, double *x, const double *G);
