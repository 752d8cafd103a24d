// Between which bounds does an expression lie? Interval arithmetic over the DAG, each node once.
//
//   F([x]) contains f(x) for all x in [x]     [Moore 1966: the natural interval extension]
//
// Bounds are those of exact arithmetic up to round-off: who decides something by them leaves room for it. A symbol that
// occurs twice counts as two, so the bounds may be wide, but no value lies outside. Where the expression has no value
// it has no part in them.
#include <math.h>
#include <stdlib.h>
#include "pool_impl.h"

static const ExRange ALL = { -INFINITY, INFINITY };
static const double PI = 3.14159265358979323846;

static ExRange range(double lo, double hi) {
  return (ExRange){ isnan(lo) ? -INFINITY : lo, isnan(hi) ? INFINITY : hi };
}
static ExRange hull(ExRange a, ExRange b) { return (ExRange){ fmin(a.lo, b.lo), fmax(a.hi, b.hi) }; }
static bool contains(ExRange a, double x) { return a.lo <= x && x <= a.hi; }
static ExRange clip(ExRange a, double lo, double hi) {
  return (ExRange){ fmin(fmax(a.lo, lo), hi), fmax(fmin(a.hi, hi), lo) };
}

// An end at infinity is never reached: 0 times it is 0.
static double end_product(double x, double y) { return x == 0 || y == 0 ? 0 : x*y; }

static ExRange times(ExRange a, ExRange b) {
  double v[4] = { end_product(a.lo, b.lo), end_product(a.lo, b.hi), end_product(a.hi, b.lo), end_product(a.hi, b.hi) };
  ExRange r = { v[0], v[0] };
  for (int i = 1; i < 4; i++) r = hull(r, (ExRange){ v[i], v[i] });
  return r;
}

static ExRange inverse(ExRange a) {
  if (a.lo > 0 || a.hi < 0) return (ExRange){ 1/a.hi, 1/a.lo };
  if (a.lo == 0 && a.hi > 0) return (ExRange){ 1/a.hi, INFINITY };
  if (a.hi == 0 && a.lo < 0) return (ExRange){ -INFINITY, 1/a.lo };
  return ALL;
}

static ExRange whole_power(ExRange a, long k) {
  if (k < 0) return inverse(whole_power(a, -k));
  ExRange r = { pow(a.lo, (double)k), pow(a.hi, (double)k) };
  if (k % 2) return r;
  ExRange even = { fmin(r.lo, r.hi), fmax(r.lo, r.hi) };
  if (contains(a, 0)) even.lo = 0;
  return even;
}

static ExRange power(const Pool *p, Ex e, ExRange a, ExRange b) {
  long k;
  if (is_integer(p, args_of(p, e)[1], &k)) return whole_power(a, k);
  if (a.lo < 0) a = clip(a, 0, INFINITY);            // a value needs a base that is not negative
  if (b.lo != b.hi) return (ExRange){ 0, INFINITY };
  ExRange r = { pow(a.lo, b.lo), pow(a.hi, b.lo) };
  return b.lo < 0 ? range(r.hi, r.lo) : range(r.lo, r.hi);
}

// cos over [lo, hi]: its extremes are at whole multiples of pi.
static ExRange cosine(ExRange a) {
  if (!(a.hi - a.lo < 2*PI)) return (ExRange){ -1, 1 };
  ExRange r = hull((ExRange){ cos(a.lo), cos(a.lo) }, (ExRange){ cos(a.hi), cos(a.hi) });
  for (double k = ceil(a.lo/PI); k*PI <= a.hi; k++) {
    double extreme = fmod(k, 2) == 0 ? 1 : -1;
    r = hull(r, (ExRange){ extreme, extreme });
  }
  return r;
}

static ExRange shifted_cosine(ExRange a) { return cosine((ExRange){ a.lo - PI/2, a.hi - PI/2 }); }
static ExRange truth(bool surely, bool surely_not) { return (ExRange){ surely, !surely_not }; }
static bool is_true(ExRange a) { return a.lo > 0 || a.hi < 0; }
static bool is_false(ExRange a) { return a.lo == 0 && a.hi == 0; }
static double sign_of(double x) { return (x > 0) - (x < 0); }

static ExRange of_function(const Pool *p, Ex e, const ExRange *a) {
  switch ((Op)node_of(p, e)->op) {
    case OP_POW: case OP_RAISED: return power(p, e, a[0], a[1]);
    case OP_PLUS:  return range(a[0].lo + a[1].lo, a[0].hi + a[1].hi);
    case OP_MINUS: return range(a[0].lo - a[1].hi, a[0].hi - a[1].lo);
    case OP_OPPOSITE: return (ExRange){ -a[0].hi, -a[0].lo };
    case OP_TIMES: case OP_CHAIN: return times(a[0], a[1]);
    case OP_OVER:  return times(a[0], inverse(a[1]));
    case OP_SHARED: return a[0];
    case OP_SQRT:  return (ExRange){ sqrt(fmax(a[0].lo, 0)), sqrt(fmax(a[0].hi, 0)) };
    case OP_EXP:   return (ExRange){ exp(a[0].lo), exp(a[0].hi) };
    case OP_LOG:   return (ExRange){ log(fmax(a[0].lo, 0)), log(fmax(a[0].hi, 0)) };
    case OP_SIN:   return shifted_cosine(a[0]);
    case OP_COS:   return cosine(a[0]);
    case OP_ASIN:  return (ExRange){ asin(clip(a[0], -1, 1).lo), asin(clip(a[0], -1, 1).hi) };
    case OP_ACOS:  return (ExRange){ acos(clip(a[0], -1, 1).hi), acos(clip(a[0], -1, 1).lo) };
    case OP_ATAN:  return (ExRange){ atan(a[0].lo), atan(a[0].hi) };
    case OP_ATAN2: return (ExRange){ -PI, PI };
    case OP_SINH:  return (ExRange){ sinh(a[0].lo), sinh(a[0].hi) };
    case OP_TANH:  return (ExRange){ tanh(a[0].lo), tanh(a[0].hi) };
    case OP_COSH: {
      ExRange r = hull((ExRange){ cosh(a[0].lo), cosh(a[0].lo) }, (ExRange){ cosh(a[0].hi), cosh(a[0].hi) });
      return contains(a[0], 0) ? (ExRange){ 1, r.hi } : r;
    }
    case OP_ABS: {
      double lo = fabs(a[0].lo), hi = fabs(a[0].hi);
      return (ExRange){ contains(a[0], 0) ? 0 : fmin(lo, hi), fmax(lo, hi) };
    }
    case OP_SIGN:  return (ExRange){ sign_of(a[0].lo), sign_of(a[0].hi) };
    case OP_FLOOR: return (ExRange){ floor(a[0].lo), floor(a[0].hi) };
    case OP_MIN:   return (ExRange){ fmin(a[0].lo, a[1].lo), fmin(a[0].hi, a[1].hi) };
    case OP_MAX:   return (ExRange){ fmax(a[0].lo, a[1].lo), fmax(a[0].hi, a[1].hi) };
    case OP_LT:    return truth(a[0].hi < a[1].lo, a[0].lo >= a[1].hi);
    case OP_LE:    return truth(a[0].hi <= a[1].lo, a[0].lo > a[1].hi);
    case OP_EQ:    return truth(false, a[0].hi < a[1].lo || a[1].hi < a[0].lo);
    case OP_AND:   return truth(is_true(a[0]) && is_true(a[1]), is_false(a[0]) || is_false(a[1]));
    case OP_OR:    return truth(is_true(a[0]) || is_true(a[1]), is_false(a[0]) && is_false(a[1]));
    case OP_NOT:   return truth(is_false(a[0]), is_true(a[0]));
    case OP_IF:    return is_true(a[0]) ? a[1] : is_false(a[0]) ? a[2] : hull(a[1], a[2]);
    default:       return ALL;                        // tan and the like: poles
  }
}

static ExRange of_node(const Pool *p, Ex e, const ExRange *known) {
  const Node *q = node_of(p, e);
  const Ex *args = args_of(p, e);
  if (q->op == OP_ADD || q->op == OP_MUL) {
    ExRange r = known[args[0]];
    for (int i = 1; i < q->n_args; i++) {
      ExRange b = known[args[i]];
      r = q->op == OP_MUL ? times(r, b) : range(r.lo + b.lo, r.hi + b.hi);
    }
    return r;
  }
  ExRange a[3] = { ALL, ALL, ALL };
  for (int i = 0; i < q->n_args && i < 3; i++) a[i] = known[args[i]];
  ExRange r = of_function(p, e, a);
  return range(r.lo, r.hi);
}

ExRange ex_range(Pool *p, Ex e, ExRange (*symbol)(int id, void *ctx), void *ctx) {
  ExVec order = {0};
  walk_collect(p, &e, 1, 0, &order);
  ExRange *known = memory_for(sizeof *known*((size_t)e + 1));   // only entries in `order` are written and read
  for (size_t i = 0; i < order.n; i++) {
    Ex at = order.at[i];
    const Node *q = node_of(p, at);
    known[at] = q->op == OP_NUM   ? range(q->value, q->value)
                : q->op == OP_SYM ? symbol((int)q->value, ctx)
                                  : of_node(p, at, known);
  }
  ExRange r = known[e];
  free(known);
  vec_free(&order);
  return r;
}
