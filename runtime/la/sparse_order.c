// Approximate minimum degree: Amestoy, Davis, Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886-905.
//
// The graph of what is left to eliminate is kept as a quotient graph: eliminated nodes are *elements*, each with the
// list L_e of the variables that it has made a clique; a variable has a list of elements and one of variables. So the
// room never grows. The degree of variable i after pivot p is not counted but bounded from above:
//
//   d_i = min( left, d_i + |L_p \ i|, |A_i \ i| + |L_p \ i| + sum over e of |L_e \ L_p| )   [(4.1) there]
//
// with all |L_e \ L_p| found in one scan. Variables with equal lists are one from then on; a variable that is coupled
// with L_p alone goes with p (mass elimination); an element inside of L_p is absorbed.
#include "sparse.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { VARIABLE, ELEMENT, GONE };

typedef struct quotient {
  int n, total, left, least;         // nodes; unknowns; unknowns not yet eliminated; no degree is below
  int *list;                         // lists of all nodes
  size_t used, room;
  size_t *at;                        // [n] list of a node: its elements, then variables; of an element: variables
  int *len, *elements;               // [n] entries; how many of them are elements
  int *weight;                       // [n] unknowns of a variable; negative while it is in L_p; 0: gone
  int *degree;                       // [n] unknowns around a variable, at most; of an element |L_e|
  int *head, *next, *prev;           // variables by degree
  int *bucket;                       // [n] variables by the sum of their lists
  int64_t *mark, tag;
  int *up;                           // [n] what a node went into
  unsigned char *kind;
} quotient;

static void take_off(quotient *q, int i) {
  int next = q->next[i], prev = q->prev[i];
  if (next >= 0) q->prev[next] = prev;
  if (prev >= 0) q->next[prev] = next;
  else q->head[q->degree[i]] = next;
}

static void put_on(quotient *q, int i, int degree) {
  int next = q->head[degree];
  q->degree[i] = degree;
  q->next[i] = next;
  q->prev[i] = -1;
  if (next >= 0) q->prev[next] = i;
  q->head[degree] = i;
  if (degree < q->least) q->least = degree;
}

// Moves the lists that are still needed together. The first entry of each is exchanged with a mark of its owner.
static void collect(quotient *q) {
  for (int i = 0; i < q->n; i++)
    if (q->kind[i] != GONE && q->len[i] > 0) {
      int first = q->list[q->at[i]];
      q->list[q->at[i]] = -i - 2;
      q->at[i] = (size_t)first;                        // kept here meanwhile
    }
  size_t to = 0;
  for (size_t from = 0; from < q->used;) {
    int owner = -q->list[from] - 2;
    if (owner < 0) { from++; continue; }
    int len = q->len[owner];
    q->list[to] = (int)q->at[owner];
    q->at[owner] = to++;
    for (int k = 1; k < len; k++) q->list[to++] = q->list[from + (size_t)k];
    from += (size_t)len;
  }
  q->used = to;
}

static void join(quotient *q, int i, int *weight) {
  if (q->weight[i] <= 0) return;
  *weight += q->weight[i];
  q->weight[i] = -q->weight[i];
  q->list[q->used++] = i;
  take_off(q, i);
}

// L_p; the elements of p go into it.
static void make_element(quotient *q, int p) {
  size_t need = 0;
  for (int k = 0; k < q->len[p]; k++) {
    int j = q->list[q->at[p] + (size_t)k];
    need += k < q->elements[p] ? (size_t)q->len[j] : 1;
  }
  if (need > (size_t)q->n) need = (size_t)q->n;
  if (q->used + need > q->room) collect(q);
  size_t begin = q->used, from = q->at[p];
  int weight = 0;
  q->weight[p] = -q->weight[p];
  for (int k = 0; k < q->len[p]; k++) {
    int j = q->list[from + (size_t)k];
    if (k >= q->elements[p]) { join(q, j, &weight); continue; }
    if (q->kind[j] != ELEMENT) continue;
    for (int m = 0; m < q->len[j]; m++) join(q, q->list[q->at[j] + (size_t)m], &weight);
    q->kind[j] = GONE;
    q->up[j] = p;
  }
  q->kind[p] = ELEMENT;
  q->at[p] = begin;
  q->len[p] = (int)(q->used - begin);
  q->degree[p] = weight;
}

// |L_e \ L_p| + tag for every element e that L_p meets.
static void scan(quotient *q, int p) {
  q->tag += q->total + 1;
  for (int k = 0; k < q->len[p]; k++) {
    int i = q->list[q->at[p] + (size_t)k], weight = -q->weight[i];
    for (int m = 0; m < q->elements[i]; m++) {
      int e = q->list[q->at[i] + (size_t)m];
      if (q->kind[e] != ELEMENT) continue;
      if (q->mark[e] < q->tag) q->mark[e] = q->tag + q->degree[e];
      q->mark[e] -= weight;
    }
  }
}

// The lists of variable i of L_p without what L_p says; its degree outside of L_p, at most. -1: there is nothing
// outside. Its bucket into *sum.
static int shorten(quotient *q, int p, int i, unsigned *sum) {
  int *list = q->list + q->at[i], elements = q->elements[i], len = q->len[i], to = 0, outside = 0;
  *sum = 0;
  for (int m = 0; m < elements; m++) {
    int e = list[m];
    if (q->kind[e] != ELEMENT) continue;
    int64_t rest = q->mark[e] - q->tag;
    if (rest == 0) { q->kind[e] = GONE; q->up[e] = p; continue; }
    outside += (int)rest;
    *sum += (unsigned)e;
    list[to++] = e;
  }
  if (to == elements) {                                // then p is among the variables: its place becomes free
    int k = elements;
    while (list[k] != p) k++;
    list[k] = list[elements];
  }
  int variables = to == elements ? elements + 1 : elements;
  list[to++] = p;
  q->elements[i] = to;
  for (int m = variables; m < len; m++) {
    int j = list[m];
    if (q->weight[j] <= 0) continue;
    outside += q->weight[j];
    *sum += (unsigned)j;
    list[to++] = j;
  }
  q->len[i] = to;
  return to == 1 ? -1 : outside;
}

static int same_lists(quotient *q, int i, int j) {
  if (q->len[i] != q->len[j] || q->elements[i] != q->elements[j]) return 0;
  for (int m = 0; m < q->len[j]; m++)
    if (q->mark[q->list[q->at[j] + (size_t)m]] != q->tag) return 0;
  return 1;
}

// Variables of L_p that cannot be told apart become one.
static void merge(quotient *q, int p, const unsigned *sum) {
  q->tag += q->total + 1;                              // above all that scan() has left
  for (int k = 0; k < q->len[p]; k++) {
    int first = q->list[q->at[p] + (size_t)k];
    if (q->weight[first] == 0) continue;
    unsigned h = sum[first] % (unsigned)q->n;
    int i = q->bucket[h];
    q->bucket[h] = -1;
    for (; i >= 0; i = q->next[i]) {
      if (q->weight[i] == 0 || q->next[i] < 0) continue;
      q->tag++;
      for (int m = 0; m < q->len[i]; m++) q->mark[q->list[q->at[i] + (size_t)m]] = q->tag;
      for (int before = i, j = q->next[i]; j >= 0; j = q->next[j]) {
        if (sum[j] == sum[i] && same_lists(q, i, j)) {
          q->weight[i] += q->weight[j];
          q->weight[j] = 0;
          q->kind[j] = GONE;
          q->up[j] = i;
          q->next[before] = q->next[j];
        } else before = j;
      }
    }
  }
}

// Eliminates p; unknowns that go, *border those left around it.
static int eliminate(quotient *q, int p, unsigned *sum, int *border) {
  take_off(q, p);
  make_element(q, p);
  int own = -q->weight[p], outside = q->degree[p];
  scan(q, p);
  for (int k = 0; k < q->len[p]; k++) {
    int i = q->list[q->at[p] + (size_t)k], degree = shorten(q, p, i, &sum[i]);
    if (degree < 0) {                                  // coupled with L_p alone
      own -= q->weight[i];
      outside += q->weight[i];
      q->weight[i] = 0;
      q->kind[i] = GONE;
      q->up[i] = p;
      continue;
    }
    if (degree < q->degree[i]) q->degree[i] = degree;
    unsigned h = sum[i] % (unsigned)q->n;
    q->next[i] = q->bucket[h];
    q->bucket[h] = i;
  }
  merge(q, p, sum);
  q->left -= own;
  int to = 0;
  for (int k = 0; k < q->len[p]; k++) {
    int i = q->list[q->at[p] + (size_t)k], weight = -q->weight[i];
    if (weight == 0) continue;
    q->weight[i] = weight;
    int degree = q->degree[i] + outside - weight, most = q->left - weight;
    put_on(q, i, degree < most ? degree : most);
    q->list[q->at[p] + (size_t)to++] = i;
  }
  q->len[p] = to;
  q->used = q->at[p] + (size_t)to;
  q->degree[p] = outside;
  q->weight[p] = 0;
  if (to == 0) q->kind[p] = GONE;
  *border = outside;
  return own;
}

// Lists without repetitions. Nodes with very many neighbours come last: their lists would be read again and again.
static void fill(quotient *q, const int *start, const int *neighbour, const int *weight, unsigned char *dense) {
  int many = (int)(10 * sqrt((double)q->n)), most = many > 16 ? many : 16;
  for (int i = 0; i < q->n; i++) {
    q->mark[i] = -1;
    q->up[i] = -1;
    q->bucket[i] = -1;
    q->weight[i] = weight ? weight[i] : 1;
    q->total += q->weight[i];
    dense[i] = start[i + 1] - start[i] > 4 * most;
  }
  q->left = q->total;
  for (int i = 0; i < q->n; i++) {
    q->at[i] = q->used;
    for (int e = start[i]; e < start[i + 1] && !dense[i]; e++) {
      int j = neighbour[e];
      if (j == i || dense[j] || q->mark[j] == i) continue;
      q->mark[j] = i;
      q->list[q->used++] = j;
      q->degree[i] += q->weight[j];
    }
    q->len[i] = (int)(q->used - q->at[i]);
    if (dense[i]) { q->kind[i] = GONE; q->left -= q->weight[i]; q->total -= q->weight[i]; }
  }
  for (int i = 0; i < q->n; i++) q->mark[i] = -1;
}

#define TAKE(count, type) ((type *)memory->take(memory->of, ((size_t)(count) + 1) * sizeof(type)))

int nsm_sparse_order(int n, const int *start, const int *neighbour, const int *weight, nsm_elimination *e,
                     const nsm_la_memory *memory) {
  quotient q = { .n = n, .room = (size_t)start[n] + 2 * (size_t)n + 16, .tag = 0 };
  int total = 0;
  for (int i = 0; i < n; i++) total += weight ? weight[i] : 1;
  unsigned *sum = TAKE(n, unsigned);
  unsigned char *dense = TAKE(n, unsigned char);
  q.list = TAKE(q.room, int);
  q.at = TAKE(n, size_t);
  q.mark = TAKE(n, int64_t);
  q.kind = TAKE(n, unsigned char);
  int **ints[] = { &q.len, &q.elements, &q.weight, &q.degree, &q.next, &q.prev, &q.bucket, &q.up };
  int ok = sum && dense && q.list && q.at && q.mark && q.kind;
  for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) ok = (*ints[k] = TAKE(n, int)) && ok;
  ok = (q.head = TAKE(total, int)) && ok;
  if (ok) {
    for (int i = 0; i <= total; i++) q.head[i] = -1;
    fill(&q, start, neighbour, weight, dense);
    q.least = 0;
    for (int i = n - 1; i >= 0; i--) if (!dense[i]) put_on(&q, i, q.degree[i]);
    q.least = 0;
    e->count = 0;
    while (q.left > 0) {
      while (q.head[q.least] < 0) q.least++;
      int p = q.head[q.least], at = e->count++;
      e->pivot[at] = p;
      e->own[at] = eliminate(&q, p, sum, &e->border[at]);
      e->of[p] = at;
    }
    int last = -1, rest = 0;
    for (int i = 0; i < n; i++)
      if (dense[i]) {
        if (last < 0) { last = e->count++; e->pivot[last] = i; e->own[last] = e->border[last] = 0; }
        e->of[i] = last;
        q.up[i] = -1;
        rest += weight ? weight[i] : 1;
      }
    if (last >= 0) e->own[last] = rest;
    for (int k = 0; k < e->count; k++) {
      if (k != last) e->border[k] += rest;
      int up = q.up[e->pivot[k]];
      e->parent[k] = up >= 0 ? e->of[up] : k != last ? last : -1;
    }
    for (int i = 0; i < n; i++) {                       // what went into a variable goes where that goes
      if (dense[i] || e->pivot[e->of[i]] == i) continue;
      int to = q.up[i];
      while (e->pivot[e->of[to]] != to) to = q.up[to];
      e->of[i] = e->of[to];
    }
  }
  if (memory->give) {
    void *taken[] = { sum, dense, q.list, q.at, q.mark, q.kind, q.head };
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) if (taken[k]) memory->give(memory->of, taken[k]);
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) if (*ints[k]) memory->give(memory->of, *ints[k]);
  }
  return ok ? 0 : -1;
}
