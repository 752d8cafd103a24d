// The problems beside the project (../shared/problems), where they are: each LCP, MLCP and relay is solved to 1e-12 by
// default options, and what any other solver calls solved is. NSM_SHOW=1 prints a table.
#include "bench.h"
#include <dirent.h>
#include <stdio.h>
#include <time.h>
#include "runtime/problems/reader.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A problem that was read, in a bench: the arrays stay with the problem.
static bench bench_of(nsm_problem *file) {
  size_t m = (size_t)file->p.m, bytes = nsm_cone_workspace_size(file->p.m, file->entries, file->bandwidth);
  bench b = { .p = file->p,
              .M = file->own_M,
              .q = file->own_q,
              .lo = file->own_lo,
              .hi = file->own_hi,
              .row_start = file->own_row_start,
              .col = file->own_col,
              .lambda = zeros(m, 8),
              .u = zeros(m, 8),
              .work = zeros(1, bytes) };
  nsm_cone_workspace_init(b.work, bytes);
  return b;
}

static void solve_folder(const char *kind, int *count) {
  char folder[600], path[1200];
  snprintf(folder, sizeof folder, "%s/../shared/problems/%s", NSM_SOURCE_DIR, kind);
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    if (e->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    nsm_problem_error error;
    nsm_problem *file = nsm_problem_read(path, nsm_problem_kind_of(kind), &error);
    if (!file) fail_msg("cannot read %s: %s", path, error.text);
    bench b = bench_of(file);
    ++*count;
    for (const char *const *s = nsm_cone_solver_names(); *s; s++) {
      double start = now();
      bench_solve(&b, *s, 0);
      double time = now() - start;
      if (getenv("NSM_SHOW"))
        printf("%-28s m %3d %-12s status %d residual %9.2e floor %8.1e iterations %5d %8.3f ms by %s\n", e->d_name,
               b.p.m, *s, b.r.status, b.r.residual, b.r.floor, b.r.iterations, 1e3 * time,
               b.r.solver ? b.r.solver : "-");
      if (strcmp(*s, "auto") == 0 || b.r.status == NSM_CONE_SOLVED) assert_solved(&b);
      assert_int_not_equal(b.r.status, NSM_CONE_NO_SOLUTION);
    }
    free(b.lambda);
    free(b.u);
    free(b.work);
    nsm_problem_free(file);
  }
  if (d) closedir(d);
}

static void all_files(void **state) {
  (void)state;
  int count = 0;
  const char *const kinds[] = { "lcp", "mlcp", "relay" };
  for (int k = 0; k < 3; k++) solve_folder(kinds[k], &count);
  if (count == 0) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(all_files) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
