// Random expressions as plain trees, built side by side with the simplifying pool, and evaluated here naively: as
// written, with its own forward-mode derivative (dual numbers). Shares no code with the evaluator under test.
//
// A value is trusted only where the tree is well behaved: every intermediate is finite, of moderate size, and away from
// the kinks and jumps where two correct answers may differ. `ok` says so.
#pragma once
#include "rig.h"

enum { RT_SYMBOLS = 5 };

typedef enum { RT_NUM, RT_SYM, RT_ADD, RT_SUB, RT_MUL, RT_DIV, RT_NEG, RT_POW, RT_IPOW, RT_FUNCTION, RT_IF } RtKind;

typedef struct Tree {
  RtKind kind;
  Op     op;                   // of RT_FUNCTION
  double x;                    // of RT_NUM; exponent of RT_IPOW
  int    id;
  struct Tree *a[3];
  Ex     ex;                   // the same, through the constructors
} Tree;

typedef struct Dual { double v, d, size; bool ok; } Dual;   // size: largest magnitude met on the way, for tolerances

// --- randomness: xorshift64*, fixed seeds ---

static uint64_t rt_state = 1;
static uint64_t rt_next(void) {
  rt_state ^= rt_state >> 12;
  rt_state ^= rt_state << 25;
  rt_state ^= rt_state >> 27;
  return rt_state*UINT64_C(2685821657736338717);
}
static int    rt_below(int n) { return (int)((rt_next() >> 33) % (unsigned)n); }
static double rt_unit(void) { return (double)(rt_next() >> 11)*0x1p-53; }
__attribute__((unused)) static void rt_seed(uint64_t seed) { rt_state = seed*UINT64_C(0x9e3779b97f4a7c15) + 1; }

// --- building ---

static const Op rt_functions[] = { OP_SQRT,  OP_EXP,  OP_LOG,   OP_SIN,  OP_COS,  OP_TAN,  OP_ASIN,
                                   OP_ACOS,  OP_ATAN, OP_ATAN2, OP_SINH, OP_COSH, OP_TANH, OP_SINC,
                                   OP_SINHC, OP_ABS,  OP_SIGN,  OP_MIN,  OP_MAX,  OP_FLOOR };
static const Op rt_conditions[] = {OP_LT, OP_LE, OP_EQ, OP_AND, OP_OR, OP_NOT};

// Arithmetic as written in place of algebra: nowhere, here and there, everywhere.
static enum { RT_ALGEBRA, RT_MIXED, RT_WRITTEN } rt_arithmetic = RT_MIXED;

static Tree *rt_node(RtKind kind) {
  Tree *t = ARENA_NEW(rig_arena, Tree);
  t->kind = kind;
  return t;
}

static Tree *rt_tree(int depth, bool smooth);

static Tree *rt_condition(int depth) {
  Tree *t = rt_node(RT_FUNCTION);
  t->op = rt_conditions[rt_below(depth > 0 ? 6 : 3)];
  bool logic = t->op == OP_AND || t->op == OP_OR || t->op == OP_NOT;
  int n = t->op == OP_NOT ? 1 : 2;
  for (int i = 0; i < n; i++) t->a[i] = logic ? rt_condition(depth - 1) : rt_tree(depth - 1, false);
  t->ex = n == 1 ? ex_1(P, t->op, t->a[0]->ex) : ex_2(P, t->op, t->a[0]->ex, t->a[1]->ex);
  return t;
}

static Tree *rt_number(double x) {
  Tree *t = rt_node(RT_NUM);
  t->x = x;
  t->ex = num(x);
  return t;
}

static Tree *rt_leaf(void) {
  static const double numbers[] = {0, 1, 2, -1, 3, 0.5, -2, 10, 0.1, -0.3, 1.0/3, 7, 6};
  if (rt_below(3) == 0)
    return rt_number(rt_below(4) == 0 ? 4 * rt_unit() - 2 : numbers[rt_below((int)(sizeof numbers / sizeof *numbers))]);
  Tree *t = rt_node(RT_SYM);
  t->id = rt_below(RT_SYMBOLS);
  t->ex = ex_sym(P, t->id);
  return t;
}

// `smooth` leaves out kinks, jumps and choices.
static Tree *rt_tree(int depth, bool smooth) {
  if (depth <= 0 || rt_below(8) == 0) return rt_leaf();
  int r = rt_below(100);
  RtKind kind = r < 22   ? RT_ADD
                : r < 36 ? RT_SUB
                : r < 58 ? RT_MUL
                : r < 66 ? RT_DIV
                : r < 70 ? RT_NEG
                : r < 80 ? RT_IPOW
                : r < 82 ? RT_POW
                : r < 97 ? RT_FUNCTION
                         : RT_IF;
  if (smooth && kind == RT_IF) kind = RT_ADD;
  Tree *t = rt_node(kind);
  if (kind == RT_IF) {
    t->a[0] = rt_condition(depth - 1);
    t->a[1] = rt_tree(depth - 1, smooth);
    t->a[2] = rt_tree(depth - 1, smooth);
    t->ex = ex_if(P, t->a[0]->ex, t->a[1]->ex, t->a[2]->ex);
    return t;
  }
  if (kind == RT_FUNCTION) {
    do t->op = rt_functions[rt_below((int)(sizeof rt_functions/sizeof *rt_functions))];
    while (smooth && (t->op == OP_ABS || t->op == OP_SIGN || t->op == OP_MIN || t->op == OP_MAX || t->op == OP_FLOOR));
  }
  int n = kind == RT_NEG || kind == RT_IPOW ? 1 : kind == RT_FUNCTION ? ex_op_arity(t->op) : 2;
  for (int i = 0; i < n; i++) t->a[i] = rt_tree(depth - 1, smooth);
  if (kind == RT_FUNCTION && (t->op == OP_SINC || t->op == OP_SINHC)) t->a[1] = rt_number(rt_below(3));
  Ex a = t->a[0]->ex, b = n > 1 ? t->a[1]->ex : EX_NONE;
  static const Op as_written[] = { [RT_ADD] = OP_PLUS, [RT_SUB] = OP_MINUS, [RT_MUL] = OP_TIMES, [RT_DIV] = OP_OVER,
                                   [RT_NEG] = OP_OPPOSITE, [RT_POW] = OP_RAISED };
  if (kind == RT_IPOW && rt_arithmetic == RT_WRITTEN) {
    t->x = rt_below(7) - 2;
    t->ex = ex_2(P, OP_RAISED, a, num(t->x));
    return t;
  }
  bool written = rt_arithmetic == RT_WRITTEN || (rt_arithmetic == RT_MIXED && rt_below(6) == 0);
  if (kind >= RT_ADD && kind <= RT_POW && written) {
    t->ex = ex_op(P, as_written[kind], (Ex[]){a, b}, n);
    return t;
  }
  switch (kind) {
    case RT_ADD: t->ex = ex_add(P, a, b); break;
    case RT_SUB: t->ex = ex_sub(P, a, b); break;
    case RT_MUL: t->ex = ex_mul(P, a, b); break;
    case RT_DIV: t->ex = ex_div(P, a, b); break;
    case RT_NEG: t->ex = ex_neg(P, a); break;
    case RT_POW: t->ex = ex_pow(P, a, b); break;
    case RT_IPOW:
      t->x = rt_below(7) - 2;
      if (rt_below(5) == 0) t->x = rt_below(4) + 0.5 - 0.3*rt_below(2);      // 0.2 ... 3.5, not whole
      t->ex = ex_pow(P, a, num(t->x));
      break;
    default: t->ex = n == 1 ? ex_1(P, t->op, a) : ex_2(P, t->op, a, b); break;
  }
  return t;
}

// f_n, n = 0 ... 3, of sin(x)/x and sinh(x)/x: x*f_n + n*f_{n-1} is derivative number n of sin or sinh
static double rt_cardinal(Op op, double x, int n) {
  bool round = op == OP_SINC;
  double s = round ? sin(x) : sinh(x), c = round ? cos(x) : cosh(x), sign = round ? -1 : 1, f = s/x;
  if (n > 0) f = (c - f)/x;
  if (n > 1) f = (sign*s - 2*f)/x;
  if (n > 2) f = (sign*c - 3*f)/x;
  return f;
}

// --- evaluating: value and derivative with respect to one symbol ---

enum { RT_HUGE = 1000000 };
static const double RT_NEAR = 1e-4;

static Dual rt_function(Op op, const Dual *a) {
  double x = a[0].v, y = a[1].v, dx = a[0].d, dy = a[1].d;
  Dual r = {.ok = a[0].ok && a[1].ok, .size = fmax(a[0].size, a[1].size)};
  bool far = fabs(x - y) > RT_NEAR;
  switch (op) {
    case OP_SQRT:  r.v = sqrt(x);  r.d = dx/(2*sqrt(x));      r.ok = r.ok && x > RT_NEAR; break;
    case OP_EXP:   r.v = exp(x);   r.d = dx*exp(x);           break;
    case OP_LOG:   r.v = log(x);   r.d = dx/x;                r.ok = r.ok && x > RT_NEAR; break;
    case OP_SIN:   r.v = sin(x);   r.d = dx*cos(x);           break;
    case OP_COS:   r.v = cos(x);   r.d = -dx*sin(x);          break;
    case OP_TAN:   r.v = tan(x);   r.d = dx/(cos(x)*cos(x));  break;
    case OP_ASIN:  r.v = asin(x);  r.d = dx/sqrt(1 - x*x);    r.ok = r.ok && fabs(x) < 1 - RT_NEAR; break;
    case OP_ACOS:  r.v = acos(x);  r.d = -dx/sqrt(1 - x*x);   r.ok = r.ok && fabs(x) < 1 - RT_NEAR; break;
    case OP_ATAN:  r.v = atan(x);  r.d = dx/(1 + x*x);        break;
    case OP_ATAN2: r.v = atan2(x, y); r.d = (y*dx - x*dy)/(x*x + y*y);
                   r.ok = r.ok && x*x + y*y > RT_NEAR && !(y < 0 && fabs(x) < RT_NEAR); break;
    case OP_SINH:  r.v = sinh(x);  r.d = dx*cosh(x);          break;
    case OP_COSH:  r.v = cosh(x);  r.d = dx*sinh(x);          break;
    case OP_TANH:  r.v = tanh(x);  r.d = dx/(cosh(x)*cosh(x)); break;
    case OP_SINC: case OP_SINHC:
      r.v = rt_cardinal(op, x, (int)y);
      r.d = rt_cardinal(op, x, (int)y + 1)*dx;
      r.ok = r.ok && fabs(x) > 0.3;
      break;
    case OP_ABS:   r.v = fabs(x);  r.d = x < 0 ? -dx : dx;    r.ok = r.ok && fabs(x) > RT_NEAR; break;
    case OP_SIGN:  r.v = x > 0 ? 1 : x < 0 ? -1 : 0;          r.ok = r.ok && fabs(x) > RT_NEAR; break;
    case OP_MIN:   r.v = x < y ? x : y; r.d = x < y ? dx : dy; r.ok = r.ok && far; break;
    case OP_MAX:   r.v = x > y ? x : y; r.d = x > y ? dx : dy; r.ok = r.ok && far; break;
    case OP_FLOOR: r.v = floor(x);                            r.ok = r.ok && fabs(x - round(x)) > RT_NEAR; break;
    case OP_LT:    r.v = x < y;                               r.ok = r.ok && far; break;
    case OP_LE:    r.v = x <= y;                              r.ok = r.ok && far; break;
    case OP_EQ:    r.v = x == y;                              r.ok = r.ok && far; break;
    case OP_AND:   r.v = x != 0 && y != 0; break;
    case OP_OR:    r.v = x != 0 || y != 0; break;
    case OP_NOT:   r.v = x == 0; break;
    default: fail_msg("not a function: %s", ex_op_name(op));
  }
  return r;
}

__attribute__((unused)) static Dual rt_value(const Tree *t, const double *at, int by) {
  Dual a[3] = {{.ok = true}, {.ok = true}, {.ok = true}}, r = {.ok = true};
  for (int i = 0; i < 3 && t->a[i]; i++) {
    a[i] = rt_value(t->a[i], at, by);
    r.ok = r.ok && a[i].ok;
    r.size = fmax(r.size, a[i].size);
  }
  double x = a[0].v, y = a[1].v, dx = a[0].d, dy = a[1].d;
  switch (t->kind) {
    case RT_NUM: r.v = t->x; break;
    case RT_SYM: r.v = at[t->id]; r.d = t->id == by; break;
    case RT_ADD: r.v = x + y; r.d = dx + dy; break;
    case RT_SUB: r.v = x - y; r.d = dx - dy; break;
    case RT_NEG: r.v = -x; r.d = -dx; break;
    case RT_MUL: r.v = x*y; r.d = dx*y + x*dy; break;
    case RT_DIV:
      r.v = x/y;
      r.d = (dx*y - x*dy)/(y*y);
      r.ok = r.ok && fabs(y) > RT_NEAR;
      break;
    case RT_IPOW:
      r.v = pow(x, t->x);
      r.d = t->x == 0 ? 0 : t->x*pow(x, t->x - 1)*dx;
      r.ok = r.ok && (t->x >= 0 || fabs(x) > RT_NEAR) && (t->x == floor(t->x) || x > RT_NEAR);
      break;
    case RT_POW:
      r.v = pow(x, y);
      r.d = r.v*(dy*log(x) + y*dx/x);
      r.ok = r.ok && x > RT_NEAR;
      break;
    case RT_FUNCTION: r = rt_function(t->op, a); break;
    case RT_IF:
      r.v = x != 0 ? a[1].v : a[2].v;
      r.d = x != 0 ? a[1].d : a[2].d;
      break;
  }
  r.ok = r.ok && fabs(r.v) < RT_HUGE && fabs(r.d) < RT_HUGE;
  r.size = fmax(r.size, fmax(fabs(r.v), fabs(r.d)));
  return r;
}

__attribute__((unused)) static void rt_point(double *at) {
  for (int i = 0; i < RT_SYMBOLS; i++) at[i] = 4*rt_unit() - 2;
}

__attribute__((unused)) static bool rt_close(double x, double y, double size, double tol) {
  return fabs(x - y) <= tol * (1 + size);
}
