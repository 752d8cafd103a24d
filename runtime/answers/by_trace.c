// Pieces that end at a known time are played by their trace (trace.h): with their length h known, dh = dt_k - dt, the
// equations (2) of piece.c are
//
//     R_w dw = -(R_Y dY + R_t dt + R_h dh + R_c dc)
//
// at the values that Newton's method ends with. The matrix has rows of its entries (trace_rows.c). Few directions go
// through all nodes: one pass for the right sides, one solve, and a pass for what the next piece begins with. Of many
// all results have such rows, which are multiplied by what is given. The other pieces, and those with delays, inputs
// that follow a file, or kernels that branch, are for piece.c. From one piece to the next the state is one array of
// numbers (player.numbers) with their directions.
#include "play.h"
#include "trace.h"
#include "runtime/schemes/schemes.h"
#include <stdlib.h>
#include <string.h>

enum { CORRECTIONS = 4, MANY = 200, MOST_TRACES = 48, CLOCK = 3, DENSE = 16, FEW = 64, LANES = 8 };
static const double settled = 1e-12, singular = 1e-12;    // as in piece.c

typedef double four __attribute__((vector_size(32), aligned(8)));
#define FOUR(x, i) (*(four *)((x) + (i)))
#define GIVEN(x, i) (*(const four *)((x) + (i)))

struct play_traces {
  tracer *maker;
  trace  *first;
  int     n, nconst, refused;
  unsigned char *varies;                // [nconst]
  double *by, *state, *lane, *next, *dh;                   // [nconst, lanes]; [states]; [states, lanes] now, and those
                                        // that the piece moves behind it; [lanes] of the length
  int     lanes, units;                 // units: directions are not in `lane` but in `unit`
  int    *unit;                         // [states] the one direction that a number has, of length 1; -1: none
  const trace_stand **stand;            // [states] of `last`, the last piece: they are found where they are asked for;
  trace *last;                          // NULL: they stand in `lane`
  double *b;                            // right sides of the largest trace, then unknowns, [lanes]
  size_t  room;
  double  inverse;                      // largest sum of a row of the matrix' inverse; negative: it is not known
};

// ---- open, close ----------------------------------------------------------------------------------------------------
static void close_traces(struct play_traces *t) {
  if (!t) return;
  for (trace *x = t->first, *next; x; x = next) { next = x->next; trace_free(x); }
  tracer_close(t->maker);
  free(t->varies);
  free(t->by);
  free(t->state);
  free(t->lane);
  free(t->next);
  free(t->unit);
  free((void *)t->stand);
  free(t->b);
  free(t->dh);
  free(t);
}

// Derivatives of constants, which stay as they are from the start on.
static void take_constants(player *p, struct play_traces *t) {
  const nsm_sim *s = p->s;
  int at = 0;
  for (int c = 0; c <= s->a->m->nclass; c++) {
    int clock = c == s->a->m->nclass, n = clock ? CLOCK : s->a->cls[c].tab.count * s->a->m->cls[c].nnum;
    for (int i = 0; i < n; i++, at++)
      for (int j = 0; j < p->np; j++) {
        const play_state *y = &p->of[j / DUAL_LANES];
        const dual *x = clock ? (i == 0 ? &y->start : i == 1 ? &y->step : &y->until) : &y->num[c][i];
        t->by[(size_t)at * (size_t)t->lanes + (size_t)j] = x->a[1 + j % DUAL_LANES];
        t->varies[at] |= x->a[1 + j % DUAL_LANES] != 0;
      }
  }
}

static int states(const nsm_sim *s) {
  play_state none = { 0 };
  play_place at[PLAY_PLACES];
  int n = 0;
  play_places(s, &none, at);
  for (int k = 0; k < PLAY_PLACES; k++) n += at[k].n;
  return n;
}

static struct play_traces *opened(player *p) {
  if (p->traces) return p->traces;
  struct play_traces *t = p->traces = calloc(1, sizeof *t);
  const nsm_sim *s = p->s;
  if (!t) return NULL;
  p->close_traces = close_traces;
  t->nconst = CLOCK;
  for (int c = 0; c < s->a->m->nclass; c++) t->nconst += s->a->cls[c].tab.count * s->a->m->cls[c].nnum;
  t->varies = calloc((size_t)t->nconst, 1);
  p->nnumbers = states(s);
  t->lanes = (p->np + 3) / 4 * 4;
  t->by = calloc((size_t)t->nconst * (size_t)t->lanes + 1, sizeof *t->by);
  t->state = calloc((size_t)p->nnumbers, sizeof *t->state);
  t->lane = calloc((size_t)p->nnumbers * (size_t)t->lanes + 1, sizeof *t->lane);
  t->next = calloc((size_t)p->nnumbers * (size_t)t->lanes + 1, sizeof *t->next);
  t->dh = calloc((size_t)t->lanes + 4, sizeof *t->dh);
  t->unit = calloc((size_t)p->nnumbers, sizeof *t->unit);
  t->stand = calloc((size_t)p->nnumbers, sizeof *t->stand);
  t->maker = tracer_open(p->s, p->with, NULL);
  t->refused = !t->maker || !t->varies || !t->by || !t->state || !t->lane || !t->next || !t->unit || !t->dh ||
               !t->stand;
  if (!t->refused) take_constants(p, t);
  return t;
}

// ---- inputs ---------------------------------------------------------------------------------------------------------
static int directions(const player *p, int chunk) {
  int n = p->np - chunk * DUAL_LANES;
  return n < DUAL_LANES ? n : DUAL_LANES;
}

// Number i of the state has a row of its own.
static void spell(const struct play_traces *t, int i, double *to) {
  memset(to, 0, (size_t)t->lanes * sizeof *to);
  if (t->unit[i] >= 0) to[t->unit[i]] = 1;
}

static void spell_all(player *p) {
  struct play_traces *t = p->traces;
  for (int i = 0; t->units && i < p->nnumbers; i++) spell(t, i, t->lane + (size_t)i * (size_t)t->lanes);
  t->units = 0;
}

// From the states of the player, or back into them; the chunk without directions is that of the first.
static void hand_over(player *p, int back) {
  struct play_traces *t = p->traces;
  play_place at[PLAY_PLACES];
  spell_all(p);
  for (int c = 0; c <= (back || p->nc == 0 ? p->nc : p->nc - 1); c++) {
    double *x = t->state, *row = t->lane + c * DUAL_LANES;
    int n = directions(p, c);
    play_places(p->s, &p->of[c], at);
    for (int k = 0; k < PLAY_PLACES; k++)
      for (int i = 0; i < at[k].n; i++, x++, row += t->lanes) {
        dual *y = &at[k].of[i];
        *(back ? &y->a[0] : x) = *(back ? x : &y->a[0]);
        for (int j = 0; j < n; j++) *(back ? &y->a[1 + j] : &row[j]) = *(back ? &row[j] : &y->a[1 + j]);
      }
  }
  p->numbers = back ? NULL : t->state;
}

void play_catch_up(player *p) { if (p->numbers) hand_over(p, 1); }

int play_begin_by_units(player *p, int first, const int *number, int n) {
  struct play_traces *t = opened(p);
  play_place at[PLAY_PLACES];
  if (!t || t->refused) return 0;
  double *x = t->state;
  play_places(p->s, &p->of[0], at);
  for (int k = 0; k < PLAY_PLACES; k++) for (int i = 0; i < at[k].n; i++) *x++ = at[k].of[i].a[0];
  for (int i = 0; i < p->nnumbers; i++) t->unit[i] = -1;
  memset((void *)t->stand, 0, (size_t)p->nnumbers * sizeof *t->stand);
  for (int j = 0; j < n; j++) t->unit[number[j]] = first + j;
  for (int i = p->nnumbers - 2; i < p->nnumbers; i++) spell(t, i, t->lane + (size_t)i * (size_t)t->lanes);
  t->units = 1;
  p->numbers = t->state;
  return 1;
}

void play_end_by_numbers(player *p) {
  if (p->numbers) spell_all(p);
  else hand_over(p, 0);
}

// What is read where the piece ends may stand at another time: how the end moves with the length is one more direction
// (held_time.c).
static int has_slope(const player *p, const tape_entry *e) { return tape_has_slope(e) && p->phase < 0; }

// The derivatives of a column of the class that ends the piece, or of a number of the clock.
static const double *by_column(const player *p, const tape_entry *e, int column) {
  const nsm_sim *s = p->s;
  int at = e->instance * s->a->m->cls[e->cls].nnum + column;
  for (int c = 0; c < e->cls; c++) at += s->a->cls[c].tab.count * s->a->m->cls[c].nnum;
  return p->traces->by + (size_t)at * (size_t)p->traces->lanes;
}

static const double *by_clock(const player *p, int which) {
  return p->traces->by + (size_t)(p->traces->nconst - CLOCK + which) * (size_t)p->traces->lanes;
}

// Those of the time at which the piece ends, which has been asked for if it is neither of these, [lanes].
static void time_of_end(const player *p, const tape_entry *e, double *to) {
  const int n = p->traces->lanes;
  const double *start = by_clock(p, 0);
  double number = (double)e->number;
  if (e->end == TAPE_EVERY) {
    const double *offset = by_column(p, e, 1), *every = by_column(p, e, 0);
    for (int j = 0; j < n; j++) to[j] = start[j] + offset[j] + every[j] * number;
  } else if (e->end != TAPE_CLOCK) {
    memset(to, 0, (size_t)n * sizeof *to);
  } else if (e->number >= p->s->a->total) {
    memcpy(to, by_clock(p, 2), (size_t)n * sizeof *to);
  } else {
    const double *step = by_clock(p, 1);
    for (int j = 0; j < n; j += 4) FOUR(to, j) = GIVEN(start, j) + GIVEN(step, j) * number;
  }
}

// dh: of a part of a phase that of the phase; else what is left to the end.
static void length_of(const player *p, const tape_entry *e, double *dh) {
  const double *t = p->traces->lane + (size_t)(p->nnumbers - 2) * (size_t)p->traces->lanes;
  if (e->parts || e->end == TAPE_SHORT) {
    memset(dh, 0, (size_t)p->traces->lanes * sizeof *dh);
    if (e->parts && p->phase >= 0) dh[p->phase] = 1 / (double)e->parts;
  } else {
    time_of_end(p, e, dh);
    for (int j = 0; j < p->traces->lanes; j += 4) FOUR(dh, j) -= GIVEN(t, j);
  }
}

// ---- which trace ----------------------------------------------------------------------------------------------------
static void give_constants(const struct play_traces *all, trace *t) {
  size_t n = (size_t)all->nconst * (size_t)all->lanes;
  if (t->lanes == all->lanes) memcpy(t->lane + t->lanes, all->by, n * sizeof *t->lane);
}

static void give_values(const struct play_traces *all, trace *t, const tape_entry *e) {
  memcpy(t->value + t->state, all->state, (size_t)t->nstate * sizeof(double));
  memcpy(t->value + t->w, e->solution, (size_t)t->nw * sizeof(double));
  t->value[t->h] = e->h;
}

// n numbers of the state, from number `at` on, are those of nodes from there on; those that stay are left out.
static void put(trace *t, const int *node, int first, int at, int n) {
  const trace_rows *r = &t->rows;
  for (int i = 0; i < n; i++) {
    int of = node ? node[i] : first + i;
    trace_row row = { r->ngiven + of - t->w, 0, 1 };
    if (node && t->lanes == 0) row = r->out[node - t->out + i];
    if (of != t->state + at + i) t->stands[t->nstands++] = (trace_stand){ of, at + i, row };
  }
}

static int take_stands(const player *p, trace *t, const tape_entry *e) {
  const nsm_sim *s = p->s;
  int points = play_at_points(e), nq = points ? s->a->nq : 0, nl = s->a->nl + 1, rows = s->n.r.n;
  int last = points ? 0 : (s->n.radau->m.s - 1) * s->n.radau->n, l = s->a->nq + s->a->nz;
  t->stands = malloc((size_t)p->nnumbers * sizeof *t->stands);
  t->unmoved = malloc((size_t)p->nnumbers * sizeof *t->unmoved);
  if (!t->stands || !t->unmoved) return 0;
  put(t, t->out, 0, 0, nq);
  put(t, t->out + nq, 0, l, nl);
  put(t, t->out + nq + nl, 0, l + nl + s->a->nd, 2 * rows);
  put(t, NULL, t->w + last, s->a->nq, points ? s->a->nz : s->n.radau->nz);
  for (int i = 0; i < p->nnumbers - 2; i++) {
    int k = 0;
    while (k < t->nstands && t->stands[k].number != i) k++;
    if (k == t->nstands) t->unmoved[t->nunmoved++] = i;
  }
  return 1;
}

// Few directions go through all nodes (trace_sums.c), many through the rows of the results alone. Without any there is
// the matrix.
static int few(const player *p) {
  int lanes = p->traces->lanes;
  return lanes > LANES ? 0 : lanes > 0 ? lanes : 4;
}

// Where directions of the seeds stand; those of unknowns follow from a solve.
static int take_seeds(struct play_traces *all, trace *t) {
  const size_t lanes = (size_t)all->lanes, n = (size_t)t->nw * (lanes + 4) + 4;
  double *b = n > all->room ? realloc(all->b, n * sizeof *b) : all->b;
  t->seed = malloc(((size_t)t->rows.nseed + 1) * sizeof *t->seed);
  t->unit = malloc(((size_t)t->rows.nseed + 1) * sizeof *t->unit);
  if (!b || !t->seed || !t->unit) return 0;
  all->b = b;
  if (n > all->room) all->room = n;
  for (int s = 0; s < t->rows.ngiven; s++) {
    int node = t->rows.seed[s], number = node - t->state;
    t->seed[s] = node == t->h ? all->dh : number < 0 ? all->by + (size_t)(node - 1) * lanes
                                                     : all->lane + (size_t)number * lanes;
  }
  return 1;
}

// One whose values are those of the entry now; NULL: there is none.
static trace *trace_of(player *p, struct play_traces *all, const tape_entry *e) {
  for (trace **at = &all->first; *at; at = &(*at)->next) {
    trace *t = *at;
    if (!trace_is_of(t, e, p->s)) continue;
    if (t->fails) return NULL;
    give_values(all, t, e);
    if (!replay_values(t)) continue;
    *at = t->next;                                         // to the front
    t->next = all->first;
    return all->first = t;
  }
  if (all->n++ >= MOST_TRACES) return NULL;
  trace *t = trace_made(all->maker, e, all->state, e->solution);
  if (!t) return NULL;
  t->fails = t->fails || !trace_finish(t, all->varies, few(p)) || !take_stands(p, t, e) || !take_seeds(all, t) ||
             (t->nw > DENSE && !trace_matrix_open(t, p->s));
  t->next = all->first;
  all->first = t;
  if (t->fails) return NULL;
  give_constants(all, t);
  give_values(all, t, e);
  return replay_values(t) ? t : NULL;
}

// ---- a piece --------------------------------------------------------------------------------------------------------
// Of a matrix that is used again, once.
static double inverse_of(const player *p, int n) {
  double most = 0, sum[n], x[n];
  memset(sum, 0, sizeof sum);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) x[i] = i == j;
    nsm_la_lu_solve(n, 1, p->J, n, p->pivot, x, n);
    for (int i = 0; i < n; i++) sum[i] += fabs(x[i]);
  }
  for (int i = 0; i < n; i++) most = fmax(most, sum[i]);
  return most;
}

// The way back takes dense factors.
static int is_sparse(const player *p, const trace *t) { return t->matrix && !p->keep; }

// The dense matrix, into p->E for play_factor.
static const double *dense_factor(player *p, trace *t, int new) {
  int n = t->nw;
  const trace_rows *r = &t->rows;
  int same = p->factored_of == t && p->factored == n;
  const long made = p->made;
  for (int i = 0; (new || !same) && i < n; i++) {
    double *to = p->E + (size_t)i * (size_t)p->stride + p->np;
    memset(to, 0, (size_t)n * sizeof *to);
    for (int e = r->eq[i].first + r->eq[i].given; e < r->eq[i].first + r->eq[i].n; e++)
      to[r->of[e] - r->ngiven] = r->value[e];
  }
  if (new || !same) play_factor(p, n);
  if (p->pseudo || p->failed) return NULL;
  same &= p->made == made;
  if (!same) p->traces->inverse = -1;
  else if (p->traces->inverse < 0 && n <= FEW) p->traces->inverse = inverse_of(p, n);
  p->factored_of = t;
  return p->scale;
}

// What rows are scaled by; NULL: it is singular.
static const double *factor(player *p, trace *t) {
  int new = trace_rows_again(&t->rows);
  if (!is_sparse(p, t)) return dense_factor(p, t, new);
  p->traces->inverse = -1;
  p->factored_of = NULL;
  return trace_matrix_factor(t, p->s, singular);
}

// J x = b [n, lanes] in place, lanes a multiple of four.
static NSM_WIDE void solve_lanes(const player *p, int n, double *b, int lanes) {
#define ROW(i) ((four *)(b + (size_t)(i) * (size_t)lanes + from))
  for (int from = 0; from < lanes; from += 4) {
    for (int k = 0; k < n; k++) {
      four x = *ROW(k);
      *ROW(k) = *ROW(p->pivot[k]);
      *ROW(p->pivot[k]) = x;
    }
    for (int j = 0; j < n; j++) {
      const double *L = p->J + (size_t)j * (size_t)n;
      four x = *ROW(j);
      for (int i = j + 1; i < n; i++) *ROW(i) -= L[i] * x;
    }
    for (int j = n - 1; j >= 0; j--) {
      const double *U = p->J + (size_t)j * (size_t)n;
      four x = *ROW(j) /= U[j];
      for (int i = 0; i < j; i++) *ROW(i) -= U[i] * x;
    }
  }
#undef ROW
}

// Newton's correction of w; how large it is beside w.
static double correct(const player *p, trace *t, const double *scale) {
  int n = t->nw;
  double most = 0, size = 0, change = 0, *w = t->value + t->w;
  for (int i = 0; i < n; i++) {
    double off = p->rhs[i] = -scale[i] * t->value[t->eq[i]];
    if (!(fabs(off) <= most)) most = fabs(off);
    size = fmax(size, fabs(w[i]));
    if (p->keep) p->solved[i] = w[i];
  }
  if (p->phase < 0 && p->traces->inverse >= 0 && p->traces->inverse * most <= DBL_EPSILON * size) return 0;
  if (is_sparse(p, t)) trace_matrix_solve(t, p->rhs);
  else nsm_la_lu_solve(n, 1, p->J, n, p->pivot, p->rhs, n);
  for (int i = 0; i < n; i++) {
    w[i] += p->rhs[i];
    size = fmax(size, fabs(w[i]));
    change = fmax(change, fabs(p->rhs[i]));
    if (!(change < INFINITY)) change = INFINITY;
  }
  return size > 0 ? change / size : 0;
}

// Newton's method, and the factors of its last matrix: what rows of that are scaled by; NULL: it does not end.
static const double *converge(player *p, trace *t) {
  for (int k = 0; k < CORRECTIONS; k++) {
    if (k > 0 && !replay_values(t)) return NULL;
    const double *scale = factor(p, t);
    if (!scale) return NULL;
    if (correct(p, t, scale) <= settled) return scale;
  }
  return NULL;
}

// ---- derivatives ----------------------------------------------------------------------------------------------------
// to += by times the entries of a row, of those seeds
static inline __attribute__((always_inline)) void add_entries(const trace_rows *r, const trace_along *a, int first,
                                                              int end, double by, double *to) {
  for (int e = first; e < end; e++) {
    const double x = by * r->value[e], *from = a->seed[r->of[e]];
    int unit = a->unit ? a->unit[r->of[e]] : TRACE_HAS_LANES;
    if (unit >= 0) to[unit] += x;
    for (int j = 0; unit == TRACE_HAS_LANES && j < a->lanes; j += 4) FOUR(to, j) += x * GIVEN(from, j);
  }
}

static NSM_WIDE void right_sides(const trace *t, const trace_along *a, const double *scale) {
  const size_t wide = (size_t)a->lanes;
  const trace_row *row = t->rows.eq;
  memset(a->b, 0, (size_t)t->nw * wide * sizeof *a->b);
  for (int i = 0; i < t->nw; i++, row++)
    add_entries(&t->rows, a, row->first, row->first + row->given, -scale[i], a->b + (size_t)i * wide);
}

static NSM_WIDE void result(const trace *t, const trace_along *a, trace_row row, double *to) {
  memset(to, 0, (size_t)a->lanes * sizeof *to);
  add_entries(&t->rows, a, row.first, row.first + row.n, 1, to);
}

// At the end of the tape what numbers without a unit have is not asked for, that of the others one after the other.
static int ends_units(const player *p, const tape_entry *e) {
  return p->traces->units && p->in_numbers && p->index + 1 == p->tape->n && !has_slope(p, e);
}

const double *play_directions(const player *p, int number) {
  struct play_traces *all = p->traces;
  const trace_stand *x = all->stand[number];
  if (!x) return all->lane + (size_t)number * (size_t)all->lanes;
  const trace *t = all->last;
  if (x->row.n == 1 && x->row.first >= t->rows.ngiven && x->row.first < t->rows.nseed) return t->seed[x->row.first];
  result(t, &(trace_along){ all->lanes, t->seed, t->unit, all->b }, x->row, all->next);
  return all->next;
}

// dw along them, at a->b; place [nw]: the row of each.
static void solve(const player *p, const trace *t, const trace_along *a, int *place) {
  for (int i = 0; i < t->nw; i++) place[i] = i;
  if (is_sparse(p, t)) trace_matrix_solve_lanes(t, a->b, a->lanes, place);
  else solve_lanes(p, t->nw, a->b, a->lanes);
}

// By rows: of many directions; last: ends_units.
static void push(const player *p, trace *t, const trace_along *a, const double *scale, int last) {
  int n = t->nw, *place = t->unit + t->rows.ngiven;
  if (is_sparse(p, t) && a->unit && last && trace_units_push(t, a, p->traces->unit, scale)) return;
  right_sides(t, a, scale);
  solve(p, t, a, place);
  for (int i = 0; i < n; i++) a->seed[t->rows.ngiven + i] = a->b + (size_t)place[i] * (size_t)a->lanes;
  for (int i = 0; i < n; i++) place[i] = TRACE_HAS_LANES;
}

// Through all nodes. length: its own direction alone.
static void push_few(const player *p, trace *t, const double *scale, int length) {
  const struct play_traces *all = p->traces;
  const size_t wide = (size_t)t->lanes, row = wide * sizeof(double);
  double *state = t->lane + (size_t)t->state * wide, *w = t->lane + (size_t)t->w * wide;
  const int sparse = is_sparse(p, t);
  const trace_along a = { t->lanes, NULL, NULL, sparse ? all->b : w };
  if (length) memset(t->lane, 0, (size_t)(t->state + t->nstate) * row);
  else memcpy(state, all->lane, (size_t)t->nstate * row);
  memcpy(t->lane + (size_t)t->h * wide, all->dh, row);
  replay_sums(&t->given, t->lane, t->lanes);
  for (int i = 0; i < t->nw; i++) {
    const double *eq = t->lane + (size_t)t->eq[i] * wide;
    for (size_t j = 0; j < wide; j += 4) FOUR(a.b, (size_t)i * wide + j) = -scale[i] * GIVEN(eq, j);
  }
  solve(p, t, &a, t->unit);
  for (int i = 0; sparse && i < t->nw; i++) memcpy(w + (size_t)i * wide, a.b + (size_t)t->unit[i] * wide, row);
  replay_sums(&t->follow, t->lane, t->lanes);
}

static int varies(const double *x, int n) {
  for (int j = 0; j < n; j++) if (x[j] != 0) return 1;
  return 0;
}

// The directions that the state at hand has.
static trace_along along_state(const player *p, trace *t) {
  const struct play_traces *all = p->traces;
  trace_along a = { all->lanes, t->seed, all->units ? t->unit : NULL, all->b };
  for (int s = 0; all->units && s < t->rows.ngiven; s++) {
    int number = t->rows.seed[s] - t->state;
    t->unit[s] = number >= 0 && number < p->nnumbers - 2 ? all->unit[number]
                 : varies(t->seed[s], all->lanes)        ? TRACE_HAS_LANES : TRACE_NO_DIRECTION;
  }
  return a;
}

// The state behind the piece.
static void stand(const player *p, trace *t, const tape_entry *e, const trace_along *a) {
  struct play_traces *all = p->traces;
  const size_t lanes = (size_t)all->lanes;
  const int last = ends_units(p, e), rows = lanes > 0 && t->lanes == 0;
  double *next = all->next;
  all->last = t;
  for (const trace_stand *x = t->stands, *end = x + t->nstands; rows && x < end; x++, next += lanes) {
    if (last) all->stand[x->number] = x;
    else result(t, a, x->row, all->units ? all->lane + (size_t)x->number * lanes : next);
  }
  next = all->next;
  for (const trace_stand *x = t->stands, *end = x + t->nstands; x < end; x++, next += lanes) {
    double *to = all->lane + (size_t)x->number * lanes;
    all->state[x->number] = t->value[x->node];
    const double *from = t->lanes > 0 ? t->lane + (size_t)x->node * lanes : next;
    for (size_t j = 0; !all->units && j < lanes; j += 4) FOUR(to, j) = GIVEN(from, j);
  }
  for (int i = 0; all->units && i < t->nunmoved; i++)
    if (!last || all->unit[t->unmoved[i]] >= 0) spell(all, t->unmoved[i], all->lane + (size_t)t->unmoved[i] * lanes);
  all->units = 0;
  const int time = p->nnumbers - 2;
  double *by_time = all->lane + (size_t)time * lanes;
  all->state[time] += e->h;
  all->state[time + 1] = e->h;
  for (size_t j = 0; j < lanes; j += 4) FOUR(by_time, j) += FOUR(by_time, lanes + j) = GIVEN(all->dh, j);
}

// Number i of the slope, that of outputs at w, -1: of an unknown.
static double slope_of(const trace *t, const trace_along *a, int out, int w) {
  const trace_rows *r = &t->rows;
  double x[4] = { 0 };
  if (t->lanes > 0) return t->lane[(size_t)(out < 0 ? t->w + w : t->out[out]) * (size_t)t->lanes];
  if (out < 0) return a->seed[r->ngiven + w][0];
  add_entries(r, a, r->out[out].first, r->out[out].first + r->out[out].n, 1, x);
  return x[0];
}

// The length alone moves.
static void take_slope(player *p, trace *t, const tape_entry *e, const double *scale) {
  const nsm_sim *s = p->s;
  struct play_traces *all = p->traces;
  const trace_rows *r = &t->rows;
  int points = play_at_points(e), nq = points ? s->a->nq : 0, nl = s->a->nl + 1, nz = s->a->nz;
  int last = points ? 0 : (s->n.radau->m.s - 1) * s->n.radau->n;
  const double *seed[r->nseed + 1];
  trace_along a = { 4, seed, t->unit, all->b };
  memset(all->dh, 0, ((size_t)all->lanes + 4) * sizeof *all->dh);
  all->dh[0] = 1;
  for (int i = 0; i < r->ngiven; i++) t->unit[i] = r->seed[i] == t->h ? TRACE_HAS_LANES : TRACE_NO_DIRECTION;
  for (int i = 0; i < r->ngiven; i++) seed[i] = all->dh;
  if (t->lanes > 0) push_few(p, t, scale, 1);
  else push(p, t, &a, scale, 0);
  for (int i = 0; i < s->a->nq + nz + nl; i++) {
    int w = i - s->a->nq, l = w - nz;
    p->slope[i] = w < 0 && i >= nq ? 0 : slope_of(t, &a, l >= 0 ? nq + l : w < 0 ? i : -1, last + w);
  }
  if (t->lanes > 0) give_constants(all, t);
  play_remember_slope(p);
}

static double off_run(const player *p, const trace *t, const tape_entry *e) {
  double off = 0;
  for (int i = 0; i < p->s->a->nz; i++) {
    double d = fabs(t->value[t->w + i] - e->solution[i]);
    if (!(d <= off)) off = d;
  }
  return off;
}

int play_by_trace(player *p, const tape_entry *e, double *off) {
  if (!trace_can_be(p->s, e) || (p->np == 0 && !p->keep && play_unknowns(p->s, e) > MANY)) return 0;
  struct play_traces *all = opened(p);
  if (!all || all->refused) return 0;
  if (!p->numbers) hand_over(p, 0);
  trace *t = trace_of(p, all, e);
  if (!t) return 0;
  const double *scale = converge(p, t);
  if (!scale) return 0;
  p->nw = t->nw;
  if (p->keep) p->keep(p, e, t->nw, p->in);
  *off = off_run(p, t, e);
  length_of(p, e, all->dh);
  if (t->lanes > 0) spell_all(p);
  trace_along a = along_state(p, t);
  if (p->np > 0 && t->lanes > 0) push_few(p, t, scale, 0);
  else if (p->np > 0) push(p, t, &a, scale, ends_units(p, e));
  stand(p, t, e, &a);
  p->slopes = 0;
  if (has_slope(p, e)) take_slope(p, t, e, scale);
  return 1;
}
