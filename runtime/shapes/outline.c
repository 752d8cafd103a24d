// Corners and edges of planar shapes.
#include "runtime/shapes/outline.h"

void nsm_outline_own_corner(const nsm_shape *s, int i, double *x) {
  x[0] = x[1] = 0;
  if (s->kind == NSM_RECTANGLE) {
    x[0] = i == 1 || i == 2 ? s->size[0] : -s->size[0];
    x[1] = i >= 2 ? s->size[1] : -s->size[1];
  } else if (s->kind == NSM_POLYGON) {
    x[0] = s->hull->corner[3 * i];
    x[1] = s->hull->corner[3 * i + 1];
  }
}

double nsm_outline_own_edge(const nsm_shape *s, int i, double *normal) {
  if (s->kind == NSM_POLYGON) {
    normal[0] = s->hull->normal[3 * i];
    normal[1] = s->hull->normal[3 * i + 1];
    return s->hull->level[i];
  }
  normal[0] = normal[1] = 0;
  if (s->kind == NSM_HALFPLANE) { normal[1] = 1; return 0; }
  normal[i % 2 ? 0 : 1] = i == 0 || i == 3 ? -1 : 1;
  return s->size[i % 2 ? 0 : 1];
}

nsm_outline nsm_outline_of(const nsm_shape *s, const nsm_pose *pose) {
  nsm_outline o = { .shape = s };
  const double *R = pose->R, *at = s->at;
  o.x[0] = pose->r[0] + R[0] * at[0] + R[1] * at[1];
  o.x[1] = pose->r[1] + R[3] * at[0] + R[4] * at[1];
  o.cosine = R[0] * s->turn[0] + R[1] * s->turn[3];
  o.sine = R[3] * s->turn[0] + R[4] * s->turn[3];
  switch (s->kind) {
  case NSM_DISK: o.corners = 1; o.radius = s->size[0]; break;
  case NSM_RECTANGLE: o.corners = o.edges = 4; break;
  case NSM_POLYGON: o.corners = o.edges = s->hull->corners; break;
  default: o.edges = 1; break;   // a half-plane
  }
  return o;
}

void nsm_outline_corner(const nsm_outline *o, int i, double *x) {
  double own[2];
  nsm_outline_own_corner(o->shape, i, own);
  nsm_outline_turn(o, own, x);
  x[0] += o->x[0];
  x[1] += o->x[1];
}

double nsm_outline_edge(const nsm_outline *o, int i, double *normal) {
  double own[2], level = nsm_outline_own_edge(o->shape, i, own);
  nsm_outline_turn(o, own, normal);
  return level;
}
