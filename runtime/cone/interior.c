// Interior point method for friction, with De Saxce's shift inside of Newton's method (as in Acary, Armand, Nguyen and
// Shpakovych, "Second-order cone programming for frictional contact mechanics using interior point algorithm", Optim.
// Methods Softw. 2024), and its answer made exact by the proximal Newton loop.
//
// In the frame where the cone is |X_T| <= X_0:  X o V = sigma gap e,  V_T = mu y_T,  V_0 = y_N + |V_T|,  y = M x + q.
// Nesterov-Todd scaling W^2 X = V gives
//
//   W^2 dX + dV = W (l^{-1} o (sigma gap e - (W dX_0) o (W^{-1} dV_0))) - V,   dV_T = mu dy_T + (mu y_T - V_T),
//   dV_0 = dy_N + t.dV_T + (y_N + |V_T| - V_0),
//   t = V_T/|V_T|,  l = W X;   dX_0, dV_0 the step with sigma = 0 and without the product
//
// (predictor and corrector: Mehrotra, SIAM J. Optim. 2 (1992) 575; where that leads to the boundary at once, the
// product is left out and sigma is larger), so that the matrix is A + B M with small blocks, as in newton.c. Disks are
// cones with X_0 = radius given; boxes have one gap at each end. Where friction is strong or contacts are redundant the
// central path leads past the corners at which Newton's method on the natural map turns around.
#include "newton.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const double short_step = 0.2, near_work = 3e8;
enum { ITERATIONS = 80, SHORT = 60, LONG = 1500, JAMS = 3 };
enum { SLOTS = 5 };                     // of X and V, each node: up to 4 of a contact; 1 + 3 of a disk

typedef struct interior {
  const nsm_graph *g;
  double *X, *V, *dX, *dV;             // [nodes * SLOTS]
  double *W, *C;                       // [nodes * SLOTS * SLOTS], [nodes * SLOTS]
  double *x, *y, *dx;                  // [rows] the point, M x, the step
} interior;

// How a node enters: `size` of its cone (0: free row), `tangents` that take part, the rows they stand in.
// ends: bit 0 lower, bit 1 upper (intervals)
typedef struct role { int size, tangents, row[NSM_NODE_ROWS], ends; } role;

static role role_of(const nsm_node *n) {
  role r = { 0 };
  if (n->kind == NSM_NODE_INTERVAL) { r.ends = (n->lo > -HUGE_VAL ? 1 : 0) | (n->hi < HUGE_VAL ? 2 : 0); return r; }
  int from = n->kind == NSM_NODE_DISK ? 0 : 1;
  for (int k = from; k < n->size; k++) if (!(n->pinned & 1 << k)) r.row[r.tangents++] = k;
  r.size = n->kind == NSM_NODE_DISK && r.tangents == 0 ? 0 : 1 + r.tangents;
  return r;
}

static double det(int n, const double *x) {            // x_0^2 - |x_T|^2, without cancellation
  double t = 0;
  for (int i = 1; i < n; i++) t += x[i] * x[i];
  t = sqrt(t);
  return (x[0] - t) * (x[0] + t);
}

// W^2 (n x n, leading dimension SLOTS):  eta (2 w w^T - J),  W^2 x = v                         (Nesterov and Todd 1998)
static void scaling(int n, const double *x, const double *v, double *W) {
  double dx = sqrt(det(n, x)), dv = sqrt(det(n, v)), dot = 0, w[SLOTS];
  for (int i = 0; i < n; i++) dot += x[i] / dx * (v[i] / dv);
  double scale = 1 / sqrt(2 * (1 + dot)), eta = dv / dx;
  for (int i = 0; i < n; i++) w[i] = scale * (v[i] / dv + (i ? -x[i] : x[i]) / dx);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) W[i * SLOTS + j] = eta * (2 * w[i] * w[j] + (i == j ? (i ? 1 : -1) : 0));
}

// Largest t <= 1 with x + t d in the cone.
static double to_boundary(int n, const double *x, const double *d, double t) {
  double a = d[0] * d[0], b = x[0] * d[0], c = det(n, x);
  for (int i = 1; i < n; i++) { a -= d[i] * d[i]; b -= x[i] * d[i]; }
  if (d[0] < 0) t = fmin(t, -x[0] / d[0]);
  double disc = b * b - a * c;
  if (disc < 0) return t;
  disc = sqrt(disc);
  double q = -(b + copysign(disc, b));
  if (a != 0 && q / a > 0) t = fmin(t, q / a);
  if (q != 0 && c / q > 0) t = fmin(t, c / q);
  return t;
}

// C := W (l^{-1} o (sigma gap e - (W dX) o (W^{-1} dV))) - V. With W^2 = eta (2 w w^T - J) as above, W is
// sqrt(eta) (2 v v^T - J), v the root of w in the algebra of the cone.
static void correct(interior *s, int node, int n, double sigma_gap) {
  const size_t at = (size_t)node * SLOTS;
  const double *W2 = s->W + at * SLOTS, *X = s->X + at, *V = s->V + at, *dX = s->dX + at, *dV = s->dV + at;
  double *C = s->C + at;
  double eta = sqrt(det(n, V)) / sqrt(det(n, X)), w[SLOTS], v[SLOTS], l[SLOTS], a[SLOTS], b[SLOTS], z[SLOTS], y[SLOTS];
  // w of W^2 = eta (2 w w^T - J)
  w[0] = sqrt(0.5 * (W2[0] / eta + 1));
  for (int i = 1; i < n; i++) w[i] = 0.5 * W2[i] / eta / w[0];
  double root = sqrt(eta), scale = 1 / sqrt(2 * (1 + w[0])), dl = 0, da = 0, db = 0;
  for (int i = 0; i < n; i++) v[i] = scale * (w[i] + (i == 0));
  for (int i = 0; i < n; i++) { dl += v[i] * X[i]; da += v[i] * dX[i]; db += (i ? -v[i] : v[i]) * dV[i]; }
  for (int i = 0; i < n; i++) {
    double J = i ? -1 : 1;
    l[i] = root * (2 * v[i] * dl - J * X[i]);
    a[i] = root * (2 * v[i] * da - J * dX[i]);
    b[i] = (2 * (i ? -v[i] : v[i]) * db - J * dV[i]) / root;
  }
  z[0] = sigma_gap;
  for (int i = 0; i < n; i++) z[0] -= a[i] * b[i];
  for (int i = 1; i < n; i++) z[i] = -(a[0] * b[i] + b[0] * a[i]);
  double D = det(n, l), dot = 0, dy = 0;
  for (int i = 1; i < n; i++) dot += l[i] * z[i];
  y[0] = (l[0] * z[0] - dot) / D;
  for (int i = 1; i < n; i++) y[i] = (z[i] - l[i] * y[0]) / l[0];
  for (int i = 0; i < n; i++) dy += v[i] * y[i];
  for (int i = 0; i < n; i++) C[i] = root * (2 * v[i] * dy - (i ? -1 : 1) * y[i]) - V[i];
}

static void fill_blocks(interior *s, nsm_newton *n, const double *x, const double *y, double sigma_gap, int second,
                        double *rhs) {
  const nsm_graph *g = s->g;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *node = g->node + c;
    role r = role_of(node);
    double *a = n->A + (size_t)c * NSM_NODE_BLOCK, *b = n->B + (size_t)c * NSM_NODE_BLOCK,
           *W = s->W + (size_t)c * SLOTS * SLOTS, *X = s->X + c * SLOTS, *V = s->V + c * SLOTS;
    double *C = s->C + c * SLOTS, *out = rhs + node->first;
    memset(a, 0, NSM_NODE_BLOCK * sizeof(double));
    memset(b, 0, NSM_NODE_BLOCK * sizeof(double));
    for (int k = 0; k < node->size; k++) { a[k * NSM_NODE_ROWS + k] = 1; out[k] = -x[node->first + k]; }  // pinned rows
    if (node->kind == NSM_NODE_INTERVAL) {             // y = V_0 - V_1;  X_0 = x - lo, X_1 = hi - x
      a[0] = 0;
      b[0] = 1;
      out[0] = -y[node->first];
      for (int e = 0; e < 2; e++) {
        if (!(r.ends & 1 << e)) continue;
        a[0] += V[e] / X[e];
        C[e] = (sigma_gap - (second ? s->dX[c * SLOTS + e] * s->dV[c * SLOTS + e] : 0)) / X[e] - V[e];
        out[0] += (e ? -1 : 1) * (V[e] + C[e]);
      }
      continue;
    }
    if (r.size == 0) continue;
    int disk = node->kind == NSM_NODE_DISK;
    double mu = disk ? 1 : node->mu, t[SLOTS] = { 0 }, slip = 0, D = det(r.size, X), R[SLOTS];
    for (int i = 1; i < r.size; i++) slip += V[i] * V[i];
    slip = sqrt(slip);
    scaling(r.size, X, V, W);
    C[0] = sigma_gap * X[0] / D - V[0];
    for (int i = 1; i < r.size; i++) {
      C[i] = -sigma_gap * X[i] / D - V[i];
    }
    if (second) correct(s, c, r.size, sigma_gap);
    for (int i = 1; i < r.size; i++) {
      t[i] = slip > 0 ? V[i] / slip : 0;
      R[i] = mu * y[node->first + r.row[i - 1]] - V[i];
    }
    if (!disk) {
      R[0] = y[node->first] + slip - V[0];
      a[0] = W[0];
      b[0] = 1;
      out[0] = C[0] - R[0];
    }
    for (int i = 1; i < r.size; i++) {
      int k = r.row[i - 1];
      if (!disk) {
        a[k] = W[i] / mu;
        a[k * NSM_NODE_ROWS] = W[i * SLOTS];
        b[k] = mu * t[i];
        out[0] -= t[i] * R[i];
      }
      for (int j = 1; j < r.size; j++) a[k * NSM_NODE_ROWS + r.row[j - 1]] = W[i * SLOTS + j] / mu;
      b[k * NSM_NODE_ROWS + k] = mu;
      out[k] = C[i] - R[i];
    }
  }
}

// dX, dV from dx; returns the step to the boundary.
static double steps(interior *s, const double *dx) {
  const nsm_graph *g = s->g;
  double t = 1;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *node = g->node + c;
    role r = role_of(node);
    double *X = s->X + c * SLOTS, *V = s->V + c * SLOTS, *dX = s->dX + c * SLOTS, *dV = s->dV + c * SLOTS,
           *C = s->C + c * SLOTS, *W = s->W + (size_t)c * SLOTS * SLOTS;
    if (node->kind == NSM_NODE_INTERVAL) {
      for (int e = 0; e < 2; e++) {
        if (!(r.ends & 1 << e)) continue;
        dX[e] = e ? -dx[node->first] : dx[node->first];
        dV[e] = C[e] - V[e] / X[e] * dX[e];
        if (dX[e] < 0) t = fmin(t, -X[e] / dX[e]);
        if (dV[e] < 0) t = fmin(t, -V[e] / dV[e]);
      }
      continue;
    }
    if (r.size == 0) continue;
    dX[0] = node->kind == NSM_NODE_DISK ? 0 : dx[node->first];
    for (int i = 1; i < r.size; i++)
      dX[i] = dx[node->first + r.row[i - 1]] / (node->kind == NSM_NODE_DISK ? 1 : node->mu);
    for (int i = 0; i < r.size; i++) {
      dV[i] = C[i];
      for (int j = 0; j < r.size; j++) dV[i] -= W[i * SLOTS + j] * dX[j];
    }
    t = to_boundary(r.size, X, dX, t);
    t = to_boundary(r.size, V, dV, t);
  }
  return t;
}

// Mean of X.V, after a step of length t.
static double gap_at(const interior *s, double t) {
  double sum = 0;
  int cones = 0;
  for (int c = 0; c < s->g->nodes; c++) {
    role r = role_of(s->g->node + c);
    int from = c * SLOTS;
    for (int i = from; i < from + r.size; i++) sum += (s->X[i] + t * s->dX[i]) * (s->V[i] + t * s->dV[i]);
    for (int e = 0; e < 2; e++)
      if (r.ends & 1 << e) {
        sum += (s->X[from + e] + t * s->dX[from + e]) * (s->V[from + e] + t * s->dV[from + e]);
        cones++;
      }
    cones += r.size > 0;
  }
  return cones ? sum / cones : 0;
}

static void start(interior *s, double *x) {
  const nsm_graph *g = s->g;
  double unit = 0;
  for (int c = 0; c < g->nodes; c++)
    for (int i = g->node[c].first; i < g->node[c].first + g->node[c].size; i++)
      unit = fmax(unit, fabs(g->q[i]) / g->node[c].metric);
  unit = unit > 0 ? unit : 1;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    role r = role_of(n);
    double *X = s->X + c * SLOTS, *V = s->V + c * SLOTS;
    for (int i = 0; i < n->size; i++) x[n->first + i] = 0;
    if (n->kind == NSM_NODE_INTERVAL) {
      double *z = x + n->first;
      *z = r.ends == 3 ? 0.5 * (n->lo + n->hi) : r.ends == 1 ? n->lo + unit : r.ends == 2 ? n->hi - unit : 0;
      X[0] = *z - n->lo;
      X[1] = n->hi - *z;
      V[0] = V[1] = unit * n->metric;
      continue;
    }
    X[0] = n->kind == NSM_NODE_DISK ? n->mu : (x[n->first] = unit);
    V[0] = unit * n->metric;
    for (int i = 1; i < r.size; i++) X[i] = V[i] = 0;
  }
}

// 1 where the set has an interior: no interval is a point.
static int has_interior(const nsm_graph *g) {
  for (int c = 0; c < g->nodes; c++)
    if (g->node[c].kind == NSM_NODE_GRIP || (g->node[c].kind == NSM_NODE_INTERVAL && !(g->node[c].lo < g->node[c].hi)))
      return 0;
  return 1;
}

// Follows the path until the gap has fallen to `reduction` of its start; x is inside of K at the end. 0 where it jams
// or ends far from that; near: where others are sooner there than a path of short steps.
static int follow(interior *s, nsm_newton *n, double reduction, int limit, int near) {
  const nsm_graph *g = s->g;
  double *x = s->x, *y = s->y, *dx = s->dx;
  start(s, x);
  memset(s->dX, 0, (size_t)g->nodes * SLOTS * sizeof(double));
  memset(s->dV, 0, (size_t)g->nodes * SLOTS * sizeof(double));
  memset(n->active, 1, (size_t)g->nodes);
  double first = gap_at(s, 0), regular = 1e-10;
  int small_steps = 0, jams = 0;
  for (int k = 0; k < limit && !nsm_cone_late(n->w); k++) {
    double gap = gap_at(s, 0), t = 0;
    if (!(gap > reduction * first)) return 1;
    if (small_steps > 5 || (near && jams > JAMS)) return 0;
    nsm_graph_apply(g, x, 1, y);
    fill_blocks(s, n, x, y, 0, 0, dx);
    if (!nsm_newton_factor(n, regular)) return 0;
    double sigma = 0;
    for (int pass = 0; pass < 3; pass++) {
      if (pass == 2 && t > short_step) break;
      if (pass) fill_blocks(s, n, x, y, sigma * gap, pass == 1, dx);
      nsm_factor_solve(g, &n->fronts, &n->factor, dx);
      t = steps(s, dx);
      if (pass == 0) {
        double ratio = fmax(gap_at(s, t), 0) / gap;
        sigma = fmin(1, fmax(ratio * ratio * ratio, t < 0.1 ? 0.5 : 1e-4));
      } else if (pass == 1 && t <= short_step) sigma = fmax(sigma, 0.5);
    }
    n->iterations++;
    n->w->iterations++;
    double length = fmin(1, (t > 0.9 ? 0.99 : 0.95) * t);
    jams += length < 0.5 * short_step;
    small_steps = length < 1e-3 ? small_steps + 1 : 0;
    for (int i = 0; i < g->rows; i++) x[i] += length * dx[i];
    for (int i = 0; i < g->nodes * SLOTS; i++) { s->X[i] += length * s->dX[i]; s->V[i] += length * s->dV[i]; }
  }
  return gap_at(s, 0) <= sqrt(reduction) * first;
}

nsm_cone_outcome nsm_cone_interior(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                   double *u) {
  size_t mark = w->used, m = (size_t)p->m;
  nsm_graph g;
  nsm_newton n;
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  double *x = nsm_cone_take_doubles(w, m), *dx = nsm_cone_take_doubles(w, m);
  if (x && dx && nsm_graph_make(p, w, &g) && has_interior(&g)) {
    size_t slots = (size_t)g.nodes * SLOTS;
    interior s = { .g = &g, .x = x, .y = u, .dx = dx,
                   .X = nsm_cone_take_doubles(w, slots),
                   .V = nsm_cone_take_doubles(w, slots),
                   .dX = nsm_cone_take_doubles(w, slots),
                   .dV = nsm_cone_take_doubles(w, slots),
                   .W = nsm_cone_take_doubles(w, slots * SLOTS),
                   .C = nsm_cone_take_doubles(w, slots) };
    if (s.X && s.V && s.dX && s.dV && s.W && s.C && nsm_newton_take(&g, w, &n)) {
      int near = t->max_iterations > 0;
      n.most_work = near ? near_work : 0;
      const nsm_proximal loop = { p, t, &g, &n, x, lambda, u };
      if (follow(&s, &n, 1e-11, near ? t->max_iterations : ITERATIONS, near) || !near)
        outcome = nsm_proximal_loop(&loop, 1e-4, near ? SHORT : LONG);
    }
  }
  w->used = mark;
  return outcome;
}
