// A motion in MuJoCo without contacts, from the first keyframe, for docs/gallery/work: processor time in seconds of its
// steps, and the coordinates at the end.  motion FILE STEPS (FILE: the scene)
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
  mj_resetDataKeyframe(m, d, 0);
  long steps = atol(argv[2]);
  double began = now();
  for (long i = 0; i < steps; i++) mj_step(m, d);
  printf("%.9g", now() - began);
  for (int i = 0; i < m->nq; i++) printf(" %.17g", d->qpos[i]);
  putchar('\n');
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
