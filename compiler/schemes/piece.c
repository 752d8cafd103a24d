// From the equations of a scheme to the statements of a piece (scheme.h). The residual of a smooth statement is
//
//   R(u_E, lambda) = M (u_E - u_B) - h F(u_E, lambda)
//
// and what a step needs of it are derivatives, at u_E = u_B and lambda = 0, where its iteration starts:
//
//   M = dR/du_E,   f = -dR/dh,   g = -dR/dh - f with multipliers,   B = dg/dlambda
//
// of a row its value and its derivatives by u_E and lambda. Impulses act along the derivative of the rate by u_E.
#include "scheme.h"
#include "../system/slots.h"

static int of_kind(const System *s, int id, SymKind kind) {
  Sym y = *symtab_at(s->sym, id);
  y.kind = kind;
  return symtab_id(s->sym, y);
}

static bool moves(const Slot *t) { return t->kind == SLOT_Q; }      // has a velocity

static int increment(const System *s, const Slot *t) { return of_kind(s, t->rate, SYM_RATE_D); }

static Ex slope(const Piece *p, Ex e, const Slot *t) {              // d e/d u_E of slot t
  return ex_add(p->pool, ex_diff(p->pool, e, t->rate), ex_diff(p->pool, e, increment(p->sys, t)));
}

// ---- what schemes are written with ----------------------------------------------------------------------------------
Ex at_begin(const Piece *p, Ex e) {
  const SysClass *c = p->cls;
  int *u = ARENA_ARRAY(p->arena, int, c->nslot + 1), n = 0;
  Ex *begin = ARENA_ARRAY(p->arena, Ex, c->nslot + 1);
  for (int k = 0; k < c->nslot; k++) {
    if (!moves(&c->slot[k])) continue;
    u[n] = c->slot[k].rate;
    begin[n++] = ex_sym(p->pool, of_kind(p->sys, c->slot[k].rate, SYM_RATE0));
  }
  return e == EX_NONE ? e : ex_subst(p->pool, e, u, begin, n);
}

Ex inertia(const Piece *p, int row) {
  const SysClass *c = p->cls;
  Ex sum = ex_num(p->pool, 0);
  for (int e = 0; e < c->mass.n; e++) {
    if (c->mass.at[e].row != c->row[row]) continue;
    Ex du = ex_sym(p->pool, increment(p->sys, &c->slot[c->mass.at[e].col]));
    sum = ex_add(p->pool, sum, ex_mul(p->pool, c->mass.at[e].value, du));
  }
  return sum;
}

Ex force(const Piece *p, int row) { return ex_add(p->pool, p->cls->f[row], p->cls->g[row]); }

Ex length(const Piece *p) { return ex_sym(p->pool, symtab_id(p->sys->sym, (Sym){ .kind = SYM_H })); }

bool affine_in_unknowns(const Piece *p, Ex e) {
  const SysClass *c = p->cls;
  int *ids = ARENA_ARRAY(p->arena, int, 2 * c->nslot + 1), n = 0;
  for (int k = 0; k < c->nslot; k++) {
    if (c->slot[k].kind == SLOT_L) ids[n++] = c->slot[k].value;
    if (!moves(&c->slot[k])) continue;
    ids[n++] = c->slot[k].rate;
    ids[n++] = increment(p->sys, &c->slot[k]);
  }
  return ex_affine(p->pool, e, ids, n);
}

// ---- what follows ---------------------------------------------------------------------------------------------------
// e where an iteration starts: u_E = u_B; without multipliers, too.
static Ex at_start(const Piece *p, Ex e, bool multipliers) {
  const SysClass *c = p->cls;
  int *ids = ARENA_ARRAY(p->arena, int, c->nslot + 1), n = 0;
  Ex *zero = ARENA_ARRAY(p->arena, Ex, c->nslot + 1);
  for (int k = 0; k < c->nslot; k++) {
    const Slot *t = &c->slot[k];
    if (moves(t)) ids[n] = increment(p->sys, t);
    else if (t->kind == SLOT_L && !multipliers) ids[n] = t->value;
    else continue;
    zero[n++] = ex_num(p->pool, 0);
  }
  return at_begin(p, ex_subst(p->pool, e, ids, zero, n));
}

static void push(const Piece *p, Entries *to, int row, int col, Wrt wrt, Ex value) {
  if (!ex_is_num(p->pool, value, 0)) entries_push(p->arena, to, (Entry){ row, col, wrt, value });
}

static void smooth(const Piece *p, const Equations *q, SysClass *n) {
  const SysClass *c = p->cls;
  Pool *pool = p->pool;
  n->mass = n->b = (Entries){ 0 };
  n->f = ARENA_ARRAY(p->arena, Ex, c->nrow + 1);
  n->g = ARENA_ARRAY(p->arena, Ex, c->nrow + 1);
  for (int r = 0; r < c->nrow; r++) {
    Ex R = q->momentum(p, r), all = ex_neg(pool, ex_diff(pool, R, ex_symbol(pool, length(p))));
    n->f[r] = at_start(p, all, false);
    n->g[r] = ex_sub(pool, at_start(p, all, true), n->f[r]);
    for (int k = 0; k < c->nslot; k++) {
      const Slot *t = &c->slot[k];
      if (moves(t)) push(p, &n->mass, c->row[r], k, WRT_V, slope(p, R, t));
      else if (t->kind == SLOT_L) push(p, &n->b, c->row[r], k, WRT_L, ex_diff(pool, n->g[r], t->value));
    }
  }
}

static void row(const Piece *p, const Equations *q, SysClass *n) {
  const SysClass *c = p->cls;
  Ex value = c->kind == CLASS_RELATION ? q->relation(p) : q->rate(p);
  if (c->kind == CLASS_RELATION) n->y = value;
  else n->rate = value;
  if (c->kind == CLASS_CONTACT) n->y = q->closed(p);
  Ex *given[] = { &n->lo, &n->hi, &n->mu, &n->mu2, &n->radius };
  for (int i = 0; i < 5; i++) if (*given[i] != EX_NONE) *given[i] = q->given(p, *given[i]);
  n->h = (Entries){ 0 };
  for (int k = 0; k < c->nslot; k++) {
    const Slot *t = &c->slot[k];
    if (moves(t)) push(p, &n->h, 0, k, WRT_V, slope(p, value, t));
    else if (t->kind == SLOT_L) push(p, &n->h, 0, k, WRT_L, ex_diff(p->pool, value, t->value));
  }
}

const SysClass *class_of_piece(Arena *a, const System *s, const Equations *q, const SysClass *c) {
  bool is_row = c->kind == CLASS_RELATION || c->kind == CLASS_CONSTRAINT || c->kind == CLASS_CONTACT ||
                c->kind == CLASS_FRICTION;
  if (c->kind != CLASS_SMOOTH && !is_row) return c;
  Piece p = { a, s, s->pool, c };
  SysClass *n = ARENA_NEW(a, SysClass);
  *n = *c;
  if (c->kind == CLASS_SMOOTH) smooth(&p, q, n);
  else row(&p, q, n);
  return n;
}
