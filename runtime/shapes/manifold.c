// The touches of two cores: pairs of features that face each other about the direction n* of the signed distance d.
//
//   corner on face   the corner's foot lies in the face; of several faces the one that it lies deepest outside of
//   edge on edge     they cross, seen along their common normal; not where they are parallel to 1e-3: there corners
//                    on faces or on edges say the same
//   corner on edge   where a core is rounded, and where nothing of the above is as near as d (then d > 0)
//   corner on corner where nothing else is as near as d
//
// A plane extends beyond its face, and behind the body: normals must lie within 60 degrees of n*, feet in the face,
// and no gap may be below d. For features that truly face each other it cannot be.
#include "manifold.h"
#include "distance.h"
#include "measure.h"
#include "vector.h"
#include <stddef.h>

// One body's features in its own axes as seen from the other: x_this = s + M x_other; n: from this to the other.
typedef struct {
  const nsm_core *mine, *other;
  double M[9], s[3], n[3], n_other[3];
  double high;    // max over mine of n.x
  double low;     // min over the other of n.x, in my axes
  double margin;  // of the cores
  double border;
  double facing;  // cosine to n from which my faces are taken
  int mine_is_b;
  int witness;    // only what attains the distance is wanted, however it faces
} view;

static view view_from(const nsm_pair *pair, const double *n, double margin, int from_b) {
  view v = { .mine = from_b ? &pair->b : &pair->a, .other = from_b ? &pair->a : &pair->b, .margin = margin,
             .border = NSM_ON_BORDER * pair->scale, .facing = 0.5, .mine_is_b = from_b };
  double local[3], back[3], m[3];
  back3(pair->R, n, local);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) v.M[3 * i + j] = from_b ? pair->R[3 * j + i] : pair->R[3 * i + j];
  for (int i = 0; i < 3; i++) back[i] = -pair->t[i];
  if (from_b) back3(pair->R, back, v.s);
  else copy3(v.s, pair->t);
  for (int i = 0; i < 3; i++) v.n[i] = from_b ? -local[i] : n[i];
  for (int i = 0; i < 3; i++) v.n_other[i] = from_b ? -n[i] : local[i];
  for (int i = 0; i < 3; i++) m[i] = -v.n_other[i];
  nsm_core_support(v.mine, v.n, &v.high);
  nsm_core_support(v.other, m, &v.low);
  v.low = dot3(v.n, v.s) - v.low;
  return v;
}

// A touch found in the axes of `mine`, from mine to the other, as one of the pair.
static void to_pair(const nsm_touch_list *list, const view *v, nsm_touch *t) {
  if (!v->mine_is_b) return;
  const nsm_pair *pair = list->pair;
  double x[3], y[3], n[3];
  turn3(pair->R, t->on_a, x);
  turn3(pair->R, t->on_b, y);
  turn3(pair->R, t->normal, n);
  add3(x, 1, pair->t, t->on_b);
  add3(y, 1, pair->t, t->on_a);
  for (int i = 0; i < 3; i++) t->normal[i] = -n[i];
}

static unsigned long pair_name(const view *v, unsigned long mine, unsigned long other, unsigned long mark) {
  return v->mine_is_b ? nsm_feature_pair(other, mine, mark) : nsm_feature_pair(mine, other, mark);
}

static void corners_on_faces(nsm_touch_list *list, const view *v) {
  const nsm_core *mine = v->mine, *other = v->other;
  double above = dot3(v->n, v->s);
  unsigned char skip[64];
  for (int f = 0; f < mine->faces && f < 64; f++) skip[f] = dot3(mine->normal + 3 * f, v->n) < v->facing;
  for (int k = 0; mine->faces > 0 && k < other->corners; k++) {
    double height = above + dot3(v->n_other, other->corner + 3 * k), x[3];
    if (height - v->high > v->margin || !(v->witness || nsm_corner_faces(other, k, v->n_other))) continue;
    turn3(v->M, other->corner + 3 * k, x);
    add3(x, 1, v->s, x);
    int face = -1;
    double gap = -INFINITY;
    for (int f = 0; f < mine->faces; f++) {
      if (f < 64 ? skip[f] : dot3(mine->normal + 3 * f, v->n) < v->facing) continue;
      double g = dot3(mine->normal + 3 * f, x) - mine->level[f];
      if (g > gap) { gap = g; face = f; }
    }
    if (face < 0 || gap >= v->margin || !nsm_in_face(mine, face, x, v->border)) continue;
    nsm_touch t = { .feature = pair_name(v, nsm_feature(NSM_FACE, face), nsm_feature(NSM_CORNER, k), 0) };
    t.gap = gap - mine->rounding - other->rounding;
    copy3(t.normal, mine->normal + 3 * face);
    add3(x, mine->rounding - gap, t.normal, t.on_a);
    add3(x, -other->rounding, t.normal, t.on_b);
    to_pair(list, v, &t);
    if (v->mine_is_b && nsm_list_covers(list, t.on_b, t.normal, 2 * v->border)) continue;
    nsm_list_add(list, &t);
  }
}

// Edges whose lines' feet lie inside both by more than `border` (less than 0: outside by no more than that), with a
// sine above `parallel`.
static void edges_on_edges(nsm_touch_list *list, const view *v, double border, double parallel) {
  const nsm_pair *pair = list->pair;
  const nsm_core *a = v->mine, *b = v->other;
  double up[3], above = dot3(v->n, v->s);
  for (int i = 0; i < 3; i++) up[i] = -v->n_other[i];
  for (int i = 0; i < a->edges; i++) {
    const double *p0 = a->corner + 3 * a->edge_corner[2 * i], *p1 = a->corner + 3 * a->edge_corner[2 * i + 1];
    double top = fmax(dot3(v->n, p0), dot3(v->n, p1));
    if (top < v->low - v->margin || !(v->witness || nsm_edge_faces(a, i, v->n))) continue;
    nsm_form fa = { .kind = NSM_LINE, .rounding = a->rounding }, fb = { .kind = NSM_LINE, .rounding = b->rounding };
    copy3(fa.x, p0);
    sub3(p1, p0, fa.e);
    double la = norm3(fa.e);
    scale3(1 / la, fa.e);
    if (fabs(dot3(fa.e, v->n)) > 0.87) continue;
    for (int j = 0; j < b->edges; j++) {
      const double *q0 = b->corner + 3 * b->edge_corner[2 * j], *q1 = b->corner + 3 * b->edge_corner[2 * j + 1];
      double low = above + fmin(dot3(v->n_other, q0), dot3(v->n_other, q1)), e[3], c[3], w[3];
      if (low - top > v->margin || !(v->witness || nsm_edge_faces(b, j, up))) continue;
      sub3(q1, q0, e);
      double lb = norm3(e);
      if (fabs(dot3(e, v->n_other)) > 0.87 * lb) continue;
      scale3(1 / lb, e);
      turn3(pair->R, e, fb.e);
      cross3(fa.e, fb.e, c);
      if (dot3(c, c) < parallel * parallel) continue;
      turn3(pair->R, q0, fb.x);
      add3(fb.x, 1, pair->t, fb.x);
      nsm_touch t;
      unsigned long mark = dot3(c, v->n) < 0;
      if (!nsm_measure(&fa, &fb, mark, NULL, &t) || dot3(t.normal, v->n) < 0.5) continue;
      sub3(t.on_a, fa.x, w);
      double u = dot3(w, fa.e);
      if (u < border || u > la - border) continue;
      sub3(t.on_b, fb.x, w);
      u = dot3(w, fb.e);
      if (u < border || u > lb - border) continue;
      t.feature = nsm_feature_pair(nsm_feature(NSM_EDGE, i), nsm_feature(NSM_EDGE, j), mark);
      nsm_list_add(list, &t);
    }
  }
}

// Is w, at right angles to the edge, between the normals of the edge's faces? For face f and its neighbour o it must
// not point into f's plane on f's side: w . (n_o - (n_o . n_f) n_f) >= 0.
static int in_edge_cone(const nsm_core *core, int edge, const double *w, double slack) {
  if (core->faces == 0) return 1;
  for (int side = 0; side < 2; side++) {
    const double *f = core->normal + 3 * core->edge_face[2 * edge + side];
    const double *o = core->normal + 3 * core->edge_face[2 * edge + 1 - side];
    double in[3];
    add3(o, -dot3(o, f), f, in);
    if (dot3(w, in) < -slack * norm3(in)) return 0;
  }
  return 1;
}

// Corners of the other body on my edges.
static void corners_on_edges(nsm_touch_list *list, const view *v) {
  const nsm_core *mine = v->mine, *other = v->other;
  double above = dot3(v->n, v->s);
  for (int k = 0; mine->edges > 0 && k < other->corners; k++) {
    double height = above + dot3(v->n_other, other->corner + 3 * k), x[3];
    if (height - v->high > v->margin || !(v->witness || nsm_corner_faces(other, k, v->n_other))) continue;
    turn3(v->M, other->corner + 3 * k, x);
    add3(x, 1, v->s, x);
    for (int j = 0; j < mine->edges; j++) {
      const double *p = mine->corner + 3 * mine->edge_corner[2 * j], *q = mine->corner + 3 * mine->edge_corner[2 * j + 1];
      if (fmax(dot3(v->n, p), dot3(v->n, q)) < height - v->margin) continue;
      double e[3], w[3];
      sub3(q, p, e);
      sub3(x, p, w);
      double ee = dot3(e, e), u = dot3(w, e) / ee;
      if (u < 0 || u > 1) continue;
      add3(w, -u, e, w);
      add3(w, -dot3(w, e) / ee, e, w);
      double length = norm3(w);
      if (!(length > 0) || length >= v->margin || dot3(w, v->n) < 0.9 * length) continue;
      if (!in_edge_cone(mine, j, w, v->border)) continue;
      nsm_touch t = { .feature = pair_name(v, nsm_feature(NSM_EDGE, j), nsm_feature(NSM_CORNER, k), 0) };
      t.gap = length - mine->rounding - other->rounding;
      copy3(t.normal, w);
      scale3(1 / length, t.normal);
      add3(x, mine->rounding - length, t.normal, t.on_a);
      add3(x, -other->rounding, t.normal, t.on_b);
      to_pair(list, v, &t);
      if (!nsm_list_covers(list, t.on_b, t.normal, 2 * v->border)) nsm_list_add(list, &t);
    }
  }
}

// The corners of A and B that are nearest each other along n.
static void corner_on_corner(nsm_touch_list *list, const view *v) {
  double tie = NSM_NEAR_PARALLEL * list->pair->scale, above = dot3(v->n, v->s), least = INFINITY;
  nsm_touch best = { .gap = INFINITY };
  for (int i = 0; i < v->mine->corners; i++) {
    const double *p = v->mine->corner + 3 * i;
    if (dot3(v->n, p) < v->high - tie) continue;
    for (int k = 0; k < v->other->corners; k++) {
      const double *q = v->other->corner + 3 * k;
      if (above + dot3(v->n_other, q) > v->low + tie) continue;
      double x[3], w[3];
      turn3(v->M, q, x);
      add3(x, 1, v->s, x);
      sub3(x, p, w);
      double length = norm3(w);
      if (length >= least) continue;
      least = length;
      best.feature = pair_name(v, nsm_feature(NSM_CORNER, i), nsm_feature(NSM_CORNER, k), 0);
      best.gap = length - v->mine->rounding - v->other->rounding;
      copy3(best.normal, length > 0 ? w : v->n);
      if (length > 0) scale3(1 / length, best.normal);
      add3(p, v->mine->rounding, best.normal, best.on_a);
      add3(x, -v->other->rounding, best.normal, best.on_b);
    }
  }
  nsm_list_add(list, &best);
}

void nsm_core_touches(nsm_touch_list *list) {
  const nsm_pair *pair = list->pair;
  double n[3], rounding = pair->a.rounding + pair->b.rounding, margin = list->margin + rounding;
  double d = nsm_core_distance(pair, margin, n), enough = d - rounding + 1e-13 * pair->scale;
  list->least = d - rounding;
  if (d >= margin) return;
  view from_a = view_from(pair, n, margin, 0), from_b = view_from(pair, n, margin, 1);
  corners_on_faces(list, &from_a);
  corners_on_faces(list, &from_b);
  edges_on_edges(list, &from_a, from_a.border, NSM_NEAR_PARALLEL);
  if (rounding > 0 || nsm_list_least(list) > enough) {
    corners_on_edges(list, &from_a);
    corners_on_edges(list, &from_b);
  }
  if (nsm_list_least(list) <= enough) return;
  // What attains d was left out above: a corner over the face of n* that is nearer to another face, an edge of a blade,
  // nearly parallel edges, edges that cross at their ends.
  double asked = list->margin;
  list->margin = fmin(asked, enough);
  from_a.witness = from_b.witness = 1;
  from_a.facing = from_b.facing = 1 - 1e-12;
  from_a.margin = from_b.margin = list->margin + rounding;
  corners_on_faces(list, &from_a);
  corners_on_faces(list, &from_b);
  if (list->n == 0 || nsm_list_least(list) > enough) edges_on_edges(list, &from_a, -from_a.border, 1e-8);
  list->margin = asked;
  if (nsm_list_least(list) > enough) corner_on_corner(list, &from_a);
}
