// The discrete derivative: Df(a,b)*(b - a) = f(b) - f(a) exactly, node by node, without dividing by b - a.
//
//   f on the DAG --values--> every node at a and at b --weights--> Df = sum of w_k*D(argument k) at every node, with
//     w_k free of D
//   --chain--> once per symbol, arguments before users, only below what contains it
//
// A node is visited once for its values and weights and once per symbol, all results are shared nodes of the pool, so
// the output grows like the size of f times the number of symbols that meet in it. The result contains the symbols
// at_a, at_b and those of f that are not listed; ex_diff by at_b is what Newton's method needs.
// Formulas, with their derivations: docs/numerics/discrete-derivative.md.
#include <float.h>
#include <stdlib.h>
#include "discrete_impl.h"

typedef struct Chain {
  Pool  *p;
  ExVec  order;             // nodes of f, arguments before users
  Ends  *at;                // [f + 1] by node: its values; only entries in `order` are written and read, here and below
  bool  *moves;             // [f + 1] by node: a listed symbol stands at or below it
  size_t *first;            // [f + 1] by node: its first weight
  ExVec  weight;
  Ex    *d;                 // [f + 1] by node: component of the current symbol
  bool   turning;           // angles of atan2 go on over their cut
} Chain;

// --- values and weights ---

static int place(const int *ids, int n, int id) {
  for (int i = 0; i < n; i++)
    if (ids[i] == id) return i;
  return -1;
}

// A sum of what is linear, or such a factor alone among what does not move. Its mean is taken below, at the symbols:
// sums of c*(a + b) have terms in common that (c*a + ...) + (c*b + ...) does not show.
static bool is_linear(Op op, const Ends *arg, int n) {
  int moving = 0;
  for (int k = 0; k < n; k++) {
    bool moves = arg[k].a != arg[k].b;
    if (moves && arg[k].mid == EX_NONE) return false;
    moving += moves;
  }
  return op == OP_ADD || op == OP_SHARED || (op == OP_MUL && moving == 1);
}

static Ends node_values(Pool *p, Op op, const Ends *arg, int n) {
  ExVec v = {0};
  Ends r;
  for (int k = 0; k < n; k++) vec_push(&v, arg[k].a);
  r.a = ex_op(p, op, v.at, n);
  for (int k = 0; k < n; k++) v.at[k] = arg[k].b;
  r.b = ex_op(p, op, v.at, n);
  r.mid = EX_NONE;
  if (is_linear(op, arg, n)) {
    for (int k = 0; k < n; k++) v.at[k] = ends_mean(p, arg[k]);
    r.mid = ex_op(p, op, v.at, n);
  }
  vec_free(&v);
  return r;
}

// (4.8)  The angle by which (x, y) turns, in (-pi, pi], from 0: without the cut of atan2.
static Ends turned(Pool *p, Ends y, Ends x) {
  Ex sine = ex_sub(p, ex_mul(p, x.a, y.b), ex_mul(p, y.a, x.b)),
     cosine = ex_add(p, ex_mul(p, x.a, x.b), ex_mul(p, y.a, y.b));
  return ends_of(ex_num(p, 0), ex_2(p, OP_ATAN2, sine, cosine));
}

static void fill(Chain *c, const int *ids, const int *at_a, const int *at_b, int n_ids) {
  Pool *p = c->p;
  Vec(Ends) arg = {0};
  Vec(bool) moves = {0};
  for (size_t i = 0; i < c->order.n; i++) {
    Ex e = c->order.at[i];
    Op op = (Op)node_of(p, e)->op;
    int n = node_of(p, e)->n_args, at = op == OP_SYM ? place(ids, n_ids, ex_symbol(p, e)) : -1;
    c->first[e] = c->weight.n;
    c->moves[e] = at >= 0;
    c->at[e] = at >= 0 ? ends_of(ex_sym(p, at_a[at]), ex_sym(p, at_b[at])) : ends_of(e, e);
    if (at >= 0) c->at[e].mid = ends_mean(p, c->at[e]);
    arg.n = moves.n = 0;
    for (int k = 0; k < n; k++) {
      Ex below = args_of(p, e)[k];
      vec_push(&arg, c->at[below]);
      vec_push(&moves, c->moves[below]);
      c->moves[e] = c->moves[e] || c->moves[below];
    }
    if (!c->moves[e] || n == 0) continue;
    c->at[e] = node_values(p, op, arg.at, n);
    if (op == OP_IF) continue;
    for (int k = 0; k < n; k++) vec_push(&c->weight, EX_NONE);
    Ends change = op == OP_TURNED || (c->turning && op == OP_ATAN2) ? turned(p, arg.at[0], arg.at[1]) : c->at[e];
    node_weights(p, op, arg.at, moves.at, n, change, c->weight.at + c->first[e]);
  }
  vec_free(&arg);
  vec_free(&moves);
}

// --- the chain rule ---

static Ex all_finite(Pool *p, Ends x, Ends y) {
  Ex size[4] = {ex_1(p, OP_ABS, x.a), ex_1(p, OP_ABS, x.b), ex_1(p, OP_ABS, y.a), ex_1(p, OP_ABS, y.b)};
  return ex_2(p, OP_LE, ex_op(p, OP_ADD, size, 4), ex_num(p, DBL_MAX));
}

// (4.7)  if c then x else y. The same branch at both ends: its discrete derivative. Another one: c*x + (1 - c)*y by the
// product rule; where a branch has no value at the end that it is not meant for, the step along Dc alone. A choice and
// no weights: the branch not taken may be nan.
static Ex choice(const Chain *c, Ex e) {
  Pool *p = c->p;
  const Ex *arg = args_of(p, e);
  Ends cond = c->at[arg[0]], x = c->at[arg[1]], y = c->at[arg[2]];
  Ex dc = c->d[arg[0]], dx = c->d[arg[1]], dy = c->d[arg[2]];
  Ex same = ex_if(p, cond.a, dx, dy);
  Ex gap = ex_sub(p, ends_mean(p, x), ends_mean(p, y));
  Ex mean = ex_add(p, ends_mean(p, ends_of(dx, dy)), ex_mul(p, gap, dc));
  Ex along = ex_op(p, OP_MUL, (Ex[]){ends_change(p, c->at[e]), ends_change(p, cond), dc}, 3);
  return ex_if(p, ex_2(p, OP_EQ, cond.a, cond.b), same, ex_if(p, all_finite(p, x, y), mean, along));
}

// (1.3)  D = sum of w_k*D(argument k)
static Ex weighted(const Chain *c, Ex e, ExVec *terms) {
  Pool *p = c->p;
  const Ex *arg = args_of(p, e);
  terms->n = 0;
  for (int k = 0, n = node_of(p, e)->n_args; k < n; k++) {
    Ex w = c->weight.at[c->first[e] + (size_t)k], d = c->d[arg[k]];
    if (ex_is_num(p, d, 0)) continue;
    vec_push(terms, chain_rule(p, e, w, d));
  }
  return ex_op(p, OP_ADD, terms->at, (int)terms->n);
}

static Ex component(Chain *c, int id, ExVec *terms) {
  Pool *p = c->p;
  Ex zero = ex_num(p, 0);
  for (size_t i = 0; i < c->order.n; i++) {
    Ex e = c->order.at[i];
    bool below = false;
    for (int k = 0; k < node_of(p, e)->n_args; k++) below = below || !ex_is_num(p, c->d[args_of(p, e)[k]], 0);
    if (node_of(p, e)->op == OP_SYM) c->d[e] = ex_num(p, ex_symbol(p, e) == id ? 1 : 0);
    else if (!below) c->d[e] = zero;
    else c->d[e] = node_of(p, e)->op == OP_IF ? choice(c, e) : weighted(c, e, terms);
  }
  return c->d[vec_last(&c->order)];
}

// The same for all symbols at once, by reverse accumulation: D is a linear function of the weights along each path, as
// a derivative is of the slopes (gradient.c). For large f without choices.
static void all_components(const Chain *c, Ex f, const int *ids, int n, Ex *out) {
  Pool *p = c->p;
  Reverse r = reverse_open(p, &c->order, f);
  for (int i = 0; i < n; i++) out[i] = ex_num(p, 0);
  reverse_add(&r, f, ex_num(p, 1));
  for (size_t i = c->order.n; i-- > 0;) {
    Ex e = c->order.at[i], adj = c->moves[e] ? reverse_adjoint(&r, e) : EX_NONE;
    if (!adj) continue;
    int at = node_of(p, e)->op == OP_SYM ? place(ids, n, ex_symbol(p, e)) : -1;
    if (at >= 0) out[at] = adj;
    for (int k = 0; k < node_of(p, e)->n_args; k++) {
      Ex to = args_of(p, e)[k];
      if (c->moves[to]) reverse_add(&r, to, ex_mul(p, adj, c->weight.at[c->first[e] + (size_t)k]));
    }
  }
  reverse_close(&r);
}

// The symbols that move, and those that stand for their values at both ends. [n]
typedef struct Moving { const int *ids, *at_a, *at_b; int n; } Moving;

static void discrete(Pool *p, Ex f, const Moving *m, bool turning, Ex *out) {
  const int *ids = m->ids, n = m->n;
  INVARIANT(f != EX_NONE && f < p->n_nodes && n >= 0);
  Chain c = {.p = p, .turning = turning};
  ExVec terms = {0};
  walk_collect(p, &f, 1, 0, &c.order);
  c.at = memory_for(sizeof *c.at*((size_t)f + 1));
  c.moves = memory_for(sizeof *c.moves*((size_t)f + 1));
  c.first = memory_for(sizeof *c.first*((size_t)f + 1));
  c.d = memory_for(sizeof *c.d*((size_t)f + 1));
  fill(&c, ids, m->at_a, m->at_b, n);
  if (node_of(p, f)->shared && n > 1 && !only_forward(p, f))
    all_components(&c, f, ids, n, out);
  else
    for (int i = 0; i < n; i++) out[i] = ex_depends(p, f, ids[i]) ? component(&c, ids[i], &terms) : ex_num(p, 0);
  free(c.at);
  free(c.moves);
  free(c.first);
  free(c.d);
  vec_free(&c.order);
  vec_free(&c.weight);
  vec_free(&terms);
}

void ex_discrete(Pool *p, Ex f, const int *ids, const int *at_a, const int *at_b, int n, Ex *out) {
  discrete(p, f, &(Moving){ ids, at_a, at_b, n }, false, out);
}

void ex_discrete_turning(Pool *p, Ex f, const int *ids, const int *at_a, const int *at_b, int n, Ex *out) {
  discrete(p, f, &(Moving){ ids, at_a, at_b, n }, true, out);
}
