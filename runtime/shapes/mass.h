// Volume, centre and inertia of shapes of unit density.
#ifndef NSM_SHAPES_MASS_H
#define NSM_SHAPES_MASS_H

#include "runtime/shapes/shape.h"

typedef enum {
  NSM_MASS_FOUND,
  NSM_MASS_NO_VOLUME,   // a size is not above nought, or not finite
  NSM_MASS_ENDLESS,     // a half-space or a half-plane
  NSM_MASS_MIXED        // planar and spatial shapes in one union
} nsm_mass_error;

typedef struct {
  double volume;        // m^3; of planar shapes the area, m^2
  double centre[3];     // m, in the body's axes
  double inertia[9];    // about the centre, for density 1: m^5; planar: [8] alone, the polar moment of area, m^4
} nsm_mass;

// Of a union of `count` shapes, each with its place `at` and rotation `turn`: volumes add. What lies in two of them
// counts twice.
nsm_mass_error nsm_mass_of(const nsm_shape *shape, int count, nsm_mass *out);

// Of closed triangles (3 corners each, numbers of points), outward side first: below 0 where they are inside out.
void nsm_mass_of_triangles(const double *point, int triangles, const int *corner, nsm_mass *out);

// The principal moments (descending) of a symmetric matrix, and their axes as the columns of a rotation:
// J = axes diag(moment) transpose(axes).
void nsm_principal(const double J[9], double moment[3], double axes[9]);

#endif
