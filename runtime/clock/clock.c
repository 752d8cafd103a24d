// The clock of a run: t_k = start + k step, and one shorter step at the end where the step does not divide the
// interval. It owns the times and their number; a step itself (sim_advance) takes any length.
//
// Where the model has events, such a step is taken in pieces (events.c).
//
// A step from one of these times to the next has exactly the length that was asked for: the difference of two times
// would have another one each time, and matrices would be made for each. `tick` counts the times that were reached;
// after nsm_step_by the run is between two of them, and the next step leads to the next one.
#include "located.h"
#include <math.h>

static nsm_code advance_to(nsm_sim *s, double to, nsm_error *e) {
  double h = to - s->now.t;
  return sim_advance(s, fabs(h - s->a->step) <= sim_time_round_off(s, to) ? s->a->step : h, to, e);
}

// Before the first of several parts of a step stands: where a later one fails none does.
static void keep_begin(nsm_sim *s) {
  void *state = sim_pool_room(s, &s->w.begin, nsm_state_size(s), 1);
  if (state) sim_save(s, state);
  s->w.begun = state != NULL;
  s->w.keep = NULL;
}

// A step that is not solved is taken in parts; one that makes energy first whole again, without what it knew.
static nsm_code take(nsm_sim *s, double h, double t1, nsm_error *e) {
  double from = s->now.t;
  s->w.astray = 0;
  if (sim_in_pieces(s)) return sim_events_step(s, t1, e);
  nsm_code c = sim_advance(s, h, t1, e);
  if (c != NSM_FAILED || !s->w.astray) return c;
  c = s->w.astray == SIM_UNREASONABLE ? NSM_OK : sim_take_halves(s, from, t1, advance_to, e);
  while (c == NSM_OK && s->now.t < t1) c = sim_take_part(s, t1, advance_to, e);
  return c;
}

// Multipliers of contacts and constraints are impulses of the whole step, in however many parts it was taken.
static void impulses_of_parts(nsm_sim *s, double from) {
  const sim_rows *r = &s->n.r;
  if (s->n.radau) return;
  s->now.span = s->now.t - from;
  for (int row = 0; s->now.parts > 1 && row < r->n; row++)
    if (sim_contactlike(s->a->cls[r->cls[row]].c)) s->now.l[r->l[row]] = s->now.l_parts[r->l[row]];
}

// To t1; where there are more contacts of shapes than ever before it goes on with more room for them. Where it fails
// the state is that before it.
static nsm_code go_to(nsm_sim *s, double h, double t1, nsm_error *e) {
  nsm_code c;
  double from = s->now.t;
  s->w.until = t1;
  s->w.begun = s->now.parts = 0;
  s->now.span = 0;
  s->w.keep = keep_begin;
  while ((c = take(s, h, t1, e)) != NSM_OK && s->touching && sim_touch_lacks(s)) {
    if ((c = sim_more_room(s, e)) != NSM_OK) return c;
    s->w.until = t1;
    s->w.begun = 0;                                        // it was another room's
    s->w.keep = NULL;
  }
  if (c == NSM_OK && (s->now.parts > 1 || s->n.flow)) impulses_of_parts(s, from);
  if (c == NSM_FAILED && s->w.begun) (void)sim_restore(s, s->w.begin.at, NULL);
  return c;
}

nsm_code nsm_step(nsm_sim *s, nsm_error *e) {
  long k = s->now.tick;
  if (k >= s->a->total) { sim_fail(e, NSM_USAGE, "the run is at its end"); return NSM_USAGE; }
  double t1 = sim_time_of_step(s, k + 1), h = k < s->a->full && !s->now.between ? s->a->step : t1 - s->now.t;
  nsm_code c = go_to(s, h, t1, e);
  if (s->now.t != t1) {
    s->now.between = s->now.t != sim_time_of_step(s, k);
    return c;
  }
  s->now.tick = k + 1;
  s->now.between = 0;
  return c;
}

nsm_code nsm_step_by(nsm_sim *s, double h, nsm_error *e) {
  double t1 = s->now.t + h;
  if (!(h > 0) || t1 == s->now.t || t1 - t1 != 0) {
    sim_fail(e, NSM_USAGE, "a step of %g s cannot be taken at t = %.10g s", h, s->now.t);
    return NSM_USAGE;
  }
  nsm_code c = go_to(s, h, t1, e);
  while (s->now.tick < s->a->total && s->now.t >= sim_time_of_step(s, s->now.tick + 1)) s->now.tick++;
  s->now.between = s->now.tick >= s->a->total || s->now.t != sim_time_of_step(s, s->now.tick);
  return c;
}

long nsm_steps_done(const nsm_sim *s) { return s->now.tick; }
long nsm_steps_total(const nsm_sim *s) { return s->a->total; }
double nsm_time_of_step(const nsm_sim *s, long k) { return sim_time_of_step(s, k); }

// Up to n whole steps; how many. instant: is one due now? What an event has stopped or changed first is for nsm_step.
// Where events are located what is watched is taken after each call of the code, which reads it: so no step hangs on
// how many of them one call took.
static long whole_steps(nsm_sim *s, long n, int *instant) {
  int stale = s->n.stale;
  if (s->now.stopped || s->a->start_error.code != NSM_OK) return 0;
  if (stale && !sim_refresh(s, NULL)) {
    s->n.stale = stale;                                    // the generic step says why
    return 0;
  }
  long done = 0;
  int ends = SIM_WHOLE_GOES_ON;
  while (done < n && ends == SIM_WHOLE_GOES_ON) {
    long more = sim_whole_run(s, n - done, &ends);
    if (more > 0 && s->located) sim_located_kept(s);
    s->now.tick += more;
    done += more;
  }
  *instant = ends == SIM_WHOLE_INSTANT;
  return done;
}

// Whole steps keep the books, and end where these are off; who calls them says so, also where no step follows.
static nsm_code was_unreasonable(nsm_sim *s, nsm_error *e) {
  sim_fail(e, NSM_FAILED,
           "the energy of a step before t = %.10g s, step %ld, is off by %.3g J, which no force, drive or impact "
           "explains; constraints that all but depend on each other there? a smaller step may help",
           s->now.t, s->now.tick, s->now.ledger.residue);
  return NSM_FAILED;
}

static void look(nsm_sim *s, nsm_code code) {
  if (s->watch && (code == NSM_OK || code == NSM_STOPPED)) s->watch->step(s->watch, s);
}

nsm_code nsm_advance(nsm_sim *s, long n, nsm_error *e) {
  nsm_code code = NSM_OK;
  while (n > 0 && code == NSM_OK && nsm_steps_done(s) < nsm_steps_total(s)) {
    int instant = 0;
    long done = s->n.whole ? whole_steps(s, n, &instant) : 0;
    n -= done;
    if (done > 0 && sim_was_from_nothing(s)) return was_unreasonable(s, e);
    if (instant) {
      code = sim_events_fused(s, e);
      look(s, code);
      continue;
    }
    if (n <= 0 || nsm_steps_done(s) >= nsm_steps_total(s)) break;
    code = nsm_step(s, e);
    look(s, code);
    n--;
    if (n > 0 && code == NSM_OK && sim_interrupted(s)) code = NSM_INTERRUPTED;
  }
  return code;
}

nsm_code sim_advance_watched(nsm_sim *s, long n, struct sim_watch *w, nsm_error *e) {
  s->watch = w;
  nsm_code code = nsm_advance(s, n, e);
  s->watch = NULL;
  return code;
}
