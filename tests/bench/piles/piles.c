// One packing of spheres through nsm_cone_solve, for tests/bench/piles/run: one line of what came out.
//   piles pyramid A B LAYERS HOLES | heap BALLS WIDTH SPREAD, then: rest|shaken HEAVIEST SEED SOLVER TOLERANCE BUDGET
#include "tests/unit/cone/packing.h"
#include "runtime/problems/reader.h"
#include <stdio.h>
#include <time.h>

static double user(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
  free(work); free(lambda); free(u);
  packing_free(&k);
  return status != NSM_CONE_SOLVED;
}
