// What every operation means: its value, and right below its derivative.
//
// The values are the reference for every back end: plain IEEE double with the C library's functions.
#include <math.h>
#include "pool_impl.h"

// The angle of (x, y) within half a turn of `near`.
static double turned_angle(double y, double x, double near) {
  double a = atan2(y, x), turn = 2*3.14159265358979323846;
  return isfinite(near) ? a + turn*floor((near - a)/turn + 0.5) : NAN;
}

double op_value(Op op, const double *a, int n) {
  double r;
  switch (op) {
    case OP_NUM: case OP_SYM: case OP_COUNT: break;   // leaves have no arguments
    case OP_ADD: r = 0; for (int i = 0; i < n; i++) r += a[i]; return r;
    case OP_MUL: r = 1; for (int i = 0; i < n; i++) r *= a[i]; return r;
    case OP_POW: return a[1] == floor(a[1]) && fabs(a[1]) <= 64 ? integer_power(a[0], (long)a[1]) : pow(a[0], a[1]);
    case OP_PLUS:  return a[0] + a[1];
    case OP_MINUS: return a[0] - a[1];
    case OP_OPPOSITE: return -a[0];
    case OP_TIMES: return a[0]*a[1];
    case OP_OVER:  return a[0]/a[1];
    case OP_RAISED: return pow(a[0], a[1]);
    case OP_SQRT:  return sqrt(a[0]);
    case OP_EXP:   return exp(a[0]);
    case OP_LOG:   return log(a[0]);
    case OP_SIN:   return sin(a[0]);
    case OP_COS:   return cos(a[0]);
    case OP_TAN:   return tan(a[0]);
    case OP_ASIN:  return asin(a[0]);
    case OP_ACOS:  return acos(a[0]);
    case OP_ATAN:  return atan(a[0]);
    case OP_ATAN2: return atan2(a[0], a[1]);
    case OP_TURNED: return turned_angle(a[0], a[1], a[2]);
    case OP_SINH:  return sinh(a[0]);
    case OP_COSH:  return cosh(a[0]);
    case OP_TANH:  return tanh(a[0]);
    case OP_SHARED: return a[0];
    case OP_CHAIN: return a[0] == 0 || a[1] == 0 ? 0 : a[0]*a[1];
    case OP_POWD:  return divided_difference_of_power(a[0], a[1], a[2], a[3]);
    case OP_TABLE: return NAN;                        // its points are with the pool: eval.c
    case OP_SINC:  return cardinal(a[0], a[1], -1);
    case OP_SINHC: return cardinal(a[0], a[1], 1);
    case OP_ABS:   return fabs(a[0]);
    case OP_SIGN:  return a[0] > 0 ? 1 : a[0] < 0 ? -1 : a[0];    // here and in min and max, nan in gives nan out
    case OP_MIN:   return a[0] == a[1] ? (signbit(a[0]) ? a[0] : a[1]) : a[0] < a[1] || isnan(a[0]) ? a[0] : a[1];
    case OP_MAX:   return a[0] == a[1] ? (signbit(a[0]) ? a[1] : a[0]) : a[0] > a[1] || isnan(a[0]) ? a[0] : a[1];
    case OP_FLOOR: return floor(a[0]);
    case OP_LT:    return a[0] < a[1];
    case OP_LE:    return a[0] <= a[1];
    case OP_EQ:    return a[0] == a[1];
    case OP_AND:   return a[0] != 0 && a[1] != 0;
    case OP_OR:    return a[0] != 0 || a[1] != 0;
    case OP_NOT:   return a[0] == 0;
    case OP_IF:    return a[0] != 0 ? a[1] : a[2];
  }
  FATAL("no value for operation %d", (int)op);
}

// --- derivatives ---

static Ex one(Pool *p) { return ex_num(p, 1); }
static Ex square(Pool *p, Ex a) { return ex_pow(p, a, ex_num(p, 2)); }
static bool zero(const Pool *p, Ex a) { return ex_is_num(p, a, 0); }

// (f1*...*fn)' = sum over i of fi' * product of the others
static Ex product_rule(Pool *p, const Ex *f, const Ex *d, int n) {
  ExVec terms = {0}, factors = {0};
  for (int i = 0; i < n; i++) {
    if (zero(p, d[i])) continue;
    bool steep = node_of(p, f[i])->steep;
    factors.n = 0;
    for (int j = 0; j < n; j++)
      if (j != i || !steep) vec_push(&factors, j == i ? d[i] : f[j]);
    Ex t = ex_op(p, OP_MUL, factors.at, (int)factors.n);
    vec_push(&terms, steep ? build_chain(p, t, d[i]) : t);
  }
  Ex sum = ex_op(p, OP_ADD, terms.at, (int)terms.n);
  vec_free(&terms);
  vec_free(&factors);
  return sum;
}

// (u^v)' = v*u^(v-1)*u' + u^v*log(u)*v'; a term whose inner derivative is 0 is not there, so no log for constant
// exponents
//
// (u^r)^k counts as u^(r*k) where k is an integer and r is not (then u >= 0): x^(-1.5) is kept as (x^1.5)^(-1), and its
// slope is -1.5/x^2.5, without a square. (For even r it would be wrong: (x^2)^0.5 is not x.)
//
// At u = 0, u^v has a value where v > 0; the slope may be infinite where v < 1, and the logarithm is.
static Ex power_rule(Pool *p, Ex e, Ex u, Ex v, Ex du, Ex dv) {
  Ex by_base = EX_NONE, by_exponent = EX_NONE;
  if (!zero(p, du)) by_base = chain_rule(p, e, ex_mul(p, v, ex_pow(p, u, ex_sub(p, v, one(p)))), du);
  if (!zero(p, dv)) by_exponent = ex_mul(p, build_chain(p, e, ex_1(p, OP_LOG, u)), dv);
  return !by_base ? by_exponent : !by_exponent ? by_base : ex_add(p, by_base, by_exponent);
}

// (u^r)^k with k an integer and r not one
static bool is_power_of_power(const Pool *p, Ex e) {
  if (node_of(p, e)->op != OP_POW) return false;
  const Ex *a = args_of(p, e), *inner = args_of(p, a[0]);
  long k;
  return is_integer(p, a[1], &k) && node_of(p, a[0])->op == OP_POW && node_of(p, inner[1])->op == OP_NUM &&
         !is_integer(p, inner[1], &k);
}

static Ex powd(Pool *p, Ex a, Ex b, Ex r, double times) {
  return ex_op(p, OP_POWD, (Ex[]){a, b, r, ex_num(p, times)}, 4);
}

// f'(u), for the functions of one argument (sinc and sinhc: and an order); `e` is f(u).
static Ex outer(Pool *p, Op op, Ex e, Ex u) {
  switch (op) {
    case OP_SQRT: return ex_div(p, one(p), ex_mul(p, ex_num(p, 2), e));
    case OP_EXP:  return e;
    case OP_LOG:  return ex_div(p, one(p), u);
    case OP_SIN:  return ex_1(p, OP_COS, u);
    case OP_COS:  return ex_neg(p, ex_1(p, OP_SIN, u));
    case OP_TAN:  return ex_add(p, one(p), square(p, e));
    case OP_ASIN: return ex_div(p, one(p), ex_1(p, OP_SQRT, ex_sub(p, one(p), square(p, u))));
    case OP_ACOS: return ex_div(p, ex_num(p, -1), ex_1(p, OP_SQRT, ex_sub(p, one(p), square(p, u))));
    case OP_ATAN: return ex_div(p, one(p), ex_add(p, one(p), square(p, u)));
    case OP_SINH: return ex_1(p, OP_COSH, u);
    case OP_COSH: return ex_1(p, OP_SINH, u);
    case OP_TANH: return ex_sub(p, one(p), square(p, e));
    case OP_SINC: case OP_SINHC: return ex_2(p, op, u, ex_add(p, args_of(p, e)[1], one(p)));
    case OP_ABS:  return ex_1(p, OP_SIGN, u);         // 0 at the kink
    default: FATAL("no derivative for %s", ex_op_name(op));
  }
}

// x^r[a^m, b^n]' = m x^r[a^(m+1), b^n] a' + n x^r[a^m, b^(n+1)] b', and of r at a, b: (x^r log x)[a, b].
static Ex powd_derivative(Pool *p, const Ex *a, const Ex *d) {
  double times = node_of(p, a[3])->value, m = floor(times/10), n = times - 10*m;
  Ex sum = ex_add(p, build_chain(p, ex_mul(p, ex_num(p, m), powd(p, a[0], a[1], a[2], times + 10)), d[0]),
                  build_chain(p, ex_mul(p, ex_num(p, n), powd(p, a[0], a[1], a[2], times + 1)), d[1]));
  if (zero(p, d[2])) return sum;
  INVARIANT(times == 11);
  Ex u = a[0], v = a[1], r = a[2], lu = ex_1(p, OP_LOG, u), lv = ex_1(p, OP_LOG, v);
  Ex change = ex_sub(p, build_chain(p, ex_pow(p, v, r), lv), build_chain(p, ex_pow(p, u, r), lu));
  Ex equal = ex_mul(p, ex_pow(p, u, ex_sub(p, r, one(p))), ex_add(p, one(p), ex_mul(p, r, lu)));
  Ex by_r = ex_if(p, ex_2(p, OP_EQ, u, v), equal, ex_div(p, change, ex_sub(p, v, u)));
  return ex_add(p, sum, ex_mul(p, by_r, d[2]));
}

// f^(n)(x)' = f^(n+1)(x) x'; of divided differences as of powers:
// f[a^m, b^n]' = m f[a^(m+1), b^n] a' + n f[a^m, b^(n+1)] b'
static Ex table_derivative(Pool *p, const Ex *a, const Ex *d) {
  double times = node_of(p, a[3])->value, m = floor(times/10), n = times - 10*m;
  if (m == 0) return build_chain(p, ex_op(p, OP_TABLE, (Ex[]){a[0], a[1], a[2], ex_num(p, times + 1)}, 4), d[1]);
  Ex by_a = ex_op(p, OP_TABLE, (Ex[]){a[0], a[1], a[2], ex_num(p, times + 10)}, 4),
     by_b = ex_op(p, OP_TABLE, (Ex[]){a[0], a[1], a[2], ex_num(p, times + 1)}, 4);
  return ex_add(p, build_chain(p, ex_mul(p, ex_num(p, m), by_a), d[1]),
                build_chain(p, ex_mul(p, ex_num(p, n), by_b), d[2]));
}

Ex power_of_power_base(const Pool *p, Ex e) {
  return is_power_of_power(p, e) ? args_of(p, args_of(p, e)[0])[0] : EX_NONE;
}

// The derivative of e, given those of its arguments. Where e has a kink or a jump the value is that of one side.
Ex op_derivative(Pool *p, Ex e, const Ex *d, Ex d_inner) {
  Op op = (Op)node_of(p, e)->op;
  const Ex *a = args_of(p, e);
  int n = node_of(p, e)->n_args;
  switch (op) {
    case OP_ADD: return ex_op(p, OP_ADD, d, n);
    case OP_MUL: return product_rule(p, a, d, n);
    case OP_POW:
      if (is_power_of_power(p, e)) {
        const Ex *inner = args_of(p, a[0]);
        Ex rk = ex_num(p, node_of(p, a[1])->value*node_of(p, inner[1])->value);
        return power_rule(p, e, inner[0], rk, d_inner, d[1]);
      }
      return power_rule(p, e, a[0], a[1], d[0], d[1]);
    case OP_TURNED:                                   // the same: which turn it is does not move
    case OP_ATAN2: {                                  // angle of (x, y): (x*y' - y*x')/(x^2 + y^2)
      Ex y = a[0], x = a[1], r2 = ex_add(p, square(p, x), square(p, y));
      return ex_sub(p, chain_rule(p, e, ex_div(p, x, r2), d[0]), chain_rule(p, e, ex_div(p, y, r2), d[1]));
    }
    case OP_SHARED: return build_shared(p, d[0]);
    case OP_CHAIN: return ex_add(p, build_chain(p, d[0], a[1]), build_chain(p, a[0], d[1]));
    case OP_POWD: return powd_derivative(p, a, d);
    case OP_TABLE: return table_derivative(p, a, d);
    case OP_PLUS:     return ex_add(p, d[0], d[1]);
    case OP_MINUS:    return ex_sub(p, d[0], d[1]);
    case OP_OPPOSITE: return ex_neg(p, d[0]);
    case OP_TIMES:    return product_rule(p, a, d, 2);
    case OP_OVER:                                     // u/v: (u' - (u/v)*v')/v
      return build_chain(p, ex_div(p, one(p), a[1]), ex_sub(p, d[0], ex_mul(p, e, d[1])));
    case OP_RAISED:   return power_rule(p, e, a[0], a[1], d[0], d[1]);
    case OP_MIN: return ex_if(p, ex_2(p, OP_LT, a[1], a[0]), d[1], d[0]);
    case OP_MAX: return ex_if(p, ex_2(p, OP_LT, a[0], a[1]), d[1], d[0]);
    case OP_IF:  return ex_if(p, a[0], d[1], d[2]);
    case OP_SIGN: case OP_FLOOR: case OP_LT: case OP_LE: case OP_EQ: case OP_AND: case OP_OR: case OP_NOT:
      return ex_num(p, 0);                            // piecewise constant
    default:
      return chain_rule(p, e, outer(p, op, e, a[0]), d[0]);
  }
}

Ex op_partial(Pool *p, Ex e, int k) {
  ExVec d = {0};
  for (int i = 0; i < node_of(p, e)->n_args; i++) vec_push(&d, ex_num(p, i == k ? 1 : 0));
  const Ex *a = args_of(p, e);
  Ex r = node_of(p, e)->op == OP_POW ? power_rule(p, e, a[0], a[1], d.at[0], d.at[1])
                                     : op_derivative(p, e, d.at, EX_NONE);
  vec_free(&d);
  return r;
}
