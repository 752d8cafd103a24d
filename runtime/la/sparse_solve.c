// x := A^-1 x: down the fronts with L, up again with U.
#include "sparse.h"
#include "vector.h"

// b := sum over j of L21_j x_j, the columns `ld` apart.
LA_INLINE void down(int border, int own, const double *L, size_t ld, const double *x, double *b) {
  int j = 0;
  memset(b, 0, (size_t)border * sizeof(double));
  for (; j + 4 <= own; j += 4) la_subtract_four(border, x + j, L + (size_t)j * ld, ld, b);
  for (; j < own; j++) la_subtract(border, x[j], L + (size_t)j * ld, b);
}

// Products summed in four lanes, and these in order.
LA_INLINE double dot(int n, const double *a, const double *b) {
  four s = { 0 }, x, y;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    memcpy(&x, a + i, sizeof x);
    memcpy(&y, b + i, sizeof y);
    s += x * y;
  }
  double sum = ((s[0] + s[1]) + s[2]) + s[3];
  for (; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static int all_zero(int n, const double *x) {
  for (int i = 0; i < n; i++) if (x[i] != 0) return 0;
  return 1;
}

// A column of a row of joints or a contact has entries in few fronts: down, others than those on their ways to the root
// have nothing to give.
LA_INLINE void solve(const nsm_sparse *s, double *y) {
  const double *factor = s->factor;
  double *b = s->border;
  for (int k = 0; k < s->fronts; k++) {
    const nsm_sparse_front *f = s->front + k;
    const int *pivot = s->pivot + f->first, *index = s->index + f->list;
    int own = f->own, border = f->border;
    size_t ld = (size_t)(own + border);
    double *x = y + f->first;
    if (all_zero(own, x)) continue;
    factor = s->factor + f->at;
    if (own > 1) {
      for (int i = 0; i < own; i++) { double t = x[i]; x[i] = x[pivot[i]]; x[pivot[i]] = t; }
      la_lower(own, 1, factor, ld, x);
    }
    if (border == 0) continue;
    down(border, own, factor + own, ld, x, b);
    for (int i = 0; i < border; i++) y[index[i]] += b[i];
  }
  for (int k = s->fronts - 1; k >= 0; k--) {
    const nsm_sparse_front *f = s->front + k;
    const int *index = s->index + f->list;
    int own = f->own, border = f->border;
    size_t ld = (size_t)(own + border);
    double *x = y + f->first;
    factor = s->factor + f->at;
    const double *rows = factor + (size_t)own * ld;
    for (int i = 0; i < border; i++) b[i] = y[index[i]];
    for (int i = own - 1; i >= 0; i--) {
      double sum = x[i] - dot(border, rows + (size_t)i * (size_t)border, b);
      x[i] = sum;
    }
    for (int j = own - 1; j >= 0; j--) {
      const double *u = factor + (size_t)j * ld;
      double v = x[j] /= u[j];
      la_subtract(j, v, u, x);
    }
  }
}

// ---- several at a time ----------------------------------------------------------------------------------------------
// LANES right-hand sides side by side: each number of the factors is loaded once, and small fronts fill the vectors.
typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));
enum { LANES = NSM_SPARSE_LANES };

LA_INLINE int lanes_zero(int n, const lanes *x) { return all_zero(LANES * n, (const double *)x); }

LA_INLINE void lanes_down(const nsm_sparse_front *f, const int *index, const double *factor, lanes *y, lanes *b) {
  int own = f->own, border = f->border;
  size_t ld = (size_t)(own + border);
  lanes *x = y + f->first;
  memset(b, 0, (size_t)border * sizeof *b);
  for (int j = 0; j < own; j++, factor += ld) {
    lanes v = x[j];
    for (int i = j + 1; i < own; i++) x[i] -= v * factor[i];
    for (int i = 0; i < border; i++) b[i] -= v * factor[own + i];
  }
  for (int i = 0; i < border; i++) y[index[i]] += b[i];
}

LA_INLINE void lanes_up(const nsm_sparse_front *f, const int *index, const double *factor, lanes *y, lanes *b) {
  int own = f->own, border = f->border;
  size_t ld = (size_t)(own + border);
  lanes *x = y + f->first;
  const double *rows = factor + (size_t)own * ld;
  for (int i = 0; i < border; i++) b[i] = y[index[i]];
  for (int i = 0; i < own; i++, rows += border) {
    lanes sum = x[i];
    for (int k = 0; k < border; k++) sum -= b[k] * rows[k];
    x[i] = sum;
  }
  for (int j = own - 1; j >= 0; j--) {
    const double *u = factor + (size_t)j * ld;
    lanes v = x[j] / u[j];
    x[j] = v;
    for (int i = 0; i < j; i++) x[i] -= v * u[i];
  }
}

LA_INLINE void solve_lanes(const nsm_sparse *s, lanes *y, lanes *b) {
  for (int k = 0; k < s->fronts; k++) {
    const nsm_sparse_front *f = s->front + k;
    const int *pivot = s->pivot + f->first;
    lanes *x = y + f->first;
    if (lanes_zero(f->own, x)) continue;
    for (int i = 0; i < f->own && f->own > 1; i++) { lanes t = x[i]; x[i] = x[pivot[i]]; x[pivot[i]] = t; }
    lanes_down(f, s->index + f->list, s->factor + f->at, y, b);
  }
  for (int k = s->fronts - 1; k >= 0; k--)
    lanes_up(s->front + k, s->index + s->front[k].list, s->factor + s->front[k].at, y, b);
}
static void lanes_plain(const nsm_sparse *s, double *y, double *b) { solve_lanes(s, (lanes *)y, (lanes *)b); }
LA_WIDE static void lanes_wide(const nsm_sparse *s, double *y, double *b) { solve_lanes(s, (lanes *)y, (lanes *)b); }

void nsm_sparse_solve_lanes(const nsm_sparse *s, double *const x[NSM_SPARSE_LANES]) {
  double *a = x[0], *b = x[1], *c = x[2], *d = x[3];
  lanes *y = (lanes *)s->x;
  const int *order = s->order;
  for (int k = 0; k < s->n; k++) y[k] = (lanes){ a[order[k]], b[order[k]], c[order[k]], d[order[k]] };
  (la_wide() ? lanes_wide : lanes_plain)(s, s->x, s->border);
  for (int k = 0; k < s->n; k++) {
    const int i = order[k];
    a[i] = y[k][0];
    b[i] = y[k][1];
    c[i] = y[k][2];
    d[i] = y[k][3];
  }
}

static void solve_plain(const nsm_sparse *s, double *y) { solve(s, y); }
LA_WIDE static void solve_wide(const nsm_sparse *s, double *y) { solve(s, y); }

void nsm_sparse_solve(const nsm_sparse *s, double *x) {
  for (int k = 0; k < s->n; k++) s->x[k] = x[s->order[k]];
  (la_wide() ? solve_wide : solve_plain)(s, s->x);
  for (int k = 0; k < s->n; k++) x[s->order[k]] = s->x[k];
}
