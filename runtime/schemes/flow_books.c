// Works and impulses along a motion, as quadratures of the solver: of each multiplier its integral, of each row what
// its friction takes, then the work of forces and what dampers take. What feeds potentials of states, or changes them
// with time, is dV/dt at rest of all coordinates, by a difference that is exact to degree 4.
#include "flow.h"

static const double part = 1e-3;         // of the step, for dV/dt

// Power of forces and dampers (runtime/ledger/ledger.c).
static double power(nsm_sim *s, int kind, const nsm_view *v) {
  double *f = s->n.flow->f, sum = 0;
  memset(f, 0, (size_t)s->a->nz * sizeof(double));
  SIM_EACH(s, smooth, k) {
    if (k->c->work != kind) continue;
    if (k->c->f_fn) k->c->f_fn(v, &k->tab, f, f + s->a->nv);
    if (k->c->g_fn) k->c->g_fn(v, &k->tab, f, f + s->a->nv);
  }
  for (int i = 0; i < s->a->nv; i++) sum += f[i] * v->v[i];
  return sum;
}

static double potential(nsm_sim *s, const nsm_view *v) {
  double kinetic = 0, sum = 0;
  SIM_EACH(s, energy, k) k->c->energy_fn(v, &k->tab, &kinetic, &sum);
  return sum;
}

// dV/dt with the coordinates at rest; dz is z'.
static double fed(nsm_sim *s, double t, const double *q, const double *z, const double *dz) {
  struct sim_flow *w = s->n.flow;
  static const double weight[] = { 1, -8, 8, -1 };
  int driven = 0;
  SIM_EACH(s, energy, k) driven |= k->c->driven;
  if (!driven && s->a->nz == s->a->nv) return 0;
  double delta = part * s->a->step, sum = 0;
  memcpy(w->z, z, (size_t)s->a->nz * sizeof(double));
  for (int i = 0; i < 4; i++) {
    double way = delta * (i < 2 ? i - 2 : i - 1);
    for (int x = s->a->nv; x < s->a->nz; x++) w->z[x] = z[x] + way * dz[x];
    nsm_view v = sim_view(s, t + way, q, w->z, w->in.force);
    sum += weight[i] * potential(s, &v);
  }
  return sum / (12 * delta);
}

void flow_powers(nsm_sim *s, double t, const double *q, const double *z, double *dq) {
  struct sim_flow *w = s->n.flow;
  const sim_rows *r = &s->n.r;
  int nl = s->a->nl;
  double *loss = dq + nl, *works = loss + r->n;
  memset(dq, 0, (size_t)w->nquad * sizeof(double));
  nsm_view v = sim_view(s, t, q, z, w->in.force), rest = sim_view(s, t, q, s->a->zero, w->in.force);
  works[0] = power(s, NSM_WORK_FORCE, &v) + fed(s, t, q, z, w->x);
  works[1] = -power(s, NSM_WORK_DAMPING, &v);
  SIM_EACH(s, row, k) {
    if (!sim_contactlike(k->c)) continue;
    k->c->rate_fn(&v, &k->tab, w->rate[1] + k->row0);
    k->c->rate_fn(&rest, &k->tab, w->rate[2] + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) dq[r->l[row]] = w->in.force[r->l[row]];
  }
  for (int row = 0; row < r->n; row++) {
    const nsm_class *c = s->a->cls[r->cls[row]].c;
    if (!sim_contactlike(c)) continue;
    works[0] -= dq[r->l[row]] * w->rate[2][row];           // what moves by itself drives
    if (c->kind == NSM_FRICTION) loss[row] = -dq[r->l[row]] * w->rate[1][row];
  }
}

// Of the piece at hand, from `before` to `quad`. Multipliers of what has impulses are impulses of the piece.
void flow_book(nsm_sim *s) {
  struct sim_flow *w = s->n.flow;
  sim_ledger *g = &s->now.ledger;
  int nl = s->a->nl, n = s->n.r.n;
  const double *a = w->before, *b = w->quad;
  g->loss = g->loss_friction = g->drive = 0;
  for (int row = 0; row < n; row++)
    if (s->a->cls[s->n.r.cls[row]].c->kind == NSM_FRICTION) g->loss_friction += b[nl + row] - a[nl + row];
  g->forces_now = b[nl + n] - a[nl + n];
  g->dampers_now = b[nl + n + 1] - a[nl + n + 1];
}
