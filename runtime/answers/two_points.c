// The equations of a piece of `consistent`, and of an impact before it; numbers in comments are those of
// docs/numerics/consistent.md. The unknowns of a piece are
//
//     u_E [nv];   with rows: l = lambda + Lambda [rows], u_C [nv], Lambda [rows];
//     with constraints: kappa [rows], pi = P kappa [nv];
//     where friction settles velocities at the end: u_E [nv] and lambda [rows] of the motion, u and l then being what
//     stands after it
//
// and those of an impact u_C and Lambda. A closed contact acts in (1) and in (6); so does a constraint that no other
// one implies. With friction contacts and slips have laws of their own in the impact, the motion and at the end
// (docs/numerics/friction.md, (4) to (6)).
#include "play.h"
#include "runtime/schemes/consistent.h"
#include <stddef.h>
#include <string.h>

// Where they stand among the unknowns, and the equations likewise.
typedef struct places { int l, uc, impulse, kappa, pi, ue, force, n, held, settles; } places;

static places places_of(const nsm_sim *s, const tape_entry *e) {
  int nv = s->a->nv, rows = s->n.r.n;
  places at = { .l = nv, .uc = nv + rows, .impulse = 2 * nv + rows, .kappa = 2 * (nv + rows), .pi = 2 * nv + 3 * rows };
  at.held = rows > 0 && s->a->on.constraint.n > 0;
  at.settles = e ? e->end_law != NULL : con_settles(s);
  at.n = rows == 0 ? nv : at.held ? at.pi + nv : at.kappa;
  if (!at.settles) return at;
  at.ue = at.n;
  at.force = at.ue + nv;
  at.n = at.force + rows;
  return at;
}

int play_two_points_unknowns(const nsm_sim *s, const tape_entry *e) { return places_of(s, e).n; }

static int is_closed(tape_law law) { return law == TAPE_RATE || law == TAPE_RATE_E; }
static int bounces(tape_law law) { return law == TAPE_RATE_E || law == TAPE_SLIDES_E; }
static int is_held(const nsm_sim *s, int row) { return s->a->cls[s->n.r.cls[row]].c->kind == NSM_CONSTRAINT; }

// u_E and lambda of the motion.
static const dual *moved_to(const player *p, const places *at) { return p->w + (at->settles ? at->ue : 0); }
static dual force_of(const player *p, const places *at, int row) {
  return at->settles ? p->w[at->force + row] : dual_sub(p->w[at->l + row], p->w[at->impulse + row]);
}

void play_add_along(const nsm_sim *s, const sim_class *k, const nsm_pattern *of, const dual *value, const dual *l,
                    double by, dual *eq) {
  for (int i = 0; i < k->tab.count; i++)
    for (int j = 0; j < of->n; j++) {
      dual *to = &eq[sim_z_of(s, k, i, of->col[j])];
      *to = dual_add(*to, dual_scale(dual_mul(value[i * of->n + j], l[i]), by));
    }
}

dual play_along(const nsm_sim *s, const sim_class *k, int i, const dual *value, const dual *x) {
  dual sum = dual_of(0);
  for (int j = 0; j < k->c->h.n; j++)
    sum = dual_add(sum, dual_mul(value[i * k->c->h.n + j], x[sim_z_of(s, k, i, k->c->h.col[j])]));
  return sum;
}

void play_add_mass(player *p, const dual_view *v, const dual *x, double by, dual *eq) {
  memcpy(p->inc, x, (size_t)p->s->a->nv * sizeof *x);
  play_add_inertia(p, v, by, eq);
}

// The law of row `row` whose rates, or slips, are u [rows] and whose force is l; pressed by `by` [nl].
static dual law_of(player *p, tape_law law, int row, const dual *u, dual l, const dual *by, dual h) {
  const sim_rows *r = &p->s->n.r;
  if (is_closed(law)) return u[row];
  if (law == TAPE_NONE) return l;
  int number = r->friction_of[row];
  const sim_friction *f = &r->friction[number];
  dual slip[SIM_SLIPS];
  for (int d = 0; d < f->n; d++) slip[d] = u[f->row[d]];
  return play_slides(p, row, slip, l, play_pressed(p, number, by, h), dual_above(u[row], dual_of(0)));
}

// ---- the impact -----------------------------------------------------------------------------------------------------
// Rates at the end of the impact, of what bounces with e times those before, into p->y.
static void rates_after(player *p, const unsigned char *law, const dual_view *begin, const dual_view *after) {
  SIM_EACH(p->s, row, k) {
    PLAY(p, k, rate, after, p->y + k->row0);
    PLAY(p, k, rate, begin, p->u0 + k->row0);
    for (int i = 0; i < k->tab.count && k->c->e_num >= 0; i++) {
      int row = k->row0 + i;
      dual by = p->at->num[k - p->s->a->cls][i * k->c->nnum + k->c->e_num];
      if (bounces((tape_law)law[row])) p->y[row] = dual_add(p->y[row], dual_mul(by, p->u0[row]));
    }
  }
}

// (1), with its momenta in eq and its rows in rows: u_C, Lambda.
static void impact(player *p, const tape_entry *e, const dual *u, const dual *impulse, dual *eq, dual *rows) {
  nsm_sim *s = p->s;
  const unsigned char *law = e->kind == TAPE_PIECE && e->impact_law ? e->impact_law : e->law;
  dual_view begin = play_view(p, p->at->t, p->at->q, p->at->z, p->at->l, dual_of(0)), after = begin;
  after.v = u;
  for (int i = 0; i < s->a->nv; i++) {
    eq[i] = dual_of(0);
    p->dv[i] = dual_sub(u[i], p->at->z[i]);
  }
  play_add_mass(p, &begin, p->dv, 1, eq);
  if (s->n.r.nfriction > 0) play_coefficients(p, &begin);
  rates_after(p, law, &begin, &after);
  for (int row = 0; row < s->n.r.n; row++) p->press[s->n.r.l[row]] = impulse[row];
  SIM_EACH(s, row, k) {
    if (!PLAY(p, k, h, &begin, p->h)) continue;
    play_add_along(s, k, &k->c->h, p->h, impulse + k->row0, -1, eq);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      rows[row] = law_of(p, (tape_law)law[row], row, law[row] == TAPE_SLIDES_ON ? p->u0 : p->y, impulse[row], p->press,
                         dual_of(0));
  }
}

// ---- the motion -----------------------------------------------------------------------------------------------------
// q_E by (9), u_E - u_C, and the views of the step.
static void move(player *p, const places *at, dual h) {
  nsm_sim *s = p->s;
  int nv = s->a->nv, rows = s->n.r.n;
  const dual *uc = rows > 0 ? p->w + at->uc : p->at->z, *ue = moved_to(p, at);
  for (int i = 0; i < nv; i++) {
    p->dv[i] = dual_sub(ue[i], uc[i]);
    p->dq[i] = dual_scale(dual_mul(h, dual_add(uc[i], ue[i])), 0.5);
    if (at->held) p->dq[i] = dual_sub(p->dq[i], p->w[at->pi + i]);
  }
  play_move(p, p->at->q, dual_of(1), p->dq, dual_of(0), p->dq, p->q1);
  memset(p->l1, 0, (size_t)(s->a->nl + 1) * sizeof *p->l1);
  memset(p->kappa, 0, (size_t)(s->a->nl + 1) * sizeof *p->kappa);
  for (int row = 0; row < rows; row++) {
    int l = s->n.r.l[row];
    p->l1[l] = p->w[at->l + row];
    if (at->held) p->kappa[l] = p->w[at->kappa + row];
    if (!con_settles(s)) continue;
    p->press[l] = force_of(p, at, row);
    p->pull[l] = dual_sub(p->w[at->l + row], p->w[at->impulse + row]);
  }
  dual t1 = dual_add(p->at->t, h);
  play_views *v = &p->now;
  v->h = h;
  v->begin = play_view(p, p->at->t, p->at->q, p->at->z, p->at->l, h);
  v->end = play_view(p, dual_add(p->at->t, dual_scale(h, 0.5)), p->q1, ue, p->l1, h);
  v->end.t = t1;
  v->end.t0 = p->at->t;
  v->end.q0 = p->at->q;
  v->end.v0 = uc;
  v->end.dq = p->dq;
  v->end.dv = p->dv;
  v->end.k = p->kappa;
  SIM_EACH(s, compliant, k) PLAY(p, k, lambda, &v->end, p->l1 + s->a->var[k->c->row_var].base);
}

// Slips in the step, friction.md (5), into p->slip, and their forces: with H_T where the middle is foreseen, q_B moved
// by h u_C/2, and coefficients at the middle of the motion. The others are of contacts and constraints.
static void slips(player *p, const places *at, dual h, dual *eq) {
  nsm_sim *s = p->s;
  const dual *zero = p->zero, *uc = p->w + at->uc;
  dual middle = dual_add(p->at->t, dual_scale(h, 0.5)), half = dual_scale(h, 0.5);
  play_move(p, p->at->q, half, uc, dual_of(0), uc, p->qm);
  dual_view there = play_view(p, middle, p->qm, zero, p->press, h);
  SIM_EACH(s, friction, k) {
    dual *force = p->gap + k->row0;
    PLAY(p, k, rate, &there, p->y + k->row0);
    if (!PLAY(p, k, h, &there, p->h)) continue;
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      force[i] = force_of(p, at, row);
      p->slip[row] = dual_add(dual_mul(h, p->y[row]), play_along(s, k, i, p->h, p->dq));
    }
    play_add_along(s, k, &k->c->h, p->h, force, -1, eq);
  }
  for (int i = 0; i < s->a->nv; i++) p->zm[i] = h.a[0] > 0 ? dual_div(p->dq[i], h) : uc[i];
  play_move(p, p->at->q, dual_of(0.5), p->dq, dual_of(0), p->dq, p->qm);
  dual_view law = play_view(p, middle, p->qm, p->zm, p->press, h);
  play_coefficients(p, &law);
}

// Rows of the motion: their forces into (2), (4) to (6) into eq.
static void rows(player *p, const tape_entry *e, const places *at, dual *eq) {
  nsm_sim *s = p->s;
  const dual_view *v = &p->now.end;
  dual_view one_sided = *v;                                // D gamma(u_E)
  one_sided.v0 = v->v;
  one_sided.dv = p->zero;                 // zero
  SIM_EACH(s, row, k) {
    int n = k->tab.count, slides = k->c->kind == NSM_FRICTION;
    dual *force = p->gap + k->row0;                        // lambda
    for (int i = 0; i < n; i++) force[i] = force_of(p, at, k->row0 + i);
    if (!slides) {
      if (k->c->dg_fn) PLAY(p, k, dg, v, p->h);
      else PLAY(p, k, h, v, p->h);
      play_add_along(s, k, &k->c->h, p->h, force, -1, eq);
      for (int i = 0; i < n; i++) p->slip[k->row0 + i] = play_along(s, k, i, p->h, p->dq);
    }
    for (int i = 0; i < n; i++) {
      int row = k->row0 + i;
      eq[at->l + row] = law_of(p, (tape_law)e->law[row], row, p->slip, force[i], p->press, p->now.h);
    }
    if (!at->held) continue;
    if (!is_held(s, k->row0)) {
      for (int i = 0; i < n; i++) eq[at->kappa + k->row0 + i] = p->w[at->kappa + k->row0 + i];
      continue;
    }
    PLAY(p, k, rate, v, p->y + k->row0);
    if (PLAY(p, k, drate, e->means ? v : &one_sided, p->h))
      play_add_along(s, k, &k->c->dr, p->h, p->w + at->kappa + k->row0, -1, eq);
    for (int i = 0; i < n; i++) {
      int row = k->row0 + i;
      eq[at->kappa + row] = is_closed((tape_law)e->law[row]) ? p->y[row] : p->w[at->kappa + row];
    }
  }
}

// pi of (3): Mbar pi = H_S(q_B)^T kappa; of bodies with the mean of H (docs/numerics/bodies.md, (13))
static void pushed(player *p, const tape_entry *e, const places *at, dual *eq) {
  nsm_sim *s = p->s;
  for (int i = 0; i < s->a->nv; i++) eq[at->pi + i] = dual_of(0);
  play_add_mass(p, &p->now.begin, p->w + at->pi, 0.5, eq + at->pi);
  play_add_mass(p, &p->now.end, p->w + at->pi, 0.5, eq + at->pi);
  SIM_EACH(s, constraint, k)
    if ((e->means && PLAY(p, k, hm, &p->now.end, p->h)) || PLAY(p, k, h, &p->now.begin, p->h))
      play_add_along(s, k, &k->c->h, p->h, p->w + at->kappa + k->row0, -1, eq + at->pi);
}

// ---- the end --------------------------------------------------------------------------------------------------------
// Rates at the end into p->y; where velocities are settled friction.md (6), with M and H at q_E.
static void settle(player *p, const tape_entry *e, const places *at, dual *eq) {
  nsm_sim *s = p->s;
  const dual *ue = moved_to(p, at);
  dual_view end = play_view(p, p->now.end.t, p->q1, p->w, p->l1, p->now.h);
  p->now.end.v = p->w;
  SIM_EACH(s, row, k) PLAY(p, k, rate, &end, p->y + k->row0);
  if (!at->settles) return;
  dual *momenta = eq + at->ue;
  for (int i = 0; i < s->a->nv; i++) {
    momenta[i] = dual_of(0);
    p->zm[i] = dual_sub(p->w[i], ue[i]);
  }
  play_add_mass(p, &end, p->zm, 1, momenta);
  SIM_EACH(s, row, k) {
    dual *added = p->gap + k->row0;
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i, l = s->n.r.l[row];
      tape_law law = (tape_law)e->end_law[row];
      added[i] = dual_sub(p->pull[l], p->press[l]);
      eq[at->force + row] = law == TAPE_NONE ? added[i] : law_of(p, law, row, p->y, p->pull[l], p->press, p->now.h);
    }
    if (PLAY(p, k, h, &end, p->h)) play_add_along(s, k, &k->c->h, p->h, added, -1, momenta);
  }
}

void play_two_points(player *p, const tape_entry *e, dual h) {
  nsm_sim *s = p->s;
  places at = places_of(s, e);
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
  if (s->n.r.nfriction > 0) slips(p, &at, h, p->eq);
  rows(p, e, &at, p->eq);
  if (at.held) pushed(p, e, &at, p->eq);
  if (con_settles(s)) settle(p, e, &at, p->eq);
}
