// A trace is made: the equations of a piece run once in recorded numbers.
#include "play.h"
#include "trace.h"
#include <stdlib.h>
#include <string.h>

enum { CLOCK = 3, PLACES = 8 };

struct tracer { nsm_sim *s; player *p; record r; };

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

static int add_node(trace *t, double value) {
  int values = t->room, pairs = t->room;
  if (!more((void **)&t->value, t->n, &values, sizeof *t->value) ||
      !more((void **)&t->by, t->n, &pairs, sizeof *t->by)) { t->fails = 1; return 0; }
  t->room = values;
  t->value[t->n] = value;
  t->by[t->n][0] = t->by[t->n][1] = 0;
  return t->n++;
}

static void add_step(trace *t, trace_op op, int to, int a, int b) {
  if (!more((void **)&t->step, t->nstep, &t->step_room, sizeof *t->step)) { t->fails = 1; return; }
  t->step[t->nstep++] = (trace_step){ op, to, { a, b } };
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
static int node_of(trace *t, int node, double value) {
  return node ? node : value == 0 ? 0 : add_node(t, value);
}

int trace_note(trace *t, made_by how, double value, const int of[2], const double values[2]) {
  if (how == MADE_OTHERWISE) t->fails = 1;
  int a = node_of(t, of[0], values[0]), b = node_of(t, of[1], values[1]), to = add_node(t, value);
  add_step(t, (trace_op)how, to, a, b);
  return to ? to : 1;
}

void trace_guard(trace *t, const int of[2], const double values[2]) {
  if (!of[0] && !of[1]) return;
  trace_guard_of *g = one_more(t, (void **)&t->guard, &t->nguard, sizeof *g);
  if (!g) return;
  for (int i = 0; i < 2; i++) g->of[i] = node_of(t, of[i], values[i]);
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
    { v->dv, nv, &c->view.dv }, { v->dx, nx, &c->view.dx }, { v->d, nd, &c->view.d }, { v->d_rate, nd, &c->view.d_rate } };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    int k = all[i].from ? array_of(t, all[i].from, all[i].n) : -1;
    if (k >= 0) *all[i].to = t->array[k].value;
  }
  const dual times[] = { v->t, v->t0, v->h };
  for (int i = 0; i < 3; i++) c->t[i] = node_of(t, times[i].node, times[i].a[0]);
}

int trace_call_begin(trace *t, trace_kernel *run, const dual_view *v, const dual_table *tab, int nvalue, int nslope) {
  trace_call c = { .run = run, .table = { .count = tab->count, .ix = tab->ix, .num = tab->plain },
                   .nvalue = nvalue, .nslope = nslope };
  take_view(t, v, &c);
  c.value = calloc((size_t)nvalue + 1, sizeof *c.value);
  c.slope = calloc((size_t)nslope + 1, sizeof *c.slope);
  c.first = calloc((size_t)nvalue + 1, sizeof *c.first);
  c.by = calloc((size_t)nslope + 1, sizeof *c.by);
  trace_call *to = one_more(t, (void **)&t->call, &t->ncall, sizeof *to);
  if (!to || !c.value || !c.slope || !c.first || !c.by) {
    free(c.value); free(c.slope); free(c.first); free(c.by);
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
  int first = c->first[value], to = add_node(t, c->value[value]);
  memcpy(c->by + first, by, (size_t)n * sizeof *by);
  c->first[value + 1] = first + n;
  add_step(t, TRACE_RESULT, to, call, value);
  return (dual){ { c->value[value] }, to };
}

// ---- a piece --------------------------------------------------------------------------------------------------------
static void inputs(trace *t, dual *x, int n, const double **from) {
  for (int i = 0; i < n; i++, ++*from) x[i] = (dual){ { **from }, add_node(t, **from) };
}

static void constants(tracer *r, trace *t) {
  const nsm_sim *s = r->s;
  play_state *y = &r->p->of[0];
  for (int c = 0; c < s->a->m->nclass; c++) {
    const double *from = s->a->cls[c].tab.num;
    inputs(t, y->num[c], s->a->cls[c].tab.count * s->a->m->cls[c].nnum, &from);
  }
  const double clock[CLOCK] = { s->a->start, s->a->step, s->a->until }, *from = clock;
  inputs(t, &y->start, 1, &from);
  inputs(t, &y->step, 1, &from);
  inputs(t, &y->until, 1, &from);
  t->nconst = t->n - 1;
}

int tracer_states(const nsm_sim *s) { return s->a->nq + s->a->nz + s->a->nl + 1 + s->a->nd + 2 * s->n.r.n + 2; }

static void state_of(tracer *r, trace *t, const double *from) {
  const nsm_sim *s = r->s;
  play_state *y = &r->p->of[0];
  const struct { dual *of; int n; } all[PLACES] = {
    { y->q, s->a->nq }, { y->z, s->a->nz }, { y->l, s->a->nl + 1 }, { y->d, s->a->nd }, { y->mean, s->n.r.n },
    { y->ground, s->n.r.n }, { &y->t, 1 }, { &y->history, 1 } };
  t->state = t->n;
  for (int i = 0; i < PLACES; i++) inputs(t, all[i].of, all[i].n, &from);
  t->nstate = t->n - t->state;
}

int trace_unknowns(const nsm_sim *s, const tape_entry *e) {
  if (e->kind == TAPE_STAGES) return s->n.radau->m.s * s->n.radau->n;
  return s->n.con ? play_two_points_unknowns(s, e) : s->a->nz + s->n.r.n;
}

int trace_can_be(const nsm_sim *s, const tape_entry *e) {
  int time = e->end == TAPE_CLOCK || e->end == TAPE_ASKED || e->end == TAPE_SHORT || e->end == TAPE_EVERY;
  return play_has_forces(e) && time && e->free == 0 && !e->last && e->h > 0 && s->a->nsignal == 0;
}

static void equations(tracer *r, trace *t, const tape_entry *e, const double *w) {
  player *p = r->p;
  int nw = trace_unknowns(r->s, e);
  p->nw = t->nw = nw;
  t->w = t->n;
  inputs(t, p->w, nw, &w);
  const double *length = &e->h;
  dual h;
  t->h = t->n;
  inputs(t, &h, 1, &length);
  if (e->kind == TAPE_STAGES) play_stages(p, e, h);
  else if (p->s->n.con) play_two_points(p, e, h);
  else play_points(p, e, h);
  t->nout = play_outputs(p, e, h);
  t->eq = malloc(((size_t)nw + 1) * sizeof *t->eq);
  t->out = malloc(((size_t)t->nout + 1) * sizeof *t->out);
  if (!t->eq || !t->out) { t->fails = 1; return; }
  for (int i = 0; i < nw; i++) t->eq[i] = node_of(t, p->eq[i].node, p->eq[i].a[0]);
  for (int i = 0; i < t->nout; i++) t->out[i] = node_of(t, p->out[i].node, p->out[i].a[0]);
}

static const void *copied(trace *t, const void *from, size_t bytes) {
  void *to = from ? malloc(bytes + 1) : NULL;
  if (from && !to) t->fails = 1;
  return to ? memcpy(to, from, bytes) : NULL;
}

static void take_entry(trace *t, const tape_entry *e, const nsm_sim *s) {
  size_t rows = (size_t)s->n.r.n;
  tape_entry *is = &t->is;
  *is = *e;
  is->law = copied(t, e->law, rows);
  is->impact_law = copied(t, e->impact_law, rows);
  is->end_law = copied(t, e->end_law, rows);
  is->theta = copied(t, e->theta, (size_t)s->a->nz * sizeof(double));
  is->gamma = copied(t, e->gamma, (size_t)s->a->m->nclass * sizeof(double));
  is->slide = copied(t, e->slide, rows * sizeof(double));
}

trace *trace_made(tracer *r, const tape_entry *e, const double *state, const double *w) {
  trace *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  record *before = record_now;
  take_entry(t, e, r->s);
  record_now = &r->r;
  r->r.trace = t;
  add_node(t, 0);
  constants(r, t);
  state_of(r, t, state);
  r->p->at = &r->p->of[0];
  tape_entry plain = *e;                                   // what ends it is known: a time
  plain.last = 0;
  if (!t->fails) equations(r, t, &plain, w);
  t->fails |= r->p->failed || r->p->without;
  record_now = before;
  return t;
}

static int same(const void *a, const void *b, size_t bytes) {
  return a == b || (a && b && memcmp(a, b, bytes) == 0);
}

int trace_is_of(const trace *t, const tape_entry *e, const nsm_sim *s) {
  const tape_entry *is = &t->is;
  size_t rows = (size_t)s->n.r.n;
  if (is->kind != e->kind || (is->end == TAPE_EVERY) != (e->end == TAPE_EVERY) || is->means != e->means || !same(is->law, e->law, rows) ||
      !same(is->impact_law, e->impact_law, rows) || !same(is->end_law, e->end_law, rows) ||
      !same(is->theta, e->theta, (size_t)s->a->nz * sizeof(double)) ||
      !same(is->gamma, e->gamma, (size_t)s->a->m->nclass * sizeof(double)) || !is->slide != !e->slide) return 0;
  for (size_t row = 0; e->slide && row < rows; row++) if ((is->slide[row] > 0) != (e->slide[row] > 0)) return 0;
  return 1;
}

// ---- open, close ----------------------------------------------------------------------------------------------------
tracer *tracer_open(nsm_sim *s, void *with, nsm_error *e) {
  tracer *r = calloc(1, sizeof *r);
  if (!r) { sim_no_memory(e, "derivatives"); return NULL; }
  play_kernels run = { (dual_kernel *)((const dual_with *)with)->recorded, with };
  r->s = s;
  r->p = player_open(s, NULL, &run, 0, 0, e);
  if (r->p) return r;
  free(r);
  return NULL;
}

void tracer_close(tracer *r) {
  if (!r) return;
  free(r->r.at);
  player_close(r->p);
  free(r);
}

static void free_sums(trace_sums *s) {
  free(s->at);
  free(s->term);
}

void trace_free(trace *t) {
  const tape_entry *is = &t->is;
  const void *all[] = { is->law, is->impact_law, is->end_law, is->theta, is->gamma, is->slide, t->value, t->by, t->step,
                        t->guard, t->eq, t->out, t->depends, t->leads, t->lane, t->column };
  for (int i = 0; i < t->ncall; i++) {
    free(t->call[i].value);
    free(t->call[i].slope);
    free(t->call[i].first);
    free(t->call[i].by);
  }
  for (int i = 0; i < t->narray; i++) {
    free(t->array[i].node);
    free(t->array[i].value);
  }
  free_sums(&t->given);
  free_sums(&t->matrix);
  free_sums(&t->follow);
  free_sums(&t->back);
  free(t->bar);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free((void *)all[i]);
  free(t->call);
  free(t->array);
  free(t);
}
