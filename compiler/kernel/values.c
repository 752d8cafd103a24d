// DAG -> values. A node of the DAG that is used more than once, or is worth it, gets a name, in an order where
// arguments come first. Sums start with their positive terms, products put negative powers below the line; small
// integer powers of names are multiplied out. Sine and cosine of the same angle are one call.
#include <math.h>
#include "../base/fatal.h"
#include "../base/map.h"
#include "kernel.h"

typedef struct Dag {
  KBuilder *b;
  Pool *p;
  KLeaf leaf; void *ctx;
  bool inline_only;                    // no statement can be added: nothing is named
  const Ex *order; int n;
  Map *index;                          // Ex -> its place in order, counted from 1
  KValue *value;                       // of each
  bool *is_name;                       // a symbol, or it has a name
} Dag;

static int place(const Dag *d, Ex e) { return (int)(uintptr_t)map_get(d->index, (void *)(uintptr_t)e) - 1; }
static KValue built(const Dag *d, Ex e) { return d->value[place(d, e)]; }

static bool small_integer(const Pool *p, Ex e, int *n) {
  if (ex_operator(p, e) != OP_NUM) return false;
  double v = ex_value(p, e);
  if (v != floor(v) || fabs(v) > 64) return false;
  *n = (int)v;
  return true;
}

// x^(n + 1/2) with n >= 0 as x^n*sqrt(x): both are not numbers for x < 0
static bool half_integer(const Pool *p, Ex e, int *n) {
  if (ex_operator(p, e) != OP_NUM) return false;
  double v = ex_value(p, e) - 0.5;
  *n = (int)v;
  return v == floor(v) && v >= 0 && v <= 4;
}

static KValue times(Dag *d, KValue l, KValue r) { return l == K_NONE ? r : k_op2(d->b, OP_TIMES, l, r); }

static bool is_opposite(const Dag *d, KValue v) {
  const KNode *n = k_node(d->b, v);
  return n->code == KN_OP && n->op == OP_OPPOSITE && !n->named;
}

// x^n for 0 < n <= 64: up to 4 products where x has a name, else a call.
static KValue power(Dag *d, Ex base, int n) {
  KValue x = built(d, base), r = K_NONE;
  if (n == 1) return x;
  if (n > 4 || n < 0 || !d->is_name[place(d, base)]) return k_op2(d->b, OP_POW, x, k_number(d->b, n));
  for (int i = 0; i < n; i++) r = times(d, r, x);
  return r;
}

// Negative powers go below the line, a coefficient -1 becomes a sign.
static KValue product(Dag *d, Ex e) {
  KValue above = K_NONE, below = K_NONE;
  bool negative = false;
  for (int i = 0; i < ex_nargs(d->p, e); i++) {
    Ex f = ex_arg(d->p, e, i);
    int n;
    if (ex_operator(d->p, f) == OP_NUM) {
      double v = ex_value(d->p, f);
      if (v < 0) { negative = !negative; v = -v; }
      if (v != 1) above = times(d, above, k_number(d->b, v));
    } else if (ex_operator(d->p, f) == OP_POW && small_integer(d->p, ex_arg(d->p, f, 1), &n) && n < 0 &&
               !d->is_name[place(d, f)])
      below = times(d, below, power(d, ex_arg(d->p, f, 0), -n));
    else above = times(d, above, built(d, f));
  }
  if (above == K_NONE) above = k_number(d->b, 1);
  if (below != K_NONE) above = k_op2(d->b, OP_OVER, above, below);
  return negative ? k_op1(d->b, OP_OPPOSITE, above) : above;
}

// Positive terms first, so that a difference starts with what it is taken from.
static KValue sum(Dag *d, Ex e) {
  KValue s = K_NONE;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < ex_nargs(d->p, e); i++) {
      KValue t = built(d, ex_arg(d->p, e, i));
      const KNode *n = k_node(d->b, t);
      bool number = n->code == KN_NUMBER && n->number < 0, opposite = is_opposite(d, t);
      if ((number || opposite) != (pass == 1)) continue;
      if (s == K_NONE) s = t;
      else if (opposite) s = k_op2(d->b, OP_MINUS, s, n->arg[0]);
      else if (number) s = k_op2(d->b, OP_MINUS, s, k_number(d->b, -n->number));
      else s = k_op2(d->b, OP_PLUS, s, t);
    }
  return s;
}

static KValue raised_to(Dag *d, Ex e) {
  Ex base = ex_arg(d->p, e, 0), exponent = ex_arg(d->p, e, 1);
  int n;
  if (small_integer(d->p, exponent, &n) && n != 0) {
    KValue x = power(d, base, n < 0 ? -n : n);
    return n < 0 ? k_op2(d->b, OP_OVER, k_number(d->b, 1), x) : x;
  }
  if (half_integer(d->p, exponent, &n)) {
    KValue root = k_op1(d->b, OP_SQRT, built(d, base));
    return n == 0 ? root : k_op2(d->b, OP_TIMES, power(d, base, n), root);
  }
  return k_op2(d->b, OP_POW, built(d, base), built(d, exponent));
}

static KValue chain(Dag *d, Ex e) {
  KValue x = built(d, ex_arg(d->p, e, 0)), y = built(d, ex_arg(d->p, e, 1)), zero = k_number(d->b, 0);
  KValue none = k_op2(d->b, OP_OR, k_op2(d->b, OP_EQ, x, zero), k_op2(d->b, OP_EQ, y, zero));
  return k_choose(d->b, none, zero, k_op2(d->b, OP_TIMES, x, y));
}

static KValue build(Dag *d, Ex e) {
  Op op = ex_operator(d->p, e);
  switch (op) {
  case OP_NUM: return k_number(d->b, ex_value(d->p, e));
  case OP_SYM: return d->leaf(d->b, ex_symbol(d->p, e), d->ctx);
  case OP_ADD: return sum(d, e);
  case OP_MUL: return product(d, e);
  case OP_POW: return raised_to(d, e);
  case OP_CHAIN: return chain(d, e);
  case OP_SHARED: return built(d, ex_arg(d->p, e, 0));
  default: break;
  }
  int n = ex_nargs(d->p, e);
  KValue x[4];
  INVARIANT(n >= 1);
  if (op == OP_AND || op == OP_OR) {
    x[0] = built(d, ex_arg(d->p, e, 0));
    for (int i = 1; i < n; i++) x[0] = k_op2(d->b, op, x[0], built(d, ex_arg(d->p, e, i)));
    return x[0];
  }
  INVARIANT(n <= 4);
  for (int i = 0; i < n; i++) x[i] = built(d, ex_arg(d->p, e, i));
  return k_op(d->b, op, x, n);
}

// --- what gets a name ---

static void count_uses(const Dag *d, const Ex *root, int nroot, int *uses, bool *raised) {
  for (int i = 0; i < d->n; i++) {
    Ex e = d->order[i];
    int m;
    // x^n with a compound base, and what a chain rule multiplies, are written twice: they are worth a name
    bool power_of = ex_operator(d->p, e) == OP_POW, chained = ex_operator(d->p, e) == OP_CHAIN;
    bool multiplied = power_of && ((small_integer(d->p, ex_arg(d->p, e, 1), &m) && m != 1 && m != -1) ||
                                   half_integer(d->p, ex_arg(d->p, e, 1), &m));
    for (int k = 0; k < ex_nargs(d->p, e); k++) {
      int at = place(d, ex_arg(d->p, e, k));
      uses[at]++;
      if ((multiplied && k == 0) || chained) raised[at] = true;
    }
  }
  for (int i = 0; i < nroot; i++) if (root[i] != EX_NONE) uses[place(d, root[i])]++;
}

// The cosine of each sine's angle and the other way round, where both are there: partner of order[i], or EX_NONE.
static Ex *partners(const Dag *d) {
  Ex *partner = ARENA_ARRAY(k_arena(d->b), Ex, d->n + 1);
  int *of[2];
  for (int k = 0; k < 2; k++) of[k] = ARENA_ARRAY(k_arena(d->b), int, d->n + 1);   // the sine, cosine of this angle
  for (int i = 0; i < d->n; i++) {
    Op op = ex_operator(d->p, d->order[i]);
    if (op != OP_SIN && op != OP_COS) continue;
    int angle = place(d, ex_arg(d->p, d->order[i], 0)), other = of[op == OP_SIN][angle];
    of[op == OP_COS][angle] = i + 1;
    if (other) { partner[i] = d->order[other - 1]; partner[other - 1] = d->order[i]; }
  }
  return partner;
}

static void sine_and_cosine(Dag *d, int i, Ex partner) {
  bool cosine = ex_operator(d->p, d->order[i]) == OP_COS;
  int other = place(d, partner);
  k_sincos(d->b, built(d, ex_arg(d->p, partner, 0)), &d->value[cosine ? other : i], &d->value[cosine ? i : other]);
  d->is_name[i] = d->is_name[other] = true;
}

static void one_node(Dag *d, int i, bool worth) {
  Op op = ex_operator(d->p, d->order[i]);
  KValue v = build(d, d->order[i]);
  d->value[i] = v;
  d->is_name[i] = op == OP_SYM || k_node(d->b, v)->named;
  if (d->inline_only || d->is_name[i] || op == OP_NUM || !worth) return;
  const KNode *n = k_node(d->b, v);
  int inner = is_opposite(d, v) ? n->arg[0] : v;
  bool leaf = k_node(d->b, inner)->depth == 0;              // a number, a name, or the opposite of one
  if (!leaf) { k_mark(d->b, v); d->is_name[i] = true; }
}

static void all_values(Dag *d, const Ex *root, int n, KValue *value) {
  Arena *a = k_arena(d->b);
  d->n = ex_topological(d->p, root, n, &d->order);
  d->index = map_new(a);
  for (int i = 0; i < d->n; i++) map_put(d->index, (void *)(uintptr_t)d->order[i], (void *)(uintptr_t)(i + 1));
  d->value = ARENA_ARRAY(a, KValue, d->n + 1);
  d->is_name = ARENA_ARRAY(a, bool, d->n + 1);
  int *uses = ARENA_ARRAY(a, int, d->n + 1);
  bool *raised = ARENA_ARRAY(a, bool, d->n + 1);
  count_uses(d, root, n, uses, raised);
  const Ex *partner = partners(d);
  for (int i = 0; i < d->n; i++) d->value[i] = K_NONE;
  for (int i = 0; i < d->n; i++) {
    if (d->value[i] != K_NONE) continue;                    // with its partner
    if (partner[i] != EX_NONE && !d->inline_only) sine_and_cosine(d, i, partner[i]);
    else one_node(d, i, uses[i] > 1 || raised[i]);
  }
  for (int i = 0; i < n; i++) value[i] = root[i] == EX_NONE ? K_NONE : built(d, root[i]);
}

void k_values(KBuilder *b, Pool *p, KLeaf leaf, void *ctx, const Ex *root, int n, KValue *value) {
  Dag d = { .b = b, .p = p, .leaf = leaf, .ctx = ctx };
  all_values(&d, root, n, value);
}

KValue k_ex_inline(KBuilder *b, Pool *p, KLeaf leaf, void *ctx, Ex e) {
  Dag d = { .b = b, .p = p, .leaf = leaf, .ctx = ctx, .inline_only = true };
  KValue v;
  all_values(&d, &e, 1, &v);
  return v;
}
