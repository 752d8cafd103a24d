// runtime/shapes/hull.h: random points, solids turned and with points on their faces, a sphere of ten thousand, clouds
// that are nearly flat; every property of a convex polyhedron, and the errors.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include "runtime/shapes/hull.h"
#include "runtime/shapes/orient.h"
#include "runtime/shapes/vector.h"
#include "chance.h"

enum { MOST = 10000 };
static double point[3 * MOST];

// All points within, faces convex and flat, edges of two faces that see each other from outside, Euler's formula, each
// corner in three faces at least.
static void verify(const nsm_hull *h, int n, const double *p, double tolerance, int faces_of_corner) {
  assert_int_equal(h->corners - h->edges + h->faces, 2);
  assert_true(h->faces >= 4);
  for (int f = 0; f < h->faces; f++) {
    const double *normal = h->normal + 3 * f;
    double unit = norm3(normal), most = -INFINITY;
    assert_true(fabs(unit - 1) < 1e-14);
    for (int i = 0; i < n; i++) most = fmax(most, dot3(normal, p + 3 * i));
    assert_true(fabs(most - h->level[f]) <= tolerance);
    int from = h->face_from[f], count = h->face_from[f + 1] - from;
    assert_true(count >= 3);
    for (int i = 0; i < count; i++) {
      const double *a = h->corner + 3 * h->face_corner[from + i];
      const double *b = h->corner + 3 * h->face_corner[from + (i + 1) % count];
      const double *c = h->corner + 3 * h->face_corner[from + (i + 2) % count];
      double u[3], v[3], turn[3];
      assert_true(fabs(dot3(normal, a) - h->level[f]) <= tolerance);
      sub3(b, a, u);
      sub3(c, b, v);
      cross3(u, v, turn);
      assert_true(dot3(turn, normal) > -tolerance * (norm3(u) + norm3(v)));
    }
  }
  int *seen = calloc((size_t)h->corners, sizeof(int));
  for (int i = 0; i < h->face_from[h->faces]; i++) seen[h->face_corner[i]]++;
  for (int i = 0; i < h->corners; i++) assert_true(seen[i] >= faces_of_corner);
  free(seen);
  for (int e = 0; e < h->edges; e++) {
    int a = h->edge_corner[2 * e], b = h->edge_corner[2 * e + 1];
    for (int side = 0; side < 2; side++) {
      int f = h->edge_face[2 * e + side], from = h->face_from[f], count = h->face_from[f + 1] - from, found = 0;
      for (int i = 0; i < count; i++)
        found += h->face_corner[from + i] == (side ? b : a) && h->face_corner[from + (i + 1) % count] == (side ? a : b);
      assert_int_equal(found, 1);
    }
  }
}

static nsm_hull *hull(int n, double flat) {
  nsm_hull_error error;
  nsm_hull *h = nsm_hull_of_points(n, point, flat, &error);
  assert_int_equal(error, NSM_HULL_MADE);
  assert_non_null(h);
  return h;
}

static void clouds(void **state) {
  (void)state;
  for (int trial = 0; trial < 400; trial++) {
    int n = 4 + choose(trial < 380 ? 60 : 3000), kind = trial % 4;
    for (int i = 0; i < n; i++) {
      double *p = point + 3 * i, size;
      for (int k = 0; k < 3; k++) p[k] = draw();
      size = norm3(p);
      for (int k = 0; k < 3; k++) {
        if (kind == 1) p[k] /= size;                    // all on a sphere
        if (kind == 2) p[k] = choose(5);                // on a grid: coplanar, collinear, doubled
        if (kind == 3) p[k] = p[k] * (k == 2 ? 1e-6 : 1) + 100;   // a plate, far from the origin
      }
    }
    nsm_hull_error error;
    nsm_hull *h = nsm_hull_of_points(n, point, NSM_FLAT, &error);
    if (kind == 2 && !h) { assert_in_range(error, NSM_HULL_POINT, NSM_HULL_FLAT); continue; }
    assert_non_null(h);
    verify(h, n, point, 1e-9, 3);
    if (kind == 1 && n < 60) assert_int_equal(h->corners, n);
    nsm_hull_free(h);
  }
}

static void turned_grid(int wide, double noise) {   // points in and on a box, turned
  double R[9];
  int n = 0;
  random_turn(R);
  for (int x = 0; x < wide; x++)
    for (int y = 0; y < wide; y++)
      for (int z = 0; z < wide; z++) {
        double p[3] = { x, 2 * y, 0.5 * z };
        turn3(R, p, point + 3 * n);
        for (int k = 0; k < 3; k++) point[3 * n + k] += noise * draw();
        n++;
      }
}

static void boxes_have_six_faces(void **state) {
  (void)state;
  for (int trial = 0; trial < 60; trial++) {
    int wide = 2 + trial % 6;
    turned_grid(wide, trial < 30 ? 0 : 1e-13);
    nsm_hull *h = hull(wide * wide * wide, NSM_FLAT);
    assert_int_equal(h->corners, 8);
    assert_int_equal(h->faces, 6);
    assert_int_equal(h->edges, 12);
    verify(h, wide * wide * wide, point, 1e-9, 3);
    nsm_hull_free(h);
    for (int i = 0; i < 3 * wide * wide * wide; i++) point[i] = (float)point[i];
    h = hull(wide * wide * wide, NSM_FLAT_SINGLE);
    assert_int_equal(h->faces, 6);
    assert_int_equal(h->corners, 8);
    verify(h, wide * wide * wide, point, 1e-5, 3);
    nsm_hull_free(h);
  }
}

// The dodecahedron: 12 pentagons.
static void pentagons(void **state) {
  (void)state;
  double g = (1 + sqrt(5)) / 2, R[9];
  int n = 0;
  random_turn(R);
  for (int s = 0; s < 8; s++) {
    double a = s & 1 ? 1 : -1, b = s & 2 ? 1 : -1, c = s & 4 ? 1 : -1;
    double p[2][3] = { { a, b, c }, { 0, a / g, b * g } };
    for (int k = 0; k < 3 && s < 4; k++, n++) {
      double x[3] = { p[1][k], p[1][(k + 1) % 3], p[1][(k + 2) % 3] };
      turn3(R, x, point + 3 * n);
    }
    turn3(R, p[0], point + 3 * n++);
  }
  assert_int_equal(n, 20);
  nsm_hull *h = hull(n, NSM_FLAT);
  assert_int_equal(h->corners, 20);
  assert_int_equal(h->faces, 12);
  for (int f = 0; f < 12; f++) assert_int_equal(h->face_from[f + 1] - h->face_from[f], 5);
  verify(h, n, point, 1e-9, 3);
  nsm_hull_free(h);
}

// Round solids of many sides, whose neighbours are nearly coplanar: at some number of sides they begin to merge.
static void nearly_flat(void **state) {
  (void)state;
  static const int many[6] = { 20, 300, 900, 1100, 1300, 1700 };
  for (int trial = 0; trial < 12; trial++) {
    double R[9], noise = trial % 2 ? 0 : 3e-7;
    int sides = many[trial / 2], n = 0;
    random_turn(R);
    for (int i = 0; i < 2 * sides; i++) {
      double angle = 2 * M_PI * i / sides, p[3] = { cos(angle), sin(angle), i < sides ? 0.3 : trial % 3 * 0.1 };
      if (trial % 3 == 2 && i >= sides) { p[0] *= 0.3; p[1] *= 0.3; }
      turn3(R, p, point + 3 * n);
      for (int k = 0; k < 3; k++) point[3 * n + k] += noise * draw();
      n++;
    }
    nsm_hull *h = hull(n, 1e-5);
    if (sides == 1700) assert_true(h->faces < sides + 2);
    verify(h, n, point, 1e-4, 2);   // two where the edge of two merged faces is bent
    nsm_hull_free(h);
  }
}

static void large_sphere(void **state) {
  (void)state;
  for (int i = 0; i < MOST; i++) {
    double *p = point + 3 * i, size;
    do { for (int k = 0; k < 3; k++) p[k] = draw(); size = norm3(p); } while (size > 1 || size < 1e-3);
    for (int k = 0; k < 3; k++) p[k] /= size;
  }
  nsm_hull *h = hull(MOST, NSM_FLAT);
  assert_true(h->corners > MOST - 200);
  assert_int_equal(h->corners - h->edges + h->faces, 2);
  nsm_hull_free(h);
}

static void signs_are_exact(void **state) {
  (void)state;
  for (int trial = 0; trial < 20000; trial++) {
    // Small integers times a power of two, far from the origin: the determinant in integers is exact.
    long long v[4][3], t[3][3];
    double p[4][3], scale = ldexp(1, choose(80) - 40), far = trial % 2 ? 1e6 : 0;
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < 3; k++) { v[i][k] = choose(5) + (long long)far; p[i][k] = scale * (double)v[i][k]; }
    for (int i = 0; i < 3; i++) for (int k = 0; k < 3; k++) t[i][k] = v[i + 1][k] - v[0][k];
    long long det = 0;
    for (int k = 0; k < 3; k++)
      det += t[2][k] * (t[0][(k + 1) % 3] * t[1][(k + 2) % 3] - t[0][(k + 2) % 3] * t[1][(k + 1) % 3]);
    assert_int_equal(nsm_orient3(p[0], p[1], p[2], p[3]), (det > 0) - (det < 0));
    long long area = t[0][0] * t[1][1] - t[0][1] * t[1][0];
    assert_int_equal(nsm_orient2(p[0], p[1], p[2]), (area > 0) - (area < 0));
  }
  // By a rounding error above a plane through the origin: the line below spans it.
  double a[3] = { 0.1, 0.1, 0.1 }, b[3] = { 0.3, 0.1, 0.2 }, c[3] = { 0.5, 0.3, 0.4 };
  for (int k = 0; k < 3; k++) {
    double d[3] = { a[0] + b[0] - c[0], a[1] + b[1] - c[1], a[2] + b[2] - c[2] }, up[3] = { d[0], d[1], d[2] };
    up[k] = nextafter(up[k], 1);
    assert_int_equal(nsm_orient3(a, b, c, up), -nsm_orient3(b, a, c, up));
    assert_int_equal(nsm_orient3(a, b, c, up), nsm_orient3(up, a, c, b));
  }
}

static void errors(void **state) {
  (void)state;
  static const struct { int n; double p[15]; nsm_hull_error error; } bad[] = {
    { 3, { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, NSM_HULL_FEW },
    { 4, { 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3 }, NSM_HULL_POINT },
    { 5, { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0.1, 0.1, 0.1 }, NSM_HULL_LINE },
    { 5, { 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0.3, 0.2, 1 }, NSM_HULL_FLAT },
    { 4, { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 1e-12 }, NSM_HULL_FLAT },
    { 4, { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, NAN, 1 }, NSM_HULL_NO_NUMBER },
    { 4, { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, INFINITY }, NSM_HULL_NO_NUMBER },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    nsm_hull_error error;
    assert_null(nsm_hull_of_points(bad[i].n, bad[i].p, NSM_FLAT, &error));
    assert_int_equal(error, bad[i].error);
    assert_true(strlen(nsm_hull_error_text(error)) > 5);
  }
  nsm_hull_error error;
  static const double line[] = { 0, 0, 1, 1, 2, 2, 3, 3 }, two[] = { 0, 0, 1, 0 }, one[] = { 1, 1, 1, 1, 1, 1 };
  assert_null(nsm_polygon_of_points(4, line, NSM_FLAT, &error));
  assert_int_equal(error, NSM_HULL_LINE);
  assert_null(nsm_polygon_of_points(2, two, NSM_FLAT, &error));
  assert_int_equal(error, NSM_HULL_FEW);
  assert_null(nsm_polygon_of_points(3, one, NSM_FLAT, &error));
  assert_int_equal(error, NSM_HULL_POINT);
}

static void polygons(void **state) {
  (void)state;
  for (int trial = 0; trial < 500; trial++) {
    int n = 3 + choose(30);
    for (int i = 0; i < 2 * n; i++) point[i] = trial % 2 ? draw() : choose(4);
    nsm_hull_error error;
    nsm_hull *h = nsm_polygon_of_points(n, point, NSM_FLAT, &error);
    if (!h) { assert_true(trial % 2 == 0 && (error == NSM_HULL_LINE || error == NSM_HULL_POINT)); continue; }
    assert_true(h->corners == h->faces && h->corners >= 3);
    for (int f = 0; f < h->faces; f++) {
      double most = -INFINITY;
      for (int i = 0; i < n; i++)
        most = fmax(most, h->normal[3 * f] * point[2 * i] + h->normal[3 * f + 1] * point[2 * i + 1]);
      assert_true(fabs(most - h->level[f]) < 1e-9);
      const double *a = h->corner + 3 * f, *b = h->corner + 3 * ((f + 1) % h->faces);
      assert_true(h->normal[3 * f] * (b[1] - a[1]) - h->normal[3 * f + 1] * (b[0] - a[0]) > 0);   // to the left
    }
    nsm_hull_free(h);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(clouds), cmocka_unit_test(boxes_have_six_faces), cmocka_unit_test(pentagons),
    cmocka_unit_test(nearly_flat), cmocka_unit_test(large_sphere), cmocka_unit_test(signs_are_exact),
    cmocka_unit_test(errors), cmocka_unit_test(polygons),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
