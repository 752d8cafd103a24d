#include "step.h"
#include <string.h>

Step step_open(Arena *a, Written *w, const char *about) {
  KBuilder *b = k_begin(a, "whole", KT_INT);
  Step p = { .w = w, .b = b, .arena = a, .t = K_NONE, .t0 = K_NONE, .h = K_NONE };
  k_about(b, about);
  p.s = k_param(b, KT_OUTPUT, "s");
  p.c = k_param(b, KT_INPUT, "c");
  p.k = k_param(b, KT_DOUBLE, "k");
  p.n = k_param(b, KT_INT, "n");
  for (int i = 0; i < WHOLE_SCALARS; i++) p.scalar[i] = K_NONE;
  int most = w->nz > w->nl ? w->nz : w->nl;
  for (int r = 0; r <= ROLE_H; r++)
    for (int m = 0; m < MOMENTS; m++) {
      p.value[r][m] = ARENA_ARRAY(a, KValue, most + 1);
      for (int i = 0; i <= most; i++) p.value[r][m][i] = K_NONE;
    }
  return p;
}

const char *step_name(Step *p, const char *what, int i) { return arena_printf(p->arena, "%s%d", what, i); }

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
  (void)b;
  switch (y.kind) {
  case ROLE_CONSTANT: return p->constant[y.index];
  case ROLE_TIME: return p->t;
  case ROLE_TIME0: return p->t0;
  case ROLE_H: return p->h;
  default: return p->value[y.kind][y.moment][y.index];
  }
}

void step_values(Step *p, const Ex *root, int n, KValue *value) {
  k_values(p->b, p->w->pool, step_leaf, p, root, n, value);
}

KValue step_number(Step *p, double x) { return k_number(p->b, x); }

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

KValue step_either(Step *p, KValue x, KValue y) {
  return x == K_NONE ? y : y == K_NONE ? x : k_op2(p->b, OP_OR, x, y);
}

Whole *step_close(Step *p, WholeKind kind, KValue done) {
  Written *w = p->w;
  Whole *o = ARENA_NEW(p->arena, Whole);
  k_return(p->b, k_get(p->b, done));
  *o = (Whole){ .kind = kind, .ncls = w->plan->ncls, .count = ARENA_ARRAY(p->arena, int, w->plan->ncls + 1),
                .nrow = w->nrow, .row_l = ARENA_ARRAY(p->arena, int, w->nrow + 1), .nconstant = w->nconstant,
                .constant = w->constant, .kernel = k_end(p->b) };
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
