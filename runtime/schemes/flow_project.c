// Onto constraints and closed contacts, which the accelerations keep but for the error of the solver: with the matrix
// of the instant,
//
//   M dq = H^T tau,  H dq = -(g - g_0);      M dz = H^T tau,  H dz = -rate      (of relations inside: -y)          (4)
//
// g_0 is 0, of a contact where it closed. Positions first, by Newton's method with the matrix kept.
#include "flow.h"

enum { ROUNDS = 4 };

// Gaps of the rows that are kept on places into e, others 0. The largest.
static double gaps(nsm_sim *s, double t, const double *q, const double *z, double *e) {
  struct sim_flow *w = s->n.flow;
  nsm_view v = sim_view(s, t, q, z, w->in.force);
  double most = 0;
  for (int a = 0; a < s->a->on.row.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.row.of[a]];
    if (k->c->kind != NSM_CONTACT && (k->c->kind != NSM_CONSTRAINT || k->c->velocity_level)) continue;
    k->c->gap_fn(&v, &k->tab, w->rate[0] + k->row0, w->rate[1] + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      if (w->in.of[row] < 0) continue;
      double target = k->c->kind == NSM_CONTACT ? s->now.ground[row] : 0, off = w->rate[0][row] - target;
      e[s->a->nz + w->in.of[row]] = -off;
      most = fmax(most, fabs(off));
    }
  }
  return most;
}

void flow_rates_off(nsm_sim *s, double t, const double *q, const double *z, double *e) {
  struct sim_flow *w = s->n.flow;
  nsm_view v = sim_view(s, t, q, z, w->in.force);
  SIM_EACH(s, row, k) {
    int relation = k->c->kind == NSM_RELATION;
    (relation ? k->c->y_fn : k->c->rate_fn)(&v, &k->tab, w->rate[1] + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      if (w->in.of[row] >= 0 && w->level[row]) e[s->a->nz + w->in.of[row]] = -w->rate[1][row];
  }
  flow_hidden_off(s, w->rate[1], e);
}

// The matrix of the instant is at hand. 0: it cannot be met.
int flow_project(nsm_sim *s, double t, double *q, double *z) {
  struct sim_flow *w = s->n.flow;
  int n = s->a->nz + w->m;
  double last = INFINITY;
  if (w->m == 0) return 1;
  for (int k = 0; k < ROUNDS; k++) {
    memset(w->in.e, 0, (size_t)n * sizeof(double));
    double off = gaps(s, t, q, z, w->in.e);
    if (!(off < 0.5 * last)) break;
    last = off;
    sim_instant_solve(&w->in, n, w->in.e, w->x);
    memcpy(w->qa, q, (size_t)s->a->nq * sizeof(double));
    sim_move(s, w->qa, 1, w->x, q);
  }
  memset(w->in.e, 0, (size_t)n * sizeof(double));
  flow_rates_off(s, t, q, z, w->in.e);
  sim_instant_solve(&w->in, n, w->in.e, w->x);
  for (int i = 0; i < s->a->nz; i++) z[i] += w->x[i];
  return isfinite(last);
}
