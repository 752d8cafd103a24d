// Input that is no model: megabytes of anything end quickly, in a few plain messages.
#include "bench.h"
#include "tests/unit/thin.h"
#include "tests/unit/diagnosed.h"

enum { LARGE = THIN > 1 ? 200 * 1000 : 2 * 1000 * 1000 };

static void refused(const char *before, const char *piece, const char *after, const char *code) {
  Text t = {0};
  text_add(&t, before);
  while (t.n < (strcmp(piece, "(") == 0 ? 5 * LARGE : LARGE)) text_add(&t, piece);
  text_add(&t, after);
  Bench b = parsed(text_str(&t), t.n);
  const char *shown = messages(&b);
  if (!strstr(shown, code)) fail_msg("%s%s...: %s is missing in\n%s", before, piece, code, shown);
  assert_true(strlen(shown) < 20000);
  assert_non_null(b.tree);
  text_free(&t);
  arena_free(b.arena);
}

static void nesting(void **state) {
  (void)state;
  refused("", "(", "", "E0110");
  refused("", "[", "", "E0110");
  refused("", "{", "", "E0110");
  refused("model A { x = ", "(", "1;}", "E0110");
  refused("model A { x = ", "-", "1;}", "E0110");
  refused("model A { x = ", "not ", "1;}", "E0110");
  refused("model A { x = ", "1 + ", "1;}", "E0110");
  refused("model A { x = ", "1^", "1;}", "E0110");
  refused("model A { x = ", "if a then b else ", "1;}", "E0110");
  refused("model A { x = ", "if ", "1;}", "E0110");
  refused("model A { x = ", "sum(i in 1:2) ", "1;}", "E0110");
  refused("model A { x", "'", " = 1;}", "E0110");
  refused("model A { x", ".y", " = 1;}", "E0110");
  refused("model A {", "for i in 1:n {", "", "E0110");
  refused("", "model A {", "", "E0110");
}

static void noise(void **state) {
  (void)state;
  refused("", "}", "", "E0105");
  refused("", ")", "", "E0105");
  refused("", "$ ", "", "E0106");
  refused("", "\xff", "", "E0107");
  refused("a", " ", "\xc2", "E0107");
  refused("", "\n", "", "E0109");
  refused("", "// c\n", "", "E0109");
  refused("/*", " /* ", "", "E0111");
  refused("", "*/", "", "E0111");
  refused("model A { param a = \"", "x", "", "E0112");
  refused("model A { x = ", "1", ";}", "E0113");
  refused("", "param ", "", "E0114");
  refused("", "x;", "", "E0118");
  refused("", "\"", "", "E0");
  refused("", ",", "", "E0101");
  refused("", "a b ", "", "E01");
}

static void binary(void **state) {
  (void)state;
  Bench b = parsed("model A {\0}", 11);
  assert_true(diagnosed(b.bag, DIAG_E0108));
  arena_free(b.arena);
  b = parsed("\xFF\xFEm\0o\0", 6);
  assert_non_null(strstr(messages(&b), "UTF-16"));
  arena_free(b.arena);
  b = parsed("", 0);
  assert_true(diagnosed(b.bag, DIAG_E0109));
  arena_free(b.arena);
  b = parsed("\xEF\xBB\xBFmodel A { }\r\n", 16);   // a byte order mark is fine
  assert_int_equal(diag_errors(b.bag), 0);
  arena_free(b.arena);
}

// What is deep but allowed.
static void within_the_limits(void **state) {
  (void)state;
  Text t = {0};
  text_add(&t, "model A { x = ");
  for (int k = 0; k < 900; k++) text_add(&t, "(1 + ");
  text_add(&t, "1");
  for (int k = 0; k < 900; k++) text_add(&t, ")");
  text_add(&t, "; y = 1");
  for (int k = 0; k < 3900; k++) text_add(&t, " + 1");
  text_add(&t, "; z = [1");
  for (int k = 0; k < 100000; k++) text_add(&t, ", 1");
  text_add(&t, "];");
  for (int k = 0; k < 100000; k++) text_add(&t, "x = 1;\n");
  text_add(&t, "}");
  Bench b = parsed(t.at, t.n);
  if (diag_errors(b.bag)) fail_msg("%s", messages(&b));
  assert_int_equal(b.tree->list.at[0]->list2.n, 100003);
  text_free(&t);
  arena_free(b.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nesting), cmocka_unit_test(noise), cmocka_unit_test(binary),
                                     cmocka_unit_test(within_the_limits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
