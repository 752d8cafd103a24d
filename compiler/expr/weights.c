// The discrete derivative of one operation: weights w[k] with f(b) - f(a) = sum of w[k]*(argument k at b - argument k at a).
//
// Each weight is a mean of the partial derivative between the two ends, symmetric in them. Functions of one variable have only one
// choice, their divided difference (divided.c); here is what has several arguments.
// Numbers in brackets: docs/numerics/discrete-derivative.md.
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
  Ends e = {ex_op(p, OP_MUL, a.at, n), ex_op(p, OP_MUL, b.at, n)};
  vec_free(&a);
  vec_free(&b);
  return e;
}

// (2.3)  w_k = integral over s from 0 to 1 of the product of the other factors, each on the straight line from its value at a
// to its value at b. The integrand has degree n - 1: Gauss' rule of n/2 points, rounded up, is exact.
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

// --- powers ---

// (3.10)  u^v, both changing: first u then v, first v then u, and the mean of the two ways
static void power_weights(Pool *p, const Ends *arg, const bool *moves, Ends f, Ex *w) {
  Ends u = arg[0], v = arg[1];
  if (!moves[1]) {
    w[0] = divided_power(p, u, v.a, f);
  } else if (!moves[0]) {
    w[1] = divided_exponential(p, u.a, v, f);
  } else {
    Ex ab = ex_pow(p, u.a, v.b), ba = ex_pow(p, u.b, v.a);
    w[0] = ends_mean(p, (Ends){divided_power(p, u, v.a, (Ends){f.a, ba}), divided_power(p, u, v.b, (Ends){ab, f.b})});
    w[1] = ends_mean(p, (Ends){divided_exponential(p, u.a, v, (Ends){f.a, ab}), divided_exponential(p, u.b, v, (Ends){ba, f.b})});
  }
}

// --- angles ---

static Ex radius(Pool *p, Ex x, Ex y) {
  Ex two = number(p, 2);
  return ex_1(p, OP_SQRT, ex_add(p, ex_pow(p, x, two), ex_pow(p, y, two)));
}

// (3.11)  x_a*y_b - y_a*x_b = mean(x)*Dy - mean(y)*Dx = r_a*r_b*sin(angle turned): the angle over it is the common factor, by
// 1/(r_a*r_b*sinc(angle)) for angles below 2, else as it stands
static void angle_weights(Pool *p, const Ends *arg, Ends f, Ex *w) {
  Ends y = arg[0], x = arg[1];
  Ex mx = ends_mean(p, x), my = ends_mean(p, y), turned = ends_change(p, f);
  Ex cross = ex_sub(p, ex_mul(p, mx, ends_change(p, y)), ex_mul(p, my, ends_change(p, x)));
  Ex below = ex_op(p, OP_MUL, (Ex[]){radius(p, x.a, y.a), radius(p, x.b, y.b), ex_2(p, OP_SINC, turned, number(p, 0))}, 3);
  Ex small = ex_2(p, OP_LT, ex_1(p, OP_ABS, turned), number(p, 2));
  Ex c = ex_if(p, small, ex_div(p, number(p, 1), below), ex_div(p, turned, cross));
  w[0] = ex_mul(p, c, mx);
  w[1] = ex_neg(p, ex_mul(p, c, my));
}

// --- kinks and jumps ---

static Ends difference(Pool *p, Ends x, Ends y) { return (Ends){ex_sub(p, x.a, y.a), ex_sub(p, x.b, y.b)}; }

// (4.2)  max(x,y) = (x + y + |x - y|)/2, min with the other sign
static void extremum_weights(Pool *p, Op op, const Ends *arg, Ex *w) {
  Ex half = number(p, 0.5), lean = ex_mul(p, half, divided_abs(p, difference(p, arg[0], arg[1])));
  w[op == OP_MAX ? 0 : 1] = ex_add(p, half, lean);
  w[op == OP_MAX ? 1 : 0] = ex_sub(p, half, lean);
}

// (4.5)  a comparison is a function of y - x with a jump at 0
static void comparison_weights(Pool *p, const Ends *arg, Ends f, Ex *w) {
  w[1] = divided_step(p, difference(p, arg[1], arg[0]), f);
  w[0] = ex_neg(p, w[1]);
}

void node_weights(Pool *p, Op op, const Ends *arg, const bool *moves, int n, Ends f, Ex *w) {
  Ex one = number(p, 1);
  switch (op) {
    case OP_ADD:   for (int k = 0; k < n; k++) w[k] = one; break;
    case OP_MUL:   product_weights(p, arg, moves, n, w); break;
    case OP_POW:   power_weights(p, arg, moves, f, w); break;
    case OP_ATAN2: angle_weights(p, arg, f, w); break;
    case OP_MIN: case OP_MAX: extremum_weights(p, op, arg, w); break;
    case OP_LT: case OP_LE: case OP_EQ: comparison_weights(p, arg, f, w); break;
    case OP_AND: case OP_OR:                               // (4.6)  x*y and x + y - x*y on 0 and 1
      for (int k = 0; k < 2; k++) {
        Ex other = ends_mean(p, arg[1 - k]);
        w[k] = op == OP_AND ? other : ex_sub(p, one, other);
      }
      break;
    case OP_NOT: w[0] = number(p, -1); break;
    default:     w[0] = divided_function(p, op, arg[0], f, n > 1 ? arg[1].a : EX_NONE); break;
  }
  for (int k = 0; k < n; k++)
    if (!moves[k]) w[k] = number(p, 0);
}
