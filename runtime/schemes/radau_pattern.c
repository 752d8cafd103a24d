// Where A = dF/dz and E have entries, from the patterns of the classes: by columns, of all sets of laws at once. With
// it the place of each entry that a kernel gives, and an order of elimination that keeps factors sparse: a multiplier
// goes together with a state that its law reads, in which it finds a pivot.
#include "radau.h"
#include <stdlib.h>

// Column of an entry; -1: it is none (a multiplier that does not exist, a discrete variable).
static int column_of(const nsm_sim *s, const sim_class *k, int i, int slot, int wrt) {
  const struct sim_radau *w = s->n.radau;
  if (wrt == NSM_WRT_X) return sim_z_of(s, k, i, slot);
  if (wrt != NSM_WRT_L) return -1;
  int l = k->tab.ix[(size_t)i * (size_t)k->c->nslot + (size_t)slot];
  return l < w->nl ? w->nz + l : -1;
}

static void of_class(const nsm_sim *s, const sim_class *k, const nsm_pattern *p, radau_visit *visit, void *to) {
  for (int i = 0; i < k->tab.count; i++)
    for (int e = 0; e < p->n; e++) visit(to, sim_z_of(s, k, i, p->row[e]), column_of(s, k, i, p->col[e], p->wrt[e]));
}

void radau_entries(nsm_sim *s, radau_visit *visit, void *to) {
  for (int a = 0; a < s->a->on.jac.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.jac.of[a]];
    of_class(s, k, &k->c->jac, visit, to);
  }
  for (int a = 0; a < s->a->on.k.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.k.of[a]];
    of_class(s, k, &k->c->k, visit, to);
  }
  for (int a = 0; a < s->a->on.b.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.b.of[a]];
    of_class(s, k, &k->c->b, visit, to);
  }
  for (int a = 0; a < s->a->on.relation.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.relation.of[a]];
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < k->c->h.n; e++)
        visit(to, s->n.radau->nz + s->n.r.l[k->row0 + i], column_of(s, k, i, k->c->h.col[e], k->c->h.wrt[e]));
  }
}

void radau_entries_of_mass(nsm_sim *s, radau_visit *visit, void *to) {
  for (int a = 0; a < s->a->on.mass.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.mass.of[a]];
    for (int i = 0; i < k->tab.count; i++)
      for (int e = 0; e < k->c->mass.n; e++)
        visit(to, sim_z_of(s, k, i, k->c->mass.row[e]), sim_z_of(s, k, i, k->c->mass.col[e]));
  }
}

// ---- by columns -----------------------------------------------------------------------------------------------------
typedef struct building { radau_pattern *at; int n, entries, masses, *list; } building;

static void count(void *to, int row, int column) {
  building *b = to;
  (void)row;
  b->entries++;
  if (column >= 0) b->at->start[column + 1]++;
}

static void put(void *to, int row, int column) {
  building *b = to;
  if (column >= 0) b->list[b->at->start[column]++] = row;
}

static int place_of(const radau_pattern *at, int row, int column) {
  int lo = at->start[column], hi = at->start[column + 1] - 1;
  while (lo < hi) {
    int middle = lo + (hi - lo) / 2;
    if (at->row[middle] < row) lo = middle + 1;
    else hi = middle;
  }
  return lo;
}

static void place(void *to, int row, int column) {
  building *b = to;
  b->at->place[b->entries++] = column < 0 ? -1 : place_of(b->at, row, column);
}

static void place_mass(void *to, int row, int column) {
  building *b = to;
  b->at->mass[b->masses++] = b->list[place_of(b->at, row, column)] - 1;
}

static int ascending(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// Each list of rows sorted, without repetitions.
static void gather(nsm_sim *s, building *b) {
  radau_pattern *at = b->at;
  for (int j = b->n; j > 0; j--) at->start[j] = at->start[j - 1];
  at->start[0] = 0;
  int out = 0;
  for (int j = 0, from = 0; j < b->n; j++) {
    int to = at->start[j + 1], first = out;
    qsort(b->list + from, (size_t)(to - from), sizeof(int), ascending);
    for (int e = from; e < to; e++) if (out == first || b->list[out - 1] != b->list[e]) b->list[out++] = b->list[e];
    from = to;
    at->start[j + 1] = out;
  }
  at->row = SIM_NEW(s, out, int);
  memcpy(at->row, b->list, (size_t)out * sizeof(int));
}

// Entries of E: number + 1 of each by its place, in list.
static void mark_mass(void *to, int row, int column) {
  building *b = to;
  b->masses++;
  b->list[place_of(b->at, row, column)] = 1;
}

static void masses(nsm_sim *s, building *b) {
  radau_pattern *at = b->at;
  int total = at->start[b->n];
  b->list = SIM_LEND(s, total, int);
  radau_entries_of_mass(s, mark_mass, b);
  for (int e = 0; e < total; e++) if (b->list[e]) b->list[e] = ++at->ne;
  int **of[] = { &at->erow, &at->ecol, &at->eplace };
  for (int k = 0; k < 3; k++) *of[k] = SIM_NEW(s, at->ne, int);
  for (int j = 0; j < b->n; j++)
    for (int e = at->start[j]; e < at->start[j + 1]; e++) {
      int number = b->list[e] - 1;
      if (number < 0) continue;
      at->erow[number] = at->row[e];
      at->ecol[number] = j;
      at->eplace[number] = e;
    }
  at->mass = SIM_NEW(s, b->masses, int);
  b->masses = 0;
  radau_entries_of_mass(s, place_mass, b);
  sim_give(s, b->list);
}

// ---- the order of elimination ---------------------------------------------------------------------------------------
// Of a multiplier the node of the first state that its equation reads; else its own.
static int *nodes(nsm_sim *s, const building *b) {
  const struct sim_radau *w = s->n.radau;
  int *node = SIM_LEND(s, b->n, int), *of = SIM_LEND(s, b->n, int), next = 0;
  for (int i = 0; i < b->n; i++) of[i] = -1;
  for (int j = 0; j < w->nz; j++)
    for (int e = b->at->start[j]; e < b->at->start[j + 1]; e++) if (of[b->at->row[e]] < 0) of[b->at->row[e]] = j;
  for (int j = 0; j < w->nz; j++) node[j] = next++;
  for (int j = w->nz; j < b->n; j++) node[j] = of[j] >= 0 ? node[of[j]] : next++;
  sim_give(s, of);
  return node;
}

static void order(nsm_sim *s, building *b) {
  radau_pattern *at = b->at;
  int n = b->n, *node = nodes(s, b);
  nsm_la_memory memory = sim_la_memory(s);
  nsm_columns A = { n, at->start, at->row, NULL, NULL, NULL };
  at->order = SIM_NEW(s, n + RADAU_FREE, int);
  if (!nsm_lu_order(&A, node, at->order, &memory)) sim_no_room(s);
  for (int k = 0; k < RADAU_FREE; k++) at->order[n + k] = n + k;
  sim_give(s, node);
}

void radau_pattern_make(nsm_sim *s) {
  struct sim_radau *w = s->n.radau;
  radau_pattern *at = &w->at;
  building b = { .at = at, .n = w->n };
  at->start = SIM_NEW(s, w->n + 1, int);
  radau_entries(s, count, &b);
  int entries = b.entries;
  radau_entries_of_mass(s, count, &b);
  for (int j = 0; j < w->n; j++) at->start[j + 1] += at->start[j] + 1;
  b.list = SIM_LEND(s, at->start[w->n], int);
  radau_entries(s, put, &b);
  radau_entries_of_mass(s, put, &b);
  for (int j = 0; j < w->n; j++) put(&b, j, j);
  gather(s, &b);
  sim_give(s, b.list);
  at->place = SIM_NEW(s, entries, int);
  b.entries = 0;
  radau_entries(s, place, &b);
  at->diagonal = SIM_NEW(s, w->n, int);
  for (int j = 0; j < w->n; j++) at->diagonal[j] = place_of(at, j, j);
  masses(s, &b);
  order(s, &b);
}
