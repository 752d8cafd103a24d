// Expressions: precedence, seen by putting parentheses around every operation; literals with units.
#include "bench.h"

// A fully parenthesised rendering of the tree.
static void render(const Ast *n, Text *t) {
  static const char *const ops[] = { "+", "-",  "*",  "/",  "^",     "-",    "<",   "<=",
                                     ">", ">=", "==", "!=", " and ", " or ", "not " };
  const char *comma = "";
  switch (n->kind) {
    case AST_NUMBER: text_number(t, n->number); if (n->unit) text_printf(t, "[%s]", n->unit); break;
    case AST_NAME:   text_add(t, n->name); break;
    case AST_PAREN:  render(n->a, t); break;
    case AST_UNARY:  text_printf(t, "(%s", ops[n->op]); render(n->a, t); text_addc(t, ')'); break;
    case AST_BINARY:
      text_addc(t, '(');
      render(n->a, t);
      text_add(t, ops[n->op]);
      render(n->b, t);
      text_addc(t, ')');
      break;
    case AST_PRIME:  render(n->a, t); text_addc(t, '\''); break;
    case AST_MEMBER: render(n->a, t); text_printf(t, ".%s", n->name); break;
    case AST_RANGE:  render(n->a, t); text_addc(t, ':'); render(n->b, t); break;
    case AST_ARG:    text_printf(t, "%s=", n->name); render(n->a, t); break;
    case AST_SUM:
      text_printf(t, "{sum %s in ", n->name);
      render(n->a, t);
      text_add(t, ": ");
      render(n->b, t);
      text_addc(t, '}');
      break;
    case AST_COND:
      text_add(t, "{");
      render(n->a, t);
      text_add(t, "?");
      render(n->b, t);
      text_add(t, ":");
      render(n->c, t);
      text_add(t, "}");
      break;
    default:
      if (n->kind == AST_INDEX) render(n->a, t);
      if (n->kind == AST_CALL) text_add(t, n->name);
      text_add(t, n->kind == AST_CALL ? "(" : "[");
      for (int k = 0; k < n->list.n; k++, comma = ",") text_add(t, comma), render(n->list.at[k], t);
      text_add(t, n->kind == AST_CALL ? ")" : "]");
  }
}

// The text as the value of a declaration.
static Bench declared(const char *text) {
  static char file[200];
  return parsed(file, (size_t)snprintf(file, sizeof file, "model A { var y_ = %s; }", text));
}

static void means(const char *text, const char *expected) {
  Bench b = declared(text);
  if (diag_errors(b.bag)) fail_msg("%s", messages(&b));
  Text t = {0};
  render(b.tree->list.at[0]->list2.at[0]->list.at[0]->a, &t);
  assert_string_equal(text_str(&t), expected);
  text_free(&t);
  arena_free(b.arena);
}

static void precedence(void **state) {
  (void)state;
  means("a + b*c", "(a+(b*c))");
  means("a - b - c", "((a-b)-c)");
  means("a/b*c", "((a/b)*c)");
  means("a^b^c", "(a^(b^c))");
  means("-a^2", "(-(a^2))");
  means("2^-x*3", "((2^(-x))*3)");
  means("-a*b", "((-a)*b)");
  means("a*-b", "(a*(-b))");
  means("a or b and not c < d + 1", "(a or (b and (not (c<(d+1)))))");
  means("not a == b", "(not (a==b))");
  means("a'^2", "(a'^2)");
  means("m*bead[i+1].z'/2", "((m*bead[(i+1)].z')/2)");
  means("+a - +b", "(a-b)");
  means("a <= b and b <= c", "((a<=b) and (b<=c))");
}

static void prefix_forms(void **state) {
  (void)state;
  means("if a < b then 1 else 2 + 3", "{(a<b)?1:(2+3)}");
  means("1 + if a then b else c*2", "(1+{a?b:(c*2)})");
  means("if a then b else if c then d else e", "{a?b:{c?d:e}}");
  means("sum(i in 1:n) m*x[i]^2 + 1", "({sum i in 1:n: (m*(x[i]^2))}+1)");
  means("2*sum(i in 1:n-1) -x[i]*3 - 1", "((2*{sum i in 1:(n-1): ((-x[i])*3)})-1)");
  means("sum(i in 1:2) sum(j in 1:3) a[i, j]", "{sum i in 1:2: {sum j in 1:3: a[i,j]}}");
  means("sum(v)", "sum(v)");
}

static void operands(void **state) {
  (void)state;
  means("[[0, 1], [-2, -0.5]]*x", "([[0,1],[(-2),(-0.5)]]*x)");
  means("[1 [m], 2 [mm]]", "[1[m],2[mm]]");
  means("x[1:n, 2]", "x[1:n,2]");
  means("x'[2]", "x[2]'");
  means("der(x)", "x'");
  means("der(der(x[1]))", "x[1]''");
  means("der(a*b)", "(a*b)'");
  means("moreau(theta = 1/2)", "moreau(theta=(1/2))");
  means("f()", "f()");
  means("normal + slip + until + step + e + in_", "(((((normal+slip)+until)+step)+e)+in_)");
}

static void numbers_and_units(void **state) {
  (void)state;
  means("1", "1");
  means(".5", "0.5");
  means("1.", "1");
  means("1.5e-3", "0.0015");
  means("9.81 [m/s^2]", "9.81[m/s^2]");
  means("9.81[ m / s^2 ]", "9.81[m/s^2]");
  means("1 [rev/min]", "1[rev/min]");
  means("3 [m^-1]", "3[m^-1]");
  means("2 [kg/(m*s)]", "2[kg/(m*s)]");
  means("10 [µF]", "10[uF]");
  means("10 [N·m²]", "10[N*m^2]");
}

static void refused(void **state) {
  (void)state;
  static const char *const wrong[] = {
    "",      "  ",    "1 +",     "(1",     "1)",        "a b",   "x = 3", "5 [m",        "5 []",          "5 [m m]",
    "5 [2]", "f(1,)", "[]",      "a[]",    "a < b < c", "1.2.3", "0x1F",  "if a then b", "sum(i in n) x", "x..y",
    "'x",    "3'",    "a[1][2]", "(a)[m]", "$",         "\xff",  "model A {}"
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    Bench b = declared(wrong[k]);
    if (diag_errors(b.bag) != 1) fail_msg("%d errors: %s", diag_errors(b.bag), wrong[k]);
    arena_free(b.arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(precedence), cmocka_unit_test(prefix_forms), cmocka_unit_test(operands),
    cmocka_unit_test(numbers_and_units), cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
