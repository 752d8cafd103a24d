// Hoisting. In sums and products the constant factors are grouped first, so that m*g*z becomes num*z.
//
// In a model of very many statements numbers are columns too: statements that differ by them share their kernels then
// (kernel/kernels.c). Not small integers and halves, which are exponents and parts of formulas.
#include <math.h>
#include <string.h>
#include "hoist.h"

int hoisted_symbol(const System *s, int column) { return symtab_id(s->sym, (Sym){ .kind = SYM_COLUMN, .id = column }); }

static void push(Arena *a, Ex **at, int *n, int *cap, Ex e) {
  if (*n == *cap) {
    *cap = *cap ? 2 * *cap : 8;
    Ex *more = ARENA_ARRAY(a, Ex, *cap);
    if (*n) memcpy(more, *at, (size_t)*n * sizeof *more);
    *at = more;
  }
  (*at)[(*n)++] = e;
}

static int column(Hoist *h, Ex e) {
  if (!h->column) h->column = map_new(h->arena);
  uintptr_t known = (uintptr_t)map_get(h->column, (void *)(uintptr_t)e);
  if (known) return (int)known - 1;
  push(h->arena, &h->num, &h->n, &h->cap, e);
  map_put(h->column, (void *)(uintptr_t)e, (void *)(uintptr_t)h->n);
  return h->n - 1;
}

void hoist_block(Hoist *h, const Ex *e, int n) {
  for (int i = 0; i < n; i++) {
    push(h->arena, &h->from, &h->nfrom, &h->from_cap, e[i]);
    push(h->arena, &h->num, &h->n, &h->cap, e[i]);
  }
}

int hoist_column(Hoist *h, Ex e) {
  push(h->arena, &h->from, &h->nfrom, &h->from_cap, e);
  return column(h, e);
}

static bool stays(const Hoist *h, double x) {
  enum { MANY_CLASSES = 256, LARGEST = 8 };
  return h->sys->ncls < MANY_CLASSES || !isfinite(x) || (fabs(x) <= LARGEST && 2 * x == floor(2 * x));
}

static Ex as_column(Hoist *h, Ex e) {
  if (ex_operator(h->sys->pool, e) == OP_NUM && stays(h, ex_value(h->sys->pool, e))) return e;
  return ex_sym(h->sys->pool, hoisted_symbol(h->sys, column(h, e)));
}

static Ex rebuild(Hoist *h, Ex e);

// What a contact did: which instance is asked for is a column.
static Ex touch(Hoist *h, Ex e) {
  const System *s = h->sys;
  Sym y = *symtab_at(s->sym, ex_symbol(s->pool, e));
  if (y.kind != SYM_TOUCH) return e;
  for (int i = 0; i < y.nidx; i++) y.idx[i] = as_column(h, y.idx[i]);
  return ex_sym(s->pool, symtab_id(s->sym, y));
}

static Ex walk(Hoist *h, Ex e) {
  Pool *p = h->sys->pool;
  if (stage_of(h->sys, e) <= STAGE_CONST) return as_column(h, e);
  if (ex_operator(p, e) == OP_SYM) return touch(h, e);
  Ex known = (Ex)(uintptr_t)map_get(h->done, (void *)(uintptr_t)e);
  if (known) return known;
  Ex r = rebuild(h, e);
  map_put(h->done, (void *)(uintptr_t)e, (void *)(uintptr_t)r);
  return r;
}

static Ex rebuild(Hoist *h, Ex e) {
  Pool *p = h->sys->pool;
  Op op = ex_operator(p, e);
  int n = ex_nargs(p, e);
  Ex *arg = ARENA_ARRAY(h->arena, Ex, n + 1), *fixed = ARENA_ARRAY(h->arena, Ex, n + 1);
  int moving = 0, constant = 0;
  for (int i = 0; i < n; i++) {
    Ex a = ex_arg(p, e, i);
    if ((op == OP_ADD || op == OP_MUL) && stage_of(h->sys, a) <= STAGE_CONST) fixed[constant++] = a;
    else arg[moving++] = walk(h, a);
  }
  if (constant) arg[moving++] = as_column(h, constant == 1 ? fixed[0] : ex_op(p, op, fixed, constant));
  return ex_op(p, op, arg, moving);
}

Ex hoist(Hoist *h, Ex e) {
  if (e == EX_NONE) return EX_NONE;
  push(h->arena, &h->from, &h->nfrom, &h->from_cap, e);
  if (!h->done) h->done = map_new(h->arena);
  return walk(h, e);
}
