// The narrow phase: which of the pairs' own ways a pair takes, and from the axes of A to the world.
#include "touch.h"
#include "cylinder.h"
#include "distance.h"
#include "manifold.h"
#include "measure.h"
#include "plane.h"
#include "vector.h"

static int is(const nsm_shape *A, const nsm_shape *B, nsm_shape_kind kind) {
  return A->kind == kind || B->kind == kind;
}

// Is it a pair of spatial shapes that has a distance?
static int takes(const nsm_shape *A, const nsm_shape *B) {
  return A->kind <= NSM_CONVEX && B->kind <= NSM_CONVEX && !(A->kind == NSM_HALFSPACE && B->kind == NSM_HALFSPACE);
}

static void to_world(const nsm_core_pair *pair, nsm_touch *touch) {
  double x[3];
  turn3(pair->world, touch->normal, x);
  copy3(touch->normal, x);
  turn3(pair->world, touch->on_a, x);
  add3(pair->origin, 1, x, touch->on_a);
  turn3(pair->world, touch->on_b, x);
  add3(pair->origin, 1, x, touch->on_b);
}

int nsm_touches(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb, double margin,
                nsm_touch *out, int room) {
  nsm_core_pair pair;
  if (!takes(A, B) || room < 1) return 0;
  nsm_core_pair_make(A, pa, B, pb, &pair);
  nsm_touch_list list = { .pair = &pair, .out = out, .room = room, .margin = margin };
  if (is(A, B, NSM_HALFSPACE)) nsm_plane_touches(&list);
  else if (is(A, B, NSM_CYLINDER)) nsm_cylinder_touches(&list);
  else nsm_core_touches(&list);
  for (int i = 0; i < list.n; i++) to_world(&pair, out + i);
  return list.n;
}

double nsm_shape_distance(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb,
                          double normal[3]) {
  nsm_core_pair pair;
  double n[3] = { 0, 0, 1 }, d;
  if (!takes(A, B)) {
    copy3(normal, n);
    return INFINITY;
  }
  nsm_core_pair_make(A, pa, B, pb, &pair);
  if (is(A, B, NSM_HALFSPACE)) d = nsm_plane_distance(&pair, n);
  else if (is(A, B, NSM_CYLINDER)) d = nsm_cylinder_distance(&pair, INFINITY, INFINITY, n);
  else d = nsm_core_distance(&pair, -1, n) - pair.a.rounding - pair.b.rounding;
  turn3(pair.world, n, normal);
  return d;
}

int nsm_touch_at(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb, uint64_t feature,
                 const double near[3], nsm_touch *out) {
  nsm_core_pair pair;
  nsm_form a, b;
  double local[3];
  nsm_core_pair_make(A, pa, B, pb, &pair);
  if (!nsm_form_of(A, nsm_feature_of_a(feature), &a) || !nsm_pair_form_b(&pair, nsm_feature_of_b(feature), &b))
    return 0;
  if (near) back3(pair.world, near, local);
  if (!nsm_measure(&a, &b, nsm_feature_mark(feature), near ? local : 0, out)) return 0;
  out->feature = feature;
  to_world(&pair, out);
  return 1;
}

static void half_row(const double *t, const double *place, const nsm_pose *pose, double sign, double *H) {
  double arm[3], arm_body[3], t_body[3];
  sub3(place, pose->r, arm);
  back3(pose->R, arm, arm_body);
  back3(pose->R, t, t_body);
  cross3(arm_body, t_body, H + 3);
  copy3(H, t);
  scale3(sign, H);
  scale3(sign, H + 3);
}

void nsm_touch_row(const nsm_touch *touch, const double t[3], const nsm_pose *pa, const nsm_pose *pb, double H[12]) {
  half_row(t, touch->on_a, pa, -1, H);
  half_row(t, touch->on_b, pb, 1, H + 6);
}

void nsm_touch_slip(const double normal[3], double t1[3], double t2[3]) {
  across3(normal, t1);
  cross3(normal, t1, t2);
}
