// One step by Newton's method on the smooth rows with the one-step problem inside (Josephy-Newton), docs/numerics/
// moreau.md (4)-(10) for z = (v, x) at once. At the iterate (z^a, l^a):
//
//   R = M(q~, x~)(z^a - z_k) - h theta f(t1, z^a) - S - h gamma g(z^a, l^a) - H^T p^a,
//   S = h (1-theta) f(t_k, z_k) + h (1-gamma) r_k                                                                  (12)
//   W (z_p - z^a) = -R without the terms of l^a in the one-step problem                                            (13)
//   q = y(z^a, l^a) - D l^a + C (z_p - z^a)  or  rate(z^a) + e rate_k + C (z_p - z^a)                              (17)
//   solve (1) of one-step-problem.md;  z = z_p + X lambda                                                          (18)
//
// W has all derivatives, and the rows of constraints as its border (assembly.c). Where the iteration fails it starts
// again with M(q~), H and the rates frozen at the iterate: linear convergence with a factor of order h, but a symmetric
// one-step problem.
//
// Converged where the dynamics and the laws hold with freshly evaluated kernels, to the tolerance relative to the size
// of their terms, or to the round-off of these terms where that is larger. The step is halved where the residual grows.
#include "sim.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// New starts where it does not converge. Iterations after which the round-off of the terms is looked at; after which a
// step ends where the residual turns, found by so many cuts.
enum { RESTARTS = 12, HALVINGS = 6, SLOW = 3, TURNS = 8, CUTS = 60 };
// Multiples of eps that evaluation may lose of its terms; what may stand where the residual falls no more, with a note.
static const double lost = 16, stagnation = 1e-9;
static const double enough = 1e-3;       // of (22), where it turns

// ---- the iterate ----------------------------------------------------------------------------------------------------
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

static nsm_view at_end(const nsm_sim *s, double t1) { return sim_view(s, t1, s->q1, s->z1, s->l1); }

// Where M is taken, and H of constraints; its increments are those of the step.
static nsm_view between(nsm_sim *s, double t1) {
  nsm_view v = sim_view(s, t1 - (1 - s->theta) * s->h, s->qm, s->zm, s->l1);
  v.dv = s->inc;
  v.dx = s->inc + s->nq;
  return v;
}

static void inertia(nsm_sim *s) {
  for (int a = 0; a < s->on.mass.n; a++) {
    const sim_class *k = &s->cls[s->on.mass.of[a]];
    const nsm_pattern *p = &k->c->mass;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        double m = k->mass[(size_t)i * (size_t)p->n + (size_t)e];
        int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
        s->res[row] += m * s->inc[col];
        s->scale[row] += fabs(m * s->inc[col]);
        s->size[row] += fabs(m) * (fabs(s->z1[col]) + fabs(s->z[col]));
        if (row == col) s->diag[row] += m;
      }
  }
}

// Kernels at the iterate: f1, g0, M, y or rate, H, B, laws; R without multipliers into res, the size of its terms into
// scale, that of the velocities and states which the increments are made of into size.
static void evaluate(nsm_sim *s, double t1) {
  sim_rows *r = &s->r;
  nsm_view v = at_end(s, t1), mid = between(s, t1);
  forces(s, &v, s->f1);
  if (s->on.g.n > 0) reactions(s, &v, s->g0);
  for (int i = 0; i < s->nz; i++) s->inc[i] = s->z1[i] - s->z[i];
  if (s->on.mass_moving.n + s->on.mid.n + s->on.mu.n > 0) {
    for (int i = 0; i < s->nq; i++) s->qm[i] = (1 - s->theta) * s->q[i] + s->theta * s->q1[i];
    for (int i = 0; i < s->nz; i++) s->zm[i] = (1 - s->theta) * s->z[i] + s->theta * s->z1[i];
    for (int a = 0; a < s->on.mass_moving.n; a++) {
      sim_class *k = &s->cls[s->on.mass_moving.of[a]];
      k->c->mass_fn(&mid, &k->tab, k->mass);
    }
    for (int a = 0; a < s->on.mid.n; a++) {
      sim_class *k = &s->cls[s->on.mid.of[a]];
      k->c->h_fn(&mid, &k->tab, k->h_mid);
    }
  }
  for (int i = 0; i < s->nz; i++) {
    double f = s->h * s->theta * s->f1[i];
    s->res[i] = -f - s->s[i];
    s->scale[i] = fabs(f) + fabs(s->s[i]);
    s->size[i] = s->diag[i] = 0;
  }
  inertia(s);
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
  sim_friction_law(s, &mid);
  if (r->n > 0 && !r->constant) sim_rows_outer(s, 0);
}

// ---- residual -------------------------------------------------------------------------------------------------------
// A z that an entry of a Jacobian is with respect to, as it stands in the kernel.
static double argument(const nsm_sim *s, int wrt, int z, int l) {
  return wrt == NSM_WRT_L ? s->l1[l] : wrt == NSM_WRT_Q ? s->q1[z] : s->z1[z];
}

// What multipliers add to R may cancel, sum |B lambda|; and a z that they have made is known to the round-off of that,
// divided by M_ii.
static void add_drive(nsm_sim *s) {
  const sim_rows *r = &s->r;
  memset(s->drive, 0, (size_t)s->nz * sizeof(double));
  for (int i = 0; i < s->isl.nactive; i++) {
    int row = r->row_at[s->isl.active[i]];
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) {
      int z = r->bz[e];
      double p = fabs(r->b[e] * s->l1[r->l[row]]);
      if (z >= s->nz) continue;
      s->f0[z] += p;
      if (s->diag[z] > 0) s->drive[z] += p / s->diag[z];
    }
  }
}

static void add_round_off(nsm_sim *s, const sim_class *k, const nsm_pattern *p, const double *value, double factor) {
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
      double z = fabs(argument(s, p->wrt[e], col, 0)) + (p->wrt[e] == NSM_WRT_Q ? 0 : s->drive[col]);
      s->f0[row] += factor * fabs(value[(size_t)i * (size_t)p->n + (size_t)e]) * z;
    }
}

// What evaluation loses of R where its terms cancel within a kernel, as a stiff spring's length and rest length do:
// sum_j |dR_i/dz_j| |z_j|, from the derivatives of the last matrix. The largest of these counts: near a root of x that
// x^(1/2) has the derivative changes from iterate to iterate.
static void round_off(nsm_sim *s, int first) {
  memset(s->f0, 0, (size_t)s->nz * sizeof(double));
  add_drive(s);
  for (int a = 0; a < s->on.jac.n; a++) {
    const sim_class *k = &s->cls[s->on.jac.of[a]];
    add_round_off(s, k, &k->c->jac, k->jac, s->h * s->theta);
  }
  for (int a = 0; a < s->on.k.n; a++) {
    const sim_class *k = &s->cls[s->on.k.of[a]];
    add_round_off(s, k, &k->c->k, k->k, s->h * s->gamma);
  }
  for (int a = 0; a < s->on.curve.n; a++) {
    const sim_class *k = &s->cls[s->on.curve.of[a]];
    add_round_off(s, k, &k->c->curve, k->curve, 1);
  }
  for (int i = 0; i < s->nz; i++) s->round[i] = first ? s->f0[i] : fmax(s->round[i], s->f0[i]);
}

// What row `row` must vanish or have a sign with, and the size of its terms. At rest the rate is what impulses leave of
// the free motion: velocities are known to round-off of what drives them.
static double row_value(const nsm_sim *s, int row, double *size) {
  const sim_rows *r = &s->r;
  const sim_class *k = &s->cls[r->cls[row]];
  const nsm_pattern *h = &k->c->h;
  double y = r->y[row] + r->e[row] * r->rate0[row];
  size_t i = (size_t)(row - k->row0), at = i * (size_t)h->n;
  *size = fabs(y) + fabs(r->e[row] * r->rate0[row]);
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
    int z = r->cz[e];
    double drive = s->diag[z] > 0 ? s->dz[z] / s->diag[z] : 0;                  // dz: scale with impulses, residual()
    *size += fabs(r->c[e]) * (fabs(s->z1[z]) + fabs(s->z[z]) + drive);
  }
  for (int e = 0; e < h->n; e++) {
    int l = h->wrt[e] == NSM_WRT_L;
    if (!l && h->wrt[e] != NSM_WRT_Q) continue;
    int z = l ? 0 : sim_z_of(s, k, (int)i, h->col[e]), ix = k->tab.ix[i * (size_t)k->c->nslot + h->col[e]];
    *size += fabs(k->h[at + (size_t)e] * argument(s, h->wrt[e], z, ix));
  }
  return y;
}

static double diagonal(const nsm_sim *s, int row) {
  return sim_rows_inertia(s, s->r.at_row[row]);
}

// Natural map of an interval; of a constraint its rate. It stays behind R in rhs, its size in dz.
static double row_residual(nsm_sim *s, int row) {
  const sim_rows *r = &s->r;
  double size, y = row_value(s, row, &size), *value = &s->rhs[s->nz + row], *scale = &s->dz[s->nz + row];
  if (r->border_of[row] >= 0) {
    *value = y;
    *scale = size + DBL_MIN;
  } else {
    double M = diagonal(s, row), l = s->l1[r->l[row]], rho = M > 0 ? 1 / M : 1, p = l - rho * y;
    p = p < r->lo[row] ? r->lo[row] : p > r->hi[row] ? r->hi[row] : p;
    *value = l - p;
    *scale = rho * size + fabs(l) + DBL_MIN;
  }
  return fabs(*value) / *scale;
}

// The tangential rows of a block of friction together, of which active place *i is the first; *i goes to the last.
static double slip_residual(nsm_sim *s, int *i) {
  const sim_rows *r = &s->r;
  int f = r->friction_of[r->row_at[s->isl.active[*i]]], n = r->friction[f].n;
  double u[3], M[3], size[3];
  for (int d = 0; d < n; d++) {
    int row = r->row_at[s->isl.active[*i + d]];
    u[d] = row_value(s, row, &size[d]);
    M[d] = diagonal(s, row);
    s->rhs[s->nz + row] = 0;                                          // of a disk: no direction to look along
    s->dz[s->nz + row] = 1;
  }
  *i += n - 1;
  return sim_friction_residual(s, f, s->l1, u, M, size);
}

static void add_impulse(nsm_sim *s, int row, double *res, double *scale) {
  const sim_rows *r = &s->r;
  double p = s->l1[r->l[row]];
  for (int e = r->b0[row]; e < r->b0[row + 1]; e++) {
    res[r->bz[e]] -= r->b[e] * p;
    scale[r->bz[e]] += fabs(r->b[e] * p);
  }
}

// The largest relative residual of the dynamics and of the laws; NaN where anything is. worst: z, or nz + row. R is
// left in rhs, the size of its terms in dz. rounded: whether `round` is known.
static double residual(nsm_sim *s, int rounded, int *worst) {
  const sim_rows *r = &s->r;
  const sim_islands *is = &s->isl;
  double most = 0, *res = s->rhs, *scale = s->dz, share = lost * DBL_EPSILON / s->tolerance;
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
    if (s->cls[r->cls[row]].c->kind != NSM_RELATION) add_impulse(s, row, res, scale);
  }
  for (int j = 0; j < r->nborder; j++) add_impulse(s, r->border[j], res, scale);
  for (int i = 0; i < s->nz; i++) {
    double x = fabs(res[i]) / (scale[i] + share * (s->size[i] + (rounded ? s->round[i] : 0)) + DBL_MIN);
    if (!(x <= most)) { most = x; *worst = i; if (isnan(x)) return x; }
  }
  for (int i = 0; i < is->nactive + r->nborder; i++) {
    int row = i < is->nactive ? r->row_at[is->active[i]] : r->border[i - is->nactive],
        tangential = i < is->nactive && s->cls[r->cls[row]].c->kind == NSM_FRICTION;
    double x = tangential ? slip_residual(s, &i) : row_residual(s, row);
    if (!(x <= most)) { most = x; *worst = s->nz + row; if (isnan(x)) return x; }
  }
  return most;
}

// ---- Newton's step --------------------------------------------------------------------------------------------------
// W, C, X and M_osns at the iterate, as far as they move. Returns -1, or the unknown whose pivot is zero.
static int matrices(nsm_sim *s, double t1) {
  nsm_view v = at_end(s, t1), mid = between(s, t1);
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
  for (int a = 0; !s->frozen && a < s->on.mcurve.n; a++) {
    sim_class *k = &s->cls[s->on.mcurve.of[a]];
    k->c->mcurve_fn(&mid, &k->tab, k->mcurve);
  }
  for (int a = 0; !s->frozen && a < s->on.curve.n; a++) {
    sim_class *k = &s->cls[s->on.curve.of[a]];
    k->c->curve_fn(k->h_mid ? &mid : &v, &k->tab, s->l1 + s->r.l[k->row0], NULL, k->curve);
  }
  for (int a = 0; !s->frozen && a < s->on.rq_moving.n; a++) {
    sim_class *k = &s->cls[s->on.rq_moving.of[a]];
    k->c->rq_fn(&v, &k->tab, k->rq);
  }
  if (!s->frozen) sim_rows_rates(s);
  if (!s->w.constant) {
    int z = sim_matrix_update(s, 0);
    if (z >= 0) return z;
  }
  if (!s->r.constant && s->r.n > 0) sim_rows_couple(s);
  return -1;
}

// (13) with the border: z_p - z^a and the change of the constraints' impulses into dz.
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
  for (int j = 0; j < r->nborder; j++) {
    double p = s->l1[r->l[r->border[j]]];
    for (int e = r->b0[r->border[j]]; e < r->b0[r->border[j] + 1]; e++) s->dz[r->bz[e]] += r->b[e] * p;
    s->dz[s->nz + j] = -r->y[r->border[j]];
  }
  sim_matrix_solve(s, s->dz);
}

// (17)
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

// (18) into ztry, ltry
static void candidate(nsm_sim *s) {
  const sim_rows *r = &s->r;
  const sim_islands *is = &s->isl;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    s->ltry[r->l[row]] = is->lambda[i];
  }
  sim_rows_motion(s, is->lambda, s->dz);
  for (int i = 0; i < s->nz; i++) s->ztry[i] = s->z1[i] + s->dz[i];
  for (int j = 0; j < r->nborder; j++) {
    int l = r->l[r->border[j]];
    s->ltry[l] = s->l1[l] + s->dz[s->nz + j];
  }
}

// z1 := za + alpha (ztry - za), the multipliers alike.
static void go(nsm_sim *s, double alpha) {
  const sim_rows *r = &s->r;
  const sim_islands *is = &s->isl;
  if (alpha == 1) memcpy(s->z1, s->ztry, (size_t)s->nz * sizeof(double));
  else for (int i = 0; i < s->nz; i++) s->z1[i] = s->za[i] + alpha * (s->ztry[i] - s->za[i]);
  for (int i = 0; i < is->nactive + r->nborder; i++) {
    int l = r->l[i < is->nactive ? r->row_at[is->active[i]] : r->border[i - is->nactive]];
    s->l1[l] = alpha == 1 ? s->ltry[l] : s->la[l] + alpha * (s->ltry[l] - s->la[l]);
  }
  set_q1(s);
}

// ---- what is said where it fails ------------------------------------------------------------------------------------
static nsm_place place(const nsm_sim *s, int worst) {
  return worst < s->nz ? sim_at_z(s, worst) : sim_at_row(s, worst - s->nz);
}

static void row_or_unknown(const nsm_sim *s, int worst, char *name, size_t size) {
  if (worst < s->nz) sim_z_name(s, worst, name, size);
  else sim_row_name(s, worst - s->nz, name, size);
}

// The coordinate whose pivot of M is not positive, at the iterate or where the velocities lead; -1 for none.
static int bad_mass(nsm_sim *s, double t1) {
  int z = s->on.mass_moving.n > 0 ? sim_mass_indefinite(s) : -1;
  if (z >= 0 || s->on.mass_moving.n == 0) return z;
  for (int i = 0; i < s->nq; i++) s->qm[i] = s->q[i] + s->h * s->z[i];
  nsm_view v = sim_view(s, t1, s->qm, s->z, s->l1);
  for (int a = 0; a < s->on.mass_moving.n; a++) {
    sim_class *k = &s->cls[s->on.mass_moving.of[a]];
    k->c->mass_fn(&v, &k->tab, k->mass);
  }
  return sim_mass_indefinite(s);
}

static nsm_code not_converged(nsm_sim *s, double t1, double error, int worst, nsm_error *e) {
  char name[256], other[256], why[400] = "a smaller step may help";
  int z = bad_mass(s, t1);
  row_or_unknown(s, worst, name, sizeof name);
  if (z >= 0) {
    sim_z_name(s, z, other, sizeof other);
    snprintf(why, sizeof why, "the mass matrix is not positive definite there, see %s", other);
  }
  sim_fail_at(e, NSM_FAILED, place(s, worst),
              "Newton's method did not converge at t = %.10g s, step %ld: after %d iterations the relative residual of "
              "%s is %.3g (tolerance %.3g); %s",
              t1, s->k + 1, NSM_NEWTON_MAX, name, error, s->tolerance, why);
  return NSM_FAILED;
}

static nsm_code not_finite(nsm_sim *s, double t1, nsm_error *e) {
  nsm_view v = at_end(s, t1);
  nsm_code c = sim_blame(s, &v, e);
  if (c == NSM_OK) sim_fail(e, c = NSM_FAILED, "a residual is not a number at t = %.10g s, step %ld", t1, s->k + 1);
  return c;
}

static nsm_code singular(nsm_sim *s, double t1, int z, nsm_error *e) {
  char name[256];
  nsm_view v = at_end(s, t1);
  if (sim_blame(s, &v, e) != NSM_OK) return NSM_FAILED;                 // a kernel gave what is no number
  int at = z < s->nz ? z : s->nz + s->r.border[z - s->nz];
  row_or_unknown(s, at, name, sizeof name);
  sim_fail_at(e, NSM_FAILED, place(s, at),
              "the iteration matrix is singular at t = %.10g s, step %ld: no pivot for %s", t1, s->k + 1, name);
  return NSM_FAILED;
}

// The residual fell no more above the tolerance: the worst of the run is kept for the summary.
static nsm_code stagnated(nsm_sim *s, double t1, double error, int worst) {
  s->count.stagnations++;
  if (error > s->count.worst_residual) {
    s->count.worst_residual = error;
    s->worst_time = t1;
    s->worst_at = worst;
  }
  return NSM_OK;
}

// ---- the step -------------------------------------------------------------------------------------------------------
// z changes as in the last step where that was the better guess lately, in the mass metric; else not at all.
static void start_values(nsm_sim *s, int moving) {
  for (int i = 0; i < s->nz; i++) s->z1[i] = s->z[i] + (moving ? s->gain[i] : 0);
  set_q1(s);
  for (int i = 0; i < s->isl.nactive + s->r.nborder; i++) {
    int l = s->r.l[i < s->isl.nactive ? s->r.row_at[s->isl.active[i]] : s->r.border[i - s->isl.nactive]];
    s->l1[l] = s->l[l];
  }
}

static void learn(nsm_sim *s) {
  double off[2] = { 0 };
  for (int i = 0; i < s->nz; i++) {
    double g = s->z1[i] - s->z[i], d = g - s->gain[i], m = s->diag[i] > 0 ? s->diag[i] : 1;
    off[0] += m * g * g;
    off[1] += m * d * d;
    s->gain[i] = g;
  }
  for (int k = 0; k < 2; k++) s->off[k] = 0.75 * s->off[k] + off[k];
}

// whole: the iteration before took its full step.
static nsm_code newton_step(nsm_sim *s, double t1, int whole, nsm_error *e) {
  int z = matrices(s, t1);
  if (z >= 0) return singular(s, t1, z, e);
  free_motion(s);
  sim_friction_guess(s, !whole);
  if (s->isl.nactive > 0) {
    one_step_problem(s);
    if (!sim_islands_solve(s)) {
      nsm_view v = at_end(s, t1);
      if (s->isl.result.status == NSM_CONE_BAD_INPUT && sim_blame(s, &v, e) != NSM_OK) return NSM_FAILED;
      return sim_cone_failed(s, t1, e);
    }
  }
  candidate(s);
  memcpy(s->za, s->z1, (size_t)s->nz * sizeof(double));
  memcpy(s->la, s->l1, (size_t)s->nl * sizeof(double));
  go(s, 1);
  s->count.newton_iterations++;
  return NSM_OK;
}

// ---- where the residual turns ---------------------------------------------------------------------------------------
// At a root where the slope is not bounded, as of |x|^(1/2), Newton's method passes the root again and again. Along its
// step then
//
//   psi = sum_i R_i before . R_i / size_i^2,  i: the unknowns and laws that are coupled                           (22)
//
// changes its sign, and these go to where it does. The groups are trees: places are the blocks of W, then the rows.
static int top_of(sim_turn *u, int i) {
  while (u[i].up != i) i = u[i].up = u[u[i].up].up;
  return i;
}

static int row_of(const nsm_sim *s, int i) {
  return i < s->isl.nactive ? s->r.row_at[s->isl.active[i]] : s->r.border[i - s->isl.nactive];
}

static void group(nsm_sim *s) {
  const sim_rows *r = &s->r;
  sim_turn *u = s->turn;
  int nblock = s->w.nblock;
  for (int i = 0; i < nblock + r->n; i++) u[i].up = i;
  for (int i = 0; i < s->isl.nactive + r->nborder; i++) {
    int row = row_of(s, i), at = nblock + row;
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) u[top_of(u, s->w.block_of[r->bz[e]])].up = top_of(u, at);
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) u[top_of(u, s->w.block_of[r->cz[e]])].up = top_of(u, at);
    for (int e = r->d0[row]; e < r->d0[row + 1]; e++) u[top_of(u, nblock + r->ds[e])].up = top_of(u, at);
  }
}

static void project(nsm_sim *s) {
  sim_turn *u = s->turn;
  for (int i = 0; i < s->w.nblock + s->r.n; i++) u[i].psi = 0;
  for (int i = 0; i < s->nz; i++)
    u[top_of(u, s->w.block_of[i])].psi += s->before[i] / s->top[i] * (s->rhs[i] / s->top[i]);
  for (int i = 0; i < s->isl.nactive + s->r.nborder; i++) {
    int row = row_of(s, i), at = s->nz + row;
    u[top_of(u, s->w.nblock + row)].psi += s->before[at] / s->top[at] * (s->rhs[at] / s->top[at]);
  }
}

// R of an iterate, which the next step starts from.
static void remember(nsm_sim *s) {
  memcpy(s->before, s->rhs, (size_t)(s->nz + s->r.n) * sizeof(double));
  for (int i = 0; i < s->nz + s->r.n; i++) s->top[i] = s->dz[i] + DBL_MIN;
  group(s);
  project(s);
  for (int i = 0; i < s->w.nblock + s->r.n; i++) s->turn[i].start = s->turn[i].psi;
}

static int turned(nsm_sim *s) {
  int n = 0;
  project(s);
  for (int i = 0; i < s->w.nblock + s->r.n; i++) {
    sim_turn *u = &s->turn[i];
    u->turns = u->psi < 0;
    n += u->turns;
    u->a = u->side = 0;
    u->b = 1;
    u->fa = u->start;
    u->fb = u->psi;
  }
  return n;
}

// z1 := za + at (ztry - za), the multipliers alike, each group by its own `at`.
static void go_each(nsm_sim *s) {
  sim_turn *u = s->turn;
  for (int i = 0; i < s->w.nblock + s->r.n; i++)
    u[i].at = u[i].turns ? (u[i].fa * u[i].b - u[i].fb * u[i].a) / (u[i].fa - u[i].fb) : 1;
  for (int i = 0; i < s->nz; i++)
    s->z1[i] = s->za[i] + u[top_of(u, s->w.block_of[i])].at * (s->ztry[i] - s->za[i]);
  for (int i = 0; i < s->isl.nactive + s->r.nborder; i++) {
    int row = row_of(s, i), l = s->r.l[row];
    s->l1[l] = s->la[l] + u[top_of(u, s->w.nblock + row)].at * (s->ltry[l] - s->la[l]);
  }
  set_q1(s);
}

// By false position with halved ordinates [Dowell and Jarratt 1971].
static void to_the_turn(nsm_sim *s, double t1) {
  int worst;
  for (int k = 0, left = 1; k < CUTS && left > 0; k++) {
    go_each(s);
    evaluate(s, t1);
    residual(s, 1, &worst);
    project(s);
    left = 0;
    for (int i = 0; i < s->w.nblock + s->r.n; i++) {
      sim_turn *u = &s->turn[i];
      if (!u->turns || !(fabs(u->psi) > enough * u->start) || u->b - u->a < 4 * DBL_EPSILON * u->b) continue;
      int side = u->psi > 0 ? 1 : -1;
      if (side > 0) { u->a = u->at; u->fa = u->psi; if (u->side > 0) u->fb *= 0.5; }
      else { u->b = u->at; u->fb = u->psi; if (u->side < 0) u->fa *= 0.5; }
      u->side = side;
      left++;
    }
  }
}

// (18) sums parts that cancel where multipliers hold the motion: z1 is known to the round-off of these. z1 - W^{-1} R
// with the multipliers as they are is free of that. 1 where it meets the tolerance; where it is far from that, all is
// as before.
static int corrected(nsm_sim *s, double t1, double *error, int *worst) {
  memcpy(s->f0, s->z1, (size_t)s->nz * sizeof(double));
  for (int i = 0; i < s->nz; i++) s->dz[i] = -s->rhs[i];
  for (int j = 0; j < s->r.nborder; j++) s->dz[s->nz + j] = 0;
  sim_matrix_solve(s, s->dz);
  for (int i = 0; i < s->nz; i++) s->z1[i] += s->dz[i];
  set_q1(s);
  evaluate(s, t1);
  double now = residual(s, 1, worst);
  if (now <= stagnation) {
    *error = now;
    return now <= s->tolerance;
  }
  memcpy(s->z1, s->f0, (size_t)s->nz * sizeof(double));
  set_q1(s);
  evaluate(s, t1);
  residual(s, 1, worst);
  return 0;
}

static nsm_code iterate(nsm_sim *s, double t1, nsm_error *e) {
  double before = INFINITY, alpha = 1;
  int halvings = 0, worst = 0;
  for (int it = 0; ; it++) {
    evaluate(s, t1);
    if (it > 0) {
      if (it >= SLOW) round_off(s, it == SLOW);
      double error = residual(s, it >= SLOW, &worst);
      if (error <= s->tolerance) return NSM_OK;
      if (it >= SLOW && error > 0.5 * before && worst < s->nz && s->isl.nactive > 0 &&
          corrected(s, t1, &error, &worst))
        return NSM_OK;
      int moving = worst >= s->nz && sim_friction_moves(s, worst - s->nz);       // friction.c seeks its coefficient
      if (it > TURNS && halvings == 0 && !moving && turned(s) > 0) {
        to_the_turn(s, t1);
        error = residual(s, 1, &worst);
        if (error <= s->tolerance) return NSM_OK;
        halvings = -1;
      }
      if (halvings >= 0 && !(error <= 2 * before) && !moving) {
        if (halvings < HALVINGS) { halvings++; go(s, alpha *= 0.5); }
        else if (isnan(error)) return not_finite(s, t1, e);
        else { halvings = -1; go(s, alpha = 1); }   // no descent: laws have kinks, take the full step
        it--;
        continue;
      }
      if (isnan(error)) return not_finite(s, t1, e);
      if (it > (halvings < 0 ? 3 * TURNS : SLOW) && error <= stagnation && error > 0.5 * before)
        return stagnated(s, t1, error, worst);
      if (it >= NSM_NEWTON_MAX) return not_converged(s, t1, error, worst, e);
      before = error;
      if (it >= TURNS) remember(s);
    }
    nsm_code code = newton_step(s, t1, it > 0 && alpha == 1, e);
    if (code != NSM_OK) return code;
    if (s->one_iteration) return NSM_OK;
    alpha = 1;
    halvings = 0;
  }
}

// What impulses leave of velocities at rest is 0 (closed.c); dz and diag are those of the residual accepted.
static void settle(nsm_sim *s) {
  const sim_rows *r = &s->r;
  int any = 0;
  for (int z = 0; z < s->nz; z++) s->size[z] = fabs(s->z[z]) + (s->diag[z] > 0 ? s->dz[z] / s->diag[z] : 0);
  for (int i = 0; i < s->isl.nactive + r->nborder; i++) {
    int row = i < s->isl.nactive ? r->row_at[s->isl.active[i]] : r->border[i - s->isl.nactive];
    for (int e = r->b0[row]; s->l1[r->l[row]] != 0 && e < r->b0[row + 1]; e++) {
      int z = r->bz[e];
      if (!(s->diag[z] > 0) || !sim_is_at_rest(s->z1[z], s->size[z])) continue;
      s->z1[z] = 0;
      any = 1;
    }
  }
  if (any) set_q1(s);
}

// A mass matrix that moves must stay positive definite.
static nsm_code mass(nsm_sim *s, double t1, nsm_error *e) {
  int z = s->on.mass_moving.n > 0 ? sim_mass_indefinite(s) : -1;
  return z < 0 ? NSM_OK : sim_mass_failed(s, t1, z, e);
}

// Between the kinks of several laws Newton's method can go round in circles. It begins again, with other multipliers
// in the intervals that bound them, from a sequence that repeats: xorshift, Marsaglia 2003. 0: there are none.
static int start_elsewhere(nsm_sim *s, uint64_t *dice) {
  const sim_rows *r = &s->r;
  int any = 0;
  start_values(s, 0);
  for (int i = 0; i < s->isl.nactive; i++) {
    int row = r->row_at[s->isl.active[i]];
    if (!(r->hi[row] - r->lo[row] < INFINITY)) continue;
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    s->l1[r->l[row]] = r->lo[row] + (r->hi[row] - r->lo[row]) * ((double)(*dice >> 11) * 0x1p-53);
    any = 1;
  }
  return any;
}

nsm_code sim_step_newton(nsm_sim *s, double t1, nsm_error *e) {
  memcpy(s->l1, s->l, (size_t)s->nl * sizeof(double));
  if (s->on.contact.n + s->on.friction.n > 0) sim_active_set(s);
  if (s->r.n > 0 && !s->r.always) sim_islands_list(s);
  start_values(s, s->off[1] < s->off[0]);
  explicit_part(s);
  s->frozen = 0;
  nsm_code code = iterate(s, t1, e);
  if (code != NSM_OK && s->on.mcurve.n + s->on.curve.n + s->on.rq_moving.n > 0) {
    nsm_error again;
    s->frozen = 1;
    start_values(s, 0);
    if (iterate(s, t1, &again) == NSM_OK) {
      code = NSM_OK;
      if (e) *e = (nsm_error){ .code = NSM_OK };
    }
    s->frozen = 0;
  }
  uint64_t dice = 88172645463325252u;
  for (int k = 0; k < RESTARTS && code == NSM_FAILED && !s->one_iteration && start_elsewhere(s, &dice); k++) {
    nsm_error again;
    if (iterate(s, t1, &again) != NSM_OK) continue;
    code = NSM_OK;
    if (e) *e = (nsm_error){ .code = NSM_OK };
  }
  if (code != NSM_OK) return code;
  nsm_view mid = between(s, t1);
  if ((code = sim_friction_sound(s, &mid, e)) != NSM_OK) return code;
  if (!s->one_iteration) {
    settle(s);
    sim_refine(s, t1, s->q1, s->h * s->theta);
    learn(s);
  }
  return mass(s, t1, e);
}
