// A scene of MuJoCo, and the time of the processor.
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

// NULL: said why not.
static mjModel *scene(const char *path) {
  char why[500];
  mjModel *m = mj_loadXML(path, NULL, why, sizeof why);
  if (!m) fprintf(stderr, "%s\n", why);
  return m;
}
