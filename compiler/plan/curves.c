// Second derivatives, of functions that a scheme takes at a point which its unknowns move (scheme_equations.c): of
// M (z_E - z_B), of H^T p and of the rates.
#include "../system/along.h"
#include "../system/slots.h"
#include "parts.h"

static int of_kind(const System *s, int id, SymKind kind) {
  Sym y = *symtab_at(s->sym, id);
  y.kind = kind;
  return symtab_id(s->sym, y);
}

static void push(Arena *a, const System *s, Entries *to, int row, int col, Wrt wrt, Ex value) {
  if (!ex_is_num(s->pool, value, 0)) entries_push(a, to, (Entry){ row, col, wrt, value });
}

// d e/d(q, v, x) of row `row`.
static void derivatives(Arena *a, const System *s, const SysClass *c, Ex e, int row, Entries *to) {
  for (int k = 0; k < c->nslot; k++) {
    const Slot *t = &c->slot[k];
    if (t->kind == SLOT_L || t->kind == SLOT_POSITION || t->kind == SLOT_D) continue;
    push(a, s, to, row, k, t->kind == SLOT_Q ? WRT_Q : WRT_X, diff_along(s, e, t));
    if (t->kind == SLOT_Q) push(a, s, to, row, k, WRT_V, ex_diff(s->pool, e, t->rate));
  }
}

// The same of a large T: M dz is the derivative of dT/dv along v -> dz.
static void large_mass_curve(PlanClass *pc, Hoist *h, const SysClass *c) {
  Pool *p = h->sys->pool;
  int n = c->nrow, *v = ARENA_ARRAY(h->arena, int, n + 1);
  Ex *dz = ARENA_ARRAY(h->arena, Ex, n + 1), *pi = ARENA_ARRAY(h->arena, Ex, n + 1);
  for (int r = 0; r < n; r++) {
    v[r] = c->slot[c->row[r]].rate;
    dz[r] = ex_sym(p, of_kind(h->sys, v[r], SYM_RATE_D));
  }
  ex_gradient(p, c->kinetic, v, n, pi);
  ex_tangent(p, pi, n, v, dz, n, pi);
  int m = 2 * c->nslot, *ids = ARENA_ARRAY(h->arena, int, m + 1);
  for (int k = 0; k < m; k++) ids[k] = k < c->nslot ? c->slot[k].value : c->slot[k - c->nslot].rate;
  Ex *slope = ARENA_ARRAY(h->arena, Ex, n * m + 1);
  ex_jacobian_dense(p, pi, n, ids, NULL, m, slope);
  for (int r = 0; r < n; r++)
    for (int k = 0; k < c->nslot; k++) {
      const Slot *t = &c->slot[k];
      if (t->kind == SLOT_L || t->kind == SLOT_D) continue;
      push(h->arena, h->sys, &pc->mcurve, c->row[r], k, t->kind == SLOT_Q ? WRT_Q : WRT_X, slope[r * m + k]);
      if (t->kind == SLOT_Q) push(h->arena, h->sys, &pc->mcurve, c->row[r], k, WRT_V, slope[r * m + c->nslot + k]);
    }
  kernel_entries(pc, h, KERNEL_MCURVE, &pc->mcurve);
}

// d/d(q, v, x) of M dz
void curve_of_inertia(PlanClass *pc, Hoist *h, const SysClass *c) {
  Pool *p = h->sys->pool;
  if (ex_is_shared(p, c->kinetic) && !reads_positions(c)) {
    large_mass_curve(pc, h, c);
    return;
  }
  for (int r = 0; r < c->nrow; r++) {
    Ex sum = ex_num(p, 0);
    for (int i = 0; i < c->mass.n; i++) {
      const Slot *t = &c->slot[c->mass.at[i].col];
      int increment = t->kind == SLOT_Q ? of_kind(h->sys, t->rate, SYM_RATE_D) : of_kind(h->sys, t->value, SYM_VALUE_D);
      if (c->mass.at[i].row == c->row[r] && stage_of(h->sys, c->mass.at[i].value) == STAGE_STATE)
        sum = ex_add(p, sum, ex_mul(p, c->mass.at[i].value, ex_sym(p, increment)));
    }
    derivatives(h->arena, h->sys, c, sum, c->row[r], &pc->mcurve);
  }
  kernel_entries(pc, h, KERNEL_MCURVE, &pc->mcurve);
}

// d/d(q, v, x) of H^T p
void curve_of_impulse(PlanClass *pc, Hoist *h, const SysClass *c) {
  Pool *p = h->sys->pool;
  Ex lambda = ex_sym(p, symtab_id(h->sys->sym, (Sym){ .kind = SYM_LAMBDA }));
  for (int i = 0; i < c->h.n; i++)
    derivatives(h->arena, h->sys, c, ex_mul(p, lambda, c->h.at[i].value), c->h.at[i].col, &pc->curve);
  kernel_entries(pc, h, KERNEL_CURVE, &pc->curve);
}

// d rate/dq
void slope_of_rate(PlanClass *pc, Hoist *h, const SysClass *c) {
  for (int k = 0; k < c->nslot; k++)
    if (c->slot[k].kind == SLOT_Q)
      push(h->arena, h->sys, &pc->rq, 0, k, WRT_Q, diff_along(h->sys, c->rate, &c->slot[k]));
  kernel_entries(pc, h, KERNEL_RQ, &pc->rq);
}
