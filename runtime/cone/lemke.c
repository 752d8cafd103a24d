// Lemke's method (Lemke 1965; Cottle, Pang & Stone, The LCP, 4.4) on intervals instead of the half line.
//
// u = M lambda + q + d z. For large z every lambda_i at its bound is a solution; z goes down along the path on which
// all of (1) but one complementarity holds, until z = 0. A nonbasic lambda_i stands at lo (then u_i >= 0) or at hi
// (then u_i <= 0); an entering lambda_i that reaches its other bound first just changes sides. That is the same path as
// on the problem with two pairs per box, in half the size. Ties are broken lexicographically: the start values carry
// symbolic perturbations eps, eps^2, ... (4.9 there), so the path never cycles. A path that ends in a ray proves
// nothing in general; its direction is handed to certificate.c, which accepts it where M is monotone. Where it proves
// nothing the path starts again with another covering vector d, and then also from other complementary bases: for M
// that is not copositive-plus another path may arrive. (In a bimatrix game every path from u basic is a ray at once.)
#include "lemke.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { COVERS = 4, STARTS = 16 };  // covering vectors; paths in all, those after the first COVERS from other bases
static const double WORK = 3e8;           // entries of tableaux touched, after which no further one is tried

// The interval that a basic variable must stay in.
static void interval_of(const nsm_lemke *l, int v, double *lo, double *hi) {
  const nsm_tableau *k = &l->t;
  int m = k->m;
  *lo = -HUGE_VAL;
  *hi = HUGE_VAL;
  if (v == 2 * m) *lo = 0;
  else if (v >= m) { *lo = k->lo[v - m]; *hi = k->hi[v - m]; }
  else if (!l->inert[v] && k->lo[v] < k->hi[v]) {
    if (l->at[v] == NSM_LOW) *lo = 0;
    else                     *hi = 0;
  }
}

// Coefficient of perturbation j in the distance of row r from its bound; side +1 for the lower bound, -1 for the upper.
static double perturbation(const nsm_lemke *l, int r, int j, double side) {
  int at = l->t.where[l->start[j]];
  double c = at >= 0 ? (at == r ? 1.0 : 0.0) : -nsm_tableau_column(&l->t, -1 - at)[r];
  return side * c * l->sign[j];
}

// row -1: the entering variable's own other bound
typedef struct candidate { int row; double ratio, rate, side; } candidate;

// Is a before b? By the ratio; within round-off of a tie, z first, then lexicographically.
static int before(const nsm_lemke *l, const candidate *a, const candidate *b, double small) {
  int m = l->t.m;
  if (a->ratio < b->ratio - small) return 1;
  if (a->ratio > b->ratio + small) return 0;
  if (a->row >= 0 && l->t.basic[a->row] == 2 * m) return 1;
  if (b->row >= 0 && l->t.basic[b->row] == 2 * m) return 0;
  for (int j = 0; j < m; j++) {
    double ca = a->row < 0 ? 0 : perturbation(l, a->row, j, a->side) / a->rate;
    double cb = b->row < 0 ? 0 : perturbation(l, b->row, j, b->side) / b->rate;
    if (fabs(ca - cb) > 1e-12 * (fabs(ca) + fabs(cb))) return ca < cb;
  }
  return 0;
}

// What stops the entering variable of column s, moving in `direction`. 0: nothing, a ray.
static int first_to_block(const nsm_lemke *l, int s, double direction, candidate *best) {
  const nsm_tableau *k = &l->t;
  const double *S = nsm_tableau_column(k, s);
  int m = k->m, v = k->nonbasic[s], found = 0;
  double largest = 0;
  for (int i = 0; i < m; i++) largest = fmax(largest, fabs(S[i]));
  if (v >= m && v < 2 * m && k->hi[v - m] - k->lo[v - m] < HUGE_VAL) {
    *best = (candidate){ -1, k->hi[v - m] - k->lo[v - m], 1, 0 };
    found = 1;
  }
  for (int i = 0; i < m; i++) {
    double rate = S[i] * direction, lo, hi;
    if (!(fabs(rate) > 1e-11 * largest)) continue;
    interval_of(l, k->basic[i], &lo, &hi);
    double distance = rate < 0 ? k->x[i] - lo : hi - k->x[i];
    if (!(distance < HUGE_VAL)) continue;
    candidate c = { i, fmax(distance, 0) / fabs(rate), fabs(rate), rate < 0 ? 1.0 : -1.0 };
    if (!found || before(l, &c, best, 1e-13 * (fabs(c.ratio) + fabs(best->ratio)))) { *best = c; found = 1; }
  }
  return found;
}

// ---- covering vectors -----------------------------------------------------------------------------------------------
static unsigned next(unsigned *random) { return (*random = *random * 1664525u + 1013904223u) >> 16; }

// Ones; with the violated rows last or first; then powers of two that look random.
static double cover_of(const nsm_lemke *l, int which, int r, unsigned *random) {
  double x = fabs(l->t.x[r]);
  next(random);
  switch (which) {
    case 0: return 1.0;
    case 1: return 1.0 + 8 * x;
    case 2: return 1.0 / (1.0 + 8 * x);
    default: return exp2((double)(*random >> 29) - 4);
  }
}

// z enters: the row that needs it most leaves. Returns the leaving variable, or -1 where nothing needs it.
static int enter_covering(nsm_lemke *l, int which) {
  nsm_tableau *k = &l->t;
  int m = k->m;
  unsigned random = 12345u + 977u * (unsigned)which;
  candidate best = { -1, 0, 1, 1 };
  double *Z = nsm_tableau_column(k, m);
  for (int i = 0; i < m; i++) {
    double lo, hi;
    interval_of(l, k->basic[i], &lo, &hi);
    l->start[i] = k->basic[i];
    Z[i] = cover_of(l, which, i, &random) * (lo > -HUGE_VAL && hi == HUGE_VAL   ? 1.0
                                             : hi < HUGE_VAL && lo == -HUGE_VAL ? -1.0
                                                                                : 0.0);
    l->sign[i] = Z[i] < 0 ? -1.0 : 1.0;
  }
  for (int i = 0; i < m; i++) {
    if (Z[i] == 0) continue;
    double lo, hi, d = fabs(Z[i]);
    interval_of(l, k->basic[i], &lo, &hi);
    candidate c = { i, (Z[i] > 0 ? k->x[i] - lo : hi - k->x[i]) / d, d, l->sign[i] };
    if (c.ratio >= 0 && best.row < 0) continue;
    if (best.row < 0 || before(l, &c, &best, 1e-13 * (fabs(c.ratio) + fabs(best.ratio)))) best = c;
  }
  if (best.row < 0) return -1;
  int leaving = k->basic[best.row];
  double lo, hi;
  interval_of(l, leaving, &lo, &hi);
  nsm_tableau_exchange(k, best.row, m, -best.ratio, Z[best.row] > 0 ? lo : hi);
  return leaving;
}

// ---- the path -------------------------------------------------------------------------------------------------------
static int open_lemke(nsm_lemke *l, const nsm_cone_problem *p, nsm_cone_work *w) {
  size_t m = (size_t)p->m;
  l->at = nsm_cone_take(w, m);
  l->inert = nsm_cone_take(w, m);
  l->start = nsm_cone_take_ints(w, m);
  l->sign = nsm_cone_take_doubles(w, m);
  return l->at && l->inert && l->start && l->sign && nsm_tableau_open(&l->t, p, w);
}

static void load_lemke(nsm_lemke *l) {
  nsm_tableau *k = &l->t;
  for (int i = 0; i < k->m; i++) {
    int low = k->lo[i] > -HUGE_VAL, high = k->hi[i] < HUGE_VAL;
    l->at[i] = low || !high ? NSM_LOW : NSM_HIGH;
    l->inert[i] = 0;
    k->value[k->m + i] = low ? k->lo[i] : high ? k->hi[i] : 0.0;
  }
  k->value[2 * k->m] = 0;
  nsm_tableau_load(k);
}

// Another complementary basis: about half of the one-sided pairs change sides, by 1 x 1 or 2 x 2 principal pivots.
static void start_elsewhere(nsm_lemke *l, int which) {
  nsm_tableau *k = &l->t;
  int m = k->m;
  unsigned random = 4711u * (unsigned)which;
  for (int i = 0; i < m; i++) {
    int r = k->where[i], c = -1 - k->where[m + i];
    if (next(&random) & 1 || r < 0 || c < 0 || (k->lo[i] > -HUGE_VAL) == (k->hi[i] < HUGE_VAL)) continue;
    if (fabs(nsm_tableau_column(k, c)[r]) > 0.01) {
      nsm_tableau_exchange(k, r, c, -k->x[r] / nsm_tableau_column(k, c)[r], 0.0);
      continue;
    }
    int shift = (int)(next(&random) % (unsigned)m);
    for (int e = 0; e < m; e++) {
      int j = (e + shift) % m, rj = k->where[j], cj = -1 - k->where[m + j];
      if (j == i || rj < 0 || cj < 0 || (k->lo[j] > -HUGE_VAL) == (k->hi[j] < HUGE_VAL)) continue;
      if (!(fabs(nsm_tableau_column(k, cj)[r]) > 0.01 && fabs(nsm_tableau_column(k, c)[rj]) > 0.01)) continue;
      nsm_tableau_exchange(k, r, cj, -k->x[r] / nsm_tableau_column(k, cj)[r], 0.0);
      double pivot = nsm_tableau_column(k, c)[rj];
      if (fabs(pivot) > 0.001) nsm_tableau_exchange(k, rj, c, -k->x[rj] / pivot, 0.0);
      else {                                     // singular after all: back
        int row = k->where[m + j], column = -1 - k->where[i];
        double bound = l->at[j] == NSM_LOW ? k->lo[j] : k->hi[j];
        nsm_tableau_exchange(k, row, column, (bound - k->x[row]) / nsm_tableau_column(k, column)[row], bound);
      }
      break;
    }
  }
}

static nsm_cone_outcome prove(const nsm_lemke *l, nsm_cone_work *w, const double *y) {
  return nsm_cone_proves(l->t.p, w, y) ? NSM_CONE_PROVED_NONE : NSM_CONE_GAVE_UP;
}

static nsm_cone_outcome follow_path(nsm_lemke *l, nsm_cone_work *w, int which, int limit, double *lambda) {
  nsm_tableau *k = &l->t;
  int m = k->m, v = enter_covering(l, which);
  if (v < 0) return NSM_CONE_PROPOSED;
  for (int iteration = 0; iteration < limit && !nsm_cone_late(w); iteration++) {
    w->iterations++;
    // the partner of what has left enters, away from where it stands
    int i = v % m, entering = v < m ? m + i : i, s = -1 - k->where[entering];
    double direction = l->at[i] == NSM_LOW ? 1.0 : -1.0;
    candidate c = { 0 };
    if (!first_to_block(l, s, direction, &c)) {
      // a ray: its direction in lambda' is one of y' where M is monotone; y = E y'
      for (int j = 0; j < m; j++) {
        int at = k->where[m + j];
        lambda[j] = at >= 0 ? nsm_tableau_column(k, s)[at] * direction : m + j == entering ? direction : 0.0;
        lambda[j] *= k->column[j];
      }
      return prove(l, w, lambda);
    }
    if (!(c.ratio < HUGE_VAL)) return NSM_CONE_GAVE_UP;
    if (c.row < 0) {          // to its other bound
      l->at[i] = l->at[i] == NSM_LOW ? NSM_HIGH : NSM_LOW;
      nsm_tableau_move(k, s, l->at[i] == NSM_LOW ? k->lo[i] : k->hi[i]);
      v = entering;
      continue;
    }
    double lo, hi;
    v = k->basic[c.row];
    interval_of(l, v, &lo, &hi);
    if (v >= m && v < 2 * m) l->at[v - m] = c.side > 0 ? NSM_LOW : NSM_HIGH;
    nsm_tableau_exchange(k, c.row, s, direction * c.ratio, c.side > 0 ? lo : hi);
    if (v == 2 * m) return NSM_CONE_PROPOSED;
  }
  return NSM_CONE_GAVE_UP;
}

nsm_cone_outcome nsm_cone_lemke(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                double *u) {
  nsm_lemke l;
  size_t mark = w->used, m = (size_t)p->m;
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  int *index = nsm_cone_take_ints(w, 2 * m), first_iteration = w->iterations;
  double *scratch = nsm_cone_take_doubles(w, 2 * m);
  if (index && scratch && open_lemke(&l, p, w)) {
    int limit = t->max_iterations > 0 ? t->max_iterations : 1000 + 20 * p->m;
    for (int which = 0; which < STARTS; which++) {
      load_lemke(&l);
      outcome = nsm_lemke_eliminate_free(&l, lambda);
      if (outcome == NSM_CONE_PROVED_NONE) { outcome = prove(&l, w, lambda); break; }
      if (outcome == NSM_CONE_GAVE_UP) break;
      if (which >= COVERS) start_elsewhere(&l, which);
      outcome = follow_path(&l, w, which, limit, lambda);
      if (outcome == NSM_CONE_PROVED_NONE) break;
      if (outcome == NSM_CONE_PROPOSED) {
        nsm_cone_check c;
        nsm_tableau_polish(&l.t, lambda, scratch, index);
        nsm_cone_check_answer(p, w, t, lambda, u, &c);
        if (c.accepted) break;
      }
      limit -= w->iterations - first_iteration;
      if (t->max_iterations > 0 ? limit <= 0 : (double)(w->iterations - first_iteration) * (double)(m * m) > WORK)
        break;
      if (t->max_iterations == 0) limit = 1000 + 20 * p->m;
    }
  }
  w->used = mark;
  return outcome;
}
