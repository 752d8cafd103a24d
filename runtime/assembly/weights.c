// Where the laws of relations hold, docs/numerics/moreau.md, 7: at t_k + gamma h where their multipliers follow from
// the state, which is where D is regular (relative degree 0); at the end of the step where they do not. There the law
// is about the state itself: its mean over a step being 0 lets it change its sign from step to step.
//
// Rows that D couples are judged together, by elimination with the values at the start.
#include "assembly.h"
#include "runtime/move.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JUDGED = 300 };                   // rows that D couples: of more only those without an entry are singular
static const double singular = 1e-12;

// Gaussian elimination with row interchanges, each row by its largest entry first.
static int is_singular(double *d, int n) {
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(d[i * n + j]));
    if (!(most > 0)) return 1;
    for (int j = 0; j < n; j++) d[i * n + j] /= most;
  }
  for (int k = 0; k < n; k++) {
    int at = k;
    for (int i = k + 1; i < n; i++) if (fabs(d[i * n + k]) > fabs(d[at * n + k])) at = i;
    if (!(fabs(d[at * n + k]) > singular)) return 1;
    for (int j = 0; j < n; j++) { double t = d[k * n + j]; d[k * n + j] = d[at * n + j]; d[at * n + j] = t; }
    for (int i = k + 1; i < n; i++) {
      double f = d[i * n + k] / d[k * n + k];
      for (int j = k; j < n && f != 0; j++) d[i * n + j] -= f * d[k * n + j];
    }
  }
  return 0;
}

// The rows of one group; 1 where D is singular on them.
static int judge(const sim_rows *r, const int *row, int n, int *local) {
  if (n > JUDGED) {
    for (int i = 0; i < n; i++) if (r->d0[row[i]] == r->d0[row[i] + 1]) return 1;
    return 0;
  }
  double *d = calloc((size_t)n * (size_t)n, sizeof *d);
  if (!d) return 1;
  for (int i = 0; i < n; i++) local[row[i]] = i;
  for (int i = 0; i < n; i++)
    for (int e = r->d0[row[i]]; e < r->d0[row[i] + 1]; e++) d[i * n + local[r->ds[e]]] += r->d[e];
  int wrong = is_singular(d, n);
  free(d);
  return wrong;
}

void sim_rows_weights(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  for (int i = 0; i < s->a->m->nclass; i++)
    s->a->cls[i].gamma = s->a->cls[i].c->kind == NSM_RELATION && !s->a->algebraic ? s->a->gamma : 1;
  if (s->a->gamma == 1 || s->a->algebraic || s->a->on.relation.n == 0) return;
  nsm_view v = sim_now(s);
  for (int a = 0; a < s->a->on.relation.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.relation.of[a]];
    k->c->h_fn(&v, &k->tab, k->h);
  }
  sim_rows_outer(s, 1);
  int *of = sim_lend(s, (size_t)r->n * 4 + 4, sizeof(int)), *row = of + r->n, *local = row + r->n;
  for (int i = 0; i < r->n; i++) of[i] = i;
  for (int i = 0; i < r->n; i++)
    for (int e = r->d0[i]; e < r->d0[i + 1]; e++) of[sim_root(of, i)] = sim_root(of, r->ds[e]);
  for (int g = 0; g < r->n; g++) {
    int n = 0;
    for (int i = 0; i < r->n; i++)
      if (sim_root(of, i) == g && s->a->cls[r->cls[i]].c->kind == NSM_RELATION) row[n++] = i;
    if (n == 0 || !judge(r, row, n, local)) continue;
    for (int i = 0; i < n; i++) s->a->cls[r->cls[row[i]]].gamma = 1;
  }
  sim_give(s, of);
}

nsm_view sim_between(nsm_sim *s, double t1, const double *q1, const double *z1, const double *l) {
  double g = s->a->gamma, h = s->n.h;
  if (g == 1) return sim_view(s, t1, q1, z1, l);
  for (int i = 0; i < s->a->nq; i++) s->w.qg[i] = (1 - g) * s->now.q[i] + g * q1[i];
  for (int i = 0; i < s->a->nz; i++) {
    s->w.zg[i] = sim_is_at_end(s, i) ? z1[i] : (1 - g) * s->now.z[i] + g * z1[i];
  }
  if (s->a->on.kinematics.n > 0)
    sim_move_mean(s, s->now.q, g * s->a->theta * h, z1, g * (1 - s->a->theta) * h, s->now.z, s->w.qg);
  return sim_view(s, t1 - (1 - g) * h, s->w.qg, s->w.zg, l);
}
