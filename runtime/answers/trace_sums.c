// The derivatives of a trace as sums: of each node by those that it is made of. A node whose factors never change, and
// that is asked for once, has no sum: its terms stand in that of the node that asks for it.
#include "trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BY_GIVEN = 1, BY_W = 2, TO_EQ = 1, TO_OUT = 2, RESULT = 4, DEEPEST = 100, PASSES = 2, LAST_TERMS = 16 };

// ---- terms ----------------------------------------------------------------------------------------------------------
static const double one = 1;             // *by of a factor that is the same in all pieces

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
    return t->moves[s->to] && by->moves ? (trace_term){ by->node, slope, 1 } : (trace_term){ by->node, &one, *slope };
  }
  const double *by = &one;
  int moves = 0;
  if (s->op == TRACE_PRODUCT) { by = &t->value[s->of[!k]]; moves = t->moves[s->of[!k]]; }
  if (s->op == TRACE_QUOTIENT || s->op == TRACE_ROOT) { by = &t->by[s->to][k]; moves = t->moves[s->to]; }
  double times = s->op == TRACE_DIFFERENCE && k == 1 ? -1 : 1;
  return moves ? (trace_term){ s->of[k], by, times } : (trace_term){ s->of[k], &one, times * *by };
}

// From which inputs a node follows, to which results it leads. Values that only guards ask for lead to none.
static void look_at_needs(trace *t, const unsigned char *varies) {
  for (int i = 0; i < t->nconst; i++) t->depends[1 + i] = varies[i] ? BY_GIVEN : 0;
  for (int i = 0; i < t->nstate; i++) t->depends[t->state + i] = BY_GIVEN;
  for (int i = 0; i < t->nw; i++) t->depends[t->w + i] = BY_W;
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
// Steps whose nodes depend on `on` and lead to `to`, with their terms that depend on `of`.
typedef struct wanted { int on, to, of; } wanted;

// Of a node: the step that makes it, -1: none; the sums of each pass that ask for it, 2: more than one; whether one of
// these has a factor that changes; whether it has no sum; how many of its kind stand within each other; its terms.
typedef struct made { int step, terms; unsigned char asked[PASSES], changes, inside, deep; } made;

static int is_wanted(const trace *t, const trace_step *s, wanted w) {
  return terms_of(t, s) > 0 && (t->depends[s->to] & w.on) && (t->leads[s->to] & w.to);
}

static void ask(const trace *t, const trace_step *s, wanted w, int pass, made *m) {
  for (int k = 0; k < terms_of(t, s); k++) {
    trace_term x = term_of(t, s, k);
    if (!(t->depends[x.at] & w.of)) continue;
    m[x.at].asked[pass] = m[x.at].asked[pass] ? 2 : 1;
    m[x.at].changes |= x.by != &one;
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
  int once = to->terms == 1 || (to->asked[0] < 2 && to->asked[1] < 2);
  to->inside = once && !to->changes && to->deep < DEEPEST && !(t->leads[s->to] & RESULT);
}

static made *looked(const trace *t, const wanted *w, int passes) {
  made *m = calloc((size_t)t->n + 1, sizeof *m);
  if (!m) return NULL;
  for (int i = 0; i < t->n; i++) m[i].step = -1;
  for (int i = 0; i < t->nstep; i++) {
    if (terms_of(t, &t->step[i]) > 0) m[t->step[i].to].step = i;
    for (int p = 0; p < passes; p++) if (is_wanted(t, &t->step[i], w[p])) ask(t, &t->step[i], w[p], p, m);
  }
  for (int i = 0; i < t->nstep; i++)
    if (terms_of(t, &t->step[i]) > 0) look_inside(t, &t->step[i], w[0].of | w[passes - 1].of, m);
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

// width: numbers of a node.
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

// ---- the room of a trace --------------------------------------------------------------------------------------------
static int begin(trace *t, const unsigned char *varies) {
  (void)replay_values(t);
  t->depends = calloc((size_t)t->n, 1);
  t->leads = calloc((size_t)t->n, 1);
  if (!t->depends || !t->leads || !trace_look(t)) return 0;
  look_at_needs(t, varies);
  return 1;
}

// The factors of the matrix that change.
static int take_factors(trace *t) {
  t->factor = malloc(((size_t)t->matrix.nterm + 1) * sizeof *t->factor);
  t->by_factor = malloc(((size_t)t->matrix.nterm + 1) * sizeof *t->by_factor);
  if (!t->factor || !t->by_factor) return 0;
  for (int i = 0; i < t->matrix.nterm; i++) {
    if (t->matrix.term[i].by == &one) continue;
    t->factor[t->nfactor] = NAN;
    t->by_factor[t->nfactor++] = t->matrix.term[i].by;
  }
  return 1;
}

int trace_finish(trace *t, const unsigned char *varies, int lanes) {
  t->lanes = (lanes + 3) / 4 * 4;
  t->columns = (t->nw + 3) / 4 * 4;
  t->lane = calloc((size_t)t->n * (size_t)t->lanes + 1, sizeof *t->lane);
  t->column = calloc((size_t)t->n * (size_t)t->columns + 1, sizeof *t->column);
  if (!begin(t, varies) || !t->lane || !t->column) return 0;
  const wanted given[] = { { BY_GIVEN, TO_EQ | TO_OUT, BY_GIVEN }, { BY_W, TO_OUT, BY_W | BY_GIVEN } };
  const wanted matrix = { BY_W, TO_EQ, BY_W };
  made *m = looked(t, given, 2), *of_matrix = looked(t, &matrix, 1);
  int good = take_sums(t, &t->given, given[0], m, t->lanes) && take_sums(t, &t->follow, given[1], m, t->lanes) &&
             take_sums(t, &t->matrix, matrix, of_matrix, t->columns) && take_factors(t);
  free(m);
  free(of_matrix);
  for (int i = 0; good && i < t->nw; i++) t->column[(size_t)(t->w + i) * (size_t)t->columns + (size_t)i] = 1;
  trace_shorten(t);
  return good;
}

int trace_finish_back(trace *t, int nof) {
  unsigned char *all = malloc((size_t)t->nconst + 1);
  t->bar = calloc((size_t)t->n * (size_t)nof + 1, sizeof *t->bar);
  if (all) memset(all, 1, (size_t)t->nconst);
  int good = all && t->bar && begin(t, all);
  free(all);
  if (!good) return 0;
  const wanted every = { BY_GIVEN | BY_W, TO_EQ | TO_OUT, BY_GIVEN | BY_W };
  made *m = looked(t, &every, 1);
  good = take_sums(t, &t->back, every, m, 1);
  free(m);
  trace_shorten(t);
  return good;
}
