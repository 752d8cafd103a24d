// Which contacts rest? For problems of deficient rank with more contacts than the bodies have freedom (also with an
// answer that no neighbouring problem has), where forces of self-stress grow without bound in other methods.
//
// There the velocities are few and the forces many: v of H^T lambda has the dimension of the rank, and once u is known
// the forces follow from convex sets. So u is looked for first, in three steps:
//
//   1. Contacts are glued: lambda_N in [-w, inf), |lambda_T| <= k, with w and k much larger than the forces. This
//      monotone problem has the u of least  sum w u_N + k |u_T|  with u_N >= 0: as many contacts as possible rest.
//      (The method of least absolute deviations; w and k are reweighted with 1 / (delta + |u|) of the last u, as in
//      Candes, Wakin and Boyd, J. Fourier Anal. Appl. 14 (2008) 877-905.)
//   2. The rows that rest within a tolerance are made to rest exactly.
//   3. With u given, lambda_c lies in a convex set: 0 where u_N > 0, the ray against u_T where the contact slides, the
//      cone K where it rests. M lambda = u - q over these sets is a convex problem, solved by the proximal loop.
//
// Newton's method on the problem itself confirms or mends what comes out. The first weights come from the u of the best
// answer known, or of a few Newton steps from a random start; other attempts take other weights.
#include "newton.h"
#include <math.h>
#include <string.h>

enum { PASSES = 4, HINT = 20, GLUE = 150, HOLD = 6, FORCES = 150, LAST = 60 };   // passes, Newton steps
static const double hint_alpha = 1, glue_alpha = 1e-3, forces_alpha = 1, last_alpha = 1e-3, hold_alpha = 1e-7,
                    resting = 1e-6, known = 1e-4;

typedef struct rest {
  const nsm_cone_problem *p;
  nsm_graph g, posed;        // the problem; the same matrix with other nodes and q
  nsm_newton n;
  nsm_seed d;
  double *x, *y, *other, *first; // [m] forces, velocities, scratch, velocities at first
  double *normal, *tangent;  // [nodes] weights
  double *speed;             // [nodes] the unit of velocity
  double *lambda, *u;
} rest;

static int is_contact(const nsm_node *n) { return n->kind == NSM_NODE_CONTACT || n->kind == NSM_NODE_GRIP; }

static double slip(const nsm_node *n, const double *y) {
  double sum = 0;
  for (int k = n->kind != NSM_NODE_DISK; k < n->size; k++) sum += y[n->first + k] * y[n->first + k];
  return sqrt(sum);
}

static int take(rest *r, const nsm_cone_problem *p, nsm_cone_work *w, double *lambda, double *u) {
  size_t m = (size_t)p->m;
  *r = (rest){ .p = p, .lambda = lambda, .u = u };
  double **vectors[] = { &r->x, &r->y, &r->other, &r->first, &r->normal, &r->tangent, &r->speed };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (!(*vectors[i] = nsm_cone_take_doubles(w, m))) return 0;
  if (!nsm_graph_make(p, w, &r->g)) return 0;
  r->posed = r->g;
  r->posed.node = nsm_cone_take(w, (size_t)r->g.nodes * sizeof(nsm_node));
  r->posed.q = nsm_cone_take_doubles(w, m);
  if (!r->posed.node || !r->posed.q) return 0;
  memcpy(r->posed.q, r->g.q, m * sizeof(double));
  return nsm_newton_take(&r->g, w, &r->n);
}

// What counts as a velocity at a node: its q, or what a usual force does to it.
static void measure(rest *r) {
  const nsm_graph *g = &r->g;
  double sum = 0;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    r->speed[c] = 0;
    for (int i = n->first; i < n->first + n->size; i++) r->speed[c] = fmax(r->speed[c], fabs(g->q[i]));
    sum += r->speed[c] / n->metric / g->nodes;
  }
  for (int c = 0; c < g->nodes; c++) r->speed[c] = fmax(r->speed[c], 1e-6 * sum * g->node[c].metric);
  for (int c = 0; c < g->nodes; c++) if (!(r->speed[c] > 0)) r->speed[c] = 1;
}

// A few steps of Newton's method from anywhere; 1 where they have found an answer.
static int hint(rest *r, const nsm_cone_try *t) {
  nsm_graph_random(&r->g, &r->d, r->x);
  r->g.push = nsm_seed_between(&r->d, 0.2, 5);
  double alpha = nsm_seed_between(&r->d, 1e-2, 10) * hint_alpha;
  const nsm_proximal loop = { r->p, t, &r->g, &r->n, r->x, r->lambda, r->u };
  nsm_cone_outcome o = nsm_proximal_loop(&loop, alpha, HINT);
  r->g.push = 1;
  return o == NSM_CONE_PROPOSED;
}

// A posed problem, from x = 0; y := its velocities. Returns the distance from its solution.
static double solve(rest *r, double alpha, double tolerance, int newton_limit) {
  nsm_cone_try t = { .tolerance = tolerance };
  r->posed.push = 1;
  nsm_newton_change(&r->n, &r->posed);
  const nsm_proximal loop = { NULL, &t, &r->posed, &r->n, r->x, r->lambda, r->u };
  nsm_proximal_loop(&loop, alpha, newton_limit);
  return nsm_newton_distance(&r->n, r->x, r->u, r->n.F_trial);
}

// ---- 1 --------------------------------------------------------------------------------------------------------------
static void glue(rest *r) {
  const nsm_graph *g = &r->g;
  double strength = nsm_graph_unit(g) * nsm_seed_between(&r->d, 0.3, 30),
         share = nsm_seed_unit(&r->d) < 0.3 ? 0 : nsm_seed_between(&r->d, 0.1, 1),
         delta = nsm_seed_between(&r->d, 1e-3, 1e-1);
  for (int c = 0; c < g->nodes; c++) {
    r->normal[c] = strength * nsm_seed_unit(&r->d);
    r->tangent[c] = share > 0 ? strength * share * nsm_seed_unit(&r->d) : 0.1 * r->normal[c];
  }
  memset(r->x, 0, (size_t)g->rows * sizeof(double));
  for (int pass = 0; pass < PASSES && !nsm_cone_late(r->n.w); pass++) {
    for (int c = 0; c < g->nodes; c++) {
      const nsm_node *n = g->node + c;
      nsm_node *to = r->posed.node + c;
      *to = *n;
      if (!is_contact(n)) continue;
      double a = delta / (delta + fabs(r->y[n->first]) / r->speed[c]),
             b = delta / (delta + slip(n, r->y) / r->speed[c]);
      to->kind = NSM_NODE_GLUED;
      to->lo = n->kind == NSM_NODE_GRIP ? -HUGE_VAL : -a * r->normal[c];
      to->mu = b * r->tangent[c];
    }
    solve(r, glue_alpha, 1e-10, GLUE);
    nsm_graph_apply(&r->posed, r->x, 1, r->y);
  }
}

// ---- 2 --------------------------------------------------------------------------------------------------------------
// u with the rows at rest exactly so, from forces on these rows alone. It replaces y where it is the same to `known`:
// where the rows at rest say all about the velocities.
static void hold(rest *r) {
  const nsm_graph *g = &r->g;
  double off = 0;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    nsm_node *to = r->posed.node + c;
    double small = resting * r->speed[c];
    *to = *n;
    to->kind = NSM_NODE_HELD;
    to->held = 0;
    if (is_contact(n) && fabs(r->y[n->first]) <= small) to->held = 1;
    if (n->kind != NSM_NODE_INTERVAL && slip(n, r->y) <= small)
      for (int k = n->kind != NSM_NODE_DISK; k < n->size; k++) to->held |= 1 << k & ~n->pinned;
  }
  memset(r->x, 0, (size_t)g->rows * sizeof(double));
  nsm_newton_change(&r->n, &r->posed);
  for (int k = 0; k < HOLD; k++) {
    memcpy(r->other, r->x, (size_t)g->rows * sizeof(double));
    nsm_newton_solve(&r->n, hold_alpha, r->other, 1e-15, 2, r->x);
  }
  nsm_graph_apply(&r->posed, r->x, 1, r->other);
  for (int c = 0; c < g->nodes; c++)
    for (int i = g->node[c].first; i < g->node[c].first + g->node[c].size; i++)
      off = fmax(off, fabs(r->other[i] - r->y[i]) / r->speed[c]);
  if (off <= known) memcpy(r->y, r->other, (size_t)g->rows * sizeof(double));
}

// ---- 3 --------------------------------------------------------------------------------------------------------------
// The set of lambda_c at the velocities y; side: of a grip's normal force, 0: not known.
static void choose_set(const nsm_node *n, const double *y, double speed, int side, nsm_node *to) {
  double t = slip(n, y), small = resting * speed;
  *to = *n;
  if (!is_contact(n)) return;
  if (n->kind == NSM_NODE_CONTACT && y[n->first] > small) { to->kind = NSM_NODE_OPEN; return; }
  if (t > small) {
    to->kind = NSM_NODE_RAY;
    to->lo = n->kind == NSM_NODE_GRIP && side == 0 ? -HUGE_VAL : 0;
    to->along[0] = n->kind == NSM_NODE_GRIP && side < 0 ? -1 : 1;
    for (int k = 1; k < n->size; k++) to->along[k] = -n->mu * y[n->first + k] / t;
    return;
  }
  to->kind = n->kind == NSM_NODE_CONTACT || side != 0 ? NSM_NODE_CONE : NSM_NODE_HELD;
  to->held = (1 << n->size) - 1;
  to->lo = n->kind == NSM_NODE_GRIP && side < 0 ? -1 : 0;
}

// Forces that give u = y; grips first with any sign, then with that which came out, some of them turned. Returns how
// near it came.
static double find_forces(rest *r) {
  const nsm_graph *g = &r->g;
  int grips = 0;
  double near = HUGE_VAL;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    for (int i = n->first; i < n->first + n->size; i++) r->posed.q[i] = g->q[i] - (is_contact(n) ? r->y[i] : 0);
    grips |= n->kind == NSM_NODE_GRIP;
  }
  memset(r->x, 0, (size_t)g->rows * sizeof(double));
  for (int pass = 0; pass <= grips; pass++) {
    for (int c = 0; c < g->nodes; c++) {
      int side = pass == 0 ? 0 : r->x[g->node[c].first] < 0 ? -1 : 1;
      if (pass && nsm_seed_unit(&r->d) < 0.1) side = -side;
      choose_set(g->node + c, r->y, r->speed[c], side, r->posed.node + c);
    }
    near = solve(r, forces_alpha, 1e-14, FORCES);
  }
  memcpy(r->posed.q, g->q, (size_t)g->rows * sizeof(double));
  return near;
}

// Steps 2 and 3 from y; 1 where they end in an answer.
static int confirm(rest *r, const nsm_cone_try *t) {
  hold(r);
  if (!(find_forces(r) < 1e-3)) return 0;
  nsm_newton_change(&r->n, &r->g);
  const nsm_proximal loop = { r->p, t, &r->g, &r->n, r->x, r->lambda, r->u };
  return nsm_proximal_loop(&loop, last_alpha, LAST) == NSM_CONE_PROPOSED;
}

static int search(rest *r, const nsm_cone_try *t) {
  int first = t->attempt == 0;
  if (!first && hint(r, t)) return 1;
  nsm_graph_apply(&r->g, r->x, 1, r->y);
  if (first) {                                             // the best answer may be near enough as it is
    memcpy(r->first, r->y, (size_t)r->g.rows * sizeof(double));
    if (confirm(r, t)) return 1;
    memcpy(r->y, r->first, (size_t)r->g.rows * sizeof(double));
  }
  glue(r);
  return confirm(r, t);
}

nsm_cone_outcome nsm_cone_rest(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                               double *u) {
  size_t mark = w->used;
  rest r;
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  if (take(&r, p, w, lambda, u)) {
    r.d = nsm_seed_of(t->attempt, 3);
    measure(&r);
    nsm_graph_start(&r.g, t, lambda, r.x);
    if (search(&r, t)) outcome = NSM_CONE_PROPOSED;
  }
  w->used = mark;
  return outcome;
}
