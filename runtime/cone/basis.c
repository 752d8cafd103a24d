// The linear system of one basis:  (M_BB + shift I) x_B = rhs_B.
//
// Dense: M_BB is gathered and factored (Cholesky where M is symmetric, else LU). Tridiagonal and banded: rows and
// columns outside B become those of the identity, so nothing is gathered and the band stays as it is. The factors are
// kept while state and shift stay the same.
#include "solver.h"
#include "runtime/la/la.h"
#include <math.h>
#include <string.h>

enum { NONE = 0, LU, CHOLESKY, THOMAS, BAND };

// Gaussian elimination without interchanges (Thomas). With pivots d_i, multipliers w_i = a_i / d_{i-1}:  d_i = b_i -
// w_i c_{i-1}. Kept: 1/d, w, c. Gives up (0) where a pivot is small beside its row, which an M-matrix or a definite one
// does not do.
static int factor_thomas(nsm_cone_work *work, double shift) {
  int m = work->m;
  const double *a = work->below, *b = work->diagonal, *c = work->above;
  const unsigned char *s = work->state;
  double *inverse = work->factor, *w = inverse + m, *upper = w + m;
  double last_upper = 0, last_inverse = 0;
  int last_basic = 0, ok = 1;
  for (int i = 0; i < m; i++) {
    int basic = s[i] == NSM_BASIC, next = i + 1 < m && s[i + 1] == NSM_BASIC;
    double ai = basic && last_basic ? a[i] : 0.0, bi = basic ? b[i] + shift : 1.0, ci = basic && next ? c[i] : 0.0;
    double wi = ai * last_inverse, d = bi - wi * last_upper;
    ok &= fabs(d) > 1e-3 * fabs(ci) && fabs(d) > 1e-14 * fabs(bi) && fabs(wi) < 1e3;
    last_inverse = 1.0 / d;
    inverse[i] = last_inverse;
    w[i] = wi;
    upper[i] = last_upper = ci;
    last_basic = basic;
  }
  return ok;
}

static void solve_thomas(const nsm_cone_work *work, double *x) {
  int m = work->m;
  const double *inverse = work->factor, *w = inverse + m, *upper = w + m;
  double last = 0;
  for (int i = 0; i < m; i++) {
    double r = work->factored[i] == NSM_BASIC ? x[i] : 0.0;
    x[i] = last = r - w[i] * last;
  }
  last = 0;
  for (int i = m - 1; i >= 0; i--) x[i] = last = (x[i] - upper[i] * last) * inverse[i];
}

// A pivot of the LU factors that is round-off beside its column of M_BB.
static int negligible(double pivot, double column) { return !(fabs(pivot) > 1e-14 * column); }

static int factor_band(const nsm_cone_problem *p, nsm_cone_work *w, double shift) {
  int m = p->m, kl = w->kl, ku = w->ku, ld = 2 * kl + ku + 1;
  double *AB = w->factor;
  memset(AB, 0, (size_t)ld * (size_t)m * sizeof(double));
  double largest = 0;
  for (int i = 0; i < m; i++) {
    double *diagonal = &AB[nsm_la_band_index(kl, ku, ld, i, i)];
    if (w->state[i] != NSM_BASIC) { *diagonal = 1.0; continue; }
    *diagonal = shift;
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
      int j = p->col[k];
      if (w->state[j] == NSM_BASIC) AB[nsm_la_band_index(kl, ku, ld, i, j)] += p->M[k];
    }
    if (w->row_norm[i] > largest) largest = w->row_norm[i];
  }
  if (nsm_la_band_factor(m, kl, ku, AB, ld, w->ipiv).code != NSM_LA_OK) return 0;
  for (int i = 0; i < m; i++)
    if (w->state[i] == NSM_BASIC && negligible(AB[nsm_la_band_index(kl, ku, ld, i, i)], largest)) return 0;
  return 1;
}

static void gather(nsm_cone_work *w, double shift) {
  int n = w->basic_count;
  size_t m = (size_t)w->m;
  for (int j = 0; j < n; j++) {
    const double *column = w->dense + (size_t)w->index[j] * m;
    double *out = w->factor + (size_t)j * (size_t)n;
    for (int i = 0; i < n; i++) out[i] = column[w->index[i]];
    out[j] += shift;
  }
}

static int factor_dense(nsm_cone_work *w, double shift) {
  int n = 0;
  for (int i = 0; i < w->m; i++)
    if (w->state[i] == NSM_BASIC) w->index[n++] = i;
  w->basic_count = n;
  if (n == 0) { w->factor_kind = LU; return 1; }
  gather(w, shift);
  size_t stride = (size_t)n + 1;
  if (w->symmetric && nsm_la_cholesky_factor(n, w->factor, n).code == NSM_LA_OK) {
    int ok = 1;
    for (int i = 0; i < n && ok; i++) {
      double l = w->factor[(size_t)i * stride], b = w->dense[(size_t)w->index[i] * ((size_t)w->m + 1)] + shift;
      ok = !negligible(l * l, b);
    }
    w->factor_kind = CHOLESKY;
    return ok;
  }
  if (w->symmetric) gather(w, shift);
  if (nsm_la_lu_factor(n, w->factor, n, w->ipiv).code != NSM_LA_OK) return 0;
  for (int j = 0; j < n; j++) {
    const double *column = w->dense + (size_t)w->index[j] * (size_t)w->m;
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(column[w->index[i]]));
    if (negligible(w->factor[(size_t)j * stride], largest)) return 0;
  }
  w->factor_kind = LU;
  return 1;
}

// Only "basic or not" matters to the factors, so LOW and HIGH are the same here.
static int same_basis(const nsm_cone_work *w, double shift) {
  if (w->factor_kind == NONE || w->factor_shift != shift) return 0;
  int same = 1;
  for (int i = 0; i < w->m; i++) same &= (w->state[i] == NSM_BASIC) == (w->factored[i] == NSM_BASIC);
  return same;
}

// Of a dense basis its rows alone, where they are counted; of a band all of it.
static void charge_factor(nsm_cone_work *w) {
  double n = 0, m = w->m;
  for (int i = 0; w->form == NSM_FORM_DENSE && i < w->m; i++) n += w->state[i] == NSM_BASIC;
  nsm_cone_charge(w, w->form == NSM_FORM_DENSE ? n * n * n + n * n : 10 * m + 2.0 * m * w->kl * (w->kl + w->ku + 1));
}

int nsm_cone_basis_factor(const nsm_cone_problem *p, nsm_cone_work *w, double shift) {
  if (same_basis(w, shift)) return 1;
  int ok = 0;
  charge_factor(w);
  w->factor_kind = NONE;
  if (w->form == NSM_FORM_DENSE) ok = factor_dense(w, shift);
  else if (w->form == NSM_FORM_TRIDIAGONAL && factor_thomas(w, shift)) { w->factor_kind = THOMAS; ok = 1; }
  else if (w->form == NSM_FORM_TRIDIAGONAL || w->form == NSM_FORM_BANDED) {
    ok = factor_band(p, w, shift);
    if (ok) w->factor_kind = BAND;
  }
  if (!ok) { w->factor_kind = NONE; return 0; }
  memcpy(w->factored, w->state, (size_t)w->m);
  w->factor_shift = shift;
  return 1;
}

void nsm_cone_basis_solve(nsm_cone_work *w, double *x) {
  int m = w->m;
  nsm_cone_charge(w, w->form == NSM_FORM_DENSE ? 2.0 * w->basic_count * w->basic_count
                                                : 4.0 * m * (w->kl + w->ku + 1));
  switch (w->factor_kind) {
    case THOMAS: solve_thomas(w, x); return;
    case BAND:
      for (int i = 0; i < m; i++)
        if (w->factored[i] != NSM_BASIC) x[i] = 0;
      nsm_la_band_solve(m, w->kl, w->ku, 1, w->factor, 2 * w->kl + w->ku + 1, w->ipiv, x, m);
      return;
    default: break;
  }
  // Dense: gather in place to the front (index is ascending), solve, spread from the back.
  int n = w->basic_count;
  for (int k = 0; k < n; k++) x[k] = x[w->index[k]];
  if (w->factor_kind == CHOLESKY) nsm_la_cholesky_solve(n, 1, w->factor, n, x, n > 0 ? n : 1);
  else                            nsm_la_lu_solve(n, 1, w->factor, n, w->ipiv, x, n > 0 ? n : 1);
  int k = n - 1;
  for (int i = m - 1; i >= 0; i--) {
    if (k >= 0 && w->index[k] == i) x[i] = x[k--];
    else x[i] = 0;
  }
}
