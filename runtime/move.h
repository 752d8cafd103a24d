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

// q0 moved by a u + b v: the mean of the velocities at both ends of a step.
static inline void sim_move_mean(const nsm_sim *s, const double *q0, double a, const double *u, double b,
                                 const double *v, double *q1) {
  for (int i = 0; i < s->a->nown; i++) q1[i] = q0[i] + (a * u[i] + b * v[i]);
  if (s->a->on.kinematics.n == 0) return;
  for (int i = 0; i < s->a->nv; i++) s->w.way[i] = a * u[i] + b * v[i];
  sim_move_positions(s, q0, s->w.way, q1);
}

// ---- points of the scheme (nsm_point) -------------------------------------------------------------------------------
// With the weights of now; without equations q_E = q_B + h (theta u_E + (1-theta) u_B).
static inline void sim_take_points(nsm_sim *s, double theta, double gamma) {
  nsm_point end = { .time = 1, .begin = 1 - theta, .end = theta, .share = 1, .force = theta };
  s->a->point[NSM_BEGIN] = (nsm_point){ .force = 1 - theta };
  s->a->point[NSM_END] = end;
  if (s->a->m->points) s->a->m->points(theta, gamma, 0, s->a->point);
  int end_rules = s->a->algebraic || (s->a->scheme->weights && !s->a->m->place_at);   // f of some rows is at the end
  s->a->early.n = s->a->late.n = 0;
  for (int k = 0; k < NSM_POINTS; k++) {
    const nsm_point *p = &s->a->point[k];
    sim_points *to = p->end != 0 || p->share != 0 ? &s->a->late : &s->a->early;
    if (p->force != 0 || (k == NSM_END && end_rules)) to->at[to->n++] = k;
  }
}

// d/du_E of what is read at a point: of q its way, of v and x their share.
static inline double sim_point_chain(const nsm_sim *s, const nsm_point *p, int wrt) {
  return wrt == NSM_WRT_Q ? s->n.h * p->end : p->share;
}

// Weight of f at point k in row i: that of the scheme, or implicit Euler's (assembly/weights.c).
static inline double sim_force_weight(const nsm_sim *s, int k, int i) {
  double theta = s->n.theta[i];
  return theta == s->a->theta ? s->a->point[k].force : k == NSM_END ? theta : k == NSM_BEGIN ? 1 - theta : 0;
}

// The point at which a row of this restitution has its gap (nsm_model.place_at).
static inline nsm_point sim_place_point(const nsm_sim *s, double e) {
  nsm_point all[NSM_POINTS];
  s->a->m->points(s->a->theta, s->a->gamma, e, all);
  return all[s->a->m->place_at];
}

// Is the end reached from another point than the begin? Then all kernels are taken at that, which the begin knows.
static inline int sim_has_point(const nsm_sim *s) { return s->a->point[NSM_END].from != NSM_BEGIN; }
static inline const nsm_point *sim_point(const nsm_sim *s) { return &s->a->point[s->a->point[NSM_END].from]; }

// Its positions into qp [nq], from q and u at the begin of the step; how long after the begin it is.
static inline double sim_to_point(const nsm_sim *s, const double *q, const double *u, double *qp) {
  const nsm_point *to = sim_point(s);
  sim_move(s, q, to->begin * s->n.h, u, qp);
  return to->time * s->n.h;
}

// From there to the end of the step, by u at its begin and u1 at its end.
static inline void sim_from_point(const nsm_sim *s, const double *qp, const double *u, const double *u1, double *q1) {
  const nsm_point *on = &s->a->point[NSM_END];
  if (on->begin == 0) sim_move(s, qp, on->end * s->n.h, u1, q1);
  else sim_move_mean(s, qp, on->end * s->n.h, u1, on->begin * s->n.h, u, q1);
}

// A point that is reached from the begin of the step, with velocities z1 at its end: positions into q [nq], velocities
// and states into z [nz] (NULL: not asked for). Its time, where the step ends at t1.
static inline double sim_at_point(const nsm_sim *s, const nsm_point *to, double t1, const double *z1, double *q,
                                  double *z) {
  sim_move_mean(s, s->now.q, s->n.h * to->end, z1, s->n.h * to->begin, s->now.z, q);
  for (int i = 0; z && i < s->a->nz; i++) z[i] = (1 - to->share) * s->now.z[i] + to->share * z1[i];
  return t1 - (1 - to->time) * s->n.h;
}
