// Model expressions: constructors, substitution of loop indices, evaluation. What stands below a node is kept in its
// `uses`.
#include "mx.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../../runtime/shared/table.h"
#include "../base/map.h"

static const char *const ops[] = {
#define BUILTIN(name, text, arity, units) text,
#include "builtins.def"
#undef BUILTIN
};

const char *mop_text(MOp op) { return ops[op]; }

// --- constructors ---

static MExpr *make(Arena *a, MKind kind, Span at) {
  MExpr *x = ARENA_NEW(a, MExpr);
  x->kind = kind;
  x->span = at;
  return x;
}

static MExpr *with_args(Arena *a, MExpr *x, MExpr *const *arg, int n) {
  x->nargs = n;
  x->arg = ARENA_ARRAY(a, MExpr *, n);
  for (int i = 0; i < n; i++) {
    x->arg[i] = arg[i];
    x->uses |= arg[i]->uses;
  }
  return x;
}

MExpr *mx_num(Arena *a, double x, Span at) {
  MExpr *e = make(a, MX_NUM, at);
  e->num = x;
  return e;
}

MExpr *mx_loop(Arena *a, int position, Span at) {
  MExpr *e = make(a, MX_LOOP, at);
  e->id = position;
  e->uses = MU_LOOP;
  return e;
}

MExpr *mx_time(Arena *a, Span at) {
  MExpr *e = make(a, MX_TIME, at);
  e->uses = MU_TIME;
  return e;
}

MExpr *mx_step(Arena *a, Span at) {
  MExpr *e = mx_time(a, at);
  e->id = 1;
  return e;
}

MExpr *mx_stat(Arena *a, int id, Span at) {
  MExpr *e = make(a, MX_STAT, at);
  e->id = id;
  e->uses = MU_STAT;
  return e;
}

MExpr *mx_touch(Arena *a, int id, int what, MExpr *const *arg, int n, Span at) {
  MExpr *e = make(a, MX_TOUCH, at);
  e->id = id;
  e->num = what;
  e->uses = MU_VAR | MU_TOUCH;
  return with_args(a, e, arg, n);
}

MExpr *mx_param(Arena *a, int id, MExpr *const *index, int n, Span at) {
  MExpr *e = make(a, MX_PARAM, at);
  e->id = id;
  e->uses = MU_PARAM;
  return with_args(a, e, index, n);
}

MExpr *mx_var(Arena *a, const MVar *var, int id, MExpr *const *index, int n, bool derivative, Span at) {
  MExpr *e = make(a, MX_VAR, at);
  e->id = id;
  e->derivative = derivative;
  e->uses = var->kind == MV_DISCRETE || var->kind == MV_GIVEN ? MU_DISCRETE
            : var->kind == MV_INPUT || var->kind == MV_DELAY ? MU_INPUT | MU_TIME
            : MU_VAR | (derivative ? MU_RATE : 0) |
              (var->kind == MV_MULTIPLIER || var->kind == MV_ROW ? MU_LAMBDA : 0);
  return with_args(a, e, index, n);
}

MExpr *mx_rate(Arena *a, MExpr *x, Span at) {
  MExpr *e = with_args(a, make(a, MX_RATE, at), &x, 1);
  if (x->uses & MU_VAR) e->uses |= MU_RATE;
  return e;
}

MExpr *mx_op(Arena *a, MOp op, MExpr *const *arg, int n, Span at) {
  MExpr *e = make(a, MX_OP, at);
  e->op = op;
  return with_args(a, e, arg, n);
}

MExpr *mx_again(Arena *a, const MExpr *x, MExpr *const *arg) {
  MExpr *e = mx_op(a, x->op, arg, x->nargs, x->span);
  e->id = x->id;
  e->num = x->num;
  return e;
}

MExpr *mx_table(Arena *a, int id, const double *points, MExpr *at, Span span) {
  MExpr *e = mx_1(a, MOP_TABLE, at, span);
  e->id = id;
  e->num = (double)(uintptr_t)points;
  return e;
}

MExpr *mx_segment(Arena *a, const MExpr *table, MExpr *at) {
  MExpr *e = mx_again(a, table, &at);
  e->op = MOP_SEGMENT;
  return e;
}

MExpr *mx_1(Arena *a, MOp op, MExpr *x, Span at) { return mx_op(a, op, &x, 1, at); }
MExpr *mx_2(Arena *a, MOp op, MExpr *x, MExpr *y, Span at) { return mx_op(a, op, (MExpr *[]){x, y}, 2, at); }

MExpr *mx_neg(Arena *a, MExpr *x, Span at) {
  if (x->kind == MX_NUM) return mx_num(a, -x->num, at);
  if (x->kind == MX_OP && x->op == MOP_NEG) return x->arg[0];
  return mx_1(a, MOP_NEG, x, at);
}

MExpr *mx_leaves(Arena *a, const MExpr *segment) {
  Span at = segment->span;
  return mx_2(a, MOP_SUB, mx_1(a, MOP_ATAN, segment->arg[0], at), mx_num(a, 2, at), at);
}

MExpr *mx_times(Arena *a, MExpr *x, MExpr *y) {
  if (x->kind == MX_NUM && y->kind == MX_NUM) return mx_num(a, x->num * y->num, x->span);
  if (mx_is_num(x, 0) || mx_is_num(y, 1)) return x;
  if (mx_is_num(y, 0) || mx_is_num(x, 1)) return y;
  return mx_2(a, MOP_MUL, x, y, x->span);
}

MExpr *mx_plus(Arena *a, MExpr *x, MExpr *y) {
  if (x->kind == MX_NUM && y->kind == MX_NUM) return mx_num(a, x->num + y->num, x->span);
  if (mx_is_num(x, 0)) return y;
  if (mx_is_num(y, 0)) return x;
  return mx_2(a, MOP_ADD, x, y, x->span);
}

MExpr *mx_minus(Arena *a, MExpr *x, MExpr *y) {
  if (x->kind == MX_NUM && y->kind == MX_NUM) return mx_num(a, x->num - y->num, x->span);
  if (mx_is_num(y, 0)) return x;
  return mx_is_num(x, 0) ? mx_neg(a, y, y->span) : mx_2(a, MOP_SUB, x, y, x->span);
}

MExpr *mx_sum(Arena *a, MExpr *const *term, int n, Span at) {
  if (n == 0) return mx_num(a, 0, at);
  if (n == 1) return term[0];
  return mx_2(a, MOP_ADD, mx_sum(a, term, n / 2, at), mx_sum(a, term + n / 2, n - n / 2, at), at);
}

// --- questions ---

bool mx_is_num(const MExpr *x, double value) { return x->kind == MX_NUM && x->num == value; }
bool mx_constant(const MExpr *x) { return !(x->uses & ~(unsigned)(MU_PARAM | MU_LOOP)); }

bool mx_same(const MExpr *x, const MExpr *y) {
  if (x == y) return true;
  if (x->kind != y->kind || x->op != y->op || x->id != y->id || x->derivative != y->derivative || x->nargs != y->nargs)
    return false;
  if (x->kind == MX_TOUCH && x->num != y->num) return false;
  if (x->kind == MX_NUM) return x->num == y->num;
  for (int i = 0; i < x->nargs; i++)
    if (!mx_same(x->arg[i], y->arg[i])) return false;
  return true;
}

// --- substitution: shared nodes stay shared ---

static MExpr *subst(Arena *a, MExpr *x, MExpr *const *by, int n, Map *done) {
  if (!(x->uses & MU_LOOP)) return x;
  if (x->kind == MX_LOOP) return x->id < n && by[x->id] ? by[x->id] : x;
  MExpr *seen = map_get(done, x);
  if (seen) return seen;
  MExpr *y = ARENA_NEW(a, MExpr);
  *y = *x;
  y->arg = ARENA_ARRAY(a, MExpr *, x->nargs);
  y->uses = x->uses & ~(unsigned)(MU_LOOP | MU_PARAM | MU_VAR | MU_RATE | MU_LAMBDA | MU_TIME | MU_STAT | MU_DISCRETE |
                                  MU_INPUT | MU_TOUCH);
  if (x->kind == MX_VAR || x->kind == MX_PARAM || x->kind == MX_TOUCH) y->uses = x->uses & ~(unsigned)MU_LOOP;
  if (x->kind == MX_RATE) y->uses = x->uses & MU_RATE;
  for (int i = 0; i < x->nargs; i++) {
    y->arg[i] = subst(a, x->arg[i], by, n, done);
    y->uses |= y->arg[i]->uses;
  }
  map_put(done, x, y);
  return y;
}

MExpr *mx_subst(Arena *a, MExpr *x, MExpr *const *by, int n) {
  bool identity = true;
  for (int i = 0; i < n; i++) identity = identity && (!by[i] || (by[i]->kind == MX_LOOP && by[i]->id == i));
  if (identity || !(x->uses & MU_LOOP)) return x;
  return subst(a, x, by, n, map_new(a));
}

bool mx_affine_in_time(const MExpr *x) {
  if (!(x->uses & MU_TIME)) return true;
  if (x->kind == MX_TIME) return true;
  if (x->kind != MX_OP) return false;
  switch (x->op) {
  case MOP_ADD: case MOP_SUB: return mx_affine_in_time(x->arg[0]) && mx_affine_in_time(x->arg[1]);
  case MOP_NEG: return mx_affine_in_time(x->arg[0]);
  case MOP_MUL:
    return !(x->arg[0]->uses & x->arg[1]->uses & MU_TIME) && mx_affine_in_time(x->arg[0]) &&
           mx_affine_in_time(x->arg[1]);
  case MOP_DIV: return mx_affine_in_time(x->arg[0]) && !(x->arg[1]->uses & MU_TIME);
  case MOP_IF: return !(x->arg[0]->uses & MU_TIME) && mx_affine_in_time(x->arg[1]) && mx_affine_in_time(x->arg[2]);
  default: return false;
  }
}

// --- evaluation ---

double mx_apply(MOp op, const double *v) {
  switch (op) {
  case MOP_ADD: return v[0] + v[1];
  case MOP_SUB: return v[0] - v[1];
  case MOP_MUL: return v[0] * v[1];
  case MOP_DIV: return v[0] / v[1];
  case MOP_POW: return pow(v[0], v[1]);
  case MOP_NEG: return -v[0];
  case MOP_LT: return v[0] < v[1];
  case MOP_LE: return v[0] <= v[1];
  case MOP_GT: return v[0] > v[1];
  case MOP_GE: return v[0] >= v[1];
  case MOP_EQ: return v[0] == v[1];
  case MOP_NE: return v[0] != v[1];
  case MOP_AND: return v[0] != 0 && v[1] != 0;
  case MOP_OR: return v[0] != 0 || v[1] != 0;
  case MOP_NOT: return v[0] == 0;
  case MOP_IF: return v[0] != 0 ? v[1] : v[2];
  case MOP_SQRT: return sqrt(v[0]);
  case MOP_EXP: return exp(v[0]);
  case MOP_LOG: return log(v[0]);
  case MOP_SIN: return sin(v[0]);
  case MOP_COS: return cos(v[0]);
  case MOP_TAN: return tan(v[0]);
  case MOP_ASIN: return asin(v[0]);
  case MOP_ACOS: return acos(v[0]);
  case MOP_ATAN: return atan(v[0]);
  case MOP_ATAN2: return atan2(v[0], v[1]);
  case MOP_TURNED: {
    double a = atan2(v[0], v[1]), turn = 2 * 3.14159265358979323846;
    return isfinite(v[2]) ? a + turn * floor((v[2] - a) / turn + 0.5) : NAN;
  }
  case MOP_SINH: return sinh(v[0]);
  case MOP_COSH: return cosh(v[0]);
  case MOP_TANH: return tanh(v[0]);
  case MOP_ABS: return fabs(v[0]);
  case MOP_SIGN: return v[0] > 0 ? 1 : v[0] < 0 ? -1 : v[0];
  case MOP_MIN: return v[0] == v[1] ? (signbit(v[0]) ? v[0] : v[1]) : v[0] < v[1] || isnan(v[0]) ? v[0] : v[1];
  case MOP_MAX: return v[0] == v[1] ? (signbit(v[0]) ? v[1] : v[0]) : v[0] > v[1] || isnan(v[0]) ? v[0] : v[1];
  case MOP_FLOOR: return floor(v[0]);
  default: return NAN;
  }
}

// Offset of an element in its array (row-major), or -1.
static int element(const MxEval *e, const MExpr *x) {
  const MParam *p = &e->params[x->id];
  int at = 0;
  for (int k = 0; k < x->nargs; k++) {
    double i;
    if (!mx_eval(e, x->arg[k], &i) || !(i >= 1 && i <= p->dim[k]) || i != floor(i)) return -1;
    at = at * p->dim[k] + (int)i - 1;
  }
  return at;
}

bool mx_eval(const MxEval *e, const MExpr *x, double *out) {
  double v[3] = {0};
  switch (x->kind) {
  case MX_NUM:
    *out = x->num;
    return true;
  case MX_PARAM: {
    int at = x->nargs ? element(e, x) : 0;
    return at >= 0 && e->param(x->id + at, out, e->ctx);
  }
  case MX_LOOP:
    if (!e->loop || x->id >= e->nloop) return false;
    *out = e->loop[x->id];
    return true;
  case MX_OP:
    if (x->op == MOP_TABLE || x->op == MOP_SEGMENT) {
      if (!mx_eval(e, x->arg[0], v)) return false;
      *out = nsm_table_value((const double *)(uintptr_t)x->num, v[0], v[0], x->op == MOP_TABLE ? 0 : -1);
      return true;
    }
    if (x->op == MOP_IF) {
      if (!mx_eval(e, x->arg[0], v)) return false;
      return mx_eval(e, x->arg[v[0] != 0 ? 1 : 2], out);
    }
    for (int i = 0; i < x->nargs; i++)
      if (!mx_eval(e, x->arg[i], &v[i])) return false;
    *out = mx_apply(x->op, v);
    return true;
  default:
    return false;
  }
}
