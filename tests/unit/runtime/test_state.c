// The state of a run as a value: every model of models/, with the scheme it names and with every other one that takes
// it, is interrupted and goes on from the saved state in a fresh simulation, in a clone, and in one that was elsewhere
// in between. All must give the bits of the run that was not interrupted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tests/unit/compile_text.h"
#include "runtime/clock/clock.h"

#ifdef __SANITIZE_ADDRESS__                                // what is looked at then is memory, not numbers
enum { MOST_STEPS = 16, LEAST_STEPS = 4, TO_THE_END = 8, EACH = 13, MODELS = 2 };
#else
enum { MOST_STEPS = 400, LEAST_STEPS = 8, TO_THE_END = 4, EACH = 7, MODELS = 1 };
#endif
enum { BEYOND = 10, LARGE = 40 };
// TO_THE_END: how long a run may be, times MOST_STEPS, to be taken to its own end. EACH: of small models with schemes
// that they do not name, one of so many: it has no factor in common with the number of schemes. LARGE: models of more
// velocities are interrupted once, in the middle. MODELS: one of so many models is taken.

static nsm_settings own = { .until = NAN, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN };

typedef struct record {
  int n;
  double *row, loss;
  nsm_counters count;
  sim_ledger ledger;
  long steps;
  nsm_code code;
} record;

// n steps, or up to the end; what is left at the end of them.
static record run(nsm_sim *s, long n) {
  nsm_error e;
  record r = { .n = nsm_ncolumn(s) };
  r.row = calloc((size_t)r.n, sizeof *r.row);
  r.code = nsm_advance(s, n, &e);
  nsm_read(s, r.row);
  nsm_get_counters(s, &r.count);
  r.ledger = s->now.ledger;
  r.steps = nsm_steps_done(s);
  for (int i = 0; i < s->n.r.n; i++) r.loss += s->now.loss[i];
  return r;
}

static void same(const char *what, const char *path, nsm_sim *s, record a, record b) {
  for (int i = 0; i < a.n; i++)
    if (memcmp(&a.row[i], &b.row[i], sizeof *a.row) != 0)
      fail_msg("%s, %s: %s is %.17g and not %.17g after %ld steps", path, what, nsm_column_name(s, i), b.row[i],
               a.row[i], a.steps);
  if (a.steps != b.steps || a.code != b.code || a.count.newton_iterations != b.count.newton_iterations ||
      a.count.solver_iterations != b.count.solver_iterations || a.count.impacts != b.count.impacts ||
      memcmp(&a.count.max_residual, &b.count.max_residual, sizeof(double)) != 0 ||
      memcmp(&a.ledger.residue_sum, &b.ledger.residue_sum, sizeof(double)) != 0 ||
      memcmp(&a.loss, &b.loss, sizeof(double)) != 0 ||
      memcmp(&a.ledger.contacts, &b.ledger.contacts, sizeof(double)) != 0)
    fail_msg("%s, %s: steps, counters or ledger differ after %ld steps", path, what, a.steps);
  free(b.row);
}

static nsm_sim *opened(const nsm_model *m, const char *path) {
  nsm_error e;
  nsm_sim *s = nsm_open(m, &own, &e);
  if (!s) fail_msg("%s: %s", path, e.text);
  return s;
}

static void *saved(const nsm_sim *s) {
  void *state = malloc(nsm_state_size(s));
  assert_non_null(state);
  nsm_save(s, state);
  return state;
}

static void restored(nsm_sim *s, const void *state) {
  nsm_error e;
  if (nsm_restore(s, state, &e) != NSM_OK) fail_msg("%s", e.text);
}

// From step `first` on for `n` steps, four times.
// books: with the ledger, whole steps of moreau one by one.
static void interrupted(const nsm_model *m, const char *path, long first, long n, int books) {
  nsm_error e;
  nsm_sim *s = opened(m, path), *fresh = opened(m, path);
  if (books && s->a->on.energy.n > 0) sim_ledger_start(s);
  free(run(s, first).row);
  void *state = saved(s);
  nsm_sim *clone = nsm_clone(s, &e);
  if (!clone) fail_msg("%s: %s", path, e.text);
  record r = run(s, n);
  same("the clone", path, s, r, run(clone, n));
  restored(fresh, state);
  same("a fresh simulation", path, s, r, run(fresh, n));
  free(run(clone, n < BEYOND ? (int)n : BEYOND).row);      // elsewhere, perhaps at the end with a shorter step
  restored(clone, state);
  same("one that was elsewhere", path, s, r, run(clone, n));
  nsm_reset(s);
  if (books && s->a->on.energy.n > 0) sim_ledger_start(s);
  free(run(s, first).row);
  same("the second run", path, s, r, run(s, n));
  free(r.row);
  free(state);
  nsm_close(s);
  nsm_close(fresh);
  nsm_close(clone);
}

static int tried, ended, other, seen;

// scheme NULL: that of the model, whose name comes back with the number of its velocities.
static const char *one(const char *path, const char *scheme, int *velocities) {
  Compilation *c = compilation_new();
  PipelineOptions o = { .path = path, .scheme = scheme };
  const char *why = "";
  JitStatus status;
  const char *name = NULL;
  if (compile_to(c, &o, STAGE_C, NULL)) {
    name = c->plan->scheme->name;
    Jit *j = jit_compile(c->arena, JIT_TCC, text_str(&c->c), &c->kernels, &status, &why);
    if (!j) fail_msg("%s: %s", path, why);
    nsm_error e;
    nsm_sim *s = nsm_open(jit_model(j), &own, &e);
    if (s) {
      *velocities = s->a->nv;
      // Large models and mechanisms take fewer steps: what a state has to carry does not depend on how many.
      int nv = s->a->nv > 6 ? s->a->nv : 6;
      long total = nsm_steps_total(s), most = MOST_STEPS * 6 / nv > LEAST_STEPS ? MOST_STEPS * 6 / nv : LEAST_STEPS;
      long n = total < most ? total : most;
      double start = nsm_time(s), h = s->a->step;
      bool whole = !scheme && nv <= LARGE;
      nsm_close(s);
      if (whole) interrupted(jit_model(j), path, 1, n - 1, 1);
      interrupted(jit_model(j), path, n / 2, n - n / 2, 1);
      if (whole) interrupted(jit_model(j), path, n / 2, n - n / 2, 0);
      if (whole) {                                            // up to an end after the middle of a step
        own.until = start + ((double)n - 0.5) * h;
        interrupted(jit_model(j), path, n - 2, 2, 0);
        own.until = NAN;
      }
      if (whole && total > n && total <= TO_THE_END * most) {
        interrupted(jit_model(j), path, total - 2, 2, 0);
        ended++;
      }
      tried++;
    }
    jit_free(j);
  } else if (!scheme) fail_msg("%s does not compile", path);
  compilation_free(c);
  return name;
}

static void models_of(const char *folder) {
  static const char *const named[] = { "moreau", "midpoint", "consistent", "consistent1", "consistent_explicit_mass" };
  struct dirent **found;                                       // in the order of their names, on every file system
  int n_found = scandir(folder, &found, NULL, alphasort);
  assert_true(n_found > 0);
  for (int i = 0; i < n_found; free(found[i++])) {
    const struct dirent *f = found[i];
    char path[1024];
    size_t n = strlen(f->d_name);
    snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
    if (f->d_name[0] == '.') continue;
    if (n < 4 || strcmp(f->d_name + n - 4, ".nsm") != 0) {
      if (!strchr(f->d_name, '.')) models_of(path);            // a folder; others are data
      continue;
    }
    if (seen++ % MODELS) continue;
    int velocities = 0;
    clock_t began = clock();
    const char *its = one(path, NULL, &velocities);
    if (getenv("NSM_SHOW"))
      printf("%8.3f s %4d velocities %s\n", (double)(clock() - began) / CLOCKS_PER_SEC, velocities, path);
    for (size_t k = 0; k < sizeof named / sizeof *named && velocities <= 24; k++)     // by name on small models
      if (strcmp(named[k], its) != 0 && other++ % EACH == 0) one(path, named[k], &velocities);
  }
  free(found);
}

static void all_models(void **unused) {
  (void)unused;
  models_of(NSM_SOURCE_DIR "/models");
  printf("%d models and schemes interrupted, %d longer ones at their own end\n", tried, ended);
  assert_true(tried > 60 && ended > 0);
}

// ---- steps of any length --------------------------------------------------------------------------------------------
// A free fall of theta = 1/2 is exact for every step, so only times can be wrong. Steps off the clock lead back to it.
static void any_length(void **unused) {
  (void)unused;
  nsm_error e;
  Compilation *c = compile_text("model Fall {\n  param g = 9.81;\n  coord z = 100, z' = 0;\n  kinetic z'^2/2;\n"
                                "  potential g*z;\n  simulate { until = 1.05, step = 0.1 }\n}\n", STAGE_C);
  const char *why = "";
  JitStatus status;
  Jit *j = jit_compile(c->arena, JIT_TCC, text_str(&c->c), &c->kernels, &status, &why);
  if (!j) fail_msg("%s", why);
  nsm_sim *s = opened(jit_model(j), "fall");
  const double h[] = { 0.03, 0.05, 0.02, 0.13, 0.001 }, row[] = { 0, 0, 1, 2, 2 };
  double t = 0;
  for (int i = 0; i < 5; i++) {
    t += h[i];
    assert_int_equal(nsm_step_by(s, h[i], &e), NSM_OK);
    assert_true(fabs(nsm_time(s) - t) < 1e-15 && nsm_steps_done(s) == (long)row[i]);
  }
  assert_int_equal(nsm_step(s, &e), NSM_OK);
  assert_true(nsm_time(s) == 3 * 0.1 && nsm_steps_done(s) == 3);
  while (nsm_steps_done(s) < nsm_steps_total(s)) assert_int_equal(nsm_step(s, &e), NSM_OK);
  assert_true(nsm_time(s) == 1.05 && nsm_steps_done(s) == 11);
  assert_true(fabs(s->now.q[0] - (100 - 9.81 * 1.05 * 1.05 / 2)) < 1e-12);
  assert_int_equal(nsm_step_by(s, 0, &e), NSM_USAGE);
  assert_int_equal(nsm_step_by(s, NAN, &e), NSM_USAGE);
  assert_int_equal(nsm_step_by(s, 1e-20, &e), NSM_USAGE);
  nsm_close(s);
  jit_free(j);
  compilation_free(c);
}

// A state of other sizes or altered is refused, and nothing is touched.
static void another_model(void **unused) {
  (void)unused;
  nsm_error e;
  const nsm_assignment few = { "n", 5 }, more = { "n", 6 };
  Compilation *c = compilation_new();
  PipelineOptions o = { .path = NSM_SOURCE_DIR "/models/column.nsm" };
  const char *why = "";
  JitStatus status;
  assert_true(compile_to(c, &o, STAGE_C, NULL));
  Jit *j = jit_compile(c->arena, JIT_TCC, text_str(&c->c), &c->kernels, &status, &why);
  if (!j) fail_msg("%s", why);
  nsm_settings set = own;
  set.nset = 1;
  set.set = &few;
  nsm_sim *a = nsm_open(jit_model(j), &set, &e);
  set.set = &more;
  nsm_sim *b = nsm_open(jit_model(j), &set, &e);
  if (!a || !b) fail_msg("%s", e.text);
  assert_int_equal(nsm_step(a, &e), NSM_OK);
  void *state = saved(a);
  assert_int_equal(nsm_restore(b, state, &e), NSM_USAGE);
  assert_int_equal(nsm_steps_done(b), 0);
  // a state of which one byte was altered, wherever it is, is refused and leaves all as it was
  unsigned char *byte = state;
  assert_int_equal(nsm_step(a, &e), NSM_OK);
  for (size_t i = 0; i < nsm_state_size(a); i++) {
    unsigned char flip = (unsigned char)(1 + i * 37 % 255);
    byte[i] ^= flip;
    assert_int_equal(nsm_restore(a, state, &e), NSM_USAGE);
    byte[i] ^= flip;
  }
  assert_int_equal(nsm_steps_done(a), 2);
  restored(a, state);
  assert_int_equal(nsm_steps_done(a), 1);
  free(state);
  nsm_close(a);
  nsm_close(b);
  jit_free(j);
  compilation_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(all_models), cmocka_unit_test(any_length),
                                      cmocka_unit_test(another_model) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
