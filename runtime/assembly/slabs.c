// The order of a large pile: slabs of contacts that several threads can take at a time (cone/problem.h,
// cone/sweeps.c). Unknowns have levels: the first has level 0, and those that contacts join to level k and that have
// none have level k + 1. So a contact lies in one level or between two neighbours. A slab is two levels or more; its
// inside is what lies within its levels. Within a part contacts stand as they come, and so do the unknowns of a slab.
// All is O(contacts), and depends on the contacts alone.
#include "assembly.h"
#include <string.h>

enum { LEAST = 4 * NSM_SLAB, MOST = 16 };                  // contacts of a pile that is cut; slabs
enum { LEVEL = 12, QUEUE, SEEN, FIRST, PART_OF, SLAB_OF, SLABS, PART0, PART, OWNED, NUMBER };

#define ROOM(s, which, count, type) ((type *)sim_pool_room((s), &(s)->n.r.piles.room[which], (size_t)(count), \
                                                           sizeof(type)))

typedef struct walk {
  int *level, *queue, levels, unknowns;  // [w.n] of unknowns, -1: none yet; in the order in which they are met
  unsigned char *seen;                   // [rows]
  int *first, *part, nodes;              // [nodes] first rows; their lower level, then their part
  int *slab, slabs;                      // [levels]
} walk;

static int rows_of(const nsm_sim *s, int row, int *block) {
  int f = s->n.r.friction_of[row], n = f < 0 ? 0 : sim_friction_rows(s, f, block);
  if (n == 0) block[n++] = row;
  return n;
}

// Levels of all that hangs together with a row.
static void spread(const nsm_sim *s, walk *w, int from) {
  const sim_rows *r = &s->n.r;
  int tail = 1, level = 0, *queue = w->queue, block[NSM_CONE_MOST_ROWS];
  queue[0] = r->xz[r->x0[from]];
  w->level[queue[0]] = 0;
  for (int at = 0; at < tail; at++) {
    level = w->level[queue[at]];
    for (int i = r->k0[queue[at]]; i < r->k0[queue[at] + 1]; i++) {
      if (w->seen[r->ks[i]]) continue;
      for (int n = rows_of(s, r->ks[i], block) - 1; n >= 0; n--) {
        w->seen[block[n]] = 1;
        for (int e = r->x0[block[n]]; e < r->x0[block[n] + 1]; e++)
          if (w->level[r->xz[e]] < 0) w->level[queue[tail++] = r->xz[e]] = level + 1;
      }
    }
  }
  w->levels = level + 1;
  w->unknowns = tail;
}

// The nodes of rows [n] and their lower levels; 0 where one reaches further than two levels (by C, beyond X).
static int place(const nsm_sim *s, walk *w, const int *list, int n) {
  const sim_rows *r = &s->n.r;
  int block[NSM_CONE_MOST_ROWS];
  w->nodes = 0;
  for (int i = 0, size; i < n; i += size, w->nodes++) {
    int least = w->levels, most = -1;
    size = rows_of(s, list[i], block);
    for (int k = 0; k < size; k++) {
      for (int e = r->x0[block[k]]; e < r->x0[block[k] + 1]; e++) {
        int level = w->level[r->xz[e]];
        if (level < least) least = level;
        if (level > most) most = level;
      }
      for (int e = r->c0[block[k]]; e < r->c0[block[k] + 1]; e++) {
        int level = w->level[r->cz[e]];
        if (level < least) least = level;
        if (level > most) most = level;
      }
    }
    if (least < 0 || most > least + 1) return 0;
    w->first[w->nodes] = list[i];
    w->part[w->nodes] = 2 * least + (most > least);
  }
  return 1;
}

// Levels to slabs of at least so many contacts; the last takes what is left over.
static void cut(walk *w) {
  int *count = w->slab, in = 0, wide = 0, left = w->nodes, least = left / MOST > NSM_SLAB ? left / MOST : NSM_SLAB;
  memset(count, 0, (size_t)w->levels * sizeof *count);
  for (int i = 0; i < w->nodes; i++) count[w->part[i] / 2]++;
  w->slabs = 1;
  for (int l = 0; l < w->levels; l++) {
    int here = count[l];
    if (wide > 1 && in >= least && w->levels - l > 1 && left >= least) { w->slabs++; in = wide = 0; }
    count[l] = w->slabs - 1;                               // from here on: the slab of the level
    in += here;
    left -= here;
    wide++;
  }
}

// Numbers from 1 of the unknowns of each slab, in the order in which contacts meet them; at: room.
static void number_unknowns(const nsm_sim *s, const walk *w, int *owned, int *at) {
  const sim_rows *r = &s->n.r;
  int block[NSM_CONE_MOST_ROWS], *number = s->n.r.piles.number;
  for (int i = 0; i < w->unknowns; i++) owned[w->slab[w->level[w->queue[i]]] + 1]++;
  for (int k = 0; k < w->slabs; k++) owned[k + 1] += owned[k];
  memcpy(at, owned, (size_t)w->slabs * sizeof *at);
  for (int i = 0; i < w->nodes; i++)
    for (int k = 0, n = rows_of(s, w->first[i], block); k < n; k++)
      for (int e = r->x0[block[k]]; e < r->x0[block[k] + 1]; e++)
        if (number[r->xz[e]] == 0) number[r->xz[e]] = ++at[w->slab[w->level[r->xz[e]]]];
}

// The rows of each part together, and the unknowns of each slab. part, owned: as in sim_piles.
static void sort(const nsm_sim *s, walk *w, int *list, int *part, int *owned) {
  int parts = 2 * w->slabs - 1, at[2 * MOST], block[NSM_CONE_MOST_ROWS];
  memset(at, 0, sizeof at);
  memset(part, 0, ((size_t)parts + 1) * sizeof *part);
  memset(owned, 0, ((size_t)w->slabs + 1) * sizeof *owned);
  for (int i = 0; i < w->nodes; i++) {
    int level = w->part[i] / 2, slab = w->slab[level];
    w->part[i] = w->part[i] % 2 && w->slab[level + 1] > slab ? w->slabs + slab : slab;
    part[w->part[i] + 1]++;
    at[w->part[i] + 1] += rows_of(s, w->first[i], block);
  }
  for (int k = 0; k < parts; k++) { part[k + 1] += part[k]; at[k + 1] += at[k]; }
  for (int i = 0; i < w->nodes; i++) {
    int n = rows_of(s, w->first[i], block), *to = list + at[w->part[i]];
    for (int k = 0; k < n; k++) to[k] = block[k];
    at[w->part[i]] += n;
  }
  number_unknowns(s, w, owned, at);
}

static int open(nsm_sim *s, walk *w, int count) {
  sim_piles *p = &s->n.r.piles;
  size_t n = (size_t)s->n.w.n;
  *w = (walk){ .level = ROOM(s, LEVEL, n, int), .queue = ROOM(s, QUEUE, n, int),
               .seen = ROOM(s, SEEN, s->n.r.n, unsigned char), .first = ROOM(s, FIRST, count, int),
               .part = ROOM(s, PART_OF, count, int), .slab = ROOM(s, SLAB_OF, n + 1, int) };
  p->part0 = ROOM(s, PART0, p->n, int);
  p->part = ROOM(s, PART, 2 * MOST * p->n, int);
  p->owned = ROOM(s, OWNED, 2 * MOST * p->n, int);
  p->number = ROOM(s, NUMBER, n, int);
  if (!w->level || !w->queue || !w->seen || !w->first || !w->part || !w->slab || !p->part0 || !p->part || !p->owned ||
      !p->number)
    return 0;
  memset(w->level, -1, n * sizeof(int));
  memset(w->seen, 0, (size_t)s->n.r.n);
  memset(p->number, 0, n * sizeof(int));
  return 1;
}

void sim_slabs_order(nsm_sim *s, int *list) {
  sim_piles *p = &s->n.r.piles;
  walk w;
  p->slabs = ROOM(s, SLABS, p->n, int);
  for (int k = 0; p->slabs && k < p->n; k++) p->slabs[k] = 0;
  if (!p->slabs || p->end[p->n - 1] < LEAST || !open(s, &w, p->end[p->n - 1])) return;
  for (int k = 0, from = 0, at = 0; k < p->n; from = p->end[k++]) {
    if (p->end[k] - from < LEAST) continue;
    spread(s, &w, list[from]);
    if (!place(s, &w, list + from, p->end[k] - from) || w.nodes < LEAST) continue;
    cut(&w);
    p->part0[k] = at;
    sort(s, &w, list + from, p->part + at, p->owned + at);
    p->slabs[k] = w.slabs;
    at += 2 * w.slabs;
  }
}

int sim_slabs_of(const nsm_sim *s, int place, int nodes, nsm_cone_factors *f) {
  const sim_piles *p = &s->n.r.piles;
  int k = 0;
  while (k + 1 < p->n && p->end[k] <= place - p->first) k++;
  if (!p->slabs || p->slabs[k] < 2 || p->part[p->part0[k] + 2 * p->slabs[k] - 1] != nodes) return 0;
  f->slabs = p->slabs[k];
  f->part = p->part + p->part0[k];
  f->owned = p->owned + p->part0[k];
  f->n = f->owned[f->slabs];
  f->team = s->a->settings.team;
  return 1;
}
