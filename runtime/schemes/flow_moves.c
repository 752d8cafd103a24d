// How coordinates move. q' = u where a coordinate has a velocity of its own. An attitude moves by the retraction
// p o E(xi) of the kinematics (move.h), which takes half a turn to (0, axis):
//
//   p' = 1/2 p o (0, w) = |w|/2 p o E(pi w/|w|),   E(xi) = (cos(|xi|/2), sin(|xi|/2) xi/|xi|)                       (4)
//
// exact, where a difference would leave an error that adds up. An angle that is remembered is taken where the motion
// leads (flow_take); what the solver integrates says only by how many turns, so a difference will do for it.
#include "flow.h"

static const double half_turn = 3.14159265358979323846,                // [rad]
                    part = 1 / 1024.0;   // of the step, in which nothing that is remembered turns by half a turn

void flow_take(nsm_sim *s, const double *y, double *q, double *z) {
  struct sim_flow *w = s->n.flow;
  memcpy(z, y + w->nq, (size_t)s->a->nz * sizeof(double));
  memcpy(q, y, (size_t)w->nq * sizeof(double));
  if (s->a->on.kinematics.n > 0) sim_move(s, y, 0, z, q);
}

// By the slots of a body: the places of its attitude, of the velocities of its turn. The length of these.
static double turning(const nsm_sim *s, const sim_class *k, int i, const double *u, int *q, int *z) {
  const int *ix = k->tab.ix + (size_t)i * (size_t)k->c->nslot;
  int nq = 0, nz = 0;
  double square = 0;
  for (int slot = 0; slot < k->c->nslot; slot++) {
    int place = k->c->slot[slot] == NSM_SLOT_POSITION;
    if (place && nq < 4) q[nq++] = ix[slot];
    if (!place && nz < 3) z[nz++] = sim_z_of(s, k, i, slot);
  }
  for (int d = 0; u && d < 3; d++) square += u[z[d]] * u[z[d]];
  return sqrt(square);
}

void flow_moves_open(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  int q[4], z[3];
  w->angle = SIM_NEW(s, s->a->nq, unsigned char);
  memset(w->angle + s->a->nown, 1, (size_t)(s->a->nq - s->a->nown));
  SIM_EACH(s, kinematics, k) {
    for (int i = 0; i < k->tab.count && !k->c->remembers; i++) {
      (void)turning(s, k, i, NULL, q, z);
      for (int c = 0; c < 4; c++) w->angle[q[c]] = 0;
    }
    w->remembers |= k->c->remembers;
  }
}

static double length(const double *q, const int *at) {
  double square = 0;
  for (int c = 0; c < 4; c++) square += q[at[c]] * q[at[c]];
  return sqrt(square);
}

// Of p as the solver has it: what |p| has drifted from 1 must not change the rate at which it turns.
static void attitudes(nsm_sim *s, const double *q, const double *u, double *dy) {
  struct sim_flow *w = s->n.flow;
  int at[4], z[3];
  memset(s->w.way, 0, (size_t)s->a->nv * sizeof(double));
  SIM_EACH(s, kinematics, k)
    for (int i = 0; i < k->tab.count && !k->c->remembers; i++) {
      double a = turning(s, k, i, u, at, z);
      for (int d = 0; d < 3 && a > 0; d++) s->w.way[z[d]] = half_turn * (u[z[d]] / a);
    }
  memcpy(w->qa, q, (size_t)s->a->nq * sizeof(double));
  sim_move_bodies_again(s, q, s->w.way, w->qa);
  SIM_EACH(s, kinematics, k)
    for (int i = 0; i < k->tab.count && !k->c->remembers; i++) {
      double a = turning(s, k, i, u, at, z), is = length(q, at), gets = length(w->qa, at);
      for (int c = 0; c < 4; c++) dy[at[c]] = a > 0 ? 0.5 * a * (is / gets) * w->qa[at[c]] : 0;
    }
}

// The attitudes at (q, way u), and then what is remembered there.
static void moved(nsm_sim *s, const double *q, double way, const double *u, double *to) {
  struct sim_flow *w = s->n.flow;
  memcpy(w->qb, q, (size_t)s->a->nq * sizeof(double));
  sim_move(s, q, way, u, w->qb);
  memcpy(to, w->qb, (size_t)s->a->nq * sizeof(double));
  sim_move(s, w->qb, 0, u, to);
}

static void angles(nsm_sim *s, const double *q, const double *u, double *dy) {
  struct sim_flow *w = s->n.flow;
  double delta = part * s->a->step;
  moved(s, q, delta, u, w->qa);
  for (int i = s->a->nown; i < s->a->nq; i++) if (w->angle[i]) dy[i] = w->qa[i] / (2 * delta);
  moved(s, q, -delta, u, w->qa);
  for (int i = s->a->nown; i < s->a->nq; i++) if (w->angle[i]) dy[i] -= w->qa[i] / (2 * delta);
}

void flow_derivative(nsm_sim *s, const double *q, const double *z, const double *dz, double *dy) {
  struct sim_flow *w = s->n.flow;
  memcpy(dy + w->nq, dz, (size_t)s->a->nz * sizeof(double));
  memset(dy, 0, (size_t)w->nq * sizeof(double));
  if (s->a->on.kinematics.n > 0) attitudes(s, q, z, dy);
  if (w->remembers) angles(s, q, z, dy);
  for (int i = 0; i < s->a->nown; i++) dy[i] = z[i];
}
