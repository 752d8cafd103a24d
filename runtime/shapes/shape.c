// A shape from the numbers that tables have of it.
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
