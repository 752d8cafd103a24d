// The discrete gradient of a gap between two poses of both bodies.
//
// With x, e the places and directions of the two forms, bars for means and D for differences between the poses,
//   D(fg) = mean f Dg + mean g Df,   D|c| = mean c . Dc / mean|c|
// hold exactly, so the difference of a gap is linear in Dx_b - Dx_a, De_a and De_b with known factors. For a point x
// and a direction e of a body
//   Dx = xi_r + Rm (xi_w x x),   De = Rm (xi_w x e),   Rm = (R_B + R_E)/2,   R_E = R_B cay(xi_w)       [bodies, (B3)]
// so a factor c gives c to xi_r and x x (Rm^T c) to xi_w. Docs: docs/numerics/shapes.md, 4.
#include "feature.h"
#include "touch.h"
#include "vector.h"

typedef struct {
  nsm_form form;                   // in body axes
  double x[2][3], e[2][3];         // at the two poses: world axes, places less A's first
  double xm[3], em[3], Rm[9];
} moving;

// The factors of Dr, r = x_b - x_a, and of De_a, De_b.
typedef struct {
  double r[3], a[3], b[3];
} factors;

static void mean3(const double *p, const double *q, double *m) {
  for (int i = 0; i < 3; i++) m[i] = 0.5 * (p[i] + q[i]);
}

static int make_form(const nsm_shape *shape, uint64_t feature, nsm_form *form) {
  double x[3];
  if (!nsm_form_of(shape, feature, form)) return 0;
  turn3(shape->turn, form->x, x);
  add3(shape->at, 1, x, form->x);
  if (form->kind == NSM_POINT) return 1;
  turn3(shape->turn, form->e, x);
  copy3(form->e, x);
  return 1;
}

// A line's and a plane's place may be any point of it: the one nearest to the touch keeps all arms of the order of the
// gap. `on`: the touch in the axes of the body.
static void place_near(nsm_form *form, const double *on) {
  double w[3], along;
  sub3(on, form->x, w);
  along = dot3(w, form->e);
  if (form->kind == NSM_LINE) add3(form->x, along, form->e, form->x);
  if (form->kind == NSM_PLANE) add3(on, -along, form->e, form->x);
}

static void follow(moving *m, const nsm_pose *begin, const nsm_pose *end, const double *from) {
  const nsm_pose *pose[2] = { begin, end };
  for (int k = 0; k < 2; k++) {
    double arm[3], r[3];
    turn3(pose[k]->R, m->form.x, arm);
    sub3(pose[k]->r, from, r);
    add3(r, 1, arm, m->x[k]);
    if (m->form.kind != NSM_POINT) turn3(pose[k]->R, m->form.e, m->e[k]);
  }
  for (int i = 0; i < 9; i++) m->Rm[i] = 0.5 * (begin->R[i] + end->R[i]);
  mean3(m->x[0], m->x[1], m->xm);
  if (m->form.kind != NSM_POINT) mean3(m->e[0], m->e[1], m->em);
}

static void zero(factors *f) {
  for (int i = 0; i < 3; i++) f->r[i] = f->a[i] = f->b[i] = 0;
}

// c at the two poses: its mean over the mean of its length; 0 where it vanishes at both. Returns the mean length.
static double direction(double c[2][3], double *m) {
  double length = 0.5 * (norm3(c[0]) + norm3(c[1]));
  for (int i = 0; i < 3; i++) m[i] = length > 0 ? 0.5 * (c[0][i] + c[1][i]) / length : 0;
  return length;
}

// g = |r|
static void point_point(double r[2][3], factors *f) { direction(r, f->r); }

// g = |w x e|, w = x_a - x_b = -r: Dg = m . (Dw x em + wm x De), m = mean(w x e)/mean|w x e|.
// `f` gets `scale` times that, so that other gaps can use it.
static void add_off_axis(const moving *b, double r[2][3], const double *rm, double scale, factors *f) {
  double c[2][3], m[3], k[3];
  for (int i = 0; i < 2; i++) cross3(b->e[i], r[i], c[i]);
  direction(c, m);
  cross3(b->em, m, k);
  add3(f->r, -scale, k, f->r);
  cross3(m, rm, k);
  add3(f->b, -scale, k, f->b);
}

// g = -e_b . r
static void add_above_plane(const moving *b, const double *rm, double scale, factors *f) {
  add3(f->r, -scale, b->em, f->r);
  add3(f->b, -scale, rm, f->b);
}

// g = sqrt(z^2 + (rho - R)^2), z = e . w, rho = |w x e|: Dg = (mean z Dz + (mean rho - R) Drho)/mean g
static int point_circle(const moving *b, double r[2][3], const double *rm, factors *f) {
  double z[2], rho[2], g = 0, c[3], R = b->form.radius;
  for (int i = 0; i < 2; i++) {
    z[i] = -dot3(b->e[i], r[i]);
    cross3(b->e[i], r[i], c);
    rho[i] = norm3(c);
    g += 0.5 * hypot(z[i], rho[i] - R);
  }
  if (!(g > 0)) return 0;
  add_above_plane(b, rm, 0.5 * (z[0] + z[1]) / g, f);
  add_off_axis(b, r, rm, (0.5 * (rho[0] + rho[1]) - R) / g, f);
  return 1;
}

// g = -e_b . r - R q, q = |e_b x e_a|: Dq = m . (De_b x ea_m + eb_m x De_a)
static void circle_plane(const moving *a, const moving *b, const double *rm, factors *f) {
  double c[2][3], m[3], k[3];
  add_above_plane(b, rm, 1, f);
  for (int i = 0; i < 2; i++) cross3(b->e[i], a->e[i], c[i]);
  direction(c, m);
  cross3(a->em, m, k);
  add3(f->b, -a->form.radius, k, f->b);
  cross3(m, b->em, k);
  add3(f->a, -a->form.radius, k, f->a);
}

// g = c . r/s, c = e_a x e_b, s = |c|:
// Dg = [cm . Dr + rm . Dc - gm (cm . Dc)/sm]/sm, Dc = De_a x eb_m + ea_m x De_b       [bodies, 5]
static int line_line(const moving *a, const moving *b, double r[2][3], const double *rm, double sign, factors *f) {
  double c[2][3], m[3], k[3], g = 0;
  for (int i = 0; i < 2; i++) cross3(a->e[i], b->e[i], c[i]);
  double s = direction(c, f->r);
  if (!(s > 0)) return 0;
  for (int i = 0; i < 2; i++) g += 0.5 * dot3(c[i], r[i]) / norm3(c[i]);
  for (int i = 0; i < 3; i++) m[i] = sign * (rm[i] - g * f->r[i]) / s;
  cross3(b->em, m, f->a);
  cross3(m, a->em, k);
  copy3(f->b, k);
  scale3(sign, f->r);
  return 1;
}

// Factors for forms in the order of nsm_form_kind, r = x_b - x_a.
static int in_order(const moving *a, const moving *b, double sign, factors *f) {
  double r[2][3], rm[3];
  for (int i = 0; i < 2; i++) sub3(b->x[i], a->x[i], r[i]);
  mean3(r[0], r[1], rm);
  zero(f);
  if (a->form.kind == NSM_POINT) {
    if (b->form.kind == NSM_POINT) point_point(r, f);
    else if (b->form.kind == NSM_LINE) add_off_axis(b, r, rm, 1, f);
    else if (b->form.kind == NSM_PLANE) add_above_plane(b, rm, 1, f);
    else return point_circle(b, r, rm, f);
    return 1;
  }
  if (a->form.kind == NSM_CIRCLE && b->form.kind == NSM_PLANE) {
    circle_plane(a, b, rm, f);
    return 1;
  }
  return a->form.kind == NSM_LINE && b->form.kind == NSM_LINE && line_line(a, b, r, rm, sign, f);
}

// sign c . Dx of a point and c_e . De of a direction of a body, as six numbers.
static void half(const moving *m, const double *c, double sign, const double *c_e, double *d) {
  double local[3], k[3];
  for (int i = 0; i < 3; i++) d[i] = sign * c[i];
  back3(m->Rm, d, local);
  cross3(m->form.x, local, d + 3);
  if (m->form.kind == NSM_POINT) return;
  back3(m->Rm, c_e, local);
  cross3(m->form.e, local, k);
  add3(d + 3, 1, k, d + 3);
}

static double difference(const double *d, const double *displaced) {
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += d[i] * displaced[i];
  return sum;
}

// xi of one body: xi_r, and xi_w from R_B^T R_E = cay(xi_w): w = 2 tan(phi/2) axis, by (Q - Q^T)/(1 + trace Q) * 2.
static void increment(const nsm_pose *begin, const nsm_pose *end, double *xi) {
  double Q[9];
  sub3(end->r, begin->r, xi);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      Q[3 * i + j] = begin->R[i] * end->R[j] + begin->R[3 + i] * end->R[3 + j] + begin->R[6 + i] * end->R[6 + j];
  double k = 2 / (1 + Q[0] + Q[4] + Q[8]);
  xi[3] = k * (Q[7] - Q[5]);
  xi[4] = k * (Q[2] - Q[6]);
  xi[5] = k * (Q[3] - Q[1]);
}

static void body_point(const nsm_pose *pose, const double *place, double *x) {
  double arm[3];
  sub3(place, pose->r, arm);
  back3(pose->R, arm, x);
}

// Two rims, or a rim and a line: the mean of the normals and of the body's points, then a force pair p along the
// displacement of the points to each other, so that d . xi = g_E - g_B; as it acts in opposite directions on A and B
// momentum is kept. p is of the order of the square of the step.
static int by_correction(const nsm_moved *A, const nsm_moved *B, const nsm_touch *touch, double d[12]) {
  const nsm_pose *a0 = A->begin, *a1 = A->end, *b0 = B->begin, *b1 = B->end;
  nsm_touch t[2];
  double none[3] = { 0, 0, 0 }, xi[12], n[3], p[3], slip[3];
  if (!nsm_touch_at(A->shape, a0, B->shape, b0, touch->feature, touch->normal, t) ||
      !nsm_touch_at(A->shape, a1, B->shape, b1, touch->feature, t[0].normal, t + 1))
    return 0;
  moving a = { .form.kind = NSM_POINT }, b = { .form.kind = NSM_POINT };
  double x0[3], x1[3];
  body_point(a0, t[0].on_a, x0);
  body_point(a1, t[1].on_a, x1);
  mean3(x0, x1, a.form.x);
  body_point(b0, t[0].on_b, x0);
  body_point(b1, t[1].on_b, x1);
  mean3(x0, x1, b.form.x);
  follow(&a, a0, a1, a0->r);
  follow(&b, b0, b1, a0->r);
  mean3(t[0].normal, t[1].normal, n);
  increment(a0, a1, xi);
  increment(b0, b1, xi + 6);
  for (int i = 0; i < 3; i++) slip[i] = b.x[1][i] - b.x[0][i] - a.x[1][i] + a.x[0][i];
  half(&a, n, -1, none, d);
  half(&b, n, 1, none, d + 6);
  double miss = t[1].gap - t[0].gap - difference(d, xi), ss = dot3(slip, slip);
  for (int i = 0; i < 3; i++) p[i] = ss > 0 ? n[i] + miss / ss * slip[i] : n[i];
  half(&a, p, -1, none, d);
  half(&b, p, 1, none, d + 6);
  return 1;
}

int nsm_touch_gradient(const nsm_moved *A, const nsm_moved *B, const nsm_touch *touch, double d[12]) {
  moving a, b;
  factors f;
  double on[3];
  nsm_touch begin;
  if (!make_form(A->shape, nsm_feature_of_a(touch->feature), &a.form)) return 0;
  if (!make_form(B->shape, nsm_feature_of_b(touch->feature), &b.form)) return 0;
  nsm_form_kind low = a.form.kind < b.form.kind ? a.form.kind : b.form.kind;
  nsm_form_kind high = a.form.kind < b.form.kind ? b.form.kind : a.form.kind;
  if (low == NSM_CIRCLE && high != NSM_PLANE)
    return by_correction(A, B, touch, d);
  if (!nsm_touch_at(A->shape, A->begin, B->shape, B->begin, touch->feature, touch->normal, &begin)) return 0;
  body_point(A->begin, begin.on_a, on);
  place_near(&a.form, on);
  body_point(B->begin, begin.on_b, on);
  place_near(&b.form, on);
  follow(&a, A->begin, A->end, A->begin->r);
  follow(&b, B->begin, B->end, A->begin->r);
  int mirrored = a.form.kind > b.form.kind;
  if (!in_order(mirrored ? &b : &a, mirrored ? &a : &b, nsm_feature_mark(touch->feature) & 1 ? -1 : 1, &f)) return 0;
  half(&a, f.r, mirrored ? 1 : -1, mirrored ? f.b : f.a, d);
  half(&b, f.r, mirrored ? -1 : 1, mirrored ? f.a : f.b, d + 6);
  return 1;
}
