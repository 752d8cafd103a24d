// Items: the tree of each form, spans, and how one mistake leaves the rest of the file readable.
#include "bench.h"

static void tree(const char *text, const char *expected) {
  Bench b = parsed(text, strlen(text));
  if (diag_errors(b.bag)) fail_msg("%s", messages(&b));
  assert_string_equal(dumped(&b), expected);
  arena_free(b.arena);
}

static void declarations(void **state) {
  (void)state;
  tree("model A(z0 : m, R : m/s^2 = 0.1) { coord z : N*m/rad = z0 \"doc\", z[2]' = 0 [m/s]; }",
       "FILE\n"
       "  MODEL \"A\"\n"
       "    DECL \"z0\" [m]\n"
       "    DECL \"R\" [m/s^2]\n"
       "      a: NUMBER 0.1\n"
       "    2: COORD\n"
       "      DECL \"z\" [N*m/rad] doc \"doc\"\n"
       "        a: NAME \"z0\"\n"
       "      DECL \"z\"'\n"
       "        a: NUMBER 0 [m/s]\n"
       "        NUMBER 2\n");
  tree("import \"a.nsm\"; function f(x : m) : N = x; param p = 1;",
       "FILE\n"
       "  IMPORT \"a.nsm\"\n"
       "  FUNCTION \"f\" [N]\n"
       "    a: NAME \"x\"\n"
       "    DECL \"x\" [m]\n"
       "  PARAM\n"
       "    DECL \"p\"\n"
       "      a: NUMBER 1\n");
}

static void laws(void **state) {
  (void)state;
  tree(
      "model A { relation r[i]: y >= 0 perp 0 <= f with type1; relation s: u in -sgn(s); contact c: z >= 0; "
      "constraint k: a = b; }",
      "FILE\n"
      "  MODEL \"A\"\n"
      "    2: RELATION \"r\"\n"
      "      a: COMPLEMENTARITY\n"
      "        a: NAME \"y\"\n"
      "        b: NAME \"f\"\n"
      "      NAME \"i\"\n"
      "      2: LAW \"type1\"\n"
      "    2: RELATION \"s\"\n"
      "      a: INCLUSION\n"
      "        a: NAME \"u\"\n"
      "        b: UNARY -\n"
      "          a: CALL \"sgn\"\n"
      "            NAME \"s\"\n"
      "    2: CONTACT \"c\"\n"
      "      a: NAME \"z\"\n"
      "    2: CONSTRAINT \"k\"\n"
      "      a: NAME \"a\"\n"
      "      b: NAME \"b\"\n");
  tree("model A { contact c[1] { with newton(e); slip = [a, b]; normal = z; with coulomb(mu); } }",
       "FILE\n"
       "  MODEL \"A\"\n"
       "    2: CONTACT \"c\"\n"
       "      a: NAME \"z\"\n"
       "      c: VECTOR\n"
       "        NAME \"a\"\n"
       "        NAME \"b\"\n"
       "      NUMBER 1\n"
       "      2: LAW \"newton\"\n"
       "        NAME \"e\"\n"
       "      2: LAW \"coulomb\"\n"
       "        NAME \"mu\"\n");
}

static void families_and_experiments(void **state) {
  (void)state;
  tree(
      "model A { Bead bead[i in 1:n](z = i); for i in 1:n-1 { C*v' = 1; } simulate { until = 2 [s], every = 3, } "
      "expect a <= b \"m\"; }",
      "FILE\n"
      "  MODEL \"A\"\n"
      "    2: INSTANCE \"bead\"\n"
      "      b: NAME \"Bead\"\n"
      "      INDEXER \"i\"\n"
      "        a: RANGE\n"
      "          a: NUMBER 1\n"
      "          b: NAME \"n\"\n"
      "      2: ARG \"z\"\n"
      "        a: NAME \"i\"\n"
      "    2: FOR \"i\"\n"
      "      a: RANGE\n"
      "        a: NUMBER 1\n"
      "        b: BINARY -\n"
      "          a: NAME \"n\"\n"
      "          b: NUMBER 1\n"
      "      2: EQUATION\n"
      "        a: BINARY *\n"
      "          a: NAME \"C\"\n"
      "          b: PRIME\n"
      "            a: NAME \"v\"\n"
      "        b: NUMBER 1\n"
      "    2: SIMULATE\n"
      "      ARG \"until\"\n"
      "        a: NUMBER 2 [s]\n"
      "      ARG \"every\"\n"
      "        a: NUMBER 3\n"
      "    2: EXPECT doc \"m\"\n"
      "      a: BINARY <=\n"
      "        a: NAME \"a\"\n"
      "        b: NAME \"b\"\n");
  tree("model A { every 10 [ms] { discrete u = 1; } when x > 0 { } force z = 1; assert a != b; }",
       "FILE\n"
       "  MODEL \"A\"\n"
       "    2: EVERY\n"
       "      a: NUMBER 10 [ms]\n"
       "      2: DISCRETE\n"
       "        DECL \"u\"\n"
       "          a: NUMBER 1\n"
       "    2: WHEN\n"
       "      a: BINARY >\n"
       "        a: NAME \"x\"\n"
       "        b: NUMBER 0\n"
       "    2: FORCE\n"
       "      a: NAME \"z\"\n"
       "      b: NUMBER 1\n"
       "    2: ASSERT\n"
       "      a: BINARY !=\n"
       "        a: NAME \"a\"\n"
       "        b: NAME \"b\"\n");
}

static void spans_are_the_text(void **state) {
  (void)state;
  const char *text = "model M { coord zeta : m/s = 1 [m] + b ; contact floor[1]: zeta - R >= 0 with newton(e); }";
  Bench b = parsed(text, strlen(text));
  const Ast *model = b.tree->list.at[0], *coord = model->list2.at[0], *decl = coord->list.at[0],
            *contact = model->list2.at[1];
#define TEXT_IS(span, s) assert_true((span).hi - (span).lo == strlen(s) && memcmp(text + (span).lo, s, strlen(s)) == 0)
  TEXT_IS(model->span, text);
  TEXT_IS(model->name_span, "M");
  TEXT_IS(coord->span, "coord zeta : m/s = 1 [m] + b");
  TEXT_IS(decl->name_span, "zeta");
  TEXT_IS(decl->unit_span, "m/s");
  TEXT_IS(decl->a->span, "1 [m] + b");
  TEXT_IS(decl->a->a->unit_span, "m");
  TEXT_IS(contact->span, "contact floor[1]: zeta - R >= 0 with newton(e)");
  TEXT_IS(contact->name_span, "floor");
  TEXT_IS(contact->a->span, "zeta - R");
  TEXT_IS(contact->list2.at[0]->span, "newton(e)");
  arena_free(b.arena);
}

// Every line that is marked, and no other, has exactly one error.
static void one_error_a_mistake(void **state) {
  (void)state;
  static const char *const lines[] = { "model A {",
                                       "  param a = 1;",
                                       "! param b = ;",
                                       "  coord z;",
                                       "! kinetic m*(z;",
                                       "  potential z;",
                                       "! x' = a b;",
                                       "! relatoin r: a = b;",
                                       "  x' = 3;",
                                       "! contact c: z = 0;",
                                       "  for i in 1:2 {",
                                       "!   x[i]' = 1 2, 3;",
                                       "    y[i]' = 2;",
                                       "  }",
                                       "! param state = 2;",
                                       "! var c = 3 $ 4;",
                                       "! force z = f(1 + ];",
                                       "  simulate { until = 1 }",
                                       "! simulate { until = 1; step = 2 }",
                                       "! a := 3;",
                                       "  expect a < b;",
                                       "}",
                                       "! coord outside;",
                                       "model B {",
                                       "! x' == 3;",
                                       "! a + b;",
                                       "! contact c { normal = 1 2; with x; }",
                                       "}" };
  Text t = {0};
  int wrong = 0, n = (int)(sizeof lines / sizeof *lines);
  for (int k = 0; k < n; k++) {
    text_printf(&t, "%s\n", lines[k][0] == '!' ? lines[k] + 1 : lines[k]);
    wrong += lines[k][0] == '!';
  }
  Bench b = parsed(text_str(&t), t.n);
  const char *shown = messages(&b);
  for (int k = 0; k < n; k++) {
    char place[32];
    snprintf(place, sizeof place, "--> t.nsm:%d:", k + 1);
    if ((strstr(shown, place) != NULL) != (lines[k][0] == '!')) fail_msg("line %d: %s\n%s", k + 1, lines[k], shown);
  }
  if (diag_errors(b.bag) != wrong) fail_msg("%d errors for %d mistakes\n%s", diag_errors(b.bag), wrong, shown);
  text_free(&t);
  arena_free(b.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(declarations), cmocka_unit_test(laws), cmocka_unit_test(families_and_experiments),
    cmocka_unit_test(spans_are_the_text), cmocka_unit_test(one_error_a_mistake),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
