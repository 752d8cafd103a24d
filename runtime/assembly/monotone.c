// Is D = dy/dlambda of some rows positive semidefinite? Then their laws have one solution, or multipliers that are
// continuous; else a multiplier may jump (docs/numerics/located.md, 3).
#include "assembly.h"
#include <math.h>
#include <string.h>

static const double small = 1e-9;        // of the largest entry: what a pivot may be below 0

static void eliminate(double *d, int n, int k) {
  double p = d[k * n + k];
  for (int i = 0; i < n; i++)
    for (int j = 0; i != k && j < n; j++) if (j != k) d[i * n + j] -= d[i * n + k] / p * d[k * n + j];
}

// Free rows, which are equations of whatever sign, are eliminated; then the symmetric part of the others: is every
// pivot positive? done [n]: scratch.
int sim_is_monotone(double *d, int n, const unsigned char *free_row, unsigned char *done) {
  double most = 0;
  for (int i = 0; i < n * n; i++) most = fmax(most, fabs(d[i]));
  for (int k = 0; k < n; k++)
    if ((done[k] = free_row[k]) && fabs(d[k * n + k]) > small * most) eliminate(d, n, k);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) d[i * n + j] = d[j * n + i] = 0.5 * (d[i * n + j] + d[j * n + i]);
  for (int k = 0; k < n; k++) {
    double p = d[k * n + k];
    if (done[k]) continue;
    if (p < -small * most) return 0;
    for (int j = 0; j < n && p <= small * most; j++)
      if (j != k && !done[j] && fabs(d[k * n + j]) > small * most) return 0;
    if (p > small * most) {
      for (int i = 0; i < n; i++)
        for (int j = 0; i != k && !done[i] && j < n; j++)
          if (j != k && !done[j]) d[i * n + j] -= d[i * n + k] / p * d[k * n + j];
    }
    done[k] = 1;
  }
  return 1;
}

int sim_rows_monotone(nsm_sim *s, const int *row, int n) {
  const sim_rows *r = &s->n.r;
  double *d = sim_lend(s, (size_t)n * (size_t)n + 1, sizeof *d);
  unsigned char *flag = sim_lend(s, 2 * (size_t)n + 1, 1);
  memset(d, 0, (size_t)n * (size_t)n * sizeof *d);
  for (int i = 0; i < n; i++)
    for (int e = r->d0[row[i]]; e < r->d0[row[i] + 1]; e++)
      for (int j = 0; j < n; j++) if (row[j] == r->ds[e]) d[i * n + j] += r->d[e];
  for (int i = 0; i < n; i++) flag[i] = !(r->lo[row[i]] > -INFINITY || r->hi[row[i]] < INFINITY);
  int yes = sim_is_monotone(d, n, flag, flag + n);
  sim_give(s, flag);
  sim_give(s, d);
  return yes;
}
