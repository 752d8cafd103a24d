// State equations C*v' = F(t, q, q', x, lambda): the mass matrix from the coefficients of the derivatives, A and B from
// F. Each equation is one row; the row stands for the state that a matching of equations and states gives it.
#include "derive.h"

typedef struct Equation { Ex residual; int nderiv; int deriv[16]; int row; } Equation;  // deriv: RATE symbols of states

static bool rate_of_state(const System *s, int id) {
  const Sym *y = symtab_at(s->sym, id);
  return y->kind == SYM_RATE && s->model->var[y->id].kind == MV_STATE;
}

// Kuhn's augmenting paths: equation e finds a state of its own, moving others if it must.
static bool augment(Equation *eq, int e, int *owner, bool *seen) {
  for (int k = 0; k < eq[e].nderiv; k++) {
    int id = eq[e].deriv[k];
    if (seen[id]) continue;
    seen[id] = true;
    if (owner[id] < 0 || augment(eq, owner[id], owner, seen)) { owner[id] = e; eq[e].row = id; return true; }
  }
  return false;
}

// An equation without the derivative of a state; often one of motion, written for a coordinate.
static void no_derivative(Deriver *d, const MEquation *m, const int *ids, int n) {
  System *s = d->sys;
  for (int i = 0; i < n; i++) {
    const Sym *y = symtab_at(s->sym, ids[i]);
    if (y->kind != SYM_RATE || s->model->var[y->id].kind != MV_COORD) continue;
    const MVar *v = &s->model->var[y->id];
    Diag *g = diag(d->bag, DIAG_E0503, m->span, "`%s` is a coordinate: no equation gives its velocity", v->plain);
    diag_label(g, "no derivative of a state");
    diag_also(g, v->span, "declared as a coordinate");
    diag_note(g, "the motion of coordinates follows from their energies and forces");
    diag_help(g, "kinetic m*%s'^2/2; force %s = ...; -- or declare `state %s`", v->plain, v->plain, v->plain);
    return;
  }
  Diag *g = diag(d->bag, DIAG_E0503, m->span, "this equation contains no derivative of a state");
  diag_help(g, "a relation between unknowns is written with a multiplier: relation N: 0 <= y perp lambda >= 0;");
}

static bool collect_derivatives(Deriver *d, const MEquation *m, Equation *e) {
  System *s = d->sys;
  const int *ids;
  int n = ex_symbols(s->pool, e->residual, &ids);
  for (int i = 0; i < n; i++) {
    if (!rate_of_state(s, ids[i])) continue;
    if (e->nderiv == 16) {
      diag(d->bag, DIAG_E0503, m->span, "more than 16 derivatives in one equation");
      return false;
    }
    e->deriv[e->nderiv++] = ids[i];
  }
  if (!e->nderiv) {
    no_derivative(d, m, ids, n);
    return false;
  }
  for (int i = 0; i < e->nderiv; i++) {
    Ex c = ex_diff(s->pool, e->residual, e->deriv[i]);
    for (int k = 0; k < e->nderiv; k++)
      if (ex_depends(s->pool, c, e->deriv[k])) {
        diag(d->bag, DIAG_E0503, m->span, "the derivative %s must appear linearly", sym_name(e->deriv[i], s));
        return false;
      }
  }
  return true;
}

static void equation_class(Deriver *d, const MEquation *m, const Equation *e) {
  System *s = d->sys;
  Pool *p = s->pool;
  Ex zero[16];
  for (int i = 0; i < e->nderiv; i++) zero[i] = ex_num(p, 0);
  SysClass *c = derive_new_class(d, CLASS_SMOOTH, arena_printf(d->arena, "equation of %s", sym_name(e->row, s)),
                                 m->span, &m->ctx);
  c->is_equation = true;
  SlotList l = slots_of(d->arena, s, c);
  slots_add(&l, e->row);
  // residual = sum mass_i x_i' - F, with a sign that makes the coefficient of x' on the left what the user wrote there
  Ex F = ex_neg(p, ex_subst(p, e->residual, e->deriv, zero, e->nderiv));
  derive_right_hand_side(d, c, e->row, F);
  l = slots_of(d->arena, s, c);
  for (int i = 0; i < e->nderiv; i++) {
    int k = slots_add(&l, e->deriv[i]);
    Ex mass = ex_diff(p, e->residual, e->deriv[i]);
    slots_collect(&l, mass);
    if (!ex_is_num(p, mass, 0)) entries_push(d->arena, &c->mass, (Entry){ c->row[0], k, WRT_X, mass });
  }
}

void derive_equations(Deriver *d) {
  System *s = d->sys;
  int n = s->model->nequation;
  Equation *eq = ARENA_ARRAY(d->arena, Equation, n + 1);
  bool ok = true;
  for (int i = 0; i < n; i++) {
    const MEquation *m = &s->model->equation[i];
    eq[i].row = -1;
    eq[i].residual = ex_sub(s->pool, lower_expr(s, m->lhs), lower_expr(s, m->rhs));
    // x' on the right only (0 = f - x'): keep the mass positive where the sign is plain
    if (!collect_derivatives(d, m, &eq[i])) { ok = false; continue; }
    Ex c = ex_diff(s->pool, eq[i].residual, eq[i].deriv[0]);
    if (ex_operator(s->pool, c) == OP_NUM && ex_value(s->pool, c) < 0) eq[i].residual = ex_neg(s->pool, eq[i].residual);
  }
  if (!ok) return;
  int nsym = symtab_size(s->sym);
  int *owner = ARENA_ARRAY(d->arena, int, nsym);
  for (int i = 0; i < nsym; i++) owner[i] = -1;
  for (int i = 0; i < n; i++) {
    bool *seen = ARENA_ARRAY(d->arena, bool, nsym);
    if (!augment(eq, i, owner, seen)) {
      Diag *g = diag(d->bag, DIAG_E0504, s->model->equation[i].span, "one equation too many for %s",
                     sym_name(eq[i].deriv[0], s));
      if (owner[eq[i].deriv[0]] >= 0) diag_also(g, s->model->equation[owner[eq[i].deriv[0]]].span, "it is given here");
      diag_help(g, "each state needs exactly one equation");
      ok = false;
    }
  }
  for (int i = 0; ok && i < n; i++) equation_class(d, &s->model->equation[i], &eq[i]);
}
