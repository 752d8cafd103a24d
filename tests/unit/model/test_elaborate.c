// Elaboration from text: what the fields of the typed model say, what overrides fix, and which code each mistake gives.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "model/elaborate.h"
#include "model/model_print.h"
#include "syntax/parse.h"
#include "tests/unit/diagnosed.h"

typedef struct Case { Arena *arena; DiagBag *bag; const Model *model; } Case;

static Case open_with(const char *text, const ElaborateOptions *o) {
  Case c = {.arena = arena_new()};
  Interner *in = intern_new(c.arena);
  c.bag = diag_bag_new(c.arena);
  const SourceFile *f = source_from_text(c.arena, "test.nsm", text, strlen(text));
  const Ast *file = parse_file(c.arena, in, f, c.bag);
  c.model = elaborate(c.arena, in, file, o, c.bag);
  return c;
}

static Case open_good(const char *text) {
  Case c = open_with(text, NULL);
  if (!c.model) {
    diag_print(c.bag, stderr, false);
    fail_msg("refused: %s", text);
  }
  return c;
}

static void close_case(Case *c) { arena_free(c->arena); }

static void check_code(const char *text, DiagCode code) {
  Case c = open_with(text, NULL);
  if (!diagnosed(c.bag, code)) {
    diag_print(c.bag, stderr, false);
    fail_msg("%s expected from: %s", diag_code_name(code), text);
  }
  close_case(&c);
}

static void loops_are_kept(void **state) {
  (void)state;
  Case c = open_good("model B(z0) { coord z = z0; kinetic z'^2/2; }"
                     "model C { param n = 1000000; B b[i in 1:n](z0 = i);"
                     "  for i in 1:n-1 { contact c[i]: b[i+1].z - b[i].z >= 0 with newton(0.5); } }");
  const Model *m = c.model;
  assert_int_equal(m->nvar, 2);
  assert_string_equal(m->var[0].name, "b[%].z");
  assert_int_equal(m->var[0].ndim, 1);
  assert_string_equal(m->var[1].name, "c[%].lambda");
  assert_int_equal(m->var[1].kind, MV_ROW);
  assert_int_equal(m->ncontact, 1);
  const MContact *k = &m->contact[0];
  assert_int_equal(k->ctx.n, 1);
  assert_int_equal(k->row_var, 1);
  // b[i+1].z - b[i].z
  assert_int_equal(k->gap->op, MOP_SUB);
  assert_int_equal(k->gap->arg[1]->kind, MX_VAR);
  assert_int_equal(k->gap->arg[1]->arg[0]->kind, MX_LOOP);
  assert_int_equal(k->gap->uses, MU_VAR | MU_LOOP);
  assert_false(m->param[0].structural);
  close_case(&c);
}

static void overrides_fix_shapes(void **state) {
  (void)state;
  const char *text = "model C { param half = 1, n = 2*half, k = 3; state x[n] = 0; x' = -k*x; }";
  Override set[] = {{.name = "half", .value = 4}};
  ElaborateOptions o = {.set = set, .nset = 1};
  Case c = open_with(text, &o);
  assert_non_null(c.model);
  assert_int_equal(c.model->nequation, 8);
  assert_true(c.model->param[0].structural && c.model->param[1].structural && !c.model->param[2].structural);
  assert_true(c.model->param[0].fixed == 4 && c.model->param[1].fixed == 8);
  close_case(&c);
  set[0] = (Override){.name = "n", .value = 3};
  c = open_with(text, &o);
  assert_non_null(c.model);
  assert_int_equal(c.model->nequation, 3);
  assert_false(c.model->param[0].structural);   // n no longer depends on it
  close_case(&c);
  set[0] = (Override){.name = "n", .value = 2.5};
  c = open_with(text, &o);
  assert_null(c.model);
  assert_true(diagnosed(c.bag, DIAG_E0602));
  close_case(&c);
}

static void root_is_chosen(void **state) {
  (void)state;
  const char *text =
      "model A { coord x = 1; kinetic x'^2; } model B(k = 2) { coord y = k; kinetic y'^2; } model P(q) { coord z = q; "
      "}";
  Case c = open_good(text);
  assert_string_equal(c.model->name, "B");
  assert_string_equal(c.model->param[0].name, "k");
  close_case(&c);
  c = open_with(text, &(ElaborateOptions){.root = "A"});
  assert_string_equal(c.model->name, "A");
  close_case(&c);
  c = open_with(text, &(ElaborateOptions){.root = "P"});   // its formal must then be set
  assert_non_null(c.model);
  assert_null(c.model->param[0].value);
  close_case(&c);
  c = open_with(text, &(ElaborateOptions){.root = "Q"});
  assert_true(!c.model && diagnosed(c.bag, DIAG_E0216));
  close_case(&c);
}

static void si_inside(void **state) {
  (void)state;
  Case c = open_good("model A { param l = 5.8 [mm], a : deg = 180; coord x : cm = 3; kinetic 1 [kg]*x'^2/2; }");
  assert_true(c.model->param[0].value->num == 0.0058);
  assert_true(c.model->param[1].value->num == 3.14159265358979323846);
  assert_true(c.model->init[0].value->num == 0.03);
  assert_true(c.model->var[0].unit.scale == 0.01);   // as declared, for output
  close_case(&c);
}

static void relay_sides(void **state) {
  (void)state;
  Case c = open_good("model A { param K = 2; state x = 1; multiplier u; x' = u; relation r: u in -K*sgn(x); }");
  const MRelation *r = &c.model->relation[0];
  assert_int_equal(r->law, ML_BOX);
  assert_int_equal(r->y->kind, MX_VAR);
  assert_int_equal(r->hi->kind, MX_PARAM);
  close_case(&c);
  c = open_good("model A { state x = 1; multiplier u; x' = u; relation r: u in 3*sgn(x); }");
  r = &c.model->relation[0];
  assert_int_equal(r->y->op, MOP_NEG);
  assert_true(r->lo->num == -3 && r->hi->num == 3);
  close_case(&c);
  c = open_good("model A { state x = 1; multiplier u; x' = u; relation r: -x in normal_cone([0, inf], u); }");
  assert_int_equal(c.model->relation[0].law, ML_NONNEG);
  close_case(&c);
}

static void units_without_units(void **state) {
  (void)state;
  Case c =
      open_good("model A { param m = 1; coord x = 1; kinetic m*x'^2/2; potential 1 - cos(x); force x = sin(2*time); }");
  close_case(&c);
  check_code("model A { param m = 1 [kg]; coord x : m = 1; kinetic m*x'^2/2; force x = m*sin(2*time); }", DIAG_E0301);
}

static void mistakes(void **state) {
  (void)state;
  check_code("model A { coord x = y; }", DIAG_E0201);
  check_code("model A { state x = 1; var v = x; state x = 2; }", DIAG_E0202);
  check_code("model A { state x = 1; }", DIAG_E0203);
  check_code("model A { coord x; }", DIAG_E0204);
  check_code("model A { param a = a; }", DIAG_E0211);
  check_code("function f(x) = g(x); function g(x) = f(x); model A { param a = f(1); }", DIAG_E0211);
  check_code("model A { B b(); } model B { A a(); } model C { B b(); }", DIAG_E0211);
  check_code("model A { coord x = 1; contact c: x >= 0; }", DIAG_E0214);
  check_code("model A { coord x = 1; contact c: x >= 0 with newton(x); }", DIAG_E0224);
  check_code("model A { coord x = 1 [m]; contact c: x >= 0 with newton(1 [m]); }", DIAG_E0301);
  check_code("model A { coord x[3] = 1; force x = [1, 2]; }", DIAG_E0302);
  check_code("model A { param k[2] = [1, 2, 3]; }", DIAG_E0302);
  check_code("model A { coord x[2] = 1; for i in 1:2 { force x[i+1] = 1; } }", DIAG_E0608);
  check_code("model A { coord x = 1; for i in 1:x { kinetic i*x'^2; } }", DIAG_E0601);
  check_code("model A { coord x = 1; kinetic sum(i in 1:x) x'^2; }", DIAG_E0601);
  check_code("model A { state x[100000, 100000] = 0; x' = x; }", DIAG_E0607);
  check_code("model A { coord x = 1; contact c: x >= 0 with newton(0.5), coulomb(0.3); }", DIAG_E0401);
  check_code("model A { coord x = 1; contact c: x >= 0 with elastic, coulomb(0.3); }", DIAG_E0401);
}

static void hostile(void **state) {
  (void)state;
  // a deep tower of functions is shared, not copied
  Text t = {0};
  text_add(&t, "function f0(x) = x + x;\n");
  for (int i = 1; i < 60; i++)
    text_printf(&t, "function f%d(x) = f%d(f%d(x));\n", i, i > 30 ? 0 : i - 1, i > 30 ? i - 1 : 0);
  text_add(&t, "model A { coord x = 1; kinetic x'^2/2; force x = f30(x); }");
  Case c = open_good(text_str(&t));
  close_case(&c);
  text_free(&t);
  // long sums stay shallow
  c = open_good("model A { param n = 9000; coord x[n] = 1; force x[1] = sum(i in 1:n) x[i]; }");
  int depth = 0;
  for (const MExpr *x = c.model->force[0].value; x->kind == MX_OP; x = x->arg[0]) depth++;
  assert_true(depth < 20);
  close_case(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(loops_are_kept), cmocka_unit_test(overrides_fix_shapes),
    cmocka_unit_test(root_is_chosen), cmocka_unit_test(si_inside),
    cmocka_unit_test(relay_sides),    cmocka_unit_test(units_without_units),
    cmocka_unit_test(mistakes),       cmocka_unit_test(hostile),
  };
  return cmocka_run_group_tests_name("elaborate", tests, NULL, NULL);
}
