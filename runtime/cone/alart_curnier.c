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

// Rows from ... to-1 on a disk whose radius moves with the normal force: d radius = by_x . d x_N + by_y d y_N.
typedef struct disk {
  int    normals, from, to;
  double radius, rho, by_x[3], by_y;
} disk;

// F = x - P_D(radius)(x - rho y) on the rows of d.
static void disk_rows(const nsm_node *n, const disk *d, const nsm_map_rows *r) {
  double z[NSM_NODE_ROWS], norm = 0, rho = d->rho;
  for (int k = d->from; k < d->to; k++) { z[k] = r->x[k] - rho * r->y[k]; norm += z[k] * z[k]; }
  norm = sqrt(norm);
  int inside = norm <= d->radius && d->radius > 0;
  double shrink = inside || norm == 0 ? 1 : d->radius / norm;
  for (int k = d->from; k < d->to; k++) {
    double *A = r->A ? r->A + k * NSM_NODE_ROWS : NULL, *B = r->A ? r->B + k * NSM_NODE_ROWS : NULL;
    if (d->radius <= 0 || n->pinned & 1 << k) {
      r->F[k] = r->x[k];
      if (A) A[k] = 1;
      continue;
    }
    r->F[k] = inside ? rho * r->y[k] : r->x[k] - shrink * z[k];
    if (!A) continue;
    if (inside) { B[k] = rho; continue; }
    A[k] = 1;
    for (int j = d->from; j < d->to; j++) {
      double G = shrink * ((j == k) - z[k] * z[j] / (norm * norm));
      A[j] -= G;
      B[j] = rho * G;
    }
    for (int j = 0; j < d->normals; j++) A[j] = -d->by_x[j] * z[k] / norm;
    if (d->normals == 1) B[0] = -d->by_y * z[k] / norm;
  }
}

// The same with Contensou's exact set of the radius mu P_+(x_N - rho_N y_N) = mu p > 0, or, without a normal row, of a
// given one.
static void exact_rows(const nsm_node *n, double radius, double rho_N, double rho, const nsm_map_rows *r) {
  double z[3], P[3], D[9], by[3];
  int first = n->normals;
  for (int k = 0; k < 3; k++) z[k] = r->x[k + first] - rho * r->y[k + first];
  nsm_cone_project_contensou(radius, z, P, r->A ? D : NULL, by);
  for (int k = 0; k < 3; k++) {
    int row = (k + first) * NSM_NODE_ROWS;
    r->F[k + first] = r->x[k + first] - P[k];
    if (!r->A) continue;
    if (first) r->A[row] = -n->mu * by[k];
    if (first) r->B[row] = n->mu * by[k] * rho_N;
    for (int j = 0; j < 3; j++) {
      r->A[row + j + first] = (k == j) - D[k + 3 * j];
      r->B[row + j + first] = rho * D[k + 3 * j];
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

static int interval_rows(const nsm_node *n, double rho, double p, const nsm_map_rows *r) {
  int out = p <= n->lo || p >= n->hi;
  r->F[0] = out ? r->x[0] - (p <= n->lo ? n->lo : n->hi) : rho * r->y[0];
  if (r->A) *(out ? r->A : r->B) = out ? 1 : rho;
  return !out;
}

// p = x_N - rho_N y_N
static int contact_rows(const nsm_node *n, double rho_N, double rho_T, double p, const nsm_map_rows *r) {
  if (p <= 0) {
    for (int k = 0; k < n->size; k++) { r->F[k] = r->x[k]; if (r->A) r->A[k * NSM_NODE_ROWS + k] = 1; }
    return 0;
  }
  disk d = { 1, 1, n->rolling ? 1 + n->rolling : n->size, n->mu * p, rho_T, { n->mu }, -n->mu * rho_N };
  r->F[0] = rho_N * r->y[0];
  if (r->A) r->B[0] = rho_N;
  if (n->exact && n->mu > 0) { exact_rows(n, n->mu * p, rho_N, rho_T, r); return 1; }
  disk_rows(n, &d, r);
  d.from = d.to;
  d.to = n->size;
  disk_rows(n, &d, r);      // of rolling; otherwise no row is left
  return 1;
}

static int grip_rows(const nsm_node *n, double rho_N, double rho_T, const nsm_map_rows *r) {
  disk d = { n->normals, n->normals, n->size, 0, rho_T, { 0 }, 0 };
  for (int k = 0; k < n->normals; k++) {
    r->F[k] = rho_N * r->y[k];
    if (r->A) r->B[k * NSM_NODE_ROWS + k] = rho_N;
  }
  d.radius = n->mu * grip_force(n, r->x, d.by_x);
  disk_rows(n, &d, r);
  return 1;
}

static int given_rows(const nsm_node *n, double rho, const nsm_map_rows *r) {
  if (n->exact && n->mu > 0) exact_rows(n, n->mu, 0, rho, r);
  else disk_rows(n, &(disk){ 0, 0, n->size, n->mu, rho, { 0 }, 0 }, r);
  return n->mu > 0;
}

static int glued_rows(const nsm_node *n, double rho_N, double rho_T, double p, const nsm_map_rows *r) {
  r->F[0] = p <= n->lo ? r->x[0] - n->lo : rho_N * r->y[0];
  if (r->A) *(p <= n->lo ? r->A : r->B) = p <= n->lo ? 1 : rho_N;
  disk_rows(n, &(disk){ 1, 1, n->size, n->mu, rho_T, { 0 }, 0 }, r);
  return 1;
}

// One node; returns 0 where its rows of the Jacobian are those of the identity.
static int node_map(const nsm_node *n, double alpha, double push, const nsm_map_rows *r) {
  double rho_N = push / (n->normal + alpha * n->metric), rho_T = push / (n->tangent + alpha * n->metric),
         p = r->x[0] - rho_N * r->y[0];
  switch (n->kind) {
    case NSM_NODE_INTERVAL: return interval_rows(n, rho_N, p, r);
    case NSM_NODE_CONTACT:  return contact_rows(n, rho_N, rho_T, p, r);
    case NSM_NODE_GRIP:     return grip_rows(n, rho_N, rho_T, r);
    case NSM_NODE_DISK:     return given_rows(n, rho_T, r);
    case NSM_NODE_GLUED:    return glued_rows(n, rho_N, rho_T, p, r);
    default:                return nsm_map_posed(n, alpha, r);
  }
}

void nsm_map_alart_curnier(const nsm_graph *g, double alpha, const nsm_map_rows *all, unsigned char *active) {
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    size_t first = (size_t)n->first, block = (size_t)c * NSM_NODE_BLOCK;
    nsm_map_rows r = { all->x + first, all->y + first, all->F + first, all->A ? all->A + block : NULL,
                       all->A ? all->B + block : NULL };
    if (all->A) {
      memset(r.A, 0, NSM_NODE_BLOCK * sizeof(double));
      memset(r.B, 0, NSM_NODE_BLOCK * sizeof(double));
    }
    int acts = node_map(n, alpha, g->push, &r);
    if (all->A) active[c] = (unsigned char)acts;
  }
}
