// A front of a multifrontal factorization (Duff and Reid, ACM TOMS 9 (1983) 302-325). Where a few columns are
// eliminated, column by column, left looking, so that each column of the front is loaded and stored once. Products by
// tiles pay from some thirty columns on only.
#include "pivots.h"

enum { FEW_COLUMNS = 24 };    // up to here column by column

// y -= f_0 x_0, then f_1 x_1, f_2 x_2.
LA_INLINE void subtract_three(int n, const double *f, const double *x, size_t stride, double *y) {
  const double *x1 = x + stride, *x2 = x1 + stride;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    four a, b, c, s;
    memcpy(&a, x + i, sizeof a);
    memcpy(&b, x1 + i, sizeof b);
    memcpy(&c, x2 + i, sizeof c);
    memcpy(&s, y + i, sizeof s);
    s -= a * f[0];
    s -= b * f[1];
    s -= c * f[2];
    memcpy(y + i, &s, sizeof s);
  }
  for (; i < n; i++) y[i] = ((y[i] - x[i] * f[0]) - x1[i] * f[1]) - x2[i] * f[2];
}

// x [rows] less its share of the first n columns: x := L^-1 x above, x - L x below.
LA_INLINE void less_columns(int n, int rows, const double *F, double *x) {
  size_t ld = (size_t)rows;
  int k = 0;
  for (int width; k < n; k += width) {
    const double *l = F + (size_t)k * (ld + 1);
    width = n - k >= 4 ? 4 : n - k;
    for (int p = 0; p < width; p++)
      for (int i = p + 1; i < width; i++) x[k + i] -= l[(size_t)p * ld + (size_t)i] * x[k + p];
    int below = rows - k - width;
    if (width == 4) la_subtract_four(below, x + k, l + 4, ld, x + k + 4);
    else if (width == 3) subtract_three(below, x + k, l + 3, ld, x + k + 3);
    else for (int p = 0; p < width; p++) la_subtract(below, x[k + p], l + (size_t)p * ld + width, x + k + width);
  }
}

static void follow_pivots(int n, const int *pivot, double *x) {
  for (int p = 0; p < n; p++) { double t = x[p]; x[p] = x[pivot[p]]; x[pivot[p]] = t; }
}

LA_INLINE int front_columns(int own, int rows, double *F, int *pivot, nsm_la_pivots *rule) {
  size_t ld = (size_t)rows;
  for (int j = 0; j < own; j++) {
    double *a = F + (size_t)j * ld;
    follow_pivots(j, pivot, a);
    less_columns(j, rows, F, a);
    int best = la_pivot(j, own, a, rule);
    if (best < 0 && !rule->drop) return j;
    pivot[j] = best < 0 ? la_drop(j, own, a, rule) : best;
    for (int c = 0; c <= j && best > j; c++) {
      double *x = F + (size_t)c * ld, t = x[j];
      x[j] = x[best];
      x[best] = t;
    }
    la_divide(rows - j - 1, a[j], a + j + 1);
  }
  for (int c = own; c < rows; c++) {
    double *x = F + (size_t)c * ld;
    follow_pivots(own, pivot, x);
    less_columns(own, rows, F, x);
  }
  return -1;
}
static int front_plain(int own, int rows, double *F, int *pivot, nsm_la_pivots *rule) {
  return front_columns(own, rows, F, pivot, rule);
}
LA_WIDE static int front_wide(int own, int rows, double *F, int *pivot, nsm_la_pivots *rule) {
  return front_columns(own, rows, F, pivot, rule);
}

int nsm_la_front(int own, int rows, double *F, int *pivot, nsm_la_pivots *rule) {
  if (own <= FEW_COLUMNS) return (la_wide() ? front_wide : front_plain)(own, rows, F, pivot, rule);
  int border = rows - own, zero = nsm_la_lu_by_rule(own, F, rows, pivot, rule);
  double *F12 = F + (size_t)own * (size_t)rows, *F21 = F + own, *F22 = F12 + own;
  if (zero >= 0 || border == 0) return zero;
  for (int j = 0; j < border; j++) follow_pivots(own, pivot, F12 + (size_t)j * (size_t)rows);
  nsm_la_lower_solve(own, 1, border, F, rows, F12, rows);
  nsm_la_upper_solve_right(border, own, F, rows, F21, rows);
  nsm_la_add_product(border, border, own, -1.0, F21, rows, F12, rows, 0, F22, rows);
  return -1;
}
