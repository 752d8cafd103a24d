// The map of Alart and Curnier (Comput. Methods Appl. Mech. Engrg. 92 (1991) 353-375; [Siconos notes, last chapter])
// and an element of its generalised Jacobian, for every block of problem.h.
//
//   F_N = x_N - P_+(x_N - rho_N y_N),  F_T = x_T - P_D(x_T - rho_T y_T),  D the disk of radius mu P_+(x_N - rho_N y_N)
//
// A solution makes x_T the point of the disk that is most opposed to y_T, which is the same as the inclusion with De
// Saxce's shift. The grip has F_N = rho_N y_N and the radius mu |x_N|, rolling friction two disks, the disk a constant
// radius, an interval its own projection. The row d F_T / d y_N, about which [Siconos notes] warn, is needed for a
// consistent Jacobian because the radius contains y_N.
#include "newton.h"
#include <math.h>
#include <string.h>

// Tangents k = from ... to-1: F = x - P_D(radius)(x - rho y); d radius = by_x . d x_N + by_y d y_N, of `normals` rows.
static void disk_rows(const nsm_node *n, int normals, int from, int to, double radius, const double *by_x,
                      double by_y, double rho, const double *x, const double *y, double *F, double *A, double *B) {
  double z[NSM_NODE_ROWS], norm = 0;
  for (int k = from; k < to; k++) { z[k] = x[k] - rho * y[k]; norm += z[k] * z[k]; }
  norm = sqrt(norm);
  int inside = norm <= radius && radius > 0;
  double shrink = inside || norm == 0 ? 1 : radius / norm;
  for (int k = from; k < to; k++) {
    if (radius <= 0 || n->pinned & 1 << k) {
      F[k] = x[k];
      if (A) A[k * NSM_NODE_ROWS + k] = 1;
      continue;
    }
    F[k] = inside ? rho * y[k] : x[k] - shrink * z[k];
    if (!A) continue;
    if (inside) { B[k * NSM_NODE_ROWS + k] = rho; continue; }
    A[k * NSM_NODE_ROWS + k] = 1;
    for (int j = from; j < to; j++) {
      double G = shrink * ((j == k) - z[k] * z[j] / (norm * norm));
      A[k * NSM_NODE_ROWS + j] -= G;
      B[k * NSM_NODE_ROWS + j] = rho * G;
    }
    for (int j = 0; j < normals; j++) A[k * NSM_NODE_ROWS + j] = -by_x[j] * z[k] / norm;
    if (normals == 1) B[k * NSM_NODE_ROWS] = -by_y * z[k] / norm;
  }
}

// The same with Contensou's exact set of the radius mu P_+(x_N - rho y_N) = mu p > 0, or, without a normal row, of a
// given one.
static void exact_rows(const nsm_node *n, double radius, double rho_N, double rho, const double *x, const double *y,
                       double *F, double *A, double *B) {
  double z[3], P[3], D[9], by[3];
  int first = n->normals;
  for (int k = 0; k < 3; k++) z[k] = x[k + first] - rho * y[k + first];
  nsm_cone_project_contensou(radius, z, P, A ? D : NULL, by);
  for (int k = 0; k < 3; k++) {
    F[k + first] = x[k + first] - P[k];
    if (!A) continue;
    if (first) A[(k + 1) * NSM_NODE_ROWS] = -n->mu * by[k];
    if (first) B[(k + 1) * NSM_NODE_ROWS] = n->mu * by[k] * rho_N;
    for (int j = 0; j < 3; j++) {
      A[(k + first) * NSM_NODE_ROWS + j + first] = (k == j) - D[k + 3 * j];
      B[(k + first) * NSM_NODE_ROWS + j + first] = rho * D[k + 3 * j];
    }
  }
}

// A grip: |x_N| of its normal rows, and mu times its derivative.
static double grip_force(const nsm_node *n, const double *x, double *by_x) {
  double force = 0;
  for (int k = 0; k < n->normals; k++) force += x[k] * x[k];
  force = n->normals == 1 ? fabs(x[0]) : sqrt(force);
  for (int k = 0; k < n->normals; k++)
    by_x[k] = n->normals == 1 ? copysign(n->mu, x[0]) : force > 0 ? n->mu * (x[k] / force) : 0;
  return force;
}

// One node; returns 0 where its rows of the Jacobian are those of the identity.
static int node_map(const nsm_node *n, double alpha, double push, const double *x, const double *y, double *F,
                    double *A, double *B) {
  double rho_N = push / (n->normal + alpha * n->metric), rho_T = push / (n->tangent + alpha * n->metric),
         p = x[0] - rho_N * y[0], force, by_x[3] = { 0 };
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
      if (n->exact && n->mu > 0) exact_rows(n, n->mu * p, rho_N, rho_T, x, y, F, A, B);
      else {
        int end = n->rolling ? 1 + n->rolling : n->size;
        disk_rows(n, 1, 1, end, n->mu * p, &n->mu, -n->mu * rho_N, rho_T, x, y, F, A, B);
        if (n->rolling) disk_rows(n, 1, end, n->size, n->mu * p, &n->mu, -n->mu * rho_N, rho_T, x, y, F, A, B);
      }
      return 1;
    case NSM_NODE_GRIP:
      for (int k = 0; k < n->normals; k++) {
        F[k] = rho_N * y[k];
        if (A) B[k * NSM_NODE_ROWS + k] = rho_N;
      }
      force = grip_force(n, x, by_x);
      disk_rows(n, n->normals, n->normals, n->size, n->mu * force, by_x, 0, rho_T, x, y, F, A, B);
      return 1;
    case NSM_NODE_DISK:
      if (n->exact && n->mu > 0) exact_rows(n, n->mu, 0, rho_T, x, y, F, A, B);
      else disk_rows(n, 0, 0, n->size, n->mu, by_x, 0, rho_T, x, y, F, A, B);
      return n->mu > 0;
    case NSM_NODE_GLUED:
      F[0] = p <= n->lo ? x[0] - n->lo : rho_N * y[0];
      if (A) *(p <= n->lo ? A : B) = p <= n->lo ? 1 : rho_N;
      disk_rows(n, 1, 1, n->size, n->mu, by_x, 0, rho_T, x, y, F, A, B);
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
