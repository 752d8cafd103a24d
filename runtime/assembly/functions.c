// The functions emitted code may call. Thin: their meaning at the edges (nan, signed zero, domain) is that of libm.
#include "nsm_abi.h"
#include "runtime/shared/table.h"
#include <stdint.h>
#include <math.h>

double nsm_sqrt(double x)  { return sqrt(x); }
double nsm_exp(double x)   { return exp(x); }
double nsm_log(double x)   { return log(x); }
double nsm_sin(double x)   { return sin(x); }
double nsm_cos(double x)   { return cos(x); }
void   nsm_sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }   // one call of libm's, the same bits
double nsm_tan(double x)   { return tan(x); }
double nsm_asin(double x)  { return asin(x); }
double nsm_acos(double x)  { return acos(x); }
double nsm_atan(double x)  { return atan(x); }
double nsm_sinh(double x)  { return sinh(x); }
double nsm_cosh(double x)  { return cosh(x); }
double nsm_tanh(double x)  { return tanh(x); }
double (nsm_abs)(double x)   { return fabs(x); }
double (nsm_floor)(double x) { return floor(x); }
double nsm_atan2(double y, double x) { return atan2(y, x); }
double nsm_turned(double y, double x, double near) {
  double a = atan2(y, x), turn = 2*3.14159265358979323846;
  return isfinite(near) ? a + turn*floor((near - a)/turn + 0.5) : NAN;
}
double nsm_pow(double x, double y)   { return pow(x, y); }

// Derivative number n of sin(x)/x (sign -1) and sinh(x)/x (sign 1).
//   far from 0:  x*f_n + n*f_{n-1} = derivative number n of sin(x)
//   near 0:      f_n = sum over 2k >= n of sign^k*x^(2k-n)/((2k+1)*(2k-n)!)
static double cardinal(double x, double order, int sign) {
  if (!(order >= 0 && order <= 64 && order == floor(order))) return NAN;
  int n = (int)order, k = (n + 1)/2;
  double odd = sign < 0 ? sin(x) : sinh(x), f = odd/x;
  if (n == 0) return x == 0 ? 1 : f;
  if (fabs(x) >= 1 + 0.5*n) {
    double even = sign < 0 ? cos(x) : cosh(x), flip = 1;
    for (int i = 1; i <= n; i++) {
      f = (flip*(i % 2 ? even : odd) - i*f)/x;
      if (i % 2) flip *= sign;
    }
    return f;
  }
  double power = (n % 2 ? x : 1)*(sign < 0 && k % 2 ? -1 : 1);
  f = power/(2*k + 1);
  for (int j = n % 2; fabs(power) > 1e-17*fabs(f); j += 2) {
    power *= sign*x*x/((j + 1)*(j + 2));
    f += power/(2*++k + 1);
  }
  return f;
}

double nsm_sinc(double x, double order)  { return cardinal(x, order, -1); }
double nsm_sinhc(double x, double order) { return cardinal(x, order, 1); }

// Divided differences of x^r over a, m times, and b, n times, are M^(r - k) times those of (1 + y)^r over -t and t,
// with M = (a + b)/2, t = (b - a)/(a + b), k = m + n - 1.
//   near:  sum over i >= k of binomial(r, i)*h_{i-k}, h_j the sum of all products of j of the m + n numbers -t, t
//   far:   table[i][j], i times a/M and j times b/M: (table[i-1][j] - table[i][j-1])/((b - a)/M)
// (docs/numerics/discrete-derivative.md (3.3))
enum { MOST_TIMES = 5, TERMS = 48 };

static double scaled_power(double c, double x, double s) { return c == 0 ? 0 : c*pow(x, s); }

static double spread_near(double t, double r, int m, int n) {
  double h[TERMS] = { 1 }, sum = 0, c = 1;
  int k = m + n - 1;
  if (k == 1) {                                              // h_j = t^j for even j
    for (int j = 2; j < TERMS; j += 2) h[j] = h[j - 2]*t*t;
  } else for (int node = 0; node < m + n; node++)
    for (int j = 1; j < TERMS; j++) h[j] += (node < m ? -t : t)*h[j - 1];
  for (int i = 1; i < k + TERMS; i++) {
    c *= (r - i + 1)/i;
    if (i >= k) sum += c*h[i - k];
  }
  return sum;
}

static double spread_far(double a, double b, double r, int m, int n) {
  double table[MOST_TIMES + 1][MOST_TIMES + 1];
  for (int i = 0; i <= m; i++)
    for (int j = 0; j <= n; j++) {
      if (i > 0 && j > 0) { table[i][j] = (table[i - 1][j] - table[i][j - 1])/(b - a); continue; }
      double c = 1, x = j == 0 ? a : b;
      int order = i + j - 1;
      for (int l = 0; l < order; l++) c *= (r - l)/(l + 1);
      table[i][j] = order < 0 ? 0 : scaled_power(c, x, r - order);
    }
  return table[m][n];
}

double nsm_powd(double a, double b, double r, double times) {
  int m = (int)times/10, n = (int)times - 10*m, k = m + n - 1;
  double middle = 0.5*a + 0.5*b;
  if (!(a >= 0 && b >= 0) || m < 1 || n < 1 || m > MOST_TIMES || n > MOST_TIMES) return NAN;
  if (middle == 0) {
    double c = 1;
    for (int i = 0; i < k; i++) c *= (r - i)/(i + 1);
    return scaled_power(c, 0, r - k);
  }
  double t = (0.5*b - 0.5*a)/middle;
  return pow(middle, r - k)*(fabs(t) <= 1.0/3 ? spread_near(t, r, m, n) : spread_far(a/middle, b/middle, r, m, n));
}

// The address of the points is a whole number below 2^53: nsm_points made it.
double nsm_by_points(double which, double a, double b, double times) {
  return nsm_table_value((const double *)(uintptr_t)which, a, b, times);
}

// A nan argument gives nan (fmin and fmax would hide it), and -0 is below 0, so that the order does not matter.
double nsm_min(double a, double b) { return a == b ? (signbit(a) ? a : b) : a < b || a != a ? a : b; }
double nsm_max(double a, double b) { return a == b ? (signbit(a) ? b : a) : a > b || a != a ? a : b; }
double nsm_sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }
