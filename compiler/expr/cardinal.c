// sin(x)/x, sinh(x)/x and their derivatives of any order, accurate near 0: what discrete derivatives of sines and
// exponentials are made of. The emitted code has its own (runtime/assembly/functions.c).
//
// With f_n = derivative number n, sigma = -1 for sin, 1 for sinh:
//   x*f_n + n*f_{n-1} = derivative number n of sin(x)                    away from 0                           (2)
//   f_n = sum over 2k >= n of sigma^k*x^(2k-n)/((2k+1)*(2k-n)!)          near 0                                (3)
// Upwards, (2) loses a factor of n/|x| at each order; (3) is used up to |x| = 1 + n/2. To some ulp for orders up to 4.
#include <math.h>
#include "pool_impl.h"

enum { HIGHEST = 64 };

static double away(double x, int n, int sign) {
  double odd = sign < 0 ? sin(x) : sinh(x), even = sign < 0 ? cos(x) : cosh(x), f = odd/x;
  for (int i = 1; i <= n; i++) {
    double top = i % 2 ? even : odd;
    f = ((sign < 0 && i % 4 > 1 ? -top : top) - i*f)/x;
  }
  return f;
}

static double near(double x, int n, int sign) {
  int k = (n + 1)/2, j = 2*k - n;                     // j = 0 or 1: the lowest power of x
  double power = (j ? x : 1)*(sign < 0 && k % 2 ? -1 : 1), sum = power/(2*k + 1), add;
  do {
    power *= sign*x*x/((j + 1)*(j + 2));
    k++;
    j += 2;
    add = power/(2*k + 1);
    sum += add;
  } while (fabs(add) > 0x1p-56*fabs(sum));
  return sum;
}

double cardinal(double x, double order, int sign) {
  if (!(order >= 0 && order <= HIGHEST && order == floor(order))) return NAN;
  int n = (int)order;
  if (n == 0 && x != 0) return (sign < 0 ? sin(x) : sinh(x))/x;
  return fabs(x) >= 1 + 0.5*n ? away(x, n, sign) : near(x, n, sign);
}
