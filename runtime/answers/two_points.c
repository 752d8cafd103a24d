// The equations of a piece of `consistent`, and of an impact before it; numbers in comments are those of
// docs/numerics/consistent.md. The unknowns of a piece are
//
//     u_E [nv];   with rows: l = lambda + Lambda [rows], u_C [nv], Lambda [rows];
//     with constraints: kappa [rows], pi = P kappa [nv]
//
// and those of an impact u_C and Lambda. A closed contact acts in (1) and in (6); so does a constraint that no other
// one implies.
#include "play.h"
#include <stddef.h>
#include <string.h>

// Where they stand among the unknowns, and the equations likewise.
typedef struct places { int u, l, uc, impulse, kappa, pi, n; } places;

static places places_of(const nsm_sim *s) {
  int nv = s->a->nv, rows = s->n.r.n, held = s->a->on.constraint.n > 0;
  places at = { .l = nv, .uc = nv + rows, .impulse = 2 * nv + rows, .kappa = 2 * (nv + rows), .pi = 2 * nv + 3 * rows };
  at.n = rows == 0 ? nv : held ? at.pi + nv : at.kappa;
  return at;
}

int play_two_points_unknowns(const nsm_sim *s) { return places_of(s).n; }

static int is_closed(const tape_entry *e, int row) { return e->law[row] == TAPE_RATE || e->law[row] == TAPE_RATE_E; }
static int is_held(const nsm_sim *s, int row) { return s->a->cls[s->n.r.cls[row]].c->kind == NSM_CONSTRAINT; }

// eq += by value^T l, along the velocities of the pattern; l by instances.
static void add_along(const nsm_sim *s, const sim_class *k, const nsm_pattern *of, const dual *value, const dual *l,
                      double by, dual *eq) {
  for (int i = 0; i < k->tab.count; i++)
    for (int j = 0; j < of->n; j++) {
      dual *to = &eq[sim_z_of(s, k, i, of->col[j])];
      *to = dual_add(*to, dual_scale(dual_mul(value[i * of->n + j], l[i]), by));
    }
}

// eq += M(v) x
static void add_mass(player *p, const dual_view *v, const dual *x, double by, dual *eq) {
  memcpy(p->inc, x, (size_t)p->s->a->nv * sizeof *x);
  play_add_inertia(p, v, by, eq);
}

// (1), with its momenta in eq and its rows in rows: u_C, Lambda.
static void impact(player *p, const tape_entry *e, const dual *u, const dual *impulse, dual *eq, dual *rows) {
  nsm_sim *s = p->s;
  dual_view begin = play_view(p, p->at->t, p->at->q, p->at->z, p->at->l, dual_of(0)), after = begin;
  after.v = u;
  for (int i = 0; i < s->a->nv; i++) {
    eq[i] = dual_of(0);
    p->dv[i] = dual_sub(u[i], p->at->z[i]);
  }
  add_mass(p, &begin, p->dv, 1, eq);
  SIM_EACH(s, row, k) {
    if (!PLAY(p, k, h, &begin, p->h)) continue;
    add_along(s, k, &k->c->h, p->h, impulse + k->row0, -1, eq);
    PLAY(p, k, rate, &after, p->y + k->row0);
    PLAY(p, k, rate, &begin, p->u0 + k->row0);
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      dual by = k->c->e_num >= 0 ? p->at->num[k - s->a->cls][i * k->c->nnum + k->c->e_num] : dual_of(0);
      dual bounce = e->law[row] == TAPE_RATE_E ? dual_mul(by, p->u0[row]) : dual_of(0);
      rows[row] = is_closed(e, row) ? dual_add(p->y[row], bounce) : impulse[row];
    }
  }
}

// q_E by (9), u_E - u_C, and the views of the step.
static void move(player *p, const places *at, dual h) {
  nsm_sim *s = p->s;
  int nv = s->a->nv, rows = s->n.r.n, held = at->n > at->kappa;
  const dual *uc = rows > 0 ? p->w + at->uc : p->at->z;
  for (int i = 0; i < nv; i++) {
    p->dv[i] = dual_sub(p->w[i], uc[i]);
    p->dq[i] = dual_scale(dual_mul(h, dual_add(uc[i], p->w[i])), 0.5);
    if (held) p->dq[i] = dual_sub(p->dq[i], p->w[at->pi + i]);
  }
  play_move(p, p->at->q, dual_of(1), p->dq, dual_of(0), p->dq, p->q1);
  memset(p->l1, 0, (size_t)(s->a->nl + 1) * sizeof *p->l1);
  memset(p->kappa, 0, (size_t)(s->a->nl + 1) * sizeof *p->kappa);
  for (int row = 0; row < rows; row++) {
    p->l1[s->n.r.l[row]] = p->w[at->l + row];
    if (held) p->kappa[s->n.r.l[row]] = p->w[at->kappa + row];
  }
  dual t1 = dual_add(p->at->t, h);
  play_views *v = &p->now;
  v->h = h;
  v->begin = play_view(p, p->at->t, p->at->q, p->at->z, p->at->l, h);
  v->end = play_view(p, dual_add(p->at->t, dual_scale(h, 0.5)), p->q1, p->w, p->l1, h);
  v->end.t = t1;
  v->end.t0 = p->at->t;
  v->end.q0 = p->at->q;
  v->end.v0 = uc;
  v->end.dq = p->dq;
  v->end.dv = p->dv;
  v->end.k = p->kappa;
  SIM_EACH(s, compliant, k) PLAY(p, k, lambda, &v->end, p->l1 + s->a->var[k->c->row_var].base);
}

// Rows of the motion: their forces into (2), (4) to (6) into eq.
static void rows(player *p, const tape_entry *e, const places *at, dual *eq) {
  nsm_sim *s = p->s;
  const dual_view *v = &p->now.end;
  dual_view one_sided = *v;                                // D gamma(u_E)
  one_sided.v0 = v->v;
  one_sided.dv = p->signal + 2 * s->a->nd;                 // zero
  SIM_EACH(s, row, k) {
    int n = k->tab.count;
    dual *force = p->gap + k->row0;                        // lambda
    for (int i = 0; i < n; i++) force[i] = dual_sub(p->w[at->l + k->row0 + i], p->w[at->impulse + k->row0 + i]);
    if (k->c->dg_fn) PLAY(p, k, dg, v, p->h);
    else PLAY(p, k, h, v, p->h);
    add_along(s, k, &k->c->h, p->h, force, -1, eq);
    for (int i = 0; i < n; i++) {
      int row = k->row0 + i;
      dual rise = dual_of(0);
      for (int j = 0; j < k->c->h.n; j++)
        rise = dual_add(rise, dual_mul(p->h[i * k->c->h.n + j], p->dq[sim_z_of(s, k, i, k->c->h.col[j])]));
      eq[at->l + row] = is_closed(e, row) ? rise : force[i];
    }
    if (at->n == at->kappa) continue;
    if (!is_held(s, k->row0)) {
      for (int i = 0; i < n; i++) eq[at->kappa + k->row0 + i] = p->w[at->kappa + k->row0 + i];
      continue;
    }
    PLAY(p, k, rate, v, p->y + k->row0);
    if (PLAY(p, k, drate, e->means ? v : &one_sided, p->h))
      add_along(s, k, &k->c->dr, p->h, p->w + at->kappa + k->row0, -1, eq);
    for (int i = 0; i < n; i++) {
      int row = k->row0 + i;
      eq[at->kappa + row] = is_closed(e, row) ? p->y[row] : p->w[at->kappa + row];
    }
  }
}

// pi of (3): Mbar pi = H_S(q_B)^T kappa; of bodies with the mean of H (docs/numerics/bodies.md, (13))
static void pushed(player *p, const tape_entry *e, const places *at, dual *eq) {
  nsm_sim *s = p->s;
  for (int i = 0; i < s->a->nv; i++) eq[at->pi + i] = dual_of(0);
  add_mass(p, &p->now.begin, p->w + at->pi, 0.5, eq + at->pi);
  add_mass(p, &p->now.end, p->w + at->pi, 0.5, eq + at->pi);
  SIM_EACH(s, constraint, k)
    if ((e->means && PLAY(p, k, hm, &p->now.end, p->h)) || PLAY(p, k, h, &p->now.begin, p->h))
      add_along(s, k, &k->c->h, p->h, p->w + at->kappa + k->row0, -1, eq + at->pi);
}

void play_two_points(player *p, const tape_entry *e, dual h) {
  nsm_sim *s = p->s;
  places at = places_of(s);
  int nv = s->a->nv, any = s->n.r.n > 0;
  if (e->kind == TAPE_IMPACT) {
    memcpy(p->q1, p->at->q, (size_t)s->a->nq * sizeof *p->q1);
    memset(p->l1, 0, (size_t)(s->a->nl + 1) * sizeof *p->l1);
    for (int row = 0; row < s->n.r.n; row++) p->l1[s->n.r.l[row]] = p->w[nv + row];
    impact(p, e, p->w, p->w + nv, p->eq, p->eq + nv);
    return;
  }
  if (any) impact(p, e, p->w + at.uc, p->w + at.impulse, p->eq + at.uc, p->eq + at.impulse);
  move(p, &at, h);
  memset(p->eq, 0, (size_t)nv * sizeof *p->eq);
  SIM_EACH(s, smooth, k) if (k->c->c_fn) PLAY(p, k, c, &p->now.end, p->eq);
  if (!any) return;
  rows(p, e, &at, p->eq);
  if (at.n > at.kappa) pushed(p, e, &at, p->eq);
}
