// The natural map of the nodes that solvers pose themselves (newton.h):  F = x - P_K(x - rho y)  with an element of its
// generalised Jacobian, A = I - P', B = rho P'. All of these sets are convex, and none has a shift.
#include "newton.h"
#include <math.h>

// The rows of the node that are not pinned, in order; those that are have F = x.
static int free_rows(const nsm_node *n, const nsm_map_rows *r, int *row) {
  int k = 0;
  for (int i = 0; i < n->size; i++) {
    if (!(n->pinned & 1 << i)) { row[k++] = i; continue; }
    r->F[i] = r->x[i];
    if (r->A) r->A[i * NSM_NODE_ROWS + i] = 1;
  }
  return k;
}

// z -> z - P(z) on k rows with the derivative G [k*k] of P.
static void put(int k, const int *row, double rho, const double *P, const double *G, const nsm_map_rows *r) {
  for (int i = 0; i < k; i++) {
    r->F[row[i]] = r->x[row[i]] - P[i];
    for (int j = 0; r->A && j < k; j++) {
      r->A[row[i] * NSM_NODE_ROWS + row[j]] = (i == j) - G[i + j * k];
      r->B[row[i] * NSM_NODE_ROWS + row[j]] = rho * G[i + j * k];
    }
  }
}

static int any(int n, const double *G) {
  for (int i = 0; i < n; i++) if (G[i] != 0) return 1;
  return 0;
}

static int open_map(const nsm_node *n, const nsm_map_rows *r) {
  for (int i = 0; i < n->size; i++) { r->F[i] = r->x[i]; if (r->A) r->A[i * NSM_NODE_ROWS + i] = 1; }
  return 0;
}

static int held_map(const nsm_node *n, double rho, const nsm_map_rows *r) {
  for (int i = 0; i < n->size; i++) {
    int held = n->held >> i & 1;
    r->F[i] = held ? rho * r->y[i] : r->x[i];
    if (r->A) (held ? r->B : r->A)[i * NSM_NODE_ROWS + i] = held ? rho : 1;
  }
  return n->held != 0;
}

static int cone_map(const nsm_node *n, double rho, const nsm_map_rows *r) {
  int row[NSM_NODE_ROWS], k = free_rows(n, r, row);
  double side = n->lo < 0 ? -1 : 1, z[NSM_NODE_ROWS] = { 0 }, P[NSM_NODE_ROWS], G[NSM_NODE_BLOCK];
  for (int i = 0; i < k; i++) z[i] = side * (r->x[row[i]] - rho * r->y[row[i]]);
  nsm_cone_project_cone_derivative(k, k > 1 ? n->mu : 0, z, P, G);
  for (int i = 0; i < k; i++) P[i] *= side;
  put(k, row, rho, P, G, r);
  return any(k * k, G);
}

static int ray_map(const nsm_node *n, double rho, const nsm_map_rows *r) {
  int row[NSM_NODE_ROWS], k = free_rows(n, r, row);
  double length = 0, dot = 0, P[NSM_NODE_ROWS], G[NSM_NODE_BLOCK];
  for (int i = 0; i < k; i++) {
    length += n->along[row[i]] * n->along[row[i]];
    dot += n->along[row[i]] * (r->x[row[i]] - rho * r->y[row[i]]);
  }
  int on = dot > 0 || n->lo < 0;
  for (int i = 0; i < k; i++) {
    P[i] = on ? dot / length * n->along[row[i]] : 0;
    for (int j = 0; j < k; j++) G[i + j * k] = on ? n->along[row[i]] * n->along[row[j]] / length : 0;
  }
  put(k, row, rho, P, G, r);
  return on;
}

int nsm_map_posed(const nsm_node *n, double alpha, const nsm_map_rows *r) {
  double rho = 1 / ((1 + alpha) * n->metric);
  switch (n->kind) {
    case NSM_NODE_CONE: return cone_map(n, rho, r);
    case NSM_NODE_RAY:  return ray_map(n, rho, r);
    case NSM_NODE_HELD: return held_map(n, rho, r);
    default:            return open_map(n, r);
  }
}
