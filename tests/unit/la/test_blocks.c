// runtime/la/blocks.h against dense factors: chains, trees, rings and stars of blocks of all sizes; no fill-in where
// there need be none; pivots that are not positive; the same bits twice.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/la/blocks.h"
#include "runtime/la/la.h"
#include "shelf.h"

enum { MOST = 40, ALL = MOST * 12 };
typedef struct graph { int n, edges, row[4 * MOST], col[4 * MOST]; } graph;

static nsm_blocks *analyse(const graph *g, const int *size, shelf *s) {
  int start[MOST + 1] = { 0 }, at[MOST], neighbour[8 * MOST];
  for (int e = 0; e < g->edges; e++) { start[g->row[e] + 1]++; start[g->col[e] + 1]++; }
  for (int i = 0; i < g->n; i++) start[i + 1] += start[i];
  memcpy(at, start, sizeof at);
  for (int e = 0; e < g->edges; e++) {
    neighbour[at[g->row[e]]++] = g->col[e];
    neighbour[at[g->col[e]]++] = g->row[e];
  }
  nsm_la_memory memory = { take, give, s };
  return nsm_blocks_analyse(g->n, size, start, neighbour, &memory);
}

// Sets block (row, col) of the values and of the dense matrix D [n, n].
static void set(const nsm_blocks *b, int row, int col, const int *first, int n, double weight, double *A, double *D) {
  int room = nsm_block_room(b->size[row]);
  for (int j = 0; j < b->size[col]; j++)
    for (int i = 0; i < b->size[row]; i++) {
      double x = draw() + (row == col && i == j ? weight : 0);
      A[nsm_blocks_place(b, row, col) + (size_t)(i + j * room)] = x;
      D[first[row] + i + (first[col] + j) * n] = x;
    }
}

static void solves(const graph *g, int smallest, int largest) {
  static double D[ALL * ALL], x[ALL], y[2 * ALL], again[2 * ALL];
  static int pivot[ALL];
  shelf s = { .n = 0 };
  int size[MOST], first[MOST + 1] = { 0 };
  for (int i = 0; i < g->n; i++) {
    size[i] = smallest + (int)((draw() + 1) * 0.5 * (largest - smallest + 1));
    first[i + 1] = first[i] + size[i];
  }
  int n = first[g->n];
  nsm_blocks *b = analyse(g, size, &s);
  assert_non_null(b);
  double *A = calloc(b->values, sizeof *A), *copy = malloc(b->values * sizeof *A);
  memset(D, 0, sizeof D);
  for (int i = 0; i < g->n; i++) set(b, i, i, first, n, 6.0 * largest, A, D);
  for (int e = 0; e < g->edges; e++) {
    set(b, g->row[e], g->col[e], first, n, 0, A, D);
    set(b, g->col[e], g->row[e], first, n, 0, A, D);
  }
  memset(y, 0, sizeof y);
  for (int i = 0; i < g->n; i++)
    for (int k = 0; k < size[i]; k++) x[first[i] + k] = y[b->at[i] + k] = draw();
  memcpy(again, y, sizeof y);
  memcpy(copy, A, b->values * sizeof *A);
  assert_int_equal(nsm_blocks_factor(b, A, 1e-13), -1);
  assert_int_equal(nsm_blocks_factor(b, copy, 1e-13), -1);
  nsm_blocks_solve(b, A, y);
  nsm_blocks_solve(b, copy, again);
  assert_memory_equal(y, again, (size_t)b->at[g->n] * sizeof *y);
  assert_int_equal(nsm_la_lu_factor(n, D, n, pivot).code, NSM_LA_OK);
  nsm_la_lu_solve(n, 1, D, n, pivot, x, n);
  for (int i = 0; i < g->n; i++)
    for (int k = 0; k < size[i]; k++) assert_true(fabs(y[b->at[i] + k] - x[first[i] + k]) <= 1e-14);
  free(A);
  free(copy);
  clear(&s);
}

static void edge(graph *g, int i, int j) {
  g->row[g->edges] = i;
  g->col[g->edges++] = j;
}
static graph chain(int n) {
  graph g = { .n = n };
  for (int i = 1; i < n; i++) edge(&g, i - 1, i);
  return g;
}
static graph tree(int n) {                        // each with two children, and random edges that close loops
  graph g = { .n = n };
  for (int i = 1; i < n; i++) edge(&g, (i - 1) / 2, i);
  return g;
}

static void all_shapes(void **state) {
  (void)state;
  for (int largest = 1; largest <= 12; largest++)
    for (int n = 1; n <= MOST; n += n < 6 ? 1 : 17) {
      graph g = chain(n);
      solves(&g, 1, largest);
      solves(&g, largest, largest);
      if (n > 2) edge(&g, n - 1, 0);
      solves(&g, 1, largest);
      g = tree(n);
      solves(&g, 1, largest);
      if (n > 3) for (int i = 0; i < 5; i++) edge(&g, 0, n - 1 - i % (n - 2));
      solves(&g, 1, largest);
      graph star = { .n = n };
      for (int i = 0; i < n && n <= 6; i++) for (int j = 0; j < i; j++) edge(&star, i, j);
      solves(&star, 1, largest);
    }
  graph random = { .n = MOST };                   // more fill than entries: the lists grow
  while (random.edges < 3 * MOST) {
    int i = (int)((draw() + 1) * 0.5 * MOST), j = (int)((draw() + 1) * 0.5 * MOST);
    if (i != j) edge(&random, i, j);
  }
  solves(&random, 1, 2);
}

static void no_fill(void **state) {
  (void)state;
  shelf s = { .n = 0 };
  int size[MOST];
  for (int i = 0; i < MOST; i++) size[i] = 5;
  graph g = chain(MOST), t = tree(MOST);
  assert_int_equal(analyse(&g, size, &s)->start[MOST], MOST - 1);
  assert_int_equal(analyse(&t, size, &s)->start[MOST], MOST - 1);
  edge(&g, MOST - 1, 0);
  assert_true(analyse(&g, size, &s)->start[MOST] <= 2 * MOST - 3);
  clear(&s);
}

// One piece of memory is not there.
static void no_memory(void **state) {
  (void)state;
  int size[] = { 1, 2, 3, 4, 5, 6 }, missing = 1;
  graph g = chain(6);
  edge(&g, 5, 0);
  for (;; missing++) {
    shelf s = { .missing = missing };
    nsm_blocks *b = analyse(&g, size, &s);
    clear(&s);
    if (b) break;
  }
  assert_true(missing > 30);
}

static void pivots(void **state) {
  (void)state;
  double A[3 * 4] = { 2, 1, 0, 0, 1, 2, 1, 0, 0, 1, 2, 0 }, B[3 * 4] = { 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0 };
  assert_int_equal(nsm_block_invert(3, A, 1e-13), 1);
  assert_true(fabs(A[0] - 0.75) <= 1e-15 && fabs(A[1] + 0.5) <= 1e-15 && fabs(A[2] - 0.25) <= 1e-15 && A[3] == 0);
  assert_int_equal(nsm_block_invert(3, B, 1e-13), 0);
  double large[2 * 4] = { 1e6, 1e6, 0, 0, 1e6, 1e6 + 1e-8 };  // what is left is small beside what was there
  assert_int_equal(nsm_block_invert(2, large, 1e-13), 0);
  shelf s = { .n = 0 };
  graph g = chain(2);
  int size[] = { 1, 1 };
  nsm_blocks *b = analyse(&g, size, &s);
  double *M = calloc(b->values, sizeof *M);
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) M[nsm_blocks_place(b, i, j)] = i == j ? 1 : 2;
  assert_true(nsm_blocks_factor(b, M, 1e-13) >= 0);     // 1 - 2*2 < 0
  free(M);
  clear(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_shapes), cmocka_unit_test(no_fill), cmocka_unit_test(no_memory), cmocka_unit_test(pivots)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
