// Pairs with a cylinder, but for half-spaces.
#ifndef NSM_SHAPES_CYLINDER_H
#define NSM_SHAPES_CYLINDER_H
#include "list.h"

// Signed distance of a pair one of which is a cylinder, roundings taken off, and its normal in A's axes. Where it is
// more than `limit`, any number above limit may be returned. Gaps between a rim and an edge above `reach` may be left
// out: then the answer is certain only where a touch attains it.
double nsm_cylinder_distance(const nsm_core_pair *pair, double limit, double reach, double n[3]);

// Adds the touches of such a pair to an empty list and sets its `least`.
void nsm_cylinder_touches(nsm_touch_list *list);

#endif
