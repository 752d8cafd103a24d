// Functions, comparisons, logic and choices: constant folding and the few identities that keep every value.
//
// Requires: arguments built by the constructors. Keeps: the value, see docs/numerics/algebra.md, section 4.
#include <math.h>
#include "pool_impl.h"

static Ex same(Pool *p, Op op, Ex a) { return node_make(p, op, &a, 1); }

// f(-u) for the functions with a symmetry; `u` must carry its minus sign as a numeric coefficient.
static Ex by_symmetry(Pool *p, Op op, Ex a) {
  double c;
  if (ex_is_written(p, a)) return EX_NONE;
  Ex rest = split_coefficient(p, a, &c);
  if (op == OP_ABS && isnormal(c) && c != 1) return ex_mul(p, ex_num(p, fabs(c)), ex_1(p, OP_ABS, rest));
  if (op == OP_SIGN && isnormal(c) && c != 1) return ex_mul(p, ex_num(p, c < 0 ? -1 : 1), ex_1(p, OP_SIGN, rest));
  if (!(c < 0)) return EX_NONE;
  switch (op) {
    case OP_SIN: case OP_TAN: case OP_ASIN: case OP_ATAN: case OP_SINH: case OP_TANH:
      return ex_neg(p, ex_1(p, op, ex_neg(p, a)));
    case OP_COS: case OP_COSH:
      return ex_1(p, op, ex_neg(p, a));
    default:
      return EX_NONE;
  }
}

static Ex of_one(Pool *p, Op op, Ex a) {
  const Node *q = node_of(p, a);
  Ex e;
  long k;
  if (q->op == OP_NUM) return ex_exact_num(p, op_value(op, &q->value, 1));
  switch (op) {
    case OP_SQRT:                                   // sqrt(u^(2j)) = |u|^j
      if (q->op == OP_POW && is_integer(p, args_of(p, a)[1], &k) && k % 2 == 0)
        return ex_pow(p, ex_1(p, OP_ABS, args_of(p, a)[0]), ex_num(p, (double)(k/2)));
      break;
    case OP_ABS:
      if (q->never_negative) return a;
      break;
    case OP_SIGN:
      if (q->op == OP_SIGN) return a;
      break;
    case OP_FLOOR:
      if (q->op == OP_FLOOR || q->op == OP_SIGN) return a;
      break;
    case OP_NOT:                                    // only of 0/1 values
      if (q->op == OP_NOT) return args_of(p, a)[0];
      break;
    default:
      break;
  }
  e = by_symmetry(p, op, a);
  return e ? e : same(p, op, a);
}

static Ex of_two(Pool *p, Op op, Ex a, Ex b) {
  const Node *x = node_of(p, a), *y = node_of(p, b);
  bool m = x->op == OP_NUM, n = y->op == OP_NUM;
  if (m && n) return ex_exact_num(p, op_value(op, (double[]){x->value, y->value}, 2));

  bool symmetric = op == OP_MIN || op == OP_MAX || op == OP_EQ || op == OP_AND || op == OP_OR;
  if (symmetric && (n || (!m && ex_compare(p, a, b) > 0))) {       // numbers first, then by structure
    Ex swap = a; a = b; b = swap;
    x = node_of(p, a);
    m = n;
  }
  switch (op) {
    case OP_SINC: case OP_SINHC: {                  // derivatives of an even function are even and odd in turn
      double c;
      long order;
      if (ex_is_written(p, a)) break;
      split_coefficient(p, a, &c);
      if (!(c < 0) || !is_integer(p, b, &order)) break;
      Ex e = ex_2(p, op, ex_neg(p, a), b);
      return order % 2 == 0 ? e : ex_neg(p, e);
    }
    case OP_MIN: case OP_MAX: if (a == b) return a; break;
    case OP_LT:               if (a == b) return ex_num(p, 0); break;
    case OP_LE: case OP_EQ:   if (a == b) return ex_num(p, 1); break;
    case OP_AND:
      if (a == b) return a;
      if (m) return x->value != 0 ? b : ex_num(p, 0);
      break;
    case OP_OR:
      if (a == b) return a;
      if (m) return x->value != 0 ? ex_num(p, 1) : b;
      break;
    default: break;
  }
  return node_make(p, op, (Ex[]){a, b}, 2);
}

static Ex choice(Pool *p, Ex c, Ex a, Ex b) {
  const Node *q = node_of(p, c);
  if (q->op == OP_NUM) return q->value != 0 ? a : b;
  if (a == b) return a;
  if (q->op == OP_NOT) return choice(p, args_of(p, c)[0], b, a);
  return node_make(p, OP_IF, (Ex[]){c, a, b}, 3);
}

// Symmetric in a and b where both come once
static Ex divided_power_of(Pool *p, const Ex *a) {
  bool numbers = true;
  for (int i = 0; i < 4; i++) numbers = numbers && node_of(p, a[i])->op == OP_NUM;
  if (numbers) {
    double v[4];
    for (int i = 0; i < 4; i++) v[i] = node_of(p, a[i])->value;
    return ex_num(p, op_value(OP_POWD, v, 4));
  }
  if (ex_is_num(p, a[3], 11) && ex_compare(p, a[0], a[1]) > 0)
    return node_make(p, OP_POWD, (Ex[]){a[1], a[0], a[2], a[3]}, 4);
  return node_make(p, OP_POWD, a, 4);
}

Ex build_function(Pool *p, Op op, const Ex *args) {
  if (op == OP_IF) return choice(p, args[0], args[1], args[2]);
  if (op == OP_POWD) return divided_power_of(p, args);
  if (op == OP_TURNED) return node_make(p, op, args, 3);
  if (op == OP_TABLE) return node_make(p, op, args, 4);
  return ex_op_arity(op) == 1 ? of_one(p, op, args[0]) : of_two(p, op, args[0], args[1]);
}
