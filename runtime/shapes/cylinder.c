// The signed distance of a cylinder from a core or another cylinder.
//
// In the cylinder's axes (axis z, radius r, half length h), with n from the cylinder to the other body,
//   f(n) = min over the other of n.x - h |n_z| - r q,   q = |n x z|,
// is for every unit n a lower bound of d = max f. The maximum is at one of finitely many directions or on the circle of
// directions across an edge, or (two cylinders) where two rims face each other; the best of all candidates is d:
//   caps +-z; face normals; z x e of every edge; from the side and the rims to every corner;
//   a rim and an edge e: Newton on the circle n . e = 0; two rims: Newton on the sphere.
// On unit n the derivative of f of degree one along a unit tangent p is p . grad f, the second one p . (H p) - f.
#include "cylinder.h"
#include "distance.h"
#include "vector.h"
#include <stddef.h>

enum { NEWTON_STEPS = 60, CIRCLE_SAMPLES = 48, SPHERE_STARTS = 96, CLIMBS = 6, HALVINGS = 50,
       BESIDE = 12 };

// The cylinder's axes; the other body there: x = t + R x_other.
typedef struct {
  double r, h;
  const nsm_core *core;  // the other: a core
  double R[9], t[3];
  int round;             // the other: a cylinder of r2, h2 and axis `axis`
  double r2, h2, axis[3];
  double best, n[3];
  double scale;
  double reach;          // gaps of a rim and an edge above this are not looked for
} scene;

static int scene_of(const nsm_core_pair *pair, scene *s) {
  int swapped = pair->A->kind != NSM_CYLINDER;
  const nsm_shape *mine = swapped ? pair->B : pair->A, *other = swapped ? pair->A : pair->B;
  double back[3] = { -pair->t[0], -pair->t[1], -pair->t[2] };
  s->r = mine->size[0];
  s->h = mine->size[1];
  s->core = swapped ? &pair->a : &pair->b;
  s->round = other->kind == NSM_CYLINDER;
  s->r2 = other->size[0];
  s->h2 = other->size[1];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) s->R[3 * i + j] = swapped ? pair->R[3 * j + i] : pair->R[3 * i + j];
  if (swapped) back3(pair->R, back, s->t);
  else copy3(s->t, pair->t);
  for (int i = 0; i < 3; i++) s->axis[i] = s->R[3 * i + 2];
  s->best = -INFINITY;
  s->scale = pair->scale;
  return swapped;
}

// min over the other body of n.x
static double lowest(const scene *s, const double *n) {
  if (s->round) {
    double m = dot3(n, s->axis), c[3];
    cross3(n, s->axis, c);
    return dot3(n, s->t) - s->h2 * fabs(m) - s->r2 * norm3(c);
  }
  double back[3] = { -n[0], -n[1], -n[2] }, local[3], far;
  back3(s->R, back, local);
  nsm_core_support(s->core, local, &far);
  return dot3(n, s->t) - far;
}

static double value(const scene *s, const double *n) {
  return lowest(s, n) - s->h * fabs(n[2]) - s->r * hypot(n[0], n[1]);
}

// Another direction must be better by more than round-off: caps and faces come first.
static void offer(scene *s, const double *n) {
  double v = value(s, n);
  if (v > s->best + 1e-13 * s->scale) { s->best = v; copy3(s->n, n); }
}

static void offer_both(scene *s, double *n) {
  double l = norm3(n);
  if (!(l > 1e-8)) return;
  scale3(1 / l, n);
  offer(s, n);
  scale3(-1, n);
  offer(s, n);
}

// From the nearest point of the cylinder to x; inside: straight out of the side. Returns the distance outside.
static double offer_point(scene *s, const double *x) {
  double rho = hypot(x[0], x[1]), over = fabs(x[2]) - s->h, out = rho - s->r, n[3] = { 1, 0, 0 };
  if (rho > 0) { n[0] = x[0] / rho; n[1] = x[1] / rho; }
  if (out > 0 && over > 0) {
    double l = hypot(out, over);
    n[0] *= out / l;
    n[1] *= out / l;
    n[2] = copysign(over / l, x[2]);
    offer(s, n);
    return l;
  }
  offer(s, n);
  return fmax(fmax(out, over), 0);
}

// A rim of centre c + side h a, axis a and radius r, and a line through b with direction e, rounded: the maximum over
// n across e of G = sign n.(b - c) - h |n.a| - r |n x a|, which does not know of the line's ends.
typedef struct {
  double w[3];          // sign (b - c)
  const double *a;
  double h, r, p1[3], p2[3];
} rim_line;

static double rim_value(const rim_line *g, double psi, double *n, double *slope, double *bend) {
  double c = cos(psi), s = sin(psi), p[3], u[3], t[3];
  for (int i = 0; i < 3; i++) {
    n[i] = c * g->p1[i] + s * g->p2[i];
    p[i] = c * g->p2[i] - s * g->p1[i];
  }
  double m = dot3(n, g->a);
  cross3(g->a, n, t);
  double q = norm3(t), f = dot3(n, g->w) - g->h * fabs(m) - g->r * q;
  add3(n, -m, g->a, u);
  double pt = q > 0 ? dot3(p, t) / q : 0;
  *slope = dot3(p, g->w) - copysign(g->h, m) * dot3(p, g->a) - (q > 0 ? g->r * dot3(p, u) / q : 0);
  *bend = -(q > 0 ? g->r * pt * pt / q : 0) - f;
  return f;
}

// The circle is sampled, and climbed from the best sample of each hill; and from beside the directions nearest to the
// axis, p2 and -p2, where q is least and a hill can be narrow.
static void offer_rim_line(scene *s, const rim_line *g, double rounding, double sign) {
  static const double pace = 6.283185307179586 / CIRCLE_SAMPLES;
  double sample[CIRCLE_SAMPLES], n[3], slope, bend;
  for (int i = 0; i < CIRCLE_SAMPLES; i++) sample[i] = rim_value(g, pace * (i + 0.3), n, &slope, &bend);
  for (int start = 0; start < CIRCLE_SAMPLES + BESIDE; start++) {
    int extra = start - CIRCLE_SAMPLES;
    if (extra < 0 && (sample[start] < sample[(start + 1) % CIRCLE_SAMPLES] ||
                      sample[start] < sample[(start + CIRCLE_SAMPLES - 1) % CIRCLE_SAMPLES]))
      continue;
    double beside = 1.5707963267948966 * (extra % 2 ? 1 : -1) + pace * (extra / 2 - 2.5) / 2.5;
    double psi = extra < 0 ? pace * (start + 0.3) : beside, f = rim_value(g, psi, n, &slope, &bend), most = pace;
    if (f + 4 * pace * fabs(slope) < s->best + rounding) continue;
    for (int k = 0; k < NEWTON_STEPS && fabs(slope) > 1e-15 * s->scale; k++) {
      double step = slope / fmax(-bend, 0.05 * (fabs(bend) + s->scale * 1e-3)), m[3], sl, be;
      if (fabs(step) > most) step = copysign(most, step);
      double g1 = rim_value(g, psi + step, m, &sl, &be);
      if (g1 < f - 1e-15 * s->scale) { most = 0.3 * fabs(step); if (most < 1e-13) break; continue; }
      psi += step;
      most = fmin(pace, 3 * most);
      f = g1;
      slope = sl;
      bend = be;
      copy3(n, m);
      if (fabs(step) < 1e-14) break;
      // Hopeless: even with all that a step may gain it stays below the best.
      if (k > 3 && f + fabs(slope) < s->best + rounding) break;
    }
    if (f - rounding <= s->best) continue;
    if (sign < 0) scale3(-1, n);
    offer(s, n);
  }
}

static int rim_line_of(rim_line *g, const double *e, const double *w, const double *a, double h, double r) {
  double l = norm3(e), unit[3];
  if (!(l > 0)) return 0;
  copy3(unit, e);
  scale3(1 / l, unit);
  cross3(a, unit, g->p1);
  double s = norm3(g->p1);
  if (s < 1e-8) across3(unit, g->p1);
  else scale3(1 / s, g->p1);
  cross3(unit, g->p1, g->p2);
  copy3(g->w, w);
  g->a = a;
  g->h = h;
  g->r = r;
  return 1;
}

// Can the segment come within `reach` of one of the two rims?
static int near_rim(const scene *s, const double *p, const double *q, double reach) {
  for (int side = -1; side < 2; side += 2) {
    double level = side * s->h, low = fmin(p[2], q[2]), high = fmax(p[2], q[2]);
    if (low > level + reach || high < level - reach) continue;
    if (fmax(hypot(p[0], p[1]), hypot(q[0], q[1])) < s->r - reach) continue;
    // the axis' distance from the segment's shadow
    double e0 = q[0] - p[0], e1 = q[1] - p[1], ee = e0 * e0 + e1 * e1;
    double u = ee > 0 ? fmin(1, fmax(0, -(p[0] * e0 + p[1] * e1) / ee)) : 0;
    if (hypot(p[0] + u * e0, p[1] + u * e1) <= s->r + reach) return 1;
  }
  return 0;
}

static const double z_axis[3] = { 0, 0, 1 };

static void against_core(scene *s) {
  const nsm_core *c = s->core;
  double n[3], x[3], y[3], e[3], outside = INFINITY;
  for (int f = 0; f < c->faces; f++) {
    turn3(s->R, c->normal + 3 * f, n);
    scale3(-1, n);
    offer(s, n);
  }
  for (int k = 0; k < c->corners; k++) {
    turn3(s->R, c->corner + 3 * k, x);
    add3(x, 1, s->t, x);
    outside = fmin(outside, offer_point(s, x));
  }
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < c->edges; k++) {
      turn3(s->R, c->corner + 3 * c->edge_corner[2 * k], x);
      turn3(s->R, c->corner + 3 * c->edge_corner[2 * k + 1], y);
      sub3(y, x, e);
      if (pass == 0) {
        cross3(z_axis, e, n);
        scale3(1 / norm3(e), n);
        offer_both(s, n);
        continue;
      }
      rim_line g;
      add3(x, 1, s->t, x);
      add3(y, 1, s->t, y);
      double reach = fmax(fmin(outside, s->reach), -s->best) + 1e-9 * s->scale;
      if (near_rim(s, x, y, reach) && rim_line_of(&g, e, x, z_axis, s->h, s->r))
        offer_rim_line(s, &g, 0, 1);
    }
}

// F(n) of climb.
static double of_ends(const scene *s, double end, double end2, const double *n) {
  double c[3];
  cross3(n, s->axis, c);
  return dot3(n, s->t) - end * s->h * n[2] + end2 * s->h2 * dot3(n, s->axis) - s->r * hypot(n[0], n[1]) -
         s->r2 * norm3(c);
}

// Where n is an axis, F has a cone's tip: off it along the rest g of the gradient it grows like (|g| - r) rho, bent by
// about -F rho^2/2. Starts at the maximum of that, or nearer, until it is higher there; elsewhere n stays.
static void off_tip(const scene *s, double end, double end2, double *n) {
  double grad[3], r = 0;
  add3(s->t, -end * s->h, z_axis, grad);
  add3(grad, end2 * s->h2, s->axis, grad);
  for (int body = 0; body < 2; body++) {
    const double *a = body ? s->axis : z_axis;
    double c[3], u[3];
    cross3(a, n, c);
    double q = norm3(c), mine = body ? s->r2 : s->r;
    add3(n, -dot3(n, a), a, u);
    if (q < 1e-6) r += mine;
    else add3(grad, -mine / q, u, grad);
  }
  if (r == 0) return;
  double f = dot3(n, grad);
  add3(grad, -f, n, grad);
  double g = norm3(grad);
  if (!(g > r)) return;
  double tip[3], high = of_ends(s, end, end2, n), rho = fmin(0.1, (g - r) / fmax(f, g)) / g;
  copy3(tip, n);
  for (int k = 0; k < HALVINGS; k++, rho *= 0.5) {
    add3(tip, rho, grad, n);
    scale3(1 / norm3(n), n);
    if (of_ends(s, end, end2, n) > high) return;
  }
  copy3(n, tip);
}

// Newton on the sphere for the rims of two ends, signs `end` and `end2`: of F(n) = n.t - end h n_z - r |n x z| - (the
// same of the other), which is smooth and nowhere below f. grad F = t - sum of (end h a + r u),
// H = -sum of (r/q) t t^T with t = a x n/q.
static void climb(scene *s, double end, double end2, double *n) {
  double most = 0.4, f = -INFINITY, trial[3];
  off_tip(s, end, end2, n);
  copy3(trial, n);
  for (int k = 0; k < NEWTON_STEPS; k++) {
    double grad[3], p[2][3], H[3] = { 0, 0, 0 }, gp[2];
    copy3(grad, s->t);
    across3(trial, p[0]);
    cross3(trial, p[0], p[1]);
    for (int body = 0; body < 2; body++) {
      const double *a = body ? s->axis : z_axis;
      double h = body ? -end2 * s->h2 : end * s->h, r = body ? s->r2 : s->r, c[3], u[3];
      cross3(a, trial, c);
      double q = norm3(c);
      add3(grad, -h, a, grad);
      if (!(q > 1e-12)) continue;
      add3(trial, -dot3(trial, a), a, u);
      add3(grad, -r / q, u, grad);
      double c0 = dot3(p[0], c) / q, c1 = dot3(p[1], c) / q;
      H[0] -= r / q * c0 * c0;
      H[1] -= r / q * c0 * c1;
      H[2] -= r / q * c1 * c1;
    }
    double g = dot3(trial, grad);
    if (g < f - 1e-16 * s->scale) { // back, nearer to what was
      double back[3];
      sub3(trial, n, back);
      most = 0.3 * norm3(back);
      if (most < 1e-14) return;
      add3(n, 0.3, back, trial);
      scale3(1 / norm3(trial), trial);
      continue;
    }
    f = g;
    copy3(n, trial);
    most = fmin(0.4, 3 * most);
    gp[0] = dot3(grad, p[0]);
    gp[1] = dot3(grad, p[1]);
    H[0] -= f;
    H[2] -= f;
    // -H made definite
    double highest = 0.5 * (H[0] + H[2]) + hypot(0.5 * (H[0] - H[2]), H[1]);
    double size = fabs(H[0]) + fabs(H[1]) + fabs(H[2]), shift = fmax(0, highest + 1e-3 * size);
    double a = H[0] - shift, b = H[1], d = H[2] - shift, det = a * d - b * b;
    double x = -(d * gp[0] - b * gp[1]) / det, y = -(a * gp[1] - b * gp[0]) / det, step = hypot(x, y);
    if (!(step > 1e-15)) return;
    double cut = step > most ? most / step : 1;
    for (int i = 0; i < 3; i++) trial[i] = n[i] + cut * (x * p[0][i] + y * p[1][i]);
    scale3(1 / norm3(trial), trial);
  }
}

static void against_cylinder(scene *s) {
  double n[3], w[3];
  copy3(n, s->axis);
  offer_both(s, n);
  cross3(z_axis, s->axis, n);
  if (norm3(n) > 1e-8) offer_both(s, n);
  // straight from axis to axis, and from each end
  for (int end = -1; end < 2; end++) {
    add3(s->t, end * s->h2, s->axis, w);
    n[0] = w[0]; n[1] = w[1]; n[2] = 0;
    if (norm3(n) > 0) offer_both(s, n);
    for (int i = 0; i < 3; i++) w[i] = s->t[i] - end * s->h * z_axis[i];
    add3(w, -dot3(w, s->axis), s->axis, n);
    if (norm3(n) > 0) offer_both(s, n);
  }
  // The other's rims and my side, my rims and the other's side: lines with the roundings r and r2.
  rim_line g;
  double back[3] = { -s->t[0], -s->t[1], -s->t[2] };
  if (rim_line_of(&g, z_axis, s->t, s->axis, s->h2, s->r2)) offer_rim_line(s, &g, s->r, 1);
  if (rim_line_of(&g, s->axis, back, z_axis, s->h, s->r)) offer_rim_line(s, &g, s->r2, -1);
  // Two rims: from the best so far, which is all that is needed where they are apart (f is then concave), and from the
  // best of a spiral over the sphere that are apart from each other.
  double from[3];
  copy3(from, s->n);
  for (int ends = 0; ends < 4; ends++) {
    double end = ends & 1 ? 1 : -1, end2 = ends & 2 ? 1 : -1;
    if (end * from[2] < -0.7 || end2 * dot3(from, s->axis) > 0.7) continue;
    copy3(n, from);
    climb(s, end, end2, n);
    offer(s, n);
  }
  double kept[CLIMBS][3], score[CLIMBS];
  int starts = 0;
  if (s->best > 0) return;
  for (int i = 0; i < SPHERE_STARTS; i++) {
    double z = 1 - (2 * i + 1.0) / SPHERE_STARTS, phi = 2.399963229728653 * i, q = sqrt(1 - z * z);
    n[0] = q * cos(phi); n[1] = q * sin(phi); n[2] = z;
    double v = value(s, n);
    int place = -1, worst = 0;
    for (int k = 0; k < starts; k++) {
      if (dot3(kept[k], n) > 0.9) place = k;
      if (score[k] < score[worst]) worst = k;
    }
    if (place < 0 && starts < CLIMBS) score[place = starts++] = -INFINITY;
    if (place < 0) place = worst;
    if (v > score[place]) { score[place] = v; copy3(kept[place], n); }
  }
  for (int k = 0; k < starts; k++) {
    copy3(n, kept[k]);
    climb(s, copysign(1, n[2]), -copysign(1, dot3(n, s->axis)), n);
    offer(s, n);
  }
}

double nsm_cylinder_distance(const nsm_core_pair *pair, double limit, double reach, double n[3]) {
  scene s;
  int swapped = scene_of(pair, &s);
  double rounding = s.round ? 0 : s.core->rounding, up[3] = { 0, 0, 1 }, apart = norm3(s.t);
  s.reach = reach + rounding;
  // Balls around both: farther apart than the limit, nothing more is asked.
  double balls = apart - hypot(s.r, s.h) - (s.round ? hypot(s.r2, s.h2) : s.core->size);
  if (balls > limit && balls > 0) {
    for (int i = 0; i < 3; i++) n[i] = s.t[i] / apart;
    return balls;
  }
  offer_both(&s, up);
  if (s.round) against_cylinder(&s);
  else against_core(&s);
  for (int i = 0; i < 3; i++) up[i] = swapped ? -s.n[i] : s.n[i];
  if (swapped) turn3(pair->R, up, n);
  else copy3(n, up);
  return s.best - rounding;
}
