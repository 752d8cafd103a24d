// Intermediate quantities. SHARED(a) is a itself, but no rule looks into it: sums and products that stand in several
// places stay one node, so that what is made of them (derivatives above all) stays as small as their graph and is
// never multiplied out into the tree. Everything else (values, derivatives, ranges) passes through.
//
// A quantity is a sum or a product without its number: SHARED(2*a*b) is 2*SHARED(a*b), so that it and its negative are
// one. See docs/numerics/algebra.md, section 9.
#include <math.h>
#include <stdlib.h>
#include "pool_impl.h"

Ex build_shared(Pool *p, Ex a) {
  const Node *q = node_of(p, a);
  double c;
  if (q->op == OP_MUL) {
    Ex rest = split_coefficient(p, a, &c);
    if (c == 1) return node_make(p, OP_SHARED, &a, 1);
    return with_coefficient(p, c, build_shared(p, rest));
  }
  if (q->op != OP_ADD || q->whole != 0) return a;
  c = sum_content(p, a);
  Ex primitive = c == 1 ? EX_NONE : scale_sum(p, a, 1, c);
  if (!primitive) return node_make(p, OP_SHARED, &a, 1);
  return with_coefficient(p, c, build_shared(p, primitive));
}

// --- keeping what is worth it ---

static Ex rebuilt(Pool *p, Ex e, const Ex *args, int n) {
  const Ex *old = args_of(p, e);
  for (int i = 0; i < n; i++)
    if (args[i] != old[i]) return ex_op(p, (Op)node_of(p, e)->op, args, n);
  return e;
}

// By node: how many places read it. A long sum in a product counts as several: each rule for products looks at it.
typedef struct Uses { int *of; } Uses;

enum { LONG_SUM = 8 };

static int terms_of(const Pool *p, Ex e, int most) {
  int n = 0;
  if (node_of(p, e)->op == OP_SHARED) e = args_of(p, e)[0];
  if (node_of(p, e)->op != OP_ADD || most <= 0) return 1;
  for (int i = 0; i < node_of(p, e)->n_args && n < most; i++) n += terms_of(p, args_of(p, e)[i], most - n);
  return n;
}

static int uses_by(const Pool *p, Ex user, Ex e) {
  Op op = (Op)node_of(p, user)->op;
  bool product = op == OP_MUL || op == OP_POW;
  return product && node_of(p, e)->op == OP_SHARED && terms_of(p, e, LONG_SUM) >= LONG_SUM ? 2 : 1;
}

// What is kept: uses; sums that open into the sum that reads them; what each node became.
typedef struct Keep { Uses uses; bool *opens; Ex *now; ExVec todo, term; } Keep;

// The sum that the quantity e opens into its user with; EX_NONE: none.
static Ex opened_sum(const Pool *p, const Keep *k, Ex e) {
  if (node_of(p, e)->op != OP_SHARED || k->uses.of[e] != 1) return EX_NONE;
  Ex sum = args_of(p, e)[0];
  return node_of(p, sum)->op == OP_ADD && k->uses.of[sum] == 1 ? sum : EX_NONE;
}

// A sum with all sums that open into it, at once: one by one a chain of n would be built with n^2 terms.
static Ex keep_sum(Pool *p, Keep *k, Ex e) {
  k->todo.n = k->term.n = 0;
  vec_push(&k->todo, e);
  while (k->todo.n) {
    Ex sum = k->todo.at[--k->todo.n];
    for (int i = 0; i < node_of(p, sum)->n_args; i++) {
      Ex arg = args_of(p, sum)[i], inner = opened_sum(p, k, arg);
      if (inner) vec_push(&k->todo, inner);
      else vec_push(&k->term, k->now[arg]);
    }
  }
  return ex_op(p, OP_ADD, k->term.at, (int)k->term.n);
}

static Ex keep_node(Pool *p, Ex e, const Ex *args, int n, void *ctx) {
  Keep *k = ctx;
  Op op = (Op)node_of(p, e)->op;
  bool within = false;                                    // a sum with others in it
  for (int i = 0; i < n && op == OP_ADD; i++) within = within || opened_sum(p, k, args_of(p, e)[i]);
  k->now[e] = op == OP_SHARED && k->uses.of[e] < 2 ? args[0]
            : op == OP_ADD && k->opens[e]          ? e    // built with its user
            : within                               ? keep_sum(p, k, e)
                                                   : rebuilt(p, e, args, n);
  return k->now[e];
}

Ex ex_keep_shared(Pool *p, Ex e) {
  if (!node_of(p, e)->shared) return e;
  ExVec order = {0};
  walk_collect(p, &e, 1, 0, &order);
  Uses uses = {memory_for(sizeof *uses.of*((size_t)e + 1))};     // only entries in `order` are written and read
  for (size_t i = 0; i < order.n; i++) uses.of[order.at[i]] = 0;
  for (size_t i = 0; i < order.n; i++)
    for (int k = 0; k < node_of(p, order.at[i])->n_args; k++) {
      Ex read = args_of(p, order.at[i])[k];
      uses.of[read] += uses_by(p, order.at[i], read);
    }
  Keep k = {uses, memory_for((size_t)e + 1), memory_for(sizeof *k.now*((size_t)e + 1)), {0}, {0}};
  for (size_t i = 0; i < order.n; i++) k.opens[order.at[i]] = false;
  for (size_t i = 0; i < order.n; i++)
    for (int j = 0; node_of(p, order.at[i])->op == OP_ADD && j < node_of(p, order.at[i])->n_args; j++) {
      Ex inner = opened_sum(p, &k, args_of(p, order.at[i])[j]);
      if (inner) k.opens[inner] = true;
    }
  vec_free(&order);
  e = walk_rewrite(p, e, 0, keep_node, &k);
  free(uses.of);
  free(k.opens);
  free(k.now);
  vec_free(&k.todo);
  vec_free(&k.term);
  return e;
}

// A product that one other product alone reads is no quantity of its own: a*SHARED(b*c) is a*b*c, in which pairs of
// factors can be found (factors.c).
static Ex open_product(Pool *p, Ex e, const Ex *args, int n, void *ctx) {
  const Uses *uses = ctx;
  if (node_of(p, e)->op != OP_MUL) return rebuilt(p, e, args, n);
  ExVec factor = {0};
  for (int i = 0; i < n; i++) {
    const Node *q = node_of(p, args[i]);
    bool opens = q->op == OP_SHARED && uses->of[args_of(p, e)[i]] < 2 && node_of(p, q->args[0])->op == OP_MUL;
    vec_push(&factor, opens ? q->args[0] : args[i]);
  }
  Ex r = rebuilt(p, e, factor.at, n);
  vec_free(&factor);
  return r;
}

void ex_open_products(Pool *p, Ex *e, int n) {
  ExVec order = {0};
  Ex most = 0;
  for (int i = 0; i < n; i++) most = e[i] > most ? e[i] : most;
  walk_collect(p, e, n, 0, &order);
  Uses uses = {memory_for(sizeof *uses.of*((size_t)most + 1))};   // only entries in `order` are written and read
  for (size_t i = 0; i < order.n; i++) uses.of[order.at[i]] = 0;
  for (int i = 0; i < n; i++) uses.of[e[i]]++;
  for (size_t i = 0; i < order.n; i++)
    for (int k = 0; k < node_of(p, order.at[i])->n_args; k++) uses.of[args_of(p, order.at[i])[k]]++;
  walk_rewrite_all(p, e, n, 0, open_product, &uses);
  free(uses.of);
  vec_free(&order);
}

bool ex_is_shared(const Pool *p, Ex e) { return e != EX_NONE && node_of(p, e)->shared; }
