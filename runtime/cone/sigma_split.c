// Two iterations on the bodies that need no Newton system, for warm starts and for rough answers of large problems.
// Both in the frame of the unit cone (sigma_newton.c), with De Saxce's shift s = |V_T| e_N renewed in every step.
//
// Splitting (Douglas and Rachford 1956; ADMM is the same, Eckstein and Bertsekas 1992), D = 1 / rho:
//
//   x = P(z),   (M + beta D) r = beta D (2 x - z) - q - s(beta D (x - z)),   z := z + 1.6 (r - x)                  (a)
//
// with one factorization on the bodies for all steps ((c) of sigma_newton.c with A = 0, B = 1), accelerated
// (anderson.c). For a given s it converges always; what s answers to a change of itself grows with the layers of a
// pile, and where that is too much the iteration wanders. The larger beta the calmer, and the slower.
//
// Sweeps (Moreau 1999; Jean 1999): contact after contact is projected with what its bodies know of the others,
//
//   x_c := P_c(x_c - (u_c + s_c) / d_c),   v_body += S H^T dx_c                                                    (b)
//
// in the metric d = (d_N, d_T) of its block M_cc, exact where that is diagonal, as between spheres. Forwards and
// backwards in turn. About 0.1 us for a contact.
#include "sigma.h"
#include "anderson.h"
#include <math.h>
#include <string.h>

enum { SWEEP = 60 };                     // operations of a row in a sweep
enum { SPLITS = 4000, LOOK = 100, SWEEPS = 20000, PASS = 50, SOON = 200 };
static const double betas[] = { 0.1, 0.5 }, over = 1.6;

// x := the point of the node's set that is nearest to z; in the metric 1, k^2 of normal and tangents.
static void project(const nsm_node *n, double k, const double *z, double *x) {
  if (n->kind == NSM_NODE_INTERVAL) { x[0] = nsm_cone_project(z[0], n->lo, n->hi); return; }
  double t = 0, N, T;
  for (int i = 1; i < n->size; i++) t += z[i] * z[i];
  t = sqrt(t);
  if (t <= z[0]) { N = z[0]; T = 1; }
  else if (k * k * t <= -z[0]) N = T = 0;
  else { N = (z[0] + k * k * t) / (1 + k * k); T = t > 0 ? N / t : 0; }
  x[0] = N;
  for (int i = 1; i < n->size; i++) x[i] = T * z[i];
}

// beta * rho of all blocks: C and Ai of the splitting. 0: singular.
static int factor(nsm_sigma *k, double beta) {
  k->alpha = beta;
  memset(k->A, 0, (size_t)k->g.nodes * NSM_NODE_BLOCK * sizeof(double));
  memset(k->B, 0, (size_t)k->g.nodes * NSM_NODE_BLOCK * sizeof(double));
  for (int c = 0; c < k->g.nodes; c++)
    for (int i = 0; i < k->g.node[c].size; i++) k->B[(size_t)c * NSM_NODE_BLOCK + (size_t)(i * NSM_NODE_ROWS + i)] = 1;
  k->steps++;
  k->w->iterations++;
  return nsm_sigma_factor(k);
}

// x and G := the right-hand side of (a) at z.
static void split(nsm_sigma *k, double beta, const double *z, double *x, double *G) {
  const nsm_graph *g = &k->g;
  for (int c = 0; c < g->nodes; c++) {
    const nsm_node *n = g->node + c;
    double stiff = beta / k->rho[c], slip = 0;
    int f = n->first;
    project(n, 1, z + f, x + f);
    for (int i = 0; i < n->size; i++) {
      k->rhs[f + i] = stiff * (2 * x[f + i] - z[f + i]) - g->q[f + i];
      if (i) slip += (z[f + i] - x[f + i]) * (z[f + i] - x[f + i]);
    }
    if (n->kind == NSM_NODE_CONTACT) k->rhs[f] -= stiff * sqrt(slip);
  }
  memset(k->dx, 0, (size_t)g->rows * sizeof(double));
  nsm_sigma_back(k, k->rhs, k->dx);
  for (int i = 0; i < g->rows; i++) G[i] = z[i] + over * (k->dx[i] - x[i]);
}

// z of (a) for x and y = M x + q.
static void start_split(const nsm_sigma *k, double beta, double *z) {
  for (int c = 0; c < k->g.nodes; c++) {
    const nsm_node *n = k->g.node + c;
    double free = k->rho[c] / beta, slip = 0;
    int f = n->first;
    for (int i = 1; i < n->size; i++) slip += k->y[f + i] * k->y[f + i];
    for (int i = 0; i < n->size; i++) z[f + i] = k->x[f + i] - free * k->y[f + i];
    if (n->kind == NSM_NODE_CONTACT) z[f] -= free * sqrt(slip);
  }
}

int nsm_sigma_split(nsm_sigma *k) {
  size_t mark = k->w->used;
  nsm_anderson a;
  double *weight = nsm_cone_take_doubles(k->w, (size_t)k->g.rows), *z = nsm_cone_take_doubles(k->w, (size_t)k->g.rows),
         *G = nsm_cone_take_doubles(k->w, (size_t)k->g.rows);
  int done = 0;
  if (weight && z && G && nsm_anderson_take(k->w, k->g.rows, 1, weight, &a)) {
    for (int c = 0; c < k->g.nodes; c++)
      for (int i = 0; i < k->g.node[c].size; i++) weight[k->g.node[c].first + i] = 1 / k->rho[c];
    for (size_t b = k->g.nodes > NSM_SIGMA_LARGE; !done && b < sizeof betas / sizeof *betas; b++) {
      double before = HUGE_VAL, most = 0;
      if (!factor(k, betas[b])) break;
      start_split(k, betas[b], z);
      nsm_anderson_forget(&a);
      for (int step = 1; step <= SPLITS && !done && nsm_sigma_may_go_on(k); step++) {
        split(k, betas[b], z, k->x, G);
        double norm = nsm_anderson_step(&a, z, G);
        most = step % LOOK == 1 ? norm : fmin(most, norm);
        if (step % LOOK) continue;
        done = nsm_sigma_checked(k, k->x, 0) || nsm_sigma_will_do(k);
        if (!(most < 0.5 * before)) break;
        before = most;
      }
      nsm_graph_apply(&k->g, k->x, 1, k->y);
    }
  }
  k->w->used = mark;
  return done;
}

// d of (b) for a node: [d_N, d_T], not less than the largest eigenvalue of what they stand for.
static void metric(const nsm_sigma *k, int c, double *d) {
  const nsm_node *n = k->g.node + c;
  const double *M = k->g.value + k->g.at[k->g.diagonal[c]];
  d[0] = d[1] = 0;
  for (int i = 0; i < n->size; i++) {
    double sum = 0;
    for (int j = 0; j < n->size; j++) sum += fabs(M[i * n->size + j]);
    d[i > 0] = fmax(d[i > 0], sum);
  }
  if (!(d[1] > 0)) d[1] = d[0];
}

// One sweep on x with the bodies' velocities v; returns the largest change of a force, weighted as tau is.
static double sweep(nsm_sigma *k, int back, double *v) {
  const nsm_graph *g = &k->g;
  const nsm_bodies *b = &k->bodies;
  double most = 0;
  for (int j = 0; j < g->nodes; j++) {
    int c = back ? g->nodes - 1 - j : j;
    const nsm_node *n = g->node + c;
    const double *E = b->rest + (size_t)c * NSM_NODE_BLOCK, *d = k->stiff + 2 * c;
    double *x = k->x + n->first, u[NSM_NODE_ROWS], z[NSM_NODE_ROWS], slip = 0, moved = 0;
    if (!(d[0] > 0)) continue;
    for (int i = 0; i < n->size; i++) {
      u[i] = g->q[n->first + i];
      for (int l = 0; l < n->size; l++) u[i] += E[i * NSM_NODE_ROWS + l] * x[l];
    }
    for (int s = 0; s < 2 && b->of[c][s] >= 0; s++) {
      const nsm_body_node *t = b->touch + b->of[c][s];
      int first = b->column[t->body], columns = b->column[t->body + 1] - first;
      const double *h = b->h + t->at;
      for (int i = 0; i < n->size; i++) for (int l = 0; l < columns; l++) u[i] += *h++ * v[first + l];
    }
    for (int i = 1; i < n->size; i++) slip += u[i] * u[i];
    if (n->kind == NSM_NODE_CONTACT) u[0] += sqrt(slip);
    for (int i = 0; i < n->size; i++) z[i] = x[i] - u[i] / d[i > 0];
    project(n, sqrt(d[1] / d[0]), z, z);
    for (int i = 0; i < n->size; i++) {
      z[i] -= x[i];
      x[i] += z[i];
      moved += z[i] * z[i];
    }
    if (moved == 0) continue;
    most = fmax(most, moved / (k->share[c] * k->share[c]));
    for (int s = 0; s < 2 && b->of[c][s] >= 0; s++) {
      const nsm_body_node *t = b->touch + b->of[c][s];
      int first = b->column[t->body], columns = b->column[t->body + 1] - first;
      const double *h = b->h + t->at;
      for (int i = 0; i < n->size; i++)
        for (int l = 0; l < columns; l++) v[first + l] += b->sign[first + l] * *h++ * z[i];
    }
  }
  return sqrt(most);
}

// The sweeps that are still needed, as the last ones went: from `then` at step `since`.
static double left(const nsm_sigma *k, const nsm_cone_try *t, double then, int since, double now, int step) {
  double goal = fmax(t->asked, k->g.nodes > NSM_SIGMA_LARGE ? t->accept : 0);
  return k->least > goal && now < then ? log(k->least / goal) / log(then / now) * (step - since) : HUGE_VAL;
}

int nsm_sigma_sweeps(nsm_sigma *k, int patience) {
  double least = HUGE_VAL, then = HUGE_VAL;
  int done = 0, since = 0;
  for (int c = 0; c < k->g.nodes; c++) metric(k, c, k->stiff + 2 * c);
  nsm_bodies_gather(&k->g, &k->bodies, k->x, k->v);
  for (int i = 0; i < k->bodies.column[k->bodies.bodies]; i++) k->v[i] *= k->bodies.sign[i];
  for (int step = 1, better = 0; step <= SWEEPS && !done && step - better < patience; step++) {
    if (!nsm_sigma_may_go_on(k)) break;
    double moved = sweep(k, step % 2, k->v);
    nsm_cone_charge(k->w, SWEEP * (double)k->g.rows);
    if (step % PASS && moved > 0.3 * least) continue;
    if (moved < 0.8 * least) { least = moved; better = step; }
    k->w->iterations++;
    done = nsm_sigma_checked(k, k->x, 0) || nsm_sigma_will_do(k);
    if (!k->t->warm || step < PASS) continue;
    if (since && left(k, k->t, then, since, least, step) > SOON) break;
    then = least;
    since = step;
  }
  nsm_graph_apply(&k->g, k->x, 1, k->y);
  return done;
}
