// Pivots by the rules of nsm_la_pivots (la.h), for the ways to eliminate columns (front.c, dense.c).
#pragma once
#include "la.h"
#include "sparse.h"
#include "vector.h"
#include <math.h>

// Row of the pivot of column a, which is column j; -1 where it vanishes.
LA_INLINE int la_pivot(int j, int own, const double *a, const nsm_la_pivots *rule) {
  int best = j;
  if (rule->search) {
    for (int i = j + 1; i < own; i++) best = fabs(a[i]) > fabs(a[best]) ? i : best;
    if (!(fabs(a[best]) > rule->margin * fabs(a[j]))) best = j;      // equal ones stay where they are
  }
  double size = rule->search ? fabs(a[best]) : a[best];
  return size > (rule->small > 0 ? rule->small * rule->largest[j] : 0) ? best : -1;
}

// It is left out: its unknown is 0. The row of its place.
LA_INLINE int la_drop(int j, int own, double *a, nsm_la_pivots *rule) {
  a[j] = NSM_SPARSE_DROPPED;
  for (int i = j + 1; i < own; i++) a[i] = 0;
  rule->dropped++;
  return j;
}
