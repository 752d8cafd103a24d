// A run whose outputs are differentiated: it is recorded, the tape is played, and outputs are read meanwhile.
#include "aligned.h"
#include "take.h"
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64 };

// ---- what is taken while a tape is played ---------------------------------------------------------------------------
// A column now: its value and derivatives.
static void read_column(player *p, const answers *a, int column, double *to) {
  for (int c = 0; c <= p->nc; c++) {
    if (c == p->nc && p->np > 0) break;
    dual x = play_column(p, c, column);
    to[0] = x.a[0];
    for (int j = c * DUAL_LANES; j < (c + 1) * DUAL_LANES && j < a->nby && p->np > 0; j++)
      to[1 + j] = x.a[1 + j % DUAL_LANES];
  }
}

static void read_now(player *p, const answers *a, int i, double *to) { read_column(p, a, a->of[i].column, to); }

static void keep(taking *k, int i, const double *x) {
  answers *a = k->a;
  k->chosen[i] = k->p->dropped + k->p->index;
  a->value[i] = x[0];
  if (k->p->np > 0) memcpy(a->d + (size_t)i * (size_t)a->nby, x + 1, (size_t)a->nby * sizeof(double));
}

// Row `nof` is that of the time.
double *take_row_of(const taking *k, int i) { return k->before + (size_t)i * (size_t)(k->a->nby + 1); }

static void read_time(const player *p, const answers *a, int of_row, double *to) {
  to[0] = p->of[p->nc].t.a[0];
  for (int j = 0; j < a->nby && p->np > 0; j++) {
    const play_state *y = &p->of[j / DUAL_LANES];
    to[1 + j] = (of_row ? play_stands_at(p->s, y, 0) : y->t).a[1 + j % DUAL_LANES];
  }
}

// All columns, of every `every`-th row and of the last.
static void keep_row(player *p, const answers *a, answers_rows *r, int last) {
  size_t wide = (size_t)(1 + a->nby), size = (size_t)r->ncolumn * wide;
  char why[300];
  if (last ? (r->seen - 1) % r->every == 0 : r->seen++ % r->every != 0) return;
  if (r->n == r->room) {
    long room = r->room ? 2 * r->room : 64;
    double *more = realloc(r->x, (size_t)room * size * sizeof *more);
    if (!more) { p->failed = 1; return; }
    r->x = more;
    r->room = room;
  }
  double *to = r->x + (size_t)r->n++ * size;
  for (int c = 0; c < r->ncolumn; c++, to += wide) {
    int refused = play_column_refused(p, c, why, sizeof why);
    if (!refused) read_column(p, a, c, to);
    for (size_t j = refused ? 0 : 1; (refused || p->unread) && j < wide; j++) to[j] = NAN;
  }
}

// The last row stands where a jump has stopped the run. It shows what is behind the jump, which has no part in the
// integral: of what take_jump adds half is too much.
static int ends_with_jump(const taking *k) {
  double t = k->p->of[k->p->nc].t.a[0], number;
  return t == k->stood_at && play_row_time(k->p->s, t, &number) < 0;
}

// The largest and smallest of the rows, and the mean by the trapezoidal rule, as statistics of results are.
void take_row(player *p, void *to) {
  taking *k = to;
  answers *a = k->a;
  if (a->rows) keep_row(p, a, a->rows, 0);
  double *last = take_row_of(k, a->nof), now[1 + a->nby], x[1 + a->nby];
  read_time(p, a, 1, now);
  double dt = k->began ? now[0] - last[0] : 0;
  for (int i = 0; i < a->nof; i++) {
    int kind = a->of[i].kind;
    if (a->largest && a->of[i].column >= 0) {
      read_now(p, a, i, x);
      a->largest[i] = fmax(a->largest[i], fabs(x[0]));
    }
    if (kind != NSM_STAT_MIN && kind != NSM_STAT_MAX && kind != NSM_STAT_MEAN) continue;
    double *before = take_row_of(k, i), *d = a->d + (size_t)i * (size_t)a->nby;
    read_now(p, a, i, x);
    if (kind == NSM_STAT_MEAN) {
      double mean = k->began ? 0.5 * (before[0] + x[0]) : 0, jumped = ends_with_jump(k) ? 0.5 * k->stood[i] : 0;
      a->value[i] += dt * mean;
      for (int j = 0; j < a->nby && k->began && p->np > 0; j++)
        d[j] += 0.5 * dt * (before[1 + j] + x[1 + j]) + (now[1 + j] - last[1 + j]) * mean - jumped * now[1 + j];
      k->edge[i] = mean - jumped;
    } else if (!k->began || (kind == NSM_STAT_MIN ? x[0] < a->value[i] : x[0] > a->value[i])) keep(k, i, x);
    memcpy(before, x, sizeof x);
  }
  memcpy(last, now, sizeof now);
  k->began = 1;
}

// A mean is an integral: where its number jumps, by x+ - x-, at a time that moves, it has (x- - x+) dt. No sum over
// rows of the results shows that: between two rows the jump moves unseen.
void take_jump(player *p, int after, void *to) {
  taking *k = to;
  answers *a = k->a;
  double now[1 + a->nby];
  int any = 0;
  read_time(p, a, 0, now);
  for (int i = 0; i < a->nof; i++) {
    if (a->of[i].kind != NSM_STAT_MEAN) continue;
    double x = play_column(p, 0, a->of[i].column).a[0];
    k->jump[i] = after ? k->jump[i] - x : x;
    if (after) k->stood[i] = now[0] == k->stood_at ? k->stood[i] + k->jump[i] : k->jump[i];
    if (!after || fabs(k->jump[i]) <= 1e-12 * fabs(x)) continue;
    any = 1;
    for (int j = 0; j < a->nby && p->np > 0; j++) {
      a->d[(size_t)i * (size_t)a->nby + (size_t)j] += k->jump[i] * now[1 + j];
      a->jumps += now[1 + j] != 0;
    }
  }
  if (after) k->stood_at = now[0];
  if (!any || !k->jumped) return;
  k->jumped(k);
  a->jumps++;
}

void take_stop(player *p, long number, void *to) {
  taking *k = to;
  double *x = take_row_of(k, (int)number);
  read_now(p, k->a, (int)number, x);
  keep(k, (int)number, x);
}

// Does the event belong to the contact or relation of this output? That of friction is one of what presses.
static int belongs(const nsm_sim *s, const tape_entry *e, const answers_of *of) {
  const sim_rows *r = &s->n.r;
  for (int row = 0; row < r->n; row++) {
    int set = tape_set_hit(e, row);
    if (set < 0 || sim_event_row(s, row) != of->row) continue;
    if (of->kind != NSM_STAT_HIT || (row == of->row && (set == SIM_OPEN || set == SIM_LEFT))) return 1;
  }
  return 0;
}

void take_event(player *p, const tape_entry *e, void *to) {
  taking *k = to;
  answers *a = k->a;
  double x[1 + a->nby];
  read_time(p, a, 0, x);
  for (int i = 0; i < a->nof; i++) {
    const answers_of *of = &a->of[i];
    if (!answers_of_event(of) || !belongs(p->s, e, of)) continue;
    long number = ++k->seen[i];
    if (of->kind == NSM_STAT_LAST || number == (of->kind == NSM_STAT_HIT ? of->number : 1)) keep(k, i, x);
  }
}

void take_start(player *p, taking *k) {
  for (int i = 0; i < k->a->nof; i++) {
    if (k->a->of[i].kind != NSM_STAT_INITIAL) continue;
    read_now(p, k->a, i, take_row_of(k, i));
    keep(k, i, take_row_of(k, i));
  }
}

nsm_code take_end(player *p, taking *k, nsm_error *e) {
  answers *a = k->a;
  double length = p->of[p->nc].t.a[0] - p->s->a->start;
  const double *last = take_row_of(k, a->nof);
  play_hold_time(p, 0);
  if (a->rows) keep_row(p, a, a->rows, 1);
  play_let_go(p);
  for (int i = 0; i < a->nof; i++) {
    int kind = a->of[i].kind;
    double *x = take_row_of(k, i);
    if (kind == NSM_STAT_FINAL) {
      play_hold_time(p, 0);
      if (p->unread) return play_refuse_unread(p, e), e->code;
      read_now(p, a, i, x);
      play_let_go(p);
      keep(k, i, x);
    } else if (answers_of_event(&a->of[i]) && k->seen[i] < (kind == NSM_STAT_HIT ? a->of[i].number : 1)) {
      if (k->seen[i] == 0) sim_fail(e, NSM_FAILED, "E0773: %s: nothing happens there in this run", a->of[i].name);
      else sim_fail(e, NSM_FAILED, "E0773: %s: there are only %ld in this run", a->of[i].name, k->seen[i]);
      return NSM_FAILED;
    } else if (kind == NSM_STAT_MEAN && length > 0) {
      a->value[i] /= length;
      for (int j = 0; j < a->nby && p->np > 0; j++) {
        double *d = &a->d[(size_t)i * (size_t)a->nby + (size_t)j];
        double longer = last[1 + j] - p->of[j / DUAL_LANES].start.a[1 + j % DUAL_LANES];
        *d = (*d - a->value[i] * longer) / length;
      }
    }
  }
  return NSM_OK;
}

// ---- the run --------------------------------------------------------------------------------------------------------
// The next time at which an output is asked for, after `from`; infinite where there is none.
static double next_stop(const answers *a, double from) {
  double next = INFINITY;
  for (int i = 0; i < a->nof; i++)
    if (a->of[i].kind == NSM_STAT_AT && a->of[i].time > from) next = fmin(next, a->of[i].time);
  return next;
}

static void mark_stops(const answers *a, tape *t, double from, double to) {
  for (int i = 0; i < a->nof; i++)
    if (a->of[i].kind == NSM_STAT_AT && a->of[i].time > from && a->of[i].time <= to) tape_stop(t, i);
}

static uint64_t mixed(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

// Does an instant end the piece at a time of the clock? One that moves comes to stand in another step.
static int is_on_step(const nsm_sim *s, const tape_entry *e) {
  double at = e->t + e->h, k = round((at - s->a->start) / s->a->step);
  return (e->end == TAPE_EVERY || e->end == TAPE_BY_TIME) &&
         fabs(at - (s->a->start + k * s->a->step)) <= 2 * sim_time_round_off(s, at);
}

static void tell(answers *a, const tape *t, long from) {
  for (long i = from; i < t->n; i++) {
    const tape_entry *e = &t->at[i];
    a->pieces += e->kind == TAPE_PIECE || e->kind == TAPE_STAGES;
    if (isnan(a->on_step) && is_on_step(t->s, e)) a->on_step = e->t + e->h;
    if (e->end == TAPE_WHEN || e->end == TAPE_BY_TIME) a->steps = mixed(a->steps, (uint64_t)e->number);
    if (e->end == TAPE_EVERY) a->steps = mixed(a->steps, (uint64_t)((e->t + e->h - t->s->a->start) / t->s->a->step));
    int event = e->kind == TAPE_IMPACT || e->kind == TAPE_BLOCK || e->end == TAPE_SET;
    if (!event || e->kind == TAPE_ROW || e->kind == TAPE_STOP) continue;
    a->events += e->kind != TAPE_IMPACT;
    int set = e->set == SIM_LEFT ? SIM_OPEN : e->set;      // of a flight, whether it has one piece or more
    uint64_t what = (uint64_t)e->kind << 40 | (uint64_t)(e->row + 1) << 8 | (uint64_t)set;
    a->sequence = mixed(mixed(a->sequence, what), (uint64_t)(e->block + 1));
    a->steps = mixed(mixed(a->steps, what), e->kind == TAPE_BLOCK ? 0 : (uint64_t)e->number);
  }
}

// What has been recorded is played and forgotten.
nsm_code take_play_on(void *with, int last, nsm_error *e) {
  taking *k = with;
  tape *t = k->t;
  double now = nsm_time(k->s), near = sim_time_round_off(k->s, now);
  mark_stops(k->a, t, k->done, now + near);
  k->done = now + near;
  int ends = last || (k->until >= 0 && k->p->dropped + t->n >= k->until);
  if (!ends && !*t->refused && !(tape_full(t) && t->n - k->p->index >= AT_ONCE)) return NSM_OK;
  if (t->failed) return sim_no_memory(e, "the record of a run");
  if (*t->refused) return tape_refused(t, e);
  if (k->until < 0) tell(k->a, t, k->p->index);
  if (k->a->note) aligned_note(k->a->note, k->s, t);
  if (!play(k->p, e)) return e ? e->code : NSM_FAILED;
  if (k->played) return k->played(k, e);
  k->p->dropped += t->n;
  k->p->index = 0;
  tape_empty(t);
  return NSM_OK;
}

nsm_code take_record(taking *k, nsm_error *e) {
  const answers *a = k->a;
  nsm_sim *s = k->s;
  tape *t = k->t;
  nsm_code code = NSM_OK;
  for (;;) {
    double now = nsm_time(s), near = sim_time_round_off(s, now);
    int row = !s->now.between || code == NSM_STOPPED;      // what stops the run has a row
    if ((k->p->rows_count || a->largest) && row && !k->resumed) tape_row(t);
    int last = code != NSM_OK || nsm_steps_done(s) >= nsm_steps_total(s);
    nsm_code played = k->resumed ? NSM_OK : take_play_on(k, last, e);
    if (played != NSM_OK) return played;
    if (k->until >= 0 && k->p->dropped + t->n >= k->until) return NSM_OK;
    k->resumed = 0;
    if (last) return code == NSM_STOPPED ? NSM_OK : code;
    double stop = next_stop(a, k->done), clock = nsm_time_of_step(s, nsm_steps_done(s) + 1);
    t->asks = stop <= clock + near;                        // a time of the clock moves with step and start, `at` not
    code = stop < clock - near ? nsm_step_by(s, stop - now, e) : nsm_step(s, e);
    t->asks = 0;
    if (code == NSM_OK && sim_interrupted(s)) code = NSM_INTERRUPTED;
    if (code != NSM_OK && code != NSM_STOPPED) return code;
  }
}
