// On which side does a point lie? The exact sign, whatever the rounding.
#ifndef NSM_SHAPES_ORIENT_H
#define NSM_SHAPES_ORIENT_H

// Points of 2 coordinates: 1 where a, b, c turn left, -1 right, 0 on a line.
int nsm_orient2(const double *a, const double *b, const double *c);

// Points of 3 coordinates: 1 where d lies on the side from which a, b, c turn left, -1 on the other, 0 in the plane.
// Exact for coordinates between 1e-90 and 1e90, and 0.
int nsm_orient3(const double *a, const double *b, const double *c, const double *d);

#endif
