// Broad phase: which of n things are near each other.
//
// A list of candidates is made in O(n) (level.h) and stays while nothing has moved further than its skin, so that a
// step of scattered things costs one look at each, and a resting pile nothing more. Pairs come ordered by (a, b), equal
// for equal input. docs/numerics/shapes-data.md, section 4.
#ifndef NSM_SHAPES_PAIRS_H
#define NSM_SHAPES_PAIRS_H

#include "runtime/shapes/shape.h"

// What the broad phase knows of a thing: the sphere about its body's origin and the box in axes of its own that hold
// it. A half-space has an infinite radius and a box with infinite sides.
typedef struct {
  double radius;
  double at[3], turn[9];    // the box's axes in the body's
  double low[3], high[3];
} nsm_extent;

// The bound of a union of `count` shapes of one body; of a single shape the box lies in the shape's axes.
void nsm_extent_of(const nsm_shape *shape, int count, nsm_extent *out);

// A pair needs a thing of side A and another of side B; two that never move make none. `among`: all of both sides.
enum { NSM_SIDE_A = 1, NSM_SIDE_B = 2, NSM_SIDE_FIXED = 4 };

typedef struct { int a, b; } nsm_pair;   // a < b
typedef struct nsm_pairs nsm_pairs;

// For n things; bounds and sides are copied. NULL where memory is out.
nsm_pairs *nsm_pairs_new(int n, const nsm_extent *bound, const unsigned char *side);
void nsm_pairs_free(nsm_pairs *p);

// Brings the list up to date: it then holds every pair that is nearer than reach[a] + reach[b] (m, one a thing: how far
// beyond its own surface a thing looks in this step). 0: the list stays as it was; 1: made anew; -1: no memory.
// Allocates only where the list outgrows its room.
int nsm_pairs_update(nsm_pairs *p, const nsm_pose *pose, const double *reach);

// The list of the last update, ordered; valid until the next one.
const nsm_pair *nsm_pairs_list(const nsm_pairs *p, int *count);

// Are the bounds of pair (a, b) nearer than reach[a] + reach[b] in these poses? Sphere against sphere, then against the
// box of what is flat or long; never no for what is near.
int nsm_pairs_near(const nsm_pairs *p, nsm_pair pair, const nsm_pose *pose, const double *reach);

#endif
