// Anderson's acceleration of  x := G(x)  (anderson.c). Not for other folders.
#pragma once
#include "solver.h"

enum { NSM_ANDERSON = 10 };              // differences that are kept

// The rows stand in parts: what is summed, is summed by part, and the parts in their order. So parts may be fed by
// several threads, and all numbers are the same on any number of them.
typedef struct nsm_anderson {
  int     size, count, next, parts;
  const double *weight;                  // [size] of the norm
  double *G, *F;                         // [size] the last point
  float  *dG[NSM_ANDERSON], *dF[NSM_ANDERSON];   // [size] of each: of four vectors in memory, two are these
  double *sum;                           // [parts, 1 + 2 NSM_ANDERSON] F.F; dF_j.dF_new, dF_j.F
  double  product[NSM_ANDERSON][NSM_ANDERSON], right[NSM_ANDERSON], y[NSM_ANDERSON], last;   // dF.dF, dF.F
} nsm_anderson;

// 0: no room.
int nsm_anderson_take(nsm_cone_work *w, int size, int parts, const double *weight, nsm_anderson *a);
// Forgets the differences.
void nsm_anderson_forget(nsm_anderson *a);
// The next point, from x and G = G(x), in three: each part looks at its rows [from, to); what is made of them is
// decided; each part moves its x. Decide returns |G - x|.
void   nsm_anderson_feed(nsm_anderson *a, int part, int from, int to, const double *x, const double *G);
double nsm_anderson_decide(nsm_anderson *a);
void   nsm_anderson_move(const nsm_anderson *a, int from, int to, double *x);
// All of it, of one part.
double nsm_anderson_step(nsm_anderson *a, double *x, const double *G);
