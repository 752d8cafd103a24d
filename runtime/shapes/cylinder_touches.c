// The touches of a cylinder and a core or another cylinder: the features that face each other about n*, as in
// manifold.c. A cap is a face, the side is a line (its axis) with the rounding r, a rim is a circle; four points of a
// rim belong to the body and keep a flat contact still where the deepest point of the rim would run around.
#include "cylinder.h"
#include "measure.h"
#include "vector.h"
#include <stddef.h>

typedef struct {
  nsm_touch_list *list;
  const nsm_shape *mine, *other;
  const nsm_core *core;              // the other's, where it has one
  int swapped;                       // the cylinder is B
  double n[3];                       // from A to B in A's axes
  double up, n_other[3];             // from the cylinder to the other: along the cylinder's axis; in the other's axes
  double high;                       // the cylinder's farthest along it, from the other's origin
  double margin, border, facing;
} work;

// Does the place (in A's axes) belong to the feature of A (or B), and not only to its line or plane?
static int inside(const work *w, int of_b, uint64_t feature, const double *place) {
  const nsm_core_pair *pair = w->list->pair;
  const nsm_shape *shape = of_b ? pair->B : pair->A;
  nsm_feature_kind kind = (nsm_feature_kind)(feature >> NSM_INDEX_BITS);
  int i = (int)(feature & ((1ul << NSM_INDEX_BITS) - 1));
  double x[3], y[3];
  if (of_b) {
    sub3(place, pair->t, y);
    back3(pair->R, y, x);
  } else {
    copy3(x, place);
  }
  if (kind == NSM_SIDE) return fabs(x[2]) <= shape->size[1] + w->border;
  if (kind == NSM_CAP) return hypot(x[0], x[1]) <= shape->size[0] + w->border;
  if (kind == NSM_FACE) return nsm_in_face(w->core, i, x, w->border);
  if (kind != NSM_EDGE) return 1;
  const double *p = w->core->corner + 3 * w->core->edge_corner[2 * i];
  double e[3], d[3];
  sub3(w->core->corner + 3 * w->core->edge_corner[2 * i + 1], p, e);
  sub3(x, p, d);
  double along = dot3(d, e) / norm3(e);
  return along >= -w->border && along <= norm3(e) + w->border;
}

// Measures a feature of the cylinder and one of the other body; adds it where both places are on the bodies.
static void try_pair(work *w, uint64_t mine, uint64_t other, uint64_t mark, int only_new) {
  uint64_t fa = w->swapped ? other : mine, fb = w->swapped ? mine : other;
  nsm_form a, b;
  nsm_touch t;
  if (!nsm_form_of(w->list->pair->A, fa, &a) || !nsm_pair_form_b(w->list->pair, fb, &b)) return;
  if (!nsm_measure(&a, &b, mark, w->n, &t) || dot3(t.normal, w->n) < w->facing) return;
  // Two rims are found from a direction: keep only what is found again from its own normal.
  if (a.kind == NSM_CIRCLE && b.kind == NSM_CIRCLE) {
    double gap = t.gap, own[3];
    copy3(own, t.normal);
    if (!nsm_measure(&a, &b, mark, own, &t) || fabs(t.gap - gap) > 1e-12 * w->list->pair->scale) return;
  }
  if (t.gap >= w->list->margin || !inside(w, 0, fa, t.on_a) || !inside(w, 1, fb, t.on_b)) return;
  if (only_new && nsm_list_covers(w->list, t.on_b, t.normal, 2 * w->border)) return;
  t.feature = nsm_feature_pair(fa, fb, mark);
  nsm_list_add(w->list, &t);
}

static uint64_t line_mark(const work *w, uint64_t mine, uint64_t other) {
  nsm_form a, b;
  double c[3];
  nsm_form_of(w->list->pair->A, w->swapped ? other : mine, &a);
  nsm_pair_form_b(w->list->pair, w->swapped ? mine : other, &b);
  cross3(a.e, b.e, c);
  return dot3(c, w->n) < 0;
}

// Sine of the angle between the cylinder's axis and a direction of the other body.
static double sine_to_axis(const work *w, const double *e_other) {
  const nsm_core_pair *pair = w->list->pair;
  double a[3], c[3], z[3] = { 0, 0, 1 };
  // the cylinder's axis in the other's axes
  if (w->swapped) turn3(pair->R, z, a);
  else back3(pair->R, z, a);
  cross3(a, e_other, c);
  return norm3(c) / norm3(e_other);
}

static void cap_side_rim_on_core(work *w) {
  const nsm_core *c = w->core;
  double facing = w->facing, up[3] = { -w->n_other[0], -w->n_other[1], -w->n_other[2] };
  int lies = fabs(w->up) < 0.87;
  for (int k = 0; k < c->corners; k++) {
    double height = dot3(w->n_other, c->corner + 3 * k);
    if (height - w->high > w->margin) continue;
    if (!nsm_corner_faces(c, k, w->n_other)) continue;
    for (int end = 0; end < 2; end++)
      if ((end ? w->up : -w->up) > 0.5)
        try_pair(w, nsm_feature(NSM_CAP, end), nsm_feature(NSM_CORNER, k), 0, 0);
    w->facing = 0.9;
    if (lies) try_pair(w, nsm_feature(NSM_SIDE, 0), nsm_feature(NSM_CORNER, k), 0, 0);
    w->facing = facing;
  }
  for (int f = 0; f < c->faces; f++) {
    double down = -dot3(c->normal + 3 * f, w->n_other);
    if (down < 0.5) continue;
    double lean = sqrt(fmax(0, 1 - pow(sine_to_axis(w, c->normal + 3 * f), 2)));
    for (int end = 0; end < 2; end++) {
      double looks = end ? w->up : -w->up;
      if (looks > 0 || lean < 0.5) try_pair(w, nsm_feature(NSM_RIM, end), nsm_feature(NSM_FACE, f), 0, 0);
      for (int k = 0; looks > 0.5 && lean > 0.5 && k < 4; k++)
        try_pair(w, nsm_feature(NSM_RIM_POINT, 4 * end + k), nsm_feature(NSM_FACE, f), 0, 1);
    }
  }
  for (int k = 0; k < c->edges; k++) {
    const double *p = c->corner + 3 * c->edge_corner[2 * k], *q = c->corner + 3 * c->edge_corner[2 * k + 1];
    double e[3];
    if (fmin(dot3(w->n_other, p), dot3(w->n_other, q)) - w->high > w->margin || !nsm_edge_faces(c, k, up)) continue;
    sub3(q, p, e);
    uint64_t side = nsm_feature(NSM_SIDE, 0), edge = nsm_feature(NSM_EDGE, k);
    if (lies && sine_to_axis(w, e) > NSM_NEAR_PARALLEL) try_pair(w, side, edge, line_mark(w, side, edge), 1);
    for (int end = 0; end < 2; end++)
      for (uint64_t mark = 0; mark < 2 && (end ? w->up : -w->up) > -0.5; mark++)
        try_pair(w, nsm_feature(NSM_RIM, end), edge, mark, 1);
  }
}

// `up_other`: the same direction along the other cylinder's axis.
static void cylinder_on_cylinder(work *w) {
  double up_other = w->n_other[2], axis[3] = { 0, 0, 1 };
  uint64_t side = nsm_feature(NSM_SIDE, 0);
  int lies = fabs(w->up) < 0.87, other_lies = fabs(up_other) < 0.87;
  for (int end = 0; end < 2; end++) {
    double looks = end ? w->up : -w->up;
    for (int far = 0; far < 2; far++) {
      double looks_back = far ? -up_other : up_other;
      uint64_t cap = nsm_feature(NSM_CAP, end), rim = nsm_feature(NSM_RIM, end);
      uint64_t other_cap = nsm_feature(NSM_CAP, far), other_rim = nsm_feature(NSM_RIM, far);
      if (looks > 0.5 && looks_back > -0.5) try_pair(w, cap, other_rim, 0, 1);
      if (looks_back > 0.5 && looks > -0.5) try_pair(w, rim, other_cap, 0, 1);
      if (looks > 0.5 && looks_back > 0.5)
        for (int k = 0; k < 4; k++) {
          try_pair(w, cap, nsm_feature(NSM_RIM_POINT, 4 * far + k), 0, 1);
          try_pair(w, nsm_feature(NSM_RIM_POINT, 4 * end + k), other_cap, 0, 1);
        }
      for (uint64_t mark = 0; mark < 3 && looks > -0.1 && looks_back > -0.1; mark++)
        try_pair(w, rim, other_rim, mark, 1);
    }
    for (uint64_t mark = 0; mark < 2; mark++) {
      if (other_lies && looks > -0.5) try_pair(w, nsm_feature(NSM_RIM, end), side, mark, 1);
      if (lies && (end ? -up_other : up_other) > -0.5) try_pair(w, side, nsm_feature(NSM_RIM, end), mark, 1);
    }
  }
  if (lies && other_lies && sine_to_axis(w, axis) > NSM_NEAR_PARALLEL)
    try_pair(w, side, side, line_mark(w, side, side), 1);
}

// Everything of both that attains the distance, however it faces.
static void witness(work *w) {
  static const nsm_feature_kind kind[5] = { NSM_SIDE, NSM_CAP, NSM_CAP, NSM_RIM, NSM_RIM };
  static const int index[5] = { 0, 0, 1, 0, 1 };
  for (int i = 0; i < 5; i++) {
    uint64_t mine = nsm_feature(kind[i], index[i]);
    for (uint64_t mark = 0; mark < 3; mark++) {
      for (int k = 0; w->core == NULL && k < 5; k++) try_pair(w, mine, nsm_feature(kind[k], index[k]), mark, 1);
      if (w->core == NULL) continue;
      for (int k = 0; k < w->core->edges; k++) try_pair(w, mine, nsm_feature(NSM_EDGE, k), mark, 1);
      for (int k = 0; mark == 0 && k < w->core->corners; k++) try_pair(w, mine, nsm_feature(NSM_CORNER, k), 0, 1);
      for (int k = 0; mark == 0 && k < w->core->faces; k++) try_pair(w, mine, nsm_feature(NSM_FACE, k), 0, 1);
    }
  }
}

// Adds what faces each other about n* and returns whether something attains d.
static int facing_touches(work *w, double d) {
  const nsm_core_pair *pair = w->list->pair;
  double local[3], cosine;
  w->list->n = 0;
  w->list->least = d;
  back3(pair->R, w->n, local);
  w->up = w->swapped ? -local[2] : w->n[2];
  for (int i = 0; i < 3; i++) w->n_other[i] = w->swapped ? -w->n[i] : local[i];
  // The cylinder's centre as the other sees it is at -n.t, both ways.
  cosine = fmin(1, fabs(w->up));
  w->high = -dot3(w->n, pair->t) + w->mine->size[1] * cosine + w->mine->size[0] * sqrt(1 - cosine * cosine);
  if (w->core) cap_side_rim_on_core(w);
  else cylinder_on_cylinder(w);
  return nsm_list_least(w->list) <= d + 1e-13 * pair->scale;
}

void nsm_cylinder_touches(nsm_touch_list *list) {
  const nsm_core_pair *pair = list->pair;
  work w = { .list = list, .swapped = pair->A->kind != NSM_CYLINDER, .facing = 0.5 };
  w.mine = w.swapped ? pair->B : pair->A;
  w.other = w.swapped ? pair->A : pair->B;
  w.core = w.other->kind == NSM_CYLINDER ? NULL : w.swapped ? &pair->a : &pair->b;
  w.border = NSM_ON_BORDER * pair->scale;
  w.margin = list->margin + (w.core ? w.core->rounding : 0);
  double d = nsm_cylinder_distance(pair, list->margin, list->margin, w.n);
  list->least = d;
  if (d >= list->margin || facing_touches(&w, d)) return;
  // Nothing attains it: nothing may be left out.
  d = nsm_cylinder_distance(pair, list->margin, INFINITY, w.n);
  list->n = 0;
  list->least = d;
  if (d >= list->margin || facing_touches(&w, d)) return;
  double asked = list->margin;
  list->margin = fmin(asked, d + 2e-13 * pair->scale);
  w.facing = 1 - 1e-6;
  witness(&w);
  list->margin = asked;
}
