// Sums run in a fixed order: the same digits on every machine.
#include "least.h"
#include <math.h>

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void reflect(const double *v, double beta, double *x, int n) {
  double by = beta * dot(v, x, n);
  for (int i = 0; i < n; i++) x[i] -= by * v[i];
}

double least_squares(int m, int n, double *A, double *b, double *x) {
  double worst = 1;
  for (int k = 0; k < n; k++) {
    double *column = A + (long)k * m, *v = column + k;
    double whole = sqrt(dot(column, column, m)), length = sqrt(dot(v, v, m - k));
    double alpha = v[0] > 0 ? -length : length, first = v[0] - alpha;
    worst = fmin(worst, whole > 0 ? length / whole : 0);
    if (!(length > 0)) return 0;
    double below = dot(v + 1, v + 1, m - k - 1), beta = 2 / (first * first + below);
    v[0] = first;
    for (int j = k + 1; j < n; j++) reflect(v, beta, A + (long)j * m + k, m - k);
    reflect(v, beta, b + k, m - k);
    v[0] = alpha;                                           // R_kk; what stands below it is no longer needed
  }
  for (int i = n - 1; i >= 0; i--) {
    double sum = b[i];
    for (int j = i + 1; j < n; j++) sum -= A[i + (long)j * m] * x[j];
    x[i] = sum / A[i + (long)i * m];
  }
  return worst;
}

void least_covariance(int m, int n, const double *A, double *C) {
  for (int k = 0; k < n; k++) {                             // column k of R^-1, in column k of C
    for (int i = n - 1; i >= 0; i--) {
      double sum = i == k;
      for (int j = i + 1; j < n; j++) sum -= A[i + (long)j * m] * C[j + (long)k * n];
      C[i + (long)k * n] = sum / A[i + (long)i * m];
    }
  }
  for (int i = 0; i < n; i++)                               // R^-1 R^-T: upper triangles, row by row
    for (int j = i; j < n; j++) {
      double sum = 0;
      for (int k = j; k < n; k++) sum += C[i + (long)k * n] * C[j + (long)k * n];
      C[i + (long)j * n] = sum;
    }
  for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) C[i + (long)j * n] = C[j + (long)i * n];
}

// Regularised incomplete beta function by its continued fraction [Abramowitz and Stegun 1964, 26.5.8], Lentz's way.
static double beta_fraction(double x, double a, double b) {
  double c = 1, d = 1 - (a + b) * x / (a + 1), h;
  d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
  h = d;
  for (int m = 1; m < 1000; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
           odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= d * c;
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    double change = d * c;
    h *= change;
    if (fabs(change - 1) < 1e-15) break;
  }
  return h;
}

static double beta_share(double x, double a, double b) {
  if (x <= 0 || x >= 1) return x > 0;
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a : 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_quantile(double p, double freedom) {
  double lo = 0, hi = 1;
  if (!(freedom >= 1)) return NAN;
  while (1 - beta_share(freedom / (freedom + hi * hi), freedom / 2, 0.5) < p && hi < 1e12) hi *= 2;
  for (int k = 0; k < 200 && hi - lo > 1e-15 * hi; k++) {
    double t = 0.5 * (lo + hi);
    if (1 - beta_share(freedom / (freedom + t * t), freedom / 2, 0.5) < p) lo = t;
    else hi = t;
  }
  return 0.5 * (lo + hi);
}
