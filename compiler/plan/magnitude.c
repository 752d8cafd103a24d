// The size of the terms of an expression: what it would be if nothing cancelled. Rounding loses some eps of it, however
// small the value is.
//
//   |a + b| -> |a| + |b|,   |a b| -> |a| |b|,   |sin a| -> |sin a| + |cos a| |a|,   |sqrt a| -> sqrt |a|
#include "../base/map.h"
#include "parts.h"

static Ex walk(Pool *p, Ex e, Map *memo);

static Ex of_node(Pool *p, Ex e, Map *memo) {
  Op op = ex_operator(p, e);
  int n = ex_nargs(p, e);
  Ex value = ex_1(p, OP_ABS, e), sum;
  switch (op) {
  case OP_ADD: case OP_PLUS: case OP_MINUS:
    sum = ex_num(p, 0);
    for (int i = 0; i < n; i++) sum = ex_add(p, sum, walk(p, ex_arg(p, e, i), memo));
    return sum;
  case OP_MUL: case OP_TIMES:
    sum = ex_num(p, 1);
    for (int i = 0; i < n; i++) sum = ex_mul(p, sum, walk(p, ex_arg(p, e, i), memo));
    return sum;
  case OP_POW:
    if (ex_operator(p, ex_arg(p, e, 1)) != OP_NUM || !(ex_value(p, ex_arg(p, e, 1)) >= 1)) return value;
    return ex_pow(p, walk(p, ex_arg(p, e, 0), memo), ex_arg(p, e, 1));
  case OP_SQRT: return ex_1(p, OP_SQRT, walk(p, ex_arg(p, e, 0), memo));
  case OP_SIN: case OP_COS:
    sum = ex_1(p, OP_ABS, ex_1(p, op == OP_SIN ? OP_COS : OP_SIN, ex_arg(p, e, 0)));
    return ex_add(p, value, ex_mul(p, sum, walk(p, ex_arg(p, e, 0), memo)));
  case OP_SHARED: return ex_1(p, OP_SHARED, walk(p, ex_arg(p, e, 0), memo));
  case OP_ABS: case OP_OPPOSITE: return walk(p, ex_arg(p, e, 0), memo);
  case OP_MIN: case OP_MAX:
    return ex_2(p, OP_MAX, walk(p, ex_arg(p, e, 0), memo), walk(p, ex_arg(p, e, 1), memo));
  case OP_IF:
    return ex_if(p, ex_arg(p, e, 0), walk(p, ex_arg(p, e, 1), memo), walk(p, ex_arg(p, e, 2), memo));
  default: return value;
  }
}

static Ex walk(Pool *p, Ex e, Map *memo) {
  Ex known = (Ex)(uintptr_t)map_get(memo, (void *)(uintptr_t)e);
  if (known) return known;
  Ex r = of_node(p, e, memo);
  map_put(memo, (void *)(uintptr_t)e, (void *)(uintptr_t)r);
  return r;
}

Ex magnitude(Arena *a, Pool *p, Ex e) { return walk(p, e, map_new(a)); }
