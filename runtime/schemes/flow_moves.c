// How coordinates move. q' = u where a coordinate has a velocity of its own; else by the retraction R(q, d) of the
// kinematics (move.h), whose odd part is smooth: with d = delta u,
//
//   q' = (4 D(delta/2) - D(delta))/3,   D(delta) = (R(q, d) - R(q, -d))/(2 delta)                                   (4)
//
// which is exact to |d|^4, 1e-13 with |d| = 1e-3. What is remembered of an attitude, an angle, is taken where it leads.
#include "flow.h"

static const double turn = 1e-3;         // [rad]

// R(q, way u), with what is remembered there.
static void moved(nsm_sim *s, const double *q, double way, const double *u, double *to) {
  struct sim_flow *w = s->n.flow;
  memcpy(w->qb, q, (size_t)s->a->nq * sizeof(double));
  sim_move(s, q, way, u, w->qb);
  memcpy(to, w->qb, (size_t)s->a->nq * sizeof(double));
  sim_move(s, w->qb, 0, u, to);
}

void flow_take(nsm_sim *s, const double *y, double *q, double *z) {
  struct sim_flow *w = s->n.flow;
  memcpy(z, y + w->nq, (size_t)s->a->nz * sizeof(double));
  memcpy(q, y, (size_t)w->nq * sizeof(double));
  if (s->a->on.kinematics.n > 0) sim_move(s, y, 0, z, q);
}

void flow_derivative(nsm_sim *s, const double *q, const double *z, const double *dz, double *dy) {
  struct sim_flow *w = s->n.flow;
  double most = 0;
  memcpy(dy + w->nq, dz, (size_t)s->a->nz * sizeof(double));
  memset(dy, 0, (size_t)w->nq * sizeof(double));
  if (s->a->on.kinematics.n > 0) {
    for (int i = s->a->nown; i < s->a->nv; i++) most = fmax(most, fabs(z[i]));
    double delta = turn / fmax(most, DBL_MIN);
    if (most == 0) delta = turn;
    for (int k = 0; k < 2; k++, delta *= 0.5) {
      double by = (k ? 4.0 : -1.0) / 3 / (2 * delta);
      moved(s, q, delta, z, w->qa);
      for (int i = 0; i < w->nq; i++) dy[i] += by * w->qa[i];
      moved(s, q, -delta, z, w->qa);
      for (int i = 0; i < w->nq; i++) dy[i] -= by * w->qa[i];
    }
  }
  for (int i = 0; i < s->a->nown; i++) dy[i] = z[i];
}
