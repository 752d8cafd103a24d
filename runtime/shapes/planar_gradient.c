// Discrete gradients of planar gaps.
//
// A point or direction c of a body turns from R c to R(angle) R c; half way it is m = R(angle/2) R c, and exactly
//
//     difference = angle sinc(angle/2) J m,   mean = cos(angle/2) m,   J = a quarter turn                       (1)
//
// With the product rule of differences, D(x . y) = mean x . D y + mean y . D x, a corner on an edge of normal n has
//
//     g = n . w - level - radius,  w = corner - place of the edge's shape:  Dg = mean n . Dw + mean w . Dn      (2)
//
// and two corners, w = corner of B - corner of A, g = |w| - radii, have Dg = mean w . Dw / mean |w|             (3)
// [Gonzalez 1996].
#include <math.h>
#include "runtime/shapes/outline.h"
#include "runtime/shapes/planar.h"

// A direction of a body over its step: mean, and difference divided by the angle.
typedef struct { double mean[2], slope[2]; } turned;

static turned turn(const nsm_planar_step *s, const double *c) {
  double half = s->angle / 2, cosine = cos(half), sine = sin(half), sinc = half == 0 ? 1 : sine / half;
  const double *R = s->pose->R;
  double x = R[0] * c[0] + R[1] * c[1], y = R[3] * c[0] + R[4] * c[1];
  double m[2] = { cosine * x - sine * y, sine * x + cosine * y };
  return (turned){ { cosine * m[0], cosine * m[1] }, { -sinc * m[1], sinc * m[0] } };
}

// From the shape's axes to the body's.
static void to_body(const nsm_shape *s, const double *own, int point, double *out) {
  out[0] = s->turn[0] * own[0] + s->turn[1] * own[1] + (point ? s->at[0] : 0);
  out[1] = s->turn[3] * own[0] + s->turn[4] * own[1] + (point ? s->at[1] : 0);
}

static turned corner_of(const nsm_shape *s, const nsm_planar_step *step, int i) {
  double own[2], arm[2];
  nsm_outline_own_corner(s, i, own);
  to_body(s, own, 1, arm);
  return turn(step, arm);
}

static turned normal_of(const nsm_shape *s, const nsm_planar_step *step, int edge, double *level) {
  double own[2], n[2];
  *level = nsm_outline_own_edge(s, edge, own);
  to_body(s, own, 0, n);
  *level += n[0] * s->at[0] + n[1] * s->at[1];   // n . x of its line in the body's axes
  return turn(step, n);
}

static inline double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

// A shape of the pair: how it moves, its corner or edge, and where its three numbers go.
typedef struct side { const nsm_shape *shape; const nsm_planar_step *step; int at; double *d; } side;

// Equation (2), of the body of the corner and that of the edge.
static void corner_on_edge(const side *corner, const side *edge) {
  const nsm_planar_step *p = corner->step, *q = edge->step;
  double level, w[2], *d = corner->d, *e = edge->d;
  turned x = corner_of(corner->shape, p, corner->at), n = normal_of(edge->shape, q, edge->at, &level);
  for (int k = 0; k < 2; k++) {
    w[k] = p->pose->r[k] - q->pose->r[k] + (p->shift[k] - q->shift[k]) / 2 + x.mean[k];
    d[k] = n.mean[k];
    e[k] = -n.mean[k];
  }
  d[2] = dot(n.mean, x.slope);
  e[2] = dot(w, n.slope);
}

// Equation (3). Where both corners coincide throughout there is no direction: that of nsm_touches_planar.
static void corner_on_corner(const nsm_shape *A, const nsm_planar_step *a, int i, const nsm_shape *B,
                             const nsm_planar_step *b, int j, double *d) {
  turned x = corner_of(A, a, i), y = corner_of(B, b, j);
  double mean[2], change[2], first[2], last[2], n[2] = { 1, 0 };
  for (int k = 0; k < 2; k++) {
    change[k] = b->shift[k] - a->shift[k] + b->angle * y.slope[k] - a->angle * x.slope[k];
    mean[k] = b->pose->r[k] - a->pose->r[k] + (b->shift[k] - a->shift[k]) / 2 + y.mean[k] - x.mean[k];
    first[k] = mean[k] - change[k] / 2;
    last[k] = mean[k] + change[k] / 2;
  }
  double length = (hypot(first[0], first[1]) + hypot(last[0], last[1])) / 2;
  for (int k = 0; k < 2 && length > 0; k++) n[k] = mean[k] / length;
  for (int k = 0; k < 2; k++) { d[k] = -n[k]; d[3 + k] = n[k]; }
  d[2] = -dot(n, x.slope);
  d[5] = dot(n, y.slope);
}

void nsm_planar_gradient(const nsm_shape *A, const nsm_planar_step *a, const nsm_shape *B, const nsm_planar_step *b,
                         uint64_t feature, double d[6]) {
  int i = nsm_planar_of_a(feature), j = nsm_planar_of_b(feature);
  switch (nsm_planar_kind(feature)) {
  case NSM_B_ON_A: corner_on_edge(&(side){ B, b, j, d + 3 }, &(side){ A, a, i, d }); break;
  case NSM_A_ON_B: corner_on_edge(&(side){ A, a, i, d }, &(side){ B, b, j, d + 3 }); break;
  default: corner_on_corner(A, a, i, B, b, j, d); break;
  }
}
