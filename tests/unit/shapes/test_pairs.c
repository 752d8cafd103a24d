// runtime/shapes/pairs.h against all pairs: sizes of 1000 to 1, things that move and turn, boards, half-spaces, sides,
// far outliers; the same list twice; nothing allocated or remade while nothing moves.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include "runtime/shapes/pairs.h"
#include "runtime/shapes/vector.h"
#include "chance.h"
#include "tests/unit/thin.h"

enum { MOST = 700 };
static nsm_extent bound[MOST];
static unsigned char side[MOST];
static nsm_pose pose[MOST];
static double reach[MOST], speed[MOST][3];

static int meet(int a, int b) {
  if (a & b & NSM_SIDE_FIXED) return 0;
  return (a & NSM_SIDE_A && b & NSM_SIDE_B) || (a & NSM_SIDE_B && b & NSM_SIDE_A);
}

static int index_of(const nsm_pair *list, int count, int a, int b) {
  int low = 0, high = count;
  while (low < high) {
    int m = (low + high) / 2;
    if (list[m].a < a || (list[m].a == a && list[m].b < b)) low = m + 1; else high = m;
  }
  return low < count && list[low].a == a && list[low].b == b ? low : -1;
}

// Every pair that is near is listed, each once and in order, none that may not meet.
static void verify(nsm_pairs *p, int n) {
  int count, near = 0;
  const nsm_pair *list = nsm_pairs_list(p, &count);
  for (int i = 0; i < count; i++) {
    assert_true(list[i].a < list[i].b && meet(side[list[i].a], side[list[i].b]));
    if (i) assert_true(list[i - 1].a < list[i].a || (list[i - 1].a == list[i].a && list[i - 1].b < list[i].b));
  }
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++)
      if (meet(side[a], side[b]) && nsm_pairs_near(p, (nsm_pair){ a, b }, pose, reach)) {
        assert_true(index_of(list, count, a, b) >= 0);
        near++;
      }
  assert_true(near <= count);
}

static void place_at_random(int n, double wide) {
  for (int i = 0; i < n; i++) {
    pose[i] = random_pose(wide);
    reach[i] = 0;
    side[i] = NSM_SIDE_A | NSM_SIDE_B;
    for (int k = 0; k < 3; k++) speed[i][k] = draw();
  }
}

static void move(int n, double step) {
  for (int i = 0; i < n; i++) {
    if (side[i] & NSM_SIDE_FIXED) continue;
    double turn[9], R[9];
    for (int k = 0; k < 3; k++) pose[i].r[k] += step * speed[i][k];
    turn_z(step * speed[i][0], turn);
    product3(pose[i].R, turn, R);
    memcpy(pose[i].R, R, sizeof R);
  }
}

static nsm_extent bound_of(nsm_shape shape) {
  nsm_extent b;
  nsm_extent_of(&shape, 1, &b);
  return b;
}

static void spheres_of_all_sizes(void **state) {
  (void)state;
  for (int scene = 0; scene < 12; scene += THIN > 1 ? 5 : 1) {
    int n = scene < 4 ? 10 * scene + 1 : MOST, planar = scene % 3 == 2;
    place_at_random(n, scene % 2 ? 4 : 20);
    for (int i = 0; i < n; i++) {
      bound[i] = bound_of(shape_of(NSM_SPHERE, pow(10, -3 * between(0, 1)), 0, 0));
      reach[i] = 0.01 * between(0, 1);
      if (planar) pose[i].r[2] = speed[i][2] = 0;
      if (scene % 4 == 3) side[i] = (unsigned char)(1 + choose(7));
    }
    nsm_pairs *p = nsm_pairs_new(n, bound, side);
    assert_non_null(p);
    int made = 0;
    for (int step = 0; step < 30; step++) {
      int what = nsm_pairs_update(p, pose, reach);
      assert_true(what >= 0);
      made += what;
      verify(p, n);
      move(n, 0.01);
    }
    assert_true(made >= 1 && made <= 30);
    nsm_pairs_free(p);
  }
}

static void boards_and_half_spaces(void **state) {
  (void)state;
  for (int scene = 0; scene < 6; scene++) {
    int n = 300;
    place_at_random(n, 6);
    for (int i = 0; i < n; i++)
      switch (i % 10) {
      case 0: bound[i] = bound_of(shape_of(NSM_BOX, 3, 1, 0.02)); break;
      case 1: bound[i] = bound_of(shape_of(NSM_CAPSULE, 0.05, 1, 0)); break;
      case 2: bound[i] = bound_of(shape_of(NSM_CYLINDER, 0.4, 0.02, 0)); break;
      default: bound[i] = bound_of(shape_of(NSM_SPHERE, 0.1 + 0.1 * (i % 3), 0, 0));
      }
    bound[7] = bound[200] = bound_of(shape_of(NSM_HALFSPACE, 0, 0, 0));
    side[7] |= NSM_SIDE_FIXED;
    if (scene % 2) side[200] |= NSM_SIDE_FIXED;
    nsm_pairs *p = nsm_pairs_new(n, bound, side);
    for (int step = 0; step < 25; step++) {
      assert_true(nsm_pairs_update(p, pose, reach) >= 0);
      verify(p, n);
      move(n, scene < 3 ? 0.004 : 0.1);
    }
    nsm_pairs_free(p);
  }
}

// A board is near what is near its box, not what is in its sphere.
static void box_of_a_floor(void **state) {
  (void)state;
  int n = 200, count;
  place_at_random(n, 5);
  bound[0] = bound_of(shape_of(NSM_BOX, 10, 10, 0.1));
  no_turn(pose[0].R);
  for (int k = 0; k < 3; k++) pose[0].r[k] = 0;
  for (int i = 1; i < n; i++) {
    bound[i] = bound_of(shape_of(NSM_SPHERE, 0.01, 0, 0));
    pose[i].r[2] = i < 11 ? 0.11 : 1 + fabs(pose[i].r[2]);
    side[i] = NSM_SIDE_B;
  }
  side[0] = NSM_SIDE_A | NSM_SIDE_FIXED;
  nsm_pairs *p = nsm_pairs_new(n, bound, side);
  assert_int_equal(nsm_pairs_update(p, pose, reach), 1);
  nsm_pairs_list(p, &count);
  assert_int_equal(count, 10);
  nsm_pairs_free(p);
}

// A bar that turns in place comes near what its sphere, but not its box, held before.
static void bar_that_turns(void **state) {
  (void)state;
  int n = 41, count, most = 0;
  place_at_random(n, 1);
  bound[0] = bound_of(shape_of(NSM_BOX, 3, 0.1, 0.1));
  side[0] = NSM_SIDE_A;
  memset(pose[0].r, 0, sizeof pose[0].r);
  for (int i = 1; i < n; i++) {
    double angle = 3.14 * i / n;
    bound[i] = bound_of(shape_of(NSM_SPHERE, 0.05, 0, 0));
    pose[i].r[0] = 2.5 * cos(angle);
    pose[i].r[1] = 2.5 * sin(angle);
    pose[i].r[2] = 0;
    side[i] = NSM_SIDE_B;
  }
  nsm_pairs *p = nsm_pairs_new(n, bound, side);
  for (int step = 0; step < 200; step++) {
    turn_z(0.015 * step, pose[0].R);
    assert_true(nsm_pairs_update(p, pose, reach) >= 0);
    nsm_pairs_list(p, &count);
    most = count > most ? count : most;
    verify(p, n);
  }
  assert_in_range(most, 1, 20);
  nsm_pairs_free(p);
}

// The nearest and the farthest of unions: no corner beyond the bound's sphere, nor beyond its box.
static void bound_of_unions(void **state) {
  (void)state;
  for (int trial = 0; trial < 200 / THIN; trial++) {
    nsm_shape shape[3] = { shape_of(NSM_BOX, 1, 0.5, 0.2), shape_of(NSM_CYLINDER, 0.3, 2, 0),
                           shape_of(NSM_CAPSULE, 0.2, 1, 0) };
    for (int i = 0; i < 3; i++) {
      random_turn(shape[i].turn);
      for (int k = 0; k < 3; k++) shape[i].at[k] = draw();
    }
    nsm_extent b;
    int count = trial % 2 ? 3 : 1, kind = trial % 3;
    if (count == 1) shape[0] = shape[kind];
    nsm_extent_of(shape, count, &b);
    double most = 0;
    for (int i = 0; i < count; i++)
      for (int k = 0; k < 400; k++) {
        double x[3], in_body[3], own[3], arm[3];
        double *size = shape[i].size, angle = between(0, 6.2831853071795865), tilt = between(0, 3.141592653589793);
        if (shape[i].kind == NSM_BOX) for (int j = 0; j < 3; j++) x[j] = size[j] * (choose(2) ? 1 : -1);
        else {
          double r = shape[i].kind == NSM_CAPSULE ? size[0] * sin(tilt) : size[0];
          double end = shape[i].kind == NSM_CAPSULE ? size[0] * cos(tilt) : 0;
          x[0] = r * cos(angle); x[1] = r * sin(angle);
          x[2] = end + (choose(2) ? size[1] : -size[1]);
        }
        turn3(shape[i].turn, x, in_body);
        for (int j = 0; j < 3; j++) in_body[j] += shape[i].at[j];
        most = fmax(most, norm3(in_body));
        sub3(in_body, b.at, arm);
        back3(b.turn, arm, own);
        for (int j = 0; j < 3; j++) assert_true(own[j] >= b.low[j] - 1e-12 && own[j] <= b.high[j] + 1e-12);
      }
    assert_true(most <= b.radius + 1e-12);
    assert_true(most >= 0.9 * b.radius);
  }
}

static void outliers_and_no_numbers(void **state) {
  (void)state;
  int n = 400, count;
  place_at_random(n, 3);
  for (int i = 0; i < n; i++) bound[i] = bound_of(shape_of(NSM_SPHERE, 0.3, 0, 0));
  for (int i = 0; i < 40; i++)
    for (int k = 0; k < 3; k++) pose[i].r[k] *= pow(10, between(0, 300));
  pose[50].r[1] = NAN;
  pose[60].r[0] = INFINITY;
  nsm_pairs *p = nsm_pairs_new(n, bound, side);
  assert_int_equal(nsm_pairs_update(p, pose, reach), 1);
  const nsm_pair *list = nsm_pairs_list(p, &count);
  for (int i = 0; i < count; i++) assert_true(list[i].a != 50 && list[i].b != 50);
  for (int a = 70; a < n; a++)
    for (int b = a + 1; b < n; b++)
      if (nsm_pairs_near(p, (nsm_pair){ a, b }, pose, reach)) assert_true(index_of(list, count, a, b) >= 0);
  nsm_pairs_free(p);
}

static void rest_remakes_nothing(void **state) {
  (void)state;
  int n = 600, count, again;
  place_at_random(n, 3);
  for (int i = 0; i < n; i++) bound[i] = bound_of(shape_of(NSM_SPHERE, 0.3, 0, 0));
  nsm_pairs *p = nsm_pairs_new(n, bound, side), *q = nsm_pairs_new(n, bound, side);
  assert_int_equal(nsm_pairs_update(p, pose, reach), 1);
  assert_int_equal(nsm_pairs_update(q, pose, reach), 1);
  const nsm_pair *list = nsm_pairs_list(p, &count), *other = nsm_pairs_list(q, &again);
  assert_int_equal(count, again);
  assert_memory_equal(list, other, (size_t)count * sizeof *list);
  for (int step = 0; step < 50; step++) {
    for (int i = 0; i < n; i++) pose[i].r[step % 3] += 1e-3 * (step % 6 < 3 ? 0.3 : -0.3);
    assert_int_equal(nsm_pairs_update(p, pose, reach), 0);
    assert_ptr_equal(nsm_pairs_list(p, &again), list);
    assert_int_equal(again, count);
  }
  reach[5] = 0.2;   // who looks further needs a new list
  assert_int_equal(nsm_pairs_update(p, pose, reach), 1);
  verify(p, n);
  nsm_pairs_free(p);
  nsm_pairs_free(q);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(spheres_of_all_sizes), cmocka_unit_test(boards_and_half_spaces),
    cmocka_unit_test(box_of_a_floor), cmocka_unit_test(bar_that_turns),
    cmocka_unit_test(bound_of_unions),
    cmocka_unit_test(outliers_and_no_numbers), cmocka_unit_test(rest_remakes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
