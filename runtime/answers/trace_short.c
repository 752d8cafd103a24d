// A trace is shortened. What depends on constants alone comes out the same each time: mass matrices, directions of gaps
// that do not turn. What leads neither to a result nor to a guard is not needed.
#include "trace.h"
#include <stdlib.h>

typedef struct marks { unsigned char *node, *array, *call; } marks;

// The arrays and times that a call reads; `to` of a call gets what those have, or gives it to them.
static void over_call(const trace *t, int number, const marks *m, int gives) {
  const trace_call *c = &t->call[number];
  const nsm_view *v = &c->view;
  const double *of[] = { v->q, v->v, v->x, v->l, v->q0, v->v0, v->k, v->dq, v->dv, v->dx, v->d, v->d_rate };
  for (int i = 0; i < t->narray; i++)
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
      if (of[k] != t->array[i].value) continue;
      if (gives) m->array[i] |= m->call[number];
      else m->call[number] |= m->array[i];
    }
  for (int i = 0; i < 3; i++) {
    if (gives) m->node[c->t[i]] |= m->call[number];
    else m->call[number] |= m->node[c->t[i]];
  }
}

// Forwards: what changes from piece to piece.
static unsigned char changes(const trace *t, const trace_step *s, const marks *m) {
  const trace_array *a = &t->array[s->of[0]];
  switch (s->op) {
  case TRACE_RESULT: return m->node[s->to] = m->call[s->of[0]];
  case TRACE_FILL:
    for (int i = 0; i < a->n; i++) m->array[s->of[0]] |= m->node[a->node[i]];
    return m->array[s->of[0]];
  case TRACE_CALL:
    over_call(t, s->of[0], m, 0);
    return m->call[s->of[0]];
  default: return m->node[s->to] = m->node[s->of[0]] | m->node[s->of[1]];
  }
}

// Backwards: what is needed.
static unsigned char is_needed(const trace *t, const trace_step *s, const marks *m) {
  const trace_array *a = &t->array[s->of[0]];
  switch (s->op) {
  case TRACE_RESULT:
    m->call[s->of[0]] |= m->node[s->to];
    return m->node[s->to];
  case TRACE_FILL:
    for (int i = 0; i < a->n; i++) m->node[a->node[i]] |= m->array[s->of[0]];
    return m->array[s->of[0]];
  case TRACE_CALL:
    over_call(t, s->of[0], m, 1);
    return m->call[s->of[0]];
  default:
    m->node[s->of[0]] |= m->node[s->to];
    m->node[s->of[1]] |= m->node[s->to];
    return m->node[s->to];
  }
}

int trace_shorten(trace *t) {
  size_t n = (size_t)t->n, all = n + (size_t)t->narray + (size_t)t->ncall;
  unsigned char *room = calloc(2 * all + (size_t)t->nstep + 1, 1), *stays = room + 2 * all;
  if (!room) return 0;
  marks m = { room, room + n, room + n + t->narray }, w = { room + all, room + all + n, room + all + n + t->narray };
  for (int i = 0; i < t->nstate; i++) m.node[t->state + i] = 1;
  for (int i = 0; i < t->nw; i++) m.node[t->w + i] = w.node[t->eq[i]] = 1;
  m.node[t->h] = 1;
  for (int i = 0; i < t->nout; i++) w.node[t->out[i]] = 1;
  for (int i = 0; i < t->nguard; i++) w.node[t->guard[i].of[0]] = w.node[t->guard[i].of[1]] = 1;
  for (int i = 0; i < t->nstep; i++) stays[i] = changes(t, &t->step[i], &m);
  for (int i = t->nstep - 1; i >= 0; i--) stays[i] &= is_needed(t, &t->step[i], &w);
  int kept = 0;
  for (int i = 0; i < t->nstep; i++) if (stays[i]) t->step[kept++] = t->step[i];
  t->nstep = kept;
  free(room);
  return 1;
}
