// The reference evaluator: every node once, arguments before users, IEEE double. Shares no code with the emitted C.
//
// A quotient is evaluated as one: numerators and denominators are multiplied up separately and divided once.
#include <math.h>
#include <stdlib.h>
#include "pool_impl.h"

void ex_points(Pool *p, const double *const *points, int n, TableValue *value) {
  p->points = points;
  p->n_points = n;
  p->table_value = value;
}

static double product_value(const Pool *p, Ex e, const double *value) {
  double above = 1, below = 1;
  for (int i = 0; i < node_of(p, e)->n_args; i++) {
    Ex f = args_of(p, e)[i];
    long k;
    if (node_of(p, f)->op == OP_POW && is_integer(p, args_of(p, f)[1], &k) && k < 0)
      below *= integer_power(value[args_of(p, f)[0]], -k);
    else
      above *= value[f];
  }
  return above/below;
}

// NaN where nobody said which points.
static double table_value(const Pool *p, const double *arg) {
  double k = arg[0];
  if (!(k >= 1 && k <= p->n_points && k == floor(k))) return NAN;
  return p->table_value(p->points[(int)k - 1], arg[1], arg[2], arg[3]);
}

// Values of all nodes in `order`, arguments before users; those of symbols are there already.
void eval_nodes(const Pool *p, const ExVec *order, double *value) {
  Vec(double) args = {0};
  for (size_t i = 0; i < order->n; i++) {
    Ex at = order->at[i];
    const Node *q = node_of(p, at);
    if (q->op == OP_NUM) {
      value[at] = q->value;
    } else if (q->op == OP_MUL) {
      value[at] = product_value(p, at, value);
    } else if (q->op != OP_SYM) {
      int n = q->n_args;
      args.n = 0;
      for (int j = 0; j < n; j++) vec_push(&args, value[args_of(p, at)[j]]);
      value[at] = q->op == OP_TABLE ? table_value(p, args.at) : op_value((Op)q->op, args.at, n);
    }
  }
  vec_free(&args);
}

double ex_eval(Pool *p, Ex e, double (*symbol)(int id, void *ctx), void *ctx) {
  ExVec order = {0};
  walk_collect(p, &e, 1, 0, &order);
  // Only entries in `order` are written and read; `symbol` may itself evaluate in this pool.
  double *value = memory_for(sizeof *value*((size_t)e + 1));
  for (size_t i = 0; i < order.n; i++)
    if (node_of(p, order.at[i])->op == OP_SYM) value[order.at[i]] = symbol(ex_symbol(p, order.at[i]), ctx);
  eval_nodes(p, &order, value);
  double result = value[e];
  free(value);
  vec_free(&order);
  return result;
}
