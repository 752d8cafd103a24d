// State equations C*v' = F(t, q, q', x, lambda): the mass matrix from the coefficients of the derivatives, A and B from
// F. Each equation is one row; the row stands for the state that a matching of equations and states gives it. A family
// may have its equations in several loops: those of one range are matched among themselves, and whether the loops
// together reach each state once is counted afterwards (cover.c).
#include "derive.h"

enum { MOST_DERIVATIVES = 16 };
typedef struct Equation {
  Ex  residual;
  int nderiv;
  int deriv[MOST_DERIVATIVES];    // RATE symbols of states
  int place[MOST_DERIVATIVES];    // the same, numbered apart for each range of loops
  int row;                        // the one of its own, -1: none yet
} Equation;

static bool rate_of_state(const System *s, int id) {
  const Sym *y = symtab_at(s->sym, id);
  return y->kind == SYM_RATE && s->model->var[y->id].kind == MV_STATE;
}

// --- matching ---

// How the loops of statement i run: the number of the first statement with the same bounds.
static int ranges_of(const System *s, const Ex *lo, const Ex *hi, int i) {
  const MEquation *m = s->model->equation;
  for (int k = 0; k < i; k++) {
    bool same = m[k].ctx.n == m[i].ctx.n;
    for (int l = 0; l < m[i].ctx.n && same; l++)
      same = lo[MAX_INDICES * k + l] == lo[MAX_INDICES * i + l] && hi[MAX_INDICES * k + l] == hi[MAX_INDICES * i + l];
    if (same) return k;
  }
  return i;
}

// Numbers the derivatives of all equations; returns how many there are.
static int number_places(Deriver *d, Equation *eq) {
  System *s = d->sys;
  int n = s->model->nequation, count = 0;
  Ex *lo = ARENA_ARRAY(d->arena, Ex, MAX_INDICES * n + 1), *hi = ARENA_ARRAY(d->arena, Ex, MAX_INDICES * n + 1);
  Map **by_ranges = ARENA_ARRAY(d->arena, Map *, n + 1);     // RATE symbol + 1 -> place + 1
  for (int i = 0; i < n; i++) {
    const MContext *ctx = &s->model->equation[i].ctx;
    for (int l = 0; l < ctx->n; l++) {
      lo[MAX_INDICES * i + l] = lower_expr(s, ctx->loop[l].lo);
      hi[MAX_INDICES * i + l] = lower_expr(s, ctx->loop[l].hi);
    }
    int at = ranges_of(s, lo, hi, i);
    if (!by_ranges[at]) by_ranges[at] = map_new(d->arena);
    for (int k = 0; k < eq[i].nderiv; k++) {
      void *key = (void *)(uintptr_t)(eq[i].deriv[k] + 1);
      uintptr_t known = (uintptr_t)map_get(by_ranges[at], key);
      if (!known) map_put(by_ranges[at], key, (void *)(known = (uintptr_t)++count));
      eq[i].place[k] = (int)known - 1;
    }
  }
  return count;
}

typedef struct Matching { Equation *eq; int *owner, *seen, round; } Matching;   // by place: equation, -1; last round

// Kuhn's augmenting paths: equation e finds a state of its own, moving others if it must.
static bool augment(Matching *m, int e) {
  for (int k = 0; k < m->eq[e].nderiv; k++) {
    int at = m->eq[e].place[k];
    if (m->seen[at] == m->round) continue;
    m->seen[at] = m->round;
    if (m->owner[at] >= 0 && !augment(m, m->owner[at])) continue;
    m->owner[at] = e;
    m->eq[e].row = m->eq[e].deriv[k];
    return true;
  }
  return false;
}

static bool match(Deriver *d, Equation *eq) {
  System *s = d->sys;
  int n = s->model->nequation, places = number_places(d, eq);
  Matching m = { eq, ARENA_ARRAY(d->arena, int, places + 1), ARENA_ARRAY(d->arena, int, places + 1), 0 };
  bool ok = true;
  for (int i = 0; i < places; i++) m.owner[i] = -1;
  for (int i = 0; i < n; i++) {
    m.round = i + 1;
    if (augment(&m, i)) continue;
    Diag *g = diag(d->bag, DIAG_E0504, s->model->equation[i].span, "one equation too many for %s",
                   sym_name(eq[i].deriv[0], s));
    int other = m.owner[eq[i].place[0]];
    if (other >= 0) diag_also(g, s->model->equation[other].span, "it is given here");
    diag_help(g, "each state needs exactly one equation");
    ok = false;
  }
  return ok;
}

// --- equations ---

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
  if ((m->lhs->uses | m->rhs->uses) & MU_RATE) {
    Diag *g = diag(d->bag, DIAG_E0503, m->span, "the factor of the derivative is zero");
    diag_also(g, m->made, "of this part");
    diag_help(g, "give it a value: a capacitor or inductor of 0 is left out, or replaced by a wire");
    return;
  }
  Diag *g = diag(d->bag, DIAG_E0503, m->span, "this equation contains no derivative of a state");
  diag_also(g, m->made, "of this part");
  diag_help(g, "a relation between unknowns is written with a multiplier: relation N: 0 <= y perp lambda >= 0;");
}

static bool collect_derivatives(Deriver *d, const MEquation *m, Equation *e) {
  System *s = d->sys;
  const int *ids;
  int n = ex_symbols(s->pool, e->residual, &ids);
  for (int i = 0; i < n; i++) {
    if (!rate_of_state(s, ids[i])) continue;
    if (e->nderiv == MOST_DERIVATIVES) {
      diag(d->bag, DIAG_E0503, m->span, "more than %d derivatives in one equation", MOST_DERIVATIVES);
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
  Ex zero[MOST_DERIVATIVES];
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
  if (!ok || !match(d, eq)) return;
  for (int i = 0; i < n; i++) equation_class(d, &s->model->equation[i], &eq[i]);
}
