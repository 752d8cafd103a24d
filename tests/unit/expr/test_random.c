// Properties on thousands of random expressions with fixed seeds. The verifier is a naive evaluator of the tree as
// written (random_tree.h): simplification, derivatives, substitution, expansion and printing must all agree with it.
#include "random_tree.h"
#include "reader.h"
#include "tests/unit/thin.h"

enum { TREES = 4000 / THIN, POINTS = 6, DEPTH = 6 };

// What an ill-conditioned tree does to round-off is bounded by evaluating next door: the answer may move by what a
// relative change of 1e-13 of the point moves it, amplified.
static double tolerance(const Tree *t, const double *at, int by) {
  Dual here = rt_value(t, at, by);
  double worst = 0;
  for (int k = 0; k < 8; k++) {
    double near[RT_SYMBOLS];
    for (int i = 0; i < RT_SYMBOLS; i++) near[i] = at[i]*(1 + 1e-10*(2*rt_unit() - 1));
    Dual other = rt_value(t, near, by);
    if (!other.ok) return INFINITY;
    worst = fmax(worst, fmax(fabs(other.v - here.v), fabs(other.d - here.d)));
  }
  return 1e-11*(1 + here.size) + worst;
}

typedef void (*Property)(const Tree *t, const double *at, double tol, Dual expected, int by);

static int checked;

static void for_all(uint64_t seed, bool smooth, Property holds) {
  checked = 0;
  for (int i = 0; i < TREES; i++) {
    rt_seed(seed + (uint64_t)i);
    const Tree *t = rt_tree(2 + rt_below(DEPTH - 1), smooth);
    for (int k = 0; k < POINTS; k++) {
      double at[RT_SYMBOLS];
      rt_point(at);
      int by = rt_below(RT_SYMBOLS);
      Dual expected = rt_value(t, at, by);
      if (!expected.ok) continue;
      double tol = tolerance(t, at, by);
      if (!(tol < 1e-3*(1 + fabs(expected.v)))) continue;
      checked++;
      holds(t, at, tol, expected, by);
    }
  }
  if (checked < TREES) fail_msg("only %d usable points", checked);   // a property that checks nothing proves nothing
}

static void must_be_near(const char *what, const Tree *t, Ex e, double got, double expected, double tol) {
  if (!(fabs(got - expected) <= tol))
    fail_msg("%s: %s\n  of %s\n  is %.17g, expected %.17g (within %g)", what, shown(e), shown(t->ex), got, expected,
             tol);
}

// --- value ---

static void value_kept(const Tree *t, const double *at, double tol, Dual expected, int by) {
  (void)by;
  must_be_near("simplified", t, t->ex, ex_eval_array(P, t->ex, at), expected.v, tol);
  if (ex_1(P, OP_ABS, t->ex) == t->ex && expected.v < -tol) fail_msg("%s is taken for positive", shown(t->ex));
}

static void test_simplified_value(void **state) { (void)state; for_all(1000, false, value_kept); }

// Multiplying out may turn a benign product into a sum of large terms that cancel: (x - 1.7)^8. No sum may lose more
// than this.
static bool well_conditioned(Ex e, const double *at) {
  const Ex *order;
  int n = ex_topological(P, &e, 1, &order);
  for (int i = 0; i < n; i++) {
    if (ex_operator(P, order[i]) != OP_ADD) continue;
    double size = 0;
    for (int k = 0; k < ex_nargs(P, order[i]); k++) size += fabs(ex_eval_array(P, ex_arg(P, order[i], k), at));
    if (size > 1e4*fabs(ex_eval_array(P, order[i], at))) return false;
  }
  return true;
}

static void expanded_kept(const Tree *t, const double *at, double tol, Dual expected, int by) {
  (void)by;
  Ex e = ex_expand(P, t->ex);
  if (!well_conditioned(e, at)) return;
  must_be_near("expanded", t, e, ex_eval_array(P, e, at), expected.v, 100*tol);
}

static void test_expanded_value(void **state) { (void)state; for_all(2000000, false, expanded_kept); }

// --- derivative ---

static void derivative_is_dual(const Tree *t, const double *at, double tol, Dual expected, int by) {
  Ex d = ex_diff(P, t->ex, by);
  must_be_near("derivative", t, d, ex_eval_array(P, d, at), expected.d, 10*tol);
}

static void test_derivative_vs_dual_numbers(void **state) { (void)state; for_all(3000000, false, derivative_is_dual); }

// Central differences with one Richardson step: the error estimate decides whether the point says anything.
static void derivative_is_difference(const Tree *t, const double *at, double tol, Dual expected, int by) {
  double slope[3];
  for (int level = 0; level < 3; level++) {
    double h = 1e-3/(1 << level), up[RT_SYMBOLS], down[RT_SYMBOLS];
    memcpy(up, at, sizeof up);
    memcpy(down, at, sizeof down);
    up[by] += h;
    down[by] -= h;
    Dual u = rt_value(t, up, by), d = rt_value(t, down, by);
    if (!u.ok || !d.ok) return;
    slope[level] = (u.v - d.v)/(2*h);
  }
  double fine = (4*slope[2] - slope[1])/3, coarse = (4*slope[1] - slope[0])/3;
  if (fabs(fine - coarse) > 1e-5*(1 + fabs(fine))) return;
  Ex d = ex_diff(P, t->ex, by);
  must_be_near("difference quotient", t, d, ex_eval_array(P, d, at), fine, 1e-4*(1 + fabs(fine)) + 1e4*tol);
  (void)expected;
}

static void test_derivative_vs_differences(void **state) {
  (void)state;
  for_all(4000000, true, derivative_is_difference);
}

// --- substitution: eval(e[x -> r, y -> s]) = eval(e) at x = r(at), y = s(at) ---

static void test_substitution(void **state) {
  (void)state;
  int seen = 0;
  for (int i = 0; i < TREES; i++) {
    rt_seed(5000000 + (uint64_t)i);
    const Tree *t = rt_tree(DEPTH - 1, false), *r = rt_tree(2, true), *s = rt_tree(2, true);
    int x = rt_below(RT_SYMBOLS), y = (x + 1 + rt_below(RT_SYMBOLS - 1)) % RT_SYMBOLS;
    Ex e = ex_subst(P, t->ex, (int[]){x, y}, (Ex[]){r->ex, s->ex}, 2);
    for (int k = 0; k < POINTS; k++) {
      double at[RT_SYMBOLS], inner[RT_SYMBOLS];
      rt_point(at);
      Dual vr = rt_value(r, at, 0), vs = rt_value(s, at, 0);
      memcpy(inner, at, sizeof inner);
      inner[x] = vr.v;
      inner[y] = vs.v;
      Dual expected = rt_value(t, inner, 0);
      if (!vr.ok || !vs.ok || !expected.ok) continue;
      double tol = tolerance(t, inner, 0);
      if (!(tol < 1e-3*(1 + fabs(expected.v)))) continue;
      seen++;
      must_be_near("substituted", t, e, ex_eval_array(P, e, at), expected.v, 10*tol);
    }
  }
  assert_true(seen > TREES);
}

// --- printing ---

static bool plain_numbers(const char *s) { return !strstr(s, "inf") && !strstr(s, "nan"); }

static void must_read_back(uint64_t seed) {
  int seen = 0;
  for (int i = 0; i < TREES; i++) {
    rt_seed(seed + (uint64_t)i);
    const Tree *t = rt_tree(2 + rt_below(4), false);
    char text[1 << 15];
    snprintf(text, sizeof text, "%s", shown(t->ex));
    if (!plain_numbers(text) || strlen(text) > sizeof text - 2) continue;
    Ex again = read_text(text);
    if (again != t->ex) fail_msg("'%s'\nreads back as '%s'", text, shown(again));
    seen++;
  }
  assert_true(seen > TREES/2);
}

static void test_printing_reads_back(void **state) {
  (void)state;
  rt_arithmetic = RT_ALGEBRA;
  must_read_back(6000000);
  rt_arithmetic = RT_WRITTEN;
  rd_written = true;
  must_read_back(6500000);
  rd_written = false;
  rt_arithmetic = RT_MIXED;
}

// The same trees in a pool with another history print the same: neither ids nor addresses show.
static void test_printing_is_stable(void **state) {
  (void)state;
  for (int i = 0; i < 500; i++) {
    char first[1 << 14], second[1 << 14];
    rt_seed(7000000 + (uint64_t)i);
    Ex e = rt_tree(5, false)->ex;
    snprintf(first, sizeof first, "%s", shown(e));
    Pool *old = P;
    P = pool_new(rig_arena);
    rt_seed(99 + (uint64_t)i);
    for (int k = 0; k < 20; k++) rt_tree(5, false);
    rt_seed(7000000 + (uint64_t)i);
    e = rt_tree(5, false)->ex;
    snprintf(second, sizeof second, "%s", shown(e));
    P = old;
    assert_string_equal(first, second);
  }
}

// --- structure ---

// Building again from the arguments gives the node itself: canonical forms are fixed points.
static void test_canonical_forms_are_fixed_points(void **state) {
  (void)state;
  for (int i = 0; i < TREES; i++) {
    rt_seed(8000000 + (uint64_t)i);
    Ex root = rt_tree(6, false)->ex;
    const Ex *order;
    int n = ex_topological(P, &root, 1, &order);
    for (int k = 0; k < n; k++) {
      Op op = ex_operator(P, order[k]);
      if (op == OP_NUM || op == OP_SYM) continue;
      Ex args[64];
      int m = ex_nargs(P, order[k]);
      assert_true(m <= 64);
      for (int j = 0; j < m; j++) args[j] = ex_arg(P, order[k], j);
      Ex again = ex_op(P, op, args, m);
      if (again != order[k]) fail_msg("'%s' becomes '%s'", shown(order[k]), shown(again));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    RIG_TEST(test_simplified_value),
    RIG_TEST(test_expanded_value),
    RIG_TEST(test_derivative_vs_dual_numbers),
    RIG_TEST(test_derivative_vs_differences),
    RIG_TEST(test_substitution),
    RIG_TEST(test_printing_reads_back),
    RIG_TEST(test_printing_is_stable),
    RIG_TEST(test_canonical_forms_are_fixed_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
