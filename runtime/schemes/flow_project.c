// Onto constraints and closed contacts, which the accelerations keep but for the error of the solver: with the matrix
// of the instant,
//
//   M dq = H^T tau,  H dq = -(g - g_0);      M dz = H^T tau,  H dz = -rate      (of relations inside: -y)          (4)
//
// g_0 is 0, of a contact where it closed. Positions first, by Newton's method with the matrix kept.
//
// An impact may lift closed contacts by what is nothing beside their known gaps: they stay closed, and (4) makes their
// rates 0 as impulses that the ledger has, of either sign. Friction that slides goes with them.
#include "flow.h"

#include <float.h>

enum { ROUNDS = 4 };
static const double left = 1024 * DBL_EPSILON;             // of the terms of a rate: more is none that an impact made 0

// Gaps of the rows that are kept on places into e, others 0. The largest.
static double gaps(nsm_sim *s, double t, const double *q, const double *z, double *e) {
  struct sim_flow *w = s->n.flow;
  nsm_view v = sim_view(s, t, q, z, w->in.force);
  double most = 0;
  for (int a = 0; a < s->a->on.row.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.row.of[a]];
    if (k->c->kind != NSM_CONTACT && (k->c->kind != NSM_CONSTRAINT || k->c->velocity_level)) continue;
    k->c->gap_fn(&v, &k->tab, w->rate[0] + k->row0, w->rate[1] + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      if (w->in.of[row] < 0) continue;
      double target = k->c->kind == NSM_CONTACT ? s->now.ground[row] : 0, off = w->rate[0][row] - target;
      e[s->a->nz + w->in.of[row]] = -off;
      most = fmax(most, fabs(off));
    }
  }
  return most;
}

static void rates(nsm_sim *s, double t, const double *q, const double *z, double *e) {
  struct sim_flow *w = s->n.flow;
  nsm_view v = sim_view(s, t, q, z, w->in.force);
  SIM_EACH(s, row, k) {
    int relation = k->c->kind == NSM_RELATION;
    (relation ? k->c->y_fn : k->c->rate_fn)(&v, &k->tab, w->rate[1] + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      if (w->in.of[row] >= 0 && w->level[row]) e[s->a->nz + w->in.of[row]] = -w->rate[1][row];
  }
  flow_hidden_off(s, w->rate[1], e);
}

// The matrix of the instant is at hand. 0: it cannot be met.
int flow_project(nsm_sim *s, double t, double *q, double *z) {
  struct sim_flow *w = s->n.flow;
  int n = s->a->nz + w->m;
  double last = INFINITY;
  if (w->m == 0) return 1;
  for (int k = 0; k < ROUNDS; k++) {
    memset(w->in.e, 0, (size_t)n * sizeof(double));
    double off = gaps(s, t, q, z, w->in.e);
    if (!(off < 0.5 * last)) break;
    last = off;
    sim_instant_solve(&w->in, n, w->in.e, w->x);
    memcpy(w->qa, q, (size_t)s->a->nq * sizeof(double));
    sim_move(s, w->qa, 1, w->x, q);
  }
  memset(w->in.e, 0, (size_t)n * sizeof(double));
  rates(s, t, q, z, w->in.e);
  sim_instant_solve(&w->in, n, w->in.e, w->x);
  for (int i = 0; i < s->a->nz; i++) z[i] += w->x[i];
  return isfinite(last);
}

// ---- what an impact leaves ------------------------------------------------------------------------------------------
// Of impulses l, what presses a block that slides, along the forces of the instant at hand: of either sign.
static double presses(const nsm_sim *s, int f, const double *l) {
  const sim_friction *of = &s->n.r.friction[f];
  double pressed = sim_slide_pressed(s, f, 0, s->n.flow->in.force), sum = 0;
  if (of->normals == 1 && of->type != NSM_CONE_GRIP) return l[s->n.r.l[of->normal[0]]];
  for (int q = 0; pressed > 0 && q < of->normals; q++) {
    int at = s->n.r.l[of->normal[q]];
    sum += l[at] * s->n.flow->in.force[at] / pressed;
  }
  return sum;
}

// Rates of what acts into e; are those of closed contacts 0?
static int rates_left(nsm_sim *s, double *e) {
  struct sim_flow *w = s->n.flow;
  nsm_view now = sim_now(s);
  int any = 0;
  SIM_EACH(s, row, k) {
    if (!sim_contactlike(k->c)) continue;
    k->c->rate_fn(&now, &k->tab, w->rate[1] + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      if (w->in.of[row] < 0) continue;
      e[s->a->nz + w->in.of[row]] = -w->rate[1][row];
      any |= k->c->kind == NSM_CONTACT && fabs(w->rate[1][row]) > left * sim_velocity_terms(s, row, s->now.z);
    }
  }
  return any;
}

int sim_flow_settle(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  double *l1 = s->w.l1, slide[SIM_SLIPS];
  flow_rows(s);
  int n = s->a->nz + w->m;
  memset(w->in.e, 0, (size_t)n * sizeof(double));
  if (!rates_left(s, w->in.e) || !flow_instant(s, s->now.t, s->now.q, s->now.z)) return 0;
  memset(w->in.e, 0, (size_t)n * sizeof(double));
  (void)rates_left(s, w->in.e);
  sim_instant_solve(&w->in, n, w->in.e, w->x);
  memcpy(s->w.q1, s->now.q, (size_t)s->a->nq * sizeof(double));
  for (int i = 0; i < s->a->nz; i++) s->w.z1[i] = s->now.z[i] + w->x[i];
  for (int row = 0; row < s->n.r.n; row++) {
    int acts = sim_contactlike(s->a->cls[s->n.r.cls[row]].c), at = s->n.r.l[row];
    l1[at] = !acts ? s->now.l[at] : w->in.of[row] >= 0 ? w->x[s->a->nz + w->in.of[row]] : 0;
  }
  for (int f = 0; f < s->n.r.nfriction; f++) {
    if (!w->slides[f]) continue;
    sim_slide_force(s, f, 1, presses(s, f, l1), w->rate[1], slide);
    for (int d = 0; d < s->n.r.friction[f].n; d++) l1[s->n.r.l[s->n.r.friction[f].row[d]]] = slide[d];
  }
  sim_rows_outer(s, 0);
  s->w.flows = SIM_FLOW_SETTLES;
  return 1;
}
