// For the tests of cone blocks: random blocks of every type, with answers that hold (1) by construction, and (1)
// checked case by case (not by a natural map): the normal and the tangential law of each type as problem.h words them.
#pragma once
#include "bench.h"

enum { OPEN, STICK, SLIP, APEX, MODES };   // APEX: lambda = 0 and u = 0

// Dense problem with blocks: opens b and *cone (to be freed) for `count` blocks of the type, and `rows` nonneg rows
// behind them.
static inline int block_rows(nsm_cone_type type, int spatial) {
  switch (type) {
    case NSM_CONE_COULOMB: case NSM_CONE_GRIP: return spatial ? 3 : 2;
    case NSM_CONE_ELLIPTIC:  return 3;
    case NSM_CONE_CONTENSOU: return 4;
    case NSM_CONE_ELLIPSE:   return spatial ? 3 : 2;
    case NSM_CONE_ELLIPSE_EXACT: return 3;
    default:                 return spatial ? 2 : 1;
  }
}

static inline nsm_cone_block block_of(nsm_cone_type type, int spatial, int first, double mu) {
  nsm_cone_block k = { type, first, block_rows(type, spatial), mu, mu, mu };
  if (type == NSM_CONE_ELLIPTIC) k.mu2 = mu * (1.2 + draw());
  if (type == NSM_CONE_CONTENSOU) k.radius = 0.6 + 0.5 * draw();
  if (type == NSM_CONE_ELLIPSE) k.mu2 = mu * (1.2 + draw());
  if (type == NSM_CONE_ELLIPSE) k.radius = 0.6 + 0.5 * draw();
  return k;
}

// Factors from the frame of the unit cone: lambda = d y, u = v / d; radius of the tangential set at the normal force N.
static inline void block_frame(const nsm_cone_block *k, double *d) {
  d[0] = d[1] = d[2] = d[3] = 1;
  for (int i = 1; i < k->size && k->type <= NSM_CONE_GRIP; i++) d[i] = k->mu;
  if (k->type == NSM_CONE_ELLIPTIC) d[2] = k->mu2;
  if (k->type == NSM_CONE_CONTENSOU) d[3] = k->mu * k->radius;
  for (int i = 0; i < k->size && k->type == NSM_CONE_ELLIPSE; i++) d[i] = i == k->size - 1 ? k->mu2 : k->mu;
}

// A pair (lambda, u) of the block that holds (1); u of rows without freedom is arbitrary.
static inline void block_answer(const nsm_cone_block *k, int mode, double scale, double *lambda, double *u) {
  double d[4], w[4] = { 0 }, norm = 0, N = 0, y[4] = { 0 }, v[4] = { 0 };
  int first = !nsm_cone_is_given(k->type);
  block_frame(k, d);
  for (int i = first; i < k->size; i++) { w[i] = draw(); norm += w[i] * w[i]; }
  norm = sqrt(norm);
  for (int i = first; i < k->size; i++) w[i] /= norm;
  double slip = 0.1 + fabs(draw()), share = 0.9 * fabs(draw());
  if (!first) N = k->radius;
  else {
    N = mode == STICK || mode == SLIP ? 0.1 + fabs(draw()) : 0;
    if (k->type == NSM_CONE_GRIP && draw() > 0) N = -N;
    y[0] = N * scale;
    if (mode == OPEN && k->type != NSM_CONE_GRIP) v[0] = 0.1 + fabs(draw());
    N = fabs(N) * scale;
  }
  for (int i = first; i < k->size; i++) {
    y[i] = N * w[i] * (mode == SLIP ? 1 : mode == STICK || !first ? share : 0);
    v[i] = mode == SLIP || (mode == OPEN && first) ? -slip * w[i] : 0;
  }
  for (int i = 0; i < k->size; i++) { lambda[i] = d[i] * y[i]; u[i] = d[i] > 0 ? v[i] / d[i] : draw(); }
}

// How far (lambda, u) of the block is from (1), in the unit frame, in words: N >= 0, v_N >= 0, one of them zero; |y_T|
// <= N; y_T = -N v_T / |v_T| where it slides. `size_y`, `size_v`: what counts as large. Rows with d = 0 must have
// lambda = 0.
static inline double block_violation(const nsm_cone_block *k, const double *lambda, const double *u, double size_y,
                                     double size_v) {
  double d[4], y[4], v[4], worst = 0, yy = 0, vv = 0, yv = 0;
  int first = !nsm_cone_is_given(k->type);
  block_frame(k, d);
  for (int i = 0; i < k->size; i++) {
    y[i] = d[i] > 0 ? lambda[i] / d[i] : 0;
    v[i] = d[i] * u[i];
    if (d[i] == 0) worst = fmax(worst, fabs(lambda[i]) / size_y);
  }
  double N = !first ? k->radius : k->type == NSM_CONE_GRIP ? fabs(y[0]) : y[0];
  if (k->type == NSM_CONE_GRIP) worst = fmax(worst, fabs(v[0]) / size_v);
  else if (first)
    worst = fmax(worst, fmax(fmax(-y[0] / size_y, -v[0] / size_v), fmin(fabs(y[0]) / size_y, fabs(v[0]) / size_v)));
  for (int i = first; i < k->size; i++) { yy += y[i] * y[i]; vv += v[i] * v[i]; yv += y[i] * v[i]; }
  yy = sqrt(yy); vv = sqrt(vv);
  worst = fmax(worst, (yy - N) / size_y);
  // maximal dissipation: y_T.v_T = -N |v_T|
  worst = fmax(worst, (yv + fmax(N, 0) * vv) / (size_y * size_v));
  return worst;
}

// The answer of b satisfies (1) in words, block by block and row by row, with u from its definition: the largest
// violation.
static inline double laws_violation(const bench *b) {
  int m = b->p.m, i = 0;
  double *u = zeros((size_t)m, 8), *size = zeros((size_t)m, 8), largest = 0, worst = 0, size_u = 0;
  for (int r = 0; r < m; r++) {
    long double sum = b->q[r];
    size[r] = fabs(b->q[r]);
    for (int j = 0; j < m; j++) {
      sum += (long double)b->M[r + j * m] * b->lambda[j];
      size[r] += fabs(b->M[r + j * m] * b->lambda[j]);
    }
    u[r] = (double)sum;
    largest = fmax(largest, fabs(b->lambda[r]));
    size_u = fmax(size_u, size[r]);
  }
  if (largest == 0) largest = 1;
  for (int c = 0; c <= b->p.cones; c++) {
    int end = c < b->p.cones ? b->p.cone[c].first : m;
    for (; i < end && size_u > 0; i++) {
      worst = fmax(worst, fmax(b->lo[i] - b->lambda[i], b->lambda[i] - b->hi[i]) / largest);
      double room = u[i] > 0 ? b->lambda[i] - b->lo[i] : b->hi[i] - b->lambda[i];
      worst = fmax(worst, fmin(fabs(u[i]) / size_u, room / largest));
    }
    if (c == b->p.cones) break;
    const nsm_cone_block *k = &b->p.cone[c];
    double d[4], y = 0, v = 0;
    block_frame(k, d);
    for (int r = 0; r < k->size; r++) {
      if (d[r] > 0) y = fmax(y, largest / d[r]);
      v = fmax(v, d[r] * size_u);
    }
    if (v > 0) worst = fmax(worst, block_violation(k, b->lambda + i, u + i, y, v));
    i += k->size;
  }
  free(u);
  free(size);
  return worst;
}

static inline void assert_laws(const bench *b) {
  if (b->r.status != NSM_CONE_SOLVED)
    fail_msg("status %d, m %d, residual %g, by %s", b->r.status, b->p.m, b->r.residual,
             b->r.solver ? b->r.solver : "-");
  double v = laws_violation(b);
  if (!(v <= 1e-9))
    fail_msg("the laws are violated by %g; residual %g, m %d, type %d, mu %g, by %s", v, b->r.residual, b->p.m,
             b->p.cone[0].type, b->p.cone[0].mu, b->r.solver);
}

// A dense problem of several blocks of the types in `types` (bits), interval rows of `kinds` (bench.h) between them, in
// random order. Opens b and *cone (the caller frees it). Bounds are set, M and q are zero.
static inline bench bench_blocks(int count, unsigned types, int rows, int kinds, double mu_most,
                                 nsm_cone_block **cone) {
  nsm_cone_block *k = zeros((size_t)count, sizeof *k);
  int m = 0, blocks = 0, left = rows;
  while (blocks < count || left > 0) {
    if (left > 0 && (blocks == count || draw() > 0.3)) { m++; left--; continue; }
    int type;
    do type = (int)((draw() + 1) * 2.5); while (!(types >> type & 1));
    k[blocks] = block_of((nsm_cone_type)type, draw() > 0 && !(types >> 8 & 1), m, mu_most * fabs(draw()));
    m += k[blocks++].size;
  }
  bench b = bench_open(m, 0, 0);
  fill_bounds(&b, kinds);
  b.p.cone = *cone = k;
  b.p.cones = count;
  return b;
}
enum { PLANE_ONLY = 1 << 8 };   // in `types` above

// q such that an answer exists: each block and row in a random mode.
static inline void fill_answer(bench *b, double scale) {
  int m = b->p.m, i = 0;
  double *x = zeros((size_t)m, 8), *u = zeros((size_t)m, 8);
  for (int c = 0; c <= b->p.cones; c++) {
    int end = c < b->p.cones ? b->p.cone[c].first : m;
    for (; i < end; i++) {
      int low = b->lo[i] > -HUGE_VAL, high = b->hi[i] < HUGE_VAL, side = draw() > 0;
      if (low && side) { x[i] = b->lo[i]; u[i] = fabs(draw()); }
      else if (high && side) { x[i] = b->hi[i]; u[i] = -fabs(draw());
      } else
        x[i] = low && high ? 0.5 * (b->lo[i] + b->hi[i])
               : low       ? b->lo[i] + scale * fabs(draw())
               : high      ? b->hi[i] - scale * fabs(draw())
                           : scale * draw();
    }
    if (c == b->p.cones) break;
    block_answer(&b->p.cone[c], (int)((draw() + 1) * 2), scale, x + i, u + i);
    i += b->p.cone[c].size;
  }
  for (int r = 0; r < m; r++) {
    b->q[r] = u[r];
    for (int j = 0; j < m; j++) b->q[r] -= b->M[r + j * m] * x[j];
  }
  free(x);
  free(u);
}
