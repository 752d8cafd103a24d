// The kernel under construction.
#include "step.h"
#include <string.h>
#include "../base/fatal.h"
#include "../base/map.h"

enum { LOCALS = 4096 };

Step step_open(Arena *a, Written *w, const char *about) {
  KBuilder *b = k_begin(a, "whole", KT_INT);
  Step p = { .w = w, .b = b, .arena = a, .t = K_NONE, .t0 = K_NONE, .h = K_NONE };
  k_about(b, about);
  p.s = k_param(b, KT_OUTPUT, "s");
  p.c = k_param(b, KT_INPUT, "c");
  p.k = k_param(b, KT_DOUBLE, "k");
  p.n = k_param(b, KT_INT, "n");
  if (w->records) p.rows = k_param(b, KT_OUTPUT, "rows");
  for (int i = 0; i < WHOLE_SCALARS; i++) p.scalar[i] = K_NONE;
  p.suffix = "";
  p.local = ARENA_ARRAY(a, KValue, LOCALS);
  int most = w->nz > w->nl ? w->nz : w->nl;
  for (int r = 0; r <= ROLE_H; r++)
    for (int m = 0; m < MOMENTS; m++) {
      p.value[r][m] = ARENA_ARRAY(a, KValue, most + 1);
      for (int i = 0; i <= most; i++) p.value[r][m][i] = K_NONE;
    }
  return p;
}

const char *step_name(Step *p, const char *what, int i) { return arena_printf(p->arena, "%s%d%s", what, i, p->suffix); }

KValue step_scalar(Step *p, int which) {
  static const char *const name[WHOLE_SCALARS] = { "start", "step", "theta", "gamma", "tolerance" };
  if (p->scalar[which] == K_NONE) p->scalar[which] = k_name(p->b, k_at_number(p->b, p->c, which), name[which], NULL);
  return p->scalar[which];
}

void step_constants(Step *p, const Ex *root, int n) {
  Written *w = p->w;
  if (p->nconstant < w->nconstant) {
    KValue *more = ARENA_ARRAY(p->arena, KValue, w->nconstant + 1);
    for (int i = 0; i < w->nconstant; i++) more[i] = i < p->nconstant ? p->constant[i] : K_NONE;
    p->constant = more;
    p->nconstant = w->nconstant;
  }
  for (int r = 0; r < n; r++) {
    if (root[r] == EX_NONE) continue;
    const int *ids;
    int m = ex_symbols(w->pool, root[r], &ids);
    for (int i = 0; i < m; i++) {
      Role y = written_role(w, ids[i]);
      if (y.kind != ROLE_CONSTANT || p->constant[y.index] != K_NONE) continue;
      p->constant[y.index] =
          k_name(p->b, k_at_number(p->b, p->c, WHOLE_SCALARS + y.index), step_name(p, "c", y.index), NULL);
    }
  }
}

KValue step_leaf(KBuilder *b, int symbol, void *step) {
  Step *p = step;
  Role y = written_role(p->w, symbol);
  SymKind kind = symtab_at(p->w->sys->sym, symbol)->kind;
  (void)b;
  if (kind == SYM_THETA || kind == SYM_GAMMA) return step_scalar(p, kind == SYM_THETA ? WHOLE_THETA : WHOLE_GAMMA);
  switch (y.kind) {
  case ROLE_CONSTANT: return p->constant[y.index];
  case ROLE_TIME: return y.moment == AT_END ? p->t : p->value[ROLE_TIME][y.moment][0];
  case ROLE_TIME0: return p->t0;
  case ROLE_H: return p->h;
  case ROLE_LOCAL: return p->local[y.index];
  default: return p->value[y.kind][y.moment][y.index];
  }
}

void step_values(Step *p, const Ex *root, int n, KValue *value) {
  k_values(p->b, p->w->pool, step_leaf, p, root, n, value);
}

Ex step_local(Step *p, KValue v) {
  INVARIANT(p->w->nlocal < LOCALS);
  p->local[p->w->nlocal] = v;
  return written_local(p->w);
}

KValue *step_variables(Step *p, const char *name, int n, int at) {
  KValue *v = ARENA_ARRAY(p->arena, KValue, n + 1);
  for (int i = 0; i < n; i++) v[i] = k_variable(p->b, step_name(p, name, i), k_at_number(p->b, p->s, at + i));
  return v;
}

KValue *step_gotten(Step *p, const char *name, int n, const KValue *variable) {
  KValue *v = ARENA_ARRAY(p->arena, KValue, n + 1);
  for (int i = 0; i < n; i++) {
    v[i] = k_get(p->b, variable[i]);
    if (name) k_name(p->b, v[i], step_name(p, name, i), NULL);
  }
  return v;
}

void step_use(Step *p, Moment m, const KValue *q, const KValue *z) {
  for (int j = 0; j < p->w->nq; j++) { p->value[ROLE_Q][m][j] = q[j]; p->value[ROLE_V][m][j] = z[j]; }
  for (int j = p->w->nq; j < p->w->nz; j++) p->value[ROLE_X][m][j - p->w->nq] = z[j];
}

KValue step_time(Step *p, KValue i, double add) {
  KBuilder *b = p->b;
  KValue at = k_op2(b, OP_PLUS, k_op2(b, OP_PLUS, p->k, k_double(b, i)), k_number(b, add));
  return k_op2(b, OP_PLUS, step_scalar(p, WHOLE_START), k_op2(b, OP_TIMES, at, step_scalar(p, WHOLE_STEP)));
}

// The nodes of `roots` that `e` has too, the largest of them, are listed and become symbols.
typedef struct Shared { Step *p; Map *known, *made; int n, cap; Ex *node, *symbol; } Shared;

static Ex replaced(Shared *s, Ex e) {
  Pool *p = s->p->w->pool;
  Op op = ex_operator(p, e);
  void *key = (void *)(uintptr_t)e;
  if (op == OP_NUM || op == OP_SYM) return e;
  Ex done = (Ex)(uintptr_t)map_get(s->made, key);
  if (done) return done;
  if (map_get(s->known, key) && s->n < s->cap) {
    s->node[s->n] = e;
    done = s->symbol[s->n++] = step_local(s->p, K_NONE);
  } else {
    int n = ex_nargs(p, e);
    Ex *arg = ARENA_ARRAY(s->p->arena, Ex, n + 1);
    bool same = true;
    for (int i = 0; i < n; i++) { arg[i] = replaced(s, ex_arg(p, e, i)); same &= arg[i] == ex_arg(p, e, i); }
    done = same ? e : ex_op(p, op, arg, n);
  }
  map_put(s->made, key, (void *)(uintptr_t)done);
  return done;
}

// Sines and cosines in `more` of an angle whose cosine or sine is known: one call gives both.
static void partners(Step *p, Map *known, const Ex *more, int n) {
  Pool *pool = p->w->pool;
  const Ex *order;
  int total = ex_topological(pool, more, n, &order);
  for (int i = 0; i < total; i++) {
    Op op = ex_operator(pool, order[i]);
    if (op != OP_SIN && op != OP_COS) continue;
    Ex other = ex_1(pool, op == OP_SIN ? OP_COS : OP_SIN, ex_arg(pool, order[i], 0));
    if (map_get(known, (void *)(uintptr_t)other)) map_put(known, (void *)(uintptr_t)order[i], p);
  }
}

void step_values_shared(Step *p, const Ex *root, int n, KValue *value, const Ex *more, int nmore, Ex *rest) {
  Shared s = { .p = p, .known = map_new(p->arena), .made = map_new(p->arena), .cap = LOCALS / 4 };
  s.node = ARENA_ARRAY(p->arena, Ex, s.cap + n);
  s.symbol = ARENA_ARRAY(p->arena, Ex, s.cap + 1);
  const Ex *order;
  int total = ex_topological(p->w->pool, root, n, &order);
  for (int i = 0; i < total; i++) map_put(s.known, (void *)(uintptr_t)order[i], p);
  partners(p, s.known, more, nmore);
  for (int i = 0; i < nmore; i++) rest[i] = more[i] == EX_NONE ? EX_NONE : replaced(&s, more[i]);
  Ex *all = ARENA_ARRAY(p->arena, Ex, n + s.n + 1);
  KValue *v = ARENA_ARRAY(p->arena, KValue, n + s.n + 1);
  for (int i = 0; i < n; i++) all[i] = root[i];
  for (int i = 0; i < s.n; i++) all[n + i] = s.node[i];
  step_values(p, all, n + s.n, v);
  for (int i = 0; i < n; i++) value[i] = v[i];
  for (int i = 0; i < s.n; i++) {
    int at = written_role(p->w, ex_symbol(p->w->pool, s.symbol[i])).index;
    const KNode *node = k_node(p->b, v[n + i]);
    p->local[at] = node->name || node->code == KN_NUMBER ? v[n + i]
                                                        : k_name(p->b, v[n + i], step_name(p, "s", at), NULL);
  }
}


static bool is_number(Step *p, KValue v, double x) {
  const KNode *n = k_node(p->b, v);
  return n->code == KN_NUMBER && n->number == x;
}

KValue step_add(Step *p, KValue x, KValue y) {
  if (x == K_NONE || is_number(p, x, 0)) return y;
  if (y == K_NONE || is_number(p, y, 0)) return x;
  return k_op2(p->b, OP_PLUS, x, y);
}

KValue step_sub(Step *p, KValue x, KValue y) {
  if (y == K_NONE || is_number(p, y, 0)) return x;
  return x == K_NONE || is_number(p, x, 0) ? k_op1(p->b, OP_OPPOSITE, y) : k_op2(p->b, OP_MINUS, x, y);
}

KValue step_mul(Step *p, KValue x, KValue y) {
  if (is_number(p, x, 1)) return y;
  if (is_number(p, y, 1)) return x;
  return k_op2(p->b, OP_TIMES, x, y);
}

KValue step_abs(Step *p, KValue x) { return k_op1(p->b, OP_ABS, x); }

KValue step_both(Step *p, KValue x, KValue y) {
  return x == K_NONE ? y : y == K_NONE ? x : k_op2(p->b, OP_AND, x, y);
}

// C compilers want parentheses around && within ||: a name is as good.
static KValue whole_condition(Step *p, KValue x) {
  const KNode *n = x == K_NONE ? NULL : k_node(p->b, x);
  return n && n->code == KN_OP && n->op == OP_AND && !n->name ? k_name(p->b, x, step_name(p, "when", p->names++), NULL)
                                                              : x;
}

KValue step_either(Step *p, KValue x, KValue y) {
  x = whole_condition(p, x);
  y = whole_condition(p, y);
  return x == K_NONE ? y : y == K_NONE ? x : k_op2(p->b, OP_OR, x, y);
}

const Whole *step_drop(Step *p) {
  k_return(p->b, k_integer(p->b, 0));
  k_end(p->b);
  return NULL;
}

KValue step_open_for_sure(Step *p, KValue reach, KValue gap, KValue rate, KValue near) {
  KBuilder *b = p->b;
  if (!p->w->located) return k_op2(b, OP_LT, reach, near);
  KValue way = k_name(b, k_op2(b, OP_TIMES, step_scalar(p, WHOLE_STEP), rate), step_name(p, "way", p->names++), NULL);
  return step_both(p, k_op2(b, OP_LT, reach, k_op2(b, OP_PLUS, gap, way)),
                   k_op2(b, OP_LT, reach, k_op2(b, OP_MINUS, gap, way)));
}

static void break_where(KBuilder *b, KValue condition) {
  k_if(b, condition);
  k_break(b);
  k_close(b);
}

void step_struck(Step *p, int n, const KValue *x, const KValue *sure, const KValue *reach, const Strikes *can) {
  KBuilder *b = p->b;
  KValue any = K_NONE;
  for (int j = 0; j < n; j++) any = step_either(p, any, k_op1(b, OP_NOT, sure[j]));
  k_if(b, any);
  for (int j = 0; can->n > 0 && j < n; j++) {
    int k = 0;
    while (k < can->n && can->number[k] != j) k++;
    if (k < can->n) {
      k_if(b, k_op2(b, OP_AND, k_op2(b, OP_LE, x[j], k_number(b, 0)), k_op2(b, OP_LT, reach[j], k_number(b, 1e299))));
      k_set(b, can->hit, k_op2(b, OP_PLUS, k_get(b, can->hit), k_integer(b, 1 << k)));
      k_else(b);
    }
    break_where(b, k_op1(b, OP_NOT, k_op2(b, OP_LT, reach[j], x[j])));
    if (k < can->n) k_close(b);
  }
  if (can->n == 0) k_break(b);
  else {
    KValue none = k_op2(b, OP_EQ, k_get(b, can->hit), k_integer(b, 0)),
           more = k_op2(b, OP_LT, k_integer(b, can->most), k_get(b, can->hit));
    break_where(b, can->most < (1 << can->n) - 1 ? step_either(p, none, more) : none);
  }
  k_close(b);
}

void step_store(Step *p, int at, int n, const KValue *variable) {
  for (int j = 0; j < n; j++) k_store(p->b, p->s, k_integer(p->b, at + j), k_get(p->b, variable[j]));
}

void step_record(Step *p, KValue i, const KValue *q, const KValue *z) {
  KBuilder *b = p->b;
  int nq = p->w->nq, width = nq + p->w->nz;
  if (!p->w->records) return;
  KValue first = k_name(b, k_op2(b, OP_TIMES, i, k_integer(b, width)), step_name(p, "behind", p->names++), NULL);
  for (int j = 0; j < width; j++)
    k_store(b, p->rows, k_op2(b, OP_PLUS, first, k_integer(b, j)), k_get(b, j < nq ? q[j] : z[j - nq]));
}

Whole *step_close(Step *p, WholeKind kind, KValue done) {
  Written *w = p->w;
  Whole *o = ARENA_NEW(p->arena, Whole);
  k_return(p->b, k_get(p->b, done));
  *o = (Whole){ .kind = kind, .ncls = w->plan->ncls, .count = ARENA_ARRAY(p->arena, int, w->plan->ncls + 1),
                .nrow = w->nrow, .row_l = ARENA_ARRAY(p->arena, int, w->nrow + 1), .nconstant = w->nconstant,
                .constant = w->constant, .located = w->located, .records = w->records, .kernel = k_end(p->b) };
  for (int i = 0; i < w->n; i++) o->nix += w->at[i].pc->c->nslot;
  o->ix = ARENA_ARRAY(p->arena, int, o->nix + 1);
  int n = 0;
  for (int i = 0; i < w->n; i++) {
    const Instance *at = &w->at[i];
    o->count[at->cls]++;
    if (at->row >= 0) o->row_l[at->row] = at->l;
    for (int k = 0; k < at->pc->c->nslot; k++) o->ix[n++] = at->slot[k] < 0 ? 0 : at->slot[k];
  }
  return o;
}
