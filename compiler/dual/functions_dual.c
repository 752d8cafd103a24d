// Values of functions as emitted code has them, and their slopes.
#include <math.h>
#include "../base/fatal.h"
#include "../../runtime/nsm_abi.h"
#include "functions_dual.h"

// x^r: of a constant r without the logarithm, which a negative x has not.
static dual power(dual x, dual r) {
  double y = nsm_pow(x.a[0], r.a[0]), slope = r.a[0] == 0 ? 0 : r.a[0] * pow(x.a[0], r.a[0] - 1), by_r = 0;
  if (dual_varies(r)) by_r = x.a[0] > 0 ? y * log(x.a[0]) : 0;
  return dual_by2(y, slope, x, by_r, r);
}

// Divided differences, (m, n) times over a and b: d/da f[a^m, b^n] = m f[a^(m+1), b^n], d/db likewise.
static dual spread(double (*f)(double, double, double, double, double), double r, dual a, dual b, int times) {
  int m = times / 10, n = times % 10;
  return dual_by2(f(r, a.a[0], b.a[0], times, 0), m * f(r, a.a[0], b.a[0], times + 10, 0), a,
                  n * f(r, a.a[0], b.a[0], times + 1, 0), b);
}

static double of_power(double r, double a, double b, double times, double unused) {
  (void)unused;
  return nsm_powd(a, b, r, times);
}

static double of_points(double which, double a, double b, double times, double unused) {
  (void)unused;
  return nsm_by_points(which, a, b, times);
}

static dual by_points(const dual *x) {
  int times = (int)x[3].a[0];
  if (times >= 10) return spread(of_points, x[0].a[0], x[1], x[2], times);
  double y = nsm_by_points(x[0].a[0], x[1].a[0], x[2].a[0], times);
  return times < 0 ? dual_of(y) : dual_by(y, nsm_by_points(x[0].a[0], x[1].a[0], x[2].a[0], times + 1), x[1]);
}

static dual angle(double y, const dual *x) {
  double r = x[0].a[0] * x[0].a[0] + x[1].a[0] * x[1].a[0];
  return dual_by2(y, x[1].a[0] / r, x[0], -x[0].a[0] / r, x[1]);
}

static dual cardinal(double (*f)(double, double), const dual *x) {
  return dual_by(f(x[0].a[0], x[1].a[0]), f(x[0].a[0], x[1].a[0] + 1), x[0]);
}

dual dual_call(KSymbol function, const dual *arg) {
  dual x = arg[0];
  double v = x.a[0], y;
  dual_asks_value();
  switch (function) {
  case KS_nsm_sqrt: return dual_sqrt(x);
  case KS_nsm_exp: y = nsm_exp(v); return dual_by(y, y, x);
  case KS_nsm_log: return dual_by(nsm_log(v), 1 / v, x);
  case KS_nsm_sin: return dual_by(nsm_sin(v), nsm_cos(v), x);
  case KS_nsm_cos: return dual_by(nsm_cos(v), -nsm_sin(v), x);
  case KS_nsm_tan: y = nsm_tan(v); return dual_by(y, 1 + y * y, x);
  case KS_nsm_asin: return dual_by(nsm_asin(v), 1 / sqrt(1 - v * v), x);
  case KS_nsm_acos: return dual_by(nsm_acos(v), -1 / sqrt(1 - v * v), x);
  case KS_nsm_atan: return dual_by(nsm_atan(v), 1 / (1 + v * v), x);
  case KS_nsm_sinh: return dual_by(nsm_sinh(v), nsm_cosh(v), x);
  case KS_nsm_cosh: return dual_by(nsm_cosh(v), nsm_sinh(v), x);
  case KS_nsm_tanh: y = nsm_tanh(v); return dual_by(y, 1 - y * y, x);
  case KS_nsm_atan2: return angle(nsm_atan2(v, arg[1].a[0]), arg);
  case KS_nsm_turned: return angle(nsm_turned(v, arg[1].a[0], arg[2].a[0]), arg);
  case KS_nsm_abs: return v < 0 ? dual_scale(x, -1) : x;
  case KS_nsm_sign: return dual_of(nsm_sign(v));
  case KS_nsm_floor: return dual_of(floor(v));
  case KS_nsm_min: return nsm_min(v, arg[1].a[0]) == v ? x : arg[1];
  case KS_nsm_max: return nsm_max(v, arg[1].a[0]) == v ? x : arg[1];
  case KS_nsm_pow: return power(x, arg[1]);
  case KS_nsm_sinc: return cardinal(nsm_sinc, arg);
  case KS_nsm_sinhc: return cardinal(nsm_sinhc, arg);
  case KS_nsm_powd: return spread(of_power, arg[2].a[0], arg[0], arg[1], (int)arg[3].a[0]);
  case KS_nsm_by_points: return by_points(arg);
  default: FATAL("%s has no derivative", k_symbol_info(function)->name);
  }
}

dual dual_operation(Op op, const dual *arg) {
  KSymbol s;
  if (op == OP_POW || op == OP_RAISED) return power(arg[0], arg[1]);
  if (!k_symbol_of_op(op, &s)) FATAL("operation %d has no derivative", (int)op);
  return dual_call(s, arg);
}
