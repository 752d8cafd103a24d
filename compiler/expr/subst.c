// Rewriting: substitution and expansion. Both rebuild the DAG from its leaves (walk_rewrite), node by node.
#include <math.h>
#include <stdlib.h>
#include "pool_impl.h"

static Ex rebuilt(Pool *p, Ex e, const Ex *args, int n) {
  const Ex *old = args_of(p, e);
  for (int i = 0; i < n; i++)
    if (args[i] != old[i]) return ex_op(p, (Op)node_of(p, e)->op, args, n);
  return e;
}

// --- substitution ---

typedef struct Replacement { int id, number; Ex by; } Replacement;
typedef Vec(Replacement) Replacements;                 // by id; of equal ones the first given counts

static int by_symbol(const void *a, const void *b) {
  const Replacement *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static Ex subst_node(Pool *p, Ex e, const Ex *args, int n, void *ctx) {
  const Replacements *r = ctx;
  if (node_of(p, e)->op != OP_SYM) return rebuilt(p, e, args, n);
  int id = ex_symbol(p, e);
  size_t lo = 0, hi = r->n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo)/2;
    if (r->at[mid].id < id) lo = mid + 1;
    else hi = mid;
  }
  return lo < r->n && r->at[lo].id == id ? r->at[lo].by : e;
}

// All at once: what comes in is not looked at again, so x -> y, y -> x swaps.
void ex_subst_all(Pool *p, Ex *e, int m, const int *ids, const Ex *by, int n) {
  Replacements r = {0};
  uint64_t only = 0;
  for (int i = 0; i < n; i++) {
    only |= symbol_bit(ids[i]);
    vec_push(&r, ((Replacement){ids[i], i, by[i]}));
  }
  if (n > 1) qsort(r.at, r.n, sizeof *r.at, by_symbol);
  if (only) walk_rewrite_all(p, e, m, only, subst_node, &r);
  vec_free(&r);
}

Ex ex_subst(Pool *p, Ex e, const int *ids, const Ex *by, int n) {
  ex_subst_all(p, &e, 1, ids, by, n);
  return e;
}

// --- expansion ---

enum { MAX_TERMS = 20000, MAX_EXPONENT = 12 };        // beyond, a product stays factored

static void terms_of(const Pool *p, Ex e, ExVec *v) {
  v->n = 0;
  if (node_of(p, e)->op != OP_ADD)
    vec_push(v, e);
  else
    for (int i = 0; i < node_of(p, e)->n_args; i++) vec_push(v, args_of(p, e)[i]);
}

// a*b, term by term
static Ex distribute(Pool *p, Ex a, Ex b) {
  ExVec x = {0}, y = {0}, out = {0};
  terms_of(p, a, &x);
  terms_of(p, b, &y);
  Ex e;
  if (x.n*y.n > MAX_TERMS) {
    e = ex_mul(p, a, b);
  } else {
    for (size_t i = 0; i < x.n; i++)
      for (size_t j = 0; j < y.n; j++) vec_push(&out, ex_mul(p, x.at[i], y.at[j]));
    e = ex_op(p, OP_ADD, out.at, (int)out.n);
  }
  vec_free(&x);
  vec_free(&y);
  vec_free(&out);
  return e;
}

static Ex expand_factor(Pool *p, Ex f) {              // (a + b)^k, k >= 2
  long k;
  const Ex *a = args_of(p, f);
  if (node_of(p, f)->op != OP_POW || node_of(p, a[0])->op != OP_ADD || !is_integer(p, a[1], &k) || k < 2 ||
      k > MAX_EXPONENT || pow(node_of(p, a[0])->n_args, (double)k) > MAX_TERMS)
    return f;
  Ex base = a[0], r = base;
  for (long i = 1; i < k; i++) r = distribute(p, r, base);
  return r;
}

static Ex expand_node(Pool *p, Ex e, const Ex *args, int n, void *ctx) {
  (void)ctx;
  if (node_of(p, e)->op == OP_CHAIN) e = ex_mul(p, args[0], args[1]);
  else if (n > 0 && ex_is_written(p, e)) e = open_written(p, (Op)node_of(p, e)->op, args);
  else e = rebuilt(p, e, args, n);
  if (node_of(p, e)->op == OP_POW) return expand_factor(p, e);
  if (node_of(p, e)->op != OP_MUL) return e;
  ExVec sums = {0}, rest = {0};
  const Ex *f = args_of(p, e);
  for (int i = 0, m = node_of(p, e)->n_args; i < m; i++) {
    Ex g = expand_factor(p, f[i]);
    if (node_of(p, g)->op == OP_ADD) vec_push(&sums, g);
    else vec_push(&rest, g);
  }
  if (sums.n) {
    e = ex_op(p, OP_MUL, rest.at, (int)rest.n);
    for (size_t i = 0; i < sums.n; i++) e = distribute(p, e, sums.at[i]);
  }
  vec_free(&sums);
  vec_free(&rest);
  return e;
}

Ex ex_expand(Pool *p, Ex e) {
  if (node_of(p, e)->shared) return e;                // large: nothing is multiplied out across a quantity
  enum { ROUNDS = 4 };                                // collecting may bring a sum back: sqrt(u)*sqrt(u) -> u
  for (int i = 0; i < ROUNDS; i++) {
    Ex next = walk_rewrite(p, e, 0, expand_node, NULL);
    if (next == e) break;
    e = next;
  }
  return e;
}
