// The generated set (generator.h): all that have a solution are solved to 1e-12, also where rows have units of their
// own (factors of 1e6 between them); those without one are reported as such or left unsolved. NSM_SHOW=1 prints a
// table.
#include "generator.h"
#include <stdio.h>
#include <time.h>

enum { SOLVERS = 32 };
typedef struct tally { int count, solved, none, failed, by[SOLVERS]; double worst, seconds; } tally;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Is there a solution? Every choice of basic, low and high, for problems whose bases are regular: the sign of all 3^m
// candidates. m <= 7.
static int exhaustive(const bench *b) {
  int m = b->p.m, ways[7], found = 0, regular = 1;
  memset(ways, 0, sizeof ways);
  for (;;) {
    double A[7][8], x[7];
    int rows[7], n = 0, ok = 1;
    for (int i = 0; i < m; i++) {
      if (ways[i] == 0) rows[n++] = i;
      x[i] = ways[i] == 1 ? b->lo[i] : ways[i] == 2 ? b->hi[i] : 0;
      ok &= fabs(x[i]) < HUGE_VAL;
    }
    if (ok) {
      for (int r = 0; r < n; r++) {
        A[r][n] = -b->q[rows[r]];
        for (int j = 0; j < m; j++) A[r][n] -= b->M[rows[r] + j * m] * x[j];
        for (int c = 0; c < n; c++) A[r][c] = b->M[rows[r] + rows[c] * m];
      }
      for (int k = 0; k < n; k++) {
        int p = k;
        for (int r = k; r < n; r++) if (fabs(A[r][k]) > fabs(A[p][k])) p = r;
        if (fabs(A[p][k]) < 1e-9) { regular = 0; ok = 0; break; }
        for (int c = 0; c <= n; c++) { double t = A[p][c]; A[p][c] = A[k][c]; A[k][c] = t; }
        for (int r = 0; r < n; r++) {
          double f = r == k ? 0 : A[r][k] / A[k][k];
          for (int c = k; f != 0 && c <= n; c++) A[r][c] -= f * A[k][c];
        }
      }
      for (int k = 0; k < n && ok; k++) x[rows[k]] = A[k][n] / A[k][k];
      for (int i = 0; i < m && ok; i++) {
        double u = b->q[i];
        for (int j = 0; j < m; j++) u += b->M[i + j * m] * x[j];
        ok = ways[i] == 0   ? x[i] >= b->lo[i] - 1e-11 && x[i] <= b->hi[i] + 1e-11
             : ways[i] == 1 ? u >= -1e-11
                            : u <= 1e-11;
      }
      found |= ok;
    }
    int i = 0;
    while (i < m && ++ways[i] == 3) ways[i++] = 0;
    if (i == m) break;
  }
  return found ? 1 : regular ? 0 : -1;
}

static void solve_one(const family *f, int k, const char *solver, tally *t) {
  bench b;
  known expected = f->make(k, &b);
  if (expected == EITHER) {
    int exists = exhaustive(&b);
    expected = exists < 0 ? EITHER : exists ? SOLVABLE : UNSOLVABLE;
  }
  double start = now();
  nsm_cone_status s = bench_solve(&b, solver, 0);
  t->seconds += now() - start;
  t->count++;
  t->solved += s == NSM_CONE_SOLVED;
  t->none += s == NSM_CONE_NO_SOLUTION;
  t->failed += s == NSM_CONE_FAILED;
  assert_true(s == NSM_CONE_SOLVED || s == NSM_CONE_NO_SOLUTION || s == NSM_CONE_FAILED);
  if (s == NSM_CONE_SOLVED) {
    double r = bench_residual(&b);
    t->worst = fmax(t->worst, r);
    for (int i = 0; i < SOLVERS && nsm_cone_solver_names()[i + 1]; i++)
      t->by[i] += strcmp(b.r.solver, nsm_cone_solver_names()[i + 1]) == 0;
    if (!(r <= 1e-12))
      fail_msg("%s %d (m %d): residual %g called solved, by %s", f->name, k, b.p.m, r, b.r.solver);
    if (expected == UNSOLVABLE)
      fail_msg("%s %d (m %d): has no solution, called solved by %s", f->name, k, b.p.m, b.r.solver);
  }
  if (s == NSM_CONE_NO_SOLUTION && expected == SOLVABLE)
    fail_msg("%s %d (m %d): has a solution, denied by %s", f->name, k, b.p.m, b.r.solver);
  if (!solver && s != NSM_CONE_SOLVED && expected == SOLVABLE)
    fail_msg("%s %d (m %d): not solved, residual %g by %s", f->name, k, b.p.m, b.r.residual, b.r.solver);
  bench_close(&b);
}

// Every solver alone sees a part of the set: what it calls solved is, what it denies has none.
static void each_alone(void **state) {
  (void)state;
  for (const char *const *s = nsm_cone_solver_names() + 1; *s; s++) {
    tally all = { 0 };
    for (int f = 0; f < FAMILIES; f++) {
      tally t = { 0 };
      for (int k = 0; k < generated[f].problems; k += 7 * THIN)
        if (k % 19 < 14) solve_one(&generated[f], k, *s, &t);
      all.count += t.count; all.solved += t.solved; all.none += t.none; all.seconds += t.seconds;
    }
    if (getenv("NSM_SHOW"))
      printf("%-14s %4d problems, solved %4d, denied %4d, %8.1f ms\n", *s, all.count, all.solved, all.none,
             1e3 * all.seconds);
  }
}

static void all_problems(void **state) {
  const family *f = *state;
  tally t = { 0 };
  for (int k = 0; k < f->problems; k++) solve_one(f, k, NULL, &t);
  if (!getenv("NSM_SHOW")) return;
  printf("%-18s %4d problems, solved %4d, denied %4d, open %3d, residual %8.1e, %8.1f ms  ", f->name, t.count, t.solved,
         t.none, t.failed, t.worst, 1e3 * t.seconds);
  for (int i = 0; i < SOLVERS && nsm_cone_solver_names()[i + 1]; i++)
    if (t.by[i]) printf(" %s %d", nsm_cone_solver_names()[i + 1], t.by[i]);
  printf("\n");
}

int main(void) {
  struct CMUnitTest tests[FAMILIES + 1] = { { 0 } };
  int problems = 0;
  for (int f = 0; f < FAMILIES; f++) {
    tests[f] = (struct CMUnitTest){ generated[f].name, all_problems, NULL, NULL, (void *)(uintptr_t)&generated[f] };
    problems += generated[f].problems;
  }
  tests[FAMILIES] = (struct CMUnitTest)cmocka_unit_test(each_alone);
  if (problems < 500) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
