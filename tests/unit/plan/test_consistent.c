// The two-point kernels of the consistent schemes (docs/numerics/consistent.md), evaluated on the DAG at random ends:
//   (increments are q - q0, v - v0)
//   energy  (q - q0).R1 + (v - v0).1/2 (M(q0) + M(q)) (h vm - (q - q0)) = h (E - E0 - work of forces + loss by damping)
//   consistency  along any smooth curve, R1/h = M q'' - f at the middle, to second order in h
// and with the mass matrix at the begin (consistent_explicit_mass): the same energy with M(q0) in place of the mean,
// consistency to first order
//   rows         Dg (q - q0) = g(q) - g(q0), the same for the rate; and all Jacobians by differences
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
#include "compiler/schemes/two_point.h"
#include "rig.h"
#include "tests/unit/thin.h"

enum { POINTS = THIN > 1 ? 2 : 20 };

static const struct { const char *name, *text;
} models[] = {
  { "constant mass",
    "coord x = 0, y = 0; kinetic (3*x'^2 + 2*x'*y' + y'^2)/2; potential 5*x^2 + x*y; dissipation 0.3*(x' - y')^2/2;" },
  { "polar",
    "coord r = 1, phi = 0; kinetic (r'^2 + r^2*phi'^2)/2; potential 4*(r - 1)^2 - 9.81*r*cos(phi); dissipation "
    "r^2*phi'^2;"
    "contact stop: r*sin(phi) >= 0 with newton(1);" },
  { "two angles", "coord a = 0, b = 0; kinetic a'^2 + b'^2/2 + a'*b'*cos(a - b); potential -9.81*(2*cos(a) + cos(b));"
                  "contact wall: sin(a) + sin(b) >= 0 with newton(1); constraint tie: cos(a)*b + a^2 = 1;" },
  { "forces",
    "param k = 2; coord x = 1, y = 0; kinetic (1 + x^2)*x'^2/2 + exp(y)*y'^2/2 + y*x*x'*y'/5; force x = -k*x^3*y + "
    "y'*sin(time); force y = x'*y;"
    "potential sqrt(1 + x^2 + y^2) + 1/(2 + y); constraint rod: sqrt(x^2 + y^2) = 1;" },
  { "forces along expressions",
    "coord x = 1, y = 0.3; kinetic (1 + x^2)*x'^2/2 + y'^2/2 + x'*y'/5; force x^2*y + time*x = sin(y)*x';"
    "force atan2(y, 2 + x^2) = 2; force x*y' + x' = 3*y*y';" },
  { "cubic damping",
    "coord x = 0, y = 0; kinetic x'^2/2 + y'^2/2; potential x^4 + y^4 + x^3*y; dissipation (1 + x^2)*(x' - y')^4/4;" },
  { "large", CHAIN "dissipation (x7'^2 + y7'^2)/10; contact floor: y7 + 9 >= 0 with newton(1);" },
};
enum { MODELS = sizeof models / sizeof *models };

static Rig rig_new(int model) { return rig_of(models[model].name, models[model].text, "consistent"); }

// The same expression with the begin's values in place of the end's.
static double begin_leaf(int id, void *rig) {
  const Rig *r = rig;
  Sym y = *symtab_at(r->s->sym, id);
  if (y.kind == SYM_VALUE) y.kind = SYM_VALUE0;
  if (y.kind == SYM_RATE) y.kind = SYM_RATE0;
  return r->at[symtab_id(r->s->sym, y)];
}
static double eval_begin(Rig *r, Ex e) { return ex_eval(r->s->pool, e, begin_leaf, r); }

static double change(Rig *r, int var) { return *place(r, SYM_VALUE, var) - *place(r, SYM_VALUE0, var); }

static void energy(void **unused) {
  (void)unused;
  for (int begin = 0; begin < 2; begin++) for (int m = 0; m < MODELS; m++) for (int n = 0; n < POINTS; n++) {
    state = (uint64_t)(100 * m + n);
    Rig r = rig_new(m);
    double h = *place(&r, SYM_H, 0), sum = 0, balance = 0, scale = 0;
    for (int i = 0; i < r.s->ncls; i++) {
      const SysClass *c = &r.s->cls[i];
      if (c->kind != CLASS_SMOOTH) continue;
      TwoPoint t = two_point_smooth(r.c->arena, r.s, c, begin ? &consistent_explicit_mass : &consistent);
      for (int k = 0; k < c->nrow; k++) {
        double x = eval(&r, t.r[k]) * change(&r, c->slot[c->row[k]].var);
        sum += x;
        scale += fabs(x);
      }
      for (int k = 0; k < c->mass.n; k++) {
        int row = c->slot[c->mass.at[k].row].var, col = c->slot[c->mass.at[k].col].var;
        double first = eval_begin(&r, c->mass.at[k].value),
               mean = begin ? first : 0.5 * (eval(&r, c->mass.at[k].value) + first);
        double x = (*place(&r, SYM_RATE, row) - *place(&r, SYM_RATE0, row)) * mean *
                   (0.5 * h * (*place(&r, SYM_RATE, col) + *place(&r, SYM_RATE0, col)) - change(&r, col));
        sum += x; scale += fabs(x);
      }
      const struct { Ex e; double sign; } part[] = { { c->kinetic, 1 }, { c->potential, 1 } };
      for (int k = 0; k < 2; k++) if (part[k].e != EX_NONE) balance += eval(&r, part[k].e) - eval_begin(&r, part[k].e);
      if (t.force != EX_NONE) balance -= eval(&r, t.force);
      if (t.damping != EX_NONE) { assert_true(eval(&r, t.damping) >= 0); balance += eval(&r, t.damping); }
    }
    if (!(fabs(sum - h * balance) <= 1e-13 * scale))
      fail_msg("%s: %.17g, energies %.17g", models[m].name, sum, h * balance);
    compilation_free(r.c);
  }
}

// R1/h - (M a - f) on the curve q_i(t) = p_i + v_i t + a_i t^2/2 from -h/2 to h/2; the largest over the coordinates.
static double defect(Rig *r, double h, bool begin) {
  double worst = 0, row[16] = { 0 }, want[16] = { 0 };
  const double *p = &r->at[SYMBOLS - 64], *v = p + 16, *a = p + 32;
  *place(r, SYM_H, 0) = h;
  *place(r, SYM_TIME0, 0) = 0.3 - h / 2;
  r->at[r->s->sym_time] = 0.3;
  for (int i = 0; i < r->nq; i++) { *place(r, SYM_VALUE, i) = p[i]; *place(r, SYM_RATE, i) = v[i]; }
  for (int i = 0; i < r->s->ncls; i++) {
    const SysClass *c = &r->s->cls[i];
    if (c->kind != CLASS_SMOOTH) continue;
    for (int k = 0; k < c->nrow; k++) want[c->slot[c->row[k]].var] -= eval(r, c->f[k]);
    for (int k = 0; k < c->mass.n; k++)
      want[c->slot[c->mass.at[k].row].var] += eval(r, c->mass.at[k].value) * a[c->slot[c->mass.at[k].col].var];
  }
  for (int i = 0; i < r->nq; i++) {
    *place(r, SYM_VALUE, i) = p[i] + v[i] * h / 2 + a[i] * h * h / 8;
    *place(r, SYM_VALUE0, i) = p[i] - v[i] * h / 2 + a[i] * h * h / 8;
    *place(r, SYM_RATE, i) = v[i] + a[i] * h / 2; *place(r, SYM_RATE0, i) = v[i] - a[i] * h / 2;
  }
  for (int i = 0; i < r->s->ncls; i++) {
    const SysClass *c = &r->s->cls[i];
    if (c->kind != CLASS_SMOOTH) continue;
    TwoPoint t = two_point_smooth(r->c->arena, r->s, c, begin ? &consistent_explicit_mass : &consistent);
    for (int k = 0; k < c->nrow; k++) row[c->slot[c->row[k]].var] += eval(r, t.r[k]) / h;
  }
  for (int i = 0; i < r->nq; i++) worst = fmax(worst, fabs(row[i] - want[i]));
  return worst;
}

static void consistency(void **unused) {
  (void)unused;
  for (int m = 0; m < MODELS; m++) {
    state = (uint64_t)m;
    Rig r = rig_new(m);
    double coarse = defect(&r, 0.02, false), fine = defect(&r, 0.01, false);
    bool second = coarse / fine > 3.9 && coarse / fine < 4.1;
    if (!second && coarse > 1e-12) fail_msg("%s: %g, %g: ratio %g", models[m].name, coarse, fine, coarse / fine);
    if (!strstr(models[m].text, "cos(a - b)") && !strstr(models[m].text, "exp(y)")) { compilation_free(r.c); continue; }
    coarse = defect(&r, 0.002, true);                              // a moving mass at the begin
    fine = defect(&r, 0.001, true);
    if (!(coarse / fine > 1.9 && coarse / fine < 2.1))
      fail_msg("%s, mass at the begin: %g, %g: ratio %g", models[m].name, coarse, fine, coarse / fine);
    compilation_free(r.c);
  }
}

static void large_is_large(void **unused) {
  (void)unused;
  for (int m = 0; m < MODELS; m++) {
    Rig r = rig_new(m);
    assert_int_equal(has_large_kinetic(&r), !strcmp(models[m].name, "large"));
    compilation_free(r.c);
  }
}

static void jacobians(void **unused) {
  (void)unused;
  for (int begin = 0; begin < 2; begin++) for (int m = 0; m < MODELS; m++) {
    state = (uint64_t)(1000 + m);
    Rig r = rig_new(m);
    for (int i = 0; i < r.s->ncls; i++) {
      const SysClass *c = &r.s->cls[i];
      if (c->kind != CLASS_SMOOTH) continue;
      TwoPoint t = two_point_smooth(r.c->arena, r.s, c, begin ? &consistent_explicit_mass : &consistent);
      if (m == 0) assert_true(t.affine);
      for (int e = 0; e < t.cjac.n; e++)
        for (int k = 0; k < c->nrow; k++)
          if (c->row[k] == t.cjac.at[e].row) same_derivative(&r, "dR1", c, t.r[k], &t.cjac.at[e]);
      for (int k = 0; k < c->nrow; k++)
        for (int j = 0; j < c->nslot; j++) {                        // what is not in the pattern is zero
          bool found = false;
          for (int e = 0; e < t.cjac.n; e++)
            found |= t.cjac.at[e].row == c->row[k] && t.cjac.at[e].col == j && t.cjac.at[e].wrt == WRT_Q;
          if (!found) assert_true(ex_is_num(r.s->pool, ex_diff(r.s->pool, t.r[k], c->slot[j].value), 0));
        }
    }
    compilation_free(r.c);
  }
}

static void rows(void **unused) {
  (void)unused;
  int seen = 0;
  for (int m = 0; m < MODELS; m++) {
    state = (uint64_t)(2000 + m);
    Rig r = rig_new(m);
    Pool *p = r.s->pool;
    for (int i = 0; i < r.s->ncls; i++) {
      const SysClass *c = &r.s->cls[i];
      if (c->kind != CLASS_CONTACT && c->kind != CLASS_CONSTRAINT) continue;
      seen++;
      TwoPoint t = two_point_row(r.c->arena, r.s, c, &consistent, false);
      double dg = 0, dr = 0;
      for (int k = 0; k < c->h.n; k++) dg += eval(&r, t.dg[k]) * change(&r, c->slot[c->h.at[k].col].var);
      assert_true(fabs(dg - (eval(&r, c->y) - eval_begin(&r, c->y))) <= 1e-14 * (1 + fabs(eval(&r, c->y))));
      double end = eval(&r, c->rate), keep[16];
      for (int k = 0; k < r.nq; k++) {
        keep[k] = *place(&r, SYM_RATE0, k);
        *place(&r, SYM_RATE0, k) = *place(&r, SYM_RATE, k);
      }
      double begin = eval_begin(&r, c->rate);
      for (int k = 0; k < r.nq; k++) *place(&r, SYM_RATE0, k) = keep[k];
      for (int k = 0; k < t.dr.n; k++) dr += eval(&r, t.dr.at[k].value) * change(&r, c->slot[t.dr.at[k].col].var);
      if (c->kind == CLASS_CONSTRAINT) assert_true(fabs(dr - (end - begin)) <= 1e-14 * (1 + fabs(end)));
      else assert_int_equal(t.dr.n, 0);
      for (int k = 0; k < t.rq.n; k++) same_derivative(&r, "d rate", c, c->rate, &t.rq.at[k]);
      for (int e = 0; e < t.curve.n; e++) {
        Ex force = ex_num(p, 0), l = ex_sym(p, symbol(&r, SYM_LAMBDA, 0)), kappa = ex_sym(p, symbol(&r, SYM_KAPPA, 0));
        for (int k = 0; k < c->h.n; k++)
          if (c->h.at[k].col == t.curve.at[e].row) force = ex_add(p, force, ex_mul(p, l, t.dg[k]));
        for (int k = 0; k < t.dr.n; k++)
          if (t.dr.at[k].col == t.curve.at[e].row) force = ex_add(p, force, ex_mul(p, kappa, t.dr.at[k].value));
        same_derivative(&r, "curve", c, force, &t.curve.at[e]);
      }
    }
    compilation_free(r.c);
  }
  assert_int_equal(seen, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(energy), cmocka_unit_test(consistency),
                                      cmocka_unit_test(jacobians), cmocka_unit_test(large_is_large),
                                      cmocka_unit_test(rows) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
