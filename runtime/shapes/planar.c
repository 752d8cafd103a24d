// Signed distance and manifold of two planar shapes.
//
// The signed distance of convex shapes is the best of all separating directions,
//
//     d = max over |n| = 1 of  min over B of n . x  -  max over A of n . x                                     (1)
//
// for both signs [Cameron and Culley 1986]. The maximum stands at the normal of an edge,
// or, where the shapes are apart, on the line between two corners. Corners over that edge, and corners of its owner
// over the edge that faces it, are the features: each has a gap of its own, so that gap' = n . (v_B - v_A) exactly.
#include <math.h>
#include "runtime/shapes/outline.h"
#include "runtime/shapes/planar.h"

// Of the length of an edge: corners this near to its end are over it, and edges of two shapes whose separations differ
// by less are taken from A, so that rounding does not change features from step to step.
static const double SLACK = 1e-10;
static const double TIE = 1e-12;

static inline double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

static double gap_to_edge(const nsm_outline *o, const double *normal, double level, const double *x) {
  return normal[0] * (x[0] - o->x[0]) + normal[1] * (x[1] - o->x[1]) - level;
}

// The least gap of `other` to the line of an edge of `o`, less its radius.
static double separation(const nsm_outline *o, int edge, const nsm_outline *other) {
  double n[2], level = nsm_outline_edge(o, edge, n), least = INFINITY;
  for (int i = 0; i < other->corners; i++) {
    double x[2];
    nsm_outline_corner(other, i, x);
    least = fmin(least, gap_to_edge(o, n, level, x));
  }
  return least - other->radius;
}

// The edge of `o` that separates best, -1 where it has none.
static int best_edge(const nsm_outline *o, const nsm_outline *other, double *best) {
  int edge = -1;
  *best = -INFINITY;
  for (int i = 0; i < o->edges && other->corners > 0; i++) {
    double s = separation(o, i, other);
    if (s > *best || edge < 0) { *best = s; edge = i; }
  }
  return edge;
}

// Two shapes whose edge `edge` of `owner` separates best; swapped: the owner is B.
typedef struct { const nsm_outline *owner, *other; int edge, swapped; double separation, n[2], level; } pair_axis;

static pair_axis axis_of(const nsm_outline *owner, const nsm_outline *other, int swapped) {
  pair_axis axis = { owner, other, -1, swapped, -INFINITY, { 1, 0 }, 0 };
  axis.edge = best_edge(owner, other, &axis.separation);
  if (axis.edge >= 0) axis.level = nsm_outline_edge(owner, axis.edge, axis.n);
  return axis;
}

// Of A where its edge separates as well as that of B, but for `tie`, a share of the shapes' sizes.
static pair_axis best_axis(const nsm_outline *a, const nsm_outline *b, double tie) {
  pair_axis of_a = axis_of(a, b, 0), of_b = axis_of(b, a, 1);
  if (of_b.edge < 0) return of_a;
  return of_a.edge < 0 || of_b.separation > of_a.separation + tie * (fabs(of_a.level) + fabs(of_b.level)) ? of_b : of_a;
}

// Is x over the edge: does it project between its ends?
static int over(const nsm_outline *o, int edge, const double *n, const double *x, double *along) {
  if (o->shape->kind == NSM_HALFPLANE) { *along = 0; return 1; }
  double from[2], to[2], tangent[2] = { -n[1], n[0] };
  nsm_outline_corner(o, edge, from);
  nsm_outline_corner(o, edge + 1 < o->corners ? edge + 1 : 0, to);
  double arm[2] = { x[0] - from[0], x[1] - from[1] }, whole[2] = { to[0] - from[0], to[1] - from[1] };
  double length = dot(whole, tangent);
  *along = dot(arm, tangent);
  return *along >= -SLACK * length && *along <= (1 + SLACK) * length;
}

static int inside(const nsm_outline *o, const double *x) {
  for (int i = 0; i < o->edges; i++) {
    double n[2], level = nsm_outline_edge(o, i, n);
    if (gap_to_edge(o, n, level, x) > SLACK * fabs(level)) return 0;
  }
  return 1;
}

// The nearest two corners.
static double nearest_corners(const nsm_outline *a, const nsm_outline *b, int *of_a, int *of_b) {
  double least = INFINITY;
  for (int i = 0; i < a->corners; i++) {
    double x[2], y[2];
    nsm_outline_corner(a, i, x);
    for (int j = 0; j < b->corners; j++) {
      nsm_outline_corner(b, j, y);
      double d = hypot(y[0] - x[0], y[1] - x[1]);
      if (d < least) { least = d; *of_a = i; *of_b = j; }
    }
  }
  return least;
}

// Does the segment from corner i of `o` to y leave the shape between the normals of its two edges? Then corner i is the
// nearest point to y. A disk has all directions.
static int leaves_at(const nsm_outline *o, int i, const double *y) {
  if (!o->edges) return 1;
  double x[2], next[2], last[2];
  nsm_outline_corner(o, i, x);
  nsm_outline_corner(o, i + 1 < o->corners ? i + 1 : 0, next);
  nsm_outline_corner(o, i > 0 ? i - 1 : o->corners - 1, last);
  for (int k = 0; k < 2; k++) { next[k] -= x[k]; last[k] -= x[k]; }
  double out[2] = { y[0] - x[0], y[1] - x[1] };
  return dot(out, next) <= 0 && dot(out, last) <= 0;
}

// Corners i and j as the nearest points of the two shapes: their distance, or -1 where they are not.
static double corner_distance(const nsm_outline *a, const nsm_outline *b, int *i, int *j) {
  double d = nearest_corners(a, b, i, j), x[2], y[2];
  if (!isfinite(d)) return -1;
  nsm_outline_corner(a, *i, x);
  nsm_outline_corner(b, *j, y);
  return leaves_at(a, *i, y) && leaves_at(b, *j, x) ? d : -1;
}

// What is found, the least gaps if there are more than room.
typedef struct { nsm_touch *out; int count, room; double margin; } touch_list;

static void add(touch_list *t, uint64_t feature, double gap, const double *n, const double *on_a) {
  if (!(gap < t->margin)) return;
  int at = t->count;
  if (at == t->room) {
    at = 0;
    for (int i = 1; i < t->room; i++) if (t->out[i].gap > t->out[at].gap) at = i;
    if (t->room == 0 || t->out[at].gap <= gap) return;
  } else {
    t->count++;
  }
  nsm_touch *one = &t->out[at];
  one->feature = feature;
  one->gap = gap;
  for (int k = 0; k < 3; k++) {
    one->normal[k] = k < 2 ? n[k] : 0;
    one->on_a[k] = k < 2 ? on_a[k] : 0;
    one->on_b[k] = one->on_a[k] + gap * one->normal[k];
  }
}

// Corner i of the axis' `other`, which lies at x, on its edge of the owner.
static void add_corner(touch_list *t, const pair_axis *axis, int i, const double *x, double to_corner) {
  const double *n = axis->n, radius = axis->other->radius;
  double way[2], on_a[2];
  for (int k = 0; k < 2; k++) {
    way[k] = axis->swapped ? -n[k] : n[k];
    on_a[k] = axis->swapped ? x[k] - radius * n[k] : x[k] - to_corner * n[k];
  }
  uint64_t feature = axis->swapped ? nsm_planar_feature(NSM_A_ON_B, i, axis->edge)
                                   : nsm_planar_feature(NSM_B_ON_A, axis->edge, i);
  add(t, feature, to_corner - radius, way, on_a);
}

static void add_corners(touch_list *t, const nsm_outline *a, int i, const nsm_outline *b, int j) {
  double x[2], y[2], n[2] = { 1, 0 }, on_a[2];
  nsm_outline_corner(a, i, x);
  nsm_outline_corner(b, j, y);
  double d = hypot(y[0] - x[0], y[1] - x[1]);
  for (int k = 0; k < 2 && d > 0; k++) n[k] = (y[k] - x[k]) / d;
  for (int k = 0; k < 2; k++) on_a[k] = x[k] + a->radius * n[k];
  add(t, nsm_planar_feature(NSM_CORNERS, i, j), d - a->radius - b->radius, n, on_a);
}

// The edge of `o` that faces direction n most nearly; -1 where it has none.
static int facing_edge(const nsm_outline *o, const double *n) {
  int best = -1;
  double least = INFINITY;
  for (int i = 0; i < o->edges; i++) {
    double m[2];
    nsm_outline_edge(o, i, m);
    if (dot(m, n) < least) { least = dot(m, n); best = i; }
  }
  return best;
}

// The corners of `other` over the edge of the axis; how far along it each of those kept lies goes to `place`.
enum { PLACES = 16 };
static int corners_over_edge(touch_list *t, const pair_axis *axis, double *place) {
  int kept = 0;
  for (int i = 0; i < axis->other->corners; i++) {
    double x[2], along;
    nsm_outline_corner(axis->other, i, x);
    double gap = gap_to_edge(axis->owner, axis->n, axis->level, x);
    int deepest = gap - axis->other->radius <= axis->separation;
    if (!(gap - axis->other->radius < t->margin) || !over(axis->owner, axis->edge, axis->n, x, &along)) continue;
    if (gap < 0 && !deepest && !inside(axis->owner, x)) continue;   // below the line, but beyond the shape
    add_corner(t, axis, i, x, gap);
    if (kept < PLACES) place[kept++] = along;
  }
  return kept;
}

// The owner's corners over the edge that faces the axis, but where a corner of the other already stands.
static void corners_below_facing_edge(touch_list *t, const pair_axis *axis, const double *place, int kept) {
  int facing = facing_edge(axis->other, axis->n);
  if (facing < 0) return;
  double m[2], level = nsm_outline_edge(axis->other, facing, m), tilt = fabs(m[0] * axis->n[1] - m[1] * axis->n[0]);
  for (int i = 0; i < axis->owner->corners; i++) {
    double x[2], along, mine;
    nsm_outline_corner(axis->owner, i, x);
    double gap = gap_to_edge(axis->other, m, level, x);
    if (!(gap < t->margin) || !over(axis->other, facing, m, x, &along)) continue;
    if (gap < 0 && !inside(axis->other, x)) continue;
    over(axis->owner, axis->edge, axis->n, x, &mine);
    int taken = 0;
    for (int k = 0; k < kept; k++)
      if (fabs(place[k] - mine) <= fabs(gap) * tilt + SLACK * (fabs(place[k]) + fabs(mine) + fabs(level))) taken = 1;
    pair_axis back = { .owner = axis->other, .other = axis->owner, .edge = facing, .swapped = !axis->swapped,
                       .n = { m[0], m[1] } };
    if (!taken) add_corner(t, &back, i, x, gap);
  }
}

int nsm_touches_planar(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb, double margin,
                       nsm_touch *out, int room) {
  nsm_outline a = nsm_outline_of(A, pa), b = nsm_outline_of(B, pb);
  touch_list t = { out, 0, room, margin };
  if (!a.corners && !b.corners) return 0;
  pair_axis axis = best_axis(&a, &b, TIE);
  if (!(axis.separation < margin)) return 0;
  if (axis.edge >= 0) {
    double place[PLACES];
    int kept = corners_over_edge(&t, &axis, place);
    corners_below_facing_edge(&t, &axis, place, kept);
  }
  double apart = axis.separation + a.radius + b.radius;   // of the corners, without radii
  if (axis.edge >= 0 && !(apart > 0)) return t.count;
  int i = 0, j = 0;
  double corner = corner_distance(&a, &b, &i, &j), least = INFINITY;
  for (int k = 0; k < t.count; k++) least = fmin(least, t.out[k].gap);
  if (corner >= 0 && least + a.radius + b.radius > corner * (1 + SLACK)) add_corners(&t, &a, i, &b, j);
  return t.count;
}

void nsm_touch_at_planar(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb,
                         uint64_t feature, nsm_touch *out) {
  nsm_outline a = nsm_outline_of(A, pa), b = nsm_outline_of(B, pb);
  touch_list t = { out, 0, 1, INFINITY };
  int kind = nsm_planar_kind(feature), swapped = kind == NSM_A_ON_B;
  int i = nsm_planar_of_a(feature), j = nsm_planar_of_b(feature), edge = swapped ? j : i, corner = swapped ? i : j;
  if (kind == NSM_CORNERS) { add_corners(&t, &a, i, &b, j); return; }
  pair_axis axis = { .owner = swapped ? &b : &a, .other = swapped ? &a : &b, .edge = edge, .swapped = swapped };
  double x[2], level = nsm_outline_edge(axis.owner, edge, axis.n);
  nsm_outline_corner(axis.other, corner, x);
  add_corner(&t, &axis, corner, x, gap_to_edge(axis.owner, axis.n, level, x));
}

double nsm_distance_planar(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb,
                           double *normal) {
  nsm_outline a = nsm_outline_of(A, pa), b = nsm_outline_of(B, pb);
  double n[2] = { 0, 1 }, best = INFINITY;
  int i = 0, j = 0;
  if (a.corners || b.corners) {
    pair_axis axis = best_axis(&a, &b, 0);
    best = axis.separation;
    for (int k = 0; k < 2; k++) n[k] = axis.swapped ? -axis.n[k] : axis.n[k];
    if (axis.edge < 0 || best + a.radius + b.radius > 0) {
      double corner = corner_distance(&a, &b, &i, &j), x[2], y[2];
      if (corner >= 0 && corner - a.radius - b.radius > best) {
        best = corner - a.radius - b.radius;
        nsm_outline_corner(&a, i, x);
        nsm_outline_corner(&b, j, y);
        for (int k = 0; k < 2 && corner > 0; k++) n[k] = (y[k] - x[k]) / corner;
      }
    }
  }
  if (normal) { normal[0] = n[0]; normal[1] = n[1]; normal[2] = 0; }
  return best;
}
