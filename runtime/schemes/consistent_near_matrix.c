// A matrix near to K, (11) of docs/numerics/consistent.md, for bodies on joints. The momentum rows keep what couples
// the velocities of one body: the forces on it, and the curvature of its constraints at the begin of the step. So they
// are eliminated body by body, and what the second multipliers do to speeds and forces is put in afterwards:
//
//   [ A                -Dg^T ] [ du      ]     [ res - Drate^T dkappa     ]
//   [ H + (h/2) rate_q   0   ] [ dlambda ] = - [ rates - rate_q P dkappa  ]                                        (17)
//
//   G P dkappa = gaps + (h/2) G du,     G = dg_E/dq_E                                                              (18)
//
//   A = R1_u + (h/2) (R1_q - 1/2 d(H^T lambda)/dq), the blocks of a body alone, the last term at q_B              (19)
//
// solved in turn, twice. Left are two matrices of the size of the constraints, (H + (h/2) rate_q) A^-1 Dg^T and G P, in
// which joints meet where they share a body.
#include "consistent_near.h"
#include "runtime/la/vector.h"
#include <math.h>
#include <string.h>

enum { ROUNDS = 2 };
static const double small = 1e-13;             // a pivot of A and of the blocks, beside what it was: K finds out more

// ---- products, compiled twice (la/vector.h) -------------------------------------------------------------------------
LA_INLINE void add_value_columns(const nsm_sim *s, const double *V, const double *l, double *y) {
  const struct con_near *near = s->n.con->near;
  for (int j = 0; j < near->blocks->n; j++)
    for (int k = near->part0[j]; k < near->part0[j + 1]; k++)
      la_add_columns(con_room(near, near->part[k]), near->blocks->size[j], 1, V + near->by_row[k],
                     l + near->blocks->at[j], y + near->unit0[near->part[k]]);
}

LA_INLINE void add_value_rows(const nsm_sim *s, const double *V, double factor, const double *y, double *r) {
  const struct con_near *near = s->n.con->near;
  for (int j = 0; j < near->blocks->n; j++) {
    int room = nsm_block_room(near->blocks->size[j]);
    for (int k = near->part0[j]; k < near->part0[j + 1]; k++)
      la_add_columns(room, near->velocities[near->part[k]], factor, V + near->by_column[k],
                     y + near->unit0[near->part[k]], r + near->blocks->at[j]);
  }
}

// y += A^-1 x of all units.
LA_INLINE void units(const struct con_near *near, const double *x, double *y) {
  for (int u = 0; u < near->units; u++)
    la_add_columns(con_room(near, u), near->velocities[u], 1, near->inverse + near->a0[u], x + near->unit0[u],
                   y + near->unit0[u]);
}

// x = (A^-1 Dg^T)^T
LA_INLINE void eliminate(const struct con_near *near) {
  memset(near->x, 0, (size_t)near->by_row[near->part0[near->blocks->n]] * sizeof(double));
  for (int j = 0; j < near->blocks->n; j++)
    for (int k = near->part0[j]; k < near->part0[j + 1]; k++) {
      int u = near->part[k], room = con_room(near, u);
      for (int i = 0; i < near->blocks->size[j]; i++)
        la_add_columns(room, near->velocities[u], 1, near->inverse + near->a0[u], near->dg + near->by_row[k] + i * room,
                       near->x + near->by_row[k] + i * room);
    }
}

// M := rows by columns times columns by rows.
LA_INLINE void couple(const struct con_near *near, const double *by_column, const double *by_row, double *M) {
  memset(M, 0, near->blocks->values * sizeof(double));
  for (int e = 0; e < near->shares; e++) {
    const struct con_share *c = near->share + e;
    int room = nsm_block_room(near->blocks->size[c->row]), u = near->part[c->own], n = near->velocities[u];
    const double *value = by_column + near->by_column[c->own], *x = by_row + near->by_row[c->other];
    double *to = M + c->to;
    for (int i = 0; i < near->blocks->size[c->col]; i++, x += con_room(near, u), to += room)
      la_add_columns(room, n, 1, value, x, to);
  }
}

static void value_columns_plain(const nsm_sim *s, const double *V, const double *l, double *y) {
  add_value_columns(s, V, l, y);
}
LA_WIDE static void value_columns_wide(const nsm_sim *s, const double *V, const double *l, double *y) {
  add_value_columns(s, V, l, y);
}
// y += V^T l, V by rows
static void value_columns(const nsm_sim *s, const double *V, const double *l, double *y) {
  (la_wide() ? value_columns_wide : value_columns_plain)(s, V, l, y);
}
static void value_rows_plain(const nsm_sim *s, const double *V, double f, const double *y, double *r) {
  add_value_rows(s, V, f, y, r);
}
LA_WIDE static void value_rows_wide(const nsm_sim *s, const double *V, double f, const double *y, double *r) {
  add_value_rows(s, V, f, y, r);
}
// r += factor V y, V by columns
static void value_rows(const nsm_sim *s, const double *V, double f, const double *y, double *r) {
  (la_wide() ? value_rows_wide : value_rows_plain)(s, V, f, y, r);
}
static void units_plain(const struct con_near *near, const double *x, double *y) { units(near, x, y); }
LA_WIDE static void units_wide(const struct con_near *near, const double *x, double *y) { units(near, x, y); }
static void eliminate_plain(const struct con_near *near) { eliminate(near); }
LA_WIDE static void eliminate_wide(const struct con_near *near) { eliminate(near); }
static void make_plain(const struct con_near *near) {
  couple(near, near->h, near->x, near->s);
  couple(near, near->g, near->p, near->t);
}
LA_WIDE static void make_wide(const struct con_near *near) {
  couple(near, near->h, near->x, near->s);
  couple(near, near->g, near->p, near->t);
}

// ---- implied rows: 0 in V by rows, by columns -----------------------------------------------------------------------
static void rows_out(const nsm_sim *s, double *V) {
  const struct sim_consistent *c = s->n.con;
  const struct con_near *near = c->near;
  for (int j = 0; s->now.implied_n > 0 && j < c->ns; j++) {
    int of = near->joint[j], seat = near->row_seat[j] - near->blocks->at[of];
    for (int k = near->part0[of]; !con_acts(s, j) && k < near->part0[of + 1]; k++) {
      int room = con_room(near, near->part[k]);
      memset(V + near->by_row[k] + seat * room, 0, (size_t)room * sizeof(double));
    }
  }
}

static void columns_out(const nsm_sim *s, double *V) {
  const struct sim_consistent *c = s->n.con;
  const struct con_near *near = c->near;
  for (int j = 0; s->now.implied_n > 0 && j < c->ns; j++) {
    int of = near->joint[j], room = nsm_block_room(near->blocks->size[of]);
    double *value = V + near->row_seat[j] - near->blocks->at[of];
    for (int k = near->part0[of]; !con_acts(s, j) && k < near->part0[of + 1]; k++)
      for (int z = 0; z < near->velocities[near->part[k]]; z++) value[near->by_column[k] + z * room] = 0;
  }
}

// A 1 on the diagonal, where all else of the row and column is 0.
static void rows_of_one(const nsm_sim *s, double *M) {
  const struct sim_consistent *c = s->n.con;
  const struct con_near *near = c->near;
  for (int j = 0; s->now.implied_n > 0 && j < c->ns; j++) {
    int of = near->joint[j], seat = near->row_seat[j] - near->blocks->at[of];
    size_t step = (size_t)nsm_block_room(near->blocks->size[of]) + 1;
    if (!con_acts(s, j)) M[near->blocks->diagonal[of] + (size_t)seat * step] = 1;
  }
}

// ---- the matrix -----------------------------------------------------------------------------------------------------
static void add_entries(double *to, const int *at, size_t n, const double *value, double factor) {
  for (size_t i = 0; i < n; i++) if (at[i] >= 0) to[at[i]] += factor * value[i];
}

static void set_entries(double *to, const int *at, size_t n, const double *value) {
  for (size_t i = 0; i < n; i++) to[at[i]] = value[i];
}

// Derivatives of momentum rows by positions and velocities, and what the rows are measured by.
static void add_square(nsm_sim *s, const nsm_view *v, const sim_class *k, const int *at, const double *value) {
  struct sim_consistent *c = s->n.con;
  const nsm_pattern *p = &k->c->cjac;
  for (int i = 0; i < k->tab.count; i++, value += p->n, at += p->n)
    for (int e = 0; e < p->n; e++) {
      int of_q = p->wrt[e] == NSM_WRT_Q, col = sim_z_of(s, k, i, p->col[e]);
      c->fresh[sim_z_of(s, k, i, p->row[e])] += fabs(value[e] * (of_q ? v->q[col] : v->v[col]));
      if (at[e] >= 0) c->near->a[at[e]] += of_q ? 0.5 * v->h * value[e] : value[e];
    }
}

static void momentum(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  nsm_view begin = sim_now(s);
  memset(near->a, 0, (size_t)near->a0[near->units] * sizeof(double));
  memset(c->fresh, 0, (size_t)s->a->nv * sizeof(double));
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    int cls = s->a->on.smooth.of[a];
    const sim_class *k = &s->a->cls[cls];
    if (!k->c->cjac_fn) continue;
    k->c->cjac_fn(v, &k->tab, c->cls[cls].cjac);
    add_square(s, v, k, near->cjac_at[cls], c->cls[cls].cjac);
  }
  for (int i = 0; i < s->a->nv; i++) {
    double more = fmax(0, c->fresh[i] - s->now.r1_most[i]);
    s->now.r1_most[i] += more;
    s->now.r1_size[i] += more;
  }
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    if (!k->c->bend_fn) continue;
    k->c->bend_fn(&begin, &k->tab, v->l + s->n.r.l[k->row0], near->bend[cls]);
    add_entries(near->a, near->bend_at[cls], (size_t)k->tab.count * (size_t)k->c->bend.n, near->bend[cls], -0.5 * v->h);
  }
}

void con_near_curvature(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    const nsm_pattern *p = &k->c->curve;
    if (!k->c->curve_fn) continue;
    const double *value = c->cls[cls].curve;
    k->c->curve_fn(v, &k->tab, v->l + s->n.r.l[k->row0], v->k + s->n.r.l[k->row0], c->cls[cls].curve);
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < p->n; e++) {
        int col = sim_z_of(s, k, i, p->col[e]);
        c->fresh[sim_z_of(s, k, i, p->row[e])] += fabs(*value++ * (p->wrt[e] == NSM_WRT_Q ? v->q[col] : v->v[col]));
      }
  }
  for (int i = 0; i < s->a->nv; i++) s->now.r1_most[i] = fmax(s->now.r1_most[i], c->fresh[i]);
}

// Dg and Drate are those of the residual.
static void constraints(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  size_t values = (size_t)near->by_column[near->part0[near->blocks->n]];
  memset(near->h, 0, values * sizeof(double));
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    const nsm_class *d = k->c;
    con_class *o = &c->cls[cls];
    size_t count = (size_t)k->tab.count;
    if (d->dg_fn && d->h_stage > NSM_EVENT) d->h_fn(v, &k->tab, k->h);
    if (d->gq_fn) d->gq_fn(v, &k->tab, o->gq);
    if (d->rq_fn) d->rq_fn(v, &k->tab, o->rq);
    set_entries(near->dg, near->dg_at[cls], count * (size_t)d->h.n, d->dg_fn ? o->dg : k->h);
    if (d->drate_fn) set_entries(near->dr, near->dr_at[cls], count * (size_t)d->dr.n, o->dr);
    set_entries(near->h, near->h_at[cls], count * (size_t)d->h.n, k->h);
    set_entries(near->g, near->g_at[cls], count * (size_t)(d->gq_fn ? d->gq.n : d->h.n), d->gq_fn ? o->gq : k->h);
    if (d->rq_fn) set_entries(near->rq, near->rq_at[cls], count * (size_t)d->rq.n, o->rq);
  }
  for (size_t i = 0; i < values; i++) near->h[i] += 0.5 * v->h * near->rq[i];
}

static void columns_of_p(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  const int *at = c->near->p_at;
  for (int j = 0; j < c->ns; j++)
    for (int e = r->x0[c->row[j]]; e < r->x0[c->row[j] + 1]; e++) c->near->p[*at++] = r->x[e];
}

// P by the means of H, where constraints have such.
static void means(nsm_sim *s) {
  const struct sim_consistent *c = s->n.con;
  if (con_by_means(s) && !s->n.w.diagonal) con_mean_columns(s);
  columns_of_p(s);
  if (!s->n.w.diagonal) return;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    int cls = s->a->on.constraint.of[a];
    const sim_class *k = &s->a->cls[cls];
    const con_class *o = &c->cls[cls];
    const int *at = c->near->dg_at[cls];
    size_t n = (size_t)k->tab.count * (size_t)k->c->h.n;
    for (size_t e = 0; o->hm && e < n; e++) c->near->p[at[e]] = s->n.w.inverse[o->hm_z[e]] * o->hm[e];
  }
}

int con_near_matrix(nsm_sim *s, const nsm_view *v) {
  struct con_near *near = s->n.con->near;
  momentum(s, v);
  constraints(s, v);
  means(s);
  memcpy(near->inverse, near->a, (size_t)near->a0[near->units] * sizeof(double));
  for (int u = 0; u < near->units; u++)
    if (!nsm_block_invert(near->velocities[u], near->inverse + near->a0[u], small)) return 0;
  (la_wide() ? eliminate_wide : eliminate_plain)(near);
  double *by_row[] = { near->x, near->p }, *by_column[] = { near->h, near->g, near->rq };
  for (int i = 0; i < 2; i++) rows_out(s, by_row[i]);
  for (int i = 0; i < 3; i++) columns_out(s, by_column[i]);
  (la_wide() ? make_wide : make_plain)(near);
  rows_of_one(s, near->s);
  rows_of_one(s, near->t);
  s->n.con->vanished = nsm_blocks_factor(near->blocks, near->s, small) >= 0 ||
                       nsm_blocks_factor(near->blocks, near->t, small) >= 0;
  return !s->n.con->vanished;
}

// ---- solves ---------------------------------------------------------------------------------------------------------
// (17), dkappa and P dkappa in `du` where there are such: du, dlambda.
static void solve_motion(nsm_sim *s, int again) {
  struct con_near *near = s->n.con->near;
  size_t moved = (size_t)near->seats * sizeof(double);
  for (int j = 0; j < near->held; j++) near->dlambda[j] = -near->rate[j];
  if (again) value_rows(s, near->rq, 1, near->du, near->dlambda);
  for (int i = 0; i < near->seats; i++) near->right[i] = -near->momentum[i];
  if (again) value_columns(s, near->dr, near->dkappa, near->right);
  memset(near->du, 0, moved);
  (la_wide() ? units_wide : units_plain)(near, near->right, near->du);
  value_rows(s, near->h, -1, near->du, near->dlambda);
  nsm_blocks_solve(near->blocks, near->s, near->dlambda);
  value_columns(s, near->x, near->dlambda, near->du);
}

void con_near_solve(nsm_sim *s, double h) {
  struct con_near *near = s->n.con->near;
  for (int round = 1;; round++) {
    solve_motion(s, round > 1);
    memcpy(near->dkappa, near->gap, (size_t)near->held * sizeof(double));
    value_rows(s, near->g, 0.5 * h, near->du, near->dkappa);
    nsm_blocks_solve(near->blocks, near->t, near->dkappa);
    if (round == ROUNDS) break;
    memset(near->du, 0, (size_t)near->seats * sizeof(double));
    value_columns(s, near->p, near->dkappa, near->du);
  }
}
