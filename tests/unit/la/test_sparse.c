// runtime/la/sparse.h against dense factors: random patterns, saddle points by nodes, dependent equations, grids whose
// fill is known, the same bits twice.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/la/la.h"
#include "runtime/la/sparse.h"
#include "shelf.h"

static int choose(int n) { return (int)((draw() + 1) * 0.5 * n) % n; }

// A graph as lists of edges, both ways.
typedef struct graph { int n, edges, *start, *neighbour, *row, *col; } graph;
static graph make_graph(int n, int edges, const int *row, const int *col) {
  graph g = { n, edges, calloc((size_t)n + 1, sizeof(int)), calloc(2 * (size_t)edges + 1, sizeof(int)),
              malloc((size_t)edges * sizeof(int) + 1), malloc((size_t)edges * sizeof(int) + 1) };
  memcpy(g.row, row, (size_t)edges * sizeof(int));
  memcpy(g.col, col, (size_t)edges * sizeof(int));
  int *at = calloc((size_t)n + 1, sizeof(int));
  for (int e = 0; e < edges; e++) { g.start[row[e] + 1]++; g.start[col[e] + 1]++; }
  for (int i = 0; i < n; i++) g.start[i + 1] += g.start[i];
  memcpy(at, g.start, (size_t)n * sizeof(int));
  for (int e = 0; e < edges; e++) { g.neighbour[at[row[e]]++] = col[e]; g.neighbour[at[col[e]]++] = row[e]; }
  free(at);
  return g;
}
static void drop_graph(graph *g) { free(g->start); free(g->neighbour); free(g->row); free(g->col); }

static double miss(int n, const double *A, const double *x, const double *b) {
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double s = -b[i];
    for (int j = 0; j < n; j++) s += A[i + j * n] * x[j];
    worst = fmax(worst, fabs(s));
  }
  return worst;
}

// The entries at their places, and balanced: by rows and columns, whose largest entries are then 1.
static void balanced(const nsm_sparse *s, int n, double *A, const double *v) {
  double *B = calloc((size_t)(n * n), sizeof *B), *w = malloc(s->values * sizeof *w), rows[200], columns[200];
  nsm_sparse_expand(s, v, B);
  assert_memory_equal(A, B, (size_t)(n * n) * sizeof *B);
  memcpy(w, v, s->values * sizeof *w);
  for (int i = 0; i < n; i += 3)                           // the third part of the diagonal is small
    w[nsm_sparse_place(s, i, i)] = A[i + i * n] *= 0.125;
  nsm_sparse_balance(s, w, rows, columns);
  nsm_sparse_expand(s, w, B);
  for (int j = 0; j < n; j++) {
    double most = 0;
    for (int i = 0; i < n; i++) {
      assert_true(fabs(B[i + j * n] - A[i + j * n] * rows[i] * columns[j]) <= 1e-15);
      most = fmax(most, fabs(B[i + j * n]));
    }
    assert_true(fabs(most - 1) <= 1e-15);
  }
  free(B);
  free(w);
}

// Four right sides at once.
static void by_lanes(const nsm_sparse *s, int n, const double *A) {
  double b[NSM_SPARSE_LANES][200], x[NSM_SPARSE_LANES][200], *all[NSM_SPARSE_LANES];
  for (int k = 0; k < NSM_SPARSE_LANES; k++) {
    all[k] = x[k];
    for (int i = 0; i < n; i++) x[k][i] = b[k][i] = draw();
  }
  nsm_sparse_solve_lanes(s, all);
  for (int k = 0; k < NSM_SPARSE_LANES; k++) {
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[k][i]));
    assert_true(miss(n, A, x[k], b[k]) < 1e-11 * (1 + size) * n);
  }
}

static void a_random_matrix(int n, int edges, int heavy) {
  int row[600], col[600];
  shelf m = { .n = 0 };
  for (int e = 0; e < edges; e++) { row[e] = e < heavy ? 0 : choose(n); col[e] = choose(n); }
  graph g = make_graph(n, edges, row, col);
  nsm_la_memory memory = { take, give, &m };
  nsm_sparse *s = nsm_sparse_analyse(n, g.start, g.neighbour, NULL, &memory);
  assert_non_null(s);
  assert_true(m.given > 0);
  double *A = calloc((size_t)(n * n) + 1, sizeof *A), *v = calloc(s->values + 1, sizeof *v), x[200], b[200], again[200];
  for (int k = 0; k < n; k++) {
    A[k + k * n] = 4 + draw();
    v[nsm_sparse_place(s, k, k)] = A[k + k * n];
  }
  for (int e = 0; e < edges; e++)
    if (row[e] != col[e]) {
      double up = draw(), down = draw();
      A[row[e] + col[e] * n] += up;
      A[col[e] + row[e] * n] += down;
      v[nsm_sparse_place(s, row[e], col[e])] += up;
      v[nsm_sparse_place(s, col[e], row[e])] += down;
    }
  for (int i = 0; i < n; i++) x[i] = b[i] = draw();
  assert_int_equal(nsm_sparse_factor(s, v, NSM_SPARSE_PIVOTS, 0, 0, NULL), -1);
  nsm_sparse_solve(s, x);
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  assert_true(miss(n, A, x, b) < 1e-11 * (1 + size) * n);
  by_lanes(s, n, A);
  memcpy(again, b, sizeof b);
  assert_int_equal(nsm_sparse_factor(s, v, NSM_SPARSE_PIVOTS, 1e-13, 0, NULL), -1);
  nsm_sparse_solve(s, again);
  assert_memory_equal(x, again, (size_t)n * sizeof *x);
  memcpy(again, b, sizeof b);
  nsm_sparse_multiply(s, v, -1, x, again);
  for (int i = 0; i < n; i++) assert_true(fabs(again[i]) < 1e-11 * (1 + size) * n);
  balanced(s, n, A, v);
  free(A);
  free(v);
  drop_graph(&g);
  clear(&m);
}

static void random_patterns(void **state) {
  (void)state;
  for (int k = 0; k < 400; k++) {
    int n = 1 + choose(k < 200 ? 30 : 200);
    a_random_matrix(n, choose(3 * n), k % 5 == 0 ? choose(n) : 0);
  }
  a_random_matrix(1, 0, 0);
  a_random_matrix(120, 360, 300);      // one node with many neighbours
}

// [W -B; B^T 0] with rows of B^T at random: each multiplier in one node with an unknown that it acts on.
static void saddle_points(void **state) {
  (void)state;
  enum { Z = 60, L = 40, N = Z + L };
  for (int k = 0; k < 50; k++) {
    shelf m = { .n = 0 };
    nsm_la_memory memory = { take, give, &m };
    int row[400], col[400], node[N], edges = 0;
    for (int i = 0; i + 1 < Z; i++) { row[edges] = i; col[edges++] = i + 1; }
    for (int i = 0; i < Z; i++) node[i] = i;
    for (int j = 0; j < L; j++) {
      node[Z + j] = j;
      row[edges] = Z + j; col[edges++] = j;
      row[edges] = Z + j; col[edges++] = j + 1 + choose(Z - L);
    }
    graph g = make_graph(N, edges, row, col);
    nsm_sparse *s = nsm_sparse_analyse(N, g.start, g.neighbour, node, &memory);
    assert_non_null(s);
    double *A = calloc(N * N, sizeof *A), *v = calloc(s->values, sizeof *v), x[N], b[N];
    for (int i = 0; i < Z; i++) A[i + i * N] = 3;
    for (int e = 0; e < edges; e++) {
      int i = row[e], j = col[e];
      double value = i < Z ? -1 : draw();
      A[i + j * N] += i < Z ? value : -value;
      A[j + i * N] += value;
    }
    for (int i = 0; i < N; i++) v[nsm_sparse_place(s, i, i)] = A[i + i * N];
    for (int e = 0; e < edges; e++) {
      v[nsm_sparse_place(s, row[e], col[e])] = A[row[e] + col[e] * N];
      v[nsm_sparse_place(s, col[e], row[e])] = A[col[e] + row[e] * N];
    }
    for (int i = 0; i < N; i++) x[i] = b[i] = draw();
    assert_int_equal(nsm_sparse_factor(s, v, NSM_SPARSE_PIVOTS, 1e-13, 0, NULL), -1);
    nsm_sparse_solve(s, x);
    double size = 0;
    for (int i = 0; i < N; i++) size = fmax(size, fabs(x[i]));
    assert_true(miss(N, A, x, b) < 1e-10 * (1 + size));
    free(A);
    free(v);
    drop_graph(&g);
    clear(&m);
  }
}

// Pairs of equations, those of every second one times 1e20: none is small beside its own entries.
static void scales(void **state) {
  (void)state;
  enum { N = 12 };
  shelf m = { .n = 0 };
  nsm_la_memory memory = { take, give, &m };
  int row[N / 2], col[N / 2];
  for (int e = 0; e < N / 2; e++) { row[e] = 2 * e; col[e] = 2 * e + 1; }
  graph g = make_graph(N, N / 2, row, col);
  nsm_sparse *s = nsm_sparse_analyse(N, g.start, g.neighbour, NULL, &memory);
  double *v = calloc(s->values, sizeof *v), x[N];
  for (int i = 0; i < N; i++) {
    double scale = i / 2 % 2 ? 1e20 : 1;
    v[nsm_sparse_place(s, i, i)] = 3 * scale;
    v[nsm_sparse_place(s, i, i ^ 1)] = scale;
    x[i] = 4 * scale;
  }
  assert_int_equal(nsm_sparse_factor(s, v, NSM_SPARSE_PIVOTS, 1e-12, 0, NULL), -1);
  nsm_sparse_solve(s, x);
  for (int i = 0; i < N; i++) assert_true(fabs(x[i] - 1) < 1e-14);
  free(v);
  drop_graph(&g);
  clear(&m);
}

// One piece of memory is not there.
static void no_memory(void **state) {
  (void)state;
  int row[] = { 0, 1, 2, 3, 4, 0 }, col[] = { 1, 2, 3, 4, 5, 5 }, missing = 1;
  graph g = make_graph(6, 6, row, col);
  for (;; missing++) {
    shelf m = { .missing = missing };
    nsm_sparse *s = nsm_sparse_analyse(6, g.start, g.neighbour, NULL, &(nsm_la_memory){ take, give, &m });
    clear(&m);
    if (s) break;
  }
  assert_true(missing > 40);
  drop_graph(&g);
}

// Two masses held by the same constraint twice: one multiplier is left out, the motion is as with one.
static void dependent_equations(void **state) {
  (void)state;
  shelf m = { .n = 0 };
  nsm_la_memory memory = { take, give, &m };
  int row[] = { 2, 2, 3, 3 }, col[] = { 0, 1, 0, 1 }, node[] = { 0, 0, 0, 0 };
  graph g = make_graph(4, 4, row, col);
  nsm_sparse *s = nsm_sparse_analyse(4, g.start, g.neighbour, node, &memory);
  double *v = calloc(s->values, sizeof *v), x[4] = { 1, 0, 0, 0 };
  v[nsm_sparse_place(s, 0, 0)] = v[nsm_sparse_place(s, 1, 1)] = 2;
  for (int j = 2; j < 4; j++) {
    v[nsm_sparse_place(s, j, 0)] = v[nsm_sparse_place(s, 1, j)] = 1;
    v[nsm_sparse_place(s, j, 1)] = v[nsm_sparse_place(s, 0, j)] = -1;
  }
  assert_true(nsm_sparse_factor(s, v, NSM_SPARSE_PIVOTS, 1e-12, 0, NULL) >= 0);
  assert_int_equal(nsm_sparse_factor(s, v, NSM_SPARSE_PIVOTS, 1e-12, 1, NULL), -1);
  assert_int_equal(s->dropped, 1);
  nsm_sparse_solve(s, x);
  assert_true(fabs(x[0] - 0.25) < 1e-15 && fabs(x[1] - 0.25) < 1e-15);
  assert_true(fabs(fabs(x[2] + x[3]) - 0.5) < 1e-15 && (x[2] == 0 || x[3] == 0));
  free(v);
  drop_graph(&g);
  clear(&m);
}

// The diagonal rule gives the pivots of a definite matrix, and names the first that is not positive.
static void definite(void **state) {
  (void)state;
  shelf m = { .n = 0 };
  nsm_la_memory memory = { take, give, &m };
  enum { SIDE = 12, N = SIDE * SIDE };
  int row[2 * N], col[2 * N], edges = 0;
  for (int i = 0; i < N; i++) {
    if (i % SIDE + 1 < SIDE) { row[edges] = i; col[edges++] = i + 1; }
    if (i + SIDE < N) { row[edges] = i; col[edges++] = i + SIDE; }
  }
  graph g = make_graph(N, edges, row, col);
  nsm_sparse *s = nsm_sparse_analyse(N, g.start, g.neighbour, NULL, &memory);
  double *v = calloc(s->values, sizeof *v), pivot[N];
  for (int e = 0; e < edges; e++)
    v[nsm_sparse_place(s, row[e], col[e])] = v[nsm_sparse_place(s, col[e], row[e])] = -1;
  for (int i = 0; i < N; i++) v[nsm_sparse_place(s, i, i)] = 4;
  assert_int_equal(nsm_sparse_factor(s, v, NSM_SPARSE_DIAGONAL, 1e-13, 0, pivot), -1);
  for (int i = 0; i < N; i++) assert_true(pivot[i] > 0 && pivot[i] <= 4);
  v[nsm_sparse_place(s, 77, 77)] = -1;
  assert_true(nsm_sparse_factor(s, v, NSM_SPARSE_DIAGONAL, 1e-13, 0, pivot) >= 0);
  free(v);
  drop_graph(&g);
  clear(&m);
}

// Fill of a 60 x 60 grid: a band would store 60 entries a row and factor, minimum degree far fewer.
static void fill_of_a_grid(void **state) {
  (void)state;
  shelf m = { .n = 0 };
  nsm_la_memory memory = { take, give, &m };
  enum { SIDE = 60, N = SIDE * SIDE };
  static int row[2 * N], col[2 * N];
  int edges = 0;
  for (int i = 0; i < N; i++) {
    if (i % SIDE + 1 < SIDE) { row[edges] = i; col[edges++] = i + 1; }
    if (i + SIDE < N) { row[edges] = i; col[edges++] = i + SIDE; }
  }
  graph g = make_graph(N, edges, row, col);
  nsm_sparse *s = nsm_sparse_analyse(N, g.start, g.neighbour, NULL, &memory);
  assert_true(s->factor_size < 45u * N && s->stack_size < 5u * N && s->work < 1500.0 * N);
  drop_graph(&g);
  clear(&m);
}

// A chain whose nodes are all coupled with one more, which has too many neighbours to be looked at: it comes last, and
// all others are left coupled with it.
static void a_hub(void **state) {
  (void)state;
  enum { N = 2000 };
  shelf m = { .n = 0 };
  nsm_la_memory memory = { take, give, &m };
  static int row[2 * N], col[2 * N];
  int edges = 0, own = 0;
  for (int i = 1; i < N; i++) {
    row[edges] = 0; col[edges++] = i;
    if (i + 1 < N) { row[edges] = i; col[edges++] = i + 1; }
  }
  graph g = make_graph(N, edges, row, col);
  static int pivot[N], of_own[N], border[N], parent[N], of[N];
  nsm_elimination e = { 0, pivot, of_own, border, parent, of };
  assert_int_equal(nsm_sparse_order(N, g.start, g.neighbour, NULL, &e, &memory), 0);
  for (int k = 0; k < e.count; k++) {
    own += e.own[k];
    if (e.pivot[k] == 0) assert_true(e.border[k] == 0 && e.parent[k] == -1);
    else assert_true(e.border[k] >= 1 && e.border[k] <= 3 && e.parent[k] >= 0);
  }
  assert_int_equal(own, N);
  drop_graph(&g);
  clear(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_patterns), cmocka_unit_test(saddle_points), cmocka_unit_test(scales),
    cmocka_unit_test(no_memory), cmocka_unit_test(dependent_equations),
    cmocka_unit_test(definite), cmocka_unit_test(fill_of_a_grid), cmocka_unit_test(a_hub)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
