// The narrow phase: random pairs against the oracle, resting contacts that must not jump, rows as limits of gradients.
// The long form of the first test is tests/bench/shapes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "pairs.h"
#include "tests/unit/thin.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 64 };

static const nsm_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };

static nsm_shape shape(nsm_shape_kind kind, double a, double b, double c) {
  return (nsm_shape){ .kind = kind, .size = { a, b, c }, .turn = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
}

static nsm_pose placed(double x, double y, double z) {
  nsm_pose p = still;
  p.r[0] = x; p.r[1] = y; p.r[2] = z;
  return p;
}

// Turned by cay(w) in body axes.
static nsm_pose turned(nsm_pose p, double x, double y, double z) {
  double w[3] = { x, y, z }, R[9];
  turn_cayley(p.R, w, R);
  memcpy(p.R, R, sizeof R);
  return p;
}

static double about_z(double degrees) { return 2 * tan(degrees * 3.14159265358979323846 / 360); }

static void pairs_meet_the_oracle(void **state) {
  (void)state;
  for (int i = 0; i < PAIR_KINDS; i++) {
    int searched = i >= 15; // with a cylinder the oracle searches all directions: dearer
    verdict v = verify_pairs(pair_kinds[i][0], pair_kinds[i][1], searched ? 60 : 200, 900ull + (unsigned long long)i);
    int good = v.gap <= 1e-10 && v.attained <= 1e-10 && v.normal <= 1e-8 && v.least <= 1e-12 && v.below <= 1e-12 &&
               v.points <= 1e-11 && v.row <= 1e-14 && v.lost == 0 && v.better <= 1 && v.touches > 20;
    if (!good)
      print_message("%s, %s: gap %g attained %g normal %g least %g below %g points %g row %g lost %ld better %ld "
                    "touches %ld pair %ld\n", kind_name(pair_kinds[i][0]), kind_name(pair_kinds[i][1]), v.gap,
                    v.attained, v.normal, v.least, v.below, v.points, v.row, v.lost, v.better, v.touches, v.worst_pair);
    assert_true(good);
  }
}

static int touches(const nsm_shape *A, nsm_pose pa, const nsm_shape *B, nsm_pose pb, nsm_touch *t) {
  return nsm_touches(A, &pa, B, &pb, 0.01, t, ROOM);
}

// Rocks B by 1e-9 in many ways: the features stay the same, and no point moves by more than `most`.
static void stays(const nsm_shape *A, nsm_pose pa, const nsm_shape *B, nsm_pose pb, int count, double most) {
  nsm_touch t[ROOM], s[ROOM];
  int n = touches(A, pa, B, pb, t);
  if (n != count) {
    print_message("%s on %s: %d touches, not %d\n", kind_name(B->kind), kind_name(A->kind), n, count);
    for (int k = 0; k < n; k++)
      print_message("  %014lx gap %g n %g %g %g at %g %g %g\n", t[k].feature, t[k].gap, t[k].normal[0], t[k].normal[1],
                    t[k].normal[2], t[k].on_b[0], t[k].on_b[1], t[k].on_b[2]);
  }
  assert_int_equal(n, count);
  chance c = { 5 };
  for (int trial = 0; trial < 200 / THIN; trial++) {
    double d[6];
    for (int k = 0; k < 6; k++) d[k] = 1e-9 * uniform(&c, -1, 1);
    nsm_pose q = turned(pb, d[0], d[1], d[2]);
    for (int k = 0; k < 3; k++) q.r[k] += d[3 + k];
    assert_int_equal(touches(A, pa, B, q, s), n);
    for (int i = 0; i < n; i++) {
      int found = 0;
      for (int k = 0; k < n; k++) {
        if (s[k].feature != t[i].feature) continue;
        found = 1;
        for (int m = 0; m < 3; m++) {
          assert_true(fabs(s[k].on_b[m] - t[i].on_b[m]) <= most);
          assert_true(fabs(s[k].on_a[m] - t[i].on_a[m]) <= most);
          assert_true(fabs(s[k].normal[m] - t[i].normal[m]) <= 1e-5);
        }
      }
      assert_true(found);
    }
  }
}

static void resting_faces_do_not_jump(void **state) {
  (void)state;
  nsm_shape plane = shape(NSM_HALFSPACE, 0, 0, 0), cube = shape(NSM_BOX, 0.5, 0.5, 0.5);
  nsm_shape small = shape(NSM_BOX, 0.1, 0.2, 0.3), board = shape(NSM_BOX, 2, 1, 0.001);
  stays(&plane, still, &cube, placed(0.1, 0.2, 0.5), 4, 1e-8);
  stays(&plane, still, &board, placed(0, 0, 0.001), 4, 1e-8);
  stays(&cube, still, &cube, placed(0, 0, 1), 4, 1e-8);
  stays(&cube, still, &cube, placed(0, 0, 1 - 1e-9), 4, 1e-8);
  stays(&cube, still, &cube, placed(0, 0, 1 + 1e-6), 4, 1e-8);
  stays(&cube, still, &small, placed(0.1, 0.1, 0.8), 4, 1e-8);
  stays(&small, placed(0.1, 0.1, -0.8), &cube, still, 4, 1e-8);
  stays(&cube, still, &board, placed(0.3, 0, 0.501), 4, 1e-6);
  stays(&cube, still, &cube, turned(placed(0, 0, 1), 0, 0, about_z(45)), 8, 1e-7);
  stays(&cube, still, &cube, placed(0.3, 0.2, 1), 4, 1e-7);
}

static void resting_sides_do_not_jump(void **state) {
  (void)state;
  nsm_shape plane = shape(NSM_HALFSPACE, 0, 0, 0), cube = shape(NSM_BOX, 0.5, 0.5, 0.5);
  nsm_shape pill = shape(NSM_CAPSULE, 0.1, 0.3, 0), can = shape(NSM_CYLINDER, 0.1, 0.3, 0);
  nsm_pose lies = turned(placed(0, 0, 0.1), 0, 2, 0), on_cube = turned(placed(0, 0, 0.6), 0, 2, 0);
  stays(&plane, still, &pill, lies, 2, 1e-8);
  stays(&cube, still, &pill, on_cube, 2, 1e-8);
  stays(&pill, lies, &pill, turned(placed(0.05, 0, 0.3), 0, 2, 0), 2, 1e-7);
  stays(&plane, still, &can, lies, 2, 1e-8);
  stays(&cube, still, &can, on_cube, 2, 1e-8);
  // along an edge of the cube, from the side: two corners of the capsule's axis on it
  double h = sqrt(0.5) * 0.1;
  stays(&cube, still, &pill, turned(placed(0, 0.5 + h, 0.5 + h), 0, 2, 0), 2, 1e-7);
  // end on: the rim's deepest point and its four own ones
  nsm_touch t[ROOM];
  double tilts[] = { 0, 1e-12, 1e-9, 1e-6 };
  for (int k = 0; k < 4; k++) {
    int n = touches(&plane, still, &can, turned(placed(0, 0, 0.3), tilts[k], 0, 0), t);
    assert_int_equal(n, 5);
    n = touches(&cube, still, &can, turned(placed(0.2, 0.1, 0.8), tilts[k], 0, 0), t);
    assert_true(n >= 4 && n <= 5);
  }
}

// The corners of the area of contact are all there: the touches' hull carries a weight over any of its points.
static void overhang_is_covered(void **state) {
  (void)state;
  nsm_shape cube = shape(NSM_BOX, 0.5, 0.5, 0.5), can = shape(NSM_CYLINDER, 0.1, 0.3, 0);
  nsm_touch t[ROOM];
  // A can that stands over the edge x = 0.5 by half: where the rim crosses the edge, y = +-0.1 (1 - ...) is touched.
  int n = touches(&cube, still, &can, turned(placed(0.46, 0, 0.8), 1e-7, 1e-7, 0.3), t);
  double low = 1, high = -1, y = sqrt(0.01 - 0.04 * 0.04);
  for (int k = 0; k < n; k++)
    if (fabs(t[k].on_b[0] - 0.5) < 1e-4) { low = fmin(low, t[k].on_b[1]); high = fmax(high, t[k].on_b[1]); }
  assert_true(fabs(low + y) < 1e-5 && fabs(high - y) < 1e-5);
}

static void planes_end_with_their_faces(void **state) {
  (void)state;
  nsm_shape cube = shape(NSM_BOX, 0.5, 0.5, 0.5);
  nsm_touch t[ROOM];
  assert_int_equal(touches(&cube, still, &cube, placed(1.5, 0, 0), t), 0);
  assert_int_equal(touches(&cube, still, &cube, placed(1.02, 0, 1), t), 0);
  // stacked equal boxes: nothing pushes sideways
  int n = touches(&cube, still, &cube, placed(0, 0, 1 - 1e-7), t);
  for (int k = 0; k < n; k++) assert_true(t[k].normal[2] > 0.999);
  // room for fewer: the deepest stay
  nsm_pose q = turned(placed(0, 0, 1), 1e-4, 2e-4, 0), p = still;
  n = nsm_touches(&cube, &p, &cube, &q, 0.01, t, ROOM);
  double least = 1;
  for (int k = 0; k < n; k++) least = fmin(least, t[k].gap);
  assert_int_equal(nsm_touches(&cube, &p, &cube, &q, 0.01, t, 1), 1);
  assert_true(t[0].gap == least);
}

// As the poses meet, the discrete gradient is the row of the normal, and rows are rates of the material points.
static void rows_are_limits(void **state) {
  (void)state;
  chance c = { 77 };
  for (int i = 0; i < PAIR_KINDS; i++)
    for (int trial = 0; trial < (THIN > 1 ? 4 : 20); trial++) {
      nsm_shape A = random_shape(&c, pair_kinds[i][0], 1), B = random_shape(&c, pair_kinds[i][1], 0.7);
      nsm_pose pa, pb;
      nsm_touch t[ROOM];
      random_pair(&c, &A, &B, 0.01, &pa, &pb);
      int n = nsm_touches(&A, &pa, &B, &pb, 0.05, t, ROOM);
      for (int k = 0; k < n; k++) {
        double H[12], d[12], t1[3], t2[3];
        nsm_touch_row(t + k, t[k].normal, &pa, &pb, H);
        assert_true(nsm_touch_gradient(&(nsm_moved){ &A, &pa, &pa }, &(nsm_moved){ &B, &pb, &pb }, t + k, d));
        for (int m = 0; m < 12; m++) assert_true(fabs(H[m] - d[m]) < 1e-9);
        nsm_touch_slip(t[k].normal, t1, t2);
        double n1 = 0, n2 = 0, n12 = 0, l1 = 0;
        for (int m = 0; m < 3; m++) {
          n1 += t1[m] * t[k].normal[m];
          n2 += t2[m] * t[k].normal[m];
          n12 += t1[m] * t2[m];
          l1 += t1[m] * t1[m];
        }
        assert_true(fabs(n1) < 1e-15 && fabs(n2) < 1e-15 && fabs(n12) < 1e-15 && fabs(l1 - 1) < 1e-15);
      }
    }
  forget_hulls();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pairs_meet_the_oracle),    cmocka_unit_test(resting_faces_do_not_jump),
    cmocka_unit_test(resting_sides_do_not_jump), cmocka_unit_test(overhang_is_covered),
    cmocka_unit_test(planes_end_with_their_faces), cmocka_unit_test(rows_are_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
