// Walks over the DAG without recursion: each node once, arguments before users, with a stack on the heap.
//
// Requires: roots of this pool. Keeps: everything (walk_rewrite only adds nodes).
#include <stdlib.h>
#include "pool_impl.h"

typedef struct Frame { Ex e; int next; } Frame;    // `next`: the argument to look at when we come back

void walk_collect(Pool *p, const Ex *roots, int n, uint64_t only, ExVec *order) {
  Vec(Frame) stack = {0};
  uint32_t epoch = ++p->epoch;
  INVARIANT(epoch != 0);
  for (int r = 0; r < n; r++) {
    INVARIANT(roots[r] != EX_NONE && roots[r] < p->n_nodes);
    if (p->mark[roots[r]] == epoch || (only && !(node_of(p, roots[r])->symbols & only))) continue;
    p->mark[roots[r]] = epoch;
    vec_push(&stack, ((Frame){roots[r], 0}));
    while (stack.n) {
      Frame *top = &vec_last(&stack);
      const Node *q = node_of(p, top->e);
      if (top->next == q->n_args) {
        vec_push(order, top->e);
        stack.n--;
        continue;
      }
      Ex child = args_of(p, top->e)[top->next++];
      if (p->mark[child] == epoch || (only && !(node_of(p, child)->symbols & only))) continue;
      p->mark[child] = epoch;
      vec_push(&stack, ((Frame){child, 0}));
    }
  }
  vec_free(&stack);
}

// Rebuilds the roots from their leaves: rebuild() sees each node once, with its arguments already rebuilt.
void walk_rewrite_all(Pool *p, Ex *root, int n_roots, uint64_t only, Rebuild rebuild, void *ctx) {
  ExVec order = {0}, args = {0};
  Ex most = 0;
  for (int r = 0; r < n_roots; r++) most = root[r] > most ? root[r] : most;
  walk_collect(p, root, n_roots, only, &order);
  // New name of each old node; only entries in `order` are ever written or read.
  Ex *now = order.n ? memory_for(sizeof *now*((size_t)most + 1)) : NULL;
  for (size_t i = 0; i < order.n; i++) {
    Ex e = order.at[i];
    int n = node_of(p, e)->n_args;
    args.n = 0;
    for (int j = 0; j < n; j++) {
      Ex c = args_of(p, e)[j];
      bool visited = !only || (node_of(p, c)->symbols & only);
      vec_push(&args, visited ? now[c] : c);
    }
    now[e] = rebuild(p, e, args.at, n, ctx);
  }
  for (int r = 0; r < n_roots; r++)
    if (!only || (node_of(p, root[r])->symbols & only)) root[r] = now[root[r]];
  free(now);
  vec_free(&order);
  vec_free(&args);
}

Ex walk_rewrite(Pool *p, Ex root, uint64_t only, Rebuild rebuild, void *ctx) {
  walk_rewrite_all(p, &root, 1, only, rebuild, ctx);
  return root;
}

int ex_topological(Pool *p, const Ex *roots, int n, const Ex **order) {
  ExVec found = {0};
  walk_collect(p, roots, n, 0, &found);
  int count = (int)found.n;
  *order = vec_freeze(p->arena, &found);
  return count;
}
