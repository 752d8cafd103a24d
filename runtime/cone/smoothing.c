// Newton's method on a smoothed problem, made exact by the proximal loop: for strong friction, uneven weights and
// ill-conditioned M, where Newton on the kinks of alart_curnier.c cycles.
//
// With tau > 0 the projections of the map of Alart and Curnier are replaced by those of central paths
// (Chen, Harker, Kanzow, Smale: e.g. Chen and Mangasarian, Comput. Optim. Appl. 5 (1996) 97-138):
//
//   g(z) = (z + sqrt(z^2 + 4 tau^2)) / 2  for max(z, 0);    half line: lo + g(z - lo);  box: lo + g(z - lo) - g(z - hi)
//   disk of radius R:  P(w) = d w/|w|,  0 <= d < R,  d (1 + tau^2 / (R^2 - d^2)) = |w|
//
// The second is the smoothed projection on the second-order cone, (g(a + |w|) - g(a - |w|)) / 2 along w, at the a where
// its first component (g(a + |w|) + g(a - |w|)) / 2 is R: the normal force of the contact, mu g(x_N - rho_N y_N). A
// grip has R = mu sqrt(|x_N|^2 + 4 tau^2). Contensou's exact set is replaced by its ellipsoid until the last loop.
//
// tau falls where Newton has followed, |F|_inf <= tau; a proximal term alpha metric (x - center) keeps the systems
// regular where M is singular, and falls with it; where Newton fails alpha grows.
#include "newton.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { STEPS = 600, STAGE = 12, FAILURES = 20, LAST_NEWTON = 150 };
static const double first_push = 10, first_alpha = 1e-3, least_alpha = 1e-6, last_tau = 1e-10;

static double smooth_plus(double z, double tau, double *slope) {
  double s = sqrt(z * z + 4 * tau * tau), far = 2 * tau / (s + fabs(z)) * tau;   // the smaller of the two roots
  *slope = z >= 0 ? 0.5 * (1 + z / s) : 2 * tau / s * (tau / (s - z));
  return z >= 0 ? z + far : far;
}

// d (1 + tau^2 / (R^2 - d^2)) = w by Newton's method in a bracket, with its derivatives.
static double smooth_length(double R, double w, double tau, double *by_R, double *by_w) {
  double low = 0, high = R, d = w < 0.5 * R ? w / (1 + tau / R * (tau / R)) : 0.5 * R, slope = 1, t = 0;
  for (int k = 0; k < 60; k++) {
    double D = (R - d) * (R + d);
    t = tau / D * tau;
    slope = 1 + t + 2 * d * t * (d / D);
    double f = d * (1 + t) - w, next = d - f / slope;
    if (f > 0) high = d;
    else low = d;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (!(next > low && next < high) || fabs(next - d) <= DBL_EPSILON * R) break;
    d = next;
  }
  double D = (R - d) * (R + d);
  if (!(slope < HUGE_VAL && D > 0)) { *by_w = 0; *by_R = 1; return d; }
  *by_w = 1 / slope;
  *by_R = 2 * d * t * (R / D) / slope;
  return d;
}

// Tangents from ... size-1; R and its derivatives by x_N and y_N.
static void smooth_disk(const nsm_node *n, int from, double R, const double *by_x, double by_y, double tau, double rho,
                        const double *x, const double *y, double *F, double *A, double *B) {
  double w[NSM_NODE_ROWS], norm = 0, by_R = 0, by_w = 0;
  for (int k = from; k < n->size; k++) { w[k] = x[k] - rho * y[k]; norm += w[k] * w[k]; }
  norm = sqrt(norm);
  double d = R > 0 ? smooth_length(R, norm, tau, &by_R, &by_w) : 0, share = norm > 0 ? d / norm : by_w;
  for (int k = from; k < n->size; k++) {
    int pinned = n->pinned >> k & 1 || !(R > 0);
    F[k] = pinned ? x[k] : x[k] - share * w[k];
    if (!A) continue;
    A[k * NSM_NODE_ROWS + k] = 1;
    if (pinned) continue;
    for (int j = from; j < n->size; j++) {
      double e = norm > 0 ? w[k] / norm * (w[j] / norm) : 0, G = share * ((j == k) - e) + by_w * e;
      A[k * NSM_NODE_ROWS + j] -= G;
      B[k * NSM_NODE_ROWS + j] = rho * G;
    }
    for (int j = 0; j < from && norm > 0; j++) A[k * NSM_NODE_ROWS + j] -= by_R * by_x[j] * w[k] / norm;
    if (from > 0 && norm > 0) B[k * NSM_NODE_ROWS] -= by_R * by_y * w[k] / norm;
  }
}

static void smooth_interval(const nsm_node *n, double tau, double rho, const double *x, const double *y, double *F,
                            double *A, double *B) {
  double z = x[0] - rho * y[0], P = 0, G = 0, slope;
  int low = n->lo > -HUGE_VAL, high = n->hi < HUGE_VAL;
  if (!low && !high) {
    F[0] = rho * y[0];
    if (A) B[0] = rho;
    return;
  }
  if (low) { P = n->lo + smooth_plus(z - n->lo, tau, &slope); G = slope; }
  if (high && low) { P -= smooth_plus(z - n->hi, tau, &slope); G -= slope; }
  if (high && !low) { P = n->hi - smooth_plus(n->hi - z, tau, &slope); G = slope; }
  F[0] = x[0] - P;
  if (A) { A[0] = 1 - G; B[0] = rho * G; }
}

static void smooth_node(const nsm_node *n, double push, double tau, const double *x, const double *y, double *F,
                        double *A, double *B) {
  double rho_N = push / n->normal, rho_T = push / n->tangent, slope, by_x[NSM_NODE_ROWS] = { 0 }, force = 0;
  if (n->kind == NSM_NODE_INTERVAL) smooth_interval(n, tau, push / n->metric, x, y, F, A, B);
  else if (n->kind == NSM_NODE_DISK) smooth_disk(n, 0, n->mu, by_x, 0, tau, rho_T, x, y, F, A, B);
  else if (n->kind == NSM_NODE_GRIP) {
    for (int k = 0; k < n->normals; k++) {
      F[k] = rho_N * y[k];
      if (A) B[k * NSM_NODE_ROWS + k] = rho_N;
      force += x[k] * x[k];
    }
    force = sqrt(force + 4 * tau * tau);
    for (int k = 0; k < n->normals; k++) by_x[k] = n->mu * x[k] / force;
    smooth_disk(n, n->normals, n->mu * force, by_x, 0, n->mu * tau, rho_T, x, y, F, A, B);
  } else {
    double N = smooth_plus(x[0] - rho_N * y[0], tau, &slope);
    F[0] = x[0] - N;
    if (A) { A[0] = 1 - slope; B[0] = rho_N * slope; }
    by_x[0] = n->mu * slope;
    smooth_disk(n, 1, n->mu * N, by_x, -n->mu * slope * rho_N, n->mu * tau, rho_T, x, y, F, A, B);
  }
}

// Light bodies take larger forces for the same velocity: tau goes with the root of that.
static double tau_of(const nsm_graph *g, const nsm_node *n) { return g->smoothing * sqrt(g->stiffness / n->metric); }

void nsm_map_smooth(const nsm_graph *g, double alpha, const double *x, const double *y, double *F, double *A, double *B,
                    unsigned char *active) {
  (void)alpha;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    double *a = A ? A + (size_t)c * NSM_NODE_BLOCK : NULL, *b = A ? B + (size_t)c * NSM_NODE_BLOCK : NULL;
    if (A) {
      memset(a, 0, NSM_NODE_BLOCK * sizeof(double));
      memset(b, 0, NSM_NODE_BLOCK * sizeof(double));
      active[c] = 1;
    }
    smooth_node(n, g->push, tau_of(g, n), x + n->first, y + n->first, F + n->first, a, b);
  }
}

static double median(int n, double *x) {
  for (int i = 1; i < n; i++) {
    double t = x[i];
    int j = i;
    for (; j > 0 && x[j - 1] > t; j--) x[j] = x[j - 1];
    x[j] = t;
  }
  return x[n / 2];
}

// tau and x to begin with: all contacts press a little.
static void begin(nsm_graph *g, nsm_dice *d, int attempt, double *x) {
  double q = 0;
  for (int i = 0; i < g->rows; i++) q = fmax(q, fabs(g->q[i]));
  for (int c = 0; c < g->nodes; c++) x[c] = g->node[c].metric;
  g->stiffness = median(g->nodes, x);
  g->smoothing = (q > 0 ? q / g->stiffness : 1) * (attempt ? nsm_dice_between(d, 1e-2, 1) : 1);
  g->push = attempt ? nsm_dice_between(d, 1, 100) : first_push;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    double tau = tau_of(g, n);
    for (int k = 0; k < n->size; k++) x[n->first + k] = 0;
    if (n->kind == NSM_NODE_CONTACT) x[n->first] = tau;
    if (n->kind == NSM_NODE_INTERVAL) x[n->first] = nsm_cone_project(0, n->lo, n->hi);
    for (int k = 0; attempt && k < n->size; k++)
      if (!(n->pinned >> k & 1)) x[n->first + k] += tau * (2 * nsm_dice_unit(d) - 1);
  }
}

// Follows the path of solutions as tau falls; returns alpha at its end.
static double follow(nsm_newton *n, nsm_graph *g, double alpha, int limit, double *x) {
  size_t bytes = (size_t)g->rows * sizeof(double);
  double *center = n->x_outer, end = last_tau * g->smoothing, least = HUGE_VAL;
  int failures = 0;
  for (int c = 0; c < g->nodes; c++) least = fmin(least, sqrt(g->stiffness / g->node[c].metric));
  memcpy(center, x, bytes);
  while (g->smoothing > end && n->iterations < limit && failures < FAILURES && !nsm_newton_ran_away(g, x)) {
    double size = 0, near = g->smoothing * least;
    int before = n->iterations;
    for (int i = 0; i < g->rows; i++) size = fmax(size, fabs(x[i]));
    int ok = nsm_newton_solve(n, alpha, center, size > 0 ? 0.3 * near / size : 0, STAGE, x),
        used = n->iterations - before;
    if (nsm_cone_late(n->w)) break;
    if (ok || n->norm <= near) {
      memcpy(center, x, bytes);
      g->smoothing *= used <= 1 ? 0.2 : used <= 5 ? 0.5 : 0.7;
      alpha *= 0.5;
      failures = 0;
    } else {
      alpha *= 3;
      failures++;
    }
  }
  return alpha;
}

nsm_cone_outcome nsm_cone_smoothing(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                    double *u) {
  size_t mark = w->used;
  nsm_graph g;
  nsm_newton n;
  nsm_dice d = nsm_dice_of(t->attempt, 1);
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  double *x = nsm_cone_take_doubles(w, (size_t)p->m);
  if (x && nsm_graph_make(p, w, &g) && nsm_newton_take(&g, nsm_map_smooth, w, &n)) {
    begin(&g, &d, t->attempt, x);
    double alpha = first_alpha * (t->attempt ? nsm_dice_between(&d, 1e-3, 1e3) : 1);
    alpha = follow(&n, &g, alpha, t->max_iterations > 0 ? t->max_iterations : STEPS, x);
    g.push = 1;
    nsm_newton_change(&n, &g, nsm_map_alart_curnier);
    outcome = nsm_proximal_loop(p, t, &g, &n, fmax(alpha, least_alpha), LAST_NEWTON, x, lambda, u);
  }
  w->used = mark;
  return outcome;
}
