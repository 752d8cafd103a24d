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
  int proved;     // a gap that is the distance has its foot inside a face, not only within the border
} view;

static view view_from(const nsm_core_pair *pair, const double *n, double margin, int from_b) {
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
  const nsm_core_pair *pair = list->pair;
  double x[3], y[3], n[3];
  turn3(pair->R, t->on_a, x);
  turn3(pair->R, t->on_b, y);
  turn3(pair->R, t->normal, n);
  add3(x, 1, pair->t, t->on_b);
  add3(y, 1, pair->t, t->on_a);
  for (int i = 0; i < 3; i++) t->normal[i] = -n[i];
}

static uint64_t pair_name(const view *v, uint64_t mine, uint64_t other, uint64_t mark) {
  return v->mine_is_b ? nsm_feature_pair(other, mine, mark) : nsm_feature_pair(mine, other, mark);
}

// Corner k of the other body, where it can touch me within the margin: how high it is along n*, and its place.
// above: of my origin, n . s.
static int corner_at_hand(const view *v, double above, int k, double *height, double *x) {
  const nsm_core *other = v->other;
  *height = above + dot3(v->n_other, other->corner + 3 * k);
  if (*height - v->high > v->margin || !(v->witness || nsm_corner_faces(other, k, v->n_other))) return 0;
  turn3(v->M, other->corner + 3 * k, x);
  add3(x, 1, v->s, x);
  return 1;
}

static void corners_on_faces(nsm_touch_list *list, view *v) {
  const nsm_core *mine = v->mine, *other = v->other;
  double above = dot3(v->n, v->s);
  unsigned char skip[64];
  for (int f = 0; f < mine->faces && f < 64; f++) skip[f] = dot3(mine->normal + 3 * f, v->n) < v->facing;
  for (int k = 0; mine->faces > 0 && k < other->corners; k++) {
    double height, x[3];
    if (!corner_at_hand(v, above, k, &height, x)) continue;
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
    if (t.gap <= list->least + 1e-13 * list->pair->scale && (gap <= 0 || nsm_in_face(mine, face, x, 0))) v->proved = 1;
    if (v->mine_is_b && nsm_list_covers(list, t.on_b, t.normal, 2 * v->border)) continue;
    nsm_list_add(list, &t);
  }
}

enum { CHUNK = 64 }; // edges of B that are looked at together

typedef struct {
  int index;
  double low, length;
  nsm_form form;       // in A's axes
} b_edge;

// Those of B's edges from..from + CHUNK - 1 that can face A within the margin; steep ones have no normal near n*.
static int edges_of_b(const nsm_core_pair *pair, const view *v, int from, b_edge *list) {
  const nsm_core *b = v->other;
  double up[3] = { -v->n_other[0], -v->n_other[1], -v->n_other[2] }, above = dot3(v->n, v->s);
  int n = 0;
  for (int j = from; j < b->edges && j < from + CHUNK; j++) {
    const double *q0 = b->corner + 3 * b->edge_corner[2 * j], *q1 = b->corner + 3 * b->edge_corner[2 * j + 1];
    double h0 = dot3(v->n_other, q0), h1 = dot3(v->n_other, q1), low = above + fmin(h0, h1), e[3];
    if (low - v->high > v->margin || !(v->witness || nsm_edge_faces(b, j, up))) continue;
    sub3(q1, q0, e);
    b_edge *edge = list + n;
    edge->length = norm3(e);
    if (fabs(h1 - h0) > 0.87 * edge->length) continue;
    edge->index = j;
    edge->low = low;
    edge->form = (nsm_form){ .kind = NSM_LINE, .rounding = b->rounding };
    scale3(1 / edge->length, e);
    turn3(pair->R, e, edge->form.e);
    turn3(pair->R, q0, edge->form.x);
    add3(edge->form.x, 1, pair->t, edge->form.x);
    n++;
  }
  return n;
}

static int between(const double *place, const nsm_form *line, double length, double border) {
  double w[3];
  sub3(place, line->x, w);
  double u = dot3(w, line->e);
  return u >= border && u <= length - border;
}

// Edges whose lines' feet lie inside both by more than `border` (less than 0: outside by no more than that), with a
// sine above `parallel`.
static void edges_on_edges(nsm_touch_list *list, view *v, double border, double parallel) {
  const nsm_core *a = v->mine;
  b_edge b[CHUNK];
  for (int from = 0; from < v->other->edges; from += CHUNK) {
    int n = edges_of_b(list->pair, v, from, b);
    for (int i = 0; i < a->edges && n > 0; i++) {
      const double *p0 = a->corner + 3 * a->edge_corner[2 * i], *p1 = a->corner + 3 * a->edge_corner[2 * i + 1];
      double h0 = dot3(v->n, p0), h1 = dot3(v->n, p1), top = fmax(h0, h1);
      if (top < v->low - v->margin || !(v->witness || nsm_edge_faces(a, i, v->n))) continue;
      nsm_form fa = { .kind = NSM_LINE, .rounding = a->rounding };
      copy3(fa.x, p0);
      sub3(p1, p0, fa.e);
      double length = norm3(fa.e);
      if (fabs(h1 - h0) > 0.87 * length) continue;
      scale3(1 / length, fa.e);
      for (int j = 0; j < n; j++) {
        double c[3];
        nsm_touch t;
        if (b[j].low - top > v->margin) continue;
        cross3(fa.e, b[j].form.e, c);
        double cc = dot3(c, c), cn = dot3(c, v->n);
        if (cc < parallel * parallel || cn * cn < 0.25 * cc) continue;
        if (!nsm_measure(&fa, &b[j].form, cn < 0, NULL, &t)) continue;
        if (!between(t.on_a, &fa, length, border) || !between(t.on_b, &b[j].form, b[j].length, border)) continue;
        t.feature = nsm_feature_pair(nsm_feature(NSM_EDGE, i), nsm_feature(NSM_EDGE, b[j].index), cn < 0);
        if (nsm_list_add(list, &t) && t.gap <= list->least + 1e-13 * list->pair->scale) v->proved = 1;
      }
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
    double height, x[3];
    if (!corner_at_hand(v, above, k, &height, x)) continue;
    for (int j = 0; j < mine->edges; j++) {
      const double *p = mine->corner + 3 * mine->edge_corner[2 * j];
      const double *q = mine->corner + 3 * mine->edge_corner[2 * j + 1];
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

// Adds what faces each other about n where the distance of the cores is d. Where that is attained by feet inside of
// both features (`proved`), d is proved, as any axis is a lower bound. Returns whether it is attained.
static int facing_touches(nsm_touch_list *list, double d, view *from_a, view *from_b) {
  double rounding = from_a->mine->rounding + from_b->mine->rounding;
  list->n = 0;
  list->least = d - rounding;
  corners_on_faces(list, from_a);
  corners_on_faces(list, from_b);
  edges_on_edges(list, from_a, from_a->border, NSM_NEAR_PARALLEL);
  return nsm_list_least(list) <= list->least + 1e-13 * list->pair->scale;
}

// Overlaps of more than this, of the size, do not go by the axes alone: a body as thin as that could lie beyond.
static const double SHALLOW = 1e-5;

void nsm_core_touches(nsm_touch_list *list) {
  const nsm_core_pair *pair = list->pair;
  double n[3], rounding = pair->a.rounding + pair->b.rounding, margin = list->margin + rounding;
  view from_a, from_b;
  if (rounding == 0) {
    double axis = nsm_axis_distance(pair, margin, n);
    list->least = axis;
    if (axis >= margin) return;
    from_a = view_from(pair, n, margin, 0);
    from_b = view_from(pair, n, margin, 1);
    if (axis > -SHALLOW * pair->scale && facing_touches(list, axis, &from_a, &from_b) &&
        (from_a.proved || from_b.proved))
      return;
  }
  double d = nsm_core_distance(pair, margin, n), enough = d - rounding + 1e-13 * pair->scale;
  list->n = 0;
  list->least = d - rounding;
  if (d >= margin) return;
  from_a = view_from(pair, n, margin, 0);
  from_b = view_from(pair, n, margin, 1);
  if (!facing_touches(list, d, &from_a, &from_b) || rounding > 0) {
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
