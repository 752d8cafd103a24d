// The gap of two forms that stand in the same axes.
#ifndef NSM_SHAPES_MEASURE_H
#define NSM_SHAPES_MEASURE_H
#include "feature.h"

// Gap, normal (from a to b) and points of two forms in common axes; `mark` as in the name of the pair. `near`: a
// direction from a to b that chooses among several stationary places (a circle and a line, two circles), or NULL.
// Returns 0 where such a pair has no gap (two planes).
int nsm_measure(const nsm_form *a, const nsm_form *b, uint64_t mark, const double *near, nsm_touch *out);

#endif
