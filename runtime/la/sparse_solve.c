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

LA_INLINE void solve(const nsm_sparse *s, double *y) {
  const double *factor = s->factor;
  double *b = s->border;
  for (int k = 0; k < s->fronts; k++) {
    const nsm_sparse_front *f = s->front + k;
    const int *pivot = s->pivot + f->first, *index = s->index + f->list;
    int own = f->own, border = f->border;
    size_t ld = (size_t)(own + border);
    double *x = y + f->first;
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

static void solve_plain(const nsm_sparse *s, double *y) { solve(s, y); }
LA_WIDE static void solve_wide(const nsm_sparse *s, double *y) { solve(s, y); }

void nsm_sparse_solve(const nsm_sparse *s, double *x) {
  for (int k = 0; k < s->n; k++) s->x[k] = x[s->order[k]];
  (la_wide() ? solve_wide : solve_plain)(s, s->x);
  for (int k = 0; k < s->n; k++) x[s->order[k]] = s->x[k];
}
