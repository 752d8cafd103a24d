// What follows from the equations of a scheme (compiler/schemes/piece.c): the statements of a piece, from the text of
// the midpoint rule and from that of a scheme that nothing else knows, evaluated on the DAG at random places.
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
#include "compiler/schemes/scheme.h"
#include "rig.h"

static const char *const text =
    "param k = 3; coord r = 1, phi = 0; kinetic (r'^2 + r^2*phi'^2)/2 + r'*phi'/4; potential k*(r - 1)^2;"
    "dissipation r^2*phi'^2/5; multiplier F; force phi = 2*F;"
    "relation dry: F in -4*sgn(phi' + r*r' + F/7);"
    "contact stop { normal = 2 - r*cos(phi); slip = r*phi'; with newton(1/2), coulomb(0.3); }";

static void same(const char *what, double got, double want) {
  if (!(fabs(got - want) <= 1e-12 * (1 + fabs(want)))) fail_msg("%s: %.17g, not %.17g", what, got, want);
}

// e with the velocities of the begin in the places of those of the end.
static double begin(Rig *r, Ex e) {
  double keep[SYMBOLS];
  memcpy(keep, r->at, sizeof keep);
  for (int i = 0; i < r->nq; i++) *at(r, SYM_RATE, i) = *at(r, SYM_RATE0, i);
  double x = eval(r, e);
  memcpy(r->at, keep, sizeof keep);
  return x;
}

// Midpoint: M of the model, forces at u_B, rates at u_E, and H; nothing depends on u_E that is affine in it.
static void of_midpoint(void **unused) {
  (void)unused;
  Rig rig = rig_of("equations", text, "midpoint"), *r = &rig;
  int smooth = 0, rows = 0;
  for (int i = 0; i < r->s->ncls; i++) {
    const SysClass *c = &r->s->cls[i], *n = class_of_piece(r->c->arena, r->s, &midpoint, c);
    if (c->kind == CLASS_SMOOTH) {
      smooth++;
      assert_int_equal(n->mass.n, c->mass.n);
      for (int e = 0; e < c->mass.n; e++) {
        assert_true(n->mass.at[e].row == c->mass.at[e].row && n->mass.at[e].col == c->mass.at[e].col);
        same("M", eval(r, n->mass.at[e].value), eval(r, c->mass.at[e].value));
      }
      for (int k = 0; k < c->nrow; k++) {
        same("f", eval(r, n->f[k]), begin(r, c->f[k]));
        same("g", eval(r, n->g[k]), begin(r, c->g[k]));
      }
      assert_int_equal(n->b.n, c->b.n);
      for (int e = 0; e < c->b.n; e++) same("B", eval(r, n->b.at[e].value), eval(r, c->b.at[e].value));
    } else if (c->kind == CLASS_RELATION) {
      rows++;
      same("y", eval(r, n->y), eval(r, c->y));
      for (int e = 0; e < n->h.n; e++) assert_true(n->h.at[e].wrt != WRT_Q);      // no unknown moves the point
      assert_int_equal(n->h.n, 3);
    } else if (c->kind == CLASS_CONTACT || c->kind == CLASS_FRICTION) {
      rows++;
      same("rate", eval(r, n->rate), eval(r, c->rate));
      for (int e = 0; e < n->h.n; e++) same_derivative(r, "H", c, n->rate, &n->h.at[e]);
    } else assert_ptr_equal(n, c);
  }
  assert_int_equal(smooth, 4);
  assert_int_equal(rows, 3);
  compilation_free(r->c);
}

// Linearly implicit in the velocities: twice the mass, forces at both ends.
static Ex toy_momentum(const Piece *p, int row) {
  Ex both = ex_add(p->pool, at_begin(p, force(p, row)), force(p, row));
  return ex_sub(p->pool, ex_mul(p->pool, ex_num(p->pool, 2), inertia(p, row)), ex_mul(p->pool, length(p), both));
}
static Ex toy_relation(const Piece *p) { return p->cls->y; }
static Ex toy_rate(const Piece *p) { return ex_add(p->pool, p->cls->rate, at_begin(p, p->cls->rate)); }

static void of_another(void **unused) {
  (void)unused;
  static const Equations toy = { .point = { .time = 0 }, .end = { .time = 1, .begin = 0.5, .end = 0.5 },
                                 .momentum = toy_momentum, .relation = toy_relation, .rate = toy_rate,
                                 .closed = toy_relation, .given = at_begin };
  Rig rig = rig_of("equations", text, "midpoint"), *r = &rig;
  *at(r, SYM_H, 0) = 0;
  for (int i = 0; i < r->s->ncls; i++) {
    const SysClass *c = &r->s->cls[i], *n = class_of_piece(r->c->arena, r->s, &toy, c);
    for (int k = 0; c->kind == CLASS_SMOOTH && k < c->nrow; k++) {
      same("2 f", eval(r, n->f[k]), 2 * begin(r, c->f[k]));
      Piece p = { r->c->arena, r->s, r->s->pool, c };
      bool quadratic = c->kinetic != EX_NONE;                // inertial forces are; dampers and springs are affine
      assert_true(affine_in_unknowns(&p, toy_momentum(&p, k)) == !quadratic);
    }
    for (int e = 0; c->kind == CLASS_SMOOTH && c->kinetic != EX_NONE && e < c->mass.n; e++)
      same("2 M", eval(r, n->mass.at[e].value), 2 * eval(r, c->mass.at[e].value));
    if (c->kind == CLASS_CONTACT) same("rate", eval(r, n->rate), eval(r, c->rate) + begin(r, c->rate));
  }
  compilation_free(r->c);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(of_midpoint), cmocka_unit_test(of_another) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
