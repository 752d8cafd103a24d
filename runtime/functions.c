// The functions emitted code may call. Thin: their meaning at the edges (nan, signed zero, domain) is that of libm.
#include "nsm_abi.h"
#include <math.h>

double nsm_sqrt(double x)  { return sqrt(x); }
double nsm_exp(double x)   { return exp(x); }
double nsm_log(double x)   { return log(x); }
double nsm_sin(double x)   { return sin(x); }
double nsm_cos(double x)   { return cos(x); }
double nsm_tan(double x)   { return tan(x); }
double nsm_asin(double x)  { return asin(x); }
double nsm_acos(double x)  { return acos(x); }
double nsm_atan(double x)  { return atan(x); }
double nsm_sinh(double x)  { return sinh(x); }
double nsm_cosh(double x)  { return cosh(x); }
double nsm_tanh(double x)  { return tanh(x); }
double nsm_abs(double x)   { return fabs(x); }
double nsm_floor(double x) { return floor(x); }
double nsm_atan2(double y, double x) { return atan2(y, x); }
double nsm_pow(double x, double y)   { return pow(x, y); }

// Derivative number n of sin(x)/x (sign -1) and sinh(x)/x (sign 1); s0, s1: sin and cos of x, or sinh and cosh.
//   far from 0:  x*f_n + n*f_{n-1} = derivative number n of sin(x)
//   near 0:      f_n = sum over 2k >= n of sign^k*x^(2k-n)/((2k+1)*(2k-n)!)
static double cardinal(double x, double order, int sign, double s0, double s1) {
  if (!(order >= 0 && order <= 64 && order == floor(order))) return NAN;
  int n = (int)order;
  if (n == 0 && x != 0) return s0/x;
  if (fabs(x) >= 1 + 0.5*n) {
    double f = s0/x;
    for (int i = 1; i <= n; i++) {
      double top = i % 2 ? s1 : s0;
      if (sign < 0 && (i/2 + (i % 2 ? 0 : 0)) % 2) top = -top;
      f = (top - i*f)/x;
    }
    return f;
  }
  int k = (n + 1)/2;
  double term = n % 2 ? x : 1, sum = 0;
  if (sign < 0 && k % 2) term = -term;
  for (int j = 2*k - n;; j += 2, k++) {
    double add = term/(2*k + 1), before = sum;
    sum += add;
    if (sum == before) return sum;
    term *= sign*x*x/((j + 1)*(j + 2));
  }
}

double nsm_sinc(double x, double order)  { return cardinal(x, order, -1, sin(x), cos(x)); }
double nsm_sinhc(double x, double order) { return cardinal(x, order, 1, sinh(x), cosh(x)); }

// A nan argument gives nan (fmin and fmax would hide it).
double nsm_min(double a, double b) { return a < b || a != a ? a : b; }
double nsm_max(double a, double b) { return a > b || a != a ? a : b; }
double nsm_sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }
