// A dense grid of cells: counting sort, then each cell against half of its neighbours.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/shapes/level.h"

int nsm_pair_list_reserve(nsm_pair_list *list, int more) {
  if (list->room - list->count > more) return 1;
  int room = list->room ? list->room : 256;
  while (room - list->count <= more) room *= 2;
  nsm_pair *pair = realloc(list->pair, (size_t)room * sizeof *pair);
  if (!pair) return 0;
  list->pair = pair;
  list->room = room;
  return 1;
}

int nsm_level_cells(int count) {
  int cells = 64;
  while (cells < 2 * (double)count && cells < 1 << 29) cells *= 2;
  return cells;
}

// The cell coordinate of x along an axis; those that are no number, or beyond all others, share cell 0.
static inline long place(const nsm_level *l, int axis, double x) {
  double c = floor((x - l->origin[axis]) / l->cell);
  return fabs(c) < 0x1p52 ? (long)c : 0;
}

static inline unsigned cell_of(const nsm_level *l, long x, long y, long z) {
  return (((unsigned)z & (l->dim[2] - 1)) * l->dim[1] + ((unsigned)y & (l->dim[1] - 1))) * l->dim[0]
       + ((unsigned)x & (l->dim[0] - 1));
}

// Dimensions: the powers of two that hold the things, the largest halved until there are no more cells than allowed.
static void choose_dimensions(nsm_level *l, const nsm_ball *ball, int most) {
  double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  l->largest = 0;
  for (int i = 0; i < l->count; i++) {
    for (int k = 0; k < 3; k++) {
      if (ball[i].x[k] < low[k]) low[k] = ball[i].x[k];
      if (ball[i].x[k] > high[k]) high[k] = ball[i].x[k];
    }
    if (ball[i].radius > l->largest) l->largest = ball[i].radius;
  }
  l->cell = 2 * l->largest;
  if (!(l->cell > 0)) l->cell = 1;
  double cells = 1;
  for (int k = 0; k < 3; k++) {
    l->origin[k] = isfinite(low[k]) ? low[k] : 0;
    double wide = floor((high[k] - l->origin[k]) / l->cell) + 1;
    l->dim[k] = 1;
    if (wide > 1) l->dim[k] = 4;
    while (l->dim[k] < wide && l->dim[k] < 1u << 28) l->dim[k] *= 2;
    cells *= l->dim[k];
  }
  while (cells > most) {
    int k = l->dim[0] >= l->dim[1] && l->dim[0] >= l->dim[2] ? 0 : l->dim[1] >= l->dim[2] ? 1 : 2;
    l->dim[k] /= 2;
    cells /= 2;
  }
}

void nsm_level_fill(nsm_level *level, int count, const nsm_ball *ball, nsm_ball *sorted, int *start, int *where) {
  level->count = count;
  choose_dimensions(level, ball, nsm_level_cells(count));
  int cells = (int)(level->dim[0] * level->dim[1] * level->dim[2]);
  memset(start, 0, ((size_t)cells + 1) * sizeof *start);
  for (int i = 0; i < count; i++) {
    const double *x = ball[i].x;
    where[i] = (int)cell_of(level, place(level, 0, x[0]), place(level, 1, x[1]), place(level, 2, x[2]));
    start[where[i]]++;
  }
  int at = 0;
  for (int c = 0; c < cells; c++) { int n = start[c]; start[c] = at; at += n; }
  for (int i = 0; i < count; i++) sorted[start[where[i]]++] = ball[i];
  // start[c] has become the end of cell c: move the ends one on.
  memmove(start + 1, start, (size_t)cells * sizeof *start);
  start[0] = 0;
  level->start = start;
  level->ball = sorted;
}

// A run of cells along x is a run of balls, two where it goes over the border.
typedef struct { int n, balls; struct { int from, to; } run[24]; } runs;

static void add_run(runs *r, int from, int to) {
  if (from == to) return;
  r->run[r->n].from = from;
  r->run[r->n++].to = to;
  r->balls += to - from;
}

static void add_row(const nsm_level *l, long x0, long x1, long y, long z, runs *r) {
  unsigned mask = l->dim[0] - 1, from = (unsigned)x0 & mask, to = (unsigned)x1 & mask;
  const int *row = l->start + cell_of(l, 0, y, z);
  if (x1 - x0 >= (long)l->dim[0]) { from = 0; to = mask; }
  if (from <= to) {
    add_run(r, row[from], row[to + 1]);
  } else {
    add_run(r, row[from], row[mask + 1]);
    add_run(r, row[0], row[to + 1]);
  }
}

static void test_runs(const nsm_level *l, const nsm_ball *one, const runs *near, nsm_pair_list *out) {
  for (int k = 0; k < near->n; k++)
    for (int j = near->run[k].from; j < near->run[k].to; j++) nsm_pair_list_test(out, one, &l->ball[j]);
}

int nsm_level_pairs(const nsm_level *l, nsm_pair_list *out) {
  int side_y = l->dim[1] > 1, side_z = l->dim[2] > 1, side_x = l->dim[0] > 1;
  for (int i = 0; i < l->count; ) {
    const double *at = l->ball[i].x;
    long x = place(l, 0, at[0]), y = place(l, 1, at[1]), z = place(l, 2, at[2]);
    unsigned cell = cell_of(l, x, y, z);
    int end = l->start[cell + 1];
    runs near = { 0 };   // half of the neighbours: x + 1, the rows y + 1, the layers z + 1
    if (side_x) add_row(l, x + 1, x + 1, y, z, &near);
    if (side_y) add_row(l, x - side_x, x + side_x, y + 1, z, &near);
    if (side_z)
      for (int dy = -side_y; dy <= side_y; dy++) add_row(l, x - side_x, x + side_x, y + dy, z + 1, &near);
    for (; i < end; i++) {
      if (!nsm_pair_list_reserve(out, end - i + near.balls)) return 0;
      for (int j = i + 1; j < end; j++) nsm_pair_list_test(out, &l->ball[i], &l->ball[j]);
      test_runs(l, &l->ball[i], &near, out);
    }
  }
  return 1;
}

int nsm_level_pairs_with(const nsm_level *l, const nsm_ball *one, nsm_pair_list *out) {
  double far = one->radius + l->largest;
  long low[3], high[3];
  for (int k = 0; k < 3; k++) {
    low[k] = place(l, k, one->x[k] - far);
    high[k] = place(l, k, one->x[k] + far);
    if (l->dim[k] == 1 || high[k] < low[k]) low[k] = high[k] = 0;
  }
  for (long z = low[2]; z <= high[2]; z++) {
    runs near = { 0 };
    for (long y = low[1]; y <= high[1]; y++) add_row(l, low[0], high[0], y, z, &near);
    if (!nsm_pair_list_reserve(out, near.balls)) return 0;
    test_runs(l, one, &near, out);
  }
  return 1;
}
