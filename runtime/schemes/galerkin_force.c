// Forces at the end of a piece, from the system of that instant:
//
//   M u' - H^T lambda = f + H_T^T lambda_T,   H u' = -(d rate/dq u + d rate/dt),   lambda_T = -mu lambda_N s/|s|   (8)
//
// over the rows of the piece. A set ends where these end it. The polynomials of lambda are of order s there, these are
// as exact as the state. d rate/dt, of what moves by itself (a belt), is a difference over a short time.
#include "galerkin.h"

static const double dependent = 1e-11, shortly = 1e-4;   // of the piece

static void mass(nsm_sim *s, const nsm_view *v, size_t n) {
  struct sim_galerkin *g = s->n.galerkin;
  for (int a = 0; a < s->a->on.mass.n; a++) {
    int cls = s->a->on.mass.of[a];
    const sim_class *k = &s->a->cls[cls];
    const nsm_pattern *p = &k->c->mass;
    double *m = k->mass;
    if (k->c->mass_stage > NSM_EVENT) k->c->mass_fn(v, &k->tab, m = g->cls[cls].mass[1]);
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++)
        g->E[(size_t)sim_z_of(s, k, i, p->row[e]) + (size_t)sim_z_of(s, k, i, p->col[e]) * n] +=
            m[(size_t)i * (size_t)p->n + (size_t)e];
  }
}

// Row i of class `cls` of the piece: its column, its equation.
static void row(nsm_sim *s, int cls, int i, const nsm_view *v, size_t n) {
  struct sim_galerkin *g = s->n.galerkin;
  const sim_class *k = &s->a->cls[cls];
  const double *rq = s->n.con->cls[cls].rq + (size_t)i * (size_t)k->c->rq.n,
               *h = k->h + (size_t)i * (size_t)k->c->h.n;
  int of = k->row0 + i, r = g->of[of];
  size_t at = (size_t)(s->a->nv + r);
  for (int e = 0; e < k->c->h.n; e++) {
    size_t z = (size_t)sim_z_of(s, k, i, k->c->h.col[e]);
    g->E[z + at * n] -= h[e];
    g->E[at + z * n] += h[e];
  }
  double sum = (g->rate1[of] - g->rate0[of]) / (2 * shortly * s->n.h);
  for (int e = 0; k->c->rq_fn && e < k->c->rq.n; e++) sum += rq[e] * v->v[sim_z_of(s, k, i, k->c->rq.col[e])];
  g->e[at] = -sum;
}

// The normal forces of sliding friction push along its directions; a given one stands on the right. How several normal
// forces share in their length is taken from the last solution.
static void slide(nsm_sim *s, int f, const double *rate, size_t n) {
  struct sim_galerkin *g = s->n.galerkin;
  const sim_friction *of = &s->n.r.friction[f];
  double l[SIM_SLIPS], pressed = galerkin_pressed(s, f, 1, g->force);
  galerkin_slide(s, f, of->normals == 0 ? pressed : 1, rate, l);
  for (int d = 0; d < of->n; d++) {
    const sim_class *k = &s->a->cls[s->n.r.cls[of->row[d]]];
    int i = of->row[d] - k->row0;
    const double *h = k->h + (size_t)i * (size_t)k->c->h.n;
    for (int e = 0; e < k->c->h.n; e++) {
      size_t z = (size_t)sim_z_of(s, k, i, k->c->h.col[e]);
      if (of->normals == 0) g->e[z] += h[e] * l[d];
      for (int q = 0; q < of->normals; q++) {
        double lambda = g->force[s->n.r.l[of->normal[q]]];
        int r = g->of[of->normal[q]];
        double by = of->normals == 1 && of->type != NSM_CONE_GRIP ? 1 : pressed > 0 ? lambda / pressed : 0;
        if (r >= 0) g->E[z + (size_t)(s->a->nv + r) * n] -= h[e] * l[d] * by;
      }
    }
  }
}

static void solve(nsm_sim *s, size_t n) {
  struct sim_galerkin *g = s->n.galerkin;
  double *scale = g->by_row, most = 0;
  int m = (int)n;
  for (size_t i = 0; i < n; i++) {
    scale[i] = 0;
    for (size_t j = 0; j < n; j++) scale[i] = fmax(scale[i], fabs(g->E[i + j * n]));
    scale[i] = scale[i] > 0 ? 1 / scale[i] : 1;
    for (size_t j = 0; j < n; j++) g->E[i + j * n] *= scale[i];
    g->e[i] *= scale[i];
  }
  memcpy(g->einverse, g->E, n * n * sizeof(double));
  int singular = nsm_la_lu_factor(m, g->E, m, g->epivot).code != NSM_LA_OK;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(g->E[i + i * n]));
  for (size_t i = 0; i < n; i++) singular |= fabs(g->E[i + i * n]) <= dependent * most;
  if (!singular) { nsm_la_lu_solve(m, 1, g->E, m, g->epivot, g->e, m); return; }
  memcpy(g->E, g->einverse, n * n * sizeof(double));
  (void)nsm_la_pseudo_inverse(m, g->E, dependent, g->einverse, g->ejpvt, g->ework, g->elwork);
  memcpy(g->E, g->e, n * sizeof(double));
  nsm_la_gemv(m, m, 1, g->einverse, m, g->E, 0, g->e);
}

// What moves by itself, shortly before and after: into rate0, rate1.
static void around(nsm_sim *s, const sim_class *k, const nsm_view *v) {
  struct sim_galerkin *g = s->n.galerkin;
  for (int side = 0; side < 2; side++) {
    nsm_view at = sim_view(s, v->t + (2 * side - 1) * shortly * s->n.h, v->q, v->v, s->a->zero_l);
    k->c->rate_fn(&at, &k->tab, (side ? g->rate1 : g->rate0) + k->row0);
  }
}

void galerkin_instant(nsm_sim *s, double t, const double *q, const double *z) {
  struct sim_galerkin *g = s->n.galerkin;
  size_t n = (size_t)(s->a->nv + g->m);
  nsm_view v = sim_view(s, t, q, z, s->a->zero_l);
  memset(g->E, 0, n * n * sizeof(double));
  memset(g->e, 0, n * sizeof(double));
  mass(s, &v, n);
  sim_forces(s, &v, 0, g->f);
  memcpy(g->e, g->f, (size_t)s->a->nv * sizeof(double));
  for (int a = 0; a < s->a->on.row.n; a++) {
    int cls = s->a->on.row.of[a];
    sim_class *k = &s->a->cls[cls];
    around(s, k, &v);
    if (k->c->h_stage > NSM_EVENT) k->c->h_fn(&v, &k->tab, k->h);
    if (k->c->rq_fn) k->c->rq_fn(&v, &k->tab, s->n.con->cls[cls].rq);
    for (int i = 0; i < k->tab.count; i++) if (g->of[k->row0 + i] >= 0) row(s, cls, i, &v, n);
  }
  SIM_EACH(s, friction, k) k->c->rate_fn(&v, &k->tab, g->still1 + k->row0);
  for (int f = 0; f < s->n.r.nfriction; f++) if (g->slides[f]) slide(s, f, g->still1, n);
  solve(s, n);
  memset(g->force, 0, ((size_t)s->a->nl + 1) * sizeof(double));
  for (int r = 0; r < g->m; r++) g->force[s->n.r.l[g->row[r]]] = g->e[s->a->nv + r];
}

double sim_galerkin_force(const nsm_sim *s, int row) { return s->n.galerkin->force[s->n.r.l[row]]; }

double sim_galerkin_pressed(const nsm_sim *s, int friction) {
  return galerkin_pressed(s, friction, 1, s->n.galerkin->force);
}
