// Expressions with intermediate quantities: derivatives in reverse and along a direction against those of single
// symbols, what the rewriting passes keep, and how fast the graphs grow.
#include "rig.h"
#include "tests/unit/thin.h"

enum { SYMBOLS = 5, AT_A = 8, AT_B = 16, ROOM = 24, ROUNDS = 300/THIN };

static uint64_t state;
static double draw(void) {                               // (0, 1)
  state = state*6364136223846793005ull + 1442695040888963407ull;
  return ((double)(state >> 33) + 0.5)/(double)(1u << 31);
}
static int below(int n) { return (int)(draw()*n); }

static Ex shared(Ex e) { return ex_1(P, OP_SHARED, e); }

// A graph of n nodes on the symbols, smooth everywhere; each new one reads two earlier ones.
static Ex graph(int n) {
  Ex node[64];
  for (int i = 0; i < SYMBOLS; i++) node[i] = ex_sym(P, i);
  for (int i = SYMBOLS; i < n; i++) {
    Ex a = node[below(i)], b = node[below(i)], e;
    switch (below(7)) {
      case 0: e = ex_add(P, a, ex_mul(P, num(1 - 2*draw()), b)); break;
      case 1: e = ex_mul(P, a, b); break;
      case 2: e = ex_1(P, OP_SIN, a); break;
      case 3: e = ex_1(P, OP_COS, ex_sub(P, a, b)); break;
      case 4: e = ex_div(P, a, ex_add(P, num(1), ex_pow(P, b, num(2)))); break;
      case 5: e = ex_op(P, OP_MUL, (Ex[]){num(0.5), a, ex_1(P, OP_TANH, b), node[below(i)]}, 4); break;
      default: e = ex_pow(P, ex_sub(P, a, b), num(2)); break;
    }
    node[i] = shared(e);
  }
  return ex_add(P, node[n - 1], ex_mul(P, node[n - 2], node[n - 3]));
}

static void values(double *at) {
  for (int i = 0; i < ROOM; i++) at[i] = 2*draw() - 1;
}

static void near(const char *what, double got, double want, double size) {
  if (!(fabs(got - want) <= 1e-11*(1 + fabs(want) + size))) fail_msg("%s: %.17g and not %.17g", what, got, want);
}

static const int ids[SYMBOLS] = {0, 1, 2, 3, 4};

static void test_gradient(void **unused) {
  (void)unused;
  double at[ROOM];
  for (int round = 0; round < ROUNDS; round++) {
    state = (uint64_t)round;
    Ex f = graph(12 + below(20)), g[SYMBOLS];
    ex_gradient(P, f, ids, SYMBOLS, g);
    values(at);
    for (int i = 0; i < SYMBOLS; i++) {
      double want = ex_eval_array(P, ex_diff(P, f, i), at), d = 1e-5, keep = at[i];
      near("gradient", ex_eval_array(P, g[i], at), want, 0);
      at[i] = keep + d;
      double up = ex_eval_array(P, f, at);
      at[i] = keep - d;
      double down = ex_eval_array(P, f, at);
      at[i] = keep;
      if (!(fabs((up - down)/(2*d) - want) <= 1e-4*(1 + fabs(want)))) fail_msg("differences: %g, %g", up - down, want);
    }
  }
}

static void test_tangent(void **unused) {
  (void)unused;
  double at[ROOM];
  Ex seed[SYMBOLS];
  for (int round = 0; round < ROUNDS; round++) {
    state = 1000 + (uint64_t)round;
    Ex f[2] = {graph(12 + below(20)), graph(12 + below(20))}, dot[2];
    for (int i = 0; i < SYMBOLS; i++) seed[i] = ex_sym(P, AT_A + i);
    ex_tangent(P, f, 2, ids, seed, SYMBOLS, dot);
    values(at);
    for (int k = 0; k < 2; k++) {
      double want = 0, size = 0, two;
      for (int i = 0; i < SYMBOLS; i++) {
        double t = ex_eval_array(P, ex_diff(P, f[k], i), at)*at[AT_A + i];
        want += t;
        size += fabs(t);
      }
      near("tangent", ex_eval_array(P, dot[k], at), want, size);
      two = ex_eval_array(P, ex_diff(P, f[k], 1), at) + ex_eval_array(P, ex_diff(P, f[k], 3), at);
      near("two symbols", ex_eval_array(P, ex_diff_two(P, f[k], 1, 3), at), two, size);
    }
  }
}

static Ex copy_at(Ex f, int from) {
  Ex by[SYMBOLS];
  for (int i = 0; i < SYMBOLS; i++) by[i] = ex_sym(P, from + i);
  return ex_subst(P, f, ids, by, SYMBOLS);
}

// Jacobians through what is linear: the same as pair by pair; and by two symbols that move together.
static void test_jacobian(void **unused) {
  (void)unused;
  static const int one[2] = {0, 1}, other[2] = {2, 3};
  double at[ROOM];
  for (int round = 0; round < ROUNDS; round++) {
    state = 4000 + (uint64_t)round;
    Ex x[SYMBOLS], f[3], d[3*SYMBOLS], two[3*2];
    for (int i = 0; i < SYMBOLS; i++) x[i] = ex_sym(P, i);
    Ex sum = shared(ex_add(P, x[0], x[1])), longer = shared(ex_add(P, sum, ex_mul(P, num(0.25), x[4]))),
       twin = shared(ex_add(P, x[2], x[3])), middle = shared(ex_add(P, sum, ex_mul(P, num(3), twin)));
    f[0] = ex_add(P, graph(12 + below(20)), ex_1(P, OP_SIN, ex_mul(P, longer, middle)));
    f[1] = ex_add(P, graph(12 + below(20)), ex_mul(P, sum, ex_1(P, OP_COS, twin)));
    f[2] = ex_add(P, middle, ex_mul(P, num(2), longer));
    ex_jacobian_dense(P, f, 3, ids, NULL, SYMBOLS, d);
    ex_jacobian_dense(P, f, 3, one, other, 2, two);
    values(at);
    for (int i = 0; i < 3; i++) {
      double by[SYMBOLS];
      for (int j = 0; j < SYMBOLS; j++) {
        by[j] = ex_eval_array(P, ex_diff(P, f[i], j), at);
        near("Jacobian", ex_eval_array(P, d[i*SYMBOLS + j], at), by[j], 0);
      }
      for (int j = 0; j < 2; j++)
        near("together", ex_eval_array(P, two[i*2 + j], at), by[j] + by[j + 2], fabs(by[j]) + fabs(by[j + 2]));
    }
  }
}

// D*(b - a) = f(b) - f(a), and the gradient where both ends are one.
static void test_discrete(void **unused) {
  (void)unused;
  static const int a[SYMBOLS] = {8, 9, 10, 11, 12}, b[SYMBOLS] = {16, 17, 18, 19, 20};
  double at[ROOM];
  for (int round = 0; round < ROUNDS; round++) {
    state = 2000 + (uint64_t)round;
    Ex f = graph(12 + below(16)), d[SYMBOLS], start = copy_at(f, AT_A), end = copy_at(f, AT_B);
    ex_discrete(P, f, ids, a, b, SYMBOLS, d);
    values(at);
    double sum = 0, size = 0;
    for (int i = 0; i < SYMBOLS; i++) {
      double t = ex_eval_array(P, d[i], at)*(at[AT_B + i] - at[AT_A + i]);
      sum += t;
      size += fabs(t);
    }
    near("secant", sum, ex_eval_array(P, end, at) - ex_eval_array(P, start, at), size);
    for (int i = 0; i < SYMBOLS; i++) at[AT_A + i] = at[AT_B + i] = at[i];
    for (int i = 0; i < SYMBOLS; i++)
      near("gradient at one point", ex_eval_array(P, d[i], at), ex_eval_array(P, ex_diff(P, f, i), at), size);
  }
}

static void test_rewriting_keeps_values(void **unused) {
  (void)unused;
  double at[ROOM];
  for (int round = 0; round < ROUNDS; round++) {
    state = 3000 + (uint64_t)round;
    Ex f[3] = {graph(20), graph(25), graph(30)}, g[3];
    for (int i = 0; i < 3; i++) g[i] = ex_keep_shared(P, f[i]);
    values(at);
    for (int i = 0; i < 3; i++) near("kept", ex_eval_array(P, g[i], at), ex_eval_array(P, f[i], at), 0);
    ex_share_factors(P, g, 3);
    for (int i = 0; i < 3; i++) near("factors", ex_eval_array(P, g[i], at), ex_eval_array(P, f[i], at), 0);
  }
}

static void test_quantities(void **unused) {
  (void)unused;
  Ex x = sym('x'), y = sym('y'), s = ex_add(P, x, y), p = ex_mul(P, x, y);
  assert_int_equal(shared(x), x);                                       // a leaf, a function: nothing to keep
  assert_int_equal(shared(ex_1(P, OP_SIN, s)), ex_1(P, OP_SIN, s));
  assert_int_equal(shared(shared(s)), shared(s));
  assert_int_equal(shared(ex_neg(P, s)), ex_neg(P, shared(s)));         // numbers stand outside
  assert_int_equal(shared(ex_mul(P, num(3), p)), ex_mul(P, num(3), shared(p)));
  assert_true(ex_is_shared(P, ex_1(P, OP_EXP, shared(s))) && !ex_is_shared(P, s));
  assert_int_not_equal(ex_mul(P, shared(p), x), ex_mul(P, p, x));       // not looked into
  assert_int_equal(ex_sub(P, shared(p), shared(p)), num(0));
  assert_int_equal(ex_open(P, shared(s)), shared(s));                   // what is large stays
  assert_int_equal(ex_expand(P, ex_mul(P, shared(s), s)), ex_mul(P, shared(s), s));
  assert_int_equal(ex_keep_shared(P, ex_1(P, OP_SIN, shared(s))), ex_1(P, OP_SIN, s));    // read once
  Ex twice = ex_mul(P, ex_1(P, OP_SIN, shared(s)), ex_1(P, OP_COS, shared(s)));
  assert_int_equal(ex_keep_shared(P, twice), twice);
}

// x_k = x_(k-1) + sin(a_k), a_k = a_(k-1) + q_k: nodes of the gradient of the sum of x_k^2, and of its derivatives by
// all q.
typedef enum { GRADIENT, ONE_BY_ONE, THROUGH } Which;

static int chain_nodes(int n, Which which) {
  int id[128];
  Ex a = num(0), x = num(0), f = num(0), all[128*128], g[128];
  for (int k = 0; k < n; k++) {
    id[k] = 100 + k;
    a = shared(ex_add(P, a, ex_sym(P, id[k])));
    x = shared(ex_add(P, x, ex_1(P, OP_SIN, a)));
    f = ex_add(P, f, ex_pow(P, x, num(2)));
  }
  ex_gradient(P, f, id, n, g);
  const Ex *order;
  int m = 0;
  if (which == GRADIENT) return ex_topological(P, g, n, &order);
  if (which == THROUGH) ex_jacobian_dense(P, g, n, id, NULL, n, all), m = n*n;
  for (int i = 0; which == ONE_BY_ONE && i < n; i++)
    for (int k = 0; k < n; k++) all[m++] = ex_diff(P, g[i], id[k]);
  return ex_topological(P, all, m, &order);
}

static void test_growth(void **unused) {
  (void)unused;
  int once = chain_nodes(40, GRADIENT), twice = chain_nodes(80, GRADIENT);
  if (!(twice <= 2.2*once)) fail_msg("gradient: %d nodes, then %d", once, twice);
  once = chain_nodes(30, ONE_BY_ONE);
  twice = chain_nodes(60, ONE_BY_ONE);
  if (!(twice <= 4.4*once)) fail_msg("second derivatives: %d nodes, then %d", once, twice);
  int through = chain_nodes(60, THROUGH);
  if (!(through <= 0.95*twice)) fail_msg("through the angles: %d nodes, else %d", through, twice);
}

// The derivatives of a tower of products stay as long as the tower.
static void test_tower(void **unused) {
  (void)unused;
  const Ex *order;
  int nodes[2];
  for (int i = 0; i < 2; i++) {
    Ex e = sym('x');
    for (int k = 0; k < 200 << i; k++) e = ex_1(P, OP_SIN, ex_mul(P, num(1.01), e));
    Ex d = ex_diff(P, ex_diff(P, e, 'x' - 'a'), 'x' - 'a');
    nodes[i] = ex_topological(P, &d, 1, &order);
    int args = 0;
    for (int k = 0; k < nodes[i]; k++) args += ex_nargs(P, order[k]);
    nodes[i] += args;
  }
  if (!(nodes[1] <= 2.2*nodes[0])) fail_msg("%d, then %d", nodes[0], nodes[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    RIG_TEST(test_gradient), RIG_TEST(test_tangent), RIG_TEST(test_discrete), RIG_TEST(test_rewriting_keeps_values),
    RIG_TEST(test_quantities), RIG_TEST(test_growth), RIG_TEST(test_tower), RIG_TEST(test_jacobian),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
