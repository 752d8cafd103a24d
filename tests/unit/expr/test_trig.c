// Sines and cosines collected: the named identities, what must stay, energies as one writes them by hand; and on random
// expressions, that the value stays and the text does not depend on what the pool held before.
#include "random_tree.h"
#include "reader.h"
#include "tests/unit/thin.h"

static void collects(const char *written, const char *expected) {
  Ex e = ex_trig(P, read_text(written));
  const char *got = shown(e);
  if (strcmp(got, expected) != 0) fail_msg("%s\n  gives    %s\n  expected %s", written, got, expected);
}

static void stays(const char *written) {
  Ex e = read_text(written);
  if (ex_trig(P, e) != e) fail_msg("%s\n  becomes  %s", shown(e), shown(ex_trig(P, e)));
}

static void test_squares(void **state) {
  (void)state;
  collects("sin(x)^2 + cos(x)^2", "1");
  collects("m*l^2*sin(x)^2 + m*l^2*cos(x)^2", "l^2*m");
  collects("3*a*sin(x + y)^2*b + 3*a*b*cos(x + y)^2", "3*a*b");
  collects("(l*sin(x))^2 + (l*cos(x))^2", "l^2");
  collects("(a + b)*sin(x)^2 + (a + b)*cos(x)^2", "a + b");
  collects("sin(x)^4 + 2*sin(x)^2*cos(x)^2 + cos(x)^4", "1");
  collects("sin(x)^2*sin(y)^2 + sin(x)^2*cos(y)^2 + cos(x)^2", "1");
  collects("sin(x)^2/a + cos(x)^2/a", "1/a");
  collects("sin(a - b)^2 + cos(b - a)^2", "1");
  collects("0.1*0.7*sin(x)^2 + 0.7*cos(x)^2*0.1 + y", "y + 0.06999999999999999");
}

static void test_unequal_squares(void **state) {
  (void)state;
  collects("3*a*sin(x)^2 + 5*a*cos(x)^2", "3*a + 2*a*cos(x)^2");
  collects("5*a*sin(x)^2 + 3*a*cos(x)^2", "3*a + 2*a*sin(x)^2");
  collects("a - a*sin(x)^2", "a*cos(x)^2");
  collects("a*cos(x)^2 - a", "-a*sin(x)^2");
  stays("a*sin(x)^2 + b*cos(x)^2");
  stays("0.1*a*sin(x)^2 + 0.3*a*cos(x)^2");
  stays("cos(x)^2 - sin(x)^2");
  stays("2 - sin(x)^2");
}

static void test_angles(void **state) {
  (void)state;
  collects("cos(x)*cos(y) + sin(x)*sin(y)", "cos(x - y)");
  collects("cos(x)*cos(y) - sin(x)*sin(y)", "cos(x + y)");
  collects("sin(x)*cos(y) + cos(x)*sin(y)", "sin(x + y)");
  collects("sin(x)*cos(y) - cos(x)*sin(y)", "sin(x - y)");
  collects("sin(y)*cos(x) - cos(y)*sin(x)", "-sin(x - y)");
  collects("2*m*l*(cos(a)*cos(a + b) + sin(a)*sin(a + b))", "2*l*m*cos(b)");
  collects("m*(sin(a)*cos(a + b) - cos(a)*sin(a + b))", "-m*sin(b)");
  collects("c*cos(a)*cos(a) *cos(b) + c*cos(a)*sin(a)*sin(b)", "c*cos(a)*cos(a - b)");
  stays("2*cos(x)*cos(y) + sin(x)*sin(y)");
  stays("a*cos(x)*cos(y) + b*sin(x)*sin(y)");
}

static void test_what_has_nothing_to_collect_stays(void **state) {
  (void)state;
  stays("x");
  stays("7");
  stays("(a + b)^2*(c + d)");
  stays("m*(a^2 + r^2*b^2)/2 + j*b^2/2");
  stays("sin(x)*(a + b)");
  stays("m*l*cos(b - a)*c*d");
  stays("(x + sin(y))^3");
  stays("exp(sin(x)^2 + cos(x)^2)");
  stays("1/(sin(x)^2 + cos(x)^2)");
}

// Velocities p, q of the angles a, b.
static void test_energies(void **state) {
  (void)state;
  collects("m*((l*cos(a)*p)^2 + (l*sin(a)*p)^2)/2", "l^2*m*p^2/2");
  // pendulum on a cart: velocity p of the cart, q of the angle
  collects("m*((p + l*cos(a)*q)^2 + (l*sin(a)*q)^2)/2", "m*p^2/2 + l^2*m*q^2/2 + l*m*p*q*cos(a)");
  // two links in absolute and in relative angles
  collects("m*((l*cos(a)*p + k*cos(b)*q)^2 + (l*sin(a)*p + k*sin(b)*q)^2)/2",
           "l^2*m*p^2/2 + k^2*m*q^2/2 + k*l*m*p*q*cos(a - b)");
  collects("m*((l*cos(a)*p + k*cos(a + b)*(p + q))^2 + (l*sin(a)*p + k*sin(a + b)*(p + q))^2)/2",
           "l^2*m*p^2/2 + k*l*m*p*cos(b)*(p + q) + k^2*m*(p + q)^2/2");
  // spherical pendulum
  collects("m*l^2*((cos(a)*p*cos(b) - sin(a)*sin(b)*q)^2 + (cos(a)*p*sin(b) + sin(a)*cos(b)*q)^2 + (sin(a)*p)^2)/2",
           "l^2*m*p^2/2 + l^2*m*q^2*sin(a)^2/2");
  // masses in front
  collects("m*((l*cos(a)*p)^2 + (l*sin(a)*p)^2) + n*((l*cos(a)*p)^2 + (l*sin(a)*p)^2)", "l^2*p^2*(m + n)");
}

// --- random sums of products of sines and cosines, made so that the rules apply often ---

static Ex random_symbol(void) { return ex_sym(P, rt_below(RT_SYMBOLS)); }

static Ex random_angle(void) {
  Ex a = random_symbol(), b = random_symbol();
  return rt_below(2) ? a : rt_below(2) ? ex_add(P, a, b) : ex_sub(P, a, b);
}

static Ex trig(bool cosine, Ex angle) { return ex_1(P, cosine ? OP_COS : OP_SIN, angle); }

static Ex random_factor(void) {
  if (rt_below(3)) return trig(rt_below(2), random_angle());
  Ex a = random_symbol(), b = random_symbol();
  return rt_below(2) ? a : ex_add(P, a, b);
}

static Ex random_sum(int terms) {
  Ex sum = num(0);
  for (int i = 0; i < terms; i++) {
    Ex R = num(rt_below(4) ? 1 + rt_below(3) : 2*rt_unit() - 1), u = random_angle(), v = random_angle();
    for (int k = rt_below(3); k > 0; k--) R = ex_mul(P, R, random_factor());
    bool f = rt_below(2), g = rt_below(2), square = rt_below(2);
    Ex one = ex_mul(P, trig(f, u), trig(g, square ? u : v)), other = ex_mul(P, trig(!f, u), trig(!g, square ? u : v));
    if (square) one = ex_pow(P, trig(f, u), num(2)), other = ex_pow(P, trig(!f, u), num(2));
    sum = ex_add(P, sum, ex_mul(P, R, one));
    sum = (rt_below(2) ? ex_add : ex_sub)(P, sum, ex_mul(P, R, other));
  }
  return rt_below(3) ? sum : ex_mul(P, sum, ex_add(P, random_factor(), random_factor()));
}

static int size_of(Ex e) {
  const Ex *order;
  return ex_topological(P, &e, 1, &order);
}

// Symbols are at most 2 in magnitude, so no term is large.
static void test_random_sums(void **state) {
  (void)state;
  int changed = 0, shrunk = 0;
  for (int i = 0; i < 4000 / THIN; i++) {
    rt_seed(100 + (uint64_t)i);
    Ex e = random_sum(1 + rt_below(5)), r = ex_trig(P, e);
    changed += r != e;
    shrunk += size_of(r) < size_of(e);
    for (int k = 0; k < 3; k++) {
      double at[RT_SYMBOLS];
      rt_point(at);
      double was = ex_eval_array(P, e, at), is = ex_eval_array(P, r, at);
      if (!rt_close(was, is, 1000, 1e-13)) fail_msg("%s\n  = %.17g becomes %s\n  = %.17g", shown(e), was, shown(r), is);
    }
  }
  assert_true(changed > 2000 / THIN && shrunk > changed/2);
}

// Any expression: where it has a value of moderate size, the result has it.
static void test_random_trees(void **state) {
  (void)state;
  int seen = 0;
  for (int i = 0; i < 4000 / THIN; i++) {
    rt_seed(40000 + (uint64_t)i);
    const Tree *t = rt_tree(5, true), *u = rt_tree(3, true);
    Ex c2 = ex_pow(P, trig(true, u->ex), num(2)), s2 = ex_pow(P, trig(false, u->ex), num(2));
    Ex y = ex_add(P, ex_mul(P, t->ex, c2), ex_mul(P, t->ex, s2)), r = ex_trig(P, y);
    for (int k = 0; k < 3; k++) {
      double at[RT_SYMBOLS];
      rt_point(at);
      Dual tv = rt_value(t, at, 0), uv = rt_value(u, at, 0);
      if (!tv.ok || !uv.ok || tv.size > 1e3) continue;
      double was = ex_eval_array(P, y, at), is = ex_eval_array(P, r, at);
      if (!isfinite(was)) continue;
      seen++;
      if (!rt_close(was, is, tv.size * tv.size, 1e-9))
        fail_msg("%s\n  = %.17g becomes %s\n  = %.17g", shown(y), was, shown(r), is);
    }
  }
  assert_true(seen > 4000 / THIN);
}

static void test_the_text_is_stable(void **state) {
  (void)state;
  for (int i = 0; i < 300 / THIN; i++) {
    rt_seed(80000 + (uint64_t)i);
    const char *first = shown(ex_trig(P, random_sum(4)));
    Pool *old = P;
    P = pool_new(rig_arena);
    rt_seed(7 + (uint64_t)i);
    for (int k = 0; k < 5; k++) ex_trig(P, random_sum(3));
    rt_seed(80000 + (uint64_t)i);
    const char *second = shown(ex_trig(P, random_sum(4)));
    P = old;
    assert_string_equal(first, second);
  }
}

// --- limits ---

static void test_large_sums(void **state) {
  (void)state;
  Ex sum = num(0), all = num(0);
  for (int i = 0; i < 250; i++) {                     // 500 terms, all of them collected
    Ex R = ex_mul(P, ex_sym(P, 100 + i), ex_sym(P, 400 + i)), u = ex_sym(P, i);
    sum = ex_add(P, sum, ex_mul(P, R, ex_add(P, ex_pow(P, trig(true, u), num(2)), ex_pow(P, trig(false, u), num(2)))));
    all = ex_add(P, all, R);
  }
  assert_int_equal(ex_trig(P, sum), all);
  for (int i = 0; i < 1000; i++) {
    Ex pair = ex_mul(P, trig(true, ex_sym(P, i)), trig(false, ex_sym(P, i + 1)));
    sum = ex_add(P, sum, ex_mul(P, ex_sym(P, 2000 + i), pair));
  }
  Ex huge = ex_mul(P, sum, ex_pow(P, sum, num(3)));   // far beyond: as it is
  assert_int_equal(ex_trig(P, huge), huge);
}

static void test_deep(void **state) {
  (void)state;
  Ex e = sym('x');
  for (int i = 0; i < 20000; i++) e = ex_1(P, OP_SIN, ex_add(P, e, sym('y')));
  Ex y = ex_add(P, ex_pow(P, trig(true, e), num(2)), ex_pow(P, trig(false, e), num(2)));
  assert_int_equal(ex_trig(P, y), num(1));
  for (int i = 0; i < 20000; i++) e = ex_add(P, sym('a'), ex_mul(P, e, sym('b')));
  assert_int_equal(ex_trig(P, e), e);
}

static void test_extreme_numbers(void **state) {
  (void)state;
  Ex e = ex_mul(P, num(INFINITY), trig(false, sym('x')));
  assert_int_equal(ex_trig(P, e), e);
  collects("1e200*sin(x)^2 + 1e200*cos(x)^2", "1e200");
  stays("1e200*sin(x)*(1e200*a*sin(y) + 1e200*cos(y))");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    RIG_TEST(test_squares),
    RIG_TEST(test_unequal_squares),
    RIG_TEST(test_angles),
    RIG_TEST(test_what_has_nothing_to_collect_stays),
    RIG_TEST(test_energies),
    RIG_TEST(test_random_sums),
    RIG_TEST(test_random_trees),
    RIG_TEST(test_the_text_is_stable),
    RIG_TEST(test_large_sums),
    RIG_TEST(test_deep),
    RIG_TEST(test_extreme_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
