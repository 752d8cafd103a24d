// Slots of a class, their guards, and lists of Jacobian entries.
#include <string.h>
#include "../base/fatal.h"
#include "along.h"
#include "names.h"
#include "slots.h"

bool is_variable(int id, void *system) {
  const Sym *y = symtab_at(((const System *)system)->sym, id);
  return y->kind == SYM_VALUE || y->kind == SYM_RATE;
}

SlotList slots_of(Arena *a, System *s, SysClass *c) { return (SlotList){ a, s, c, c->nslot }; }

int slots_find(const SysClass *c, int symbol) {
  for (int i = 0; i < c->nslot; i++) if (c->slot[i].value == symbol || c->slot[i].rate == symbol) return i;
  return -1;
}

int slots_add(SlotList *l, int symbol) {
  int known = slots_find(l->cls, symbol);
  if (known >= 0) return known;
  Sym y = *symtab_at(l->sys->sym, symbol);
  Slot t = { .var = y.id, .nidx = y.nidx, .value = -1, .rate = -1 };
  memcpy(t.idx, y.idx, sizeof t.idx);
  MVarKind kind = l->sys->model->var[y.id].kind;
  t.kind = kind == MV_COORD      ? SLOT_Q
           : kind == MV_STATE    ? SLOT_X
           : kind == MV_POSITION ? SLOT_POSITION
           : kind >= MV_DISCRETE ? SLOT_D
                                 : SLOT_L;
  y.kind = SYM_VALUE; t.value = symtab_id(l->sys->sym, y);
  bool has_rate = t.kind == SLOT_Q || t.kind == SLOT_X || kind == MV_INPUT || kind == MV_DELAY;
  if (has_rate) { y.kind = SYM_RATE; t.rate = symtab_id(l->sys->sym, y); }
  if (l->cls->nslot == l->cap) {
    l->cap = l->cap ? 2 * l->cap : 2;
    Slot *at = ARENA_ARRAY(l->arena, Slot, l->cap);
    if (l->cls->nslot) memcpy(at, l->cls->slot, (size_t)l->cls->nslot * sizeof *at);
    l->cls->slot = at;
  }
  l->cls->slot[l->cls->nslot] = t;
  return l->cls->nslot++;
}

// One number of an attitude moves with the others and with the whole turn.
static void whole_attitude(SlotList *l, int symbol) {
  Sym y = *symtab_at(l->sys->sym, symbol);
  int last = y.nidx - 1;
  for (int k = 1; k <= 4; k++) {
    y.idx[last] = ex_num(l->sys->pool, k);
    slots_add(l, symtab_id(l->sys->sym, y));
  }
  y.id = l->sys->model->var[y.id].partner - 1;
  for (int i = 1; i <= 3; i++) {
    y.idx[last] = ex_num(l->sys->pool, i);
    slots_add(l, symtab_id(l->sys->sym, y));
  }
}

void slots_collect(SlotList *l, Ex e) {
  if (e == EX_NONE) return;
  const int *ids;
  int n = ex_symbols(l->sys->pool, e, &ids);
  for (int i = 0; i < n; i++) {
    if (!is_variable(ids[i], l->sys)) continue;
    slots_add(l, ids[i]);
    if (is_position(l->sys, ids[i])) whole_attitude(l, ids[i]);
  }
}

void slots_whole_turns(SlotList *l) {
  int n = l->cls->nslot;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 3 && is_turn(l->sys, &l->cls->slot[k]); i++)
      slots_add(l, turn_symbol(l->sys, &l->cls->slot[k], i, SYM_VALUE));
}

// --- guards ---

typedef struct Guard { System *s; int value, rate; Map *read, *some; } Guard;   // memos by node

static bool constant_choice(System *s, Ex e) {
  return ex_operator(s->pool, e) == OP_IF && stage_of(s, ex_arg(s->pool, e, 0)) <= STAGE_CONST;
}

static bool chooses(const Guard *g, Ex e) { return ex_uses_op(g->s->pool, e, OP_IF, NULL, NULL); }

// (c and a) or (not c and b)
static Ex chosen(Pool *p, Ex c, Ex a, Ex b) {
  return ex_2(p, OP_OR, ex_2(p, OP_AND, c, a), ex_2(p, OP_AND, ex_1(p, OP_NOT, c), b));
}

// Under which constant condition may e be other than 0? Structure alone: (if i < n then 1 else 0)*u.
static Ex not_zero(Guard *g, Ex e) {
  Pool *p = g->s->pool;
  if (ex_operator(p, e) == OP_NUM) return ex_num(p, ex_value(p, e) != 0);
  if (!chooses(g, e)) return ex_num(p, 1);
  Ex known = (Ex)(uintptr_t)map_get(g->some, (void *)(uintptr_t)e);
  if (known) return known;
  Op op = ex_operator(p, e);
  Ex r = ex_num(p, 1);
  if (constant_choice(g->s, e))
    r = chosen(p, ex_arg(p, e, 0), not_zero(g, ex_arg(p, e, 1)), not_zero(g, ex_arg(p, e, 2)));
  else if (op == OP_SHARED) r = not_zero(g, ex_arg(p, e, 0));
  else if (op == OP_MUL || op == OP_CHAIN || op == OP_TIMES)
    for (int i = 0; i < ex_nargs(p, e); i++) r = ex_2(p, OP_AND, r, not_zero(g, ex_arg(p, e, i)));
  else if (op == OP_ADD) {
    r = ex_num(p, 0);
    for (int i = 0; i < ex_nargs(p, e); i++) r = ex_2(p, OP_OR, r, not_zero(g, ex_arg(p, e, i)));
  }
  map_put(g->some, (void *)(uintptr_t)e, (void *)(uintptr_t)r);
  return r;
}

// Under which constant condition does the value of e depend on the symbols? Walks the DAG once. A factor of a product
// counts where the others are not 0: a row of multipliers or velocities has the guards of what multiplies them.
static Ex read_where(Guard *g, Ex e) {
  Pool *p = g->s->pool;
  if (!ex_depends(p, e, g->value) && (g->rate < 0 || !ex_depends(p, e, g->rate))) return ex_num(p, 0);
  if (!chooses(g, e)) return ex_num(p, 1);
  Ex known = (Ex)(uintptr_t)map_get(g->read, (void *)(uintptr_t)e);
  if (known) return known;
  Op op = ex_operator(p, e);
  bool product = op == OP_MUL || op == OP_CHAIN || op == OP_TIMES;
  Ex r = ex_num(p, 0);
  if (op == OP_SYM) r = ex_num(p, 1);
  else if (constant_choice(g->s, e))
    r = chosen(p, ex_arg(p, e, 0), read_where(g, ex_arg(p, e, 1)), read_where(g, ex_arg(p, e, 2)));
  else
    for (int i = 0; i < ex_nargs(p, e); i++) {
      Ex here = read_where(g, ex_arg(p, e, i));
      for (int k = 0; product && k < ex_nargs(p, e) && !ex_is_num(p, here, 0); k++)
        if (k != i) here = ex_2(p, OP_AND, here, not_zero(g, ex_arg(p, e, k)));
      r = ex_2(p, OP_OR, r, here);
    }
  map_put(g->read, (void *)(uintptr_t)e, (void *)(uintptr_t)r);
  return r;
}

static bool conditional(System *s, const Ex *e, int n) {
  for (int i = 0; i < n; i++)
    if (e[i] != EX_NONE && ex_uses_op(s->pool, e[i], OP_IF, NULL, NULL)) return true;
  return false;
}

static Ex guard(Guard *g, Arena *scratch, const Ex *e, int n, int value, int rate) {
  Pool *p = g->s->pool;
  Ex r = ex_num(p, 0);
  g->value = value;
  g->rate = rate;
  g->read = map_new(scratch);
  for (int i = 0; i < n && !ex_is_num(p, r, 1); i++)
    if (e[i] != EX_NONE) r = ex_2(p, OP_OR, r, read_where(g, e[i]));
  return ex_operator(p, r) == OP_NUM ? EX_NONE : r;
}

Ex guard_of(System *s, const Ex *e, int n, int value, int rate) {
  if (!conditional(s, e, n)) return EX_NONE;
  Arena *scratch = arena_new();
  Guard g = { .s = s, .some = map_new(scratch) };
  Ex r = guard(&g, scratch, e, n, value, rate);
  arena_free(scratch);
  return r;
}

void slots_guard(System *s, SysClass *c, const Ex *e, int n) {
  for (int k = 0; k < c->nslot; k++) c->slot[k].guard = EX_NONE;
  if (!conditional(s, e, n)) return;
  Arena *scratch = arena_new();
  Guard g = { .s = s, .some = map_new(scratch) };
  for (int k = 0; k < c->nslot; k++) c->slot[k].guard = guard(&g, scratch, e, n, c->slot[k].value, c->slot[k].rate);
  arena_free(scratch);
}

void entries_push(Arena *a, Entries *es, Entry e) {
  if (es->n == 0 || (es->n >= 4 && (es->n & (es->n - 1)) == 0)) {
    Entry *at = ARENA_ARRAY(a, Entry, es->n ? 2 * es->n : 4);
    if (es->n) memcpy(at, es->at, (size_t)es->n * sizeof *at);
    es->at = at;
  }
  es->at[es->n++] = e;
}
