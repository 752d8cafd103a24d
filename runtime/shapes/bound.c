// The sphere about a body's origin and the box that hold a shape or a union of shapes.
#include <math.h>
#include "runtime/shapes/pairs.h"
#include "runtime/shapes/vector.h"

// The box of a shape in its own axes.
static void own_box(const nsm_shape *s, double *low, double *high) {
  for (int k = 0; k < 3; k++) low[k] = high[k] = 0;
  const double *size = s->size;
  switch (s->kind) {
  case NSM_SPHERE: high[0] = high[1] = high[2] = size[0]; break;
  case NSM_BOX: high[0] = size[0]; high[1] = size[1]; high[2] = size[2]; break;
  case NSM_CAPSULE: high[0] = high[1] = size[0]; high[2] = size[0] + size[1]; break;
  case NSM_CYLINDER: high[0] = high[1] = size[0]; high[2] = size[1]; break;
  case NSM_DISK: high[0] = high[1] = size[0]; break;
  case NSM_RECTANGLE: high[0] = size[0]; high[1] = size[1]; break;
  case NSM_HALFSPACE: case NSM_HALFPLANE:
    high[0] = high[1] = high[2] = INFINITY;
    high[s->kind == NSM_HALFSPACE ? 2 : 1] = 0;
    for (int k = 0; k < 3; k++) low[k] = -INFINITY;
    return;
  case NSM_CONVEX: case NSM_POLYGON:
    for (int k = 0; k < 3; k++) {
      low[k] = INFINITY; high[k] = -INFINITY;
      for (int i = 0; i < s->hull->corners; i++) {
        low[k] = fmin(low[k], s->hull->corner[3 * i + k]);
        high[k] = fmax(high[k], s->hull->corner[3 * i + k]);
      }
    }
    return;
  }
  for (int k = 0; k < 3; k++) low[k] = -high[k];
}

static void placed(const nsm_shape *s, const double *x, double *out) {
  turn3(s->turn, x, out);
  for (int k = 0; k < 3; k++) out[k] += s->at[k];
}

// The distance from the body's origin to the shape's farthest point.
static double farthest(const nsm_shape *s) {
  double most = 0, x[3];
  if (s->kind == NSM_HALFSPACE || s->kind == NSM_HALFPLANE) return INFINITY;
  if (s->kind == NSM_SPHERE || s->kind == NSM_DISK) return norm3(s->at) + s->size[0];
  if (s->kind == NSM_CONVEX || s->kind == NSM_POLYGON) {
    for (int i = 0; i < s->hull->corners; i++) {
      placed(s, s->hull->corner + 3 * i, x);
      most = fmax(most, norm3(x));
    }
    return most;
  }
  if (s->kind == NSM_CAPSULE || s->kind == NSM_CYLINDER) {
    double own[3];   // the body's origin in the shape's axes
    back3(s->turn, s->at, own);
    double along = fabs(own[2]) + s->size[1], across = hypot(own[0], own[1]);
    return s->kind == NSM_CAPSULE ? hypot(along, across) + s->size[0] : hypot(along, across + s->size[0]);
  }
  for (int corner = 0; corner < 8; corner++) {
    double low[3], high[3], own[3];
    own_box(s, low, high);
    for (int k = 0; k < 3; k++) own[k] = corner >> k & 1 ? high[k] : low[k];
    placed(s, own, x);
    most = fmax(most, norm3(x));
  }
  return most;
}

void nsm_extent_of(const nsm_shape *shape, int count, nsm_extent *out) {
  static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  out->radius = 0;
  for (int i = 0; i < count; i++) out->radius = fmax(out->radius, farthest(&shape[i]));
  if (count == 1) {
    own_box(shape, out->low, out->high);
    for (int k = 0; k < 3; k++) out->at[k] = shape->at[k];
    for (int k = 0; k < 9; k++) out->turn[k] = shape->turn[k];
    return;
  }
  for (int k = 0; k < 9; k++) out->turn[k] = unit[k];
  for (int k = 0; k < 3; k++) { out->at[k] = 0; out->low[k] = INFINITY; out->high[k] = -INFINITY; }
  for (int i = 0; i < count; i++) {
    double low[3], high[3], middle[3], half[3], centre[3];
    own_box(&shape[i], low, high);
    for (int k = 0; k < 3; k++) { middle[k] = (low[k] + high[k]) / 2; half[k] = (high[k] - low[k]) / 2; }
    placed(&shape[i], middle, centre);
    for (int k = 0; k < 3; k++) {
      double wide = 0;
      for (int j = 0; j < 3; j++) wide += fabs(shape[i].turn[3 * k + j]) * half[j];
      int endless = !isfinite(centre[k]) || !isfinite(wide);
      out->low[k] = endless ? -INFINITY : fmin(out->low[k], centre[k] - wide);
      out->high[k] = endless ? INFINITY : fmax(out->high[k], centre[k] + wide);
    }
  }
}
