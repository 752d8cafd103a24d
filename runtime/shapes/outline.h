// A planar shape as corners, edges and a radius around them: a disk is a corner with a radius, a half-plane an edge
// without ends. Edge i goes from corner i to the next, counter-clockwise; its normal points outwards.
#ifndef NSM_SHAPES_OUTLINE_H
#define NSM_SHAPES_OUTLINE_H

#include "runtime/shapes/shape.h"

typedef struct {
  const nsm_shape *shape;
  double x[2], cosine, sine;   // the shape's axes in the world
  int corners, edges;
  double radius;
} nsm_outline;

// The names of features: a corner of B on an edge of A, the other way round, corner against corner.
enum { NSM_B_ON_A = 1, NSM_A_ON_B = 2, NSM_CORNERS = 3 };
static inline uint64_t nsm_planar_feature(int kind, int of_a, int of_b) {
  return (uint64_t)kind << 60 | (uint64_t)of_a << 30 | (uint64_t)of_b;
}
static inline int nsm_planar_kind(uint64_t feature) { return (int)(feature >> 60); }
static inline int nsm_planar_of_a(uint64_t feature) { return (int)(feature >> 30 & 0x3fffffff); }
static inline int nsm_planar_of_b(uint64_t feature) { return (int)(feature & 0x3fffffff); }

// In the shape's own axes: a corner; an edge's normal, its level n . x.
void nsm_outline_own_corner(const nsm_shape *s, int i, double *x);
double nsm_outline_own_edge(const nsm_shape *s, int i, double *normal);

nsm_outline nsm_outline_of(const nsm_shape *s, const nsm_pose *pose);

static inline void nsm_outline_turn(const nsm_outline *o, const double *own, double *world) {
  world[0] = o->cosine * own[0] - o->sine * own[1];
  world[1] = o->sine * own[0] + o->cosine * own[1];
}

// In the world.
void nsm_outline_corner(const nsm_outline *o, int i, double *x);
// The normal of an edge; n . (x - o->x) - level is the gap of point x to its line.
double nsm_outline_edge(const nsm_outline *o, int i, double *normal);

#endif
