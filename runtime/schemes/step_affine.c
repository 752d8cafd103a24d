// One step by equations that are affine in the unknowns u_E, lambda, p, with kernels that are all taken at one point of
// the step, which its begin knows (nsm_model.point; compiler/schemes). At that point, with u_B in place of u_E:
//
//   M (u_E - u_B) = h f + h B lambda + H^T p                                                                     (1)
//   -(y + C (u_E - u_B) + D lambda) in N_[lo, hi](lambda)           relations                                    (2)
//   0 = rate_E,   0 <= rate_E + e rate_B _|_ p >= 0,   rate_E = rate_B + H (u_E - u_B)      constraints, contacts  (3)
//   friction: the same with e_t and slip velocities against p_T in D(p_N)                                        (4)
//
// with the contacts that are closed at the point. So there is no iteration: M is factored and the one-step problem
//
//   (D + C X) lambda + q,   q = y or (1 + e) rate_B, and C du_f,   du_f = M^-1 h f,   X = M^-1 B or M^-1 H^T     (5)
//   u_E = u_B + du_f + X lambda                                                                                  (6)
//
// solved once a step, or once a run where matrices are constant. Positions follow from u_E (nsm_model.end).
//
// A kick of step_kicks.c is solved by the same.
#include "schemes.h"
#include <math.h>
#include <string.h>

// h f and, for the step, M and B.
static void dynamics(nsm_sim *s, const nsm_view *m) {
  double *f = s->w.rhs;
  sim_forces(s, m, 0, f);
  for (int i = 0; i < s->a->nv; i++) f[i] *= s->n.h;
  SIM_EACH(s, mass_moving, k) k->c->mass_fn(m, &k->tab, k->mass);
  SIM_EACH(s, b_moving, k) k->c->b_fn(m, &k->tab, k->b);
}

// What (2)-(4) read: outputs at (u_B, 0), rates at u_B, H, bounds; which contacts are closed.
static void rows(nsm_sim *s, const nsm_view *m) {
  sim_rows *r = &s->n.r;
  SIM_EACH(s, row, k) {
    double *y = r->y + k->row0, *rate = r->rate0 + k->row0;
    if (k->c->kind == NSM_RELATION) k->c->y_fn(m, &k->tab, y);
    else {
      k->c->gap_fn(m, &k->tab, r->gap + k->row0, rate);
      memcpy(y, rate, (size_t)k->tab.count * sizeof(double));
    }
  }
  sim_close(s);                                          // which may look at H of the begin
  SIM_EACH(s, row, k) if (k->c->h_stage > NSM_EVENT) k->c->h_fn(m, &k->tab, k->h);
  if (s->a->on.friction.n > 0) sim_friction_follow(s);
  sim_friction_law(s, m);
  sim_friction_guess(s, 1);
  sim_bounds(s, m, m);
}

// (5): q of the one-step problem, from du = M^{-1} h f.
static void one_step_problem(nsm_sim *s, const double *du) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  for (int i = 0; i < a->nactive; i++) {
    int row = r->row_at[a->active[i]];
    double bounce = sim_bounce(r, row), q = r->y[row] + bounce, terms = fabs(r->y[row]) + fabs(bounce);
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
      double d = r->c[e] * du[r->cz[e]];
      q += d;
      terms += fabs(d) + fabs(r->c[e] * s->now.z[r->cz[e]]);
    }
    sim_pose(s, i, q, terms, s->now.l[r->l[row]]);
  }
}

double sim_affine_act(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  const sim_islands *a = &s->n.isl;
  double *u = s->w.z1, sum = 0;
  sim_pushes all = sim_pushes_of(s);
  for (int i = 0; i < s->a->nv; i++) {
    u[i] = s->now.z[i] + s->w.rhs[i];
    s->w.size[i] = 0;
  }
  for (int i = 0; i < a->nactive; i++) {
    int row = r->row_at[a->active[i]];
    double p = a->lambda[i];
    s->w.l1[r->l[row]] = p;
    if (p == 0) continue;
    sum += p;
    sim_push(r, row, p, &all);
  }
  for (int i = 0; i < all.n; i++) sim_settle(s, s->w.pushed[i]);
  for (int i = 0; i < s->a->nv; i++) sum += u[i];
  return sum;
}

// (6), corrected for round-off of rates, and the positions; 0 where something is not finite.
static int end_of_step(nsm_sim *s, double t) {
  double sum = sim_affine_act(s);
  if (sum - sum == 0) sim_refine(s, t, s->w.qm, s->a->point[NSM_END].end * s->n.h);
  sim_from_point(s, s->w.qm, s->now.z, s->w.z1, s->w.q1);
  for (int i = 0; i < s->a->nq; i++) sum += s->w.q1[i];
  return sum - sum == 0;
}

static nsm_code not_finite(nsm_sim *s, const nsm_view *m, double t1, nsm_error *e) {
  nsm_code c = sim_blame(s, m, e);
  if (c != NSM_OK) return c;
  nsm_view end = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  if ((c = sim_blame(s, &end, e)) != NSM_OK) return c;
  sim_fail(e, NSM_FAILED, "the step is not finite at t = %.10g s, step %ld", t1, sim_step_number(s));
  return NSM_FAILED;
}

nsm_code sim_affine_solve(nsm_sim *s, const nsm_view *m, double t1, sim_affine_rows *rows_at, int impacts,
                          nsm_error *e) {
  const sim_rows *r = &s->n.r;
  memset(s->w.l1, 0, (size_t)s->a->nl * sizeof(double));
  dynamics(s, m);
  int singular = s->n.w.constant ? -1 : sim_matrix_update(s, 0);
  if (singular >= 0) {
    nsm_code c = sim_blame(s, m, e);
    if (c != NSM_OK) return c;
    char name[256];
    sim_v_name(s, singular, name, sizeof name);
    sim_fail_at(e, NSM_FAILED, sim_at_z(s, singular),
                "the mass matrix is singular at t = %.10g s, step %ld: no pivot for %s", m->t,
                sim_step_number(s), name);
    return NSM_FAILED;
  }
  int bad = s->a->on.mass_moving.n > 0 ? sim_mass_indefinite(s) : -1;
  if (bad >= 0) return sim_mass_failed(s, m->t, bad, e);
  sim_matrix_solve(s, s->w.rhs);
  if (r->n == 0) return NSM_OK;
  rows_at(s, m);
  if (!r->always) sim_islands_list(s);
  nsm_code sound = sim_friction_sound(s, m, e);
  if (sound != NSM_OK) return sound;
  if (!r->constant) {
    sim_rows_outer(s, 0);
    sim_rows_couple(s);
  }
  int struck = !impacts || sim_rebound(s);
  if (struck) one_step_problem(s, s->w.rhs);
  if (struck && sim_pressed_solve(s, sim_row_h, s->a->zero_l)) return NSM_OK;
  if (s->n.isl.solver.result.status == NSM_CONE_BAD_INPUT) {
    nsm_code c = sim_blame(s, m, e);
    if (c != NSM_OK) return c;
  }
  return sim_cone_failed(s, t1, e);
}

nsm_code sim_step_affine(nsm_sim *s, double t1, nsm_error *e) {
  double after = sim_to_point(s, s->now.q, s->now.z, s->w.qm);
  nsm_view m = sim_view(s, s->now.t + after, s->w.qm, s->now.z, s->a->zero_l);
  nsm_code code = sim_affine_solve(s, &m, t1, rows, 1, e);
  if (code != NSM_OK) return code;
  if (!end_of_step(s, m.t)) return not_finite(s, &m, t1, e);
  s->now.count.newton_iterations++;
  return NSM_OK;
}
