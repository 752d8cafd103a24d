// Pieces that end at a known time are played by their trace (trace.h): with their length h known, dh = dt_k - dt, the
// equations (2) of piece.c are
//
//     R_w dw = -(R_Y dY + R_t dt + R_h dh + R_c dc)
//
// one pass for the right sides of all parameters, one for the matrix, one solve, and a pass for what the next piece
// begins with. The others, and those with signals or kernels that branch, are for piece.c. From one such piece to the
// next the state is one array of numbers (player.numbers) with their directions.
#include "play.h"
#include "trace.h"
#include "runtime/schemes/schemes.h"
#include <stdlib.h>
#include <string.h>

enum { CORRECTIONS = 4, MANY = 200, MOST_TRACES = 48, CLOCK = 3, FEW = 64 };
static const double settled = 1e-13;     // as in piece.c

typedef double four __attribute__((vector_size(32), aligned(8)));
#define FOUR(x, i) (*(four *)((x) + (i)))
#define GIVEN(x, i) (*(const four *)((x) + (i)))

struct play_traces {
  tracer *maker;
  trace  *first;
  int     n, nconst, refused;
  unsigned char *varies;                // [nconst]
  double *by, *state, *lane;            // [nconst, lanes]; [states]; [states, lanes]
  int     lanes;
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
  t->maker = tracer_open(p->s, p->with, NULL);
  t->refused = !t->maker || !t->varies || !t->by || !t->state || !t->lane;
  if (!t->refused) take_constants(p, t);
  return t;
}

// ---- inputs ---------------------------------------------------------------------------------------------------------
static int directions(const player *p, int chunk) {
  int n = p->np - chunk * DUAL_LANES;
  return n < DUAL_LANES ? n : DUAL_LANES;
}

// From the states of the player, or back into them; the chunk without directions is that of the first.
static void hand_over(player *p, int back) {
  struct play_traces *t = p->traces;
  play_place at[PLAY_PLACES];
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
    memset(dh, 0, (size_t)p->np * sizeof *dh);
    if (e->parts && p->phase >= 0) dh[p->phase] = 1 / (double)e->parts;
  } else {
    time_of_end(p, e, dh);
    for (int j = 0; j < p->traces->lanes; j += 4) FOUR(dh, j) -= GIVEN(t, j);
  }
  if (has_slope(p, e)) dh[p->np] = 1;
}

// ---- which trace ----------------------------------------------------------------------------------------------------
static void give_constants(const player *p, const struct play_traces *all, trace *t) {
  for (int i = 0; i < all->nconst; i++)
    for (int j = 0; j < p->np; j++)
      t->lane[(size_t)(1 + i) * (size_t)t->lanes + (size_t)j] = all->by[(size_t)i * (size_t)all->lanes + (size_t)j];
}

static void give_values(const struct play_traces *all, trace *t, const tape_entry *e) {
  memcpy(t->value + t->state, all->state, (size_t)t->nstate * sizeof(double));
  memcpy(t->value + t->w, e->solution, (size_t)t->nw * sizeof(double));
  t->value[t->h] = e->h;
}

// slope: the direction of a length that moves, which is none of the state; 0: there is none.
static void give_directions(const player *p, trace *t, int slope) {
  const struct play_traces *all = p->traces;
  double *to = t->lane + (size_t)t->state * (size_t)t->lanes;
  const size_t n = (size_t)all->lanes, wide = (size_t)t->lanes;
  if (n == wide) memcpy(to, all->lane, n * (size_t)t->nstate * sizeof *to);
  for (size_t i = 0; n < wide && i < (size_t)t->nstate; i++) memcpy(to + i * wide, all->lane + i * n, n * sizeof *to);
  for (size_t i = 0; slope && i < (size_t)t->nstate; i++) to[i * wide + (size_t)slope] = 0;
}

// n numbers of the state, from number `at` on, are those of nodes from there on; those that stay are left out.
static void put(trace *t, const int *node, int first, int at, int n) {
  for (int i = 0; i < n; i++) {
    int of = node ? node[i] : first + i;
    if (of != t->state + at + i) t->stands[t->nstands++] = (trace_stand){ of, at + i };
  }
}

static int take_stands(const player *p, trace *t, const tape_entry *e) {
  const nsm_sim *s = p->s;
  int points = play_at_points(e), nq = points ? s->a->nq : 0, nl = s->a->nl + 1, rows = s->n.r.n;
  int last = points ? 0 : (s->n.radau->m.s - 1) * s->n.radau->n, l = s->a->nq + s->a->nz;
  t->stands = malloc((size_t)p->nnumbers * sizeof *t->stands);
  if (!t->stands) return 0;
  put(t, t->out, 0, 0, nq);
  put(t, t->out + nq, 0, l, nl);
  put(t, t->out + nq + nl, 0, l + nl + s->a->nd, 2 * rows);
  put(t, NULL, t->w + last, s->a->nq, points ? s->a->nz : s->n.radau->nz);
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
  if (!t->fails) t->fails = !trace_finish(t, all->varies, p->np + has_slope(p, e)) || !take_stands(p, t, e);
  t->next = all->first;
  all->first = t;
  if (t->fails) return NULL;
  give_constants(p, all, t);
  give_values(all, t, e);
  return replay_values(t) ? t : NULL;
}

// ---- a piece --------------------------------------------------------------------------------------------------------
// Is the matrix that has been factored last of this trace, with the same factors of its terms?
static int same_matrix(const player *p, trace *t) {
  int same = p->factored_of == t && p->factored == t->nw;
  for (int i = 0; i < t->nfactor; i++) {
    same &= t->factor[i] == *t->by_factor[i];
    t->factor[i] = *t->by_factor[i];
  }
  return same;
}

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

// The matrix, into p->E for play_factor. 0: it is singular.
static int factor(player *p, trace *t) {
  int n = t->nw;
  if (same_matrix(p, t)) {
    if (p->traces->inverse < 0 && n <= FEW) p->traces->inverse = inverse_of(p, n);
    return 1;
  }
  p->traces->inverse = -1;
  replay_sums(&t->matrix, t->column, t->columns);
  for (int i = 0; i < n; i++)
    memcpy(p->E + (size_t)i * (size_t)p->stride + p->np, t->column + (size_t)t->eq[i] * (size_t)t->columns,
           (size_t)n * sizeof(double));
  play_factor(p, n);
  if (p->pseudo || p->failed) return 0;
  p->factored_of = t;
  return 1;
}

// J x = b [n, lanes] in place, lanes a multiple of four.
static SIM_WIDE void solve_lanes(const player *p, int n, double *b, int lanes) {
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

// Newton's correction, of -R in p->rhs; how large it is beside w.
static double correct(const player *p, trace *t) {
  double size = 0, change = 0, *w = t->value + t->w;
  nsm_la_lu_solve(t->nw, 1, p->J, t->nw, p->pivot, p->rhs, t->nw);
  for (int i = 0; i < t->nw; i++) {
    w[i] += p->rhs[i];
    size = fmax(size, fabs(w[i]));
    change = fmax(change, fabs(p->rhs[i]));
    if (!(change < INFINITY)) change = INFINITY;
  }
  return size > 0 ? change / size : 0;
}

// dw of all directions into the lanes of w, and w corrected: how large that was beside w. Negative: the matrix is
// singular.
static double solve(player *p, trace *t) {
  int n = t->nw;
  double most = 0, size = 0;
  if (!factor(p, t)) return -1;
  replay_sums(&t->given, t->lane, t->lanes);
  for (int i = 0; i < n; i++) {
    const double *row = t->lane + (size_t)t->eq[i] * (size_t)t->lanes;
    double *to = t->lane + (size_t)(t->w + i) * (size_t)t->lanes;
    double by = -p->scale[i], off = p->rhs[i] = by * t->value[t->eq[i]], w = fabs(t->value[t->w + i]);
    if (!(fabs(off) <= most)) most = fabs(off);
    if (w > size) size = w;
    for (int j = 0; j < t->lanes; j += 4) FOUR(to, j) = by * GIVEN(row, j);
  }
  solve_lanes(p, n, t->lane + (size_t)t->w * (size_t)t->lanes, t->lanes);
  if (p->keep) for (int i = 0; i < n; i++) p->solved[i] = t->value[t->w + i];
  int rounding = p->phase < 0 && p->traces->inverse >= 0 && p->traces->inverse * most <= DBL_EPSILON * size;
  return rounding ? 0 : correct(p, t);
}

// The state behind the piece.
static void stand(const player *p, const trace *t, const tape_entry *e, const double *dh) {
  struct play_traces *all = p->traces;
  const size_t lanes = (size_t)all->lanes, wide = (size_t)t->lanes;
  for (const trace_stand *x = t->stands, *end = x + t->nstands; x < end; x++) {
    const double *by = t->lane + (size_t)x->node * wide;
    double *to = all->lane + (size_t)x->number * lanes;
    all->state[x->number] = t->value[x->node];
    for (size_t j = 0; j < lanes; j += 4) FOUR(to, j) = GIVEN(by, j);
  }
  const int time = p->nnumbers - 2;
  double *by_time = all->lane + (size_t)time * lanes;
  all->state[time] += e->h;
  all->state[time + 1] = e->h;
  for (size_t j = 0; j < lanes; j += 4) FOUR(by_time, j) += FOUR(by_time, lanes + j) = GIVEN(dh, j);
}

static void take_slope(player *p, const trace *t, const tape_entry *e) {
  const nsm_sim *s = p->s;
  int points = play_at_points(e), nq = points ? s->a->nq : 0, nl = s->a->nl + 1, at = 0;
  int last = points ? 0 : (s->n.radau->m.s - 1) * s->n.radau->n;
  const double *lane = t->lane + p->np;
  for (int i = 0; i < s->a->nq; i++) p->slope[at++] = i < nq ? lane[(size_t)t->out[i] * (size_t)t->lanes] : 0;
  for (int i = 0; i < s->a->nz; i++) p->slope[at++] = lane[(size_t)(t->w + last + i) * (size_t)t->lanes];
  for (int i = 0; i < nl; i++) p->slope[at++] = lane[(size_t)t->out[nq + i] * (size_t)t->lanes];
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
  double *dh = t->lane + (size_t)t->h * (size_t)t->lanes;
  give_directions(p, t, has_slope(p, e) ? p->np : 0);
  length_of(p, e, dh);
  for (int k = 0;; k++) {
    if (k == CORRECTIONS || (k > 0 && !replay_values(t))) return 0;
    double change = solve(p, t);
    if (change < 0) return 0;
    if (change <= settled) break;
  }
  p->nw = t->nw;
  if (p->keep) p->keep(p, e, t->nw, p->in);
  replay_sums(&t->follow, t->lane, t->lanes);
  *off = off_run(p, t, e);
  stand(p, t, e, dh);
  p->slopes = 0;
  if (has_slope(p, e)) take_slope(p, t, e);
  return 1;
}
