// Measurements of contacts of shapes: time a step of bodies with shapes, by `moreau`, and what holds meanwhile.
//   scenes box | stack | spheres N | pile N | flight N   [steps [wide]]     wide: spheres side by side
// cc -O2 -I. -Iruntime tests/bench/touching/scenes.c -Lbuild/release/lib -lnsm_runtime -lnsm_problems -lnsm_cone
//    -lnsm_la -lnsm_shapes -lnsm_shared -lm
#include <stdio.h>
#include <sys/resource.h>
#include "tests/unit/touching/scene.h"

static double now(void) {              // processor time
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return (double)r.ru_utime.tv_sec + 1e-6 * (double)r.ru_utime.tv_usec;
}

static double chance(void) {
  static unsigned long x = 88172645463325252u;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return (double)(x >> 11) * 0x1p-53;
}

// Spheres of 5 cm in a box of five planes, `wide` of them side by side.
static int spheres(scene_body *b, int n, int wide) {
  double R = 0.05, a = 1.02 * R * wide, m = 1000 * 4. / 3 * 3.14159265358979 * R * R * R;
  for (int i = 0; i < n; i++) {
    int x = i % wide, y = i / wide % wide, z = i / wide / wide;
    b[i] = scene_sphere(R, m, -a + (2 * x + 1) * 1.02 * R + 1e-3 * (chance() - 0.5),
                        -a + (2 * y + 1) * 1.02 * R + 1e-3 * (chance() - 0.5), R + 2.05 * R * z);
  }
  b[n] = scene_plane(2, 1, 0);
  b[n + 1] = scene_plane(0, 1, -a - R);
  b[n + 2] = scene_plane(0, -1, a + R);
  b[n + 3] = scene_plane(1, 1, -a - R);
  b[n + 4] = scene_plane(1, -1, a + R);
  return 5;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "box";
  int n = argc > 2 ? atoi(argv[2]) : 1, count = argc > 3 ? atoi(argv[3]) : 1000, box = !strcmp(what, "box");
  if (box) n = 1;
  if (!strcmp(what, "stack") && argc < 3) n = 10;
  scene_body *b = calloc((size_t)n + 8, sizeof *b);
  at_hand = (scene){ .n = n, .body = b, .gravity = 9.81, .mu = 0.5, .e = 0, .step = 2e-3, .until = 1e9 };
  if (box || !strcmp(what, "stack")) {
    for (int i = 0; i < n; i++) b[i] = scene_box(0.2, 0.2, 0.2, 8, 0, 0, 0.1 + 0.2 * i);
    b[n] = scene_plane(2, 1, 0);
    at_hand.fixed = 1;
  } else if (!strcmp(what, "flight")) {
    int wide = (int)ceil(cbrt(n));                         // one in each cell of 30 cm
    for (int i = 0; i < n; i++) {
      b[i] = scene_sphere(0.05, 0.5, 0.3 * (i % wide) + 0.2 * chance(), 0.3 * (i / wide % wide) + 0.2 * chance(),
                          0.3 * (i / wide / wide) + 0.2 * chance());
      for (int j = 0; j < 3; j++) b[i].v[j] = chance() - 0.5;
    }
    at_hand.gravity = 0;
  } else at_hand.fixed = spheres(b, n, argc > 4 ? atoi(argv[4]) : n < 30 ? 3 : n < 200 ? 5 : (int)ceil(cbrt(n)));
  nsm_error e;
  double t0 = now();
  nsm_settings set = nsm_default_settings();
  set.solver = getenv("SOLVER");
  set.team = nsm_team_open(getenv("THREADS") ? atoi(getenv("THREADS")) : 1);
  nsm_sim *s = scene_open(&set, &e);
  if (!s) { puts(e.text); return 1; }
  printf("%s %d: open %.3g s, %s\n", what, n, now() - t0, s->a->linear ? "linear" : "newton");
  int parts = 10;
  for (int p = 0; p < parts; p++) {
    double start = now();
    long it = s->now.count.newton_iterations, sit = s->now.count.solver_iterations, ch = s->touching->changes;
    for (int i = 0; i < count / parts; i++)
      if (nsm_step(s, &e) != NSM_OK) { printf("step %ld: %s\n", s->now.k + 1, e.text); return 1; }
    double v = 0;
    for (int i = 0; i < s->a->nv; i++) v = fmax(v, fabs(s->now.z[i]));
    int steps = count / parts;
    printf("t %.4g: %.4g us a step, newton %.3g, solver %.4g, changes %.3g, contacts %ld, active %d, deepest %.3g m, "
           "fastest %.3g, accepted %ld, residual %.2g\n",
           s->now.t, 1e6 * (now() - start) / steps, (double)(s->now.count.newton_iterations - it) / steps,
           (double)(s->now.count.solver_iterations - sit) / steps, (double)(s->touching->changes - ch) / steps,
           s->now.count.contacts, s->n.isl.nactive, s->now.count.deepest, v, s->now.count.accepted,
           s->now.count.max_residual);
    fflush(stdout);
  }
  nsm_close(s);
  return 0;
}
