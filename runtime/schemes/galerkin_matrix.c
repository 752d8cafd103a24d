// The derivative of the equations of a piece (galerkin_system.c), dense. What a subinterval depends on by its begin is
// had from the same kernels taken backwards, as R1(E, B, -h) = -R1(B, E, h).
#include "galerkin.h"

// Pivots of the scaled matrix below this, beside the largest, are rows that depend on each other.
static const double dependent = 1e-11;

typedef struct piece { int N, i; } piece;

static void add(nsm_sim *s, int row, int col, double x) {
  struct sim_galerkin *g = s->n.galerkin;
  g->A[(size_t)row + (size_t)col * (size_t)g->n] += x;
}

// Entries of a kernel of momentum rows, at the end (side 1) or at the begin of the subinterval.
static void add_square(nsm_sim *s, const sim_class *k, const nsm_pattern *p, const double *value, piece at, int side,
                       double factor) {
  const galerkin_tables *t = &s->n.galerkin->t;
  const double *I = t->at[at.N][at.i - 1 + side];
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      double x = factor * t->share[at.N] * at.N * value[(size_t)i * (size_t)p->n + (size_t)e];
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
      int by = p->wrt[e] == NSM_WRT_Q ? IN_PLACES : IN_SPEEDS;
      for (int j = 0; x != 0 && j < t->s; j++)
        for (int l = 0; l < t->s; l++)
          add(s, galerkin_at(s, j, IN_PLACES, row), galerkin_at(s, l, by, col),
              galerkin_w(t, at.N, at.i, j) * I[l] * x);
    }
}

static void add_mass(nsm_sim *s, const sim_class *k, const galerkin_class *o, piece at) {
  const galerkin_tables *t = &s->n.galerkin->t;
  const nsm_pattern *p = &k->c->mass;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      size_t x = (size_t)i * (size_t)p->n + (size_t)e;
      double m = 0.5 * t->share[at.N] * (o->mass[0][x] + o->mass[1][x]);
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
      for (int j = 0; j < t->s; j++)
        for (int l = 0; l < t->s; l++) {
          double w = galerkin_w(t, at.N, at.i, j) * m;
          int of = galerkin_at(s, j, IN_SPEEDS, row);
          add(s, of, galerkin_at(s, l, IN_PLACES, col), w * at.N * galerkin_w(t, at.N, at.i, l));
          add(s, of, galerkin_at(s, l, IN_SPEEDS, col),
              -0.5 * s->n.h * w * (t->at[at.N][at.i][l] + t->at[at.N][at.i - 1][l]));
        }
    }
}

// A row's directions: columns of its multipliers, and its own equations by places and speeds.
static void add_direction(nsm_sim *s, int cls, int i, int e, piece at) {
  struct sim_galerkin *g = s->n.galerkin;
  const galerkin_tables *t = &g->t;
  const sim_class *k = &s->a->cls[cls];
  const galerkin_class *o = &g->cls[cls];
  size_t x = (size_t)i * (size_t)k->c->h.n + (size_t)e;
  int z = sim_z_of(s, k, i, k->c->h.col[e]), r = g->in.of[k->row0 + i], slips = galerkin_on_velocities(k->c);
  double d = galerkin_direction(s, cls, i)[e], h0 = o->h[0][x], h1 = o->h[1][x], share = t->share[at.N];
  double hm = o->hm ? o->hm[x] : 0.5 * (h0 + h1);
  const double *I0 = t->at[at.N][at.i - 1], *I1 = t->at[at.N][at.i];
  for (int j = 0; j < t->s; j++)
    for (int l = 0; l < t->s; l++) {
      double wj = share * at.N * galerkin_w(t, at.N, at.i, j), wl = galerkin_w(t, at.N, at.i, l);
      add(s, galerkin_at(s, j, IN_PLACES, z), galerkin_at(s, l, IN_FORCES, r), -wj * wl * d);
      add(s, galerkin_at(s, j, IN_SPEEDS, z), galerkin_at(s, l, IN_KAPPAS, r), wj * wl * hm);
      add(s, galerkin_at(s, j, IN_FORCES, r), galerkin_at(s, l, IN_PLACES, z),
          wj * (slips ? d * wl : h1 * I1[l] - h0 * I0[l]));
      if (j > 0)
        add(s, galerkin_at(s, j, IN_KAPPAS, r), galerkin_at(s, l, IN_SPEEDS, z), wj * (h1 * I1[l] - h0 * I0[l]));
      else if (at.N == t->s && at.i == at.N)
        add(s, galerkin_at(s, 0, IN_KAPPAS, r), galerkin_at(s, l, IN_SPEEDS, z), h1 * I1[l]);
    }
}

// d rate/dq at both ends, and the columns of kappa by the discrete derivative of the rate.
static void add_rates(nsm_sim *s, int cls, int i, const double *rq, int side, piece at) {
  struct sim_galerkin *g = s->n.galerkin;
  const galerkin_tables *t = &g->t;
  const sim_class *k = &s->a->cls[cls];
  int r = g->in.of[k->row0 + i];
  const double *I = t->at[at.N][at.i - 1 + side];
  for (int e = 0; e < k->c->rq.n; e++) {
    double x = (side ? 1 : -1) * rq[(size_t)i * (size_t)k->c->rq.n + (size_t)e];
    int z = sim_z_of(s, k, i, k->c->rq.col[e]);
    for (int j = 0; j < t->s; j++)
      for (int l = 0; l < t->s; l++) {
        double wj = t->share[at.N] * at.N * galerkin_w(t, at.N, at.i, j);
        int last = side && at.N == t->s && at.i == at.N;
        if (j > 0 || last)
          add(s, galerkin_at(s, j, IN_KAPPAS, r), galerkin_at(s, l, IN_PLACES, z), (j > 0 ? wj : 1) * I[l] * x);
      }
  }
  const double *dr = g->cls[cls].dr[side];
  for (int e = 0; k->c->drate_fn && e < k->c->dr.n; e++) {
    int z = sim_z_of(s, k, i, k->c->dr.col[e]);
    double x = 0.5 * dr[(size_t)i * (size_t)k->c->dr.n + (size_t)e];
    for (int j = 0; j < t->s; j++)
      for (int l = 0; l < t->s; l++)
        add(s, galerkin_at(s, j, IN_PLACES, z), galerkin_at(s, l, IN_KAPPAS, r),
            -t->share[at.N] * at.N * galerkin_w(t, at.N, at.i, j) * galerkin_w(t, at.N, at.i, l) * x);
  }
}

static void rows_of(nsm_sim *s, int cls, const nsm_view *v, piece at) {
  struct sim_galerkin *g = s->n.galerkin;
  const sim_class *k = &s->a->cls[cls];
  con_class *o = &s->n.con->cls[cls];
  nsm_view b = galerkin_backward(s, v);
  const nsm_view *end[] = { &b, v };
  if (!galerkin_row_kernels(s, cls, v)) return;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < k->c->h.n && g->in.of[k->row0 + i] >= 0; e++) add_direction(s, cls, i, e, at);
  memset(g->l, 0, ((size_t)s->a->nl + 1) * sizeof(double));
  for (int i = 0; i < k->tab.count; i++) {
    int r = g->in.of[k->row0 + i];
    if (r >= 0) g->l[i] = galerkin_mean(s, IN_FORCES, r, at.N, at.i) / at.N;
  }
  for (int side = 0; side < 2; side++) {
    if (k->c->rq_fn) k->c->rq_fn(end[side], &k->tab, o->rq);
    for (int i = 0; i < k->tab.count; i++) if (g->in.of[k->row0 + i] >= 0) add_rates(s, cls, i, o->rq, side, at);
    if (!k->c->curve_fn) continue;
    k->c->curve_fn(end[side], &k->tab, g->l, s->a->zero_l, o->curve);
    add_square(s, k, &k->c->curve, o->curve, at, side, -1);
  }
}

static void subinterval(nsm_sim *s, piece at) {
  struct sim_galerkin *g = s->n.galerkin;
  nsm_view v = galerkin_pair(s, at.N, at.i), b = galerkin_backward(s, &v);
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    int cls = s->a->on.smooth.of[a];
    const sim_class *k = &s->a->cls[cls];
    double *cjac = s->n.con->cls[cls].cjac;
    if (!k->c->cjac_fn || galerkin_at_nodes(k->c)) continue;
    k->c->cjac_fn(&v, &k->tab, cjac);
    add_square(s, k, &k->c->cjac, cjac, at, 1, 1);
    k->c->cjac_fn(&b, &k->tab, cjac);
    add_square(s, k, &k->c->cjac, cjac, at, 0, -1);
  }
  for (int a = 0; a < s->a->on.mass.n; a++) {
    int cls = s->a->on.mass.of[a];
    const sim_class *k = &s->a->cls[cls];
    if (k->c->mass_stage > NSM_EVENT) {
      k->c->mass_fn(&b, &k->tab, g->cls[cls].mass[0]);
      k->c->mass_fn(&v, &k->tab, g->cls[cls].mass[1]);
    }
    add_mass(s, k, &g->cls[cls], at);
  }
  for (int a = 0; a < s->a->on.row.n; a++) rows_of(s, s->a->on.row.of[a], &v, at);
}

// ---- factors --------------------------------------------------------------------------------------------------------
static double largest(const double *a, size_t n, size_t step) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fabs(a[i * step]) > most ? fabs(a[i * step]) : most;
  return most;
}

static void times(double *a, size_t n, size_t step, double x, double *all) {
  for (size_t i = 0; i < n; i++) a[i * step] *= x;
  *all *= x;
}

// Places, velocities and their equations in the metric of the masses, so that the matrix is the same in other units;
// then rows and columns to a largest entry of 1, those of the multipliers first. 0: something is not finite.
static int scale(const nsm_sim *s, double *by_row, double *by_col) {
  const struct sim_galerkin *g = s->n.galerkin;
  size_t n = (size_t)g->n, motion = 2 * (size_t)s->a->nv, nv = (size_t)s->a->nv;
  for (size_t i = 0; i < n; i++) by_row[i] = by_col[i] = 1;
  for (size_t z = 0; z < nv; z++) {
    size_t u = nv + z;                                     // the first equation of coordinates: the mass, by places
    double mass = fabs(g->A[u + z * n]);
    for (size_t i = z; mass > 0 && i < n; i += i % (size_t)g->block < nv ? nv : (size_t)g->block - nv) {
      times(g->A + i, n, n, 1 / sqrt(mass), &by_row[i]);
      times(g->A + i * n, n, 1, 1 / sqrt(mass), &by_col[i]);
    }
  }
  for (int all = 0; all < 2; all++)
    for (int columns = 0; columns < 2; columns++)
      for (size_t i = 0; i < n; i++) {
        double *a = columns ? g->A + i * n : g->A + i, *by = columns ? &by_col[i] : &by_row[i];
        double most = all || i % (size_t)g->block >= motion ? largest(a, n, columns ? 1 : n) : 0;
        if (most > 0) times(a, n, columns ? 1 : n, 1 / most, by);
      }
  double sum = 0;
  for (size_t i = 0; i < n * n; i++) sum += g->A[i] - g->A[i];
  return sum == 0;
}

int galerkin_matrix(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  size_t n = (size_t)g->n, bytes = n * n * sizeof(double);
  double *factors = s->now.piece_factors;
  memset(g->A, 0, bytes);
  for (int N = 1; N <= g->t.s; N++) {
    galerkin_points(s, N);
    for (int i = 1; i <= N; i++) subinterval(s, (piece){ N, i });
  }
  galerkin_add_slopes(s);
  s->now.piece.made_h = 0;
  if (!scale(s, s->now.piece_scale, s->now.piece_scale + n)) return 0;
  memcpy(factors, g->A, bytes);
  double least = 1, most = 0;
  int singular = nsm_la_lu_factor(g->n, factors, g->n, s->now.piece_pivot).code != NSM_LA_OK;
  for (size_t i = 0; i < n; i++) {
    double x = fabs(factors[i + i * n]);
    least = fmin(least, x);
    most = fmax(most, x);
  }
  s->now.piece.inverted = singular || least <= dependent * most;
  if (s->now.piece.inverted &&
      nsm_la_pseudo_inverse(g->n, g->A, dependent, factors, g->jpvt, g->work, g->lwork) < 0) return 0;
  s->now.piece.made_h = s->n.h;
  s->now.piece.spent = 0;
  return 1;
}

void galerkin_solve(nsm_sim *s, double *x) {
  struct sim_galerkin *g = s->n.galerkin;
  const double *by_row = s->now.piece_scale, *by_col = by_row + g->n;
  for (int i = 0; i < g->n; i++) x[i] *= by_row[i];
  if (s->now.piece.inverted) {
    memcpy(g->work, x, (size_t)g->n * sizeof(double));
    nsm_la_gemv(g->n, g->n, 1, s->now.piece_factors, g->n, g->work, 0, x);
  } else nsm_la_lu_solve(g->n, 1, s->now.piece_factors, g->n, s->now.piece_pivot, x, g->n);
  for (int i = 0; i < g->n; i++) x[i] *= by_col[i];
}
