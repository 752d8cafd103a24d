// A class begins: its label, its loops. And the stage of an expression: what it changes with.
#include <string.h>
#include "../model/model_print.h"
#include "derive.h"

static const Stage stage_of_kind[] = {
  [SYM_PARAM] = STAGE_CONST,  [SYM_PARAM_AT] = STAGE_CONST, [SYM_LOOP] = STAGE_CONST,   [SYM_STEP] = STAGE_CONST,
  [SYM_THETA] = STAGE_CONST,  [SYM_GAMMA] = STAGE_CONST,    [SYM_RESTITUTION] = STAGE_CONST,    [SYM_AT] = STAGE_STATE,
  [SYM_STAT] = STAGE_CONST,     [SYM_COLUMN] = STAGE_CONST, [SYM_TIME] = STAGE_TIME,
  [SYM_TIME0] = STAGE_TIME,   [SYM_H] = STAGE_TIME,         [SYM_VALUE] = STAGE_STATE,  [SYM_RATE] = STAGE_STATE,
  [SYM_VALUE0] = STAGE_STATE, [SYM_RATE0] = STAGE_STATE,    [SYM_LAMBDA] = STAGE_STATE, [SYM_KAPPA] = STAGE_STATE,
  [SYM_VALUE_D] = STAGE_STATE, [SYM_RATE_D] = STAGE_STATE,  [SYM_TABLE] = STAGE_CONST,
  [SYM_TOUCH] = STAGE_STATE,  [SYM_ROTATION] = STAGE_STATE, [SYM_ROTATION0] = STAGE_STATE,
  [SYM_ROTATION_RATE] = STAGE_STATE, [SYM_ROTATION_RATE0] = STAGE_STATE
};

static Stage stage_of_symbol(const System *s, const Sym *y) {
  if (y->kind != SYM_VALUE && y->kind != SYM_RATE) return stage_of_kind[y->kind];
  switch (s->model->var[y->id].kind) {
  case MV_DISCRETE: case MV_GIVEN: return s->model->var[y->id].by_time ? STAGE_TIME : STAGE_EVENT;
  case MV_INPUT: case MV_DELAY: return STAGE_TIME;
  default: return STAGE_STATE;
  }
}

Stage stage_of(const System *s, Ex e) {
  if (e == EX_NONE) return STAGE_NONE;
  Stages *t = s->stages;
  Pool *p = s->pool;
  if (e >= t->cap) {
    Ex cap = 2*e + 256;
    unsigned char *at = ARENA_ARRAY(symtab_arena(s->sym), unsigned char, cap);
    if (t->n) memcpy(at, t->of, t->n);
    t->of = at;
    t->cap = cap;
  }
  for (; t->n <= e; t->n++) {                      // arguments have smaller numbers
    Stage stage = STAGE_CONST;
    if (t->n > 0 && ex_operator(p, t->n) == OP_SYM) stage = stage_of_symbol(s, symtab_at(s->sym, ex_symbol(p, t->n)));
    for (int k = 0; t->n > 0 && k < ex_nargs(p, t->n); k++) {
      Stage below = (Stage)t->of[ex_arg(p, t->n, k)];
      if (below > stage) stage = below;
    }
    t->of[t->n] = (unsigned char)stage;
  }
  return (Stage)t->of[e];
}

static bool of_time(int id, void *system) {
  const System *s = system;
  const Sym *y = symtab_at(s->sym, id);
  if (y->kind != SYM_VALUE && y->kind != SYM_RATE) return y->kind == SYM_TIME;
  MVarKind kind = s->model->var[y->id].kind;
  return kind == MV_INPUT || kind == MV_DELAY;
}

bool moves_in_time(const System *s, Ex e) { return ex_depends_any(s->pool, e, of_time, (void *)s); }

bool all_at_rest(Arena *a, const System *s, const SysClass *c, Ex *e, int n) {
  int *rate = ARENA_ARRAY(a, int, c->nslot + 1), moving = 0;
  Ex *zero = ARENA_ARRAY(a, Ex, c->nslot + 1);
  for (int i = 0; i < c->nslot; i++) {
    if (c->slot[i].rate < 0 || c->slot[i].kind == SLOT_D) continue;      // of an input it is no velocity
    rate[moving] = c->slot[i].rate;
    zero[moving++] = ex_num(s->pool, 0);
  }
  ex_subst_all(s->pool, e, n, rate, zero, moving);
  for (int i = 0; i < n; i++)
    if (!ex_is_num(s->pool, ex_expand(s->pool, e[i]), 0)) return false;
  return true;
}

bool friction_moves(const System *s, const SysClass *c) {
  return stage_of(s, c->mu) > STAGE_CONST || stage_of(s, c->mu2) > STAGE_CONST || stage_of(s, c->radius) > STAGE_CONST;
}

SysClass *derive_new_class(Deriver *d, ClassKind kind, const char *label, Span span, const MContext *ctx) {
  System *s = d->sys;
  if (s->ncls == d->cap) {
    d->cap = d->cap ? 2 * d->cap : 16;
    SysClass *at = ARENA_ARRAY(d->arena, SysClass, d->cap);
    if (s->ncls) memcpy(at, s->cls, (size_t)s->ncls * sizeof *at);
    s->cls = at;
  }
  SysClass *c = &s->cls[s->ncls++];
  memset(c, 0, sizeof *c);
  c->kind = kind; c->label = label; c->span = span;
  c->shown = name_shown(d->arena, label, ctx);
  c->lambda_slot = c->row_var = c->normal = -1;
  c->reldeg = -1;
  c->nloop = ctx->n;
  c->loop = ARENA_ARRAY(d->arena, Loop, ctx->n);
  for (int i = 0; i < ctx->n; i++)
    c->loop[i] =
        (Loop){ ctx->loop[i].name, lower_expr(s, ctx->loop[i].lo), lower_expr(s, ctx->loop[i].hi), ctx->loop[i].span };
  return c;
}
