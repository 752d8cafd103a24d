// Size: deep towers do not need a deep stack, shared expressions are not unfolded, long sums stay affordable.
#include "rig.h"

enum { DEEP = 100000, DEEP_TEXT = 20000 };

static Ex tower(int height) {
  Ex e = sym('x');
  for (int i = 0; i < height; i++) e = ex_1(P, OP_SIN, ex_add(P, e, num(1)));
  return e;
}

static void test_deep_tower(void **state) {
  (void)state;
  Ex e = tower(DEEP);
  double at[26] = {[23] = 0.25}, v = 0.25, d = 1;
  for (int i = 0; i < DEEP; i++) {
    d *= cos(v + 1);
    v = sin(v + 1);
  }
  assert_true(fabs(ex_eval_array(P, e, at) - v) < 1e-12);
  assert_true(fabs(ex_eval_array(P, ex_diff(P, e, 'x' - 'a'), at) - d) < 1e-12);
  assert_true(ex_depends(P, e, 'x' - 'a'));
  const int *ids;
  assert_int_equal(ex_symbols(P, e, &ids), 1);
  Ex f = ex_subst(P, e, (int[]){'x' - 'a'}, (Ex[]){num(0.25)}, 1);
  assert_true(fabs(ex_value(P, f) - v) < 1e-12);
  assert_int_equal(ex_expand(P, e), e);
}

static void test_deep_text(void **state) {
  (void)state;
  Ex e = tower(DEEP_TEXT);
  Text t = {0};
  ex_print(P, e, &t, rig_name, NULL);
  assert_int_equal(t.n, 9*(size_t)DEEP_TEXT + 1);        // "sin(" " + 1" ")" around an x
  text_free(&t);
  ex_print_latex(P, e, &t, rig_name, NULL);
  text_free(&t);
}

// f(f(...f(x))) with f(u) = u*sin(u) - cos(u): the tree has 2^200 leaves, the DAG a few hundred nodes.
static void test_sharing(void **state) {
  (void)state;
  Ex e = sym('x');
  double at[26] = {[23] = 0.5}, v = 0.5, d = 1;
  for (int i = 0; i < 200; i++) {
    e = ex_sub(P, ex_mul(P, ex_1(P, OP_TANH, e), ex_1(P, OP_SIN, e)), ex_1(P, OP_COS, e));
    d *= (1 - tanh(v)*tanh(v))*sin(v) + tanh(v)*cos(v) + sin(v);
    v = tanh(v)*sin(v) - cos(v);
  }
  assert_true(ex_tree_size(P, e) > 1e60);
  assert_true(fabs(ex_eval_array(P, e, at) - v) < 1e-9);
  assert_true(fabs(ex_eval_array(P, ex_diff(P, e, 'x' - 'a'), at) - d) < 1e-9*(1 + fabs(d)));
  const Ex *order;
  assert_true(ex_topological(P, &e, 1, &order) < 2000);
  Ex swapped = ex_subst(P, e, (int[]){'x' - 'a'}, (Ex[]){sym('y')}, 1);
  at['y' - 'a'] = 0.5;
  assert_true(ex_eval_array(P, swapped, at) == ex_eval_array(P, e, at));
}

static void test_long_sum(void **state) {
  (void)state;
  enum { N = 3000 };
  Ex e = num(0);
  for (int i = 0; i < N; i++) {
    Ex x = ex_sym(P, i), y = ex_sym(P, i + 1);
    e = ex_add(P, e, ex_pow(P, ex_sub(P, y, x), num(2)));
  }
  Ex middle = ex_diff(P, ex_diff(P, e, 7), 7);                       // (x7 - x6)^2 + (x8 - x7)^2
  assert_true(ex_is_num(P, middle, 4));
  assert_true(ex_is_num(P, ex_diff(P, ex_diff(P, e, 7), 9), 0));
}

static void test_topological_order(void **state) {
  (void)state;
  Ex a = ex_mul(P, sym('x'), ex_1(P, OP_SIN, sym('y'))), roots[] = {a, ex_add(P, a, sym('x')), a};
  const Ex *order;
  int n = ex_topological(P, roots, 3, &order);
  assert_int_equal(n, 5);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < ex_nargs(P, order[i]); k++) {
      bool before = false;
      for (int j = 0; j < i; j++) before = before || order[j] == ex_arg(P, order[i], k);
      assert_true(before);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    RIG_TEST(test_deep_tower), RIG_TEST(test_deep_text),         RIG_TEST(test_sharing),
    RIG_TEST(test_long_sum),   RIG_TEST(test_topological_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
