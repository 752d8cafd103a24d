// Divided differences of x^r, r any number, over a (m times) and b (n times), a, b >= 0; times = 10*m + n. With the
// middle M = (a + b)/2 and t = (b - a)/(a + b) they are those of (1 + y)^r over -t and t, times M^(r - k), k = m + n -
// 1: nothing overflows that need not, and a = b = 0 is an ordinary case. The emitted code has its own
// (runtime/assembly/functions.c).
//
//   near, |t| <= 1/3:  integral of f^(k)(1 - t + 2ts) (1 - s)^(m-1) s^(n-1) ds/((m-1)! (n-1)!) from s = 0 to 1
//                      (Hermite and Genocchi), by Gauss' rule
//   far:               the recursion of divided differences, which then divides by 2t > 2/3
#include <math.h>
#include "pool_impl.h"

static double binomial(double r, int k) {                 // r(r - 1)...(r - k + 1)/k!
  double c = 1;
  for (int i = 0; i < k; i++) c *= (r - i)/(i + 1);
  return c;
}

static double factorial(int n) { return n < 2 ? 1 : n*factorial(n - 1); }

// c*x^s, 0 where c is 0
static double term(double c, double x, double s) { return c == 0 ? 0 : c*pow(x, s); }

static double near(double t, double r, int m, int n) {
  static const double at[] = {0.12523340851146892, 0.36783149899818019, 0.58731795428661745,
                              0.76990267419430469, 0.90411725637047486, 0.98156063424671925},
                      weight[] = {0.24914704581340279, 0.23349253653835481, 0.20316742672306592,
                                  0.16007832854334623, 0.10693932599531843, 0.047175336386511827};
  int k = m + n - 1;
  double sum = 0;
  for (int i = 0; i < 12; i++) {
    double x = i < 6 ? at[i] : -at[i - 6], s = 0.5*(1 + x);
    sum += 0.5*weight[i % 6]*pow(1 + t*x, r - k)*pow(1 - s, m - 1)*pow(s, n - 1);
  }
  return sum*binomial(r, k)*factorial(k)/(factorial(m - 1)*factorial(n - 1));
}

static double far(double a, double b, double r, int m, int n) {
  if (n == 0) return term(binomial(r, m - 1), a, r - m + 1);
  if (m == 0) return term(binomial(r, n - 1), b, r - n + 1);
  return (far(a, b, r, m - 1, n) - far(a, b, r, m, n - 1))/(b - a);
}

double divided_difference_of_power(double a, double b, double r, double times) {
  int m = (int)(times/10), n = (int)times - 10*m, k = m + n - 1;
  double middle = 0.5*a + 0.5*b;
  if (!(a >= 0 && b >= 0) || m < 1 || n < 1) return NAN;
  if (middle == 0) return term(binomial(r, k), 0, r - k);
  double t = (0.5*b - 0.5*a)/middle;
  return pow(middle, r - k)*(fabs(t) <= 1.0/3 ? near(t, r, m, n) : far(a/middle, b/middle, r, m, n));
}
