// Fuzzing of the readers and of what comes after them: seeds.h with bytes, words and numbers changed, joined, cut.
// Whatever is read is solved, checked again and written; nothing may crash, no allocation may follow a false count, no
// answer may be called solved that is not. A short run that repeats; NSM_FUZZ_SECONDS=600 runs for so long from
// NSM_FUZZ_SEED (under the sanitizers: the preset `sanitize`).
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runtime/la/la.h"
#include "runtime/problems/reader.h"
#include "seeds.h"

enum { ROOM = 1 << 14, LARGEST_SOLVED = 24 };
static const double budget = 0.05;   // of the work that a problem without an answer may take: 40 is the default

static uint64_t state = 0x9E3779B97F4A7C15u;
static uint64_t draw(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static size_t below(size_t n) { return n ? (size_t)(draw() >> 11) % n : 0; }

static const char *const words[] = { "0",
                                     "-0",
                                     "1",
                                     "-1",
                                     "2",
                                     "3",
                                     "4",
                                     "nan",
                                     "inf",
                                     "-inf",
                                     "1e999",
                                     "-1e999",
                                     "1e308",
                                     "1e-320",
                                     "2147483647",
                                     "2147483648",
                                     "4294967296",
                                     "1000000000",
                                     "99999999999999999999999999",
                                     "1048576",
                                     "1048577",
                                     "0x10",
                                     "1.",
                                     ".5",
                                     "+1",
                                     "01",
                                     "1e",
                                     "-",
                                     "\"inf\"",
                                     "\"-inf\"",
                                     "null",
                                     "true",
                                     "\"q\":",
                                     "\"M\":",
                                     "\"lo\":",
                                     "\"cones\":",
                                     "\"mu\":",
                                     "[",
                                     "]",
                                     "{",
                                     "}",
                                     ",",
                                     ":",
                                     "\"",
                                     "\\u0000",
                                     "\\ud800",
                                     "\\",
                                     "\xff",
                                     "\xef\xbb\xbf",
                                     "//",
                                     "\n",
                                     " " };

typedef struct text { char *at; size_t n; } text;

static void replace(text *t, size_t from, size_t to, const char *with, size_t n) {
  if (t->n - (to - from) + n >= ROOM) return;
  memmove(t->at + from + n, t->at + to, t->n - to);
  memcpy(t->at + from, with, n);
  t->n += n - (to - from);
}

static void word_at(const text *t, size_t *from, size_t *to) {
  *from = *to = below(t->n);
  while (*from > 0 && !strchr(" \n,:[]{}", t->at[*from - 1])) --*from;
  while (*to < t->n && t->at[*to] && !strchr(" \n,:[]{}", t->at[*to])) ++*to;
}

static void mutate(text *t) {
  size_t a = below(t->n), b, n;
  char byte = (char)draw(), copy[256];
  const char *w = words[below(sizeof words / sizeof *words)];
  switch (below(9)) {
    case 0: if (t->n) t->at[a] = byte; break;
    case 1: replace(t, a, a, &byte, 1); break;
    case 2: replace(t, a, a + (a < t->n), "", 0); break;
    case 3: case 4: word_at(t, &a, &b); replace(t, a, b, w, strlen(w)); break;
    case 5: replace(t, a, a, w, strlen(w)); break;
    case 6: if (below(4) == 0) t->n = a; break;
    case 7:                                               // a piece a second time, elsewhere
      n = below(t->n - a < sizeof copy ? t->n - a + 1 : sizeof copy);
      memcpy(copy, t->at + a, n);
      b = below(t->n + 1);
      replace(t, b, b, copy, n);
      break;
    default: {                                            // a piece of another seed
      const char *other = seeds[below(SEEDS)].text;
      size_t length = strlen(other), from = below(length);
      replace(t, a, a, other + from, below(length - from < 64 ? length - from : 64));
    }
  }
}

// ---- what must hold of everything that is read ----------------------------------------------------------------------
static void same_bits(const double *a, const double *b, size_t n) {
  for (size_t i = 0; i < n; i++) assert_true(a[i] == b[i] && signbit(a[i]) == signbit(b[i]));
}

static void write_and_read(const nsm_problem *p) {
  char *out = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&out, &size);
  nsm_problem_note note = { .model = "fuzz \"\\\n",
                            .step = -1,
                            .lambda = p->stored_lambda && p->kind == NSM_PROBLEM_JSON ? p->stored_lambda : NULL,
                            .guess = p->guess };
  assert_int_equal(nsm_problem_write(f, &p->p, &note), 1);
  fclose(f);
  nsm_problem_error e;
  nsm_problem *r = nsm_problem_parse(out, size, "", NSM_PROBLEM_GUESS, &e);
  if (!r) fail_msg("what was written is not read: %ld:%ld %s\n%s", e.line, e.column, e.text, out);
  assert_int_equal(r->p.m, p->p.m);
  assert_int_equal(r->p.cones, p->p.cones);
  assert_int_equal(r->entries, p->entries);
  same_bits(r->p.M, p->p.M, p->entries);
  same_bits(r->p.q, p->p.q, (size_t)p->p.m);
  nsm_problem_free(r);
  free(out);
}

// Fails with the problem itself, so that it can be studied.
static void show(const nsm_problem *p, const char *what) {
  nsm_problem_write(stderr, &p->p, NULL);
  fail_msg("%s", what);
}

static void solve(const nsm_problem *p) {
  int m = p->p.m;
  size_t bytes = nsm_cone_workspace_size_with(m, p->entries, p->bandwidth, p->p.cones);
  void *work = malloc(bytes);
  double *lambda = calloc((size_t)m + 1, sizeof *lambda), *u = calloc((size_t)m + 1, sizeof *u);
  assert_true(work && lambda && u);
  nsm_cone_workspace_init(work, bytes);
  nsm_cone_options o = { .max_iterations = 40, .warm = p->guess != NULL, .budget = budget };
  nsm_cone_result r;
  if (p->guess) memcpy(lambda, p->guess, (size_t)m * sizeof *lambda);
  nsm_cone_status status = nsm_cone_solve(&p->p, &o, work, lambda, u, &r);
  if (status == NSM_CONE_BAD_INPUT) show(p, "what the reader lets through is not well formed");
  if (status == NSM_CONE_SOLVED && m > 0) {
    double floor, residual = nsm_cone_residual(&p->p, lambda, &floor, NULL);
    for (int i = 0; i < m; i++)
      if (!(fabs(lambda[i]) < HUGE_VAL)) residual = NAN;
    if (!(residual <= fmax(1e-12, 8.01 * floor))) {
      fprintf(stderr, "residual %g, floor %g\n", residual, floor);
      show(p, "this is called solved");
    }
  }
  free(work);
  free(lambda);
  free(u);
}

static int try_one(const text *t, const char *name, nsm_problem_kind kind) {
  char *own = malloc(t->n + 1);                           // no byte to spare: reading beyond the end shows
  nsm_problem_error e;
  assert_non_null(own);
  memcpy(own, t->at, t->n);
  own[t->n] = 0;
  nsm_problem *p = nsm_problem_parse(own, t->n, name, kind, &e);
  if (!p) {
    assert_int_equal(e.code, NSM_PROBLEM_WRONG);
    assert_true(*e.text && e.line >= 0);
    for (const char *c = e.text; *c; c++) assert_true((unsigned char)*c >= ' ' && (unsigned char)*c < 127);
  } else {
    assert_true(p->unknowns >= 0 && p->unknowns <= p->p.m && p->p.m <= NSM_PROBLEM_MAX_ROWS);
    if (p->p.m <= LARGEST_SOLVED) { write_and_read(p); solve(p); }
  }
  int read = p != NULL;
  nsm_problem_free(p);
  free(own);
  return read;
}

static long fuzz(long rounds, double until) {
  char room[ROOM];
  long read = 0;
  for (long k = 0; k < rounds && (until == 0 || (double)time(NULL) < until); k++) {
    const struct seed *s = &seeds[below(SEEDS)];
    text t = { room, strlen(s->text) };
    memcpy(room, s->text, t.n);
    for (size_t n = 1 + below(5); n > 0; n--) mutate(&t);
    read += try_one(&t, s->name, below(4) ? NSM_PROBLEM_GUESS : (nsm_problem_kind)below(NSM_PROBLEM_KINDS));
  }
  return read;
}

static void seeds_themselves(void **x) {
  (void)x;
  for (int i = 0; i < SEEDS; i++) {
    text t = { (char *)(uintptr_t)seeds[i].text, strlen(seeds[i].text) };
    if (!try_one(&t, seeds[i].name, NSM_PROBLEM_GUESS)) fail_msg("%s is not read", seeds[i].name);
  }
}

static void mutated(void **x) {
  (void)x;
  const char *seconds = getenv("NSM_FUZZ_SECONDS"), *seed = getenv("NSM_FUZZ_SEED");
  if (seed) state ^= strtoull(seed, NULL, 10) * 0x2545F4914F6CDD1Du;
  long read = seconds ? fuzz(1L << 60, (double)time(NULL) + strtod(seconds, NULL)) : fuzz(12000, 0);
  assert_true(read > 1000);  // else the mutations destroy everything and test nothing behind the reader
}

// Every prefix of every seed.
static void cut_off(void **x) {
  (void)x;
  for (int i = 0; i < SEEDS; i++)
    for (size_t n = 0; n < strlen(seeds[i].text); n++) {
      text t = { (char *)(uintptr_t)seeds[i].text, n };
      try_one(&t, seeds[i].name, NSM_PROBLEM_GUESS);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(seeds_themselves), cmocka_unit_test(cut_off),
                                      cmocka_unit_test(mutated) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
