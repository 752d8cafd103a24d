// What the equations of a scheme are written with (equations.h), and what follows from them. A function of the model at
// a point is one symbol, so an expression R in them is cut by point: the sum of its symbols, each by dR/d(symbol).
// R keeps the length h of the piece in it, so that a piece whose end is an event can have h as an unknown.
#include "equations.h"
#include "../base/fatal.h"
#include "../system/along.h"

// ---- what schemes are written with ----------------------------------------------------------------------------------
static Ex symbol(const Piece *p, SymKind kind) {
  return ex_sym(p->pool, symtab_id(p->sys->sym, (Sym){ .kind = kind }));
}

Ex number(const Piece *p, double x) { return ex_num(p->pool, x); }
Ex length(const Piece *p) { return symbol(p, SYM_H); }
Ex theta_of(const Piece *p) { return symbol(p, SYM_THETA); }
Ex gamma_of(const Piece *p) { return symbol(p, SYM_GAMMA); }
Ex lambda_of(const Piece *p) { return symbol(p, SYM_LAMBDA); }
Ex kappa_of(const Piece *p) { return symbol(p, SYM_KAPPA); }
Ex plus(const Piece *p, Ex a, Ex b) { return ex_add(p->pool, a, b); }
Ex minus(const Piece *p, Ex a, Ex b) { return ex_sub(p->pool, a, b); }
Ex times(const Piece *p, Ex a, Ex b) { return ex_mul(p->pool, a, b); }

Ex at(const Piece *p, ModelFunction of, int point) {
  Sym y = { .kind = SYM_AT, .id = point, .nidx = 1, .idx = { ex_num(p->pool, of) } };
  return ex_sym(p->pool, symtab_id(p->sys->sym, y));
}

Point part_of(const Piece *p, const Point *end, Ex share) {
  return (Point){ end->from, times(p, share, end->time), times(p, share, end->begin), times(p, share, end->end),
                  share };
}

bool turns(const Piece *p) { return p->cls->kinetic != EX_NONE && reads_turns(p->sys, p->cls); }

// ---- terms ----------------------------------------------------------------------------------------------------------
static bool is_function(int id, void *system) { return symtab_at(((const System *)system)->sym, id)->kind == SYM_AT; }

Terms terms_of(const Piece *p, Ex e) {
  Terms t = { 0 };
  const int *ids;
  int n = ex_symbols(p->pool, e, &ids);
  Ex rest = e;
  for (int i = 0; i < n; i++) {
    if (!is_function(ids[i], (void *)p->sys)) continue;
    const Sym *y = symtab_at(p->sys->sym, ids[i]);
    INVARIANT(t.n < TERMS);
    t.at[t.n] = (Term){ (ModelFunction)ex_value(p->pool, y->idx[0]), y->id, ex_diff(p->pool, e, ids[i]) };
    INVARIANT(!ex_depends_any(p->pool, t.at[t.n].weight, is_function, (void *)p->sys));
    rest = ex_subst(p->pool, rest, &ids[i], (Ex[]){ ex_num(p->pool, 0) }, 1);
    t.n++;
  }
  INVARIANT(ex_is_num(p->pool, rest, 0));
  return t;
}

int point_of(const Piece *p, Ex e, ModelFunction of) {
  Terms t = terms_of(p, e);
  int point = -1;
  for (int i = 0; i < t.n; i++) if (t.at[i].of == of && t.at[i].point > point) point = t.at[i].point;
  return point;
}

bool point_moves(const Piece *p, const Point *all, int point) {
  for (; point != BEGIN; point = all[point].from) if (!ex_is_num(p->pool, all[point].end, 0)) return true;
  return false;
}

bool point_shares(const Piece *p, const Point *all, int point) {
  return point != BEGIN && !ex_is_num(p->pool, all[point].share, 0);
}

// ---- affine in the unknowns -----------------------------------------------------------------------------------------
// The rows of a function as expressions of the statement; n, 0: not one.
static int values_of(const SysClass *c, ModelFunction of, Ex *out) {
  if (of == OUTPUT || of == GAP || of == RATE) out[0] = of == RATE ? c->rate : c->y;
  for (int r = 0; r < c->nrow && (of == FORCE || of == REACTION); r++) out[r] = of == FORCE ? c->f[r] : c->g[r];
  for (int e = 0; e < c->mass.n && of == INERTIA; e++) out[e] = c->mass.at[e].value;
  for (int e = 0; e < c->h.n && of == IMPULSE; e++) out[e] = c->h.at[e].value;
  return of == FORCE || of == REACTION ? c->nrow : of == INERTIA ? c->mass.n : of == IMPULSE ? c->h.n : 1;
}

bool affine_in_unknowns(const Piece *p, const Equations *q, Ex e) {
  const SysClass *c = p->cls;
  Point all[PIECE_POINTS];
  q->points(p, all);
  Terms t = terms_of(p, e);
  int most = c->nrow + c->mass.n + c->h.n + 1, *ids = ARENA_ARRAY(p->arena, int, 2 * c->nslot + 1);
  Ex *value = ARENA_ARRAY(p->arena, Ex, most);
  for (int i = 0; i < t.n; i++) {
    const Term *term = &t.at[i];
    bool moves = point_moves(p, all, term->point), shares = point_shares(p, all, term->point),
         times_unknown = term->of == INERTIA || term->of == IMPULSE;
    int n = 0, rows = values_of(c, term->of, value);
    for (int k = 0; k < c->nslot; k++) {
      const Slot *s = &c->slot[k];
      if (s->kind == SLOT_L || (s->kind == SLOT_X ? shares : s->kind == SLOT_Q && moves)) ids[n++] = s->value;
      if (s->kind == SLOT_Q && shares) ids[n++] = s->rate;
    }
    for (int r = 0; r < rows; r++) {
      if (!ex_affine(p->pool, value[r], ids, n)) return false;
      for (int k = 0; times_unknown && k < n; k++) if (ex_depends(p->pool, value[r], ids[k])) return false;
    }
  }
  return true;
}
