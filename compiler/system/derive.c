// The derivation: model -> derived system. One call per part; each part appends its classes.
#include <math.h>
#include <string.h>
#include "../model/model_print.h"
#include "derive.h"

static void push_entries(Ex **at, int *n, const Entries *e) {
  for (int i = 0; i < e->n; i++) (*at)[(*n)++] = e->at[i].value;
}

int class_expressions(Arena *a, const SysClass *c, Ex **out) {
  Ex *at = ARENA_ARRAY(a, Ex, 2 * c->nrow + c->mass.n + c->jac.n + c->b.n + c->k.n + c->h.n + 17);
  int n = 0;
  for (int i = 0; i < c->nrow; i++) { at[n++] = c->f[i]; at[n++] = c->g[i]; }
  push_entries(&at, &n, &c->mass); push_entries(&at, &n, &c->jac); push_entries(&at, &n, &c->b);
  push_entries(&at, &n, &c->k); push_entries(&at, &n, &c->h);
  const Ex single[] = {
    c->kinetic, c->potential, c->y, c->rate, c->lo, c->hi, c->e, c->ratio, c->exponent, c->mu, c->mu2, c->radius,
    c->value, c->along, c->push
  };
  for (size_t i = 0; i < sizeof single / sizeof *single; i++) if (single[i] != EX_NONE) at[n++] = single[i];
  *out = at;
  return n;
}

// A slot that is a row of the class is always read; others may be guarded by an `if` on parameters and indices.
static void guards(Deriver *d) {
  for (int i = 0; i < d->sys->ncls; i++) {
    SysClass *c = &d->sys->cls[i];
    Ex *e;
    int n = class_expressions(d->arena, c, &e);
    slots_guard(d->sys, c, e, n);
    if (c->is_equation || (c->kind == CLASS_SMOOTH && c->nrow == 1)) c->slot[c->row[0]].guard = EX_NONE;
    for (int k = 0; k < c->mass.n && c->is_equation; k++) c->slot[c->mass.at[k].col].guard = EX_NONE;
    if (c->kind == CLASS_INIT || (c->kind == CLASS_ACTION && c->action == MA_ASSIGN)) c->slot[0].guard = EX_NONE;
    if (c->lambda_slot >= 0) c->slot[c->lambda_slot].guard = EX_NONE;
  }
}

static Ex *lower_all(Deriver *d, int n) { return ARENA_ARRAY(d->arena, Ex, n + 1); }

static void headline(Deriver *d) {
  System *s = d->sys;
  const Model *m = s->model;
  s->param = lower_all(d, m->nparam);
  s->param_value = ARENA_ARRAY(d->arena, double, m->nparam + 1);
  const double **points = ARENA_ARRAY(d->arena, const double *, m->ntable + 1);
  for (int i = 0; i < m->ntable; i++) points[i] = m->table[i].data;
  ex_points(s->pool, points, m->ntable, table_value);
  for (int i = 0; i < m->nparam; i++) {            // each over the ones before it
    const MParam *p = &m->param[i];
    s->param[i] = lower_expr(s, p->value);
    s->param_value[i] = !isnan(p->given)           ? p->given
                        : p->structural            ? p->fixed
                        : s->param[i] == EX_NONE ? NAN
                                                 : value_of(s, s->param[i], NULL, 0);
  }
  for (int k = 0; k < MAX_INDICES; k++) {
    s->var_lo[k] = lower_all(d, 2 * m->nvar);      // exchanges of solve_algebraic.c add variables
    s->var_hi[k] = lower_all(d, 2 * m->nvar);
    for (int i = 0; i < m->nvar; i++) {
      bool bounded = k < m->var[i].ndim && m->var[i].kind != MV_ROW;
      s->var_lo[k][i] = bounded ? lower_expr(s, m->var[i].lo[k]) : EX_NONE;
      s->var_hi[k][i] = bounded ? lower_expr(s, m->var[i].hi[k]) : EX_NONE;
    }
  }
  s->stat_at = lower_all(d, m->nstat);
  for (int i = 0; i < m->nstat; i++) s->stat_at[i] = lower_expr(s, m->stat[i].at);
  s->expect = lower_all(d, m->nexpect);
  for (int i = 0; i < m->nexpect; i++) s->expect[i] = lower_expr(s, m->expect[i].cond);
  s->start = lower_expr(s, m->sim.start); s->until = lower_expr(s, m->sim.until); s->step = lower_expr(s, m->sim.step);
  s->theta = lower_expr(s, m->sim.theta); s->gamma = lower_expr(s, m->sim.gamma);
  s->tolerance = lower_expr(s, m->sim.tolerance);
  s->accept = lower_expr(s, m->sim.accept);
  s->rtol = lower_expr(s, m->sim.rtol); s->atol = lower_expr(s, m->sim.atol);
}

// Sums and products print in the order of symbols: step and parameters before indices, variables, time.
static void symbols_in_reading_order(System *s) {
  symtab_id(s->sym, (Sym){ .kind = SYM_STEP });
  symtab_id(s->sym, (Sym){ .kind = SYM_THETA });
  for (int i = 0; i < s->model->nparam; i++) symtab_id(s->sym, (Sym){ .kind = SYM_PARAM, .id = i });
  for (int i = 0; i < 4; i++) symtab_id(s->sym, (Sym){ .kind = SYM_LOOP, .id = i });
  for (int i = 0; i < s->model->nvar; i++)
    if (s->model->var[i].ndim == 0) {
      symtab_id(s->sym, (Sym){ .kind = SYM_VALUE, .id = i });
      symtab_id(s->sym, (Sym){ .kind = SYM_RATE, .id = i });
    }
  s->sym_time = symtab_id(s->sym, (Sym){ .kind = SYM_TIME });
}

const System *derive_system(Arena *a, const Model *m, bool stay_rows, DiagBag *bag) {
  System *s = ARENA_NEW(a, System);
  Deriver d = { a, s, bag, 0, NULL, stay_rows };
  int before = diag_errors(bag);
  s->model = m;
  s->pool = pool_new(a);
  s->sym = symtab_new(a, s->pool);
  for (int i = 0; i < 3; i++) s->lowered[i] = map_new(a);
  s->lowered_whole = map_new(a);
  s->stages = ARENA_NEW(a, Stages);
  symbols_in_reading_order(s);
  headline(&d);
  derive_algebraic(&d);
  derive_energies(&d);
  derive_forces(&d);
  derive_equations(&d);
  derive_relations(&d);
  derive_contacts(&d);
  derive_constraints(&d);
  derive_rest(&d);
  derive_bodies(&d);
  derive_events(&d);
  if (diag_errors(bag) > before) return NULL;
  derive_cover(&d);
  guards(&d);
  classify(&d);
  relative_degrees(&d);
  return diag_errors(bag) > before ? NULL : s;
}
