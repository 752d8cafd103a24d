// Pairs with a half-space: the normal is the plane's, the distance is that of the lowest corner. A cylinder's is
//   d = n.c - p - h |m| - r q,   m = n.a, q = |n x a|,
// and its touches are the deepest point of a rim, which is smooth in the pose, and four points of the rim that belong
// to the body: where it stands flat the deepest point alone would run around.
#include "plane.h"
#include "vector.h"

// The other shape as the plane sees it: the core, its pose in the plane's axes.
typedef struct {
  const nsm_core *core;
  const nsm_shape *shape;
  double R[9], t[3], n[3]; // x_plane = t + R x; n: the plane's normal in the shape's axes
  int plane_is_b;
} seen;

static seen see(const nsm_core_pair *pair) {
  seen s = { .plane_is_b = pair->A->kind != NSM_HALFSPACE };
  s.core = s.plane_is_b ? &pair->a : &pair->b;
  s.shape = s.plane_is_b ? pair->A : pair->B;
  double back[3] = { -pair->t[0], -pair->t[1], -pair->t[2] };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) s.R[3 * i + j] = s.plane_is_b ? pair->R[3 * j + i] : pair->R[3 * i + j];
  if (s.plane_is_b) back3(pair->R, back, s.t);
  else copy3(s.t, pair->t);
  copy3(s.n, s.R + 6);
  return s;
}

static double lowest(const seen *s) {
  if (s->shape->kind == NSM_CYLINDER)
    return s->t[2] - s->shape->size[1] * fabs(s->n[2]) - s->shape->size[0] * hypot(s->n[0], s->n[1]);
  double down[3] = { -s->n[0], -s->n[1], -s->n[2] }, far;
  nsm_core_support(s->core, down, &far);
  return s->t[2] - far - s->core->rounding;
}

static void normal_in_a(const nsm_core_pair *pair, const seen *s, double *n) {
  n[0] = n[1] = 0;
  n[2] = 1;
  if (s->plane_is_b)
    for (int i = 0; i < 3; i++) n[i] = -pair->R[3 * i + 2];
}

double nsm_plane_distance(const nsm_core_pair *pair, double n[3]) {
  seen s = see(pair);
  normal_in_a(pair, &s, n);
  return lowest(&s);
}

static void add(nsm_touch_list *list, const seen *s, nsm_feature_kind kind, int i) {
  uint64_t plane = nsm_feature(NSM_FACE, 0), other = nsm_feature(kind, i);
  nsm_list_measure(list, s->plane_is_b ? other : plane, s->plane_is_b ? plane : other, 0, 0);
}

static void cylinder_on_plane(nsm_touch_list *list, const seen *s) {
  double m = s->n[2];
  int down = m < 0;
  for (int end = 0; end < 2; end++) {
    // The upper rim counts where the cylinder lies, not where it stands.
    if (end == down || fabs(m) < 0.5) add(list, s, NSM_RIM, end);
    if (end == down && fabs(m) > 0.5)
      for (int k = 0; k < 4; k++) add(list, s, NSM_RIM_POINT, 4 * end + k);
  }
}

void nsm_plane_touches(nsm_touch_list *list) {
  seen s = see(list->pair);
  list->least = lowest(&s);
  if (list->least >= list->margin) return;
  if (s.shape->kind == NSM_CYLINDER) {
    cylinder_on_plane(list, &s);
    return;
  }
  for (int k = 0; k < s.core->corners; k++) {
    double height = s.t[2] + dot3(s.n, s.core->corner + 3 * k);
    if (height - s.core->rounding < list->margin && nsm_corner_faces(s.core, k, s.n)) add(list, &s, NSM_CORNER, k);
  }
}
