// The map of Fischer and Burmeister on the second-order cone (Fischer, Optimization 24 (1992) 269-284; Fukushima, Luo
// and Tseng, SIAM J. Optim. 12 (2002) 436-460), with De Saxce's shift, and an element of its generalised Jacobian.
//
//   F = X + V - (X o X + V o V)^{1/2},   X = (x_N, x_T / mu),   V = rho (y_N + mu |y_T|, mu y_T),
//   X o Y = (X.Y, X_0 Y_T + Y_0 X_T)
//
// is zero where X and V are in the unit cone and orthogonal. With Z the root:  dF = (I - L_Z^{-1} L_X) dX + (I -
// L_Z^{-1} L_V) dV,  L_X Y = X o Y. Where Z has no inverse (at the tip and on common rays) Z is moved into the cone by
// a small multiple of e, which gives a limit of Jacobians near by. Half lines take the scalar map x - lo + rho y -
// sqrt(...). Boxes, free rows, grips and disks, whose sets are no cones, keep the natural map of alart_curnier.c.
// Unlike there every contact is part of the linear system, also open ones.
#include "newton.h"
#include <float.h>
#include <math.h>
#include <string.h>

// x^{1/2} by its spectral values: lambda_{1,2} = x_0 -+ |x_T|, roots on the same frame.
static void root(int n, const double *x, double *z) {
  double t = 0;
  for (int i = 1; i < n; i++) t += x[i] * x[i];
  t = sqrt(t);
  double low = sqrt(fmax(x[0] - t, 0)), high = sqrt(x[0] + t);
  z[0] = 0.5 * (low + high);
  for (int i = 1; i < n; i++) z[i] = t > 0 ? 0.5 * (high - low) * x[i] / t : 0;
}

// out := L_z^{-1} b, z inside of the cone.
static void divide(int n, const double *z, const double *b, double *out) {
  double zz = 0, zb = 0;
  for (int i = 1; i < n; i++) { zz += z[i] * z[i]; zb += z[i] * b[i]; }
  zz = sqrt(zz);
  double head = (z[0] * b[0] - zb) / ((z[0] - zz) * (z[0] + zz));
  for (int i = 1; i < n; i++) out[i] = (b[i] - head * z[i]) / z[0];
  out[0] = head;
}

static void jordan(int n, const double *a, const double *b, double *out) {
  double dot = 0;
  for (int i = 0; i < n; i++) dot += a[i] * b[i];
  for (int i = 1; i < n; i++) out[i] = a[0] * b[i] + b[0] * a[i];
  out[0] = dot;
}

static void contact(const nsm_node *n, double rho, const double *x, const double *y, double *F, double *A, double *B) {
  double X[NSM_NODE_ROWS], V[NSM_NODE_ROWS], a[NSM_NODE_ROWS], b[NSM_NODE_ROWS], Z[NSM_NODE_ROWS], slip = 0;
  int row[NSM_NODE_ROWS] = { 0 }, size = 1;
  for (int k = 1; k < n->size; k++) {
    if (n->pinned & 1 << k) { F[k] = x[k]; if (A) A[k * NSM_NODE_ROWS + k] = 1; }
    else row[size++] = k;
  }
  X[0] = x[0];
  for (int i = 1; i < size; i++) { X[i] = x[row[i]] / n->mu; V[i] = rho * n->mu * y[row[i]]; slip += V[i] * V[i]; }
  slip = sqrt(slip);
  V[0] = rho * y[0] + slip;
  jordan(size, X, X, a);
  jordan(size, V, V, b);
  for (int i = 0; i < size; i++) a[i] += b[i];
  root(size, a, Z);
  for (int i = 0; i < size; i++) F[row[i]] = X[i] + V[i] - Z[i];
  if (!A) return;
  double tail = 0;
  for (int i = 1; i < size; i++) tail += Z[i] * Z[i];
  tail = sqrt(tail);
  Z[0] = fmax(Z[0], tail + 1e-10 * (Z[0] + DBL_MIN));
  if (!(Z[0] > DBL_MIN)) Z[0] = 1;
  for (int j = 0; j < size; j++) {            // column j: directions dX = e_j, dV = e_j
    double e[NSM_NODE_ROWS] = { 0 }, p[NSM_NODE_ROWS], v[NSM_NODE_ROWS];
    e[j] = 1;
    jordan(size, X, e, a);
    divide(size, Z, a, p);
    jordan(size, V, e, b);
    divide(size, Z, b, v);
    for (int i = 0; i < size; i++) {
      double dX = (i == j) - p[i], dV = (i == j) - v[i];
      A[row[i] * NSM_NODE_ROWS + row[j]] += j ? dX / n->mu : dX;
      // V_0 depends on y_N and, along the slip, on y_T; V_j on y_j
      if (j == 0) {
        B[row[i] * NSM_NODE_ROWS] += rho * dV;
        for (int k = 1; k < size && slip > 0; k++) B[row[i] * NSM_NODE_ROWS + row[k]] += rho * n->mu * dV * V[k] / slip;
      } else B[row[i] * NSM_NODE_ROWS + row[j]] += rho * n->mu * dV;
    }
  }
}

// a + b - sqrt(a^2 + b^2), a = side (x - end), b = side rho y; F has the sign of x.
static void half_line(double side, double end, double rho, double x, double y, double *F, double *A, double *B) {
  double a = side * (x - end), b = side * rho * y, r = hypot(a, b);
  F[0] = side * (a + b - r);
  if (!A) return;
  A[0] = r > 0 ? 1 - a / r : 1 - M_SQRT1_2;
  B[0] = rho * (r > 0 ? 1 - b / r : 1 - M_SQRT1_2);
}

void nsm_map_fischer_burmeister(const nsm_graph *g, double alpha, const double *x, const double *y, double *F,
                                double *A, double *B, unsigned char *active) {
  nsm_map_alart_curnier(g, alpha, x, y, F, A, B, active);
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    int i = n->first, low = n->lo > -HUGE_VAL, high = n->hi < HUGE_VAL;
    if (n->kind != NSM_NODE_CONTACT && (n->kind != NSM_NODE_INTERVAL || low == high)) continue;
    double *a = A ? A + (size_t)c * NSM_NODE_BLOCK : NULL, *b = A ? B + (size_t)c * NSM_NODE_BLOCK : NULL,
           rho = g->push / ((1 + alpha) * n->metric);
    if (A) {
      memset(a, 0, NSM_NODE_BLOCK * sizeof(double));
      memset(b, 0, NSM_NODE_BLOCK * sizeof(double));
      active[c] = 1;
    }
    if (n->kind == NSM_NODE_CONTACT) contact(n, rho, x + i, y + i, F + i, a, b);
    else half_line(low ? 1 : -1, low ? n->lo : n->hi, rho, x[i], y[i], F + i, a, b);
  }
}

nsm_cone_outcome nsm_cone_fischer_burmeister(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                             double *lambda, double *u) {
  (void)u;
  return nsm_newton_alone(p, w, t, nsm_map_fischer_burmeister, lambda);
}
