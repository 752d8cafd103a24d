// The product of an outer and an inner slope. sqrt(max(x, 0)) has the slope 0 for x < 0, but the rule f'(u)*u' gives
// inf*0; (x^2 + y^2)^(3/2) has the curvature 0 at 0, and the rule gives 0*0*inf. CHAIN(a, b) is a*b, and 0 where one of
// them is 0, whatever the other one is: what does not move contributes nothing.
//
// It stands only in derivatives of what may be steep, have an infinite slope where it has a value: roots and powers
// with exponents that are not whole, asin, acos, angles, and what is made of them. On paper it is a product. See
// docs/numerics/algebra.md, section 5.
#include <math.h>
#include "pool_impl.h"

// A sum of terms of one sign of which one is not 0, and what is not 0 where its argument is not.
bool never_zero(const Pool *p, Ex e) {
  const Node *q = node_of(p, e);
  const Ex *a = args_of(p, e);
  bool some = false, all = true;
  if (q->op == OP_NUM) return q->value != 0;
  if (q->height > 40) return false;                      // looking inside: not for ever
  if (q->op == OP_EXP || q->op == OP_COSH) return true;
  if (q->op == OP_POW || q->op == OP_SQRT || q->op == OP_ABS || q->op == OP_SHARED) return never_zero(p, a[0]);
  if (q->op != OP_ADD && q->op != OP_MUL) return false;
  for (int i = 0; i < q->n_args; i++) {
    bool here = never_zero(p, a[i]);
    some = some || here;
    all = all && (q->op == OP_MUL ? here : node_of(p, a[i])->never_negative);
  }
  return q->op == OP_MUL ? all : some && all;
}

Ex build_chain(Pool *p, Ex a, Ex b) {
  double ca, cb;
  bool number = node_of(p, a)->op == OP_NUM || node_of(p, b)->op == OP_NUM;
  if (ex_is_num(p, a, 0) || ex_is_num(p, b, 0)) return ex_num(p, 0);
  if (number) return ex_mul(p, a, b);
  Ex x = split_coefficient(p, a, &ca), y = split_coefficient(p, b, &cb);
  if (ca != 1 || cb != 1) return ex_op(p, OP_MUL, (Ex[]){ex_num(p, ca), ex_num(p, cb), build_chain(p, x, y)}, 3);
  if (ex_compare(p, x, y) > 0) {
    Ex swap = x; x = y; y = swap;
  }
  return node_make(p, OP_CHAIN, (Ex[]){x, y}, 2);
}

bool is_steep(const Pool *p, Op op, const Ex *args, int n) {
  bool still = true;
  for (int i = 0; i < n; i++) {
    if (node_of(p, args[i])->steep) return true;
    still = still && node_of(p, args[i])->still;
  }
  if (still) return false;                               // the root of a parameter has no slope at all
  switch (op) {
    case OP_ASIN: case OP_ACOS: case OP_CHAIN: case OP_POWD: return true;
    case OP_OVER: return !never_zero(p, args[1]);        // of kinks: divided.c
    case OP_SQRT: return !never_zero(p, args[0]);
    case OP_ATAN2: case OP_TURNED: return !never_zero(p, args[0]) && !never_zero(p, args[1]);
    case OP_POW: case OP_RAISED: {
      const Node *r = node_of(p, args[1]);
      bool whole = r->op == OP_NUM && r->value == floor(r->value);
      return !whole && !never_zero(p, args[0]);
    }
    default: return false;
  }
}

Ex chain_rule(Pool *p, Ex e, Ex outer, Ex inner) {
  return node_of(p, e)->steep ? build_chain(p, outer, inner) : ex_mul(p, outer, inner);
}

static Ex read_node(Pool *p, Ex e, const Ex *args, int n, void *ctx) {
  (void)ctx;
  const Ex *old = args_of(p, e);
  if (node_of(p, e)->op == OP_CHAIN) return ex_mul(p, args[0], args[1]);
  for (int i = 0; i < n; i++)
    if (args[i] != old[i]) return ex_op(p, (Op)node_of(p, e)->op, args, n);
  return e;
}

Ex without_chains(Pool *p, Ex e) { return node_of(p, e)->chained ? walk_rewrite(p, e, 0, read_node, NULL) : e; }
