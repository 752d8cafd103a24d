// One step by Newton's method on the smooth rows with the one-step problem inside (Josephy-Newton), mathematics.md
// (3)-(7) and (8)-(10) for z = (v, x) at once. At the iterate (z^a, l^a):
//
//   R_free = M(q~, x~)(z^a - z_k) - h theta f(t1, z^a) - S,  S = h (1-theta) f(t_k, z_k) + h (1-gamma) r_k    (3), (8)
//   W (z_p - z^a) = -R_free + h gamma (g(z^a, l^a) - (dg/dl) l^a)                                                   (5)
//   q = y(z^a, l^a) - D l^a + C (z_p - z^a)  or  rate(z^a) + e rate_k + C (z_p - z^a)                       (6), (10)
//   solve (1);  z = z_p + X lambda                                                                                  (7)
//
// M(q~) and H are taken at the iterate and not differentiated: their part of the iteration is a contraction of order h.
// Converged where the dynamics and the laws hold with freshly evaluated kernels, to the tolerance relative to the size
// of their terms, or to round-off where that is larger. The step is halved where the residual grows.
#include "sim.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { HALVINGS = 6 };

static void set_q1(nsm_sim *s) {
  double a = s->h * s->theta, b = s->h * (1 - s->theta);
  for (int i = 0; i < s->nq; i++) s->q1[i] = s->q[i] + (a * s->z1[i] + b * s->z[i]);
}

static void forces(nsm_sim *s, const nsm_view *v, double *f) {
  memcpy(f, s->f_constant, (size_t)s->nz * sizeof(double));
  for (int a = 0; a < s->on.f_moving.n; a++) {
    const sim_class *k = &s->cls[s->on.f_moving.of[a]];
    k->c->f_fn(v, &k->tab, f, f + s->nq);
  }
}

static void reactions(nsm_sim *s, const nsm_view *v, double *g) {
  memset(g, 0, (size_t)s->nz * sizeof(double));
  for (int a = 0; a < s->on.g.n; a++) {
    const sim_class *k = &s->cls[s->on.g.of[a]];
    k->c->g_fn(v, &k->tab, g, g + s->nq);
  }
}

// S: what does not change during the iteration.
static void explicit_part(nsm_sim *s) {
  nsm_view v0 = sim_now(s);
  memset(s->s, 0, (size_t)s->nz * sizeof(double));
  if (s->theta < 1) {
    forces(s, &v0, s->f0);
    for (int i = 0; i < s->nz; i++) s->s[i] = s->h * (1 - s->theta) * s->f0[i];
  }
  if (s->gamma < 1 && s->on.g.n > 0) {
    reactions(s, &v0, s->f0);
    for (int i = 0; i < s->nz; i++) s->s[i] += s->h * (1 - s->gamma) * s->f0[i];
  }
}

// The share of |z| in the size of the inertial terms: times the tolerance it stands for the round-off of z - z_k.
static const double round_off_share = 1e-3;

// Kernels at the iterate: f1, g0, M, y or rate, H, laws; R_free into res, the size of its terms into scale.
static void evaluate(nsm_sim *s, double t1) {
  sim_rows *r = &s->r;
  nsm_view v = sim_view(s, t1, s->q1, s->z1, s->l1);
  forces(s, &v, s->f1);
  if (s->on.g.n > 0) reactions(s, &v, s->g0);
  nsm_view between = sim_view(s, t1 - (1 - s->theta) * s->h, s->qm, s->zm, s->l1);
  if (s->on.mass_moving.n + s->on.mid.n > 0) {
    for (int i = 0; i < s->nq; i++) s->qm[i] = (1 - s->theta) * s->q[i] + s->theta * s->q1[i];
    for (int i = 0; i < s->nz; i++) s->zm[i] = (1 - s->theta) * s->z[i] + s->theta * s->z1[i];
    for (int a = 0; a < s->on.mass_moving.n; a++) {
      sim_class *k = &s->cls[s->on.mass_moving.of[a]];
      k->c->mass_fn(&between, &k->tab, k->mass);
    }
    for (int a = 0; a < s->on.mid.n; a++) {
      sim_class *k = &s->cls[s->on.mid.of[a]];
      k->c->h_fn(&between, &k->tab, k->h_mid);
    }
  }
  for (int i = 0; i < s->nz; i++) {
    double f = s->h * s->theta * s->f1[i];
    s->res[i] = -f - s->s[i];
    s->scale[i] = fabs(f) + fabs(s->s[i]);
  }
  for (int a = 0; a < s->on.mass.n; a++) {
    const sim_class *k = &s->cls[s->on.mass.of[a]];
    const nsm_pattern *p = &k->c->mass;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        double m = k->mass[(size_t)i * (size_t)p->n + (size_t)e];
        int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
        double d = s->z1[col] - s->z[col];
        s->res[row] += m * d;
        s->scale[row] += fabs(m) * (fabs(d) + round_off_share * (fabs(s->z1[col]) + fabs(s->z[col])));
      }
  }
  for (int a = 0; a < s->on.row.n; a++) {
    sim_class *k = &s->cls[s->on.row.of[a]];
    double *y = r->y + k->row0;
    if (sim_opens(k->c) && !memchr(r->active + k->row0, 1, (size_t)k->tab.count)) continue;
    if (k->c->kind == NSM_RELATION) k->c->y_fn(&v, &k->tab, y);
    else k->c->rate_fn(&v, &k->tab, y);
    if (k->c->h_stage > NSM_CONST) k->c->h_fn(&v, &k->tab, k->h);
  }
  for (int a = 0; a < s->on.law_moving.n; a++) {
    const sim_class *k = &s->cls[s->on.law_moving.of[a]];
    k->c->law_fn(&v, &k->tab, r->lo + k->row0, r->hi + k->row0);
  }
}

// What the row of active place i must vanish or have a sign with, and the size of its terms.
static double row_value(const nsm_sim *s, int i, double *size) {
  const sim_rows *r = &s->r;
  int row = r->row_at[s->isl.active[i]];
  double y = r->y[row] + r->e[row] * r->rate0[row];
  *size = sim_row_terms(s, row, y);
  for (int e = r->d0[row]; e < r->d0[row + 1]; e++) *size += fabs(r->d[e] * s->l1[r->l[r->ds[e]]]);
  // at rest the rate is what impulses leave of the free motion
  for (int at = s->isl.active[i], e = r->m0[at]; e < r->m0[at + 1]; e++) {
    int other = r->row_at[r->mc[e]];
    if (r->active[other]) *size += fabs(r->m[e] * s->l1[r->l[other]]);
  }
  return y;
}

// Natural map of an interval.
static double row_residual(const nsm_sim *s, int i) {
  const sim_rows *r = &s->r;
  int row = r->row_at[s->isl.active[i]];
  double size, y = row_value(s, i, &size), M = r->m[r->diagonal[s->isl.active[i]]], l = s->l1[r->l[row]],
               rho = M > 0 ? 1 / M : 1, p = l - rho * y;
  p = p < r->lo[row] ? r->lo[row] : p > r->hi[row] ? r->hi[row] : p;
  return fabs(l - p) / (rho * size + fabs(l) + DBL_MIN);
}

// The tangential rows of a block of friction together, of which active place *i is the first; *i goes to the last.
static double slip_residual(const nsm_sim *s, int *i) {
  const sim_rows *r = &s->r;
  int f = r->friction_of[r->row_at[s->isl.active[*i]]], n = r->friction[f].n;
  double u[3], diagonal[3], size[3];
  for (int d = 0; d < n; d++) {
    u[d] = row_value(s, *i + d, &size[d]);
    diagonal[d] = r->m[r->diagonal[s->isl.active[*i + d]]];
  }
  *i += n - 1;
  return sim_friction_residual(s, f, s->l1, u, diagonal, size);
}

// The largest relative residual of the dynamics and of the laws; NaN where anything is. worst: z, or nz + row.
static double residual(nsm_sim *s, int *worst) {
  sim_rows *r = &s->r;
  sim_islands *is = &s->isl;
  double most = 0, *res = s->rhs, *scale = s->dz;
  memcpy(res, s->res, (size_t)s->nz * sizeof(double));
  memcpy(scale, s->scale, (size_t)s->nz * sizeof(double));
  *worst = 0;
  if (s->on.g.n > 0)
    for (int i = 0; i < s->nz; i++) {
      double g = s->h * s->gamma * s->g0[i];
      res[i] -= g;
      scale[i] += fabs(g);
    }
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    if (s->cls[r->cls[row]].c->kind == NSM_RELATION) continue;
    double p = s->l1[r->l[row]];
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) {
      res[r->bz[e]] -= r->b[e] * p;
      scale[r->bz[e]] += fabs(r->b[e] * p);
    }
  }
  for (int i = 0; i < s->nz; i++) {
    double x = fabs(res[i]) / (scale[i] + DBL_MIN);
    if (!(x <= most)) { most = x; *worst = i; if (isnan(x)) return x; }
  }
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]], tangential = s->cls[r->cls[row]].c->kind == NSM_FRICTION;
    double x = tangential ? slip_residual(s, &i) : row_residual(s, i);
    if (!(x <= most)) { most = x; *worst = s->nz + row; if (isnan(x)) return x; }
  }
  return most;
}

// W, B, C, D, X and M_osns at the iterate, as far as they move. Returns -1, or the z whose pivot is zero.
static int matrices(nsm_sim *s, double t1) {
  nsm_view v = sim_view(s, t1, s->q1, s->z1, s->l1);
  for (int a = 0; a < s->on.jac_moving.n; a++) {
    sim_class *k = &s->cls[s->on.jac_moving.of[a]];
    k->c->jac_fn(&v, &k->tab, k->jac);
  }
  for (int a = 0; a < s->on.k_moving.n; a++) {
    sim_class *k = &s->cls[s->on.k_moving.of[a]];
    k->c->k_fn(&v, &k->tab, k->k);
  }
  for (int a = 0; a < s->on.b_moving.n; a++) {
    sim_class *k = &s->cls[s->on.b_moving.of[a]];
    k->c->b_fn(&v, &k->tab, k->b);
  }
  if (!s->w.constant) {
    int z = sim_matrix_update(s, 0);
    if (z >= 0) return z;
  }
  if (!s->r.constant && s->r.n > 0) sim_rows_couple(s);
  return -1;
}

// (5): z_p - z^a into dz.
static void free_motion(nsm_sim *s) {
  const sim_rows *r = &s->r;
  for (int i = 0; i < s->nz; i++) s->dz[i] = -s->res[i];
  if (s->on.g.n > 0)
    for (int i = 0; i < s->nz; i++) s->dz[i] += s->h * s->gamma * s->g0[i];
  for (int a = 0; a < s->on.relation.n; a++) {
    const sim_class *k = &s->cls[s->on.relation.of[a]];
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      double l = s->l1[r->l[row]];
      for (int e = r->b0[row]; e < r->b0[row + 1]; e++) s->dz[r->bz[e]] -= r->b[e] * l;
    }
  }
  sim_matrix_solve(s, s->dz);
}

// (6), (10)
static void one_step_problem(nsm_sim *s) {
  const sim_rows *r = &s->r;
  sim_islands *is = &s->isl;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    double q = r->y[row] + r->e[row] * r->rate0[row], terms = sim_row_terms(s, row, r->y[row]);
    for (int e = r->d0[row]; e < r->d0[row + 1]; e++) {
      double d = r->d[e] * s->l1[r->l[r->ds[e]]];
      q -= d;
      terms += fabs(d);
    }
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
      double d = r->c[e] * s->dz[r->cz[e]];
      q += d;
      terms += fabs(d);
    }
    is->q[i] = q;
    is->terms[i] = terms;
    is->lo[i] = r->lo[row];
    is->hi[i] = r->hi[row];
    is->lambda[i] = s->l1[r->l[row]];
  }
}

// (7) into ztry, ltry
static void candidate(nsm_sim *s) {
  const sim_rows *r = &s->r;
  const sim_islands *is = &s->isl;
  for (int i = 0; i < s->nz; i++) s->ztry[i] = s->z1[i] + s->dz[i];
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    double p = is->lambda[i];
    s->ltry[r->l[row]] = p;
    for (int e = r->x0[row]; e < r->x0[row + 1]; e++) s->ztry[r->xz[e]] += r->x[e] * p;
  }
}

// z1 := za + alpha (ztry - za), the multipliers alike.
static void go(nsm_sim *s, double alpha) {
  const sim_islands *is = &s->isl;
  if (alpha == 1) memcpy(s->z1, s->ztry, (size_t)s->nz * sizeof(double));
  else for (int i = 0; i < s->nz; i++) s->z1[i] = s->za[i] + alpha * (s->ztry[i] - s->za[i]);
  for (int i = 0; i < is->nactive; i++) {
    int l = s->r.l[s->r.row_at[is->active[i]]];
    s->l1[l] = alpha == 1 ? s->ltry[l] : s->la[l] + alpha * (s->ltry[l] - s->la[l]);
  }
  set_q1(s);
}

static nsm_code not_converged(nsm_sim *s, double t1, double error, int worst, nsm_error *e) {
  char name[256];
  if (worst < s->nz) sim_z_name(s, worst, name, sizeof name);
  else sim_row_name(s, worst - s->nz, name, sizeof name);
  sim_fail(
      e, NSM_FAILED,
      "Newton's method did not converge at t = %.10g s, step %ld: after %d iterations the relative residual of %s is "
      "%.3g "
      "(tolerance %.3g); a smaller step may help",
      t1, s->k + 1, NSM_NEWTON_MAX, name, error, s->tolerance);
  return NSM_FAILED;
}

static nsm_code not_finite(nsm_sim *s, double t1, nsm_error *e) {
  nsm_view v = sim_view(s, t1, s->q1, s->z1, s->l1);
  nsm_code c = sim_blame(s, &v, e);
  if (c == NSM_OK) sim_fail(e, c = NSM_FAILED, "a residual is not a number at t = %.10g s, step %ld", t1, s->k + 1);
  return c;
}

nsm_code sim_step_newton(nsm_sim *s, double t1, nsm_error *e) {
  const sim_rows *r = &s->r;
  memcpy(s->z1, s->z, (size_t)s->nz * sizeof(double));
  memcpy(s->l1, s->l, (size_t)s->nl * sizeof(double));
  set_q1(s);
  if (s->on.contact.n + s->on.friction.n > 0) sim_active_set(s);
  if (r->n > 0 && !r->always) sim_islands_list(s);
  for (int i = 0; i < s->isl.nactive; i++) {
    int l = r->l[r->row_at[s->isl.active[i]]];
    s->l1[l] = s->l[l];
  }
  explicit_part(s);

  double before = INFINITY, alpha = 1;
  int halvings = 0, worst = 0;
  for (int it = 0; ; it++) {
    evaluate(s, t1);
    if (r->n > 0 && !r->constant) sim_rows_outer(s, 0);       // H at the iterate: for the residual too
    if (it > 0) {
      double error = residual(s, &worst);
      if (error <= s->tolerance) return NSM_OK;
      if (halvings >= 0 && !(error <= 2 * before)) {
        if (halvings < HALVINGS) { halvings++; go(s, alpha *= 0.5); }
        else if (isnan(error)) return not_finite(s, t1, e);
        else { halvings = -1; go(s, 1); }                     // no descent: laws have kinks, take the full step
        it--;
        continue;
      }
      if (isnan(error)) return not_finite(s, t1, e);
      if (it > 3 && error <= 1e-9 && error > 0.5 * before) return NSM_OK;   // round-off
      if (it >= NSM_NEWTON_MAX) return not_converged(s, t1, error, worst, e);
      before = error;
    }
    int z = matrices(s, t1);
    if (z >= 0) {
      char name[256];
      sim_z_name(s, z, name, sizeof name);
      sim_fail(e, NSM_FAILED, "the iteration matrix is singular at t = %.10g s, step %ld: no pivot for %s", t1,
               s->k + 1, name);
      return NSM_FAILED;
    }
    free_motion(s);
    if (s->isl.nactive > 0) {
      one_step_problem(s);
      if (!sim_islands_solve(s)) {
        nsm_view v = sim_view(s, t1, s->q1, s->z1, s->l1);
        if (s->isl.result.status == NSM_CONE_BAD_INPUT && sim_blame(s, &v, e) != NSM_OK) return NSM_FAILED;
        return sim_cone_failed(s, t1, e);
      }
    }
    candidate(s);
    memcpy(s->za, s->z1, (size_t)s->nz * sizeof(double));
    memcpy(s->la, s->l1, (size_t)s->nl * sizeof(double));
    alpha = 1;
    halvings = 0;
    go(s, 1);
    s->count.newton_iterations++;
    if (s->one_iteration) return NSM_OK;
  }
}
