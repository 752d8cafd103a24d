// The instantaneous system: accelerations and the forces of the rows that act, by the sets of now,
//
//   M z' - sum of H^T lambda = f + g(lambda)                                     smooth statements              (1)
//   H u' = -(d rate/dq u + d rate/dt)        constraints, closed contacts, friction that sticks                  (2)
//   y(lambda) = 0, or y' = 0 where y has none of the multipliers that are free     relations inside their bounds (3)
//
// lambda_T = -mu lambda_N s/|s| of friction that slides; multipliers at a bound are that bound. g and y need not be
// affine in lambda: Newton's method.
#include "flow.h"

enum { ITERATIONS = 12 };
static const double still = 1e-13, enough = 1e-9, contradicts = 1e-7, window = 1 / 32.0;   // of the step, for d/dt

// ---- rows -----------------------------------------------------------------------------------------------------------
static void keep(nsm_sim *s, int row) {
  struct sim_flow *w = s->n.flow;
  w->in.of[row] = w->m;
  w->row[w->m++] = row;
}

static int closed(const nsm_sim *s, int row) {
  return s->a->cls[s->n.r.cls[row]].c->kind != NSM_CONTACT || s->now.set[row] == SIM_CLOSED;
}

// Is the multiplier of a relation free, by its set?
static int inside(const nsm_sim *s, int row) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  return k->c->row_type == NSM_ROW_FREE || s->now.set[row] == SIM_INSIDE ||
         (s->n.r.lo[row] == -INFINITY && s->n.r.hi[row] == INFINITY);
}

// Relations whose y reads no multiplier that is free are kept by their derivative.
static void levels(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  for (int r = 0; r < w->m; r++) {
    int row = w->row[r];
    const sim_class *k = &s->a->cls[s->n.r.cls[row]];
    w->level[row] = 1;
    for (int e = 0; k->c->kind == NSM_RELATION && e < k->c->h.n; e++) {
      if (k->c->h.wrt[e] != NSM_WRT_L) continue;
      int l = k->tab.ix[(size_t)(row - k->row0) * (size_t)k->c->nslot + (size_t)k->c->h.col[e]];
      if (l < s->a->nl && w->in.of[s->n.r.of_l[l]] >= 0) w->level[row] = 0;
    }
  }
}

void flow_rows(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  const sim_rows *r = &s->n.r;
  w->m = 0;
  for (int row = 0; row < r->n; row++) {
    int kind = s->a->cls[r->cls[row]].c->kind;
    w->in.of[row] = -1;
    if (kind == NSM_FRICTION) continue;
    int on = kind == NSM_RELATION ? inside(s, row) : closed(s, row);
    if (kind == NSM_CONTACT) r->active[row] = (unsigned char)on;
    if (on && !(kind == NSM_CONSTRAINT && s->now.implied_n > 0 && sim_is_implied(s, row))) keep(s, row);
  }
  for (int f = 0; f < r->nfriction; f++) {
    const sim_friction *k = &r->friction[f];
    int on = k->normals == 0 || closed(s, k->normal[0]);
    w->slides[f] = on && s->now.set[k->row[0]] == SIM_SLIPS_ON;
    for (int d = 0; d < k->n; d++) {
      r->active[k->row[d]] = (unsigned char)on;
      if (on && !w->slides[f]) keep(s, k->row[d]);
    }
  }
  levels(s);
}

double sim_flow_pressed(const nsm_sim *s, int friction) {
  return sim_slide_pressed(s, friction, 1, s->n.flow->in.force);
}

// ---- the system -----------------------------------------------------------------------------------------------------
static void forces(nsm_sim *s, const nsm_view *v, double *f) {
  sim_forces(s, v, 0, f);
  SIM_EACH(s, f_mean, k) k->c->f_fn(v, &k->tab, f, f + s->a->nv);
  SIM_EACH(s, g, k) k->c->g_fn(v, &k->tab, f, f + s->a->nv);
}

// Reactions of multipliers that are free: their columns, and what they add at the guess on the right.
static void reactions(nsm_sim *s, const nsm_view *v, size_t n) {
  struct sim_flow *w = s->n.flow;
  SIM_EACH(s, b, k) {
    const nsm_pattern *p = &k->c->b;
    if (k->c->b_stage > NSM_EVENT) k->c->b_fn(v, &k->tab, k->b);
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        int l = k->tab.ix[(size_t)i * (size_t)k->c->nslot + (size_t)p->col[e]];
        int r = l < s->a->nl ? w->in.of[s->n.r.of_l[l]] : -1;
        double b = k->b[(size_t)i * (size_t)p->n + (size_t)e];
        if (r < 0) continue;
        size_t z = (size_t)sim_z_of(s, k, i, p->row[e]);
        w->in.E[z + (size_t)(s->a->nz + r) * n] -= b;
        w->in.e[z] -= b * w->in.force[l];
      }
  }
}

// Weights of five values around t, in [from, to], for the derivative there.
static void weights(struct sim_flow *w, double t, double step, double *at) {
  double delta = fmin(window * step, 0.25 * (w->to - w->from)),
         c = fmin(fmax(t, w->from + 2 * delta), w->to - 2 * delta);
  if (!(delta > 0)) { delta = window * step; c = t; }
  for (int i = 0; i < 5; i++) at[i] = c + (i - 2) * delta;
  double x = (t - c) / delta;
  for (int i = 0; i < 5; i++) {                            // Lagrange's polynomials on -2 ... 2, their derivative at x
    double sum = 0, under = 1;
    for (int j = 0; j < 5; j++) {
      if (j == i) continue;
      double product = 1;
      for (int k = 0; k < 5; k++) if (k != i && k != j) product *= x - (k - 2);
      sum += product;
      under *= i - j;
    }
    w->weight[i] = sum / (under * delta);
  }
}

// d/dt of rates, and of the y of relations, at rest of everything else, into rate[0]. What does not change has 0.
static void in_time(nsm_sim *s, const sim_class *k, const nsm_view *v) {
  struct sim_flow *w = s->n.flow;
  double at[5];
  weights(w, v->t, s->a->step, at);
  for (int i = 0; i < 5; i++) {
    nsm_view there = sim_view(s, at[i], v->q, v->v, v->l);
    (k->c->kind == NSM_RELATION ? k->c->y_fn : k->c->rate_fn)(&there, &k->tab, w->rate[i] + k->row0);
  }
  for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
    double sum = 0, middle = w->rate[2][row];
    for (int i = 0; i < 5; i++) sum += w->weight[i] * (w->rate[i][row] - middle);
    w->rate[0][row] = sum;
  }
}

// The equation of row i of a class, and where its force acts.
static void equation(nsm_sim *s, const sim_class *k, int i, const nsm_view *v, size_t n) {
  struct sim_flow *w = s->n.flow;
  const double *h = k->h + (size_t)i * (size_t)k->c->h.n;
  int row = k->row0 + i, relation = k->c->kind == NSM_RELATION, level = w->level[row];
  size_t at = (size_t)(s->a->nz + w->in.of[row]);
  double right = level ? -w->rate[0][row] : 0;
  for (int e = 0; e < k->c->h.n; e++) {
    int wrt = k->c->h.wrt[e], ix = k->tab.ix[(size_t)i * (size_t)k->c->nslot + (size_t)k->c->h.col[e]];
    if (relation && wrt == NSM_WRT_L) {
      int r = ix < s->a->nl ? w->in.of[s->n.r.of_l[ix]] : -1;
      if (r < 0 || level) continue;
      w->in.E[at + (size_t)(s->a->nz + r) * n] += h[e];
      right += h[e] * w->in.force[ix];
      continue;
    }
    if (!level || wrt == NSM_WRT_D) continue;
    size_t z = (size_t)sim_z_of(s, k, i, k->c->h.col[e]);
    if (relation && wrt == NSM_WRT_Q) { right -= h[e] * v->v[z]; continue; }
    w->in.E[at + z * n] += h[e];
    if (!relation) w->in.E[z + at * n] -= h[e];
  }
  if (relation && !level) right -= w->rate[1][row];
  if (!relation && k->rq && k->c->rq_fn) {
    const double *rq = k->rq + (size_t)i * (size_t)k->c->rq.n;
    for (int e = 0; e < k->c->rq.n; e++) right -= rq[e] * v->v[sim_z_of(s, k, i, k->c->rq.col[e])];
  }
  w->in.e[at] = right;
}

static void rows(nsm_sim *s, const nsm_view *v, size_t n) {
  struct sim_flow *w = s->n.flow;
  SIM_EACH(s, row, k) {
    int any = 0;
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) any |= w->in.of[row] >= 0;
    if (k->c->h_stage > NSM_EVENT && k->c->h_fn) k->c->h_fn(v, &k->tab, k->h);
    if (!any) continue;
    if (k->rq && k->c->rq_fn && k->c->rq_stage > NSM_EVENT) k->c->rq_fn(v, &k->tab, k->rq);
    in_time(s, k, v);
    if (k->c->kind == NSM_RELATION) k->c->y_fn(v, &k->tab, w->rate[1] + k->row0);
    for (int i = 0; i < k->tab.count; i++) if (w->in.of[k->row0 + i] >= 0) equation(s, k, i, v, n);
  }
  sim_implied_place(s, sim_row_h);
  SIM_EACH(s, friction, k) k->c->rate_fn(v, &k->tab, w->rate[1] + k->row0);
  sim_instant_coefficients(s, v);
  for (int f = 0; f < s->n.r.nfriction; f++) if (w->slides[f]) sim_instant_slide(s, f, 1, w->rate[1], &w->in, n);
}

// Multipliers of rows that are not kept: of relations the bound, else 0.
static void bounds(nsm_sim *s, const nsm_view *v) {
  struct sim_flow *w = s->n.flow;
  sim_rows *r = &s->n.r;
  SIM_EACH(s, law_moving, k) k->c->law_fn(v, &k->tab, r->lo + k->row0, r->hi + k->row0);
  SIM_EACH(s, relation, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      if (w->in.of[row] < 0) w->in.force[r->l[row]] = s->now.set[row] == SIM_HIGH ? r->hi[row] : r->lo[row];
  for (int row = 0; row < r->n; row++)
    if (w->in.of[row] < 0 && s->a->cls[r->cls[row]].c->kind != NSM_RELATION) w->in.force[r->l[row]] = 0;
}

static int all_finite(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] - x[i];
  return sum == 0;
}

// The multipliers that were found; the largest change, beside the largest of them.
static double take(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  double change = 0, most = DBL_MIN;
  for (int r = 0; r < w->m; r++) {
    double *l = &w->in.force[s->n.r.l[w->row[r]]], now = w->x[s->a->nz + r];
    change = fmax(change, fabs(now - *l));
    most = fmax(most, fabs(now));
    *l = now;
  }
  return change / most;
}

// Forces of friction that slides, by the normal forces that were found.
static void take_sliding(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  double l[SIM_SLIPS];
  for (int f = 0; f < s->n.r.nfriction; f++) {
    if (!w->slides[f]) continue;
    sim_slide_force(s, f, 1, sim_flow_pressed(s, f), w->rate[1], l);
    for (int d = 0; d < s->n.r.friction[f].n; d++) w->in.force[s->n.r.l[s->n.r.friction[f].row[d]]] = l[d];
  }
}

// Multipliers of the last solution may be where reactions have no value: those nearest to 0 then.
int flow_guessed_anew(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  int any = 0;
  for (int r = 0; r < w->m; r++) {
    int row = w->row[r];
    double *l = &w->in.force[s->n.r.l[row]], none = fmin(fmax(0, s->n.r.lo[row]), s->n.r.hi[row]);
    any |= *l != none;
    *l = none;
  }
  return any;
}

static int is_solution(const nsm_sim *s, int n) {
  struct sim_flow *w = s->n.flow;
  if (!w->in.singular) return 1;
  for (int i = 0; i < s->a->nz; i++)
    w->known[i] = DBL_EPSILON * s->now.flow_size[w->group[w->nq + i]] / s->a->step;
  return sim_instant_off(&w->in, n, w->in.e, w->x, w->known) <= contradicts;
}

int flow_instant(nsm_sim *s, double t, const double *q, const double *z) {
  struct sim_flow *w = s->n.flow;
  int n = s->a->nz + w->m;
  double last = INFINITY;
  w->in.time = t;
  for (int it = 0; it < ITERATIONS; it++) {
    nsm_view v = sim_view(s, t, q, z, w->in.force);
    if (it == 0) bounds(s, &v);
    memset(w->in.E, 0, (size_t)n * (size_t)n * sizeof(double));
    memset(w->in.e, 0, (size_t)n * sizeof(double));
    sim_instant_mass(s, &v, &w->in, (size_t)n);
    forces(s, &v, w->in.e);
    reactions(s, &v, (size_t)n);
    rows(s, &v, (size_t)n);
    sim_instant_factor(&w->in, n);
    w->hides = w->in.singular && flow_hidden(s, &v);
    if (w->hides) sim_instant_factor(&w->in, n);
    sim_instant_solve(&w->in, n, w->in.e, w->x);
    if (!all_finite(w->x, (size_t)n)) {
      if (it > 0 || !flow_guessed_anew(s)) return 0;
      continue;
    }
    double change = take(s);
    if (!w->iterates || w->m == 0 || change <= still) break;
    if (it > 2 && !(change < last) && change > enough) return 0;
    if (it > 2 && !(change < last)) break;
    last = change;
  }
  sim_implied_spread(s, w->in.force);
  take_sliding(s);
  return is_solution(s, n);
}

int flow_allowed(nsm_sim *s, double t, const double *q, const double *z) {
  int good = flow_instant(s, t, q, z);
  flow_allow(s);
  return good;
}

void flow_allow(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  if (!w->in.singular) return;
  sim_instant_allow(s, &w->in, s->a->nz + w->m, 1, w->in.force);
  sim_implied_spread(s, w->in.force);
  take_sliding(s);
}
