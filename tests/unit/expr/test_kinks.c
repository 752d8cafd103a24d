// Discrete derivatives and gradients where arguments vanish, are cut off, or are very small: powers of max(x, 0),
// |x|^p, sqrt(u)^k, powers of sums of squares, angles of what is cut off. Such a function has a value and a slope
// there, so nothing may become nan, and Df*(b - a) = f(b) - f(a) must hold as elsewhere.
#include "discrete_rig.h"
#include "../../../runtime/nsm_abi.h"
#include "tests/unit/thin.h"

enum { TREES = 800 / THIN, POINTS = 12 };

// --- functions ---

static Ex symbol(void) { return ex_sym(P, rt_below(RT_SYMBOLS)); }

// 0 somewhere, never negative; the last two are squares
enum { KINDS = 8, WITHOUT_SQUARES = 6 };
static Ex vanishing(int kinds) {
  Ex x = symbol(), y = symbol(), zero = num(0), two = num(2);
  switch (rt_below(kinds)) {
    case 0: return ex_2(P, OP_MAX, x, zero);
    case 1: return ex_2(P, OP_MAX, ex_neg(P, x), zero);
    case 2: return ex_2(P, OP_MAX, ex_sub(P, x, y), zero);
    case 3: return ex_1(P, OP_ABS, x);
    case 4: return ex_neg(P, ex_2(P, OP_MIN, x, zero));
    case 5: return ex_1(P, OP_ABS, ex_sub(P, ex_mul(P, num(3), x), y));
    case 6: return ex_pow(P, x, two);
    default: return ex_add(P, ex_pow(P, x, two), ex_pow(P, y, two));
  }
}

// A power of it with exponent above 1: a slope everywhere, of 0 where it vanishes.
static Ex smooth_power(int kinds) {
  static const double exponents[] = {1.5, 2.5, 5.0/3, 1.2, 3.5, 2.2};
  Ex u = vanishing(kinds);
  switch (rt_below(5)) {
    case 0: case 1: return ex_pow(P, u, num(exponents[rt_below(6)]));
    case 2: return ex_pow(P, ex_1(P, OP_SQRT, u), num(3 + rt_below(3)));
    case 3: return ex_mul(P, u, ex_1(P, OP_SQRT, u));
    default: return ex_mul(P, ex_pow(P, u, num(2)), ex_1(P, OP_SQRT, ex_add(P, u, num(1))));
  }
}

// Slopes that are infinite at the edge and multiplied by 0 beyond it.
static Ex cut_off(void) {
  Ex x = symbol(), u = ex_2(P, OP_MAX, x, num(0)), clip = ex_2(P, OP_MAX, num(-1), ex_2(P, OP_MIN, x, num(1)));
  switch (rt_below(5)) {
    case 0: return ex_1(P, OP_SQRT, u);
    case 1: return ex_1(P, OP_ASIN, clip);
    case 2: return ex_1(P, OP_ACOS, clip);
    case 3: return ex_pow(P, u, num(0.7));
    default: return ex_2(P, OP_ATAN2, u, ex_2(P, OP_MAX, symbol(), num(0.5)));
  }
}

static Ex kinked(bool edges, int kinds) {
  Ex f = smooth_power(kinds);
  for (int i = rt_below(3); i > 0; i--) {
    Ex g = edges && rt_below(2) ? cut_off() : smooth_power(kinds);
    Ex outer[] = {ex_add(P, f, g), ex_mul(P, f, g), ex_sub(P, f, ex_mul(P, num(0.3), g)),
                  ex_mul(P, f, ex_1(P, OP_COS, symbol())), ex_1(P, OP_EXP, ex_neg(P, f))};
    f = outer[rt_below(edges ? 1 : 5)];
  }
  return f;
}

// --- points ---

static double coordinate(void) {
  static const double special[] = {0, 0, 0, 1e-310, 1e-200, -1e-200, 1e-160, 3e-9, -3e-9, 1, -1, 0.25};
  return rt_below(3) ? special[rt_below(12)] : 2*rt_unit() - 1;
}

static void pair_of_points(double *a, double *b) {
  for (int i = 0; i < RT_SYMBOLS; i++) {
    a[i] = coordinate();
    b[i] = rt_below(3) ? coordinate() : rt_below(2) ? a[i] : a[i]*(1 + 1e-7*rt_unit());
  }
}

static void reported(Ex f, const char *what, double got, double wanted, const double *a, const double *b) {
  for (int i = 0; i < RT_SYMBOLS; i++) print_message("%c: %.17g to %.17g\n", 'a' + i, a[i], b[i]);
  fail_msg("%s\n  of %s\n  is %.17g, expected %.17g", what, shown(f), got, wanted);
}

// --- properties ---

static void test_directional_at_kinks(void **state) {
  (void)state;
  for (int i = 0; i < TREES; i++) {
    rt_seed(300000 + (uint64_t)i);
    Ex f = kinked(false, KINDS);
    Between df = between(f);
    for (int k = 0; k < POINTS; k++) {
      double a[RT_SYMBOLS], b[RT_SYMBOLS], sum = 0, size = 0;
      pair_of_points(a, b);
      for (int j = 0; j < RT_SYMBOLS; j++) {
        double d = at_ends(df.d[j], a, b), back = at_ends(df.d[j], b, a), step = d*(b[j] - a[j]);
        if (!isfinite(d)) reported(f, "a component", d, 0, a, b);
        if (fabs(d - back) > 64*EPS*fabs(d) + 1e-14) reported(f, "the derivative from b to a", back, d, a, b);
        sum += step;
        size += fabs(step);
      }
      double fa = ex_eval_array(P, f, a), fb = ex_eval_array(P, f, b);
      size += fabs(fa) + fabs(fb);
      if (fabs(sum - (fb - fa)) > 64*EPS*(1 + size)) reported(f, "Df*(b - a)", sum, fb - fa, a, b);
    }
  }
}

// At equal points the derivative is the gradient; neither is nan or infinite, and it is the difference quotient.
static void test_gradient_at_kinks(void **state) {
  (void)state;
  for (int i = 0; i < TREES; i++) {
    rt_seed(400000 + (uint64_t)i);
    Ex f = kinked(false, KINDS);
    Between df = between(f);
    for (int k = 0; k < POINTS; k++) {
      double a[RT_SYMBOLS];
      for (int j = 0; j < RT_SYMBOLS; j++) a[j] = coordinate();
      for (int j = 0; j < RT_SYMBOLS; j++) {
        double g = ex_eval_array(P, ex_diff(P, f, j), a), d = at_ends(df.d[j], a, a);
        if (!isfinite(g)) reported(f, "the gradient", g, d, a, a);
        if (fabs(g - d) > 1e-13*(1 + fabs(g))) reported(f, "the derivative from a to a", d, g, a, a);
      }
    }
  }
}

// Beyond an edge the slope is 0, at it it may be infinite, and nowhere nan.
static void test_edges(void **state) {
  (void)state;
  for (int i = 0; i < TREES; i++) {
    rt_seed(500000 + (uint64_t)i);
    Ex f = kinked(true, KINDS);
    Between df = between(f);
    for (int k = 0; k < POINTS; k++) {
      double a[RT_SYMBOLS], b[RT_SYMBOLS];
      pair_of_points(a, b);
      for (int j = 0; j < RT_SYMBOLS; j++) {
        double d = at_ends(df.d[j], a, b), g = ex_eval_array(P, ex_diff(P, f, j), a);
        if (isnan(d)) reported(f, "a component", d, 0, a, b);
        if (isnan(g)) reported(f, "the gradient", g, 0, a, a);
      }
    }
  }
}

// What Newton's method takes: not nan, and finite where the exponents are at least 2.
static void test_slopes_at_kinks(void **state) {
  (void)state;
  for (int i = 0; i < TREES; i++) {
    rt_seed(600000 + (uint64_t)i);
    bool high = rt_below(2);
    int kinds = WITHOUT_SQUARES;                        // 1e-200 squared is 0 while its slope is not
    Ex f = high ? ex_pow(P, vanishing(kinds), num(rt_below(2) ? 2.5 : 3.2)) : kinked(false, kinds);
    Between df = between(f);
    for (int k = 0; k < POINTS; k++) {
      double a[RT_SYMBOLS], b[RT_SYMBOLS];
      int j = rt_below(RT_SYMBOLS), l = rt_below(RT_SYMBOLS);
      pair_of_points(a, b);
      double by_end = at_ends(ex_diff(P, df.d[j], AT_B + l), a, b);
      double hesse = ex_eval_array(P, ex_diff(P, ex_diff(P, f, j), l), a);
      bool kink = false;                                // the slope of |x| between -1e-200 and 1e-200 is 1e200
      for (int n = 0; n < RT_SYMBOLS; n++) kink = kink || fabs(b[n] - a[n]) < 1e-100;
      if (isnan(by_end) || (high && !kink && !isfinite(by_end))) reported(f, "the slope by the end", by_end, 0, a, b);
      if (isnan(hesse) || (high && !isfinite(hesse))) reported(f, "the second derivative", hesse, 0, a, b);
    }
  }
}

// --- x^r[a, b] itself ---

static void near_to(const char *what, double a, double b, double r, double got, double want, double tol) {
  if (fabs(got - want) > tol*fabs(want))
    fail_msg("%s of x^%g between %g and %g: %.17g, expected %.17g", what, r, a, b, got, want);
}

// Evaluator and runtime by different formulas, both against long double where that does not cancel.
static void test_divided_powers(void **state) {
  (void)state;
  rt_seed(1);
  for (int i = 0; i < 20000 / THIN; i++) {
    static const double ratios[] = {0, 1e-12, 0.01, 0.3, 0.49, 0.5, 0.9, 0.999999, 1};
    double b = exp(60*rt_unit() - 30), a = b*(rt_below(2) ? ratios[rt_below(9)] : rt_unit()), r = 0.1 + 6*rt_unit();
    double one = divided_difference_of_power(a, b, r, 11), other = nsm_powd(a, b, r, 11);
    near_to("two formulas", a, b, r, one, other, 2e-14);
    long double secant = (powl(b, r) - powl(a, r))/((long double)b - a);
    if (a < 0.9*b) near_to("the quotient", a, b, r, one, (double)secant, 2e-14);
    if (a == b) near_to("the slope", a, b, r, one, r*pow(a, r - 1), 2e-14);
    for (int m = 1; m <= 2; m++)
      for (int n = 1; n <= 3; n++) {
        if (a == 0 && m > 1) continue;                   // may be infinite
        int times = 10*m + n;
        near_to("a higher one", a, b, r, divided_difference_of_power(a, b, r, times), nsm_powd(a, b, r, times), 1e-9);
      }
  }
  assert_true(nsm_powd(0, 0, 1.5, 11) == 0 && nsm_powd(0, 0, 2.5, 12) == 0 && nsm_powd(0, 0, 1.5, 12) == INFINITY);
  assert_true(isnan(nsm_powd(-1, 1, 1.5, 11)) && isnan(divided_difference_of_power(-1, 1, 1.5, 11)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    RIG_TEST(test_directional_at_kinks), RIG_TEST(test_gradient_at_kinks), RIG_TEST(test_edges),
    RIG_TEST(test_slopes_at_kinks),      RIG_TEST(test_divided_powers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
