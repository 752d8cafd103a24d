// runtime/shapes/mass.h: closed forms, hulls against tetrahedra in long double and against the same solid cut into
// pieces, sections of round shapes, principal axes, what has no volume.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include "runtime/shapes/hull.h"
#include "runtime/shapes/mass.h"
#include "runtime/shapes/vector.h"
#include "chance.h"

static nsm_mass mass_of(const nsm_shape *shape, int count) {
  nsm_mass m;
  assert_int_equal(nsm_mass_of(shape, count, &m), NSM_MASS_FOUND);
  return m;
}

static void near(double a, double b, double scale) { assert_true(fabs(a - b) <= 4e-14 * scale); }

static void same(const nsm_mass *a, const nsm_mass *b, double size) {
  near(a->volume, b->volume, b->volume);
  for (int k = 0; k < 3; k++) near(a->centre[k], b->centre[k], size);
  for (int k = 0; k < 9; k++) near(a->inertia[k], b->inertia[k], b->volume * size * size);
}

static nsm_shape placed(nsm_shape s) {
  random_turn(s.turn);
  for (int k = 0; k < 3; k++) s.at[k] = 2 * draw();
  return s;
}

// Sections: a round solid of radius r(z) has volume the integral of pi r^2, and second moments of pi r^4/4 across and
// of pi r^2 z^2 along; three-point Gauss rules are exact for the powers that occur.
static void sections(nsm_shape_kind kind, double r, double l, double *volume, double *across, double *along) {
  static const double at[3] = { -0.7745966692414834, 0, 0.7745966692414834 };
  static const double weight[3] = { 5 / 9.0, 8 / 9.0, 5 / 9.0 };
  double cut[4] = { -l - r, -l, l, l + r };
  int pieces = 3;
  if (kind == NSM_CYLINDER) { cut[0] = -l; cut[1] = l; pieces = 1; }
  *volume = *across = *along = 0;
  for (int p = 0; p < pieces; p++)
    for (int g = 0; g < 3; g++) {
      double half = (cut[p + 1] - cut[p]) / 2, z = (cut[p + 1] + cut[p]) / 2 + half * at[g];
      double beyond = fmax(fabs(z) - l, 0), square = r * r - beyond * beyond, w = M_PI * half * weight[g];
      *volume += w * square;
      *across += w * square * square / 4;
      *along += w * square * z * z;
    }
}

static void closed_forms(void **state) {
  (void)state;
  for (int trial = 0; trial < 200; trial++) {
    double a = between(0.1, 2), b = between(0.1, 2), c = between(0.1, 2), v, across, along;
    nsm_shape s = shape_of(NSM_BOX, a, b, c);
    nsm_mass m = mass_of(&s, 1);
    near(m.volume, 8 * a * b * c, m.volume);
    near(m.inertia[0], m.volume * (b * b + c * c) / 3, m.volume);
    near(m.inertia[4], m.volume * (a * a + c * c) / 3, m.volume);
    near(m.inertia[8], m.volume * (a * a + b * b) / 3, m.volume);
    s = shape_of(NSM_SPHERE, a, 0, 0);
    m = mass_of(&s, 1);
    near(m.volume, 4 * M_PI / 3 * a * a * a, m.volume);
    for (int k = 0; k < 9; k++) near(m.inertia[k], k % 4 ? 0 : 0.4 * m.volume * a * a, m.volume);
    for (int kind = 0; kind < 2; kind++) {
      s = shape_of(kind ? NSM_CAPSULE : NSM_CYLINDER, a, b, 0);
      m = mass_of(&s, 1);
      sections(s.kind, a, b, &v, &across, &along);
      near(m.volume, v, v);
      near(m.inertia[0], across + along, v * 10);
      near(m.inertia[4], across + along, v * 10);
      near(m.inertia[8], 2 * across, v * 10);
    }
    s = shape_of(NSM_DISK, a, 0, 0);
    m = mass_of(&s, 1);
    near(m.volume, M_PI * a * a, m.volume);
    near(m.inertia[8], m.volume * a * a / 2, m.volume);
    s = shape_of(NSM_RECTANGLE, a, b, 0);
    m = mass_of(&s, 1);
    near(m.volume, 4 * a * b, m.volume);
    near(m.inertia[8], m.volume * (a * a + b * b) / 3, m.volume);
  }
}

// A box as one shape, as a hull, and as a union of eight boxes, however placed.
static void boxes_in_pieces(void **state) {
  (void)state;
  for (int trial = 0; trial < 100; trial++) {
    double half[3] = { between(0.2, 1), between(0.2, 1), between(0.2, 1) }, corner[24];
    nsm_shape box = placed(shape_of(NSM_BOX, half[0], half[1], half[2])), piece[8], solid = box;
    for (int i = 0; i < 8; i++) {
      double x[3], arm[3];
      for (int k = 0; k < 3; k++) {
        corner[3 * i + k] = (i >> k & 1 ? 1 : -1) * half[k];
        x[k] = corner[3 * i + k] / 2;
      }
      piece[i] = box;
      turn3(box.turn, x, arm);
      for (int k = 0; k < 3; k++) { piece[i].size[k] = half[k] / 2; piece[i].at[k] += arm[k]; }
    }
    nsm_hull_error error;
    nsm_hull *hull = nsm_hull_of_points(8, corner, NSM_FLAT, &error);
    solid.kind = NSM_CONVEX;
    solid.hull = hull;
    nsm_mass one = mass_of(&box, 1), eight = mass_of(piece, 8), of_hull = mass_of(&solid, 1);
    same(&eight, &one, 4);
    same(&of_hull, &one, 4);
    nsm_hull_free(hull);
  }
}

// Random polyhedra against tetrahedra from a random point, summed in long double about the origin.
static void polyhedra(void **state) {
  (void)state;
  for (int trial = 0; trial < 300; trial++) {
    double point[90], far = trial % 3 == 2 ? 1000 : 0;
    int n = 4 + choose(27);
    for (int i = 0; i < 3 * n; i++) point[i] = far + draw();
    nsm_hull_error error;
    nsm_hull *h = nsm_hull_of_points(n, point, NSM_FLAT, &error);
    assert_non_null(h);
    nsm_shape s = shape_of(NSM_CONVEX, 0, 0, 0);
    s.hull = h;
    nsm_mass m = mass_of(&s, 1);
    long double V = 0, first[3] = { 0 }, second[3][3] = { { 0 } }, p[4][3];
    for (int k = 0; k < 3; k++) p[0][k] = far + (long double)draw();
    for (int f = 0; f < h->faces; f++)
      for (int i = h->face_from[f] + 1; i + 1 < h->face_from[f + 1]; i++) {
        int c[3] = { h->face_corner[h->face_from[f]], h->face_corner[i], h->face_corner[i + 1] };
        long double e[3][3], v = 0;
        for (int j = 0; j < 3; j++)
          for (int k = 0; k < 3; k++) {
            p[j + 1][k] = h->corner[3 * c[j] + k];
            e[j][k] = p[j + 1][k] - p[0][k];
          }
        for (int k = 0; k < 3; k++)
          v += e[0][k] * (e[1][(k + 1) % 3] * e[2][(k + 2) % 3] - e[1][(k + 2) % 3] * e[2][(k + 1) % 3]) / 6;
        V += v;
        for (int a = 0; a < 3; a++) {
          for (int j = 0; j < 4; j++) first[a] += v * p[j][a] / 4;
          for (int b = 0; b < 3; b++)
            for (int j = 0; j < 4; j++)
              for (int k = 0; k < 4; k++) second[a][b] += v / 20 * (1 + (j == k)) * p[j][a] * p[k][b];
        }
      }
    double scale = far ? 1e-8 : 1e-14;   // the sums about the origin lose far^2 in the reference, too
    assert_true(fabsl(m.volume - V) < (far ? 1e-12 : 1e-14));
    for (int a = 0; a < 3; a++) assert_true(fabsl(m.centre[a] - first[a] / V) < (far ? 1e-10 : 1e-13) / m.volume);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) {
        long double trace = 0, off = second[a][b] - first[a] * first[b] / V;
        for (int k = 0; k < 3; k++) trace += second[k][k] - first[k] * first[k] / V;
        assert_true(fabsl(m.inertia[3 * a + b] - (a == b ? trace : 0) + off) < 10 * scale);
      }
    nsm_hull_free(h);
  }
}

// A rectangle as a polygon, in four triangles, and as itself.
static void polygons(void **state) {
  (void)state;
  for (int trial = 0; trial < 100; trial++) {
    double a = between(0.1, 2), b = between(0.1, 2), mid[2] = { a * 0.3, b * 0.4 };
    double p[8] = { -a, -b, a, -b, a, b, -a, b };
    nsm_shape one = shape_of(NSM_RECTANGLE, a, b, 0), part[4], whole;
    nsm_hull *hull[5];
    nsm_hull_error error;
    turn_z(3 * draw(), one.turn);
    one.at[0] = draw();
    one.at[1] = draw();
    whole = one;
    whole.kind = NSM_POLYGON;
    whole.hull = hull[4] = nsm_polygon_of_points(4, p, NSM_FLAT, &error);
    for (int i = 0; i < 4; i++) {
      double t[6] = { p[2 * i], p[2 * i + 1], p[(2 * i + 2) % 8], p[(2 * i + 3) % 8], mid[0], mid[1] };
      part[i] = whole;
      part[i].hull = hull[i] = nsm_polygon_of_points(3, t, NSM_FLAT, &error);
    }
    nsm_mass first = mass_of(&one, 1), second = mass_of(&whole, 1), third = mass_of(part, 4);
    same(&second, &first, 3);
    same(&third, &first, 3);
    for (int i = 0; i < 5; i++) nsm_hull_free(hull[i]);
  }
}

static void principal_axes(void **state) {
  (void)state;
  for (int trial = 0; trial < 2000; trial++) {
    double R[9], want[3], half[9], J[9], moment[3], axes[9], D[9] = { 0 };
    random_turn(R);
    for (int k = 0; k < 3; k++) want[k] = trial % 4 == 0 ? 1 + k / 2 : pow(10, 3 * draw());
    if (trial % 4 == 1) no_turn(R);
    for (int k = 0; k < 3; k++) D[4 * k] = want[k];
    product3(R, D, half);
    product_back3(half, R, J);
    nsm_principal(J, moment, axes);
    assert_true(moment[0] >= moment[1] && moment[1] >= moment[2]);
    near(moment[0] + moment[1] + moment[2], want[0] + want[1] + want[2], moment[0]);
    near(moment[0], fmax(want[0], fmax(want[1], want[2])), moment[0]);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double back = 0, unit = 0;
        for (int k = 0; k < 3; k++) {
          back += axes[3 * i + k] * moment[k] * axes[3 * j + k];
          unit += axes[3 * k + i] * axes[3 * k + j];
        }
        near(back, J[3 * i + j], moment[0]);
        near(unit, i == j, 1);
      }
    double x[3] = { axes[0], axes[3], axes[6] }, y[3] = { axes[1], axes[4], axes[7] };
    double z[3] = { axes[2], axes[5], axes[8] }, c[3];
    cross3(x, y, c);
    assert_true(dot3(c, z) > 0.99);
  }
}

static void faults(void **state) {
  (void)state;
  nsm_mass m;
  nsm_shape two[2] = { shape_of(NSM_BOX, 1, 1, 1), shape_of(NSM_DISK, 1, 0, 0) };
  assert_int_equal(nsm_mass_of(two, 2, &m), NSM_MASS_MIXED);
  two[1] = shape_of(NSM_HALFSPACE, 0, 0, 0);
  assert_int_equal(nsm_mass_of(two, 2, &m), NSM_MASS_ENDLESS);
  static const struct { nsm_shape_kind kind; double size[3]; } bad[] = {
    { NSM_BOX, { 1, 0, 1 } }, { NSM_BOX, { -1, -1, 1 } }, { NSM_SPHERE, { -1 } }, { NSM_SPHERE, { NAN } },
    { NSM_SPHERE, { INFINITY } }, { NSM_CYLINDER, { 1, 0 } }, { NSM_CAPSULE, { 1, -0.5 } }, { NSM_DISK, { 0 } },
    { NSM_RECTANGLE, { 1, -1 } }, { NSM_SPHERE, { 1e200 } }, { NSM_SPHERE, { 1e-200 } },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    nsm_shape s = shape_of(bad[i].kind, bad[i].size[0], bad[i].size[1], bad[i].size[2]);
    assert_int_equal(nsm_mass_of(&s, 1, &m), NSM_MASS_NO_VOLUME);
  }
  assert_int_equal(nsm_mass_of(two, 0, &m), NSM_MASS_NO_VOLUME);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(closed_forms), cmocka_unit_test(boxes_in_pieces), cmocka_unit_test(polyhedra),
    cmocka_unit_test(polygons), cmocka_unit_test(principal_axes), cmocka_unit_test(faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
