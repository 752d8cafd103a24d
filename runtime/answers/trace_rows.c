// The derivatives of a trace's results by its seeds, row by row, each with the entries that it has: sums of rows, in
// the order of the trace [Griewank and Walther 2008, 7.1]. A row is short, however many seeds there are. A node that is
// asked for often, as a place at the end of the step, is a seed itself on the way, so that those which ask for it have
// one entry for it; results have its row times that entry.
#include "trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OFTEN = 4, LONG = 3 };            // how often a node is asked for, and the entries of its row, so that it is one

// Seeds of the way stand behind those of the rows.
typedef struct making {
  trace *t;
  trace_rows *r;
  const trace_sums *s;
  trace_row *row, *whole;               // [t->n] as those that ask have it; [sums] of seeds of the way, by true seeds
  unsigned char *moves, *result;        // [t->n] an entry changes; it is asked for behind the piece
  int *asked;                           // [t->n]
  int *mark, *list, *place;             // [all seeds] the last sum that had it; seeds; where its pairs go, -1: nowhere
  int *factor, way;                     // [terms of a sum] its factor, once it has one; how many seeds of the way
  int *at, nconstant, rooms[3];         // [entries] where its value is: its own, or the one factor that it is
  double *constant;
} making;

static int more(void **at, int n, int *room, size_t size) {
  if (n <= *room) return 1;
  int all = 2 * n;
  void *to = realloc(*at, (size_t)all * size);
  if (!to) return 0;
  *at = to;
  *room = all;
  return 1;
}

// ---- seeds ----------------------------------------------------------------------------------------------------------
static void seed(making *m, int node) {
  trace_rows *r = m->r;
  int s = r->nseed++;
  r->seed[s] = node;
  r->value[s] = 1;
  r->of[s] = m->at[s] = s;
  m->row[node] = (trace_row){ s, 0, 1 };
}

static void seeds(making *m) {
  const trace *t = m->t;
  for (int i = 1; i <= t->nconst && t->lanes == 0; i++) if (t->depends[i]) seed(m, i);
  for (int i = 0; i < t->nstate && t->lanes == 0; i++) seed(m, t->state + i);
  if (t->lanes == 0) seed(m, t->h);
  m->r->ngiven = m->r->nseed;
  for (int i = 0; i < m->r->ngiven; i++) m->row[m->r->seed[i]].given = 1;
  for (int i = 0; i < t->nw; i++) seed(m, t->w + i);
  m->r->nvalue = m->r->nseed;
}

// ---- factors --------------------------------------------------------------------------------------------------------
// Until all rows are known factors and constants have negative places.
static int factor_of(making *m, const trace_term *k) {
  trace_rows *r = m->r;
  if (k->by == &trace_one) {
    for (int i = m->nconstant - 1; i >= 0 && i >= m->nconstant - 4; i--)
      if (m->constant[i] == k->times) return -2 * i - 1;
    if (!more((void **)&m->constant, m->nconstant + 1, &m->rooms[0], sizeof *m->constant)) return 0;
    m->constant[m->nconstant] = k->times;
    return -2 * m->nconstant++ - 1;
  }
  if (!more((void **)&r->factor, r->nfactor + 1, &m->rooms[1], sizeof *r->factor)) return 0;
  r->factor[r->nfactor] = (trace_factor){ k->by, k->times };
  return -2 * r->nfactor++ - 2;
}

static void take_places(making *m) {
  trace_rows *r = m->r;
  for (int i = 0; i < r->npair; i++) {
    int by = -1 - r->pair[i].by;
    if (by >= 0) r->pair[i].by = r->nvalue + (by % 2 ? by / 2 : r->nfactor + by / 2);
    by = -1 - r->pair[i].x;
    if (by >= 0) r->pair[i].x = r->nvalue + (by % 2 ? by / 2 : r->nfactor + by / 2);
  }
  for (int i = 0; i < r->nfactor; i++) r->value[r->nvalue + i] = NAN;
  for (int i = 0; i < m->nconstant; i++) r->value[r->nvalue + r->nfactor + i] = m->constant[i];
}

// ---- rows -----------------------------------------------------------------------------------------------------------
static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int put(making *m, int n, int number, const trace_row *x) {
  for (int i = x->first; i < x->first + x->n; i++) {
    int of = m->r->of[i];
    if (m->mark[of] == number) continue;
    m->mark[of] = number;
    m->list[n++] = of;
  }
  return n;
}

// Pairs of the entries that have a place: where they go, or, counted, how many each has.
static int give_pairs(making *m, const trace_sum *sum, const trace_row *way, int nway, int counts) {
  trace_rows *r = m->r;
  const trace_term *k = m->s->term + sum->first;
  for (int j = 0; j < sum->n; j++) {
    const trace_row *x = &m->row[k[j].at];
    for (int i = x->first; i < x->first + x->n; i++) {
      int *to = &m->place[r->of[i]];
      if (*to < 0) continue;
      if (!counts && m->factor[j] == 0 && !(m->factor[j] = factor_of(m, &k[j]))) return 0;
      if (!counts) r->pair[*to] = (trace_pair){ m->factor[j], m->at[i] };
      ++*to;
    }
  }
  for (int j = 0; j < nway; j++) {
    const trace_row *x = &m->whole[r->of[way->first + j] - r->nseed];
    for (int i = x->first; i < x->first + x->n; i++) {
      int *to = &m->place[r->of[i]];
      if (*to < 0) continue;
      if (!counts) r->pair[*to] = (trace_pair){ m->at[way->first + j], m->at[i] };
      ++*to;
    }
  }
  return 1;
}

// Entries for n seeds in list; those of the way are known, in `way`, where true ones are made of them.
static int add_entries(making *m, const trace_sum *sum, const int *list, int n, const trace_row *way, trace_row *row) {
  trace_rows *r = m->r;
  int first = r->nvalue, rooms[2] = { r->room[1], r->room[1] };
  if (!more((void **)&r->value, first + n, &r->room[1], sizeof *r->value) ||
      !more((void **)&r->of, first + n, &rooms[0], sizeof *r->of) ||
      !more((void **)&m->at, first + n, &m->rooms[2], sizeof *m->at) ||
      !more((void **)&r->end, first + n, &rooms[1], sizeof *r->end)) return 0;
  *row = (trace_row){ first, 0, n };
  for (int i = 0; i < n; i++) m->place[list[i]] = 0;
  (void)give_pairs(m, sum, way, way->n, 1);
  for (int i = 0; i < n; i++) {
    int pairs = m->place[list[i]];
    r->of[first + i] = list[i];
    row->given += list[i] < r->ngiven;
    m->place[list[i]] = r->npair;
    r->npair += pairs;
    r->end[first + i] = r->npair;
    m->at[first + i] = first + i;
  }
  r->nvalue += n;
  int good = more((void **)&r->pair, r->npair, &r->room[0], sizeof *r->pair) && give_pairs(m, sum, way, way->n, 0);
  for (int i = 0; i < n; i++) m->place[list[i]] = -1;
  return good;
}

// The value of a seed of the way is 1, that of the first seed.
static int take_way(making *m, int node, trace_row whole) {
  const trace_sum none = { 0 };
  const trace_row empty = { 0 };
  int of = m->r->nseed + m->way;
  m->whole[m->way++] = whole;
  if (!add_entries(m, &none, &of, 1, &empty, &m->row[node])) return 0;
  m->at[m->row[node].first] = 0;
  return 1;
}

// A row by true seeds.
static trace_row whole_of(const making *m, int node) {
  const trace_row *x = &m->row[node];
  return x->n == 1 && m->r->of[x->first] >= m->r->nseed ? m->whole[m->r->of[x->first] - m->r->nseed] : *x;
}

// Of entries that no result has: the value of one that is a factor times 1 is that of the factor. The pairs of the
// others close up.
static void leave_out(making *m, int first) {
  trace_rows *r = m->r;
  int from = first > r->nseed ? r->end[first - 1] : 0, kept = from;
  for (int i = first; i < r->nvalue; i++) {
    int n = r->end[i] - from;
    const trace_pair *k = r->pair + from;
    if (n == 1 && k->x < r->nseed && k->x >= 0) { m->at[i] = k->by; n = 0; }
    memmove(r->pair + kept, k, (size_t)n * sizeof *k);
    from = r->end[i];
    r->end[i] = kept += n;
  }
  r->npair = kept;
}

static int add_row(making *m, int number) {
  trace_rows *r = m->r;
  const trace_sum *sum = &m->s->at[number];
  const trace_term *k = m->s->term + sum->first;
  const trace_row none = { 0 };
  trace_row way = { 0 }, *row = &m->row[sum->to];
  int n = 0, often = m->asked[sum->to] >= OFTEN, whole = often || m->result[sum->to];
  memset(m->factor, 0, (size_t)sum->n * sizeof *m->factor);
  for (int j = 0; j < sum->n; j++) n = put(m, n, number, &m->row[k[j].at]);
  qsort(m->list, (size_t)n, sizeof *m->list, ascending);
  int own = n;
  while (whole && own > 0 && m->list[own - 1] >= r->nseed) own--;
  if (own < n) {
    if (!add_entries(m, sum, m->list + own, n - own, &none, &way)) return 0;
    n = own;
    for (int j = 0; j < way.n; j++) n = put(m, n, number, &m->whole[r->of[way.first + j] - r->nseed]);
    qsort(m->list, (size_t)n, sizeof *m->list, ascending);
  }
  if (!add_entries(m, sum, m->list, n, &way, row)) return 0;
  if (often && n >= LONG) return take_way(m, sum->to, *row);
  if (!m->result[sum->to]) leave_out(m, row->first);
  return 1;
}

static int take_results(making *m) {
  const trace *t = m->t;
  trace_rows *r = m->r;
  r->eq = malloc(((size_t)t->nw + 1) * sizeof *r->eq);
  r->out = malloc(((size_t)t->nout + 1) * sizeof *r->out);
  if (!r->eq || !r->out) return 0;
  for (int i = 0; i < t->nw; i++) r->eq[i] = whole_of(m, t->eq[i]);
  for (int i = 0; i < t->nout && t->lanes == 0; i++) r->out[i] = whole_of(m, t->out[i]);
  return 1;
}

// Entries, each a sum of products.
static void sum_up(const trace_rows *r) {
  double *value = r->value;
  const trace_pair *k = r->pair;
  for (int e = r->nseed; e < r->nvalue; e++) {
    double sum = 0;
    for (const trace_pair *end = r->pair + r->end[e]; k < end; k++) sum += value[k->by] * value[k->x];
    value[e] = sum;
  }
}

// ---- once more ------------------------------------------------------------------------------------------------------
// Entries that change are done by levels, those of a level not hanging on each other, and within it by how many pairs
// they have: a loop whose length is known to the processor is quicker.
typedef struct task { int level, pairs, entry; } task;

static int earlier(const void *a, const void *b) {
  const task *x = a, *y = b;
  return x->level != y->level ? x->level - y->level : x->pairs != y->pairs ? x->pairs - y->pairs : x->entry - y->entry;
}

static int levels(const trace_rows *r, task *all, int *level) {
  int n = 0;
  memset(level, 0, (size_t)r->nvalue * sizeof *level);
  for (int e = r->moving; e < r->nvalue; e++) {
    const int from = e > r->nseed ? r->end[e - 1] : 0;
    for (const trace_pair *k = r->pair + from; k < r->pair + r->end[e]; k++)
      for (int i = 0, of[] = { k->by, k->x }; i < 2; i++)
        if (of[i] < r->nvalue && level[of[i]] >= level[e]) level[e] = level[of[i]] + 1;
    if (r->end[e] > from) all[n++] = (task){ level[e], r->end[e] - from, e };
  }
  qsort(all, (size_t)n, sizeof *all, earlier);
  return n;
}

static int arrange(trace_rows *r) {
  const size_t n = (size_t)(r->nvalue - r->moving) + 1;
  task *all = malloc(n * sizeof *all);
  int *level = malloc(((size_t)r->nvalue + 1) * sizeof *level);
  r->to = malloc(n * sizeof *r->to);
  r->run = malloc(n * sizeof *r->run);
  r->again = malloc(((size_t)r->npair + 1) * sizeof *r->again);
  int good = all && level && r->to && r->run && r->again;
  if (good) r->nto = levels(r, all, level);
  trace_pair *to = r->again;
  for (int i = 0; good && i < r->nto; i++) {
    const task *k = &all[i];
    memcpy(to, r->pair + r->end[k->entry] - k->pairs, (size_t)k->pairs * sizeof *to);
    to += k->pairs;
    r->to[i] = k->entry;
    if (i > 0 && k->level == k[-1].level && k->pairs == k[-1].pairs) r->run[r->nrun - 1].n++;
    else r->run[r->nrun++] = (trace_run){ 1, k->pairs };
  }
  free(all);
  free(level);
  return good;
}

static inline __attribute__((always_inline)) void run_of(double *value, const int *to, const trace_pair *k, int n,
                                                         int pairs) {
  for (const int *end = to + n; to < end; to++) {
    double sum = 0;
    for (int i = 0; i < pairs; i++, k++) sum += value[k->by] * value[k->x];
    value[*to] = sum;
  }
}

static void do_again(const trace_rows *r) {
  const trace_pair *k = r->again;
  const int *to = r->to;
  for (const trace_run *run = r->run, *last = run + r->nrun; run < last; run++) {
    if (run->pairs == 1) run_of(r->value, to, k, run->n, 1);
    else if (run->pairs == 2) run_of(r->value, to, k, run->n, 2);
    else if (run->pairs == 4) run_of(r->value, to, k, run->n, 4);
    else run_of(r->value, to, k, run->n, run->pairs);
    to += run->n;
    k += run->n * run->pairs;
  }
}

int trace_rows_again(trace_rows *r) {
  int same = 1;
  double *last = r->value + r->nvalue;
  for (int i = 0; i < r->nfactor; i++) {
    const double x = r->factor[i].times * *r->factor[i].by;
    same &= last[i] == x;
    last[i] = x;
  }
  if (!same) do_again(r);
  return !same;
}

static int moves(const making *m, const trace_sum *sum) {
  int any = 0;
  for (const trace_term *k = m->s->term + sum->first, *end = k + sum->n; k < end; k++)
    any |= k->by != &trace_one || m->moves[k->at];
  return any;
}

// First the rows that stay as they are.
static int take_rows(making *m) {
  const trace_sums *s = m->s;
  trace_rows *r = m->r;
  int good = 1;
  for (int i = 0; i < s->nterm; i++) m->asked[s->term[i].at]++;
  for (int i = 0; i < s->n; i++) m->moves[s->at[i].to] = moves(m, &s->at[i]);
  for (int pass = 0; pass < 2; pass++) {
    if (pass > 0) r->moving = r->nvalue;
    for (int i = 0; good && i < s->n; i++) if (m->moves[s->at[i].to] == pass) good = add_row(m, i);
  }
  return good && take_results(m) &&
         more((void **)&r->value, r->nvalue + r->nfactor + m->nconstant, &r->room[1], sizeof *r->value);
}

int trace_rows_of(trace *t, const trace_sums *sums) {
  trace_rows *r = &t->rows;
  const int most = t->nconst + t->nstate + t->nw + 1;
  const size_t n = (size_t)most, all = n + (size_t)sums->n, nodes = (size_t)t->n;
  int *room = malloc((2 * nodes + 3 * all + (size_t)sums->nterm + 1) * sizeof *room), rooms[2] = { 0 };
  making m = { .t = t, .r = r, .s = sums, .row = calloc(nodes + all, sizeof *m.row), .moves = calloc(nodes, 2) };
  r->seed = malloc(n * sizeof *r->seed);
  int good = m.row && m.moves && room && r->seed && more((void **)&r->value, most, &r->room[1], sizeof *r->value) &&
             more((void **)&r->of, most, &rooms[0], sizeof *r->of) &&
             more((void **)&m.at, most, &m.rooms[2], sizeof *m.at) &&
             more((void **)&r->end, most, &rooms[1], sizeof *r->end);
  if (good) {
    m.whole = m.row + nodes;
    m.result = m.moves + nodes;
    m.asked = room;
    m.mark = room + nodes;
    m.list = m.mark + all;
    m.place = m.list + all;
    m.factor = m.place + all;
    memset(m.asked, 0, nodes * sizeof *m.asked);
    memset(m.mark, -1, all * sizeof *m.mark);
    memset(m.place, -1, all * sizeof *m.place);
    for (int i = 0; i < t->nw; i++) m.result[t->eq[i]] = 1;
    for (int i = 0; i < t->nout; i++) m.result[t->out[i]] = 1;
    seeds(&m);
  }
  good = good && take_rows(&m);
  if (good) {
    take_places(&m);
    good = arrange(r);
    (void)trace_rows_again(r);
    sum_up(r);
  }
  free(m.row);
  free(m.moves);
  free(m.constant);
  free(m.at);
  free(room);
  return good;
}

void trace_rows_free(trace_rows *r) {
  const void *all[] = { r->seed, r->pair, r->end, r->value, r->of, r->eq, r->out, r->factor,
                        r->again, r->to, r->run };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free((void *)all[i]);
}
