// Which named values a printer may set within the statement that uses them first, `y = (x = a*b) + c`, and not in one
// of their own: a compiler that keeps nothing in registers between two statements then has x at hand (libtcc loads it
// again else, and waits for that).
//
// That is so where this statement names the value once, and does so in any case (not behind `and`, `or`, or within a
// choice); where no block begins or ends between, and nothing changes that the value reads; and where none of the
// values that are set within it is used before.
#include "kernel.h"

enum { DEEPEST = 40 };                  // as the builder's expressions: no parser is strained

// Of each value: the statement that names it first, how often, how deep in its expression, and whether it may do so
// without computing it; the next one that names it or a value that is set within it; the depth of its own expression;
// does that read what can change?
typedef struct Use { int first, count, at, next, deep; bool sometimes, reads; } Use;
typedef struct Nesting { const KKernel *k; const KPlace *place; Use *use; } Nesting;

static bool can_be(const Nesting *g, KValue v) {
  const KNode *n = &g->k->node[v];
  return g->place[v] == KP_ALONE && n->type == KT_DOUBLE &&
         (n->code < KN_VARIABLE && n->code != KN_PARAM && n->code != KN_SINE && n->code != KN_COSINE) &&
         (n->code != KN_CALL || k_symbol_info((KSymbol)n->index)->pure);
}

// What node v is written with, for the statement or value `of`.
static void look(Nesting *g, KValue v, int of, int depth, bool sometimes) {
  const KNode *n = &g->k->node[v];
  if (depth > g->use[of].deep) g->use[of].deep = depth;
  g->use[of].reads |= n->code == KN_GET || (n->code == KN_AT && g->k->node[n->arg[0]].type == KT_OUTPUT);
  for (int i = 0; i < n->narg; i++) {
    KValue x = n->arg[i];
    bool maybe = sometimes || (n->code == KN_OP && i > 0 && (n->op == OP_AND || n->op == OP_OR || n->op == OP_IF));
    if (x == K_NONE) continue;
    if (g->place[x] != KP_ALONE) { look(g, x, of, depth + 1, maybe); continue; }
    Use *u = &g->use[x];
    if (u->count == 0) u->first = of;
    if (u->first != of) { if (u->next > of) u->next = of; continue; }
    u->count++;
    u->at = depth + 1;
    u->sometimes |= maybe;
  }
}

static bool parts(KCode c) {
  return c == KN_IF || c == KN_ELSE || c == KN_LOOP || c == KN_INSTANCES || c == KN_BREAK || c == KN_CLOSE;
}

static bool changes(const KNode *n) {
  return n->code == KN_SET || n->code == KN_STORE || n->code == KN_ADD_TO ||
         (n->code == KN_CALL && !k_symbol_info((KSymbol)n->index)->pure);
}

bool *k_nested(Arena *a, const KKernel *k, const KPlace *place) {
  Nesting g = { k, place, ARENA_ARRAY(a, Use, k->n + 1) };
  bool *nested = ARENA_ARRAY(a, bool, k->n + 1);
  int *part = ARENA_ARRAY(a, int, k->n + 2), *change = ARENA_ARRAY(a, int, k->n + 2);   // how many before this node
  for (int i = 0; i < k->n; i++) g.use[i].next = k->n;
  for (int i = 0; i < k->n; i++) {
    const KNode *n = &k->node[i];
    part[i + 1] = part[i] + parts(n->code);
    change[i + 1] = change[i] + changes(n);
    if (place[i] == KP_ALONE) look(&g, i, i, 0, false);
  }
  for (int v = 0; v < k->n; v++) {
    Use *u = &g.use[v], *to = &g.use[u->first];
    KCode by = k->node[u->first].code;
    if (!can_be(&g, v) || u->count != 1 || u->sometimes || by == KN_LOOP || by == KN_INSTANCES) continue;
    if (part[u->first] != part[v] || (u->reads && change[u->first] != change[v])) continue;
    if (u->at + u->deep > DEEPEST || u->next <= u->first) continue;
    nested[v] = true;
    if (to->deep < u->at + u->deep) to->deep = u->at + u->deep;
    to->reads |= u->reads;
    if (to->next > u->next) to->next = u->next;
  }
  return nested;
}
