// The touches of two cores.
#ifndef NSM_SHAPES_MANIFOLD_H
#define NSM_SHAPES_MANIFOLD_H
#include "list.h"

// Adds the touches of the pair's cores to an empty list (margin set) and sets its `least`.
void nsm_core_touches(nsm_touch_list *list);

#endif
