// runtime/shapes/planar.h: every combination against the hull of all differences of corners (the Minkowski difference)
// in long double; rates of gaps, discrete gradients, resting faces that keep their features.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include "runtime/shapes/hull.h"
#include "runtime/shapes/planar.h"
#include "chance.h"

typedef long double real;
enum { MOST = 12, ROOM = 32 };
static nsm_hull *hull[40];
static int hulls;

static nsm_shape random_shape(nsm_shape_kind kind) {
  nsm_shape s = shape_of(kind, between(0.2, 1.5), between(0.2, 1.5), 0);
  s.at[0] = draw();
  s.at[1] = draw();
  turn_z(7 * draw(), s.turn);
  if (kind == NSM_POLYGON) s.hull = hull[choose(hulls)];
  return s;
}

static void make_hulls(void) {
  for (hulls = 0; hulls < 40; hulls++) {
    double p[2 * MOST];
    nsm_hull_error error;
    do {
      for (int i = 0; i < 2 * MOST; i++) p[i] = draw();
    } while (!(hull[hulls] = nsm_polygon_of_points(3 + hulls % (MOST - 2), p, NSM_FLAT, &error)));
  }
}

static nsm_pose planar_pose(double wide, double angle) {
  nsm_pose p = { .r = { wide * draw(), wide * draw(), 0 } };
  turn_z(angle, p.R);
  return p;
}

// Corners in the world, from the definition of a shape, in long double; the radius around them.
static int corners_of(const nsm_shape *s, const nsm_pose *p, real (*x)[2], real *radius) {
  double own[4][2] = { { -s->size[0], -s->size[1] }, { s->size[0], -s->size[1] }, { s->size[0], s->size[1] },
                       { -s->size[0], s->size[1] } };
  int n = s->kind == NSM_DISK ? 1 : s->kind == NSM_RECTANGLE ? 4 : s->hull->corners;
  *radius = s->kind == NSM_DISK ? s->size[0] : 0;
  for (int i = 0; i < n; i++) {
    real u[2], v[2];
    for (int k = 0; k < 2; k++)
      u[k] = s->kind == NSM_DISK ? 0 : s->kind == NSM_RECTANGLE ? own[i][k] : s->hull->corner[3 * i + k];
    for (int k = 0; k < 2; k++) v[k] = (real)s->turn[3 * k] * u[0] + (real)s->turn[3 * k + 1] * u[1] + s->at[k];
    for (int k = 0; k < 2; k++) x[i][k] = (real)p->R[3 * k] * v[0] + (real)p->R[3 * k + 1] * v[1] + p->r[k];
  }
  return n;
}

static int by_place(const void *left, const void *right) {
  const real *l = left, *r = right;
  if (l[0] != r[0]) return l[0] < r[0] ? -1 : 1;
  return (l[1] > r[1]) - (l[1] < r[1]);
}

// The distance of the origin from the hull of n points, negative inside.
static real from_origin(int n, real (*p)[2]) {
  static real h[2 * MOST * MOST + 2][2];
  int count = 0;
  qsort(p, (size_t)n, sizeof *p, by_place);
  for (int pass = 0; pass < 2; pass++) {
    int first = count;
    for (int i = 0; i < n; i++) {
      const real *q = p[pass ? n - 1 - i : i];
      while (count - first >= 2) {
        const real *a = h[count - 2], *b = h[count - 1];
        if ((b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]) > 0) break;
        count--;
      }
      h[count][0] = q[0];
      h[count++][1] = q[1];
    }
    count--;
  }
  if (n == 1) return hypotl(p[0][0], p[0][1]);
  real nearest = INFINITY, deepest = -INFINITY;
  for (int i = 0; i < count; i++) {
    const real *a = h[i], *b = h[(i + 1) % count];
    real e[2] = { b[0] - a[0], b[1] - a[1] }, length = hypotl(e[0], e[1]);
    real t = -(a[0] * e[0] + a[1] * e[1]) / (length * length);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    nearest = fminl(nearest, hypotl(a[0] + t * e[0], a[1] + t * e[1]));
    deepest = fmaxl(deepest, (-a[0] * e[1] + a[1] * e[0]) / length);   // outward normal (e1, -e0), of the origin
  }
  return deepest > 0 ? nearest : deepest;
}

static real reference(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb) {
  real x[MOST][2], y[MOST][2], d[MOST * MOST][2], ra, rb;
  if (A->kind == NSM_HALFPLANE || B->kind == NSM_HALFPLANE) {
    const nsm_shape *plane = A->kind == NSM_HALFPLANE ? A : B, *s = plane == A ? B : A;
    const nsm_pose *pp = plane == A ? pa : pb, *ps = plane == A ? pb : pa;
    nsm_shape two = shape_of(NSM_RECTANGLE, 0, 0, 0);   // its origin and its normal
    memcpy(two.at, plane->at, sizeof two.at);
    memcpy(two.turn, plane->turn, sizeof two.turn);
    corners_of(&two, pp, y, &rb);
    two.size[1] = 1;
    real up[MOST][2], least = INFINITY;
    corners_of(&two, pp, up, &rb);
    int n = corners_of(s, ps, x, &ra);
    for (int i = 0; i < n; i++) {
      real g = (up[2][0] - y[2][0]) * (x[i][0] - y[2][0]) + (up[2][1] - y[2][1]) * (x[i][1] - y[2][1]);
      least = fminl(least, g);
    }
    return least - ra;
  }
  int n = corners_of(A, pa, x, &ra), m = corners_of(B, pb, y, &rb);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) for (int k = 0; k < 2; k++) d[i * m + j][k] = y[j][k] - x[i][k];
  return from_origin(n * m, d) - ra - rb;
}

static const nsm_shape_kind kinds[4] = { NSM_DISK, NSM_RECTANGLE, NSM_POLYGON, NSM_HALFPLANE };

// Moves B along the normal until the distance is about `want`.
static void bring_to(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, nsm_pose *pb, double want) {
  for (int k = 0; k < 12; k++) {
    double n[3], d = nsm_distance_planar(A, pa, B, pb, n);
    for (int j = 0; j < 2; j++) pb->r[j] += (want - d) * n[j];
  }
}

static void distances(void **state) {
  (void)state;
  int negative = 0, positive = 0;
  for (int trial = 0; trial < 60000; trial++) {
    nsm_shape A = random_shape(kinds[trial % 4]), B = random_shape(kinds[trial / 4 % 4]);
    if (A.kind == NSM_HALFPLANE && B.kind == NSM_HALFPLANE) continue;
    nsm_pose pa = planar_pose(1, 10 * draw()), pb = planar_pose(4, 10 * draw());
    if (trial / 16 % 3) bring_to(&A, &pa, &B, &pb, pow(10, between(-9, 0)) * (draw() > 0 ? 1 : -0.1));
    double n[3], d = nsm_distance_planar(&A, &pa, &B, &pb, n);
    real right = reference(&A, &pa, &B, &pb);
    assert_true(fabsl(d - right) < 1e-14L * 20);
    assert_true(fabs(n[0] * n[0] + n[1] * n[1] - 1) < 1e-13);
    nsm_touch t[ROOM];
    int count = nsm_touches_planar(&A, &pa, &B, &pb, INFINITY, t, ROOM), met = 0;
    assert_true(count >= 1 && count <= ROOM);
    for (int i = 0; i < count; i++) {
      met |= fabs(t[i].gap - d) < 2e-10;
      for (int k = 0; k < 3; k++) assert_true(fabs(t[i].on_b[k] - t[i].on_a[k] - t[i].gap * t[i].normal[k]) < 1e-14);
      for (int j = 0; j < i; j++) assert_true(t[i].feature != t[j].feature);
      nsm_touch again;
      nsm_touch_at_planar(&A, &pa, &B, &pb, t[i].feature, &again);
      assert_memory_equal(&again, &t[i], sizeof again);
      if (t[i].gap > 0 && d > 0) assert_true(t[i].gap >= d - 2e-10);
    }
    assert_true(met);
    (d < 0 ? negative++ : positive++);
    int below = nsm_touches_planar(&A, &pa, &B, &pb, d - 1e-9, t, ROOM);
    if (d > 0) assert_int_equal(below, 0);
  }
  assert_true(negative > 5000 && positive > 5000);
}

static nsm_pose end_of(const nsm_planar_step *s) {
  nsm_pose end = *s->pose;
  double c = cos(s->angle), d = sin(s->angle);
  for (int k = 0; k < 2; k++) {
    end.r[k] += s->shift[k];
    double x = s->pose->R[k], y = s->pose->R[3 + k];
    end.R[k] = c * x - d * y;
    end.R[3 + k] = d * x + c * y;
  }
  return end;
}

// The gap after a motion: d . increment is its change, exactly; for a small one it is the motion of the points.
static void gradients(void **state) {
  (void)state;
  for (int trial = 0; trial < 30000; trial++) {
    nsm_shape A = random_shape(kinds[trial % 4]), B = random_shape(kinds[trial / 4 % 4]);
    if (A.kind == NSM_HALFPLANE && B.kind == NSM_HALFPLANE) continue;
    nsm_pose pa = planar_pose(1, 10 * draw()), pb = planar_pose(4, 10 * draw());
    bring_to(&A, &pa, &B, &pb, 0.1 * draw());
    nsm_touch t[ROOM];
    int count = nsm_touches_planar(&A, &pa, &B, &pb, 1, t, ROOM);
    double size = trial % 3 ? 0.3 : 4;
    nsm_planar_step still_a = { &pa, { 0, 0 }, 0 }, still_b = { &pb, { 0, 0 }, 0 };
    nsm_planar_step a = { &pa, { size * draw(), size * draw() }, size * draw() };
    nsm_planar_step b = { &pb, { size * draw(), size * draw() }, size * draw() };
    double xi[6] = { a.shift[0], a.shift[1], a.angle, b.shift[0], b.shift[1], b.angle };
    for (int i = 0; i < count; i++) {
      nsm_pose end_a = end_of(&a), end_b = end_of(&b);
      nsm_touch end;
      nsm_touch_at_planar(&A, &end_a, &B, &end_b, t[i].feature, &end);
      double d[6], rate[6], change = end.gap - t[i].gap, sum = 0;
      nsm_planar_gradient(&A, &a, &B, &b, t[i].feature, d);
      for (int k = 0; k < 6; k++) sum += d[k] * xi[k];
      assert_true(fabs(sum - change) < (trial % 3 ? 1e-14 : 5e-14));
      // n . (v_B - v_A) of the material points, for unit velocities
      nsm_planar_gradient(&A, &still_a, &B, &still_b, t[i].feature, rate);
      const double *n = t[i].normal, *x = t[i].on_a, *y = t[i].on_b;
      double spin_a = n[1] * (x[0] - pa.r[0]) - n[0] * (x[1] - pa.r[1]);
      double spin_b = n[1] * (y[0] - pb.r[0]) - n[0] * (y[1] - pb.r[1]);
      double right[6] = { -n[0], -n[1], -spin_a, n[0], n[1], spin_b };
      for (int k = 0; k < 6; k++) assert_true(fabs(rate[k] - right[k]) < 1e-8);
    }
  }
}

// Boxes that rest on each other: two touches at the ends of the overlap, with the same names under noise of rounding
// and under slip.
static void resting_faces(void **state) {
  (void)state;
  for (int trial = 0; trial < 3000; trial++) {
    nsm_shape A = shape_of(NSM_RECTANGLE, 1, 0.5, 0), B = A;
    if (trial % 3) B.size[0] = between(0.3, 2);
    double off = trial % 3 == 2 ? between(-0.2, 0.2) : 0;
    nsm_pose pa = { .r = { 0, 0, 0 } }, pb = { .r = { off, 1, 0 } };
    unsigned long first[2] = { 0, 0 };
    for (int step = 0; step < 8; step++) {
      turn_z(1e-15 * draw(), pa.R);
      turn_z(1e-15 * draw(), pb.R);
      pb.r[1] = 1 + 1e-15 * draw();
      pb.r[0] = off + 1e-13 * draw();
      nsm_touch t[ROOM];
      assert_int_equal(nsm_touches_planar(&A, &pa, &B, &pb, 1e-3, t, ROOM), 2);
      double low = fmax(-1, pb.r[0] - B.size[0]), high = fmin(1, pb.r[0] + B.size[0]);
      if (t[0].on_a[0] > t[1].on_a[0]) { nsm_touch swap = t[0]; t[0] = t[1]; t[1] = swap; }
      assert_true(fabs(t[0].on_a[0] - low) < 1e-12 && fabs(t[1].on_a[0] - high) < 1e-12);
      for (int k = 0; k < 2; k++) {
        if (step) assert_true(t[k].feature == first[k]);
        first[k] = t[k].feature;
        assert_true(fabs(t[k].gap) < 1e-14 && t[k].normal[1] > 0.999);
      }
    }
  }
}

static void few_rooms(void **state) {
  (void)state;
  nsm_shape plane = shape_of(NSM_HALFPLANE, 0, 0, 0), box = shape_of(NSM_RECTANGLE, 1, 1, 0);
  nsm_pose pa = { .r = { 0, 0, 0 } }, pb = { .r = { 0, 1, 0 } };
  turn_z(0, pa.R);
  turn_z(0.1, pb.R);
  nsm_touch t[4], one;
  assert_int_equal(nsm_touches_planar(&plane, &pa, &box, &pb, 5, t, 4), 4);
  assert_int_equal(nsm_touches_planar(&plane, &pa, &box, &pb, 5, &one, 1), 1);
  double least = fmin(fmin(t[0].gap, t[1].gap), fmin(t[2].gap, t[3].gap));
  assert_true(one.gap == least);
  assert_int_equal(nsm_touches_planar(&plane, &pa, &box, &pb, 5, &one, 0), 0);
  assert_int_equal(nsm_touches_planar(&plane, &pa, &plane, &pb, 5, t, 4), 0);
  assert_true(isinf(nsm_distance_planar(&plane, &pa, &plane, &pb, NULL)));
}

int main(void) {
  make_hulls();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(distances), cmocka_unit_test(gradients), cmocka_unit_test(resting_faces),
    cmocka_unit_test(few_rooms),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  for (int i = 0; i < hulls; i++) nsm_hull_free(hull[i]);
  return failed;
}
