// The motion at an iterate: where the coordinates are, its residuals and what they are measured by.
#include "consistent.h"
#include "held.h"
#include <math.h>
#include <string.h>

enum { FIXED_POINTS = 8 };

// ---- the iterate ----------------------------------------------------------------------------------------------------
typedef struct changed { double most, place, way; } changed;   // sizes: of the change, of the places, of the way

// Increments of the iterate, by the columns of P as they are, or by the means of H, and the places but for attitudes.
static changed put(nsm_sim *s, const nsm_view *v, int by_means) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  changed by = { 0, 0, 0 };
  if (by_means) con_push_means(s);
  for (int i = 0; i < s->a->nv; i++) {
    c->inc_q[i] = v->h * (c->uc[i] + (c->uc_low[i] + 0.5 * c->inc_u[i]));
    if (by_means) c->inc_q[i] -= c->pushed[i];
  }
  for (int j = 0; j < c->ns && !(by_means && c->means == c->ns); j++) {
    double k = c->kappa1[r->l[c->row[j]]];
    if (by_means && c->cls[r->cls[c->row[j]]].hm) continue;
    for (int e = r->x0[c->row[j]]; e < r->x0[c->row[j] + 1]; e++) c->inc_q[r->xz[e]] -= r->x[e] * k;
  }
  for (int i = 0; i < s->a->nv; i++) {
    double q = s->now.q[i] + (s->now.q_low[i] + c->inc_q[i]), d = fabs(q - s->w.q1[i]), x = fabs(q);
    double w = fabs(c->inc_q[i]);
    by.most = d > by.most ? d : by.most;
    by.place = x > by.place ? x : by.place;
    by.way = w > by.way ? w : by.way;
    s->w.q1[i] = q;
  }
  return by;
}

void con_move_bodies(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  (c->placed ? sim_move_bodies_again : sim_move_bodies)(s, s->now.q, c->inc_q, s->w.q1);
  c->placed = 1;
}

// H~ of the iterate, and the places that it has with it; 0: those at hand will do. Iterates have moved by `unseen`
// since they were taken, and H~ with them, which P kappa shows beside the way of the step only above round-off.
static int follow_means(nsm_sim *s, const nsm_view *v) {
  static const double seen = 0.01 * DBL_EPSILON;
  struct sim_consistent *c = s->n.con;
  double most = 0, way = 0;
  for (int i = 0; i < s->a->nv; i++) {
    most = fmax(most, fabs(c->pushed[i]));
    way = fmax(way, fabs(c->inc_q[i]));
  }
  if (c->unseen * most <= seen * way) return 0;
  con_take_means(s, v);
  changed by = put(s, v, 1);
  if (by.most > DBL_EPSILON * by.way) con_move_bodies(s);
  c->unseen = 1e-3 * DBL_EPSILON;
  return 1;
}

// (9): q_E - q_B = (h/2)(u_C + u_E) - P kappa, P = Mbar(q)^{-1} H_S(q_B)^T. With a moving mass a fixed point,
// contracting as kappa does; consistent_explicit_mass has M(q_B) in place of Mbar, and its P was made at the begin. Of
// bodies P has the mean of H over the step, that of the iterate before, until follow_means puts in its own; of the last
// one the last correction times kappa is left. The first iterate of a step begins with H(q_B), takes its mean twice.
int con_place(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  int moving = c->ns > 0 && s->a->on.mass_moving.n > 0 && !s->a->scheme->mass_at_begin;
  int means = con_by_means(s), by_means = means && c->placed;
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
      sim_rows_columns_of(s, c->row, c->ns);
    }
    changed by = put(s, v, by_means);
    con_move_bodies(s);
    c->unseen = by_means ? c->unseen + by.most : INFINITY;
    if (!by_means && means && follow_means(s, v)) c->unseen = INFINITY;
    if (!(by.most > 2 * DBL_EPSILON * by.place)) break;
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
  double sum = s->n.con->moved[row];
  for (int e = 0; e < k->c->h.n; e++) sum += d[e] * s->n.con->inc_q[sim_z_of(s, k, row - k->row0, k->c->h.col[e])];
  return sum;
}

double con_slip_part(const nsm_sim *s, int row, const double *v) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  const double *h = k->h + (size_t)(row - k->row0) * (size_t)k->c->h.n;
  double sum = 0;
  for (int e = 0; e < k->c->h.n; e++) sum += h[e] * v[sim_z_of(s, k, row - k->row0, k->c->h.col[e])];
  return sum;
}

// Friction: H_T(q^) of con_slide acts, and H_T (q_E - q_B) with the drift is the slip in the step.
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
  for (int i = 0; i < s->a->nv; i++) {
    s->w.qm[i] = s->now.q[i] + 0.5 * c->inc_q[i];
    s->w.zm[i] = c->inc_q[i] / v->h;
  }
  if (s->a->on.kinematics.n > 0) {
    for (int i = 0; i < s->a->nv; i++) s->w.way[i] = 0.5 * c->inc_q[i];
    sim_move_bodies(s, s->now.q, s->w.way, s->w.qm);
  }
  return sim_view(s, 0.5 * (s->now.t + v->t), s->w.qm, s->w.zm, s->w.l1);
}

// ---- measures -------------------------------------------------------------------------------------------------------
static const double lost = 16;            // roundings that a multiplier is known to

// What the momentum rows of the iterate are measured by, and the speeds, which are known to round-off of what drives
// them: (|R1 terms| + |M u|) / M. Where all has come to rest these terms vanish with the motion, and what is left is
// round-off of what it was: momenta are known to round-off of what the largest energy so far would give.
void con_measures(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  for (int z = 0; z < s->a->nv; z++)
    c->size[z] = fmax(s->now.r1_size[z], DBL_EPSILON * sqrt(2 * s->now.con.most / c->held_inverse[z]));
  memcpy(c->hold, s->now.r1_size, (size_t)s->a->nv * sizeof(double));
  const sim_held held = { c->ns, c->row, c->held_inverse, 1 };
  sim_held_sizes(s, &held, lost * DBL_EPSILON / s->a->tolerance, s->a->nv, c->hold, c->size);
  for (int z = 0; z < s->a->nv; z++)
    c->speed[z] = fabs(s->w.z1[z]) + fabs(c->uc[z]) + c->size[z] * c->held_inverse[z];
  sim_share_vectors(s, sim_least_share, c->size);
  sim_share_vectors(s, sim_least_share, c->speed);
}

// Contacts that keep the direction of the begin, (6a).
static void keep_frozen(const nsm_sim *s, const sim_class *k, double *dg) {
  size_t n = (size_t)k->c->h.n;
  for (int i = 0; i < k->tab.count; i++)
    if (s->n.con->freeze[k->row0 + i]) {
      memcpy(dg + (size_t)i * n, k->h + (size_t)i * n, n * sizeof *dg);
      s->n.con->moved[k->row0 + i] = s->n.con->drive_way[k->row0 + i];
    }
}

// Residuals of the smooth rows, gaps and H at the end, and what the momentum rows are measured by. Of a constraint
// along its discrete derivative H belongs to the matrix, which makes it (con_matrix); here it is only the measure of an
// error.
int con_evaluate(nsm_sim *s, const nsm_view *v) {
  if (!con_evaluate_rows(s, v)) return 0;
  con_measures(s);
  return 1;
}

int con_evaluate_rows(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  if (!con_place(s, v)) return 0;
  int means = con_by_means(s), follows = !means || follow_means(s, v);
  nsm_view one_sided = *v;                                // D gamma(u_E)
  one_sided.v0 = v->v;
  one_sided.dv = s->a->zero;
  memset(c->res, 0, (size_t)c->n * sizeof(double));
  for (int i = 0; i < s->a->nv; i++) s->now.r1_size[i] = s->now.r1_most[i];
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
    if (d->h_stage > NSM_EVENT && (contact || !d->dg_fn)) d->h_fn(v, &k->tab, k->h);
    if (d->dg_fn) d->dg_fn(v, &k->tab, o->dg);
    if (contact && c->frozen > 0) keep_frozen(s, k, o->dg);
    if (d->drate_fn && !contact && (follows || !o->hm)) d->drate_fn(means ? v : &one_sided, &k->tab, o->dr);
    for (int i = 0; i < k->tab.count; i++) {
      int row = k->row0 + i;
      if (contact ? !r->active[row] : !con_acts(s, c->of[row])) continue;
      add_row(s, k, i, &d->h, d->dg_fn ? o->dg : k->h, s->w.l1[r->l[row]]);
      c->gap[row] = rise(s, row);
      if (contact) continue;
      if (d->drate_fn) add_row(s, k, i, &d->dr, o->dr, c->kappa1[r->l[row]]);
      c->res[s->a->nv + c->of[row]] = r->y[row];
      c->res[s->a->nv + c->ns + c->of[row]] = c->gap[row] + c->back[c->of[row]];
    }
  }
  if (s->a->on.friction.n > 0) c->press = sim_implied_forces(s, con_direction, s->w.l1);
  if (s->a->on.mu.n > 0) {
    nsm_view m = con_middle(s, v);
    m.l = c->press;
    sim_friction_law(s, &m);
  }
  return 1;
}

// Of the displacement of a row in the step: h sum |H| |speed|.
static double terms_of(const nsm_sim *s, double h, int row) {
  const sim_class *k = &s->a->cls[s->n.r.cls[row]];
  const double *H = k->h + (size_t)(row - k->row0) * (size_t)k->c->h.n, *speed = s->n.con->speed;
  double sum = 0;
  for (int e = 0; e < k->c->h.n; e++) sum += fabs(H[e]) * speed[sim_z_of(s, k, row - k->row0, k->c->h.col[e])];
  return h * sum + fabs(s->n.con->moved[row]);
}

double con_gap_terms(const nsm_sim *s, double h, int row) {
  double most = terms_of(s, h, row);
  int f = s->n.r.friction_of[row];
  if (f < 0 || s->a->cls[s->n.r.cls[row]].c->kind != NSM_CONTACT) return most;
  const sim_friction *k = &s->n.r.friction[f];
  for (int d = 0; d < k->n && d < 2 && !(k->type == NSM_CONE_ROLLING && 2 * d >= k->n); d++)
    most = fmax(most, terms_of(s, h, k->row[d]));
  return most;
}

// The directions of slip of a contact together, at the first of them.
static double slip_error(const nsm_sim *s, double h, int row) {
  const struct sim_consistent *c = s->n.con;
  const sim_friction *f = &s->n.r.friction[s->n.r.friction_of[row]];
  double u[SIM_SLIPS], diagonal[SIM_SLIPS], size[SIM_SLIPS];
  if (row != f->row[0]) return 0;
  for (int d = 0; d < f->n; d++) {
    u[d] = c->gap[f->row[d]];
    diagonal[d] = c->diag[c->index[f->row[d]]];
    size[d] = fabs(c->drift[f->row[d]]) + terms_of(s, h, f->row[d]);
  }
  return sim_friction_residual(s, s->n.r.friction_of[row], c->press, u, diagonal, size);
}

// Of a row: the larger of its rate and gap for constraints, the natural map of (6) for contacts.
double con_row_error(const nsm_sim *s, double h, int row) {
  const struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  const sim_class *k = &s->a->cls[r->cls[row]];
  if (k->c->kind == NSM_FRICTION) return slip_error(s, h, row);
  double gap = con_gap_terms(s, h, row) + DBL_MIN;
  if (c->of[row] >= 0) {
    double u = fabs(c->res[s->a->nv + c->of[row]]) * h / gap, g = fabs(c->res[s->a->nv + c->ns + c->of[row]]) / gap;
    return u >= g || isnan(u) ? u : g;
  }
  double l = s->w.l1[r->l[row]], rho = sim_rho(c->diag[c->index[row]]);
  return fabs(sim_natural_map(l, c->gap[row], rho, 0, INFINITY)) / (rho * gap + fabs(l) + DBL_MIN);
}

double con_rate_terms(const nsm_sim *s, int row, const double *v) {
  const struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  double size = fabs(r->rate0[row]);
  for (int x = r->c0[row]; x < r->c0[row + 1]; x++) {
    int z = r->cz[x];
    size += fabs(r->c[x]) * (fabs(v[z]) + s->now.r1_size[z] * c->held_inverse[z]);
  }
  return size;
}

// The largest relative residual; *worst: z, or ~row.
double con_residual(nsm_sim *s, double h, int *worst) {
  const struct sim_consistent *c = s->n.con;
  double most = 0;
  for (int i = 0; i < s->a->nv + s->n.r.n; i++) {
    int row = i - s->a->nv;
    if (row >= 0 && c->of[row] < 0 && !s->n.r.active[row]) continue;
    double x = row < 0 ? fabs(c->res[i]) / (c->size[i] + DBL_MIN) : con_row_error(s, h, row);
    if (x <= most) continue;
    most = x;
    *worst = row < 0 ? i : ~row;
    if (isnan(x)) break;
  }
  return most;
}
