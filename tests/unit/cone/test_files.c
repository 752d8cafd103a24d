// The problems beside the project (../shared/problems), where they are: each that has a solution is solved, by default options.
#include "problem_file.h"
#include <time.h>

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }

static void solve_folder(const char *kind, int *count) {
  char folder[600], path[1200];
  snprintf(folder, sizeof folder, "%s/../shared/problems/%s", NSM_SOURCE_DIR, kind);
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    if (e->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    bench b;
    if (!read_problem_file(kind, path, &b)) fail_msg("cannot read %s", path);
    ++*count;
    for (const char *const *s = nsm_cone_solver_names(); *s; s++) {
      double start = now();
      bench_solve(&b, *s, 0);
      double time = now() - start;
      if (getenv("NSM_SHOW"))
        printf("%-28s m %3d %-12s status %d residual %9.2e floor %8.1e iterations %5d %8.3f ms by %s\n", e->d_name, b.p.m, *s, b.r.status, b.r.residual,
               b.r.floor, b.r.iterations, 1e3 * time, b.r.solver ? b.r.solver : "-");
      if (strcmp(*s, "auto") == 0 || b.r.status == NSM_CONE_SOLVED) assert_solved(&b);
      assert_int_not_equal(b.r.status, NSM_CONE_NO_SOLUTION);
    }
    bench_close(&b);
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
  nsm_la_init();
  const struct CMUnitTest tests[] = { cmocka_unit_test(all_files) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
