// The hull of points as triangles, before coplanar ones are merged.
#ifndef NSM_SHAPES_TRIANGLES_H
#define NSM_SHAPES_TRIANGLES_H

#include "runtime/shapes/hull.h"

typedef struct { int corner[3], beside[3]; } nsm_triangle;   // beside[k]: across the edge from corner k to the next

// Counter-clockwise seen from outside; *count of them, for free(). size: of the points; flat: share of it. NULL with
// *error.
nsm_triangle *nsm_hull_triangles(int n, const double *point, double flat, double *size, int *count,
                                 nsm_hull_error *error);

#endif
