// Pieces that end at a known time are played by their trace (trace.h): with their length h known, dh = dt_k - dt, the
// equations (2) of piece.c are
//
//     R_w dw = -(R_Y dY + R_t dt + R_h dh + R_c dc)
//
// one pass for the right sides of all parameters, one for the matrix, one solve, and a pass for what the next piece
// begins with. The others, and those with signals or kernels that branch, are for piece.c.
#include "play.h"
#include "trace.h"
#include "runtime/schemes/schemes.h"
#include <stdlib.h>
#include <string.h>

enum { CORRECTIONS = 4, MANY = 200, MOST_TRACES = 24, CLOCK = 3 };
static const double settled = 1e-13;     // as in piece.c

struct play_traces {
  tracer *maker;
  trace  *first;
  int     n, nconst, refused;
  unsigned char *varies;                // [nconst]
  double *by, *state;                   // [nconst, np]; [states]
};

// ---- open, close ----------------------------------------------------------------------------------------------------
static void close_traces(struct play_traces *t) {
  if (!t) return;
  for (trace *x = t->first, *next; x; x = next) { next = x->next; trace_free(x); }
  tracer_close(t->maker);
  free(t->varies);
  free(t->by);
  free(t->state);
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
        t->by[(size_t)at * (size_t)p->np + (size_t)j] = x->a[1 + j % DUAL_LANES];
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
  t->by = calloc((size_t)t->nconst * (size_t)p->np + 1, sizeof *t->by);
  t->state = calloc((size_t)states(s), sizeof *t->state);
  t->maker = tracer_open(p->s, p->with, NULL);
  t->refused = !t->maker || !t->varies || !t->by || !t->state;
  if (!t->refused) take_constants(p, t);
  return t;
}

// ---- inputs ---------------------------------------------------------------------------------------------------------
static void read_values(player *p, double *to) {
  play_place at[PLAY_PLACES];
  play_places(p->s, &p->of[0], at);
  for (int k = 0; k < PLAY_PLACES; k++) for (int i = 0; i < at[k].n; i++) *to++ = at[k].of[i].a[0];
}

static void read_directions(player *p, double *to, int lanes) {
  play_place at[PLAY_PLACES];
  for (int c = 0; c < p->nc; c++) {
    double *row = to + c * DUAL_LANES;
    int n = p->np - c * DUAL_LANES;
    n = n < DUAL_LANES ? n : DUAL_LANES;
    play_places(p->s, &p->of[c], at);
    for (int k = 0; k < PLAY_PLACES; k++)
      for (int i = 0; i < at[k].n; i++, row += lanes)
        for (int j = 0; j < n; j++) row[j] = at[k].of[i].a[1 + j];
  }
}

// What is read where the piece ends may stand at another time: how the end moves with the length is one more direction
// (held_time.c).
static int has_slope(const player *p, const tape_entry *e) { return tape_has_slope(e) && p->phase < 0; }

// The time at which the piece ends, along a direction.
static double time_of_end(const player *p, const tape_entry *e, const play_state *y, int lane) {
  if (e->end == TAPE_EVERY) {
    const dual *column = y->num[e->cls] + (size_t)e->instance * (size_t)p->s->a->m->cls[e->cls].nnum;
    return y->start.a[lane] + column[1].a[lane] + column[0].a[lane] * (double)e->number;
  }
  if (e->end != TAPE_CLOCK) return 0;
  return e->number >= p->s->a->total ? y->until.a[lane] : y->start.a[lane] + y->step.a[lane] * (double)e->number;
}

// dh: of a part of a phase that of the phase; else what is left to the end.
static void length_of(player *p, const tape_entry *e, double *dh) {
  for (int j = 0; j < p->np; j++) {
    const play_state *y = &p->of[j / DUAL_LANES];
    int lane = 1 + j % DUAL_LANES;
    if (e->parts) dh[j] = j == p->phase ? 1 / (double)e->parts : 0;
    else dh[j] = e->end == TAPE_SHORT ? 0 : time_of_end(p, e, y, lane) - y->t.a[lane];
  }
  if (has_slope(p, e)) dh[p->np] = 1;
}

// ---- which trace ----------------------------------------------------------------------------------------------------
static void give_constants(const player *p, const struct play_traces *all, trace *t) {
  for (int i = 0; i < all->nconst; i++)
    for (int j = 0; j < p->np; j++)
      t->lane[(size_t)(1 + i) * (size_t)t->lanes + (size_t)j] = all->by[(size_t)i * (size_t)p->np + (size_t)j];
}

static void give_values(const struct play_traces *all, trace *t, const tape_entry *e) {
  memcpy(t->value + t->state, all->state, (size_t)t->nstate * sizeof(double));
  memcpy(t->value + t->w, e->solution, (size_t)t->nw * sizeof(double));
  t->value[t->h] = e->h;
}

// One whose values are those of the entry now; NULL: there is none.
static trace *trace_of(player *p, struct play_traces *all, const tape_entry *e) {
  read_values(p, all->state);
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
  if (!t->fails) t->fails = !replay_finish(t, all->varies, p->np + has_slope(p, e));
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
  for (int i = 0; i < t->matrix.nterm; i++) {
    same &= t->factor[i] == *t->matrix.term[i].by;
    t->factor[i] = *t->matrix.term[i].by;
  }
  return same;
}

// The matrix, into p->E for play_factor. 0: it is singular.
static int factor(player *p, trace *t) {
  int n = t->nw;
  if (same_matrix(p, t)) return 1;
  replay_sums(&t->matrix, t->column, t->columns);
  for (int i = 0; i < n; i++)
    memcpy(p->E + (size_t)i * (size_t)p->stride + p->np, t->column + (size_t)t->eq[i] * (size_t)t->columns,
           (size_t)n * sizeof(double));
  play_factor(p, n);
  if (p->pseudo || p->failed) return 0;
  p->factored_of = t;
  return 1;
}

typedef double four __attribute__((vector_size(32), aligned(8)));

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

// Newton's correction into p->rhs [n, 4], lane 0; dw of all directions into the lanes of w. 0: the matrix is singular.
static int solve(player *p, trace *t) {
  int n = t->nw;
  if (!factor(p, t)) return 0;
  replay_sums(&t->given, t->lane, t->lanes);
  for (int i = 0; i < n; i++) {
    const double *row = t->lane + (size_t)t->eq[i] * (size_t)t->lanes;
    double *to = t->lane + (size_t)(t->w + i) * (size_t)t->lanes, by = -p->scale[i];
    for (int j = 0; j < 4; j++) p->rhs[4 * i + j] = j == 0 ? by * t->value[t->eq[i]] : 0;
    for (int j = 0; j < t->lanes; j++) to[j] = by * row[j];
  }
  solve_lanes(p, n, p->rhs, 4);
  solve_lanes(p, n, t->lane + (size_t)t->w * (size_t)t->lanes, t->lanes);
  return 1;
}

// Newton's correction; how large it is beside w.
static double correct(const player *p, trace *t) {
  double size = 0, change = 0, *w = t->value + t->w;
  for (int i = 0; i < t->nw; i++) {
    w[i] += p->rhs[4 * i];
    size = fmax(size, fabs(w[i]));
    change = fmax(change, fabs(p->rhs[4 * i]));
    if (!(change < INFINITY)) change = INFINITY;
  }
  return size > 0 ? change / size : 0;
}

// n numbers from nodes into all chunks with directions; lanes beyond the last one are 0 from the start on.
static void put(player *p, const trace *t, const int *node, size_t at, int n) {
  for (int c = 0; c < p->nc || c == 0; c++) {
    dual *to = *(dual **)((char *)&p->of[c] + at);
    int lanes = p->np - c * DUAL_LANES;
    if (lanes > DUAL_LANES) lanes = DUAL_LANES;
    for (int i = 0; i < n; i++) {
      const double *by = t->lane + (size_t)node[i] * (size_t)t->lanes + c * DUAL_LANES;
      to[i].a[0] = t->value[node[i]];
      for (int j = 0; j < lanes; j++) to[i].a[1 + j] = by[j];
    }
  }
}

// The chunk without directions is that of the first: pieces by their trace leave it where it is.
void play_catch_up(player *p) {
  play_place from[PLAY_PLACES], to[PLAY_PLACES];
  if (!p->behind) return;
  p->behind = 0;
  play_places(p->s, &p->of[0], from);
  play_places(p->s, &p->of[p->nc], to);
  for (int k = 0; k < PLAY_PLACES; k++)
    for (int i = 0; i < to[k].n; i++) to[k].of[i].a[0] = from[k].of[i].a[0];
}

static void stand(player *p, const trace *t, const tape_entry *e, const double *dh) {
  const nsm_sim *s = p->s;
  int points = play_at_points(e), nq = points ? s->a->nq : 0, nl = s->a->nl + 1, rows = s->n.r.n;
  int last = points ? 0 : (s->n.radau->m.s - 1) * s->n.radau->n, nz = points ? s->a->nz : s->n.radau->nz, w[nz + 1];
  for (int i = 0; i < nz; i++) w[i] = t->w + last + i;
  put(p, t, t->out, offsetof(play_state, q), nq);
  put(p, t, t->out + nq, offsetof(play_state, l), nl);
  put(p, t, t->out + nq + nl, offsetof(play_state, mean), rows);
  put(p, t, t->out + nq + nl + rows, offsetof(play_state, ground), rows);
  put(p, t, w, offsetof(play_state, z), nz);
  p->behind = p->nc > 0;
  for (int c = 0; c < p->nc || c == 0; c++) {
    dual h = dual_of(e->h);
    for (int j = 0; j < DUAL_LANES && c * DUAL_LANES + j < p->np; j++) h.a[1 + j] = dh[c * DUAL_LANES + j];
    p->of[c].history = h;
    p->of[c].t = dual_add(p->of[c].t, h);
  }
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
  trace *t = trace_of(p, all, e);
  if (!t) return 0;
  int directions = p->np + has_slope(p, e);
  double *dh = t->lane + (size_t)t->h * (size_t)t->lanes;
  read_directions(p, t->lane + (size_t)t->state * (size_t)t->lanes, t->lanes);
  length_of(p, e, dh);
  for (int k = 0;; k++) {
    if (k == CORRECTIONS || (k > 0 && !replay_values(t)) || !solve(p, t)) return 0;
    if (p->keep) for (int i = 0; i < t->nw; i++) p->solved[i] = t->value[t->w + i];
    if (correct(p, t) <= settled) break;
  }
  p->nw = t->nw;
  if (p->keep) p->keep(p, e, t->nw, p->in);
  replay_sums(&t->follow, t->lane, t->lanes);
  *off = off_run(p, t, e);
  stand(p, t, e, dh);
  p->slopes = 0;
  if (directions > p->np) take_slope(p, t, e);
  return 1;
}
