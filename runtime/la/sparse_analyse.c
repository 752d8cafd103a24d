// From a pattern to the fronts of the multifrontal method [Duff and Reid 1983]: order (sparse_order.c), small fronts
// joined with their parents, a depth-first order of the tree that keeps the stack low [Liu 1986], borders, places.
#include "sparse.h"
#include <stdlib.h>
#include <string.h>

#define TAKE(m, count, type) ((type *)(m)->take((m)->of, ((size_t)(count) + 1) * sizeof(type)))

// Scratch of the analysis, given back together.
enum { MOST_SCRATCH = 40 };
typedef struct scratch { const nsm_la_memory *memory; int count, failed; void *taken[MOST_SCRATCH]; } scratch;

static void *borrow(void *of, size_t bytes) {
  scratch *s = of;
  void *p = s->count < MOST_SCRATCH ? s->memory->take(s->memory->of, bytes) : NULL;
  if (p) s->taken[s->count++] = p;
  else s->failed = 1;
  return p;
}
static int *borrow_ints(scratch *s, int n) { return borrow(s, ((size_t)n + 1) * sizeof(int)); }
static void give_back(scratch *s) {
  while (s->count > 0) {
    s->count--;
    if (s->memory->give) s->memory->give(s->memory->of, s->taken[s->count]);
  }
}

// ---- nodes ----------------------------------------------------------------------------------------------------------
typedef struct nodes { int n; const int *of, *start, *neighbour, *weight; int *first, *member; } nodes;

// The graph of nodes from that of unknowns, each neighbour once: how many there are tells which nodes are dense.
static int make_nodes(int n, const int *start, const int *neighbour, const int *node, nodes *g, scratch *s) {
  if (!node) { *g = (nodes){ .n = n, .start = start, .neighbour = neighbour }; return 1; }
  *g = (nodes){ .of = node };
  for (int i = 0; i < n; i++) g->n = node[i] >= g->n ? node[i] + 1 : g->n;
  int *weight = borrow_ints(s, g->n), *from = borrow_ints(s, g->n + 1), *to = borrow_ints(s, start[n]);
  int *mark = borrow_ints(s, g->n), used = 0;
  g->first = borrow_ints(s, g->n + 1);
  g->member = borrow_ints(s, n);
  if (s->failed) return 0;
  for (int i = 0; i < n; i++) {
    weight[node[i]]++;
    g->first[node[i] + 1]++;
  }
  for (int k = 0; k < g->n; k++) g->first[k + 1] += g->first[k];
  for (int i = 0; i < n; i++) g->member[g->first[node[i]]++] = i;
  for (int k = g->n; k > 0; k--) g->first[k] = g->first[k - 1];
  g->first[0] = 0;
  for (int k = 0; k < g->n; k++) mark[k] = -1;
  for (int k = 0; k < g->n; k++) {
    mark[k] = k;
    for (int m = g->first[k]; m < g->first[k + 1]; m++)
      for (int i = g->member[m], e = start[i]; e < start[i + 1]; e++) {
        int other = node[neighbour[e]];
        if (mark[other] == k) continue;
        mark[other] = k;
        to[used++] = other;
      }
    from[k + 1] = used;
  }
  g->start = from;
  g->neighbour = to;
  g->weight = weight;
  return 1;
}

// ---- the tree -------------------------------------------------------------------------------------------------------
// Pivots of the elimination are joined with their parents where that stores few zeros more: products of small blocks
// are slow. Own unknowns of both, share of zeros up to which they are joined: found by measuring nets and cubes.
static const struct { int own; double zeros; } joins[] = { { 4, 0.5 }, { 16, 0.2 }, { 48, 0.05 } };
static const double joins_else = 0.03;

static int may_join(int own, double zeros, double size) {
  for (size_t k = 0; k < sizeof joins / sizeof *joins; k++)
    if (own <= joins[k].own) return zeros <= joins[k].zeros * size;
  return zeros <= joins_else * size;
}

// Afterwards goes_to[k] is the pivot that k stands in, itself where it is the top of a front; own, border of the tops.
static void join_fronts(nsm_elimination *e, int *goes_to, double *zeros) {
  for (int k = 0; k < e->count; k++) goes_to[k] = k;
  for (int k = 0; k < e->count; k++) {                    // children stand before their parents
    int up = e->parent[k];
    if (up < 0) continue;
    double own = e->own[k], rows = (double)e->own[up] + e->border[up], more = rows - e->border[k],
           total = own + e->own[up], waste = zeros[k] + zeros[up] + own * (more > 0 ? more : 0),
           size = total * (total + 1) / 2 + total * e->border[up];
    if (!may_join(e->own[k] + e->own[up], waste, size)) continue;
    goes_to[k] = up;
    zeros[up] = waste;
    e->own[up] += e->own[k];
  }
}

static int top(int *goes_to, int k) {
  while (goes_to[k] != k) k = goes_to[k] = goes_to[goes_to[k]];
  return k;
}

// What a subtree needs on the stack while it is worked off, and what it leaves there.
typedef struct need { double peak, left; int at; } need;
static int by_need(const void *a, const void *b) {         // Liu: the largest peak - left first
  const need *x = a, *y = b;
  double u = x->peak - x->left, v = y->peak - y->left;
  return u > v ? -1 : u < v ? 1 : (x->at > y->at) - (x->at < y->at);
}

typedef struct tree { int *first, *next, *sorted; double *peak; need *child; } tree;

// Depth first order of the fronts' tops into `order`; how many.
static int order_fronts(const nsm_elimination *e, int *goes_to, tree *t, int *order) {
  int n = e->count, roots = n, count = 0;
  for (int k = 0; k <= n; k++) t->first[k] = -1;
  for (int k = n - 1; k >= 0; k--) {
    if (goes_to[k] != k) continue;
    int up = e->parent[k] < 0 ? roots : top(goes_to, e->parent[k]);
    t->next[k] = t->first[up];
    t->first[up] = k;
  }
  for (int k = 0; k <= n; k++) {
    if (k < n && goes_to[k] != k) continue;
    int children = 0;
    double stack = 0, peak = 0;
    for (int c = t->first[k]; c >= 0; c = t->next[c]) {
      double left = (double)e->border[c] * e->border[c];
      t->child[children++] = (need){ t->peak[c], left, c };
    }
    qsort(t->child, (size_t)children, sizeof *t->child, by_need);
    t->first[k] = -1;
    for (int c = children - 1; c >= 0; c--) { t->next[t->child[c].at] = t->first[k]; t->first[k] = t->child[c].at; }
    for (int c = 0; c < children; c++) {
      if (stack + t->child[c].peak > peak) peak = stack + t->child[c].peak;
      stack += t->child[c].left;
    }
    if (k == n) break;
    t->peak[k] = stack > peak ? stack : peak;
  }
  // by hand: trees of chains are deep
  int at = t->first[roots], depth = 0, *path = t->sorted;
  while (at >= 0 || depth > 0) {
    if (at >= 0) { path[depth++] = at; at = t->first[at]; continue; }
    int done = path[--depth];
    order[count++] = done;
    at = t->next[done];
  }
  return count;
}

// ---- borders --------------------------------------------------------------------------------------------------------
static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// The pattern of the matrix: row i has the entries neighbour[start[i] ... start[i + 1] - 1].
typedef struct pattern { const int *start, *neighbour; } pattern;

// The later neighbours of place k, ascending, into `to` [as many]; NULL: counts only.
static size_t later_ones(const nsm_sparse *s, int k, const pattern *p, int *mark, int *to) {
  const int *start = p->start, *neighbour = p->neighbour;
  size_t n = 0;
  mark[k] = k;
  for (int e = start[s->order[k]]; e < start[s->order[k] + 1]; e++) {
    int j = s->place[neighbour[e]];
    if (j < k || mark[j] == k) continue;
    mark[j] = k;
    if (to) to[n] = j;
    n++;
  }
  if (to && n > 1) qsort(to, n, sizeof(int), ascending);
  return n;
}

static void no_marks(int n, int *mark) {
  for (int i = 0; i < n; i++) mark[i] = -1;
}

// The border of front k: what its unknowns are coupled with and what its children hand over, beyond its own.
static int find_border(nsm_sparse *s, int k, const int *children, int count, int *mark, int *border) {
  const nsm_sparse_front *f = s->front + k;
  int end = f->first + f->own, n = 0;
  for (size_t e = s->start[f->first]; e < s->start[end]; e++) {
    int j = s->later[e];
    if (j >= end && mark[j] != k) { mark[j] = k; border[n++] = j; }
  }
  for (int c = 0; c < count; c++) {
    const nsm_sparse_front *child = s->front + children[c];
    for (int b = 0; b < child->border; b++) {
      int j = s->index[child->list + (size_t)b];
      if (j >= end && mark[j] != k) { mark[j] = k; border[n++] = j; }
    }
  }
  qsort(border, (size_t)n, sizeof(int), ascending);
  return n;
}

static void measure(nsm_sparse *s) {
  size_t stack = 0;
  int *waiting = s->waiting, top_of = 0;
  for (int k = 0; k < s->fronts; k++) {
    nsm_sparse_front *f = s->front + k;
    size_t own = (size_t)f->own, border = (size_t)f->border;
    double o = f->own, b = f->border;
    f->at = s->factor_size;
    s->factor_size += own * (own + 2 * border);
    s->work += o * (o * (o / 3 + b) + b * b);
    for (int c = 0; c < f->children; c++) {
      size_t size = (size_t)s->front[waiting[--top_of]].border;
      stack -= size * size;
    }
    stack += border * border;
    waiting[top_of++] = k;
    if (stack > s->stack_size) s->stack_size = stack;
    if (f->own + f->border > s->most_rows) s->most_rows = f->own + f->border;
  }
}

static int pivot_of(const nsm_elimination *e, const nodes *g, int i) { return e->of[g->of ? g->of[i] : i]; }

// Places of the unknowns: front by front, within a front in the order of the elimination. next [pivots]: by top of a
// front its first place.
static void place_unknowns(nsm_sparse *s, const nsm_elimination *e, int *goes_to, const nodes *g, int *next,
                           int *pivots, int *by) {
  for (int i = 0; i < s->n; i++) pivots[pivot_of(e, g, i) + 1]++;
  for (int k = 0; k < e->count; k++) pivots[k + 1] += pivots[k];
  for (int i = 0; i < s->n; i++) by[pivots[pivot_of(e, g, i)]++] = i;
  for (int i = 0; i < s->n; i++) {
    int at = next[top(goes_to, pivot_of(e, g, by[i]))]++;
    s->order[at] = by[i];
    s->place[by[i]] = at;
  }
}

// Room for the lists: borders of the tops are known from the elimination, and no border is longer.
static int make_fronts(nsm_sparse *s, const nsm_elimination *e, int *goes_to, const int *order, const nodes *g,
                       const pattern *p, scratch *w) {
  const nsm_la_memory *memory = w->memory;
  int n = s->n, *next = borrow_ints(w, e->count), *pivots = borrow_ints(w, e->count), *mark = borrow_ints(w, n),
      *by = borrow_ints(w, n), *number = borrow_ints(w, e->count);
  if (w->failed) return 0;
  for (int i = 0; i < n; i++) next[top(goes_to, pivot_of(e, g, i))]++;
  size_t room = 0, list = 0;
  for (int k = 0, first = 0; k < s->fronts; k++) {
    int t = order[k], own = next[t];
    number[t] = k;
    s->front[k] = (nsm_sparse_front){ .first = first, .own = own };
    next[t] = first;
    first += own;
    room += (size_t)(e->border[t] < n - first ? e->border[t] : n - first);
  }
  place_unknowns(s, e, goes_to, g, next, pivots, by);
  no_marks(n, mark);
  for (int k = 0; k < n; k++) s->start[k + 1] = s->start[k] + later_ones(s, k, p, mark, NULL);
  s->later = TAKE(memory, s->start[n], int);
  s->index = TAKE(memory, room, int);
  if (!s->later || !s->index) return 0;
  no_marks(n, mark);
  for (int k = 0; k < n; k++) later_ones(s, k, p, mark, s->later + s->start[k]);
  for (int k = 0; k < s->fronts; k++) {
    int up = e->parent[order[k]];
    if (up >= 0) s->front[number[top(goes_to, up)]].children++;
  }
  no_marks(n, mark);
  for (int k = 0, depth = 0; k < s->fronts; k++) {
    nsm_sparse_front *f = s->front + k;
    f->list = list;
    depth -= f->children;
    f->border = find_border(s, k, s->waiting + depth, f->children, mark, s->index + list);
    list += (size_t)f->border;
    s->waiting[depth++] = k;
  }
  return 1;
}

nsm_sparse *nsm_sparse_analyse(int n, const int *start, const int *neighbour, const int *node,
                               const nsm_la_memory *memory) {
  scratch w = { .memory = memory };
  nodes g;
  nsm_sparse *s = TAKE(memory, 1, nsm_sparse);
  if (!s) return NULL;
  int ok = make_nodes(n, start, neighbour, node, &g, &w);
  nsm_elimination e = { 0 };
  int **lists[] = { &e.pivot, &e.own, &e.border, &e.parent, &e.of };
  for (size_t k = 0; ok && k < sizeof lists / sizeof *lists; k++) ok = (*lists[k] = borrow_ints(&w, g.n)) != NULL;
  ok = ok && nsm_sparse_order(g.n, g.start, g.neighbour, g.weight, &e, memory) == 0;
  s->n = n;
  if (ok) {
    int count = e.count, *goes_to = borrow_ints(&w, count), *order = borrow_ints(&w, count);
    double *zeros = borrow(&w, ((size_t)count + 1) * sizeof *zeros);
    tree t = { borrow_ints(&w, count), borrow_ints(&w, count), borrow_ints(&w, count),
               borrow(&w, ((size_t)count + 1) * sizeof(double)), borrow(&w, ((size_t)count + 1) * sizeof(need)) };
    ok = !w.failed;
    if (ok) {
      join_fronts(&e, goes_to, zeros);
      s->fronts = order_fronts(&e, goes_to, &t, order);
      s->order = TAKE(memory, n, int);
      s->place = TAKE(memory, n, int);
      s->start = TAKE(memory, n, size_t);
      s->front = TAKE(memory, s->fronts, nsm_sparse_front);
      s->waiting = TAKE(memory, s->fronts, int);
      ok = s->order && s->place && s->start && s->front && s->waiting &&
           make_fronts(s, &e, goes_to, order, &g, &(pattern){ start, neighbour }, &w);
    }
  }
  give_back(&w);
  if (!ok) { nsm_sparse_free(s, memory); return NULL; }
  measure(s);
  s->values = (size_t)n + 2 * s->start[n];
  s->factor = TAKE(memory, s->factor_size, double);
  s->stack = TAKE(memory, s->stack_size, double);
  s->dense = TAKE(memory, (size_t)s->most_rows * (size_t)s->most_rows, double);
  s->x = TAKE(memory, NSM_SPARSE_LANES * (size_t)n, double);
  s->border = TAKE(memory, NSM_SPARSE_LANES * (size_t)s->most_rows, double);
  s->pivot = TAKE(memory, n, int);
  s->local = TAKE(memory, n, int);
  if (s->factor && s->stack && s->dense && s->x && s->border && s->pivot && s->local) return s;
  nsm_sparse_free(s, memory);
  return NULL;
}

void nsm_sparse_free(nsm_sparse *s, const nsm_la_memory *memory) {
  if (!s || !memory->give) return;
  void *taken[] = { s->order, s->place, s->start, s->later, s->front,  s->index, s->factor,
                    s->stack, s->dense, s->x,     s->border, s->pivot, s->local, s->waiting, s };
  for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) if (taken[k]) memory->give(memory->of, taken[k]);
}

// The later neighbour of place `first` that is the last one up to `last`.
static size_t find(const nsm_sparse *s, int first, int last) {
  size_t from = s->start[first], to = s->start[first + 1];
  while (to - from > 1) {
    size_t half = from + (to - from) / 2;
    if (s->later[half] <= last) from = half;
    else to = half;
  }
  return from;
}

size_t nsm_sparse_place(const nsm_sparse *s, int row, int col) {
  int i = s->place[row], j = s->place[col], first = i < j ? i : j, last = i < j ? j : i;
  size_t base = (size_t)first + 2 * s->start[first];
  if (i == j) return base;
  return base + 1 + 2 * (find(s, first, last) - s->start[first]) + (i < j);     // A_(last, first), A_(first, last)
}

int nsm_sparse_has(const nsm_sparse *s, int row, int col) {
  int i = s->place[row], j = s->place[col], first = i < j ? i : j, last = i < j ? j : i;
  return i == j || (s->start[first] < s->start[first + 1] && s->later[find(s, first, last)] == last);
}
