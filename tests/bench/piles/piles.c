// One packing of spheres through nsm_cone_solve, for tests/bench/piles/run: one line of what came out.
//   piles pyramid A B LAYERS HOLES | heap BALLS WIDTH SPREAD, then: rest|shaken HEAVIEST SEED SOLVER TOLERANCE BUDGET
// and, as in time-stepping, STEPS problems near it, to `accept` 1e-6, each from nothing and from the forces before it:
//   ... STEPS CHANGE MOVE    velocities differ by CHANGE times g h, places by MOVE radii
#include "tests/unit/cone/packing.h"
#include "runtime/problems/reader.h"
#include <stdio.h>
#include <time.h>

static double user(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct steps { double cold, warm, worst; int solved; } steps;

// Problems near k0, whose forces are in lambda: seconds from nothing and from the forces before.
static steps step_on(const packing *k0, uint64_t seed, double heaviest, packing_state state, int count, double change,
                     double move, void *work, double *lambda, double *u) {
  steps s = { 0, 0, 0, 0 };
  packing k = *k0;
  uint64_t dice = seed + 1;
  double *cold = packing_new((size_t)k.rows, sizeof *cold), *v = packing_new((size_t)k.balls * 3, sizeof *v);
  k.at = packing_new((size_t)k.balls, sizeof *k.at);
  memcpy(k.at, k0->at, (size_t)k.balls * sizeof *k.at);
  for (int step = 0; step < count; step++) {
    packing_seed = dice;
    for (int i = 0; i < k.balls; i++)
      for (int a = 0; a < 3; a++) {
        k.at[i][a] += move * (2 * packing_draw() - 1);
        v[3 * i + a] += change * 9.81e-3 * (2 * packing_draw() - 1);
      }
    dice = packing_seed;
    packing_seed = seed;
    packing_problem(&k, 0.3, heaviest, state);
    for (int c = 0; c < k.contacts; c++)
      for (int side = 0; side < 2 && k.pair[c][side] >= 0; side++) {
        double H[18];
        packing_rows(&k, c, side, H);
        for (int r = 0; r < 3; r++)
          for (int a = 0; a < 3; a++) k.q[3 * c + r] += H[6 * r + a] * v[3 * k.pair[c][side] + a];
      }
    nsm_cone_options o = { .tolerance = 1e-8, .accept = 1e-6, .budget = 60 };
    nsm_cone_result r;
    double before = user();
    nsm_cone_solve(&k.p, &o, work, cold, u, &r);
    s.cold += user() - before;
    o.warm = 1;
    before = user();
    nsm_cone_status status = nsm_cone_solve(&k.p, &o, work, lambda, u, &r);
    s.warm += user() - before;
    s.solved += status == NSM_CONE_SOLVED || status == NSM_CONE_ACCEPTED;
    s.worst = fmax(s.worst, nsm_cone_residual(&k.p, lambda, NULL, NULL));
    free(k.M); free(k.q); free(k.none); free(k.row_start); free(k.col); free(k.cone);
  }
  free(cold); free(v); free(k.at);
  return s;
}

int main(int argc, char **argv) {
  int heap = argc > 1 && !strcmp(argv[1], "heap"), at = heap ? 5 : 6;
  if (argc < at + 6) return 2;
  packing_seed = strtoull(argv[at + 2], NULL, 10);
  packing k = heap ? packing_heap(atoi(argv[2]), atof(argv[3]), atof(argv[4]))
                   : packing_pyramid(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), atof(argv[5]));
  packing_problem(&k, 0.3, atof(argv[at + 1]), !strcmp(argv[at], "rest") ? PACKING_REST : PACKING_SHAKEN);
  if (!strcmp(argv[at + 3], "write")) {
    nsm_problem_note note = { .step = -1 };
    return !nsm_problem_write(stdout, &k.p, &note);
  }
  int bandwidth = 0;
  for (int i = 0; i < k.rows; i++)
    for (int e = k.row_start[i]; e < k.row_start[i + 1]; e++)
      bandwidth = abs(k.col[e] - i) > bandwidth ? abs(k.col[e] - i) : bandwidth;
  size_t bytes = nsm_cone_workspace_size_with(k.rows, (size_t)k.row_start[k.rows], bandwidth, k.contacts);
  void *work = malloc(bytes);
  double *lambda = packing_new((size_t)k.rows, sizeof *lambda), *u = packing_new((size_t)k.rows, sizeof *u);
  if (!work) return 4;
  nsm_cone_workspace_init(work, bytes);
  nsm_cone_options o = { .solver = argv[at + 3], .tolerance = atof(argv[at + 4]), .budget = atof(argv[at + 5]) };
  nsm_cone_result r;
  double before = user();
  nsm_cone_status status = nsm_cone_solve(&k.p, &o, work, lambda, u, &r);
  double seconds = user() - before;
  printf("%d balls %d contacts %s residual %.2e by %s %d iterations %.3f s\n", k.balls, k.contacts,
         status == NSM_CONE_SOLVED ? "solved" : "failed", nsm_cone_residual(&k.p, lambda, NULL, NULL),
         r.solver ? r.solver : "nobody", r.iterations, seconds);
  if (argc > at + 8) {
    int count = atoi(argv[at + 6]);
    packing_state state = !strcmp(argv[at], "rest") ? PACKING_REST : PACKING_SHAKEN;
    steps s = step_on(&k, strtoull(argv[at + 2], NULL, 10), atof(argv[at + 1]), state, count, atof(argv[at + 7]),
                      atof(argv[at + 8]), work, lambda, u);
    printf("steps %d of %d residual %.2e cold %.3f s warm %.3f s\n", s.solved, count, s.worst, s.cold / count,
           s.warm / count);
  }
  free(work); free(lambda); free(u);
  packing_free(&k);
  return status != NSM_CONE_SOLVED;
}
