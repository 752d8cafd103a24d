// Where two planar shapes may touch: disk, rectangle, polygon, half-plane.
#ifndef NSM_SHAPES_PLANAR_H
#define NSM_SHAPES_PLANAR_H

#include "runtime/shapes/shape.h"

// The signed distance of two planar shapes (m): below zero it is how far one has to be pushed to leave the other.
// INFINITY for two half-planes, which never make a pair. normal: 3, from A to B, or NULL.
double nsm_distance_planar(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb,
                           double *normal);

// The features of the pair with a gap below `margin` (m), at most `room`, those of least gap; how many. One of them has
// the signed distance as its gap, if that is below the margin.
int nsm_touches_planar(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb, double margin,
                       nsm_touch *out, int room);

// The touch of one pair of features (named by nsm_touches_planar) at other poses.
void nsm_touch_at_planar(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb,
                         uint64_t feature, nsm_touch *out);

// A planar body's step: its pose at the beginning, and what is added to its place and angle.
typedef struct { const nsm_pose *pose; double shift[2], angle; } nsm_planar_step;

// The discrete gradient d of the gap of `feature` over the steps, for (shift, angle) of A, then of B:
//     d . (shift_A, angle_A, shift_B, angle_B) = gap at the end - gap at the beginning,
// exactly but for rounding, whatever the angles; with steps of nought the gradient itself. docs/numerics/shapes-data.md
void nsm_planar_gradient(const nsm_shape *A, const nsm_planar_step *a, const nsm_shape *B, const nsm_planar_step *b,
                         uint64_t feature, double d[6]);

#endif
