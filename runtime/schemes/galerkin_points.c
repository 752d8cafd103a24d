// Where the piece is: (1) at the points of N subintervals and at Gauss' nodes.
#include "galerkin.h"

// q [nq] at the place where the I_j have these values.
static void place(nsm_sim *s, const double *I, double *q) {
  const struct sim_galerkin *g = s->n.galerkin;
  for (int i = 0; i < s->a->nown; i++) {
    double sum = s->now.q_low[i];
    for (int j = g->t.s - 1; j >= 0; j--) sum += I[j] * g->x[galerkin_at(s, j, IN_PLACES, i)];
    q[i] = s->now.q[i] + sum;
  }
  galerkin_turns_place(s, I, q);
}

void galerkin_points(nsm_sim *s, int N) {
  struct sim_galerkin *g = s->n.galerkin;
  galerkin_turns_middle(s);
  for (int p = 0; p <= N; p++) {
    const double *I = g->t.at[N][p];
    place(s, I, g->q[p]);
    for (int i = 0; i < s->a->nv; i++) {
      double sum = s->now.z_low[i];
      for (int j = g->t.s - 1; j >= 0; j--) sum += I[j] * g->x[galerkin_at(s, j, IN_SPEEDS, i)];
      g->u[p][i] = s->now.z[i] + sum;
    }
  }
}

void galerkin_nodes(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  galerkin_turns_middle(s);
  for (int k = 0; k < g->t.s; k++) {
    place(s, g->t.I[k], g->q[k]);
    for (int i = 0; i < s->a->nv; i++) {
      double sum = 0;
      for (int j = 0; j < g->t.s; j++) sum += g->t.P[k][j] * g->x[galerkin_at(s, j, IN_PLACES, i)];
      g->u[k][i] = sum / s->n.h;
    }
    galerkin_turns_between(s, g->t.I[k], g->t.I[k]);
    galerkin_turns_forth(s, g->u[k]);
  }
}

static void take_signals(const nsm_sim *s, double t, nsm_view *v) {
  if (s->a->nsignal == 0) return;
  v->d = sim_signals(s, t);
  v->d_rate = s->w.moments->rate[s->w.moments->last];
}

nsm_view galerkin_pair(nsm_sim *s, int N, int i) {
  struct sim_galerkin *g = s->n.galerkin;
  double h = s->n.h, t0 = s->now.t + h * (i - 1) / N, t1 = s->now.t + h * i / N;
  for (int z = 0; z < s->a->nv; z++) {
    double dq = 0, du = 0;
    for (int j = g->t.s - 1; j >= 0; j--) {
      double w = galerkin_w(&g->t, N, i, j);
      dq += w * g->x[galerkin_at(s, j, IN_PLACES, z)];
      du += w * g->x[galerkin_at(s, j, IN_SPEEDS, z)];
    }
    g->dq[z] = dq;
    g->du[z] = du;
    g->minus_du[z] = -du;
  }
  galerkin_turns_between(s, g->t.at[N][i - 1], g->t.at[N][i]);
  galerkin_turns_forth(s, g->dq);
  for (int z = 0; z < s->a->nv; z++) g->minus_dq[z] = -g->dq[z];
  nsm_view v = sim_view(s, s->now.t, g->q[i], g->u[i], s->a->zero_l);
  v.t = t1;
  v.t0 = t0;
  v.h = h / N;
  v.q0 = g->q[i - 1];
  v.v0 = g->u[i - 1];
  v.k = s->a->zero_l;
  v.dq = g->dq;
  v.dv = g->du;
  take_signals(s, 0.5 * (t0 + t1), &v);
  return v;
}

nsm_view galerkin_backward(const nsm_sim *s, const nsm_view *v) {
  const struct sim_galerkin *g = s->n.galerkin;
  nsm_view b = *v;
  b.t = v->t0;
  b.t0 = v->t;
  b.h = -v->h;
  b.q = v->q0;
  b.v = v->v0;
  b.q0 = v->q;
  b.v0 = v->v;
  b.dq = g->minus_dq;
  b.dv = g->minus_du;
  return b;
}

nsm_view galerkin_middle(nsm_sim *s, const nsm_view *v) {
  for (int i = 0; i < s->a->nown; i++) s->w.qm[i] = 0.5 * (v->q0[i] + v->q[i]);
  for (int i = 0; i < s->a->nv; i++) {
    s->w.zm[i] = v->dq[i] / v->h;
  }
  if (s->a->on.kinematics.n > 0) {
    for (int i = s->a->nown; i < s->a->nq; i++) s->w.qm[i] = v->q0[i];
    memcpy(s->w.way, v->dq, (size_t)s->a->nv * sizeof(double));
    galerkin_turns_half(s, s->w.way);
    sim_move_bodies_again(s, v->q0, s->w.way, s->w.qm);
  }
  return sim_view(s, 0.5 * (v->t0 + v->t), s->w.qm, s->w.zm, s->a->zero_l);
}

nsm_view galerkin_node(nsm_sim *s, int k) {
  struct sim_galerkin *g = s->n.galerkin;
  return sim_view(s, s->now.t + g->t.node[k] * s->n.h, g->q[k], g->u[k], s->a->zero_l);
}

double galerkin_mean(const nsm_sim *s, int part, int i, int N, int k) {
  const struct sim_galerkin *g = s->n.galerkin;
  double sum = 0;
  for (int j = 0; j < g->t.s; j++) sum += N * galerkin_w(&g->t, N, k, j) * g->x[galerkin_at(s, j, part, i)];
  return sum;
}
