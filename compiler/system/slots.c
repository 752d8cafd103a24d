// Slots of a class, their guards, and lists of Jacobian entries.
#include <string.h>
#include "../base/fatal.h"
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
  t.kind = kind == MV_COORD ? SLOT_Q : kind == MV_STATE ? SLOT_X : SLOT_L;
  y.kind = SYM_VALUE; t.value = symtab_id(l->sys->sym, y);
  if (t.kind != SLOT_L) { y.kind = SYM_RATE; t.rate = symtab_id(l->sys->sym, y); }
  if (l->cls->nslot == l->cap) {
    l->cap = l->cap ? 2 * l->cap : 8;
    Slot *at = ARENA_ARRAY(l->arena, Slot, l->cap);
    if (l->cls->nslot) memcpy(at, l->cls->slot, (size_t)l->cls->nslot * sizeof *at);
    l->cls->slot = at;
  }
  l->cls->slot[l->cls->nslot] = t;
  return l->cls->nslot++;
}

void slots_collect(SlotList *l, Ex e) {
  if (e == EX_NONE) return;
  const int *ids;
  int n = ex_symbols(l->sys->pool, e, &ids);
  for (int i = 0; i < n; i++) if (is_variable(ids[i], l->sys)) slots_add(l, ids[i]);
}

// Under which (constant-stage) condition is symbol `id` read when e is evaluated? Walks the DAG once per symbol.
static Ex guard_of(System *s, Ex e, int value, int rate, Map *memo) {
  Pool *p = s->pool;
  if (!ex_depends(p, e, value) && (rate < 0 || !ex_depends(p, e, rate))) return ex_num(p, 0);
  Ex known = (Ex)(uintptr_t)map_get(memo, (void *)(uintptr_t)e);
  if (known) return known;
  Ex g = ex_num(p, 0);
  if (ex_operator(p, e) == OP_SYM) g = ex_num(p, 1);
  else if (ex_operator(p, e) == OP_IF && stage_of(s, ex_arg(p, e, 0)) <= STAGE_CONST) {
    Ex c = ex_arg(p, e, 0);
    Ex yes = guard_of(s, ex_arg(p, e, 1), value, rate, memo), no = guard_of(s, ex_arg(p, e, 2), value, rate, memo);
    g = ex_2(p, OP_OR, ex_2(p, OP_AND, c, yes), ex_2(p, OP_AND, ex_1(p, OP_NOT, c), no));
  } else {
    for (int i = 0; i < ex_nargs(p, e); i++) g = ex_2(p, OP_OR, g, guard_of(s, ex_arg(p, e, i), value, rate, memo));
  }
  map_put(memo, (void *)(uintptr_t)e, (void *)(uintptr_t)g);
  return g;
}

void slots_guard(System *s, SysClass *c, const Ex *e, int n) {
  for (int k = 0; k < c->nslot; k++) {
    Slot *t = &c->slot[k];
    bool conditional = false;
    for (int i = 0; i < n; i++)
      if (e[i] != EX_NONE && ex_uses_op(s->pool, e[i], OP_IF, NULL, NULL)) conditional = true;
    if (!conditional) continue;
    Ex g = ex_num(s->pool, 0);
    Map *memo = map_new(symtab_arena(s->sym));
    for (int i = 0; i < n; i++)
      if (e[i] != EX_NONE) g = ex_2(s->pool, OP_OR, g, guard_of(s, e[i], t->value, t->rate, memo));
    if (ex_operator(s->pool, g) != OP_NUM) t->guard = g;
  }
}

void entries_push(Arena *a, Entries *es, Entry e) {
  if (es->n == 0 || (es->n >= 4 && (es->n & (es->n - 1)) == 0)) {
    Entry *at = ARENA_ARRAY(a, Entry, es->n ? 2 * es->n : 4);
    if (es->n) memcpy(at, es->at, (size_t)es->n * sizeof *at);
    es->at = at;
  }
  es->at[es->n++] = e;
}
