// Alternating directions for large convexified problems (Boyd et al., Foundations and Trends in Machine Learning 3
// (2011) 1-122; for friction: Acary, Bremond and Huber 2018, chapter on optimisation methods; Tasora, Mangoni, Benatti
// and Garziera, Int. J. Numer. Methods Eng. 122 (2021) 4093-4113).
//
// With De Saxce's shift s kept fixed (1) is the convex program  min r.M r/2 + (q + s).r  over K. Its splitting, with
// one factorization for all sweeps:
//
//   (M + beta D) r = beta D (z - w) - q - s,     z = P_K(h + w),   w := h + w - z,   h = 1.6 r - 0.6 z_old,
//   u + s -> -beta D w
//
// and s_N = mu |u_T| is renewed from -beta D w in every sweep, which at a point of rest is De Saxce's. Linear
// convergence: so the sweeps end at 1e-6, and the proximal Newton loop makes the answer exact. beta is balanced a few
// times (a new factorization each). Grips and disks are taken with their present radius.
#include "newton.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 2000, SHORT = 300, ROUND = 50 };

// z := P_K(p) of a node, in the metric of the node (a multiple of the identity). `normal`: the present x_N, for grips.
static void project(const nsm_node *n, double normal, const double *p, double *z) {
  if (n->kind == NSM_NODE_INTERVAL) { z[0] = nsm_cone_project(p[0], n->lo, n->hi); return; }
  int from = n->kind == NSM_NODE_DISK ? 0 : 1;
  double length = 0, radius = n->kind == NSM_NODE_DISK ? n->mu : n->mu * fabs(normal);
  for (int k = from; k < n->size; k++) if (!(n->pinned & 1 << k)) length += p[k] * p[k];
  length = sqrt(length);
  if (n->kind == NSM_NODE_CONTACT) {
    double N = length <= n->mu * p[0]    ? p[0]
               : n->mu * length <= -p[0] ? 0
                                         : (p[0] + n->mu * length) / (1 + n->mu * n->mu);
    z[0] = N;
    radius = n->mu * N;
  } else if (n->kind == NSM_NODE_GRIP) z[0] = p[0];
  double shrink = length > radius ? radius / length : 1;
  for (int k = from; k < n->size; k++) z[k] = n->pinned & 1 << k ? 0 : shrink * p[k];
}

// One round; returns the larger of |r - z| and |z - z_old|, relative to |z|, of its last sweep, and their ratio for the
// balance of beta.
static double sweeps(const nsm_graph *g, nsm_newton *n, double beta, int count, double *r, double *z, double *w,
                     double *ratio) {
  double primal = 0, dual = 0, size = 0;
  for (int k = 0; k < count; k++) {
    for (int c = 0; c < g->nodes; c++) {
      const nsm_node *node = g->node + c;
      double slip = 0, stiff = beta * node->metric;
      for (int i = 0; i < node->size; i++) {
        int at = node->first + i;
        n->rest[at] = stiff * (z[at] - w[at]) - g->q[at];
        if (i) slip += w[at] * w[at];
      }
      if (node->kind == NSM_NODE_CONTACT) n->rest[node->first] -= node->mu * stiff * sqrt(slip);
    }
    nsm_factor_solve(g, &n->fronts, &n->factor, n->rest);
    memcpy(r, n->rest, (size_t)g->rows * sizeof(double));
    primal = dual = size = 0;
    for (int c = 0; c < g->nodes; c++) {
      const nsm_node *node = g->node + c;
      double h[NSM_NODE_ROWS], next[NSM_NODE_ROWS];
      for (int i = 0; i < node->size; i++)
        h[i] = 1.6 * r[node->first + i] - 0.6 * z[node->first + i] + w[node->first + i];
      project(node, z[node->first], h, next);
      for (int i = 0; i < node->size; i++) {
        int at = node->first + i;
        primal = fmax(primal, fabs(r[at] - next[i]));
        dual = fmax(dual, fabs(next[i] - z[at]));
        size = fmax(size, fabs(next[i]));
        w[at] = h[i] - next[i];
        z[at] = next[i];
      }
    }
    n->w->iterations++;
  }
  *ratio = dual > 0 ? primal / dual : 1;
  return size > 0 ? fmax(primal, dual) / size : fmax(primal, dual);
}

nsm_cone_outcome nsm_cone_admm(const nsm_cone_problem *p, nsm_cone_work *work, const nsm_cone_try *t, double *lambda,
                               double *u) {
  size_t mark = work->used, m = (size_t)p->m;
  nsm_graph g;
  nsm_newton n;
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  double *r = nsm_cone_take_doubles(work, m), *z = nsm_cone_take_doubles(work, m), *w = nsm_cone_take_doubles(work, m);
  if (r && z && w && nsm_graph_make(p, work, &g) && nsm_newton_take(&g, nsm_map_alart_curnier, work, &n)) {
    int limit = t->max_iterations > 0 ? t->max_iterations : t->attempt ? SHORT : SWEEPS;
    double beta = 0.1, distance = HUGE_VAL, ratio = 1;
    nsm_graph_start(&g, t, lambda, z);
    if (t->attempt) {
      nsm_dice d = nsm_dice_of(t->attempt, 2);
      nsm_graph_random(&g, &d, z);
    }
    memset(w, 0, m * sizeof(double));
    memset(n.A, 0, (size_t)g.nodes * NSM_NODE_BLOCK * sizeof(double));
    memset(n.B, 0, (size_t)g.nodes * NSM_NODE_BLOCK * sizeof(double));
    memset(n.active, 1, (size_t)g.nodes);
    for (int c = 0; c < g.nodes; c++)
      for (int k = 0; k < g.node[c].size; k++) n.B[(size_t)c * NSM_NODE_BLOCK + (size_t)(k * NSM_NODE_ROWS + k)] = 1;
    int factored = nsm_newton_factor(&n, beta);
    for (int k = 0; factored && k < limit && !nsm_cone_late(n.w); k += ROUND) {
      distance = sweeps(&g, &n, beta, limit - k < ROUND ? limit - k : ROUND, r, z, w, &ratio);
      if (!(distance > 1e-6)) break;
      double change = ratio > 5 ? 3 : ratio < 0.2 ? 1.0 / 3 : 1;     // primal too large: a stiffer beta
      if (change != 1 && k < limit / 2) {
        beta *= change;
        for (size_t i = 0; i < m; i++) w[i] /= change;
        factored = nsm_newton_factor(&n, beta);
      }
    }
    g.push = 5;
    if (distance < HUGE_VAL) outcome = nsm_proximal_loop(p, t, &g, &n, 1e-2, t->attempt ? 150 : 1500, z, lambda, u);
  }
  work->used = mark;
  return outcome;
}
