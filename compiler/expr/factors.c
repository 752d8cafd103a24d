// Common factors of products: a*b*c + a*b*d reads SHARED(a*b) twice. Products are flat (product.c), so the graph alone
// does not show what they have in common. Of the pairs of factors in a product the one that most products have becomes
// a quantity; a few rounds make longer ones of them [Breuer 1969, "Generation of optimal code for expressions via
// factorization", CACM 12].
#include <stdlib.h>
#include "pool_impl.h"

enum { ROUNDS = 3, MOST_FACTORS = 16 };                   // longer products are left alone

typedef struct Pair { uint64_t key; uint32_t n; } Pair;
typedef struct Pairs { Pair *at; uint32_t cap, n; } Pairs;      // open addressing, power of two

static Pair *pair_of(Pairs *t, Ex a, Ex b) {
  uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
  uint32_t at = (uint32_t)((key*UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (t->cap - 1);
  while (t->at[at].key && t->at[at].key != key) at = (at + 1) & (t->cap - 1);
  t->at[at].key = key;
  return &t->at[at];
}

static void count(Pairs *t, Ex a, Ex b) {
  if (t->n*2 >= t->cap) {
    Pairs wider = {.cap = t->cap ? t->cap*2 : 1024};
    wider.at = memory_for(sizeof *wider.at*wider.cap);
    for (uint32_t i = 0; i < wider.cap; i++) wider.at[i] = (Pair){0, 0};
    for (uint32_t i = 0; i < t->cap; i++)
      if (t->at[i].key) *pair_of(&wider, (Ex)(t->at[i].key >> 32), (Ex)t->at[i].key) = t->at[i];
    wider.n = t->n;
    free(t->at);
    *t = wider;
  }
  Pair *p = pair_of(t, a, b);
  t->n += p->n++ == 0;
}

// Two divisions are not made one: a/(b*c) stays.
static bool below(const Pool *p, Ex f) {
  long k;
  return node_of(p, f)->op == OP_POW && is_integer(p, args_of(p, f)[1], &k) && k < 0;
}

static bool pairs_up(const Pool *p, Ex a, Ex b) {
  return node_of(p, a)->op != OP_NUM && node_of(p, b)->op != OP_NUM && !(below(p, a) && below(p, b));
}

static bool looked_at(const Pool *p, Ex e) {
  return node_of(p, e)->op == OP_MUL && node_of(p, e)->n_args <= MOST_FACTORS;
}

static Ex factor_node(Pool *p, Ex e, const Ex *args, int n, void *ctx) {
  Pairs *t = ctx;
  const Ex *old = args_of(p, e);
  bool same = true;
  int first = -1, second = -1;
  uint32_t best = 1;
  for (int i = 0; i < n; i++) same = same && args[i] == old[i];
  if (looked_at(p, e))
    for (int i = 0; i < n; i++)
      for (int k = i + 1; k < n; k++) {
        uint32_t here = pairs_up(p, old[i], old[k]) ? pair_of(t, old[i], old[k])->n : 0;
        if (here > best) best = here, first = i, second = k;
      }
  if (first < 0) return same || n == 0 ? e : ex_op(p, (Op)node_of(p, e)->op, args, n);
  Ex rest[MOST_FACTORS + 1], pair = ex_mul(p, args[first], args[second]);
  int m = 0;
  for (int i = 0; i < n; i++)
    if (i != first && i != second) rest[m++] = args[i];
  rest[m++] = build_shared(p, pair);
  return ex_op(p, OP_MUL, rest, m);
}

void ex_share_factors(Pool *p, Ex *e, int n) {
  bool large = false;
  for (int i = 0; i < n; i++) large = large || node_of(p, e[i])->shared;
  if (large) ex_open_products(p, e, n);
  for (int round = 0; large && round < ROUNDS; round++) {
    ExVec order = {0};
    Pairs t = {0};
    bool common = false;
    walk_collect(p, e, n, 0, &order);
    for (size_t i = 0; i < order.n; i++) {
      const Ex *a = args_of(p, order.at[i]);
      int m = looked_at(p, order.at[i]) ? node_of(p, order.at[i])->n_args : 0;
      for (int j = 0; j < m; j++)
        for (int k = j + 1; k < m; k++)
          if (pairs_up(p, a[j], a[k])) count(&t, a[j], a[k]);
    }
    for (uint32_t i = 0; i < t.cap && !common; i++) common = t.at[i].n > 1;
    if (common) walk_rewrite_all(p, e, n, 0, factor_node, &t);
    large = common;
    free(t.at);
    vec_free(&order);
  }
}
