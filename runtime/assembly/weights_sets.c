// Sets of laws with cases, docs/numerics/circuits.md, 4: which of them bear a weight below 1, and what multipliers are
// at the end of a step that had one.
//
// A set says which rows are inside, y = 0 (I), and which multipliers stand at a bound. With D_II regular, index 1,
//
//   M x' = A x + K x + B l + ...,   l_I = -D_II^{-1} (C_I x + ...)    gives    x' = S x + ...,
//   S = M^{-1} (A + K - B_I D_II^{-1} C_I).                                                                     (5a)
//
// The set is good where h |mu| <= 2 for each eigenvalue mu of S: beyond that the weight 1/2 turns a decay into an
// oscillation. In networks also h |Im mu| <= 1/2: of an oscillation that the step does not resolve the weight 1/2 keeps
// the amplitude and loses the phase.
#include "weights.h"
#include <math.h>
#include <string.h>

enum { CHANGES = 40 };
static const double stiff = 2, resolved = 0.5, mixed = 0.05, singular = 1e-11, round_off = 1e-12;

// ---- sets -----------------------------------------------------------------------------------------------------------
void sim_sets_of(nsm_sim *s, const sim_group *g, const double *l) {
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < g->nrow; i++) {
    int row = g->row[i];
    double x = l[r->l[row]];
    s->n.weights->set[row] = x <= r->lo[row] ? WEIGHTS_LOW : x >= r->hi[row] ? WEIGHTS_HIGH : WEIGHTS_INSIDE;
  }
}

static uint64_t hash_of(const nsm_sim *s, const sim_group *g) {
  uint64_t h = 1469598103934665603u;                       // FNV-1a
  for (int i = 0; i < g->nrow; i++) h = (h ^ (s->n.weights->set[g->row[i]] == WEIGHTS_INSIDE)) * 1099511628211u;
  return h;
}

// Rows inside, their numbers among these into local; D_II by columns, its factors. 0: singular.
static int factor(nsm_sim *s, const sim_group *g, int *count) {
  struct sim_weights *w = s->n.weights;
  const sim_rows *r = &s->n.r;
  int n = 0, *local = w->local + s->a->nz;
  for (int i = 0; i < g->nrow; i++) {
    local[g->row[i]] = w->set[g->row[i]] == WEIGHTS_INSIDE ? n : -1;
    if (local[g->row[i]] >= 0) w->inside[n++] = g->row[i];
  }
  *count = n;
  if (n == 0) return 1;
  memset(w->D, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) {
    double most = 0;
    for (int e = r->d0[w->inside[i]]; e < r->d0[w->inside[i] + 1]; e++) most = fmax(most, fabs(r->d[e]));
    if (!(most > 0)) return 0;
    for (int e = r->d0[w->inside[i]]; e < r->d0[w->inside[i] + 1]; e++) {
      int j = local[r->ds[e]];
      if (j >= 0) w->D[i + j * n] += r->d[e] / most;
    }
    w->Y[i] = most;
  }
  if (nsm_la_lu_factor(n, w->D, n, w->pivot).code != NSM_LA_OK) return 0;
  for (int i = 0; i < n; i++) if (!(fabs(w->D[i + i * n]) > singular)) return 0;
  return 1;
}

static void add_entries(nsm_sim *s, const sim_class *k, const nsm_pattern *p, const double *value, int n, double *to) {
  const int *local = s->n.weights->local;
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) {
      int row = sim_z_of(s, k, i, p->row[e]), col = sim_z_of(s, k, i, p->col[e]);
      if (row < s->a->nv || col < s->a->nv) continue;
      to[local[row] + local[col] * n] += value[(size_t)i * (size_t)p->n + (size_t)e];
    }
}

// M, A + K and -B_I D_II^{-1} C_I of the n states of the group, rows and columns as in z.
static void fill(nsm_sim *s, const sim_group *g, const int *z, int n, int inside) {
  struct sim_weights *w = s->n.weights;
  const sim_rows *r = &s->n.r;
  int *local = w->local;
  for (int i = 0; i < n; i++) local[z[i]] = i;
  memset(w->M, 0, (size_t)n * (size_t)n * sizeof(double));
  memset(w->S, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int a = 0; a < s->a->on.smooth.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.smooth.of[a]];
    if (w->of_cls[s->a->on.smooth.of[a]] != (int)(g - w->group)) continue;
    if (k->c->mass_stage != NSM_NONE) add_entries(s, k, &k->c->mass, k->mass, n, w->M);
    if (k->c->jac_stage != NSM_NONE) add_entries(s, k, &k->c->jac, k->jac, n, w->S);
    if (k->c->k_stage != NSM_NONE) add_entries(s, k, &k->c->k, k->k, n, w->S);
  }

  double *Y = w->Y;                                        // what factor divided its rows by, then a column
  for (int c = 0; c < n; c++) {                            // a column of C at a time
    int any = 0;
    for (int i = 0; i < inside; i++) {
      const sim_class *k = &s->a->cls[r->cls[w->inside[i]]];
      double sum = 0;
      for (int e = r->c0[w->inside[i]]; e < r->c0[w->inside[i] + 1]; e++)
        if (r->cz[e] == z[c]) sum += r->c[e] / k->gamma;
      Y[inside + i] = sum / Y[i];
      any |= sum != 0;
    }
    if (!any) continue;
    nsm_la_lu_solve(inside, 1, w->D, inside, w->pivot, Y + inside, inside);
    for (int i = 0; i < inside; i++)
      for (int e = r->b0[w->inside[i]]; e < r->b0[w->inside[i] + 1]; e++)
        if (r->bz[e] >= s->a->nv && r->bz[e] < s->a->nz)
          w->S[local[r->bz[e]] + c * n] -= r->b[e] / s->n.h * Y[inside + i];
  }
}

// A step of length h resolves the set where h times this is at most `stiff`; INFINITY where it is not of index 1.
// Velocities are given their theta: of a group that has some, the states are looked at with the velocities held.
static double rate_of(nsm_sim *s, const sim_group *g) {
  struct sim_weights *w = s->n.weights;
  int held = 0, inside;
  while (held < g->nz && g->z[held] < s->a->nv) held++;
  int n = g->nz - held;
  double *re = w->rates, *im = w->rates + n, most = 0;
  int given = g->gamma == 1 || (g->moves && !w->network);  // of index 2 it is as given
  if (!factor(s, g, &inside)) return given ? 0 : INFINITY;
  if (n == 0) return 0;
  fill(s, g, g->z + held, n, inside);
  if (nsm_la_lu_factor(n, w->M, n, w->pivot).code != NSM_LA_OK) return INFINITY;
  nsm_la_lu_solve(n, n, w->M, n, w->pivot, w->S, n);
  if (!nsm_la_eigenvalues(n, w->S, re, im)) return INFINITY;
  for (int i = 0; i < n; i++) {
    most = fmax(most, hypot(re[i], im[i]));
    if (w->network) most = fmax(most, stiff / resolved * fabs(im[i]));
  }
  return most;
}

static double kept_rate(nsm_sim *s, sim_group *g) {
  uint64_t hash = hash_of(s, g);
  if (s->n.weights->moving) g->kept = g->next = 0;
  for (int i = 0; i < g->kept; i++) if (g->hash[i] == hash) return g->rate[i];
  int at = g->next;
  g->next = (at + 1) % WEIGHTS_KEPT;
  g->kept += g->kept < WEIGHTS_KEPT;
  g->hash[at] = hash;
  return g->rate[at] = rate_of(s, g);
}

// With gamma other than theta a row has the states of one instant and the multipliers of another: (gamma - theta) h z'
// is missing. In S of the set without any row inside, which multipliers drive, that is h |mu| (gamma - theta)
// of what the part does. Below 1 a passive system stays passive,
//   D + (gamma/theta) C (M/(h theta) - A)^{-1} B >= 0  where  D - C A^{-1} B >= 0  and  h |mu| (gamma - theta) <= 1,
// and a twentieth is what such a step may be off by.
int sim_sets_unmixed(nsm_sim *s, sim_group *g) {
  struct sim_weights *w = s->n.weights;
  if (g->gamma == g->theta) return 1;
  for (int i = 0; i < g->nrow; i++) {
    w->aside[i] = w->set[g->row[i]];
    w->set[g->row[i]] = WEIGHTS_LOW;
  }
  double rate = kept_rate(s, g);
  for (int i = 0; i < g->nrow; i++) w->set[g->row[i]] = w->aside[i];
  return s->n.h * rate * fabs(g->gamma - g->theta) <= mixed;
}

int sim_sets_good(nsm_sim *s, sim_group *g) {
  return s->n.h * kept_rate(s, g) <= stiff && sim_sets_unmixed(s, g);
}

// ---- multipliers at the end -----------------------------------------------------------------------------------------
// y and bounds at the end, with the multipliers of w.l1.
static void evaluate(nsm_sim *s, const sim_group *g, double t1) {
  sim_rows *r = &s->n.r;
  nsm_view v = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  int moved = 0;
  for (int a = 0; a < s->a->on.relation.n; a++) {
    int cls = s->a->on.relation.of[a];
    sim_class *k = &s->a->cls[cls];
    if (s->n.weights->of_cls[cls] != (int)(g - s->n.weights->group)) continue;
    k->c->y_fn(&v, &k->tab, r->y + k->row0);
    if (k->c->law_fn) k->c->law_fn(&v, &k->tab, r->lo + k->row0, r->hi + k->row0);
    if (k->c->h_stage > NSM_EVENT) { k->c->h_fn(&v, &k->tab, k->h); moved = 1; }
  }
  if (moved) sim_rows_outer(s, 0);
}

// What the multipliers of the present set must be: l_I by one step of Newton's method, the others at their bounds.
static void to_bounds(nsm_sim *s, const sim_group *g) {
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < g->nrow; i++) {
    int row = g->row[i], set = s->n.weights->set[row];
    if (set != WEIGHTS_INSIDE) s->w.l1[r->l[row]] = set == WEIGHTS_LOW ? r->lo[row] : r->hi[row];
  }
}

static double terms_of(const nsm_sim *s, int row) {
  const sim_rows *r = &s->n.r;
  double size = fabs(r->y[row]);
  for (int e = r->c0[row]; e < r->c0[row + 1]; e++)
    size += fabs(r->c[e]) * (fabs(s->w.z1[r->cz[e]]) + fabs(s->now.z[r->cz[e]]));
  for (int e = r->d0[row]; e < r->d0[row + 1]; e++) size += fabs(r->d[e] * s->w.l1[r->l[r->ds[e]]]);
  return size;
}

// Rows whose law the present set breaks change it. How many did; *off: is y = 0 missed where it should be?
static int change(nsm_sim *s, const sim_group *g, int *off) {
  const sim_rows *r = &s->n.r;
  unsigned char *set = s->n.weights->set;
  double most = 0;
  int n = 0;
  *off = 0;
  for (int i = 0; i < g->nrow; i++) most = fmax(most, fabs(s->w.l1[r->l[g->row[i]]]));
  for (int i = 0; i < g->nrow; i++) {
    int row = g->row[i], was = set[row];
    double l = s->w.l1[r->l[row]], y = r->y[row], size = terms_of(s, row);
    if (was == WEIGHTS_INSIDE) {
      *off |= !(fabs(y) <= 64 * round_off * size);
      if (l < r->lo[row] - round_off * most) set[row] = WEIGHTS_LOW;
      else if (l > r->hi[row] + round_off * most) set[row] = WEIGHTS_HIGH;
    } else if ((was == WEIGHTS_LOW ? y : -y) < -round_off * size) set[row] = WEIGHTS_INSIDE;
    n += set[row] != was;
  }
  return n;
}

// Within the bounds to the last bit, where only rounding had left them.
static void clip(nsm_sim *s, const sim_group *g) {
  const sim_rows *r = &s->n.r;
  for (int i = 0; i < g->nrow; i++) {
    double *l = &s->w.l1[r->l[g->row[i]]];
    *l = fmin(fmax(*l, r->lo[g->row[i]]), r->hi[g->row[i]]);
  }
}

int sim_sets_record(nsm_sim *s, sim_group *g, double t1) {
  struct sim_weights *w = s->n.weights;
  const sim_rows *r = &s->n.r;
  for (int k = 0; k < CHANGES; k++) {
    int n, off;
    evaluate(s, g, t1);
    to_bounds(s, g);
    evaluate(s, g, t1);
    if (!factor(s, g, &n)) return 0;
    for (int i = 0; i < n; i++) w->Y[i] = -r->y[w->inside[i]] / w->Y[i];
    nsm_la_lu_solve(n, 1, w->D, n, w->pivot, w->Y, n);
    for (int i = 0; i < n; i++) s->w.l1[r->l[w->inside[i]]] += w->Y[i];
    evaluate(s, g, t1);
    if (change(s, g, &off) > 0 || off) continue;
    clip(s, g);
    return sim_sets_good(s, g);
  }
  return 0;
}
