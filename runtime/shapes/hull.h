// Convex hulls: the smallest convex polyhedron, or polygon, that holds given points.
#ifndef NSM_SHAPES_HULL_H
#define NSM_SHAPES_HULL_H

#include "runtime/shapes/shape.h"

typedef enum {
  NSM_HULL_MADE,
  NSM_HULL_NO_MEMORY,
  NSM_HULL_NO_NUMBER,   // a coordinate is not finite
  NSM_HULL_FEW,         // fewer than 4 points (in the plane 3)
  NSM_HULL_POINT,       // all points are one
  NSM_HULL_LINE,        // all points lie on a line
  NSM_HULL_FLAT         // all points lie in a plane
} nsm_hull_error;

// What a hull may be flat by, as a share of its size: corners that far below the plane of a face belong to it. For
// coordinates of double, and of single precision (binary .stl).
#define NSM_FLAT 1e-10
#define NSM_FLAT_SINGLE 1e-6

// The hull of n points (3 coordinates each), with coplanar triangles merged into polygons; points inside, on faces and
// on edges are left out. Edge k runs from edge_corner[2 k] to edge_corner[2 k + 1] in face edge_face[2 k], and back in
// edge_face[2 k + 1]. NULL with *error where there is none. Memory: one block, for nsm_hull_free.
nsm_hull *nsm_hull_of_points(int n, const double *point, double flat, nsm_hull_error *error);

// The same in the plane (2 coordinates each): corners counter-clockwise with z = 0; "face" i is the edge from corner i
// to the next, with its normal and level; no edges.
nsm_hull *nsm_polygon_of_points(int n, const double *point, double flat, nsm_hull_error *error);

// Of corners as tables of a model keep them, 3 coordinates each: the polyhedron, or with kind NSM_POLYGON the polygon.
nsm_hull *nsm_hull_of_corners(nsm_shape_kind kind, int n, const double *corner, nsm_hull_error *error);

void nsm_hull_free(nsm_hull *hull);

// "all points lie in a plane", for messages.
const char *nsm_hull_error_text(nsm_hull_error error);

#endif
