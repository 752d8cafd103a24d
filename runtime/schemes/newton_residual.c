// Kernels at an iterate; the residual of the dynamics and of the laws, relative to the size of their terms.
#include "newton.h"
#include "held.h"
#include <string.h>

// Multiples of eps that evaluation may lose of its terms.
static const double lost = 16;
static const double much = 1e3;          // of the largest round-off of an iterate, beside that of the last

// ---- the iterate ----------------------------------------------------------------------------------------------------
void newton_position(nsm_sim *s) {
  const nsm_point *end = &s->a->point[NSM_END];
  sim_move_mean(s, s->now.q, s->n.h * end->end, s->w.z1, s->n.h * end->begin, s->now.z, s->w.q1);
}

// Between the ends, those of algebraic equations at the end.
static void reactions(nsm_sim *s, const nsm_view *v, const nsm_view *between, double *g) {
  memset(g, 0, (size_t)s->a->nz * sizeof(double));
  SIM_EACH(s, g, k) k->c->g_fn(k->gamma == 1 ? v : between, &k->tab, g, g + s->a->nv);
}

// What is taken at the mean: R = M dz - h f - ...
static void mean_forces(nsm_sim *s, const nsm_view *mid) {
  if (s->a->on.f_mean.n == 0) return;
  memset(s->w.f, 0, (size_t)s->a->nz * sizeof(double));
  SIM_EACH(s, f_mean, k) k->c->f_fn(mid, &k->tab, s->w.f, s->w.f + s->a->nv);
  for (int i = 0; i < s->a->nz; i++) {
    s->w.smooth[i] -= s->n.h * s->w.f[i];
    s->w.smooth_size[i] += fabs(s->n.h * s->w.f[i]);
  }
}

// S does not change during the iteration, but with unknowns that have no inertia: they are taken at the end of the step
// there too.
static void algebraic_at_end(nsm_sim *s) {
  for (int i = 0; i < s->a->nz; i++) if (sim_is_at_end(s, i)) s->now.z[i] = s->w.z1[i];
  newton_explicit_part(s);
}

static void inertia(nsm_sim *s) {
  for (int a = 0; a < s->a->on.mass.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.mass.of[a]];
    const nsm_pattern *p = &k->c->mass;
    for (int i = 0; i < k->tab.count; i++) {
      const double *mass = k->mass + (size_t)i * (size_t)p->n;
      for (int e = 0; e < p->n;) {                 // entries of a row stand together: its sums in registers
        int slot = p->row[e], row = sim_z_of(s, k, i, slot);
        double sum = s->w.smooth[row], terms = s->w.smooth_size[row], size = s->w.inc_size[row];
        for (; e < p->n && p->row[e] == slot; e++) {
          int col = sim_z_of(s, k, i, p->col[e]);
          double m = mass[e], d = m * s->w.inc[col];
          sum += d;
          terms += fabs(d);
          size += fabs(m) * (fabs(s->w.z1[col]) + fabs(s->now.z[col]));
          if (row == col) s->w.diag[row] += m;
        }
        s->w.smooth[row] = sum;
        s->w.smooth_size[row] = terms;
        s->w.inc_size[row] = size;
      }
    }
  }
}

// y or rate, and H. Of shapes that follow the iterate the matrix has H of the middle on both sides, which keeps M_osns
// symmetric; the rate is that of the end.
static void rows_at(nsm_sim *s, const nsm_view *v, const nsm_view *between) {
  sim_rows *r = &s->n.r;
  if (s->a->follows) sim_touch_there(s, v);
  for (int a = 0; a < s->a->on.row.n; a++) {
    int cls = s->a->on.row.of[a], of_shapes = s->a->follows && cls >= s->a->given->nclass;
    sim_class *k = &s->a->cls[cls];
    double *y = r->y + k->row0;
    if (sim_opens(k->c) && !memchr(r->active + k->row0, 1, (size_t)k->tab.count)) continue;
    const nsm_view *at = k->gamma < 1 ? between : v;
    if (newton_is_place(s, k)) { newton_place(s, k, v->t); continue; }
    if (k->c->kind == NSM_RELATION) k->c->y_fn(at, &k->tab, y);
    else k->c->rate_fn(at, &k->tab, y);
    if (of_shapes) memcpy(k->h, k->h_mid, (size_t)k->tab.count * (size_t)k->c->h.n * sizeof(double));
    else if (k->c->h_stage > NSM_EVENT) k->c->h_fn(at, &k->tab, k->h);
  }
  if (s->a->follows) sim_touch_there(s, NULL);
}

// Kernels at the iterate: f, g, M, y or rate, H, B, laws; R without multipliers into smooth, the size of its terms into
// smooth_size, that of the velocities and states which the increments are made of into inc_size.
void newton_evaluate(nsm_sim *s, double t1) {
  sim_rows *r = &s->n.r;
  nsm_view v = newton_end(s, t1), mid = newton_between(s, t1);
  if (s->a->algebraic && s->a->theta < 1) algebraic_at_end(s);
  newton_forces(s, t1);
  nsm_view between = s->a->on.g.n + s->a->on.relation.n > 0 ? newton_law(s, t1) : v;
  if (s->a->on.g.n > 0) reactions(s, &v, &between, s->w.g);
  for (int i = 0; i < s->a->nz; i++) s->w.inc[i] = s->w.z1[i] - s->now.z[i];
  if (s->a->on.mass_moving.n + s->a->on.f_mean.n + s->a->on.mid.n + s->a->on.mu.n > 0) {
    (void)sim_at_point(s, &s->a->point[s->a->m->inertia_at], t1, s->w.z1, s->w.qm, s->w.zm);
    SIM_EACH(s, mass_moving, k) k->c->mass_fn(&mid, &k->tab, k->mass);
    if (s->a->follows) sim_touch_there(s, &mid);
    nsm_view along = newton_along(s, t1, &mid);
    SIM_EACH(s, mid, k) {
      if (sim_opens(k->c) && !memchr(r->active + k->row0, 1, (size_t)k->tab.count)) continue;
      k->c->h_fn(&along, &k->tab, k->h_mid);
    }
  }
  mean_forces(s, &mid);
  inertia(s);
  for (int i = 0; s->w.ahead > 0 && i < s->a->nz; i++) {
    s->w.smooth[i] -= s->w.ahead * s->w.off[i];
    s->w.smooth_size[i] += fabs(s->w.ahead * s->w.off[i]);
  }
  rows_at(s, &v, &between);
  sim_bounds(s, &v, &between);
  if (r->n > 0 && !r->constant) sim_rows_outer(s, 0);
  s->w.press = sim_implied_forces(s, sim_row_b, s->w.l1);
  mid.l = s->w.press;
  sim_friction_law(s, &mid);
}

// ---- residual -------------------------------------------------------------------------------------------------------
// A z that an entry of a Jacobian is with respect to, as it stands in the kernel.
static double argument(const nsm_sim *s, int wrt, int z, int l) {
  return wrt == NSM_WRT_L ? s->w.l1[l] : wrt == NSM_WRT_Q ? s->w.q1[z] : s->w.z1[z];
}

// What a change of z_i makes of R_i: M_ii, or for an unknown without inertia h |df_i/dz_i| of the last matrix, once the
// round-off is looked at.
static double own_share(const nsm_sim *s, int z) {
  return s->w.diag[z] > 0 ? s->w.diag[z] : s->w.own[z];
}

static void own_shares(nsm_sim *s) {
  memset(s->w.own, 0, (size_t)s->a->nz * sizeof(double));
  if (s->a->algebraic) SIM_EACH(s, jac, k) {
    const nsm_pattern *p = &k->c->jac;
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        int row = sim_z_of(s, k, i, p->row[e]);
        if (p->wrt[e] != NSM_WRT_Q && row == sim_z_of(s, k, i, p->col[e]))
          s->w.own[row] += s->n.h * fabs(k->jac[(size_t)i * (size_t)p->n + (size_t)e]);
      }
  }
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
      if (own_share(s, z) > 0) s->w.drive[z] += p / own_share(s, z);
    }
  }
}

static void add_round_off(nsm_sim *s, const sim_class *k, const nsm_pattern *p, const double *value, double factor) {
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
      double z = fabs(argument(s, p->wrt[e], col, 0)) + (p->wrt[e] == NSM_WRT_Q ? 0 : s->w.drive[col]);
      if (s->w.unit && p->wrt[e] == NSM_WRT_X && s->w.diag[row] == 0) z = fmax(z, s->w.unit_size[s->w.unit[col]]);
      s->w.lost[row] += factor * fabs(value[(size_t)i * (size_t)p->n + (size_t)e]) * z;
    }
}

// What evaluation loses of R where its terms cancel within a kernel, as a stiff spring's length and rest length do:
// sum_j |dR_i/dz_j| |z_j|, from the derivatives of the last matrix. The largest of these counts: near a root of x that
// x^(1/2) has the derivative changes from iterate to iterate. But without velocities not beyond 1000 times the present
// one: on the way an exponential may have been 1e70 times what it is. Without inertia all unknowns of a unit have the
// size of the largest so far: what leaks into a node, as 1e-12 A (exp(u/VT) - 1) at u = 0, has no terms of its own.
void newton_round_off(nsm_sim *s) {
  memset(s->w.lost, 0, (size_t)s->a->nz * sizeof(double));
  own_shares(s);
  add_drive(s);
  for (int i = 0; s->w.unit && i < SIM_UNKNOWNS(s); i++) s->w.unit_size[i] = SIM_SIZES(s) ? s->now.size_z[i] : 0;
  for (int i = 0; s->w.unit && i < s->a->nz; i++)
    s->w.unit_size[s->w.unit[i]] = fmax(s->w.unit_size[s->w.unit[i]], fabs(s->w.z1[i]));
  SIM_EACH(s, jac, k) add_round_off(s, k, &k->c->jac, k->jac, s->n.h * (s->a->algebraic ? 1 : k->theta));
  SIM_EACH(s, k, k) add_round_off(s, k, &k->c->k, k->k, s->n.h * k->gamma);
  SIM_EACH(s, curve, k) add_round_off(s, k, &k->c->curve, k->curve, 1);
  for (int i = 0; i < s->a->nz; i++) {
    s->w.lost_before[i] = fmax(s->w.lost_before[i], s->w.lost[i]);
    s->w.round[i] = s->a->nv > 0 ? s->w.lost_before[i] : fmin(s->w.lost_before[i], much * s->w.lost[i]);
  }
}

// What row `row` must vanish or have a sign with, and the size of its terms. At rest the rate is what impulses leave of
// the free motion: velocities are known to round-off of what drives them.
static double row_value(const nsm_sim *s, int row, double *size) {
  const sim_rows *r = &s->n.r;
  const sim_class *k = &s->a->cls[r->cls[row]];
  const nsm_pattern *h = &k->c->h;
  double y = sim_rate(r->y[row] + sim_bounce(r, row));              // as the one-step problem has it
  size_t i = (size_t)(row - k->row0), at = i * (size_t)h->n;
  *size = fabs(y) + fabs(sim_bounce(r, row));
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
    int z = r->cz[e];
    double drive = own_share(s, z) > 0 ? s->w.residual_size[z] / own_share(s, z) : 0;
    *size += fabs(r->c[e]) * (fabs(s->w.z1[z]) + fabs(s->now.z[z]) + drive);
  }
  for (int e = 0; e < h->n; e++) {
    int l = h->wrt[e] == NSM_WRT_L;
    if (!l && h->wrt[e] != NSM_WRT_Q) continue;
    int z = l ? 0 : sim_z_of(s, k, (int)i, h->col[e]), ix = k->tab.ix[i * (size_t)k->c->nslot + h->col[e]];
    *size += fabs(k->h[at + (size_t)e] * argument(s, h->wrt[e], z, ix));
  }
  for (int e = r->c0[row]; s->w.by_parts && e < r->c0[row + 1]; e++)
    *size += lost * DBL_EPSILON / s->a->tolerance * fabs(r->c[e]) * s->w.size[r->cz[e]];
  if (newton_is_place(s, k)) *size += lost * DBL_EPSILON / s->a->tolerance * r->terms[row];
  if (fabs(y) > s->a->tolerance * *size) *size += lost * DBL_EPSILON / s->a->tolerance * sim_touch_size(s, row);
  return y;
}

// The sizes of a contact's slips count in its normal row too, times their coefficients, as in the verifier of the
// one-step problem (residual_rows.h): what slides fast under a small force is known to no more.
static double slip_sizes(const nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  int f = r->friction_of[row];
  double sum = 0, size, axis[SIM_SLIPS];
  if (f < 0 || s->a->cls[r->cls[row]].c->kind != NSM_CONTACT) return 0;
  sim_friction_axes(&r->friction[f], axis);
  for (int d = 0; d < r->friction[f].n; d++) {
    row_value(s, r->friction[f].row[d], &size);
    sum += axis[d] * size;
  }
  return sum;
}

static double diagonal(const nsm_sim *s, int row) {
  return sim_rows_inertia(s, s->n.r.at_row[row]);
}

// Natural map of an interval; of a constraint its rate, of one that others imply 0. It stays behind R in residual, its
// size in residual_size.
static double row_residual(nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  double size, y = row_value(s, row, &size);
  double *value = &s->w.residual[s->a->nz + row], *scale = &s->w.residual_size[s->a->nz + row];
  if (r->border_of[row] >= 0) {
    *value = sim_is_implied(s, row) ? 0 : y;
    *scale = size + DBL_MIN;
  } else {
    double l = s->w.l1[r->l[row]], rho = sim_rho(diagonal(s, row));
    *value = sim_natural_map(l, y, rho, r->lo[row], r->hi[row]);
    if (fabs(*value) > s->a->tolerance * (rho * size + fabs(l))) size += slip_sizes(s, row);
    *scale = rho * size + fabs(l) + DBL_MIN;
  }
  return fabs(*value) / *scale;
}

// The tangential rows of a block of friction together, of which active place *i is the first; *i goes to the last.
static double slip_residual(nsm_sim *s, int *i) {
  const sim_rows *r = &s->n.r;
  int f = r->friction_of[r->row_at[s->n.isl.active[*i]]], n = r->friction[f].n;
  double u[SIM_SLIPS], M[SIM_SLIPS], size[SIM_SLIPS];
  for (int d = 0; d < n; d++) {
    int row = r->row_at[s->n.isl.active[*i + d]];
    u[d] = row_value(s, row, &size[d]);
    M[d] = diagonal(s, row);
    s->w.residual[s->a->nz + row] = 0;                                          // of a disk: no direction to look along
    s->w.residual_size[s->a->nz + row] = 1;
  }
  *i += n - 1;
  return sim_friction_residual(s, f, s->w.press, u, M, size);
}

static void add_impulse(nsm_sim *s, int row, double *res, double *scale) {
  const sim_rows *r = &s->n.r;
  double p = s->w.l1[r->l[row]];
  for (int e = r->b0[row]; e < r->b0[row + 1]; e++) {
    res[r->bz[e]] -= r->b[e] * p;
    scale[r->bz[e]] += fabs(r->b[e] * p);
  }
}

// The largest relative residual of the dynamics and of the laws; NaN where anything is. worst: z, or ~row. R is
// left in w.residual, the size of its terms in w.residual_size. rounded: whether `round` is known.
double newton_residual(nsm_sim *s, int rounded, int *worst) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  double most = 0, *res = s->w.residual, *scale = s->w.residual_size, share = lost * DBL_EPSILON / s->a->tolerance;
  memcpy(res, s->w.smooth, (size_t)s->a->nz * sizeof(double));
  memcpy(scale, s->w.smooth_size, (size_t)s->a->nz * sizeof(double));
  *worst = 0;
  if (s->a->on.g.n > 0)
    for (int i = 0; i < s->a->nz; i++) {
      double g = s->n.h * s->w.g[i];
      res[i] -= g;
      scale[i] += fabs(g);
    }
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    if (s->a->cls[r->cls[row]].c->kind != NSM_RELATION) add_impulse(s, row, res, scale);
  }
  for (int j = 0; j < r->nborder; j++) add_impulse(s, r->border[j], res, scale);
  for (int i = 0; r->nborder > 0 && i < s->a->nz; i++)
    s->w.hold[i] = scale[i] + s->w.inc_size[i] + (rounded ? s->w.round[i] : 0);
  const sim_held held = { r->nborder, r->border, s->w.diag, 0 };
  sim_held_sizes(s, &held, share, s->a->nz, s->w.hold, scale);
  sim_share_vectors(s, sim_least_share, scale);
  for (int i = 0; i < s->a->nz; i++) {
    double x = fabs(res[i]) / (scale[i] + share * (s->w.inc_size[i] + (rounded ? s->w.round[i] : 0)) + DBL_MIN);
    if (!(x <= most)) { most = x; *worst = i; if (isnan(x)) return x; }
  }
  for (int i = 0; i < is->nactive + r->nborder; i++) {
    int row = newton_row(s, i),
        tangential = i < is->nactive && s->a->cls[r->cls[row]].c->kind == NSM_FRICTION;
    double x = tangential ? slip_residual(s, &i) : row_residual(s, row);
    if (!(x <= most)) { most = x; *worst = ~row; if (isnan(x)) return x; }
  }
  return most;
}
