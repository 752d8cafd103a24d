// A trace is shortened. What depends on constants alone comes out the same each time: mass matrices, directions of gaps
// that do not turn. What leads neither to a result nor to a guard is not needed. What is left is sorted by its level,
// how many steps in a row it waits for, and by its operation, so that those that are alike come one after the other.
#include "trace.h"
#include <stdlib.h>

typedef struct marks { int *node, *array, *call; } marks;

static void at_least(int *to, int x) { if (x > *to) *to = x; }

// The arrays and times that a call reads; `to` of a call gets what those have, or gives it to them.
static void over_call(const trace *t, int number, const marks *m, int gives) {
  const trace_call *c = &t->call[number];
  const nsm_view *v = &c->view;
  const double *of[] = { v->q, v->v, v->x, v->l, v->q0, v->v0, v->k, v->dq, v->dv, v->dx, v->d, v->d_rate };
  for (int i = 0; i < t->narray; i++)
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
      if (of[k] != t->array[i].value) continue;
      if (gives) at_least(&m->array[i], m->call[number]);
      else at_least(&m->call[number], m->array[i]);
    }
  for (int i = 0; i < 3; i++) {
    if (gives) at_least(&m->node[c->t[i]], m->call[number]);
    else at_least(&m->call[number], m->node[c->t[i]]);
  }
}

static int next(int *level) { return *level += *level > 0; }

// Forwards: the level of what changes from piece to piece, 0 of what does not.
static int level_of(const trace *t, const trace_step *s, const marks *m) {
  const trace_array *a = &t->array[s->of[0]];
  switch (s->op) {
  case TRACE_RESULT: return m->node[s->to] = m->call[s->of[0]];
  case TRACE_FILL:
    for (int i = 0; i < a->n; i++) at_least(&m->array[s->of[0]], m->node[a->node[i]]);
    return next(&m->array[s->of[0]]);
  case TRACE_CALL:
    over_call(t, s->of[0], m, 0);
    return next(&m->call[s->of[0]]);
  default:
    at_least(&m->node[s->to], m->node[s->of[0]]);
    at_least(&m->node[s->to], m->node[s->of[1]]);
    return next(&m->node[s->to]);
  }
}

// Backwards: what is needed.
static int is_needed(const trace *t, const trace_step *s, const marks *m) {
  const trace_array *a = &t->array[s->of[0]];
  switch (s->op) {
  case TRACE_RESULT:
    at_least(&m->call[s->of[0]], m->node[s->to]);
    return m->node[s->to];
  case TRACE_FILL:
    for (int i = 0; i < a->n; i++) at_least(&m->node[a->node[i]], m->array[s->of[0]]);
    return m->array[s->of[0]];
  case TRACE_CALL:
    over_call(t, s->of[0], m, 1);
    return m->call[s->of[0]];
  default:
    at_least(&m->node[s->of[0]], m->node[s->to]);
    at_least(&m->node[s->of[1]], m->node[s->to]);
    return m->node[s->to];
  }
}

int trace_look(trace *t) {
  size_t n = (size_t)t->n, all = n + (size_t)t->narray + (size_t)t->ncall;
  int *room = t->moves = calloc(2 * all + (size_t)t->nstep + 1, sizeof *room);
  if (!room) return 0;
  t->stays = room + 2 * all;
  marks m = { room, room + n, room + n + t->narray }, w = { room + all, room + all + n, room + all + n + t->narray };
  for (int i = 0; i < t->nstate; i++) m.node[t->state + i] = 1;
  for (int i = 0; i < t->nw; i++) m.node[t->w + i] = w.node[t->eq[i]] = 1;
  m.node[t->h] = !t->fixed;
  for (int i = 0; i < t->nout; i++) w.node[t->out[i]] = 1;
  for (int i = 0; i < t->nguard; i++) w.node[t->guard[i].of[0]] = w.node[t->guard[i].of[1]] = 1;
  for (int i = 0; i < t->nstep; i++) t->stays[i] = level_of(t, &t->step[i], &m);
  for (int i = t->nstep - 1; i >= 0; i--) t->stays[i] *= is_needed(t, &t->step[i], &w);
  return 1;
}

static int by_level(const void *a, const void *b) {
  const trace_step *x = a, *y = b;
  if (x->level != y->level) return x->level < y->level ? -1 : 1;
  if (x->op != y->op) return x->op < y->op ? -1 : 1;
  return x->to != y->to ? (x->to < y->to ? -1 : 1) : (x->of[0] > y->of[0]) - (x->of[0] < y->of[0]);
}

// A call has its results at their nodes.
void trace_shorten(trace *t) {
  int kept = 0;
  for (int i = 0; i < t->nstep; i++) {
    t->step[i].level = t->stays[i];
    if (t->stays[i] && t->step[i].op != TRACE_RESULT) t->step[kept++] = t->step[i];
  }
  t->nstep = kept;
  if (!t->step) return;
  qsort(t->step, (size_t)kept, sizeof *t->step, by_level);
  t->step[kept].op = TRACE_END;
}
