// The formatter: goldens, and on thousands of damaged models that still parse: the formatted text gives the same tree
// and the same comments, and formats to itself.
#include <glob.h>

#include "bench.h"
#include "syntax/comments.h"
#include "tests/unit/thin.h"

static void formats_well(const char *text, size_t n, const char *what) {
  Bench b = parsed(text, n);
  if (diag_errors(b.bag)) {
    arena_free(b.arena);
    return;
  }
  const char *once = formatted(&b);
  Bench c = parsed(once, strlen(once));
  if (diag_errors(c.bag))
    fail_msg("%s: formatted text does not parse\n%.*s\n-----\n%s\n%s", what, (int)n, text, once, messages(&c));
  if (strcmp(dumped(&b), dumped(&c)) != 0) fail_msg("%s: another tree\n%.*s\n-----\n%s", what, (int)n, text, once);
  const char *twice = formatted(&c);
  if (strcmp(once, twice) != 0) fail_msg("%s: not stable\n%.*s\n-----\n%s\n-----\n%s", what, (int)n, text, once, twice);
  Comments before = {0}, after = {0};
  comments_find(b.file, &before);
  comments_find(c.file, &after);
  if (before.n != after.n)
    fail_msg("%s: %zu comments became %zu\n%.*s\n-----\n%s", what, before.n, after.n, (int)n, text, once);
  vec_free(&before);
  vec_free(&after);
  arena_free(b.arena);
  arena_free(c.arena);
}

static void goldens(void **state) {
  (void)state;
  glob_t found;
  assert_int_equal(glob(NSM_SOURCE_DIR "/tests/golden/fmt/*.nsm", 0, NULL, &found), 0);
  for (size_t k = 0; k < found.gl_pathc; k++) {
    size_t n, m;
    char *text = whole_file(found.gl_pathv[k], &n);
    char *path = strdup(found.gl_pathv[k]);
    memcpy(strrchr(path, '.'), ".fmt", 4);
    char *golden = whole_file(path, &m);
    Bench b = parsed(text, n);
    assert_int_equal(diag_errors(b.bag), 0);
    assert_string_equal(formatted(&b), golden);
    formats_well(text, n, path);
    arena_free(b.arena);
    free(golden);
    free(path);
    free(text);
  }
  globfree(&found);
}

static void all_models_parse(void **state) {
  (void)state;
  glob_t found;
  assert_int_equal(glob(NSM_SOURCE_DIR "/models/*.nsm", 0, NULL, &found), 0);
  for (size_t k = 0; k < found.gl_pathc; k++) {
    size_t n;
    char *text = whole_file(found.gl_pathv[k], &n);
    Bench b = parsed(text, n);
    if (diag_errors(b.bag)) fail_msg("%s\n%s", found.gl_pathv[k], messages(&b));
    formats_well(text, n, found.gl_pathv[k]);
    arena_free(b.arena);
    free(text);
  }
  globfree(&found);
}

static uint64_t seed = 88172645463325252u;

static size_t draw(size_t n) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return n ? (size_t)(seed >> 20) % n : 0;
}

static void damage(Text *t) {
  static const char *const pieces[] = { "(",
                                        ")",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        ";",
                                        ",",
                                        "'",
                                        " = ",
                                        "==",
                                        " perp ",
                                        " with ",
                                        " in ",
                                        "if a then b else c",
                                        "sum(i in 1:2) ",
                                        "not ",
                                        "-",
                                        "^",
                                        "*",
                                        " 5 [m/s]",
                                        " 2 ",
                                        "x",
                                        " // c\n",
                                        "/* d */",
                                        "\n\n\n",
                                        "\"s\"",
                                        "for i in 1:3 {",
                                        ":",
                                        "0 <= ",
                                        ".",
                                        "der(x)",
                                        "\xC2\xB5",
                                        "\xff",
                                        "normal = ",
                                        " + ",
                                        "\r\n",
                                        " /* two\nlines */ ",
                                        "coord z;" };
  size_t at = draw(t->n + 1);
  if (draw(3)) while (at < t->n && t->at[at] != ' ') at++;
  Text out = {0};
  text_addn(&out, t->at, at);
  if (draw(4)) text_add(&out, pieces[draw(sizeof pieces / sizeof *pieces)]);
  else at += draw(10);
  if (at < t->n) text_addn(&out, t->at + at, t->n - at);
  text_free(t);
  *t = out;
}

static void damaged_models(void **state) {
  (void)state;
  glob_t found;
  assert_int_equal(glob(NSM_SOURCE_DIR "/tests/golden/fmt/*.*", 0, NULL, &found), 0);
  assert_int_equal(glob(NSM_SOURCE_DIR "/models/*.nsm", GLOB_APPEND, NULL, &found), 0);
  for (size_t k = 0; k < found.gl_pathc; k++) {
    size_t n;
    char *text = whole_file(found.gl_pathv[k], &n);
    for (int trial = 0; trial < (THIN > 1 ? 9 : 40); trial++) {
      Text t = {0};
      text_addn(&t, text, n);
      for (size_t hits = 1 + draw(3); hits-- > 0;) damage(&t);
      formats_well(t.at, t.n, found.gl_pathv[k]);
      text_free(&t);
    }
    free(text);
  }
  globfree(&found);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(goldens), cmocka_unit_test(all_models_parse),
                                      cmocka_unit_test(damaged_models) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
