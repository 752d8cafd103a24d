// One energy-consistent step, docs/numerics/consistent.md: the impact (1) in every step with closed contacts, then Newton's method on the
// smooth rows (2)-(5) with the contacts (6) solved exactly inside (Josephy-Newton). The energy is as good as the residual, so the
// iteration goes on until the residual stops falling.
#include "consistent.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { HALVINGS = 6, FIXED_POINTS = 8, REFINEMENTS = 2, TRIAL = 16 };
// Relative residuals: done; small enough to stand where it falls no more; small enough for the factors of the iterate before.
static const double at_floor = 2e-16, may_rest = 1e-9, keeps_factors = 1e-8;

// ---- begin of the step ---------------------------------------------------------------------------------------------------------
// Kernels at q_B; the closed contacts: g(q_B) <= 0.
static int at_begin(nsm_sim *s) {
  struct sim_consistent *c = s->con;
  sim_rows *r = &s->r;
  nsm_view v = sim_now(s);
  for (int a = 0; a < s->on.h_moving.n; a++) {
    sim_class *k = &s->cls[s->on.h_moving.of[a]];
    k->c->h_fn(&v, &k->tab, k->h);
  }
  if (s->on.h_moving.n > 0) sim_rows_outer(s, 0);
  for (int a = 0; a < s->on.mass_moving.n; a++) {
    sim_class *k = &s->cls[s->on.mass_moving.of[a]];
    k->c->mass_fn(&v, &k->tab, k->mass);
    memcpy(c->cls[s->on.mass_moving.of[a]].mass0, k->mass, (size_t)k->tab.count * (size_t)k->c->mass.n * sizeof(double));
  }
  c->na = 0;
  for (int a = 0; a < s->on.contact.n; a++) {
    const sim_class *k = &s->cls[s->on.contact.of[a]];
    k->c->gap_fn(&v, &k->tab, r->gap + k->row0, r->rate0 + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      r->active[row] = !(r->gap[row] > 0);
      if (r->active[row]) { c->index[row] = c->na; c->act[c->na++] = row; }
    }
  }
  for (int a = 0; a < s->on.constraint.n; a++) {
    const sim_class *k = &s->cls[s->on.constraint.of[a]];
    k->c->rate_fn(&v, &k->tab, r->rate0 + k->row0);
  }
  return c->na;
}

// Rows of M(q_B): value + (H M^{-1} H^T) Lambda, free for constraints. The impulses are left in isl.lambda.
int con_impact(nsm_sim *s, int contacts, const double *value) {
  sim_rows *r = &s->r;
  sim_islands *is = &s->isl;
  for (int row = 0; !contacts && row < r->n; row++) r->active[row] = s->con->of[row] >= 0;
  sim_islands_list(s);
  if (!r->constant) sim_rows_couple(s);
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    is->q[i] = (1 + r->e[row]) * value[row];
    is->lo[i] = r->lo[row];
    is->hi[i] = r->hi[row];
    is->lambda[i] = s->la[r->l[row]];
  }
  return sim_islands_solve(s);
}

static void apply_impulses(nsm_sim *s) {
  struct sim_consistent *c = s->con;
  const sim_rows *r = &s->r;
  const sim_islands *is = &s->isl;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    double p = is->lambda[i];
    if (p == 0) continue;
    s->la[r->l[row]] += p;
    for (int x = r->x0[row]; x < r->x0[row + 1]; x++) c->uc[r->xz[x]] += r->x[x] * p;
  }
}

// The rates that must vanish, H u_C + e H u_B where an impulse acts, as they are: a corrective impulse takes what is left of them, because
// the energy of an elastic impact is off by half of impulse times rate. 0 where nothing is left to do.
static int refine_impact(nsm_sim *s) {
  struct sim_consistent *c = s->con;
  const sim_rows *r = &s->r;
  sim_islands *is = &s->isl;
  int worth = 0;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]], acts = c->of[row] >= 0 || s->la[r->l[row]] > 0;
    double w = r->e[row] * r->rate0[row], size = 0;
    for (int x = r->c0[row]; x < r->c0[row + 1]; x++) {
      double d = r->c[x] * c->uc[r->cz[x]];
      w += d;
      size += fabs(d);
    }
    is->q[i] = acts ? w : 0;
    is->lo[i] = acts ? -INFINITY : 0;
    is->hi[i] = acts ? INFINITY : 0;
    is->lambda[i] = 0;
    worth |= acts && fabs(w) > DBL_EPSILON * size;
  }
  if (!worth) return 0;
  memset(is->tiny_id, 0, sizeof is->tiny_id);          // the rows are of another kind: no factors are kept
  int ok = sim_islands_solve(s);
  memset(is->tiny_id, 0, sizeof is->tiny_id);
  if (ok) apply_impulses(s);
  return ok;
}

// Factors of M(q_B), for (1), and for (9) where the scheme keeps it there.
static int mass_at_begin(nsm_sim *s, nsm_error *e) {
  if (s->w.constant || sim_matrix_update(s, 0) < 0) return 1;
  sim_fail(e, NSM_FAILED, "the mass matrix is singular at t = %.10g s, step %ld", s->t, s->k + 1);
  return 0;
}

static nsm_code impact(nsm_sim *s, double t1, nsm_error *e) {
  const sim_rows *r = &s->r;
  if (!mass_at_begin(s, e)) return NSM_FAILED;
  if (!con_impact(s, 1, r->rate0)) return sim_cone_failed(s, t1, e);
  memset(s->la, 0, (size_t)s->nl * sizeof(double));
  apply_impulses(s);
  for (int i = 0; i < REFINEMENTS && refine_impact(s); i++) continue;
  s->con->loss = con_impact_loss(s);
  return NSM_OK;
}

// ---- the iterate ---------------------------------------------------------------------------------------------------------------
// (9): q = q_B + (h/2)(u_C + u) - P kappa, P = Mbar(q)^{-1} H_S(q_B)^T. With a moving mass a fixed point, contracting as kappa does;
// consistent_explicit_mass has M(q_B) in place of Mbar, and its P was made at the begin.
static int place_q(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->con;
  const sim_rows *r = &s->r;
  int moving = c->ns > 0 && s->on.mass_moving.n > 0 && s->m->scheme != NSM_SCHEME_CONSISTENT_EXPLICIT_MASS;
  for (int it = 0; it < (moving ? FIXED_POINTS : 1); it++) {
    if (moving) {
      for (int a = 0; a < s->on.mass_moving.n; a++) {
        sim_class *k = &s->cls[s->on.mass_moving.of[a]];
        const double *m0 = c->cls[s->on.mass_moving.of[a]].mass0;
        k->c->mass_fn(v, &k->tab, k->mass);
        for (size_t i = 0; i < (size_t)k->tab.count * (size_t)k->c->mass.n; i++) k->mass[i] = 0.5 * (m0[i] + k->mass[i]);
      }
      if (sim_matrix_update(s, 0) >= 0) return 0;
      for (int j = 0; j < c->ns; j++) sim_rows_column(s, c->row[j]);
    }
    double *q = s->qm, change = 0, size = 0;
    for (int i = 0; i < s->nq; i++) q[i] = s->q[i] + 0.5 * v->h * (c->uc[i] + s->z1[i]);
    for (int j = 0; j < c->ns; j++) {
      double k = c->kappa1[r->l[c->row[j]]];
      for (int e = r->x0[c->row[j]]; e < r->x0[c->row[j] + 1]; e++) q[r->xz[e]] -= r->x[e] * k;
    }
    for (int i = 0; i < s->nq; i++) {
      double d = fabs(q[i] - s->q1[i]), x = fabs(q[i]);
      change = d > change ? d : change;
      size = x > size ? x : size;
      s->q1[i] = q[i];
    }
    if (!(change > 2 * DBL_EPSILON * size)) break;
  }
  return 1;
}

static void add_row(nsm_sim *s, const sim_class *k, int i, const nsm_pattern *p, const double *value, double l) {
  struct sim_consistent *c = s->con;
  for (int e = 0; e < p->n; e++) {
    int z = sim_z_of(s, k, i, p->col[e]);
    double f = value[(size_t)i * (size_t)p->n + (size_t)e] * l;
    c->res[z] -= f;
    c->size[z] += fabs(f);
  }
}

// Residuals of the smooth rows, gaps and H at the end, and what the momentum rows are measured by.
static int evaluate(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->con;
  const sim_rows *r = &s->r;
  if (!place_q(s, v)) return 0;
  memset(c->res, 0, (size_t)c->n * sizeof(double));
  for (int i = 0; i < s->nq; i++) c->size[i] = c->qsize[i];
  for (int a = 0; a < s->on.smooth.n; a++) {
    const sim_class *k = &s->cls[s->on.smooth.of[a]];
    if (k->c->c_fn) k->c->c_fn(v, &k->tab, c->res);
  }
  for (int a = 0; a < s->on.row.n; a++) {
    int cls = s->on.row.of[a];
    sim_class *k = &s->cls[cls];
    con_class *o = &c->cls[cls];
    const nsm_class *d = k->c;
    int contact = d->kind == NSM_CONTACT;
    if (contact && !memchr(r->active + k->row0, 1, (size_t)k->tab.count)) continue;
    d->gap_fn(v, &k->tab, c->gap + k->row0, r->y + k->row0);
    if (d->h_stage > NSM_CONST) d->h_fn(v, &k->tab, k->h);
    if (d->dg_fn) d->dg_fn(v, &k->tab, o->dg);
    if (d->rq_fn && !contact) d->rq_fn(v, &k->tab, o->rq);
    if (d->drate_fn && !contact) d->drate_fn(v, &k->tab, o->dr);
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      if (contact && !r->active[row]) continue;
      add_row(s, k, i, &d->h, d->dg_fn ? o->dg : k->h, s->l1[r->l[row]]);
      if (contact) continue;
      if (d->drate_fn) add_row(s, k, i, &d->dr, o->dr, c->kappa1[r->l[row]]);
      c->res[s->nq + c->of[row]] = r->y[row];
      c->res[s->nq + c->ns + c->of[row]] = c->gap[row];
    }
  }
  return 1;
}

// Velocities are known to round-off of what drives them: (|R1 terms| + |M u|) / M.
static double speed(const nsm_sim *s, int z) {
  const struct sim_consistent *c = s->con;
  return fabs(s->z1[z]) + fabs(c->uc[z]) + c->size[z] * c->mass_inverse[z];
}

// The largest relative residual; *worst: z, or n + row.
static double residual(nsm_sim *s, double h, int *worst) {
  const struct sim_consistent *c = s->con;
  const sim_rows *r = &s->r;
  double most = 0;
#define WORSE(x, which) do { double x_ = (x); if (!(x_ <= most)) { most = x_; *worst = (which); if (isnan(x_)) return x_; } } while (0)
  for (int i = 0; i < s->nq; i++) WORSE(fabs(c->res[i]) / (c->size[i] + DBL_MIN), i);
  for (int row = 0; row < r->n; row++) {
    int contact = c->of[row] < 0;
    if (contact && !r->active[row]) continue;
    const sim_class *k = &s->cls[r->cls[row]];
    const double *H = k->h + (size_t)(row - k->row0) * (size_t)k->c->h.n;
    double rate = 0, gap = 0;
    for (int e = 0; e < k->c->h.n; e++) {
      int z = sim_z_of(s, k, row - k->row0, k->c->h.col[e]);
      double x = speed(s, z);
      rate += fabs(H[e]) * x;
      gap += fabs(H[e]) * (fabs(s->q1[z]) + fabs(s->q[z]) + h * x);
    }
    if (!contact) {
      WORSE(fabs(c->res[s->nq + c->of[row]]) / (rate + DBL_MIN), c->n + row);
      WORSE(fabs(c->res[s->nq + c->ns + c->of[row]]) / (gap + DBL_MIN), c->n + row);
      continue;
    }
    double w = c->gap[row] - r->gap[row], l = s->l1[r->l[row]], d = c->diag[c->index[row]], rho = d > 0 ? 1 / d : 1;
    WORSE(fabs(l - fmax(0, l - rho * w)) / (rho * gap + fabs(l) + DBL_MIN), c->n + row);
  }
#undef WORSE
  return most;
}

// ---- Newton's method -----------------------------------------------------------------------------------------------------------
static void go(nsm_sim *s, double alpha) {
  struct sim_consistent *c = s->con;
  const sim_rows *r = &s->r;
  for (int i = 0; i < s->nq; i++) s->z1[i] = c->try_u[i] + alpha * c->dz[i];
  for (int j = 0; j < c->ns; j++) {
    int l = r->l[c->row[j]];
    s->l1[l] = c->try_l[l] + alpha * c->dz[s->nq + j];
    c->kappa1[l] = c->try_k[l] + alpha * c->dz[s->nq + c->ns + j];
  }
  for (int i = 0; i < c->na; i++) {
    int l = r->l[c->act[i]];
    s->l1[l] = alpha == 1 ? s->ltry[l] : c->try_l[l] + alpha * (s->ltry[l] - c->try_l[l]);
  }
}

static void keep_iterate(nsm_sim *s) {
  struct sim_consistent *c = s->con;
  memcpy(c->try_u, s->z1, (size_t)s->nq * sizeof(double));
  memcpy(c->try_l, s->l1, (size_t)s->nl * sizeof(double));
  memcpy(c->try_k, c->kappa1, (size_t)s->nl * sizeof(double));
}

static nsm_code newton_step(nsm_sim *s, const nsm_view *v, int fresh, nsm_error *e) {
  struct sim_consistent *c = s->con;
  int bad = fresh ? con_matrix(s, v) : -1;
  if (bad >= 0) {
    char name[256];
    if (bad < s->nq) sim_z_name(s, bad, name, sizeof name);
    else sim_row_name(s, c->row[(bad - s->nq) % c->ns], name, sizeof name);
    sim_fail(e, NSM_FAILED, "the iteration matrix is singular at t = %.10g s, step %ld: no pivot for %s", v->t, s->k + 1, name);
    return NSM_FAILED;
  }
  for (int i = 0; i < c->n; i++) c->dz[i] = -c->res[i];
  con_solve(s, c->dz);
  if (c->na > 0) {
    con_dq(s, v->h, c->dz, c->dq);
    if (fresh) con_columns(s, v->h);
    if (!con_contacts(s)) {
      if (c->result.status == NSM_CONE_BAD_INPUT && sim_blame(s, v, e) != NSM_OK) return NSM_FAILED;
      s->isl.result = c->result;
      s->isl.failed_row = c->bad_row;
      return sim_cone_failed(s, v->t, e);
    }
    con_apply_contacts(s);
  }
  keep_iterate(s);
  go(s, 1);
  s->count.newton_iterations++;
  return NSM_OK;
}

static nsm_code failed(nsm_sim *s, const nsm_view *v, int it, double error, int worst, nsm_error *e) {
  char name[256];
  if (isnan(error)) {
    nsm_code code = sim_blame(s, v, e);
    if (code == NSM_OK) sim_fail(e, code = NSM_FAILED, "a residual is not a number at t = %.10g s, step %ld, iteration %d", v->t, s->k + 1, it);
    return code;
  }
  if (worst < s->nq) sim_z_name(s, worst, name, sizeof name);
  else sim_row_name(s, worst - s->con->n, name, sizeof name);
  sim_fail(e, NSM_FAILED, "Newton's method did not converge at t = %.10g s, step %ld: after %d iterations the relative residual of %s is %.3g "
           "(tolerance %.3g); a smaller step may help", v->t, s->k + 1, it, name, error, s->tolerance);
  return NSM_FAILED;
}

// What is left at the floor is round-off and the tail of Newton's series. The tail has a sign and adds up over the steps, so the last
// correction is applied too; with closed contacts it would open them.
static nsm_code polish(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->con;
  if (c->na > 0) return NSM_OK;
  for (int i = 0; i < c->n; i++) c->dz[i] = -c->res[i];
  con_solve(s, c->dz);
  keep_iterate(s);
  go(s, 1);
  place_q(s, v);
  return NSM_OK;
}

static nsm_code smooth(nsm_sim *s, const nsm_view *v, nsm_error *e) {
  double before = INFINITY, alpha = 1;
  int halvings = 0, worst = 0, keep = 0;
  for (int it = 0; ; it++) {
    int placed = evaluate(s, v);
    if (it > 0) {
      double error = placed ? residual(s, v->h, &worst) : NAN;
      int resting = it > 1 && error <= may_rest && !(error <= 0.25 * before);
      if (error <= at_floor) return polish(s, v);
      if (resting && fmin(error, before) <= s->tolerance) {
        if (error > before) { go(s, 0); place_q(s, v); }        // the one before was better
        return NSM_OK;
      }
      if (halvings >= 0 && !(error <= 2 * before)) {
        if (halvings < HALVINGS) { halvings++; go(s, alpha *= 0.5); }
        else if (isnan(error)) return failed(s, v, it, error, worst, e);
        else { halvings = -1; go(s, 1); }                       // no descent: contacts open and close, take the full step
        it--;
        continue;
      }
      if (isnan(error) || it >= NSM_NEWTON_MAX) return failed(s, v, it, error, worst, e);
      keep = error <= keeps_factors && error * (error / before) <= at_floor;   // these factors contract by about error/before
      before = error;
    }
    nsm_code code = newton_step(s, v, !keep, e);
    if (code != NSM_OK) return code;
    alpha = 1;
    halvings = 0;
  }
}

// ---- start values --------------------------------------------------------------------------------------------------------------
// The velocity changes as in the last step, or by extrapolation from the last two, whichever was nearer lately; or not at all, where that took
// fewer iterations lately: a stiff mode that a step does not resolve changes sign from step to step. What is not in use is tried now and then.
static void start_values(nsm_sim *s) {
  struct sim_consistent *c = s->con;
  int better = c->cost[1] > c->cost[0];
  c->moves = s->k % TRIAL == TRIAL - 1 ? better : !better;
  for (int i = 0; i < s->nq; i++) {
    double g = c->off[2] < c->off[1] ? 2 * c->gain[i] - c->gain0[i] : c->gain[i];
    s->z1[i] = c->uc[i] + (c->moves ? g : 0);
  }
  memcpy(s->q1, s->q, (size_t)s->nq * sizeof(double));
}

static void learn(nsm_sim *s, double iterations) {
  struct sim_consistent *c = s->con;
  c->cost[c->moves] += 0.25 * (iterations - c->cost[c->moves]);
  for (int k = 1; k < 3; k++) c->off[k] *= 0.75;
  for (int i = 0; i < s->nq; i++) {
    double g = s->z1[i] - c->uc[i], d[3] = { g, g - c->gain[i], g - 2 * c->gain[i] + c->gain0[i] }, m = c->mass_inverse[i] > 0 ? 1 / c->mass_inverse[i] : 1;
    for (int k = 1; k < 3; k++) c->off[k] += m * d[k] * d[k];
    c->gain0[i] = c->gain[i];
    c->gain[i] = g;
  }
}

// ---- the step ------------------------------------------------------------------------------------------------------------------
nsm_code sim_step_consistent(nsm_sim *s, double t1, nsm_error *e) {
  struct sim_consistent *c = s->con;
  const sim_rows *r = &s->r;
  int two = s->m->scheme != NSM_SCHEME_CONSISTENT1, closed = at_begin(s);
  size_t bytes = (size_t)s->nq * sizeof(double);
  memcpy(c->uc, s->z, bytes);
  c->loss = 0;
  if (two && closed > 0) {
    nsm_code code = impact(s, t1, e);
    if (code != NSM_OK) return code;
  } else {
    memset(s->la, 0, (size_t)s->nl * sizeof(double));
    if (s->m->scheme == NSM_SCHEME_CONSISTENT_EXPLICIT_MASS && c->ns > 0 && !mass_at_begin(s, e)) return NSM_FAILED;
    if (!r->constant) for (int j = 0; j < c->ns; j++) sim_rows_column(s, c->row[j]);
  }
  // Start values: multipliers stay; open contacts have none.
  memcpy(s->l1, c->force, (size_t)s->nl * sizeof(double));
  for (int row = 0; row < r->n; row++)
    if (c->of[row] < 0 && !r->active[row]) s->l1[r->l[row]] = 0;
  memcpy(c->kappa1, c->kappa, (size_t)s->nl * sizeof(double));
  nsm_view v = con_view(s, t1);
  start_values(s);
  long before = s->count.newton_iterations;
  nsm_code code = smooth(s, &v, e);
  if (code != NSM_OK) return code;
  con_energy_end(s, &v);
  memcpy(c->kappa, c->kappa1, (size_t)s->nl * sizeof(double));
  memcpy(c->force, s->l1, (size_t)s->nl * sizeof(double));
  learn(s, (double)(s->count.newton_iterations - before));
  for (int i = 0; i < s->nl; i++) s->l1[i] += s->la[i];
  for (int i = 0; i < closed; i++) {
    int l = r->l[c->act[i]];
    s->count.impacts += (two ? s->la[l] : s->l1[l]) > 0 && !c->closed[c->act[i]];
  }
  if (s->on.contact.n > 0) memcpy(c->closed, r->active, (size_t)r->n);
  return NSM_OK;
}
