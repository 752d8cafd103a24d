// The gap of two forms: its value, its normal from a to b, the two points. For all of them the points are stationary
// for the distance, so the rate of the gap is n . (v_b - v_a) of the material points (docs/numerics/shapes.md, 3).
#include "measure.h"
#include "vector.h"
#include <stddef.h>

enum { NEWTON_STEPS = 40 };

// The gap from points of the forms without rounding: g = n . (q - p) - roundings; the points move out along n.
static int finish(const nsm_form *a, const nsm_form *b, const double *p, const double *q, double gap,
                  nsm_touch *out) {
  out->gap = gap - a->rounding - b->rounding;
  add3(p, a->rounding, out->normal, out->on_a);
  add3(q, -b->rounding, out->normal, out->on_b);
  return 1;
}

// g = |q - p|; `fallback`: the normal where the points meet.
static int apart(const nsm_form *a, const nsm_form *b, const double *p, const double *q, const double *fallback,
                 nsm_touch *out) {
  double r[3];
  sub3(q, p, r);
  double length = norm3(r);
  if (length > 0) {
    copy3(out->normal, r);
    scale3(1 / length, out->normal);
  } else if (fallback) {
    copy3(out->normal, fallback);
  } else {
    out->normal[0] = out->normal[1] = 0;
    out->normal[2] = 1;
  }
  return finish(a, b, p, q, length, out);
}

static int point_line(const nsm_form *a, const nsm_form *b, const double *near, nsm_touch *out) {
  double w[3], foot[3], aside[3];
  sub3(a->x, b->x, w);
  add3(b->x, dot3(w, b->e), b->e, foot);
  across3(b->e, aside);
  return apart(a, b, a->x, foot, near ? near : aside, out);
}

// g = e . (x_a - x_b), n = -e: e points out of b.
static int point_plane(const nsm_form *a, const nsm_form *b, nsm_touch *out) {
  double w[3], foot[3];
  sub3(a->x, b->x, w);
  double gap = dot3(w, b->e);
  add3(a->x, -gap, b->e, foot);
  for (int i = 0; i < 3; i++) out->normal[i] = -b->e[i];
  return finish(a, b, a->x, foot, gap, out);
}

// g = c . (x_b - x_a)/|c|, c = e_a x e_b or, with mark 1, its opposite: the sign stays when the lines pass each other.
static int line_line(const nsm_form *a, const nsm_form *b, uint64_t mark, nsm_touch *out) {
  double c[3], w[3], p[3], q[3];
  cross3(a->e, b->e, c);
  double s = norm3(c);
  if (!(s > 0)) return 0;
  scale3((mark & 1 ? -1 : 1) / s, c);
  copy3(out->normal, c);
  sub3(b->x, a->x, w);
  double gap = dot3(c, w);
  // Of x_a + u e_a + g n = x_b + v e_b: u = (w x e_b) . (e_a x e_b)/s^2, v alike with e_a.
  double wb[3], wa[3];
  cross3(w, b->e, wb);
  cross3(w, a->e, wa);
  double sign = mark & 1 ? -1 : 1;
  add3(a->x, sign * dot3(wb, c) / s, a->e, p);
  add3(b->x, sign * dot3(wa, c) / s, b->e, q);
  return finish(a, b, p, q, gap, out);
}

// The point of a circle that is farthest along n: x + r (n - (n . e) e)/q, q = |n x e|. Returns q.
static double farthest_on_circle(const nsm_form *circle, const double *n, double *p) {
  double u[3];
  add3(n, -dot3(n, circle->e), circle->e, u);
  double q = norm3(u);
  if (!(q > 1e-300)) {
    across3(circle->e, u);
    q = 0;
    add3(circle->x, circle->radius, u, p);
    return q;
  }
  // Once more at right angles: for small q the difference above has lost digits.
  scale3(1 / q, u);
  add3(u, -dot3(u, circle->e), circle->e, u);
  scale3(1 / norm3(u), u);
  add3(circle->x, circle->radius, u, p);
  return q;
}

// g = e_b . (x_a - x_b) - r q: the deepest point of the rim.
static int circle_plane(const nsm_form *a, const nsm_form *b, nsm_touch *out) {
  double n[3] = { -b->e[0], -b->e[1], -b->e[2] }, p[3], w[3], foot[3];
  double q = farthest_on_circle(a, n, p);
  sub3(a->x, b->x, w);
  double gap = dot3(w, b->e) - a->radius * q;
  add3(p, -gap, b->e, foot);
  copy3(out->normal, n);
  return finish(a, b, p, foot, gap, out);
}

static int point_circle(const nsm_form *a, const nsm_form *b, nsm_touch *out) {
  double w[3], u[3], nearest[3];
  sub3(a->x, b->x, w);
  add3(w, -dot3(w, b->e), b->e, u);
  double rho = norm3(u);
  if (!(rho > 0)) across3(b->e, u), rho = 1;
  add3(b->x, b->radius / rho, u, nearest);
  return apart(a, b, a->x, nearest, NULL, out);
}

// Direction u(phi) of a circle in its plane, the tangent u' = e x u.
static void on_circle(const nsm_form *c, const double *f1, const double *f2, double phi, double *p, double *u,
                      double *t) {
  double cosine = cos(phi), sine = sin(phi);
  for (int i = 0; i < 3; i++) {
    u[i] = cosine * f1[i] + sine * f2[i];
    t[i] = cosine * f2[i] - sine * f1[i];
    p[i] = c->x[i] + c->radius * u[i];
  }
}

// Where to start on a circle for a line: where the line, seen along the circle's axis, crosses it (mark: at the far or
// the near end of the line's direction); else where it passes nearest; a steep line: where it goes through the plane.
static double start_on_circle(const nsm_form *a, const nsm_form *b, const double *f1, const double *f2,
                              uint64_t mark) {
  double w[3];
  sub3(b->x, a->x, w);
  double along = dot3(b->e, a->e), x = dot3(w, f1), y = dot3(w, f2), ex = dot3(b->e, f1), ey = dot3(b->e, f2);
  if (fabs(along) > 0.9) {
    double s = -dot3(w, a->e) / along;
    return atan2(y + s * ey, x + s * ex);
  }
  double ee = ex * ex + ey * ey, middle = -(x * ex + y * ey) / ee;
  x += middle * ex;
  y += middle * ey;
  double left = a->radius * a->radius - x * x - y * y;
  double s = left > 0 ? sqrt(left / ee) * (mark & 1 ? 1 : -1) : 0;
  return atan2(y + s * ey, x + s * ex);
}

// Did Newton's method end where w, from point to point, is along n?
static int stationary(const double *w, const double *n, double size) {
  double off[3];
  add3(w, -dot3(w, n), n, off);
  return norm3(off) < 1e-11 * (size + norm3(w));
}

// Stationary distance from a circle to a line: with P = I - e e^T, F(phi) = |P (p(phi) - x)|^2/2,
// F' = r (P w) . t, F'' = r^2 |P t|^2 - r (P w) . u. Normal t x e, out of the circle's disk.
static int circle_line(const nsm_form *a, const nsm_form *b, uint64_t mark, nsm_touch *out) {
  double f1[3], f2[3], p[3], u[3], t[3], w[3], q[3], c[3];
  across3(a->e, f1);
  cross3(a->e, f1, f2);
  double phi = start_on_circle(a, b, f1, f2, mark), r = a->radius;
  for (int k = 0; k < NEWTON_STEPS; k++) {
    on_circle(a, f1, f2, phi, p, u, t);
    sub3(p, b->x, w);
    add3(w, -dot3(w, b->e), b->e, w);
    double te = dot3(t, b->e), slope = r * dot3(w, t), bend = r * r * (1 - te * te) - r * dot3(w, u);
    bend = fmax(bend, 1e-3 * r * r);
    double step = -slope / bend;
    if (fabs(step) > 0.5) step = copysign(0.5, step);
    phi += step;
    if (fabs(step) < 1e-15) break;
  }
  on_circle(a, f1, f2, phi, p, u, t);
  sub3(p, b->x, w);
  add3(b->x, dot3(w, b->e), b->e, q);
  cross3(t, b->e, c);
  double s = norm3(c);
  if (!(s > 1e-6)) return apart(a, b, p, q, NULL, out);
  scale3((dot3(c, u) + dot3(c, a->e) < 0 ? -1 : 1) / s, c);
  copy3(out->normal, c);
  sub3(q, p, w);
  return stationary(w, c, a->radius) && finish(a, b, p, q, dot3(c, w), out);
}

// The direction from the centre of circle a to where circle b, seen along a's axis and taken as round, crosses it.
static int crossing(const nsm_form *a, const nsm_form *b, uint64_t mark, double *u) {
  double w[3], side[3];
  sub3(b->x, a->x, w);
  add3(w, -dot3(w, a->e), a->e, w);
  double d = norm3(w), x = (d * d + a->radius * a->radius - b->radius * b->radius) / (2 * d);
  if (!(d > 0) || !(fabs(x) < a->radius)) return 0;
  cross3(a->e, w, side);
  double y = sqrt(a->radius * a->radius - x * x) * (mark == 1 ? 1 : -1);
  for (int i = 0; i < 3; i++) u[i] = (x * w[i] + y * side[i]) / d;
  return 1;
}

// Stationary distance of two circles, F(phi, psi) = |q - p|^2/2, by Newton with the Hessian made definite; started at
// the points that are farthest along the direction `near`; with mark 1 or 2 where the circles cross.
static int circle_circle(const nsm_form *a, const nsm_form *b, uint64_t mark, const double *near,
                         nsm_touch *out) {
  double f1[3], f2[3], g1[3], g2[3], p[3], q[3], u[3], v[3], t[3], o[3], w[3], n[3], back[3];
  across3(a->e, f1);
  cross3(a->e, f1, f2);
  across3(b->e, g1);
  cross3(b->e, g1, g2);
  sub3(b->x, a->x, n);
  if (near) copy3(n, near);
  for (int i = 0; i < 3; i++) back[i] = -n[i];
  if (mark) {
    if (!crossing(a, b, mark, n)) return 0;
    for (int i = 0; i < 3; i++) back[i] = n[i] + a->x[i] - b->x[i];
  }
  double phi = atan2(dot3(n, f2), dot3(n, f1)), psi = atan2(dot3(back, g2), dot3(back, g1));
  for (int k = 0; k < NEWTON_STEPS; k++) {
    on_circle(a, f1, f2, phi, p, u, t);
    on_circle(b, g1, g2, psi, q, v, o);
    sub3(q, p, w);
    double ra = a->radius, rb = b->radius;
    double ga = -ra * dot3(w, t), gb = rb * dot3(w, o);
    double haa = ra * ra + ra * dot3(w, u), hbb = rb * rb - rb * dot3(w, v), hab = -ra * rb * dot3(t, o);
    double least = 0.5 * (haa + hbb) - hypot(0.5 * (haa - hbb), hab);
    double shift = fmax(0, 1e-6 * (ra * ra + rb * rb) - least);
    haa += shift;
    hbb += shift;
    double det = haa * hbb - hab * hab, da = -(hbb * ga - hab * gb) / det, db = -(haa * gb - hab * ga) / det;
    double most = fmax(fabs(da), fabs(db));
    if (most > 0.5) da *= 0.5 / most, db *= 0.5 / most;
    phi += da;
    psi += db;
    if (most < 1e-15) break;
  }
  on_circle(a, f1, f2, phi, p, u, t);
  on_circle(b, g1, g2, psi, q, v, o);
  cross3(t, o, n);
  double s = norm3(n);
  if (!(s > 1e-6)) return apart(a, b, p, q, near, out);
  scale3((dot3(n, u) + dot3(n, a->e) < 0 ? -1 : 1) / s, n);
  copy3(out->normal, n);
  sub3(q, p, w);
  return stationary(w, n, a->radius + b->radius) && finish(a, b, p, q, dot3(n, w), out);
}

// Each pair of kinds is written once, in the order of nsm_form_kind; the other order is its mirror.
static int in_order(const nsm_form *a, const nsm_form *b, uint64_t mark, const double *near, nsm_touch *out) {
  switch (a->kind) {
    case NSM_POINT:
      if (b->kind == NSM_POINT) return apart(a, b, a->x, b->x, near, out);
      if (b->kind == NSM_CIRCLE) return point_circle(a, b, out);
      if (b->kind == NSM_LINE) return point_line(a, b, near, out);
      return point_plane(a, b, out);
    case NSM_CIRCLE:
      if (b->kind == NSM_CIRCLE) return circle_circle(a, b, mark, near, out);
      if (b->kind == NSM_LINE) return circle_line(a, b, mark, out);
      return circle_plane(a, b, out);
    default: return a->kind == NSM_LINE && b->kind == NSM_LINE && line_line(a, b, mark, out);
  }
}

int nsm_measure(const nsm_form *a, const nsm_form *b, uint64_t mark, const double *near, nsm_touch *out) {
  double away[3], swap[3];
  if (a->kind <= b->kind) return in_order(a, b, mark, near, out);
  for (int i = 0; i < 3; i++) away[i] = near ? -near[i] : 0;
  if (!in_order(b, a, mark, near ? away : NULL, out)) return 0;
  scale3(-1, out->normal);
  copy3(swap, out->on_a);
  copy3(out->on_a, out->on_b);
  copy3(out->on_b, swap);
  return 1;
}
