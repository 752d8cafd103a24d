// The broad phase alone: a touching pile, the same at rest, scattered spheres in free flight, sizes 1 to 1000.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "runtime/shapes/pairs.h"
#include "tests/unit/shapes/chance.h"

static double now(void) {   // of this thread: others use the machine, too
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

typedef struct { int n; nsm_extent *bound; unsigned char *side; nsm_pose *pose; double *reach, (*v)[3]; } scene;

static scene make(int n) {
  scene s = { n, calloc((size_t)n, sizeof(nsm_extent)), malloc((size_t)n), calloc((size_t)n, sizeof(nsm_pose)),
              calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof *s.v) };
  for (int i = 0; i < n; i++) {
    s.side[i] = NSM_SIDE_A | NSM_SIDE_B;
    no_turn(s.pose[i].R);
    for (int k = 0; k < 3; k++) s.v[i][k] = draw();
  }
  return s;
}
static void sphere(scene *s, int i, double r) {
  nsm_shape shape = shape_of(NSM_SPHERE, r, 0, 0);
  nsm_extent_of(&shape, 1, &s->bound[i]);
}
static void drop(scene *s) { free(s->bound); free(s->side); free(s->pose); free(s->reach); free(s->v); }

static void pile(int n, double gap, double jitter, scene *s) {   // hexagonal close packing, radius 1
  *s = make(n);
  int wide = (int)cbrt(n) + 1;
  int *shuffle = malloc((size_t)n * sizeof(int));
  for (int i = 0; i < n; i++) shuffle[i] = i;
  for (int i = n - 1; i > 0; i--) { int j = choose(i + 1), t = shuffle[i]; shuffle[i] = shuffle[j]; shuffle[j] = t; }
  for (int i = 0; i < n; i++) {
    int x = i % wide, y = i / wide % wide, z = i / wide / wide, at = shuffle[i];
    sphere(s, at, 1);
    double *r = s->pose[at].r;
    r[0] = gap * (2 * x + (y + z) % 2) + jitter * draw();
    r[1] = gap * sqrt(3) * (y + (z % 2) / 3.0) + jitter * draw();
    r[2] = gap * 2 * sqrt(6) / 3 * z + jitter * draw();
  }
  free(shuffle);
}

static void rebuild(const char *name, scene *s) {
  double best = 1e9;
  int count = 0;
  for (int k = 0; k < 25; k++) {
    nsm_pairs *p = nsm_pairs_new(s->n, s->bound, s->side);
    nsm_pairs_update(p, s->pose, s->reach);   // its memory
    s->pose[0].r[0] += 0.5;
    double t = now();
    int made = nsm_pairs_update(p, s->pose, s->reach);
    t = now() - t;
    s->pose[0].r[0] -= 0.5;
    if (made == 1 && t < best) best = t;
    nsm_pairs_list(p, &count);
    nsm_pairs_free(p);
  }
  printf("%-44s %9.2f ms   %d pairs\n", name, 1e3 * best, count);
}

// `steps` steps of free flight; the mean time of an update and how many made a new list.
static void flight(const char *name, scene *s, double step, int steps) {
  nsm_pairs *p = nsm_pairs_new(s->n, s->bound, s->side);
  nsm_pairs_update(p, s->pose, s->reach);
  double sum = 0;
  int made = 0, count;
  for (int k = 0; k < steps; k++) {
    for (int i = 0; i < s->n; i++) for (int j = 0; j < 3; j++) s->pose[i].r[j] += step * s->v[i][j];
    double t = now();
    made += nsm_pairs_update(p, s->pose, s->reach) == 1;
    sum += now() - t;
  }
  nsm_pairs_list(p, &count);
  printf("%-44s %9.2f ms   %d pairs, %d lists in %d steps\n", name, 1e3 * sum / steps, count, made, steps);
  nsm_pairs_free(p);
}

int main(void) {
  scene s;
  for (int n = 1000; n <= 100000; n *= 10) {
    char name[80];
    pile(n, 1, 0, &s);
    snprintf(name, sizeof name, "touching pile of %d, new list", n);
    rebuild(name, &s);
    snprintf(name, sizeof name, "touching pile of %d at rest", n);
    flight(name, &s, 0, 20);
    drop(&s);
    pile(n, 3, 1, &s);
    snprintf(name, sizeof name, "%d scattered, new list", n);
    rebuild(name, &s);
    snprintf(name, sizeof name, "%d scattered, 2%% of a radius a step", n);
    flight(name, &s, 0.02, 60);
    snprintf(name, sizeof name, "%d scattered, 20%% of a radius a step", n);
    flight(name, &s, 0.2, 60);
    drop(&s);
  }
  s = make(100000);
  for (int i = 0; i < s.n; i++) {
    sphere(&s, i, pow(10, -3 * between(0, 1)));
    for (int k = 0; k < 3; k++) s.pose[i].r[k] = 100 * draw();
  }
  rebuild("100000 of sizes 1 to 1000 in 200^3, new list", &s);
  drop(&s);
  return 0;
}
