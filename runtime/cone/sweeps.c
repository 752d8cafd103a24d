// Large friction problems to the few digits that a pile wants: sweeps from the forces of the step before, contact
// after contact by its exact law with the others held (Moreau 1999; Jean 1999), forwards and backwards in turn, and
// what makes them faster:
//
//   x := G(x),  G = backwards o forwards,   accelerated by Anderson's method (anderson.c)                          (a)
//   or by nonlinear conjugate gradients (Silcowitz, Niebe and Erleben 2010), r = G(x) - x:
//     b = |r|^2 / |r before|^2,   x := G(x) + b p,  p := b p + r   where b <= 1,   else x := G(x), p := 0          (b)
//   or not at all                                                                                                  (c)
//
// Coulomb's law of one contact is solved for the normal first and then for the disk of radius mu N: exact where the
// block M_cc is diagonal, as between spheres; else local.c's way. Extrapolated forces are projected. Which of the three
// is best differs by scene: (a) in piles that come to rest, (b) and (c) where strong friction flows through many
// layers.
// A way ends where |r| has not fallen by half in PATIENCE double sweeps, and the next one takes over from its best.
//
// Of M the diagonal blocks and products are needed: with M itself, or with its factors M = C X + D (problem.h), where
//
//   u_c = C_c v + D_c lambda_c + q_c,   v = X lambda is kept up to date:  v += X_c (change of lambda_c)             (d)
//
// Intervals alone are for other solvers: sweeps that run off to huge forces would meet a loose tolerance there.
// All is O(entries) of M, or of C and X. The verifier is asked where |r| has fallen enough, and says when it is done.
#include "newton.h"
#include "anderson.h"
#include <math.h>
#include <string.h>

enum { SWEEPS = 600, PATIENCE = 25, LOCAL = 60, LOCAL_FULL = 1000 };   // double sweeps; operations of a block
static const double look = 0.7, deep = 0.05,  // the verifier is asked where |r| has fallen by a factor between them
    half = 0.5, lasts = 0.1;

#define SWEEPS_INLINE static inline __attribute__((always_inline))

// A plain contact of three rows in 6 or 12 unknowns; entries: 0, it is none.
typedef struct simple { int entries; double mu, normal, tangent, by_normal, by_tangent; } simple;

typedef struct sweeps {
  const nsm_cone_problem *p;
  nsm_cone_work *w;
  const nsm_cone_try *t;
  nsm_graph g;
  nsm_anderson a;
  int    *block_of;                      // [nodes] its block of the problem, -1: an interval
  unsigned char *plain;                  // [nodes] Coulomb's law and a diagonal block
  const nsm_cone_factors *f;             // of the problem, or NULL
  double *v;                             // [f->n] of (d)
  simple *simple;                        // [nodes], with factors
  double *x, *G, *P, *best, *weight, *own;  // own [nodes * NSM_NODE_BLOCK]: M_cc in the units of the problem
  double  least, ask;                    // |r| / |x| of the best; where the verifier is asked next
} sweeps;

// ---- one contact ----------------------------------------------------------------------------------------------------
static int is_plain(const nsm_node *n, const double *M) {
  if (n->kind != NSM_NODE_CONTACT || n->exact || n->rolling || (n->pinned && n->mu > 0) || n->size > 3) return 0;
  for (int i = 0; i < n->size; i++)
    for (int j = 0; j < n->size; j++)
      if (i != j && fabs(M[i * n->size + j]) > 1e-10 * n->metric) return 0;
  return n->size < 3 || fabs(M[4] - M[8]) <= 1e-10 * n->metric;
}

// x := the answer of the plain node with its own part of u taken out of b.
static void plain(const nsm_node *n, const double *M, const double *b, double *x) {
  int s = n->size;
  double N = M[0] > 0 && b[0] < 0 ? -b[0] / M[0] : 0, t = 0;
  x[0] = N;
  for (int i = 1; i < s; i++) {
    x[i] = M[i * (s + 1)] > 0 ? -b[i] / M[i * (s + 1)] : 0;
    t += x[i] * x[i];
  }
  if (t <= n->mu * n->mu * N * N) return;
  t = n->mu * N / sqrt(t);
  for (int i = 1; i < s; i++) x[i] *= t;
}

// Any other block, by local.c; a step of projection where that has no answer.
static void whole(const sweeps *s, int c, const double *u, double *x) {
  const nsm_node *n = s->g.node + c;
  const nsm_cone_block *k = s->p->cone + s->block_of[c];
  const double *M = s->own + (size_t)c * NSM_NODE_BLOCK, *scale = s->g.scale + n->first;
  double q[NSM_CONE_MOST_ROWS], y[NSM_CONE_MOST_ROWS], trace = 0;
  for (int i = 0; i < n->size; i++) {
    y[i] = scale[i] * x[i];
    trace += M[i * (n->size + 1)];
  }
  for (int i = 0; i < n->size; i++) {
    q[i] = u[i] / scale[i];
    for (int j = 0; j < n->size; j++) q[i] -= M[i + j * n->size] * scale[j] * x[j];
  }
  if (!nsm_cone_local(k, M, q, y)) {
    double rho = trace > 0 ? n->size / trace : 1, v[NSM_CONE_MOST_ROWS];
    for (int i = 0; i < n->size; i++) { v[i] = u[i] / scale[i]; y[i] = scale[i] * x[i] - rho * v[i]; }
    if (nsm_cone_normals(k->type) == 1 && !nsm_cone_is_grip(k->type)) y[0] -= rho * nsm_cone_support(k, v + 1);
    nsm_cone_project_block(k, y);
  }
  for (int i = 0; i < n->size; i++) x[i] = y[i] / scale[i];
}

// u_c of node c with the factors, (d).
static void rates_by_factors(const sweeps *s, int c, const double *x, double *u) {
  const nsm_cone_factors *f = s->f;
  const int *z = f->z + f->start[c], first = f->first[c], entries = f->start[c + 1] - f->start[c];
  const double *C = f->c + f->at[c], *scale = s->g.scale + first;
  for (int r = 0; r < s->g.node[c].size; r++, C += entries) {
    double sum = 0;
    for (int j = 0; j < entries; j++) sum += C[j] * s->v[z[j]];
    u[r] = s->g.q[first + r] + scale[r] * sum;
    if (f->d) u[r] += scale[r] * scale[r] * f->d[first + r] * x[first + r];
  }
}

// v of (d) after a change of x_c.
static void push(const sweeps *s, int c, const double *change) {
  const nsm_cone_factors *f = s->f;
  const int *z = f->z + f->start[c], first = f->first[c], entries = f->start[c + 1] - f->start[c];
  const double *X = f->x + f->at[c];
  for (int r = 0; r < s->g.node[c].size; r++, X += entries) {
    double by = s->g.scale[first + r] * change[r];
    for (int j = 0; by != 0 && j < entries; j++) s->v[z[j]] += X[j] * by;
  }
}

// The same for what most piles are made of: plain contacts of two bodies, or of one with the ground. Each v_z is read
// and written once.
SWEEPS_INLINE void rates_of_three(const double *C, const int e, const int *z, const double *v, const double *q,
                                  double *u) {
  const double *D = C + e, *E = D + e;
  double u0 = q[0], u1 = q[1], u2 = q[2], w0 = 0, w1 = 0, w2 = 0;
#pragma GCC unroll 6
  for (int j = 0; j < e; j += 2) {
    double a = v[z[j]], b = v[z[j + 1]];
    u0 += C[j] * a;
    u1 += D[j] * a;
    u2 += E[j] * a;
    w0 += C[j + 1] * b;
    w1 += D[j + 1] * b;
    w2 += E[j + 1] * b;
  }
  u[0] = u0 + w0;
  u[1] = u1 + w1;
  u[2] = u2 + w2;
}

SWEEPS_INLINE void push_three(const double *X, const int e, const int *z, const double *change, double *v) {
  double a = change[0], b = change[1], c = change[2];
#pragma GCC unroll 12
  for (int j = 0; j < e; j++) v[z[j]] += X[j] * a + X[e + j] * b + X[2 * e + j] * c;
}

SWEEPS_INLINE void turn(const sweeps *s, int c, const int e, double *at) {
  const nsm_cone_factors *f = s->f;
  const int *z = f->z + f->start[c];
  const simple *k = s->simple + c;
  double u[3], before[3] = { at[0], at[1], at[2] };
  rates_of_three(f->c + f->at[c], e, z, s->v, s->g.q + f->first[c], u);
  u[0] -= k->normal * at[0];
  u[1] -= k->tangent * at[1];
  u[2] -= k->tangent * at[2];
  double N = u[0] < 0 ? -u[0] * k->by_normal : 0, p = -u[1] * k->by_tangent, q = -u[2] * k->by_tangent,
         t = p * p + q * q;
  if (t > k->mu * k->mu * N * N) {
    t = k->mu * N / sqrt(t);
    p *= t;
    q *= t;
  }
  at[0] = N;
  at[1] = p;
  at[2] = q;
  for (int i = 0; i < 3; i++) before[i] = at[i] - before[i];
  if (before[0] != 0 || before[1] != 0 || before[2] != 0) push_three(f->x + f->at[c], e, z, before, s->v);
}

static void motion(const sweeps *s, const double *x) {
  memset(s->v, 0, (size_t)s->f->n * sizeof *s->v);
  const nsm_cone_factors *f = s->f;
  for (int c = 0; c < f->nodes; c++) {
    const double *at = x + f->first[c];
    if (s->simple[c].entries == 12)     push_three(f->x + f->at[c], 12, f->z + f->start[c], at, s->v);
    else if (s->simple[c].entries == 6) push_three(f->x + f->at[c], 6, f->z + f->start[c], at, s->v);
    else                                push(s, c, at);
  }
}

// u_c of node c at x.
static void rates(const sweeps *s, int c, const double *x, double *u) {
  const nsm_graph *g = &s->g;
  const nsm_node *n = g->node + c;
  if (s->f) { rates_by_factors(s, c, x, u); return; }
  for (int r = 0; r < n->size; r++) u[r] = g->q[n->first + r];
  for (int k = g->start[c]; k < g->start[c + 1]; k++) {
    const nsm_node *d = g->node + g->column[k];
    const double *b = g->value + g->at[k], *z = x + d->first;
    if (n->size == 3 && d->size == 3) {
      u[0] += b[0] * z[0] + b[1] * z[1] + b[2] * z[2];
      u[1] += b[3] * z[0] + b[4] * z[1] + b[5] * z[2];
      u[2] += b[6] * z[0] + b[7] * z[1] + b[8] * z[2];
    } else
      for (int r = 0; r < n->size; r++) for (int e = 0; e < d->size; e++) u[r] += b[r * d->size + e] * z[e];
  }
}

static void sweep(const sweeps *s, int back, double *x) {
  const nsm_graph *g = &s->g;
  for (int j = 0; j < g->nodes; j++) {
    int c = back ? g->nodes - 1 - j : j;
    if (s->f && s->simple[c].entries == 12) { turn(s, c, 12, x + s->f->first[c]); continue; }
    if (s->f && s->simple[c].entries == 6) { turn(s, c, 6, x + s->f->first[c]); continue; }
    const nsm_node *n = g->node + c;
    const double *M = g->value + g->at[g->diagonal[c]];
    double u[NSM_NODE_ROWS], before[NSM_NODE_ROWS], *at = x + n->first;
    rates(s, c, x, u);
    for (int i = 0; i < n->size; i++) before[i] = at[i];
    if (s->plain[c]) {
      for (int i = 0; i < n->size; i++) u[i] -= M[i * (n->size + 1)] * at[i];
      plain(n, M, u, at);
    } else if (n->kind == NSM_NODE_INTERVAL)
      at[0] = nsm_cone_project(at[0] - u[0] / (M[0] > 0 ? M[0] : n->metric), n->lo, n->hi);
    else
      whole(s, c, u, at);
    if (!s->f) continue;
    for (int i = 0; i < n->size; i++) before[i] = at[i] - before[i];
    push(s, c, before);
  }
}

// ---- all of them ----------------------------------------------------------------------------------------------------
static void project(const sweeps *s, double *x) {
  for (int c = 0; c < s->g.nodes; c++) {
    const nsm_node *n = s->g.node + c;
    double *at = x + n->first, y[NSM_CONE_MOST_ROWS], t = 0;
    if (n->kind == NSM_NODE_INTERVAL) { at[0] = nsm_cone_project(at[0], n->lo, n->hi); continue; }
    if (s->plain[c]) {                   // the normal force stays, friction is cut: nearer to the law than the cone's
      at[0] = fmax(at[0], 0);            // nearest point
      for (int i = 1; i < n->size; i++) t += at[i] * at[i];
      if (t <= n->mu * n->mu * at[0] * at[0]) continue;
      t = n->mu * at[0] / sqrt(t);
      for (int i = 1; i < n->size; i++) at[i] *= t;
      continue;
    }
    const double *scale = s->g.scale + n->first;
    for (int i = 0; i < n->size; i++) y[i] = scale[i] * at[i];
    nsm_cone_project_block(s->p->cone + s->block_of[c], y);
    for (int i = 0; i < n->size; i++) at[i] = y[i] / scale[i];
  }
}

// |x|, or |x - y|: in two sums, of even and odd rows.
static double norm(const sweeps *s, const double *x, const double *y) {
  double sum[2] = { 0, 0 };
  for (int i = 0; i < s->g.rows; i++) { double d = y ? x[i] - y[i] : x[i]; sum[i & 1] += s->weight[i] * d * d; }
  return sqrt(sum[0] + sum[1]);
}

// G := G(x); |r| / |G|.
static double improve(sweeps *s, const double *x, double *G) {
  memcpy(G, x, (size_t)s->g.rows * sizeof *G);
  if (s->f) motion(s, G);
  sweep(s, 0, G);
  sweep(s, 1, G);
  double local = 0;
  for (int c = 0; c < s->g.nodes; c++) local += s->plain[c] ? LOCAL : LOCAL_FULL;
  nsm_cone_charge(s->w, 2 * ((s->f ? 1.25 * nsm_cone_entries(s->p) : 2.0 * (double)s->g.entries) + local));
  s->w->iterations++;
  double size = norm(s, G, NULL);
  return size > 0 ? norm(s, G, x) / size : 0;
}

// What the verifier measures, and its verdict: of problems in factors by that one number, else residual.c's.
static double distance_of(const sweeps *s, const double *lambda) {
  return s->f ? nsm_cone_factors_distance(s->p, s->w, lambda, NULL, NULL) : nsm_cone_distance(s->p, s->w, lambda);
}

static int is_accepted(const sweeps *s, const nsm_cone_try *t, double distance, const double *lambda, double *u) {
  nsm_cone_check c;
  if (s->f || distance > t->tolerance) return distance <= t->tolerance;
  nsm_cone_check_answer(s->p, s->w, t, lambda, u, &c);
  return c.accepted;
}

// Is G the answer? Asked where |r| has fallen to where the verifier's measure, which goes with it, may be small enough.
// The best is kept.
static int checked(sweeps *s, double off, double *lambda, double *u) {
  nsm_cone_try asked = { .tolerance = s->t->asked, .sqrt_tolerance = s->t->sqrt_tolerance };
  if (off < s->least) { s->least = off; memcpy(s->best, s->G, (size_t)s->g.rows * sizeof *s->best); }
  if (!(off <= s->ask)) return 0;
  nsm_graph_lambda(&s->g, s->G, lambda);
  nsm_cone_project_all(s->p, lambda);
  double distance = distance_of(s, lambda);
  s->ask = off * fmin(look, fmax(s->t->asked / distance, deep));
  return is_accepted(s, &asked, distance, lambda, u);
}

// The forces of the last step, where they are right up to a part of the tolerance: what rests goes on resting.
static int rests(sweeps *s, double *lambda, double *u) {
  nsm_cone_try closer = { .tolerance = lasts * s->t->asked, .sqrt_tolerance = s->t->sqrt_tolerance, .brief = 1 };
  nsm_graph_lambda(&s->g, s->best, lambda);
  return is_accepted(s, &closer, s->f ? distance_of(s, lambda) : 0, lambda, u);
}

typedef enum { BY_ANDERSON, BY_GRADIENTS, BY_NOTHING, WAYS } way;

// 1: the answer is in lambda. From the best; ends where it gets nowhere.
static int go(sweeps *s, way by, int *left, double *lambda, double *u) {
  size_t bytes = (size_t)s->g.rows * sizeof(double);
  double before = HUGE_VAL, least = HUGE_VAL, last = 0;
  memcpy(s->x, s->best, bytes);
  nsm_anderson_forget(&s->a);
  memset(s->P, 0, bytes);
  for (int k = 1; *left > 0 && !nsm_cone_late(s->w); k++, --*left) {
    double off = improve(s, s->x, s->G);
    if (checked(s, off, lambda, u)) return 1;
    least = fmin(least, off);
    if (k % PATIENCE == 0) {
      if (!(least <= half * before)) return 0;
      before = least;
    }
    if (by == BY_ANDERSON) { nsm_anderson_step(&s->a, s->x, s->G); project(s, s->x); continue; }
    double r = norm(s, s->G, s->x), b = last > 0 ? r * r / (last * last) : 0;
    last = r;
    if (by == BY_NOTHING || b > 1) { memset(s->P, 0, bytes); memcpy(s->x, s->G, bytes); continue; }
    for (int i = 0; i < s->g.rows; i++) {
      double step = s->G[i] - s->x[i];
      s->x[i] = s->G[i] + b * s->P[i];
      s->P[i] = b * s->P[i] + step;
    }
    project(s, s->x);
  }
  return 0;
}

// ---- the problem ----------------------------------------------------------------------------------------------------
static int open_factors(sweeps *s) {
  const nsm_cone_factors *f = s->f;
  if (!f) return 1;
  s->v = nsm_cone_take_doubles(s->w, (size_t)f->n);
  s->simple = nsm_cone_take(s->w, (size_t)f->nodes * sizeof *s->simple);
  if (!s->v || !s->simple) return 0;
  for (int c = 0; c < f->nodes; c++) {
    s->simple[c].entries = 0;
    const nsm_node *n = s->g.node + c;
    if (!s->plain[c] || n->size != 3 || f->d) continue;
    const double *M = s->g.value + s->g.at[s->g.diagonal[c]], *scale = s->g.scale + n->first;
    int e = f->start[c + 1] - f->start[c],
        is = (e == 6 || e == 12) && M[0] > 0 && M[4] > 0 && scale[0] == 1 && scale[1] == 1 && scale[2] == 1;
    if (is) s->simple[c] = (simple){ e, n->mu, M[0], M[4], 1 / M[0], 1 / M[4] };
  }
  return 1;
}

static int open_sweeps(sweeps *s) {
  nsm_cone_work *w = s->w;
  s->f = s->p->factors;
  if (!nsm_graph_make(s->p, w, &s->g)) return 0;
  size_t rows = (size_t)s->g.rows, nodes = (size_t)s->g.nodes;
  double **of_rows[] = { &s->x, &s->G, &s->P, &s->best, &s->weight };
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
    if (!(*of_rows[i] = nsm_cone_take_doubles(w, rows))) return 0;
  s->block_of = nsm_cone_take_ints(w, nodes);
  s->plain = nsm_cone_take(w, nodes);
  s->own = nsm_cone_take_doubles(w, nodes * NSM_NODE_BLOCK);
  if (!s->block_of || !s->plain || !s->own || !nsm_anderson_take(w, s->g.rows, s->weight, &s->a)) return 0;
  for (int c = 0, k = 0; c < s->g.nodes; c++) {
    const nsm_node *n = s->g.node + c;
    const double *M = s->g.value + s->g.at[s->g.diagonal[c]], *scale = s->g.scale + n->first;
    s->block_of[c] = k < s->p->cones && s->p->cone[k].first == n->first ? k++ : -1;
    s->plain[c] = (unsigned char)is_plain(n, M);
    for (int i = 0; i < n->size; i++) {
      if (!(scale[i] > 0) && !s->plain[c]) return 0;       // with mu = 0 the tangents have no force
      s->weight[n->first + i] = n->metric;
      for (int j = 0; j < n->size && !s->plain[c]; j++)
        s->own[(size_t)c * NSM_NODE_BLOCK + (size_t)(i + j * n->size)] = M[i * n->size + j] / (scale[i] * scale[j]);
    }
  }
  return open_factors(s);
}

nsm_cone_outcome nsm_cone_sweeps(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                 double *u) {
  size_t mark = w->used;
  sweeps s = { .p = p, .w = w, .t = t, .least = HUGE_VAL, .ask = HUGE_VAL };
  int left = t->max_iterations > 0 ? t->max_iterations : SWEEPS, done = 0;
  if (p->cones > 0 && open_sweeps(&s)) {
    nsm_graph_start(&s.g, t, lambda, s.best);
    project(&s, s.best);
    done = t->warm && rests(&s, lambda, u);
    for (way by = BY_ANDERSON; by < WAYS && !done && left > 0; by++) done = go(&s, by, &left, lambda, u);
    if (!done) { nsm_graph_lambda(&s.g, s.best, lambda); nsm_cone_project_all(p, lambda); }
  }
  w->used = mark;
  return done ? NSM_CONE_PROPOSED : NSM_CONE_GAVE_UP;
}
