// The functions of emitted code that are more than libm's: derivatives of sin(x)/x and sinh(x)/x, one from the other;
// divided differences of powers, which are sums of products for whole exponents (runtime/assembly/functions.c).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include "nsm_abi.h"

static void cardinals(void **state) {
  (void)state;
  double (*const of[])(double, double) = { nsm_sinc, nsm_sinhc };
  for (int k = 0; k < 2; k++) {
    assert_true(of[k](0, 0) == 1 && of[k](0, 1) == 0 && fabs(of[k](0, 2) - (k ? 1. : -1.) / 3) < 1e-16);
    assert_true(isnan(of[k](1, 0.5)) && isnan(of[k](1, -1)) && isnan(of[k](1, 65)));
    for (int order = 1; order < 8; order++)
      for (double x = -5; x <= 5; x += 0.37) {
        double h = 1e-3, f[4];
        for (int i = 0; i < 4; i++) f[i] = of[k](x + (i < 2 ? i - 2 : i - 1) * h, order - 1);
        double slope = (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h), size = 1 + fabs(of[k](x, order - 1));
        assert_true(fabs(of[k](x, order) - slope) < 1e-9 * size);
      }
  }
}

static double binomial(int n, int k) {
  double c = 1;
  for (int i = 0; i < k; i++) c *= (double)(n - i) / (i + 1);
  return c;
}

// Of x^r over a, m times, and b, n times: the sum of all products of r - m - n + 1 of them.
static double products(double a, int m, double b, int n, int r) {
  double sum = 0;
  int degree = r - m - n + 1;
  for (int i = 0; i <= degree; i++)
    sum += binomial(i + m - 1, m - 1) * pow(a, i) * binomial(degree - i + n - 1, n - 1) * pow(b, degree - i);
  return sum;
}

static void powers(void **state) {
  (void)state;
  static const double to[] = { 0, 0.1, 0.6, 0.9, 1, 1.3, 2.5, 7 };
  for (int m = 1; m <= 5; m++)
    for (int n = 1; n <= 5; n++)
      for (int i = 0; i < 8; i++) {
        double a = 1.1, b = a * to[i];
        for (int r = m + n - 1; r < 11; r++) {
          double want = products(a, m, b, n, r);
          assert_true(fabs(nsm_powd(a, b, r, 10 * m + n) - want) <= 1e-9 * want);
          assert_true(fabs(nsm_powd(b, a, r, 10 * n + m) - want) <= 1e-9 * want);
        }
        if (m < 2 || n < 2 || i == 4) continue;            // of any power by those over less
        double d = (nsm_powd(a, b, 9.7, 10 * m - 10 + n) - nsm_powd(a, b, 9.7, 10 * m + n - 1)) / (b - a);
        assert_true(fabs(nsm_powd(a, b, 9.7, 10 * m + n) - d) <= 1e-8 * d);
      }
  assert_true(nsm_powd(0, 0, 1, 11) == 1 && nsm_powd(0, 0, 2, 11) == 0 && nsm_powd(0, 0, 3, 22) == 1);
  assert_true(isnan(nsm_powd(-1, 1, 2, 11)) && isnan(nsm_powd(1, 1, 2, 16)) && isnan(nsm_powd(1, 1, 2, 1)));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(cardinals), cmocka_unit_test(powers) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
