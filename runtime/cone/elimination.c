// An order of elimination for the graph of nodes: exact minimum degree with mass elimination of indistinguishable nodes
// (Tinney 1967; George and Liu, SIAM Review 31 (1989) 1-19), on a matrix of bits, and the fronts of the multifrontal
// method that follow from it (Duff and Reid, ACM TOMS 9 (1983) 302-325): a front eliminates its own nodes and hands the
// Schur complement on its border to its parent.
//
// Nodes that touch the same bodies have the same neighbours and go together, so the fronts of stacks and heaps are
// large enough for products by tiles.
#include "newton.h"
#include <string.h>

enum { SMALL = 60 };   // rows up to which one dense front is as fast

// `closed` [nodes][words]: neighbours and itself
typedef struct bits { int nodes; size_t words; uint64_t *closed, *left; int *id, *degree; } bits;

static uint64_t *row(const bits *b, int c) { return b->closed + (size_t)c * b->words; }

// Rows of the nodes of `set` (local numbers) that are still there, without node `but`.
static int rows_in(const nsm_graph *g, const bits *b, const uint64_t *set) {
  int rows = 0;
  for (size_t v = 0; v < b->words; v++)
    for (uint64_t x = set[v]; x; x &= x - 1) rows += g->node[b->id[64 * v + (size_t)__builtin_ctzll(x)]].size;
  return rows;
}

static bits open_bits(const nsm_graph *g, const unsigned char *take, nsm_fronts *f) {
  bits b = { .closed = f->bits, .id = f->id, .degree = f->degree };
  int *local = f->local;
  for (int c = 0; c < g->nodes; c++) { local[c] = -1; if (take[c]) { local[c] = b.nodes; b.id[b.nodes++] = c; } }
  b.words = ((size_t)b.nodes + 63) / 64;
  memset(b.closed, 0, ((size_t)b.nodes + 1) * b.words * sizeof(uint64_t));
  b.left = b.closed + (size_t)b.nodes * b.words;
  for (int i = 0; i < b.nodes; i++) {
    int c = b.id[i];
    b.left[i / 64] |= 1ull << i % 64;
    for (int k = g->start[c]; k < g->start[c + 1]; k++) {
      int j = local[g->column[k]];
      if (j >= 0) row(&b, i)[j / 64] |= 1ull << j % 64;
    }
  }
  for (int i = 0; i < b.nodes; i++) b.degree[i] = rows_in(g, &b, row(&b, i));
  return b;
}

// Eliminates node i and all that cannot be told from it, but for those of `stay`; appends own and border nodes to
// f->member.
static int eliminate(const nsm_graph *g, const unsigned char *stay, bits *b, int i, nsm_fronts *f) {
  nsm_front *front = f->front + f->count;
  *front = (nsm_front){ .list = f->members };
  uint64_t *mine = row(b, i);
  int size = 0;
  for (size_t v = 0; v < b->words; v++) size += __builtin_popcountll(mine[v]);
  if (f->members + size > f->member_room) return 0;
  int *own = f->member + f->members, *border = own;
  for (int pass = 0; pass < 2; pass++)
    for (size_t v = 0; v < b->words; v++)
      for (uint64_t x = mine[v]; x; x &= x - 1) {
        int j = (int)(64 * v) + __builtin_ctzll(x),
            same = j == i || (!(stay && stay[b->id[j]]) && memcmp(mine, row(b, j), b->words * sizeof(uint64_t)) == 0);
        if (same == pass) continue;
        *border++ = j;
        front->own += same;
        front->border += !same;
        front->own_rows += same * g->node[b->id[j]].size;
        front->rows += g->node[b->id[j]].size;
      }
  // pass 0 takes the own nodes, pass 1 the border
  for (int k = 0; k < front->own; k++) b->left[own[k] / 64] &= ~(1ull << own[k] % 64);
  for (int k = 0; k < front->own; k++) if (own[k] != i) b->degree[own[k]] = -1;
  b->degree[i] = -1;
  for (int k = front->own; k < size; k++) {
    uint64_t *r = row(b, own[k]);
    for (size_t v = 0; v < b->words; v++) r[v] = (r[v] | mine[v]) & b->left[v];
    b->degree[own[k]] = rows_in(g, b, r);
  }
  f->members += size;
  f->count++;
  return 1;
}

// The parent of a front eliminates the first of its border nodes. when[j]: the front that eliminates node j.
static void find_parents(nsm_fronts *f, const int *when, int *parent) {
  for (int k = 0; k < f->count; k++) {
    const nsm_front *front = f->front + k;
    parent[k] = -1;
    for (int i = front->own; i < front->own + front->border; i++) {
      int up = when[f->member[front->list + i]];
      if (parent[k] < 0 || up < parent[k]) parent[k] = up;
    }
  }
}

// Children before parents, so that contributions form a stack: depth first from the roots, written from the back.
static void order_depth_first(nsm_fronts *f, const int *parent) {
  int n = f->count, *first = f->scratch[0], *next = f->scratch[1], *stack = f->scratch[2];
  memcpy(f->old, f->front, (size_t)n * sizeof *f->old);
  for (int k = 0; k <= n; k++) first[k] = -1;
  for (int k = 0; k < n; k++) {
    int up = parent[k] < 0 ? n : parent[k];
    next[k] = first[up];
    first[up] = k;
    if (parent[k] >= 0) f->old[parent[k]].children++;
  }
  int top = 0, at = n;
  for (int k = first[n]; k >= 0; k = next[k]) stack[top++] = k;
  while (top) {
    int k = stack[--top];
    f->front[--at] = f->old[k];
    for (int c = first[k]; c >= 0; c = next[c]) stack[top++] = c;
  }
}

// Memory: factors own x own, own x border, border x own; contributions border x border, taken off the stack by their
// parents.
static void measure(nsm_fronts *f) {
  int *height = f->scratch[0], top = 0;
  size_t stack = 0;
  f->factor_size = f->stack_size = 0;
  f->work = 0;
  f->max_rows = 0;
  for (int k = 0; k < f->count; k++) {
    size_t own = (size_t)f->front[k].own_rows, border = (size_t)f->front[k].rows - own;
    for (int c = 0; c < f->front[k].children; c++) { top--; stack -= (size_t)height[top] * (size_t)height[top]; }
    f->factor_size += own * (own + 2 * border);
    f->work += 2.0 * (double)own * ((double)own * ((double)own / 3 + (double)border) + (double)border * (double)border);
    height[top++] = (int)border;
    stack += border * border;
    if (stack > f->stack_size) f->stack_size = stack;
    if (f->front[k].rows > f->max_rows) f->max_rows = f->front[k].rows;
  }
}

// Everything in one front: a dense LU.
void nsm_fronts_one(const nsm_graph *g, const unsigned char *take, nsm_fronts *f) {
  nsm_front *front = f->front;
  *front = (nsm_front){ 0 };
  f->members = 0;
  for (int c = 0; c < g->nodes; c++) {
    if (!take[c]) continue;
    f->member[f->members++] = c;
    front->own++;
    front->rows += g->node[c].size;
  }
  front->own_rows = front->rows;
  f->count = front->own > 0;
  measure(f);
}

int nsm_fronts_take(const nsm_graph *g, nsm_cone_work *w, nsm_fronts *f) {
  size_t nodes = (size_t)g->nodes, words = (nodes + 63) / 64, room = nodes * (nodes + 1) / 2,
         most = 64 * nodes + 4 * (size_t)g->start[g->nodes];
  *f = (nsm_fronts){ 0 };
  room = room > most ? most : room;
  if (room > INT32_MAX) return 0;
  f->member_room = (int)room;
  f->front = nsm_cone_take(w, nodes * sizeof *f->front);
  f->old = nsm_cone_take(w, nodes * sizeof *f->old);
  f->member = nsm_cone_take_ints(w, room);
  f->local = nsm_cone_take_ints(w, nodes);
  f->id = nsm_cone_take_ints(w, nodes);
  f->degree = nsm_cone_take_ints(w, nodes);
  for (int k = 0; k < 3; k++) f->scratch[k] = nsm_cone_take_ints(w, nodes + 1);
  f->bits = nsm_cone_take(w, (nodes + 1) * words * sizeof *f->bits);
  return f->front && f->old && f->member && f->local && f->id && f->degree && f->scratch[2] && f->bits;
}

// The nodes that stay, all in one front, which eliminates none of them.
static int leave(const nsm_graph *g, bits *b, nsm_fronts *f) {
  nsm_front *front = f->front + f->count;
  *front = (nsm_front){ .list = f->members, .stays = 1 };
  for (int i = 0; i < b->nodes; i++) {
    if (b->degree[i] < 0) continue;
    if (f->members == f->member_room) return 0;
    f->member[f->members++] = i;
    front->own++;
    front->rows += g->node[b->id[i]].size;
  }
  front->own_rows = front->rows;
  f->count++;
  return 1;
}

// Minimum degree of the taken nodes; those of `stay`, which may be NULL, come last. 0: no room.
static int order(const nsm_graph *g, const unsigned char *take, const unsigned char *stay, nsm_fronts *f) {
  bits b = open_bits(g, take, f);
  *g->work += 2.0 * b.nodes * b.nodes;
  int *when = f->scratch[0], *parent = f->local, left = b.nodes;
  f->count = f->members = 0;
  while (left > 0) {
    int best = -1;
    for (int i = 0; i < b.nodes; i++)
      if (b.degree[i] >= 0 && !(stay && stay[b.id[i]]) && (best < 0 || b.degree[i] < b.degree[best])) best = i;
    if (!(best < 0 ? leave(g, &b, f) : eliminate(g, stay, &b, best, f))) return 0;
    const nsm_front *front = f->front + f->count - 1;
    for (int k = 0; k < front->own; k++) when[f->member[front->list + k]] = f->count - 1;
    left -= front->own;
  }
  find_parents(f, when, parent);
  order_depth_first(f, parent);
  for (int k = 0; k < f->members; k++) f->member[k] = b.id[f->member[k]];
  measure(f);
  return 1;
}

void nsm_fronts_make(const nsm_graph *g, const unsigned char *take, nsm_fronts *f) {
  int rows = 0;
  for (int c = 0; c < g->nodes; c++) rows += take[c] ? g->node[c].size : 0;
  if (rows <= SMALL || !order(g, take, NULL, f)) nsm_fronts_one(g, take, f);
}

int nsm_fronts_complement(const nsm_graph *g, const unsigned char *take, const unsigned char *stay, nsm_fronts *f) {
  return order(g, take, stay, f);
}
