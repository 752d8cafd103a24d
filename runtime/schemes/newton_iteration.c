// One step of Newton's method: W, C, X and M_osns at the iterate, (13), the one-step problem (17), (18).
#include "newton.h"
#include <string.h>

enum { TURNS = 8,                        // steps after which R is kept (newton_turn.c)
       SLOW = 3 };                       // after which the one-step problem is solved more closely
static const double slows = 0.5;         // where R falls by less

// ---- Newton's step --------------------------------------------------------------------------------------------------
// Contacts of which none is closed push nothing, and no problem reads their rates.
static int acts(const nsm_sim *s, const sim_class *k) {
  return k->c->kind != NSM_CONTACT || memchr(s->n.r.active + k->row0, 1, (size_t)k->tab.count);
}

static void curvature(nsm_sim *s, const sim_class *k, const nsm_view *v) {
  size_t n = (size_t)k->c->curve.n, values = (size_t)k->tab.count * n;
  if (!acts(s, k)) { memset(k->curve, 0, values * sizeof *k->curve); return; }
  k->c->curve_fn(v, &k->tab, s->w.l1 + s->n.r.l[k->row0], NULL, k->curve);
  for (size_t i = 0; s->a->m->place_at && i < values; i++) k->curve[i] *= newton_place_share(s, k->row0 + (int)(i / n));
}

static void rates(nsm_sim *s, const nsm_view *v) {
  if (s->w.frozen) return;
  SIM_EACH(s, rq_moving, k) if (acts(s, k)) k->c->rq_fn(v, &k->tab, k->rq);
  sim_rows_rates(s);
}

// W, C, X and M_osns at the iterate, as far as they move. Returns -1, or the unknown whose pivot is zero.
static int matrices(nsm_sim *s, double t1) {
  nsm_view v = newton_end(s, t1), mid = newton_between(s, t1), law = s->a->on.g.n > 0 ? newton_law(s, t1) : v;
  newton_jacobians(s, t1, &mid);
  SIM_EACH(s, k_moving, k) k->c->k_fn(k->gamma == 1 ? &v : &law, &k->tab, k->k);
  SIM_EACH(s, b_moving, k) k->c->b_fn(k->gamma == 1 ? &v : &law, &k->tab, k->b);
  if (!s->w.frozen) SIM_EACH(s, mcurve, k) k->c->mcurve_fn(&mid, &k->tab, k->mcurve);
  nsm_view along = newton_along(s, t1, &mid);
  if (!s->w.frozen) SIM_EACH(s, curve, k) curvature(s, k, k->h_mid ? &along : &v);
  rates(s, &v);
  if (!s->n.w.constant) {
    int z = sim_matrix_update(s, 0);
    if (z >= 0) return z;
  }
  if (!s->n.r.constant && s->n.r.n > 0) sim_rows_couple(s);
  return -1;
}

// M_osns at the iterate with W and X of the one before.
static int kept_matrices(nsm_sim *s) {
  if (!s->w.frozen) sim_rows_rates(s);
  if (!s->n.r.constant && s->n.r.n > 0) sim_rows_couple_kept(s);
  return -1;
}

// Of what has impulses, the problem has those of the iterate.
static void contact_impulses(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < s->n.isl.nactive; i++) {
    int row = newton_row(s, i);
    double p = s->w.l1[r->l[row]];
    if (s->a->cls[r->cls[row]].c->kind == NSM_RELATION) continue;         // g has them
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) s->w.dz[r->bz[e]] += r->b[e] * p;
  }
}

// (13) with the border: z_p - z^a and the change of the constraints' impulses into dz. With factors of an iterate
// before W z_p is not -R there without the terms of l^a, but this: z^a - W^-1 R - X l^a, so that what is kept acts on
// changes alone and the answer is that of new factors.
static void free_motion(nsm_sim *s, int kept) {
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < s->a->nz; i++) s->w.dz[i] = -s->w.smooth[i];
  if (s->a->on.g.n > 0)
    for (int i = 0; i < s->a->nz; i++) s->w.dz[i] += s->n.h * s->w.g[i];
  if (kept) contact_impulses(s);
  else SIM_EACH(s, relation, k) {
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      double l = s->w.l1[r->l[row]];
      for (int e = r->b0[row]; e < r->b0[row + 1]; e++) s->w.dz[r->bz[e]] -= r->b[e] * l;
    }
  }
  for (int j = 0; j < r->nborder; j++) {
    double p = s->w.l1[r->l[r->border[j]]];
    if (sim_is_implied(s, r->border[j])) { s->w.dz[s->a->nz + j] = 0; continue; }
    for (int e = r->b0[r->border[j]]; e < r->b0[r->border[j] + 1]; e++) s->w.dz[r->bz[e]] += r->b[e] * p;
    s->w.dz[s->a->nz + j] = -r->y[r->border[j]];
  }
  sim_matrix_solve(s, s->w.dz);
  double *pushed = s->n.isl.u;                             // not in use before the problem is solved
  for (int i = 0; kept && i < s->n.isl.nactive; i++) pushed[i] = -s->w.l1[r->l[newton_row(s, i)]];
  if (kept) sim_rows_motion(s, pushed, s->w.dz);
}

// (17)
static void one_step_problem(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_islands *is = &s->n.isl;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    double q = r->y[row] + sim_bounce(r, row), terms = sim_row_terms(s, row, r->y[row]);
    if (newton_is_place(s, &s->a->cls[r->cls[row]])) terms += r->terms[row];
    for (int e = r->d0[row]; e < r->d0[row + 1]; e++) {
      double d = r->d[e] * s->w.l1[r->l[r->ds[e]]];
      q -= d;
      terms += fabs(d);
    }
    q += sim_rows_rate(s, row, s->w.dz, &terms);
    sim_pose(s, i, q, terms, s->w.l1[r->l[row]]);
  }
}

static int solve(nsm_sim *s, const sim_iteration *it) {
  s->n.isl.solver.sharp = it->number >= SLOW && it->rate > slows;
  int solved = sim_pressed_solve(s, sim_row_b, s->w.l1);
  s->n.isl.solver.sharp = 0;
  return solved;
}

// (18) into z_try, l_try
static void candidate(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    s->w.l_try[r->l[row]] = is->lambda[i];
  }
  sim_rows_motion(s, is->lambda, s->w.dz);
  for (int i = 0; i < s->a->nz; i++) s->w.z_try[i] = s->w.z1[i] + s->w.dz[i];
  for (int j = 0; j < r->nborder; j++) {
    int l = r->l[r->border[j]];
    s->w.l_try[l] = s->w.l1[l] + s->w.dz[s->a->nz + j];
  }
}

// z1 := z_from + alpha (z_try - z_from), the multipliers alike.
void newton_go(nsm_sim *s, double alpha) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  if (alpha == 1) memcpy(s->w.z1, s->w.z_try, (size_t)s->a->nz * sizeof(double));
  else for (int i = 0; i < s->a->nz; i++) s->w.z1[i] = s->w.z_from[i] + alpha * (s->w.z_try[i] - s->w.z_from[i]);
  for (int i = 0; i < is->nactive + r->nborder; i++) {
    int l = r->l[newton_row(s, i)];
    s->w.l1[l] = alpha == 1 ? s->w.l_try[l] : s->w.l_from[l] + alpha * (s->w.l_try[l] - s->w.l_from[l]);
  }
  newton_position(s);
}

// An iterate that meets the tolerance is off by as much. The factors at hand take that away, where no law has cases:
// what is left is the residual times how far they are from those of the iterate. Else a step begun from a good guess
// would end just below the tolerance, each time on the same side.
void newton_polish(nsm_sim *s) {
  if (s->n.isl.nactive > 0) return;
  free_motion(s, 1);
  candidate(s);
  newton_go(s, 1);
}

nsm_code newton_step(nsm_sim *s, const nsm_view *v, sim_iteration *it, nsm_error *e) {
  if (it->number >= TURNS) newton_remember(s);
  int old = s->w.old, goes_on = newton_factors_do(s, it), whole = it->number > 0 && it->alpha == 1;
  int kept = !s->n.r.whole && (goes_on || (!old && sim_keeps_factors(&s->n.w, it)));
  int z = kept ? kept_matrices(s) : matrices(s, v->t);
  if (!kept) s->now.old.h = s->n.h;
  if (z >= 0) return newton_singular(s, v->t, z, e);
  free_motion(s, kept);
  sim_friction_guess(s, !whole);
  if (s->n.isl.nactive > 0) {
    int struck = it->number > 0 || sim_rebound(s);         // by the D of the first iterate
    if (struck) one_step_problem(s);
    if (!struck || !solve(s, it)) {
      if (s->n.isl.solver.result.status == NSM_CONE_BAD_INPUT && sim_blame(s, v, e) != NSM_OK) return NSM_FAILED;
      return sim_cone_failed(s, v->t, e);
    }
  }
  candidate(s);
  memcpy(s->w.z_from, s->w.z1, (size_t)s->a->nz * sizeof(double));
  memcpy(s->w.l_from, s->w.l1, (size_t)s->a->nl * sizeof(double));
  newton_go(s, 1);
  it->exact = s->a->one_iteration && sim_pressed_row(s) < 0;
  return NSM_OK;
}
