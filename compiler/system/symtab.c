// Symbols of the DAG: interned (kind, id, index expressions) -> small integer, and how they read.
#include <string.h>
#include "../base/fatal.h"
#include "../base/vec.h"
#include "names.h"

struct SymTab {
  Arena *arena;
  Pool  *pool;
  Vec(Sym) sym;  // growable; lives as long as the program's use of the system (released by the system's arena user)
  int *bucket; int nbucket; int *next; int next_cap;
};

static unsigned hash_sym(Sym s) {
  unsigned h = 2166136261u;
  unsigned part[3] = { (unsigned)s.kind, (unsigned)s.id, (unsigned)s.nidx };
  for (int i = 0; i < 3; i++) h = (h ^ part[i]) * 16777619u;
  for (int i = 0; i < s.nidx; i++) h = (h ^ s.idx[i]) * 16777619u;
  return h;
}

static bool same_sym(Sym a, Sym b) {
  if (a.kind != b.kind || a.id != b.id || a.nidx != b.nidx) return false;
  for (int i = 0; i < a.nidx; i++) if (a.idx[i] != b.idx[i]) return false;
  return true;
}

SymTab *symtab_new(Arena *a, Pool *p) {
  SymTab *t = ARENA_NEW(a, SymTab);
  t->arena = a; t->pool = p;
  return t;
}

static void rehash(SymTab *t) {
  t->nbucket = t->nbucket ? 2 * t->nbucket : 64;
  t->bucket = ARENA_ARRAY(t->arena, int, t->nbucket);
  t->next = ARENA_ARRAY(t->arena, int, t->nbucket);
  for (int i = 0; i < t->nbucket; i++) t->bucket[i] = -1;
  for (size_t i = 0; i < t->sym.n; i++) {
    unsigned b = hash_sym(t->sym.at[i]) % (unsigned)t->nbucket;
    t->next[i] = t->bucket[b];
    t->bucket[b] = (int)i;
  }
}

// Growth goes through the arena: a table is small and its garbage dies with the system.
static void push_sym(SymTab *t, Sym s) {
  if (t->sym.n == t->sym.cap) {
    size_t cap = t->sym.cap ? 2 * t->sym.cap : 32;
    Sym *at = ARENA_ARRAY(t->arena, Sym, cap);
    if (t->sym.n) memcpy(at, t->sym.at, t->sym.n * sizeof *at);
    t->sym.at = at; t->sym.cap = cap;
  }
  t->sym.at[t->sym.n++] = s;
}

int symtab_id(SymTab *t, Sym s) {
  if (t->nbucket) {
    for (int i = t->bucket[hash_sym(s) % (unsigned)t->nbucket]; i >= 0; i = t->next[i])
      if (same_sym(t->sym.at[i], s)) return i;
  }
  if ((int)t->sym.n >= t->nbucket) rehash(t);
  int id = (int)t->sym.n;
  push_sym(t, s);
  unsigned b = hash_sym(s) % (unsigned)t->nbucket;
  t->next[id] = t->bucket[b];
  t->bucket[b] = id;
  if (s.kind == SYM_PARAM || s.kind == SYM_PARAM_AT || s.kind == SYM_LOOP || s.kind == SYM_COLUMN)
    ex_declare_still(t->pool, id);
  if (s.kind == SYM_LOOP) ex_declare_whole(t->pool, id, 0x1p31);   // as nsm_bound (runtime/nsm_abi.h) checks
  return id;
}

const Sym *symtab_at(const SymTab *t, int id) {
  INVARIANT(id >= 0 && (size_t)id < t->sym.n);
  return &t->sym.at[id];
}

int symtab_size(const SymTab *t) { return (int)t->sym.n; }
Arena *symtab_arena(const SymTab *t) { return t->arena; }
