// Dense LU factors of a complex matrix, real and imaginary parts in arrays of their own: column by column, with partial
// pivoting by |re| + |im|, as LINPACK's cgefa does. Golub and Van Loan, Matrix Computations, 4th ed. 2013, 3.4.
#include "la.h"
#include <math.h>
#include <stddef.h>

// (a + i b)/(c + i d), scaled [Smith 1962].
static void divide(double a, double b, double c, double d, double *re, double *im) {
  if (fabs(c) >= fabs(d)) {
    double r = d / c, den = c + d * r;
    *re = (a + b * r) / den;
    *im = (b - a * r) / den;
  } else {
    double r = c / d, den = c * r + d;
    *re = (a * r + b) / den;
    *im = (b * r - a) / den;
  }
}

static void exchange(double *a, int i, int k) {
  double t = a[i];
  a[i] = a[k];
  a[k] = t;
}

// y -= (a + i b) x, n entries.
static void subtract(int n, double a, double b, const double *restrict xr, const double *restrict xi,
                     double *restrict yr, double *restrict yi) {
  for (int i = 0; i < n; i++) {
    yr[i] -= a * xr[i] - b * xi[i];
    yi[i] -= a * xi[i] + b * xr[i];
  }
}

nsm_la_status nsm_la_complex_factor(int n, double *re, double *im, int *ipiv) {
  if (n < 0) return (nsm_la_status){ NSM_LA_BAD_SHAPE, 0 };
  size_t m = (size_t)n;
  for (int k = 0; k < n; k++) {
    double *cr = re + (size_t)k * m, *ci = im + (size_t)k * m, most = -1;
    int at = k;
    for (int i = k; i < n; i++) {
      double size = fabs(cr[i]) + fabs(ci[i]);
      if (size > most) { most = size; at = i; }
    }
    ipiv[k] = at;
    if (!(most > 0)) return (nsm_la_status){ NSM_LA_SINGULAR, k };
    for (int j = 0; j < n && at != k; j++) {
      exchange(re + (size_t)j * m, k, at);
      exchange(im + (size_t)j * m, k, at);
    }
    double pr, pi;
    divide(1, 0, cr[k], ci[k], &pr, &pi);
    cr[k] = pr;                                            // what solves multiply by
    ci[k] = pi;
    for (int i = k + 1; i < n; i++) {
      double a = cr[i], b = ci[i];
      cr[i] = a * pr - b * pi;
      ci[i] = a * pi + b * pr;
    }
    for (int j = k + 1; j < n; j++) {
      double *dr = re + (size_t)j * m, *di = im + (size_t)j * m;
      if (dr[k] != 0 || di[k] != 0)
        subtract(n - k - 1, dr[k], di[k], cr + k + 1, ci + k + 1, dr + k + 1, di + k + 1);
    }
  }
  return (nsm_la_status){ NSM_LA_OK, 0 };
}

void nsm_la_complex_solve(int n, const double *re, const double *im, const int *ipiv, double *xr, double *xi) {
  size_t m = (size_t)n;
  for (int k = 0; k < n; k++) {
    exchange(xr, k, ipiv[k]);
    exchange(xi, k, ipiv[k]);
  }
  for (int k = 0; k < n; k++) {
    const double *cr = re + (size_t)k * m, *ci = im + (size_t)k * m;
    if (xr[k] != 0 || xi[k] != 0)
      subtract(n - k - 1, xr[k], xi[k], cr + k + 1, ci + k + 1, xr + k + 1, xi + k + 1);
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *cr = re + (size_t)k * m, *ci = im + (size_t)k * m;
    double a = xr[k], b = xi[k];
    xr[k] = a * cr[k] - b * ci[k];
    xi[k] = a * ci[k] + b * cr[k];
    subtract(k, xr[k], xi[k], cr, ci, xr, xi);
  }
}
