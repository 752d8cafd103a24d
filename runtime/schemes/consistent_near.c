// The motion (2), (4), (5) of bodies on joints with a matrix that is near to K, docs/numerics/consistent.md, section 4,
// "A near matrix". Of K it leaves out the curvature of the constraints, which is the dearest of all kernels and of
// second order in h |omega|, and what the second multipliers do to speeds and forces:
//
//   [ A                -Dg^T ] [ du      ]     [ res   ]
//   [ H + (h/2) rate_q   0   ] [ dlambda ] = - [ rates ],     A = R_u + (h/2) R_q of R1 alone                      (17)
//
//   [ M  -H(q_B)^T ] [ P dkappa ]   [ 0                 ]
//   [ G      0     ] [ dkappa   ] = [ gaps + (h/2) G du ],     G = dg_E/dq_E                                       (18)
//
// made once a step, at the first iterate. The residual falls by some (h |omega|)^2 an iteration. Where it falls too
// slowly the step is taken with K itself, from the start, and so are the next ones.
#include "consistent.h"
#include <string.h>

enum { MOST = 16, BACK_AFTER = 8 };
// Relative residuals: done; at the floor if they fall no more. Slowest fall in two iterations that is worth going on.
static const double done = 1e-15, floor_of_rounding = 2e-14, slow = 0.1;
static const double least_share = 1e-6;      // as of consistent_residual.c

struct con_near {
  sim_matrix k, p;                           // of (17), of (18)
  int  **cjac_at, **dg_at, **h_at, **rq_at;  // [nclass] places in k of the entries of a class
  int  **mass_at, **g_at, *b_at;             // in p; b_at: of the entries of B, by columns
  unsigned char *turn;                       // [nv] 1: of an attitude
  double *x;                                 // [nv + ns]
  double *size, *speed;                      // [nv] terms of the momentum rows; what velocities are known by
};

// ---- set-up ---------------------------------------------------------------------------------------------------------
// Bodies on constraints that are curved, with a mass that does not move.
static int worth(const nsm_sim *s) {
  int curved = 0;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const nsm_class *c = s->a->cls[s->a->on.constraint.of[a]].c;
    curved |= c->curve_fn && c->gq_fn;
  }
  return curved && s->a->on.kinematics.n > 0 && s->a->on.mass_moving.n == 0;
}

// Entries of a pattern in the rows or columns of velocities, for both turns of the graph, or as places.
typedef void visit(void *to, int row, int col);

static void square(nsm_sim *s, const sim_class *k, const nsm_pattern *p, visit *see, void *to) {
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) see(to, sim_z_of(s, k, i, p->row[e]), sim_z_of(s, k, i, p->col[e]));
}

static void row_of(nsm_sim *s, const sim_class *k, const nsm_pattern *p, int across, visit *see, void *to) {
  for (int i = 0; i < k->tab.count; i++) {
    int rate = s->a->nv + s->n.con->of[k->row0 + i];
    for (int e = 0; e < p->n; e++) {
      int z = sim_z_of(s, k, i, p->col[e]);
      if (across) see(to, z, rate);
      else see(to, rate, z);
    }
  }
}

static void edge(void *to, int row, int col) { sim_graph_edge(to, row, col); }

static void edges(nsm_sim *s, sim_graph *g) {
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.smooth.of[a]];
    square(s, k, &k->c->mass, edge, g);
    square(s, k, &k->c->cjac, edge, g);
  }
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    row_of(s, k, &k->c->h, 0, edge, g);
    row_of(s, k, &k->c->rq, 0, edge, g);
    row_of(s, k, &k->c->gq, 0, edge, g);
  }
}

typedef struct places { const sim_matrix *k; int *at; } places;

static void place(void *to, int row, int col) {
  places *p = to;
  *p->at++ = sim_matrix_place(p->k, row, col);
}

static int *places_of(nsm_sim *s, const sim_matrix *m, const sim_class *k, const nsm_pattern *p, int rows,
                      int across) {
  int *at = SIM_NEW(s, (size_t)k->tab.count * (size_t)p->n, int);
  places to = { m, at };
  if (rows) row_of(s, k, p, across, place, &to);
  else square(s, k, p, place, &to);
  return at;
}

static void shape(nsm_sim *s, sim_matrix *m, int n, const sim_graph *g, const int *node) {
  sim_matrix_shape(s, m, n, g->start, g->neighbour, node);
  for (int b = 0; b < m->nblock; b++)                    // multipliers: pivots are sought below the diagonal
    if (m->block[b].kind == BLOCK_TRIDIAGONAL) m->block[b].kind = BLOCK_BAND;
}

static void place_entries(nsm_sim *s) {
  const struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  const sim_rows *r = &s->n.r;
  int ***at[] = { &near->cjac_at, &near->mass_at, &near->dg_at, &near->h_at, &near->rq_at, &near->g_at };
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) *at[i] = SIM_NEW(s, s->a->m->nclass, int *);
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    int cls = s->a->on.smooth.of[a];
    const sim_class *k = &s->a->cls[cls];
    near->cjac_at[cls] = places_of(s, &near->k, k, &k->c->cjac, 0, 0);
    near->mass_at[cls] = places_of(s, &near->p, k, &k->c->mass, 0, 0);
  }
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    near->dg_at[cls] = places_of(s, &near->k, k, &k->c->h, 1, 1);
    near->h_at[cls] = places_of(s, &near->k, k, &k->c->h, 1, 0);
    near->rq_at[cls] = places_of(s, &near->k, k, &k->c->rq, 1, 0);
    near->g_at[cls] = places_of(s, &near->p, k, k->c->gq_fn ? &k->c->gq : &k->c->h, 1, 0);
  }
  near->b_at = SIM_NEW(s, r->b0[r->n], int);
  for (int j = 0; j < c->ns; j++)
    for (int e = r->b0[c->row[j]]; e < r->b0[c->row[j] + 1]; e++)
      near->b_at[e] = sim_matrix_place(&near->p, r->bz[e], s->a->nv + j);
}

void con_near_analyse(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  if (!worth(s)) return;
  struct con_near *near = c->near = SIM_NEW(s, 1, struct con_near);
  int n = s->a->nv + c->ns;
  sim_graph g = sim_graph_count(s, n);
  edges(s, &g);
  sim_graph_fill(s, &g);
  edges(s, &g);
  sim_graph_close(&g);
  int *node = sim_nodes(s, n, c->ns, c->row, s->a->nv, -1);
  shape(s, &near->k, n, &g, node);
  shape(s, &near->p, n, &g, node);
  sim_give(s, node);
  sim_graph_give(s, &g);
  place_entries(s);
  near->turn = SIM_NEW(s, s->a->nv, unsigned char);
  for (int z = s->a->nown; z < s->a->nv; z++) near->turn[z] = 1;
  near->x = SIM_NEW(s, n, double);
  near->size = SIM_NEW(s, s->a->nv, double);
  near->speed = SIM_NEW(s, s->a->nv, double);
}

// ---- the matrix -----------------------------------------------------------------------------------------------------
static void add_entries(double *val, const int *at, size_t n, const double *value, double factor) {
  for (size_t i = 0; i < n; i++) val[at[i]] += factor * value[i];
}

// Derivatives of momentum rows by positions and velocities.
static void add_square(nsm_sim *s, const nsm_view *v, const sim_class *k, const int *at, const double *value) {
  struct sim_consistent *c = s->n.con;
  const nsm_pattern *p = &k->c->cjac;
  double *val = c->near->k.val;
  for (int i = 0; i < k->tab.count; i++, value += p->n, at += p->n)
    for (int e = 0; e < p->n; e++) {
      int of_q = p->wrt[e] == NSM_WRT_Q, col = sim_z_of(s, k, i, p->col[e]);
      c->fresh[sim_z_of(s, k, i, p->row[e])] += fabs(value[e] * (of_q ? v->q[col] : v->v[col]));
      val[at[e]] += of_q ? 0.5 * v->h * value[e] : value[e];
    }
}

// (17); 1 where it has factors.
static int matrix(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  double *val = near->k.val;
  memset(val, 0, (size_t)near->k.nval * sizeof(double));
  memset(c->fresh, 0, (size_t)s->a->nv * sizeof(double));
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    int cls = s->a->on.smooth.of[a];
    const sim_class *k = &s->a->cls[cls];
    if (!k->c->cjac_fn) continue;
    k->c->cjac_fn(v, &k->tab, c->cls[cls].cjac);
    add_square(s, v, k, near->cjac_at[cls], c->cls[cls].cjac);
  }
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    con_class *o = &c->cls[cls];
    size_t count = (size_t)k->tab.count, n = count * (size_t)k->c->h.n;
    if (k->c->dg_fn && k->c->h_stage > NSM_EVENT) k->c->h_fn(v, &k->tab, k->h);
    add_entries(val, near->dg_at[cls], n, k->c->dg_fn ? o->dg : k->h, -1);
    add_entries(val, near->h_at[cls], n, k->h, 1);
    if (!k->c->rq_fn) continue;
    k->c->rq_fn(v, &k->tab, o->rq);
    add_entries(val, near->rq_at[cls], count * (size_t)k->c->rq.n, o->rq, 0.5 * v->h);
  }
  for (int i = 0; i < s->a->nv; i++) s->now.r1_most[i] = fmax(s->now.r1_most[i], c->fresh[i]);
  for (int b = 0; b < near->k.nblock; b++)
    if (sim_block_factor(s, &near->k, b) >= 0) return 0;
  return 1;
}

// (18), after (17); 1 where it has factors.
static int gap_matrix(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  const sim_rows *r = &s->n.r;
  double *val = near->p.val;
  memset(val, 0, (size_t)near->p.nval * sizeof(double));
  for (int a = 0; a < s->a->on.mass.n; a++) {
    int cls = s->a->on.mass.of[a];
    const sim_class *k = &s->a->cls[cls];
    add_entries(val, near->mass_at[cls], (size_t)k->tab.count * (size_t)k->c->mass.n, k->mass, 1);
  }
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    const nsm_pattern *p = k->c->gq_fn ? &k->c->gq : &k->c->h;
    if (k->c->gq_fn) k->c->gq_fn(v, &k->tab, c->cls[cls].gq);
    add_entries(val, near->g_at[cls], (size_t)k->tab.count * (size_t)p->n, k->c->gq_fn ? c->cls[cls].gq : k->h, 1);
  }
  for (int j = 0; j < c->ns; j++)
    for (int e = r->b0[c->row[j]]; e < r->b0[c->row[j] + 1]; e++) val[near->b_at[e]] -= r->b[e];
  for (int b = 0; b < near->p.nblock; b++)
    if (sim_block_factor(s, &near->p, b) >= 0) return 0;
  return 1;
}

// dz from the residual
static void solve(nsm_sim *s, double h) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  int nv = s->a->nv, ns = c->ns;
  double *gaps = near->x + nv;
  for (int i = 0; i < nv + ns; i++) c->dz[i] = -c->res[i];
  sim_matrix_solve_in(&near->k, c->dz);
  memset(near->x, 0, (size_t)nv * sizeof(double));
  memcpy(gaps, c->res + nv + ns, (size_t)ns * sizeof(double));
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    const nsm_pattern *p = k->c->gq_fn ? &k->c->gq : &k->c->h;
    const double *g = k->c->gq_fn ? c->cls[cls].gq : k->h;
    for (int i = 0; i < k->tab.count; i++, g += p->n) {
      double sum = 0;
      for (int e = 0; e < p->n; e++) sum += g[e] * c->dz[sim_z_of(s, k, i, p->col[e])];
      gaps[c->of[k->row0 + i]] += 0.5 * h * sum;
    }
  }
  sim_matrix_solve_in(&near->p, near->x);
  memcpy(c->dz + nv + ns, gaps, (size_t)ns * sizeof(double));
}

// ---- the measure ----------------------------------------------------------------------------------------------------
// Numbers of one kind (places, turns) are known to the round-off of the largest: bodies on joints move each other.
static void raise_to_share(const struct con_near *near, int n, double *x) {
  double most[2] = { 0, 0 };
  for (int i = 0; i < n; i++) most[near->turn[i]] = fmax(most[near->turn[i]], x[i]);
  for (int i = 0; i < n; i++) x[i] = fmax(x[i], least_share * most[near->turn[i]]) + DBL_MIN;
}

// A direction Dg is made of rotations: each of its moments is known to the round-off of the largest.
static void add_moments(nsm_sim *s) {
  const struct sim_consistent *c = s->n.con;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    const nsm_pattern *p = &k->c->h;
    for (int i = 0; i < k->tab.count; i++) {
      const double *d = con_direction(s, k->row0 + i);
      double most = 0, l = fabs(s->w.l1[s->n.r.l[k->row0 + i]]);
      for (int e = 0; e < p->n; e++)
        if (c->near->turn[sim_z_of(s, k, i, p->col[e])]) most = fmax(most, fabs(d[e]));
      for (int e = 0; e < p->n; e++)
        if (c->near->turn[sim_z_of(s, k, i, p->col[e])]) c->near->size[sim_z_of(s, k, i, p->col[e])] += most * l;
    }
  }
}

// The largest relative residual, as of con_residual, with these sizes.
static double residual(nsm_sim *s, double h) {
  const struct sim_consistent *c = s->n.con;
  const struct con_near *near = c->near;
  double most = 0;
  memcpy(near->size, s->now.r1_size, (size_t)s->a->nv * sizeof(double));
  add_moments(s);
  for (int i = 0; i < s->a->nv; i++)
    near->speed[i] = fabs(s->w.z1[i]) + fabs(c->uc[i]) + near->size[i] * c->mass_inverse[i];
  raise_to_share(near, s->a->nv, near->size);
  raise_to_share(near, s->a->nv, near->speed);
  for (int i = 0; i < s->a->nv; i++) {
    double x = fabs(c->res[i]) / near->size[i];
    if (!(x <= most)) most = x;
  }
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    const double *H = k->h, *rate = c->res + s->a->nv, *gap = rate + c->ns;
    for (int i = 0; i < k->tab.count; i++, H += k->c->h.n) {
      int j = c->of[k->row0 + i];
      double terms = DBL_MIN;
      for (int e = 0; e < k->c->h.n; e++) terms += fabs(H[e]) * near->speed[sim_z_of(s, k, i, k->c->h.col[e])];
      double x = fmax(fabs(rate[j]) / terms, fabs(gap[j]) / (h * terms));
      if (!(x <= most)) most = x;
    }
  }
  return most;
}

// ---- the motion -----------------------------------------------------------------------------------------------------
static int correct(nsm_sim *s, const nsm_view *v) {
  solve(s, v->h);
  con_go(s, v);
  return con_evaluate(s, v);
}

static int iterate(nsm_sim *s, const nsm_view *v) {
  double before = INFINITY, twice = INFINITY;
  memset(s->now.r1_most, 0, (size_t)s->a->nv * sizeof(double));
  if (!con_evaluate(s, v) || !matrix(s, v) || !gap_matrix(s, v)) return 0;
  for (int n = 0; n < MOST; n++) {
    if (!correct(s, v)) return 0;
    s->now.count.newton_iterations++;
    double error = residual(s, v->h), rate = error / before;
    if (error <= done || (error <= floor_of_rounding && (rate > 0.25 || error * rate <= done))) {
      // what is left has a sign and would add up over the steps
      if (!con_credible(s) || !correct(s, v) || !(residual(s, v->h) <= floor_of_rounding)) return 0;
      solve(s, v->h);
      con_go(s, v);
      return 1;
    }
    if (!(error <= slow * twice)) return 0;
    twice = before;
    before = error;
  }
  return 0;
}

int con_near(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  if (!c->near || c->na > 0 || s->now.con.redundant || s->now.k < s->now.con.near_again) return 0;
  long before = s->now.count.newton_iterations;
  con_start(s);
  int stands = iterate(s, v);
  c->iterations = s->now.count.newton_iterations - before;
  if (!stands) s->now.con.near_again = s->now.k + BACK_AFTER;
  return stands;
}
