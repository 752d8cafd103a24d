// What a trace is made of: nodes and steps, as recorded numbers tell of them (recorded.h).
#include "dual.h"
#include "trace.h"
#include <stdlib.h>
#include <string.h>

// ---- room -----------------------------------------------------------------------------------------------------------
static int more(void **at, int n, int *room, size_t size) {
  if (n < *room) return 1;
  int all = *room ? 2 * *room : 64;
  void *to = realloc(*at, (size_t)all * size);
  if (!to) return 0;
  *at = to;
  *room = all;
  return 1;
}

int trace_add_node(trace *t, double value) {
  int values = t->room, pairs = t->room;
  if (!more((void **)&t->value, t->n, &values, sizeof *t->value) ||
      !more((void **)&t->by, t->n, &pairs, sizeof *t->by)) { t->fails = 1; return 0; }
  t->room = values;
  t->value[t->n] = value;
  t->by[t->n][0] = t->by[t->n][1] = 0;
  return t->n++;
}

static void add_step(trace *t, trace_op op, int to, int a, int b) {
  if (!more((void **)&t->step, t->nstep + 1, &t->step_room, sizeof *t->step)) { t->fails = 1; return; }
  t->step[t->nstep++] = (trace_step){ op, to, { a, b }, 0 };
  t->step[t->nstep].op = TRACE_END;
}

// One more of a few; NULL: no memory.
static void *one_more(trace *t, void **at, int *n, size_t size) {
  char *to = realloc(*at, ((size_t)*n + 1) * size);
  if (!to) { t->fails = 1; return NULL; }
  *at = to;
  memset(to + (size_t)*n * size, 0, size);
  return to + (size_t)(*n)++ * size;
}

// ---- what recorded numbers tell -------------------------------------------------------------------------------------
int trace_node_of(trace *t, int node, double value) {
  return node ? node : value == 0 ? 0 : trace_add_node(t, value);
}

int trace_note(trace *t, made_by how, double value, const int of[2], const double values[2]) {
  if (how == MADE_OTHERWISE) t->fails = 1;
  int a = trace_node_of(t, of[0], values[0]), b = trace_node_of(t, of[1], values[1]), to = trace_add_node(t, value);
  add_step(t, (trace_op)how, to, a, b);                    // these have the same numbers
  return to ? to : 1;
}

void trace_guard(trace *t, const int of[2], const double values[2]) {
  if (!of[0] && !of[1]) return;
  trace_guard_of *g = one_more(t, (void **)&t->guard, &t->nguard, sizeof *g);
  if (!g) return;
  for (int i = 0; i < 2; i++) g->of[i] = trace_node_of(t, of[i], values[i]);
  g->above = values[0] > values[1];
}

void trace_fails(trace *t) { t->fails = 1; }

// ---- kernels --------------------------------------------------------------------------------------------------------
// An array that kernels read: the one that has the same nodes. Which it is; -1: no memory.
static int array_of(trace *t, const dual *x, int n) {
  int node[n + 1];
  for (int i = 0; i < n; i++) node[i] = x[i].node;
  for (int k = 0; k < t->narray; k++) {
    const trace_array *a = &t->array[k];
    int same = a->n == n && memcmp(a->node, node, (size_t)n * sizeof *node) == 0;
    for (int i = 0; i < n && same; i++) same = node[i] || a->value[i] == x[i].a[0];
    if (same) return k;
  }
  trace_array *a = one_more(t, (void **)&t->array, &t->narray, sizeof *a);
  if (!a) return -1;
  a->n = n;
  a->node = malloc(((size_t)n + 1) * sizeof *a->node);
  a->value = malloc(((size_t)n + 1) * sizeof *a->value);
  if (!a->node || !a->value) { t->fails = 1; return -1; }
  memcpy(a->node, node, (size_t)n * sizeof *node);
  for (int i = 0; i < n; i++) a->value[i] = x[i].a[0];
  add_step(t, TRACE_FILL, 0, t->narray - 1, 0);
  return t->narray - 1;
}

static void take_view(trace *t, const dual_view *v, trace_call *c) {
  const int nq = v->length[0], nv = v->length[1], nx = v->length[2], nl = v->length[3], nd = v->length[4];
  struct { const dual *from; int n; const double **to; } all[] = {
    { v->q, nq, &c->view.q }, { v->v, nv, &c->view.v }, { v->x, nx, &c->view.x }, { v->l, nl, &c->view.l },
    { v->q0, nq, &c->view.q0 }, { v->v0, nv, &c->view.v0 }, { v->k, nl, &c->view.k }, { v->dq, nv, &c->view.dq },
    { v->dv, nv, &c->view.dv }, { v->dx, nx, &c->view.dx }, { v->d, nd, &c->view.d },
    { v->d_rate, nd, &c->view.d_rate } };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    int k = all[i].from ? array_of(t, all[i].from, all[i].n) : -1;
    if (k >= 0) *all[i].to = t->array[k].value;
  }
  const dual times[] = { v->t, v->t0, v->h };
  for (int i = 0; i < 3; i++) c->t[i] = trace_node_of(t, times[i].node, times[i].a[0]);
}

int trace_call_begin(trace *t, trace_kernel *run, const dual_view *v, const dual_table *tab, int nvalue, int nslope) {
  trace_call c = { .run = run, .table = { .count = tab->count, .ix = tab->ix, .num = tab->plain },
                   .nvalue = nvalue, .nslope = nslope };
  take_view(t, v, &c);
  c.to = t->n;
  for (int i = 0; i < nvalue; i++) (void)trace_add_node(t, 0);
  c.slope = calloc((size_t)nslope + 1, sizeof *c.slope);
  c.first = calloc((size_t)nvalue + 1, sizeof *c.first);
  c.by = calloc((size_t)nslope + 1, sizeof *c.by);
  trace_call *to = one_more(t, (void **)&t->call, &t->ncall, sizeof *to);
  if (!to || t->fails || !c.slope || !c.first || !c.by) {
    free(c.slope); free(c.first); free(c.by);
    t->fails = 1;
    return -1;
  }
  *to = c;
  replay_call(t, to);
  add_step(t, TRACE_CALL, 0, t->ncall - 1, 0);
  return t->ncall - 1;
}

dual trace_call_value(trace *t, int call, int value, const trace_slope *by, int n) {
  trace_call *c = &t->call[call];
  int first = c->first[value], to = c->to + value;
  memcpy(c->by + first, by, (size_t)n * sizeof *by);
  c->first[value + 1] = first + n;
  add_step(t, TRACE_RESULT, to, call, value);
  return (dual){ { t->value[to] }, to };
}
