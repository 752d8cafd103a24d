// Bounds: known ones, and random expressions, none of whose values lies outside.
#include "random_tree.h"
#include "reader.h"

static ExRange box[26];

static ExRange symbol_range(int id, void *ctx) {
  (void)ctx;
  return box[id];
}

static void lies(const char *text, double lo, double hi) {
  ExRange r = ex_range(P, read_text(text), symbol_range, NULL);
  double slack = 1e-12*(1 + fabs(isinf(lo) ? 0 : lo) + fabs(isinf(hi) ? 0 : hi));
  bool good = (r.lo == lo || fabs(r.lo - lo) <= slack) && (r.hi == hi || fabs(r.hi - hi) <= slack);
  if (!good) fail_msg("%s: [%.17g, %.17g], not [%.17g, %.17g]", text, r.lo, r.hi, lo, hi);
}

static void test_known(void **state) {
  (void)state;
  for (int i = 0; i < 26; i++) box[i] = (ExRange){ -INFINITY, INFINITY };
  box['a' - 'a'] = (ExRange){ 2, 2 };
  box['b' - 'a'] = (ExRange){ -1, 3 };
  box['t' - 'a'] = (ExRange){ 0, INFINITY };
  lies("x^2 + 1", 1, INFINITY);
  lies("-x^4 - a", -INFINITY, -2);
  lies("1.5 + cos(x)", 0.5, 2.5);
  lies("sin(b/3)", sin(-1.0/3), sin(1));
  lies("cos(b)", cos(3), 1);
  lies("exp(x) + 0.1", 0.1, INFINITY);
  lies("abs(b)", 0, 3);
  lies("b^2", 0, 9);
  lies("b^3", -1, 27);
  lies("1/(x^2 + a)", 0, 0.5);
  lies("1/b", -INFINITY, INFINITY);
  lies("sqrt(x^2 + y^2) - a", -2, INFINITY);
  lies("max(b, 1)*a", 2, 6);
  lies("min(x, b)", -INFINITY, 3);
  lies("if 0 < x then b else a", -1, 3);
  lies("if 0 <= t then b else 100", -1, 3);
  lies("if 5 < b then x else a", 2, 2);
  lies("tanh(x) + atan(y)", -1 - acos(0), 1 + acos(0));
  lies("0*x + t", 0, INFINITY);
  lies("x - x", 0, 0);
  lies("floor(b) + sign(b)", -2, 4);
}

static void test_random(void **state) {
  (void)state;
  int looked = 0;
  for (int seed = 1; seed <= 3000; seed++) {
    rt_seed((uint64_t)seed);
    Tree *t = rt_tree(5, false);
    double at[RT_SYMBOLS];
    for (int i = 0; i < RT_SYMBOLS; i++) {
      double lo = 4*rt_unit() - 2;
      box[i] = (ExRange){ lo, lo + (rt_below(3) == 0 ? 0 : 2*rt_unit()) };
    }
    ExRange r = ex_range(P, t->ex, symbol_range, NULL);
    for (int k = 0; k < 20; k++) {
      for (int i = 0; i < RT_SYMBOLS; i++) at[i] = box[i].lo + rt_unit()*(box[i].hi - box[i].lo);
      Dual d = rt_value(t, at, 0);                   // as written, by other code
      double v = d.v, slack = 1e-9*(1 + d.size);
      if (!d.ok || !isfinite(v)) continue;
      looked++;
      if (!(r.lo - slack <= v && v <= r.hi + slack))
        fail_msg("seed %d: %s = %.17g lies outside of [%.17g, %.17g]", seed, shown(t->ex), v, r.lo, r.hi);
    }
  }
  assert_true(looked > 20000);
}

int main(void) {
  const struct CMUnitTest tests[] = { RIG_TEST(test_known), RIG_TEST(test_random) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
