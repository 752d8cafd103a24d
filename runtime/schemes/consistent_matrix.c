// The Jacobian of the smooth rows (2), (4), (5) of docs/numerics/consistent.md, with q eliminated by (9):
//
//        [ R_u + (h/2) R_q              -Dg^T    -Drate^T - R_q P ]   momentum
//   K =  [ H(q_E) + (h/2) rate_q  0  -rate_q P  ]  rates  R = R1 - Dg^T lambda - Drate^T kappa - Dg_N^T lambda_N
//        [ (h/2) H(q_E)    0  -H(q_E) P  ]  gaps                                         (11)
//
// Its connected components are the blocks of a sim_matrix. Those with rows of constraints are scaled, in the metric of
// the masses, to unit rows and columns. Where constraints depend on each other the block is replaced by its
// pseudo-inverse for as long as they do, and where that would be too large the multipliers whose pivots vanish are left
// out.
#include "consistent.h"
#include <math.h>
#include <string.h>

// A pivot this small beside the largest, of a scaled block, counts as zero. Constraints that depend on each other where
// they are met do so up to delta at an iterate that misses them by delta: once a run has met such, the iterates of
// Newton's method are not to make multipliers of delta^2/delta. Where light bodies hang on heavy ones pivots are small
// as well: whether constraints depend on each other is asked of H (con_move).
static const double dependent = 1e-12, known_dependent = 1e-7;

static double smallest_pivot(const nsm_sim *s) {
  if (s->now.con.firm) return 0;
  return s->now.con.redundant || s->n.con->singular ? known_dependent : dependent;
}

static void add_square(nsm_sim *s, const nsm_view *v, const sim_class *k, const nsm_pattern *p, const double *value,
                       double factor) {
  struct sim_consistent *c = s->n.con;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      double x = factor * value[(size_t)i * (size_t)p->n + (size_t)e];
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]), of_q = p->wrt[e] == NSM_WRT_Q;
      c->fresh[row] += fabs(x * (of_q ? v->q[col] : v->v[col]));
      if (of_q) con_add_q(c, row, col, x);
      else con_add(c, row, col, x);
    }
}

// The curvature of a row, of friction none: H_T does not change in the iteration.
static void add_curve(nsm_sim *s, const nsm_view *v, const sim_class *k, con_class *o) {
  int l0 = s->n.r.l[k->row0];
  if (!k->c->curve_fn) return;
  k->c->curve_fn(v, &k->tab, v->l + l0, v->k + l0, o->curve);
  add_square(s, v, k, &k->c->curve, o->curve, -1);
}

static void add_constraint(nsm_sim *s, const sim_class *k, const con_class *o, int i) {
  struct sim_consistent *c = s->n.con;
  const nsm_class *d = k->c;
  int rate = s->a->nv + c->of[k->row0 + i], gap = rate + c->ns;
  if (!con_acts(s, c->of[k->row0 + i])) {                // its multipliers are 0
    con_add(c, rate, rate, 1);
    con_add(c, gap, gap, 1);
    return;
  }
  const double *dg = (d->dg_fn ? o->dg : k->h) + (size_t)i * (size_t)d->h.n, *end = k->h + (size_t)i * (size_t)d->h.n;
  for (int e = 0; e < d->h.n; e++) {
    int z = sim_z_of(s, k, i, d->h.col[e]);
    con_add(c, z, rate, -dg[e]);
    con_add(c, rate, z, end[e]);
    if (!d->gq_fn) con_add_q(c, gap, z, end[e]);
  }
  for (int e = 0; d->gq_fn && e < d->gq.n; e++)
    con_add_q(c, gap, sim_z_of(s, k, i, d->gq.col[e]), o->gq[(size_t)i * (size_t)d->gq.n + (size_t)e]);
  for (int e = 0; d->drate_fn && e < d->dr.n; e++)
    con_add(c, sim_z_of(s, k, i, d->dr.col[e]), gap, -o->dr[(size_t)i * (size_t)d->dr.n + (size_t)e]);
  for (int e = 0; d->rq_fn && e < d->rq.n; e++)
    con_add_q(c, rate, sim_z_of(s, k, i, d->rq.col[e]), o->rq[(size_t)i * (size_t)d->rq.n + (size_t)e]);
}

// ---- factors --------------------------------------------------------------------------------------------------------
// Places in a column of a dense or banded block: rows [*from, *to), the first entry of the column as if from were 0.
static double *column_of(const sim_block *b, double *A, int j, int *from, int *to) {
  *from = 0;
  *to = b->n;
  if (b->kind != BLOCK_BAND) return A + (size_t)j * (size_t)b->ld;
  if (j > b->reach) *from = j - b->reach;
  if (j + b->reach + 1 < b->n) *to = j + b->reach + 1;
  return A + nsm_la_band_index(b->reach, b->reach, b->ld, 0, j);
}

// Rows, then columns, to a largest entry of 1.
static void balance(struct sim_consistent *c, const sim_block *b) {
  double *A = c->k.val + b->at, *rs = c->row_scale + b->first, *cs = c->col_scale + b->first;
  int n = b->n, from, to;
  if (b->kind == BLOCK_SPARSE) { nsm_sparse_balance(b->sparse, A, rs, cs); return; }
  for (int i = 0; i < n; i++) rs[i] = 0;
  for (int j = 0; j < n; j++) {
    const double *a = column_of(b, A, j, &from, &to);
    for (int i = from; i < to; i++) {
      double x = fabs(a[i]);
      rs[i] = x > rs[i] ? x : rs[i];
    }
  }
  for (int i = 0; i < n; i++) rs[i] = rs[i] > 0 ? 1 / rs[i] : 1;
  for (int j = 0; j < n; j++) {
    double most = 0, *a = column_of(b, A, j, &from, &to);
    for (int i = from; i < to; i++) {
      double x = fabs(a[i] *= rs[i]);
      most = x > most ? x : most;
    }
    cs[j] = most > 0 ? 1 / most : 1;
    for (int i = from; i < to; i++) a[i] *= cs[j];
  }
}

// The metric of the masses, of unknowns and equations alike: K is the same in other units then. Not where constraints
// depend on each other: the pseudo-inverse leaves small pivots out, and by the metric Newton's method took twice the
// iterations and stopped at 4e-12.
static void metric(const nsm_sim *s, const sim_block *b, double *to) {
  const struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < b->n; i++) {
    int z = c->k.order[b->first + i], row = z < s->a->nv ? -1 : c->row[(z - s->a->nv) % c->ns];
    double size = row < 0 ? 1 / c->held_inverse[z] : 0;
    for (int e = row < 0 ? 0 : r->c0[row]; row >= 0 && e < r->c0[row + 1]; e++)
      size += r->c[e] * r->c[e] * c->held_inverse[r->cz[e]];
    to[i] = sim_root_metric(size);
  }
}

static void scale(nsm_sim *s, const sim_block *b) {
  struct sim_consistent *c = s->n.con;
  if (s->now.con.redundant || c->singular) { balance(c, b); return; }
  metric(s, b, c->rhs);
  sim_block_scale(&c->k, b, c->rhs);
  balance(c, b);
  for (int i = 0; i < b->n; i++) {
    c->row_scale[b->first + i] *= c->rhs[i];
    c->col_scale[b->first + i] *= c->rhs[i];
  }
}

// The block before it was factored, whole.
static void expand(const struct sim_consistent *c, const sim_block *b, double *A) {
  size_t n = (size_t)b->n, values = n * (size_t)b->ld;
  if (b->kind == BLOCK_SPARSE) { nsm_sparse_expand(b->sparse, c->keep, A); return; }
  if (b->kind != BLOCK_BAND) { memcpy(A, c->keep, values * sizeof(double)); return; }
  memset(A, 0, n * n * sizeof(double));
  for (int j = 0, from, to; j < b->n; j++) {
    const double *a = column_of(b, c->keep, j, &from, &to);
    for (int i = from; i < to; i++) A[(size_t)i + (size_t)j * n] = a[i];
  }
}

// LU by the shape of the block; 1 where a pivot vanishes beside the largest.
static int rank_trouble(nsm_sim *s, int block) {
  struct sim_consistent *c = s->n.con;
  sim_block *b = &c->k.block[block];
  double *A = c->k.val + b->at, least = INFINITY, most = 0, small = smallest_pivot(s);
  int *pivot = c->k.pivot + b->first, n = b->n, ld = b->ld;
  b->banded = 0;
  if (b->kind == BLOCK_SPARSE) {                         // fronts look for pivots among few rows, a band among all
    if (nsm_sparse_factor(b->sparse, A, NSM_SPARSE_PIVOTS, small, 0, NULL) < 0) return 0;
    if (!(A = sim_block_band(s, &c->k, block))) return 1;
    ld = 3 * b->reach + 1;
  }
  int band = b->kind == BLOCK_BAND || b->banded;
  nsm_la_status st = band ? nsm_la_band_factor(n, b->reach, b->reach, A, ld, pivot) : nsm_la_lu_factor(n, A, ld, pivot);
  for (int i = 0; i < n; i++) {
    double x = fabs(A[band ? nsm_la_band_index(b->reach, b->reach, ld, i, i) : i + (long)i * ld]);
    least = x < least ? x : least;
    most = x > most || isnan(x) ? x : most;
  }
  return isfinite(most) && (st.code != NSM_LA_OK || !(least > small * most));
}

static void factor_constrained(nsm_sim *s, int block) {
  struct sim_consistent *c = s->n.con;
  const sim_block *b = &c->k.block[block];
  double *A = c->k.val + b->at;
  size_t n = (size_t)b->n, bytes = (b->kind == BLOCK_SPARSE ? b->sparse->values : n * (size_t)b->ld) * sizeof(double);
  int dropped = 0;
  scale(s, b);
  if (b->n <= NSM_LA_SMALL) {  // columns have a largest entry of 1: the rule for pivots is the one below
    double X[NSM_LA_SMALL * NSM_LA_SMALL];
    c->inverted[block] = nsm_la_small_inverse(b->n, A, b->n, dependent, X).code == NSM_LA_OK;
    if (c->inverted[block]) { memcpy(A, X, bytes); return; }
  }
  memcpy(c->keep, A, bytes);
  c->inverted[block] = (unsigned char)rank_trouble(s, block);
  if (!c->inverted[block]) return;
  c->singular = 1;
  if (b->n <= PSEUDO_MOST || b->kind == BLOCK_DENSE) {
    if (!c->inverse[block]) c->inverse[block] = b->kind == BLOCK_DENSE ? A : SIM_NEW(s, n * n, double);
    expand(c, b, c->right);
    nsm_la_pseudo_inverse(b->n, c->right, smallest_pivot(s), c->inverse[block], c->jpvt, c->work, c->lwork);
    return;
  }
  c->inverted[block] = 0;
  memcpy(A, c->keep, bytes);
  int *pivot = c->k.pivot + b->first, ld = 3 * b->reach + 1;
  double *band = b->kind == BLOCK_BAND ? A : b->banded ? sim_block_band(s, &c->k, block) : NULL;
  if (band) nsm_la_band_factor_dropping(b->n, b->reach, b->reach, band, ld, pivot, smallest_pivot(s), &dropped);
  else nsm_sparse_factor(b->sparse, A, NSM_SPARSE_PIVOTS, smallest_pivot(s), 1, NULL);
}

int con_matrix(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  con_entries_open(c, v->h);
  memset(c->has_column, 0, (size_t)s->n.r.n);
  c->x_used = 0;
  int again = c->affine && !c->projected && c->made_for == 0 && s->now.con.made_for == v->h;
  c->made_for = s->now.con.made_for = v->h;
  if (con_by_means(s)) con_mean_columns(s);
  memset(c->fresh, 0, (size_t)s->a->nv * sizeof(double));
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.smooth.of[a]];
    con_class *o = &c->cls[s->a->on.smooth.of[a]];
    if (!k->c->cjac_fn) continue;
    k->c->cjac_fn(v, &k->tab, o->cjac);
    add_square(s, v, k, &k->c->cjac, o->cjac, 1);
  }
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    con_class *o = &c->cls[s->a->on.constraint.of[a]];
    add_curve(s, v, k, o);
    if (k->c->dg_fn && k->c->h_stage > NSM_EVENT) k->c->h_fn(v, &k->tab, k->h);
    if (k->c->gq_fn) k->c->gq_fn(v, &k->tab, o->gq);
    if (k->c->rq_fn) k->c->rq_fn(v, &k->tab, o->rq);
    for (int i = 0; i < k->tab.count; i++) add_constraint(s, k, o, i);
  }
  for (int a = 0; a < s->a->on.contact.n; a++) {         // last, as they come and go (consistent_entries.c)
    const sim_class *k = &s->a->cls[s->a->on.contact.of[a]];
    if (memchr(s->n.r.active + k->row0, 1, (size_t)k->tab.count)) add_curve(s, v, k, &c->cls[s->a->on.contact.of[a]]);
  }
  con_entries_close(s);
  for (int i = 0; !again && i < s->a->nv; i++)           // a restored state has those of the matrix made before
    s->now.r1_most[i] = fmax(s->now.r1_most[i], c->fresh[i]);
  for (int b = 0; b < c->k.nblock; b++) {
    if (c->constrained[b]) { factor_constrained(s, b); continue; }
    int row = sim_block_factor(s, &c->k, b);
    if (row >= 0) return row;
  }
  return -1;
}

void con_block_solve(nsm_sim *s, int block, double *x) {
  struct sim_consistent *c = s->n.con;
  const sim_block *b = &c->k.block[block];
  if (!c->constrained[block]) { sim_block_solve(&c->k, block, x); return; }
  const double *rs = c->row_scale + b->first, *cs = c->col_scale + b->first;
  double *y = c->rhs;
  for (int i = 0; i < b->n; i++) y[i] = x[i] * rs[i];
  if (c->inverted[block] && b->n <= NSM_LA_SMALL) {
    const double *A = c->k.val + b->at;
    for (int i = 0; i < b->n; i++) {
      x[i] = 0;
      for (int j = 0; j < b->n; j++) x[i] += A[i + j * b->n] * y[j];
    }
  } else if (c->inverted[block]) nsm_la_gemv(b->n, b->n, 1, c->inverse[block], b->n, y, 0, x);
  else {
    sim_block_solve(&c->k, block, y);
    memcpy(x, y, (size_t)b->n * sizeof(double));
  }
  for (int i = 0; i < b->n; i++) x[i] *= cs[i];
}

int con_block_has_lanes(const nsm_sim *s, int block) {
  const struct sim_consistent *c = s->n.con;
  const sim_block *b = &c->k.block[block];
  return b->kind == BLOCK_SPARSE && !b->banded && !(c->constrained[block] && c->inverted[block]);
}

void con_block_solve_lanes(nsm_sim *s, int block, double *const x[NSM_SPARSE_LANES]) {
  const struct sim_consistent *c = s->n.con;
  const sim_block *b = &c->k.block[block];
  const double *rs = c->row_scale + b->first, *cs = c->col_scale + b->first;
  int scaled = c->constrained[block];
  for (int l = 0; l < NSM_SPARSE_LANES && scaled; l++) for (int i = 0; i < b->n; i++) x[l][i] *= rs[i];
  sim_block_solve_lanes(&c->k, block, x);
  for (int l = 0; l < NSM_SPARSE_LANES && scaled; l++) for (int i = 0; i < b->n; i++) x[l][i] *= cs[i];
}

void con_solve(nsm_sim *s, double *x) {
  const sim_matrix *w = &s->n.con->k;
  for (int k = 0; k < w->nblock; k++) {
    const sim_block *b = &w->block[k];
    const int *order = w->order + b->first;
    double *y = w->work;
    if (b->kind == BLOCK_SCALAR) { x[order[0]] *= w->inverse[order[0]]; continue; }
    for (int i = 0; i < b->n; i++) y[i] = x[order[i]];
    con_block_solve(s, k, y);
    for (int i = 0; i < b->n; i++) x[order[i]] = y[i];
  }
}

void con_dq(const nsm_sim *s, double h, const double *dz, double *dq) {
  const struct sim_consistent *c = s->n.con;
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < s->a->nv; i++) dq[i] = 0.5 * h * dz[i];
  for (int j = 0; j < c->ns; j++) {
    double k = dz[s->a->nv + c->ns + j];
    for (int e = r->x0[c->row[j]]; e < r->x0[c->row[j] + 1]; e++) dq[r->xz[e]] -= r->x[e] * k;
  }
}
