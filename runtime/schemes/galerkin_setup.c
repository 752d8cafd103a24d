// What pieces of a higher order take, their room, and the rows that a piece keeps.
#include "galerkin.h"

static int refuse(nsm_error *e, int order, const char *what) {
  sim_fail(e, NSM_USAGE, "`consistent(order = %d)` does not take %s; `consistent(located = true)`, of order 2, does",
           order, what);
  return 0;
}

int sim_galerkin_fits(nsm_sim *s, nsm_error *e) {
  int order = 2 * s->a->stages, nv = s->a->nv, rows = 0;
  if (s->a->stages == 1) return 1;
  SIM_EACH(s, row, k) rows += k->tab.count;
  if (s->touching) return refuse(e, order, "contacts between shapes");
  if (!s->a->located && s->a->on.contact.n + s->a->on.friction.n > 0) {
    sim_fail(e, NSM_USAGE, "`consistent(order = %d)` locates impacts and changes of friction: captured within a step "
             "these are of order 1, whatever the order is; leave `located = false` out, or take order = 2", order);
    return 0;
  }
  int n = 2 * s->a->stages * (nv + rows);
  if (n <= GALERKIN_MOST) return 1;
  sim_fail(e, NSM_USAGE, "`consistent(order = %d)` takes up to %d unknowns of a piece, and this model has %d, by %d "
           "velocities and %d rows; `consistent`, of order 2, has no such limit", order, GALERKIN_MOST, n, nv, rows);
  return 0;
}

static void room_of_class(nsm_sim *s, const sim_class *k, galerkin_class *o) {
  size_t count = (size_t)k->tab.count;
  for (int e = 0; e < 2; e++) {
    o->mass[e] = SIM_NEW(s, count * (size_t)k->c->mass.n, double);
    o->h[e] = SIM_NEW(s, count * (size_t)k->c->h.n, double);
    o->dr[e] = SIM_NEW(s, count * (size_t)k->c->dr.n, double);
  }
  if (k->c->hm_fn) o->hm = SIM_NEW(s, count * (size_t)k->c->h.n, double);
  o->jac = SIM_NEW(s, count * (size_t)k->c->jac.n, double);
}

void sim_galerkin_analyse(nsm_sim *s) {
  if (s->a->stages == 1) return;
  struct sim_galerkin *g = s->n.galerkin = SIM_NEW(s, 1, struct sim_galerkin);
  galerkin_tables_make(&g->t, s->a->stages);
  size_t nv = (size_t)s->a->nv, rows = (size_t)s->n.r.n, n = 2 * (size_t)g->t.s * (nv + rows), ends = nv + rows;
  g->row = SIM_NEW(s, rows, int);
  unsigned char *slides = g->slides = SIM_NEW(s, s->n.r.nfriction, unsigned char);
  g->cls = SIM_NEW(s, s->a->m->nclass, galerkin_class);
  for (int a = 0; a < s->a->m->nclass; a++) room_of_class(s, &s->a->cls[a], &g->cls[a]);
  g->most = (int)n;
  double **by_n[] = { &g->x, &g->dx, &g->res, &g->plain };
  for (size_t i = 0; i < sizeof by_n / sizeof *by_n; i++) *by_n[i] = SIM_NEW(s, n + ends, double);
  g->A = SIM_NEW(s, n * n, double);
  g->jpvt = SIM_NEW(s, n, int);
  g->lwork = nsm_la_pseudo_inverse_work((int)n);
  g->work = SIM_NEW(s, (size_t)g->lwork + n, double);
  for (int p = 0; p <= g->t.s; p++) {
    g->q[p] = SIM_NEW(s, s->a->nq, double);
    g->u[p] = SIM_NEW(s, s->a->nz, double);
  }
  double **by_v[] = { &g->dq, &g->du, &g->minus_dq, &g->minus_du, &g->momentum, &g->coordinate };
  for (size_t i = 0; i < sizeof by_v / sizeof *by_v; i++) *by_v[i] = SIM_NEW(s, nv, double);
  double **by_row[] = { &g->gap, &g->rate0, &g->rate1, &g->still0, &g->still1 };
  for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++) *by_row[i] = SIM_NEW(s, rows, double);
  galerkin_turns_analyse(s);
  s->n.push = SIM_NEW(s, s->a->nz, double);
  g->f = SIM_NEW(s, s->a->nz, double);
  g->l = SIM_NEW(s, s->a->nl + 1, double);
  sim_instant_open(s, &g->in, s->a->nv);
  g->in.rows = galerkin_rows;
  g->in.slides = slides;
  g->in.at = galerkin_forces;
  g->in.factors = galerkin_factors;
  g->in.accelerations = g->in.e;
  g->in.speed = galerkin_speed;
}

static void keep(nsm_sim *s, int row) {
  struct sim_galerkin *g = s->n.galerkin;
  g->in.of[row] = g->m;
  g->row[g->m++] = row;
}

// A contact acts where its set is closed, friction where what presses it acts.
static int acts(const nsm_sim *s, int row) {
  return s->a->cls[s->n.r.cls[row]].c->kind != NSM_CONTACT || s->now.set[row] == SIM_CLOSED;
}

void galerkin_rows(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  const sim_rows *r = &s->n.r;
  g->m = 0;
  for (int row = 0; row < r->n; row++) {
    int kind = s->a->cls[r->cls[row]].c->kind;
    g->in.of[row] = -1;
    r->active[row] = kind == NSM_CONSTRAINT || (kind == NSM_CONTACT && acts(s, row));
    if (r->active[row] && !(kind == NSM_CONSTRAINT && s->now.implied_n > 0 && sim_is_implied(s, row))) keep(s, row);
  }
  for (int f = 0; f < r->nfriction; f++) {
    const sim_friction *k = &r->friction[f];
    int on = k->normals == 0 || acts(s, k->normal[0]);
    sim_disk part[2];
    int parts = sim_friction_parts(k, part);
    g->slides[f] = 0;
    for (int p = 0; p < parts; p++) {
      const int *row = k->row + part[p].first;
      int slides = on && s->now.set[row[0]] == SIM_SLIPS_ON;
      g->slides[f] |= (unsigned char)(slides << p);
      for (int d = 0; d < part[p].n; d++) {
        r->active[row[d]] = (unsigned char)on;
        if (on && !slides) keep(s, row[d]);
      }
    }
  }
  g->block = 2 * (s->a->nv + g->m);
  g->n = g->t.s * g->block;
}
