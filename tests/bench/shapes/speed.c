// Time of nsm_touches for each combination of shapes (random pairs with gaps from -1e-2 to 1e-2, margin 0.01), and of
// boxes that rest on each other. Processor time, the least of some repetitions.
#include "tests/unit/shapes/pairs.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PAIRS = 500, ROUNDS = 7 };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct { nsm_shape A, B; nsm_pose a, b; } placed;

static placed some[PAIRS];

static void measure(const char *name, int count, double margin, double bar) {
  nsm_touch t[64];
  double best = 1e9;
  long touches = 0, rounds = 1 + 4000 / count;
  for (int round = 0; round < ROUNDS; round++) {
    double from = seconds();
    touches = 0;
    for (long again = 0; again < rounds; again++)
      for (int i = 0; i < count; i++)
        touches += nsm_touches(&some[i].A, &some[i].a, &some[i].B, &some[i].b, margin, t, 64);
    best = fmin(best, (seconds() - from) / (double)(count * rounds));
  }
  printf("%-28s %8.3f us a pair %10.0f pairs a second %5.2f touches", name, 1e6 * best, 1 / best,
         (double)touches / (double)(count * rounds));
  if (bar > 0) printf("   bar %.1f us", bar);
  printf("\n");
}

static nsm_shape box(double a, double b, double c) {
  return (nsm_shape){ .kind = NSM_BOX, .size = { a, b, c }, .turn = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
}

static void stack(const char *name, nsm_shape A, nsm_shape B, double x, double turn, double bar) {
  some[0] = (placed){ A, B, { { 0, 0, 0 }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 } }, { { 0 }, { 0 } } };
  double w[3] = { 1e-8, 2e-8, turn };
  turn_cayley(some[0].a.R, w, some[0].b.R);
  some[0].b.r[0] = x;
  some[0].b.r[2] = A.size[2] + B.size[2];
  measure(name, 1, 0.01, bar);
}

int main(void) {
  chance c = { 11 };
  static const double gaps[] = { 0, 1e-9, -1e-9, 1e-6, -1e-6, 1e-4, -1e-4, 5e-3, -1e-2 };
  for (int k = 0; k < PAIR_KINDS; k++) {
    for (int i = 0; i < PAIRS; i++) {
      placed *p = some + i;
      p->A = random_shape(&c, pair_kinds[k][0], 1);
      p->B = random_shape(&c, pair_kinds[k][1], 0.7);
      random_pair(&c, &p->A, &p->B, gaps[i % 9], &p->a, &p->b);
    }
    char name[64];
    snprintf(name, sizeof name, "%s, %s", kind_name(pair_kinds[k][0]), kind_name(pair_kinds[k][1]));
    measure(name, PAIRS, 0.01, 0);
    forget_hulls();
  }
  stack("box on box, 8 points", box(0.5, 0.5, 0.5), box(0.5, 0.5, 0.5), 0, 0.8, 2);
  stack("box on box, aligned", box(0.5, 0.5, 0.5), box(0.5, 0.5, 0.5), 0, 0, 2);
  stack("box on box, small on large", box(1, 1, 0.5), box(0.3, 0.3, 0.3), 0.1, 0.2, 2);
  return 0;
}
