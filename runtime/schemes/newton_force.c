// f at the points at which a scheme takes it, each by its weight (sim_force_weight): at those that the begin knows once
// a step, at those that the unknowns move in each iterate, with the derivatives there.
#include "newton.h"
#include <string.h>

void newton_force_analyse(nsm_sim *s) {
  size_t most = 0;
  SIM_EACH(s, jac_moving, k) {
    size_t n = (size_t)k->tab.count * (size_t)k->c->jac.n;
    most = n > most ? n : most;
  }
  s->w.q_force = SIM_NEW(s, (size_t)s->a->nq, double);
  s->w.z_force = SIM_NEW(s, (size_t)s->a->nz, double);
  s->w.jac = SIM_NEW(s, s->a->late.n > 1 ? most : 0, double);
}

// Point k, with velocities and states z1 at the end; q1: positions there, NULL where the point does not depend on them.
static nsm_view force_at(nsm_sim *s, int k, double t1, const double *z1, const double *q1) {
  const nsm_point *p = &s->a->point[k], *end = &s->a->point[NSM_END];
  const double *q = q1, *z = s->w.z_force;
  double t = t1 - (1 - p->time) * s->n.h;
  int same = q1 && p->begin == end->begin && p->end == end->end;
  if (!same) q = s->w.q_force;
  if (!same) sim_move_mean(s, s->now.q, s->n.h * p->end, z1, s->n.h * p->begin, s->now.z, s->w.q_force);
  if (p->share == 1) z = z1;
  else for (int i = 0; i < s->a->nz; i++) s->w.z_force[i] = (1 - p->share) * s->now.z[i] + p->share * z1[i];
  return sim_view(s, t, q, z, s->w.l1);
}

static nsm_view known(nsm_sim *s, int k) {
  if (k == NSM_BEGIN && s->a->m->place_at) return sim_view(s, s->now.t, s->now.q, s->w.z_from_begin, s->now.l);
  return k == NSM_BEGIN ? sim_now(s) : force_at(s, k, s->now.t + s->n.h, s->now.z, NULL);
}

static nsm_view moved(nsm_sim *s, int k, double t1) {
  return k == NSM_END ? newton_end(s, t1) : force_at(s, k, t1, s->w.z1, s->w.q1);
}

nsm_view newton_along(nsm_sim *s, double t1, const nsm_view *mid) {
  return s->a->m->along_at == s->a->m->inertia_at ? *mid : moved(s, s->a->m->along_at, t1);
}

void newton_explicit_part(nsm_sim *s) {
  memset(s->w.s, 0, (size_t)s->a->nz * sizeof(double));
  for (int a = 0; a < s->a->early.n; a++) {
    int k = s->a->early.at[a];
    nsm_view v = known(s, k);
    sim_forces(s, &v, 1, s->w.f);
    for (int i = 0; i < s->a->nz; i++) s->w.s[i] += s->n.h * sim_force_weight(s, k, i) * s->w.f[i];
  }
}

void newton_forces(nsm_sim *s, double t1) {
  for (int i = 0; i < s->a->nz; i++) {
    s->w.smooth[i] = -s->w.s[i];
    s->w.smooth_size[i] = fabs(s->w.s[i]);
    s->w.inc_size[i] = s->w.diag[i] = 0;
  }
  for (int a = 0; a < s->a->late.n; a++) {
    int k = s->a->late.at[a];
    nsm_view v = moved(s, k, t1);
    sim_forces(s, &v, 0, s->w.f);
    for (int i = 0; i < s->a->nz; i++) {
      double f = s->n.h * sim_force_weight(s, k, i) * s->w.f[i];
      s->w.smooth[i] -= f;
      s->w.smooth_size[i] += fabs(f);
    }
  }
}

// The mean of df/d(q, v, x) over the points, each by its weight and by how far the unknowns move what it is by
// (assembly.c: of_force).
static void add_share(nsm_sim *s, const sim_class *k, const nsm_view *v, int point) {
  const nsm_pattern *p = &k->c->jac;
  double share[NSM_WRT_D + 1];
  for (int w = 0; w <= NSM_WRT_D; w++) {
    double all = 0, own = s->a->point[point].force * sim_point_chain(s, &s->a->point[point], w);
    for (int a = 0; a < s->a->late.n; a++) {
      const nsm_point *y = &s->a->point[s->a->late.at[a]];
      all += y->force * sim_point_chain(s, y, w);
    }
    share[w] = all != 0 ? own / all : 0;
  }
  k->c->jac_fn(v, &k->tab, s->w.jac);
  for (size_t i = 0, n = (size_t)k->tab.count * (size_t)p->n; i < n; i++)
    k->jac[i] += share[p->wrt[i % (size_t)p->n]] * s->w.jac[i];
}

void newton_jacobians(nsm_sim *s, double t1, const nsm_view *mid) {
  const sim_points *late = &s->a->late;
  nsm_view end = newton_end(s, t1), one = late->n == 1 ? moved(s, late->at[0], t1) : end;
  SIM_EACH(s, jac_moving, k) {
    int own = !k->c->f_mean && k->theta == s->a->theta;
    if (!own || late->n <= 1) k->c->jac_fn(k->c->f_mean ? mid : own ? &one : &end, &k->tab, k->jac);
    else memset(k->jac, 0, (size_t)k->tab.count * (size_t)k->c->jac.n * sizeof(double));
  }
  for (int a = 0; late->n > 1 && a < late->n; a++) {
    nsm_view v = moved(s, late->at[a], t1);
    SIM_EACH(s, jac_moving, k)
      if (!k->c->f_mean && k->theta == s->a->theta) add_share(s, k, &v, late->at[a]);
  }
}
