// A chain of n hinges in MuJoCo with its RK4: the rods, axes and step of models/chain_of_hinges.nsm. Prints the
// processor time of a step in microseconds, the least of five runs.  mujoco N STEPS FILE (the scene is written there)
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

static int scene(const char *path, int n) {
  FILE *f = fopen(path, "w");
  if (!f) return 0;
  fprintf(f, "<mujoco><option timestep='0.001' integrator='RK4' gravity='0 0 -9.81'/><worldbody>");
  for (int i = 0; i < n; i++)
    fprintf(f, "<body pos='%g 0 0'><joint type='hinge' axis='0 1 %g'/><inertial pos='0.05 0 0' mass='0.1' "
            "diaginertia='1e-5 1e-4 1e-4'/>\n", i ? 0.1 : 0.0, i == 0 ? 0 : i % 2 ? -0.2 : 0.2);
  for (int i = 0; i < n; i++) fprintf(f, "</body>");
  fprintf(f, "</worldbody></mujoco>\n");
  return fclose(f) == 0;
}

int main(int argc, char **argv) {
  char why[500];
  if (argc != 4 || !scene(argv[3], atoi(argv[1]))) return 2;
  mjModel *m = mj_loadXML(argv[3], NULL, why, sizeof why);
  if (!m) { fprintf(stderr, "%s\n", why); return 1; }
  int steps = atoi(argv[2]);
  double least = 1e300;
  for (int run = 0; run < 5; run++) {
    mjData *d = mj_makeData(m);
    double t = now();
    for (int i = 0; i < steps; i++) mj_step(m, d);
    t = (now() - t) / steps;
    least = t < least ? t : least;
    mj_deleteData(d);
  }
  printf("%.3f\n", least * 1e6);
  mj_deleteModel(m);
  return 0;
}
