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
// (sweeps_factors.c). Large ones stand in slabs: the contacts within slab k, and those between slabs k and k + 1. No
// two slabs share an unknown, nor do two of the parts between them, so a double sweep is
//
//   begin (x, v of the slabs), meet (v of what lies between), forwards (slabs), across (between, both ways),
//   backwards (slabs; sums)                                                                                      (e)
//
// each of them by as many threads as there are: contacts of a part are taken in order, sums are added by part, and all
// numbers are the same on any number of threads, and on one.
//
// Intervals alone are for other solvers: sweeps that run off to huge forces would meet a loose tolerance there.
// All is O(entries) of M, or of C and X. The verifier is asked where |r| has fallen enough, and says when it is done.
#include "sweeps.h"
#include <math.h>
#include <string.h>

enum { SWEEPS = 600, PATIENCE = 25, LOCAL = 60, LOCAL_FULL = 1000 };   // double sweeps; operations of a block
static const double look = 0.7, deep = 0.05,  // the verifier is asked where |r| has fallen by a factor between them
    half = 0.5, lasts = 0.1;

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
static void whole(const nsm_sweeps *s, int c, const double *u, double *x) {
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

// u_c of node c at x.
static void rates(const nsm_sweeps *s, int c, const double *x, double *u) {
  const nsm_graph *g = &s->g;
  const nsm_node *n = g->node + c;
  if (s->f) { nsm_factors_rates(s, c, x, u); return; }
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

// One node by its law.
static void sweep_one(const nsm_sweeps *s, int c, double *x) {
  const nsm_graph *g = &s->g;
  const nsm_node *n = g->node + c;
  const double *M = g->value + g->at[g->diagonal[c]];
  double u[NSM_NODE_ROWS], change[NSM_NODE_ROWS], *at = x + n->first;
  rates(s, c, x, u);
  for (int i = 0; i < n->size; i++) change[i] = -at[i];
  if (s->plain[c]) {
    for (int i = 0; i < n->size; i++) u[i] -= M[i * (n->size + 1)] * at[i];
    plain(n, M, u, at);
  } else if (n->kind == NSM_NODE_INTERVAL)
    at[0] = nsm_cone_project(at[0] - u[0] / (M[0] > 0 ? M[0] : n->metric), n->lo, n->hi);
  else
    whole(s, c, u, at);
  if (!s->f) return;
  for (int i = 0; i < n->size; i++) change[i] += at[i];
  nsm_factors_push(s, c, change);
}

// The nodes of a part, forwards or backwards.
static void sweep(const nsm_sweeps *s, int part, int back, double *x) {
  int from = s->part[part], to = s->part[part + 1], by = back ? -1 : 1, c = back ? to - 1 : from;
  for (int left = to - from, n; left > 0; left -= n, c += by * n) {
    n = s->f ? nsm_factors_turn(s, c, by, left, x) : 0;
    if (n > 0) continue;
    sweep_one(s, c, x);
    n = 1;
  }
}

// ---- all of them ----------------------------------------------------------------------------------------------------
static void project_one(const nsm_sweeps *s, int c, double *x) {
  const nsm_node *n = s->g.node + c;
  double *at = x + n->first, y[NSM_CONE_MOST_ROWS], t = 0;
  if (n->kind == NSM_NODE_INTERVAL) { at[0] = nsm_cone_project(at[0], n->lo, n->hi); return; }
  if (s->plain[c]) {                     // the normal force stays, friction is cut: nearer to the law than the cone's
    at[0] = fmax(at[0], 0);              // nearest point
    for (int i = 1; i < n->size; i++) t += at[i] * at[i];
    if (t <= n->mu * n->mu * at[0] * at[0]) return;
    t = n->mu * at[0] / sqrt(t);
    for (int i = 1; i < n->size; i++) at[i] *= t;
    return;
  }
  const double *scale = s->g.scale + n->first;
  for (int i = 0; i < n->size; i++) y[i] = scale[i] * at[i];
  nsm_cone_project_block(s->p->cone + s->block_of[c], y);
  for (int i = 0; i < n->size; i++) at[i] = y[i] / scale[i];
}

// Extrapolated forces of a part, back in their sets.
static void project(const nsm_sweeps *s, int part, double *x) {
  for (int c = s->part[part]; c < s->part[part + 1]; c++)
    project_one(s, c, x);
}

// sum[0] += |G|^2, sum[1] += |G - x|^2 over rows [from, to).
static void measure(const nsm_sweeps *s, int from, int to, double *sum) {
  double G[2] = { 0, 0 }, r[2] = { 0, 0 };
  for (int i = from; i < to; i++) {
    double d = s->G[i] - s->x[i];
    G[i & 1] += s->weight[i] * s->G[i] * s->G[i];
    r[i & 1] += s->weight[i] * d * d;
  }
  sum[0] = G[0] + G[1];
  sum[1] = r[0] + r[1];
}

// ---- a double sweep in phases, (e): what a slab does in each of them ------------------------------------------------
// Row at which part k begins.
static int row_of(const nsm_sweeps *s, int part) {
  return s->part[part] < s->g.nodes ? s->g.node[s->part[part]].first : s->g.rows;
}

// The parts of slab k: itself, and what lies between it and the next one.
static int parts_of(const nsm_sweeps *s, int k, int part[2]) {
  part[0] = k;
  part[1] = s->slabs + k;
  return k + 1 < s->slabs ? 2 : 1;
}

// The forces of a part, added to v; where x was moved they are projected first.
static void motion(const nsm_sweeps *s, int part, double *x) {
  for (int c = s->part[part], end = s->part[part + 1], n; c < end; c += n) {
    n = nsm_factors_motion(s, c, end - c, x);
    if (n > 0) continue;
    if (s->moves) project_one(s, c, x);
    nsm_factors_push(s, c, x + s->g.node[c].first);
    n = 1;
  }
}

// G := x on a part, and in factors its v.
static void take(const nsm_sweeps *s, int part) {
  int from = row_of(s, part), to = row_of(s, part + 1);
  if (s->f) motion(s, part, s->x);
  else if (s->moves) project(s, part, s->x);
  memcpy(s->G + from, s->x + from, (size_t)(to - from) * sizeof *s->G);
}

static void begin(void *with, int k) {
  nsm_sweeps *s = with;
  int part[2];
  for (int i = parts_of(s, k, part) - 1; s->moves && i >= 0; i--)
    nsm_anderson_move(&s->a, row_of(s, part[i]), row_of(s, part[i] + 1), s->x);
  if (s->f) nsm_factors_clear(s, k);
  take(s, k);
}

static void meet(void *with, int k) {
  nsm_sweeps *s = with;
  take(s, s->slabs + k);
}

static void forwards(void *with, int k) {
  nsm_sweeps *s = with;
  sweep(s, k, 0, s->G);
}

static void across(void *with, int k) {
  nsm_sweeps *s = with;
  sweep(s, s->slabs + k, 0, s->G);
  sweep(s, s->slabs + k, 1, s->G);
}

static void backwards(void *with, int k) {
  nsm_sweeps *s = with;
  int part[2];
  sweep(s, k, 1, s->G);
  for (int i = parts_of(s, k, part) - 1; i >= 0; i--) {
    int from = row_of(s, part[i]), to = row_of(s, part[i] + 1);
    measure(s, from, to, s->sum + 2 * part[i]);
    if (s->by == BY_ANDERSON) nsm_anderson_feed(&s->a, part[i], from, to, s->x, s->G);
  }
}

static void all(nsm_sweeps *s, nsm_team_task *task, int count) {
  const nsm_team *team = s->f ? s->f->team : NULL;
  if (team && count > 1) { team->run(team->pool, task, s, count); return; }
  for (int k = 0; k < count; k++) task(s, k);
}

// G := G(x), from x or, where `moves`, from the next x of Anderson's; |r| / |G|.
static double improve(nsm_sweeps *s) {
  all(s, begin, s->slabs);
  all(s, meet, s->slabs - 1);
  all(s, forwards, s->slabs);
  all(s, across, s->slabs - 1);
  all(s, backwards, s->slabs);
  nsm_cone_charge(s->w, 2 * ((s->f ? 1.25 * nsm_cone_entries(s->p) : 2.0 * (double)s->g.entries) + s->local));
  s->w->iterations++;
  double size = 0, off = 0;
  for (int k = 0; k < s->parts; k++) { size += s->sum[2 * k]; off += s->sum[2 * k + 1]; }
  s->off = sqrt(off);
  return size > 0 ? sqrt(off / size) : 0;
}

// What the verifier measures, and its verdict: of problems in factors by that one number, else residual.c's.
static double distance_of(const nsm_sweeps *s, const double *lambda) {
  return s->f ? nsm_cone_factors_distance(s->p, s->w, lambda, NULL, NULL) : nsm_cone_distance(s->p, s->w, lambda);
}

static int is_accepted(const nsm_sweeps *s, const nsm_cone_try *t, double distance, const double *lambda, double *u) {
  nsm_cone_check c;
  if (s->f || distance > t->tolerance) return distance <= t->tolerance;
  nsm_cone_check_answer(s->p, s->w, t, lambda, u, &c);
  return c.accepted;
}

// Is G the answer? Asked where |r| has fallen to where the verifier's measure, which goes with it, may be small enough.
// The best is kept.
static int checked(nsm_sweeps *s, double off, double *lambda, double *u) {
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
static int rests(nsm_sweeps *s, double *lambda, double *u) {
  nsm_cone_try closer = { .tolerance = lasts * s->t->asked, .sqrt_tolerance = s->t->sqrt_tolerance, .brief = 1 };
  nsm_graph_lambda(&s->g, s->best, lambda);
  return is_accepted(s, &closer, s->f ? distance_of(s, lambda) : 0, lambda, u);
}

// 1: the answer is in lambda. From the best; ends where it gets nowhere.
static int go(nsm_sweeps *s, nsm_sweeps_way by, int *left, double *lambda, double *u) {
  size_t bytes = (size_t)s->g.rows * sizeof(double);
  double before = HUGE_VAL, least = HUGE_VAL, last = 0;
  memcpy(s->x, s->best, bytes);
  nsm_anderson_forget(&s->a);
  memset(s->P, 0, bytes);
  s->by = by;
  s->moves = 0;
  for (int k = 1; *left > 0 && !nsm_cone_late(s->w); k++, --*left) {
    double off = improve(s);
    if (checked(s, off, lambda, u)) return 1;
    least = fmin(least, off);
    if (k % PATIENCE == 0) {
      if (!(least <= half * before)) return 0;
      before = least;
    }
    s->moves = by == BY_ANDERSON;
    if (s->moves) { nsm_anderson_decide(&s->a); continue; }
    double b = last > 0 ? s->off * s->off / (last * last) : 0;
    last = s->off;
    if (by == BY_NOTHING || b > 1) { memset(s->P, 0, bytes); memcpy(s->x, s->G, bytes); continue; }
    for (int i = 0; i < s->g.rows; i++) {
      double step = s->G[i] - s->x[i];
      s->x[i] = s->G[i] + b * s->P[i];
      s->P[i] = b * s->P[i] + step;
    }
    for (int part = 0; part < s->parts; part++) project(s, part, s->x);
  }
  return 0;
}

// ---- the problem ----------------------------------------------------------------------------------------------------
static int open_parts(nsm_sweeps *s) {
  int cut = s->f && s->f->slabs > 1;
  s->slabs = cut ? s->f->slabs : 1;
  s->parts = 2 * s->slabs - 1;
  s->part = cut ? s->f->part : s->one;
  s->one[0] = 0;
  s->one[1] = s->g.nodes;
  s->sum = nsm_cone_take_doubles(s->w, 2 * (size_t)s->parts);
  return s->sum && nsm_anderson_take(s->w, s->g.rows, s->parts, s->weight, &s->a);
}

static int open_sweeps(nsm_sweeps *s) {
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
  if (!s->block_of || !s->plain || !s->own || !open_parts(s)) return 0;
  for (int c = 0, k = 0; c < s->g.nodes; c++) {
    const nsm_node *n = s->g.node + c;
    const double *M = s->g.value + s->g.at[s->g.diagonal[c]], *scale = s->g.scale + n->first;
    s->block_of[c] = k < s->p->cones && s->p->cone[k].first == n->first ? k++ : -1;
    s->plain[c] = (unsigned char)is_plain(n, M);
    s->local += s->plain[c] ? LOCAL : LOCAL_FULL;
    for (int i = 0; i < n->size; i++) {
      if (!(scale[i] > 0) && !s->plain[c]) return 0;       // with mu = 0 the tangents have no force
      s->weight[n->first + i] = n->metric;
      for (int j = 0; j < n->size && !s->plain[c]; j++)
        s->own[(size_t)c * NSM_NODE_BLOCK + (size_t)(i + j * n->size)] = M[i * n->size + j] / (scale[i] * scale[j]);
    }
  }
  return !s->f || nsm_factors_open(s);
}

nsm_cone_outcome nsm_cone_sweeps(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                 double *u) {
  size_t mark = w->used;
  nsm_sweeps s = { .p = p, .w = w, .t = t, .least = HUGE_VAL, .ask = HUGE_VAL };
  int left = t->max_iterations > 0 ? t->max_iterations : SWEEPS, done = 0;
  if (p->cones > 0 && open_sweeps(&s)) {
    nsm_graph_start(&s.g, t, lambda, s.best);
    for (int part = 0; part < s.parts; part++) project(&s, part, s.best);
    done = t->warm && rests(&s, lambda, u);
    for (nsm_sweeps_way by = BY_ANDERSON; by < WAYS && !done && left > 0; by++) done = go(&s, by, &left, lambda, u);
    if (!done) { nsm_graph_lambda(&s.g, s.best, lambda); nsm_cone_project_all(p, lambda); }
  }
  w->used = mark;
  return done ? NSM_CONE_PROPOSED : NSM_CONE_GAVE_UP;
}
