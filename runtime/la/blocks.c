// LU by blocks along the elimination tree (blocks.h).
#include "blocks.h"
#include "vector.h"
#include <stdlib.h>

#define TAKE(m, count, type) ((type *)(m)->take((m)->of, ((size_t)(count) + 1) * sizeof(type)))

// ---- analysis -------------------------------------------------------------------------------------------------------
// Nodes by the pivot that eliminates them. pivots [n]: room.
static void order_nodes(nsm_blocks *b, const int *of, int *pivots) {
  for (int i = 0; i < b->n; i++) if (of[i] + 1 < b->n) pivots[of[i] + 1]++;
  for (int k = 1; k < b->n; k++) pivots[k] += pivots[k - 1];
  for (int i = 0; i < b->n; i++) {
    b->rank[i] = pivots[of[i]]++;
    b->order[b->rank[i]] = i;
  }
}

static int by_int(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// The elimination so far: the children of each rank as lists, child and then next; scratch.
typedef struct elimination { int *child, *next, *mark; } elimination;   // [n]

// Ranks of the later ones of rank k, into `to`: its neighbours and those that its children hand over, whose lists are
// in b.
static size_t later_of(const nsm_blocks *b, int k, const int *start, const int *neighbour, const elimination *t,
                       int *to) {
  int *mark = t->mark;
  size_t count = 0;
  mark[k] = k;
  for (int e = start[b->order[k]]; e < start[b->order[k] + 1]; e++) {
    int j = b->rank[neighbour[e]];
    if (j < k || mark[j] == k) continue;
    mark[j] = k;
    to[count++] = j;
  }
  for (int c = t->child[k]; c >= 0; c = t->next[c])
    for (size_t e = b->start[c]; e < b->start[c + 1]; e++) {
      int j = b->later[e];
      if (j <= k || mark[j] == k) continue;
      mark[j] = k;
      to[count++] = j;
    }
  qsort(to, count, sizeof(int), by_int);
  return count;
}

// The lists grow as they are found: in a room that is doubled.
static int find_later(nsm_blocks *b, const int *start, const int *neighbour, const nsm_la_memory *memory) {
  int n = b->n, *child = TAKE(memory, n, int), *next = TAKE(memory, n, int), *mark = TAKE(memory, n, int);
  size_t room = (size_t)start[n] + (size_t)n;
  int ok = child && next && mark && (b->later = TAKE(memory, room, int));
  for (int k = 0; ok && k < n; k++) child[k] = next[k] = mark[k] = -1;
  for (int k = 0; ok && k < n; k++) {
    if (b->start[k] + (size_t)n > room) {
      int *more = TAKE(memory, 2 * room + (size_t)n, int);
      if (!(ok = more != NULL)) break;
      memcpy(more, b->later, b->start[k] * sizeof(int));
      if (memory->give) memory->give(memory->of, b->later);
      b->later = more;
      room = 2 * room + (size_t)n;
    }
    size_t count = later_of(b, k, start, neighbour, &(elimination){ child, next, mark }, b->later + b->start[k]);
    b->start[k + 1] = b->start[k] + count;
    if (count == 0) continue;
    int parent = b->later[b->start[k]];
    next[k] = child[parent];
    child[parent] = k;
  }
  int *taken[] = { child, next, mark };
  for (int i = 0; i < 3 && memory->give; i++) if (taken[i]) memory->give(memory->of, taken[i]);
  return ok;
}

static void place_blocks(nsm_blocks *b) {
  for (size_t e = 0; e < b->start[b->n]; e++) b->later[e] = b->order[b->later[e]];
  for (int k = 0; k < b->n; k++) {
    int node = b->order[k];
    size_t own = (size_t)b->size[node], room = (size_t)nsm_block_room(b->size[node]);
    b->diagonal[node] = b->values;
    b->values += own * room;
    for (size_t e = b->start[k]; e < b->start[k + 1]; e++) {
      size_t other = (size_t)b->size[b->later[e]], others = (size_t)nsm_block_room(b->size[b->later[e]]);
      b->lower[e] = b->values;
      b->upper[e] = b->values + own * others;
      b->values += own * others + other * room;
    }
  }
}

nsm_blocks *nsm_blocks_analyse(int n, const int *size, const int *start, const int *neighbour,
                               const nsm_la_memory *memory) {
  nsm_blocks *b = TAKE(memory, 1, nsm_blocks);
  nsm_elimination e = { 0 };
  int **lists[] = { &e.pivot, &e.own, &e.border, &e.parent, &e.of }, *pivots = TAKE(memory, n, int), ok = b && pivots;
  for (int i = 0; i < 5; i++) ok = (*lists[i] = TAKE(memory, n, int)) && ok;
  if (ok) {
    b->n = n;
    int **own[] = { &b->size, &b->at, &b->order, &b->rank };
    for (int i = 0; i < 4; i++) ok = (*own[i] = TAKE(memory, n, int)) && ok;
    ok = (b->start = TAKE(memory, n, size_t)) && (b->diagonal = TAKE(memory, n, size_t)) && ok;
  }
  ok = ok && nsm_sparse_order(n, start, neighbour, size, &e, memory) == 0;
  if (ok) {
    for (int i = 0; i < n; i++) {
      b->size[i] = size[i];
      b->at[i + 1] = b->at[i] + nsm_block_room(size[i]);
    }
    order_nodes(b, e.of, pivots);
    ok = find_later(b, start, neighbour, memory);
  }
  if (ok) {
    b->lower = TAKE(memory, b->start[n], size_t);
    b->upper = TAKE(memory, b->start[n], size_t);
    if ((ok = b->lower && b->upper)) place_blocks(b);
  }
  for (int i = 0; i < 5 && memory->give; i++) if (*lists[i]) memory->give(memory->of, *lists[i]);
  if (memory->give && pivots) memory->give(memory->of, pivots);
  return ok ? b : NULL;
}

static size_t block_entry(const nsm_blocks *b, int first, int other) {
  for (size_t e = b->start[b->rank[first]];; e++) if (b->later[e] == other) return e;
}

size_t nsm_blocks_place(const nsm_blocks *b, int row, int col) {
  if (row == col) return b->diagonal[row];
  return b->rank[row] < b->rank[col] ? b->upper[block_entry(b, row, col)] : b->lower[block_entry(b, col, row)];
}

// ---- numbers --------------------------------------------------------------------------------------------------------
// By the exchange of one unknown with its equation after the other [Stiefel 1960].
LA_INLINE int invert_block(int n, int room, double *A, double small) {
  double least[NSM_BLOCK_MOST];
  for (int p = 0; p < n; p++) least[p] = small * A[p + p * room];
  for (int p = 0; p < n; p++) {
    double *pivot = A + p * room, d = pivot[p];
    if (!(d > 0 && d > least[p])) return 0;
    d = 1 / d;
    pivot[p] = 0;
    for (int j = 0; j < n; j++) {
      double *a = A + j * room, f = a[p] * d;
      if (j == p) continue;
      a[p] = 0;
      la_subtract(room, f, pivot, a);
      a[p] = f;
    }
    for (int i = 0; i < room; i++) pivot[i] *= -d;
    pivot[p] = d;
  }
  return 1;
}

// C += factor A B: columns of C and A in whole vectors, `inner` columns of A and rows of B, `columns` of B and C.
LA_INLINE void add_block_product(int room, int columns, int inner, double factor, const double *A, const double *B,
                                 double *C) {
  int rows_of_b = nsm_block_room(inner);
  for (int j = 0; j < columns; j++, B += rows_of_b, C += room) la_add_columns(room, inner, factor, A, B, C);
}

// What rank k leaves of the later ones: A_ij -= (A_ik D) A_kj; L_ik = A_ik D stays in the place of A_ik.
LA_INLINE void eliminate_node(const nsm_blocks *b, double *A, int k, double *line) {
  int node = b->order[k], own = b->size[node];
  const double *D = A + b->diagonal[node];
  for (size_t e = b->start[k]; e < b->start[k + 1]; e++) {
    int i = b->later[e], rows = nsm_block_room(b->size[i]);
    double *L = A + b->lower[e];
    for (int x = 0; x < own * rows; x++) {
      line[x] = L[x];
      L[x] = 0;
    }
    add_block_product(rows, own, own, 1, line, D, L);
    size_t below = b->start[b->rank[i]];
    for (size_t f = b->start[k]; f < b->start[k + 1]; f++) {
      int j = b->later[f];
      double *target = A + b->diagonal[i];
      if (j != i) {
        // of i and j the earlier one has the block; its list holds the other, and so it is found in one walk
        if (b->rank[j] > b->rank[i]) {
          while (b->later[below] != j) below++;
          target = A + b->upper[below];
        } else {
          size_t g = b->start[b->rank[j]];
          while (b->later[g] != i) g++;
          target = A + b->lower[g];
        }
      }
      add_block_product(rows, b->size[j], own, -1, L, A + b->upper[f], target);
    }
  }
}

LA_INLINE int factor_blocks(const nsm_blocks *b, double *A, double small) {
  double line[NSM_BLOCK_MOST * NSM_BLOCK_MOST];
  for (int k = 0; k < b->n; k++) {
    int node = b->order[k];
    if (!invert_block(b->size[node], nsm_block_room(b->size[node]), A + b->diagonal[node], small)) return node;
    eliminate_node(b, A, k, line);
  }
  return -1;
}
static int factor_blocks_plain(const nsm_blocks *b, double *A, double small) { return factor_blocks(b, A, small); }
LA_WIDE static int factor_blocks_wide(const nsm_blocks *b, double *A, double small) {
  return factor_blocks(b, A, small);
}
int nsm_blocks_factor(const nsm_blocks *b, double *A, double small) {
  return (la_wide() ? factor_blocks_wide : factor_blocks_plain)(b, A, small);
}

static int invert_block_plain(int n, double *A, double small) { return invert_block(n, nsm_block_room(n), A, small); }
LA_WIDE static int invert_block_wide(int n, double *A, double small) {
  return invert_block(n, nsm_block_room(n), A, small);
}
int nsm_block_invert(int n, double *A, double small) {
  return (la_wide() ? invert_block_wide : invert_block_plain)(n, A, small);
}

LA_INLINE void solve_blocks(const nsm_blocks *b, const double *A, double *x) {
  for (int k = 0; k < b->n; k++) {
    int node = b->order[k];
    for (size_t e = b->start[k]; e < b->start[k + 1]; e++) {
      int j = b->later[e];
      la_add_columns(nsm_block_room(b->size[j]), b->size[node], -1, A + b->lower[e], x + b->at[node], x + b->at[j]);
    }
  }
  for (int k = b->n - 1; k >= 0; k--) {
    int node = b->order[k], own = b->size[node], room = nsm_block_room(own);
    double *y = x + b->at[node], right[NSM_BLOCK_MOST];
    for (size_t e = b->start[k]; e < b->start[k + 1]; e++)
      la_add_columns(room, b->size[b->later[e]], -1, A + b->upper[e], x + b->at[b->later[e]], y);
    for (int i = 0; i < room; i++) {
      right[i] = y[i];
      y[i] = 0;
    }
    la_add_columns(room, own, 1, A + b->diagonal[node], right, y);
  }
}
static void solve_blocks_plain(const nsm_blocks *b, const double *A, double *x) { solve_blocks(b, A, x); }
LA_WIDE static void solve_blocks_wide(const nsm_blocks *b, const double *A, double *x) { solve_blocks(b, A, x); }
void nsm_blocks_solve(const nsm_blocks *b, const double *A, double *x) {
  (la_wide() ? solve_blocks_wide : solve_blocks_plain)(b, A, x);
}
