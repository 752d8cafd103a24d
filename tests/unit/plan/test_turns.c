// Derivatives of two-point rows along the turns of bodies (docs/numerics/bodies.md, section 6) by central differences:
// an attitude at the end is p0 cay(xi), and xi moves.
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
#include "compiler/system/along.h"
#include "rig.h"

// Springs and dampers between points, one along a direction of a body; masses at a body; a joint.
#define BODIES "body a { mass = 1, inertia = [1, 2, 3] } body b { mass = 2, inertia = [2, 2, 3] } "                  \
  "var x = b.point([0.2, 0.1, -0.3]) - a.point([0.1, -0.4, 0.2]), n = a.vector([0, 0.6, 0.8]), s = dot(n, x); "
static const char *const models[] = {
  BODIES "potential 3*(norm(x) - 1)^2 + s^2/2; dissipation 0.7*s'^2/2;",
  BODIES "dissipation (s' - 0.3)^2/2 + s'^4/5; kinetic 0.4*dot(x', x')/2;",
  BODIES "constraint c: s = 0; constraint d: dot(n, b.vector([1, 0, 0])) = 0;",
};

static double raw(int id, void *rig) { return ((const Rig *)rig)->at[id]; }

// The values at the end of the body that turns in slot t.
static void turn(Rig *r, const Slot *t) {
  int p[4], p0[4];
  double xi[3], c = 1;
  attitude_of(r->s, t, SYM_VALUE, p);
  attitude_of(r->s, t, SYM_VALUE0, p0);
  for (int i = 0; i < 3; i++) {
    xi[i] = r->at[turn_symbol(r->s, t, i, SYM_VALUE_D)] / 2;
    c += xi[i] * xi[i];
  }
  const double *b = r->at;
  double w = b[p0[0]], x = b[p0[1]], y = b[p0[2]], z = b[p0[3]], size = sqrt(c * (w * w + x * x + y * y + z * z));
  r->at[p[0]] = (w - x * xi[0] - y * xi[1] - z * xi[2]) / size;
  r->at[p[1]] = (x + w * xi[0] + y * xi[2] - z * xi[1]) / size;
  r->at[p[2]] = (y + w * xi[1] + z * xi[0] - x * xi[2]) / size;
  r->at[p[3]] = (z + w * xi[2] + x * xi[1] - y * xi[0]) / size;
}

// |p0| = 1, and all that is at the end.
static void place_class(Rig *r, const SysClass *c) {
  for (int k = 0; k < c->nslot; k++) {
    const Slot *t = &c->slot[k];
    int p0[4];
    double size = 0;
    if (!is_turn(r->s, t)) continue;
    attitude_of(r->s, t, SYM_VALUE0, p0);
    for (int i = 0; i < 4; i++) size += r->at[p0[i]] * r->at[p0[i]];
    for (int i = 0; i < 4; i++) r->at[p0[i]] /= sqrt(size);
    turn(r, t);
  }
}

static int of_slot(const Rig *r, int id, SymKind kind) {
  Sym y = *symtab_at(r->s->sym, id);
  y.kind = kind;
  return symtab_id(r->s->sym, y);
}

static void move(Rig *r, const Slot *t, Wrt wrt, double d) {
  if (wrt == WRT_V) r->at[t->rate] += d;
  else if (!is_turn(r->s, t)) r->at[t->value] += d;
  r->at[of_slot(r, wrt == WRT_V ? t->rate : t->value, wrt == WRT_V ? SYM_RATE_D : SYM_VALUE_D)] += d;
  if (wrt == WRT_Q && is_turn(r->s, t)) turn(r, t);
}

static void same(Rig *r, const SysClass *c, Ex f, const Entry *e) {
  const Slot *t = &c->slot[e->col];
  const double d = 1e-4;
  double got = ex_eval(r->s->pool, e->value, raw, r), up, down;
  move(r, t, e->wrt, d);
  up = ex_eval(r->s->pool, f, raw, r);
  move(r, t, e->wrt, -2 * d);
  down = ex_eval(r->s->pool, f, raw, r);
  move(r, t, e->wrt, d);
  double want = (up - down) / (2 * d);
  if (!(fabs(got - want) <= 1e-6 * (1 + fabs(want))))
    fail_msg("%s, row %d by slot %d, %s: %.12g, by differences %.12g", c->label, e->row, e->col,
             e->wrt == WRT_Q ? "position" : "velocity", got, want);
}

static int entries_are_slopes(Rig *r, const SysClass *c, const Entries *all, const Ex *f, const int *row, int n) {
  int seen = 0;
  for (int e = 0; e < all->n; e++)
    for (int k = 0; k < n; k++)
      if (row[k] == all->at[e].row) {
        same(r, c, f[k], &all->at[e]);
        seen++;
      }
  return seen;
}

static void along_turns(void **unused) {
  (void)unused;
  for (int m = 0; m < 3; m++) {
    state = (uint64_t)m;
    Rig r = rig_of("bodies", models[m], "consistent");
    int seen = 0;
    for (int i = 0; i < r.s->ncls; i++) {
      const SysClass *c = &r.s->cls[i];
      if (!reads_turns(r.s, c) || !reads_positions(c)) continue;
      if (c->kind == CLASS_SMOOTH) {
        TwoPoint t = two_point_smooth(r.c->arena, r.s, c, &consistent);
        assert_true(symtab_size(r.s->sym) < SYMBOLS);
        place_class(&r, c);
        seen += entries_are_slopes(&r, c, &t.cjac, t.r, c->row, c->nrow);
      } else if (c->kind == CLASS_CONSTRAINT) {
        TwoPoint t = two_point_row(r.c->arena, r.s, c, &consistent, false);
        Ex *force = ARENA_ARRAY(r.c->arena, Ex, c->h.n);
        int *row = ARENA_ARRAY(r.c->arena, int, c->h.n);
        for (int k = 0; k < c->h.n; k++) {
          force[k] = ex_mul(r.s->pool, ex_sym(r.s->pool, symbol(&r, SYM_LAMBDA, 0)), t.dg[k]);
          row[k] = c->h.at[k].col;
        }
        place_class(&r, c);
        seen += entries_are_slopes(&r, c, &t.curve, force, row, c->h.n);
      }
    }
    assert_true(seen > 30);
    compilation_free(r.c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(along_turns) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
