// Which symbols an expression holds. Each node remembers its set when it is first asked, made of those of its
// arguments; nodes with the same symbols mostly share one array, so that all questions together cost about one walk
// over the DAG. Sets of more than MOST symbols are not kept: a chain of n nodes with a new symbol each would take n^2
// places.
#include <stdlib.h>
#include <string.h>
#include "pool_impl.h"

enum { MOST = 200 };
static const SymbolSet many = { -1, NULL }, none = { 0, NULL };

static int ascending(const void *a, const void *b) {
  const int *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static bool holds(const SymbolSet *s, int id) {
  int lo = 0, hi = s->n;
  while (lo < hi) {
    int mid = (lo + hi)/2;
    if (s->id[mid] < id) lo = mid + 1;
    else hi = mid;
  }
  return lo < s->n && s->id[lo] == id;
}

static bool within(const SymbolSet *a, const SymbolSet *b) {
  if (a == b) return true;
  if (a->n > b->n) return false;
  for (int i = 0, k = 0; i < a->n; i++) {
    while (k < b->n && b->id[k] < a->id[i]) k++;
    if (k == b->n || b->id[k] != a->id[i]) return false;
  }
  return true;
}

static const SymbolSet *set_new(Pool *p, const int *id, int n) {
  SymbolSet *s = ARENA_NEW(p->arena, SymbolSet);
  int *own = ARENA_ARRAY(p->arena, int, n);
  memcpy(own, id, sizeof *id*(size_t)n);
  *s = (SymbolSet){ n, own };
  return s;
}

static const SymbolSet *merged(Pool *p, const SymbolSet *a, const SymbolSet *b) {
  if (within(b, a)) return a;
  if (within(a, b)) return b;
  int id[2*MOST], n = 0;
  for (int i = 0, k = 0; i < a->n || k < b->n;) {
    int next = k == b->n || (i < a->n && a->id[i] <= b->id[k]) ? a->id[i] : b->id[k];
    id[n++] = next;
    i += i < a->n && a->id[i] == next;
    k += k < b->n && b->id[k] == next;
  }
  return n > MOST ? &many : set_new(p, id, n);
}

// The set of e; those of its arguments are known.
static const SymbolSet *set_of_node(Pool *p, Ex e) {
  const Node *q = node_of(p, e);
  if (q->op == OP_SYM) return set_new(p, &(int){(int)q->value}, 1);
  const SymbolSet *s = q->n_args ? node_of(p, q->args[0])->set : &none;
  for (int i = 1; i < q->n_args && s != &many; i++) {
    const SymbolSet *more = node_of(p, q->args[i])->set;
    s = more == &many ? more : merged(p, s, more);
  }
  return s;
}

static const SymbolSet *set_of(Pool *p, Ex e) {
  INVARIANT(e != EX_NONE && e < p->n_nodes);
  if (node_of(p, e)->set) return node_of(p, e)->set;
  typedef struct Frame { Ex e; int next; } Frame;
  Vec(Frame) stack = {0};
  vec_push(&stack, ((Frame){e, 0}));
  while (stack.n) {
    Frame *top = &vec_last(&stack);
    const Node *q = node_of(p, top->e);
    if (top->next == q->n_args || q->set) {
      if (!q->set) node_at(p, top->e)->set = set_of_node(p, top->e);
      stack.n--;
      continue;
    }
    Ex child = q->args[top->next++];
    if (!node_of(p, child)->set) vec_push(&stack, ((Frame){child, 0}));
  }
  vec_free(&stack);
  return node_of(p, e)->set;
}

typedef Vec(int) IntVec;

static void collect(Pool *p, Ex e, uint64_t only, IntVec *ids) {
  ExVec order = {0};
  walk_collect(p, &e, 1, only, &order);
  for (size_t i = 0; i < order.n; i++)
    if (node_of(p, order.at[i])->op == OP_SYM) vec_push(ids, ex_symbol(p, order.at[i]));
  vec_free(&order);
}

int ex_symbols(Pool *p, Ex e, const int **ids) {
  const SymbolSet *s = set_of(p, e);
  if (s != &many) {
    *ids = s->id;
    return s->n;
  }
  IntVec v = {0};
  collect(p, e, 0, &v);
  if (v.n) qsort(v.at, v.n, sizeof *v.at, ascending);
  int n = (int)v.n;
  *ids = vec_freeze(p->arena, &v);
  return n;
}

bool ex_depends(Pool *p, Ex e, int id) {
  INVARIANT(e != EX_NONE && e < p->n_nodes && id >= 0);
  if (!(node_of(p, e)->symbols & symbol_bit(id)) || node_of(p, e)->top_symbol < id) return false;
  if (node_of(p, e)->top_symbol == id) return true;
  const SymbolSet *s = set_of(p, e);
  if (s != &many) return holds(s, id);
  IntVec v = {0};
  collect(p, e, symbol_bit(id), &v);
  bool found = false;
  for (size_t i = 0; i < v.n; i++) found = found || v.at[i] == id;
  vec_free(&v);
  return found;
}

bool ex_depends_any(Pool *p, Ex e, bool (*member)(int id, void *ctx), void *ctx) {
  const int *ids;
  int n = ex_symbols(p, e, &ids);
  for (int i = 0; i < n; i++)
    if (member(ids[i], ctx)) return true;
  return false;
}
