// A model without loops, compiled up to its plan, and a value for every symbol of its DAG: kernels are evaluated and
// differenced there. Includers include the headers of cmocka and stdio, stdlib, string, math, unistd before.
#pragma once
#include "tests/unit/compile_text.h"

// A chain of seven links in relative angles: its kinetic energy is large, kernels come from reverse accumulation.
#define LINK(k, j)                                                                                                    \
  "var a" #k " = a" #j " + q" #k ", x" #k " = x" #j " + sin(a" #k "), y" #k " = y" #j " - cos(a" #k "); "
#define CHAIN                                                                                                         \
  "coord q1 = 0, q2 = 0, q3 = 0, q4 = 0, q5 = 0, q6 = 0, q7 = 0; var a0 = 0, x0 = 0, y0 = 0; " LINK(1, 0) LINK(2, 1)   \
  LINK(3, 2) LINK(4, 3) LINK(5, 4) LINK(6, 5) LINK(7, 6)                                                              \
  "kinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2 + x4'^2 + y4'^2 + x5'^2 + y5'^2 + x6'^2 + y6'^2 + x7'^2 + "  \
  "y7'^2)/2; potential y1 + y2 + y3 + y4 + y5 + y6 + 2*y7; "

enum { SYMBOLS = 4096 };

// A variable of the model is one coordinate. at[]: the value of every symbol.
typedef struct Rig { Compilation *c; const System *s; int nq; double at[SYMBOLS]; } Rig;

static uint64_t state;
static double draw(void) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(state >> 33) / (double)(1u << 31) * 1.6 + 0.2;                    // (0.2, 1.8)
}

__attribute__((unused)) static bool has_large_kinetic(const Rig *r) {
  for (int i = 0; i < r->s->ncls; i++)
    if (r->s->cls[i].kinetic != EX_NONE && ex_is_shared(r->s->pool, r->s->cls[i].kinetic)) return true;
  return false;
}

static Rig rig_of(const char *name, const char *text, const char *scheme) {
  Text whole = {0};
  text_printf(&whole, "// %s\nmodel T { %s simulate { until = 1, step = 0.1, scheme = %s } }\n", name, text, scheme);
  Rig r = { .c = compile_text(text_str(&whole), STAGE_PLAN) };
  text_free(&whole);
  r.s = r.c->system;
  r.nq = r.s->model->nvar;
  assert_true(symtab_size(r.s->sym) < SYMBOLS);
  for (int i = 0; i < SYMBOLS; i++) r.at[i] = draw();
  for (int i = 0; i < symtab_size(r.s->sym); i++) {
    const Sym *y = symtab_at(r.s->sym, i);
    if (y->kind == SYM_PARAM) r.at[i] = ex_value(r.s->pool, r.s->param[y->id]);
  }
  return r;
}

static int symbol(const Rig *r, SymKind kind, int var) {
  return symtab_id(r->s->sym, (Sym){ .kind = kind, .id = var });
}
__attribute__((unused)) static double *place(Rig *r, SymKind kind, int var) { return &r->at[symbol(r, kind, var)]; }

// Increments are differences of the two ends.
static double leaf(int id, void *rig) {
  const Rig *r = rig;
  Sym y = *symtab_at(r->s->sym, id);
  if (y.kind != SYM_VALUE_D && y.kind != SYM_RATE_D) return r->at[id];
  Sym end = y, begin = y;
  end.kind = y.kind == SYM_VALUE_D ? SYM_VALUE : SYM_RATE;
  begin.kind = y.kind == SYM_VALUE_D ? SYM_VALUE0 : SYM_RATE0;
  return r->at[symtab_id(r->s->sym, end)] - r->at[symtab_id(r->s->sym, begin)];
}
static double eval(const Rig *r, Ex e) { return ex_eval(r->s->pool, e, leaf, (void *)(uintptr_t)r); }

// Entry (., col, wrt) of f by a central difference.
__attribute__((unused)) static void same_derivative(Rig *r, const char *what, const SysClass *c, Ex f, const Entry *e) {
  double *x = &r->at[e->wrt == WRT_Q ? c->slot[e->col].value : c->slot[e->col].rate], keep = *x, d = 1e-4;
  *x = keep + d;
  double up = eval(r, f);
  *x = keep - d;
  double down = eval(r, f);
  *x = keep;
  double want = (up - down) / (2 * d), got = eval(r, e->value);
  if (!(fabs(got - want) <= 1e-5 * (1 + fabs(want))))
    fail_msg("%s of %s: %.12g, by differences %.12g", what, c->label, got, want);
}
