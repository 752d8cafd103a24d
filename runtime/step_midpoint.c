// One step of Moreau's midpoint rule ([Möller 2011, (5.3)-(5.8)]; docs/numerics/midpoint.md has the equations, numbers
// below are its own):
//
//   q_M = q_B + (h/2) u_B,   t_M = t_B + h/2                                                                     (1)
//   M(q_M, t_M)(u_E - u_B) = h f(t_M, q_M, u_B) + h g(t_M, q_M, u_B, lambda) + H(q_M, t_M)^T p                   (2)
//   q_E = q_M + (h/2) u_E                                                                                        (3)
//   relations   -y(t_M, q_M, u_E, lambda) in N_[lo, hi](lambda)                                                  (4)
//   constraints H u_E + chi = 0                                                                                  (5)
//   contacts    0 <= (H u_E + chi) + e (H u_B + chi) _|_ p >= 0  where g(q_M, t_M) <= 0                          (6)
//   friction    the same with e_t and the slip velocity, -(u_T) in N_D(p_N)(p_T), friction.c
//
// Everything is evaluated once, so there is no iteration: M is factored and the one-step problem solved once a step, or
// once a run where they are constant. Explicit: stable only where h times the largest frequency is below 2.
#include "sim.h"
#include <math.h>
#include <string.h>

int sim_midpoint_fits(nsm_sim *s, nsm_error *e) {
  char name[256];
  if (s->nx == 0) return 1;
  sim_z_name(s, s->nq, name, sizeof name);
  sim_fail_at(e, NSM_MODEL_WRONG, sim_at_z(s, s->nq),
              "the scheme `midpoint` takes mechanical systems only, and %s is a first-order state; `moreau` takes both",
              name);
  return 0;
}

// h f and, for the step, M and B.
static void dynamics(nsm_sim *s, const nsm_view *m) {
  double *f = s->rhs;
  memcpy(f, s->f_constant, (size_t)s->nq * sizeof(double));
  for (int a = 0; a < s->on.f_moving.n; a++) {
    const sim_class *k = &s->cls[s->on.f_moving.of[a]];
    k->c->f_fn(m, &k->tab, f, f + s->nq);
  }
  for (int i = 0; i < s->nq; i++) f[i] *= s->h;
  for (int a = 0; a < s->on.mass_moving.n; a++) {
    sim_class *k = &s->cls[s->on.mass_moving.of[a]];
    k->c->mass_fn(m, &k->tab, k->mass);
  }
  for (int a = 0; a < s->on.b_moving.n; a++) {
    sim_class *k = &s->cls[s->on.b_moving.of[a]];
    k->c->b_fn(m, &k->tab, k->b);
  }
}

// What (4)-(6) read: outputs at (u_B, 0), rates at u_B, H, bounds; which contacts are closed.
static void rows(nsm_sim *s, const nsm_view *m) {
  sim_rows *r = &s->r;
  for (int a = 0; a < s->on.row.n; a++) {
    sim_class *k = &s->cls[s->on.row.of[a]];
    double *y = r->y + k->row0, *rate = r->rate0 + k->row0;
    if (k->c->kind == NSM_RELATION) k->c->y_fn(m, &k->tab, y);
    else {
      k->c->gap_fn(m, &k->tab, r->gap + k->row0, rate);
      memcpy(y, rate, (size_t)k->tab.count * sizeof(double));
    }
    if (k->c->h_stage > NSM_CONST) k->c->h_fn(m, &k->tab, k->h);
  }
  sim_close(s, 0);                                         // the gap at q_M has half a step of the rate in it
  if (s->on.friction.n > 0) sim_friction_follow(s);
  sim_friction_law(s, m);
  sim_friction_guess(s, 1);
  for (int a = 0; a < s->on.law_moving.n; a++) {
    const sim_class *k = &s->cls[s->on.law_moving.of[a]];
    k->c->law_fn(m, &k->tab, r->lo + k->row0, r->hi + k->row0);
  }
}

// (7): q of the one-step problem, from du = M^{-1} h f.
static void one_step_problem(nsm_sim *s, const double *du) {
  const sim_rows *r = &s->r;
  sim_islands *a = &s->isl;
  for (int i = 0; i < a->nactive; i++) {
    int row = r->row_at[a->active[i]];
    double q = r->y[row] + r->e[row] * r->rate0[row], terms = fabs(r->y[row]) + fabs(r->e[row] * r->rate0[row]);
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
      double d = r->c[e] * du[r->cz[e]];
      q += d;
      terms += fabs(d) + fabs(r->c[e] * s->z[r->cz[e]]);
    }
    a->q[i] = q;
    a->terms[i] = terms;
    a->lo[i] = r->lo[row];
    a->hi[i] = r->hi[row];
    a->lambda[i] = s->l[r->l[row]];
  }
}

// (8), (3); 0 where something is not finite.
static int end_of_step(nsm_sim *s, const double *du) {
  const sim_rows *r = &s->r;
  const sim_islands *a = &s->isl;
  double *u = s->z1, sum = 0;
  for (int i = 0; i < s->nq; i++) {
    u[i] = s->z[i] + du[i];
    s->size[i] = 0;
  }
  for (int i = 0; i < a->nactive; i++) {
    int row = r->row_at[a->active[i]];
    double p = a->lambda[i];
    s->l1[r->l[row]] = p;
    if (p == 0) continue;
    sum += p;
    for (int e = r->x0[row]; e < r->x0[row + 1]; e++) {
      int z = r->xz[e];
      if (s->size[z] == 0) s->size[z] = fabs(s->z[z]) + fabs(u[z]);
      s->size[z] += fabs(r->x[e] * p);
      u[z] += r->x[e] * p;
    }
  }
  for (int i = 0; i < s->nq; i++) {
    if (sim_is_at_rest(u[i], s->size[i])) u[i] = 0;
    s->q1[i] = s->qm[i] + 0.5 * s->h * u[i];
    sum += u[i] + s->q1[i];
  }
  return sum - sum == 0;
}

static nsm_code not_finite(nsm_sim *s, const nsm_view *m, double t1, nsm_error *e) {
  nsm_code c = sim_blame(s, m, e);
  if (c != NSM_OK) return c;
  nsm_view end = sim_view(s, t1, s->q1, s->z1, s->l1);
  if ((c = sim_blame(s, &end, e)) != NSM_OK) return c;
  sim_fail(e, NSM_FAILED, "the step is not finite at t = %.10g s, step %ld", t1, s->k + 1);
  return NSM_FAILED;
}

nsm_code sim_step_midpoint(nsm_sim *s, double t1, nsm_error *e) {
  const sim_rows *r = &s->r;
  memset(s->la, 0, (size_t)s->nl * sizeof(double));
  memset(s->l1, 0, (size_t)s->nl * sizeof(double));
  for (int i = 0; i < s->nq; i++) s->qm[i] = s->q[i] + 0.5 * s->h * s->z[i];
  nsm_view m = sim_view(s, s->t + 0.5 * s->h, s->qm, s->z, s->la);
  dynamics(s, &m);
  int singular = s->w.constant ? -1 : sim_matrix_update(s, 0);
  if (singular >= 0) {
    nsm_code c = sim_blame(s, &m, e);
    if (c != NSM_OK) return c;
    char name[256];
    sim_q_name(s, singular, name, sizeof name);
    sim_fail_at(e, NSM_FAILED, sim_at_z(s, singular),
                "the mass matrix is singular at t = %.10g s, step %ld: no pivot for %s", m.t, s->k + 1, name);
    return NSM_FAILED;
  }
  int bad = s->on.mass_moving.n > 0 ? sim_mass_indefinite(s) : -1;
  if (bad >= 0) return sim_mass_failed(s, m.t, bad, e);
  sim_matrix_solve(s, s->rhs);
  if (r->n > 0) {
    rows(s, &m);
    if (!r->always) sim_islands_list(s);
    nsm_code sound = sim_friction_sound(s, &m, e);
    if (sound != NSM_OK) return sound;
    if (!r->constant) {
      sim_rows_outer(s, 0);
      sim_rows_couple(s);
    }
    one_step_problem(s, s->rhs);
    if (!sim_islands_solve(s)) {
      if (s->isl.result.status == NSM_CONE_BAD_INPUT) {
        nsm_code c = sim_blame(s, &m, e);
        if (c != NSM_OK) return c;
      }
      return sim_cone_failed(s, t1, e);
    }
  }
  if (!end_of_step(s, s->rhs)) return not_finite(s, &m, t1, e);
  sim_refine(s, m.t, s->qm, 0.5 * s->h);
  s->count.newton_iterations++;
  return NSM_OK;
}
