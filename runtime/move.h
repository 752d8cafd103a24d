// Kinematics q' = B(q) u. Coordinates that have a velocity of the same number, the first a->nown of both, move by it:
// B is the identity. Others (NSM_VAR_POSITION) belong to classes NSM_KINEMATICS, whose kernel moves them by a
// displacement d = h u, q1 = R(q0, d), with R(q, 0) = q and dR/dd = B(q) there: a retraction, so that
// what q must be (a rotation, say) it stays. This is the one place where a scheme's positions come from.
#pragma once
#include "sim.h"

static inline void sim_move_kinds(const nsm_sim *s, const double *q0, const double *d, int remembering, double *q1) {
  nsm_view v = sim_view(s, s->now.t, q0, s->a->zero, s->a->zero_l);
  v.dq = d;
  for (int a = 0; a < s->a->on.kinematics.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.kinematics.of[a]];
    if (remembering || !k->c->remembers) k->c->move_fn(&v, &k->tab, q1);
  }
}

static inline void sim_move_positions(const nsm_sim *s, const double *q0, const double *d, double *q1) {
  sim_move_kinds(s, q0, d, 1, q1);
}

// Positions q1 != q0 from displacements d [nv] of all velocities; with bodies only.
static inline void sim_move_bodies(const nsm_sim *s, const double *q0, const double *d, double *q1) {
  if (s->a->on.kinematics.n > 0) sim_move_positions(s, q0, d, q1);
}

// The same of another displacement from the same q0, where q1 has been written before: angles that are remembered stay.
static inline void sim_move_bodies_again(const nsm_sim *s, const double *q0, const double *d, double *q1) {
  if (s->a->on.kinematics.n > 0) sim_move_kinds(s, q0, d, 0, q1);
}

// q1 [nq]: q0 moved by h u, u [nv]. q1 is another array.
static inline void sim_move(const nsm_sim *s, const double *q0, double h, const double *u, double *q1) {
  for (int i = 0; i < s->a->nown; i++) q1[i] = q0[i] + h * u[i];
  if (s->a->on.kinematics.n == 0) return;
  for (int i = 0; i < s->a->nv; i++) s->w.way[i] = h * u[i];
  sim_move_positions(s, q0, s->w.way, q1);
}

// Where the kernels of some schemes are all taken (nsm_model.point).
static inline int sim_has_point(const nsm_sim *s) { return s->a->m->point.time + s->a->m->end.time > 0; }

// Its positions into qp [nq], from q and u at the begin of the step; how long after the begin it is.
static inline double sim_to_point(const nsm_sim *s, const double *q, const double *u, double *qp) {
  const nsm_move *to = &s->a->m->point;
  sim_move(s, q, to->begin * s->n.h, u, qp);
  return to->time * s->n.h;
}

// q0 moved by a u + b v: the mean of the velocities at both ends of a step.
static inline void sim_move_mean(const nsm_sim *s, const double *q0, double a, const double *u, double b,
                                 const double *v, double *q1) {
  for (int i = 0; i < s->a->nown; i++) q1[i] = q0[i] + (a * u[i] + b * v[i]);
  if (s->a->on.kinematics.n == 0) return;
  for (int i = 0; i < s->a->nv; i++) s->w.way[i] = a * u[i] + b * v[i];
  sim_move_positions(s, q0, s->w.way, q1);
}

// From there to the end of the step, by u at its begin and u1 at its end.
static inline void sim_from_point(const nsm_sim *s, const double *qp, const double *u, const double *u1, double *q1) {
  const nsm_move *on = &s->a->m->end;
  if (on->begin == 0) sim_move(s, qp, on->end * s->n.h, u1, q1);
  else sim_move_mean(s, qp, on->end * s->n.h, u1, on->begin * s->n.h, u, q1);
}
