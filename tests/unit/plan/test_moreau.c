// The kernels that make Newton's matrix of Moreau's scheme whole (docs/numerics/moreau.md (15)), evaluated on the DAG
// at random places, against central differences:
//   mcurve  d M(q) dz/d(q, v, x)      curve  d H^T p/d(q, v, x)      rq  d rate/dq
// and the size of the terms of a gap, which bounds the gap and does not fall where its terms cancel.
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
#include "rig.h"

// moves: derivatives of the mass matrix or of rows that are not zero
static const struct { const char *name, *text; bool moves; } models[] = {
  { "nothing moves",
    "coord x = 0, y = 0; kinetic (3*x'^2 + 2*x'*y' + y'^2)/2; potential x^4;"
    "contact c: x - 2*y >= 0 with newton(1);",
    false },
  { "polar",
    "coord r = 1, phi = 0; kinetic (r'^2 + r^2*phi'^2)/2; potential 4*(r - 1)^2;"
    "contact stop { normal = r*sin(phi) - 0.2*time*r; slip = r'*cos(phi) - r*phi'; with newton(1), coulomb(0.3); }",
    true },
  { "two angles",
    "coord a = 0, b = 0; kinetic a'^2 + b'^2/2 + a'*b'*cos(a - b); contact wall: sin(a) + sin(b) >= 0 with newton(1);"
    "constraint tie: cos(a)*b + a^2 = 1;",
    true },
  { "rows alone",
    "coord x = 1, y = 0; kinetic (x'^2 + y'^2)/2; constraint rod: sqrt(x^2 + y^2) = 1;"
    "constraint blade: x'*sin(y) - y'*cos(x*y) = 0;",
    true },
  { "large", CHAIN "contact floor: y7 + 9 >= 0 with newton(1);", true },
};
enum { MODELS = sizeof models / sizeof *models, POINTS = 20 };

static double increment(Rig *r, const Slot *t) {
  int var = symtab_at(r->s->sym, t->rate)->id;
  return *place(r, SYM_RATE, var) - *place(r, SYM_RATE0, var);
}

// Derivatives of f, row `row` of `es`, with respect to q or v, increments held fixed: how many entries there are. What
// the pattern does not have is zero.
static int derivatives_of(Rig *r, const char *what, const SysClass *c, Ex f, int row, const Entries *es, Wrt wrt) {
  int seen = 0;
  for (int k = 0; k < c->nslot; k++) {
    int at = 0;
    if (c->slot[k].kind != SLOT_Q) continue;
    while (at < es->n && !(es->at[at].row == row && es->at[at].col == k && es->at[at].wrt == wrt)) at++;
    if (at < es->n) { same_derivative(r, what, c, f, &es->at[at]); seen++; }
    Ex d = ex_diff(r->s->pool, f, wrt == WRT_Q ? c->slot[k].value : c->slot[k].rate);
    if (at == es->n) assert_true(ex_is_num(r->s->pool, d, 0));
  }
  return seen;
}

static int of_mass(Rig *r, const PlanClass *pc) {
  const SysClass *c = pc->c;
  int seen = 0;
  for (int k = 0; k < c->nrow; k++) {
    Ex sum = ex_num(r->s->pool, 0);
    for (int e = 0; e < c->mass.n; e++)
      if (c->mass.at[e].row == c->row[k]) {
        Ex dz = ex_num(r->s->pool, increment(r, &c->slot[c->mass.at[e].col]));
        sum = ex_add(r->s->pool, sum, ex_mul(r->s->pool, c->mass.at[e].value, dz));
      }
    for (Wrt wrt = WRT_Q; wrt <= WRT_V; wrt++) seen += derivatives_of(r, "M dz", c, sum, c->row[k], &pc->mcurve, wrt);
  }
  return seen;
}

static int of_rows(Rig *r, const PlanClass *pc) {
  const SysClass *c = pc->c;
  Ex p = ex_num(r->s->pool, *place(r, SYM_LAMBDA, 0));
  int seen = 0;
  for (int k = 0; k < c->h.n; k++)
    for (Wrt wrt = WRT_Q; wrt <= WRT_V; wrt++) {
      Ex force = ex_mul(r->s->pool, p, c->h.at[k].value);
      seen += derivatives_of(r, "H p", c, force, c->h.at[k].col, &pc->curve, wrt);
    }
  return seen + derivatives_of(r, "rate", c, c->rate, 0, &pc->rq, WRT_Q);
}

static void derivatives(void **unused) {
  (void)unused;
  for (int m = 0; m < MODELS; m++) {
    state = (uint64_t)(3000 + m);
    Rig r = rig_of(models[m].name, models[m].text, "moreau");
    int seen = 0;
    for (int n = 0; n < POINTS; n++) {
      for (int i = 0; i < r.nq; i++) { *place(&r, SYM_VALUE, i) = draw(); *place(&r, SYM_RATE, i) = draw(); }
      for (int i = 0; i < r.nq; i++) *place(&r, SYM_RATE0, i) = draw();
      for (int i = 0; i < r.c->plan->ncls; i++) {
        const PlanClass *pc = &r.c->plan->cls[i];
        bool row = pc->c->kind == CLASS_CONTACT || pc->c->kind == CLASS_CONSTRAINT || pc->c->kind == CLASS_FRICTION;
        seen += pc->c->kind == CLASS_SMOOTH ? of_mass(&r, pc) : row ? of_rows(&r, pc) : 0;
      }
    }
    if ((seen > 0) != models[m].moves) fail_msg("%s: %d derivatives", models[m].name, seen);
    compilation_free(r.c);
  }
}

static void sizes(void **unused) {
  (void)unused;
  Rig r = rig_of("sizes", "coord x = 0, y = 0; kinetic (x'^2 + y'^2)/2;", "moreau");
  Pool *p = r.s->pool;
  Ex x = ex_sym(p, symbol(&r, SYM_VALUE, 0)), y = ex_sym(p, symbol(&r, SYM_VALUE, 1)), two = ex_num(p, 2);
  const struct { Ex e; double size; } known[] = {                            // at x = 1/2, y = -3/4
    { ex_add(p, x, ex_neg(p, x)), 0 },                                       // folded: nothing is left to cancel
    { ex_add(p, x, y), 1.25 },
    { ex_mul(p, ex_add(p, x, y), y), 1.25 * 0.75 },
    { ex_pow(p, ex_add(p, x, y), two), 1.25 * 1.25 },
    { ex_1(p, OP_SIN, ex_add(p, x, y)), sin(0.25) + cos(0.25) * 1.25 },
    { ex_2(p, OP_MAX, x, ex_add(p, x, y)), 1.25 },
    { ex_1(p, OP_SQRT, ex_add(p, ex_pow(p, x, two), ex_pow(p, y, two))), sqrt(0.25 + 0.5625) },
  };
  *place(&r, SYM_VALUE, 0) = 0.5;
  *place(&r, SYM_VALUE, 1) = -0.75;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    double got = eval(&r, magnitude(r.c->arena, p, known[i].e));
    if (!(fabs(got - known[i].size) <= 1e-15)) fail_msg("expression %zu: size %.17g, not %.17g", i, got, known[i].size);
    assert_true(fabs(eval(&r, known[i].e)) <= got * (1 + 1e-15));
  }
  compilation_free(r.c);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(derivatives), cmocka_unit_test(sizes) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
