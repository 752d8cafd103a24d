// Damaged models through the whole compiler: every stage either gives a value or a diagnostic, never a crash. Mutations
// are deterministic; the sanitized build runs the same ones. Set NSM_MUTATIONS for longer runs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/api/pipeline.h"
#include "tests/unit/thin.h"

static uint64_t state = 0xfeed;
static unsigned draw(unsigned n) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33) % n;
}

static char *read_all(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  char *s = malloc(1 << 16);
  *n = fread(s, 1, (1 << 16) - 1, f);
  fclose(f);
  return s;
}

// Bytes, words and whole stretches: changed, removed, doubled, swapped in from a vocabulary.
static size_t mutate(char *s, size_t n, size_t room) {
  static const char *const word[] = { "'",
                                      "[",
                                      "]",
                                      "(",
                                      ")",
                                      "{",
                                      "}",
                                      ";",
                                      "=",
                                      "perp",
                                      ">= 0",
                                      "0 <=",
                                      "1/0",
                                      "inf",
                                      "time",
                                      "sgn(",
                                      "n",
                                      "1:n",
                                      "sum(i in 1:n)",
                                      "if ",
                                      " then ",
                                      " else ",
                                      "e",
                                      "-1",
                                      "1e400",
                                      "0",
                                      ".lambda",
                                      "[i+1]",
                                      "contact c: ",
                                      "with newton(",
                                      "^2",
                                      "^(-0.5)",
                                      "param ",
                                      "coord ",
                                      "state ",
                                      "multiplier ",
                                      "\"",
                                      "//",
                                      "/*" };
  for (unsigned k = draw(4) + 1; k-- && n > 8;) {
    size_t at = draw((unsigned)n - 4), len = draw(12) + 1;
    if (at + len > n) len = n - at;
    switch (draw(4)) {
    case 0: s[at] = (char)(32 + draw(95)); break;
    case 1: memmove(s + at, s + at + len, n - at - len); n -= len; break;
    case 2: if (n + len < room) { memmove(s + at + len, s + at, n - at); n += len; } break;
    default: {
      const char *w = word[draw(sizeof word / sizeof *word)];
      size_t m = strlen(w);
      if (n + m < room) { memmove(s + at + m, s + at, n - at); memcpy(s + at, w, m); n += m; }
    }
    }
  }
  return n;
}

static void survive(void **unused) {
  (void)unused;
  glob_t g;
  assert_int_equal(glob(NSM_SOURCE_DIR "/models/*.nsm", 0, NULL, &g), 0);
  assert_true(g.gl_pathc > 10);
  const char *asked = getenv("NSM_MUTATIONS");
  int rounds = asked ? atoi(asked) : THIN > 1 ? 300 : 600, good = 0;
  char path[] = "/tmp/nsm-mutation-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  for (int i = 0; i < rounds; i++) {
    size_t n;
    char *s = read_all(g.gl_pathv[draw((unsigned)g.gl_pathc)], &n);
    n = mutate(s, n, 1 << 16);
    FILE *f = fopen(path, "wb");
    fwrite(s, 1, n, f);
    fclose(f);
    free(s);
    Compilation *c = compilation_new();
    PipelineOptions o = { .path = path };
    bool ok = compile_to(c, &o, STAGE_C, NULL);
    if (!ok) assert_true(diag_errors(c->bag) > 0);
    if (ok) {
      Text t = {0};
      SchemeFacts facts = scheme_facts(c->plan);
      system_print(c->arena, c->system, &facts, &t);
      system_print_latex(c->arena, c->system, &facts, &t);
      text_free(&t);
      good++;
    }
    compilation_free(c);
  }
  assert_true(asked || (good > 0 && good < rounds));
  globfree(&g);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
