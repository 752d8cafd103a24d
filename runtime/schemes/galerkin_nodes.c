// What drives and what dissipates: forces, dampers, sliding friction, at Gauss' nodes with their positive weights.
// Their velocities are q'/h: so the loss of a damper is a sum of losses, at every step.
//
// Coefficients of friction are those at the node; their derivatives are left to the iteration.
//
//   (3) has  - sum_k w_k P_j(tau_k) (h f + H_T^T lambda_T),   lambda_T = -mu lambda_N s/|s|   at node k
#include "galerkin.h"

static void forces_at(nsm_sim *s, const nsm_view *v, int kind, double *f) {
  memset(f, 0, (size_t)s->a->nz * sizeof(double));
  SIM_EACH(s, smooth, k)
    if (galerkin_at_nodes(k->c) && k->c->f_fn && (kind == 0 || k->c->work == kind))
      k->c->f_fn(v, &k->tab, f, f + s->a->nv);
}

// The multipliers at node k, of all rows of the piece; of constraints that others imply, their shares.
static void multipliers(nsm_sim *s, int k, const nsm_view *v) {
  struct sim_galerkin *g = s->n.galerkin;
  memset(g->l, 0, ((size_t)s->a->nl + 1) * sizeof(double));
  for (int r = 0; r < g->m; r++)
    for (int j = 0; j < g->t.s; j++)
      g->l[s->n.r.l[g->row[r]]] += g->t.P[k][j] * g->x[galerkin_at(s, j, IN_FORCES, r)];
  if (s->now.implied_n == 0) return;
  SIM_EACH(s, constraint, c) if (c->c->h_stage > NSM_EVENT) c->c->h_fn(v, &c->tab, c->h);
  sim_implied_share(s, sim_row_h, g->l);
}

// H_T and slips at the view, of all friction that slides; rest: the part that is there at rest.
static void slips(nsm_sim *s, const nsm_view *v) {
  struct sim_galerkin *g = s->n.galerkin;
  nsm_view rest = *v;
  rest.v = s->a->zero;
  g->in.time = v->t;
  sim_instant_coefficients(s, v);
  SIM_EACH(s, friction, k) {
    if (k->c->h_stage > NSM_EVENT) k->c->h_fn(v, &k->tab, k->h);
    k->c->rate_fn(v, &k->tab, g->rate1 + k->row0);
    k->c->rate_fn(&rest, &k->tab, g->still1 + k->row0);
  }
}

static const double *direction(const nsm_sim *s, int row, const sim_class **k, int *i) {
  *k = &s->a->cls[s->n.r.cls[row]];
  *i = row - (*k)->row0;
  return (*k)->h + (size_t)*i * (size_t)(*k)->c->h.n;
}

// Impulses of sliding friction at a node, added to f.
static void add_sliding(nsm_sim *s, double *f) {
  struct sim_galerkin *g = s->n.galerkin;
  double l[SIM_SLIPS];
  for (int b = 0; b < s->n.r.nfriction; b++) {
    const sim_friction *of = &s->n.r.friction[b];
    if (!g->slides[b]) continue;
    sim_slide_force(s, b, g->slides[b], sim_slide_pressed(s, b, s->n.h, g->l), g->rate1, l);
    for (int d = 0; d < of->n; d++) {
      const sim_class *k;
      int i;
      const double *h = direction(s, of->row[d], &k, &i);
      for (int e = 0; e < k->c->h.n; e++) f[sim_z_of(s, k, i, k->c->h.col[e])] += h[e] * l[d];
    }
  }
}

void galerkin_add_forces(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  galerkin_nodes(s);
  for (int k = 0; k < g->t.s; k++) {
    nsm_view v = galerkin_node(s, k);
    forces_at(s, &v, 0, g->f);
    for (int z = 0; z < s->a->nv; z++) g->f[z] *= s->n.h;
    if (s->n.r.nfriction > 0) {
      multipliers(s, k, &v);
      slips(s, &v);
      add_sliding(s, g->f);
    }
    galerkin_turns_between(s, g->t.I[k], g->t.I[k]);
    galerkin_turns_back(s, g->f);
    for (int j = 0; j < g->t.s; j++)
      for (int z = 0; z < s->a->nv; z++)
        g->res[galerkin_at(s, j, IN_PLACES, z)] -= g->t.weight[k] * g->t.P[k][j] * g->f[z];
  }
}

// ---- derivatives ----------------------------------------------------------------------------------------------------
static void slope_of_class(nsm_sim *s, sim_class *k, double *jac, int node, const nsm_view *v) {
  struct sim_galerkin *g = s->n.galerkin;
  const nsm_pattern *p = &k->c->jac;
  k->c->jac_fn(v, &k->tab, jac);
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
      double x = g->t.weight[node] * jac[(size_t)i * (size_t)p->n + (size_t)e];
      if (p->wrt[e] != NSM_WRT_Q && p->wrt[e] != NSM_WRT_V) continue;
      for (int j = 0; j < g->t.s; j++)
        for (int l = 0; l < g->t.s; l++) {
          double by = p->wrt[e] == NSM_WRT_Q ? s->n.h * g->t.I[node][l] : g->t.P[node][l];
          size_t at = (size_t)galerkin_at(s, j, IN_PLACES, row) +
                      (size_t)galerkin_at(s, l, IN_PLACES, col) * (size_t)g->n;
          g->A[at] -= g->t.P[node][j] * x * by;
        }
    }
}

// H_a^T x H_b into the derivative of (3), by the velocities q'/h: of two rows of a block.
static void add_product(nsm_sim *s, int a, int b, int node, double x) {
  struct sim_galerkin *g = s->n.galerkin;
  const sim_class *k, *m;
  int i, o;
  const double *h = direction(s, a, &k, &i), *with = direction(s, b, &m, &o);
  for (int e = 0; e < k->c->h.n; e++)
    for (int c = 0; c < m->c->h.n; c++)
      for (int j = 0; j < g->t.s; j++)
        for (int n = 0; n < g->t.s; n++)
          g->A[(size_t)galerkin_at(s, j, IN_PLACES, sim_z_of(s, k, i, k->c->h.col[e])) +
               (size_t)galerkin_at(s, n, IN_PLACES, sim_z_of(s, m, o, m->c->h.col[c])) * (size_t)g->n] -=
              g->t.weight[node] * g->t.P[node][j] * g->t.P[node][n] * h[e] * x * with[c] / s->n.h;
}

// By the slip, which turns the faster, the slower it is: d(s/|s|)/ds = (1 - s s^T/|s|^2)/|s|.
static void slope_of_direction(nsm_sim *s, int f, int node) {
  const struct sim_galerkin *g = s->n.galerkin;
  const sim_friction *of = &s->n.r.friction[f];
  double pressed = sim_slide_pressed(s, f, s->n.h, g->l);
  sim_disk part[2];
  int parts = sim_friction_parts(of, part);
  for (int p = 0; p < parts; p++) {
    const int *row = of->row + part[p].first, n = part[p].n;
    double along[SIM_SLIPS], slip;
    if (!(g->slides[f] & (1 << p))) continue;
    sim_slide_along(s, &part[p], row, g->rate1, along, &slip);
    double by = part[p].mu * pressed / slip;
    for (int d = 0; n > 1 && d < n; d++)
      for (int e = 0; e < n; e++)
        add_product(s, row[d], row[e], node, -by * part[p].w[d] * part[p].w[e] * ((d == e) - along[d] * along[e]));
  }
}

// H_T^T l of a block into the derivative of (3), by the multiplier of a row of the piece.
static void slope_by_force(nsm_sim *s, int f, const double *l, int r, int node, double by) {
  struct sim_galerkin *g = s->n.galerkin;
  const sim_friction *of = &s->n.r.friction[f];
  for (int d = 0; d < of->n; d++) {
    const sim_class *k;
    int i;
    const double *h = direction(s, of->row[d], &k, &i);
    for (int e = 0; e < k->c->h.n; e++)
      for (int j = 0; j < g->t.s; j++)
        for (int n = 0; n < g->t.s; n++)
          g->A[(size_t)galerkin_at(s, j, IN_PLACES, sim_z_of(s, k, i, k->c->h.col[e])) +
               (size_t)galerkin_at(s, n, IN_FORCES, r) * (size_t)g->n] -=
              g->t.weight[node] * g->t.P[node][j] * g->t.P[node][n] * h[e] * l[d] * by;
  }
}

// By the normal forces.
static void slope_of_sliding(nsm_sim *s, int f, int node) {
  struct sim_galerkin *g = s->n.galerkin;
  const sim_friction *of = &s->n.r.friction[f];
  double l[SIM_SLIPS], pressed = sim_slide_pressed(s, f, s->n.h, g->l);
  sim_slide_force(s, f, g->slides[f], 1, g->rate1, l);
  for (int q = 0; q < of->normals; q++) {
    double by = sim_slide_share(of, g->l[s->n.r.l[of->normal[q]]], pressed);
    double share;
    for (int k = 0, row; sim_implied_by(s, of->normal[q], k, &row, &share); k++)
      if (g->in.of[row] >= 0) slope_by_force(s, f, l, g->in.of[row], node, by * share);
  }
}

void galerkin_add_slopes(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  galerkin_nodes(s);
  for (int k = 0; k < g->t.s; k++) {
    nsm_view v = galerkin_node(s, k);
    for (int a = 0; a < s->a->on.smooth.n; a++) {
      int cls = s->a->on.smooth.of[a];
      sim_class *c = &s->a->cls[cls];
      if (galerkin_at_nodes(c->c) && c->c->jac_fn) slope_of_class(s, c, g->cls[cls].jac, k, &v);
    }
    if (s->n.r.nfriction == 0) continue;
    multipliers(s, k, &v);
    slips(s, &v);
    for (int f = 0; f < s->n.r.nfriction; f++) {
      if (!g->slides[f]) continue;
      slope_of_sliding(s, f, k);
      slope_of_direction(s, f, k);
    }
  }
}

// ---- the books ------------------------------------------------------------------------------------------------------
static void book_sliding(nsm_sim *s, int node) {
  struct sim_galerkin *g = s->n.galerkin;
  double l[SIM_SLIPS];
  for (int f = 0; f < s->n.r.nfriction; f++) {
    const sim_friction *of = &s->n.r.friction[f];
    if (!g->slides[f]) continue;
    sim_slide_force(s, f, g->slides[f], sim_slide_pressed(s, f, s->n.h, g->l), g->rate1, l);
    for (int d = 0; d < of->n; d++) {
      int row = of->row[d];
      double p = g->t.weight[node] * l[d];
      s->w.l1[s->n.r.l[row]] += p;
      s->now.ledger.loss_friction += sim_ledger_book(s, row, -p * g->rate1[row]);
      s->now.ledger.forces_now -= p * g->still1[row];
    }
  }
}

// Impulses of constraints, of which some imply others.
static void book_shares(nsm_sim *s, int node) {
  const struct sim_galerkin *g = s->n.galerkin;
  SIM_EACH(s, constraint, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      s->w.l1[s->n.r.l[row]] += g->t.weight[node] * g->l[s->n.r.l[row]];
}

// Work of forces and dampers, and impulses of sliding friction into l1 with what they take.
void galerkin_book_forces(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  galerkin_nodes(s);
  for (int k = 0; k < g->t.s; k++) {
    nsm_view v = galerkin_node(s, k);
    for (int kind = NSM_WORK_FORCE; kind <= NSM_WORK_DAMPING; kind++) {
      double power = 0;
      forces_at(s, &v, kind, g->f);
      for (int z = 0; z < s->a->nv; z++) power += g->f[z] * g->u[k][z];
      power *= g->t.weight[k] * s->n.h;
      if (kind == NSM_WORK_FORCE) s->now.ledger.forces_now += power;
      else s->now.ledger.dampers_now -= power;
    }
    if (s->n.r.nfriction == 0 && s->now.implied_n == 0) continue;
    multipliers(s, k, &v);
    if (s->now.implied_n > 0) book_shares(s, k);
    slips(s, &v);
    book_sliding(s, k);
  }
}
