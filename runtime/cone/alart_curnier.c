// The map of Alart and Curnier (Comput. Methods Appl. Mech. Engrg. 92 (1991) 353-375; seed 001, last chapter) and an
// element of its generalised Jacobian, for every block of mathematics.md section 1.
//
//   F_N = x_N - P_+(x_N - rho_N y_N),  F_T = x_T - P_D(x_T - rho_T y_T),  D the disk of radius mu P_+(x_N - rho_N y_N)
//
// A solution makes x_T the point of the disk that is most opposed to y_T, which is the same as the inclusion with De
// Saxce's shift. The grip has F_N = rho_N y_N and the radius mu |x_N|, the disk a constant radius, an interval its own
// projection. The row d F_T / d y_N, about which the seed warns, is needed for a consistent Jacobian because the radius
// contains y_N (errata.md, 001).
#include "newton.h"
#include <math.h>
#include <string.h>

// Tangents k = from ... size-1: F = x - P_D(radius)(x - rho y); d radius = by_x d x_N + by_y d y_N.
static void disk_rows(const nsm_node *n, int from, double radius, double by_x, double by_y, double rho, const double *x,
                      const double *y, double *F, double *A, double *B) {
  double z[NSM_NODE_ROWS], norm = 0;
  for (int k = from; k < n->size; k++) { z[k] = x[k] - rho * y[k]; norm += z[k] * z[k]; }
  norm = sqrt(norm);
  int inside = norm <= radius && radius > 0;
  double shrink = inside || norm == 0 ? 1 : radius / norm;
  for (int k = from; k < n->size; k++) {
    if (radius <= 0 || n->pinned & 1 << k) {
      F[k] = x[k];
      if (A) A[k * NSM_NODE_ROWS + k] = 1;
      continue;
    }
    F[k] = inside ? rho * y[k] : x[k] - shrink * z[k];
    if (!A) continue;
    if (inside) { B[k * NSM_NODE_ROWS + k] = rho; continue; }
    A[k * NSM_NODE_ROWS + k] = 1;
    for (int j = from; j < n->size; j++) {
      double G = shrink * ((j == k) - z[k] * z[j] / (norm * norm));
      A[k * NSM_NODE_ROWS + j] -= G;
      B[k * NSM_NODE_ROWS + j] = rho * G;
    }
    if (from == 1) {
      A[k * NSM_NODE_ROWS] = -by_x * z[k] / norm;
      B[k * NSM_NODE_ROWS] = -by_y * z[k] / norm;
    }
  }
}

// One node; returns 0 where its rows of the Jacobian are those of the identity.
static int node_map(const nsm_node *n, double alpha, double push, const double *x, const double *y, double *F,
                    double *A, double *B) {
  double rho_N = push / (n->normal + alpha * n->metric), rho_T = push / (n->tangent + alpha * n->metric),
         p = x[0] - rho_N * y[0];
  switch (n->kind) {
    case NSM_NODE_INTERVAL:
      if (p <= n->lo || p >= n->hi) {
        F[0] = x[0] - (p <= n->lo ? n->lo : n->hi);
        if (A) A[0] = 1;
        return 0;
      }
      F[0] = rho_N * y[0];
      if (A) B[0] = rho_N;
      return 1;
    case NSM_NODE_CONTACT:
      if (p <= 0) {
        for (int k = 0; k < n->size; k++) { F[k] = x[k]; if (A) A[k * NSM_NODE_ROWS + k] = 1; }
        return 0;
      }
      F[0] = rho_N * y[0];
      if (A) B[0] = rho_N;
      disk_rows(n, 1, n->mu * p, n->mu, -n->mu * rho_N, rho_T, x, y, F, A, B);
      return 1;
    case NSM_NODE_GRIP:
      F[0] = rho_N * y[0];
      if (A) B[0] = rho_N;
      disk_rows(n, 1, n->mu * fabs(x[0]), copysign(n->mu, x[0]), 0, rho_T, x, y, F, A, B);
      return 1;
    case NSM_NODE_DISK:
      disk_rows(n, 0, n->mu, 0, 0, rho_T, x, y, F, A, B);
      return n->mu > 0;
    case NSM_NODE_GLUED:
      F[0] = p <= n->lo ? x[0] - n->lo : rho_N * y[0];
      if (A) *(p <= n->lo ? A : B) = p <= n->lo ? 1 : rho_N;
      disk_rows(n, 1, n->mu, 0, 0, rho_T, x, y, F, A, B);
      return 1;
    default: return nsm_map_posed(n, alpha, x, y, F, A, B);
  }
}

void nsm_map_alart_curnier(const nsm_graph *g, double alpha, const double *x, const double *y, double *F, double *A,
                           double *B, unsigned char *active) {
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    int first = n->first;
    if (A) {
      double *a = A + (size_t)c * NSM_NODE_BLOCK, *b = B + (size_t)c * NSM_NODE_BLOCK;
      memset(a, 0, NSM_NODE_BLOCK * sizeof(double));
      memset(b, 0, NSM_NODE_BLOCK * sizeof(double));
      active[c] = (unsigned char)node_map(n, alpha, g->push, x + first, y + first, F + first, a, b);
    } else node_map(n, alpha, g->push, x + first, y + first, F + first, NULL, NULL);
  }
}

nsm_cone_outcome nsm_cone_alart_curnier(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                        double *lambda, double *u) {
  (void)u;
  return nsm_newton_alone(p, w, t, nsm_map_alart_curnier, lambda);
}
