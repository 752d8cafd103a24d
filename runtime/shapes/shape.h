// Shapes of bodies, and where two of them may touch. Knows nothing of models, steps or solvers: geometry only.
//
// The way of a pair: `nsm_pairs_update` (broad phase) names the pairs that are near; `nsm_touches` (narrow phase) gives
// the possible points of contact of one pair, each with its own signed gap; `nsm_touch_gradient` gives the discrete
// gradient of such a gap between two placements. A body has one shape or several (a union).
//
// Units: SI. Places and directions have three elements; matrices are row by row. A planar shape lies in z = 0 and its
// pose turns about z only.
#ifndef NSM_SHAPES_SHAPE_H
#define NSM_SHAPES_SHAPE_H
#include <stdint.h>

typedef enum {
  NSM_SPHERE,    // size[0] = radius
  NSM_BOX,       // size = half edges
  NSM_CAPSULE,   // size[0] = radius, size[1] = half length of its axis (along z)
  NSM_CYLINDER,  // size[0] = radius, size[1] = half length of its axis (along z)
  NSM_HALFSPACE, // z <= 0
  NSM_CONVEX,    // hull
  NSM_DISK,      // planar: size[0] = radius
  NSM_RECTANGLE, // planar: size[0], size[1] = half edges
  NSM_POLYGON,   // planar: hull, its vertices counter-clockwise
  NSM_HALFPLANE  // planar: y <= 0
} nsm_shape_kind;

// A convex polyhedron or polygon: corners, outward faces, edges. Made by hull.c; read only afterwards.
typedef struct nsm_hull {
  int corners, faces, edges;
  const double *corner;    // 3 a corner
  const double *normal;    // 3 a face, unit, outward
  const double *level;     // normal . x of a face's corners
  const int *face_from;    // faces + 1: where each face's corners start in face_corner
  const int *face_corner;  // counter-clockwise seen from outside
  const int *edge_corner;  // 2 an edge
  const int *edge_face;    // 2 an edge: the faces that it bounds
} nsm_hull;

// A shape in the axes of its body, whose origin is the centre of mass.
typedef struct {
  nsm_shape_kind kind;
  double size[3];
  double at[3];   // place of the shape's origin
  double turn[9]; // rotation from the shape's axes to the body's
  const nsm_hull *hull; // NSM_CONVEX, NSM_POLYGON; else NULL
} nsm_shape;

// The numbers of a shape in tables: size, at, turn. Of polyhedra and polygons the first size is the number of their
// list of corners: nsm_shape_corners; -1 of other shapes.
enum { NSM_SHAPE_COLUMNS = 15 };
int nsm_shape_corners(nsm_shape_kind kind, const double num[NSM_SHAPE_COLUMNS]);
nsm_shape nsm_shape_of_numbers(nsm_shape_kind kind, const double num[NSM_SHAPE_COLUMNS], const nsm_hull *hull);

// 1 where a size is not a positive, finite number (the length of a capsule may be 0); *written: it, as models write it.
int nsm_shape_size_fails(const nsm_shape *s, double *written);

// Where a body is: x_world = r + R x_body.
typedef struct {
  double r[3];
  double R[9];
} nsm_pose;

// A possible point of contact of a pair A, B: a pair of features (corner on face, edge on edge, ...) with its own gap,
// so that gap' = normal . (v_B - v_A) of the material points at `on_a`, `on_b`.
typedef struct {
  uint64_t feature; // names the pair of features: equal from step to step while it stays
  double gap;            // signed distance of the features
  double normal[3];      // world, unit, from A to B
  double on_a[3], on_b[3]; // world; on_b - on_a = gap * normal
} nsm_touch;

#endif
