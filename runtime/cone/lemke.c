// Lemke's method (Lemke 1965; Cottle, Pang & Stone, The LCP, 4.4) on intervals instead of the half line.
//
// u = M lambda + q + d z. For large z every lambda_i at its bound is a solution; z goes down along the path on which all of (1) but one
// complementarity holds, until z = 0. A nonbasic lambda_i stands at lo (then u_i >= 0) or at hi (then u_i <= 0); an entering lambda_i
// that reaches its other bound first just changes sides. That is the same path as on the problem with two pairs per box, in half the size.
// Ties are broken lexicographically: the start values carry symbolic perturbations eps, eps^2, ... (4.9 there), so the path never cycles.
// A path that ends in a ray proves nothing in general; its direction is handed to certificate.c, which accepts it where M is monotone.
#include "lemke.h"
#include <float.h>
#include <math.h>
#include <string.h>

static double *column_of(const nsm_lemke *k, int c) { return k->T + (size_t)c * (size_t)k->m; }

void nsm_lemke_exchange(nsm_lemke *k, int r, int s, double t, double leaving_value) {
  int m = k->m, entering = k->nonbasic[s], leaving = k->basic[r];
  double *S = column_of(k, s), pivot = S[r];
  for (int i = 0; i < m; i++) k->x[i] += S[i] * t;
  k->x[r] = k->value[entering] + t;
  k->value[leaving] = leaving_value;

  // n_s = (x_r - sum T_rc n_c) / T_rs, put into the other rows
  for (int c = 0; c <= m; c++) {
    double *C = column_of(k, c);
    if (c == s || C[r] == 0) continue;
    double f = -C[r] / pivot;
    for (int i = 0; i < m; i++) C[i] += S[i] * f;
    C[r] = f;
  }
  double inverse = 1.0 / pivot;
  for (int i = 0; i < m; i++) S[i] *= inverse;
  S[r] = inverse;

  k->basic[r] = entering;
  k->nonbasic[s] = leaving;
  k->where[entering] = r;
  k->where[leaving] = -1 - s;
}

// The interval that a basic variable must stay in.
static void interval_of(const nsm_lemke *k, int v, double *lo, double *hi) {
  int m = k->m;
  *lo = -HUGE_VAL;
  *hi = HUGE_VAL;
  if (v == 2 * m) *lo = 0;
  else if (v >= m) { *lo = k->p->lo[v - m]; *hi = k->p->hi[v - m]; }
  else if (!k->inert[v] && k->p->lo[v] < k->p->hi[v]) {
    if (k->at[v] == NSM_LOW) *lo = 0;
    else                     *hi = 0;
  }
}

// Coefficient of perturbation j in the distance of row r from its bound; side +1 for the lower bound, -1 for the upper.
static double perturbation(const nsm_lemke *k, int r, int j, double side) {
  int at = k->where[k->start[j]];
  double c = at >= 0 ? (at == r ? 1.0 : 0.0) : -column_of(k, -1 - at)[r];
  return side * c * k->sign[j];
}

typedef struct candidate { int row; double ratio, rate, side; } candidate;   // row -1: the entering variable's own other bound

// Is a before b? By the ratio; within round-off of a tie, z first, then lexicographically.
static int before(const nsm_lemke *k, const candidate *a, const candidate *b, double small) {
  if (a->ratio < b->ratio - small) return 1;
  if (a->ratio > b->ratio + small) return 0;
  if (a->row >= 0 && k->basic[a->row] == 2 * k->m) return 1;
  if (b->row >= 0 && k->basic[b->row] == 2 * k->m) return 0;
  for (int j = 0; j < k->m; j++) {
    double ca = a->row < 0 ? 0 : perturbation(k, a->row, j, a->side) / a->rate;
    double cb = b->row < 0 ? 0 : perturbation(k, b->row, j, b->side) / b->rate;
    if (fabs(ca - cb) > 1e-12 * (fabs(ca) + fabs(cb))) return ca < cb;
  }
  return 0;
}

// What stops the entering variable of column s, moving in `direction`. 0: nothing, a ray.
static int first_to_block(const nsm_lemke *k, int s, double direction, candidate *best) {
  const double *S = column_of(k, s);
  int m = k->m, v = k->nonbasic[s], found = 0;
  double largest = 0;
  for (int i = 0; i < m; i++) largest = fmax(largest, fabs(S[i]));
  if (v >= m && v < 2 * m && k->p->hi[v - m] - k->p->lo[v - m] < HUGE_VAL) {
    *best = (candidate){ -1, k->p->hi[v - m] - k->p->lo[v - m], 1, 0 };
    found = 1;
  }
  for (int i = 0; i < m; i++) {
    double rate = S[i] * direction, lo, hi;
    if (!(fabs(rate) > 1e-11 * largest)) continue;
    interval_of(k, k->basic[i], &lo, &hi);
    double distance = rate < 0 ? k->x[i] - lo : hi - k->x[i];
    if (!(distance < HUGE_VAL)) continue;
    candidate c = { i, fmax(distance, 0) / fabs(rate), fabs(rate), rate < 0 ? 1.0 : -1.0 };
    if (!found || before(k, &c, best, 1e-13 * (fabs(c.ratio) + fabs(best->ratio)))) { *best = c; found = 1; }
  }
  return found;
}

// z enters: the row that needs it most leaves. Returns the leaving variable, or -1 where nothing needs it.
static int enter_covering(nsm_lemke *k) {
  int m = k->m;
  candidate best = { -1, 0, 1, 1 };
  double *Z = column_of(k, m);
  for (int i = 0; i < m; i++) {
    double lo, hi;
    interval_of(k, k->basic[i], &lo, &hi);
    k->start[i] = k->basic[i];
    Z[i] = lo > -HUGE_VAL && hi == HUGE_VAL ? 1.0 : hi < HUGE_VAL && lo == -HUGE_VAL ? -1.0 : 0.0;
    k->sign[i] = Z[i] < 0 ? -1.0 : 1.0;
  }
  for (int i = 0; i < m; i++) {
    if (Z[i] == 0) continue;
    double lo, hi;
    interval_of(k, k->basic[i], &lo, &hi);
    candidate c = { i, Z[i] > 0 ? k->x[i] - lo : hi - k->x[i], 1, Z[i] };
    if (c.ratio >= 0 && best.row < 0) continue;
    if (best.row < 0 || before(k, &c, &best, 1e-13 * (fabs(c.ratio) + fabs(best.ratio)))) best = c;
  }
  if (best.row < 0) return -1;
  int leaving = k->basic[best.row];
  double lo, hi;
  interval_of(k, leaving, &lo, &hi);
  nsm_lemke_exchange(k, best.row, m, -best.ratio, Z[best.row] > 0 ? lo : hi);
  return leaving;
}

static int open_tableau(nsm_lemke *k, const nsm_cone_problem *p, nsm_cone_work *w) {
  size_t m = (size_t)p->m;
  k->p = p;
  k->m = p->m;
  k->at = nsm_cone_take(w, m);
  k->inert = nsm_cone_take(w, m);
  k->basic = nsm_cone_take_ints(w, m);
  k->nonbasic = nsm_cone_take_ints(w, m + 1);
  k->where = nsm_cone_take_ints(w, 2 * m + 1);
  k->start = nsm_cone_take_ints(w, m);
  k->x = nsm_cone_take_doubles(w, m);
  k->value = nsm_cone_take_doubles(w, 2 * m + 1);
  k->sign = nsm_cone_take_doubles(w, m);
  k->T = nsm_cone_take_doubles(w, m * (m + 1));
  if (!k->at || !k->inert || !k->basic || !k->nonbasic || !k->where || !k->start || !k->x || !k->value || !k->sign || !k->T) return 0;

  memset(k->T, 0, m * (m + 1) * sizeof(double));
  memset(k->inert, 0, m);
  if (p->row_start) {
    for (int i = 0; i < p->m; i++)
      for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) k->T[(size_t)i + (size_t)p->col[e] * m] = p->M[e];
  } else
    memcpy(k->T, p->M, m * m * sizeof(double));
  k->largest = 0;
  for (size_t e = 0; e < m * m; e++) k->largest = fmax(k->largest, fabs(k->T[e]));

  for (int i = 0; i < p->m; i++) {
    int low = p->lo[i] > -HUGE_VAL, high = p->hi[i] < HUGE_VAL;
    k->at[i] = low || !high ? NSM_LOW : NSM_HIGH;
    k->value[i] = 0;
    k->value[p->m + i] = low ? p->lo[i] : high ? p->hi[i] : 0.0;
    k->basic[i] = k->start[i] = i;
    k->nonbasic[i] = p->m + i;
    k->where[i] = i;
    k->where[p->m + i] = -1 - i;
  }
  k->value[2 * p->m] = 0;
  k->nonbasic[p->m] = 2 * p->m;
  k->where[2 * p->m] = -1 - p->m;
  nsm_cone_apply(p, w, k->value + p->m, k->x);
  return 1;
}

static void read_lambda(const nsm_lemke *k, double *lambda) {
  for (int i = 0; i < k->m; i++) {
    int at = k->where[k->m + i];
    lambda[i] = at >= 0 ? k->x[at] : k->value[k->m + i];
  }
  nsm_cone_project_all(k->p, lambda);
}

static nsm_cone_outcome prove(const nsm_lemke *k, const double *y, double *scratch) {
  return nsm_cone_is_certificate(k->p, y, scratch) ? NSM_CONE_PROVED_NONE : NSM_CONE_GAVE_UP;
}

static nsm_cone_outcome follow_path(nsm_lemke *k, nsm_cone_work *w, int limit, double *lambda, double *u) {
  int m = k->m, v = enter_covering(k);
  if (v < 0) return NSM_CONE_PROPOSED;
  for (int iteration = 0; iteration < limit; iteration++) {
    w->iterations++;
    // the partner of what has left enters, away from where it stands
    int i = v % m, entering = v < m ? m + i : i, s = -1 - k->where[entering];
    double direction = k->at[i] == NSM_LOW ? 1.0 : -1.0;
    candidate c = { 0 };
    if (!first_to_block(k, s, direction, &c)) {
      // a ray: its direction in lambda
      for (int j = 0; j < m; j++) {
        int at = k->where[m + j];
        lambda[j] = at >= 0 ? column_of(k, s)[at] * direction : m + j == entering ? direction : 0.0;
      }
      return prove(k, lambda, u);
    }
    if (!(c.ratio < HUGE_VAL)) return NSM_CONE_GAVE_UP;
    if (c.row < 0) {          // to its other bound
      double t = direction * c.ratio, *S = column_of(k, s);
      for (int r = 0; r < m; r++) k->x[r] += S[r] * t;
      k->at[i] = k->at[i] == NSM_LOW ? NSM_HIGH : NSM_LOW;
      k->value[entering] = k->at[i] == NSM_LOW ? k->p->lo[i] : k->p->hi[i];
      v = entering;
      continue;
    }
    double lo, hi;
    v = k->basic[c.row];
    interval_of(k, v, &lo, &hi);
    if (v >= m && v < 2 * m) k->at[v - m] = c.side > 0 ? NSM_LOW : NSM_HIGH;
    nsm_lemke_exchange(k, c.row, s, direction * c.ratio, c.side > 0 ? lo : hi);
    if (v == 2 * m) return NSM_CONE_PROPOSED;
  }
  return NSM_CONE_GAVE_UP;
}

nsm_cone_outcome nsm_cone_lemke(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda, double *u) {
  nsm_lemke k;
  size_t mark = w->used;
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  if (open_tableau(&k, p, w)) {
    int limit = t->max_iterations > 0 ? t->max_iterations : 1000 + 20 * p->m;
    outcome = nsm_lemke_eliminate_free(&k, lambda);
    if (outcome == NSM_CONE_PROVED_NONE) outcome = prove(&k, lambda, u);
    else if (outcome == NSM_CONE_PROPOSED) outcome = follow_path(&k, w, limit, lambda, u);
    read_lambda(&k, lambda);
  }
  w->used = mark;
  return outcome;
}
