// Cores: corners, edges and faces of boxes, capsules and spheres in the form of a hull's tables.
#include "core.h"
#include "vector.h"
#include <stddef.h>

// A box: corner k has the signs of k's bits; faces +x, -x, +y, -y, +z, -z; edges along x, then y, then z.
static const double box_normal[18] = { 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1 };
static const int box_edge[24] = { 0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7 };
static const int box_edge_face[24] = { 3, 5, 2, 5, 3, 4, 2, 4, 1, 5, 0, 5, 1, 4, 0, 4, 1, 3, 0, 3, 1, 2, 0, 2 };
static const int box_face_from[7] = { 0, 4, 8, 12, 16, 20, 24 };
static const int box_face[24] = { 1, 3, 7, 5, 0, 4, 6, 2, 2, 6, 7, 3, 0, 1, 5, 4, 4, 5, 7, 6, 0, 2, 3, 1 };
static const int segment_edge[2] = { 0, 1 };

static void box_core(const nsm_shape *shape, nsm_core *core) {
  const double *s = shape->size;
  core->corners = 8; core->edges = 12; core->faces = 6;
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 3; i++) core->own_corner[3 * k + i] = k >> i & 1 ? s[i] : -s[i];
  for (int i = 0; i < 6; i++) core->own_level[i] = s[i / 2];
  core->corner = core->own_corner;
  core->normal = box_normal;
  core->level = core->own_level;
  core->edge_corner = box_edge;
  core->edge_face = box_edge_face;
  core->face_from = box_face_from;
  core->face_corner = box_face;
  core->size = norm3(s);
  core->half = s;
}

static void segment_core(double half, nsm_core *core) {
  core->corners = half > 0 ? 2 : 1;
  core->edges = half > 0;
  for (int i = 0; i < 6; i++) core->own_corner[i] = 0;
  core->own_corner[2] = -half;
  core->own_corner[5] = half;
  core->corner = core->own_corner;
  core->edge_corner = segment_edge;
  core->size = half;
}

static void hull_core(const nsm_hull *hull, nsm_core *core) {
  core->corners = hull->corners; core->edges = hull->edges; core->faces = hull->faces;
  core->corner = hull->corner;
  core->normal = hull->normal;
  core->level = hull->level;
  core->edge_corner = hull->edge_corner;
  core->edge_face = hull->edge_face;
  core->face_from = hull->face_from;
  core->face_corner = hull->face_corner;
  double most = 0;
  for (int k = 0; k < hull->corners; k++) most = fmax(most, dot3(hull->corner + 3 * k, hull->corner + 3 * k));
  core->size = sqrt(most);
}

void nsm_core_make(const nsm_shape *shape, nsm_core *core) {
  core->corners = core->edges = core->faces = 0;
  core->rounding = 0;
  core->size = 0;
  core->half = NULL;
  switch (shape->kind) {
    case NSM_SPHERE: segment_core(0, core); core->rounding = shape->size[0]; break;
    case NSM_CAPSULE: segment_core(shape->size[1], core); core->rounding = shape->size[0]; break;
    case NSM_BOX: box_core(shape, core); break;
    case NSM_CONVEX: hull_core(shape->hull, core); break;
    case NSM_CYLINDER: core->size = shape->size[0] + shape->size[1]; break;
    default: break;
  }
  core->size += core->rounding;
}

// A shape's axes in the world, less the place `from`.
static void shape_frame(const nsm_shape *shape, const nsm_pose *pose, const double *from, double *R, double *t) {
  double at[3], r[3];
  turn3(pose->R, shape->at, at);
  sub3(pose->r, from, r);
  add3(r, 1, at, t);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      R[3 * i + j] = pose->R[3 * i] * shape->turn[j] + pose->R[3 * i + 1] * shape->turn[3 + j] +
                     pose->R[3 * i + 2] * shape->turn[6 + j];
}

void nsm_core_pair_make(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb,
                        nsm_core_pair *pair) {
  double ta[3], tb[3], Rb[9], apart[3];
  pair->A = A;
  pair->B = B;
  nsm_core_make(A, &pair->a);
  nsm_core_make(B, &pair->b);
  // Places relative to A's: far from the world's origin nothing is lost.
  shape_frame(A, pa, pa->r, pair->world, ta);
  shape_frame(B, pb, pa->r, Rb, tb);
  sub3(tb, ta, apart);
  back3(pair->world, apart, pair->t);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      pair->R[3 * i + j] = pair->world[i] * Rb[j] + pair->world[3 + i] * Rb[3 + j] + pair->world[6 + i] * Rb[6 + j];
  add3(pa->r, 1, ta, pair->origin);
  pair->scale = fmax(pair->a.size, pair->b.size);
}

int nsm_core_support(const nsm_core *core, const double n[3], double *far) {
  if (core->half) { // corner k has the signs of k's bits
    *far = fabs(n[0]) * core->half[0] + fabs(n[1]) * core->half[1] + fabs(n[2]) * core->half[2];
    return (n[0] > 0) | (n[1] > 0) << 1 | (n[2] > 0) << 2;
  }
  int best = 0;
  double most = dot3(n, core->corner);
  for (int k = 1; k < core->corners; k++) {
    double s = dot3(n, core->corner + 3 * k);
    if (s > most) { most = s; best = k; }
  }
  *far = most;
  return best;
}

int nsm_corner_faces(const nsm_core *core, int corner, const double n[3]) {
  for (int k = 0; k < core->edges; k++) {
    int p = core->edge_corner[2 * k], q = core->edge_corner[2 * k + 1];
    if (p != corner && q != corner) continue;
    double e[3];
    sub3(core->corner + 3 * (p == corner ? q : p), core->corner + 3 * corner, e);
    double down = -dot3(n, e);
    if (down > 0 && down * down > 0.25 * dot3(e, e)) return 0;
  }
  return 1;
}

int nsm_core_form(const nsm_core *core, nsm_feature_kind kind, int i, nsm_form *form) {
  form->rounding = core->rounding;
  form->radius = 0;
  if (kind == NSM_CORNER && i < core->corners) {
    form->kind = NSM_POINT;
    copy3(form->x, core->corner + 3 * i);
    return 1;
  }
  if (kind == NSM_EDGE && i < core->edges) {
    const double *p = core->corner + 3 * core->edge_corner[2 * i];
    form->kind = NSM_LINE;
    copy3(form->x, p);
    sub3(core->corner + 3 * core->edge_corner[2 * i + 1], p, form->e);
    scale3(1 / norm3(form->e), form->e);
    return 1;
  }
  if (kind == NSM_FACE && i < core->faces) {
    form->kind = NSM_PLANE;
    copy3(form->x, core->corner + 3 * core->face_corner[core->face_from[i]]);
    copy3(form->e, core->normal + 3 * i);
    return 1;
  }
  return 0;
}

int nsm_in_face(const nsm_core *core, int face, const double x[3], double border) {
  const double *n = core->normal + 3 * face;
  int from = core->face_from[face], to = core->face_from[face + 1];
  for (int i = from; i < to; i++) {
    const double *p = core->corner + 3 * core->face_corner[i];
    const double *q = core->corner + 3 * core->face_corner[i + 1 < to ? i + 1 : from];
    double e[3], out[3], w[3];
    sub3(q, p, e);
    cross3(e, n, out);
    sub3(x, p, w);
    double beyond = dot3(out, w);
    if (beyond > 0 && beyond * beyond > border * border * dot3(e, e)) return 0;
  }
  return 1;
}

int nsm_edge_faces(const nsm_core *core, int edge, const double n[3]) {
  if (core->faces == 0) return 1;
  const int *f = core->edge_face + 2 * edge;
  return dot3(core->normal + 3 * f[0], n) > NSM_FACING || dot3(core->normal + 3 * f[1], n) > NSM_FACING;
}
