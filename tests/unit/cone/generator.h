// A generated set of interval problems: one function per family, a deterministic problem per number. Families say
// whether there is a solution.
#pragma once
#include "families.h"

typedef enum { SOLVABLE, UNSOLVABLE, EITHER } known;
typedef struct family { const char *name; int problems; known (*make)(int k, bench *b); } family;

static int size_of(int k, int largest) {
  static const int sizes[] = { 1, 2, 3, 4, 5, 6, 7, 9, 12, 17, 24, 33, 48, 70, 100, 140, 200, 300, 500 };
  int n = 0;
  while (n < (int)(sizeof sizes / sizeof *sizes) && sizes[n] <= largest) n++;
  return sizes[k % n];
}

// Units: M by alpha, q by beta, and where `rows` each row and column by its own factor (u_i and lambda_i by inverse
// ones). The bounds follow.
static void change_units(bench *b, int k) {
  static const double scale[] = { 1, 1e-6, 1e6 };
  int m = b->p.m, rows = k % 2;
  double alpha = scale[k / 2 % 3], beta = scale[k / 6 % 3];
  for (int i = 0; i < m; i++) {
    double s = rows ? pow(10, 3 * draw()) : 1;
    for (int j = 0; j < m; j++) b->M[i + j * m] *= s;
    for (int j = 0; j < m; j++) b->M[j + i * m] *= s;
    b->q[i] *= s * beta;
    b->lo[i] *= beta / alpha / s;
    b->hi[i] *= beta / alpha / s;
  }
  for (int i = 0; i < m * m; i++) b->M[i] *= alpha;
}

static const int kinds[] = { 1, 2, 4, 3, 5, 7, 9, 15, 31 };   // fill_bounds: nonneg, box, free, upper only, fixed
static int kinds_of(int k) { return kinds[k % 9]; }

static void any_q(bench *b) { for (int i = 0; i < b->p.m; i++) b->q[i] = draw(); }

// Definite with a skew part: exactly one solution, whatever q is.
static known definite_matrices(int k, bench *b) {
  int m = size_of(k, 140);
  *b = bench_open(m, 0, 0);
  fill_semidefinite(b, m, k % 3 * 0.7);
  for (int i = 0; i < m; i++) b->M[i + i * m] += 0.05;
  fill_bounds(b, kinds_of(k));
  any_q(b);
  change_units(b, k);
  return SOLVABLE;
}

// P but not definite: triangular with large entries on one side, a principal permutation of it, and unequal factors on
// rows and columns.
static known p_matrices(int k, bench *b) {
  int m = size_of(k, 33), *at = zeros((size_t)m, sizeof(int));
  *b = bench_open(m, 0, 0);
  for (int i = 0; i < m; i++) at[i] = i;
  for (int i = m - 1; i > 0; i--) { int j = (int)((draw() + 1) / 2 * (i + 1)), t = at[i]; at[i] = at[j]; at[j] = t; }
  for (int j = 0; j < m; j++)
    for (int i = 0; i <= j; i++) b->M[at[i] + at[j] * m] = i == j ? 1 + 0.5 * draw() : 2 * draw();
  fill_bounds(b, kinds_of(k) & 3 ? kinds_of(k) & 3 : 1);
  any_q(b);
  change_units(b, k);
  free(at);
  return SOLVABLE;
}

// Semidefinite of any rank; q such that there is a solution.
static known semidefinite_matrices(int k, bench *b) {
  int m = size_of(k, 140), rank = k % 4 == 0 ? 0 : k % 4 == 1 ? 1 : (m + 1) / (k % 4);
  *b = bench_open(m, 0, 0);
  fill_semidefinite(b, rank, k % 5 == 4 ? 0.5 : 0);
  fill_bounds(b, kinds_of(k / 2));
  fill_consistent_q(b);
  change_units(b, k);
  return SOLVABLE;
}

// The optimality conditions of a quadratic or linear program: M = (Q -A^T; A 0).
static known programs(int k, bench *b) {
  int m = size_of(k, 100), n = (m + 1) / 2;
  *b = bench_open(m, 0, 0);
  if (k % 3) fill_semidefinite(b, k % 3 == 1 ? 1 : (m + 1) / 2, 0);
  for (int i = n; i < m; i++)
    for (int j = 0; j < m; j++) {
      double a = k % 2 ? draw() : draw() > 0.5 ? 1 : 0;
      b->M[i + j * m] = j < n ? a : 0;
      b->M[j + i * m] = j < n ? -a : 0;
    }
  fill_bounds(b, k % 4 ? 1 : 7);
  fill_consistent_q(b);
  change_units(b, k);
  return SOLVABLE;
}

// Strictly copositive: nonnegative with a positive diagonal, plus semidefinite. A solution for every q.
static known copositive_matrices(int k, bench *b) {
  int m = size_of(k, 70);
  *b = bench_open(m, 0, 0);
  if (k % 2) fill_semidefinite(b, (m + 2) / 3, 0);
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) b->M[i + j * m] += i == j ? 0.5 : draw() > 0.3 ? draw() + 1 : 0;
  any_q(b);
  change_units(b, k);
  return SOLVABLE;
}

// Any matrix; relays (a compact set always has a solution), or small with a solution made first.
static known any_matrices(int k, bench *b) {
  int relay = k % 2, m = size_of(k, relay ? 48 : 17);
  *b = bench_open(m, 0, 0);
  for (int i = 0; i < m * m; i++) b->M[i] = draw() + (k % 3 == 2 ? 0.3 : 0);
  fill_bounds(b, relay ? 2 : kinds_of(k / 2));
  if (relay) any_q(b); else fill_consistent_q(b);
  change_units(b, k);
  return SOLVABLE;
}

// Low rank, not symmetric, nothing else known; a solution made first.
static known low_ranks(int k, bench *b) {
  int m = size_of(k, 17), rank = 1 + k % 3;
  *b = bench_open(m, 0, 0);
  for (int r = 0; r < rank; r++) {
    double *x = zeros((size_t)m, 8), *y = zeros((size_t)m, 8);
    for (int i = 0; i < m; i++) { x[i] = draw(); y[i] = k % 2 ? draw() : x[i] + 0.1 * draw(); }
    for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) b->M[i + j * m] += x[i] * y[j];
    free(x);
    free(y);
  }
  fill_bounds(b, k % 4 == 3 ? 31 : k % 4 == 2 ? 7 : 1);
  fill_consistent_q(b);
  change_units(b, k);
  return SOLVABLE;
}

// A resistive network with diodes, as modified nodal analysis writes it: node voltages are free unknowns, u of a node
// its current balance,
//   u_v = G v - B i + s,   u_i = B^T v   (v across a diode against it), with ideal diodes and some redundant nodes.
static known diode_networks(int k, bench *b) {
  int nodes = 2 + size_of(k, 33), diodes = 1 + nodes / 2 + k % 4, m = nodes + diodes;
  *b = bench_open(m, 0, 0);
  for (int e = 0; e < 2 * nodes; e++) {
    int i = (int)((draw() + 1) / 2 * nodes), j = (int)((draw() + 1) / 2 * nodes);
    double g = pow(10, 2 * draw());
    if (i == j) continue;
    b->M[i + i * m] += g; b->M[j + j * m] += g;
    b->M[i + j * m] -= g; b->M[j + i * m] -= g;
  }
  b->M[0] += 1;
  for (int d = nodes; d < m; d++) {
    int i = (int)((draw() + 1) / 2 * nodes), j = (int)((draw() + 1) / 2 * nodes);
    b->M[i + d * m] -= 1; b->M[d + i * m] += 1;
    if (j != i) { b->M[j + d * m] += 1; b->M[d + j * m] -= 1; }
  }
  for (int i = 0; i < nodes; i++) b->lo[i] = -HUGE_VAL;
  fill_consistent_q(b);
  return SOLVABLE;
}

// Contacts without friction, more of them than degrees of freedom, and at rest: q small beside M lambda. Up to 500.
static known stacks(int k, bench *b) {
  int m = size_of(k, 500), bodies = 1 + m / 3;
  double *H = zeros((size_t)m * (size_t)bodies, 8), *mass = zeros((size_t)bodies, 8);
  *b = bench_open(m, 0, 0);
  for (int i = 0; i < bodies; i++) mass[i] = pow(10, (k % 3) * draw());
  for (int c = 0; c < m; c++) { int i = c % bodies; H[c + i * m] = 1; if (i > 0) H[c + (i - 1) * m] = -1; }
  for (int i = 0; i < m; i++) {
    for (int l = 0; l < bodies; l++) {
      b->q[i] -= 1e-3 * 9.81 * H[i + l * m];
      for (int j = 0; j < m; j++) b->M[i + j * m] += H[i + l * m] * H[j + l * m] / mass[l];
    }
  }
  free(H);
  free(mass);
  return SOLVABLE;
}

// Equations that depend on others: more free rows than free unknowns, the last columns are zero. k odd: they
// contradict.
static known too_many_equations(int k, bench *b) {
  int n = 1 + size_of(k, 12) / 2, c = 2 + k % 5, extra = 1 + k % 3, m = n + c + extra;
  double *combination = zeros((size_t)(n + 1), 8);
  *b = bench_open(m, 0, 0);
  bench small = bench_open(n + c, 0, 0);
  fill_semidefinite(&small, n + c, 0.3);
  for (int i = 0; i < n; i++) small.lo[i] = -HUGE_VAL;
  fill_consistent_q(&small);
  for (int i = 0; i < n + c; i++) {
    b->q[i] = small.q[i];
    b->lo[i] = small.lo[i];
    for (int j = 0; j < n + c; j++) b->M[i + j * m] = small.M[i + j * (n + c)];
  }
  for (int e = n + c; e < m; e++) {
    b->lo[e] = -HUGE_VAL;
    for (int i = 0; i < n; i++) combination[i] = draw();
    for (int i = 0; i < n; i++) {
      b->q[e] += combination[i] * b->q[i];
      for (int j = 0; j < n + c; j++) b->M[e + j * m] += combination[i] * b->M[i + j * m];
    }
  }
  if (k % 2) b->q[m - 1] += 1;
  bench_close(&small);
  free(combination);
  return k % 2 ? UNSOLVABLE : SOLVABLE;
}

// An equation that fixes bounded unknowns, with no free one to balance it: sum of c_j lambda_j = given, one solution of
// the others holds it.
static known equations_on_bounded(int k, bench *b) {
  int m = 3 + k % 8;
  *b = bench_open(m, 0, 0);
  fill_semidefinite(b, m - 1, 0.2);
  for (int j = 0; j < m; j++) { b->M[j + (m - 1) * m] = 0; b->M[m - 1 + j * m] = j < m - 1 ? 1 + draw() / 2 : 0; }
  b->lo[m - 1] = -HUGE_VAL;
  fill_consistent_q(b);
  return SOLVABLE;
}

// y.(M lambda + q) < 0 for all lambda that are allowed: M^T y = 0 on the way, rows of all kinds.
static known no_solution(int k, bench *b) {
  int m = size_of(k, 33);
  *b = bench_open(m, 0, 0);
  if (k % 3) fill_semidefinite(b, m / 2, k % 3 == 2 ? 0.5 : 0);
  else for (int i = 0; i < m * m; i++) b->M[i] = draw();
  double *y = zeros((size_t)m, 8), yy = 0, yq = 0;
  for (int i = 0; i < m; i++) { y[i] = k % 2 ? fabs(draw()) : i == m / 2; yy += y[i] * y[i]; }
  for (int j = 0; j < m; j++) {
    double s = 0;
    for (int i = 0; i < m; i++) s += y[i] * b->M[i + j * m];
    // with the latter only lambda >= 0 contradicts
    for (int i = 0; i < m; i++) b->M[i + j * m] -= s * y[i] / yy + (k % 4 == 1 ? 0.1 * y[i] : 0);
  }
  any_q(b);
  for (int i = 0; i < m; i++) yq += y[i] * b->q[i];
  for (int i = 0; i < m; i++) b->q[i] -= (yq + 0.5) * y[i] / yy;
  if (k % 4 != 1)
    for (int i = 0; i < m; i++) if (k % 5 == 2 || (k % 5 == 3 && i % 2)) b->lo[i] = -HUGE_VAL;
  change_units(b, k);
  free(y);
  return UNSOLVABLE;
}

// Small and any: there may be a solution or not. Checked against exhaustive search in the test.
static known small_and_any(int k, bench *b) {
  int m = 1 + k % 7;
  *b = bench_open(m, 0, 0);
  for (int i = 0; i < m * m; i++) b->M[i] = k % 3 ? draw() : floor(1.5 * draw() + 0.5);
  fill_bounds(b, k % 2 ? 5 : 1);
  for (int i = 0; i < m; i++) b->q[i] = k % 3 ? draw() : floor(1.5 * draw() + 0.5);
  return EITHER;
}

static const family generated[] = {
  { "definite", 90, definite_matrices },
  { "P", 60, p_matrices },
  { "semidefinite", 90, semidefinite_matrices },
  { "programs", 60, programs },
  { "copositive", 60, copositive_matrices },
  { "any", 60, any_matrices },
  { "low rank", 60, low_ranks },
  { "diodes", 50, diode_networks },
  { "stacks", 38, stacks },
  { "redundant", 30, too_many_equations },
  { "bounded equations", 30, equations_on_bounded },
  { "no solution", 90, no_solution },
  { "small", 140, small_and_any },
};
enum { FAMILIES = sizeof generated / sizeof *generated };
