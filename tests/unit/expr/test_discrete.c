// Properties of the discrete derivative on a thousand random expressions, at points far apart, near and equal.
//
// Directionality alone proves little (a formula that divides by b - a repairs any error along it), so consistency is
// tested by itself: each component against the gradient at the midpoint, at distances where a cancelling form has lost
// all its digits.
#include "discrete_rig.h"
#include "tests/unit/thin.h"

enum { TREES = THIN > 1 ? 110 : 1000, POINTS = 3 };
static const double distances[] = {0, 0.1, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-12};   // 0: anywhere

static int checked;

typedef void (*Property)(const Tree *t, const Between *df, const double *a, const double *b, double distance);

static bool usable(const Tree *t, const double *at) {
  for (int i = 0; i < RT_SYMBOLS; i++)
    if (!rt_value(t, at, i).ok) return false;
  return true;
}

// Slopes of moderate size on the way: a third derivative then says something about a neighbourhood of 1e-3.
static bool tame(const Tree *t, const double *at) {
  for (int i = 0; i < RT_SYMBOLS; i++) {
    Dual d = rt_value(t, at, i);
    if (!d.ok || d.size > 30) return false;
  }
  return true;
}

static void for_all(uint64_t seed, bool smooth, const double *distance, int n, int least, Property holds) {
  checked = 0;
  for (int i = 0; i < TREES; i++) {
    rt_seed(seed + (uint64_t)i);
    const Tree *t = rt_tree(2 + rt_below(4), smooth);
    Between df = between(t->ex);
    for (int k = 0; k < POINTS*n; k++) {
      double a[RT_SYMBOLS], b[RT_SYMBOLS];
      two_points(distance[k % n], a, b);
      if (usable(t, a) && usable(t, b)) holds(t, &df, a, b, distance[k % n]);
    }
  }
  if (checked < least) fail_msg("only %d usable points", checked);
}

static void must(const char *what, const Tree *t, const double *a, const double *b, double got, double expected,
                 double tol) {
  checked++;
  if (fabs(got - expected) <= tol) return;
  for (int i = 0; i < RT_SYMBOLS; i++) print_message("%c: %.17g to %.17g\n", 'a' + i, a[i], b[i]);
  fail_msg("%s\n  of %s\n  is %.17g, expected %.17g (within %g)", what, shown(t->ex), got, expected, tol);
}

// --- (1.1) Df*(b - a) = f(b) - f(a), to 4 ulp of the scale of f (2 at most were seen) ---

static void is_directional(const Tree *t, const Between *df, const double *a, const double *b, double distance) {
  double s = box_scale(t->ex, a, b)*(distance == 0 || distance > 1e-4 ? mixing(t->ex, a, b) : 1)*steepness(t->ex, a, b);
  if (!(s < 1e8)) return;
  must("f(b) - f(a)", t, a, b, along(df, a, b), ex_eval_array(P, t->ex, b) - ex_eval_array(P, t->ex, a), 8*EPS*s);
}

static void test_directional(void **state) { (void)state; for_all(1000, false, distances, 8, 8*TREES, is_directional); }

// --- symmetric in (a,b) ---

static void is_symmetric(const Tree *t, const Between *df, const double *a, const double *b, double distance) {
  (void)distance;
  for (int i = 0; i < RT_SYMBOLS; i++) {
    double v[ROOM] = {0}, there = at_ends(df->d[i], a, b), back = at_ends(df->d[i], b, a);
    for (int k = 0; k < RT_SYMBOLS; k++) {
      v[AT_A + k] = a[k];
      v[AT_B + k] = b[k];
    }
    double s = scale(df->d[i], v);
    if (isfinite(s) && s < 1e8) must("the derivative from b to a", t, a, b, back, there, 8*EPS*s);
  }
}

static void test_symmetric(void **state) { (void)state; for_all(20000, false, distances, 8, 8*TREES, is_symmetric); }

// --- the gradient at a = b ---

static void is_gradient(const Tree *t, const Between *df, const double *a, const double *b, double distance) {
  (void)distance;
  (void)b;
  for (int i = 0; i < RT_SYMBOLS; i++) {
    Ex g = ex_diff(P, t->ex, i);
    double s = gradient_scale(t->ex, i, a, a);
    if (s < 1e8) must("the derivative from a to a", t, a, a, at_ends(df->d[i], a, a), ex_eval_array(P, g, a), 8*EPS*s);
  }
}

static void test_gradient_at_equal_points(void **state) {
  (void)state;
  for_all(30000, false, distances, 1, TREES, is_gradient);
}

// --- near: the gradient at the midpoint to round-off, d^2 being below it ---

static double off(const Tree *t, const Between *df, int i, const double *a, const double *b) {
  double m[RT_SYMBOLS];
  middle(a, b, m);
  return at_ends(df->d[i], a, b) - ex_eval_array(P, ex_diff(P, t->ex, i), m);
}

// the same midpoint, `by` times as far apart
static void moved(const double *a, const double *b, double by, double *a1, double *b1) {
  for (int i = 0; i < RT_SYMBOLS; i++) {
    double m = a[i] + (b[i] - a[i])/2, h = by*(b[i] - a[i])/2;
    a1[i] = m - h;
    b1[i] = m + h;
  }
}

static void does_not_cancel(const Tree *t, const Between *df, const double *a, const double *b, double distance) {
  double m[RT_SYMBOLS], far_a[RT_SYMBOLS], far_b[RT_SYMBOLS], by = 1e-3/distance;
  middle(a, b, m);
  moved(a, b, by, far_a, far_b);
  if (!tame(t, far_a) || !tame(t, far_b)) return;
  for (int i = 0; i < RT_SYMBOLS; i++) {
    Ex g = ex_diff(P, t->ex, i);
    double s = gradient_scale(t->ex, i, a, b), apart = fabs(off(t, df, i, far_a, far_b)), curved = 4*apart/(by*by);
    if (!(s < 1e8) || apart > 1e-3*s) continue;
    must("near: the gradient in the middle", t, a, b, at_ends(df->d[i], a, b), ex_eval_array(P, g, m),
         8 * EPS * s + curved);
  }
}

static void test_near_points_keep_all_digits(void **state) {
  (void)state;
  for_all(40000, false, (double[]){1e-6, 1e-8, 1e-10, 1e-12}, 4, 8*TREES, does_not_cancel);
}

// --- second order: the distance to the midpoint gradient falls by 4 when the step is halved ---

static void is_second_order(const Tree *t, const Between *df, const double *a, const double *b, double distance) {
  (void)distance;
  double e[3];
  if (!tame(t, a) || !tame(t, b)) return;
  for (int i = 0; i < RT_SYMBOLS; i++) {
    double s = gradient_scale(t->ex, i, a, b);
    for (int level = 0; level < 3; level++) {
      double a1[RT_SYMBOLS], b1[RT_SYMBOLS];
      moved(a, b, 1.0/(1 << level), a1, b1);
      e[level] = fabs(off(t, df, i, a1, b1));
    }
    if (!(s < 1e6) || e[2] <= 1e4*EPS*s || e[0] > 1e-4*s) continue;   // round-off, or too far apart to tell
    double first = e[0]/e[1], second = e[1]/e[2];
    if (second > 4.5) continue;                       // the leading term is small here by accident
    must("ratio of errors", t, a, b, fmin(second, 2*second - first/2), 4, 0.5);
  }
}

static void test_second_order(void **state) {
  (void)state;
  for_all(50000, true, (double[]){ 2e-3 }, 1, TREES / 2, is_second_order);
}

// --- structure ---

static void test_unused_symbols_are_zero(void **state) {
  (void)state;
  for (int i = 0; i < TREES; i++) {
    rt_seed(60000 + (uint64_t)i);
    Ex f = rt_tree(2 + rt_below(4), false)->ex;
    Between df = between(f);
    for (int k = 0; k < RT_SYMBOLS; k++) {
      if (!ex_depends(P, f, k)) assert_true(ex_is_num(P, df.d[k], 0));
      for (int j = 0; j < RT_SYMBOLS; j++) {
        assert_false(ex_depends(P, df.d[k], j));
        assert_true(ex_depends(P, f, j) || !(ex_depends(P, df.d[k], AT_A + j) || ex_depends(P, df.d[k], AT_B + j)));
      }
    }
  }
}

// Only x moves: the rest of f is a constant with a name.
static void test_part_of_the_symbols(void **state) {
  (void)state;
  int seen = 0;
  for (int i = 0; i < TREES; i++) {
    rt_seed(70000 + (uint64_t)i);
    const Tree *t = rt_tree(2 + rt_below(4), false);
    double v[ROOM] = {0}, w[RT_SYMBOLS];
    rt_point(v);
    memcpy(w, v, sizeof w);
    w[1] = 4*rt_unit() - 2;
    v[AT_A] = v[1];
    v[AT_B] = w[1];
    if (!usable(t, v) || !usable(t, w) ) continue;
    Ex d;
    ex_discrete(P, t->ex, (int[]){1}, (int[]){AT_A}, (int[]){AT_B}, 1, &d);
    assert_false(ex_depends(P, d, 1));
    double s = box_scale(t->ex, v, w)*mixing(t->ex, v, w)*steepness(t->ex, v, w);
    if (!(s < 1e8)) continue;
    seen++;
    must("one symbol", t, v, w, ex_eval_array(P, d, v) * (w[1] - v[1]),
         ex_eval_array(P, t->ex, w) - ex_eval_array(P, t->ex, v), 8 * EPS * s);
  }
  assert_true(seen > TREES/2);
}

// A quadratic function: the gradient at the midpoint. With small integers there is no round-off at all.
static void test_quadratics(void **state) {
  (void)state;
  for (int i = 0; i < 400; i++) {
    rt_seed(80000 + (uint64_t)i);
    double a[RT_SYMBOLS], b[RT_SYMBOLS], m[RT_SYMBOLS];
    Ex f = num(rt_below(9));
    for (int j = 0; j < RT_SYMBOLS; j++) {
      a[j] = 2*(rt_below(21) - 10);
      b[j] = 2*(rt_below(21) - 10);
      f = ex_add(P, f, ex_mul(P, num(rt_below(9) - 4), ex_sym(P, j)));
      for (int k = 0; k <= j; k++)
        f = ex_add(P, f,
                   ex_op(P, OP_MUL,
                         (Ex[]){ num(rt_below(9) - 4), ex_sym(P, j), ex_sub(P, ex_sym(P, k), num(rt_below(3))) }, 3));
    }
    Between df = between(f);
    middle(a, b, m);
    for (int j = 0; j < RT_SYMBOLS; j++) assert_true(at_ends(df.d[j], a, b) == ex_eval_array(P, ex_diff(P, f, j), m));
    assert_true(along(&df, a, b) == ex_eval_array(P, f, b) - ex_eval_array(P, f, a));
  }
}

// --- the derivative by the end ---

static double slope(Ex d, const double *a, const double *b, int j, double h) {
  double up[RT_SYMBOLS], down[RT_SYMBOLS];
  memcpy(up, b, sizeof up);
  memcpy(down, b, sizeof down);
  up[j] += h;
  down[j] -= h;
  return (at_ends(d, a, up) - at_ends(d, a, down))/(2*h);
}

static void slope_is_difference(const Tree *t, const Between *df, const double *a, const double *b, double distance) {
  (void)distance;
  int i = rt_below(RT_SYMBOLS), j = rt_below(RT_SYMBOLS);
  if (!ex_depends(P, t->ex, i) || !ex_depends(P, t->ex, j)) return;
  double coarse = slope(df->d[i], a, b, j, 1e-3), fine = slope(df->d[i], a, b, j, 5e-4),
         finer = slope(df->d[i], a, b, j, 2.5e-4);
  double best = (4*finer - fine)/3, doubt = fabs(best - (4*fine - coarse)/3);
  if (!(doubt <= 1e-6*(1 + fabs(best)))) return;
  double got = at_ends(ex_diff(P, df->d[i], AT_B + j), a, b);
  must("slope by the end", t, a, b, got, best, 1e-5*(1 + fabs(best)) + 1e-9*fabs(at_ends(df->d[i], a, b)));
}

static void test_slope_by_the_end(void **state) {
  (void)state;
  for_all(90000, true, (double[]){0, 0.1, 1e-2, 1e-4, 1e-8}, 5, TREES, slope_is_difference);
}

// At a = b it is half the second derivative; near, it is that up to the distance times a constant, measured far apart.
static double bend(const Tree *t, const Between *df, int i, int j, const double *a, const double *b) {
  double m[RT_SYMBOLS];
  middle(a, b, m);
  return at_ends(ex_diff(P, df->d[i], AT_B + j), a, b) - 0.5*ex_eval_array(P, ex_diff(P, ex_diff(P, t->ex, i), j), m);
}

static void slope_is_half_curvature(const Tree *t, const Between *df, const double *a, const double *b,
                                    double distance) {
  int i = rt_below(RT_SYMBOLS), j = rt_below(RT_SYMBOLS);
  if (!ex_depends(P, t->ex, i) || !ex_depends(P, t->ex, j)) return;
  double far_a[RT_SYMBOLS], far_b[RT_SYMBOLS], by = 1e-4/distance;
  moved(a, b, by, far_a, far_b);
  if (!tame(t, far_a) || !tame(t, far_b)) return;
  double s = gradient_scale(ex_diff(P, t->ex, i), j, a, b) + gradient_scale(t->ex, i, a, b)/fabs(a[j]);
  double apart = fabs(bend(t, df, i, j, far_a, far_b));
  if (!(s < 1e6) || apart > 1e-2*s) return;
  must("half the curvature", t, a, b, bend(t, df, i, j, a, b), 0, 1e-13*(1 + s) + 4*apart/by);
  must("half the curvature, equal points", t, a, a, bend(t, df, i, j, a, a), 0, 1e-13*(1 + s));
}

static void test_slope_near_equal_points(void **state) {
  (void)state;
  for_all(95000, true, (double[]){1e-6, 1e-8, 1e-10, 1e-12}, 4, TREES, slope_is_half_curvature);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    RIG_TEST(test_directional),
    RIG_TEST(test_symmetric),
    RIG_TEST(test_gradient_at_equal_points),
    RIG_TEST(test_near_points_keep_all_digits),
    RIG_TEST(test_second_order),
    RIG_TEST(test_unused_symbols_are_zero),
    RIG_TEST(test_part_of_the_symbols),
    RIG_TEST(test_quadratics),
    RIG_TEST(test_slope_by_the_end),
    RIG_TEST(test_slope_near_equal_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
