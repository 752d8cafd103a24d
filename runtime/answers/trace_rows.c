// The derivatives of a trace's results by its seeds, row by row, each with the entries that it has: sums of rows, in
// the order of the trace [Griewank and Walther 2008, 7.1]. A row is short, however many seeds there are.
#include "trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// row, moves [t->n] of nodes: an entry changes; mark, list, place_of [seeds]
typedef struct making { trace *t; trace_rows *r; trace_row *row; unsigned char *moves; int *mark, *list, *place_of; }
    making;

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
  r->of[s] = s;
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

// ---- rows -----------------------------------------------------------------------------------------------------------
static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// The seeds of a sum, into list; their number. mark: the last sum that had this seed.
static int seeds_of(making *m, const trace_sums *s, int number) {
  const trace_sum *sum = &s->at[number];
  int n = 0;
  for (const trace_term *k = s->term + sum->first, *end = k + sum->n; k < end; k++) {
    const trace_row *x = &m->row[k->at];
    for (int i = x->first; i < x->first + x->n; i++) {
      int of = m->r->of[i];
      if (m->mark[of] == number) continue;
      m->mark[of] = number;
      m->list[n++] = of;
    }
  }
  qsort(m->list, (size_t)n, sizeof *m->list, ascending);
  return n;
}

static int add_parts(making *m, const trace_sums *s, const trace_sum *sum) {
  trace_rows *r = m->r;
  for (const trace_term *k = s->term + sum->first, *end = k + sum->n; k < end; k++) {
    const trace_row *x = &m->row[k->at];
    if (x->n == 0) continue;
    if (!more((void **)&r->part, r->nparts + 1, &r->room[0], sizeof *r->part) ||
        !more((void **)&r->place, r->nplaces + x->n, &r->room[1], sizeof *r->place)) return 0;
    r->part[r->nparts++] = (trace_part){ k->by, k->times, x->first, x->n, r->nplaces };
    for (int i = 0; i < x->n; i++) r->place[r->nplaces++] = m->place_of[r->of[x->first + i]];
  }
  return 1;
}

static int add_row(making *m, const trace_sums *s, int number) {
  trace_rows *r = m->r;
  int n = seeds_of(m, s, number), first = r->nvalue, entries = r->room[2];
  if (!more((void **)&r->value, first + n, &r->room[2], sizeof *r->value) ||
      !more((void **)&r->of, first + n, &entries, sizeof *r->of)) return 0;
  trace_row *row = &m->row[s->at[number].to];
  *row = (trace_row){ first, 0, n };
  for (int i = 0; i < n; i++) {
    r->of[first + i] = m->list[i];
    m->place_of[m->list[i]] = first + i;
    row->given += m->list[i] < r->ngiven;
  }
  r->nvalue += n;
  return add_parts(m, s, &s->at[number]);
}

static int take_factors(trace_rows *r) {
  r->factor = malloc(((size_t)r->nparts + 1) * sizeof *r->factor);
  r->last = malloc(((size_t)r->nparts + 1) * sizeof *r->last);
  if (!r->factor || !r->last) return 0;
  for (int i = 0; i < r->nparts; i++) {
    if (r->part[i].by == &trace_one) continue;
    r->last[r->nfactor] = NAN;
    r->factor[r->nfactor++] = r->part[i].by;
  }
  return 1;
}

static int take_results(making *m) {
  const trace *t = m->t;
  trace_rows *r = m->r;
  r->eq = malloc(((size_t)t->nw + 1) * sizeof *r->eq);
  r->out = malloc(((size_t)t->nout + 1) * sizeof *r->out);
  if (!r->eq || !r->out) return 0;
  for (int i = 0; i < t->nw; i++) r->eq[i] = m->row[t->eq[i]];
  for (int i = 0; i < t->nout && t->lanes == 0; i++) r->out[i] = m->row[t->out[i]];
  return 1;
}

static void sum_up(trace_rows *r) {
  memset(r->value + r->moving, 0, (size_t)(r->nvalue - r->moving) * sizeof *r->value);
  for (const trace_part *k = r->part + r->again, *end = r->part + r->nparts; k < end; k++) {
    const double by = k->times * *k->by, *restrict x = r->value + k->from;
    if (by == 0) continue;
    double *restrict to = r->value;
    const int *place = r->place + k->to;
    for (int i = 0; i < k->n; i++) to[place[i]] += by * x[i];
  }
}

int trace_rows_again(trace_rows *r) {
  int same = 1;
  for (int i = 0; i < r->nfactor; i++) {
    same &= r->last[i] == *r->factor[i];
    r->last[i] = *r->factor[i];
  }
  if (!same) sum_up(r);
  return !same;
}

static int moves(const making *m, const trace_sums *s, const trace_sum *sum) {
  int any = 0;
  for (const trace_term *k = s->term + sum->first, *end = k + sum->n; k < end; k++)
    any |= k->by != &trace_one || m->moves[k->at];
  return any;
}

// First the rows that stay as they are.
static int take_rows(making *m, const trace_sums *s) {
  trace_rows *r = m->r;
  int good = 1;
  for (int i = 0; i < s->n; i++) m->moves[s->at[i].to] = moves(m, s, &s->at[i]);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; good && i < s->n; i++) if (m->moves[s->at[i].to] == pass) good = add_row(m, s, i);
    if (pass > 0) break;
    r->moving = r->nseed;
    if (good) sum_up(r);
    r->moving = r->nvalue;
    r->again = r->nparts;
  }
  return good;
}

int trace_rows_of(trace *t, const trace_sums *sums) {
  trace_rows *r = &t->rows;
  const int most = t->nconst + t->nstate + t->nw + 1;
  const size_t n = (size_t)most, nodes = (size_t)t->n;
  int *room = malloc((3 * n + 1) * sizeof *room), entries = 0;
  making m = { t, r, calloc(nodes, sizeof *m.row), calloc(nodes, 1), room, room + n, room + 2 * n };
  r->seed = malloc(n * sizeof *r->seed);
  int good = m.row && m.moves && room && r->seed && more((void **)&r->value, most, &r->room[2], sizeof *r->value) &&
             more((void **)&r->of, most, &entries, sizeof *r->of);
  if (good) {
    memset(m.mark, -1, n * sizeof *m.mark);
    seeds(&m);
  }
  good = good && take_rows(&m, sums) && take_results(&m) && take_factors(r);
  if (good) sum_up(r);
  free(m.row);
  free(m.moves);
  free(room);
  return good;
}

void trace_rows_free(trace_rows *r) {
  const void *all[] = { r->seed, r->part, r->place, r->value, r->of, r->eq, r->out, r->factor, r->last };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free((void *)all[i]);
}
