// The constructors of expr.h: each hands over to the file that knows its operation.
#include "pool_impl.h"

static const struct { const char *name, *cname, *notation; int arity; } op_table[OP_COUNT] = {
#define OP(name, arity, cname, notation) [OP_##name] = {#name, cname, notation, arity},
#include "expr_ops.def"
#undef OP
};

int         ex_op_arity(Op op) { return op_table[op].arity; }
const char *ex_op_name(Op op) { return op_table[op].name; }
const char *ex_op_cname(Op op) { return op_table[op].cname; }
const char *ex_op_notation(Op op) { return op_table[op].notation; }

Ex ex_op(Pool *p, Op op, const Ex *args, int n) {
  INVARIANT(op != OP_NUM && op != OP_SYM && op < OP_COUNT);
  INVARIANT(op_table[op].arity == n || op_table[op].arity == -1);
  for (int i = 0; i < n; i++) INVARIANT(args[i] != EX_NONE && args[i] < p->n_nodes);
  switch (op) {
    case OP_ADD: return build_sum(p, args, n);
    case OP_MUL: return build_product(p, args, n, 1);
    case OP_POW: return build_power(p, args[0], args[1]);
    case OP_PLUS: case OP_MINUS: case OP_OPPOSITE: case OP_TIMES: case OP_OVER: case OP_RAISED:
      return build_written(p, op, args);
    case OP_CHAIN: return build_chain(p, args[0], args[1]);
    case OP_SHARED: return build_shared(p, args[0]);
    default:     return build_function(p, op, args);
  }
}

Ex ex_1(Pool *p, Op op, Ex a) { return ex_op(p, op, &a, 1); }
Ex ex_2(Pool *p, Op op, Ex a, Ex b) { return ex_op(p, op, (Ex[]){a, b}, 2); }
Ex ex_add(Pool *p, Ex a, Ex b) { return ex_2(p, OP_ADD, a, b); }
Ex ex_mul(Pool *p, Ex a, Ex b) { return ex_2(p, OP_MUL, a, b); }
Ex ex_pow(Pool *p, Ex a, Ex b) { return ex_2(p, OP_POW, a, b); }
Ex ex_neg(Pool *p, Ex a) { return ex_2(p, OP_MUL, ex_num(p, -1), a); }
Ex ex_sub(Pool *p, Ex a, Ex b) { return ex_2(p, OP_ADD, a, ex_neg(p, b)); }
Ex ex_if(Pool *p, Ex c, Ex a, Ex b) { return ex_op(p, OP_IF, (Ex[]){c, a, b}, 3); }

Ex ex_div(Pool *p, Ex a, Ex b) {
  INVARIANT(a != EX_NONE && a < p->n_nodes && b != EX_NONE && b < p->n_nodes);
  return build_quotient(p, a, b);
}
