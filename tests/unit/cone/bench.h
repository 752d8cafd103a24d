// For the tests of runtime/cone: problems on the heap, a residual of their own, random numbers that repeat.
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/cone/problem.h"
#include "runtime/la/la.h"
#include "tests/unit/thin.h"

enum { BENCH_FILLED = 1 << 23 };   // bytes: workspaces are taken from their begin; those of long chains have 400 MB

typedef struct bench {
  nsm_cone_problem p;
  double *M, *q, *lo, *hi, *lambda, *u;
  int *row_start, *col;
  void *work;
  nsm_cone_result r;
} bench;

static uint64_t bench_seed = 88172645463325252u;
static inline double draw(void) {   // in [-1, 1), xorshift
  bench_seed ^= bench_seed << 13; bench_seed ^= bench_seed >> 7; bench_seed ^= bench_seed << 17;
  return (double)(bench_seed >> 11) * 0x1p-52 - 1.0;
}

static inline void *zeros(size_t n, size_t size) {
  void *x = calloc(n ? n : 1, size);
  if (!x) abort();
  return x;
}

// nnz 0: dense. All rows nonneg, matrix and q zero.
static inline bench bench_open(int m, int nnz, int bandwidth) {
  size_t n = (size_t)m, entries = nnz ? (size_t)nnz : n * n,
         bytes = nsm_cone_workspace_size_with(m, entries, nnz ? bandwidth : m, m);
  bench b = { .M = zeros(entries, 8),
              .q = zeros(n, 8),
              .lo = zeros(n, 8),
              .hi = zeros(n, 8),
              .lambda = zeros(n, 8),
              .u = zeros(n, 8) };
  if (nnz) { b.row_start = zeros(n + 1, sizeof(int)); b.col = zeros(entries, sizeof(int)); }
  for (int i = 0; i < m; i++) b.hi[i] = HUGE_VAL;
  b.work = malloc(bytes);
  if (!b.work) abort();
  memset(b.work, 0xa5, bytes < BENCH_FILLED ? bytes : BENCH_FILLED);   // whatever is read before it is written shows
  nsm_cone_workspace_init(b.work, bytes);
  b.p =
      (nsm_cone_problem){ .m = m, .M = b.M, .row_start = b.row_start, .col = b.col, .q = b.q, .lo = b.lo, .hi = b.hi };
  return b;
}

static inline void bench_close(bench *b) {
  free(b->M);
  free(b->q);
  free(b->lo);
  free(b->hi);
  free(b->lambda);
  free(b->u);
  free(b->row_start);
  free(b->col);
  free(b->work);
}

// Seconds for a problem (0: as many as by default): few where many have no solution and no proof of that.
static double bench_budget = 0;

static inline nsm_cone_status bench_solve(bench *b, const char *solver, int warm) {
  nsm_cone_options o = { .solver = solver, .warm = warm, .budget = bench_budget };
  nsm_cone_status s = nsm_cone_solve(&b->p, &o, b->work, b->lambda, b->u, &b->r);
  assert_int_equal(s, b->r.status);
  return s;
}

static inline long double bench_entry(const bench *b, int i, int k, int *j) {
  *j = b->row_start ? b->col[k] : k;
  return b->row_start ? b->M[k] : b->M[(size_t)i + (size_t)k * (size_t)b->p.m];
}

// The residual of problem.h for intervals, by its definition, in extended precision.
static inline double bench_residual(const bench *b) {
  int m = b->p.m, j;
  long double worst = 0, *u = zeros(3 * (size_t)m, sizeof *u), *U = u + m, *L = U + m;
  for (int i = 0; i < m; i++) L[i] = b->lo[i] < b->hi[i] ? fmaxl(fabsl(b->lo[i]), fabsl(b->hi[i])) : HUGE_VAL;
  for (int i = 0; i < m; i++) {
    int first = b->row_start ? b->row_start[i] : 0, end = b->row_start ? b->row_start[i + 1] : m;
    u[i] = b->q[i];
    U[i] = fabsl(u[i]);
    for (int k = first; k < end; k++) {
      long double a = bench_entry(b, i, k, &j) * b->lambda[j];
      u[i] += a;
      U[i] += fabsl(a);
    }
    for (int k = first; k < end; k++) {
      long double a = fabsl(bench_entry(b, i, k, &j));
      if (a > 0) L[j] = fminl(L[j], U[i] / a);
    }
  }
  for (int i = 0; i < m; i++) {
    long double l = b->lambda[i], length = L[i] < HUGE_VAL ? fmaxl(L[i], fabsl(l)) : fabsl(l);
    long double x = U[i] > 0 ? l - length / U[i] * u[i] : l;
    if (x < b->lo[i]) x = b->lo[i];
    if (x > b->hi[i]) x = b->hi[i];
    if (l != x) worst = fmaxl(worst, length > 0 ? fabsl(l - x) / length : fabsl(u[i]) / U[i]);
    if (length == 0 && (u[i] > 0 ? b->lo[i] < 0 : b->hi[i] > 0) && U[i] > 0) worst = fmaxl(worst, fabsl(u[i]) / U[i]);
  }
  free(u);
  return (double)worst;
}

static inline void assert_solved(const bench *b) {
  double r = bench_residual(b);
  if (b->r.status != NSM_CONE_SOLVED)
    fail_msg("status %d, m %d, residual %g, by %s", b->r.status, b->p.m, r, b->r.solver ? b->r.solver : "-");
  if (!(r <= 1e-12)) fail_msg("residual %g, m %d, by %s", r, b->p.m, b->r.solver);
  for (int i = 0; i < b->p.m; i++) assert_true(b->lambda[i] >= b->lo[i] && b->lambda[i] <= b->hi[i]);
}

// M := R R^T with R m x rank, plus a skew part.
static inline void fill_semidefinite(bench *b, int rank, double skew) {
  int m = b->p.m;
  double *R = zeros((size_t)m * (size_t)(rank > 0 ? rank : 1), 8);
  for (int i = 0; i < m * rank; i++) R[i] = draw();
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < rank; k++) s += R[i + k * m] * R[j + k * m];
      b->M[i + j * m] = s;
    }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < i; j++) {
      double s = skew * draw();
      b->M[i + j * m] += s;
      b->M[j + i * m] -= s;
    }
  free(R);
}

// Rows of all kinds, by a random choice in `kinds`: 1 nonneg, 2 box, 4 free, 8 upper bound only, 16 fixed.
static inline void fill_bounds(bench *b, int kinds) {
  for (int i = 0; i < b->p.m; i++) {
    int k;
    do k = 1 << (int)((draw() + 1) * 2.5); while (!(k & kinds));
    b->lo[i] = k == 1 ? 0 : k == 2 ? -0.5 - draw() * 0.5 : k == 16 ? draw() : -HUGE_VAL;
    b->hi[i] = k == 1    ? HUGE_VAL
               : k == 2  ? b->lo[i] + 1 + draw() * 0.9
               : k == 16 ? b->lo[i]
               : k == 8  ? draw()
                         : HUGE_VAL;
  }
}

// q such that a solution exists: a feasible lambda with complementary u.
static inline void fill_consistent_q(bench *b) {
  int m = b->p.m;
  double *x = zeros((size_t)m, 8);
  for (int i = 0; i < m; i++) {
    int low = b->lo[i] > -HUGE_VAL, high = b->hi[i] < HUGE_VAL, side = draw() > 0;
    double u = 0;
    if (low && side) { x[i] = b->lo[i]; u = draw() > 0 ? fabs(draw()) : 0; }
    else if (high && side) { x[i] = b->hi[i]; u = draw() > 0 ? -fabs(draw()) : 0;
    } else
      x[i] = low && high ? b->lo[i] + 0.3 * (b->hi[i] - b->lo[i])
             : low       ? b->lo[i] + fabs(draw())
             : high      ? b->hi[i] - fabs(draw())
                         : draw();
    b->q[i] = u;
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) b->q[i] -= b->M[i + j * m] * x[j];
  free(x);
}

// Tridiagonal rows (below, diagonal, above).
static inline bench bench_chain(int m, double below, double diagonal, double above) {
  bench b = bench_open(m, 3 * m - 2, 1);
  int k = 0;
  for (int i = 0; i < m; i++) {
    b.row_start[i] = k;
    if (i > 0) { b.col[k] = i - 1; b.M[k++] = below; }
    b.col[k] = i;
    b.M[k++] = diagonal;
    if (i < m - 1) { b.col[k] = i + 1; b.M[k++] = above; }
  }
  b.row_start[m] = k;
  return b;
}
