// Small dense matrices: eigenvalues of symmetric ones, dependent rows. For deciding, not for speed.
#include <math.h>
#include <string.h>
#include "parts.h"

// One rotation of rows and columns p, q that makes a[p,q] zero [Golub and Van Loan 2013, 8.5].
static void rotate(double *a, double *v, int n, int p, int q) {
  double theta = (a[q*n + q] - a[p*n + p])/(2*a[p*n + q]);
  double t = (theta >= 0 ? 1 : -1)/(fabs(theta) + sqrt(theta*theta + 1));
  if (!isfinite(theta)) t = 0;
  double c = 1/sqrt(t*t + 1), s = t*c;
  for (int i = 0; i < n; i++) {
    double x = a[i*n + p], y = a[i*n + q];
    a[i*n + p] = c*x - s*y;
    a[i*n + q] = s*x + c*y;
  }
  for (int i = 0; i < n; i++) {
    double x = a[p*n + i], y = a[q*n + i];
    a[p*n + i] = c*x - s*y;
    a[q*n + i] = s*x + c*y;
  }
  for (int i = 0; i < n; i++) {
    double x = v[i*n + p], y = v[i*n + q];
    v[i*n + p] = c*x - s*y;
    v[i*n + q] = s*x + c*y;
  }
}

void symmetric_eigen(double *a, int n, double *w, double *v) {
  enum { SWEEPS = 40 };
  memset(v, 0, sizeof *v*(size_t)(n*n));
  for (int i = 0; i < n; i++) v[i*n + i] = 1;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double off = 0, all = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        all += a[i*n + j]*a[i*n + j];
        if (i != j) off += a[i*n + j]*a[i*n + j];
      }
    if (off <= 1e-32*all) break;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) if (a[p*n + q] != 0) rotate(a, v, n, p, q);
  }
  for (int i = 0; i < n; i++) w[i] = a[i*n + i];
}

int rank_of_rows(double *a, int n, int m, double least, double *left) {
  enum { MOST = 128 };
  double by[MOST][MOST] = {{0}};                     // the combinations of rows made so far
  if (n > MOST) return n;
  for (int i = 0; i < n; i++) {
    double largest = 0;
    for (int j = 0; j < m; j++) largest = fmax(largest, fabs(a[i*m + j]));
    by[i][i] = largest > 0 ? 1/largest : 1;          // rows of different units
    for (int j = 0; j < m; j++) a[i*m + j] *= by[i][i];
  }
  int rank = 0;
  for (; rank < n && rank < m; rank++) {
    int row = rank, col = rank;
    for (int i = rank; i < n; i++)
      for (int j = rank; j < m; j++) if (fabs(a[i*m + j]) > fabs(a[row*m + col])) { row = i; col = j; }
    if (!(fabs(a[row*m + col]) > least)) break;
    for (int j = 0; j < m; j++) { double t = a[rank*m + j]; a[rank*m + j] = a[row*m + j]; a[row*m + j] = t; }
    for (int j = 0; j < n; j++) { double t = by[rank][j]; by[rank][j] = by[row][j]; by[row][j] = t; }
    for (int i = 0; i < n; i++) { double t = a[i*m + rank]; a[i*m + rank] = a[i*m + col]; a[i*m + col] = t; }
    for (int i = rank + 1; i < n; i++) {
      double f = a[i*m + rank]/a[rank*m + rank];
      if (f == 0) continue;
      for (int j = rank; j < m; j++) a[i*m + j] -= f*a[rank*m + j];
      for (int j = 0; j < n; j++) by[i][j] -= f*by[rank][j];
    }
  }
  if (rank < n) memcpy(left, by[rank], sizeof *left*(size_t)n);
  return rank;
}

bool solve_dense_system(double *M, double *B, int n, int m) {
  for (int i = 0; i < n; i++) {
    int best = i;
    for (int j = i + 1; j < n; j++) if (fabs(M[j*n + i]) > fabs(M[best*n + i])) best = j;
    if (!(fabs(M[best*n + i]) > 0)) return false;
    for (int j = 0; j < n; j++) { double t = M[i*n + j]; M[i*n + j] = M[best*n + j]; M[best*n + j] = t; }
    for (int j = 0; j < m; j++) { double t = B[i*m + j]; B[i*m + j] = B[best*m + j]; B[best*m + j] = t; }
    for (int r = 0; r < n; r++) {
      if (r == i || M[r*n + i] == 0) continue;
      double f = M[r*n + i]/M[i*n + i];
      for (int j = 0; j < n; j++) M[r*n + j] -= f*M[i*n + j];
      for (int j = 0; j < m; j++) B[r*m + j] -= f*B[i*m + j];
    }
  }
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) B[i*m + j] /= M[i*n + i];
  return true;
}
