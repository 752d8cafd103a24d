// Jumps and kinks: expressions whose answer is known, and random ones against the sizes of their differences.
#include "reader.h"

// x and y move and are crossed, t moves from 0 on, s moves but is not crossed; a = 2, b = -1 are constants.
static const ExAxis axes[] = { { 'x' - 'a', 0.3, -INFINITY, INFINITY, true },
                               { 'y' - 'a', 0, -INFINITY, INFINITY, true },
                               { 't' - 'a', 0, 0, INFINITY, true },
                               { 's' - 'a', 1, -INFINITY, INFINITY, false } };

static double constant(int id, void *ctx) {
  (void)ctx;
  return id == 'a' - 'a' ? 2 : id == 'b' - 'a' ? -1 : NAN;
}

static bool jumps(const char *text, ExBreak *b) { return ex_jumps(P, read_text(text), axes, 4, constant, NULL, b); }
static bool kinks(const char *text, ExBreak *b) { return ex_kinks(P, read_text(text), axes, 4, constant, NULL, b); }

static void has_jump(const char *text, char by, double where, double height) {
  ExBreak b;
  if (!jumps(text, &b)) fail_msg("%s: no jump found", text);
  if (b.symbol != by - 'a' || fabs(b.where - where) > 1e-9)
    fail_msg("%s: jumps where %c passes %g", text, 'a' + b.symbol, b.where);
  if (fabs(b.after - b.before - height) > 1e-5) fail_msg("%s: jumps by %g", text, b.after - b.before);
}

static void is_smooth(const char *text) {
  ExBreak b;
  if (jumps(text, &b)) fail_msg("%s: jumps where %c passes %g", text, 'a' + b.symbol, b.where);
  if (kinks(text, &b)) fail_msg("%s: kink where %c passes %g", text, 'a' + b.symbol, b.where);
}

static void has_kink(const char *text, char by) {
  ExBreak b;
  if (jumps(text, &b)) fail_msg("%s: jumps where %c passes %g", text, 'a' + b.symbol, b.where);
  if (!kinks(text, &b)) fail_msg("%s: no kink found", text);
  if (b.symbol != by - 'a') fail_msg("%s: kink along %c", text, 'a' + b.symbol);
}

static void test_jumps(void **state) {
  (void)state;
  has_jump("sign(x)", 'x', 0, 2);
  has_jump("x - sign(y - 2)", 'y', 2, -2);
  has_jump("y + 0.1*sign(t - 0.5)", 't', 0.5, 0.2);
  has_jump("floor(x)", 'x', 1, 1);
  has_jump("x*x - 3*floor(10*t)", 't', 0.1, -3);
  has_jump("if 0.001 < x then 1 else 0", 'x', 0.001, 1);
  has_jump("if x < a then x else x + 0.3", 'x', 2, 0.3);
  has_jump("if x < 1 and b < x then 1 else 0", 'x', -1, 1);
  has_jump("1e-6*sign(x - 1e-7)", 'x', 1e-7, 2e-6);
  has_jump("1e9 + 1e3*sign(x)", 'x', 0, 2e3);
  has_jump("sign(exp(x) - 3)", 'x', log(3), 2);
  has_jump("floor(0.5*sin(t))", 't', 3.14159265358979, -1);
}

static void test_kinks(void **state) {
  (void)state;
  has_kink("abs(x)", 'x');
  has_kink("max(x, 0)*s", 'x');
  has_kink("min(x, y)", 'x');
  has_kink("sign(x)*x", 'x');
  has_kink("if 1 < x then x else 1", 'x');
  has_kink("if 1 < x then 2*x - 1 else x", 'x');
  has_kink("sqrt(abs(x))", 'x');
  has_kink("abs(x - y)", 'x');
  has_kink("max(t - 1, 0)", 't');
}

static void test_smooth(void **state) {
  (void)state;
  is_smooth("x^2 + sin(y)/t");
  is_smooth("abs(x)^2");
  is_smooth("abs(x)^3");
  is_smooth("max(x, 0)^2");
  is_smooth("max(x, 0)^2.5 + sqrt(max(-x, 0))^5");
  is_smooth("sign(x)*x^2");
  is_smooth("if 1 < x then (x - 1)^2 else 0");
  is_smooth("if abs(x) < 1 then (1 - x^2)^2 else 0");
  is_smooth("if 0 < x then sin(x) else x");
  is_smooth("if 1 < a then x else x + 1");          // chosen by a constant
  is_smooth("sign(s)*x + floor(s)");                // s is not crossed
  is_smooth("sign(t + 1)*x");                       // not before the start
  is_smooth("sign(x^2 + 1) + abs(2 + sin(y))");     // never there
  is_smooth("sqrt(x^2 + y^2)");
  is_smooth("if 2 < x then (if 1 < x then x else 0) else x");   // the inner one is decided there
  is_smooth("abs(1e8*x - 1e8*y)^2/1e16");
  is_smooth("1/x + tan(y)");                        // poles are no jumps
}

int main(void) {
  const struct CMUnitTest tests[] = { RIG_TEST(test_jumps), RIG_TEST(test_kinks), RIG_TEST(test_smooth) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
