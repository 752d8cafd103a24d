// Forces at the end of a piece, from the system of that instant:
//
//   M u' - H^T lambda = f + H_T^T lambda_T,   H u' = -(d rate/dq u + d rate/dt),   lambda_T = -mu lambda_N s/|s|   (8)
//
// over the rows of the piece. A set ends where these end it. The polynomials of lambda are of order s there, these are
// as exact as the state. d rate/dt, of what moves by itself (a belt), is a difference over a short time.
#include "galerkin.h"

static const double shortly = 1e-4;   // of the piece

// Row i of class `cls` of the piece: its column, its equation.
static void row(nsm_sim *s, int cls, int i, const nsm_view *v, size_t n) {
  struct sim_galerkin *g = s->n.galerkin;
  const sim_class *k = &s->a->cls[cls];
  const double *rq = s->n.con->cls[cls].rq + (size_t)i * (size_t)k->c->rq.n,
               *h = k->h + (size_t)i * (size_t)k->c->h.n;
  int of = k->row0 + i, r = g->in.of[of];
  size_t at = (size_t)(s->a->nv + r);
  for (int e = 0; e < k->c->h.n; e++) {
    size_t z = (size_t)sim_z_of(s, k, i, k->c->h.col[e]);
    g->in.E[z + at * n] -= h[e];
    g->in.E[at + z * n] += h[e];
  }
  double sum = (g->rate1[of] - g->rate0[of]) / (2 * shortly * s->n.h);
  for (int e = 0; k->c->rq_fn && e < k->c->rq.n; e++) sum += rq[e] * v->v[sim_z_of(s, k, i, k->c->rq.col[e])];
  g->in.e[at] = -sum;
}

// What moves by itself, shortly before and after: into rate0, rate1.
static void around(nsm_sim *s, const sim_class *k, const nsm_view *v) {
  struct sim_galerkin *g = s->n.galerkin;
  for (int side = 0; side < 2; side++) {
    nsm_view at = sim_view(s, v->t + (2 * side - 1) * shortly * s->n.h, v->q, v->v, s->a->zero_l);
    k->c->rate_fn(&at, &k->tab, (side ? g->rate1 : g->rate0) + k->row0);
  }
}

static void solve(nsm_sim *s, double t, const double *q, const double *z) {
  struct sim_galerkin *g = s->n.galerkin;
  size_t n = (size_t)(s->a->nv + g->m);
  nsm_view v = sim_view(s, t, q, z, s->a->zero_l);
  g->in.time = t;
  memset(g->in.E, 0, n * n * sizeof(double));
  memset(g->in.e, 0, n * sizeof(double));
  sim_instant_mass(s, &v, &g->in, n);
  sim_forces(s, &v, 0, g->f);
  memcpy(g->in.e, g->f, (size_t)s->a->nv * sizeof(double));
  for (int a = 0; a < s->a->on.row.n; a++) {
    int cls = s->a->on.row.of[a];
    sim_class *k = &s->a->cls[cls];
    around(s, k, &v);
    if (k->c->h_stage > NSM_EVENT) k->c->h_fn(&v, &k->tab, k->h);
    if (k->c->rq_fn) k->c->rq_fn(&v, &k->tab, s->n.con->cls[cls].rq);
    for (int i = 0; i < k->tab.count; i++) if (g->in.of[k->row0 + i] >= 0) row(s, cls, i, &v, n);
  }
  sim_implied_place(s, sim_row_h);
  SIM_EACH(s, friction, k) k->c->rate_fn(&v, &k->tab, g->still1 + k->row0);
  sim_instant_coefficients(s, &v);
  for (int f = 0; f < s->n.r.nfriction; f++)
    if (g->slides[f]) sim_instant_slide(s, f, g->slides[f], g->still1, &g->in, n);
  sim_instant_factor(&g->in, (int)n);
  sim_instant_solve(&g->in, (int)n, g->in.e, g->in.e);
  memset(g->in.force, 0, ((size_t)s->a->nl + 1) * sizeof(double));
  for (int r = 0; r < g->m; r++) g->in.force[s->n.r.l[g->row[r]]] = g->in.e[s->a->nv + r];
  sim_implied_spread(s, g->in.force);
}

void galerkin_push(nsm_sim *s) {
  double *f = s->n.galerkin->f;
  for (int end = 1; end >= 0; end--) {
    nsm_view v = sim_view(s, s->now.t + end * s->n.h, s->now.q, s->now.z, s->a->zero_l);
    sim_forces(s, &v, 0, f);
    for (int i = 0; i < s->a->nv; i++)
      s->n.push[i] = fmax(end ? 0 : s->n.push[i], s->n.h * s->n.con->mass_inverse[i] * fabs(f[i]));
  }
}

// Behind an impact, before the length of a piece is known: slips are known to what forces make in a step.
int galerkin_factors(nsm_sim *s, double t, const double *q, const double *z) {
  double h = s->n.h;
  s->n.h = s->a->step;
  galerkin_push(s);
  solve(s, t, q, z);
  s->n.h = h;
  return 1;
}

void galerkin_instant(nsm_sim *s, double t, const double *q, const double *z) {
  struct sim_galerkin *g = s->n.galerkin;
  solve(s, t, q, z);
  sim_instant_allow(s, &g->in, g->in.n, 1, g->in.force);
  sim_implied_spread(s, g->in.force);
}

int galerkin_forces(nsm_sim *s, double t, const double *q, const double *z) {
  galerkin_instant(s, t, q, z);
  return 1;
}

double galerkin_speed(const nsm_sim *s, int row) {
  return sim_velocity_terms(s, row, s->now.z) + sim_velocity_terms(s, row, s->n.push);
}

double sim_galerkin_force(const nsm_sim *s, int row) { return s->n.galerkin->in.force[s->n.r.l[row]]; }

double sim_galerkin_pressed(const nsm_sim *s, int friction) {
  return sim_slide_pressed(s, friction, 1, s->n.galerkin->in.force);
}
