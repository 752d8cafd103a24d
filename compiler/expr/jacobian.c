// Sparse Jacobians: row by row, only the pairs (f, symbol) where the symbol occurs in f.
#include <stdlib.h>
#include "pool_impl.h"

typedef struct Column { int id, col; } Column;

static int by_id(const void *a, const void *b) {
  const Column *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return (x->col > y->col) - (x->col < y->col);
}

static int by_col(const void *a, const void *b) {
  const SparseRow *x = a, *y = b;
  return (x->col > y->col) - (x->col < y->col);
}

static int first_with(const Column *c, int n, int id) {  // the first entry with c.id >= id
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = lo + (hi - lo)/2;
    if (c[mid].id < id) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

SparseMatrix ex_jacobian(Pool *p, const Ex *f, int m, const int *ids, int n) {
  Column *column = memory_for(sizeof *column*((size_t)n + 1));
  for (int j = 0; j < n; j++) column[j] = (Column){ids[j], j};
  qsort(column, (size_t)n, sizeof *column, by_id);

  Vec(SparseRow) at = {0};
  int *start = ARENA_ARRAY(p->arena, int, m + 1);
  for (int i = 0; i < m; i++) {
    start[i] = (int)at.n;
    const int *symbols;
    int k = ex_symbols(p, f[i], &symbols);
    for (int s = 0; s < k; s++)
      for (int j = first_with(column, n, symbols[s]); j < n && column[j].id == symbols[s]; j++) {
        Ex d = ex_diff(p, f[i], symbols[s]);
        if (!ex_is_num(p, d, 0)) vec_push(&at, ((SparseRow){column[j].col, d}));
      }
    if (at.n > (size_t)start[i]) qsort(at.at + start[i], at.n - (size_t)start[i], sizeof *at.at, by_col);
  }
  start[m] = (int)at.n;
  free(column);
  return (SparseMatrix){.rows = m, .cols = n, .start = start, .at = vec_freeze(p->arena, &at)};
}
