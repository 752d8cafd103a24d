// Where a printer writes each node: on its own, within its users, or nowhere. And what a kernel uses.
//
// A value may be written within its user, later than where it stands, if nothing between changes what it reads: it has
// one user, in the same loop, and no store, set or call between that user (or the one that this is written within) and
// itself is to what it reads. Leaves may have several.
#include "../base/fatal.h"
#include "kernel.h"

bool k_uses(const KKernel *k, KCode code, int index) {
  for (int i = 0; i < k->n; i++)
    if (k->node[i].code == code && (index < 0 || k->node[i].index == index)) return true;
  return false;
}

// last: the last node that it is written in. loop: the loop that it stands in. far: some user is in another one.
typedef struct Places { const KKernel *k; KPlace *place; int *uses, *last, *loop; bool *far; } Places;

static bool is_statement(const KNode *n) {
  return n->code >= KN_VARIABLE || n->code == KN_SINCOS ||
         (n->code == KN_CALL && !k_symbol_info((KSymbol)n->index)->pure);
}

// Written at each use, as often as it is used.
static bool is_fixed_leaf(const KKernel *k, const KNode *n) {
  switch (n->code) {
  case KN_AT: {                                             // of what is only read, at an index that is a leaf
    const KNode *array = &k->node[n->arg[0]], *index = &k->node[n->arg[1]];
    return array->type != KT_OUTPUT && index->code != KN_AT && index->code != KN_GET && is_fixed_leaf(k, index);
  }
  case KN_NUMBER: case KN_INTEGER: case KN_PARAM: case KN_COUNTER: case KN_SLOT: case KN_COLUMN: case KN_FIELD:
  case KN_SINE: case KN_COSINE:
    return true;
  default: return false;
  }
}

static bool same_array(const KKernel *k, KValue a, KValue b) {
  const KNode *x = &k->node[a], *y = &k->node[b];
  if (x->code != y->code) return false;
  return x->index == y->index && (x->code != KN_FIELD || same_array(k, x->arg[0], y->arg[0]));
}

// Does node `at` change what the load v reads?
static bool changes(const KKernel *k, int at, KValue v) {
  const KNode *n = &k->node[at], *load = &k->node[v];
  if (load->code == KN_GET) return n->code == KN_SET && n->arg[0] == load->arg[0];
  if (n->code == KN_STORE || n->code == KN_ADD_TO) return same_array(k, n->arg[0], load->arg[0]);
  return n->code == KN_CALL && !k_symbol_info((KSymbol)n->index)->pure;
}

static bool changed(const Places *p, KValue v) {
  KCode c = p->k->node[v].code;
  if (c != KN_GET && c != KN_AT) return false;
  if (c == KN_AT && p->k->node[p->k->node[v].arg[0]].type != KT_OUTPUT) return false;     // it is only read
  for (int i = v + 1; i < p->last[v]; i++) if (changes(p->k, i, v)) return true;
  return false;
}

static int loop_of(const KKernel *k, int block) {
  while (block >= 0 && k->node[block].code != KN_LOOP && k->node[block].code != KN_INSTANCES)
    block = k->node[block].block;
  return block;
}

static KPlace place_of(const Places *p, KValue v) {
  const KNode *n = &p->k->node[v];
  if (is_statement(n)) {
    // of a call that gives a value, or of sine and cosine, too: its results stand under names
    return n->code == KN_SINCOS && !p->uses[v] ? KP_DEAD : KP_ALONE;
  }
  if (!p->uses[v]) return KP_DEAD;
  if (n->code == KN_LIST || n->code == KN_SINE || n->code == KN_COSINE) return KP_INSIDE;
  if (n->code != KN_PARAM && (n->named || n->name)) return KP_ALONE;
  if (is_fixed_leaf(p->k, n)) return KP_INSIDE;
  if (n->code == KN_OP && n->op == OP_OPPOSITE) {           // the sign of a leaf, or of what has a name
    const KNode *x = &p->k->node[n->arg[0]];
    if (x->named || is_fixed_leaf(p->k, x)) return KP_INSIDE;
  }
  return (p->uses[v] == 1 || n->code == KN_GET) && !p->far[v] && !changed(p, v) ? KP_INSIDE : KP_ALONE;
}

KPlace *k_places(Arena *a, const KKernel *k) {
  size_t n = (size_t)k->n + 1;
  Places p = { k, ARENA_ARRAY(a, KPlace, n), ARENA_ARRAY(a, int, n), ARENA_ARRAY(a, int, n), ARENA_ARRAY(a, int, n),
               ARENA_ARRAY(a, bool, n) };
  for (int i = 0; i < k->n; i++) p.loop[i] = loop_of(k, k->node[i].block);
  for (int i = k->n; i-- > 0;) {
    p.place[i] = place_of(&p, i);
    if (p.place[i] == KP_DEAD) continue;
    int where = p.place[i] == KP_ALONE ? i : p.last[i];
    for (int j = 0; j < k->node[i].narg; j++) {
      KValue x = k->node[i].arg[j];
      if (x == K_NONE) continue;
      p.uses[x]++;
      if (where > p.last[x]) p.last[x] = where;
      bool again = k->node[i].code == KN_LOOP && j == 1;    // C looks at the bound again in each turn
      if (p.loop[i] != p.loop[x] || again) p.far[x] = true;
    }
  }
  return p.place;
}
