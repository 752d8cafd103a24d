// From a kernel the one with its slopes (slopes.h).
#include <string.h>
#include "../base/vec.h"
#include "slopes.h"

enum { MOST = 40000 };                 // nodes: a longer one takes longer to compile than it saves

// A slope while it is written: a number, or a value of the kernel that is made.
typedef struct Slope { bool known; double number; KValue value; } Slope;
static const Slope none = { true, 0, K_NONE };

typedef struct Stored { int at; bool adds; } Stored;       // node of the statement

typedef struct Maker {
  const KKernel *k;
  const KernelEntry *entry;            // of a matrix whose product is wanted; NULL
  int nentry;
  KBuilder *b;
  KValue *copy;                        // [k->n] the same values in the kernel that is made
  bool   *varies, *chosen;             // [k->n] reads numbers; is wanted in one branch alone, by the value at hand
  Slope   *bar;                         // [k->n] of the value at hand
  KValue (*partial)[2];                // [k->n] slopes of a function by its arguments
  KValue view, table, stride, value, slope, instance;
  int    slots, columns;               // of the loop over instances; -1: there is none
  bool   inside, fails;                // inside: of that loop
  Vec(Stored) stored;
  Vec(SlopeValue) values;
  Vec(int) by;
  Vec(SlopePlace) read;
  Vec(KValue) slopes, results;
} Maker;

static const KNode *node(const Maker *m, KValue v) { return &m->k->node[v]; }
static KValue number(Maker *m, double x) { return k_number(m->b, x); }

// The operation that a node is; functions are calls. OP_NUM: of no kind that has a slope.
static Op op_of(const KNode *n) {
  static const Op function[] = { OP_SQRT, OP_EXP, OP_LOG, OP_SIN, OP_COS, OP_TAN, OP_ASIN, OP_ACOS, OP_ATAN, OP_ATAN2,
                                 OP_TURNED, OP_SINH, OP_COSH, OP_TANH, OP_SINC, OP_ABS, OP_SIGN, OP_MIN, OP_MAX,
                                 OP_FLOOR, OP_POW };
  KSymbol s;
  if (n->code == KN_OP) return n->op;
  for (size_t i = 0; n->code == KN_CALL && i < sizeof function / sizeof *function; i++)
    if (k_symbol_of_op(function[i], &s) && n->index == (int)s) return function[i];
  return OP_NUM;
}

// ---- places ---------------------------------------------------------------------------------------------------------
// An int node as first + by instance.
static bool is_linear(const Maker *m, KValue v, int *first, int *by) {
  const KNode *n = node(m, v);
  int a, b, c, d;
  *first = *by = 0;
  if (n->code == KN_INTEGER) { *first = n->index; return true; }
  if (n->code == KN_COUNTER && node(m, n->index)->code == KN_INSTANCES) { *by = 1; return true; }
  if (n->code != KN_OP || !is_linear(m, n->arg[0], &a, &b) || n->narg != 2 || !is_linear(m, n->arg[1], &c, &d))
    return false;
  if (n->op == OP_PLUS) { *first = a + c; *by = b + d; return true; }
  if (n->op != OP_TIMES || (b != 0 && d != 0)) return false;
  *first = a * c;
  *by = a * d + b * c;
  return true;
}

static bool place_of(const Maker *m, KValue index, SlopePlace *to) {
  const KNode *n = node(m, index);
  if (n->code == KN_SLOT) {
    *to = (SlopePlace){ to->array, true, n->index, m->slots };
    return true;
  }
  if (n->code == KN_AT && node(m, n->arg[0])->type == KT_INDICES) {
    to->by_ix = true;
    index = n->arg[1];
  }
  return is_linear(m, index, &to->first, &to->by);
}

// ---- the same values ------------------------------------------------------------------------------------------------
static KValue strided(Maker *m, KValue index) { return k_op2(m->b, OP_TIMES, index, m->stride); }

static KValue column(Maker *m, int c) {
  KBuilder *b = m->b;
  KValue first = k_op2(b, OP_TIMES, m->instance, k_integer(b, m->columns));
  return k_at(b, k_field(b, m->table, KF_TABLE_num), strided(m, k_op2(b, OP_PLUS, first, k_integer(b, c))));
}

static KValue element(Maker *m, const KNode *n) {
  const KNode *array = node(m, n->arg[0]);
  if (array->code != KN_FIELD) { m->fails = true; return K_NONE; }
  if (array->type == KT_INDICES) return k_at(m->b, m->copy[n->arg[0]], m->copy[n->arg[1]]);
  return k_at(m->b, m->copy[n->arg[0]], strided(m, m->copy[n->arg[1]]));
}

static bool has_slope(const Maker *m, const KNode *n) {
  switch (op_of(n)) {
  case OP_NUM: return false;
  case OP_POW: case OP_RAISED: case OP_SINC: return node(m, n->arg[1])->code == KN_NUMBER;
  default: return true;
  }
}

static KValue operation(Maker *m, const KNode *n) {
  KValue x[4];
  if (!has_slope(m, n)) { m->fails = true; return K_NONE; }
  for (int i = 0; i < n->narg; i++) x[i] = m->copy[n->arg[i]];
  return k_op(m->b, op_of(n), x, n->narg);
}

static KValue copy_of(Maker *m, int i) {
  const KNode *n = node(m, i);
  KBuilder *b = m->b;
  switch (n->code) {
  case KN_NUMBER: return number(m, n->number);
  case KN_INTEGER: return k_integer(b, n->index);
  case KN_PARAM: return n->index == 0 ? m->view : n->index == 1 ? m->table : K_NONE;
  case KN_COUNTER: return node(m, n->index)->code == KN_INSTANCES ? m->instance : K_NONE;
  case KN_SLOT: return k_slot(b, n->index);
  case KN_COLUMN: return column(m, n->index);
  case KN_FIELD: return k_field(b, m->copy[n->arg[0]], (KField)n->index);
  case KN_AT: return element(m, n);
  case KN_OP: case KN_CALL: return operation(m, n);
  case KN_SINCOS: k_sincos(b, m->copy[n->arg[0]], &m->partial[i][0], &m->partial[i][1]); return K_NONE;
  case KN_SINE: return m->partial[n->arg[0]][0];
  case KN_COSINE: return m->partial[n->arg[0]][1];
  case KN_DOUBLE: return k_double(b, m->copy[n->arg[0]]);
  case KN_TRUTH: return k_truth(b, m->copy[n->arg[0]]);
  default: m->fails = true; return K_NONE;
  }
}

static bool reads(const Maker *m, int i) {
  const KNode *n = node(m, i);
  if (n->type != KT_DOUBLE && n->code != KN_SINCOS) return false;
  if (n->code == KN_FIELD || n->code == KN_COLUMN || n->code == KN_AT) return true;
  for (int j = 0; j < n->narg; j++) if (m->varies[n->arg[j]]) return true;
  return false;
}

// ---- slopes ---------------------------------------------------------------------------------------------------------
static KValue spell(Maker *m, Slope t) { return t.known ? number(m, t.number) : t.value; }
static Slope is_value(KValue v) { return (Slope){ false, 0, v }; }

static Slope sum(Maker *m, Slope x, Slope y) {
  if (x.known && x.number == 0) return y;
  if (y.known && y.number == 0) return x;
  if (x.known && y.known) return (Slope){ true, x.number + y.number, K_NONE };
  return is_value(k_op2(m->b, OP_PLUS, spell(m, x), spell(m, y)));
}

static Slope scaled(Maker *m, Slope x, double by) {
  if (x.known) return (Slope){ true, x.number * by, K_NONE };
  if (by == 1) return x;
  if (by == -1) return is_value(k_op1(m->b, OP_OPPOSITE, x.value));
  return is_value(k_op2(m->b, OP_TIMES, x.value, number(m, by)));
}

// What the other branch would make of a slope of 0 does not count: it may be infinite.
static Slope product(Maker *m, Slope x, KValue by, bool chosen) {
  if (x.known && x.number == 0) return none;
  if (k_node(m->b, by)->code == KN_NUMBER) return scaled(m, x, k_node(m->b, by)->number);
  if (x.known && x.number == 1) return is_value(by);
  if (x.known && x.number == -1) return is_value(k_op1(m->b, OP_OPPOSITE, by));
  KValue whole = k_op2(m->b, OP_TIMES, spell(m, x), by);
  if (!chosen || x.known) return is_value(whole);
  KValue zero = number(m, 0);
  return is_value(k_choose(m->b, k_op2(m->b, OP_EQ, x.value, zero), zero, whole));
}

static void give(Maker *m, KValue to, Slope x, bool chosen) {
  if (!m->varies[to]) return;
  m->bar[to] = sum(m, m->bar[to], x);
  m->chosen[to] |= chosen;
}

static KValue over(Maker *m, double x, KValue y) { return k_op2(m->b, OP_OVER, number(m, x), y); }
static KValue times(Maker *m, KValue x, KValue y) { return k_op2(m->b, OP_TIMES, x, y); }
static KValue plus(Maker *m, KValue x, KValue y) { return k_op2(m->b, OP_PLUS, x, y); }
static KValue opposite(Maker *m, KValue x) { return k_op1(m->b, OP_OPPOSITE, x); }
static KValue function(Maker *m, Op op, KValue x) { return k_op1(m->b, op, x); }

// 1/sqrt(1 - x^2)
static KValue of_arc(Maker *m, KValue x) {
  return over(m, 1, function(m, OP_SQRT, k_op2(m->b, OP_MINUS, number(m, 1), times(m, x, x))));
}

static KValue of_power(Maker *m, KValue x, double r) {
  if (r == 0) return number(m, 0);
  return times(m, number(m, r), k_op2(m->b, OP_POW, x, number(m, r - 1)));
}

// Of a function of one argument x with the value y; as compiler/dual/functions_dual.c has them.
static KValue slope_of(Maker *m, const KNode *n, KValue x, KValue y) {
  KBuilder *b = m->b;
  KValue zero = number(m, 0), one = number(m, 1);
  switch (op_of(n)) {
  case OP_SQRT: return k_choose(b, k_op2(b, OP_LT, zero, y), over(m, 0.5, y), zero);
  case OP_EXP: return y;
  case OP_LOG: return over(m, 1, x);
  case OP_SIN: return function(m, OP_COS, x);
  case OP_COS: return opposite(m, function(m, OP_SIN, x));
  case OP_TAN: return plus(m, one, times(m, y, y));
  case OP_ATAN: return k_op2(b, OP_OVER, one, plus(m, one, times(m, x, x)));
  case OP_SINH: return function(m, OP_COSH, x);
  case OP_COSH: return function(m, OP_SINH, x);
  case OP_TANH: return k_op2(b, OP_MINUS, one, times(m, y, y));
  case OP_ASIN: return of_arc(m, x);
  case OP_ACOS: return opposite(m, of_arc(m, x));
  case OP_ABS: return k_choose(b, k_op2(b, OP_LT, x, zero), number(m, -1), one);
  case OP_POW: case OP_RAISED: return of_power(m, x, node(m, n->arg[1])->number);
  case OP_SINC: return k_op2(b, OP_SINC, x, number(m, node(m, n->arg[1])->number + 1));
  default: return zero;                                    // of signs, floors and comparisons
  }
}

static void of_two(Maker *m, int i, KValue x, KValue y, Slope bar) {
  const KNode *n = node(m, i);
  KBuilder *b = m->b;
  bool chosen = m->chosen[i];
  KValue *p = m->partial[i];
  if (p[0] == K_NONE && (op_of(n) == OP_MIN || op_of(n) == OP_MAX)) {
    KValue first = k_op2(b, OP_EQ, m->copy[i], x), zero = number(m, 0), one = number(m, 1);
    p[0] = k_choose(b, first, one, zero);
    p[1] = k_choose(b, first, zero, one);
  } else if (p[0] == K_NONE) {                             // an angle
    KValue r = plus(m, times(m, x, x), times(m, y, y));
    p[0] = k_op2(b, OP_OVER, y, r);
    p[1] = opposite(m, k_op2(b, OP_OVER, x, r));
  }
  give(m, n->arg[0], product(m, bar, p[0], chosen), chosen);
  give(m, n->arg[1], product(m, bar, p[1], chosen), chosen);
}

static void of_quotient(Maker *m, int i, Slope bar) {
  const KNode *n = node(m, i);
  KValue y = m->copy[n->arg[1]], *p = m->partial[i];
  bool chosen = m->chosen[i];
  if (p[0] == K_NONE) p[0] = over(m, 1, y);
  if (p[1] == K_NONE && m->varies[n->arg[1]]) p[1] = opposite(m, k_op2(m->b, OP_OVER, m->copy[i], y));
  give(m, n->arg[0], product(m, bar, p[0], chosen), chosen);
  if (m->varies[n->arg[1]]) give(m, n->arg[1], product(m, bar, p[1], chosen), chosen);
}

static void of_branches(Maker *m, const KNode *n, Slope bar) {
  KValue yes = m->copy[n->arg[0]], zero = number(m, 0);
  for (int i = 1; i <= 2; i++) {
    if (!m->varies[n->arg[i]]) continue;
    KValue x = spell(m, bar);
    give(m, n->arg[i], is_value(i == 1 ? k_choose(m->b, yes, x, zero) : k_choose(m->b, yes, zero, x)), true);
  }
}

static void backwards(Maker *m, int i, Slope bar) {
  const KNode *n = node(m, i);
  bool chosen = m->chosen[i];
  KValue x = n->narg ? m->copy[n->arg[0]] : K_NONE, y = n->narg > 1 ? m->copy[n->arg[1]] : K_NONE;
  if (n->code == KN_SINE || n->code == KN_COSINE) {
    KValue *both = m->partial[n->arg[0]];
    KValue p = n->code == KN_SINE ? both[1] : opposite(m, both[0]);
    give(m, node(m, n->arg[0])->arg[0], product(m, bar, p, chosen), chosen);
    return;
  }
  if (n->code == KN_DOUBLE) { give(m, n->arg[0], bar, chosen); return; }
  switch (op_of(n)) {
  case OP_PLUS: give(m, n->arg[0], bar, chosen); give(m, n->arg[1], bar, chosen); return;
  case OP_MINUS: give(m, n->arg[0], bar, chosen); give(m, n->arg[1], scaled(m, bar, -1), chosen); return;
  case OP_OPPOSITE: give(m, n->arg[0], scaled(m, bar, -1), chosen); return;
  case OP_TIMES:
    if (m->varies[n->arg[0]]) give(m, n->arg[0], product(m, bar, y, chosen), chosen);
    if (m->varies[n->arg[1]]) give(m, n->arg[1], product(m, bar, x, chosen), chosen);
    return;
  case OP_OVER: of_quotient(m, i, bar); return;
  case OP_IF: of_branches(m, n, bar); return;
  case OP_MIN: case OP_MAX: case OP_ATAN2: case OP_TURNED: of_two(m, i, x, y, bar); return;
  default:
    if (m->partial[i][0] == K_NONE) m->partial[i][0] = slope_of(m, n, x, m->copy[i]);
    give(m, n->arg[0], product(m, bar, m->partial[i][0], chosen), chosen);
  }
}

// ---- what is read, what is stored -----------------------------------------------------------------------------------
static bool is_read(Maker *m, int i, SlopePlace *to) {
  const KNode *n = node(m, i);
  *to = (SlopePlace){ 0 };
  if (n->code == KN_COLUMN) { *to = (SlopePlace){ SLOPE_num, false, n->index, m->columns }; return true; }
  if (n->code == KN_FIELD) {
    to->array = n->index;
    m->fails |= n->index != KF_VIEW_t && n->index != KF_VIEW_t0 && n->index != KF_VIEW_h;
    return true;
  }
  if (n->code != KN_AT) return false;
  int field = node(m, n->arg[0])->index;
  to->array = field == KF_TABLE_num ? SLOPE_num : field;
  m->fails |= !place_of(m, n->arg[1], to);
  return true;
}

static int number_read(Maker *m, SlopePlace p) {
  for (size_t i = 0; i < m->read.n; i++) {
    const SlopePlace *r = &m->read.at[i];
    if (r->array == p.array && r->by_ix == p.by_ix && r->first == p.first && r->by == p.by) return (int)i;
  }
  vec_push(&m->read, p);
  return (int)m->read.n - 1;
}

// Of values up to node v.
static void begin(Maker *m, KValue v) {
  m->fails |= number(m, 0) > MOST;
  for (int i = 0; i <= v; i++) { m->bar[i] = none; m->chosen[i] = false; }
}

// From the values that have a slope already, the last of them v.
static void differentiate(Maker *m, KValue v) {
  for (int i = v; i >= 0 && !m->fails; i--) {
    Slope bar = m->bar[i];
    SlopePlace by;
    if (!m->varies[i] || (bar.known && bar.number == 0)) continue;
    if (!is_read(m, i, &by)) { backwards(m, i, bar); continue; }
    vec_push(&m->by, number_read(m, by));
    vec_push(&m->slopes, spell(m, bar));
  }
}

static void of_stored(Maker *m, const Stored *s) {
  const KNode *n = node(m, s->at);
  SlopeValue to = { { node(m, n->arg[0])->index - 2, false, 0, 0 }, s->adds, (int)m->by.n };
  if (node(m, n->arg[0])->code != KN_PARAM || !place_of(m, n->arg[1], &to.to)) { m->fails = true; return; }
  vec_push(&m->values, to);
  vec_push(&m->results, m->copy[n->arg[2]]);
  begin(m, n->arg[2]);
  give(m, n->arg[2], (Slope){ true, 1, K_NONE }, false);
  differentiate(m, n->arg[2]);
}

// ---- the product of a matrix ----------------------------------------------------------------------------------------
static SlopePlace place_of_slot(const Maker *m, int array, int slot) {
  return (SlopePlace){ array, true, slot, m->slots > 0 ? m->slots : 0 };
}

static KValue factor(Maker *m, const KernelEntry *e) {
  KBuilder *b = m->b;
  KValue at = m->slots >= 0 ? k_slot(b, e->col) : k_at_number(b, k_field(b, m->table, KF_TABLE_ix), e->col);
  return k_at(b, k_field(b, m->view, e->col_state ? KF_VIEW_dx : KF_VIEW_dv), strided(m, at));
}

static KValue entry_of(const Maker *m, const KernelEntry *e) {
  return node(m, m->stored.at[e - m->entry].at)->arg[2];
}

// The row of its first entry: its slopes by what the entries read, then by what these are multiplied by, the entries
// themselves.
static void product_of_row(Maker *m, const KernelEntry *row) {
  const KernelEntry *end = m->entry + m->nentry;
  SlopeValue to = { place_of_slot(m, row->row_state, row->row), true, (int)m->by.n };
  KValue sum = K_NONE, last = 0;
  vec_push(&m->values, to);
  for (const KernelEntry *e = row; e < end; e++)
    if (e->row == row->row && entry_of(m, e) > last) last = entry_of(m, e);
  begin(m, last);
  for (const KernelEntry *e = row; e < end; e++) {
    if (e->row != row->row) continue;
    KValue v = entry_of(m, e), by = factor(m, e), part = times(m, m->copy[v], by);
    sum = sum == K_NONE ? part : plus(m, sum, part);
    give(m, v, is_value(by), false);
  }
  vec_push(&m->results, sum);
  differentiate(m, last);
  for (const KernelEntry *e = row; e < end; e++) {
    if (e->row != row->row) continue;
    vec_push(&m->by, number_read(m, place_of_slot(m, e->col_state ? KF_VIEW_dx : KF_VIEW_dv, e->col)));
    vec_push(&m->slopes, m->copy[entry_of(m, e)]);
  }
}

static void products(Maker *m) {
  m->fails |= (int)m->stored.n != m->nentry;
  for (int i = 0; i < m->nentry && !m->fails; i++) {
    int first = 0;
    while (m->entry[first].row != m->entry[i].row) first++;
    if (first == i) product_of_row(m, &m->entry[i]);
  }
}

// ---- what is written ------------------------------------------------------------------------------------------------
static KValue row_of(Maker *m, int width, int i) {
  if (m->instance == K_NONE) return k_integer(m->b, i);
  return plus(m, times(m, m->instance, k_integer(m->b, width)), k_integer(m->b, i));
}

static void write_all(Maker *m) {
  if (m->entry) products(m);
  for (size_t i = 0; !m->entry && i < m->stored.n && !m->fails; i++) of_stored(m, &m->stored.at[i]);
  for (size_t i = 0; i < m->values.n && !m->fails; i++)
    k_store(m->b, m->value, row_of(m, (int)m->values.n, (int)i), m->results.at[i]);
  for (size_t i = 0; i < m->slopes.n && !m->fails; i++)
    k_store(m->b, m->slope, row_of(m, (int)m->slopes.n, (int)i), m->slopes.at[i]);
}

// ---- a kernel -------------------------------------------------------------------------------------------------------
// Of two branches, the first for tables in step: the node behind the head of the second.
static int second_branch(Maker *m, int i) {
  const KNode *yes = node(m, node(m, i)->arg[0]), *even = yes->narg == 2 ? node(m, yes->arg[1]) : yes;
  for (int j = i + 1; even->code == KN_FIELD && even->index == KF_TABLE_even && j < m->k->n; j++)
    if (node(m, j)->code == KN_ELSE && node(m, j)->index == i) return j + 1;
  m->fails = true;
  return i + 1;
}

// All nodes once, in their order. The values are differentiated where the loop over instances ends.
static void walk(Maker *m) {
  int ended = -1;                                          // the loop
  for (int i = 0; i < m->k->n && !m->fails; i++) {
    while (i < m->k->n && node(m, i)->code == KN_IF && !m->fails) i = second_branch(m, i);
    const KNode *n = node(m, i);
    m->partial[i][0] = m->partial[i][1] = K_NONE;
    if (ended >= 0) { m->fails |= n->code != KN_CLOSE; continue; }
    switch (n->code) {
    case KN_INSTANCES:
      m->fails |= m->stored.n > 0;
      m->slots = n->index;
      m->columns = (int)n->number;
      m->instance = k_instances(m->b, m->table, m->slots, m->columns);
      m->inside = true;
      break;
    case KN_STORE: vec_push(&m->stored, ((Stored){ i, false })); break;
    case KN_ADD_TO: vec_push(&m->stored, ((Stored){ i, true })); break;
    case KN_CLOSE:
      if (!m->inside) { m->fails |= m->stored.n > 0; break; }
      write_all(m);
      k_close(m->b);
      m->inside = false;
      ended = i;
      break;
    default:
      m->copy[i] = copy_of(m, i);
      m->varies[i] = reads(m, i);
    }
  }
  if (ended < 0 && !m->fails) write_all(m);
}

// Which values of a kernel read anything but columns.
static const bool *which_move(Arena *a, const KKernel *k) {
  bool *moves = ARENA_ARRAY(a, bool, (size_t)k->n + 1);
  for (int v = 0; v < k->n; v++) {
    const KNode *x = &k->node[v];
    moves[v] = x->code == KN_FIELD && x->type == KT_DOUBLE;
    if (x->code == KN_AT) moves[v] = k->node[x->arg[0]].index != KF_TABLE_num;
    int args = x->code == KN_SINE || x->code == KN_COSINE ? 1 : x->code == KN_AT ? 0 : x->narg;
    for (int i = 0; i < args; i++) moves[v] |= moves[x->arg[i]];
  }
  return moves;
}

static Slopes *result(Arena *a, Maker *m, const KKernel *k) {
  Slopes *s = ARENA_NEW(a, Slopes);
  *s = (Slopes){ .kernel = k, .nvalue = (int)m->values.n, .nslope = (int)m->by.n };
  s->value = ARENA_ARRAY(a, SlopeValue, s->nvalue + 1);
  s->by = ARENA_ARRAY(a, int, s->nslope + 1);
  s->nread = (int)m->read.n;
  s->read = ARENA_ARRAY(a, SlopePlace, s->nread + 1);
  for (int i = 0; i < s->nread; i++) s->read[i] = m->read.at[i];
  for (int i = 0; i < s->nvalue; i++) s->value[i] = m->values.at[i];
  s->moves = ARENA_ARRAY(a, bool, s->nslope + 1);
  const bool *move = which_move(a, k);
  for (int i = 0; i < s->nslope; i++) {
    s->by[i] = m->by.at[i];
    s->moves[i] = move[m->slopes.at[i]];
  }
  s->value[s->nvalue].first = s->nslope;
  for (int i = 0; i < k->n; i++) if (k->node[i].code == KN_FIELD) s->fields[k->node[i].index] = true;
  s->fields[KF_VIEW_dv] |= m->entry != NULL;
  s->fields[KF_VIEW_dx] |= m->entry != NULL;
  return s;
}

Slopes *slopes_made(Arena *a, const KKernel *k, const KernelEntry *entry, int n_entry, const char *name) {
  Maker m = { .k = k, .entry = entry, .nentry = n_entry, .slots = -1, .columns = -1, .instance = K_NONE };
  size_t n = (size_t)k->n + 1;
  if (k->nparam < 2 || k->param[0].type != KT_VIEW || k->param[1].type != KT_TABLE || k->result != KT_VOID) return NULL;
  m.copy = ARENA_ARRAY(a, KValue, n);
  m.varies = ARENA_ARRAY(a, bool, n);
  m.chosen = ARENA_ARRAY(a, bool, n);
  m.bar = ARENA_ARRAY(a, Slope, n);
  m.partial = arena_alloc(a, n * sizeof *m.partial);
  KBuilder *b = m.b = k_begin(a, name, KT_VOID);
  m.view = k_param(b, KT_VIEW, "s");
  m.table = k_param(b, KT_TABLE, "tab");
  m.stride = k_param(b, KT_INT, "stride");
  m.value = k_param(b, KT_OUTPUT, "value");
  m.slope = k_param(b, KT_OUTPUT, "slope");
  walk(&m);
  if (m.inside) k_close(b);
  const KKernel *made = k_end(b);
  Slopes *s = m.fails ? NULL : result(a, &m, made);
  vec_free(&m.stored);
  vec_free(&m.values);
  vec_free(&m.by);
  vec_free(&m.read);
  vec_free(&m.slopes);
  vec_free(&m.results);
  return s;
}
