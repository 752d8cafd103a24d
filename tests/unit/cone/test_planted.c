// Random friction problems with an answer that was chosen first (planted.h): how many are solved, whether what is
// called solved is a solution, and how long it takes. A short run of small ones that repeats; the long one is
//
//   NSM_PLANTED=10000 NSM_SHOW=1 build/release/unit/unit-cone-test_planted
//
// with NSM_PLANTED_FROM=n for others (1000000: contacts alone, in general position). NSM_ABLATION=n makes the table of
// cone.md, 3.15: for each solver of the driver how many of the problems that it solves are missed without it.
//
// An answer is checked here in words (contacts.h), with u summed in extended precision, beside the terms that it makes
// itself and beside those of the answer that was chosen first, block by block. It is false where both say so of one
// block: one contact alone that has no force has terms that are nothing but round-off of others; and some problems have
// other answers with larger forces ("odd").
#include "planted.h"
#include "runtime/cone/solver.h"
#include <time.h>

enum { CONTACTS = 100, FEW = 12, SHORT = 400, SOLVERS = 32 };
static const double correct = 1e-9, plausible = 1e-6, grace = 1;     // the last: operations above the budget, in 1e9

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int number_of(const char *name, int usual) {
  const char *text = getenv(name);
  return text ? atoi(text) : usual;
}

// u of lambda and the size of its terms, [m] each.
static void sum_rows(const bench *b, const double *lambda, double *u, double *U) {
  for (int i = 0; i < b->p.m; i++) {
    long double sum = b->q[i], size = fabs(b->q[i]);
    for (int j = 0; j < b->p.m; j++) {
      long double t = (long double)b->M[i + j * b->p.m] * lambda[j];
      sum += t;
      size += fabsl(t);
    }
    u[i] = (double)sum;
    U[i] = (double)size;
  }
}

// How far lambda may go without a change of any u_i by more than its terms.
static void lengths(const bench *b, const double *lambda, const double *U, double *L) {
  for (int j = 0; j < b->p.m; j++) {
    L[j] = HUGE_VAL;
    for (int i = 0; i < b->p.m; i++) {
      double a = fabs(b->M[i + j * b->p.m]);
      if (a > 0) L[j] = fmin(L[j], U[i] / a);
    }
    L[j] = L[j] < HUGE_VAL ? fmax(L[j], fabs(lambda[j])) : fabs(lambda[j]);
  }
}

static double row_violation(double lambda, double u, double lo, double hi, double L, double U) {
  double out = fmax(0, fmax(lo - lambda, lambda - hi)), room = u > 0 ? lambda - lo : hi - lambda;
  if (!(U > 0)) return 0;
  return fmax(out / (L > 0 ? L : 1), fmin(fabs(u) / U, L > 0 ? room / L : room > 0));
}

// The violation of the laws by lambda of each row that is none of a block and of each block, at its first row: measured
// by U and L of `sizes`, or what stands there already if that is smaller. The largest is returned.
static double violation(const bench *b, const double *lambda, const double *sizes, double *least) {
  int m = b->p.m;
  double *u = zeros(4 * (size_t)m, sizeof *u), *U = u + m, *L = u + 2 * m, *unused = u + 3 * m, worst = 0;
  sum_rows(b, sizes, unused, U);
  lengths(b, sizes, U, L);
  sum_rows(b, lambda, u, unused);
  for (int i = 0, c = 0; i < m;) {
    if (c == b->p.cones || i < b->p.cone[c].first) {
      double off = row_violation(lambda[i], u[i], b->lo[i], b->hi[i], L[i], U[i]);
      least[i] = fmin(least[i], off);
      worst = fmax(worst, off);
      i++;
      continue;
    }
    const nsm_cone_block *k = &b->p.cone[c++];
    double d[4], y = 0, v = 0;
    block_frame(k, d);
    for (int r = 0; r < k->size; r++) {
      if (d[r] > 0) y = fmax(y, L[i + r] / d[r]);
      v = fmax(v, d[r] * U[i + r]);
    }
    double off = v > 0 ? block_violation(k, lambda + i, u + i, y > 0 ? y : 1, v) : 0;
    least[i] = fmin(least[i], off);
    worst = fmax(worst, off);
    i += k->size;
  }
  free(u);
  return worst;
}

typedef struct tally {
  int    count, missed, denied, wrong, odd, late;
  double slowest, seconds, worst, oddest;
  int    won[SOLVERS];
} tally;

// The entry of the table that goes by this name, or -1.
static int entry_of(const char *name) {
  for (int i = 0; name && nsm_cone_solvers[i].name; i++)
    if (strcmp(nsm_cone_solvers[i].name, name) == 0) return i;
  return -1;
}

// Problem `number` by default options but for the solvers left out and the budget; its status.
static nsm_cone_status solve(uint64_t number, int most, unsigned left_out, double budget, tally *t) {
  planted p = planted_make(number, most);
  bench *b = &p.f.b;
  nsm_cone_options o = { .budget = budget };
  ((nsm_cone_work *)b->work)->left_out = left_out;
  double start = now();
  nsm_cone_status s = nsm_cone_solve(&b->p, &o, b->work, b->lambda, b->u, &b->r);
  double time = now() - start, off = 0, far = 0, both = 0;
  int said = getenv("NSM_SHOW") != NULL && !left_out;
  t->count++;
  t->seconds += time;
  t->slowest = fmax(t->slowest, time);
  t->late += b->r.work > 1e9 * (budget + grace);
  if (s == NSM_CONE_SOLVED) {
    double *least = zeros((size_t)b->p.m, sizeof *least);
    for (int i = 0; i < b->p.m; i++) least[i] = HUGE_VAL;
    off = violation(b, b->lambda, b->lambda, least);
    far = violation(b, b->lambda, p.lambda, least);
    for (int i = 0; i < b->p.m; i++) if (least[i] < HUGE_VAL) both = fmax(both, least[i]);
    free(least);
    t->worst = fmax(t->worst, off);
    t->oddest = fmax(t->oddest, far);
    t->wrong += !(both <= correct);
    t->odd += !(far <= plausible);
    int won = entry_of(b->r.solver);
    if (won >= 0) t->won[won]++;
  } else t->missed++;
  t->denied += s == NSM_CONE_NO_SOLUTION;
  if (said && (s != NSM_CONE_SOLVED || !(both <= correct) || !(far <= plausible) || time > 1))
    printf("%llu: %s, status %d by %s, %d rows, %d blocks, rank %d, weights %g, residual %.1e, off by %.1e and %.1e, "
           "%.2f s\n",
           (unsigned long long)number, p.family, s, b->r.solver ? b->r.solver : "-", b->p.m, b->p.cones, p.rank,
               p.ratio,
           b->r.residual, off, far, time);
  if (said) fflush(stdout);
  planted_close(&p);
  return s;
}

static void many(void **state) {
  (void)state;
  int all = getenv("NSM_PLANTED") != NULL, count = number_of("NSM_PLANTED", SHORT);
  int from = number_of("NSM_PLANTED_FROM", 0);
  tally t = { 0 };
  for (int k = 0; k < count; k += all ? 1 : THIN)
    solve((uint64_t)(all ? from + k : k % 2 ? PLANTED_PLAIN + k : k), all ? CONTACTS : FEW, 0, all ? NSM_CONE_BUDGET :
        1, &t);
  if (getenv("NSM_SHOW")) {
    printf(
        "%d problems: %d missed (%d of them called unsolvable), %d false, %d odd (the laws are off by up to %.1e, "
        "beside "
        "the first answer by %.1e); slowest %.2f s, %d late, all %.1f s\n",
        t.count, t.missed, t.denied, t.wrong, t.odd, t.worst, t.oddest, t.slowest, t.late, t.seconds);
    for (int i = 0; nsm_cone_solvers[i].name; i++)
      if (t.won[i]) printf("  %-20s %6d\n", nsm_cone_solvers[i].name, t.won[i]);
  }
  assert_int_equal(t.wrong, 0);
  assert_int_equal(t.denied, 0);
  assert_int_equal(t.late, 0);
  assert_true((all ? 5000 : 100) * t.missed <= t.count);
}

// For each solver of the table: of the problems that it solves, at most SAMPLE, how many are missed without it within
// two seconds, and what they take with and without it.
static void ablation(void **state) {
  (void)state;
  enum { SAMPLE = 60 };
  int count = number_of("NSM_ABLATION", 0), from = number_of("NSM_PLANTED_FROM", 0);
  int *winner = zeros((size_t)count + 1, sizeof *winner);
  double *seconds = zeros((size_t)count + 1, sizeof *seconds);
  for (int k = 0; k < count; k++) {
    tally t = { 0 };
    winner[k] = -1;
    if (solve((uint64_t)(from + k), CONTACTS, 0, 2, &t) != NSM_CONE_SOLVED) continue;
    for (int i = 0; nsm_cone_solvers[i].name; i++) if (t.won[i]) winner[k] = i;
    seconds[k] = t.seconds;
  }
  for (int i = 0; count > 0 && nsm_cone_solvers[i].name; i++) {
    unsigned out = 0;
    for (int j = 0; nsm_cone_solvers[j].name; j++)
      if (strcmp(nsm_cone_solvers[j].name, nsm_cone_solvers[i].name) == 0) out |= 1u << j;
    tally t = { 0 };
    int won = 0;
    double with = 0;
    for (int k = 0; k < count; k++) {
      if (winner[k] != i) continue;
      won++;
      if (t.count >= SAMPLE) continue;
      with += seconds[k];
      solve((uint64_t)(from + k), CONTACTS, out, 2, &t);
    }
    if (won > 0)
      printf("  %-20s solved %5d; without it %2d of %2d are missed, %8.3f s for %8.3f s\n", nsm_cone_solvers[i].name,
          won,
             t.missed, t.count, t.seconds, with);
    fflush(stdout);
  }
  free(winner);
  free(seconds);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(many), cmocka_unit_test(ablation) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
