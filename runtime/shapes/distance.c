// The signed distance of two cores: d = max over |n| = 1 of f(n), f(n) = min over B of n.x - max over A of n.x.
//
// Where they overlap, or nearly, the maximum is at a face of the difference B - A: a face of B, a face of A, or an edge
// of each [Gottschalk 1996, separating axes]; all are tried. A pair of edges with gap g is a candidate only where the
// edges come within |g| of each other, so only edges in a slab of that depth need be looked at. Where the cores are
// well apart, GJK gives the shortest vector; then also the nearest features may be corners.
#include "distance.h"
#include "vector.h"
#include <stddef.h>

double nsm_core_bound(const nsm_core_pair *pair, const double n[3]) {
  double m[3] = { -n[0], -n[1], -n[2] }, local[3], high, low;
  back3(pair->R, m, local);
  nsm_core_support(&pair->a, n, &high);
  nsm_core_support(&pair->b, local, &low);
  return dot3(n, pair->t) - low - high;
}

static void place_b(const nsm_core_pair *pair, int corner, double *x) {
  turn3(pair->R, pair->b.corner + 3 * corner, x);
  add3(x, 1, pair->t, x);
}

// The best of the face normals. Another face must be better by more than round-off, so that it is the same from step
// to step where faces of A and B rest on each other.
static double best_face(const nsm_core_pair *pair, double n[3]) {
  double best = -INFINITY, tie = 1e-13 * pair->scale, local[3], m[3], far;
  for (int f = 0; f < pair->a.faces; f++) {
    const double *out = pair->a.normal + 3 * f;
    back3(pair->R, out, local);
    for (int i = 0; i < 3; i++) m[i] = -local[i];
    nsm_core_support(&pair->b, m, &far);
    double s = dot3(out, pair->t) - far - pair->a.level[f];
    if (s > best + tie) { best = s; copy3(n, out); }
  }
  for (int f = 0; f < pair->b.faces; f++) {
    turn3(pair->R, pair->b.normal + 3 * f, local);
    for (int i = 0; i < 3; i++) m[i] = -local[i];
    nsm_core_support(&pair->a, m, &far);
    double s = -far - dot3(local, pair->t) - pair->b.level[f];
    if (s > best + tie) { best = s; copy3(n, m); }
  }
  return best;
}

// Whether edge directions p of A and q of B with unit n = +-(p x q)/s beat `best`: the value at n is at most the
// edges' own gap, so most are settled by that.
static void try_axis(const nsm_core_pair *pair, const double *n, double gap, double *best, double *normal) {
  if (gap <= *best) return;
  double s = nsm_core_bound(pair, n);
  if (s > *best) { *best = s; copy3(normal, n); }
}

// Boxes have three directions of edges each: f(+-n) = +-n.t - (sum of the half edges along n), so the sign is that of
// n.t and nine axes are all.
static double best_of_boxes(const nsm_core_pair *pair, double best, double *n) {
  double tie = 1e-13 * pair->scale, found = best + tie;
  const double *R = pair->R, *t = pair->t, *a = pair->a.half, *b = pair->b.half;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      // c = e_i x (column j of R)
      int k = (i + 1) % 3, l = (i + 2) % 3;
      double ck = -R[3 * l + j], cl = R[3 * k + j], s2 = ck * ck + cl * cl;
      if (s2 <= 1e-16) continue;
      double reach = fabs(ck) * a[k] + fabs(cl) * a[l];
      for (int m = 0; m < 3; m++) reach += fabs(ck * R[3 * k + m] + cl * R[3 * l + m]) * b[m];
      double apart = ck * t[k] + cl * t[l], s = sqrt(s2), value = (fabs(apart) - reach) / s;
      if (value <= found) continue;
      found = value;
      n[i] = 0;
      n[k] = (apart < 0 ? -ck : ck) / s;
      n[l] = (apart < 0 ? -cl : cl) / s;
    }
  return found > best + tie ? found : best;
}

// The best of the edge pairs, if better than `best`; their gap is at most `most`. Two edges make a face of B - A only
// where the arcs between the normals of their faces cross: p must separate the normals of q's faces, q those of p's
// [Gregorius 2013].
static double best_edges(const nsm_core_pair *pair, double best, double most, double *n) {
  const nsm_core *a = &pair->a, *b = &pair->b;
  if (a->half && b->half) return best_of_boxes(pair, best, n);
  double slack = 1e-9 * pair->scale, depth = fmax(-best, most), n0[3], m0[3], high = 0;
  int slab = a->faces + b->faces > 0;
  copy3(n0, n);
  if (slab) nsm_core_support(a, n0, &high);
  back3(pair->R, n0, m0);
  double a_least = high + best - depth - slack, b_most = high + depth + slack - dot3(n0, pair->t);
  double tie = 1e-13 * pair->scale, found = best + tie;
  for (int i = 0; i < a->edges; i++) {
    const double *p0 = a->corner + 3 * a->edge_corner[2 * i], *p1 = a->corner + 3 * a->edge_corner[2 * i + 1];
    if (slab && dot3(n0, p0) < a_least && dot3(n0, p1) < a_least) continue;
    double p[3], p_local[3], na[2][3];
    sub3(p1, p0, p);
    back3(pair->R, p, p_local);
    for (int side = 0; side < 2 && a->faces > 0; side++)
      back3(pair->R, a->normal + 3 * a->edge_face[2 * i + side], na[side]);
    for (int j = 0; j < b->edges; j++) {
      const double *q0 = b->corner + 3 * b->edge_corner[2 * j], *q1 = b->corner + 3 * b->edge_corner[2 * j + 1];
      if (slab && dot3(m0, q0) > b_most && dot3(m0, q1) > b_most) continue;
      double q[3], c_local[3], c[3], x[3], back[3];
      sub3(q1, q0, q);
      if (b->faces > 0) {
        const int *f = b->edge_face + 2 * j;
        if (dot3(b->normal + 3 * f[0], p_local) * dot3(b->normal + 3 * f[1], p_local) > 0) continue;
      }
      if (a->faces > 0 && dot3(na[0], q) * dot3(na[1], q) > 0) continue;
      cross3(p_local, q, c_local);
      double s2 = dot3(c_local, c_local);
      if (s2 <= 1e-16 * dot3(p, p) * dot3(q, q)) continue;
      scale3(1 / sqrt(s2), c_local);
      turn3(pair->R, c_local, c);
      place_b(pair, b->edge_corner[2 * j], x);
      double gap = dot3(c, x) - dot3(c, p0);
      try_axis(pair, c, gap, &found, n);
      for (int k = 0; k < 3; k++) back[k] = -c[k];
      try_axis(pair, back, -gap, &found, n);
    }
  }
  return found > best + tie ? found : best;
}

// Cores without any axis of the above: points, segments in a line. f is then the same for all n across.
static double lean(const nsm_core_pair *pair, double *n) {
  const nsm_core *with = pair->a.corners == 2 ? &pair->a : pair->b.corners == 2 ? &pair->b : NULL;
  double e[3] = { 0, 0, 1 }, x[3];
  n[0] = n[1] = 0;
  n[2] = 1;
  if (with) {
    sub3(with->corner + 3, with->corner, x);
    if (with == &pair->b) turn3(pair->R, x, e);
    else copy3(e, x);
    across3(e, n);
  }
  return nsm_core_bound(pair, n);
}

double nsm_axis_distance(const nsm_core_pair *pair, double limit, double n[3]) {
  double best = best_face(pair, n);
  return best > limit ? best : best_edges(pair, best, limit, n);
}

double nsm_core_distance(const nsm_core_pair *pair, double limit, double n[3]) {
  double v[3], g = nsm_gjk(pair, limit, v);
  if (g > limit && limit >= 0) return g;
  int far = g > 1e-4 * pair->scale;
  if (far) {
    copy3(n, v);
    scale3(1 / g, n);
    double low = nsm_core_bound(pair, n);
    if (g - low <= 1e-13 * pair->scale) return g;
  }
  double axis[3] = { 0, 0, 0 }, best = best_face(pair, axis);
  best = best_edges(pair, best, g, axis);
  if (best == -INFINITY) best = lean(pair, axis);
  // Corners are nearest where no axis reaches the shortest vector's length.
  if (g > 0 && best < g - 1e-14 * pair->scale) {
    copy3(n, v);
    scale3(1 / g, n);
    double low = nsm_core_bound(pair, n);
    if (low > best) return g;
  }
  copy3(n, axis);
  return best;
}
