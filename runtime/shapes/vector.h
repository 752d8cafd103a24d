// Vectors of three elements and 3 x 3 matrices, row by row.
#ifndef NSM_SHAPES_VECTOR_H
#define NSM_SHAPES_VECTOR_H
#include <math.h>

static inline double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void cross3(const double *a, const double *b, double *c) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  c[0] = x; c[1] = y; c[2] = z;
}

static inline double norm3(const double *a) { return sqrt(dot3(a, a)); }

static inline void copy3(double *to, const double *from) { to[0] = from[0]; to[1] = from[1]; to[2] = from[2]; }

static inline void sub3(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

// c = a + k b
static inline void add3(const double *a, double k, const double *b, double *c) {
  for (int i = 0; i < 3; i++) c[i] = a[i] + k * b[i];
}

static inline void scale3(double k, double *a) {
  for (int i = 0; i < 3; i++) a[i] *= k;
}

// y = M x; y is not x.
static inline void turn3(const double *M, const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = M[3 * i] * x[0] + M[3 * i + 1] * x[1] + M[3 * i + 2] * x[2];
}

// y = transpose of M times x; y is not x.
static inline void back3(const double *M, const double *x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = M[i] * x[0] + M[3 + i] * x[1] + M[6 + i] * x[2];
}

// C = A B and C = A times transpose of B; C is neither.
static inline void product3(const double *A, const double *B, double *C) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}
static inline void product_back3(const double *A, const double *B, double *C) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3 * i + j] = dot3(A + 3 * i, B + 3 * j);
}

// A unit vector at right angles to n, |n| > 0: continuous but at the border where another axis becomes the farthest.
static inline void across3(const double *n, double *t) {
  int k = fabs(n[0]) <= fabs(n[1]) ? (fabs(n[0]) <= fabs(n[2]) ? 0 : 2) : (fabs(n[1]) <= fabs(n[2]) ? 1 : 2);
  double e[3] = { 0, 0, 0 };
  e[k] = 1;
  cross3(n, e, t);
  scale3(1 / norm3(t), t);
}

#endif
