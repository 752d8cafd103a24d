// Semismooth Newton on F(x) = 0 (Qi and Sun, Math. Program. 58 (1993) 353-367) with a non-monotone line search on |F|_2
// (Grippo, Lampariello and Lucidi, SIAM J. Numer. Anal. 23 (1986) 707-716), for the problem with M + alpha metric.
//
//   J step = -F,  J = A + B (M + alpha metric),   x+ = x + t step,   t = 1, 1/2, 1/4 ...
//   |F(x+)| <= (1 - 1e-4 t) max of the last |F|,   or for the first t   |J^{-1} F(x+)| <= (1 - t/4) |step|
//
// or, where the full step is none of these, up to just behind the first kink of F on the way (kinks.c); every fourth of
// these is an eighth of the step at least, as there may be many kinks on the way.
//
// The second is the natural monotonicity test (Deuflhard, Newton Methods for Nonlinear Problems, 2004, 3.3). Where
// bodies touch in many points forces may change by much along directions that move hardly anything, and |F| is far
// smaller than the step: what the curvature of a sliding contact's disk leaves then is more than all of |F|, though the
// next step, which is as short, takes it away. |F| alone would stop such steps (as in constrained optimisation: Maratos
// 1978).
//
// y = M x + q + alpha metric (x - center) moves along a line with x, so a trial costs no product. Nodes with A = I, B =
// 0 (open contacts) are known beforehand and stay out of the factorization; the order of elimination is kept while the
// set of the others stays.
#include "newton.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { MAP = 40 };                       // operations of a row in the map
enum { MEMORY = 5, HALVINGS = 12, NATURAL = 3, KINKS = 20, FOURTH = 4, FEW_OTHERS = 4 };
static const double shorter = 0.25, eighth = 0.125;

int nsm_newton_take(const nsm_graph *g, nsm_cone_work *w, nsm_newton *n) {
  size_t m = (size_t)g->rows, nodes = (size_t)g->nodes;
  *n = (nsm_newton){ .g = g, .w = w };
  double **vectors[] = { &n->y,       &n->F,       &n->step, &n->y_step, &n->x_trial,
                         &n->y_trial, &n->F_trial, &n->rest, &n->x_outer,
                         &n->next,    &n->y_next };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (!(*vectors[i] = nsm_cone_take_doubles(w, m))) return 0;
  n->A = nsm_cone_take_doubles(w, nodes * NSM_NODE_BLOCK);
  n->B = nsm_cone_take_doubles(w, nodes * NSM_NODE_BLOCK);
  n->active = nsm_cone_take(w, nodes);
  n->taken = nsm_cone_take(w, nodes);
  if (!n->A || !n->B || !n->active || !n->taken || !nsm_fronts_take(g, w, &n->fronts)) return 0;
  n->mark = w->used;
  return 1;
}

static double norm2(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}

static double largest(int n, const double *x) {
  double a = 0;
  for (int i = 0; i < n; i++) a = fabs(x[i]) <= a ? a : fabs(x[i]);
  return a;
}

// out := (M + alpha metric) x, plus q - alpha metric center where center is given.
static void product(const nsm_graph *g, double alpha, const double *x, const double *center, double *out) {
  nsm_graph_apply(g, x, center != NULL, out);
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    for (int i = n->first; i < n->first + n->size; i++)
      out[i] += alpha * n->metric * (center ? x[i] - center[i] : x[i]);
  }
}

// rest := -(F + A step + B y_step) on the active nodes, 0 elsewhere; returns its norm.
static double remainder_of(const nsm_newton *n, const double *F, const double *step, const double *y_step,
                           double *rest) {
  const nsm_graph *g = n->g;
  memset(rest, 0, (size_t)g->rows * sizeof(double));
  for (int c = 0; c < g->nodes; c++) {
    if (!n->active[c]) continue;
    int first = g->node[c].first, size = g->node[c].size;
    const double *a = n->A + (size_t)c * NSM_NODE_BLOCK, *b = n->B + (size_t)c * NSM_NODE_BLOCK;
    for (int r = 0; r < size; r++) {
      double sum = F[first + r];
      for (int s = 0; s < size; s++)
        sum += a[r * NSM_NODE_ROWS + s] * step[first + s] + b[r * NSM_NODE_ROWS + s] * y_step[first + s];
      rest[first + r] = -sum;
    }
  }
  return norm2(g->rows, rest);
}

double nsm_newton_distance(const nsm_newton *n, const double *x, double *y, double *F) {
  const nsm_graph *g = n->g;
  nsm_graph_apply(g, x, 1, y);
  nsm_map_alart_curnier(g, 0, &(nsm_map_rows){ x, y, F, NULL, NULL }, NULL);
  double off = largest(g->rows, F), size = largest(g->rows, x);
  return size > 0 ? off / size : off;
}

// Is the order at hand one of all active nodes, and of few others? The rows of these are those of the identity.
static int order_serves(const nsm_newton *n) {
  int missing = 0, active = 0, taken = 0;
  for (int c = 0; c < n->g->nodes; c++) {
    active += n->active[c] != 0;
    taken += n->taken[c];
    missing |= n->active[c] && !n->taken[c];
  }
  return !missing && FEW_OTHERS * (taken - active) <= taken;
}

// Those to be ordered: the active ones, or all where few are not.
static void take_nodes(nsm_newton *n) {
  int open = 0, nodes = n->g->nodes;
  for (int c = 0; c < nodes; c++) open += !n->active[c];
  for (int c = 0; c < nodes; c++) n->taken[c] = n->active[c] || FEW_OTHERS * open <= nodes;
}

int nsm_newton_factor(nsm_newton *n, double alpha) {
  const nsm_graph *g = n->g;
  if (!n->ordered || !order_serves(n)) {
    take_nodes(n);
    nsm_fronts_make(g, n->taken, &n->fronts);
    n->w->used = n->mark;
    n->ordered = nsm_factor_take(g, &n->fronts, n->w, &n->factor);
    if (!n->ordered) {
      nsm_fronts_one(g, n->taken, &n->fronts);
      n->w->used = n->mark;
      n->ordered = nsm_factor_take(g, &n->fronts, n->w, &n->factor);
    }
    if (!n->ordered) return 0;
  }
  if (n->most_work > 0 && n->fronts.work > n->most_work) return 0;
  n->factored++;
  n->work += n->fronts.work;
  return nsm_factor_make(g, &n->fronts, alpha, n->A, n->B, &n->factor);
}

// step := that of the nodes that are not active, 0 elsewhere, with its y_step and what is left then of -F.
static void begin_step(const nsm_newton *n, double alpha, const double *F, double *step, double *y_step) {
  const nsm_graph *g = n->g;
  int moves = 0;
  for (int c = 0; c < g->nodes; c++)
    for (int i = g->node[c].first; i < g->node[c].first + g->node[c].size; i++) {
      step[i] = n->active[c] ? 0 : -F[i];
      moves |= step[i] != 0;
    }
  if (moves) {
    product(g, alpha, step, NULL, y_step);
    remainder_of(n, F, step, y_step, n->rest);
  } else
    for (int i = 0; i < g->rows; i++) n->rest[i] = -F[i];
}

// step and y_step at the present F, A, B; one correction where the first solution is not exact. 0 where the matrix is
// singular.
static int direction(nsm_newton *n, double alpha) {
  const nsm_graph *g = n->g;
  double size = norm2(g->rows, n->F), rest;
  begin_step(n, alpha, n->F, n->step, n->y_step);
  rest = norm2(g->rows, n->rest);
  if (!nsm_newton_factor(n, alpha)) return 0;
  for (int k = 0; k < 3; k++) {
    nsm_factor_solve(g, &n->fronts, &n->factor, n->rest);
    for (int i = 0; i < g->rows; i++) n->step[i] += n->rest[i];
    product(g, alpha, n->step, NULL, n->y_step);
    if (k == 2) break;
    double now = remainder_of(n, n->F, n->step, n->y_step, n->rest);
    if (now <= 1e-8 * size || now > 0.5 * rest) return now < 0.5 * size;
    rest = now;
  }
  return 1;
}

// The length of J^{-1} F_trial by the factors at hand.
static double length_of_next(nsm_newton *n, double alpha) {
  const nsm_graph *g = n->g;
  begin_step(n, alpha, n->F_trial, n->next, n->y_next);
  nsm_factor_solve(g, &n->fronts, &n->factor, n->rest);
  for (int i = 0; i < g->rows; i++) n->next[i] += n->rest[i];
  return norm2(g->rows, n->next);
}

// x_trial := x + t step, with its y.
static void go(nsm_newton *n, double t, const double *x) {
  for (int i = 0; i < n->g->rows; i++) {
    n->x_trial[i] = x[i] + t * n->step[i];
    n->y_trial[i] = n->y[i] + t * n->y_step[i];
  }
}

// Does a step of length t to x_trial lead on?
static int leads_on(nsm_newton *n, double alpha, double t, int natural, double reference) {
  int m = n->g->rows;
  nsm_map_alart_curnier(n->g, alpha, &(nsm_map_rows){ n->x_trial, n->y_trial, n->F_trial, NULL, NULL }, NULL);
  nsm_cone_charge(n->w, MAP * m);
  return norm2(m, n->F_trial) <= (1 - 1e-4 * t) * reference ||
         (natural && length_of_next(n, alpha) <= (1 - shorter * t) * norm2(m, n->step));
}

// What a problem's steps may do that no test allows: go through a kink, and leap where the search ends at one.
typedef struct licence { int kinks, leaps; } licence;

// x_trial := the end of the step from x. 0 where the search has failed; -1 where it starts anew from there.
static int search(nsm_newton *n, double alpha, double reference, licence *l, const double *x) {
  double t = 1;
  for (int trial = 0; trial <= HALVINGS; trial++, t *= 0.5) {
    double kink = trial == 1 && l->kinks < KINKS ? nsm_newton_kink(n, alpha, x) : HUGE_VAL;
    if (kink < 1) {
      go(n, ++l->kinks % FOURTH ? kink : fmax(kink, eighth), x);
      return 1;
    }
    go(n, t, x);
    if (leads_on(n, alpha, t, trial < NATURAL, reference)) return 1;
  }
  if (l->leaps++ >= 2) return 0;                         // at a kink of |F|: the full step, twice at most
  go(n, 1, x);
  return -1;
}

int nsm_newton_solve(nsm_newton *n, double alpha, const double *center, double tolerance, int max_iterations,
                     double *x) {
  const nsm_graph *g = n->g;
  int m = g->rows;
  double history[MEMORY];
  licence l = { 0 };
  product(g, alpha, x, center, n->y);
  for (int k = 0;; k++) {
    nsm_cone_charge(n->w, MAP * m);
    nsm_map_alart_curnier(g, alpha, &(nsm_map_rows){ x, n->y, n->F, n->A, n->B }, n->active);
    n->norm = largest(m, n->F);
    double scale = largest(m, x), merit = norm2(m, n->F), reference = merit;
    if (!(merit < HUGE_VAL)) return 0;
    if (n->norm <= tolerance * (scale > 0 ? scale : 1)) return 1;
    if (k >= max_iterations || nsm_cone_late(n->w)) return 0;
    history[k % MEMORY] = merit;
    for (int j = 0; j < MEMORY && j < k; j++) reference = fmax(reference, history[j]);
    if (!direction(n, alpha)) return 0;
    n->iterations++;
    n->w->iterations++;
    int found = search(n, alpha, reference, &l, x);
    if (!found) return 0;
    for (int j = 0; found < 0 && j < MEMORY; j++) history[j] = HUGE_VAL;
    memcpy(x, n->x_trial, (size_t)m * sizeof(double));
    product(g, alpha, x, center, n->y);
  }
}

int nsm_newton_step(nsm_newton *n, double alpha, const double *center, double *x) {
  const nsm_graph *g = n->g;
  product(g, alpha, x, center, n->y);
  nsm_map_alart_curnier(g, alpha, &(nsm_map_rows){ x, n->y, n->F, n->A, n->B }, n->active);
  n->iterations++;
  n->w->iterations++;
  if (!(norm2(g->rows, n->F) < HUGE_VAL) || !direction(n, alpha)) return 0;
  for (int i = 0; i < g->rows; i++) x[i] += n->step[i];
  return 1;
}

int nsm_newton_ran_away(const nsm_graph *g, const double *x) {
  double unit = 0;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    if (n->kind == NSM_NODE_DISK) unit = fmax(unit, n->mu);
    if (n->kind == NSM_NODE_INTERVAL)
      unit = fmax(unit, fmax(n->lo > -HUGE_VAL ? fabs(n->lo) : 0, n->hi < HUGE_VAL ? fabs(n->hi) : 0));
    for (int i = n->first; i < n->first + n->size; i++) unit = fmax(unit, fabs(g->q[i]) / n->metric);
  }
  return !(largest(g->rows, x) <= 1e10 * unit);
}
