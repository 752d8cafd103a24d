// A motion in MuJoCo without contacts, from the first keyframe, for docs/gallery/work: processor time in seconds of its
// steps, and the coordinates at the end.  motion FILE STEPS (FILE: the scene)
#include "scene.h"

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  mjModel *m = scene(argv[1]);
  if (!m) return 1;
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
