// What hangs together: each leads to another of its group, the root to itself. Paths become shorter as they are walked
// [Tarjan 1975].
#pragma once

static inline int nsm_root(int *parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static inline void nsm_unite(int *parent, int i, int k) {    // the root is the first of its group
  int a = nsm_root(parent, i), b = nsm_root(parent, k);
  parent[a > b ? a : b] = a > b ? b : a;
}
