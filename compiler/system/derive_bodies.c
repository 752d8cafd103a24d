// Bodies that have shapes, and contacts between these. No equation is made of them: a class of bodies tells the runtime
// where each body is and which shapes it has, a contact which of them may touch and by which laws
// (runtime/touching/touching.h).
#include "derive.h"

static int symbol(System *s, const MSolid *b, int var, int element) {
  Sym y = { .kind = SYM_VALUE, .id = var, .nidx = b->ctx.n };
  for (int k = 0; k < b->ctx.n; k++) y.idx[k] = ex_sym(s->pool, symtab_id(s->sym, (Sym){ .kind = SYM_LOOP, .id = k }));
  if (element) y.idx[y.nidx++] = ex_num(s->pool, element);
  return symtab_id(s->sym, y);
}

static void slots(Deriver *d, SysClass *c, const MSolid *b) {
  System *s = d->sys;
  SlotList l = slots_of(d->arena, s, c);
  if (is_still(b)) return;
  for (int i = 1; i <= (b->planar ? 2 : 3); i++) (void)slots_add(&l, symbol(s, b, b->place, i));
  if (b->planar) { (void)slots_add(&l, symbol(s, b, b->angle, 0)); return; }
  for (int k = 1; k <= 4; k++) (void)slots_add(&l, symbol(s, b, b->attitude, k));
  for (int i = 1; i <= 3; i++) (void)slots_add(&l, symbol(s, b, b->turn, i));
}

static void body_class(Deriver *d, const MSolid *b) {
  System *s = d->sys;
  SysClass *c = derive_new_class(d, CLASS_BODY, b->name, b->span, &b->ctx);
  c->solid = b;
  c->column = ARENA_ARRAY(d->arena, Ex, 15 * b->nshape + 12);
  for (int k = 0; k < b->nshape; k++) {
    const MShape *m = &b->shape[k];
    for (int i = 0; i < 3; i++) c->column[c->ncolumn++] = lower_expr(s, m->size[i]);
    for (int i = 0; i < 3; i++) c->column[c->ncolumn++] = lower_expr(s, m->at[i]);
    for (int i = 0; i < 9; i++) c->column[c->ncolumn++] = lower_expr(s, m->turn[i]);
  }
  for (int i = 0; i < 12; i++) c->at_start[i] = lower_expr(s, b->pose[i]);
  for (int i = 0; i < 12 && b->motion == MB_FIXED; i++) c->column[c->ncolumn++] = c->at_start[i];
  slots(d, c, b);
  if (b->motion != MB_DRIVEN) return;
  c->pose = ARENA_ARRAY(d->arena, Ex, 18);
  for (int i = 0; i < 12; i++) c->pose[i] = c->at_start[i];
  for (int i = 0; i < 6; i++) c->pose[12 + i] = lower_expr(s, b->rates[i]);
  SlotList l = slots_of(d->arena, s, c);
  for (int i = 0; i < 18; i++) slots_collect(&l, c->pose[i]);              // of instants: what time alone does not say
}

int class_of_solid(const System *s, int solid) {
  for (int i = 0; i < s->ncls; i++)
    if (s->cls[i].kind == CLASS_BODY && s->cls[i].solid == &s->model->solid[solid]) return i;
  return -1;
}

static SysMembers *members(Deriver *d, const MTouch *t, int side) {
  System *s = d->sys;
  SysMembers *out = ARENA_ARRAY(d->arena, SysMembers, t->nmember[side] + 1);
  for (int i = 0; i < t->nmember[side]; i++) {
    const MMembers *m = &t->member[side][i];
    out[i] = (SysMembers){ .cls = class_of_solid(s, m->solid), .whole = m->whole };
    for (int k = 0; k < s->model->solid[m->solid].ctx.n && !m->whole; k++) {
      out[i].lo[k] = lower_expr(s, m->lo[k]);
      out[i].hi[k] = lower_expr(s, m->hi[k]);
    }
  }
  return out;
}

void derive_bodies(Deriver *d) {
  System *s = d->sys;
  const Model *m = s->model;
  for (int i = 0; i < m->nsolid; i++) body_class(d, &m->solid[i]);
  s->touch = ARENA_ARRAY(d->arena, SysTouch, m->ntouch + 1);
  for (int i = 0; i < m->ntouch; i++) {
    SysTouch *t = &s->touch[i];
    int n = (m->nmaterial + 1) * (m->nmaterial + 1);
    t->of = &m->touch[i];
    for (int side = 0; side < t->of->nside; side++) t->member[side] = members(d, t->of, side);
    t->law = arena_alloc(d->arena, sizeof *t->law * (size_t)n);
    for (int k = 0; k < n; k++) for (int j = 0; j < ML_NUMBERS; j++) t->law[k][j] = lower_expr(s, t->of->law[k].of[j]);
  }
}
