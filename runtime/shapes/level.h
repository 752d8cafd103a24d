// One level of the broad phase: things of like size, sorted into the cells of a dense grid.
//
// A cell is as wide as the widest two things of the level reach, so that what is near lies in neighbouring cells. The
// grid repeats itself: cell coordinates count modulo its dimensions, powers of two, so that its memory is bounded by
// the number of things wherever they are; things of different repetitions that share a cell fail the test of distance.
#ifndef NSM_SHAPES_LEVEL_H
#define NSM_SHAPES_LEVEL_H

#include "runtime/shapes/pairs.h"

// A thing as the grid sees it: a sphere. `radius` contains how far it looks and its skin. Two meet where one is what
// the other wants.
typedef struct { double x[3], radius; int id; short is, wants; } nsm_ball;

typedef struct {
  int count;             // things
  double cell;           // width of a cell
  double largest;        // radius among the things
  double origin[3];      // where cell 0 0 0 begins
  unsigned dim[3];       // powers of two; 1 where all lie in one layer
  const int *start;      // cells + 1: where each cell's things begin in ball
  const nsm_ball *ball;  // sorted by cell, then by id
} nsm_level;

typedef struct { nsm_pair *pair; int count, room; } nsm_pair_list;

// Room for `more` pairs, and one that nobody reads. 1, or 0 where memory is out.
int nsm_pair_list_reserve(nsm_pair_list *list, int more);

// Adds the pair of two balls where they overlap and meet; there is room. The pair is written in any case and counted
// only then: in a pile every fourth pair overlaps, and a jump would be foreseen wrongly as often.
static inline void nsm_pair_list_test(nsm_pair_list *list, const nsm_ball *a, const nsm_ball *b) {
  double x = a->x[0] - b->x[0], y = a->x[1] - b->x[1], z = a->x[2] - b->x[2], r = a->radius + b->radius;
  nsm_pair *p = &list->pair[list->count];
  p->a = a->id < b->id ? a->id : b->id;
  p->b = a->id < b->id ? b->id : a->id;
  list->count += (x * x + y * y + z * z <= r * r) & ((a->is & b->wants) != 0);   // not where one is no number
}

// How many cells a grid of `count` things may have, start needs one more.
int nsm_level_cells(int count);

// Sorts `count` balls into `sorted`; `start` has nsm_level_cells(count) + 1 elements, `where` has count.
void nsm_level_fill(nsm_level *level, int count, const nsm_ball *ball, nsm_ball *sorted, int *start, int *where);

// Adds the pairs within a level, and of one ball with those of a level. 1, or 0 where memory is out.
int nsm_level_pairs(const nsm_level *level, nsm_pair_list *out);
int nsm_level_pairs_with(const nsm_level *level, const nsm_ball *one, nsm_pair_list *out);

#endif
