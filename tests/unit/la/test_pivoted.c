// runtime/la/pivoted.c: sparse LU with exchanges of rows, real and complex: it solves what it was given, whatever the
// diagonal; where columns depend on each other it counts them and gives null vectors of both sides; it grows; it is
// done again with the same pivots.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "runtime/la/pivoted.h"
#include "shelf.h"

static shelf all;                        // memory of a simulation: what is not given back earlier goes with it
static const nsm_la_memory memory = { take, give, &all };

static int give_all(void **state) {
  (void)state;
  clear(&all);
  return 0;
}

enum { N = 60, FULL = N * N };
typedef struct matrix { int n, start[N + 1], row[FULL]; double re[FULL], im[FULL]; } matrix;

// Entry (i, perm(i)) is there, others with a chance of `share`; no diagonal unless it is one of these.
static void random_matrix(matrix *A, int n, double share) {
  int perm[N], e = 0;
  for (int i = 0; i < n; i++) perm[i] = (7 * i + 3) % n;
  A->n = n;
  for (int j = 0; j < n; j++) {
    A->start[j] = e;
    for (int i = 0; i < n; i++) {
      if (perm[i] != j && draw() > 2 * share - 1) continue;
      A->row[e] = i;
      A->re[e] = draw() + (perm[i] == j ? 3 : 0);
      A->im[e++] = draw();
    }
  }
  A->start[n] = e;
}

// max |A x - b|
static double miss(const matrix *A, int complex, const double *xr, const double *xi, const double *br,
                   const double *bi) {
  double re[N], im[N], worst = 0;
  for (int i = 0; i < A->n; i++) { re[i] = -br[i]; im[i] = complex ? -bi[i] : 0; }
  for (int j = 0; j < A->n; j++)
    for (int e = A->start[j]; e < A->start[j + 1]; e++) {
      double a = A->re[e], b = complex ? A->im[e] : 0, c = xr[j], d = complex ? xi[j] : 0;
      re[A->row[e]] += a * c - b * d;
      im[A->row[e]] += a * d + b * c;
    }
  for (int i = 0; i < A->n; i++) worst = fmax(worst, fmax(fabs(re[i]), fabs(im[i])));
  return worst;
}

// Twelve right sides at once, the third of them b: its solution is x.
static void by_lanes(const nsm_lu *f, int n, const double *b, const double *x) {
  enum { LANES = 12, OF = 2 };
  double many[N][LANES] = { { 0 } }, size = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < LANES; j++) many[i][j] = j == OF ? b[i] : j == 11 ? 0 : draw();
  nsm_lu_solve_lanes(f, many[0], LANES);
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  for (int k = 0; k < n; k++) {
    assert_true(fabs(many[f->row[k]][OF] - x[f->order[k]]) < 1e-12 * size);
    assert_true(many[f->row[k]][11] == 0);
  }
}

// Rows of the inverse, of every third place: each times b is its unknown.
static void by_rows(const nsm_lu *f, int n, const double *b, const double *x) {
  int place[N], many = 0, lanes;
  for (int k = 1; k < n; k += 3) place[many++] = k;
  lanes = (many + 15) / 16 * 16;
  double row[N * N], size = 0;
  nsm_lu_inverse(f, place, many, row, lanes);
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  for (int j = 0; j < many; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += row[i * lanes + j] * b[i];
    assert_true(fabs(sum - x[f->order[place[j]]]) < 1e-11 * size);
  }
}

// The same pivots serve other values, an entry that becomes 0, and none that comes, nor one that makes a pivot small.
static void again(nsm_lu *f, matrix *A, nsm_lu_work *w) {
  double re[sizeof A->re / sizeof *A->re], b[N] = { 0 }, x[N];
  const nsm_columns K = { A->n, A->start, A->row, re, NULL, NULL };
  const int entries = A->start[A->n];
  for (int e = 0; e < entries; e++) re[e] = A->re[e] *= 1 + 1e-3 * draw();
  assert_true(nsm_lu_again(f, &K, 0, w));
  for (int i = 0; i < A->n; i++) x[i] = b[i] = draw();
  nsm_lu_solve(f, x, NULL, w);
  assert_true(miss(A, 0, x, NULL, b, NULL) < 1e-11);
  for (int e = 0; e < entries; e++) re[e] = A->row[e] == f->row[A->n - 1] ? 1e-6 * A->re[e] : A->re[e];
  assert_true(nsm_lu_again(f, &K, 0, w));                        // rows may be of any size behind all others
  for (int e = 0; e < entries; e++) re[e] = A->row[e] == f->row[0] ? 1e-6 * A->re[e] : A->re[e];
  assert_int_equal(nsm_lu_again(f, &K, 0, w), f->l_start[1] == 0);
  assert_false(nsm_lu_again(f, &K, 1e3, w));
}

// An entry that has always been 0 is not in the pattern; one that was another number once is.
static void comes(void **state) {
  (void)state;
  const int start[] = { 0, 2, 4, 6 }, row[] = { 0, 2, 0, 1, 0, 2 }, order[] = { 0, 1, 2 };
  unsigned char seen[6] = { 0 };
  double re[] = { 2, 0, 1, 2, 1, 2 }, x[] = { 5, 2, 7 };
  const nsm_columns K = { 3, start, row, re, NULL, seen };
  nsm_lu f;
  nsm_lu_work w;
  assert_true(nsm_lu_work_open(&w, N, &memory) && nsm_lu_open(&f, N, 0, 200, &memory));
  assert_false(nsm_lu_again(&f, &K, 0, &w));
  assert_int_equal(nsm_lu_factor(&f, &K, order, 0, &w, &memory), 0);
  assert_true(nsm_lu_again(&f, &K, 0, &w));
  re[1] = 1;
  assert_false(nsm_lu_again(&f, &K, 0, &w));
  assert_int_equal(nsm_lu_factor(&f, &K, order, 0, &w, &memory), 0);
  re[1] = 0;
  assert_int_equal(nsm_lu_factor(&f, &K, order, 0, &w, &memory), 0);
  re[1] = 1;                                                     // it was seen, and the place of its fill as well
  assert_true(nsm_lu_again(&f, &K, 0, &w));
  nsm_lu_solve(&f, x, NULL, &w);                                 // 2 x + y + z = 5, 2 y = 2, x + 2 z = 7
  assert_true(fabs(x[1] - 1) < 1e-14 && fabs(2*x[0] + x[2] - 4) < 1e-14 && fabs(x[0] + 2*x[2] - 7) < 1e-14);
}

static void solves(void **state) {
  (void)state;
  static matrix A;
  nsm_lu_work w;
  assert_true(nsm_lu_work_open(&w, N, &memory));
  for (int turn = 0; turn < 60; turn++) {
    int n = 7 * (1 + turn % 8) + 1, complex = turn % 2, order[N];
    nsm_lu f;
    random_matrix(&A, n, turn % 3 ? 0.1 : 0.6);
    assert_true(nsm_lu_open(&f, n, complex, 4, &memory));        // too little room: it grows
    for (int i = 0; i < n; i++) order[i] = (i * 11 + turn) % n;
    if (n % 11 == 0) for (int i = 0; i < n; i++) order[i] = i;
    nsm_columns K = { n, A.start, A.row, A.re, complex ? A.im : NULL, NULL };
    assert_int_equal(nsm_lu_factor(&f, &K, order, 0, &w, &memory), 0);
    double br[N], bi[N], xr[N], xi[N];
    for (int i = 0; i < n; i++) { xr[i] = br[i] = draw(); xi[i] = bi[i] = draw(); }
    nsm_lu_solve(&f, xr, xi, &w);
    assert_true(miss(&A, complex, xr, xi, br, bi) < 1e-11);
    if (!complex) by_lanes(&f, n, br, xr);
    if (!complex) by_rows(&f, n, br, xr);
    if (!complex) again(&f, &A, &w);
  }
}

// Parts that float: Laplacians of two rings, of which each has the constants as null vectors of both sides.
static void null_vectors(void **state) {
  (void)state;
  static matrix A;
  int n = 20, e = 0, order[N];
  A.n = n;
  for (int j = 0; j < n; j++) {
    int ring = j / 10 * 10, next = ring + (j + 1) % 10, last = ring + (j + 9) % 10;
    A.start[j] = e;
    A.row[e] = j; A.re[e++] = 2;
    A.row[e] = next; A.re[e++] = -1;
    A.row[e] = last; A.re[e++] = -1;
    order[j] = (j * 3 + 1) % n;
  }
  A.start[n] = e;
  nsm_lu f;
  nsm_lu_work w;
  assert_true(nsm_lu_work_open(&w, N, &memory) && nsm_lu_open(&f, N, 0, 200, &memory));
  nsm_columns K = { n, A.start, A.row, A.re, NULL, NULL };
  assert_int_equal(nsm_lu_factor(&f, &K, order, 1e-12, &w, &memory), 2);
  for (int k = 0; k < 2; k++) {
    double x[N], y[N], zero[N] = { 0 };
    nsm_lu_null_right(&f, k, x, &w);
    assert_true(miss(&A, 0, x, NULL, zero, NULL) < 1e-14);
    nsm_lu_null_left(&f, k, y, &w);                              // the matrix is symmetric
    assert_true(miss(&A, 0, y, NULL, zero, NULL) < 1e-14);
    double size = 0;
    for (int i = 0; i < n; i++) size += fabs(x[i]) * fabs(y[i]);
    assert_true(size > 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(solves, give_all),
                                      cmocka_unit_test_teardown(comes, give_all),
                                      cmocka_unit_test_teardown(null_vectors, give_all) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
