// One step where every class is affine and every matrix constant: no Newton iteration, no assembly.
//
//   dz = W^{-1} (h theta f(t1, q^a, z_k) + h (1-theta) f(t_k, q_k, z_k) + h (1-gamma) g(t_k, z_k, 0)
//              + h gamma g(t1, q^a, z_k, 0)),
//   q^a = q_k + h v_k   (5)
//   q of (1) = y(t1, z_p, 0)  or  rate(z_p) + e rate_k                                                      (6), (10)
//   z = z_p + X lambda                                                                                              (7)
//
// y of relations is that at t_k + gamma h, where the multipliers are (weights.c).
#include "schemes.h"
#include <math.h>
#include <string.h>

void sim_count_impacts(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  const sim_islands *a = &s->n.isl;
  if (s->a->on.contact.n == 0) return;
  if (a->impacts != SIM_NOT_COUNTED) { s->now.count.impacts += a->impacts; return; }
  for (int i = 0; i < a->nactive; i++) {
    int row = r->row_at[a->active[i]], l = r->l[row];
    s->now.count.impacts += s->w.l1[l] > 0 && s->now.l[l] == 0 && s->a->cls[r->cls[row]].c->kind == NSM_CONTACT;
  }
}

nsm_code sim_cone_failed(nsm_sim *s, double t1, nsm_error *e) {
  const nsm_cone_result *res = &s->n.isl.solver.result;
  char name[256];
  sim_row_name(s, s->n.isl.solver.failed_row, name, sizeof name);
  int line = s->a->cls[s->n.r.cls[s->n.isl.solver.failed_row]].c->line;
  nsm_place at = sim_at_row(s, s->n.isl.solver.failed_row);
  s->w.astray = res->status == NSM_CONE_FAILED && !s->n.r.no_room;
  if (s->n.r.no_room) {
    sim_fail_at(e, NSM_FILE, at,
                "not enough memory: the %d rows that are active at t = %.10g s, step %ld are coupled with so many "
                "others that their matrix does not fit",
                s->n.isl.nactive, t1, sim_step_number(s));
    return NSM_FILE;
  }
  if (res->status == NSM_CONE_NO_SOLUTION && s->n.isl.loop)
    sim_fail_at(e, NSM_FAILED, at, "%s at t = %.10g s, step %ld: the one-step problem has no solution at %s",
                s->n.isl.why, t1, sim_step_number(s), name);
  else if (res->status == NSM_CONE_NO_SOLUTION)
    sim_fail_at(e, NSM_FAILED, at,
                "the one-step problem has no solution at t = %.10g s, step %ld: worst at %s (line %d): %s", t1,
                sim_step_number(s), name, line, s->n.isl.why);
  else if (res->status == NSM_CONE_BAD_INPUT)
    sim_fail_at(e, NSM_FAILED, at,
                "the one-step problem is not finite, or a lower bound lies above its upper bound at t = %.10g s, step "
                "%ld: worst at %s (line %d)",
                t1, sim_step_number(s), name, line);
  else if (res->late)
    sim_fail_at(
        e, NSM_FAILED, at,
        "the one-step problem could not be solved within %.4g billion operations (--solve-budget) at t = %.10g s, step "
        "%ld: worst at %s (line %d), residual %.3g of its terms in the best answer",
        s->w.cone.budget, t1, sim_step_number(s), name, line, res->residual);
  else
    sim_fail_at(e, NSM_FAILED, at,
                "the one-step problem could not be solved to the tolerance at t = %.10g s, step %ld: worst at %s (line "
                "%d), residual %.3g of its terms in the best answer",
                t1, sim_step_number(s), name, line, res->residual);
  return NSM_FAILED;
}

static inline double row_terms(const nsm_sim *s, int row, double y) {
  const sim_rows *r = &s->n.r;
  double size = fabs(y) + fabs(sim_bounce(r, row));
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++)
    size += fabs(r->c[e]) * (fabs(s->w.z1[r->cz[e]]) + fabs(s->now.z[r->cz[e]]));
  return size;
}

double sim_row_terms(const nsm_sim *s, int row, double y) { return row_terms(s, row, y); }

// f or g of the classes in a list, those that are taken at the end apart; begin: of the others only.
static void add_kernels(nsm_sim *s, const sim_list *of, int reaction, const nsm_view *v, double weight, int begin,
                        double *rhs) {
  int nv = s->a->nv, nz = s->a->nz;
  double *f = s->w.f;
  int ends = s->a->algebraic || s->n.weights;
  for (int end = 0; end < (ends ? 2 : 1); end++) {
    double by = end ? s->n.h : weight;
    if (by == 0 || (end && begin)) continue;
    memset(f, 0, (size_t)nz * sizeof(double));
    for (int a = 0; a < of->n; a++) {
      const sim_class *k = &s->a->cls[of->of[a]];
      int last = reaction ? k->gamma == 1 : k->theta != s->a->theta;
      if ((last && ends) != end) continue;
      if (reaction) k->c->g_fn(v, &k->tab, f, f + nv);
      else k->c->f_fn(v, &k->tab, f, f + nv);
    }
    for (int i = 0; i < nz; i++) rhs[i] += by * f[i];
  }
}

// h by f at a point, the unknowns z as they are at the begin; `at`: of an end.
static void add_forces(nsm_sim *s, int point, const nsm_view *at, double t1) {
  const nsm_point *p = &s->a->point[point];
  if (point <= NSM_END) {
    add_kernels(s, &s->a->on.f_moving, 0, at, s->n.h * p->force, point == NSM_BEGIN, s->w.rhs);
    return;
  }
  if (p->force == 0) return;
  sim_move(s, s->now.q, s->n.h * (p->begin + p->end), s->now.z, s->w.qg);
  nsm_view v = sim_view(s, t1 - (1 - p->time) * s->n.h, s->w.qg, s->now.z, s->now.l);
  add_kernels(s, &s->a->on.f_moving, 0, &v, s->n.h * p->force, 1, s->w.rhs);
}

static void right_side(nsm_sim *s, double t1) {
  double h = s->n.h, *rhs = s->w.rhs;
  nsm_view v0 = sim_now(s), va = sim_view(s, t1, s->w.qm, s->now.z, s->now.l);
  sim_move(s, s->now.q, h, s->now.z, s->w.qm);
  for (int i = 0; i < s->a->nz; i++) rhs[i] = h * s->n.f_constant[i];
  for (int i = 0; s->a->on.f_moving.n > 0 && i < NSM_POINTS; i++) {
    int k = (i + NSM_END) % NSM_POINTS;                  // first the end
    add_forces(s, k, k == NSM_END ? &va : &v0, t1);
  }
  if (s->a->on.g.n > 0) {
    va.l = v0.l = s->a->zero_l;
    add_kernels(s, &s->a->on.g, 1, &va, h * s->a->instant, 0, rhs);
    add_kernels(s, &s->a->on.g, 1, &v0, h * (1 - s->a->instant), 1, rhs);
  }
}

// q of (1) for the active rows, from the kernels at z_p with no multipliers.
static void rows_at(nsm_sim *s, double t1) {
  sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  nsm_view v = sim_view(s, t1, s->w.q1, s->w.z1, s->a->zero_l),
           between = s->a->on.relation.n > 0 ? sim_between(s, t1, s->w.q1, s->w.z1, s->a->zero_l) : v;
  for (int c = 0; c < s->a->on.row.n; c++) {
    const sim_class *k = &s->a->cls[s->a->on.row.of[c]];
    double *y = r->y + k->row0;
    if (k->c->kind == NSM_RELATION) k->c->y_fn(k->gamma < 1 ? &between : &v, &k->tab, y);
    else sim_rates(s, k, &v);
  }
  sim_bounds(s, &v, &between);
  for (int i = 0; i < a->nactive; i++) {
    int row = r->row_at[a->active[i]];
    sim_pose(s, i, r->y[row] + sim_bounce(r, row), row_terms(s, row, r->y[row]), sim_start_of(s, row));
  }
}

// q1 = q + h (theta v + (1-theta) v_k) of the velocity of unknown z, if it is one.
static inline void move_place(nsm_sim *s, int z, double ht) {
  if (z < s->a->nv) s->w.q1[z] = s->now.q[z] + (ht * s->w.z1[z] + (s->n.h - ht) * s->now.z[z]);
}

// The same without X: what does not take a force itself moves too.
static double apply_motion(nsm_sim *s, double ht) {
  const sim_rows *r = &s->n.r;
  const sim_islands *a = &s->n.isl;
  double sum = 0;
  for (int i = 0; i < a->nactive; i++) sum += s->w.l1[r->l[r->row_at[a->active[i]]]] = a->lambda[i];
  sim_rows_motion(s, a->lambda, s->w.push);
  sim_rows_sizes(s, a->lambda, s->w.size);
  for (int z = 0; z < s->a->nz; z++) {
    double d = s->w.push[z];
    if (s->w.size[z] > 0) sim_settle(s, z);
    else s->w.z1[z] += d;
    if (d != 0) move_place(s, z, ht);
  }
  memset(s->w.push, 0, (size_t)s->n.w.n * sizeof(double));
  return sum;
}

// z += W^{-1} B lambda by one solve: in a circuit every node is reached by every current, and X is full.
static void apply_currents(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  const sim_islands *a = &s->n.isl;
  double *dz = s->w.rhs;
  memset(dz, 0, (size_t)s->a->nz * sizeof(double));
  for (int i = 0; i < a->nactive; i++) {
    int row = r->row_at[a->active[i]];
    double p = a->lambda[i];
    for (int e = r->b0[row]; p != 0 && e < r->b0[row + 1]; e++) dz[r->bz[e]] += r->b[e] * p;
  }
  sim_matrix_solve(s, dz);
  for (int z = 0; z < s->a->nz; z++) s->w.z1[z] += dz[z];
}

// Forces to their places; in the same turn how many rows have a rate that their law makes 0, and how many contacts had
// no force before. Gives the sum of the forces.
static double take_multipliers(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  int contacts = r->contacts, impacts = 0, zeros = 0;
  double sum = 0;
  for (int i = 0; i < a->nactive; i++) {
    int at = a->active[i], row = r->row_at[at], l = r->l[row];
    double p = a->lambda[i];
    sum += s->w.l1[l] = p;
    if (!contacts) continue;
    impacts += (p > 0) & (s->now.l[l] == 0);
    zeros += sim_is_pressed(s, at, row, p);
  }
  a->zeros = contacts ? zeros : sim_rates_of_zero(s);
  a->impacts = contacts && zeros == 0 ? impacts : SIM_NOT_COUNTED;        // else forces may still be corrected
  return sum;
}

// (7), and the places that follow.
static double apply_multipliers(nsm_sim *s, double ht) {
  const sim_rows *r = &s->n.r;
  sim_islands *a = &s->n.isl;
  double sum = take_multipliers(s);
  if (s->a->algebraic && s->a->nv == 0) {
    apply_currents(s);
    return sum;
  }
  sim_pushes all = sim_pushes_of(s);
  for (int i = 0; i < a->nactive; i++)
    if (a->lambda[i] != 0) sim_push(r, r->row_at[a->active[i]], a->lambda[i], &all);
  for (int i = 0; i < all.n; i++) {
    int z = all.pushed[i];
    sim_settle(s, z);
    move_place(s, z, ht);
    if (a->zeros == 0) all.size[z] = 0;
  }
  sim_touch_rest(s, s->w.size, sim_touch_stop, s->n.h - ht);
  return sum;
}

int sim_linear_solve(nsm_sim *s, double t1) {
  if (!sim_rebound(s)) return 0;
  rows_at(s, t1);
  return sim_pressed_solve(s, sim_row_b, s->a->zero_l);
}

double sim_linear_act(nsm_sim *s, double t1) {
  double ht = s->n.h * s->a->point[NSM_END].end, sum = s->n.r.whole ? apply_motion(s, ht) : apply_multipliers(s, ht);
  if (s->n.isl.zeros > 0 || s->n.r.whole) sim_refine(s, t1, s->w.q1, ht);
  return sum;
}

// z1 = z + dz, q1 = q + h z + ht dz; of x the first alone. 0 where a number is not finite: x - x is 0 for all others.
NSM_WIDE static int free_motion(int nv, int nz, double h, double ht, const double *restrict q, const double *restrict z,
                       const double *restrict dz, double *restrict q1, double *restrict z1) {
  long bad = 0;
  for (int i = 0; i < nv; i++) {
    double v = z[i] + dz[i], x = q[i] + h * z[i] + ht * dz[i];
    z1[i] = v;
    q1[i] = x;
    bad |= ((v - v) + (x - x)) != 0;
  }
  for (int i = nv; i < nz; i++) {
    double v = z[i] + dz[i];
    z1[i] = v;
    bad |= (v - v) != 0;
  }
  return bad == 0;
}

// H of contacts of shapes is that of the begin of the step, in both places.
static void renew(nsm_sim *s) {
  nsm_view now = sim_now(s);
  SIM_EACH(s, h_moving, k) {
    k->c->h_fn(&now, &k->tab, k->h);
    if (k->h_mid) memcpy(k->h_mid, k->h, (size_t)k->tab.count * (size_t)k->c->h.n * sizeof(double));
  }
  sim_rows_outer(s, 0);
  sim_rows_couple(s);
}

// Positions that do not move by a velocity of the same number, from the velocities found.
static void other_positions(nsm_sim *s) {
  double ht = s->n.h * s->a->point[NSM_END].end;
  for (int i = 0; i < s->a->nv; i++) s->w.way[i] = ht * s->w.z1[i] + (s->n.h - ht) * s->now.z[i];
  sim_move_positions(s, s->now.q, s->w.way, s->w.q1);
}

nsm_code sim_step_linear(nsm_sim *s, double t1, nsm_error *e) {
  double h = s->n.h, *q1 = s->w.q1, *z1 = s->w.z1, sum = 0;
  const double *dz = s->n.dz_constant;
  if (s->a->on.contact.n + s->a->on.friction.n > 0) sim_active_set(s);
  if (s->a->on.f_moving.n + s->a->on.g.n > 0) {
    right_side(s, t1);
    sim_matrix_solve(s, s->w.rhs);
    dz = s->w.rhs;
  }
  int finite = free_motion(s->a->nv, s->a->nz, h, h * s->a->point[NSM_END].end, s->now.q, s->now.z, dz, q1, z1);
  if (s->n.r.n > 0) {
    if (!s->n.r.always) sim_islands_list(s);
    if (s->n.isl.nactive > 0) {
      if (s->a->renewed > 0) renew(s);
      if (!sim_linear_solve(s, t1)) {
        nsm_view v = sim_view(s, t1, q1, z1, s->a->zero_l);
        if (s->n.isl.solver.result.status == NSM_CONE_BAD_INPUT && sim_blame(s, &v, e) == NSM_FAILED) return NSM_FAILED;
        return sim_cone_failed(s, t1, e);
      }
      sum = sim_linear_act(s, t1);
    }
  }
  s->now.count.newton_iterations++;
  if (s->a->on.kinematics.n > 0) other_positions(s);
  if (finite && sum - sum == 0) return NSM_OK;
  nsm_view v = sim_view(s, t1, q1, z1, s->w.l1);
  return sim_blame(s, &v, e);
}
