// Arithmetic as written: PLUS, MINUS, OPPOSITE, TIMES, OVER and RAISED are one IEEE operation each, in the order of the
// model. floor((i - 1)/3) must be 2 at i = 7, so (i - 1)/3 must not become 0.333...*i - 0.333... .
//
// Applied here is only what keeps every bit: operations on numbers are done, a + b = b + a, x*1 = x, x/1 = x, x - 0 =
// x, x^1 = x, and sums and products of whole numbers below 2^53, exact in any order, go to algebra (i + 1 - 1 is i).
// For algebra around it such a node is an atom with a numeric coefficient (written_coefficient). See
// docs/numerics/algebra.md, section 8.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "pool_impl.h"

static const double exact_limit = 0x1p53;

bool ex_is_written(const Pool *p, Ex e) {
  switch (ex_operator(p, e)) {
    case OP_PLUS: case OP_MINUS: case OP_OPPOSITE: case OP_TIMES: case OP_OVER: case OP_RAISED: return true;
    default: return false;
  }
}

Ex open_written(Pool *p, Op op, const Ex *a) {
  switch (op) {
    case OP_PLUS:     return ex_add(p, a[0], a[1]);
    case OP_MINUS:    return ex_sub(p, a[0], a[1]);
    case OP_OPPOSITE: return ex_neg(p, a[0]);
    case OP_TIMES:    return ex_mul(p, a[0], a[1]);
    case OP_OVER:     return ex_div(p, a[0], a[1]);
    case OP_RAISED:   return ex_pow(p, a[0], a[1]);
    default: FATAL("%s is not arithmetic as written", ex_op_name(op));
  }
}

// --- whole numbers ---

double whole_bound(const Pool *p, Op op, double value, const Ex *args, int n) {
  double most = op == OP_MUL ? 1 : 0;
  if (op == OP_NUM) most = value == floor(value) ? fmax(fabs(value), 1) : 0;
  bool closed = op == OP_ADD || op == OP_MUL || op == OP_ABS || op == OP_MIN || op == OP_MAX;
  if (!closed) return most <= exact_limit ? most : 0;
  for (int i = 0; i < n; i++) {
    double one = node_of(p, args[i])->whole;
    if (one == 0) return 0;
    most = op == OP_ADD ? most + one : op == OP_MUL ? most*one : fmax(most, one);
  }
  return most <= exact_limit ? most : 0;
}

// Sums of whole numbers and positive multiples of them, by algebra, where that is exact; else EX_NONE. All else could
// lose the sign of a zero: -(i - 1) is -0 at i = 1, 1 - i is not.
static Ex in_whole(Pool *p, Op op, const Ex *a) {
  if (op != OP_PLUS && op != OP_MINUS && op != OP_TIMES) return EX_NONE;
  double x = node_of(p, a[0])->whole, y = node_of(p, a[1])->whole;
  bool sum = op != OP_TIMES, first = node_of(p, a[0])->op == OP_NUM, second = node_of(p, a[1])->op == OP_NUM;
  if (x == 0 || y == 0 || (sum ? x + y : x*y) > exact_limit) return EX_NONE;
  if ((first && ex_value(p, a[0]) == 0) || (second && ex_value(p, a[1]) == 0)) return EX_NONE;
  if (!sum && !((first && ex_value(p, a[0]) > 0) || (second && ex_value(p, a[1]) > 0))) return EX_NONE;
  Ex e = open_written(p, op, a);
  bool negated = node_of(p, e)->op == OP_MUL && node_of(p, args_of(p, e)[0])->op == OP_NUM &&
                 ex_value(p, args_of(p, e)[0]) < 0;
  return negated ? EX_NONE : e;
}

// --- building ---

Ex build_written(Pool *p, Op op, const Ex *args) {
  int n = ex_op_arity(op);
  Ex a = args[0], b = n > 1 ? args[1] : EX_NONE;
  bool first = node_of(p, a)->op == OP_NUM, second = n == 1 || node_of(p, b)->op == OP_NUM;
  if (first && second)
    return ex_exact_num(p, op_value(op, (double[]){ex_value(p, a), n > 1 ? ex_value(p, b) : 0}, n));
  Ex whole = in_whole(p, op, args);
  if (whole) return whole;
  if ((op == OP_PLUS || op == OP_TIMES) && ex_compare(p, a, b) > 0) {
    Ex swap = a; a = b; b = swap;
  }
  switch (op) {
    case OP_OPPOSITE: if (node_of(p, a)->op == OP_OPPOSITE) return args_of(p, a)[0]; break;
    case OP_TIMES:    if (ex_is_num(p, a, 1)) return b; break;            // numbers are the first in the order
    case OP_OVER: case OP_RAISED: if (ex_is_num(p, b, 1)) return a; break;
    case OP_MINUS:    if (ex_is_num(p, b, 0) && !signbit(ex_value(p, b))) return a; break;
    default: break;
  }
  return node_make(p, op, (Ex[]){a, b}, n);
}

// --- seen from algebra ---

// 0, or a power of two: multiplying by it is exact (but for overflow and numbers below 1e-308).
static bool takes_out(const Pool *p, Ex e, double *c) {
  int exponent;
  if (node_of(p, e)->op != OP_NUM) return false;
  *c = node_of(p, e)->value;
  return *c == 0 || (isnormal(*c) && fabs(frexp(*c, &exponent)) == 0.5 && abs(exponent) < 64);
}

// Products and quotients without their exact numbers: 0.5*m*l -> 0.5 and m*l. The rest keeps the order of operations.
static Ex without_number(Pool *p, Ex e, double *c, int depth) {
  Op op = (Op)node_of(p, e)->op;
  const Ex *arg = args_of(p, e);
  if (takes_out(p, e, c)) return ex_num(p, 1);
  *c = 1;
  if (op == OP_OPPOSITE) {
    Ex rest = without_number(p, arg[0], c, depth - 1);
    *c = -*c;
    return rest;
  }
  if ((op != OP_TIMES && op != OP_OVER) || depth == 0) return e;
  double x, y;
  Ex a = arg[0], b = arg[1], top = without_number(p, a, &x, depth - 1), below = without_number(p, b, &y, depth - 1);
  if ((x == 1 && y == 1) || (op == OP_OVER && y == 0)) return e;
  *c = op == OP_TIMES ? x*y : x/y;
  return ex_2(p, op, top, below);
}

Ex written_coefficient(Pool *p, Ex e, double *c) {
  enum { DEEP = 12 };                                    // a tree of products may be exponentially large
  Ex rest = without_number(p, e, c, DEEP);
  if (isnormal(*c) || *c == 0) return rest;
  *c = 1;
  return e;
}

Ex written_in_algebra(Pool *p, Ex e) {
  double c;
  Ex rest = ex_is_written(p, e) ? written_coefficient(p, e, &c) : e;
  return rest == e ? e : ex_mul(p, ex_num(p, c), rest);
}

static Ex open_node(Pool *p, Ex e, const Ex *args, int n, void *ctx) {
  (void)ctx;
  if (n == 0) return e;
  if (node_of(p, e)->op == OP_CHAIN) return ex_mul(p, args[0], args[1]);
  if (node_of(p, e)->op == OP_SHARED) return args[0];
  return ex_is_written(p, e) ? open_written(p, (Op)node_of(p, e)->op, args) : ex_op(p, (Op)node_of(p, e)->op, args, n);
}

// What holds intermediate quantities is large: it stays as it is.
Ex ex_open(Pool *p, Ex e) {
  const Node *q = node_of(p, e);
  return q->shared || !(q->written || q->chained) ? e : walk_rewrite(p, e, 0, open_node, NULL);
}
