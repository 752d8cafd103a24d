// Random pairs of two kinds, checked by the oracle: used by the quick test here and by tests/bench/shapes.
#ifndef TESTS_SHAPES_PAIRS_H
#define TESTS_SHAPES_PAIRS_H
#include "oracle.h"
#include "runtime/shapes/touch.h"

typedef struct {
  long pairs, normals, touches;
  double gap;      // worst |d - d of the oracle|, of size 1
  double attained; // worst |d - f(n)| at our own normal
  double normal;   // worst angle of normals where they are unique
  double least;    // worst |smallest gap of the touches - d|
  double below;    // worst d - gap of a touch
  double points;   // worst |on_b - on_a - gap normal|
  double row;      // worst |d.xi - (g_E - g_B)| of the discrete gradients, of size 1
  long lost;       // pairs with d < margin and no touch
  long better;     // pairs where our certified bound is above the oracle's by more than 1e-10: the search missed it
  long worst_pair;
} verdict;

enum { PAIR_KINDS = 20 };
extern const nsm_shape_kind pair_kinds[PAIR_KINDS][2];
const char *kind_name(nsm_shape_kind kind);

// `count` pairs of the two kinds with sizes up to 10 : 1, gaps of 0, +-1e-6 ... +-0.1, anything; margin 0.05.
verdict verify_pairs(nsm_shape_kind a, nsm_shape_kind b, long count, unsigned long long seed);

#endif
