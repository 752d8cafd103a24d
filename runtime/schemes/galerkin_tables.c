// Numbers of the pieces of degree s: Legendre's polynomials on [0, 1], normalized, P_j, and their integrals I_j from 0;
// Gauss' nodes; Richardson's weights of 1, 2, ..., s subintervals, (2) of docs/numerics/galerkin.md.
#include "galerkin.h"

// Legendre's polynomial of degree n at x in [-1, 1], by its recursion.
static double legendre(int n, double x) {
  double before = 0, p = 1;
  for (int k = 0; k < n; k++) {
    double next = ((2 * k + 1) * x * p - k * before) / (k + 1);
    before = p;
    p = next;
  }
  return p;
}

static double P(int j, double tau) { return sqrt(2 * j + 1) * legendre(j, 2 * tau - 1); }

static double I(int j, double tau) {
  double x = 2 * tau - 1;
  return j == 0 ? tau : (legendre(j + 1, x) - legendre(j - 1, x)) / (2 * sqrt(2 * j + 1));
}

// Node k: a zero of the polynomial of degree s by Newton's method; weights 2/((1 - x^2) P_s'(x)^2) on [-1, 1].
static void gauss(galerkin_tables *t, int k) {
  int s = t->s;
  double x = -cos(3.14159265358979323846 * (k + 0.75) / (s + 0.5)), slope = 1;
  for (int it = 0; it < 8; it++) {
    slope = s * (legendre(s - 1, x) - x * legendre(s, x)) / (1 - x * x);
    x -= legendre(s, x) / slope;
  }
  t->node[k] = 0.5 * (1 + x);
  t->weight[k] = 1 / ((1 - x * x) * slope * slope);
  for (int j = 0; j < s; j++) {
    t->P[k][j] = P(j, t->node[k]);
    t->I[k][j] = I(j, t->node[k]);
  }
}

void galerkin_tables_make(galerkin_tables *t, int s) {
  t->s = s;
  for (int k = 0; k < s; k++) gauss(t, k);
  for (int N = 1; N <= s; N++) {
    t->share[N] = 1;
    for (int l = 1; l <= s; l++) if (l != N) t->share[N] *= (double)(N * N) / (N * N - l * l);
    for (int i = 0; i <= N; i++)
      for (int j = 0; j < s; j++) t->at[N][i][j] = i == 0 ? 0 : i == N ? j == 0 : I(j, (double)i / N);
  }
}
