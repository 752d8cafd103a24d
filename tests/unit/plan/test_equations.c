// What follows from the equations of a scheme (compiler/schemes/piece.c, compiler/plan/scheme_equations.c): the terms
// of each equation, their weights, which kernels and derivatives they ask for. Of the midpoint rule, of moreau, and of
// a scheme that nothing else knows.
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
#include "compiler/plan/parts.h"
#include "compiler/schemes/equations.h"
#include "rig.h"

static const char *const text =
    "param k = 3; coord r = 1, phi = 0; kinetic (r'^2 + r^2*phi'^2)/2 + r'*phi'/4; potential k*(r - 1)^2;"
    "dissipation r^2*phi'^2/5; multiplier F; force phi = 2*F;"
    "relation dry: F in -4*sgn(phi' + r*r' + F/7);"
    "constraint tie: r + phi = time + 1;"
    "contact stop { normal = 2 - r*cos(phi); slip = r*phi'; with newton(1/2), coulomb(0.3); }";

static void same(const char *what, double got, double want) {
  if (!(fabs(got - want) <= 1e-12 * (1 + fabs(want)))) fail_msg("%s: %.17g, not %.17g", what, got, want);
}

// Term number i of an equation is this function at this point, with this weight.
static void is_term(Rig *r, const Terms *t, int i, ModelFunction of, int point, double weight) {
  int k = 0;
  while (k < t->n && !(t->at[k].of == of && t->at[k].point == point)) k++;
  if (i >= t->n || k == t->n) fail_msg("no function %d at point %d", of, point);
  same("weight", eval(r, t->at[k].weight), weight);
}

static bool has(const PlanClass *pc, KernelKind k) { return pc->kernel[k].stage != STAGE_NONE; }
static int kernels(const Plan *p, KernelKind k) {
  int n = 0;
  for (int i = 0; i < p->ncls; i++) n += has(&p->cls[i], k);
  return n;
}

// Midpoint: all at one point that the begin knows, so nothing has a derivative by positions, and no force any.
static void of_midpoint(void **unused) {
  (void)unused;
  enum { MIDDLE = 2, LATER };
  Rig rig = rig_of("equations", text, "midpoint"), *r = &rig;
  const Plan *plan = r->c->plan;
  Piece p = { r->c->arena, r->s, r->s->pool, &r->s->cls[0] };
  double h = *place(r, SYM_H, 0);
  Terms t = terms_of(&p, midpoint.momentum(&p));
  assert_int_equal(t.n, 3);
  is_term(r, &t, 0, INERTIA, MIDDLE, 1);
  is_term(r, &t, 1, FORCE, MIDDLE, -h);
  is_term(r, &t, 2, REACTION, MIDDLE, -h);
  assert_int_equal(point_of(&p, midpoint.rate(&p), RATE), LATER);
  assert_int_equal(point_of(&p, midpoint.rate(&p), GAP), -1);
  assert_true(!point_moves(&p, plan->point, MIDDLE) && !point_moves(&p, plan->point, LATER));
  assert_true(!point_shares(&p, plan->point, MIDDLE) && point_shares(&p, plan->point, LATER));
  assert_true(point_moves(&p, plan->point, END) && plan->one_iteration);
  KernelKind none[] = { KERNEL_JAC, KERNEL_K, KERNEL_MCURVE, KERNEL_CURVE, KERNEL_RQ };
  for (int k = 0; k < 5; k++) assert_int_equal(kernels(plan, none[k]), 0);
  assert_true(kernels(plan, KERNEL_F) == 3 && kernels(plan, KERNEL_G) == 1 && kernels(plan, KERNEL_B) == 1);
  int entries = 0;
  for (int i = 0; i < plan->ncls; i++)
    for (int e = 0; e < plan->cls[i].c->h.n; e++) {
      assert_true(plan->cls[i].c->h.at[e].wrt != WRT_Q);
      entries++;
    }
  assert_true(entries >= 6);
  compilation_free(r->c);
}

// moreau: three points that the unknowns move; every function has its derivatives.
static void of_moreau(void **unused) {
  (void)unused;
  enum { BETWEEN = 2, LAW };
  Rig rig = rig_of("equations", text, "moreau"), *r = &rig;
  const Plan *plan = r->c->plan;
  Piece p = { r->c->arena, r->s, r->s->pool, &r->s->cls[0] };
  Ex R = moreau.momentum(&p), end = moreau.rate(&p);
  double h = *place(r, SYM_H, 0), theta = *place(r, SYM_THETA, 0), gamma = *place(r, SYM_GAMMA, 0);
  Terms t = terms_of(&p, R);
  assert_int_equal(t.n, 4);
  is_term(r, &t, 0, INERTIA, BETWEEN, 1);
  is_term(r, &t, 1, FORCE, END, -h * theta);
  is_term(r, &t, 2, FORCE, BEGIN, -h * (1 - theta));
  is_term(r, &t, 3, REACTION, LAW, -h);
  t = terms_of(&p, ex_diff(p.pool, R, symbol(r, SYM_H, 0)));           // R keeps h: of a piece whose end is unknown
  assert_int_equal(t.n, 3);
  is_term(r, &t, 0, FORCE, END, -theta);
  t = terms_of(&p, moreau.closed(&p));
  is_term(r, &t, 0, GAP, BEGIN, 1);
  is_term(r, &t, 1, RATE, BEGIN, h / 2);
  assert_int_equal(point_of(&p, end, RATE), END);
  const Point *law = &plan->point[LAW];
  same("time", eval(r, law->time), gamma);
  same("begin", eval(r, law->begin), gamma * (1 - theta));
  same("end", eval(r, law->end), gamma * theta);
  same("share", eval(r, plan->point[BETWEEN].share), theta);
  for (int i = 0; i < r->s->ncls; i++) {
    Piece row = { r->c->arena, r->s, r->s->pool, &r->s->cls[i] };
    if (row.cls->kind != CLASS_CONTACT && row.cls->kind != CLASS_CONSTRAINT) continue;
    assert_int_equal(point_of(&row, moreau.impulse(&row), IMPULSE),
                     row.cls->kind == CLASS_CONSTRAINT ? BETWEEN : END);
  }
  assert_true(kernels(plan, KERNEL_JAC) == 3 && kernels(plan, KERNEL_MCURVE) == 1 && kernels(plan, KERNEL_RQ) > 0 &&
              kernels(plan, KERNEL_CURVE) > 0 && !plan->one_iteration);
  compilation_free(r->c);
}

// Implicit Euler on the momentum, with the mass of the begin: the forces have derivatives, the mass has none.
static void toy_points(const Piece *p, Point *to) {
  Ex none = number(p, 0), one = number(p, 1);
  to[END] = (Point){ BEGIN, one, none, one, one };
}
static Ex toy_momentum(const Piece *p) {
  Ex forces = plus(p, at(p, FORCE, END), at(p, REACTION, END));
  return minus(p, times(p, number(p, 2), at(p, INERTIA, BEGIN)), times(p, length(p), forces));
}
static Ex toy_impulse(const Piece *p) { return at(p, IMPULSE, BEGIN); }
static Ex toy_relation(const Piece *p) { return at(p, OUTPUT, END); }
static Ex toy_rate(const Piece *p) { return at(p, RATE, END); }
static Ex toy_closed(const Piece *p) { return at(p, GAP, BEGIN); }

static void of_another(void **unused) {
  (void)unused;
  static const Equations toy = { .points = toy_points, .momentum = toy_momentum, .impulse = toy_impulse,
                                 .relation = toy_relation, .rate = toy_rate, .before = toy_rate, .closed = toy_closed };
  Rig rig = rig_of("equations", text, "moreau"), *r = &rig;
  const Plan *plan = scheme_equations(r->c->arena, r->s, &schemes[SCHEME_MOREAU], &toy);
  int smooth = 0;
  for (int i = 0; i < r->s->ncls; i++) {
    Piece p = { r->c->arena, r->s, r->s->pool, &r->s->cls[i] };
    if (p.cls->kind != CLASS_SMOOTH) continue;
    Terms t = terms_of(&p, toy_momentum(&p));
    is_term(r, &t, 0, INERTIA, BEGIN, 2);
    is_term(r, &t, 1, FORCE, END, -*place(r, SYM_H, 0));
    assert_true(has(&plan->cls[i], KERNEL_JAC) == has(&r->c->plan->cls[i], KERNEL_JAC));
    // inertial forces are quadratic in velocities; a spring and a damper of this model, r^2 phi'^2: neither is linear
    assert_true(affine_in_unknowns(&p, &toy, toy_momentum(&p)) == p.cls->affine);
    smooth++;
  }
  assert_int_equal(smooth, 4);
  assert_int_equal(kernels(plan, KERNEL_MCURVE), 0);
  assert_int_equal(kernels(plan, KERNEL_CURVE), 0);
  assert_int_equal(kernels(plan, KERNEL_RQ), kernels(r->c->plan, KERNEL_RQ));
  compilation_free(r->c);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(of_midpoint), cmocka_unit_test(of_moreau),
                                      cmocka_unit_test(of_another) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
