// The generated set with friction: hyperstatic stacks, heaps, and blocks of every type on random matrices of any rank, with an answer made
// first; mu from 0 to 10, 1 to 500 contacts, forces and velocities in units from 1e-6 to 1e6. All are solved to 1e-10 by default options, and
// the laws of each block are checked in words (contacts.h), not by a natural map. NSM_SHOW=1 prints a table.
#include "friction.h"
#include <time.h>

static const double units[] = { 1, 1e-6, 1e6 };
static const double mu_low[] = { 0, 0.2, 0.7, 0, 0, 1 }, mu_high[] = { 1, 0.8, 0.7, 0.05, 0, 10 };

typedef struct kind { const char *name; int problems; friction (*make)(int k, double low, double high, double force, double speed); int mus; } kind;

static friction stacks(int k, double low, double high, double force, double speed) {
  return k % 2 ? box_stack(1 + k % 12, 4, 0.3, 1 + k % 4, low, high, force, speed) : box_stack(1 + k % 5, 3 + k % 6, 1.0, 10, low, high, force, speed);
}
static friction heaps(int k, double low, double high, double force, double speed) {
  return k % 2 ? random_heap(1 + k % 20, 1 + k % 3, 1, 2, low, high, force, speed) : random_heap(1 + k % 7, 2, 3, 5, low, high, force, speed);
}
static friction contacts(int k, double low, double high, double force, double speed) {
  return random_blocks(1 + k % 17, 1, 0.4 + 0.2 * (k % 4), 0, low, high, force, speed);
}
static friction all_types(int k, double low, double high, double force, double speed) {
  return random_blocks(1 + k % 25, 31, 0.5 + 0.25 * (k % 3), 0, low, high, force, speed);
}
static friction one_type(int k, double low, double high, double force, double speed) {
  return random_blocks(1 + k % 11, 1u << k % 5, 0.6 + 0.4 * (k % 2), 0, low, high, force, speed);
}
static friction with_skew(int k, double low, double high, double force, double speed) {
  return random_blocks(1 + k % 13, 31, 1, 0.3, low, high, force, speed);
}
static friction large(int k, double low, double high, double force, double speed) {
  static const int bodies[] = { 40, 80, 150, 250 };
  return random_heap(bodies[k % 4], 2, 1, 2, low, high, force, speed);
}

static const kind set[] = {
  { "stacks", 60, stacks, 5 },       { "heaps", 60, heaps, 5 },         { "contacts", 60, contacts, 6 }, { "all types", 60, all_types, 6 },
  { "one type", 60, one_type, 6 },   { "with skew", 40, with_skew, 6 }, { "to 500", 4, large, 2 },
};
enum { KINDS = sizeof set / sizeof *set };

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }

static void solve_kind(void **state) {
  const kind *s = *state;
  double worst = 0, seconds = 0, slowest = 0, laws = 0;
  for (int k = 0; k < s->problems; k++) {
    int mu = k % s->mus;
    friction f = s->make(k, mu_low[mu], mu_high[mu], units[k % 3], units[k / 3 % 3]);
    double start = now();
    bench_solve(&f.b, NULL, 0);
    double time = now() - start, r = nsm_cone_residual(&f.b.p, f.b.lambda, NULL, NULL), violation = laws_violation(&f.b);
    if (getenv("NSM_SHOW") && time > 0.3) printf("  %s %d: %d rows, %.0f ms by %s\n", s->name, k, f.b.p.m, 1e3 * time, f.b.r.solver ? f.b.r.solver : "-");
    if (f.b.r.status != NSM_CONE_SOLVED)
      fail_msg("%s %d (%d contacts, mu %g to %g): status %d, residual %g", s->name, k, f.b.p.cones, mu_low[mu], mu_high[mu], f.b.r.status, r);
    if (!(r <= 1e-10)) fail_msg("%s %d: residual %g by %s", s->name, k, r, f.b.r.solver);
    if (!(violation <= 1e-9)) fail_msg("%s %d: the laws are violated by %g, by %s", s->name, k, violation, f.b.r.solver);
    seconds += time;
    slowest = fmax(slowest, time);
    worst = fmax(worst, r);
    laws = fmax(laws, violation);
    friction_close(&f);
  }
  if (getenv("NSM_SHOW"))
    printf("%-10s %3d problems, residual %8.1e, laws %8.1e, %8.1f ms, slowest %8.1f ms\n", s->name, s->problems, worst, laws, 1e3 * seconds, 1e3 * slowest);
}

int main(void) {
  nsm_la_init();
  struct CMUnitTest tests[KINDS];
  memset(tests, 0, sizeof tests);
  for (int k = 0; k < KINDS; k++) tests[k] = (struct CMUnitTest){ set[k].name, solve_kind, NULL, NULL, (void *)(uintptr_t)&set[k] };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
