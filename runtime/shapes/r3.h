// Vectors of three elements and matrices of nine, row by row.
#ifndef NSM_SHAPES_R3_H
#define NSM_SHAPES_R3_H

#include <math.h>

static inline double r3_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline double r3_length(const double *a) { return sqrt(r3_dot(a, a)); }

static inline void r3_minus(const double *a, const double *b, double *out) {
  for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

// out is not a or b.
static inline void r3_cross(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// M x and transpose(M) x; out is not x.
static inline void r3_times(const double *M, const double *x, double *out) {
  for (int k = 0; k < 3; k++) out[k] = r3_dot(M + 3 * k, x);
}
static inline void r3_times_transposed(const double *M, const double *x, double *out) {
  for (int k = 0; k < 3; k++) out[k] = M[k] * x[0] + M[3 + k] * x[1] + M[6 + k] * x[2];
}

// A B and A transpose(B); out is neither.
static inline void r3_product(const double *A, const double *B, double *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}
static inline void r3_product_transposed(const double *A, const double *B, double *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] = r3_dot(A + 3 * i, B + 3 * j);
}

#endif
