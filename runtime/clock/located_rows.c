// Which relations are watched. Those whose y does not depend on multipliers: there the law is about a state, and
// multipliers jump. And those that have several solutions, or may have: where the matrix D = dy/dlambda of the rows
// that it couples is not positive semidefinite, a multiplier jumps where its branch ends (a Schmitt trigger). Others
// have multipliers that are continuous, which the theta-gamma scheme takes to second order without an event.
#include "located.h"
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
static int is_monotone(double *d, int n, const unsigned char *free_row, unsigned char *done) {
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

// The rows that D couples with row g, which is their root; 1: D is not positive semidefinite on them. flag: [2 rows].
static int jumps(const nsm_sim *s, int *of, int g, int *row, double *d, unsigned char *flag) {
  const sim_rows *r = &s->n.r;
  int n = 0;
  for (int i = 0; i < r->n; i++) if (sim_root(of, i) == g) row[n++] = i;
  memset(d, 0, (size_t)n * (size_t)n * sizeof *d);
  for (int i = 0; i < n; i++)
    for (int e = r->d0[row[i]]; e < r->d0[row[i] + 1]; e++)
      for (int j = 0; j < n; j++) if (row[j] == r->ds[e]) d[i * n + j] += r->d[e];
  for (int i = 0; i < n; i++) flag[i] = !(r->lo[row[i]] > -INFINITY || r->hi[row[i]] < INFINITY);
  return !is_monotone(d, n, flag, flag + n);
}

enum { MOST = 300 };                     // rows that D couples; more are taken as monotone

void sim_located_relations(nsm_sim *s) {
  struct sim_located *w = s->located;
  const sim_rows *r = &s->n.r;
  int *of = sim_lend(s, (size_t)r->n * 3 + 3, sizeof(int)), *row = of + r->n, *size = row + r->n;
  for (int i = 0; i < r->n; i++) of[i] = i;
  for (int i = 0; i < r->n; i++)
    for (int e = r->d0[i]; e < r->d0[i + 1]; e++) of[sim_root(of, i)] = sim_root(of, r->ds[e]);
  memset(size, 0, (size_t)r->n * sizeof *size);
  for (int i = 0; i < r->n; i++) size[sim_root(of, i)]++;
  w->nrelation = 0;
  for (int a = 0; a < s->a->on.relation.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.relation.of[a]];
    for (int i = k->row0; i < k->row0 + k->tab.count; i++) {
      int cases = r->lo[i] > -INFINITY || r->hi[i] < INFINITY, g = sim_root(of, i), watched = r->d0[i] == r->d0[i + 1];
      if (!watched && size[g] <= MOST) {
        double *d = sim_lend(s, (size_t)size[g] * (size_t)size[g] + 1, sizeof *d);
        unsigned char *flag = sim_lend(s, 2 * (size_t)size[g], 1);
        watched = jumps(s, of, g, row, d, flag);
        sim_give(s, flag);
        sim_give(s, d);
      }
      if (watched && (k->c->row_type == NSM_ROW_BOX || cases)) w->relation[w->nrelation++] = i;
    }
  }
  sim_give(s, of);
  w->watches = r->nfriction + w->nrelation > 0;
}
