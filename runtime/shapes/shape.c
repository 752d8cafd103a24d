// A shape from the numbers that tables have of it.
#include <math.h>
#include <string.h>
#include "runtime/shapes/shape.h"

int nsm_shape_corners(nsm_shape_kind kind, const double num[NSM_SHAPE_COLUMNS]) {
  return kind == NSM_CONVEX || kind == NSM_POLYGON ? (int)num[0] : -1;
}

nsm_shape nsm_shape_of_numbers(nsm_shape_kind kind, const double num[NSM_SHAPE_COLUMNS], const nsm_hull *hull) {
  nsm_shape s = { .kind = kind, .hull = hull };
  memcpy(s.size, num, sizeof s.size);
  if (nsm_shape_corners(kind, num) >= 0) s.size[0] = 0;
  memcpy(s.at, num + 3, sizeof s.at);
  memcpy(s.turn, num + 6, sizeof s.turn);
  return s;
}

// How many sizes a kind has, and which of them are half of what a model gives.
int nsm_shape_size_fails(const nsm_shape *s, double *written) {
  static const int sizes[] = { [NSM_SPHERE] = 1, [NSM_BOX] = 3, [NSM_CAPSULE] = 2, [NSM_CYLINDER] = 2, [NSM_DISK] = 1,
                               [NSM_RECTANGLE] = 2, [NSM_HALFPLANE] = 0 };
  for (int i = 0; i < sizes[s->kind]; i++) {
    int half = i > 0 || s->kind == NSM_BOX || s->kind == NSM_RECTANGLE;
    int point = s->kind == NSM_CAPSULE && i == 1 && s->size[i] == 0;       // of no length: a sphere
    if (point || (s->size[i] > 0 && isfinite(s->size[i]))) continue;
    *written = half ? 2 * s->size[i] : s->size[i];
    return 1;
  }
  return 0;
}
