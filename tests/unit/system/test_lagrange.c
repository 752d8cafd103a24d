// Lagrange's equations by finite differences of the energies, against M a - f of the derivation, at random states:
//   d/dt (dT/dv) - dT/dq + dV/dq  =  M a - f      along q(t) = q + v t + a t^2/2.
// And the rows: rate = d gap/dt along the same path, H = d rate/d v.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/unit/compile_text.h"
#include "compiler/system/expand.h"

static const char *const models[] = {
  "model A { param m = 1.3, l = 0.7; coord a = 0, b = 0; var x = l*sin(a) + l*sin(a + b), y = l*cos(a) + l*cos(a + "
  "b);\n"
  "  kinetic m*(x'^2 + y'^2)/2; kinetic m*l^2*a'^2/2; potential -9.81*m*(y + l*cos(a)); contact c: 2 - x - y^2 >= 0 "
  "with newton(0.5); }",
  "model B { coord r = 1, th = 0, ph = 0; kinetic (r'^2 + r^2*th'^2 + r^2*sin(th)^2*ph'^2)/2; potential r^3 - "
  "exp(-r)*cos(th);\n"
  "  contact c: r*cos(th) - 0.1*sin(time) >= 0 with newton(0.5); constraint k: r*th = ph; }",
  "model C { coord x[3] = 1; for i in 1:2 { kinetic (1 + x[i]^2)*(x[i+1]' - x[i]')^2/2; } for i in 1:3 { kinetic "
  "x[i]'^2; potential sin(x[i]); }\n"
  "  contact c: x[1]*x[2]*x[3] >= 0 with newton(0.5); }",
  "model D { coord x = 1, y = 0; kinetic (2 + sin(time))*x'^2/2 + x'*y'*cos(x*y) + 3*y'^2 + x*y'; potential x*y^2; }"
};

typedef struct Path { const Expanded *x; const double *q, *v, *a; double t; } Path;

static double on_path(int id, void *ctx) {
  const Path *p = ctx;
  const Sym *y = symtab_at(p->x->sys->sym, id);
  if (y->kind == SYM_TIME) return 0.4 + p->t;
  if (y->kind == SYM_PARAM) return ex_value(p->x->sys->pool, p->x->sys->param[y->id]);
  for (int i = 0; i < p->x->nq; i++) {
    if (p->x->value[i] == id) return p->q[i] + p->v[i] * p->t + p->a[i] * p->t * p->t / 2;
    if (p->x->rate[i] == id) return p->v[i] + p->a[i] * p->t;
  }
  fail_msg("symbol %s", sym_name(id, (void *)p->x->sys));
  return 0;
}

// Sum of one energy over all instances: the classes' loops are run by substituting concrete slots through the
// expansion's symbols.
typedef struct Energies { Ex T, V; } Energies;

static Ex instance(const System *s, const SysClass *c, Ex e, const double *loop) {
  const int *ids;
  int n = ex_symbols(s->pool, e, &ids), m = 0, from[64];
  Ex to[64];
  for (int i = 0; i < n; i++) {
    Sym y = *symtab_at(s->sym, ids[i]);
    int by = -1;
    if (y.kind == SYM_VALUE || y.kind == SYM_RATE) {
      for (int k = 0; k < y.nidx; k++) {
        int loop_id = symtab_id(s->sym, (Sym){ .kind = SYM_LOOP, .id = 0 });
        Ex at = ex_num(s->pool, loop[0]);
        y.idx[k] = ex_subst(s->pool, y.idx[k], &loop_id, &at, 1);
      }
      by = symtab_id(s->sym, y);
    }
    if (by >= 0) { from[m] = ids[i]; to[m++] = ex_sym(s->pool, by); }
  }
  (void)c;
  return ex_subst(s->pool, e, from, to, m);
}

static Energies energies(const System *s) {
  Energies e = { ex_num(s->pool, 0), ex_num(s->pool, 0) };
  for (int k = 0; k < s->ncls; k++) {
    const SysClass *c = &s->cls[k];
    double lo = 1, hi = 1;
    if (c->nloop) { lo = ex_value(s->pool, c->loop[0].lo); hi = ex_value(s->pool, c->loop[0].hi); }
    for (double i = lo; i <= hi; i++) {
      if (c->kinetic) e.T = ex_add(s->pool, e.T, instance(s, c, c->kinetic, &i));
      if (c->potential) e.V = ex_add(s->pool, e.V, instance(s, c, c->potential, &i));
    }
  }
  return e;
}

static double draw(uint64_t *seed) {
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return 0.2 + (double)(*seed >> 40) / 16777216.0;
}

static double at(const Path *base, Ex e, double t) {
  Path p = *base;
  p.t = t;
  return e == EX_NONE ? 0 : ex_eval(p.x->sys->pool, e, on_path, &p);
}

// (f(t+d) - f(t-d))/2d, one Richardson step.
static double slope(const Path *p, Ex e) {
  double d = 1e-3, a = (at(p, e, d) - at(p, e, -d)) / (2 * d), b = (at(p, e, d / 2) - at(p, e, -d / 2)) / d;
  return (4 * b - a) / 3;
}

static void check_model(const char *text) {
  Compilation *c = compile_text(text, STAGE_SYSTEM);
  const System *s = c->system;
  Expanded *x = expand_system(c->arena, s, 64, 0, EXPAND_ALL);
  Energies e = energies(s);
  uint64_t seed = 42;
  for (int round = 0; round < 20; round++) {
    double q[8], v[8], a[8];
    for (int i = 0; i < x->nq; i++) { q[i] = draw(&seed); v[i] = draw(&seed) - 0.7; a[i] = draw(&seed) - 0.7; }
    Path p = { x, q, v, a, 0 };
    for (int i = 0; i < x->nq; i++) {
      double want = slope(&p, ex_diff(s->pool, e.T, x->rate[i])) - at(&p, ex_diff(s->pool, e.T, x->value[i]), 0) +
                    at(&p, ex_diff(s->pool, e.V, x->value[i]), 0);
      double got = -at(&p, x->f[i], 0);
      for (int j = 0; j < x->nq; j++) got += at(&p, x->M[i * x->nz + j], 0) * a[j];
      if (!(fabs(got - want) <= 1e-8 * (1 + fabs(want))))
        fail_msg("row %d: M a - f = %.12g, by differences %.12g in\n%s", i, got, want, text);
    }
    for (int r = 0; r < x->nr; r++) {
      double rate = at(&p, x->row[r].rate, 0), want = slope(&p, x->row[r].y),
             by_h = at(&p, ex_diff(s->pool, x->row[r].y, s->sym_time), 0);
      for (int j = 0; j < x->nq; j++) by_h += at(&p, x->H[r * x->nq + j], 0) * v[j];
      if (!(fabs(rate - want) <= 1e-8 * (1 + fabs(want))) || !(fabs(rate - by_h) <= 1e-12 * (1 + fabs(rate))))
        fail_msg("row %d: rate %.12g, by differences %.12g, by H %.12g", r, rate, want, by_h);
    }
  }
  compilation_free(c);
}

static void lagrange(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) check_model(models[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(lagrange) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
