// Events: a class for the instants or the condition of each block, then one for each of its actions, in the order of
// the text. Values are computed as they are written, operation by operation: a sampled controller has the numbers that
// a program of its equations has.
#include "../model/model_print.h"
#include "derive.h"
#include "slots.h"

static bool state_rate(int id, void *system) {
  const System *s = system;
  const Sym *y = symtab_at(s->sym, id);
  return y->kind == SYM_RATE && s->model->var[y->id].kind == MV_STATE;
}

static SysClass *event_class(Deriver *d, ClassKind kind, int block, const char *label, Span span, const MExpr *value) {
  SysClass *c = derive_new_class(d, kind, label, span, &d->sys->model->block[block].ctx);
  c->block = block;
  if (!value) return c;
  c->value = lower_written(d->sys, value);
  if (ex_depends_any(d->sys->pool, c->value, state_rate, d->sys))
    diag(d->bag, DIAG_E0502, value->span, "the derivative of a state can only stand in its equation");
  return c;
}

static void read_slots(Deriver *d, SysClass *c) {
  SlotList l = slots_of(d->arena, d->sys, c);
  slots_collect(&l, c->value);
}

static const char *written(Deriver *d, Span at) {
  return at.file ? arena_strndup(d->arena, at.file->text + at.lo, at.hi - at.lo) : "event";
}

// A relation that is solved for discrete variables: y, its derivatives with respect to those, bounds.
static void law_class(Deriver *d, const MRelation *m) {
  System *s = d->sys;
  Pool *p = s->pool;
  SysClass *c = derive_new_class(d, CLASS_LAW, arena_printf(d->arena, "relation %s", m->name), m->span, &m->ctx);
  c->block = m->block - 1;
  c->y_span = m->y_span;
  c->law_span = m->law_span;
  c->row_type = (int)m->law;
  c->y = lower_expr(s, m->y);
  c->lo = lower_expr(s, m->lo);
  c->hi = lower_expr(s, m->hi);
  if (ex_depends_any(p, c->y, state_rate, s))
    diag(d->bag, DIAG_E0502, m->y_span, "the output of a relation cannot contain the derivative of a state");
  SlotList l = slots_of(d->arena, s, c);
  slots_collect(&l, c->y);
  slots_collect(&l, c->lo);
  slots_collect(&l, c->hi);
  c->lambda_slot = slots_add(&l, lower_var_symbol(s, m->lambda, false));
  for (int k = 0; k < c->nslot; k++) {
    bool solved = false;
    for (int i = 0; i < s->model->nlaw; i++)
      solved = solved || (s->model->law[i].block == m->block && s->model->law[i].lambda->id == c->slot[k].var);
    if (c->slot[k].kind != SLOT_D || !solved) continue;
    Ex dy = ex_diff(p, c->y, c->slot[k].value);
    if (!ex_is_num(p, dy, 0)) entries_push(d->arena, &c->h, (Entry){ 0, k, WRT_D, dy });
  }
}

static void action_class(Deriver *d, const MAction *a) {
  System *s = d->sys;
  SysClass *c = event_class(d, CLASS_ACTION, a->block, "action", a->span, a->value);
  c->action = a->kind;
  c->text = a->text;
  if (a->on) {
    SlotList l = slots_of(d->arena, s, c);
    slots_add(&l, lower_var_symbol(s, a->on, false));
    c->init_velocity = a->on->derivative;
  }
  read_slots(d, c);
}

static void delay_class(Deriver *d, const MDelay *m) {
  System *s = d->sys;
  SysClass *c = derive_new_class(d, CLASS_DELAY, "delay", m->span, &m->ctx);
  c->row_var = m->var;
  c->value = lower_expr(s, m->value);
  c->period = lower_expr(s, m->time);
  if (ex_depends_any(s->pool, c->value, state_rate, s))
    diag(d->bag, DIAG_E0502, m->value->span, "the derivative of a state can only stand in its equation");
  read_slots(d, c);
}

void derive_events(Deriver *d) {
  System *s = d->sys;
  for (int i = 0; i < s->model->ndelay; i++) delay_class(d, &s->model->delay[i]);
  for (int i = 0; i < s->model->nblock; i++) {
    const MBlock *b = &s->model->block[i];
    const char *label = written(d, b->span);
    if (b->timed) {
      SysClass *c = event_class(d, CLASS_EVERY, i, label, b->span, NULL);
      c->period = lower_expr(s, b->period);
      c->offset = lower_expr(s, b->offset);
    } else {
      read_slots(d, event_class(d, CLASS_WHEN, i, label, b->span, b->cond));
      if (b->crossing) read_slots(d, event_class(d, CLASS_CROSSING, i, label, b->span, b->crossing));
    }
    for (int k = 0; k < s->model->nlaw; k++)
      if (s->model->law[k].block == i + 1) law_class(d, &s->model->law[k]);
    for (int k = 0; k < s->model->naction; k++)
      if (s->model->action[k].block == i) action_class(d, &s->model->action[k]);
  }
}
