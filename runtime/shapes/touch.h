// The narrow phase: where two shapes touch, how far apart they are, and how a gap changes from pose to pose.
//
//   distance.c  the signed distance d = max over |n| = 1 of (min over B of n.x - max over A of n.x)
//   manifold.c  the possible points of contact: pairs of features that face each other
//   measure.c   the gap, normal and points of one pair of features
//   gradient.c  the discrete gradient of such a gap between two poses
//
// Pairs of features (a corner on a face, an edge on an edge, a rim on a face, ...) are named by `feature`. Each has its
// own gap, whose rate is n . (v_B - v_A) of the material points, for any motion: no gap is measured along a normal of
// another pair. Equations, sources and measurements: docs/numerics/shapes.md.
#ifndef NSM_SHAPES_TOUCH_H
#define NSM_SHAPES_TOUCH_H
#include "shape.h"

// The possible points of contact of A and B: every pair of features that face each other with gap < margin, at most
// `room` of them, deepest first when there are more. The least gap is the signed distance of the shapes. Returns their
// number (0: farther apart than the margin). Kinds: sphere, box, capsule, cylinder, convex, half-space (not both).
int nsm_touches(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb, double margin,
                nsm_touch *out, int room);

// The signed distance [m] of A and B, negative where they overlap: the shortest translation that takes them apart.
// `normal` (world, from A to B) is where the maximum above is attained.
double nsm_shape_distance(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb,
                          double normal[3]);

// The touch of one pair of features at another pose; `near` is a direction from A to B that chooses where several fit
// (the normal at the last pose), or NULL. Returns 0 where the pair has no such feature.
int nsm_touch_at(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb, uint64_t feature,
                 const double near[3], nsm_touch *out);

// d of 12 numbers with d . xi = g_E - g_B exactly, where xi = (xi_r, xi_w of A; xi_r, xi_w of B):
//   xi_r = r_E - r_B in world axes; xi_w in the body axes of the mean, R_E - R_B = (R_B + R_E)/2 [xi_w]x, that is
//   R_E = R_B cay(xi_w): the increment of the scheme `consistent`.
// As the poses meet it becomes nsm_touch_rows. Returns 0 where the pair has no such
// feature.
typedef struct nsm_moved { const nsm_shape *shape; const nsm_pose *begin, *end; } nsm_moved;
int nsm_touch_gradient(const nsm_moved *A, const nsm_moved *B, const nsm_touch *touch, double d[12]);

// The row H of a direction t at a touch: t . (v_B - v_A) of its material points is H . (v, w of A; v, w of B), v in
// world axes, w (angular velocity) in body axes. With t = normal it is the gradient of the gap.
void nsm_touch_row(const nsm_touch *touch, const double t[3], const nsm_pose *pa, const nsm_pose *pb, double H[12]);

// Two directions of slip: unit, at right angles to the normal and to each other.
void nsm_touch_slip(const double normal[3], double t1[3], double t2[3]);

#endif
