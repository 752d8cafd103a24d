// A piece backwards. With J the matrix of (2) in piece.c, w its unknowns and length, and g the derivative of an output
// by what the next piece begins with, Y' = out(w, Y, c):
//
//     J^T mu = out_w^T g,    g_Y = out_Y^T g - R_Y^T mu,    g_c += out_c^T g - R_c^T mu                          (8)
//
// The equations are run once in recorded numbers; the record is swept backwards with g, and with -mu. So tangents and
// their adjoint have one text. All derivatives by constants stay at their nodes, which are the first of the record.
#include "backwards.h"
#include "play.h"
#include "trace.h"
#include <stdlib.h>
#include <string.h>

enum { CLOCK = 3 };

struct backwards {
  nsm_sim *s;
  player  *p;
  record   r;
  int nof, nconst, nstate;              // nodes of constants are 1 to nconst, those of the state follow
  double **bar;                         // [nof] by nodes
  double *after, *before;               // [nof, nstate] by the state at the end and at the begin
  int     room;                         // of bar
  double *mu;
  tracer *maker;
  trace  *traces;
};

int backwards_states(const nsm_sim *s) {
  play_state none = { 0 };
  play_place at[PLAY_PLACES];
  int n = 0;
  play_places(s, &none, at);
  for (int i = 0; i < PLAY_PLACES; i++) n += at[i].n;
  return n;
}

static dual new_number(double x) {
  return (dual){ { x }, record_node_of(0, 0, 0, 0) };
}

static void constants(backwards *b) {
  play_state *y = &b->p->of[0];
  const nsm_sim *s = b->s;
  for (int c = 0; c < s->a->m->nclass; c++)
    for (int i = 0; i < s->a->cls[c].tab.count * s->a->m->cls[c].nnum; i++)
      y->num[c][i] = new_number(s->a->cls[c].tab.num[i]);
  y->start = new_number(s->a->start);
  y->step = new_number(s->a->step);
  y->until = new_number(s->a->until);
  b->nconst = b->r.n - 1;
}

static int done(backwards *b) {
  if (b->r.failed || b->p->failed) return 0;
  if (b->r.n <= b->room) return 1;
  int room = 2 * b->r.n;
  for (int o = 0; o < b->nof; o++) {
    double *more = realloc(b->bar[o], (size_t)room * sizeof *more);
    if (!more) return 0;
    memset(more + b->room, 0, (size_t)(room - b->room) * sizeof *more);
    b->bar[o] = more;
  }
  b->room = room;
  return 1;
}

void backwards_close(backwards *b) {
  if (!b) return;
  for (int o = 0; b->bar && o < b->nof; o++) free(b->bar[o]);
  free(b->bar);
  free(b->after);
  free(b->mu);
  free(b->r.at);
  for (trace *t = b->traces, *next; t; t = next) { next = t->next; trace_free(t); }
  tracer_close(b->maker);
  player_close(b->p);
  free(b);
}

backwards *backwards_open(nsm_sim *s, void *with, int nof, nsm_error *e) {
  backwards *b = calloc(1, sizeof *b);
  if (!b) { sim_no_memory(e, "an adjoint"); return NULL; }
  play_kernels run = { (dual_kernel *)((const dual_with *)with)->recorded, with };
  b->s = s;
  b->nof = nof;
  b->nstate = backwards_states(s);
  b->p = player_open(s, NULL, &run, 0, 0, e);
  b->maker = tracer_open(s, with, e);
  b->bar = calloc((size_t)nof, sizeof *b->bar);
  b->after = calloc(2 * (size_t)nof * (size_t)b->nstate, sizeof(double));
  b->before = b->after ? b->after + (size_t)nof * (size_t)b->nstate : NULL;
  if (!b->p || !b->maker || !b->bar || !b->after) { backwards_close(b); sim_no_memory(e, "an adjoint"); return NULL; }
  record_now = &b->r;
  (void)new_number(0);                                  // node 0
  b->r.n = 1;
  constants(b);
  b->p->at = &b->p->of[0];
  if (done(b)) return b;
  backwards_close(b);
  sim_no_memory(e, "an adjoint");
  return NULL;
}

// ---- a record -------------------------------------------------------------------------------------------------------
static void begin(backwards *b, const kept_entry *k) {
  play_place at[PLAY_PLACES];
  const double *x = k->state;
  record_now = &b->r;
  b->r.n = 1 + b->nconst;
  play_places(b->s, &b->p->of[0], at);
  for (int i = 0; i < PLAY_PLACES; i++) for (int j = 0; j < at[i].n; j++) at[i].of[j] = new_number(*x++);
  b->p->size = k->size;
}

static void forget(backwards *b, int o) {
  memset(b->bar[o] + 1 + b->nconst, 0, (size_t)(b->r.n - 1 - b->nconst) * sizeof(double));
}

static void seed(double *bar, dual x, double by) { if (x.node) bar[x.node] += by; }

static double *by_state(const backwards *b, int o) { return b->after + (size_t)o * (size_t)b->nstate; }

int backwards_row(backwards *b, int o, double t, double weight) {
  const play_state *y = &b->p->of[0];
  double number, *bar = b->bar[o];
  int end = play_row_time(b->s, t, &number);
  if (end < 0) return 0;
  if (end) { bar[y->until.node] += weight; return 1; }
  bar[y->start.node] += weight;
  bar[y->step.node] += number * weight;
  return 1;
}

// What is read does not move with the time of the state, but with its own (held_time.c).
static void to_state_at(backwards *b, int o, const double *slope, int asked) {
  const nsm_sim *s = b->s;
  int n = s->a->nq + s->a->nz + s->a->nl + 1;
  double *bar = &b->bar[o][1 + b->nconst], sum = 0;
  for (int i = 0; i < n; i++) sum -= bar[i] * slope[i];
  double *by_time = &bar[b->nstate - 2];
  if (asked || backwards_row(b, o, b->p->of[0].t.a[0], *by_time - sum)) *by_time = sum;
}

// What has come to the nodes of the state, added.
static void to_state(const backwards *b, int o, double *to) {
  for (int i = 0; i < b->nstate; i++) to[i] += b->bar[o][1 + b->nconst + i];
}

double backwards_column(backwards *b, int o, const kept_entry *k, int column, double weight) {
  begin(b, k);
  dual x = play_column(b->p, 0, column);
  if (!done(b)) return x.a[0];
  forget(b, o);
  seed(b->bar[o], x, weight);
  record_sweep(&b->r, b->bar[o]);
  if (k->slope) to_state_at(b, o, k->slope, k->asked);
  to_state(b, o, by_state(b, o));
  return x.a[0];
}

void backwards_time(backwards *b, int o, double weight) { by_state(b, o)[b->nstate - 2] += weight; }

// ---- blocks ---------------------------------------------------------------------------------------------------------
static int over_block(backwards *b, const tape_entry *e, const kept_entry *k) {
  play_place at[PLAY_PLACES];
  begin(b, k);
  play_block(b->p, e);
  if (!done(b)) return 0;
  play_places(b->s, &b->p->of[0], at);
  for (int o = 0; o < b->nof; o++) {
    double *g = by_state(b, o), *x = g;
    forget(b, o);
    for (int i = 0; i < PLAY_PLACES; i++) for (int j = 0; j < at[i].n; j++) seed(b->bar[o], at[i].of[j], *x++);
    memset(g, 0, (size_t)b->nstate * sizeof *g);
    record_sweep(&b->r, b->bar[o]);
    to_state(b, o, g);
  }
  return 1;
}

// ---- pieces ---------------------------------------------------------------------------------------------------------
// The state behind a piece is made of these, as play_stand of piece.c says; what it leaves as it is has its old node.
static void end_state(backwards *b, const tape_entry *e, dual h) {
  player *p = b->p;
  play_state *y = &p->of[0];
  const nsm_sim *s = b->s;
  const dual *out = p->out;
  int points = play_at_points(e), nq = points ? s->a->nq : 0, nl = s->a->nl + 1, rows = s->n.r.n;
  int last = e->kind == TAPE_STAGES ? (s->n.radau->m.s - 1) * s->n.radau->n : 0;
  int nz = points ? s->a->nz : s->n.radau->nz;
  memcpy(y->q, out, (size_t)nq * sizeof *out);
  memcpy(y->l, out + nq, (size_t)nl * sizeof *out);
  if (play_has_forces(e)) {
    memcpy(y->mean, out + nq + nl, (size_t)rows * sizeof *out);
    memcpy(y->ground, out + nq + nl + rows, (size_t)rows * sizeof *out);
    y->history = h;
  }
  memcpy(y->z, p->w + last, (size_t)nz * sizeof *out);
  if (play_takes_time(e)) y->t = dual_add(y->t, h);
}

// J^T mu = b, in place; rows of J are scaled.
static void solve(backwards *b, const kept_entry *k) {
  int n = k->n;
  double *mu = b->mu, *x = mu + n;
  if (k->pseudo) {
    memcpy(x, mu, (size_t)n * sizeof *x);
    memset(mu, 0, (size_t)n * sizeof *mu);
    for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) mu[j] += k->J[i + j * n] * x[i];
  } else nsm_la_lu_solve_transposed(n, 1, k->J, n, k->pivot, mu, n);
  for (int i = 0; i < n; i++) mu[i] *= k->scale[i];
}

static int over_piece(backwards *b, const tape_entry *e, const kept_entry *k) {
  player *p = b->p;
  play_place at[PLAY_PLACES];
  begin(b, k);
  int first = b->r.n;
  p->nw = k->nw;
  for (int i = 0; i < k->nw; i++) p->w[i] = new_number(k->w[i]);
  dual h = k->n > k->nw ? new_number(e->h) : dual_of(e->h);
  play_equations(p, e, h, 0);
  (void)play_outputs(p, e, h);
  end_state(b, e, h);
  if (e->kind != TAPE_JUMP) play_keep_past(p, !play_takes_time(e));
  double *more = realloc(b->mu, 2 * ((size_t)k->n + 1) * sizeof *more);
  if (!more || !done(b)) return 0;
  b->mu = more;
  play_places(b->s, &b->p->of[0], at);
  for (int o = 0; o < b->nof; o++) {
    double *g = by_state(b, o), *x = g, *bar = b->bar[o];
    forget(b, o);
    for (int i = 0; i < PLAY_PLACES; i++) for (int j = 0; j < at[i].n; j++) seed(bar, at[i].of[j], *x++);
    memset(g, 0, (size_t)b->nstate * sizeof *g);
    record_sweep(&b->r, bar);
    to_state(b, o, g);
    memcpy(b->mu, bar + first, (size_t)k->n * sizeof *bar);
    solve(b, k);
    forget(b, o);
    for (int i = 0; i < k->n; i++) seed(bar, p->eq[i], -b->mu[i]);
    record_sweep(&b->r, bar);
    to_state(b, o, g);
  }
  return 1;
}

// ---- pieces by their trace ------------------------------------------------------------------------------------------
static trace *trace_of(backwards *b, const tape_entry *e, const kept_entry *k) {
  for (trace **at = &b->traces;; at = &(*at)->next) {
    if (!*at) {
      *at = trace_made(b->maker, e, k->state, k->w);
      if (!*at || (*at)->fails || !trace_finish_back(*at, b->nof)) return NULL;
    }
    trace *t = *at;
    if (t->fails || !trace_is_of(t, e, b->s)) continue;
    memcpy(t->value + t->state, k->state, (size_t)t->nstate * sizeof(double));
    memcpy(t->value + t->w, k->w, (size_t)t->nw * sizeof(double));
    t->value[t->h] = e->h;
    if (!replay_values(t)) continue;
    *at = t->next;                                         // to the front
    t->next = b->traces;
    return b->traces = t;
  }
}

// Derivatives by the state behind a piece, g, to the nodes that it is made of, as play_stand of piece.c says.
static void seed_end(const backwards *b, const trace *t, const tape_entry *e, const double *g, double *bar) {
  const nsm_sim *s = b->s;
  int points = play_at_points(e), nq = points ? s->a->nq : 0, nl = s->a->nl + 1, rows = s->n.r.n;
  int last = points ? 0 : (s->n.radau->m.s - 1) * s->n.radau->n, nz = points ? s->a->nz : s->n.radau->nz;
  const int *out = t->out;
  for (int i = 0; i < s->a->nq; i++) bar[i < nq ? *out++ : t->state + i] += g[i];
  g += s->a->nq;
  for (int i = 0; i < s->a->nz; i++) bar[i < nz ? t->w + last + i : t->state + s->a->nq + i] += g[i];
  g += s->a->nz;
  for (int i = 0; i < nl; i++) bar[*out++] += *g++;
  for (int i = 0; i < s->a->nd; i++) bar[t->state + s->a->nq + s->a->nz + nl + i] += *g++;
  for (int i = 0; i < 2 * rows; i++) bar[*out++] += *g++;
  for (int i = s->a->nq + s->a->nz + nl + s->a->nd + 2 * rows; i < t->nstate - 2; i++) bar[t->state + i] += *g++;
  bar[t->state + t->nstate - 2] += g[0];
  bar[t->h] += g[0] + g[1];
}

// The length is what is left to a time of the clock, or one that was asked for.
static void length_back(const backwards *b, const trace *t, const tape_entry *e, double *bar) {
  double by = bar[t->h], *clock = bar + 1 + t->nconst - CLOCK;
  bar[t->h] = 0;
  if (e->end == TAPE_SHORT) return;
  bar[t->state + t->nstate - 2] -= by;
  if (e->end == TAPE_EVERY) {
    int at = 1, n = b->s->a->m->cls[e->cls].nnum;
    for (int c = 0; c < e->cls; c++) at += b->s->a->cls[c].tab.count * b->s->a->m->cls[c].nnum;
    bar[at + e->instance * n] += by * (double)e->number;
    bar[at + e->instance * n + 1] += by;
    clock[0] += by;
  }
  if (e->end != TAPE_CLOCK) return;
  if (e->number >= b->s->a->total) { clock[2] += by; return; }
  clock[0] += by;
  clock[1] += by * (double)e->number;
}

static int over_trace(backwards *b, const tape_entry *e, const kept_entry *k) {
  trace *t = trace_of(b, e, k);
  double *more = realloc(b->mu, 2 * ((size_t)k->n + 1) * sizeof *more);
  if (!more || !t) return 0;
  b->mu = more;
  for (int o = 0; o < b->nof; o++) {
    double *g = by_state(b, o), *bar = t->bar + (size_t)o * (size_t)t->n;
    seed_end(b, t, e, g, bar);
    replay_back(t, bar);
    memcpy(b->mu, bar + t->w, (size_t)t->nw * sizeof *bar);
    solve(b, k);
    memset(bar + t->w, 0, (size_t)t->nw * sizeof *bar);
    for (int i = 0; i < t->nw; i++) bar[t->eq[i]] -= b->mu[i];
    replay_back(t, bar);
    memset(bar + t->w, 0, (size_t)t->nw * sizeof *bar);    // it is the begin of J mu, which is known
    length_back(b, t, e, bar);
    memcpy(g, bar + t->state, (size_t)t->nstate * sizeof *g);
    memset(bar + t->state, 0, (size_t)t->nstate * sizeof *g);
    bar[0] = 0;
  }
  return 1;
}

int backwards_over(backwards *b, const tape_entry *e, const kept_entry *k) {
  if (e->kind == TAPE_BLOCK) return over_block(b, e, k);
  return e->kind == TAPE_ROW || e->kind == TAPE_STOP ? 1 : play_takes_time(e) && k->n == k->nw ? over_trace(b, e, k)
                                                                     : over_piece(b, e, k);
}

// ---- the start ------------------------------------------------------------------------------------------------------
void backwards_start(const backwards *b, int o, double *to) {
  const nsm_sim *s = b->s;
  const double *bar = b->bar[o] ? b->bar[o] + 1 : NULL, *g = by_state(b, o);
  int n = s->a->nq + s->a->nz + s->a->nl + 1 + s->a->nd, columns = b->nconst - CLOCK, delays = s->a->ndelay;
  const double *ring = g + n + 2 * s->n.r.n, *last = ring + s->a->nring;
  double *clock = to + columns + n + 2 * delays;
  for (int i = 0; i < b->nconst; i++) {
    double *at = i < columns ? &to[i] : &clock[i - columns];
    *at = bar ? bar[i] : 0;
    for (const trace *t = b->traces; t; t = t->next)
      if (!t->fails) *at += t->bar[(size_t)o * (size_t)t->n + 1 + (size_t)i];
  }
  memcpy(to += columns, g, (size_t)n * sizeof *g);
  to += n;
  for (int i = 0; i < delays; i++) {                       // as play_start_past
    const sim_signal *of = &s->a->signal[s->a->nsignal - delays + i];
    to[i] = last[i] + ring[of->ring + 1];
    to[delays + i] = ring[of->ring];
    for (int k = 2; k < 2 * of->room; k++) to[delays + i] += ring[of->ring + k];
  }
  clock[0] += g[b->nstate - 2] + last[delays + 1];         // the present, and the time of `last`
}
