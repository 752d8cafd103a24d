// Banded LU with partial pivoting: O(n kl (kl + ku)) to factor, O(n (2 kl + ku)) to solve. Golub and Van Loan, Matrix
// Computations, 4th ed. 2013, 4.3.3, in the layout of LAPACK. Sums in a fixed order.
// (Both are compiled twice, vector.h.)
#include "la.h"
#include "vector.h"
#include <math.h>

static const nsm_la_status ok = { NSM_LA_OK, 0 }, bad_shape = { NSM_LA_BAD_SHAPE, 0 };

static int shape_ok(int n, int kl, int ku, int ldab) {
  return n >= 0 && kl >= 0 && ku >= 0 && ldab >= 2 * kl + ku + 1;
}
static int least(int a, int b) { return a < b ? a : b; }

nsm_la_status nsm_la_band_factor(int n, int kl, int ku, double *AB, int ldab, int *ipiv) {
  return nsm_la_band_factor_dropping(n, kl, ku, AB, ldab, ipiv, -1, NULL);
}

typedef struct band { int n, kl, ku, ld; double *AB; int *ipiv; double small; int *dropped; } band;

// A pivot of at most `small` is dropped: with one that is almost infinite in its place its unknown becomes 0, and with
// nothing below it the equation takes no part.
LA_INLINE int band_factor(const band *of) {
  int n = of->n, kl = of->kl, ku = of->ku, ldab = of->ld, *ipiv = of->ipiv;
  double *AB = of->AB;
  int reach = 0, zero = -1;                        // the last column that row exchanges have filled so far
  for (int j = 0; j < n; j++) memset(AB + (size_t)j * (size_t)ldab, 0, (size_t)kl * sizeof(double));
  for (int j = 0; j < n; j++) {
    double *a = AB + nsm_la_band_index(kl, ku, ldab, j, j);      // A_jj, the entries below it behind it
    int below = least(kl, n - 1 - j), best = 0;
    for (int i = 1; i <= below; i++) best = fabs(a[i]) > fabs(a[best]) ? i : best;
    if (fabs(a[best]) <= of->small) {
      ipiv[j] = j;
      a[0] = 0x1p1000;
      for (int i = 1; i <= below; i++) a[i] = 0;
      reach = least(j + ku, n - 1) > reach ? least(j + ku, n - 1) : reach;
      (*of->dropped)++;
      continue;
    }
    ipiv[j] = j + best;
    if (a[best] == 0) { zero = zero < 0 ? j : zero; continue; }
    int last = least(j + ku + best, n - 1);
    reach = last > reach ? last : reach;
    if (best != 0)
      for (int c = j; c <= reach; c++) {
        double *x = AB + nsm_la_band_index(kl, ku, ldab, j, c), t = x[0];
        x[0] = x[best];
        x[best] = t;
      }
    la_divide(below, a[0], a + 1);
    for (int c = j + 1; c <= reach; c++) {
      double *x = AB + nsm_la_band_index(kl, ku, ldab, j, c), f = x[0];
      if (f != 0) la_subtract(below, f, a + 1, x + 1);
    }
  }
  return zero;
}

LA_WIDE static int band_factor_wide(const band *of) { return band_factor(of); }

nsm_la_status nsm_la_band_factor_dropping(int n, int kl, int ku, double *AB, int ldab, int *ipiv, double small,
                                          int *dropped) {
  if (!shape_ok(n, kl, ku, ldab)) return bad_shape;
  band of = { n, kl, ku, ldab, AB, ipiv, small, dropped };
  int zero = la_wide() ? band_factor_wide(&of) : band_factor(&of);
  return zero < 0 ? ok : (nsm_la_status){ NSM_LA_SINGULAR, zero };
}

// x := U^-1 x from the last row up. Four columns go together once all four reach up their whole `above` rows: what is
// above the four takes them in the order in which it would one by one.
LA_INLINE void upper(int n, int above, const double *diagonal, size_t ld, double *x) {
  int j = n - 1;
  for (; j - 3 >= above && above > 3; j -= 4) {
    const double *a = diagonal + (size_t)j * ld, *b = a - ld, *c = b - ld, *d = c - ld;
    double *y = x + j, f[4];
    f[0] = y[0] /= a[0];
    f[1] = y[-1] = (y[-1] - a[-1] * f[0]) / b[0];
    f[2] = y[-2] = (y[-2] - a[-2] * f[0] - b[-1] * f[1]) / c[0];
    f[3] = y[-3] = (y[-3] - a[-3] * f[0] - b[-2] * f[1] - c[-1] * f[2]) / d[0];
    int i = -above;                                // rows beside the diagonal of a
    y[i - 1] = y[i - 1] - b[i] * f[1] - c[i + 1] * f[2] - d[i + 2] * f[3];
    y[i - 2] = y[i - 2] - c[i] * f[2] - d[i + 1] * f[3];
    y[i - 3] -= d[i] * f[3];
    for (; i + 4 <= -3; i += 4) {
      four s, t;
      memcpy(&s, y + i, sizeof s);
      memcpy(&t, a + i, sizeof t);
      s -= t * f[0];
      memcpy(&t, b + i + 1, sizeof t);
      s -= t * f[1];
      memcpy(&t, c + i + 2, sizeof t);
      s -= t * f[2];
      memcpy(&t, d + i + 3, sizeof t);
      s -= t * f[3];
      memcpy(y + i, &s, sizeof s);
    }
    for (; i < -3; i++) y[i] = y[i] - a[i] * f[0] - b[i + 1] * f[1] - c[i + 2] * f[2] - d[i + 3] * f[3];
  }
  for (; j >= 0; j--) {
    const double *a = diagonal + (size_t)j * ld;
    int here = least(above, j);
    double f = x[j] /= a[0];
    if (f != 0) la_subtract(here, f, a - here, x + j - here);
  }
}

LA_INLINE void band_solve(int n, int kl, int ku, const double *AB, size_t ld, const int *ipiv, double *x) {
  const double *diagonal = AB + kl + ku;
  for (int j = 0; j < n; j++) {
    double f = x[ipiv[j]];
    x[ipiv[j]] = x[j];
    x[j] = f;
    if (f != 0) la_subtract(least(kl, n - 1 - j), f, diagonal + (size_t)j * ld + 1, x + j + 1);
  }
  upper(n, kl + ku, diagonal, ld, x);
}

LA_WIDE static void band_solve_wide(int n, int kl, int ku, const double *AB, size_t ld, const int *ipiv, double *x) {
  band_solve(n, kl, ku, AB, ld, ipiv, x);
}

nsm_la_status nsm_la_band_solve(int n, int kl, int ku, int nrhs, const double *AB, int ldab, const int *ipiv, double *B,
                                int ldb) {
  if (!shape_ok(n, kl, ku, ldab) || nrhs < 0 || ldb < (n > 1 ? n : 1)) return bad_shape;
  for (int c = 0; c < nrhs; c++) {
    double *x = B + (size_t)c * (size_t)ldb;
    if (la_wide()) band_solve_wide(n, kl, ku, AB, (size_t)ldab, ipiv, x);
    else band_solve(n, kl, ku, AB, (size_t)ldab, ipiv, x);
  }
  return ok;
}
