// One-step problems with friction through nsm_cone_solve, for tests/bench/run: one line `name nanoseconds` each, the
// median over problems.
//   single contacts of every type, cold;  six rows of three planar contacts with a constant matrix, warm
#include "runtime/cone/problem.h"
#include "runtime/la/la.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PROBLEMS = 2000, LOOPS = 20, ROWS = 6 };

static uint64_t seed = 88172645463325252u;
static double draw(void) {
  seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
  return (double)(seed >> 11) * 0x1p-52 - 1.0;
}
static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// `wander` 0: q anew for each problem; else q stays near one point and the solves are warm.
static void measure(const char *name, int m, int blocks, const nsm_cone_block *block, double wander) {
  static double ns[PROBLEMS];
  double M[ROWS * ROWS], R[ROWS * ROWS], q[ROWS], q0[ROWS], lambda[ROWS] = { 0 }, u[ROWS];
  nsm_cone_problem p = { .m = m, .M = M, .q = q, .matrix_id = wander > 0, .cones = blocks, .cone = block };
  nsm_cone_options o = { .warm = wander > 0 };
  nsm_cone_result r;
  size_t bytes = nsm_cone_workspace_size_with(m, (size_t)(m * m), m, blocks);
  void *work = malloc(bytes);
  if (!work) exit(1);
  nsm_cone_workspace_init(work, bytes);
  for (int i = 0; i < m * m; i++) R[i] = draw();
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      M[i + j * m] = i == j ? 0.1 : 0;
      for (int k = 0; k < m; k++) M[i + j * m] += R[i + k * m] * R[j + k * m];
    }
  for (int i = 0; i < m; i++) q0[i] = draw() - (i == 0);
  for (int n = 0; n < PROBLEMS; n++) {
    struct timespec a, b;
    for (int i = 0; i < m; i++) q[i] = wander > 0 ? q0[i] * (1 + wander * draw()) : draw() - (i == 0);
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int k = 0; k < LOOPS; k++) nsm_cone_solve(&p, &o, work, lambda, u, &r);
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (r.status != NSM_CONE_SOLVED) { fprintf(stderr, "%s: a problem is not solved\n", name); exit(1); }
    ns[n] = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / LOOPS;
  }
  qsort(ns, PROBLEMS, sizeof *ns, ascending);
  printf("%s %.1f\n", name, ns[PROBLEMS / 2]);
  free(work);
}

int main(void) {
  const nsm_cone_block planar = { NSM_CONE_COULOMB, 0, 2, 0.4, 0, 0 }, spatial = { NSM_CONE_COULOMB, 0, 3, 0.4, 0, 0 },
                       elliptic = { NSM_CONE_ELLIPTIC, 0, 3, 0.4, 0.7, 0 },
                       contensou = { NSM_CONE_CONTENSOU, 0, 4, 0.4, 0, 0.3 }, grip = { NSM_CONE_GRIP, 0, 3, 0.4, 0, 0 },
                       disk = { NSM_CONE_DISK, 0, 2, 0, 0, 0.4 };
  const nsm_cone_block three[] = { { NSM_CONE_COULOMB, 0, 2, 0.4, 0, 0 },
                                   { NSM_CONE_COULOMB, 2, 2, 0.4, 0, 0 },
                                   { NSM_CONE_COULOMB, 4, 2, 0.4, 0, 0 } };
  measure("planar", 2, 1, &planar, 0);
  measure("spatial", 3, 1, &spatial, 0);
  measure("elliptic", 3, 1, &elliptic, 0);
  measure("contensou", 4, 1, &contensou, 0);
  measure("grip", 3, 1, &grip, 0);
  measure("disk", 2, 1, &disk, 0);
  measure("three_planar_warm", 6, 3, three, 1e-3);
  return 0;
}
