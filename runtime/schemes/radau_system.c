// The system of a piece, E z' = F(t, z) with z = (x, l), in the order of equations of radau.h:
//
//   M x' = f(t, x) + g(t, x, l);    of each multiplier  0 = -y(t, x, l) where its law is inside of its bounds,
//                                                       0 = lo - l or hi - l at one of them                     (2)
//
// A = dF/dz. With these signs A + A^T <= 0 where the network is passive.
#include "radau.h"

static nsm_view view_at(nsm_sim *s, double t, const double *Z) { return sim_view(s, t, s->now.q, Z, Z + s->a->nz); }

void radau_evaluate(nsm_sim *s, double t, double *Z, double *F, double *y, double *lo, double *hi) {
  struct sim_radau *w = s->n.radau;
  const sim_rows *r = &s->n.r;
  nsm_view v = view_at(s, t, Z);
  memcpy(F, s->n.f_constant, (size_t)w->nz * sizeof(double));
  for (int a = 0; a < s->a->on.f_moving.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.f_moving.of[a]];
    k->c->f_fn(&v, &k->tab, F, F);
  }
  for (int a = 0; a < s->a->on.g.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.g.of[a]];
    k->c->g_fn(&v, &k->tab, F, F);
  }
  memcpy(lo, r->lo, (size_t)r->n * sizeof(double));
  memcpy(hi, r->hi, (size_t)r->n * sizeof(double));
  for (int a = 0; a < s->a->on.law_moving.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.law_moving.of[a]];
    k->c->law_fn(&v, &k->tab, lo + k->row0, hi + k->row0);
  }
  for (int a = 0; a < s->a->on.relation.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.relation.of[a]];
    k->c->y_fn(&v, &k->tab, y + k->row0);
  }
  for (int row = 0; row < r->n; row++) {
    int l = w->nz + r->l[row], set = s->now.set[row];
    F[l] = set == SIM_LOW ? lo[row] - Z[l] : set == SIM_HIGH ? hi[row] - Z[l] : -y[row];
  }
}

static void kernels_that_move(nsm_sim *s, const nsm_view *v) {
  const sim_list *of[] = { &s->a->on.jac_moving, &s->a->on.k_moving, &s->a->on.b_moving, &s->a->on.h_moving };
  for (int kind = 0; kind < 4; kind++)
    for (int a = 0; a < of[kind]->n; a++) {
      sim_class *k = &s->a->cls[of[kind]->of[a]];
      if (kind == 0) k->c->jac_fn(v, &k->tab, k->jac);
      else if (kind == 1) k->c->k_fn(v, &k->tab, k->k);
      else if (kind == 2) k->c->b_fn(v, &k->tab, k->b);
      else k->c->h_fn(v, &k->tab, k->h);
    }
}

static void add(const sim_class *k, const nsm_pattern *p, const double *value, const int **place, double *A) {
  size_t n = (size_t)k->tab.count * (size_t)p->n;
  for (size_t e = 0; e < n; e++) if ((*place)[e] >= 0) A[(*place)[e]] += value[e];
  *place += n;
}

static void add_rows(const nsm_sim *s, const sim_class *k, const int **place, double *A) {
  const struct sim_radau *w = s->n.radau;
  for (int i = 0; i < k->tab.count; i++, *place += k->c->h.n) {
    int at = k->row0 + i;
    if (s->now.set[at] != SIM_INSIDE) { A[w->at.diagonal[w->nz + s->n.r.l[at]]] = -1; continue; }
    for (int e = 0; e < k->c->h.n; e++)
      if ((*place)[e] >= 0) A[(*place)[e]] -= k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e];
  }
}

void radau_derivative(nsm_sim *s, double t, double *Z, double *A) {
  const struct sim_radau *w = s->n.radau;
  const int *place = w->at.place;
  if (!w->linear) {
    nsm_view v = view_at(s, t, Z);
    kernels_that_move(s, &v);
  }
  memset(A, 0, (size_t)w->at.start[w->n] * sizeof(double));
  for (int a = 0; a < s->a->on.jac.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.jac.of[a]];
    add(k, &k->c->jac, k->jac, &place, A);
  }
  for (int a = 0; a < s->a->on.k.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.k.of[a]];
    add(k, &k->c->k, k->k, &place, A);
  }
  for (int a = 0; a < s->a->on.b.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.b.of[a]];
    add(k, &k->c->b, k->b, &place, A);
  }
  for (int a = 0; a < s->a->on.relation.n; a++) add_rows(s, &s->a->cls[s->a->on.relation.of[a]], &place, A);
}

void radau_mass(nsm_sim *s, double t, double *Z, double *E) {
  struct sim_radau *w = s->n.radau;
  if (w->moving_mass) {
    nsm_view v = view_at(s, t, Z);
    for (int a = 0; a < s->a->on.mass_moving.n; a++) {
      sim_class *k = &s->a->cls[s->a->on.mass_moving.of[a]];
      k->c->mass_fn(&v, &k->tab, k->mass);
    }
  }
  const int *place = w->at.mass;
  memset(E, 0, (size_t)w->at.ne * sizeof(double));
  for (int a = 0; a < s->a->on.mass.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.mass.of[a]];
    add(k, &k->c->mass, k->mass, &place, E);
  }
  if (E != w->E) return;
  for (int e = 0; e < w->at.ne; e++) if (w->at.erow[e] == w->at.ecol[e]) w->inertia[w->at.erow[e]] = E[e];
}

double radau_rate(nsm_sim *s, int z) {
  struct sim_radau *w = s->n.radau;
  memcpy(w->z0, s->now.z, (size_t)w->nz * sizeof(double));
  memcpy(w->z0 + w->nz, s->now.l, (size_t)w->nl * sizeof(double));
  radau_evaluate(s, s->now.t, w->z0, w->F[0], w->y[0], w->lo[0], w->hi[0]);
  return w->F[0][z] / w->inertia[z];
}

void radau_times(const struct sim_radau *w, const double *E, double factor, const double *x, double *to) {
  for (int e = 0; e < w->at.ne; e++) to[w->at.erow[e]] += factor * x[w->at.ecol[e]] * E[e];
}

void radau_terms(const struct sim_radau *w, const double *A, const double *x, double *to) {
  for (int j = 0; j < w->n; j++) {
    double by = fabs(x[j]);
    for (int e = w->at.start[j]; e < w->at.start[j + 1] && by != 0; e++) to[w->at.row[e]] += by * fabs(A[e]);
  }
}

void radau_terms_of_mass(const struct sim_radau *w, const double *x, double *to) {
  for (int e = 0; e < w->at.ne; e++) to[w->at.erow[e]] += fabs(w->E[e] * x[w->at.ecol[e]]);
}
