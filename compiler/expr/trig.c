// Trigonometric collection: sums of sines and cosines brought together as one would by hand.
//
// The expression is multiplied out into monomials, each with its numeric coefficient, and pairs that differ in sines
// and cosines only are merged by the rules below, until none applies (docs/numerics/algebra.md, section 7). Written for
// kinetic energies in Cartesian velocities: their mass matrices come out in terms of angles between bodies. Multiplying
// out is tried twice: with sums free of sines and cosines left whole, (m1 + m2)*(a' + b')^2*..., then with everything
// multiplied out. Of those that gain something (see gains) the shorter one to write is the result; if none does, the
// expression is returned as it is.
// Requires: nothing. Keeps: the value, up to round-off. An expression beyond BUDGET or MAX_TERMS is returned as it is.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "group.h"
#include "../base/map.h"

enum {
  BUDGET       = 30000,   // monomials made while multiplying out
  MAX_TERMS    = 2000,    // terms in which partners are looked for
  MAX_EXPONENT = 12       // (sum)^k beyond stays as it is
};

// --- sines and cosines with one sign of the angle ---

static bool is_trig(const Pool *p, Ex e) { return node_of(p, e)->op == OP_SIN || node_of(p, e)->op == OP_COS; }

// The first term of a sum of angles counts positive: cos(b - a) = cos(a - b), sin(b - a) = -sin(a - b).
static Ex trig_of(Pool *p, Op op, Ex angle, double *sign) {
  double c = 1;
  if (node_of(p, angle)->op == OP_ADD) split_coefficient(p, args_of(p, angle)[0], &c);
  *sign = c < 0 && op == OP_SIN ? -1 : 1;
  return ex_1(p, op, c < 0 ? ex_neg(p, angle) : angle);
}

// --- multiplying out: a node is a list of monomials e (without a number) and coefficients k ---

typedef struct Expansion {
  Pool    *p;
  bool     all;           // also sums without sines and cosines
  long     budget;        // below 0: given up
  bool    *open;          // [node] has a list of its own; any other node is a monomial
  PartVec *list;          // [node]
} Expansion;

static void push_monomial(Expansion *x, PartVec *v, Ex e, double k) {
  Pool *p = x->p;
  double c = 1;
  bool number = node_of(p, e)->op == OP_NUM;
  Ex rest = number ? ex_num(p, 1) : split_coefficient(p, e, &c);
  if (number) c = node_of(p, e)->value;
  if (!isnormal(c*k)) x->budget = 0;            // out of range: nothing that may be re-associated
  if (--x->budget >= 0) vec_push(v, ((Part){rest, c*k}));
}

static int monomial_order(const Pool *p, Part a, Part b) { return ex_compare(p, a.e, b.e); }

static void collect_like(const Pool *p, PartVec *v) {
  size_t n = 0;
  parts_sort(p, v->at, v->n, monomial_order);
  for (size_t i = 0; i < v->n;) {
    Part t = v->at[i++];
    while (i < v->n && v->at[i].e == t.e) t.k += v->at[i++].k;
    if (t.k != 0) v->at[n++] = t;
  }
  v->n = n;
}

// The monomials of an argument: its list, or itself.
static void monomials_of(Expansion *x, Ex e, PartVec *v) {
  if (!x->open[e]) push_monomial(x, v, e, 1);
  else
    for (size_t i = 0; i < x->list[e].n && x->budget >= 0; i++)
      push_monomial(x, v, x->list[e].at[i].e, x->list[e].at[i].k);
}

static void multiply_by(Expansion *x, PartVec *v, Ex e) {
  PartVec by = {0}, product = {0};
  monomials_of(x, e, &by);
  for (size_t i = 0; i < v->n; i++)
    for (size_t j = 0; j < by.n && x->budget >= 0; j++)
      push_monomial(x, &product, ex_mul(x->p, v->at[i].e, by.at[j].e), v->at[i].k*by.at[j].k);
  collect_like(x->p, &product);
  vec_free(&by);
  vec_free(v);
  *v = product;
}

static bool opens(const Expansion *x, Ex e) {
  const Node *q = node_of(x->p, e);
  const Ex *a = args_of(x->p, e);
  long k;
  if (is_trig(x->p, e) || (q->op == OP_ADD && x->all)) return true;
  if (q->op == OP_POW) return x->open[a[0]] && is_integer(x->p, a[1], &k) && k >= 2 && k <= MAX_EXPONENT;
  if (q->op != OP_ADD && q->op != OP_MUL) return false;
  for (int i = 0; i < q->n_args; i++)
    if (x->open[a[i]]) return true;
  return false;
}

static void open_node(Expansion *x, Ex e) {
  Pool *p = x->p;
  PartVec v = {0};
  Op op = (Op)node_of(p, e)->op;
  const Ex *a = args_of(p, e);
  int n = op == OP_POW ? (int)node_of(p, a[1])->value : node_of(p, e)->n_args;
  double sign;
  if (is_trig(p, e)) {
    Ex f = trig_of(p, op, a[0], &sign);
    push_monomial(x, &v, f, sign);
  } else if (op == OP_ADD) {
    for (int i = 0; i < n && x->budget >= 0; i++) monomials_of(x, a[i], &v);
    collect_like(p, &v);
  } else {
    push_monomial(x, &v, ex_num(p, 1), 1);
    for (int i = 0; i < n && x->budget >= 0; i++) multiply_by(x, &v, op == OP_POW ? a[0] : a[i]);
  }
  x->list[e] = v;
}

// Opens, for the time being, what is reached from the root through sums, products and powers; not what stands below a
// function. Is there a sine or a cosine among it?
static bool mark_arithmetic(Expansion *x, const ExVec *order) {
  bool any = false;
  x->open[vec_last(order)] = true;
  for (size_t i = order->n; i-- > 0;) {
    Ex e = order->at[i];
    Op op = (Op)node_of(x->p, e)->op;
    any = any || (x->open[e] && is_trig(x->p, e));
    if (!x->open[e] || (op != OP_ADD && op != OP_MUL && op != OP_POW)) continue;
    for (int j = 0; j < (op == OP_POW ? 1 : node_of(x->p, e)->n_args); j++) x->open[args_of(x->p, e)[j]] = true;
  }
  return any;
}

// False when e is too large or without sines and cosines in sums and products.
static bool multiply_out(Pool *p, Ex e, bool all, PartVec *out) {
  ExVec order = {0};
  walk_collect(p, &e, 1, 0, &order);
  Expansion x = {.p = p, .all = all, .budget = BUDGET};
  x.open = memory_for(((size_t)e + 1)*sizeof *x.open);   // only entries in `order` are written and read
  x.list = memory_for(((size_t)e + 1)*sizeof *x.list);
  for (size_t i = 0; i < order.n; i++) {
    x.open[order.at[i]] = false;
    x.list[order.at[i]] = (PartVec){0};
  }
  if (!mark_arithmetic(&x, &order)) x.budget = -1;
  for (size_t i = 0; i < order.n && x.budget >= 0; i++) {
    Ex at = order.at[i];
    x.open[at] = x.open[at] && opens(&x, at);
    if (x.open[at]) open_node(&x, at);
  }
  bool done = x.budget >= 0 && x.open[e] && x.list[e].n <= MAX_TERMS;
  if (done) {
    *out = x.list[e];
    x.list[e] = (PartVec){0};
  }
  for (size_t i = 0; i < order.n; i++) vec_free(&x.list[order.at[i]]);
  free(x.open);
  free(x.list);
  vec_free(&order);
  return done;
}

// --- the terms while they are being merged ---

typedef struct Factor { Ex base; long k; } Factor;
typedef Vec(Factor) FactorVec;

typedef struct Merge {
  Pool     *p;
  PartVec   term;         // coefficient 0: merged into another
  Map      *where;        // monomial -> its entry in `at`
  Arena    *scratch;
  FactorVec f;            // the factors of the term that is looked at
} Merge;

static void *key_of(Ex e) { return (void *)(uintptr_t)e; }

// The number of a term with this monomial, -1 if there is none.
static long find(const Merge *m, Ex e) {
  const size_t *i = map_get(m->where, key_of(e));
  return i && m->term.at[*i].k != 0 ? (long)*i : -1;
}

static void add_term(Merge *m, Ex e, double k) {
  Pool *p = m->p;
  double c = 1;
  if (node_of(p, e)->op == OP_NUM) {
    k *= node_of(p, e)->value;
    e = ex_num(p, 1);
  } else {
    e = split_coefficient(p, e, &c);
    k *= c;
  }
  size_t *i = map_get(m->where, key_of(e));
  if (!i) {
    i = ARENA_NEW(m->scratch, size_t);
    *i = m->term.n;
    map_put(m->where, key_of(e), i);
    vec_push(&m->term, ((Part){e, 0}));
  }
  m->term.at[*i].k += k;
}

static void list_factors(Merge *m, Ex e) {
  const Pool *p = m->p;
  const Ex *a = &e;
  int n = 1;
  if (node_of(p, e)->op == OP_MUL) {
    a = args_of(p, e);
    n = node_of(p, e)->n_args;
  }
  m->f.n = 0;
  for (int i = 0; i < n; i++) {
    Factor f = {a[i], 1};
    if (node_of(p, a[i])->op == OP_POW && is_integer(p, args_of(p, a[i])[1], &f.k)) f.base = args_of(p, a[i])[0];
    vec_push(&m->f, f);
  }
}

// The listed product with the factors i and j (i = j allowed) one power lower each.
static Ex without(const Merge *m, size_t i, size_t j) {
  ExVec v = {0};
  for (size_t s = 0; s < m->f.n; s++)
    vec_push(&v, ex_pow(m->p, m->f.at[s].base, ex_num(m->p, (double)(m->f.at[s].k - (s == i) - (s == j)))));
  Ex e = ex_op(m->p, OP_MUL, v.at, (int)v.n);
  vec_free(&v);
  return e;
}

static bool has_trig(const Merge *m, size_t i, long at_least) {
  return is_trig(m->p, m->f.at[i].base) && m->f.at[i].k >= at_least;
}
static Ex angle_of(const Merge *m, size_t i) { return args_of(m->p, m->f.at[i].base)[0]; }
static bool is_sine(const Merge *m, size_t i) { return node_of(m->p, m->f.at[i].base)->op == OP_SIN; }

// The other function of the same angle.
static Ex flipped(const Merge *m, size_t i) { return ex_1(m->p, is_sine(m, i) ? OP_COS : OP_SIN, angle_of(m, i)); }
static Ex squared(Pool *p, Ex e) { return ex_pow(p, e, ex_num(p, 2)); }

static bool same(double a, double b) { return fabs(a - b) <= 4*DBL_EPSILON*fabs(a); }
static bool is_half_integer(double c) { return fabs(c) < 0x1p40 && 2*c == floor(2*c); }

// --- the rules: does one apply to term t, whose factors are listed? Then it is applied. ---

typedef bool (*Rule)(Merge *m, size_t t);

// c*R*sin(u)^2 + c*R*cos(u)^2 -> c*R
static bool squares(Merge *m, size_t t) {
  for (size_t i = 0; i < m->f.n; i++) {
    if (!has_trig(m, i, 2) || !is_sine(m, i)) continue;
    Ex R = without(m, i, i);
    long o = find(m, ex_mul(m->p, R, squared(m->p, flipped(m, i))));
    double c = m->term.at[t].k;
    if (o < 0 || !same(c, m->term.at[o].k)) continue;
    m->term.at[t].k = m->term.at[o].k = 0;
    add_term(m, R, c);
    return true;
  }
  return false;
}

// c*R*f*g + d*R*f~*g~ with d = c or d = -c, where f, g are sines or cosines of u, v and ~ is the other one:
//   cos u cos v + sin u sin v = cos(u - v)     sin u cos v + cos u sin v = sin(u + v)
//   cos u cos v - sin u sin v = cos(u + v)     sin u cos v - cos u sin v = sin(u - v)
static bool angle_pair(Merge *m, size_t t, size_t i, size_t j) {
  Pool *p = m->p;
  Ex R = without(m, i, j);
  long o = find(m, ex_op(p, OP_MUL, (Ex[]){R, flipped(m, i), flipped(m, j)}, 3));
  if (o < 0) return false;
  double c = m->term.at[t].k, d = m->term.at[o].k, sign;
  if (!same(c, d) && !same(c, -d)) return false;
  bool mixed = is_sine(m, i), plus = mixed == same(c, d);
  Ex angle = ex_expand(p, plus ? ex_add(p, angle_of(m, i), angle_of(m, j)) : ex_sub(p, angle_of(m, i), angle_of(m, j)));
  Ex f = trig_of(p, mixed ? OP_SIN : OP_COS, angle, &sign);
  m->term.at[t].k = m->term.at[o].k = 0;
  add_term(m, ex_mul(p, R, f), c*sign);
  return true;
}

static bool angles(Merge *m, size_t t) {
  for (size_t i = 0; i < m->f.n; i++)
    for (size_t j = 0; j < m->f.n; j++) {
      if (i == j || !has_trig(m, i, 1) || !has_trig(m, j, 1) || is_sine(m, j) || angle_of(m, i) == angle_of(m, j))
        continue;
      if ((is_sine(m, i) || i < j) && angle_pair(m, t, i, j)) return true;
    }
  return false;
}

// c*R*sin(u)^2 + d*R*cos(u)^2 -> c*R + (d - c)*R*cos(u)^2, for numbers c, d of one sign, |c| < |d|; and with sin, cos
// exchanged. Only where d - c is as short a number as c and d.
static bool unequal_squares(Merge *m, size_t t) {
  for (size_t i = 0; i < m->f.n; i++) {
    if (!has_trig(m, i, 2)) continue;
    Ex R = without(m, i, i);
    long o = find(m, ex_mul(m->p, R, squared(m->p, flipped(m, i))));
    double c = m->term.at[t].k;
    if (o < 0 || c*m->term.at[o].k < 0 || !(fabs(c) < fabs(m->term.at[o].k))) continue;
    if (!is_half_integer(c) || !is_half_integer(m->term.at[o].k)) continue;
    m->term.at[t].k = 0;
    m->term.at[o].k -= c;
    add_term(m, R, c);
    return true;
  }
  return false;
}

// c*R - c*R*sin(u)^2 -> c*R*cos(u)^2, and with sin, cos exchanged
static bool one_minus_square(Merge *m, size_t t) {
  for (size_t i = 0; i < m->f.n; i++) {
    if (!has_trig(m, i, 2)) continue;
    Ex R = without(m, i, i);
    long o = find(m, R);
    double c = m->term.at[t].k;
    if (o < 0 || !same(c, -m->term.at[o].k)) continue;
    m->term.at[t].k = m->term.at[o].k = 0;
    add_term(m, ex_mul(m->p, R, squared(m->p, flipped(m, i))), -c);
    return true;
  }
  return false;
}

// Each application leaves fewer terms, or as many with fewer sines and cosines: this ends.
static void merge_all(Merge *m) {
  static const Rule rule[] = {squares, angles, unequal_squares, one_minus_square};
  enum { RULES = sizeof rule/sizeof *rule };
  for (int r = 0; r < RULES;) {
    bool applied = false;
    for (size_t t = 0; t < m->term.n; t++) {
      if (m->term.at[t].k == 0) continue;
      list_factors(m, m->term.at[t].e);
      applied = rule[r](m, t) || applied;
    }
    r = applied ? 0 : r + 1;
  }
}

// --- the whole ---

// EX_NONE when there is nothing to collect in e, or too much.
static Ex collected(Pool *p, Ex e, bool all) {
  Merge m = {.p = p};
  PartVec monomial = {0};
  if (!multiply_out(p, e, all, &monomial)) return EX_NONE;
  m.scratch = arena_new();
  m.where = map_new(m.scratch);
  for (size_t i = 0; i < monomial.n; i++) add_term(&m, monomial.at[i].e, monomial.at[i].k);
  merge_all(&m);
  Ex result = grouped_sum(p, &m.term);
  vec_free(&monomial);
  vec_free(&m.term);
  vec_free(&m.f);
  arena_free(m.scratch);
  return result;
}

static size_t nodes_of(Pool *p, Ex e) {           // without the numbers
  ExVec order = {0};
  size_t n = 0;
  walk_collect(p, &e, 1, 0, &order);
  for (size_t i = 0; i < order.n; i++) n += node_of(p, order.at[i])->op != OP_NUM;
  vec_free(&order);
  return n;
}

// Fewer nodes; or at most twice as many, if it is shorter to write: what is shared in e its derivatives would not
// share.
static bool gains(Pool *p, Ex e, Ex found) {
  size_t before = nodes_of(p, e), after = nodes_of(p, found);
  return after < before || (after <= 2*before && ex_tree_size(p, found) < ex_tree_size(p, e));
}

static Ex shortest(Pool *p, Ex e) {
  Ex best = e;
  for (int all = 0; all < 2; all++) {
    Ex found = collected(p, e, all);
    if (found && gains(p, e, found) && (best == e || ex_tree_size(p, found) <= ex_tree_size(p, best))) best = found;
  }
  return best;
}

// Constants as written stay atoms, unless terms only go together where they are opened: m*l^2*cos(a)^2 +
// m*(l*sin(a))^2.
Ex ex_trig(Pool *p, Ex e) {
  INVARIANT(e != EX_NONE && e < p->n_nodes);
  if (node_of(p, e)->shared) return e;
  Ex best = shortest(p, e), free = ex_open(p, e);
  if (free == e) return best;
  Ex found = shortest(p, free);
  return found != free && gains(p, best, found) ? found : best;
}
