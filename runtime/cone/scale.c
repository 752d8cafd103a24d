// Powers of two that balance a problem: E M D with entries near one in every row and column.
//
// Complementarity does not change with u' = E u, lambda' = D^-1 lambda (E, D positive diagonal, one factor of each for
// the rows of a block), neither do the digits. Rows and columns alternately give up half of the exponent of their
// largest entry (Ruiz 2001, "A scaling algorithm to equilibrate both rows and columns norms in matrices").
#include "solver.h"
#include <math.h>

enum { SWEEPS = 12 };

// Exponent of the spin of Contensou's block in the frame of its tangents: u' = radius u, lambda' = lambda / radius.
static double frame(const nsm_cone_block *b, int k) {
  int spin = b->type == NSM_CONE_CONTENSOU && k == 3;
  return spin && b->radius > 0 ? round(log2(b->radius)) : 0;
}

// Of each block what is in its first row, plus the frame, for all its rows.
static void spread(const nsm_cone_problem *p, double *x) {
  for (int c = 0; c < p->cones; c++) {
    const nsm_cone_block *b = &p->cone[c];
    for (int k = 1; k < b->size; k++) x[b->first + k] = x[b->first] + frame(b, k);
  }
}

// The largest of a block into its first row.
static void gather(const nsm_cone_problem *p, double *x) {
  for (int c = 0; c < p->cones; c++)
    for (int k = 1; k < p->cone[c].size; k++)
      x[p->cone[c].first] = fmax(x[p->cone[c].first], x[p->cone[c].first + k]);
}

static void largest(const nsm_cone_problem *p, const double *e, const double *d, double *row, double *column) {
  for (int i = 0; i < p->m; i++) row[i] = column[i] = -HUGE_VAL;
  for (int i = 0; i < p->m; i++) {
    int first = p->row_start ? p->row_start[i] : 0, end = p->row_start ? p->row_start[i + 1] : p->m;
    for (int k = first; k < end; k++) {
      int j = p->row_start ? p->col[k] : k, power;
      double M = p->row_start ? p->M[k] : p->M[(size_t)i + (size_t)k * (size_t)p->m];
      if (M == 0) continue;
      frexp(M, &power);
      double size = power + e[i] + d[j];
      row[i] = fmax(row[i], size);
      column[j] = fmax(column[j], size);
    }
  }
  gather(p, row);
  gather(p, column);
}

void nsm_cone_balance(const nsm_cone_problem *p, double *e, double *d, double *scratch) {
  int m = p->m, moved = 1;
  double *row = scratch, *column = scratch + m;
  for (int i = 0; i < m; i++) e[i] = d[i] = 0;
  spread(p, e);
  spread(p, d);
  for (int sweep = 0; sweep < SWEEPS && moved; sweep++) {
    largest(p, e, d, row, column);
    moved = 0;
    for (int i = 0; i < m; i++) {
      double by_row = row[i] > -HUGE_VAL ? trunc(row[i] / 2) : 0, by_column = column[i] > -HUGE_VAL ? trunc(column[i] / 2) : 0;
      e[i] -= by_row;
      d[i] -= by_column;
      moved |= by_row != 0 || by_column != 0;
    }
    spread(p, e);
    spread(p, d);
  }
}
