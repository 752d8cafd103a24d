// Steps of two kicks and an impact (compiler/schemes/d1minus.c has the equations (1) to (4)). Each is a solve of
// step_affine.c, of half a step or of no length, from the velocities that the one before it left: these stand in now.z
// until the step is over. Multipliers of the step are the sums.
//
// d/dt of rates along a motion of constant velocity, kappa of (1), by five values around the begin: an error of h^4.
#include "schemes.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { AROUND = 4 };
static const double around[AROUND] = { -2, -1, 1, 2 }, weight[AROUND] = { 1 / 12., -8 / 12., 8 / 12., -1 / 12. },
                    apart = 0.125,      // of a step, between these values
                    at_rest = 1e-12;    // of the terms of a rate: it does not open, it does not strike

typedef struct sim_kicks {
  double *before, *after, *impulse;     // [nz] u_B, and behind an impact there; [nl] sums
  double *kappa, *value;                // [rows]
  unsigned char *closed, *lasting;      // [rows] at the begin; those of (1)
  double  half;
  int     begins;                       // an impact is looked for at the begin of the step
  uint64_t fixes;                       // of islands that are the same in all steps: made for half a step
} sim_kicks;

void sim_kicks_analyse(nsm_sim *s) {
  sim_kicks *w = s->w.kicks = SIM_NEW(s, 1, sim_kicks);
  size_t nz = (size_t)s->a->nz, rows = (size_t)s->n.r.n + 1;
  if (!w) return;
  w->before = SIM_NEW(s, nz, double);
  s->w.z_predicted = SIM_NEW(s, nz, double);
  s->w.z_struck = SIM_NEW(s, nz, double);
  w->after = SIM_NEW(s, nz, double);
  w->impulse = SIM_NEW(s, s->a->nl + 1, double);
  w->kappa = SIM_NEW(s, rows, double);
  w->value = SIM_NEW(s, rows, double);
  w->closed = SIM_NEW(s, rows, unsigned char);
  w->lasting = SIM_NEW(s, rows, unsigned char);
}

// Gaps, rates and H at a view with the velocities now.z. A kick has no bounce.
static void rates_at(nsm_sim *s, const nsm_view *m) {
  sim_rows *r = &s->n.r;
  nsm_view v = sim_view(s, m->t, m->q, s->now.z, s->a->zero_l);
  SIM_EACH(s, row, k) {
    k->c->gap_fn(&v, &k->tab, r->gap + k->row0, r->y + k->row0);
    if (k->c->h_stage > NSM_EVENT) k->c->h_fn(&v, &k->tab, k->h);
  }
  memset(r->rate0, 0, (size_t)r->n * sizeof(double));
  if (r->law) memset(r->rebound, 0, (size_t)r->n * sizeof(double));
}

static void laws_at(nsm_sim *s, const nsm_view *m) {
  if (s->a->on.friction.n > 0) sim_friction_follow(s);
  sim_friction_law(s, m);
  sim_friction_guess(s, 1);
  sim_bounds(s, m, m);
}

// The terms of a rate.
static double terms(const nsm_sim *s, const sim_class *k, int i) {
  double sum = DBL_MIN;
  for (int e = 0; e < k->c->h.n; e++)
    sum += fabs(k->h[(size_t)i * (size_t)k->c->h.n + (size_t)e] * s->now.z[sim_z_of(s, k, i, k->c->h.col[e])]);
  return sum;
}

static void kappa(nsm_sim *s, const nsm_view *m) {
  sim_kicks *w = s->w.kicks;
  double delta = apart * 2 * w->half;
  memset(w->kappa, 0, (size_t)s->n.r.n * sizeof(double));
  for (int j = 0; j < AROUND; j++) {
    sim_move(s, s->now.q, around[j] * delta, s->now.z, s->w.qg);
    nsm_view v = sim_view(s, m->t + around[j] * delta, s->w.qg, s->now.z, s->a->zero_l);
    SIM_EACH(s, row, k) {
      k->c->rate_fn(&v, &k->tab, w->value + k->row0);
      for (int row = k->row0; row < k->row0 + k->tab.count; row++)
        w->kappa[row] += weight[j] * (w->value[row] - s->n.r.y[row]) / delta;
    }
  }
}

// (1)
static void first_rows(nsm_sim *s, const nsm_view *m) {
  sim_kicks *w = s->w.kicks;
  sim_rows *r = &s->n.r;
  rates_at(s, m);
  kappa(s, m);
  memcpy(w->value, r->y, (size_t)r->n * sizeof(double));
  sim_close(s);
  SIM_EACH(s, contact, k) {
    for (int i = 0, row = k->row0; i < k->tab.count; i++, row++) {
      w->closed[row] = r->active[row];
      r->active[row] = w->lasting[row] = r->active[row] && r->y[row] <= at_rest * terms(s, k, i);
    }
  }
  for (int row = 0; row < r->n; row++) r->y[row] += w->half * w->kappa[row];
  laws_at(s, m);
}

// (3)
static void second_rows(nsm_sim *s, const nsm_view *m) {
  sim_kicks *w = s->w.kicks;
  sim_rows *r = &s->n.r;
  rates_at(s, m);
  SIM_EACH(s, contact, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      r->active[row] = w->lasting[row] || (w->closed[row] && r->gap[row] <= 0);
  laws_at(s, m);
}

// Which contacts are closed: at the end those whose gap is not positive, at the begin those of (1), which know what
// rounding left of a gap at the end before.
static void touching_rows(nsm_sim *s, const nsm_view *m) {
  sim_kicks *w = s->w.kicks;
  sim_rows *r = &s->n.r;
  rates_at(s, m);
  if (w->begins) { sim_close(s); return; }
  SIM_EACH(s, contact, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) r->active[row] = r->gap[row] <= 0;
}

// (4)
static void impact_rows(nsm_sim *s, const nsm_view *m) {
  sim_kicks *w = s->w.kicks;
  sim_rows *r = &s->n.r;
  touching_rows(s, m);
  memcpy(r->rate0, r->y, (size_t)r->n * sizeof(double));
  SIM_EACH(s, contact, k)
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      r->active[row] |= !w->begins && w->lasting[row];
  laws_at(s, m);
}

// Does a contact strike there?
static int strikes(nsm_sim *s, const nsm_view *m) {
  sim_rows *r = &s->n.r;
  touching_rows(s, m);
  SIM_EACH(s, contact, k)
    for (int i = 0; i < k->tab.count; i++)
      if (r->active[k->row0 + i] && r->y[k->row0 + i] < -at_rest * terms(s, k, i)) return 1;
  return 0;
}

// One of them, over a length of h: velocities now.z to w.z1, which are the next now.z.
static nsm_code kick(nsm_sim *s, const nsm_view *m, double t1, double h, sim_affine_rows *rows, nsm_error *e) {
  sim_kicks *w = s->w.kicks;
  double whole = s->n.h, sum = 0;
  s->n.h = h;
  if (s->n.isl.nfixed > 0 && w->fixes != s->n.isl.fixes) {
    sim_islands_fix(s);
    w->fixes = s->n.isl.fixes;
  }
  nsm_code code = sim_affine_solve(s, m, t1, rows, rows == impact_rows, e);
  if (code == NSM_OK) sum = sim_affine_act(s);
  if (code == NSM_OK && sum - sum == 0 && rows != first_rows) sim_refine(s, m->t, m->q, 0);
  s->n.h = whole;
  if (code != NSM_OK) return code;
  for (int l = 0; l < s->a->nl; l++) w->impulse[l] += s->w.l1[l];
  if (sum - sum != 0) {
    code = sim_blame(s, m, e);
    if (code != NSM_OK) return code;
    sim_fail(e, NSM_FAILED, "the step is not finite at t = %.10g s, step %ld", t1, sim_step_number(s));
    return NSM_FAILED;
  }
  memcpy(s->now.z, s->w.z1, (size_t)s->a->nz * sizeof(double));
  return NSM_OK;
}

static nsm_code all_kicks(nsm_sim *s, double t1, nsm_error *e) {
  sim_kicks *w = s->w.kicks;
  double h = s->n.h;
  w->half = 0.5 * h;
  w->begins = 1;
  nsm_view begin = sim_view(s, s->now.t, s->now.q, w->after, s->a->zero_l);
  nsm_code code = s->a->on.contact.n > 0 && strikes(s, &begin) ? kick(s, &begin, t1, 0, impact_rows, e) : NSM_OK;
  memcpy(w->after, s->now.z, (size_t)s->a->nz * sizeof(double));
  if (code == NSM_OK) code = kick(s, &begin, t1, w->half, first_rows, e);
  if (code != NSM_OK) return code;
  sim_move(s, s->now.q, h, s->now.z, s->w.qm);                                                                   // (2)
  for (int i = 0; i < s->a->nz; i++) s->w.z_predicted[i] = 2 * s->now.z[i] - w->after[i];
  nsm_view end = sim_view(s, t1, s->w.qm, s->w.z_predicted, s->a->zero_l);
  code = kick(s, &end, t1, w->half, second_rows, e);
  w->begins = 0;
  s->w.struck = code == NSM_OK && s->a->on.contact.n > 0 && strikes(s, &end);
  if (!s->w.struck) return code;
  memcpy(s->w.z_struck, s->now.z, (size_t)s->a->nz * sizeof(double));
  return kick(s, &end, t1, 0, impact_rows, e);
}

nsm_code sim_step_kicks(nsm_sim *s, double t1, nsm_error *e) {
  sim_kicks *w = s->w.kicks;
  size_t bytes = (size_t)s->a->nz * sizeof(double);
  memcpy(w->before, s->now.z, bytes);
  memcpy(w->after, s->now.z, bytes);
  memset(w->impulse, 0, (size_t)s->a->nl * sizeof(double));
  nsm_code code = all_kicks(s, t1, e);
  memcpy(s->w.z1, s->now.z, bytes);
  memcpy(s->now.z, w->before, bytes);
  memcpy(s->w.l1, w->impulse, (size_t)s->a->nl * sizeof(double));
  memcpy(s->w.q1, s->w.qm, (size_t)s->a->nq * sizeof(double));
  s->n.isl.impacts = SIM_NOT_COUNTED;
  s->now.count.newton_iterations++;
  return code;
}
