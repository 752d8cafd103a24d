// Two classes are alike where one is the other in other variables and parameters: their expressions are the same graphs
// up to a one-to-one map of symbols, under which slot k of the one is slot k of the other. All that a plan makes of a
// class, discrete derivatives and hoisted columns, follows from its expressions, so the second takes it from the first;
// only the columns are written in its own parameters. For a class on bodies that saves nearly all of its time.
//
// Looked for are classes on bodies without loops. Numbers have to be the same ones: they take part in simplifying.
#include <stdint.h>
#include <string.h>
#include "../base/fatal.h"
#include "../system/slots.h"
#include "../system/along.h"
#include "alike.h"

struct Alike {
  Arena *arena;
  const System *s;
  Map *first;               // key of a class -> the first class with that key, and one
  int *next;                // [ncls] the next one with the same key; 0: none
};

// One comparison: what a symbol and a node of the first are in the second (numbers and one); back: the other way.
typedef struct Pair { Arena *arena; const System *s; Map *symbol, *back, *node; } Pair;

Alike *alike_new(Arena *a, const System *s) {
  Alike *t = ARENA_NEW(a, Alike);
  *t = (Alike){ a, s, map_new(a), ARENA_ARRAY(a, int, s->ncls + 1) };
  return t;
}

static uintptr_t get(const Map *m, intptr_t key) { return (uintptr_t)map_get(m, (void *)(key + 1)); }
static void put(Map *m, intptr_t key, intptr_t value) { map_put(m, (void *)(key + 1), (void *)(value + 1)); }

// Symbols stand for each other one to one.
static bool stand(Pair *t, int x, int y) {
  uintptr_t to = get(t->symbol, x), of = get(t->back, y);
  if (to || of) return to == (uintptr_t)y + 1 && of == (uintptr_t)x + 1;
  put(t->symbol, x, y);
  put(t->back, y, x);
  return true;
}

// Parameters and their elements take each other's places; all other symbols are those of the slots, or the same.
static bool same_symbol(Pair *t, int x, int y) {
  SymKind kind = symtab_at(t->s->sym, x)->kind;
  bool parameter = kind == SYM_PARAM || kind == SYM_PARAM_AT;
  if (kind != symtab_at(t->s->sym, y)->kind) return false;
  return parameter || get(t->symbol, x) || x == y ? stand(t, x, y) : false;
}

static bool same(Pair *t, Ex x, Ex y) {
  const Pool *p = t->s->pool;
  if (x == EX_NONE || y == EX_NONE) return x == y;
  uintptr_t known = get(t->node, (intptr_t)x);
  if (known) return known == (uintptr_t)y + 1;
  Op op = ex_operator(p, x);
  int n = ex_nargs(p, x);
  if (op != ex_operator(p, y) || n != ex_nargs(p, y)) return false;
  if (op == OP_NUM) {
    if (x != y) return false;
  } else if (op == OP_SYM) {
    if (!same_symbol(t, ex_symbol(p, x), ex_symbol(p, y))) return false;
  }
  for (int i = 0; i < n; i++)
    if (!same(t, ex_arg(p, x, i), ex_arg(p, y, i))) return false;
  put(t->node, (intptr_t)x, (intptr_t)y);
  return true;
}

static bool all_same(Pair *t, const Ex *x, const Ex *y, int n) {
  if (!x || !y) return x == y;
  for (int i = 0; i < n; i++) if (!same(t, x[i], y[i])) return false;
  return true;
}

static bool same_entries(Pair *t, const Entries *x, const Entries *y) {
  if (x->n != y->n) return false;
  for (int i = 0; i < x->n; i++) {
    const Entry *e = &x->at[i], *f = &y->at[i];
    if (e->row != f->row || e->col != f->col || e->wrt != f->wrt || !same(t, e->value, f->value)) return false;
  }
  return true;
}

// The slots; those that are turns are the same turns of bodies whose attitudes stand for each other.
static bool same_slots(Pair *t, const SysClass *c, const SysClass *d) {
  for (int k = 0; k < c->nslot; k++) {
    const Slot *x = &c->slot[k], *y = &d->slot[k];
    if (x->kind != y->kind || x->nidx != y->nidx || x->guard != y->guard) return false;
    if ((x->rate < 0) != (y->rate < 0)) return false;
    if (!stand(t, x->value, y->value) || (x->rate >= 0 && !stand(t, x->rate, y->rate))) return false;
    if (is_memory(t->s, x->value) != is_memory(t->s, y->value) || is_turn(t->s, x) != is_turn(t->s, y)) return false;
  }
  for (int k = 0; k < c->nslot; k++) {
    if (!is_turn(t->s, &c->slot[k])) continue;
    if (turn_number(t->s, &c->slot[k]) != turn_number(t->s, &d->slot[k])) return false;
    int x[4], y[4];
    attitude_of(t->s, &c->slot[k], SYM_VALUE, x);
    attitude_of(t->s, &d->slot[k], SYM_VALUE, y);
    for (int i = 0; i < 4; i++) if (!stand(t, x[i], y[i])) return false;
  }
  return true;
}

static bool same_form(const SysClass *c, const SysClass *d) {
  return c->kind == d->kind && c->nslot == d->nslot && c->nrow == d->nrow && c->row_type == d->row_type &&
         c->lambda_slot == d->lambda_slot && c->velocity_level == d->velocity_level && c->rolls == d->rolls &&
         c->friction == d->friction && c->direction == d->direction && c->affine == d->affine &&
         c->at_end == d->at_end && c->along_rate == d->along_rate && c->is_equation == d->is_equation &&
         (c->nrow == 0 || !memcmp(c->row, d->row, sizeof *c->row * (size_t)c->nrow));
}

static bool same_class(Pair *t, const SysClass *c, const SysClass *d) {
  const Ex x[] = { c->y, c->rate, c->lo, c->hi, c->e, c->mu, c->mu2, c->radius, c->value, c->kinetic, c->potential,
                   c->dissipation, c->along, c->push };
  const Ex y[] = { d->y, d->rate, d->lo, d->hi, d->e, d->mu, d->mu2, d->radius, d->value, d->kinetic, d->potential,
                   d->dissipation, d->along, d->push };
  return same_form(c, d) && same_slots(t, c, d) && all_same(t, x, y, sizeof x / sizeof *x) &&
         all_same(t, c->f, d->f, c->nrow) && all_same(t, c->g, d->g, c->nrow) && same_entries(t, &c->h, &d->h) &&
         same_entries(t, &c->mass, &d->mass) && same_entries(t, &c->jac, &d->jac) && same_entries(t, &c->b, &d->b) &&
         same_entries(t, &c->k, &d->k);
}

static bool can_be_alike(const SysClass *c) {
  bool kind = c->kind == CLASS_SMOOTH || c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT ||
              c->kind == CLASS_FRICTION || c->kind == CLASS_OUTPUT || c->kind == CLASS_ASSERT;
  return kind && !c->nloop && !c->compliant && !c->of_compliant && reads_positions(c);
}

// Classes that are alike have the same.
static uintptr_t key(const System *s, const SysClass *c) {
  Ex of = c->y != EX_NONE ? c->y : c->value != EX_NONE ? c->value : c->kinetic;
  const int part[] = { c->kind, c->nslot, c->nrow, c->h.n, of == EX_NONE ? 0 : (int)ex_operator(s->pool, of),
                       of == EX_NONE ? 0 : ex_nargs(s->pool, of) };
  uint64_t h = 1;
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) h = (h ^ (uint64_t)part[i])*UINT64_C(0x9e3779b97f4a7c15);
  return (uintptr_t)(h | 1);
}

// The columns of `of` in the parameters of the other.
static void columns(const Alike *a, const Pair *t, const PlanClass *of, PlanClass *pc) {
  int n = (int)map_size(t->symbol), *from = ARENA_ARRAY(a->arena, int, n + 1);
  Ex *to = ARENA_ARRAY(a->arena, Ex, n + 1);
  for (int i = 0; i < n; i++) {
    from[i] = (int)((intptr_t)map_key_at(t->symbol, (size_t)i) - 1);
    to[i] = ex_sym(a->s->pool, (int)((intptr_t)map_value_at(t->symbol, (size_t)i) - 1));
  }
  pc->num = ARENA_ARRAY(a->arena, Ex, of->index_num + 1);
  for (int i = 0; i < of->index_num; i++) pc->num[i] = of->num[i];
  ex_subst_all(a->s->pool, pc->num, of->index_num, from, to, n);
}

// The class itself, with the pattern of the rows that the plan of the first one took.
static const SysClass *with_pattern(const Alike *a, const SysClass *c, const SysClass *of, const SysClass *planned) {
  if (planned == of) return c;
  SysClass *d = ARENA_NEW(a->arena, SysClass);
  *d = *c;
  d->h = planned->h;
  return d;
}

bool class_alike(Alike *a, Plan *p, int i) {
  const SysClass *c = &a->s->cls[i];
  p->cls[i].like = -1;
  if (!can_be_alike(c)) return false;
  uintptr_t k = key(a->s, c);
  int first = (int)(uintptr_t)map_get(a->first, (void *)k);
  for (int j = first; j; j = a->next[j - 1]) {
    const SysClass *of = &a->s->cls[j - 1];
    const PlanClass *planned = &p->cls[j - 1];
    Arena *own = arena_new();
    Pair t = { own, a->s, map_new(own), map_new(own), map_new(own) };
    bool alike = !planned->nguard && same_class(&t, of, c);
    if (alike) {
      p->cls[i] = *planned;
      p->cls[i].c = with_pattern(a, c, of, planned->c);
      p->cls[i].like = j - 1;
      columns(a, &t, planned, &p->cls[i]);
    }
    arena_free(own);
    if (alike) return true;
  }
  a->next[i] = first;
  map_put(a->first, (void *)k, (void *)(uintptr_t)(i + 1));
  return false;
}
