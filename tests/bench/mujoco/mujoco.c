// Contact scenes in MuJoCo, as tests/bench/mujoco/run has them: Euler, 2 ms, elliptic cones, friction 0.5. Prints the
// processor time of a step in microseconds and how deep bodies overlap.  mujoco FILE STEPS (FILE: the scene)
#include "scene.h"

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  mjModel *m = scene(argv[1]);
  if (!m) return 1;
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
