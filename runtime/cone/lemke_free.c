// Free rows leave the problem before Lemke starts: their Schur complement, taken inside the tableau by exchanges.
//
// First with complete pivoting within the free block. A free row left over has no free column that moves it: either it
// is zero (then it is redundant or contradicts the others), or it fixes a combination of bounded unknowns; then it
// takes a one-sided pair j with it, by the 2 x 2 principal pivot on (f, j), which keeps the problem of the same kind
// (Cottle, Pang & Stone, The LCP, 2.3).
#include "lemke.h"
#include <math.h>

static int is_free(const nsm_tableau *k, int i) { return k->lo[i] == -HUGE_VAL && k->hi[i] == HUGE_VAL; }
static int one_sided(const nsm_tableau *k, int i) { return (k->lo[i] > -HUGE_VAL) != (k->hi[i] < HUGE_VAL); }
static double entry(const nsm_tableau *k, int r, int c) { return k->T[(size_t)r + (size_t)c * (size_t)k->m]; }

// u_r := 0 by lambda_j.
static void exchange_to_zero(nsm_tableau *k, int r, int c) {
  nsm_tableau_exchange(k, r, c, -k->x[r] / entry(k, r, c), 0.0);
}

// The largest entry in rows of basic free u and columns of nonbasic free lambda, exchanged, until none is left that
// counts.
static void eliminate_block(nsm_tableau *k, double small) {
  int m = k->m;
  for (;;) {
    int row = -1, column = -1;
    double best = small;
    for (int c = 0; c < m; c++) {
      if (k->nonbasic[c] < m || !is_free(k, k->nonbasic[c] - m)) continue;
      for (int r = 0; r < m; r++)
        if (k->basic[r] < m && is_free(k, k->basic[r]) && fabs(entry(k, r, c)) > best) {
          best = fabs(entry(k, r, c));
          row = r;
          column = c;
        }
    }
    if (row < 0) return;
    exchange_to_zero(k, row, column);
  }
}

// Row r (a free u) reads u_f = x + sum over nonbasic u of T u: y = e_f - T gives y.u = x at every lambda. Its sign
// makes y.q negative.
static void contradiction(const nsm_tableau *k, int r, double *y) {
  int m = k->m;
  double s = k->x[r] > 0 ? -1.0 : 1.0;
  for (int i = 0; i < m; i++) y[i] = 0;
  y[k->basic[r]] = s * k->row[k->basic[r]];
  for (int c = 0; c < m; c++)
    if (k->nonbasic[c] < m) y[k->nonbasic[c]] = -s * entry(k, r, c) * k->row[k->nonbasic[c]];
}

nsm_cone_outcome nsm_lemke_eliminate_free(nsm_lemke *lemke, double *y) {
  nsm_tableau *k = &lemke->t;
  int m = k->m;
  double small = 1e-12;
  eliminate_block(k, small);
  for (int r = 0; r < m; r++) {
    if (k->basic[r] >= m || !is_free(k, k->basic[r])) continue;
    double row = 0, best = 0;
    int column = -1, partner_row = -1, partner_column = -1;
    for (int c = 0; c < m; c++) {
      if (k->nonbasic[c] < m) continue;
      row = fmax(row, fabs(entry(k, r, c)));
      int j = k->nonbasic[c] - m, rj = k->where[j];
      if (rj < 0 || !one_sided(k, j)) continue;
      for (int f = 0; f < m; f++) {          // a free lambda still nonbasic that moves u_j
        if (k->nonbasic[f] < m || !is_free(k, k->nonbasic[f] - m)) continue;
        double gain = fmin(fabs(entry(k, r, c)), fabs(entry(k, rj, f)));
        if (gain > best) { best = gain; column = c; partner_row = rj; partner_column = f; }
      }
    }
    if (row <= small) {
      if (fabs(k->x[r]) <= 1e-10) { lemke->inert[k->basic[r]] = 1; continue; }
      contradiction(k, r, y);
      return NSM_CONE_PROVED_NONE;
    }
    if (best <= small) return NSM_CONE_GAVE_UP;
    exchange_to_zero(k, r, column);
    exchange_to_zero(k, partner_row, partner_column);
    eliminate_block(k, small);
  }
  return NSM_CONE_PROPOSED;
}
