// The equations of a piece, (3)-(6) of docs/numerics/galerkin.md, without the forces at Gauss' nodes: the two-point
// kernels on 1, 2, ..., s subintervals, by Legendre's polynomials.
#include "galerkin.h"

static int takes_part(const nsm_sim *s, const sim_class *k) {
  int any = 0;
  for (int i = 0; i < k->tab.count; i++) any |= s->n.galerkin->in.of[k->row0 + i] >= 0;
  return any;
}

// Directions: of slip at the middle, else over the subinterval; H and D rate/Dq at both ends: with u_B, with u_E.
int galerkin_row_kernels(nsm_sim *s, int cls, const nsm_view *v) {
  sim_class *k = &s->a->cls[cls];
  galerkin_class *o = &s->n.galerkin->cls[cls];
  con_class *c = &s->n.con->cls[cls];
  if (!takes_part(s, k)) return 0;
  nsm_view b = galerkin_backward(s, v);
  const nsm_view *end[] = { &b, v };
  for (int e = 0; e < 2; e++) {
    nsm_view at = *end[e];                                 // H there: of an increment 0
    at.q0 = at.q;
    at.v0 = at.v;
    at.t0 = at.t;
    at.dq = at.dv = s->a->zero;
    if (k->c->h_stage > NSM_EVENT) k->c->h_fn(&at, &k->tab, o->h[e]);
    else memcpy(o->h[e], k->h, (size_t)k->tab.count * (size_t)k->c->h.n * sizeof(double));
    nsm_view by = *v;                                      // from q0 to q, at the rates of this end
    by.v = by.v0 = end[e]->v;
    by.dv = s->a->zero;
    if (k->c->drate_fn) k->c->drate_fn(o->hm ? v : &by, &k->tab, o->dr[e]);    // with hm: by both arguments together
  }
  if (o->hm) k->c->hm_fn(v, &k->tab, o->hm);
  if (k->c->kind == NSM_FRICTION && k->c->h_stage > NSM_EVENT) {
    nsm_view m = galerkin_middle(s, v);
    k->c->h_fn(&m, &k->tab, k->h);
  }
  if (k->c->dg_fn) k->c->dg_fn(v, &k->tab, c->dg);
  return 1;
}

const double *galerkin_direction(const nsm_sim *s, int cls, int i) {
  const sim_class *k = &s->a->cls[cls];
  return (k->c->dg_fn ? s->n.con->cls[cls].dg : k->h) + (size_t)i * (size_t)k->c->h.n;
}

// The change of a gap, or what has slipped, in the subinterval.
static double moved(const nsm_sim *s, int cls, int i, double h) {
  const sim_class *k = &s->a->cls[cls];
  const struct sim_galerkin *g = s->n.galerkin;
  const double *d = galerkin_direction(s, cls, i);
  int row = k->row0 + i;
  double sum = galerkin_on_velocities(k->c) ? 0.5 * h * (g->still0[row] + g->still1[row]) : 0;
  for (int e = 0; e < k->c->h.n; e++) sum += d[e] * g->dq[sim_z_of(s, k, i, k->c->h.col[e])];
  return sum;
}

// Rates at both ends, and what of them is there at rest (a belt).
static void rates(nsm_sim *s, const sim_class *k, const nsm_view *v) {
  struct sim_galerkin *g = s->n.galerkin;
  nsm_view b = *v;
  b.t = v->t0;
  b.q = v->q0;
  b.v = v->v0;
  if (s->a->nsignal > 0) { b.d = sim_signals(s, b.t); b.d_rate = s->w.moments->rate[s->w.moments->last]; }
  k->c->rate_fn(&b, &k->tab, g->rate0 + k->row0);
  nsm_view e = *v;
  if (s->a->nsignal > 0) { e.d = sim_signals(s, e.t); e.d_rate = s->w.moments->rate[s->w.moments->last]; }
  k->c->rate_fn(&e, &k->tab, g->rate1 + k->row0);
  if (!galerkin_on_velocities(k->c)) return;
  b.v = e.v = s->a->zero;
  if (s->a->nsignal > 0) { b.d = sim_signals(s, b.t); b.d_rate = s->w.moments->rate[s->w.moments->last]; }
  k->c->rate_fn(&b, &k->tab, g->still0 + k->row0);
  if (s->a->nsignal > 0) { e.d = sim_signals(s, e.t); e.d_rate = s->w.moments->rate[s->w.moments->last]; }
  k->c->rate_fn(&e, &k->tab, g->still1 + k->row0);
}

// A row: its forces into the brackets of (3) and (4), its own residuals.
static void add_row(nsm_sim *s, int cls, int i, int N, int at) {
  struct sim_galerkin *g = s->n.galerkin;
  const sim_class *k = &s->a->cls[cls];
  const galerkin_class *o = &g->cls[cls];
  const nsm_class *c = k->c;
  int row = k->row0 + i, r = g->in.of[row];
  double l = galerkin_mean(s, IN_FORCES, r, N, at), kappa = galerkin_mean(s, IN_KAPPAS, r, N, at);
  const double *d = galerkin_direction(s, cls, i);
  for (int e = 0; e < c->h.n; e++) {
    int z = sim_z_of(s, k, i, c->h.col[e]);
    size_t x = (size_t)i * (size_t)c->h.n + (size_t)e;
    g->momentum[z] -= l / N * d[e];
    g->coordinate[z] += kappa * (o->hm ? o->hm[x] : 0.5 * (o->h[0][x] + o->h[1][x]));
  }
  for (int e = 0; c->drate_fn && e < c->dr.n; e++) {
    size_t x = (size_t)i * (size_t)c->dr.n + (size_t)e;
    g->momentum[sim_z_of(s, k, i, c->dr.col[e])] -= 0.5 * kappa / N * (o->dr[0][x] + o->dr[1][x]);
  }
  double gap = moved(s, cls, i, s->n.h / N), change = g->rate1[row] - g->rate0[row];
  for (int j = 0; j < g->t.s; j++) {
    double w = g->t.share[N] * N * galerkin_w(&g->t, N, at, j);
    g->res[galerkin_at(s, j, IN_FORCES, r)] += w * gap;
    if (j > 0) g->res[galerkin_at(s, j, IN_KAPPAS, r)] += w * change;
    else if (N == g->t.s && at == N) g->res[galerkin_at(s, 0, IN_KAPPAS, r)] = g->rate1[row];   // (6) with j = 0
  }
}

// M at both ends of the subinterval, and M (dq N - h (u_B + u_E)/2), M their mean, into the bracket of (4).
static void add_mass(nsm_sim *s, const sim_class *k, galerkin_class *o, int N, const nsm_view *v) {
  struct sim_galerkin *g = s->n.galerkin;
  const nsm_pattern *p = &k->c->mass;
  size_t n = (size_t)k->tab.count * (size_t)p->n;
  if (k->c->mass_stage > NSM_EVENT) {
    nsm_view b = galerkin_backward(s, v);
    k->c->mass_fn(&b, &k->tab, o->mass[0]);
    k->c->mass_fn(v, &k->tab, o->mass[1]);
  } else for (int e = 0; e < 2; e++) memcpy(o->mass[e], k->mass, n * sizeof(double));
  for (size_t e = 0; e < n; e++) {
    int i = (int)(e / (size_t)p->n), row = sim_z_of(s, k, i, p->row[e % (size_t)p->n]),
        col = sim_z_of(s, k, i, p->col[e % (size_t)p->n]);
    double off = N * g->dq[col] - 0.5 * s->n.h * (v->v0[col] + v->v[col]);
    g->coordinate[row] += 0.5 * (o->mass[0][e] + o->mass[1][e]) * off;
  }
}

static void subinterval(nsm_sim *s, int N, int i) {
  struct sim_galerkin *g = s->n.galerkin;
  size_t bytes = (size_t)s->a->nv * sizeof(double);
  memset(g->momentum, 0, bytes);
  memset(g->coordinate, 0, bytes);
  nsm_view v = galerkin_pair(s, N, i);
  SIM_EACH(s, smooth, k) if (k->c->c_fn && !galerkin_at_nodes(k->c)) k->c->c_fn(&v, &k->tab, g->momentum);
  for (int a = 0; a < s->a->on.mass.n; a++) {
    int cls = s->a->on.mass.of[a];
    add_mass(s, &s->a->cls[cls], &g->cls[cls], N, &v);
  }
  for (int a = 0; a < s->a->on.row.n; a++) {
    int cls = s->a->on.row.of[a];
    const sim_class *k = &s->a->cls[cls];
    if (!galerkin_row_kernels(s, cls, &v)) continue;
    rates(s, k, &v);
    for (int row = 0; row < k->tab.count; row++) if (g->in.of[k->row0 + row] >= 0) add_row(s, cls, row, N, i);
  }
  galerkin_turns_back(s, g->momentum);
  for (int j = 0; j < g->t.s; j++) {
    double w = g->t.share[N] * galerkin_w(&g->t, N, i, j);
    for (int z = 0; z < s->a->nv; z++) {
      g->res[galerkin_at(s, j, IN_PLACES, z)] += N * w * g->momentum[z];
      g->res[galerkin_at(s, j, IN_SPEEDS, z)] += w * g->coordinate[z];
    }
  }
}

void galerkin_residual(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  memset(g->res, 0, (size_t)g->n * sizeof(double));
  for (int N = 1; N <= g->t.s; N++) {
    galerkin_points(s, N);
    for (int i = 1; i <= N; i++) subinterval(s, N, i);
  }
  for (int r = 0; r < g->m; r++) {
    int j = s->n.con->of[g->row[r]];
    if (j >= 0) g->res[galerkin_at(s, 0, IN_FORCES, r)] += s->n.con->back[j];   // a gap that is more than round-off
  }
  galerkin_add_forces(s);
}
