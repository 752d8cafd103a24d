// Families from the literature, by size; and what is known of their solutions.
#pragma once
#include "bench.h"

// Murty 1978: M upper triangular, 1 on the diagonal and 2 above, q = -1: lambda = (0, .., 0, 1). `transposed`: lower,
// lambda = (1, 0, .., 0).
static inline bench murty(int n, int transposed) {
  bench b = bench_open(n, 0, 0);
  for (int j = 0; j < n; j++) {
    b.q[j] = -1;
    for (int i = 0; i <= j; i++) b.M[transposed ? j + i * n : i + j * n] = i == j ? 1 : 2;
  }
  return b;
}

// Fathi 1979: L L^T with L the lower Murty matrix, + shift: lambda = (1, 0, .., 0) for q = -1.
static inline bench fathi(int n, int variant) {
  bench b = bench_open(n, 0, 0);
  for (int j = 0; j < n; j++) {
    b.q[j] = -1;
    for (int i = 0; i < n; i++) {
      int least = i < j ? i : j;
      b.M[i + j * n] =
          (i == j ? 4 * least + 1 : 4 * least + 2) + (variant == 1 ? 4 : 0) - (variant == 2 && j > 0 ? 4 : 0);
    }
  }
  return b;
}

// Chung 1989, from Murty 1988: does a part of the a_i sum to s? w_i = a_i - z_i; w_{n+1} = sum z - n z_{n+1} - s,
// w_{n+2} = s - sum z - n z_{n+2}. Solvable exactly where such a part exists. NP-complete.
static inline bench chung(int n, const double *a, double sum) {
  int m = n + 2;
  bench b = bench_open(m, 0, 0);
  for (int i = 0; i < n; i++) {
    b.M[i + i * m] = -1;
    b.M[n + i * m] = 1;
    b.M[n + 1 + i * m] = -1;
    b.q[i] = a[i];
  }
  b.M[n + n * m] = b.M[n + 1 + (n + 1) * m] = -n;
  b.q[n] = -sum;
  b.q[n + 1] = sum;
  return b;
}

// Csizmadia: lower triangular, 1 and -1: exponential handicap. lambda = (1, 0, 1, 0, ..) for q = e - x - M x.
static inline bench csizmadia(int n) {
  bench b = bench_open(n, 0, 0);
  for (int i = 0; i < n; i++) {
    double s = 1 - (i % 2 == 0);
    for (int j = 0; j <= i; j++) {
      b.M[i + j * n] = i == j ? 1 : -1;
      if (j % 2 == 0) s -= i == j ? 1 : -1;
    }
    b.q[i] = s;
  }
  return b;
}

// Ahn 1983: tridiagonal (1, 4, -2), q = -1. Here dense.
static inline bench ahn(int n) {
  bench b = bench_open(n, 0, 0);
  for (int i = 0; i < n; i++) {
    b.q[i] = -1;
    b.M[i + i * n] = 4;
    if (i > 0) b.M[i + (i - 1) * n] = 1;
    if (i + 1 < n) b.M[i + (i + 1) * n] = -2;
  }
  return b;
}

// A bimatrix game with payoffs A, B > 0: M = (0 A; B^T 0), q = -1. Lemke's path is a ray at once.
static inline bench bimatrix(int n) {
  int m = 2 * n;
  bench b = bench_open(m, 0, 0);
  for (int i = 0; i < m; i++) {
    b.q[i] = -1;
    for (int j = 0; j < m; j++)
      if ((i < n) != (j < n)) b.M[i + j * m] = 1.1 + draw();
  }
  return b;
}
