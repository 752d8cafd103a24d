// The derivatives of a trace as sums: of each node by those that it is made of. A node whose factors never change, and
// that is asked for once, has no sum: its terms stand in that of the node that asks for it.
#include "trace.h"
#include <stdlib.h>
#include <string.h>

enum { BY_GIVEN = 1, BY_W = 2, TO_EQ = 1, TO_OUT = 2, RESULT = 4, DEEPEST = 100, LAST_TERMS = 16 };

// ---- terms ----------------------------------------------------------------------------------------------------------
static int terms_of(const trace *t, const trace_step *s) {
  if (s->op == TRACE_RESULT) return t->call[s->of[0]].first[s->of[1] + 1] - t->call[s->of[0]].first[s->of[1]];
  return s->op == TRACE_FILL || s->op == TRACE_CALL ? 0 : s->op == TRACE_ROOT ? 1 : 2;
}

// Term k of a step's derivative, `at` its node.
static trace_term term_of(const trace *t, const trace_step *s, int k) {
  if (s->op == TRACE_RESULT) {
    const trace_call *c = &t->call[s->of[0]];
    const trace_slope *by = &c->by[c->first[s->of[1]] + k];
    const double *slope = &c->slope[by->slope];
    if (t->moves[s->to] && by->moves) return (trace_term){ by->node, slope, 1 };
    return (trace_term){ by->node, &trace_one, *slope };
  }
  const double *by = &trace_one;
  int moves = 0;
  if (s->op == TRACE_PRODUCT) { by = &t->value[s->of[!k]]; moves = t->moves[s->of[!k]]; }
  if (s->op == TRACE_QUOTIENT || s->op == TRACE_ROOT) { by = &t->by[s->to][k]; moves = t->moves[s->to]; }
  double times = s->op == TRACE_DIFFERENCE && k == 1 ? -1 : 1;
  return moves ? (trace_term){ s->of[k], by, times } : (trace_term){ s->of[k], &trace_one, times * *by };
}

// From which inputs that have directions a node follows, to which results it leads. Values that only guards ask for do
// not lead to any.
static void look_at_needs(trace *t, const unsigned char *varies) {
  memcpy(t->depends + 1, varies, (size_t)t->nconst);
  memset(t->depends + t->state, BY_GIVEN, (size_t)t->nstate);
  memset(t->depends + t->w, BY_W, (size_t)t->nw);
  t->depends[t->h] = BY_GIVEN;
  for (int i = 0; i < t->nw; i++) t->leads[t->eq[i]] |= TO_EQ;
  for (int i = 0; i < t->nout; i++) t->leads[t->out[i]] |= TO_OUT;
  for (int i = 0; i < t->nstep; i++) {
    const trace_step *s = &t->step[i];
    for (int k = 0; k < terms_of(t, s); k++) t->depends[s->to] |= t->depends[term_of(t, s, k).at];
  }
  for (int i = t->nstep - 1; i >= 0; i--) {
    const trace_step *s = &t->step[i];
    for (int k = 0; k < terms_of(t, s); k++) t->leads[term_of(t, s, k).at] |= t->leads[s->to];
  }
  for (int i = 0; i < t->n; i++) t->leads[i] &= TO_EQ | TO_OUT;
  for (int i = 0; i < t->nw; i++) t->leads[t->eq[i]] |= RESULT;
  for (int i = 0; i < t->nout; i++) t->leads[t->out[i]] |= RESULT;
}

// ---- sums -----------------------------------------------------------------------------------------------------------
// Of a node: the step that makes it, -1: none; the sums that ask for it, 2: more than one; whether one of these has a
// factor that changes; whether it has no sum; how many of its kind stand within each other; its terms.
typedef struct made { int step, terms; unsigned char asked, changes, inside, deep; } made;

// Sums of steps whose nodes depend on `on` and lead to `to`, with their terms that depend on `of`.
typedef struct wanted { int on, to, of; } wanted;
static const wanted all = { BY_GIVEN | BY_W, TO_EQ | TO_OUT, BY_GIVEN | BY_W };

static int is_wanted(const trace *t, const trace_step *s, wanted w) {
  return terms_of(t, s) > 0 && (t->depends[s->to] & w.on) && (t->leads[s->to] & w.to);
}

static void ask(const trace *t, const trace_step *s, wanted w, made *m) {
  for (int k = 0; k < terms_of(t, s); k++) {
    trace_term x = term_of(t, s, k);
    if (!(t->depends[x.at] & w.of)) continue;
    m[x.at].asked = m[x.at].asked ? 2 : 1;
    m[x.at].changes |= x.by != &trace_one;
  }
}

static void look_inside(const trace *t, const trace_step *s, int of, made *m) {
  made *to = &m[s->to];
  for (int k = 0; k < terms_of(t, s); k++) {
    int node = term_of(t, s, k).at;
    const made *x = &m[node];
    if (!(t->depends[node] & of)) continue;
    to->terms += x->inside ? x->terms : 1;
    if (x->inside && x->deep >= to->deep) to->deep = (unsigned char)(x->deep + 1);
  }
  int once = to->terms == 1 || to->asked < 2;
  to->inside = once && !to->changes && to->deep < DEEPEST && !(t->leads[s->to] & RESULT);
}

static made *looked(const trace *t, wanted w) {
  made *m = calloc((size_t)t->n + 1, sizeof *m);
  if (!m) return NULL;
  for (int i = 0; i < t->n; i++) m[i].step = -1;
  for (int i = 0; i < t->nstep; i++) {
    if (terms_of(t, &t->step[i]) > 0) m[t->step[i].to].step = i;
    if (is_wanted(t, &t->step[i], w)) ask(t, &t->step[i], w, m);
  }
  for (int i = 0; i < t->nstep; i++)
    if (terms_of(t, &t->step[i]) > 0) look_inside(t, &t->step[i], w.of, m);
  return m;
}

static void add_term(trace_sums *sums, int first, trace_term x) {
  for (int i = sums->nterm - 1; i >= first && i >= sums->nterm - LAST_TERMS; i--) {
    trace_term *y = &sums->term[i];
    if (y->at != x.at || y->by != x.by) continue;
    y->times += x.times;
    return;
  }
  if (x.times != 0) sums->term[sums->nterm++] = x;
}

static void add_terms(const trace *t, trace_sums *sums, int first, const trace_step *s, double times, wanted w,
                      const made *m) {
  for (int k = 0; k < terms_of(t, s); k++) {
    trace_term x = term_of(t, s, k);
    if (!(t->depends[x.at] & w.of)) continue;
    x.times *= times;
    const made *of = &m[x.at];
    if (of->inside) add_terms(t, sums, first, &t->step[of->step], x.times, w, m);
    else add_term(sums, first, x);
  }
}

// m: which nodes have no sum. width: numbers of a node.
static int take_sums(const trace *t, trace_sums *sums, wanted w, const made *m, int width) {
  size_t most = 2 * (size_t)t->nstep + 1;
  for (int i = 0; i < t->ncall; i++) most += (size_t)t->call[i].nslope;
  sums->at = malloc(((size_t)t->nstep + 1) * sizeof *sums->at);
  sums->term = malloc(2 * most * sizeof *sums->term);
  if (!sums->at || !sums->term || !m) return 0;
  for (int i = 0; i < t->nstep; i++) {
    const trace_step *s = &t->step[i];
    if (!is_wanted(t, s, w) || m[s->to].inside) continue;
    int first = sums->nterm;
    add_terms(t, sums, first, s, 1, w, m);
    sums->at[sums->n++] = (trace_sum){ s->to * width, first, sums->nterm - first };
  }
  for (int i = 0; i < sums->nterm; i++) sums->term[i].at *= width;
  return 1;
}

static int take_all(const trace *t, trace_sums *sums, wanted w) {
  made *m = looked(t, w);
  int good = take_sums(t, sums, w, m, 1);
  free(m);
  return good;
}

// ---- the room of a trace --------------------------------------------------------------------------------------------
static int begin(trace *t, const unsigned char *varies) {
  (void)replay_values(t);
  t->depends = calloc((size_t)t->n, 1);
  t->leads = calloc((size_t)t->n, 1);
  if (!t->depends || !t->leads || !trace_look(t)) return 0;
  look_at_needs(t, varies);
  return 1;
}

// Of few directions: sums of what is given, and of results from dw on, beside the matrix.
static int take_lanes(trace *t) {
  const wanted given = { BY_GIVEN, TO_EQ | TO_OUT, BY_GIVEN }, follow = { BY_W, TO_OUT, BY_W | BY_GIVEN };
  made *m = looked(t, all);
  t->lane = calloc((size_t)t->n * (size_t)t->lanes + 1, sizeof *t->lane);
  int good = t->lane && take_sums(t, &t->given, given, m, t->lanes) && take_sums(t, &t->follow, follow, m, t->lanes);
  free(m);
  return good;
}

int trace_finish(trace *t, const unsigned char *varies, int lanes) {
  const wanted matrix = { BY_W, TO_EQ, BY_W };
  trace_sums sums = { 0 };
  t->lanes = lanes;
  int good = begin(t, varies) && (lanes == 0 || take_lanes(t)) && take_all(t, &sums, lanes > 0 ? matrix : all) &&
             trace_rows_of(t, &sums);
  free(sums.at);
  free(sums.term);
  trace_shorten(t);
  return good;
}

int trace_finish_back(trace *t, int nof) {
  unsigned char *varies = malloc((size_t)t->nconst + 1);
  t->bar = calloc((size_t)t->n * (size_t)nof + 1, sizeof *t->bar);
  if (varies) memset(varies, BY_GIVEN, (size_t)t->nconst);
  int good = varies && t->bar && begin(t, varies) && take_all(t, &t->back, all);
  free(varies);
  if (good) trace_shorten(t);
  return good;
}
