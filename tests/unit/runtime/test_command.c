// The command line and the files: exit codes, CSV, summary, numbers, units.
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "runtime/nsm_run.h"
#include "runtime/record/record.h"
#include "fixtures.h"
#include "fixtures_small.h"

// Runs the command with its arguments (NULL at the end); out and err are what it wrote. Both are freed by the next
// call.
static char *out, *err;
static int command(const nsm_model *m, ...) {
  char *argv[32] = { (char *)(uintptr_t)"sim" };
  int argc = 1;
  va_list a;
  va_start(a, m);
  for (char *x; argc < 31 && (x = va_arg(a, char *)) != NULL;) argv[argc++] = x;
  va_end(a);
  free(out);
  free(err);
  size_t no, ne;
  FILE *o = open_memstream(&out, &no), *e = open_memstream(&err, &ne);
  int code = nsm_run_command(m, argc, argv, 0, o, e);
  fclose(o);
  fclose(e);
  return code;
}
#define RUN(m, ...) command(m, __VA_ARGS__, (char *)NULL)
#define SAYS(text) do { if (!strstr(err, text)) fail_msg("standard error was: %s", err); } while (0)

static void csv(void **state) {
  (void)state;
  assert_int_equal(RUN(ball_model(), "--until", "10ms", "--quiet"), 0);
  assert_string_equal(
      out,
      "time,z,z',floor.lambda,height\n0,1,0,0,2\n"
      "0.0050000000000000001,0.99987737499999996,-0.049050000000000003,0,1.9997547499999999\n"
      "0.01,0.99950949999999994,-0.098100000000000007,0,1.9990189999999999\n");
  assert_string_equal(err, "");
  assert_int_equal(RUN(ball_model(), "--until=0.03", "--every=4", "--record", "z, energy", "--quiet"), 0);
  assert_int_equal(strncmp(out, "time,z,energy\n0,1,9.81", 22), 0);
  assert_non_null(strstr(out, "\n0.02,"));
  assert_non_null(strstr(out, "\n0.029999999999999999,"));
  assert_int_equal(RUN(column_model(), "--set=n=3", "--until", "5ms", "--record=bead.z,pair[2]", "--quiet"), 0);
  assert_int_equal(strncmp(out, "time,bead[1].z,bead[2].z,bead[3].z,pair[2].lambda\n", 50), 0);
}

static void usage(void **state) {
  (void)state;
  assert_int_equal(RUN(ball_model(), "--sett", "m=2"), 2);           SAYS("did you mean `--set`?");
  assert_int_equal(RUN(ball_model(), "--set", "mm=2"), 2);           SAYS("did you mean `m`?");
  assert_int_equal(RUN(ball_model(), "--set", "m=2s"), 2);           SAYS("wrong dimension (the model says kg)");
  assert_int_equal(RUN(ball_model(), "--set", "m"), 2);              SAYS("NAME=VALUE");
  assert_int_equal(RUN(ball_model(), "--record", "zz"), 2);          SAYS("did you mean `z`?");
  assert_int_equal(RUN(ball_model(), "--scheme", "newmark"), 2);     SAYS("no scheme `newmark`");
  assert_int_equal(RUN(ball_model(), "--scheme", "moreau(thet=1)"), 2);
  assert_int_equal(RUN(ball_model(), "--solver", "newton"), 2);
  assert_int_equal(RUN(ball_model(), "--every", "0"), 2);
  assert_int_equal(RUN(ball_model(), "--until"), 2);                 SAYS("needs a value");
  assert_int_equal(RUN(ball_model(), "--until", "3kg"), 2);
  assert_int_equal(RUN(ball_model(), "extra"), 2);
  assert_int_equal(RUN(ball_model(), "--step", "0"), 2);
  assert_int_equal(RUN(column_model(), "--set", "n=0"), 1);
  assert_int_equal(RUN(ball_model(), "--help"), 0);
  assert_non_null(strstr(out, "--record"));
  assert_int_equal(RUN(ball_model(), "--scheme", " moreau ( theta = 1/2 , gamma=1 ) ", "--until", "5ms", "--quiet"), 0);
}

static void files(void **state) {
  (void)state;
  assert_int_equal(RUN(ball_model(), "-o", "/nonexistent/r.csv"), 4);
  SAYS("cannot write to /nonexistent/r.csv");
  assert_int_equal(RUN(ball_model(), "--summary", "/nonexistent/s.json", "--quiet"), 4);
  if (access("/dev/full", W_OK) == 0) {
    assert_int_equal(RUN(ball_model(), "-o", "/dev/full", "--until", "10s"), 4);
    SAYS("No space left on device");
    SAYS("rows");
  }
}

static void failure_keeps_rows(void **state) {
  (void)state;
  assert_int_equal(RUN(log_model(), "--quiet"), 3);
  SAYS("line 3 (force)");
  int lines = 0;
  for (char *c = out; *c; c++) lines += *c == '\n';
  assert_int_equal(lines, 1 + 67);                       // header, start, 66 steps
}

static char *slurp(const char *path) {
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  char *text = calloc(1, 10000);
  size_t n = fread(text, 1, 9999, f);
  text[n] = 0;
  fclose(f);
  return text;
}

static void summaries(void **state) {
  (void)state;
  char path[] = "/tmp/nsm-summary-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  assert_int_equal(RUN(ball_model(), "--summary", path, "--bench", "3"), 0);
  SAYS("ns per step");
  assert_string_equal(out, "");
  char *t = slurp(path);
  assert_non_null(strstr(t, "\"status\": \"ok\""));
  assert_non_null(strstr(t, "\"step_ns\": "));
  assert_non_null(strstr(t, "\"impacts\": 44"));
  assert_non_null(strstr(t, "\"floor.lambda\": "));
  assert_null(strstr(t, "\"energy\""));                  // no ledger in a bench
  free(t);
  assert_int_equal(RUN(ball_model(), "--summary", path, "--record", "energy.residue", "--until=0.03"), 0);
  SAYS("energy 9.81 -> ");
  assert_int_equal(strncmp(out, "time,energy.residue\n0,0\n", 24), 0);
  t = slurp(path);
  assert_non_null(strstr(t, "\"energy\": { \"initial\": 9.81"));
  assert_non_null(strstr(t, "\"residue\": "));
  free(t);
  assert_int_equal(RUN(log_model(), "--summary", path, "--quiet"), 3);
  t = slurp(path);
  assert_non_null(strstr(t, "\"status\": \"failed\""));
  assert_non_null(strstr(t, "\"steps\": 66"));
  free(t);
  unlink(path);
}

static int never(const double *p, const double *stat, int i) { (void)p; (void)stat; (void)i; return 0; }

static void claims(void **state) {
  (void)state;
  nsm_model m = *ball_model();
  assert_int_equal(RUN(&m, "--expect", "--quiet", "--until", "1s"), 0);
  m.expect = never;
  assert_int_equal(RUN(&m, "--expect", "--quiet", "--until", "1s"), 5);
  SAYS("ball.nsm:9: the claim does not hold: final(z) >= 0");
  assert_int_equal(RUN(&m, "--quiet", "--until", "1s"), 0);
  SAYS("final(z) >= 0");
}

static double seen[7];
static int look(const double *p, const double *stat, int i) {
  (void)p;
  (void)i;
  memcpy(seen, stat, sizeof seen);
  return 1;
}
static double half_second(const double *p, int i) { (void)p; (void)i; return 0.5; }

// The ball in free fall: z = 1 - g t^2/2, output 2 z; energy is kept.
static void statistics(void **state) {
  (void)state;
  static const nsm_stat stat[] = { { NSM_STAT_FINAL, 4 }, { NSM_STAT_INITIAL, 4 }, { NSM_STAT_MIN, 4 },
                                   { NSM_STAT_MAX, 4 },   { NSM_STAT_MEAN, 4 },    { NSM_STAT_DRIFT, -1 },
                                   { NSM_STAT_AT, 4 } };
  nsm_model m = *ball_model();
  m.stat = stat;
  m.nstat = COUNT(stat);
  m.expect = look;
  m.stat_time = half_second;
  assert_int_equal(RUN(&m, "--set", "R=-100", "--until", "1s", "--step", "1ms", "--quiet", "--expect"), 0);
  assert_true(fabs(seen[0] - (2 - 9.81)) < 1e-9 && seen[1] == 2 && fabs(seen[2] - (2 - 9.81)) < 1e-9 && seen[3] == 2);
  assert_true(fabs(seen[4] - (2 - 9.81 / 3)) < 1e-5);
  assert_true(seen[5] < 1e-12);
  assert_true(fabs(seen[6] - (2 - 9.81 / 4)) < 1e-9);
}

static void interrupt_out(const nsm_view *w, const nsm_table *t, double *y) {
  y[0] = w->q[t->ix[0]];
  if (w->t > 0.0999) raise(SIGINT);
}

static void interrupts(void **state) {
  (void)state;
  nsm_model m = *ball_model();
  nsm_class c[5];
  memcpy(c, m.cls, sizeof c);
  m.cls = c;
  c[4].out_fn = interrupt_out;
  assert_int_equal(RUN(&m, "--until", "10s"), 130);
  SAYS("interrupted");
  assert_non_null(strstr(out, "\n0.10"));
  assert_null(strstr(out, "\n0.2"));
}

static void numbers(void **state) {
  (void)state;
  uint64_t x = 88172645463325252u;
  for (int i = 0; i < 300000; i++) {
    x ^= x << 13; x ^= x >> 7; x ^= x << 17;
    double d;
    if (i % 3 == 0) memcpy(&d, &x, sizeof d);
    else d = ((double)(x >> 11) * 0x1p-53 - 0.5) * pow(10, (double)(x % 37) - 14);
    if (i % 7 == 0) d = round(d * 1000) / 1000;
    if (i % 11 == 0) d = ldexp(1, (int)(x % 2098) - 1074);
    if (i % 13 == 0) d = nextafter(pow(10, (double)(x % 630) - 323), i % 2 ? 0 : HUGE_VAL);
    char a[64], b[64];
    a[nsm_number(d, a)] = 0;
    snprintf(b, sizeof b, "%.17g", d);
    if (strcmp(a, b) != 0) fail_msg("%s instead of %s", a, b);
  }
}

static void quantities(void **state) {
  (void)state;
  static const struct { const char *text, *unit; double value;
  } good[] = { { "3mm", "m", 0.003 },
               { "3[mm]", "m", 0.003 },
               { "3 [mm]", "cm", 0.003 },
               { "10us", "s", 1e-5 },
               { "9.81 m/s^2", "m/s^2", 9.81 },
               { "1/2", "", 0.5 },
               { "10 mH", "H", 0.01 },
               { "1 kohm", "ohm", 1000 },
               { "2min", "s", 120 },
               { "1e-3", "kg*m^2", 1e-3 },
               { "5 g", "kg", 0.005 },
               { "90 deg", "rad", 1.5707963267948966 },
               { "3 kN/m", "N/m", 3000 },
               { "2 1/s", "Hz", 2 },
               { "0.05/s", "1/s", 0.05 },
               { "3 /mm", "1/m", 3000 },
               { "-4", "m", -4 },
               { "1/4 m", "m", 0.25 } };
  double x;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    const char *wrong = nsm_read_quantity(good[i].text, good[i].unit, &x);
    if (wrong || x != good[i].value) fail_msg("%s: %s %.17g", good[i].text, wrong ? wrong : "", x);
  }
  assert_non_null(nsm_read_quantity("3s", "m", &x));
  assert_non_null(nsm_read_quantity("3 parsec", "m", &x));
  assert_non_null(nsm_read_quantity("", "m", &x));
  assert_non_null(nsm_read_quantity("nan", "m", &x));
  assert_non_null(nsm_read_quantity("inf", "m", &x));
  assert_non_null(nsm_read_quantity("1/0", "m", &x));
  assert_non_null(nsm_read_quantity("3mm", "", &x));
  assert_non_null(nsm_read_quantity("0x10", "", &x));
}

static void quoting(void **state) {
  (void)state;
  char buffer[NSM_CSV_BUFFER], *text;
  size_t n;
  nsm_csv w = { .file = open_memstream(&text, &n), .buffer = buffer };
  nsm_csv_text(&w, "x[1,2]", 0);
  nsm_csv_text(&w, "a \"b\"", 1);
  nsm_csv_flush(&w);
  fclose(w.file);
  assert_string_equal(text, "\"x[1,2]\",\"a \"\"b\"\"\"\n");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(csv),        cmocka_unit_test(usage),
                                      cmocka_unit_test(files),      cmocka_unit_test(failure_keeps_rows),
                                      cmocka_unit_test(summaries),  cmocka_unit_test(claims),
                                      cmocka_unit_test(statistics), cmocka_unit_test(interrupts),
                                      cmocka_unit_test(numbers),    cmocka_unit_test(quantities),
                                      cmocka_unit_test(quoting) };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(out);
  free(err);
  return failed;
}
