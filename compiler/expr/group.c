// Terms that differ in one symbol only, and perhaps in sign, go together: c*R*a + c*R*b -> c*R*(a + b).
//
// Every term is entered under each product R that remains without one power of one of its symbols. The largest groups
// are taken first; what they leave is grouped again, until nothing goes together. Sums of masses come out in front as
// one would write them, while m*l2^2 + m*l1*l2*cos(b) stays as it is.
#include <math.h>
#include "group.h"
#include "../base/map.h"

typedef struct Member { size_t term; Ex symbol; } Member;
typedef struct Group { Ex R; Vec(Member) member; } Group;

typedef struct Grouping {
  Pool       *p;
  PartVec     term;       // coefficient 0: taken
  Vec(Group)  group;      // in order of first entry
  Map        *where;      // R -> its number in `group`, plus 1
} Grouping;

static void enter(Grouping *g, Ex R, Member m) {
  void *key = (void *)(uintptr_t)R;
  uintptr_t at = (uintptr_t)map_get(g->where, key);
  if (!at) {
    vec_push(&g->group, ((Group){.R = R}));
    at = g->group.n;
    map_put(g->where, key, (void *)at);
  }
  vec_push(&g->group.at[at - 1].member, m);
}

// The i-th of n factors, if it is a symbol, or a constant as written, or an integer power k >= 1 of one.
static Ex symbol_of(const Pool *p, Ex factor, long *k) {
  *k = 1;
  if (node_of(p, factor)->op == OP_POW && is_integer(p, args_of(p, factor)[1], k)) factor = args_of(p, factor)[0];
  bool atom = node_of(p, factor)->op == OP_SYM || ex_is_written(p, factor);
  return atom && *k >= 1 ? factor : EX_NONE;
}

static void enter_term(Grouping *g, size_t t) {
  Pool *p = g->p;
  Ex e = g->term.at[t].e;
  bool product = node_of(p, e)->op == OP_MUL;
  int n = product ? node_of(p, e)->n_args : 1;
  ExVec rest = {0};
  for (int i = 0; i < n; i++) {
    long k;
    Ex symbol = symbol_of(p, product ? args_of(p, e)[i] : e, &k);
    if (!symbol) continue;
    rest.n = 0;
    for (int j = 0; j < n; j++) {
      Ex f = product ? args_of(p, e)[j] : e;
      vec_push(&rest, j == i ? ex_pow(p, symbol, ex_num(p, (double)(k - 1))) : f);
    }
    Ex R = ex_op(p, OP_MUL, rest.at, n);
    if (!ex_is_num(p, R, 1)) enter(g, R, (Member){t, symbol});
  }
  vec_free(&rest);
}

// Those members of a group that are not taken and have the coefficient of the first such one or its negative.
static size_t fitting(const Grouping *g, const Group *o, ExVec *symbols) {
  double c = 0;
  size_t n = 0;
  for (size_t i = 0; i < o->member.n; i++) {
    double k = g->term.at[o->member.at[i].term].k;
    if (k == 0 || (c != 0 && fabs(k) != fabs(c))) continue;
    if (c == 0) c = k;
    n++;
    if (symbols) vec_push(symbols, k == c ? o->member.at[i].symbol : ex_neg(g->p, o->member.at[i].symbol));
  }
  return n;
}

static void take(Grouping *g, const Group *o) {
  Pool *p = g->p;
  ExVec symbols = {0};
  double c = 0, own;
  fitting(g, o, &symbols);
  for (size_t i = 0; i < o->member.n; i++) {
    double *k = &g->term.at[o->member.at[i].term].k;
    if (*k == 0 || (c != 0 && fabs(*k) != fabs(c))) continue;
    if (c == 0) c = *k;
    *k = 0;
  }
  Ex e = ex_mul(p, o->R, ex_op(p, OP_ADD, symbols.at, (int)symbols.n));
  e = split_coefficient(p, e, &own);
  vec_push(&g->term, ((Part){e, c*own}));
  vec_free(&symbols);
}

static bool group_once(Grouping *g) {
  size_t largest = 0, terms = g->term.n;
  for (size_t t = 0; t < terms; t++) enter_term(g, t);
  for (size_t i = 0; i < g->group.n; i++)
    if (g->group.at[i].member.n > largest) largest = g->group.at[i].member.n;
  for (size_t size = largest; size >= 2; size--)
    for (size_t i = 0; i < g->group.n; i++)
      if (g->group.at[i].member.n >= size && fitting(g, &g->group.at[i], NULL) >= size) take(g, &g->group.at[i]);
  for (size_t i = 0; i < g->group.n; i++) vec_free(&g->group.at[i].member);
  vec_free(&g->group);
  return g->term.n > terms;
}

static void drop_taken(PartVec *v) {
  size_t n = 0;
  for (size_t i = 0; i < v->n; i++)
    if (v->at[i].k != 0) v->at[n++] = v->at[i];
  v->n = n;
}

Ex grouped_sum(Pool *p, const PartVec *terms) {
  Grouping g = {.p = p};
  bool again = true;
  for (size_t i = 0; i < terms->n; i++) vec_push(&g.term, terms->at[i]);
  while (again) {                                  // each round leaves fewer terms
    Arena *scratch = arena_new();
    g.where = map_new(scratch);
    drop_taken(&g.term);
    again = group_once(&g);
    arena_free(scratch);
  }
  ExVec v = {0};
  for (size_t i = 0; i < g.term.n; i++) vec_push(&v, ex_mul(p, ex_num(p, g.term.at[i].k), g.term.at[i].e));
  Ex e = ex_op(p, OP_ADD, v.at, (int)v.n);
  vec_free(&v);
  vec_free(&g.term);
  return e;
}
