// Pairs with a half-space.
#ifndef NSM_SHAPES_PLANE_H
#define NSM_SHAPES_PLANE_H
#include "list.h"

// Signed distance of a pair one of which is a half-space, the other anything else; n in A's axes.
double nsm_plane_distance(const nsm_core_pair *pair, double n[3]);

// Adds the touches of such a pair to an empty list and sets its `least`.
void nsm_plane_touches(nsm_touch_list *list);

#endif
