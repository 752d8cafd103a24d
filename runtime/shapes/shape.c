// A shape from the numbers that tables have of it.
#include <string.h>
#include "runtime/shapes/shape.h"

nsm_shape nsm_shape_of_numbers(nsm_shape_kind kind, const double num[NSM_SHAPE_COLUMNS], const nsm_hull *hull) {
  nsm_shape s = { .kind = kind, .hull = hull };
  memcpy(s.size, num, sizeof s.size);
  memcpy(s.at, num + 3, sizeof s.at);
  memcpy(s.turn, num + 6, sizeof s.turn);
  return s;
}
