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

// Column of an entry; -1: it is none (a multiplier that does not exist, a discrete variable).
static int column_of(const nsm_sim *s, const sim_class *k, int i, int slot, int wrt) {
  const struct sim_radau *w = s->n.radau;
  if (wrt == NSM_WRT_X) return sim_z_of(s, k, i, slot);
  if (wrt != NSM_WRT_L) return -1;
  int l = k->tab.ix[(size_t)i * (size_t)k->c->nslot + (size_t)slot];
  return l < w->nl ? w->nz + l : -1;
}

static void add(const nsm_sim *s, const sim_class *k, const nsm_pattern *p, const double *value, double *A) {
  size_t n = (size_t)s->n.radau->n;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      int col = column_of(s, k, i, p->col[e], p->wrt[e]), row = sim_z_of(s, k, i, p->row[e]);
      if (col >= 0) A[(size_t)row + (size_t)col * n] += value[(size_t)i * (size_t)p->n + (size_t)e];
    }
}

static void add_rows(const nsm_sim *s, const sim_class *k, double *A) {
  const struct sim_radau *w = s->n.radau;
  size_t n = (size_t)w->n;
  for (int i = 0; i < k->tab.count; i++) {
    int at = k->row0 + i, row = w->nz + s->n.r.l[at];
    if (s->now.set[at] != SIM_INSIDE) { A[(size_t)row * (n + 1)] = -1; continue; }
    for (int e = 0; e < k->c->h.n; e++) {
      int col = column_of(s, k, i, k->c->h.col[e], k->c->h.wrt[e]);
      if (col >= 0) A[(size_t)row + (size_t)col * n] -= k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e];
    }
  }
}

void radau_derivative(nsm_sim *s, double t, double *Z, double *A) {
  size_t n = (size_t)s->n.radau->n;
  if (!s->n.radau->linear) {
    nsm_view v = view_at(s, t, Z);
    kernels_that_move(s, &v);
  }
  memset(A, 0, n * n * sizeof(double));
  for (int a = 0; a < s->a->on.jac.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.jac.of[a]];
    add(s, k, &k->c->jac, k->jac, A);
  }
  for (int a = 0; a < s->a->on.k.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.k.of[a]];
    add(s, k, &k->c->k, k->k, A);
  }
  for (int a = 0; a < s->a->on.b.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.b.of[a]];
    add(s, k, &k->c->b, k->b, A);
  }
  for (int a = 0; a < s->a->on.relation.n; a++) add_rows(s, &s->a->cls[s->a->on.relation.of[a]], A);
}

void radau_mass(nsm_sim *s, double t, double *Z, double *E) {
  size_t n = (size_t)s->n.radau->n;
  if (s->n.radau->moving_mass) {
    nsm_view v = view_at(s, t, Z);
    for (int a = 0; a < s->a->on.mass_moving.n; a++) {
      sim_class *k = &s->a->cls[s->a->on.mass_moving.of[a]];
      k->c->mass_fn(&v, &k->tab, k->mass);
    }
  }
  memset(E, 0, n * n * sizeof(double));
  for (int a = 0; a < s->a->on.mass.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.mass.of[a]];
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < k->c->mass.n; e++)
        E[(size_t)sim_z_of(s, k, i, k->c->mass.row[e]) + (size_t)sim_z_of(s, k, i, k->c->mass.col[e]) * n] +=
            k->mass[(size_t)i * (size_t)k->c->mass.n + (size_t)e];
  }
}

double radau_rate(nsm_sim *s, int z) {
  struct sim_radau *w = s->n.radau;
  memcpy(w->z0, s->now.z, (size_t)w->nz * sizeof(double));
  memcpy(w->z0 + w->nz, s->now.l, (size_t)w->nl * sizeof(double));
  radau_evaluate(s, s->now.t, w->z0, w->F[0], w->y[0], w->lo[0], w->hi[0]);
  return w->F[0][z] / w->E[(size_t)z * ((size_t)w->n + 1)];
}

// E is 0 but for the equations of states.
void radau_times(const struct sim_radau *w, const double *E, double factor, const double *x, double *to) {
  for (int j = 0; j < w->nz; j++) {
    const double *column = E + (size_t)j * (size_t)w->n;
    double by = factor * x[j];
    if (by != 0) for (int i = 0; i < w->nz; i++) to[i] += by * column[i];
  }
}

void radau_terms(int lda, int used, const double *A, const double *x, double *to) {
  for (int j = 0; j < used; j++) {
    const double *column = A + (size_t)j * (size_t)lda;
    double by = fabs(x[j]);
    if (by != 0) for (int i = 0; i < used; i++) to[i] += by * fabs(column[i]);
  }
}
