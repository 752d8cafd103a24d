// A trace is made: the equations of a piece run once in recorded numbers.
#include "play.h"
#include "trace.h"
#include <stdlib.h>
#include <string.h>

enum { CLOCK = 3 };

struct tracer { nsm_sim *s; player *p; record r; };

// ---- a piece --------------------------------------------------------------------------------------------------------
static void inputs(trace *t, dual *x, int n, const double **from) {
  for (int i = 0; i < n; i++, ++*from) x[i] = (dual){ { **from }, trace_add_node(t, **from) };
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

static void state_of(tracer *r, trace *t, const double *from) {
  play_place at[PLAY_PLACES];
  play_places(r->s, &r->p->of[0], at);
  t->state = t->n;
  for (int i = 0; i < PLAY_PLACES; i++) inputs(t, at[i].of, at[i].n, &from);
  t->nstate = t->n - t->state;
}

int trace_can_be(const nsm_sim *s, const tape_entry *e) {
  int time = e->end == TAPE_CLOCK || e->end == TAPE_ASKED || e->end == TAPE_SHORT || e->end == TAPE_EVERY;
  return play_has_forces(e) && time && e->free == 0 && !e->last && e->h > 0 && play_holds_signals(s);
}

// The node of an equation is no input, whose derivatives are others' to say.
static int result_of(trace *t, dual x) {
  int node = trace_node_of(t, x.node, x.a[0]);
  return node > t->h ? node : trace_note(t, MADE_BY_SUM, x.a[0], (int[]){ node, 0 }, (double[]){ x.a[0], 0 });
}

static void equations(tracer *r, trace *t, const tape_entry *e, const double *w) {
  player *p = r->p;
  int nw = play_unknowns(r->s, e);
  p->nw = t->nw = nw;
  t->w = t->n;
  inputs(t, p->w, nw, &w);
  const double *length = &e->h;
  dual h;
  t->h = t->n;
  inputs(t, &h, 1, &length);
  play_scheme(p, e, h);
  t->nout = play_outputs(p, e, h);
  t->eq = malloc(((size_t)nw + 1) * sizeof *t->eq);
  t->out = malloc(((size_t)t->nout + 1) * sizeof *t->out);
  if (!t->eq || !t->out) { t->fails = 1; return; }
  for (int i = 0; i < nw; i++) t->eq[i] = result_of(t, p->eq[i]);
  for (int i = 0; i < t->nout; i++) t->out[i] = trace_node_of(t, p->out[i].node, p->out[i].a[0]);
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
  t->fixed = e->h == r->s->a->step;
  record_now = &r->r;
  r->r.trace = t;
  trace_add_node(t, 0);
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
  if (t->fixed ? e->h != is->h : e->h == s->a->step) return 0;
  if (is->kind != e->kind || tape_has_slope(is) != tape_has_slope(e) || is->means != e->means) return 0;
  if (is->polynomials != e->polynomials) return 0;
  if (!same(is->law, e->law, rows) ||
      !same(is->impact_law, e->impact_law, rows) || !same(is->end_law, e->end_law, rows) || !is->slide != !e->slide)
    return 0;
  if (is->weighed != e->weighed && (!same(is->theta, e->theta, (size_t)s->a->nz * sizeof(double)) ||
                                    !same(is->gamma, e->gamma, (size_t)s->a->m->nclass * sizeof(double)))) return 0;
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
  const void *all[] = { is->law, is->impact_law, is->end_law, is->theta, is->gamma, is->slide, t->value, t->by,
                        t->step, t->guard, t->eq, t->out, t->depends, t->leads, t->moves, t->unmoved,
                        t->stands, t->seed, t->unit, t->lane, t->units };
  for (int i = 0; i < t->ncall; i++) {
    free(t->call[i].slope);
    free(t->call[i].first);
    free(t->call[i].by);
  }
  for (int i = 0; i < t->narray; i++) {
    free(t->array[i].node);
    free(t->array[i].value);
  }
  trace_rows_free(&t->rows);
  free_sums(&t->given);
  free_sums(&t->follow);
  free_sums(&t->back);
  free(t->bar);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free((void *)all[i]);
  free(t->call);
  free(t->array);
  free(t);
}
