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
#include "schemes.h"
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
  double a = s->n.h * s->a->theta, b = s->n.h * (1 - s->a->theta);
  for (int i = 0; i < s->a->nq; i++) s->w.q1[i] = s->now.q[i] + (a * s->w.z1[i] + b * s->now.z[i]);
}

static void forces(nsm_sim *s, const nsm_view *v, double *f) {
  memcpy(f, s->n.f_constant, (size_t)s->a->nz * sizeof(double));
  for (int a = 0; a < s->a->on.f_moving.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.f_moving.of[a]];
    k->c->f_fn(v, &k->tab, f, f + s->a->nq);
  }
}

static void reactions(nsm_sim *s, const nsm_view *v, double *g) {
  memset(g, 0, (size_t)s->a->nz * sizeof(double));
  for (int a = 0; a < s->a->on.g.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.g.of[a]];
    k->c->g_fn(v, &k->tab, g, g + s->a->nq);
  }
}

// S: what does not change during the iteration.
static void explicit_part(nsm_sim *s) {
  nsm_view v0 = sim_now(s);
  memset(s->w.s, 0, (size_t)s->a->nz * sizeof(double));
  if (s->a->theta < 1) {
    forces(s, &v0, s->w.f);
    for (int i = 0; i < s->a->nz; i++) s->w.s[i] = s->n.h * (1 - s->a->theta) * s->w.f[i];
  }
  if (s->a->gamma < 1 && s->a->on.g.n > 0) {
    reactions(s, &v0, s->w.g);
    for (int i = 0; i < s->a->nz; i++) s->w.s[i] += s->n.h * (1 - s->a->gamma) * s->w.g[i];
  }
}

static nsm_view at_end(const nsm_sim *s, double t1) { return sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1); }

// Where M is taken, and H of constraints; its increments are those of the step.
static nsm_view between(nsm_sim *s, double t1) {
  nsm_view v = sim_view(s, t1 - (1 - s->a->theta) * s->n.h, s->w.qm, s->w.zm, s->w.l1);
  v.dv = s->w.inc;
  v.dx = s->w.inc + s->a->nq;
  return v;
}

static void inertia(nsm_sim *s) {
  for (int a = 0; a < s->a->on.mass.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.mass.of[a]];
    const nsm_pattern *p = &k->c->mass;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        double m = k->mass[(size_t)i * (size_t)p->n + (size_t)e];
        int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
        s->w.smooth[row] += m * s->w.inc[col];
        s->w.smooth_size[row] += fabs(m * s->w.inc[col]);
        s->w.inc_size[row] += fabs(m) * (fabs(s->w.z1[col]) + fabs(s->now.z[col]));
        if (row == col) s->w.diag[row] += m;
      }
  }
}

// Kernels at the iterate: f, g, M, y or rate, H, B, laws; R without multipliers into smooth, the size of its terms into
// smooth_size, that of the velocities and states which the increments are made of into inc_size.
static void evaluate(nsm_sim *s, double t1) {
  sim_rows *r = &s->n.r;
  nsm_view v = at_end(s, t1), mid = between(s, t1);
  forces(s, &v, s->w.f);
  if (s->a->on.g.n > 0) reactions(s, &v, s->w.g);
  for (int i = 0; i < s->a->nz; i++) s->w.inc[i] = s->w.z1[i] - s->now.z[i];
  if (s->a->on.mass_moving.n + s->a->on.mid.n + s->a->on.mu.n > 0) {
    for (int i = 0; i < s->a->nq; i++) s->w.qm[i] = (1 - s->a->theta) * s->now.q[i] + s->a->theta * s->w.q1[i];
    for (int i = 0; i < s->a->nz; i++) s->w.zm[i] = (1 - s->a->theta) * s->now.z[i] + s->a->theta * s->w.z1[i];
    for (int a = 0; a < s->a->on.mass_moving.n; a++) {
      sim_class *k = &s->a->cls[s->a->on.mass_moving.of[a]];
      k->c->mass_fn(&mid, &k->tab, k->mass);
    }
    for (int a = 0; a < s->a->on.mid.n; a++) {
      sim_class *k = &s->a->cls[s->a->on.mid.of[a]];
      k->c->h_fn(&mid, &k->tab, k->h_mid);
    }
  }
  for (int i = 0; i < s->a->nz; i++) {
    double f = s->n.h * s->a->theta * s->w.f[i];
    s->w.smooth[i] = -f - s->w.s[i];
    s->w.smooth_size[i] = fabs(f) + fabs(s->w.s[i]);
    s->w.inc_size[i] = s->w.diag[i] = 0;
  }
  inertia(s);
  for (int a = 0; a < s->a->on.row.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.row.of[a]];
    double *y = r->y + k->row0;
    if (sim_opens(k->c) && !memchr(r->active + k->row0, 1, (size_t)k->tab.count)) continue;
    if (k->c->kind == NSM_RELATION) k->c->y_fn(&v, &k->tab, y);
    else k->c->rate_fn(&v, &k->tab, y);
    if (k->c->h_stage > NSM_CONST) k->c->h_fn(&v, &k->tab, k->h);
  }
  for (int a = 0; a < s->a->on.law_moving.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.law_moving.of[a]];
    k->c->law_fn(&v, &k->tab, r->lo + k->row0, r->hi + k->row0);
  }
  sim_friction_law(s, &mid);
  if (r->n > 0 && !r->constant) sim_rows_outer(s, 0);
}

// ---- residual -------------------------------------------------------------------------------------------------------
// A z that an entry of a Jacobian is with respect to, as it stands in the kernel.
static double argument(const nsm_sim *s, int wrt, int z, int l) {
  return wrt == NSM_WRT_L ? s->w.l1[l] : wrt == NSM_WRT_Q ? s->w.q1[z] : s->w.z1[z];
}

// What multipliers add to R may cancel, sum |B lambda|; and a z that they have made is known to the round-off of that,
// divided by M_ii.
static void add_drive(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  memset(s->w.drive, 0, (size_t)s->a->nz * sizeof(double));
  for (int i = 0; i < s->n.isl.nactive; i++) {
    int row = r->row_at[s->n.isl.active[i]];
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) {
      int z = r->bz[e];
      double p = fabs(r->b[e] * s->w.l1[r->l[row]]);
      if (z >= s->a->nz) continue;
      s->w.lost[z] += p;
      if (s->w.diag[z] > 0) s->w.drive[z] += p / s->w.diag[z];
    }
  }
}

static void add_round_off(nsm_sim *s, const sim_class *k, const nsm_pattern *p, const double *value, double factor) {
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
      double z = fabs(argument(s, p->wrt[e], col, 0)) + (p->wrt[e] == NSM_WRT_Q ? 0 : s->w.drive[col]);
      s->w.lost[row] += factor * fabs(value[(size_t)i * (size_t)p->n + (size_t)e]) * z;
    }
}

// What evaluation loses of R where its terms cancel within a kernel, as a stiff spring's length and rest length do:
// sum_j |dR_i/dz_j| |z_j|, from the derivatives of the last matrix. The largest of these counts: near a root of x that
// x^(1/2) has the derivative changes from iterate to iterate.
static void round_off(nsm_sim *s, int first) {
  memset(s->w.lost, 0, (size_t)s->a->nz * sizeof(double));
  add_drive(s);
  for (int a = 0; a < s->a->on.jac.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.jac.of[a]];
    add_round_off(s, k, &k->c->jac, k->jac, s->n.h * s->a->theta);
  }
  for (int a = 0; a < s->a->on.k.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.k.of[a]];
    add_round_off(s, k, &k->c->k, k->k, s->n.h * s->a->gamma);
  }
  for (int a = 0; a < s->a->on.curve.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.curve.of[a]];
    add_round_off(s, k, &k->c->curve, k->curve, 1);
  }
  for (int i = 0; i < s->a->nz; i++) s->w.round[i] = first ? s->w.lost[i] : fmax(s->w.round[i], s->w.lost[i]);
}

// What row `row` must vanish or have a sign with, and the size of its terms. At rest the rate is what impulses leave of
// the free motion: velocities are known to round-off of what drives them.
static double row_value(const nsm_sim *s, int row, double *size) {
  const sim_rows *r = &s->n.r;
  const sim_class *k = &s->a->cls[r->cls[row]];
  const nsm_pattern *h = &k->c->h;
  double y = r->y[row] + r->e[row] * r->rate0[row];
  size_t i = (size_t)(row - k->row0), at = i * (size_t)h->n;
  *size = fabs(y) + fabs(r->e[row] * r->rate0[row]);
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
    int z = r->cz[e];
    double drive = s->w.diag[z] > 0 ? s->w.residual_size[z] / s->w.diag[z] : 0;
    *size += fabs(r->c[e]) * (fabs(s->w.z1[z]) + fabs(s->now.z[z]) + drive);
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
  return s->n.r.m[s->n.r.diagonal[s->n.r.at_row[row]]];
}

// Natural map of an interval; of a constraint its rate. It stays behind R in residual, its size in
// residual_size.
static double row_residual(nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  double size, y = row_value(s, row, &size);
  double *value = &s->w.residual[s->a->nz + row], *scale = &s->w.residual_size[s->a->nz + row];
  if (r->border_of[row] >= 0) {
    *value = y;
    *scale = size + DBL_MIN;
  } else {
    double M = diagonal(s, row), l = s->w.l1[r->l[row]], rho = M > 0 ? 1 / M : 1, p = l - rho * y;
    p = p < r->lo[row] ? r->lo[row] : p > r->hi[row] ? r->hi[row] : p;
    *value = l - p;
    *scale = rho * size + fabs(l) + DBL_MIN;
  }
  return fabs(*value) / *scale;
}

// The tangential rows of a block of friction together, of which active place *i is the first; *i goes to the last.
static double slip_residual(nsm_sim *s, int *i) {
  const sim_rows *r = &s->n.r;
  int f = r->friction_of[r->row_at[s->n.isl.active[*i]]], n = r->friction[f].n;
  double u[3], M[3], size[3];
  for (int d = 0; d < n; d++) {
    int row = r->row_at[s->n.isl.active[*i + d]];
    u[d] = row_value(s, row, &size[d]);
    M[d] = diagonal(s, row);
    s->w.residual[s->a->nz + row] = 0;                                          // of a disk: no direction to look along
    s->w.residual_size[s->a->nz + row] = 1;
  }
  *i += n - 1;
  return sim_friction_residual(s, f, s->w.l1, u, M, size);
}

static void add_impulse(nsm_sim *s, int row, double *res, double *scale) {
  const sim_rows *r = &s->n.r;
  double p = s->w.l1[r->l[row]];
  for (int e = r->b0[row]; e < r->b0[row + 1]; e++) {
    res[r->bz[e]] -= r->b[e] * p;
    scale[r->bz[e]] += fabs(r->b[e] * p);
  }
}

// The largest relative residual of the dynamics and of the laws; NaN where anything is. worst: z, or nz + row. R is
// left in w.residual, the size of its terms in w.residual_size. rounded: whether `round` is known.
static double residual(nsm_sim *s, int rounded, int *worst) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  double most = 0, *res = s->w.residual, *scale = s->w.residual_size, share = lost * DBL_EPSILON / s->a->tolerance;
  memcpy(res, s->w.smooth, (size_t)s->a->nz * sizeof(double));
  memcpy(scale, s->w.smooth_size, (size_t)s->a->nz * sizeof(double));
  *worst = 0;
  if (s->a->on.g.n > 0)
    for (int i = 0; i < s->a->nz; i++) {
      double g = s->n.h * s->a->gamma * s->w.g[i];
      res[i] -= g;
      scale[i] += fabs(g);
    }
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    if (s->a->cls[r->cls[row]].c->kind != NSM_RELATION) add_impulse(s, row, res, scale);
  }
  for (int j = 0; j < r->nborder; j++) add_impulse(s, r->border[j], res, scale);
  for (int i = 0; i < s->a->nz; i++) {
    double x = fabs(res[i]) / (scale[i] + share * (s->w.inc_size[i] + (rounded ? s->w.round[i] : 0)) + DBL_MIN);
    if (!(x <= most)) { most = x; *worst = i; if (isnan(x)) return x; }
  }
  for (int i = 0; i < is->nactive + r->nborder; i++) {
    int row = i < is->nactive ? r->row_at[is->active[i]] : r->border[i - is->nactive],
        tangential = i < is->nactive && s->a->cls[r->cls[row]].c->kind == NSM_FRICTION;
    double x = tangential ? slip_residual(s, &i) : row_residual(s, row);
    if (!(x <= most)) { most = x; *worst = s->a->nz + row; if (isnan(x)) return x; }
  }
  return most;
}

// ---- Newton's step --------------------------------------------------------------------------------------------------
// W, C, X and M_osns at the iterate, as far as they move. Returns -1, or the unknown whose pivot is zero.
static int matrices(nsm_sim *s, double t1) {
  nsm_view v = at_end(s, t1), mid = between(s, t1);
  for (int a = 0; a < s->a->on.jac_moving.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.jac_moving.of[a]];
    k->c->jac_fn(&v, &k->tab, k->jac);
  }
  for (int a = 0; a < s->a->on.k_moving.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.k_moving.of[a]];
    k->c->k_fn(&v, &k->tab, k->k);
  }
  for (int a = 0; a < s->a->on.b_moving.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.b_moving.of[a]];
    k->c->b_fn(&v, &k->tab, k->b);
  }
  for (int a = 0; !s->w.frozen && a < s->a->on.mcurve.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.mcurve.of[a]];
    k->c->mcurve_fn(&mid, &k->tab, k->mcurve);
  }
  for (int a = 0; !s->w.frozen && a < s->a->on.curve.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.curve.of[a]];
    k->c->curve_fn(k->h_mid ? &mid : &v, &k->tab, s->w.l1 + s->n.r.l[k->row0], NULL, k->curve);
  }
  for (int a = 0; !s->w.frozen && a < s->a->on.rq_moving.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.rq_moving.of[a]];
    k->c->rq_fn(&v, &k->tab, k->rq);
  }
  if (!s->w.frozen) sim_rows_rates(s);
  if (!s->n.w.constant) {
    int z = sim_matrix_update(s, 0);
    if (z >= 0) return z;
  }
  if (!s->n.r.constant && s->n.r.n > 0) sim_rows_couple(s);
  return -1;
}

// (13) with the border: z_p - z^a and the change of the constraints' impulses into dz.
static void free_motion(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < s->a->nz; i++) s->w.dz[i] = -s->w.smooth[i];
  if (s->a->on.g.n > 0)
    for (int i = 0; i < s->a->nz; i++) s->w.dz[i] += s->n.h * s->a->gamma * s->w.g[i];
  for (int a = 0; a < s->a->on.relation.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.relation.of[a]];
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      double l = s->w.l1[r->l[row]];
      for (int e = r->b0[row]; e < r->b0[row + 1]; e++) s->w.dz[r->bz[e]] -= r->b[e] * l;
    }
  }
  for (int j = 0; j < r->nborder; j++) {
    double p = s->w.l1[r->l[r->border[j]]];
    for (int e = r->b0[r->border[j]]; e < r->b0[r->border[j] + 1]; e++) s->w.dz[r->bz[e]] += r->b[e] * p;
    s->w.dz[s->a->nz + j] = -r->y[r->border[j]];
  }
  sim_matrix_solve(s, s->w.dz);
}

// (17)
static void one_step_problem(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_islands *is = &s->n.isl;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    double q = r->y[row] + r->e[row] * r->rate0[row], terms = sim_row_terms(s, row, r->y[row]);
    for (int e = r->d0[row]; e < r->d0[row + 1]; e++) {
      double d = r->d[e] * s->w.l1[r->l[r->ds[e]]];
      q -= d;
      terms += fabs(d);
    }
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
      double d = r->c[e] * s->w.dz[r->cz[e]];
      q += d;
      terms += fabs(d);
    }
    is->q[i] = q;
    is->terms[i] = terms;
    is->lo[i] = r->lo[row];
    is->hi[i] = r->hi[row];
    is->lambda[i] = s->w.l1[r->l[row]];
  }
}

// (18) into z_try, l_try
static void candidate(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    double p = is->lambda[i];
    s->w.l_try[r->l[row]] = p;
    for (int e = r->x0[row]; e < r->x0[row + 1]; e++) s->w.dz[r->xz[e]] += r->x[e] * p;
  }
  for (int i = 0; i < s->a->nz; i++) s->w.z_try[i] = s->w.z1[i] + s->w.dz[i];
  for (int j = 0; j < r->nborder; j++) {
    int l = r->l[r->border[j]];
    s->w.l_try[l] = s->w.l1[l] + s->w.dz[s->a->nz + j];
  }
}

// z1 := z_from + alpha (z_try - z_from), the multipliers alike.
static void go(nsm_sim *s, double alpha) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  if (alpha == 1) memcpy(s->w.z1, s->w.z_try, (size_t)s->a->nz * sizeof(double));
  else for (int i = 0; i < s->a->nz; i++) s->w.z1[i] = s->w.z_from[i] + alpha * (s->w.z_try[i] - s->w.z_from[i]);
  for (int i = 0; i < is->nactive + r->nborder; i++) {
    int l = r->l[i < is->nactive ? r->row_at[is->active[i]] : r->border[i - is->nactive]];
    s->w.l1[l] = alpha == 1 ? s->w.l_try[l] : s->w.l_from[l] + alpha * (s->w.l_try[l] - s->w.l_from[l]);
  }
  set_q1(s);
}

// ---- what is said where it fails ------------------------------------------------------------------------------------
static nsm_place place(const nsm_sim *s, int worst) {
  return worst < s->a->nz ? sim_at_z(s, worst) : sim_at_row(s, worst - s->a->nz);
}

static void row_or_unknown(const nsm_sim *s, int worst, char *name, size_t size) {
  if (worst < s->a->nz) sim_z_name(s, worst, name, size);
  else sim_row_name(s, worst - s->a->nz, name, size);
}

// The coordinate whose pivot of M is not positive, at the iterate or where the velocities lead; -1 for none.
static int bad_mass(nsm_sim *s, double t1) {
  int z = s->a->on.mass_moving.n > 0 ? sim_mass_indefinite(s) : -1;
  if (z >= 0 || s->a->on.mass_moving.n == 0) return z;
  for (int i = 0; i < s->a->nq; i++) s->w.qm[i] = s->now.q[i] + s->n.h * s->now.z[i];
  nsm_view v = sim_view(s, t1, s->w.qm, s->now.z, s->w.l1);
  for (int a = 0; a < s->a->on.mass_moving.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.mass_moving.of[a]];
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
              t1, s->now.k + 1, NSM_NEWTON_MAX, name, error, s->a->tolerance, why);
  return NSM_FAILED;
}

static nsm_code not_finite(nsm_sim *s, double t1, nsm_error *e) {
  nsm_view v = at_end(s, t1);
  nsm_code c = sim_blame(s, &v, e);
  if (c == NSM_OK) sim_fail(e, c = NSM_FAILED, "a residual is not a number at t = %.10g s, step %ld", t1, s->now.k + 1);
  return c;
}

static nsm_code singular(nsm_sim *s, double t1, int z, nsm_error *e) {
  char name[256];
  nsm_view v = at_end(s, t1);
  if (sim_blame(s, &v, e) != NSM_OK) return NSM_FAILED;                 // a kernel gave what is no number
  int at = z < s->a->nz ? z : s->a->nz + s->n.r.border[z - s->a->nz];
  row_or_unknown(s, at, name, sizeof name);
  sim_fail_at(e, NSM_FAILED, place(s, at),
              "the iteration matrix is singular at t = %.10g s, step %ld: no pivot for %s", t1, s->now.k + 1, name);
  return NSM_FAILED;
}

// The residual fell no more above the tolerance: the worst of the run is kept for the summary.
static nsm_code stagnated(nsm_sim *s, double t1, double error, int worst) {
  s->now.count.stagnations++;
  if (error > s->now.count.worst_residual) {
    s->now.count.worst_residual = error;
    s->now.worst_time = t1;
    s->now.worst_at = worst;
  }
  return NSM_OK;
}

// ---- the step -------------------------------------------------------------------------------------------------------
// z changes as in the last step where that was the better guess lately, in the mass metric; else not at all.
static void start_values(nsm_sim *s, int moving) {
  for (int i = 0; i < s->a->nz; i++) s->w.z1[i] = s->now.z[i] + (moving ? s->now.gain[i] : 0);
  set_q1(s);
  for (int i = 0; i < s->n.isl.nactive + s->n.r.nborder; i++) {
    int l = s->n.r.l[i < s->n.isl.nactive ? s->n.r.row_at[s->n.isl.active[i]] : s->n.r.border[i - s->n.isl.nactive]];
    s->w.l1[l] = s->now.l[l];
  }
}

static void learn(nsm_sim *s) {
  double off[2] = { 0 };
  for (int i = 0; i < s->a->nz; i++) {
    double g = s->w.z1[i] - s->now.z[i], d = g - s->now.gain[i], m = s->w.diag[i] > 0 ? s->w.diag[i] : 1;
    off[0] += m * g * g;
    off[1] += m * d * d;
    s->now.gain[i] = g;
  }
  for (int k = 0; k < 2; k++) s->now.off[k] = 0.75 * s->now.off[k] + off[k];
}

// whole: the iteration before took its full step.
static nsm_code newton_step(nsm_sim *s, double t1, int whole, nsm_error *e) {
  int z = matrices(s, t1);
  if (z >= 0) return singular(s, t1, z, e);
  free_motion(s);
  sim_friction_guess(s, !whole);
  if (s->n.isl.nactive > 0) {
    one_step_problem(s);
    if (!sim_islands_solve(s)) {
      nsm_view v = at_end(s, t1);
      if (s->n.isl.solver.result.status == NSM_CONE_BAD_INPUT && sim_blame(s, &v, e) != NSM_OK) return NSM_FAILED;
      return sim_cone_failed(s, t1, e);
    }
  }
  candidate(s);
  memcpy(s->w.z_from, s->w.z1, (size_t)s->a->nz * sizeof(double));
  memcpy(s->w.l_from, s->w.l1, (size_t)s->a->nl * sizeof(double));
  go(s, 1);
  s->now.count.newton_iterations++;
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
  return i < s->n.isl.nactive ? s->n.r.row_at[s->n.isl.active[i]] : s->n.r.border[i - s->n.isl.nactive];
}

static void group(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_turn *u = s->w.turn;
  int nblock = s->n.w.nblock;
  for (int i = 0; i < nblock + r->n; i++) u[i].up = i;
  for (int i = 0; i < s->n.isl.nactive + r->nborder; i++) {
    int row = row_of(s, i), at = nblock + row;
    for (int e = r->b0[row]; e < r->b0[row + 1]; e++) u[top_of(u, s->n.w.block_of[r->bz[e]])].up = top_of(u, at);
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) u[top_of(u, s->n.w.block_of[r->cz[e]])].up = top_of(u, at);
    for (int e = r->d0[row]; e < r->d0[row + 1]; e++) u[top_of(u, nblock + r->ds[e])].up = top_of(u, at);
  }
}

static void project(nsm_sim *s) {
  sim_turn *u = s->w.turn;
  for (int i = 0; i < s->n.w.nblock + s->n.r.n; i++) u[i].psi = 0;
  for (int i = 0; i < s->a->nz; i++)
    u[top_of(u, s->n.w.block_of[i])].psi += s->w.before[i] / s->w.top[i] * (s->w.residual[i] / s->w.top[i]);
  for (int i = 0; i < s->n.isl.nactive + s->n.r.nborder; i++) {
    int row = row_of(s, i), at = s->a->nz + row;
    u[top_of(u, s->n.w.nblock + row)].psi += s->w.before[at] / s->w.top[at] * (s->w.residual[at] / s->w.top[at]);
  }
}

// R of an iterate, which the next step starts from.
static void remember(nsm_sim *s) {
  memcpy(s->w.before, s->w.residual, (size_t)(s->a->nz + s->n.r.n) * sizeof(double));
  for (int i = 0; i < s->a->nz + s->n.r.n; i++) s->w.top[i] = s->w.residual_size[i] + DBL_MIN;
  group(s);
  project(s);
  for (int i = 0; i < s->n.w.nblock + s->n.r.n; i++) s->w.turn[i].start = s->w.turn[i].psi;
}

static int turned(nsm_sim *s) {
  int n = 0;
  project(s);
  for (int i = 0; i < s->n.w.nblock + s->n.r.n; i++) {
    sim_turn *u = &s->w.turn[i];
    u->turns = u->psi < 0;
    n += u->turns;
    u->a = u->side = 0;
    u->b = 1;
    u->fa = u->start;
    u->fb = u->psi;
  }
  return n;
}

// z1 := z_from + at (z_try - z_from), the multipliers alike, each group by its own `at`.
static void go_each(nsm_sim *s) {
  sim_turn *u = s->w.turn;
  for (int i = 0; i < s->n.w.nblock + s->n.r.n; i++)
    u[i].at = u[i].turns ? (u[i].fa * u[i].b - u[i].fb * u[i].a) / (u[i].fa - u[i].fb) : 1;
  for (int i = 0; i < s->a->nz; i++)
    s->w.z1[i] = s->w.z_from[i] + u[top_of(u, s->n.w.block_of[i])].at * (s->w.z_try[i] - s->w.z_from[i]);
  for (int i = 0; i < s->n.isl.nactive + s->n.r.nborder; i++) {
    int row = row_of(s, i), l = s->n.r.l[row];
    s->w.l1[l] = s->w.l_from[l] + u[top_of(u, s->n.w.nblock + row)].at * (s->w.l_try[l] - s->w.l_from[l]);
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
    for (int i = 0; i < s->n.w.nblock + s->n.r.n; i++) {
      sim_turn *u = &s->w.turn[i];
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
  memcpy(s->w.z_kept, s->w.z1, (size_t)s->a->nz * sizeof(double));
  for (int i = 0; i < s->a->nz; i++) s->w.dz[i] = -s->w.residual[i];
  for (int j = 0; j < s->n.r.nborder; j++) s->w.dz[s->a->nz + j] = 0;
  sim_matrix_solve(s, s->w.dz);
  for (int i = 0; i < s->a->nz; i++) s->w.z1[i] += s->w.dz[i];
  set_q1(s);
  evaluate(s, t1);
  double now = residual(s, 1, worst);
  if (now <= stagnation) {
    *error = now;
    return now <= s->a->tolerance;
  }
  memcpy(s->w.z1, s->w.z_kept, (size_t)s->a->nz * sizeof(double));
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
      if (error <= s->a->tolerance) return NSM_OK;
      if (it >= SLOW && error > 0.5 * before && worst < s->a->nz && s->n.isl.nactive > 0 &&
          corrected(s, t1, &error, &worst))
        return NSM_OK;
      int moving = worst >= s->a->nz && sim_friction_moves(s, worst - s->a->nz);
              // friction.c seeks its coefficient
      if (it > TURNS && halvings == 0 && !moving && turned(s) > 0) {
        to_the_turn(s, t1);
        error = residual(s, 1, &worst);
        if (error <= s->a->tolerance) return NSM_OK;
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
    if (s->a->one_iteration) return NSM_OK;
    alpha = 1;
    halvings = 0;
  }
}

// What impulses leave of velocities at rest is 0 (closed.c); residual_size and diag are those of the residual accepted.
static void settle(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  int any = 0;
  for (int z = 0; z < s->a->nz; z++) s->w.size[z] = fabs(s->now.z[z]) +
      (s->w.diag[z] > 0 ? s->w.residual_size[z] / s->w.diag[z] : 0);
  for (int i = 0; i < s->n.isl.nactive + r->nborder; i++) {
    int row = i < s->n.isl.nactive ? r->row_at[s->n.isl.active[i]] : r->border[i - s->n.isl.nactive];
    for (int e = r->b0[row]; s->w.l1[r->l[row]] != 0 && e < r->b0[row + 1]; e++) {
      int z = r->bz[e];
      if (!(s->w.diag[z] > 0) || !sim_is_at_rest(s->w.z1[z], s->w.size[z])) continue;
      s->w.z1[z] = 0;
      any = 1;
    }
  }
  if (any) set_q1(s);
}

// A mass matrix that moves must stay positive definite.
static nsm_code mass(nsm_sim *s, double t1, nsm_error *e) {
  int z = s->a->on.mass_moving.n > 0 ? sim_mass_indefinite(s) : -1;
  return z < 0 ? NSM_OK : sim_mass_failed(s, t1, z, e);
}

// Between the kinks of several laws Newton's method can go round in circles. It begins again, with other multipliers
// in the intervals that bound them, from a sequence that repeats: xorshift, Marsaglia 2003. 0: there are none.
static int start_elsewhere(nsm_sim *s, uint64_t *dice) {
  const sim_rows *r = &s->n.r;
  int any = 0;
  start_values(s, 0);
  for (int i = 0; i < s->n.isl.nactive; i++) {
    int row = r->row_at[s->n.isl.active[i]];
    if (!(r->hi[row] - r->lo[row] < INFINITY)) continue;
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    s->w.l1[r->l[row]] = r->lo[row] + (r->hi[row] - r->lo[row]) * ((double)(*dice >> 11) * 0x1p-53);
    any = 1;
  }
  return any;
}

void sim_newton_analyse(nsm_sim *s) {
  if (s->a->linear) return;
  size_t nz = (size_t)s->a->nz, rows = (size_t)s->n.r.n;
  double **by_z[] = { &s->w.g,     &s->w.s,    &s->w.smooth, &s->w.smooth_size, &s->w.inc,    &s->w.inc_size,
                      &s->w.diag,  &s->w.drive, &s->w.lost,  &s->w.round,       &s->w.z_from, &s->w.z_try,
                      &s->w.z_kept };
  double **with_rows[] = { &s->w.residual, &s->w.residual_size, &s->w.before, &s->w.top, &s->w.dz };
  for (size_t i = 0; i < sizeof by_z / sizeof *by_z; i++) *by_z[i] = SIM_NEW(s, nz, double);
  for (size_t i = 0; i < sizeof with_rows / sizeof *with_rows; i++) *with_rows[i] = SIM_NEW(s, nz + rows, double);
  s->w.turn = SIM_NEW(s, (size_t)s->n.w.nblock + rows, sim_turn);
}

nsm_code sim_step_newton(nsm_sim *s, double t1, nsm_error *e) {
  memcpy(s->w.l1, s->now.l, (size_t)s->a->nl * sizeof(double));
  if (s->a->on.contact.n + s->a->on.friction.n > 0) sim_active_set(s);
  if (s->n.r.n > 0 && !s->n.r.always) sim_islands_list(s);
  start_values(s, s->now.off[1] < s->now.off[0]);
  explicit_part(s);
  s->w.frozen = 0;
  nsm_code code = iterate(s, t1, e);
  if (code != NSM_OK && s->a->on.mcurve.n + s->a->on.curve.n + s->a->on.rq_moving.n > 0) {
    nsm_error again;
    s->w.frozen = 1;
    start_values(s, 0);
    if (iterate(s, t1, &again) == NSM_OK) {
      code = NSM_OK;
      if (e) *e = (nsm_error){ .code = NSM_OK };
    }
    s->w.frozen = 0;
  }
  uint64_t dice = 88172645463325252u;
  for (int k = 0; k < RESTARTS && code == NSM_FAILED && !s->a->one_iteration && start_elsewhere(s, &dice); k++) {
    nsm_error again;
    if (iterate(s, t1, &again) != NSM_OK) continue;
    code = NSM_OK;
    if (e) *e = (nsm_error){ .code = NSM_OK };
  }
  if (code != NSM_OK) return code;
  nsm_view mid = between(s, t1);
  if ((code = sim_friction_sound(s, &mid, e)) != NSM_OK) return code;
  if (!s->a->one_iteration) {
    settle(s);
    sim_refine(s, t1, s->w.q1, s->n.h * s->a->theta);
    learn(s);
  }
  return mass(s, t1, e);
}
