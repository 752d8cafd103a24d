// The adjoint: derivatives of a few outputs by any number of parameters, from the end of a run to its start.
//
// The run is played without directions, and of each entry of the tape the state, unknowns and factors are kept
// (backwards.h), until the room of a part is full. A run that fits is taken once. From any other these are forgotten,
// and it goes on with its own values; only the state is kept as a mark, after as many entries each time. On the way
// back each part is run and played again from its mark, with the same bits [Griewank and Walther 2008, 12].
//
// A part is no larger than what a processor has at hand: to wait for memory takes longer than to run again. Parts grow
// with the memory that their marks take.
#include "take.h"
#include "backwards.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 18, PART = 1 << 21 };     // bytes

typedef struct room_block { struct room_block *next; size_t used, room; } room_block;

// Where a part of the run begins.
typedef struct mark {
  void   *sim;
  double *state;                        // of the player (backwards_states)
  unsigned char *laws;
  int     before, news, began;
  double  size, place, done, row;       // row: time of the last row
  long    entry;
} mark;

struct adjoint {
  nsm_sim    *s;
  backwards  *way;
  kept_entry *kept;                     // [tape entries of the part]
  long        room_kept;
  room_block *memory;
  size_t      bytes;
  double      room;
  mark       *mark;
  long        nmark, room_marks;
  long        entries, total;           // of a part, where there are several; of the run
  long        made;                     // the matrix whose factors are kept already
  kept_entry  factors, last;            // last: the end of the run
  int         failed;
  double      later, length;            // time of the row behind the one at hand, NAN: none; length of the run
  double     *value;                    // [nof] numbers there
};

// ---- memory ---------------------------------------------------------------------------------------------------------
static void *room_for(struct adjoint *b, size_t bytes) {
  bytes = (bytes + 15) & ~(size_t)15;
  if (!b->memory || b->memory->used + bytes > b->memory->room) {
    size_t room = bytes > BLOCK ? bytes : BLOCK;
    room_block *m = malloc(sizeof *m + room);
    if (!m) { b->failed = 1; return NULL; }
    *m = (room_block){ b->memory, 0, room };
    b->memory = m;
  }
  void *at = (char *)(b->memory + 1) + b->memory->used;
  b->memory->used += bytes;
  b->bytes += bytes;
  return at;
}

static const void *copy(struct adjoint *b, const void *from, size_t bytes) {
  void *to = room_for(b, bytes + 1);
  return to && bytes > 0 ? memcpy(to, from, bytes) : to;
}

static void forget(struct adjoint *b) {
  for (room_block *m = b->memory, *next; m; m = next) { next = m->next; free(m); }
  b->memory = NULL;
  b->bytes = 0;
  b->made = -1;
}

// ---- what is kept ---------------------------------------------------------------------------------------------------
// The state of the player in the order of backwards.c.
static void read_state(player *p, double *to) {
  play_place at[PLAY_PLACES];
  if (p->numbers) { memcpy(to, p->numbers, (size_t)p->nnumbers * sizeof *to); return; }
  play_places(p->s, &p->of[0], at);
  for (int i = 0; i < PLAY_PLACES; i++) for (int j = 0; j < at[i].n; j++) *to++ = at[i].of[j].a[0];
}

static void write_state(player *p, const double *from) {
  play_place at[PLAY_PLACES];
  play_places(p->s, &p->of[0], at);
  for (int i = 0; i < PLAY_PLACES; i++) for (int j = 0; j < at[i].n; j++) at[i].of[j] = dual_of(*from++);
}

static kept_entry state_of(struct adjoint *b, player *p) {
  kept_entry k = { .size = p->size };
  double *state = room_for(b, (size_t)backwards_states(p->s) * sizeof *state);
  if (state) read_state(p, state);
  k.state = state;
  return k;
}

// Where what is read at this state stands at a time that does not move.
static const double *slope_of(struct adjoint *b, const player *p) {
  const nsm_sim *s = p->s;
  const double *slope = play_slope_here(p);
  return slope ? copy(b, slope, (size_t)(s->a->nq + s->a->nz + s->a->nl + 1) * sizeof *slope) : NULL;
}

static void keep_piece(struct adjoint *b, player *p, kept_entry *k, int order) {
  k->nw = p->nw;
  k->n = order;
  k->w = copy(b, p->solved, (size_t)p->nw * sizeof(double));
  size_t n = (size_t)k->n;
  if (p->made != b->made || b->factors.n != k->n) {
    b->factors = (kept_entry){ .n = k->n, .J = copy(b, p->J, n * n * sizeof(double)), .pseudo = p->pseudo,
                               .scale = copy(b, p->scale, n * sizeof(double)),
                               .pivot = copy(b, p->pivot, n * sizeof(int)) };
    b->made = p->made;
  }
  k->J = b->factors.J;
  k->scale = b->factors.scale;
  k->pivot = b->factors.pivot;
  k->pseudo = b->factors.pseudo;
}

static void keep(player *p, const tape_entry *e, int n, void *in) {
  struct adjoint *b = in;
  if (p->index >= b->room_kept) {
    long room = 2 * p->index + 256;
    kept_entry *more = realloc(b->kept, (size_t)room * sizeof *more);
    if (!more) { b->failed = 1; return; }
    b->kept = more;
    b->room_kept = room;
  }
  kept_entry *k = &b->kept[p->index];
  int piece = e->kind <= TAPE_JUMP;
  int moved = p->index == 0 || (piece && p->stood) || (e[-1].kind != TAPE_ROW && e[-1].kind != TAPE_STOP);
  *k = moved ? state_of(b, p) : (kept_entry){ .state = k[-1].state, .size = p->size };
  if (piece) keep_piece(b, p, k, n);
  if (e->kind == TAPE_ROW || e->kind == TAPE_STOP) k->slope = slope_of(b, p);
  k->asked = e->kind == TAPE_STOP;
}

static void jumped(const taking *k) {
  struct adjoint *b = k->back;
  if (k->p->light) return;
  b->kept[k->p->index].jump = copy(b, k->jump, (size_t)k->a->nof * sizeof *k->jump);
}

// ---- marks ----------------------------------------------------------------------------------------------------------
static int add_mark(taking *k) {
  struct adjoint *b = k->back;
  if (b->nmark == b->room_marks) {
    long room = b->room_marks ? 2 * b->room_marks : 16;
    mark *more = realloc(b->mark, (size_t)room * sizeof *more);
    if (!more) return 0;
    b->mark = more;
    b->room_marks = room;
  }
  mark m = { .sim = malloc(nsm_state_size(k->s)), .state = malloc((size_t)backwards_states(k->s) * sizeof(double)),
             .laws = malloc((size_t)k->s->n.r.n + 1), .before = k->t->before, .news = k->t->news, .began = k->began,
             .size = k->p->size, .place = k->p->place, .done = k->done, .entry = k->p->dropped };
  m.row = *take_row_of(k, k->a->nof);
  b->mark[b->nmark++] = m;
  if (!m.sim || !m.state || !m.laws) return 0;
  nsm_save(k->s, m.sim);
  read_state(k->p, m.state);
  memcpy(m.laws, k->t->laws, (size_t)k->s->n.r.n);
  return 1;
}

static nsm_code to_mark(taking *k, const mark *m, nsm_error *e) {
  tape_empty(k->t);
  forget(k->back);
  k->t->before = m->before;
  k->t->news = m->news;
  memcpy(k->t->laws, m->laws, (size_t)k->s->n.r.n);
  write_state(k->p, m->state);
  k->p->size = m->size;
  k->p->place = m->place;
  k->p->factored = -1;
  k->p->dropped = m->entry;
  k->p->index = 0;
  k->done = m->done;
  return nsm_restore(k->s, m->sim, e);
}

static nsm_code played(taking *k, nsm_error *e) {
  struct adjoint *b = k->back;
  if (b->failed) return sim_no_memory(e, "an adjoint");
  double tape_bytes = (double)k->t->n * (double)(sizeof(tape_entry) + sizeof(kept_entry)) + tape_bytes_of(k->t);
  double marks = (double)b->nmark * (double)(nsm_state_size(k->s) + (size_t)backwards_states(k->s) * sizeof(double));
  if (k->until >= 0 || (!k->p->light && (double)b->bytes + tape_bytes < fmin(b->room, PART))) return NSM_OK;
  if (!k->p->light) b->entries = k->t->n;
  k->p->light = 1;
  k->p->keep = NULL;
  b->total = k->p->dropped += k->t->n;
  k->p->index = 0;
  tape_empty(k->t);
  forget(b);
  double grown = fmin(b->room, fmax(PART, marks)) / fmin(b->room, PART);
  if ((double)(b->total - b->mark[b->nmark - 1].entry) < grown * (double)b->entries) return NSM_OK;
  return add_mark(k) ? NSM_OK : sim_no_memory(e, "an adjoint");
}

nsm_code adjoint_open(taking *k, void *with, double room, nsm_error *e) {
  struct adjoint *b = k->back = calloc(1, sizeof *b);
  if (!b) return sim_no_memory(e, "an adjoint");
  b->s = k->s;
  b->room = room;
  b->made = -1;
  b->value = calloc((size_t)k->a->nof + 1, sizeof *b->value);
  if (!b->value) return sim_no_memory(e, "an adjoint");
  k->p->keep = keep;
  k->played = played;
  k->jumped = jumped;
  k->p->in = b;
  b->way = backwards_open(k->p->s, with, k->a->nof, e);
  if (!b->way) return e ? e->code : NSM_FILE;
  return add_mark(k) ? NSM_OK : sim_no_memory(e, "an adjoint");
}

void adjoint_close(struct adjoint *b) {
  if (!b) return;
  forget(b);
  for (long i = 0; i < b->nmark; i++) {
    free(b->mark[i].sim);
    free(b->mark[i].state);
    free(b->mark[i].laws);
  }
  backwards_close(b->way);
  free(b->mark);
  free(b->kept);
  free(b->value);
  free(b);
}

// ---- outputs --------------------------------------------------------------------------------------------------------
// Time of the row before entry i; NAN: there is none.
static double row_before(const taking *k, const mark *m, long i) {
  while (--i >= 0) if (k->t->at[i].kind == TAPE_ROW) return k->t->at[i].t;
  return m->began ? m->row : NAN;
}

// The trapezoidal rule, as take_row has it.
static double weight_of(const taking *k, const mark *m, long i) {
  double t = k->t->at[i].t, before = row_before(k, m, i), sum = 0;
  if (!isnan(before)) sum += 0.5 * (t - before);
  if (!isnan(k->back->later)) sum += 0.5 * (k->back->later - t);
  return k->back->length > 0 ? sum / k->back->length : 0;
}

// Of the mean by the times of two rows: t, where the number is x, and the one behind it.
static void interval(struct adjoint *b, int o, double t, double x) {
  double mean = b->length > 0 ? 0.5 * (x + b->value[o]) / b->length : 0;
  b->value[o] = x;
  if (isnan(b->later)) return;
  backwards_row(b->way, o, b->later, mean);
  backwards_row(b->way, o, t, -mean);
}

static void at_row(taking *k, const mark *m, long i) {
  const answers *a = k->a;
  const kept_entry *at = &k->back->kept[i];
  for (int o = 0; o < a->nof; o++) {
    int kind = a->of[o].kind, chosen = k->chosen[o] == k->p->dropped + i;
    if ((kind == NSM_STAT_MIN || kind == NSM_STAT_MAX) && chosen)
      backwards_column(k->back->way, o, at, a->of[o].column, 1);
    if (kind == NSM_STAT_MEAN)
      interval(k->back, o, k->t->at[i].t, backwards_column(k->back->way, o, at, a->of[o].column, weight_of(k, m, i)));
  }
  k->back->later = k->t->at[i].t;
}

// The length of a mean, and the last row where that is no time of the clock.
static void at_length(taking *k, int o) {
  struct adjoint *b = k->back;
  double end = k->p->of[0].t.a[0], mean = k->a->value[o];
  if (!(b->length > 0)) return;
  if (!backwards_row(b->way, o, end, -mean / b->length)) backwards_time(b->way, o, (k->edge[o] - mean) / b->length);
  backwards_row(b->way, o, k->p->s->a->start, mean / b->length);
}

// What is read where entry i ends; a block only by what jumps there.
static void at_end_of(taking *k, long i) {
  const answers *a = k->a;
  const double *jump = k->back->kept[i].jump;
  for (int o = 0; jump && o < a->nof; o++)
    if (a->of[o].kind == NSM_STAT_MEAN && k->back->length > 0)
      backwards_time(k->back->way, o, jump[o] / k->back->length);
  for (int o = 0; o < a->nof; o++) {
    if (k->t->at[i].kind != TAPE_BLOCK && answers_of_event(&a->of[o]) && k->chosen[o] == k->p->dropped + i)
      backwards_time(k->back->way, o, 1);
  }
}

static nsm_code part_back(taking *k, const mark *m, nsm_error *e) {
  struct adjoint *b = k->back;
  for (long i = k->t->n - 1; i >= 0; i--) {
    const tape_entry *entry = &k->t->at[i];
    if (entry->kind == TAPE_ROW) at_row(k, m, i);
    else if (entry->kind == TAPE_STOP)
      backwards_column(b->way, (int)entry->number, &b->kept[i], k->a->of[entry->number].column, 1);
    else {
      at_end_of(k, i);
      if (!backwards_over(b->way, entry, &b->kept[i])) return sim_no_memory(e, "an adjoint");
    }
  }
  return NSM_OK;
}

static void at_state(taking *k, int kind, const kept_entry *at) {
  for (int o = 0; o < k->a->nof; o++)
    if (k->a->of[o].kind == kind) backwards_column(k->back->way, o, at, k->a->of[o].column, 1);
}

// ---- parameters -----------------------------------------------------------------------------------------------------
typedef struct adding { const answers *a; double *by; size_t n; } adding;

static void add_parameter(void *with, int j, const double *d) {
  const adding *w = with;
  for (int o = 0; o < w->a->nof; o++) {
    const double *g = w->by + (size_t)o * w->n;
    double sum = 0;
    for (size_t i = 0; i < w->n; i++) if (d[i] != 0) sum += g[i] * d[i];
    w->a->d[(size_t)o * (size_t)w->a->nby + (size_t)j] = sum;
  }
}

static nsm_code to_parameters(taking *k, nsm_error *e) {
  size_t n = play_start_size(k->p->s);
  adding w = { k->a, malloc(((size_t)k->a->nof * n + 1) * sizeof(double)), n };
  if (!w.by) return sim_no_memory(e, "an adjoint");
  for (int o = 0; o < k->a->nof; o++) backwards_start(k->back->way, o, w.by + (size_t)o * n);
  int good = play_start_by(k->p, k->a->by, k->a->nby, add_parameter, &w, e);
  free(w.by);
  return good ? NSM_OK : e ? e->code : NSM_FAILED;
}

// ---- the way back ---------------------------------------------------------------------------------------------------
nsm_code adjoint_back(taking *k, nsm_error *e) {
  struct adjoint *b = k->back;
  kept_entry end = state_of(b, k->p);
  end.slope = slope_of(b, k->p);
  nsm_code code = b->failed ? sim_no_memory(e, "an adjoint") : NSM_OK;
  if (code == NSM_OK) at_state(k, NSM_STAT_FINAL, &end);
  k->p->row = NULL;
  k->p->stop = NULL;
  k->p->event = NULL;
  b->later = NAN;
  b->length = k->p->of[0].t.a[0] - k->p->s->a->start;
  for (int o = 0; o < k->a->nof; o++) if (k->a->of[o].kind == NSM_STAT_MEAN && code == NSM_OK) at_length(k, o);
  int again = k->p->light;
  if (again) k->p->unique = 0;
  k->p->light = 0;
  k->p->keep = keep;
  for (long i = b->nmark - 1; i >= 0 && code == NSM_OK; i--) {
    if (again) {
      k->until = i < b->nmark - 1 ? b->mark[i + 1].entry : b->total;
      k->resumed = i > 0;
      code = to_mark(k, &b->mark[i], e);
      if (code == NSM_OK) code = take_record(k, e);
    }
    if (code == NSM_OK) code = part_back(k, &b->mark[i], e);
  }
  k->a->unique = k->p->unique;
  kept_entry start = { .state = b->mark[0].state, .size = b->mark[0].size };
  if (code == NSM_OK) at_state(k, NSM_STAT_INITIAL, &start);
  return code == NSM_OK ? to_parameters(k, e) : code;
}
