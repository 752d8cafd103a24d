// Contact scenes in MuJoCo, as tests/bench/mujoco/run has them: Euler, 2 ms, elliptic cones, friction 0.5. Prints the
// processor time of a step in microseconds and how deep bodies overlap.  mujoco FILE STEPS (FILE: the scene)
#define _POSIX_C_SOURCE 199309L
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  char why[500];
  if (argc != 3) return 2;
  mjModel *m = mj_loadXML(argv[1], NULL, why, sizeof why);
  if (!m) { fprintf(stderr, "%s\n", why); return 1; }
  mjData *d = mj_makeData(m);
  int steps = atoi(argv[2]);
  double began = now(), deepest = 0;
  for (int i = 0; i < steps; i++) {
    mj_step(m, d);
    for (int c = 0; c < d->ncon; c++) deepest = d->contact[c].dist < deepest ? d->contact[c].dist : deepest;
  }
  printf("%.3f %.3g\n", (now() - began) / steps * 1e6, -deepest);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
