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

// A nan argument gives nan (fmin and fmax would hide it).
double nsm_min(double a, double b) { return a < b || a != a ? a : b; }
double nsm_max(double a, double b) { return a > b || a != a ? a : b; }
double nsm_sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }
