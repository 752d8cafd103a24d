#include "pairs.h"
#include <math.h>

const nsm_shape_kind pair_kinds[PAIR_KINDS][2] = {
  { NSM_SPHERE, NSM_SPHERE },      { NSM_SPHERE, NSM_CAPSULE },    { NSM_CAPSULE, NSM_CAPSULE },
  { NSM_SPHERE, NSM_BOX },         { NSM_CAPSULE, NSM_BOX },       { NSM_BOX, NSM_BOX },
  { NSM_SPHERE, NSM_CONVEX },      { NSM_CAPSULE, NSM_CONVEX },    { NSM_BOX, NSM_CONVEX },
  { NSM_CONVEX, NSM_CONVEX },      { NSM_SPHERE, NSM_HALFSPACE },  { NSM_CAPSULE, NSM_HALFSPACE },
  { NSM_BOX, NSM_HALFSPACE },      { NSM_CONVEX, NSM_HALFSPACE },  { NSM_CYLINDER, NSM_HALFSPACE },
  { NSM_CYLINDER, NSM_SPHERE },    { NSM_CYLINDER, NSM_CAPSULE },  { NSM_CYLINDER, NSM_BOX },
  { NSM_CYLINDER, NSM_CONVEX },    { NSM_CYLINDER, NSM_CYLINDER },
};

const char *kind_name(nsm_shape_kind kind) {
  static const char *names[] = { "sphere", "box", "capsule", "cylinder", "half-space", "convex" };
  return names[kind];
}

static void keep(double *worst, double x, verdict *v) {
  if (x > 1e-8 && x > *worst) v->worst_pair = v->pairs; // a failure to look at
  if (x > *worst) *worst = x;
}

// d . xi = g_E - g_B for a random motion of both bodies.
static void verify_gradient(chance *c, const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb,
                           const nsm_touch *touch, double scale, verdict *v) {
  double xi[12], d[12], step = pow(10, uniform(c, -4, -1.5));
  nsm_pose ea = *pa, eb = *pb;
  for (int k = 0; k < 12; k++) xi[k] = step * uniform(c, -1, 1);
  turn_cayley(pa->R, xi + 3, ea.R);
  turn_cayley(pb->R, xi + 9, eb.R);
  for (int k = 0; k < 3; k++) {
    // what is really added, after rounding
    ea.r[k] += xi[k] *= scale;
    eb.r[k] += xi[6 + k] *= scale;
    xi[k] = ea.r[k] - pa->r[k];
    xi[6 + k] = eb.r[k] - pb->r[k];
  }
  nsm_touch begin, end;
  if (!nsm_touch_at(A, pa, B, pb, touch->feature, touch->normal, &begin)) { keep(&v->row, 1, v); return; }
  keep(&v->row, fabs(begin.gap - touch->gap) / scale, v);
  if (!nsm_touch_at(A, &ea, B, &eb, touch->feature, begin.normal, &end)) return;
  const nsm_moved a = { A, pa, &ea }, b = { B, pb, &eb };
  if (!nsm_touch_gradient(&a, &b, touch, d)) { keep(&v->row, 1, v); return; }
  double change = 0;
  for (int k = 0; k < 12; k++) change += d[k] * xi[k];
  keep(&v->row, fabs(change - (end.gap - begin.gap)) / scale, v);
}

static void verify(chance *c, const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb,
                  double scale, verdict *v) {
  real n[3], m[3], sharp, d = oracle_distance(A, pa, B, pb, n, &sharp);
  double normal[3], ours = nsm_shape_distance(A, pa, B, pb, normal);
  for (int k = 0; k < 3; k++) m[k] = normal[k];
  double at = (double)oracle_value(A, pa, B, pb, m);
  // A value that f attains is a lower bound whatever the search found.
  if (ours > (double)d + 1e-10 && at > (double)d + 1e-10) v->better++;
  else keep(&v->gap, fabs(ours - (double)d) / scale, v);
  if (A->kind != NSM_HALFSPACE && B->kind != NSM_HALFSPACE) keep(&v->attained, fabs(ours - at) / scale, v);
  if (sharp > 1e-5L) {
    double apart = 0;
    for (int k = 0; k < 3; k++) apart += (normal[k] - (double)n[k]) * (normal[k] - (double)n[k]);
    v->normals++;
    keep(&v->normal, sqrt(apart), v);
  }
  nsm_touch t[64];
  double margin = 0.05 * scale, least = INFINITY;
  int found = nsm_touches(A, pa, B, pb, margin, t, 64);
  v->touches += found;
  for (int i = 0; i < found; i++) {
    double off = 0;
    least = fmin(least, t[i].gap);
    keep(&v->below, (ours - t[i].gap) / scale, v);
    for (int k = 0; k < 3; k++) off = fmax(off, fabs(t[i].on_b[k] - t[i].on_a[k] - t[i].gap * t[i].normal[k]));
    keep(&v->points, off / scale, v);
  }
  if (found) keep(&v->least, fabs(least - ours) / scale, v);
  else if (ours < 0.999 * margin) { v->lost++; v->worst_pair = v->pairs; }
  if (found) verify_gradient(c, A, pa, B, pb, t + (int)uniform(c, 0, found), scale, v);
}

verdict verify_pairs(nsm_shape_kind a, nsm_shape_kind b, long count, unsigned long long seed) {
  verdict v = { .worst_pair = -1 };
  for (long i = 0; i < count; i++) {
    chance c = { seed * 1000003 + (unsigned long long)i * 7919 + 17 };
    for (int k = 0; k < 4; k++) uniform(&c, 0, 1);
    double scale = 1, other = pow(10, uniform(&c, -1, 0));
    nsm_shape A = random_shape(&c, a, scale), B = random_shape(&c, b, other);
    if (uniform(&c, 0, 1) < 0.5) { nsm_shape swap = A; A = B; B = swap; }
    static const double gaps[] = { 0, 1e-9, -1e-9, 1e-6, -1e-6, 1e-4, -1e-4, 1e-2, -1e-2, -0.1, 0.1 };
    double gap = uniform(&c, 0, 1) < 0.8 ? gaps[(int)uniform(&c, 0, 11)] : uniform(&c, -0.3, 0.6);
    nsm_pose pa, pb;
    random_pair(&c, &A, &B, gap * (gap < -1e-3 ? other : 1), &pa, &pb);
    v.pairs = i;
    verify(&c, &A, &pa, &B, &pb, scale, &v);
    if (i % 1000 == 999) forget_hulls();
  }
  v.pairs = count;
  forget_hulls();
  return v;
}
