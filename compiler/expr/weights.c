// The discrete derivative of one operation: weights w[k] with f(b) - f(a) = sum of w[k]*(argument k at b - argument k
// at a).
//
// Each weight is a mean of the partial derivative between the two ends, symmetric in them. Functions of one variable
// have only one choice, their divided difference (divided.c); here is what has several arguments. Numbers in brackets:
// docs/numerics/discrete-derivative.md.
#include "discrete_impl.h"

static Ex number(Pool *p, double x) { return ex_num(p, x); }

// --- products ---

enum { TOGETHER = 2*GAUSS_MOST };  // more factors: two groups

static Ends product_of(Pool *p, const Ends *f, int n) {
  ExVec a = {0}, b = {0};
  for (int i = 0; i < n; i++) {
    vec_push(&a, f[i].a);
    vec_push(&b, f[i].b);
  }
  Ends e = ends_of(ex_op(p, OP_MUL, a.at, n), ex_op(p, OP_MUL, b.at, n));
  vec_free(&a);
  vec_free(&b);
  return e;
}

// (2.3)  w_k = integral over s from 0 to 1 of the product of the other factors, each on the straight line from its
// value at a to its value at b. The integrand has degree n - 1: Gauss' rule of n/2 points, rounded up, is exact.
static void few_factors(Pool *p, const Ends *f, int n, Ex scale, Ex *w) {
  int points = (n + 1)/2;
  const GaussPoint *g = gauss_rule(points);
  Ex other[TOGETHER + 1];
  for (int k = 0; k < n; k++) w[k] = number(p, 0);
  for (int s = 0; s < points; s++)
    for (int k = 0; k < n; k++) {
      int m = 0;
      other[m++] = scale;
      other[m++] = number(p, g[s].weight);
      for (int j = 0; j < n; j++)
        if (j != k) other[m++] = ends_between(p, f[j], g[s].at);
      w[k] = ex_add(p, w[k], ex_op(p, OP_MUL, other, m));
    }
}

static void factors(Pool *p, const Ends *f, int n, Ex scale, Ex *w) {
  if (n <= TOGETHER) {
    few_factors(p, f, n, scale, w);
    return;
  }
  int left = n/2;                                          // (2.1) on the two halves
  Ex x = ends_mean(p, product_of(p, f, left)), y = ends_mean(p, product_of(p, f + left, n - left));
  factors(p, f, left, ex_mul(p, scale, y), w);
  factors(p, f + left, n - left, ex_mul(p, scale, x), w + left);
}

// Factors that do not change stand before the weights.
static void product_weights(Pool *p, const Ends *arg, const bool *moves, int n, Ex *w) {
  Vec(Ends) moving = {0};
  ExVec fixed = {0}, found = {0};
  for (int k = 0; k < n; k++) {
    if (moves[k]) vec_push(&moving, arg[k]);
    else vec_push(&fixed, arg[k].a);
  }
  for (size_t k = 0; k < moving.n; k++) vec_push(&found, EX_NONE);
  if (moving.n) factors(p, moving.at, (int)moving.n, ex_op(p, OP_MUL, fixed.at, (int)fixed.n), found.at);
  for (int k = 0, i = 0; k < n; k++)
    if (moves[k]) w[k] = found.at[i++];
  vec_free(&moving);
  vec_free(&fixed);
  vec_free(&found);
}

// u/v as the product of u and 1/v, whose divided difference is -1/(v_a*v_b).
static void quotient_weights(Pool *p, const Ends *arg, const bool *moves, Ex *w) {
  Ex one = number(p, 1);
  Ends v = arg[1], f[2] = {arg[0], ends_of(ex_div(p, one, v.a), ex_div(p, one, v.b))};
  product_weights(p, f, moves, 2, w);
  if (moves[1]) w[1] = ex_neg(p, ex_div(p, w[1], ex_mul(p, v.a, v.b)));
}

// --- powers ---

// (3.10)  u^v, both changing: exp of v*log(u). Where u is 0 or below: first u then v, first v then u, and the mean of
// the two ways, which go through u_a^v_b and u_b^v_a.
static void two_powers(Pool *p, Ends u, Ends v, Ends f, Ex *w) {
  Ex zero = number(p, 0), ab = ex_pow(p, u.a, v.b), ba = ex_pow(p, u.b, v.a);
  Ends l = ends_of(ex_1(p, OP_LOG, u.a), ex_1(p, OP_LOG, u.b)), e = ends_of(ex_mul(p, v.a, l.a), ex_mul(p, v.b, l.b));
  Ex outer = divided_function(p, OP_EXP, e, f, EX_NONE);
  Ex by_u = ex_op(p, OP_MUL, (Ex[]){outer, ends_mean(p, v), divided_function(p, OP_LOG, u, l, EX_NONE)}, 3);
  Ex by_v = ex_mul(p, outer, ends_mean(p, l));
  Ends way_u = ends_of(divided_power(p, u, v.a, ends_of(f.a, ba)), divided_power(p, u, v.b, ends_of(ab, f.b)));
  Ends way_v = ends_of(divided_exponential(p, u.a, v, ends_of(f.a, ab)),
                       divided_exponential(p, u.b, v, ends_of(ba, f.b)));
  Ex positive = ex_2(p, OP_AND, ex_2(p, OP_LT, zero, u.a), ex_2(p, OP_LT, zero, u.b));
  w[0] = ex_if(p, positive, by_u, ends_mean(p, way_u));
  w[1] = ex_if(p, positive, by_v, ends_mean(p, way_v));
}

static void power_weights(Pool *p, const Ends *arg, const bool *moves, Ends f, Ex *w) {
  if (!moves[1]) w[0] = divided_power(p, arg[0], arg[1].a, f);
  else if (!moves[0]) w[1] = divided_exponential(p, arg[0].a, arg[1], f);
  else two_powers(p, arg[0], arg[1], f, w);
}

// --- angles ---

static Ex radius(Pool *p, Ex x, Ex y) {
  Ex two = number(p, 2);
  return ex_1(p, OP_SQRT, ex_add(p, ex_pow(p, x, two), ex_pow(p, y, two)));
}

// (3.11)  x_a*y_b - y_a*x_b = mean(x)*Dy - mean(y)*Dx = r_a*r_b*sin(angle turned), and the angle is that over
// r_a*r_b*sinc(angle).
// (4.3)   From an angle of 2 on, and over the cut, the part of Gonzalez' formula: angle*(Dx, Dy)/(Dx^2 + Dy^2).
static void angle_weights(Pool *p, const Ends *arg, Ends f, Ex *w) {
  Ends y = arg[0], x = arg[1];
  Ex one = number(p, 1), two = number(p, 2), dy = ends_change(p, y), dx = ends_change(p, x), turned = ends_change(p, f);
  Ex below =
      ex_op(p, OP_MUL, (Ex[]){ radius(p, x.a, y.a), radius(p, x.b, y.b), ex_2(p, OP_SINC, turned, number(p, 0)) }, 3);
  Ex near = ex_div(p, one, below), far = ex_div(p, turned, ex_add(p, ex_pow(p, dx, two), ex_pow(p, dy, two)));
  Ex small = ex_2(p, OP_LT, ex_1(p, OP_ABS, turned), two);
  w[0] = ex_if(p, small, ex_mul(p, near, ends_mean(p, x)), ex_mul(p, far, dy));
  w[1] = ex_if(p, small, ex_neg(p, ex_mul(p, near, ends_mean(p, y))), ex_mul(p, far, dx));
}

// --- kinks and jumps ---

static Ends difference(Pool *p, Ends x, Ends y) { return ends_of(ex_sub(p, x.a, y.a), ex_sub(p, x.b, y.b)); }

// (4.2)  max(x,y) = (x + y + |x - y|)/2, min with the other sign. On one side of the kink the weights are 1 and 0 and
// nothing else.
static void extremum_weights(Pool *p, Op op, const Ends *arg, Ex *w) {
  Ends x = difference(p, arg[0], arg[1]);
  w[op == OP_MAX ? 0 : 1] = divided_positive_part(p, x, 1);
  w[op == OP_MAX ? 1 : 0] = divided_positive_part(p, x, -1);
}

// (4.5)  a comparison is a function of y - x with a jump at 0
static void comparison_weights(Pool *p, const Ends *arg, Ends f, Ex *w) {
  w[1] = divided_step(p, difference(p, arg[1], arg[0]), f);
  w[0] = ex_neg(p, w[1]);
}

// f(x), x in both places: its divided difference. Of a derivative of f the secant, 0 without change.
static void table_weights(Pool *p, const Ends *arg, Ends f, Ex *w) {
  bool function = ex_is_num(p, arg[3].a, 0);
  w[1] = function ? ex_op(p, OP_TABLE, (Ex[]){arg[0].a, arg[1].a, arg[1].b, ex_num(p, 11)}, 4)
                  : ex_if(p, ex_2(p, OP_EQ, arg[1].a, arg[1].b), number(p, 0),
                          ex_div(p, ends_change(p, f), ends_change(p, arg[1])));
  w[0] = w[2] = w[3] = number(p, 0);
}

void node_weights(Pool *p, Op op, const Ends *arg, const bool *moves, int n, Ends f, Ex *w) {
  Ex one = number(p, 1);
  switch (op) {
    case OP_ADD:   for (int k = 0; k < n; k++) w[k] = one; break;
    case OP_PLUS:  w[0] = w[1] = one; break;
    case OP_SHARED: w[0] = one; break;
    case OP_MINUS: w[0] = one; w[1] = number(p, -1); break;
    case OP_OPPOSITE: case OP_NOT: w[0] = number(p, -1); break;
    case OP_MUL: case OP_TIMES: case OP_CHAIN: product_weights(p, arg, moves, n, w); break;
    case OP_OVER:  quotient_weights(p, arg, moves, w); break;
    case OP_POW: case OP_RAISED: power_weights(p, arg, moves, f, w); break;
    case OP_ATAN2: angle_weights(p, arg, f, w); break;
    case OP_TURNED: angle_weights(p, arg, f, w); w[2] = number(p, 0); break;
    case OP_TABLE: table_weights(p, arg, f, w); break;
    case OP_MIN: case OP_MAX: extremum_weights(p, op, arg, w); break;
    case OP_LT: case OP_LE: case OP_EQ: comparison_weights(p, arg, f, w); break;
    case OP_AND: case OP_OR:                               // (4.6)  x*y and x + y - x*y on 0 and 1
      for (int k = 0; k < 2; k++) {
        Ex other = ends_mean(p, arg[1 - k]);
        w[k] = op == OP_AND ? other : ex_sub(p, one, other);
      }
      break;
    default:     w[0] = divided_function(p, op, arg[0], f, n > 1 ? arg[1].a : EX_NONE); break;
  }
  for (int k = 0; k < n; k++)
    if (!moves[k]) w[k] = number(p, 0);
}
