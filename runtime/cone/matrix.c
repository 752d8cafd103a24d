// A new matrix is looked at once: is it well formed, how wide is its band, which form will its linear systems take.
// Also the products that the solvers use (residual.c has its own).
#include "solver.h"
#include "runtime/la/la.h"
#include <math.h>
#include <string.h>

static int finite_all(const double *x, size_t n) {
  int ok = 1;
  for (size_t i = 0; i < n; i++) ok &= x[i] - x[i] == 0;   // no chain of sums: each entry by itself
  return ok;
}

int nsm_cone_vectors_ok(const nsm_cone_problem *p) {
  if (!finite_all(p->q, (size_t)p->m)) return 0;
  for (int i = 0; p->q_terms && i < p->m; i++)
    if (!(p->q_terms[i] >= 0 && p->q_terms[i] < HUGE_VAL)) return 0;
  int ok = 1, i = 0;
  for (int c = 0; c <= p->cones; c++) {
    int end = c < p->cones ? p->cone[c].first : p->m;
    for (; i < end; i++) ok &= (p->lo[i] <= p->hi[i]) & (p->lo[i] < HUGE_VAL) & (p->hi[i] > -HUGE_VAL);
    if (c < p->cones) i += p->cone[c].size;
  }
  return ok;
}

// Rows in order, columns ascending and in range; the band.
static int look_at_rows(const nsm_cone_problem *p, nsm_cone_work *w) {
  int kl = 0, ku = 0;
  if (p->row_start[0] != 0) return 0;
  for (int i = 0; i < p->m; i++) {
    int first = p->row_start[i], end = p->row_start[i + 1];
    if (end < first) return 0;
    if (end == first) continue;
    for (int k = first; k + 1 < end; k++)
      if (p->col[k] >= p->col[k + 1]) return 0;
    if (p->col[first] < 0 || p->col[end - 1] >= p->m) return 0;
    if (i - p->col[first] > kl) kl = i - p->col[first];
    if (p->col[end - 1] - i > ku) ku = p->col[end - 1] - i;
  }
  w->kl = kl;
  w->ku = ku;
  return 1;
}

// 1 if it fits.
static int take_tridiagonal(const nsm_cone_problem *p, nsm_cone_work *w) {
  size_t n = (size_t)p->m;
  w->below = nsm_cone_take_doubles(w, n);
  w->diagonal = nsm_cone_take_doubles(w, n);
  w->above = nsm_cone_take_doubles(w, n);
  w->factor = nsm_cone_take_doubles(w, 4 * n);     // 4: the band factorization with interchanges that stands behind the
                                                   // own kernel
  if (!w->factor) return 0;
  for (int i = 0; i < p->m; i++) {
    double entry[3] = { 0, 0, 0 }, norm = 0;
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
      entry[p->col[k] - i + 1] = p->M[k];
      norm += fabs(p->M[k]);
    }
    w->below[i] = entry[0];
    w->diagonal[i] = entry[1];
    w->above[i] = entry[2];
    w->row_norm[i] = norm;
  }
  w->form = NSM_FORM_TRIDIAGONAL;
  return 1;
}

static int take_dense(const nsm_cone_problem *p, nsm_cone_work *w) {
  size_t n = (size_t)p->m;
  int sparse = p->row_start != NULL;
  double *copy = sparse ? nsm_cone_take_doubles(w, n * n) : NULL;
  w->factor = nsm_cone_take_doubles(w, n * n);
  if (!w->factor || (sparse && !copy)) return 0;
  if (sparse) {
    memset(copy, 0, n * n * sizeof(double));
    for (int i = 0; i < p->m; i++)
      for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) copy[(size_t)i + (size_t)p->col[k] * n] = p->M[k];
  }
  w->dense = sparse ? copy : p->M;
  w->dense_is_copy = sparse;
  memset(w->row_norm, 0, n * sizeof(double));
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) w->row_norm[i] += fabs(w->dense[i + j * n]);
  w->symmetric = 1;
  for (size_t j = 0; j < n && w->symmetric; j++)
    for (size_t i = j + 1; i < n; i++)
      if (w->dense[i + j * n] != w->dense[j + i * n]) { w->symmetric = 0; break; }
  w->form = NSM_FORM_DENSE;
  return 1;
}

static int take_banded(const nsm_cone_problem *p, nsm_cone_work *w) {
  w->factor = nsm_cone_take_doubles(w, (size_t)p->m * (size_t)(2 * w->kl + w->ku + 1));
  if (!w->factor) return 0;
  w->form = NSM_FORM_BANDED;
  return 1;
}

int nsm_cone_analyse(const nsm_cone_problem *p, nsm_cone_work *w) {
  size_t n = (size_t)p->m;
  w->analysed = 1;
  w->used = sizeof *w;
  w->factor_kind = 0;
  w->state_known = 0;
  if (p->row_start && !look_at_rows(p, w)) return 0;
  if (!finite_all(p->M, p->row_start ? (size_t)p->row_start[p->m] : n * n)) return 0;

  w->state = nsm_cone_take(w, n);
  w->factored = nsm_cone_take(w, n);
  w->index = nsm_cone_take_ints(w, n);
  w->ipiv = nsm_cone_take_ints(w, n);
  w->row_norm = nsm_cone_take_doubles(w, n);
  w->form = NSM_FORM_SPARSE;
  w->factor = NULL;
  if (!w->row_norm) return 1;        // a workspace made for something smaller: only what needs no memory will run

  size_t mark = w->used;
  if (p->row_start && p->cones > 0 && p->m > NSM_FEW_ROWS && 4 * (size_t)p->row_start[p->m] < n * n) return 1;
  if (!p->row_start) { if (take_dense(p, w)) return 1; }
  else {
    if (p->m > NSM_BASES_MAX && w->kl <= 1 && w->ku <= 1 && take_tridiagonal(p, w)) return 1;
    w->used = mark;
    if ((p->m <= 64 || 4 * (w->kl > w->ku ? w->kl : w->ku) >= p->m) && take_dense(p, w)) return 1;
    w->used = mark;
    if (take_banded(p, w)) {
      for (int i = 0; i < p->m; i++) {
        w->row_norm[i] = 0;
        for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) w->row_norm[i] += fabs(p->M[k]);
      }
      return 1;
    }
  }
  w->used = mark;
  w->factor = NULL;
  return 1;
}

double nsm_cone_entry(const nsm_cone_problem *p, int i, int j) {
  if (!p->row_start) return p->M[(size_t)i + (size_t)j * (size_t)p->m];
  int low = p->row_start[i], high = p->row_start[i + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (p->col[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low < p->row_start[i + 1] && p->col[low] == j ? p->M[low] : 0;
}

double nsm_cone_diagonal(const nsm_cone_problem *p, int i) { return nsm_cone_entry(p, i, i); }

void nsm_cone_apply(const nsm_cone_problem *p, const nsm_cone_work *w, const double *x, double *out) {
  int m = p->m;
  if (w->form == NSM_FORM_TRIDIAGONAL) {
    const double *a = w->below, *b = w->diagonal, *c = w->above;
    out[0] = p->q[0] + b[0] * x[0] + c[0] * x[1];
    for (int i = 1; i < m - 1; i++) out[i] = p->q[i] + a[i] * x[i - 1] + b[i] * x[i] + c[i] * x[i + 1];
    out[m - 1] = p->q[m - 1] + a[m - 1] * x[m - 2] + b[m - 1] * x[m - 1];
  } else if (p->row_start) {
    for (int i = 0; i < m; i++) {
      double sum = p->q[i];
      for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) sum += p->M[k] * x[p->col[k]];
      out[i] = sum;
    }
  } else {
    memcpy(out, p->q, (size_t)m * sizeof(double));
    nsm_la_gemv(m, m, 1.0, p->M, m, x, 1.0, out);
  }
}
