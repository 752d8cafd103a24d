// The text builder, and names that are nearly right.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/suggest.h"
#include "base/text.h"

static void number_is(double x, const char *expected) {
  Text t = {0};
  text_number(&t, x);
  assert_string_equal(text_str(&t), expected);
  text_free(&t);
}

static void numbers_are_short(void **state) {
  (void)state;
  number_is(0, "0");
  number_is(-0.0, "-0");
  number_is(1, "1");
  number_is(-2.5, "-2.5");
  number_is(0.1, "0.1");
  number_is(1000000, "1000000");
  number_is(1e15, "1e15");
  number_is(5e-9, "5e-9");
  number_is(-1.25e-300, "-1.25e-300");
  number_is(1.0 / 3, "0.3333333333333333");
  number_is(HUGE_VAL, "inf");
  number_is(-HUGE_VAL, "-inf");
  number_is(NAN, "nan");
}

static void numbers_read_back(void **state) {
  (void)state;
  uint64_t bits = 88172645463325252u;
  for (int k = 0; k < 20000; k++) {
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
    double x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) continue;
    Text t = {0};
    text_number(&t, x);
    assert_true(strtod(text_str(&t), NULL) == x);
    text_free(&t);
  }
}

static void text_grows(void **state) {
  (void)state;
  Text t = {0};
  assert_string_equal(text_str(&t), "");
  for (int k = 0; k < 1000; k++) text_printf(&t, "%d,", k);
  assert_int_equal(t.n, 3890);
  assert_int_equal(strlen(text_str(&t)), t.n);
  text_free(&t);
  text_addn(&t, "abc", 2);
  text_addc(&t, '!');
  assert_string_equal(text_str(&t), "ab!");
  text_free(&t);
}

static void json_is_escaped(void **state) {
  (void)state;
  Text t = {0};
  text_json_string(&t, "a\"b\\c\n\t\x01µ");
  assert_string_equal(text_str(&t), "\"a\\\"b\\\\c\\n\\t\\u0001µ\"");
  text_free(&t);
}

static const char *near(const char *wrong) {
  static const char *const names[] = {"mass", "radius", "lambda", "velocity", "R", "mu", "mu1", "coulomb"};
  return suggest(wrong, names, sizeof names / sizeof *names);
}

static void suggestions(void **state) {
  (void)state;
  assert_string_equal(near("mas"), "mass");
  assert_string_equal(near("amss"), "mass");
  assert_string_equal(near("lamda"), "lambda");
  assert_string_equal(near("velcoity"), "velocity");
  assert_string_equal(near("Radius"), "radius");
  assert_string_equal(near("r"), "R");
  assert_string_equal(near("columb"), "coulomb");
  assert_null(near("x"));
  assert_null(near("force"));
  assert_null(near(""));
  assert_null(suggest("a", NULL, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_are_short), cmocka_unit_test(numbers_read_back), cmocka_unit_test(text_grows),
    cmocka_unit_test(json_is_escaped), cmocka_unit_test(suggestions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
