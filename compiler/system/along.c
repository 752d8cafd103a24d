// Derivatives along the motion of bodies (along.h; docs/numerics/bodies.md, section 1).
#include <string.h>
#include "../base/fatal.h"
#include "along.h"

bool is_turn(const System *s, const Slot *t) { return t->kind == SLOT_Q && s->model->var[t->var].rate_name != NULL; }

bool reads_turns(const System *s, const SysClass *c) {
  for (int k = 0; k < c->nslot; k++) if (is_turn(s, &c->slot[k])) return true;
  return false;
}

bool is_position(const System *s, int symbol) {
  const Sym *y = symtab_at(s->sym, symbol);
  return y->kind == SYM_VALUE && s->model->var[y->id].kind == MV_POSITION && s->model->var[y->id].partner;
}

bool is_memory(const System *s, int symbol) {
  const Sym *y = symtab_at(s->sym, symbol);
  return y->kind == SYM_VALUE && s->model->var[y->id].kind == MV_POSITION && !s->model->var[y->id].partner;
}

bool reads_positions(const SysClass *c) {
  for (int k = 0; k < c->nslot; k++) if (c->slot[k].kind == SLOT_POSITION) return true;
  return false;
}

// The element `last` of the partner of variable `var`, with the indices of idx but the last.
static int partner_symbol(const System *s, SymKind kind, int var, int nidx, const Ex *idx, int last) {
  INVARIANT(s->model->var[var].partner > 0 && nidx > 0);
  Sym y = { .kind = kind, .id = s->model->var[var].partner - 1, .nidx = nidx };
  memcpy(y.idx, idx, sizeof *idx * (size_t)nidx);
  y.idx[nidx - 1] = ex_num(s->pool, last);
  return symtab_id(s->sym, y);
}

void attitude_of(const System *s, const Slot *t, SymKind kind, int *symbol) {
  for (int k = 0; k < 4; k++) symbol[k] = partner_symbol(s, kind, t->var, t->nidx, t->idx, k + 1);
}

int turn_number(const System *s, const Slot *t) { return (int)ex_value(s->pool, t->idx[t->nidx - 1]) - 1; }

int turn_symbol(const System *s, const Slot *t, int i, SymKind kind) {
  Sym y = { .kind = kind, .id = t->var, .nidx = t->nidx };
  memcpy(y.idx, t->idx, sizeof y.idx);
  y.idx[t->nidx - 1] = ex_num(s->pool, i + 1);
  return symtab_id(s->sym, y);
}

// G(p) = [-p_v^T; p_0 I + p_v^]: the sign and the number of p of each entry.
static const struct { signed char sign, of; } G[4][3] = {
  { { -1, 1 }, { -1, 2 }, { -1, 3 } },
  { { 1, 0 }, { -1, 3 }, { 1, 2 } },
  { { 1, 3 }, { 1, 0 }, { -1, 1 } },
  { { -1, 2 }, { 1, 1 }, { 1, 0 } }
};

Ex half_g(Pool *p, const Ex *attitude, int row, int column) {
  return ex_mul(p, ex_num(p, 0.5 * G[row][column].sign), attitude[G[row][column].of]);
}

Ex attitude_rate(const System *s, int symbol) {
  Pool *p = s->pool;
  Sym y = *symtab_at(s->sym, symbol);
  int number = (int)ex_value(p, y.idx[y.nidx - 1]) - 1;
  Ex attitude[4], part[3];
  for (int k = 0; k < 4; k++) {
    y.idx[y.nidx - 1] = ex_num(p, k + 1);
    attitude[k] = ex_sym(p, symtab_id(s->sym, y));
  }
  for (int i = 0; i < 3; i++) {
    Ex spin = ex_sym(p, partner_symbol(s, SYM_RATE, y.id, y.nidx, y.idx, i + 1));
    part[i] = ex_mul(p, half_g(p, attitude, number, i), spin);
  }
  return ex_op(p, OP_ADD, part, 3);
}

Ex turned(Pool *p, const Ex *attitude, const Ex *by_p, int i) {
  Ex part[4];
  for (int k = 0; k < 4; k++) part[k] = ex_mul(p, by_p[k], half_g(p, attitude, k, i));
  return ex_op(p, OP_ADD, part, 4);
}

Ex diff_along(const System *s, Ex e, const Slot *t) {
  Pool *p = s->pool;
  if (!is_turn(s, t)) return ex_diff(p, e, t->value);
  int id[4];
  Ex attitude[4], by_p[4];
  attitude_of(s, t, SYM_VALUE, id);
  for (int k = 0; k < 4; k++) {
    attitude[k] = ex_sym(p, id[k]);
    by_p[k] = ex_diff(p, e, id[k]);
  }
  return turned(p, attitude, by_p, turn_number(s, t));
}

void gradient_along(Arena *a, const System *s, const SysClass *c, Ex e, Ex *out) {
  Pool *p = s->pool;
  int n = c->nslot, *ids = ARENA_ARRAY(a, int, n + 1);
  Ex *by = ARENA_ARRAY(a, Ex, n + 1);
  for (int k = 0; k < n; k++) ids[k] = c->slot[k].value;
  ex_gradient(p, e, ids, n, by);
  for (int k = 0; k < n; k++) {
    const Slot *t = &c->slot[k];
    out[k] = t->kind == SLOT_L || t->kind == SLOT_POSITION || t->kind == SLOT_D ? ex_num(p, 0) : by[k];
    if (!is_turn(s, t)) continue;
    int id[4];
    Ex attitude[4], by_p[4];
    attitude_of(s, t, SYM_VALUE, id);
    for (int i = 0; i < 4; i++) {
      attitude[i] = ex_sym(p, id[i]);
      by_p[i] = ex_num(p, 0);
      for (int l = 0; l < n; l++) if (ids[l] == id[i]) by_p[i] = by[l];
    }
    out[k] = turned(p, attitude, by_p, turn_number(s, t));
  }
}
