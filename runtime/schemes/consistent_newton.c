// The motion (2)-(6) of a step by Josephy and Newton's method: the smooth rows are linearised, the contacts solved
// exactly inside. Where the inclusion inside has no solution the iteration takes the projected step (2.72) of [Möller
// 2011] instead; where it does not converge it starts again from the velocities at the begin, and then by (2.72) alone.
// The energy is as good as the residual, so the iteration goes on until the residual stops falling. Last of all,
// contacts that are about to open, or that no force can keep from closing, are left out of the set.
#include "consistent.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { HALVINGS = 6, FREE = 6, FIXED_POINTS = 8, TRIAL = 16, PROJECTED_MAX = 2000 };
// Relative residuals: done; small enough to stand where it falls no more; small enough for the factors of the iterate
// before.
static const double at_floor = 2e-16, may_rest = 1e-9, keeps_factors = 1e-8;
static const double may_cancel = 1e-6;   // of the speeds: the round-off of forces that cancel each other

// ---- the iterate ----------------------------------------------------------------------------------------------------
// (9): q_E - q_B = (h/2)(u_C + u_E) - P kappa, P = Mbar(q)^{-1} H_S(q_B)^T. With a moving mass a fixed point,
// contracting as kappa does; consistent_explicit_mass has M(q_B) in place of Mbar, and its P was made at the begin.
static int place_q(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  int moving = c->ns > 0 && s->a->on.mass_moving.n > 0 && !s->a->scheme->mass_at_begin;
  for (int it = 0; it < (moving ? FIXED_POINTS : 1); it++) {
    if (moving) {
      for (int a = 0; a < s->a->on.mass_moving.n; a++) {
        sim_class *k = &s->a->cls[s->a->on.mass_moving.of[a]];
        const double *m0 = c->cls[s->a->on.mass_moving.of[a]].mass0;
        k->c->mass_fn(v, &k->tab, k->mass);
        for (size_t i = 0; i < (size_t)k->tab.count * (size_t)k->c->mass.n; i++)
          k->mass[i] = 0.5 * (m0[i] + k->mass[i]);
      }
      if (sim_matrix_update(s, 0) >= 0) return 0;
      for (int j = 0; j < c->ns; j++) sim_rows_column(s, c->row[j]);
    }
    double change = 0, size = 0;
    for (int i = 0; i < s->a->nq; i++) c->inc_q[i] = v->h * (c->uc[i] + (c->uc_low[i] + 0.5 * c->inc_u[i]));
    for (int j = 0; j < c->ns; j++) {
      double k = c->kappa1[r->l[c->row[j]]];
      for (int e = r->x0[c->row[j]]; e < r->x0[c->row[j] + 1]; e++) c->inc_q[r->xz[e]] -= r->x[e] * k;
    }
    for (int i = 0; i < s->a->nq; i++) {
      double q = s->now.q[i] + (s->now.q_low[i] + c->inc_q[i]), d = fabs(q - s->w.q1[i]), x = fabs(q);
      change = d > change ? d : change;
      size = x > size ? x : size;
      s->w.q1[i] = q;
    }
    if (!(change > 2 * DBL_EPSILON * size)) break;
  }
  return 1;
}

static void add_row(nsm_sim *s, const sim_class *k, int i, const nsm_pattern *p, const double *value, double l) {
  struct sim_consistent *c = s->n.con;
  for (int e = 0; e < p->n; e++) {
    int z = sim_z_of(s, k, i, p->col[e]);
    double f = value[(size_t)i * (size_t)p->n + (size_t)e] * l;
    c->res[z] -= f;
    s->now.r1_size[z] += fabs(f);
  }
}

const double *con_direction(const nsm_sim *s, int row) {
  int cls = s->n.r.cls[row];
  const sim_class *k = &s->a->cls[cls];
  return (k->c->dg_fn ? s->n.con->cls[cls].dg : k->h) + (size_t)(row - k->row0) * (size_t)k->c->h.n;
}

// g(q_E) - g(q_B) = Dg/Dq . (q_E - q_B), from the increments: the difference of two gaps would know it to round-off of
// the coordinates only.
static double rise(const nsm_sim *s, int row) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  const double *d = con_direction(s, row);
  double sum = 0;
  for (int e = 0; e < k->c->h.n; e++) sum += d[e] * s->n.con->inc_q[sim_z_of(s, k, row - k->row0, k->c->h.col[e])];
  return sum;
}

// Friction: H_T(q_B) acts, and H_T (q_E - q_B) with the drift is the slip in the step.
static void slips(nsm_sim *s, const sim_class *k) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < k->tab.count; i++) {
    int row = k->row0 + i;
    if (!r->active[row]) continue;
    add_row(s, k, i, &k->c->h, k->h, s->w.l1[r->l[row]]);
    c->gap[row] = c->drift[row] + con_slip_part(s, row, c->inc_q);
  }
}

// The middle of the motion, with its mean velocity: where coefficients of friction are taken.
nsm_view con_middle(nsm_sim *s, const nsm_view *v) {
  const struct sim_consistent *c = s->n.con;
  for (int i = 0; i < s->a->nq; i++) {
    s->w.qm[i] = s->now.q[i] + 0.5 * c->inc_q[i];
    s->w.zm[i] = c->inc_q[i] / v->h;
  }
  return sim_view(s, 0.5 * (s->now.t + v->t), s->w.qm, s->w.zm, s->w.l1);
}

// Residuals of the smooth rows, gaps and H at the end, and what the momentum rows are measured by. Of a constraint
// along its discrete derivative H belongs to the matrix, which makes it (con_matrix); here it is only the measure of an
// error.
static int evaluate(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  if (!place_q(s, v)) return 0;
  if (s->a->on.mu.n > 0) {
    nsm_view m = con_middle(s, v);
    sim_friction_law(s, &m);
  }
  memset(c->res, 0, (size_t)c->n * sizeof(double));
  for (int i = 0; i < s->a->nq; i++) s->now.r1_size[i] = s->now.r1_most[i];
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.smooth.of[a]];
    if (k->c->c_fn) k->c->c_fn(v, &k->tab, c->res);
  }
  for (int a = 0; a < s->a->on.row.n; a++) {
    int cls = s->a->on.row.of[a];
    sim_class *k = &s->a->cls[cls];
    con_class *o = &c->cls[cls];
    const nsm_class *d = k->c;
    int contact = d->kind == NSM_CONTACT;
    if (d->kind == NSM_FRICTION) { slips(s, k); continue; }
    if (contact && !memchr(r->active + k->row0, 1, (size_t)k->tab.count)) continue;
    d->rate_fn(v, &k->tab, r->y + k->row0);
    if (d->h_stage > NSM_CONST && (contact || !d->dg_fn)) d->h_fn(v, &k->tab, k->h);
    if (d->dg_fn) d->dg_fn(v, &k->tab, o->dg);
    if (d->drate_fn && !contact) d->drate_fn(v, &k->tab, o->dr);
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      if (contact && !r->active[row]) continue;
      add_row(s, k, i, &d->h, d->dg_fn ? o->dg : k->h, s->w.l1[r->l[row]]);
      c->gap[row] = rise(s, row);
      if (contact) continue;
      if (d->drate_fn) add_row(s, k, i, &d->dr, o->dr, c->kappa1[r->l[row]]);
      c->res[s->a->nq + c->of[row]] = r->y[row];
      c->res[s->a->nq + c->ns + c->of[row]] = c->gap[row] + c->back[c->of[row]];
    }
  }
  return 1;
}

// Velocities are known to round-off of what drives them: (|R1 terms| + |M u|) / M.
static double speed(const nsm_sim *s, int z) {
  const struct sim_consistent *c = s->n.con;
  return fabs(s->w.z1[z]) + fabs(c->uc[z]) + s->now.r1_size[z] * c->mass_inverse[z];
}

// The directions of slip of a contact together, at the first of them.
static double slip_error(const nsm_sim *s, double h, int row) {
  const struct sim_consistent *c = s->n.con;
  const sim_friction *f = &s->n.r.friction[s->n.r.friction_of[row]];
  double u[3], diagonal[3], size[3];
  if (row != f->row[0]) return 0;
  for (int d = 0; d < f->n; d++) {
    const sim_class *k = &s->a->cls[s->n.r.cls[f->row[d]]];
    const double *H = k->h + (size_t)(f->row[d] - k->row0) * (size_t)k->c->h.n;
    u[d] = c->gap[f->row[d]];
    diagonal[d] = c->diag[c->index[f->row[d]]];
    size[d] = fabs(c->drift[f->row[d]]);
    for (int e = 0; e < k->c->h.n; e++) {
      int z = sim_z_of(s, k, f->row[d] - k->row0, k->c->h.col[e]);
      size[d] += fabs(H[e]) * h * speed(s, z);
    }
  }
  return sim_friction_residual(s, s->n.r.friction_of[row], s->w.l1, u, diagonal, size);
}

// Of a row: the larger of its rate and gap for constraints, the natural map of (6) for contacts.
double con_row_error(const nsm_sim *s, double h, int row) {
  const struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  const sim_class *k = &s->a->cls[r->cls[row]];
  const double *H = k->h + (size_t)(row - k->row0) * (size_t)k->c->h.n;
  double rate = DBL_MIN, gap = DBL_MIN;
  for (int e = 0; e < k->c->h.n; e++) {
    int z = sim_z_of(s, k, row - k->row0, k->c->h.col[e]);
    double x = speed(s, z);
    rate += fabs(H[e]) * x;
    gap += fabs(H[e]) * h * x;
  }
  if (c->of[row] >= 0) {
    double u = fabs(c->res[s->a->nq + c->of[row]]) / rate, g = fabs(c->res[s->a->nq + c->ns + c->of[row]]) / gap;
    return u >= g || isnan(u) ? u : g;
  }
  if (k->c->kind == NSM_FRICTION) return slip_error(s, h, row);
  double w = c->gap[row], l = s->w.l1[r->l[row]], d = c->diag[c->index[row]], rho = d > 0 ? 1 / d : 1;
  return fabs(l - fmax(0, l - rho * w)) / (rho * gap + fabs(l) + DBL_MIN);
}

// The largest relative residual; *worst: z, or n + row.
static double residual(nsm_sim *s, double h, int *worst) {
  const struct sim_consistent *c = s->n.con;
  double most = 0;
  for (int i = 0; i < s->a->nq + s->n.r.n; i++) {
    int row = i - s->a->nq;
    if (row >= 0 && c->of[row] < 0 && !s->n.r.active[row]) continue;
    double x = row < 0 ? fabs(c->res[i]) / (s->now.r1_size[i] + DBL_MIN) : con_row_error(s, h, row);
    if (x <= most) continue;
    most = x;
    *worst = row < 0 ? i : c->n + row;
    if (isnan(x)) break;
  }
  return most;
}

// ---- Newton's method ------------------------------------------------------------------------------------------------
static void set_speed(nsm_sim *s, int i, double inc) {
  struct sim_consistent *c = s->n.con;
  c->inc_u[i] = inc;
  s->w.z1[i] = c->uc[i] + (c->uc_low[i] + inc);
}

static void go(nsm_sim *s, double alpha) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < s->a->nq; i++) set_speed(s, i, c->try_u[i] + alpha * c->dz[i]);
  for (int j = 0; j < c->ns; j++) {
    int l = r->l[c->row[j]];
    s->w.l1[l] = c->try_l[l] + alpha * c->dz[s->a->nq + j];
    c->kappa1[l] = c->try_k[l] + alpha * c->dz[s->a->nq + c->ns + j];
  }
  for (int i = 0; i < c->na; i++) {
    int l = r->l[c->act[i]];
    s->w.l1[l] = alpha == 1 ? s->w.l_try[l] : c->try_l[l] + alpha * (s->w.l_try[l] - c->try_l[l]);
  }
}

static void keep_iterate(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  memcpy(c->try_u, c->inc_u, (size_t)s->a->nq * sizeof(double));
  memcpy(c->try_l, s->w.l1, (size_t)s->a->nl * sizeof(double));
  memcpy(c->try_k, c->kappa1, (size_t)s->a->nl * sizeof(double));
}

void con_go(nsm_sim *s, const nsm_view *v) {
  keep_iterate(s);
  go(s, 1);
  place_q(s, v);
}

// whole: the iteration before took its full step.
static nsm_code newton_step(nsm_sim *s, const nsm_view *v, int fresh, int whole, int it, nsm_error *e) {
  struct sim_consistent *c = s->n.con;
  int made = c->affine && !c->projected && c->made_for == v->h, bad = fresh && !made ? con_matrix(s, v) : -1;
  if (bad >= 0) {
    int worst = 0;
    return con_singular(s, v, it, residual(s, v->h, &worst), bad, e);
  }
  for (int i = 0; i < c->n; i++) c->dz[i] = -c->res[i];
  con_solve(s, c->dz);
  sim_friction_guess(s, !whole);
  if (c->na > 0) {
    con_dq(s, v->h, c->dz, c->dq);
    if (fresh) con_columns(s, v->h);
    if (c->projected) con_project(s);
    else if (!con_contacts(s)) {
      if (c->solver.result.status == NSM_CONE_BAD_INPUT) return con_failed(s, v, it, NAN, 0, e);
      con_project(s);
    }
    con_apply_contacts(s);
  }
  keep_iterate(s);
  go(s, 1);
  s->now.count.newton_iterations++;
  return NSM_OK;
}

// What is left at the floor is round-off and the tail of Newton's series. The tail has a sign and adds up over the
// steps, so the last correction is applied too; with closed contacts it would open them.
static nsm_code polish(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  if (c->na > 0) return NSM_OK;
  for (int i = 0; i < c->n; i++) c->dz[i] = -c->res[i];
  con_solve(s, c->dz);
  con_go(s, v);
  return NSM_OK;
}

// Matrix and rows are constant: one iteration is exact.
static nsm_code affine(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  double sum = 0;
  place_q(s, v);
  for (int i = 0; i < s->a->nq; i++) sum += s->w.q1[i] + s->w.z1[i];
  return isfinite(sum) ? NSM_OK : con_failed(s, v, 1, NAN, 0, e);
}

// Forces of constraints and contacts that cancel each other until their round-off is seen in the speeds are no
// solution, however small the residual is beside them: near a configuration where they have the same direction, the
// iteration can run off to there.
static int credible(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  double most = 0, speeds = 0;
  for (int z = 0; z < s->a->nq; z++) c->dq[z] = c->fresh[z] = 0;
  for (int i = 0; i < c->na + c->ns; i++) {
    int row = i < c->na ? c->act[i] : c->row[i - c->na];
    const sim_class *k = &s->a->cls[s->n.r.cls[row]];
    const double *direction = con_direction(s, row);
    for (int e = 0; e < k->c->h.n; e++) {
      int z = sim_z_of(s, k, row - k->row0, k->c->h.col[e]);
      double d = direction[e] * s->w.l1[s->n.r.l[row]] * c->mass_inverse[z];
      c->dq[z] += d;
      c->fresh[z] += fabs(d);
    }
  }
  for (int z = 0; z < s->a->nq; z++) {
    most = fmax(most, c->fresh[z]);
    speeds = fmax(speeds, fmax(fabs(c->dq[z]), fabs(c->uc[z]) + fabs(s->w.z1[z])));
  }
  return DBL_EPSILON * most <= may_cancel * speeds;
}

static nsm_code iterate(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  double before = INFINITY, alpha = 1;
  if (!s->n.con->affine) memset(s->now.r1_most, 0, (size_t)s->a->nq * sizeof(double));
  int halvings = 0, worst = 0, keep = 0, most = s->n.con->projected ? PROJECTED_MAX : NSM_NEWTON_MAX;
  for (int it = 0; ; it++) {
    int placed = evaluate(s, v);
    if (it > 0) {
      double error = placed ? residual(s, v->h, &worst) : NAN;
      int resting = it > 1 && error <= may_rest && !(error <= 0.25 * before);
      if ((error <= at_floor || (resting && fmin(error, before) <= s->a->tolerance)) && !credible(s))
        return con_failed(s, v, it, error, worst, e);
      if (error <= at_floor) return polish(s, v);
      if (resting && fmin(error, before) <= s->a->tolerance) {
        if (error > before) { go(s, 0); place_q(s, v); }        // the one before was better
        return NSM_OK;
      }
      if (halvings >= 0 && !(error <= (it <= FREE ? 2 : 1) * before) &&
          !(worst >= s->n.con->n && sim_friction_moves(s, worst - s->n.con->n))) {
        if (halvings < HALVINGS) { halvings++; go(s, alpha *= 0.5); }
        else if (isnan(error)) return con_failed(s, v, it, error, worst, e);
        else { halvings = -1; go(s, alpha = 1); }  // no descent: contacts open and close, take the full step
        it--;
        continue;
      }
      if (isnan(error) || it >= most) return con_failed(s, v, it, error, worst, e);
      // these factors contract by about error/before
      keep = error <= keeps_factors && error * (error / before) <= at_floor;
      before = error;
    }
    nsm_code code = newton_step(s, v, !keep, it > 0 && alpha == 1, it, e);
    if (code != NSM_OK) return code;
    if (s->n.con->affine && !s->n.con->projected) return affine(s, v, e);
    alpha = 1;
    halvings = s->n.con->projected ? -1 : 0;
  }
}

// ---- start values ---------------------------------------------------------------------------------------------------
// The velocity changes as in the last step, or by extrapolation from the last two, whichever was nearer lately; or not
// at all, where that took fewer iterations lately: a stiff mode that a step does not resolve changes sign from step to
// step. What is not in use is tried now and then.
static void start_values(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  int better = s->now.con.cost[1] > s->now.con.cost[0];
  c->moves = s->now.k % TRIAL == TRIAL - 1 ? better : !better;
  for (int i = 0; i < s->a->nq; i++) {
    double g = s->now.con.off[2] < s->now.con.off[1] ? 2 * s->now.gain[i] - s->now.gain0[i] : s->now.gain[i];
    set_speed(s, i, c->moves ? g : 0);
  }
  memcpy(s->w.q1, s->now.q, (size_t)s->a->nq * sizeof(double));
  memcpy(s->w.l1, s->now.force, (size_t)s->a->nl * sizeof(double));
  for (int row = 0; row < s->n.r.n; row++)
    if (c->of[row] < 0 && !s->n.r.active[row]) s->w.l1[s->n.r.l[row]] = 0;
  memcpy(c->kappa1, s->now.kappa, (size_t)s->a->nl * sizeof(double));
}

static void start_at_rest(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  for (int i = 0; i < s->a->nq; i++) set_speed(s, i, 0);
  memcpy(s->w.q1, s->now.q, (size_t)s->a->nq * sizeof(double));
  memset(s->w.l1, 0, (size_t)s->a->nl * sizeof(double));
  memset(c->kappa1, 0, (size_t)s->a->nl * sizeof(double));
}

void con_learn(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  if (c->affine) return;                                   // any start will do
  s->now.con.cost[c->moves] += 0.25 * ((double)c->iterations - s->now.con.cost[c->moves]);
  for (int k = 1; k < 3; k++) s->now.con.off[k] *= 0.75;
  for (int i = 0; i < s->a->nq; i++) {
    double g = c->inc_u[i], d[3] = { g, g - s->now.gain[i], g - 2 * s->now.gain[i] + s->now.gain0[i] },
           m = c->mass_inverse[i] > 0 ? 1 / c->mass_inverse[i] : 1;
    for (int k = 1; k < 3; k++) s->now.con.off[k] += m * d[k] * d[k];
    s->now.gain0[i] = s->now.gain[i];
    s->now.gain[i] = g;
  }
}

// Contacts that leave after the impact, rate > 0, or whose force would close the gap, D_ii <= 0, are taken out of the
// set; how many. Near a configuration in which the gap has no direction that the constraints allow, (6) can be met by
// no force. Without one the energy is kept all the same, and the next step has the contact again.
static int leave_out(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  sim_rows *r = &s->n.r;
  int kept = 0, n = c->na;
  for (int i = 0; i < n; i++) {
    int row = c->act[i], f = r->friction_of[row], normal = f < 0 ? row : r->friction[f].normal[0];
    double rate = 0;                                       // H(q_B) u_C
    for (int x = normal < 0 ? 0 : r->c0[normal], end = normal < 0 ? 0 : r->c0[normal + 1]; x < end; x++)
      rate += r->c[x] * c->uc[r->cz[x]];
    if (normal >= 0 && s->a->cls[r->cls[normal]].c->kind == NSM_CONTACT &&
        (rate > 0 || (row == normal && !(c->diag[i] > 0)))) {
      r->active[row] = 0;
      continue;
    }
    c->index[row] = kept;
    c->act[kept++] = row;
  }
  c->na = kept;
  return n - kept;
}

// ---- the motion -----------------------------------------------------------------------------------------------------
nsm_code con_motion(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  struct sim_consistent *c = s->n.con;
  long before = s->now.count.newton_iterations;
  c->projected = c->always_projected;
  c->singular = 0;
  start_values(s);
  nsm_code code = iterate(s, v, e);
  nsm_error again;
  for (int attempt = 0; code != NSM_OK && attempt < 2 && (attempt == 0 || c->na > 0); attempt++) {
    c->projected |= attempt == 1;
    c->singular = 0;
    start_at_rest(s);
    if (iterate(s, v, &again) == NSM_OK) code = NSM_OK;
  }
  if (code != NSM_OK && leave_out(s) > 0) {
    c->projected = c->always_projected;
    c->singular = 0;
    start_at_rest(s);
    if (iterate(s, v, &again) == NSM_OK) code = NSM_OK;
    s->now.count.left_out += code == NSM_OK;
  }
  if (code != NSM_OK) return code;
  c->iterations = s->now.count.newton_iterations - before;
  s->now.con.redundant |= c->singular;
  if (e) *e = (nsm_error){ .code = NSM_OK };
  return NSM_OK;
}
