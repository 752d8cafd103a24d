// Mass, centre and inertia that follow from shapes as expressions, against runtime/shapes/mass.h; sizes by parameters
// and by indices of families.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/shapes/mass.h"
#include "tests/unit/compile_text.h"
#include "compiler/model/mx.h"

static double drawn(void) { return rand() / (double)RAND_MAX; }

static double number(const MExpr *x) {
  double v;
  assert_true(mx_eval(&(MxEval){ 0 }, x, &v));
  return v;
}

// The outputs of a model in order.
static void same(const Model *m, const double *expected, int n, double scale) {
  assert_int_equal(m->noutput, n);
  for (int i = 0; i < n; i++) {
    double v = number(m->output[i].value);
    if (!(fabs(v - expected[i]) <= 1e-13 * scale))
      fail_msg("%s is %.17g, not %.17g", m->output[i].name, v, expected[i]);
  }
}

// A turn about an axis, as rotation(axis, angle) has it.
static void turn(const double *axis, double angle, double *R) {
  double l = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), n[3], c = cos(angle), s = sin(angle);
  for (int i = 0; i < 3; i++) n[i] = axis[i] / l;
  double hat[9] = { 0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0 };
  for (int i = 0; i < 9; i++) R[i] = c * (i % 4 == 0) + s * hat[i] + (1 - c) * n[i / 3] * n[i % 3];
}

typedef struct Draft { nsm_shape shape[4]; char text[2000]; int n; } Draft;

static void draw_part(Draft *d) {
  static const char *const form[] = { "sphere(%.17g)", "box([%.17g, %.17g, %.17g])", "capsule(%.17g, %.17g)",
                                      "cylinder(%.17g, %.17g)" };
  nsm_shape *s = &d->shape[d->n];
  *s = (nsm_shape){ .kind = (nsm_shape_kind)(rand() % 4) };
  double size[3] = { 0.1 + drawn(), 0.1 + drawn(), 0.1 + drawn() }, axis[3], angle = 6 * drawn();
  s->size[0] = s->kind == NSM_BOX ? size[0] / 2 : size[0];
  s->size[1] = size[1] / 2;
  s->size[2] = size[2] / 2;
  for (int i = 0; i < 3; i++) {
    axis[i] = drawn() - 0.5;
    s->at[i] = 2 * drawn() - 1;
  }
  turn(axis, angle, s->turn);
  size_t n = strlen(d->text);
  if (d->n) n += (size_t)sprintf(d->text + n, ", ");
  n += (size_t)sprintf(d->text + n, form[s->kind], size[0], size[1], size[2]);
  sprintf(d->text + n, " at([%.17g, %.17g, %.17g], rotation([%.17g, %.17g, %.17g], %.17g))", s->at[0], s->at[1],
          s->at[2], axis[0], axis[1], axis[2], angle);
  d->n++;
}

static void unions(void **state) {
  (void)state;
  srand(7);
  for (int trial = 0; trial < 60; trial++) {
    Draft d = { .n = 0 };
    for (int k = 1 + rand() % 4; k > 0; k--) draw_part(&d);
    nsm_mass m;
    assert_int_equal(nsm_mass_of(d.shape, d.n, &m), NSM_MASS_FOUND);
    double rho = 0.5 + drawn(), expected[13] = { rho * m.volume };
    memcpy(expected + 1, m.centre, sizeof m.centre);
    for (int i = 0; i < 9; i++) expected[4 + i] = rho * m.inertia[i];
    char text[3000];
    const char *entry[] = { "density", "mass" };
    for (int k = 0; k < 2; k++) {                            // the same by the mass
      sprintf(text,
              "model M { body b { shape = union(%s), %s = %.17g } output m = b.mass; output c = b.centre;"
              " output J = b.inertia; simulate { until = 1, step = 1 } }",
              d.text, entry[k], k ? rho * m.volume : rho);
      Compilation *c = compile_text(text, STAGE_MODEL);
      same(c->model, expected, 13, 10 * (1 + rho * m.volume));
      compilation_free(c);
    }
  }
}

// A tetrahedron with three edges of 1 along the axes: V = 1/6, its centre at 1/4 each, J = V (3/40, and 1/80 beside).
static void tetrahedron(void **state) {
  (void)state;
  Compilation *c = compile_text("model M { body b { shape = convex([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),"
                                " density = 6 } output m = b.mass; output c = b.centre; output J = b.inertia;"
                                " simulate { until = 1, step = 1 } }", STAGE_MODEL);
  same(c->model, (const double[]){ 1, 0.25, 0.25, 0.25, 0.075, 0.0125, 0.0125, 0.0125, 0.075, 0.0125, 0.0125, 0.0125,
                                   0.075 }, 13, 1);
  compilation_free(c);
}

// With an inertia of its own the shape stays where it is written; without, it is moved by its centre.
static void origin(void **state) {
  (void)state;
  Compilation *c = compile_text("model M { body a { shape = sphere(1) at([0, 0, 0.5]), mass = 1, inertia = [1, 1, 1] }"
                                " body b { shape = sphere(1) at([0, 0, 0.5]), mass = 1 }"
                                " body c { fixed, shape = sphere(1) at([0, 0, 0.5]) }"
                                " simulate { until = 1, step = 1 } }", STAGE_MODEL);
  const double place[] = { 0.5, 0, 0.5 };
  assert_int_equal(c->model->nsolid, 3);
  for (int i = 0; i < 3; i++) assert_true(number(c->model->solid[i].shape[0].at[2]) == place[i]);
  compilation_free(c);
}

static void families(void **state) {
  (void)state;
  Compilation *c = compile_text("model M { param a = 2; body b[i in 1:3] { shape = box([a, i, 1]), density = 1 }"
                                " body f { fixed, shape = halfspace }"
                                " contact c { between = b[2:3], f; with newton(0); }"
                                " simulate { until = 1, step = 1 } }", STAGE_MODEL);
  const MShape *s = &c->model->solid[0].shape[0];
  double v;
  assert_true(s->size[0]->uses & MU_PARAM);
  assert_true(mx_eval(&(MxEval){ .loop = (const double[]){ 3 }, .nloop = 1 }, s->size[1], &v) && v == 1.5);
  const MMembers *m = c->model->touch[0].member[0];
  assert_true(!m->whole && number(m->lo[0]) == 2 && number(m->hi[0]) == 3);
  assert_true(c->model->touch[0].member[1]->whole);
  compilation_free(c);
}

// Of a family of parts the bodies of all, of some, of one.
static void parts(void **state) {
  (void)state;
  Compilation *c = compile_text("model P(z) { body b { shape = sphere(0.1), density = 1, position = [0, 0, z] } }"
                                "model M { P p[i in 1:4](z = i); body f { fixed, shape = halfspace }"
                                " contact c { between = p.b, f; with newton(0); }"
                                "  contact d { between = p[2:3].b, p[4].b; with newton(0); }"
                                " simulate { until = 1, step = 1 } }", STAGE_MODEL);
  const MTouch *t = c->model->touch;
  assert_true(t[0].member[0][0].whole && !t[1].member[1][0].whole);
  assert_true(number(t[1].member[1][0].lo[0]) == 4 && number(t[1].member[1][0].hi[0]) == 4);
  assert_true(number(t[1].member[0][0].lo[0]) == 2 && number(t[1].member[0][0].hi[0]) == 3);
  compilation_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(unions), cmocka_unit_test(tetrahedron),
                                      cmocka_unit_test(origin), cmocka_unit_test(families),
                                      cmocka_unit_test(parts) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
