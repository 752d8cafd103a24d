// Divided differences phi[a,b] = (phi(b) - phi(a))/(b - a) of the functions of one variable, in forms that do not
// cancel: where a and b are close, a form without the difference phi(b) - phi(a); where they are far apart, the secant
// itself, which is then accurate and cannot overflow where phi does not. All are symmetric in (a,b) and give phi'(a) at
// a = b.
//
// Numbers in brackets: docs/numerics/discrete-derivative.md. Below, m = (a + b)/2, d = b - a, h = d/2.
#include "discrete_impl.h"

static Ex one(Pool *p) { return ex_num(p, 1); }
static Ex half(Pool *p, Ex e) { return ex_mul(p, ex_num(p, 0.5), e); }
static Ex times(Pool *p, Ex a, Ex b, Ex c) { return ex_op(p, OP_MUL, (Ex[]){a, b, c}, 3); }
static Ex inverse(Pool *p, Ex e) { return ex_div(p, one(p), e); }
static Ex less(Pool *p, Ex a, Ex b) { return ex_2(p, OP_LT, a, b); }
static Ex sinc(Pool *p, Ex x) { return ex_2(p, OP_SINC, x, ex_num(p, 0)); }
static Ex sinhc(Pool *p, Ex x) { return ex_2(p, OP_SINHC, x, ex_num(p, 0)); }

Ex ends_mean(Pool *p, Ends x) {
  return x.a == x.b ? x.a : x.mid != EX_NONE ? x.mid : ex_add(p, half(p, x.a), half(p, x.b));
}
Ex ends_change(Pool *p, Ends x) { return ex_sub(p, x.b, x.a); }
static Ex half_change(Pool *p, Ends x) { return half(p, ends_change(p, x)); }
static Ex secant(Pool *p, Ends x, Ends f) { return ex_div(p, ends_change(p, f), ends_change(p, x)); }

// |b - a| < width
static Ex within(Pool *p, Ends x, double width) {
  return less(p, ex_1(p, OP_ABS, ends_change(p, x)), ex_num(p, width));
}

// a < 2b and b < 2a: both are positive and neither is twice the other
static Ex same_size(Pool *p, Ends x) {
  Ex two = ex_num(p, 2);
  return ex_2(p, OP_AND, less(p, x.a, ex_mul(p, two, x.b)), less(p, x.b, ex_mul(p, two, x.a)));
}

// --- quadrature ---

const GaussPoint *gauss_rule(int n) {
  static const GaussPoint rule[GAUSS_MOST][GAUSS_MOST] = {
    {{0, 1}},
    {{-0.57735026918962576451, 0.5}, {0.57735026918962576451, 0.5}},
    {{-0.77459666924148337704, 5.0/18}, {0, 4.0/9}, {0.77459666924148337704, 5.0/18}},
    {{-0.86113631159405257522, 0.17392742256872692869}, {-0.33998104358485626480, 0.32607257743127307131},
     {0.33998104358485626480, 0.32607257743127307131}, {0.86113631159405257522, 0.17392742256872692869}},
  };
  INVARIANT(n >= 1 && n <= GAUSS_MOST);
  return rule[n - 1];
}

Ex ends_between(Pool *p, Ends x, double at) {
  if (x.a == x.b || at == 0) return ends_mean(p, x);
  return ex_add(p, ex_mul(p, ex_num(p, 0.5*(1 - at)), x.a), ex_mul(p, ex_num(p, 0.5*(1 + at)), x.b));
}

// (3.9)  phi[a,b] = integral of phi' from a to b, divided by d: four points for |d| < 1/10, the secant beyond
static Ex divided_cardinal(Pool *p, Op op, Ends x, Ends f, Ex order) {
  const GaussPoint *g = gauss_rule(4);
  Ex sum = ex_num(p, 0), next = ex_add(p, order, one(p));
  for (int i = 0; i < 4; i++)
    sum = ex_add(p, sum, ex_mul(p, ex_num(p, g[i].weight), ex_2(p, op, ends_between(p, x, g[i].at), next)));
  return ex_if(p, within(p, x, 0.1), sum, secant(p, x, f));
}

// --- powers ---

// (3.1)  x^(2k)[a,b] = (a^k + b^k)*x^k[a,b],   x^(k+1)[a,b] = m*x^k[a,b] + (a^k + b^k)/2: the sum of all a^i*b^(n-1-i),
// in some log2(n) steps and without cancellation where a and b have different signs
static Ex integer_divided(Pool *p, Ends x, long n) {
  if (n == 1) return one(p);
  long k = n % 2 == 0 ? n/2 : n - 1;
  Ex e = ex_num(p, (double)k), inner = integer_divided(p, x, k);
  Ends y = ends_of(ex_pow(p, x.a, e), ex_pow(p, x.b, e));
  if (n % 2 == 0) return ex_mul(p, ex_add(p, y.a, y.b), inner);
  return ex_add(p, ex_mul(p, ends_mean(p, x), inner), ends_mean(p, y));
}

// (3.2)  x^(-n)[a,b] = -x^n[a,b]/(a^n*b^n)
// (3.3)  x^r[a,b] for other numbers r: an operation of its own, for a, b >= 0. A parameter r may be whole in a run:
// where a or b is negative, the slope at a = b, else the secant
Ex divided_power(Pool *p, Ends x, Ex r, Ends f) {
  long n;
  if (is_integer(p, r, &n) && n > 0) return integer_divided(p, x, n);
  if (is_integer(p, r, &n) && n < 0) {
    Ex k = ex_num(p, (double)-n);
    return ex_neg(p, ex_div(p, integer_divided(p, x, -n), ex_mul(p, ex_pow(p, x.a, k), ex_pow(p, x.b, k))));
  }
  Ex d = ex_op(p, OP_POWD, (Ex[]){x.a, x.b, r, ex_num(p, 11)}, 4);
  if (node_of(p, r)->op == OP_NUM || (node_of(p, x.a)->never_negative && node_of(p, x.b)->never_negative)) return d;
  Ex zero = ex_num(p, 0), slope = ex_mul(p, r, ex_pow(p, ends_mean(p, x), ex_sub(p, r, one(p))));
  Ex positive = ex_2(p, OP_AND, ex_2(p, OP_LE, zero, x.a), ex_2(p, OP_LE, zero, x.b));
  return ex_if(p, positive, d, ex_if(p, ex_2(p, OP_EQ, x.a, x.b), slope, secant(p, x, f)));
}

// (3.4)  c^x[a,b] = log(c)*c^m*sinhc(log(c)*h) for |log(c)*d| < 1, else the secant; for c <= 0 the secant, 0 without
// change
Ex divided_exponential(Pool *p, Ex c, Ends x, Ends f) {
  Ex w = ex_1(p, OP_LOG, c), change = ex_mul(p, w, ends_change(p, x)), straight = secant(p, x, f), zero = ex_num(p, 0);
  Ex near = times(p, w, ex_1(p, OP_EXP, ex_mul(p, w, ends_mean(p, x))), sinhc(p, half(p, change)));
  Ex positive = ex_if(p, less(p, ex_1(p, OP_ABS, change), one(p)), near, straight);
  return ex_if(p, less(p, zero, c), positive, ex_if(p, ex_2(p, OP_EQ, f.a, f.b), zero, straight));
}

// --- kinks and jumps ---

// (4.1)  |x|[a,b] = (a + b)/(|a| + |b|), which is sign(a) on one side of the kink; 0 where both are 0; offset +
// factor*that
static Ex divided_abs(Pool *p, Ends x, double offset, double factor) {
  Ex sum = ex_2(p, OP_PLUS, x.a, x.b), size = ex_2(p, OP_PLUS, ex_1(p, OP_ABS, x.a), ex_1(p, OP_ABS, x.b)),
     side = ex_1(p, OP_SIGN, x.a);                                // PLUS: a and b with the round-off of |a| and |b|
  Ex c = ex_num(p, offset), k = ex_num(p, factor);                // OVER: its slope has no square of a small size
  return ex_if(p, ex_2(p, OP_EQ, side, ex_1(p, OP_SIGN, x.b)), ex_add(p, c, ex_mul(p, k, side)),
               ex_add(p, c, ex_mul(p, k, ex_2(p, OP_OVER, sum, size))));
}

Ex divided_positive_part(Pool *p, Ends x, int sign) { return divided_abs(p, x, 0.5, 0.5*sign); }

// (4.4)  the height of the jump over the distance; 0 where there is no jump between a and b
Ex divided_step(Pool *p, Ends x, Ends f) { return ex_if(p, ex_2(p, OP_EQ, f.a, f.b), ex_num(p, 0), secant(p, x, f)); }

// --- functions ---

// (3.5)  1/(sqrt(a)*sqrt(b)*sinhc(log(b/a)/2)) where a and b are of the same size, else the secant
static Ex divided_log(Pool *p, Ends x, Ends f) {
  Ex l = half(p, ex_1(p, OP_LOG, ex_div(p, x.b, x.a)));
  Ex near = inverse(p, times(p, ex_1(p, OP_SQRT, x.a), ex_1(p, OP_SQRT, x.b), sinhc(p, l)));
  return ex_if(p, same_size(p, x), near, secant(p, x, f));
}

// (3.8)  with u = atan(a), v = atan(b): cos(u)*cos(v)/sinc(v - u) for a*b > -1/2, else the secant: there nothing
// cancels
static Ex divided_atan(Pool *p, Ends x, Ends f) {
  Ex two = ex_num(p, 2), rise = sinc(p, ends_change(p, f));
  Ex u = ex_1(p, OP_SQRT, ex_add(p, one(p), ex_pow(p, x.a, two))),
     v = ex_1(p, OP_SQRT, ex_add(p, one(p), ex_pow(p, x.b, two)));
  return ex_if(p, less(p, ex_num(p, -0.5), ex_mul(p, x.a, x.b)), inverse(p, times(p, u, v, rise)), secant(p, x, f));
}

// (3.7)  (1 - tanh(a)*tanh(b))*tanh(d)/d for |d| < 1, else the secant
static Ex divided_tanh(Pool *p, Ends x, Ends f) {
  Ex d = ends_change(p, x), fall = ex_sub(p, one(p), ex_mul(p, f.a, f.b));
  Ex near = ex_div(p, ex_mul(p, fall, sinhc(p, d)), ex_1(p, OP_COSH, d));
  return ex_if(p, within(p, x, 1), near, secant(p, x, f));
}

// (3.6)
Ex divided_function(Pool *p, Op op, Ends x, Ends f, Ex order) {
  Ex m = ends_mean(p, x), d = ends_change(p, x), h = half_change(p, x), fm = ends_mean(p, f), fh = half_change(p, f);
  switch (op) {
    case OP_SQRT: return inverse(p, ex_add(p, f.a, f.b));
    case OP_EXP:  return ex_if(p, within(p, x, 1), ex_mul(p, ex_1(p, OP_EXP, m), sinhc(p, h)), secant(p, x, f));
    case OP_LOG:  return divided_log(p, x, f);
    case OP_SIN:  return ex_mul(p, ex_1(p, OP_COS, m), sinc(p, h));
    case OP_COS:  return ex_neg(p, ex_mul(p, ex_1(p, OP_SIN, m), sinc(p, h)));
    case OP_TAN:  return ex_div(p, sinc(p, d), ex_mul(p, ex_1(p, OP_COS, x.a), ex_1(p, OP_COS, x.b)));
    case OP_ASIN: return inverse(p, ex_mul(p, ex_1(p, OP_COS, fm), sinc(p, fh)));
    case OP_ACOS: return ex_neg(p, inverse(p, ex_mul(p, ex_1(p, OP_SIN, fm), sinc(p, fh))));
    case OP_ATAN: return divided_atan(p, x, f);
    case OP_SINH: return ex_mul(p, ex_1(p, OP_COSH, m), sinhc(p, h));
    case OP_COSH: return ex_mul(p, ex_1(p, OP_SINH, m), sinhc(p, h));
    case OP_TANH: return divided_tanh(p, x, f);
    case OP_ABS:  return divided_abs(p, x, 0, 1);
    case OP_SIGN: case OP_FLOOR: return divided_step(p, x, f);
    case OP_SINC: case OP_SINHC: return divided_cardinal(p, op, x, f, order);
    default: FATAL("no divided difference for %s", ex_op_name(op));
  }
}
