// A trace is done again: values, and derivatives of all nodes along many directions [Griewank and Walther 2008, 3.1].
#include "trace.h"
#include "runtime/schemes/schemes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BY_GIVEN = 1, BY_W = 2, TO_EQ = 1, TO_OUT = 2, RESULT = 4 };

// ---- values ---------------------------------------------------------------------------------------------------------
void replay_call(const trace *t, trace_call *c) {
  c->view.t = t->value[c->t[0]];
  c->view.t0 = t->value[c->t[1]];
  c->view.h = t->value[c->t[2]];
  c->run(&c->view, &c->table, 1, c->value, c->slope);
}

static void fill(const trace *t, const trace_array *a) {
  for (int i = 0; i < a->n; i++) if (a->node[i]) a->value[i] = t->value[a->node[i]];
}

int replay_values(trace *t) {
  double *x = t->value;
  for (int i = 0; i < t->nstep; i++) {
    const trace_step *s = &t->step[i];
    double a = x[s->of[0]], b = x[s->of[1]], *by = t->by[s->to];
    switch (s->op) {
    case TRACE_SUM: x[s->to] = a + b; break;
    case TRACE_DIFFERENCE: x[s->to] = a - b; break;
    case TRACE_PRODUCT: x[s->to] = a * b; by[0] = b; by[1] = a; break;
    case TRACE_QUOTIENT: x[s->to] = a / b; by[0] = 1 / b; by[1] = -x[s->to] / b; break;
    case TRACE_ROOT: x[s->to] = sqrt(a); by[0] = x[s->to] > 0 ? 0.5 / x[s->to] : 0; break;
    case TRACE_RESULT: x[s->to] = t->call[s->of[0]].value[s->of[1]]; break;
    case TRACE_FILL: fill(t, &t->array[s->of[0]]); break;
    default: replay_call(t, &t->call[s->of[0]]);
    }
  }
  for (int i = 0; i < t->nguard; i++) {
    const trace_guard_of *g = &t->guard[i];
    if ((x[g->of[0]] > x[g->of[1]]) != g->above) return 0;
  }
  return 1;
}

// ---- derivatives ----------------------------------------------------------------------------------------------------
typedef double four __attribute__((vector_size(32), aligned(8)));

// lane [n, lanes], lanes a multiple of four
SIM_WIDE void replay_sums(const trace_sums *s, double *lane, int lanes) {
  for (int i = 0; i < s->n; i++) {
    const trace_sum *sum = &s->at[i];
    const trace_term *term = s->term + sum->first, *end = term + sum->n;
    for (int from = 0; from < lanes; from += 4) {
      four x = { 0, 0, 0, 0 };
      for (const trace_term *k = term; k < end; k++)
        x += *k->by * *(const four *)(lane + (size_t)k->node * (size_t)lanes + from);
      *(four *)(lane + (size_t)sum->to * (size_t)lanes + from) = x;
    }
  }
}

void replay_back(const trace *t, double *bar) {
  for (int i = t->back.n - 1; i >= 0; i--) {
    const trace_sum *sum = &t->back.at[i];
    const trace_term *term = t->back.term + sum->first;
    double by = bar[sum->to];
    if (by == 0) continue;
    bar[sum->to] = 0;
    for (int k = 0; k < sum->n; k++) bar[term[k].node] += *term[k].by * by;
  }
}

// ---- which of it is needed ------------------------------------------------------------------------------------------
static const double plus = 1, minus = -1;

// The terms of a step's derivative, [room of its kernel or 2]; how many.
static int terms_of(const trace *t, const trace_step *s, trace_term *to) {
  double *by = t->by[s->to];
  int n = 0;
  switch (s->op) {
  case TRACE_SUM: case TRACE_DIFFERENCE:
    to[n++] = (trace_term){ s->of[0], &plus };
    to[n++] = (trace_term){ s->of[1], s->op == TRACE_SUM ? &plus : &minus };
    return n;
  case TRACE_PRODUCT: case TRACE_QUOTIENT:
    to[n++] = (trace_term){ s->of[0], &by[0] };
    to[n++] = (trace_term){ s->of[1], &by[1] };
    return n;
  case TRACE_ROOT: to[n++] = (trace_term){ s->of[0], &by[0] }; return n;
  case TRACE_RESULT: {
    const trace_call *c = &t->call[s->of[0]];
    for (int k = c->first[s->of[1]]; k < c->first[s->of[1] + 1]; k++)
      to[n++] = (trace_term){ c->by[k].node, &c->slope[c->by[k].slope] };
    return n;
  }
  default: return 0;
  }
}

// From which inputs a node follows, to which results it leads. Values that only guards ask for lead to none.
static void look_at_needs(trace *t, const unsigned char *varies, trace_term *term) {
  for (int i = 0; i < t->n; i++) t->depends[i] = t->leads[i] = 0;
  for (int i = 0; i < t->nconst; i++) t->depends[1 + i] = varies[i] ? BY_GIVEN : 0;
  for (int i = 0; i < t->nstate; i++) t->depends[t->state + i] = BY_GIVEN;
  for (int i = 0; i < t->nw; i++) t->depends[t->w + i] = BY_W;
  t->depends[t->h] = BY_GIVEN;
  for (int i = 0; i < t->nw; i++) t->leads[t->eq[i]] |= TO_EQ;
  for (int i = 0; i < t->nout; i++) t->leads[t->out[i]] |= TO_OUT;
  for (int i = 0; i < t->nstep; i++) {
    const trace_step *s = &t->step[i];
    int n = terms_of(t, s, term);
    for (int k = 0; k < n; k++) t->depends[s->to] |= t->depends[term[k].node];
  }
  for (int i = t->nstep - 1; i >= 0; i--) {
    const trace_step *s = &t->step[i];
    int n = terms_of(t, s, term);
    for (int k = 0; k < n; k++) t->leads[term[k].node] |= t->leads[s->to];
  }
  for (int i = 0; i < t->n; i++) t->leads[i] &= TO_EQ | TO_OUT;
  for (int i = 0; i < t->nw; i++) t->leads[t->eq[i]] |= RESULT;
  for (int i = 0; i < t->nout; i++) t->leads[t->out[i]] |= RESULT;
}

// Steps whose nodes depend on `on` and lead to `to`, with their terms that depend on `of`. What is as another node is,
// and no result, is that node: same [n]. 0: no memory.
typedef struct wanted { int on, to, of; } wanted;

static int take_sums(const trace *t, trace_sums *sums, wanted w, trace_term *term, size_t most, int *same) {
  sums->at = malloc(((size_t)t->nstep + 1) * sizeof *sums->at);
  sums->term = malloc((most + 1) * sizeof *sums->term);
  if (!sums->at || !sums->term) return 0;
  for (int i = 0; i < t->nstep; i++) {
    const trace_step *s = &t->step[i];
    if (!(t->depends[s->to] & w.on) || !(t->leads[s->to] & w.to)) continue;
    int n = terms_of(t, s, term), first = sums->nterm;
    for (int k = 0; k < n; k++)
      if (t->depends[term[k].node] & w.of) sums->term[sums->nterm++] = (trace_term){ same[term[k].node], term[k].by };
    same[s->to] = s->to;
    if (sums->nterm == first + 1 && sums->term[first].by == &plus && !(t->leads[s->to] & RESULT))
      same[s->to] = sums->term[sums->nterm = first].node;
    else sums->at[sums->n++] = (trace_sum){ s->to, first, sums->nterm - first };
  }
  return 1;
}

static int *each_itself(int n) {
  int *same = malloc(((size_t)n + 1) * sizeof *same);
  for (int i = 0; same && i < n; i++) same[i] = i;
  return same;
}

// Room for the terms of one step; most: of all.
static trace_term *begin(trace *t, size_t *most) {
  *most = 2 * (size_t)t->nstep + 2;
  for (int i = 0; i < t->ncall; i++) *most += (size_t)t->call[i].nslope;
  t->depends = malloc((size_t)t->n);
  t->leads = malloc((size_t)t->n);
  return t->depends && t->leads ? malloc(*most * sizeof(trace_term)) : NULL;
}

// What is left out has its values from now on.
static int shorten(trace *t) {
  (void)replay_values(t);
  return trace_shorten(t);
}

int replay_finish(trace *t, const unsigned char *varies, int lanes) {
  size_t most, n = (size_t)t->n;
  trace_term *term = begin(t, &most);
  int *given = each_itself(t->n), *matrix = each_itself(t->n);
  t->lanes = (lanes + 3) / 4 * 4;
  t->columns = (t->nw + 3) / 4 * 4;
  t->lane = calloc(n * (size_t)t->lanes + 1, sizeof *t->lane);
  t->column = calloc(n * (size_t)t->columns + 1, sizeof *t->column);
  int good = term && t->lane && t->column && given && matrix;
  if (good) look_at_needs(t, varies, term);
  good = good && take_sums(t, &t->given, (wanted){ BY_GIVEN, TO_EQ | TO_OUT, BY_GIVEN }, term, most, given) &&
         take_sums(t, &t->matrix, (wanted){ BY_W, TO_EQ, BY_W }, term, most, matrix) &&
         take_sums(t, &t->follow, (wanted){ BY_W, TO_OUT, BY_W | BY_GIVEN }, term, most, given);
  for (int i = 0; good && i < t->nw; i++) t->column[(size_t)(t->w + i) * (size_t)t->columns + (size_t)i] = 1;
  free(term);
  free(given);
  free(matrix);
  t->factor = malloc(((size_t)t->matrix.nterm + 1) * sizeof *t->factor);
  return good && t->factor && shorten(t);
}

int replay_finish_back(trace *t, int nof) {
  size_t most;
  trace_term *term = begin(t, &most);
  unsigned char *all = malloc((size_t)t->nconst + 1);
  int *same = each_itself(t->n);
  t->bar = calloc((size_t)t->n * (size_t)nof + 1, sizeof *t->bar);
  int good = term && all && same && t->bar;
  if (good) {
    memset(all, 1, (size_t)t->nconst);
    look_at_needs(t, all, term);
    wanted every = { BY_GIVEN | BY_W, TO_EQ | TO_OUT, BY_GIVEN | BY_W };
    good = take_sums(t, &t->back, every, term, most, same);
  }
  free(all);
  free(same);
  free(term);
  return good && shorten(t);
}
