// How expressions look: as on paper, and in LaTeX.
#include "reader.h"

static void same(const char *text) {                 // prints as it was written
  const char *got = shown(read_text(text));
  if (strcmp(got, text) != 0) fail_msg("written %s\nprinted %s", text, got);
}

static void test_as_on_paper(void **state) {
  (void)state;
  same("g*m*z - c*v^2/2");
  same("(i - j - k)/c");
  same("g*m*(3*l - x - y)");
  same("k*(z - r)");
  same("1/(x - y)");
  same("x*(a - b)^3");
  same("-x^2");
  same("-2*x");
  same("x^(-y)");
  same("(-2)^x");
  same("2*x/3");
  same("x/4 - 0.1*y - 0.25");
  same("x + 1/3");
  same("x^(1/3)");
  same("(x^y)^z");
  same("x^(y^z)");
  same("x^(a + 1)");
  same("sin(x)^2 + cos(x)^2");
  same("a*sin(x)/(b*cos(y))");
  same("1e-9*x + 1.5e-7");
  same("min(a, b - 1)");
  same("atan2(y, -x)");
  same("0.7*((1.2 - b)/a)");                         // 0.7*(1.2 - b) would be distributed when read
  same("b/(a - 0.5)/7");
}

static void test_choices(void **state) {
  (void)state;
  same("if x < 1 then -x else if x == y then x^2 else 1/3");
  same("if a < b or x < 1 and not (y <= 2) then x else y");   // or and and are sorted, as sums are
  same("2*(if x < 1 then x else y)");
  same("if (if a < b then a else b) < 0 then x else y");
  same("sin(if x < y then a else b)");
}

static void test_latex(void **state) {
  (void)state;
  assert_string_equal(latex(read_text("m*g*z - c*v^2/2")), "g \\, m \\, z - \\frac{c \\, v^{2}}{2}");
  assert_string_equal(latex(read_text("(i - j)/c")), "\\frac{i - j}{c}");
  assert_string_equal(latex(read_text("sin(x)^2")), "\\sin^{2}\\left(x\\right)");
  assert_string_equal(latex(read_text("sqrt(x^2 + 1)")), "\\sqrt{x^{2} + 1}");
  assert_string_equal(latex(read_text("abs(x - y)")), "\\left|x - y\\right|");
  assert_string_equal(latex(read_text("1.5e-9*x")), "1.5 \\cdot 10^{-9} \\, x");
  assert_string_equal(latex(read_text("x^(1/3)")), "x^{\\frac{1}{3}}");
  assert_string_equal(latex(read_text("if x < 0 then 0 else x")),
                      "\\begin{cases} 0 & \\text{if } x < 0 \\\\ x & \\text{otherwise} \\end{cases}");
}

int main(void) {
  const struct CMUnitTest tests[] = {RIG_TEST(test_as_on_paper), RIG_TEST(test_choices), RIG_TEST(test_latex)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
