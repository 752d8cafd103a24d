// Gradients by reverse accumulation, and derivatives along a direction: both cost a small multiple of the expression
// itself, whatever the number of symbols [Griewank and Walther 2008, chapters 3 and 4].
//
//   reverse:  adj(f) = 1,  adj(u) = sum over the users w of u of adj(w)*dw/du,   df/dx = adj(x)
//   forward:  dot(x) = seed(x),  dot(w) = sum over the arguments u of w of dw/du*dot(u)
//
// Both are sums over the same paths of the graph. Every adjoint and every tangent of an intermediate quantity is an
// intermediate quantity again (shared.c), so that derivatives of derivatives stay as small.
#include <stdlib.h>
#include "pool_impl.h"

// An IF and what is steep have derivatives that may have no value where they do not count: forward alone knows where
// (chain.c).
bool only_forward(const Pool *p, Ex f) { return node_of(p, f)->steep || node_of(p, f)->switching; }

// --- reverse ---

Reverse reverse_open(Pool *p, const ExVec *order, Ex f) {
  Reverse r = {.p = p, .first = memory_for(sizeof *r.first*((size_t)f + 1))};
  vec_push(&r.term, ((AdjointTerm){EX_NONE, 0}));         // number 0 says "none"
  for (size_t i = 0; i < order->n; i++) r.first[order->at[i]] = 0;
  return r;
}

void reverse_add(Reverse *r, Ex to, Ex what) {
  vec_push(&r->term, ((AdjointTerm){what, r->first[to]}));
  r->first[to] = r->term.n - 1;
}

Ex reverse_adjoint(Reverse *r, Ex e) {
  if (!r->first[e]) return EX_NONE;
  r->sum.n = 0;
  for (size_t at = r->first[e]; at; at = r->term.at[at].next) vec_push(&r->sum, r->term.at[at].e);
  Ex adj = build_shared(r->p, ex_op(r->p, OP_ADD, r->sum.at, (int)r->sum.n));
  return ex_is_num(r->p, adj, 0) ? EX_NONE : adj;
}

void reverse_close(Reverse *r) {
  free(r->first);
  vec_free(&r->term);
  vec_free(&r->sum);
}

typedef struct Wanted { int id, place; } Wanted;

static int by_symbol(const void *a, const void *b) {
  const Wanted *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

static int place(const Wanted *w, int n, int id) {
  int lo = 0, hi = n - 1;
  while (lo <= hi) {
    int mid = (lo + hi)/2;
    if (w[mid].id == id) return w[mid].place;
    if (w[mid].id < id) lo = mid + 1;
    else hi = mid - 1;
  }
  return -1;
}

static void reverse(Pool *p, Ex f, const int *ids, int n, Ex *out) {
  ExVec order = {0};
  Wanted *wanted = memory_for(sizeof *wanted*((size_t)n + 1));
  for (int i = 0; i < n; i++) {
    wanted[i] = (Wanted){ids[i], i};
    out[i] = ex_num(p, 0);
  }
  qsort(wanted, (size_t)n, sizeof *wanted, by_symbol);
  walk_collect(p, &f, 1, 0, &order);
  bool *active = memory_for(sizeof *active*((size_t)f + 1));    // a wanted symbol stands at or below the node
  for (size_t i = 0; i < order.n; i++) {
    Ex e = order.at[i];
    active[e] = node_of(p, e)->op == OP_SYM && place(wanted, n, ex_symbol(p, e)) >= 0;
    for (int k = 0; k < node_of(p, e)->n_args; k++) active[e] = active[e] || active[args_of(p, e)[k]];
  }
  Reverse r = reverse_open(p, &order, f);
  reverse_add(&r, f, ex_num(p, 1));
  for (size_t i = order.n; i-- > 0;) {
    Ex e = order.at[i], adj = active[e] ? reverse_adjoint(&r, e) : EX_NONE;
    Op op = (Op)node_of(p, e)->op;
    if (adj && op == OP_SYM) out[place(wanted, n, ex_symbol(p, e))] = adj;
    for (int k = 0; adj && k < node_of(p, e)->n_args; k++) {
      Ex to = args_of(p, e)[k];
      bool one = op == OP_ADD || op == OP_SHARED;
      if (active[to]) reverse_add(&r, to, one ? adj : ex_mul(p, adj, op_partial(p, e, k)));
    }
  }
  reverse_close(&r);
  free(wanted);
  free(active);
  vec_free(&order);
}

void ex_gradient(Pool *p, Ex f, const int *ids, int n, Ex *out) {
  if (node_of(p, f)->shared && n > 1 && !only_forward(p, f)) {
    reverse(p, f, ids, n, out);
    return;
  }
  for (int i = 0; i < n; i++) out[i] = ex_diff(p, f, ids[i]);
}

// --- forward ---

void ex_tangent(Pool *p, const Ex *f, int m, const int *ids, const Ex *seed, int n, Ex *out) {
  ExVec order = {0}, d = {0};
  Ex most = 0, zero = ex_num(p, 0);
  for (int i = 0; i < m; i++) most = f[i] > most ? f[i] : most;
  walk_collect(p, f, m, 0, &order);
  Ex *dot = memory_for(sizeof *dot*((size_t)most + 1));   // only entries in `order` are written and read
  for (size_t i = 0; i < order.n; i++) {
    Ex e = order.at[i];
    bool moves = false;
    dot[e] = zero;
    if (node_of(p, e)->op == OP_SYM)
      for (int k = 0; k < n; k++)
        if (ids[k] == ex_symbol(p, e)) dot[e] = seed[k];
    d.n = 0;
    for (int k = 0; k < node_of(p, e)->n_args; k++) {
      vec_push(&d, dot[args_of(p, e)[k]]);
      moves = moves || vec_last(&d) != zero;
    }
    if (!moves) continue;
    Ex inner = power_of_power_base(p, e);
    dot[e] = op_derivative(p, e, d.at, inner ? dot[inner] : EX_NONE);
  }
  for (int i = 0; i < m; i++) out[i] = dot[f[i]];
  free(dot);
  vec_free(&order);
  vec_free(&d);
}
