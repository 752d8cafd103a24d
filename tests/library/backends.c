// A program compiled by each backend gives the same bits; one that was left out of this build says so.
#include <nsm.h>
#include <stdlib.h>
#include <string.h>

static double *last_row(const char *path, const char *jit, int *n) {
  nsm_compile_settings set = { .jit = jit };
  nsm_program *p = nsm_compile_file(path, &set);
  nsm_error e;
  nsm_sim *s = nsm_program_status(p) == NSM_OK ? nsm_simulate(p, NULL, &e) : NULL;
  double *row = NULL;
  if (s) {
    *n = nsm_ncolumn(s);
    row = calloc((size_t)*n, sizeof *row);
    if (nsm_advance(s, 1000, &e) != NSM_OK) fprintf(stderr, "%s\n", e.text);
    nsm_read(s, row);
    nsm_close(s);
  } else printf("%s: %s\n", jit, nsm_program_message(p));
  nsm_program_free(p);
  return row;
}

int main(int argc, char **argv) {
  static const char *const others[] = { "cc", "llvm" };
  int n = 0, m = 0, bad = 0;
  double *row = last_row(argv[argc - 1], "tcc", &n);
  for (int i = 0; i < 2; i++) {
    double *other = last_row(argv[argc - 1], others[i], &m);
    if (!other) continue;
    int same = row && n == m && memcmp(row, other, (size_t)n * sizeof *row) == 0;
    if (!same) printf("%s differs\n", others[i]);
    bad |= !same;
    free(other);
  }
  free(row);
  return bad || !n;
}
