// Pieces of order 4, 6 and 8: Newton's matrix against differences of its equations, and the forces at an instant (8)
// where a closed form has them. A wrong entry of either costs iterations or the start of a piece, which no trajectory
// shows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/schemes/galerkin.h"
#include "tests/unit/compile_text.h"

static nsm_settings own = { .until = NAN, .step = NAN, .start = NAN, .theta = NAN, .gamma = NAN };

typedef struct piece { Compilation *c; Jit *j; nsm_sim *s; } piece;

// A model some steps after its start, the rows of its next piece known.
static piece begin(const char *model, int order, long steps) {
  char text[2048];
  nsm_error e;
  const char *why = "";
  JitStatus status;
  snprintf(text, sizeof text, "model Piece {\n%s\n  simulate { until = 1, step = 0.01, scheme = consistent(order = %d)"
           " }\n}\n", model, order);
  piece p = { .c = compile_text(text, STAGE_C) };
  p.j = jit_compile(p.c->arena, JIT_TCC, text_str(&p.c->c), &p.c->kernels, &status, &why);
  if (!p.j) fail_msg("%s", why);
  p.s = nsm_open(jit_model(p.j), &own, &e);
  if (!p.s) fail_msg("%s", e.text);
  if (nsm_advance(p.s, steps, &e) != NSM_OK) fail_msg("%s", e.text);
  galerkin_rows(p.s);
  return p;
}

static void end(piece p) {
  nsm_close(p.s);
  jit_free(p.j);
  compilation_free(p.c);
}

// ---- Newton's matrix ------------------------------------------------------------------------------------------------
static const struct { const char *name, *model; int rows, sliding;
} kinds[] = {
  { "a pendulum in Cartesian coordinates, damped and pushed",
    "  coord x = 0, y = -1; coord x' = 1; kinetic (x'^2 + y'^2)/2; potential 9.81*y + 3*(x^2 + y^2)^2;\n"
    "  dissipation 0.1*(x'^2 + y'^2)^2/2; force x = sin(3*time) - x'*y; constraint rod: x^2 + y^2 - 1 = 0;", 1, 0 },
  { "a double pendulum by angles",
    "  coord a = 1, b = 0.5; kinetic a'^2 + b'^2/2 + a'*b'*cos(a - b); potential -20*cos(a) - 10*cos(b);", 0, 0 },
  { "a block that slides, of coupled inertia",
    "  coord x = 0, z = 0; coord x' = 1; kinetic (x'^2 + z'^2 + 0.5*(x' + z')^2)/2; potential 9.81*z;\n"
    "  contact floor { normal = z; slip = x'; with inelastic, coulomb(0.3); }", 1, 1 },
  { "a block that slides on two feet and is pushed",
    "  coord x = 0, z = 0, a = 0; coord x' = 1; kinetic (x'^2 + z'^2 + 0.1*a'^2 + 0.2*x'*z')/2; potential 9.81*z;\n"
    "  force a = 0.3*sin(time);\n"
    "  contact left { normal = z - 0.5*a; slip = x'; with inelastic, coulomb(0.3); }\n"
    "  contact right { normal = z + 0.5*a; slip = x'; with inelastic, coulomb(0.2); }", 2, 2 },
  { "a block that sticks on a slope that is curved",
    "  coord x = 0, z = 0; kinetic (x'^2 + z'^2)/2; potential 9.81*z; force x = 0.1*sin(time);\n"
    "  contact floor { normal = z - 0.05*x^2; slip = x'; with inelastic, coulomb(0.5); }", 2, 0 },
};

// Each column by central differences of the residual, solved by the matrix, is a column of the identity.
static void differences(int kind, int order) {
  enum { AT_MOST = 64 };
  const double h = 1e-6;
  piece p = begin(kinds[kind].model, order, 3);
  struct sim_galerkin *g = p.s->n.galerkin;
  double x[AT_MOST], up[AT_MOST], found[AT_MOST], worst = 0;
  int sliding = 0;
  for (int f = 0; f < p.s->n.r.nfriction; f++) sliding += g->slides[f];
  if (g->m != kinds[kind].rows || sliding != kinds[kind].sliding)
    fail_msg("%s: %d rows, %d sliding", kinds[kind].name, g->m, sliding);
  assert_true(g->n <= AT_MOST);
  for (int k = 0; k < 6; k++) {                            // to a solution: what kappa and the bracket of (4)
    galerkin_residual(p.s);                                // multiply is 0 there, and the matrix leaves it out
    assert_int_equal(galerkin_matrix(p.s), 1);
    galerkin_solve(p.s, g->res);
    for (int i = 0; i < g->n; i++) g->x[i] -= g->res[i];
  }
  memcpy(x, g->x, (size_t)g->n * sizeof *x);
  assert_int_equal(galerkin_matrix(p.s), 1);
  assert_int_equal(p.s->now.piece.inverted, 0);
  const double *by_col = p.s->now.piece_scale + g->n;
  for (int c = 0; c < g->n; c++) {
    memcpy(g->x, x, (size_t)g->n * sizeof *x);
    g->x[c] = x[c] + h;
    galerkin_residual(p.s);
    memcpy(up, g->res, (size_t)g->n * sizeof *up);
    g->x[c] = x[c] - h;
    galerkin_residual(p.s);
    for (int i = 0; i < g->n; i++) found[i] = (up[i] - g->res[i]) / (2 * h);
    galerkin_solve(p.s, found);
    for (int i = 0; i < g->n; i++) worst = fmax(worst, fabs(found[i] - (i == c)) * by_col[c] / by_col[i]);
  }
  if (!(worst < 1e-6)) fail_msg("%s, order %d: the matrix is %g off", kinds[kind].name, order, worst);
  end(p);
}

static void the_matrix_is_the_derivative(void **state) {
  (void)state;
  for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++)
    for (int order = 4; order <= 8; order += 2) differences(k, order);
}

// ---- (8) ------------------------------------------------------------------------------------------------------------
// Inertia that couples x and z: lambda = g + c x'', (1 + c) x'' = -mu lambda, with masses of 1, c = 1/2.
static void a_block_that_slides(void **state) {
  (void)state;
  piece p = begin(kinds[2].model, 4, 3);
  struct sim_galerkin *g = p.s->n.galerkin;
  galerkin_instant(p.s, p.s->now.t, p.s->now.q, p.s->now.z);
  double c = 0.5, mu = 0.3, along = -mu * 9.81 / (1 + c + mu * c), lambda = 9.81 + c * along;
  assert_true(fabs(g->in.e[0] - along) < 1e-12 && fabs(g->in.e[1]) < 1e-12);
  assert_true(fabs(g->in.force[p.s->n.r.l[g->row[0]]] - lambda) < 1e-12);
  end(p);
}

// Each foot by its own friction, (1 + d) lambda unknown: x'' + d z'' = -mu1 l1 - mu2 l2, d x'' + z'' = l1 + l2 - g with
// z'' = 0, d = 1/10, and moments l1 = l2 + 2 M.
static void one_that_slides_on_two_feet(void **state) {
  (void)state;
  piece p = begin(kinds[3].model, 4, 3);
  struct sim_galerkin *g = p.s->n.galerkin;
  double t = p.s->now.t, moment = 0.3 * sin(t), d = 0.1;
  galerkin_instant(p.s, t, p.s->now.q, p.s->now.z);
  // l1 + l2 = g + d x'', l1 - l2 = 2 M; x'' = -0.25 (l1 + l2) - 0.05 (l1 - l2)
  double along = (-0.25 * 9.81 - 0.05 * 2 * moment) / (1 + 0.25 * d), sum = 9.81 + d * along;
  assert_true(fabs(g->in.e[0] - along) < 1e-11 && fabs(g->in.e[1]) < 1e-11 && fabs(g->in.e[2]) < 1e-11);
  assert_true(fabs(g->in.force[p.s->n.r.l[g->row[0]]] - (sum / 2 + moment)) < 1e-11);
  assert_true(fabs(g->in.force[p.s->n.r.l[g->row[1]]] - (sum / 2 - moment)) < 1e-11);
  end(p);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(the_matrix_is_the_derivative),
                                      cmocka_unit_test(a_block_that_slides),
                                      cmocka_unit_test(one_that_slides_on_two_feet) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
