// Trajectories against the stored reference (made by an independent program) to 1e-10 of the range of each column. The
// folder with the reference CSV files: NSM_REFERENCE, else shared/reference/siconos beside the repository; absent:
// skipped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>
#include "runtime/nsm_run.h"
#include "fixtures.h"
#include "fixtures_small.h"

enum { COLUMNS = 64 };
typedef struct table { int n, rows; double *v; } table;

static FILE *reference(const char *name) {
  const char *tried[] = { getenv("NSM_REFERENCE"), "../shared/reference/siconos", "../../shared/reference/siconos",
                          "../../../shared/reference/siconos" };
  for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
    char path[512];
    if (!tried[i]) continue;
    snprintf(path, sizeof path, "%s/%s", tried[i], name);
    FILE *f = fopen(path, "r");
    if (f) return f;
  }
  return NULL;
}

static table load(FILE *f) {
  table t = { 0, 0, NULL };
  char line[4096];
  if (!fgets(line, sizeof line, f)) return t;
  t.n = 1;
  for (char *c = line; *c; c++) t.n += *c == ',';
  size_t room = 0;
  while (fgets(line, sizeof line, f)) {
    if ((size_t)(t.rows + 1) * (size_t)t.n > room) t.v = realloc(t.v, (room = 2 * room + 4096) * sizeof(double));
    char *c = line;
    for (int i = 0; i < t.n; i++) { t.v[(size_t)t.rows * (size_t)t.n + (size_t)i] = strtod(c, &c); if (*c == ',') c++; }
    t.rows++;
  }
  fclose(f);
  return t;
}

// column[i]: the reference column that holds our column i, or -1. Compares at the times of the reference.
static double compare(const nsm_model *m, nsm_settings set, const char *file, const char *const names[][2], int nname) {
  FILE *f = reference(file);
  if (!f) { skip(); return 0; }
  char head[4096];
  assert_non_null(fgets(head, sizeof head, f));
  rewind(f);
  table t = load(f);
  nsm_error e;
  nsm_sim *s = nsm_open(m, &set, &e);
  if (!s) fail_msg("%s", e.text);
  int ours[COLUMNS], theirs[COLUMNS];
  double low[COLUMNS], high[COLUMNS], worst[COLUMNS] = { 0 };
  for (int i = 0; i < nname; i++) {
    ours[i] = nsm_find_column(s, names[i][0]);
    assert_true(ours[i] >= 0);
    theirs[i] = -1;
    char copy[4096];
    strcpy(copy, head);
    int c = 0;
    for (char *p = strtok(copy, ",\r\n"); p; p = strtok(NULL, ",\r\n"), c++)
      if (strcmp(p, names[i][1]) == 0) theirs[i] = c;
    assert_true(theirs[i] >= 0);
    low[i] = INFINITY;
    high[i] = -INFINITY;
  }
  double *row = calloc((size_t)nsm_ncolumn(s), sizeof *row);
  for (int r = 0; r < t.rows; r++) {
    const double *ref = t.v + (size_t)r * (size_t)t.n;
    while (nsm_time(s) < ref[0] - 1e-9 * fabs(ref[0]) && nsm_steps_done(s) < nsm_steps_total(s))
      if (nsm_step(s, &e) != NSM_OK) fail_msg("%s", e.text);
    nsm_read(s, row);
    assert_true(fabs(row[0] - ref[0]) <= 1e-9 * (1 + fabs(ref[0])));
    for (int i = 0; i < nname; i++) {
      double x = ref[theirs[i]];
      low[i] = fmin(low[i], x);
      high[i] = fmax(high[i], x);
      worst[i] = fmax(worst[i], fabs(row[ours[i]] - x));
    }
  }
  nsm_close(s);
  free(row);
  free(t.v);
  double most = 0;
  for (int i = 0; i < nname; i++) most = fmax(most, worst[i] / (high[i] - low[i]));
  printf("%s: %d rows, worst %.2g of range\n", file, t.rows, most);
  return most;
}

static const nsm_settings defaults = { .until = NAN, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN };

static void ball(void **state) {
  (void)state;
  static const char *const names[][2] = { { "z", "q" }, { "z'", "v" } };
  assert_true(compare(ball_model(), defaults, "bouncing_ball.csv", names, 2) <= 1e-10);
}

static void bridge(void **state) {
  (void)state;
  static const char *const names[][2] = { { "v", "vC" }, { "i", "iL" } };
  assert_true(compare(bridge_model(), defaults, "diode_bridge.csv", names, 2) <= 1e-10);
}

static void column(void **state) {
  (void)state;
  static const char *const names[][2] = { { "bead[1].z", "q0" },  { "bead[2].z", "q1" },  { "bead[3].z", "q2" },
                                          { "bead[5].z", "q4" },  { "bead[8].z", "q7" },  { "bead[10].z", "q9" },
                                          { "bead[1].z'", "v0" }, { "bead[2].z'", "v1" }, { "bead[7].z'", "v6" },
                                          { "bead[10].z'", "v9" } };
  assert_true(compare(column_model(), defaults, "column_n10.csv", names, 10) <= 1e-10);
}

static void oscillator(void **state) {
  (void)state;
  static const char *const names[][2] = { { "q", "q" }, { "q'", "v" } };
  assert_true(compare(stop_model(), defaults, "oscillator_with_stop.csv", names, 2) <= 1e-10);
}

static void relay(void **state) {
  (void)state;
  static const char *const names[][2] = { { "x", "x" } };
  assert_true(compare(relay_model(), defaults, "relay_scalar.csv", names, 1) <= 1e-10);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(oscillator), cmocka_unit_test(relay), cmocka_unit_test(ball),
                                      cmocka_unit_test(bridge), cmocka_unit_test(column) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
