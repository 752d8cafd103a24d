// Equal steps from event to event (aligned.h).
//
// A run on the clock's times says where phases end. Where that is no known time, the length T of a phase is the one for
// which the event comes at the end of the last of N steps T/N: T is replaced by the time at which it comes, until they
// agree to round-off. The time of an event depends on the steps by their error alone, so few repetitions do.
#include "aligned.h"
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 16, ROUNDS = 64 };  // beyond the rounding of the time, that of many steps

// ---- phases ---------------------------------------------------------------------------------------------------------
static int add_stop(struct aligned *w, double t, int known) {
  if (w->n == w->room) {
    long room = w->room ? 2 * w->room : 64;
    aligned_stop *more = realloc(w->stop, (size_t)room * sizeof *more);
    if (!more) return 0;
    w->stop = more;
    w->room = room;
  }
  w->stop[w->n++] = (aligned_stop){ t, known, 0 };
  return 1;
}

void aligned_note(struct aligned *w, const nsm_sim *s, const tape *t) {
  for (long i = 0; i < t->n; i++) {
    const tape_entry *e = &t->at[i];
    int stop = e->kind == TAPE_STOP;                       // a time that is asked for may be one of the clock
    if (!stop && e->kind != TAPE_PIECE && e->kind != TAPE_STAGES) continue;
    w->captured |= e->captured;
    if (!stop && (e->end == TAPE_CLOCK || e->end == TAPE_SHORT)) continue;
    double at = e->t + e->h;
    int known = stop || (e->end != TAPE_SET && e->end != TAPE_WHEN);
    aligned_stop *last = w->n > 0 ? &w->stop[w->n - 1] : NULL;
    if (!last && at - s->a->start <= 4 * sim_time_round_off(s, at)) continue;    // at once, in the first phase
    if (last && at - last->t <= 4 * sim_time_round_off(s, at)) last->known |= known;
    else w->missed += !add_stop(w, at, known);
  }
}

// The end of the run; then steps of each phase.
int aligned_phases(struct aligned *w, const nsm_sim *s) {
  double before = s->a->start, near = 4 * sim_time_round_off(s, s->a->until);
  if (w->n > 0 && s->a->until - w->stop[w->n - 1].t <= near) w->n--;
  if (w->missed || !add_stop(w, s->a->until, 1)) return 0;
  for (long k = 0; k < w->n; k++) {
    w->stop[k].parts = (long)ceil((w->stop[k].t - before) / s->a->step * (1 - 1e-9));
    if (w->stop[k].parts < 1) w->stop[k].parts = 1;
    before = w->stop[k].t;
  }
  return 1;
}

// ---- one phase ------------------------------------------------------------------------------------------------------
typedef struct mark { char *state; long n; int before, news; unsigned char *laws; } mark;

typedef struct runner {
  struct aligned *w;
  nsm_sim *s;
  tape    *t;
  mark     at;                          // the begin of the phase
} runner;

static void mark_begin(runner *k) {
  nsm_save(k->s, k->at.state);
  k->at.n = k->t->n;
  k->at.before = k->t->before;
  k->at.news = k->t->news;
  memcpy(k->at.laws, k->t->laws, (size_t)k->s->n.r.n);
}

static nsm_code back(runner *k, nsm_error *e) {
  k->t->n = k->at.n;
  k->t->before = k->at.before;
  k->t->news = k->at.news;
  memcpy(k->t->laws, k->at.laws, (size_t)k->s->n.r.n);
  return nsm_restore(k->s, k->at.state, e);
}

static nsm_code step_by(runner *k, double h, long parts, int last, nsm_error *e) {
  tape *t = k->t;
  t->parts = parts;
  t->last = last;
  nsm_code code = nsm_step_by(k->s, h, e);
  t->parts = 0;
  t->last = 0;
  return code;
}

// Steps of T/N, the last one `longer`. *reached: the time of an event in one of them, or the end; what came at once is
// behind us.
static nsm_code try_phase(runner *k, double T, long parts, double longer, double *reached, nsm_error *e) {
  nsm_sim *s = k->s;
  double begin = nsm_time(s), near = 4 * sim_time_round_off(s, begin);
  nsm_code code = NSM_OK;
  for (long i = 0; i < parts && code == NSM_OK; i++) {
    int last = i + 1 == parts;
    double to = begin + T * (double)(i + 1) / (double)parts, h = to - nsm_time(s);
    code = step_by(k, last ? longer * h : h, parts, last, e);
    if (nsm_was_event(s) && nsm_time(s) - begin <= near && parts > 0 && code == NSM_OK && !last) {
      mark_begin(k);
      i--;
    } else if (nsm_was_event(s)) break;
  }
  *reached = nsm_time(s);
  return code;
}

static nsm_code misses(const runner *k, const char *what, nsm_error *e) {
  sim_fail(e, NSM_FAILED, "--refine: %s with steps that are aligned to events, near t = %.10g s; start from a shorter "
           "--step, or go without --refine", what, nsm_time(k->s));
  return NSM_FAILED;
}

static nsm_code known_phase(runner *k, const aligned_stop *to, long parts, nsm_error *e) {
  double reached, near = 4 * sim_time_round_off(k->s, to->t);
  nsm_code code = try_phase(k, to->t - nsm_time(k->s), parts, 1, &reached, e);
  if (code == NSM_STOPPED && fabs(reached - to->t) <= near) return NSM_OK;
  if (code != NSM_OK || fabs(reached - to->t) <= near) return code;
  return misses(k, "an event comes that had not come before", e);
}

static nsm_code event_phase(runner *k, aligned_stop *to, long parts, nsm_error *e) {
  nsm_sim *s = k->s;
  double begin = nsm_time(s), T = to->t - begin, near = 4 * sim_time_round_off(s, to->t), before = INFINITY;
  for (int i = 0; i < REPETITIONS; i++) {
    double reached, off;
    nsm_code code = i > 0 ? back(k, e) : NSM_OK;
    if (code == NSM_OK) code = try_phase(k, T, parts, 1.5, &reached, e);
    if (code != NSM_OK && code != NSM_STOPPED) return code;
    int came = nsm_was_event(s) || code == NSM_STOPPED;
    off = fabs(reached - begin - T);
    if (came && (off <= near || (off <= ROUNDS * near && off >= 0.5 * before))) {
      to->t = reached;
      return NSM_OK;
    }
    before = off;
    if (!(reached - begin > near)) break;
    T = reached - begin;
  }
  return misses(k, "an event does not come again", e);
}

nsm_code aligned_record(struct aligned *w, nsm_sim *s, tape *t, aligned_played *played, void *with, nsm_error *e) {
  char *room = calloc(nsm_state_size(s) + (size_t)s->n.r.n + 1, 1);
  double *before = calloc((size_t)nsm_ncolumn(s) + 1, sizeof *before);
  runner k = { w, s, t, { .state = room, .laws = (unsigned char *)room + nsm_state_size(s) } };
  nsm_code code = room && before ? NSM_OK : sim_no_memory(e, "a run");
  if (code == NSM_OK) nsm_stop_at_events(s, before);
  for (long i = 0; i < w->n && code == NSM_OK; i++) {
    aligned_stop *to = &w->stop[i];
    long parts = to->parts << w->level;
    int last = i + 1 == w->n;
    t->asks = to->known && !last;
    mark_begin(&k);
    code = to->known ? known_phase(&k, to, parts, e) : event_phase(&k, to, parts, e);
    t->asks = 0;
    if (code == NSM_OK) code = played(with, last, e);
  }
  nsm_stop_at_events(s, NULL);
  free(before);
  free(room);
  return code;
}
