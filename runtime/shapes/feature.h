// Features of shapes: what names them, and the four forms that all of them have (a point, a line, a plane, a circle),
// each with a rounding radius.
#ifndef NSM_SHAPES_FEATURE_H
#define NSM_SHAPES_FEATURE_H
#include "shape.h"

typedef enum {
  NSM_CORNER,   // i: corner of a box, hull, rectangle, polygon; centre of a sphere or disk; end of a capsule's axis
  NSM_EDGE,     // i: edge of a box or hull; a capsule's axis
  NSM_FACE,     // i: face of a box, hull, half-space; side of a rectangle or polygon
  NSM_SIDE,     // a cylinder's lateral surface
  NSM_CAP,      // i: a cylinder's end at z = -h (0) or +h (1)
  NSM_RIM,      // i: the rim of such an end
  NSM_RIM_POINT // 4 end + k: the point of that rim at the angle k pi/2
} nsm_feature_kind;

enum { NSM_INDEX_BITS = 24, NSM_MARK_BITS = 4 };

// 28 bits for a feature, twice, and 4 bits of a mark, which tells pairs of the same two features apart.
static inline uint64_t nsm_feature(nsm_feature_kind kind, int index) {
  return (uint64_t)kind << NSM_INDEX_BITS | (uint64_t)index;
}
static inline uint64_t nsm_feature_pair(uint64_t a, uint64_t b, uint64_t mark) {
  return a << 32 | b << NSM_MARK_BITS | mark;
}
static inline uint64_t nsm_feature_of_a(uint64_t pair) { return pair >> 32; }
static inline uint64_t nsm_feature_of_b(uint64_t pair) { return pair >> NSM_MARK_BITS & 0xfffffff; }
static inline uint64_t nsm_feature_mark(uint64_t pair) { return pair & 0xf; }

// A form: all points within `rounding` of
typedef enum {
  NSM_POINT,  // x
  NSM_CIRCLE, // centre x, axis e (outward), `radius`
  NSM_LINE,   // x + s e, |e| = 1
  NSM_PLANE   // x, outward normal e
} nsm_form_kind;

typedef struct {
  nsm_form_kind kind;
  double x[3], e[3], radius, rounding;
} nsm_form;

// The form of a shape's feature in the shape's own axes. Returns 0 where the shape has no such feature.
int nsm_form_of(const nsm_shape *shape, uint64_t feature, nsm_form *form);

#endif
