// Events (docs/numerics/events.md): instants of `every`, conditions of `when`, what they do. A step from one time of
// the clock to the next is taken in pieces: a piece ends where an `every` is due, or where the condition of a `when`
// becomes true. The scheme knows nothing of it: a piece is a step of its own, of another length.
//
//   instants     t = (start + T0) + k T with an integer k, so rounding does not add up; what lies within the round-off
//                of a time of the clock is that time
//   lengths      differences of times have rounding errors; lengths that differ by these alone are the same length, so
//                that matrices which belong to a length are not made anew for each piece (state: length)
//   conditions   a piece that makes a condition true is done again, shorter, until its end is within the tolerance of
//                the instant: bracketed, by the secants of what crosses zero (Illinois), and bisection; the instants of
//                conditions of time alone are known before
#include "flow_pieces.h"
#include "radau_pieces.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FIRES = 1000, MOST_TRIES = 200, CHATTER = 10,
       PARTS = 6, MOST_PARTS = 20 };     // a quarter, ..., of a piece that is not solved; of those in a step
static const double MOST_INSTANTS = 1e9;       // of an `every` in a run: some minutes

// ---- analysis -------------------------------------------------------------------------------------------------------
// Does a condition depend on time and discrete variables alone?
static int is_by_time(const nsm_sim *s, const sim_class *k) {
  for (int i = 0; i < k->tab.count * k->c->nslot; i++)
    if (k->c->slot[i % k->c->nslot] != NSM_SLOT_D || k->tab.ix[i] >= s->a->nevent) return 0;
  return 1;
}

// before: instants and conditions of the blocks before this one.
static void analyse_block(nsm_sim *s, int block, int before[2], sim_event *v) {
  const nsm_model *m = s->a->m;
  *v = (sim_event){ .cls = -1, .crossing = -1 };
  for (int i = 0; i < m->nclass; i++) {
    const nsm_class *c = &m->cls[i];
    if (c->kind < NSM_EVERY || c->kind > NSM_ACTION || c->block != block) continue;
    if (c->kind == NSM_CROSSING) v->crossing = i;
    else if (c->kind == NSM_ACTION) v->naction++;
    else v->cls = i;
  }
  v->action = SIM_NEW(s, v->naction, int);
  for (int i = 0, n = 0; i < m->nclass; i++)
    if (m->cls[i].kind == NSM_ACTION && m->cls[i].block == block) v->action[n++] = i;
  const sim_class *k = &s->a->cls[v->cls];
  v->timed = k->c->kind == NSM_EVERY;
  v->by_time = !v->timed && v->crossing >= 0 && is_by_time(s, k);
  v->instant = k->c->by_time;
  v->n = k->tab.count;
  v->base = before[v->timed];
  before[v->timed] += v->n;
}

// Are period and offset of a block, and the number of its instants in the run, what somebody can mean?
static int instants_make_sense(const nsm_sim *s, const sim_event *v, const double *num, nsm_error *e) {
  double many = (s->a->until - s->a->start) / num[0];
  int line = s->a->cls[v->cls].c->line, good = num[0] > 0 && num[1] >= 0 && isfinite(num[0]) && isfinite(num[1]);
  if (good && !(isfinite(s->a->until) && many > MOST_INSTANTS)) return 1;
  if (!good)
    sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(v->cls),
                "line %d: the period of `every` must be positive and its offset not negative; they are %g s and %g s",
                line, num[0], num[1]);
  else
    sim_fail_at(e, NSM_MODEL_WRONG, sim_at_class(v->cls),
                "line %d: the period of `every` is %g s: the run would have %.3g instants, and %g is the most; is its "
                "unit what is meant?", line, num[0], many, MOST_INSTANTS);
  return 0;
}

int sim_events_analyse(nsm_sim *s, nsm_error *e) {
  sim_analysis *a = s->a;
  int most = 0, before[2] = { 0 };
  a->event = SIM_NEW(s, a->m->nblock, sim_event);
  for (int i = 0; i < a->m->nblock; i++) {
    sim_event *v = &a->event[i];
    analyse_block(s, i, before, v);
    if (!sim_laws_analyse(s, i, v, e)) return 0;
    if (v->n * v->naction > most) most = v->n * v->naction;
    const sim_class *k = &a->cls[v->cls];
    for (int j = 0; v->timed && j < v->n; j++)
      if (!instants_make_sense(s, v, k->tab.num + (size_t)j * (size_t)k->c->nnum, e)) return 0;
  }
  s->w.value = SIM_NEW(s, most, double);
  s->w.fire = SIM_NEW(s, a->nevery + a->nwhen, unsigned char);
  s->w.fired = SIM_NEW(s, a->nwhen, int);
  s->w.gap_before = SIM_NEW(s, s->n.r.n, double);
  double **by_when[] = { &s->w.truth, &s->w.low, &s->w.high, &s->w.cross, &s->w.at_kink };
  for (int i = 0; i < 5; i++) *by_when[i] = SIM_NEW(s, a->nwhen, double);
  return 1;
}

// The step, a length that was met before, or a new one: see above.
static double length_of(nsm_sim *s, double to, int keep) {
  double h = to - s->now.t, near = sim_time_round_off(s, to);
  sim_state *now = &s->now;
  if (fabs(h - s->a->step) <= near) return s->a->step;
  if (!keep) return h;
  for (int i = 0; i < SIM_LENGTHS; i++)
    if (now->length[i] > 0 && fabs(h - now->length[i]) <= near) return now->length[i];
  now->length[now->lengths++ % SIM_LENGTHS] = h;
  return h;
}

// ---- what a block does ----------------------------------------------------------------------------------------------
static nsm_code end_of_run(nsm_sim *s, int cls, nsm_error *e) {
  const nsm_class *c = &s->a->m->cls[cls];
  int stops = c->action == NSM_ACT_STOP;
  if (stops) s->now.stopped = cls + 1;
  sim_fail_at(e, stops ? NSM_STOPPED : NSM_CLAIM, sim_at_class(cls), "%s at t = %.10g s: %s",
              stops ? "the run stopped" : "the run failed", s->now.t, sim_text(s, c->label));
  return stops ? NSM_STOPPED : NSM_CLAIM;
}

static nsm_code not_finite(nsm_sim *s, int cls, double value, nsm_error *e) {
  sim_fail_at(e, NSM_FAILED, sim_at_class(cls), "line %d: what is assigned is %s at t = %.10g s",
              s->a->m->cls[cls].line, isnan(value) ? "not a number" : "infinite", s->now.t);
  return NSM_FAILED;
}

static void assign(nsm_sim *s, const sim_class *k, int i, double value) {
  int at = k->tab.ix[(size_t)i * (size_t)k->c->nslot], kind = k->c->slot[0];
  if (kind == NSM_SLOT_D) {
    if (s->now.d[at] != value) s->w.changed |= SIM_DISCRETE;
    s->now.d[at] = value;
    return;
  }
  s->w.changed |= SIM_MOTION;
  if (kind == NSM_SLOT_X) s->now.z[s->a->nv + at] = value;
  else if (k->c->init_velocity || kind == NSM_SLOT_VELOCITY) s->now.z[at] = value;
  else {
    s->w.changed |= SIM_PLACES;
    s->now.q[at] = value;
  }
}

static int moves_places(nsm_sim *s, const sim_event *v) {
  for (int a = 0; a < v->naction; a++) {
    const nsm_class *c = s->a->cls[v->action[a]].c;
    int kind = c->action == NSM_ACT_ASSIGN ? c->slot[0] : NSM_SLOT_D;
    if (kind == NSM_SLOT_D || kind == NSM_SLOT_X || kind == NSM_SLOT_VELOCITY || c->init_velocity) continue;
    s->w.reset_by = v->cls;
    return 1;
  }
  return 0;
}

// Instances first ... first + n - 1 of a block, at time t (which is now, but for rounding): its relations, then all
// values, then all assignments.
static nsm_code act(nsm_sim *s, const sim_event *v, int first, int n, double t, nsm_error *e) {
  if (v->laws) {
    nsm_code solved = sim_laws_solve(s, v, first, n, t, e);
    if (solved != NSM_OK) return solved;
  }
  nsm_view view = sim_view(s, t, s->now.q, s->now.z, s->now.l);
  nsm_code code = NSM_OK;
  for (int a = 0; a < v->naction; a++) {
    const sim_class *k = &s->a->cls[v->action[a]];
    nsm_table some = sim_part(k, first, n);
    if (k->c->out_fn) k->c->out_fn(&view, &some, s->w.value + (size_t)a * (size_t)n);
  }
  s->now.count.events += n;
  if (s->tape) s->tape->block(s->tape, s, (int)(v - s->a->event), first, n, t);
  int switches = s->a->cls[v->cls].c->switches;
  if (!switches) sim_before_jump(s);
  for (int i = 0; i < n && !switches && !v->timed; i++) sim_tell_block(s, "when", v->cls);
  if (moves_places(s, v)) sim_reset_begins(s);
  for (int a = 0; a < v->naction; a++) {
    const sim_class *k = &s->a->cls[v->action[a]];
    if (k->c->action != NSM_ACT_ASSIGN) {
      if (code == NSM_OK) code = end_of_run(s, v->action[a], e);
      continue;
    }
    for (int i = 0; i < n; i++) {
      double value = s->w.value[(size_t)a * (size_t)n + (size_t)i];
      if (!isfinite(value)) return not_finite(s, v->action[a], value, e);
      assign(s, k, first + i, value);
    }
  }
  sim_signals_forget(s);
  return code;
}

// Those that are marked, runs of neighbours together.
static nsm_code act_marked(nsm_sim *s, const sim_event *v, const unsigned char *fire, double t, nsm_error *e) {
  for (int i = 0; i < v->n;) {
    int n = 0;
    while (i + n < v->n && fire[i + n]) n++;
    if (n > 0) {
      nsm_code code = act(s, v, i, n, t, e);
      if (code != NSM_OK) return code;
    }
    i += n + 1;
  }
  return NSM_OK;
}

// ---- conditions -----------------------------------------------------------------------------------------------------
static int holds(const nsm_sim *s, const sim_event *v, int i) { return s->w.truth[v->base + i] != 0; }

// Where laws hold at 0 what a condition compares, only round-off, or the error of a solver, has a sign there: its truth
// is that at 0, and that of a kink, both branches of which are the same there, stays what it was. By `radau` 0 is what
// is nothing beside its largest value so far; event_driven knows what is held (flow_holds.c). taken: the view is where
// the run is.
static void hold_zeros(nsm_sim *s, const sim_event *v, const nsm_view *view, int taken) {
  const nsm_class *c = s->a->cls[v->cls].c;
  if ((!s->n.radau && !s->n.flow) || v->crossing < 0) return;
  const sim_class *k = &s->a->cls[v->crossing];
  double *x = s->w.at_kink + v->base, *most = s->now.crosses + v->base;
  if (s->n.radau) k->c->out_fn(view, &k->tab, x);
  for (int i = 0; i < v->n; i++) {
    if (s->n.radau && taken) most[i] = fmax(most[i], fabs(x[i]));
    int zero = s->n.flow ? s->now.flow_holds[v->base + i] == FLOW_HOLDS
                         : x[i] != 0 && fabs(x[i]) < DBL_EPSILON * most[i];
    int stays = c->switches == 2 || (s->n.flow && c->at_zero == 0);
    if (zero && stays) s->w.truth[v->base + i] = s->now.was[v->base + i] != SIM_ARMED;
    else if (zero && c->at_zero != 0 && (s->n.flow || c->switches)) s->w.truth[v->base + i] = c->at_zero > 0;
  }
}

// Conditions at a view into truth, what crosses zero into cross, which may be NULL.
static void look_at(nsm_sim *s, const nsm_view *view, double *cross) {
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *v = &s->a->event[b];
    if (v->timed) continue;
    s->a->cls[v->cls].c->out_fn(view, &s->a->cls[v->cls].tab, s->w.truth + v->base);
    hold_zeros(s, v, view, 0);
    if (cross && v->crossing >= 0)
      s->a->cls[v->crossing].c->out_fn(view, &s->a->cls[v->crossing].tab, cross + v->base);
  }
}

static nsm_code too_often(nsm_sim *s, const sim_event *v, nsm_error *e) {
  const nsm_class *c = &s->a->m->cls[v->cls];
  if (v->instant)
    sim_fail_at(e, NSM_FAILED, sim_at_class(v->cls),
                "line %d: `%s` jumps more than %d times within one step, before t = %.10g s; take a smaller step",
                c->line, sim_text(s, c->label), MOST_FIRES, s->now.t);
  else sim_fail_at(e, NSM_FAILED, sim_at_class(v->cls),
              "line %d: `%s` fires again and again within one step: its instants accumulate at t = %.10g s; a contact "
              "comes to rest, a reset does not",
              c->line, sim_text(s, c->label), s->now.t);
  return NSM_FAILED;
}

// Switches of `if` are located events, and none of the model's own.
static void count_switches(nsm_sim *s, const sim_event *v, int any, int located) {
  s->now.count.events -= any;
  if (!located) return;
  s->now.count.located += any;
  for (int i = 0; i < v->n; i++) {
    if (s->w.fired[v->base + i] != SWITCHES) continue;
    s->now.count.captured++;
    if (s->w.trembles++ == 0) {
      s->w.trembles_of = v->cls;
      s->w.trembles_from = s->now.t;
    }
    if (s->now.captured_row != 0) continue;
    s->now.captured_t = s->now.t;
    s->now.captured_row = -1 - v->cls;
  }
  for (int i = 0; i < any; i++) sim_tell_block(s, "switches", v->cls);
}

// What is due at time t, block by block in the order of the text. `every` fires by its instant, `when` by its condition
// at the moment that its turn comes; as long as assignments make further conditions true, once more.
static nsm_code fire(nsm_sim *s, double t, int at_start, int located, nsm_error *e) {
  int again = 1;
  if (s->n.flow) sim_flow_holds(s);
  for (int round = 0; again; round++) {
    again = 0;
    for (int b = 0; b < s->a->m->nblock; b++) {
      const sim_event *v = &s->a->event[b];
      unsigned char *mark = s->w.fire;
      const sim_class *k = &s->a->cls[v->cls];
      double at = v->instant ? t + sim_instant_tolerance(s, t) : t;
      int any = 0;
      if (v->timed && round > 0) continue;
      memset(mark, 0, (size_t)v->n);
      nsm_view view = sim_view(s, at, s->now.q, s->now.z, s->now.l);
      if (!v->timed) k->c->out_fn(&view, &k->tab, s->w.truth + v->base);
      if (!v->timed) hold_zeros(s, v, &view, 1);
      for (int i = 0; i < v->n; i++) {
        if (v->timed) {
          double due = sim_instant_of(s, v, i);
          if (due > t + sim_time_round_off(s, t)) continue;
          at = due;
          s->now.instant[v->base + i]++;
          any += mark[i] = 1;
        } else {
          unsigned char *was = &s->now.was[v->base + i];
          int newly = holds(s, v, i) && (*was == SIM_ARMED || (at_start && k->c->initial && round == 0));
          if (!holds(s, v, i)) *was = SIM_ARMED;
          if (!newly || (at_start && !k->c->initial && round == 0)) {
            if (holds(s, v, i) && *was == SIM_ARMED) *was = at_start ? SIM_UNARMED : SIM_HOLDS;
            continue;
          }
          *was = v->by_time || (located && v->crossing >= 0) ? SIM_CROSSED : SIM_HOLDS;
          any += mark[i] = 1;
          if (++s->w.fired[v->base + i] > MOST_FIRES && (v->instant || !k->c->switches)) return too_often(s, v, e);
        }
      }
      if (!any) continue;
      if (k->c->switches) count_switches(s, v, any, located);
      nsm_code code = act_marked(s, v, mark, at, e);
      if (code != NSM_OK) return code;
      again |= s->a->nwhen > 0;
    }
  }
  return NSM_OK;
}

// ---- after a block --------------------------------------------------------------------------------------------------
// Kernels of what discrete variables move are evaluated anew, matrices and their factors where they are among them.
// What a reset took from the energy is booked by its name; constraints are met again.
static nsm_code settle(nsm_sim *s, nsm_error *e) {
  int changed = s->w.changed;
  s->w.changed = 0;
  if (changed & SIM_DISCRETE) s->n.stale = s->a->event_matrix ? 2 : s->a->event_values;
  if (changed & SIM_MOTION) {
    sim_forget_last_step(s);
    if (s->tape && s->a->on.constraint.n > 0) s->tape->mended(s->tape, s);
    if (s->a->on.constraint.n > 0 || ((changed & SIM_PLACES) && s->a->project_start)) {
      nsm_error why = { .code = NSM_OK };
      sim_refresh(s, &why);
      if (!sim_mend(s, 1, &why)) {
        sim_fail(e, NSM_FAILED, "after a reset at t = %.10g s the constraints cannot be met: %.600s", s->now.t,
                 why.text);
        return NSM_FAILED;
      }
    }
  }
  if ((changed & SIM_PLACES) && !s->a->project_start) {
    nsm_code code = sim_reset_ends(s, e);
    if (code != NSM_OK) return code;
  }
  if (changed && s->n.unknowns) {
    nsm_error why = { .code = NSM_OK };
    sim_refresh(s, &why);
    sim_unknowns_solve(s);
  }
  if (changed && s->impulses) sim_impulses_look(s, s->a->step);
  if (changed && (s->located || s->n.radau)) sim_located_stale(s);
  if (changed && s->a->ndelay > 0) sim_signals_keep(s, 1);
  if (changed) sim_ledger_reset(s);
  int begins = changed && s->n.radau && s->now.t > s->a->start;
  return begins ? sim_radau_after(s, e) : NSM_OK;
}

static nsm_code fire_and_settle(nsm_sim *s, double t, int at_start, int located, nsm_error *e) {
  s->w.changed = !at_start && sim_inputs_jump(s) ? SIM_DISCRETE : 0;
  nsm_code code = fire(s, t, at_start, located, e), after = settle(s, e);
  return code != NSM_OK ? code : after;
}

nsm_code sim_events_start(nsm_sim *s, nsm_error *e) {
  memset(s->w.fired, 0, (size_t)s->a->nwhen * sizeof *s->w.fired);
  return fire_and_settle(s, s->now.t, 1, 0, e);
}

// What is no longer true may become true again.
static void arm(nsm_sim *s) {
  for (int i = 0; i < s->a->nwhen; i++)
    if (s->now.was[i] != SIM_ARMED && s->w.truth[i] == 0) s->now.was[i] = SIM_ARMED;
}

nsm_code sim_events_fused(nsm_sim *s, nsm_error *e) {
  nsm_view end = sim_now(s);
  look_at(s, &end, NULL);
  arm(s);
  memset(s->w.fired, 0, (size_t)s->a->nwhen * sizeof *s->w.fired);
  nsm_code code = fire_and_settle(s, s->now.t, 0, 0, e);
  return code == NSM_OK && sim_interrupted(s) ? NSM_INTERRUPTED : code;
}

int sim_unarmed_note(const nsm_sim *s, char *out, size_t size) {
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *v = &s->a->event[b];
    if (v->timed || !memchr(s->now.was + v->base, SIM_UNARMED, (size_t)v->n)) continue;
    const nsm_class *c = &s->a->m->cls[v->cls];
    const char *label = sim_text(s, c->label), *condition = strncmp(label, "when ", 5) ? label : label + 5;
    snprintf(out, size, "line %d: `%s` was true from the start to the end, so it never became true and did not fire; "
             "`when initial or %s` fires at the start", c->line, label, condition);
    return 1;
  }
  return 0;
}

// ---- a piece --------------------------------------------------------------------------------------------------------
// The step of length h is tried, and the conditions are looked at where it ends.
static nsm_code attempt(nsm_sim *s, double h, double t1, double *cross, nsm_error *e) {
  nsm_code code = sim_try(s, h, t1, e);
  if (code != NSM_OK || s->a->nwhen == 0) return code;
  nsm_view view = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  look_at(s, &view, cross);
  return NSM_OK;
}

// Has any located condition become true? crossed: of those that had just done so: is it still?
static int newly(const nsm_sim *s, int state) {
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *v = &s->a->event[b];
    for (int i = 0; !v->timed && !v->by_time && v->crossing >= 0 && i < v->n; i++)
      if (s->now.was[v->base + i] == state && holds(s, v, i) && !sim_given_up(s, v, i)) return 1;
  }
  return 0;
}

// The earliest zero that secants through both ends give, of the conditions that are true at the upper one.
static double secant(const nsm_sim *s, double lo, double hi) {
  double r = hi;
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *v = &s->a->event[b];
    for (int i = v->base; !v->timed && !v->by_time && i < v->base + v->n; i++) {
      double low = s->w.low[i], high = s->w.high[i];
      if (s->now.was[i] != SIM_ARMED || !(low < 0 && high >= 0) || !isfinite(high - low)) continue;
      r = fmin(r, lo + (hi - lo) * (low / (low - high)));
    }
  }
  return r;
}

// Between lo, where none of the conditions holds, and hi, where some do.
static nsm_code locate(nsm_sim *s, double *length, nsm_error *e) {
  if (sim_flow_is_at(s, -1)) return NSM_OK;
  double lo = 0, hi = *length, tol = sim_instant_tolerance(s, s->now.t + hi), tried = hi, *cross = s->w.cross;
  nsm_view begin = sim_now(s);
  size_t n = (size_t)s->a->nwhen * sizeof(double);
  int side = 0, tries = 0;
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *v = &s->a->event[b];
    if (!v->timed && v->crossing >= 0)
      s->a->cls[v->crossing].c->out_fn(&begin, &s->a->cls[v->crossing].tab, s->w.low + v->base);
  }
  while (hi - lo > tol && tries++ < MOST_TRIES) {
    double r = secant(s, lo, hi), width = hi - lo;
    if (tries % 4 == 0 || !(r > lo && r < hi)) r = lo + 0.5 * width;
    r = fmin(fmax(r, lo + 0.5 * tol), hi - 0.5 * tol);
    if (!(r > lo && r < hi)) break;
    nsm_code code = attempt(s, r, s->now.t + r, cross, e);
    if (code != NSM_OK) return code;
    tried = r;
    int up = newly(s, SIM_ARMED);
    memcpy(up ? s->w.high : s->w.low, cross, n);
    for (int i = 0; side == (up ? 1 : -1) && i < s->a->nwhen; i++) (up ? s->w.low : s->w.high)[i] *= 0.5;
    side = up ? 1 : -1;
    if (up) hi = r;
    else lo = r;
  }
  *length = hi;
  return tried == hi ? NSM_OK : attempt(s, hi, s->now.t + hi, NULL, e);
}

// A condition that became true where this piece begins, and is true where it ends, may have been false in between: a
// ball that bounces low. The longest part h/2^k after which it is false.
static nsm_code leave(nsm_sim *s, double *length, int *leaves, nsm_error *e) {
  double tol = sim_time_round_off(s, s->now.t);
  *leaves = 0;
  for (double r = 0.5 * *length; r > tol && !*leaves; r *= 0.5) {
    nsm_code code = attempt(s, r, s->now.t + r, s->w.high, e);
    if (code != NSM_OK) return code;
    *leaves = !newly(s, SIM_CROSSED);
    if (*leaves) *length = r;
  }
  return NSM_OK;
}

static nsm_code stays(nsm_sim *s, nsm_error *e) {
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *v = &s->a->event[b];
    for (int i = 0; !v->timed && !v->by_time && i < v->n; i++) {
      if (s->now.was[v->base + i] != SIM_CROSSED) continue;
      if (s->w.fired[v->base + i] >= CHATTER && !s->a->cls[v->cls].c->switches) return too_often(s, v, e);
      s->now.was[v->base + i] = SIM_HOLDS;
    }
  }
  return NSM_OK;
}

static int any_crossed(const nsm_sim *s) { return memchr(s->now.was, SIM_CROSSED, (size_t)s->a->nwhen) != NULL; }

// Does a condition that was true where this piece begins go on to be? Then shorter pieces are looked at.
static nsm_code look_closer(nsm_sim *s, double h, double to, double *length, nsm_error *e) {
  int leaves;
  if (s->w.flows && !s->n.flow->fixed_end) return stays(s, e);
  nsm_code code = leave(s, length, &leaves, e);
  if (code != NSM_OK || leaves) return code;
  code = stays(s, e);
  return code == NSM_OK ? attempt(s, h, to, s->w.high, e) : code;
}

// One piece towards `to`; it may end before, where a set ends (located.h) or a condition becomes true: *located.
static nsm_code one_piece(nsm_sim *s, double to, int keep, int *located, nsm_error *e) {
  double h = length_of(s, to, keep && !s->located);
  *located = 0;
  if (s->a->nwhen == 0 && !s->located) return sim_advance(s, h, to, e);
  nsm_code code = s->located ? sim_located_begin(s, h, e) : NSM_OK;
  if (code == NSM_OK) code = attempt(s, h, to, s->w.high, e);
  double length = h, ends;
  if (s->located && code == NSM_OK) {
    int again = sim_located_further(s, h, to, e);
    if (again) code = again > 0 ? attempt(s, h, to, s->w.high, e) : e ? e->code : NSM_FAILED;
    if (code != NSM_OK) return code;
    code = sim_located_find(s, &length, e);
    if (code == NSM_OK && length < h) {
      h = length;
      to = s->now.t + h;
      nsm_view end = sim_view(s, to, s->w.q1, s->w.z1, s->w.l1);
      look_at(s, &end, s->w.high);
    }
  }
  ends = length;
  if (code == NSM_OK && h > 0 && any_crossed(s) && newly(s, SIM_CROSSED)) code = look_closer(s, h, to, &length, e);
  if (code != NSM_OK) return code;
  if (h > 0 && newly(s, SIM_ARMED)) {
    *located = 1;
    code = locate(s, &length, e);
    if (code != NSM_OK) return code;
  }
  if (h > 0) arm(s);
  if (s->located && length != ends && !s->n.radau) (void)sim_watch(s, length, s->now.t + length);
  if (!s->located) return sim_accept(s, length == h ? to : s->now.t + length, e);
  return sim_located_end(s, length == h ? to : s->now.t + length, length, length == ends, e);
}

// A piece of a higher order, or a quarter, a 16th, ... of it, where it is not solved: a slip that friction turns round
// until it stops turns the faster, the slower it is. *to: the end of the shortest one that was tried.
static nsm_code part_of_piece(nsm_sim *s, double *to, int *located, nsm_error *e) {
  double from = s->now.t;
  nsm_code code = one_piece(s, *to, 1, located, e);
  if (!s->n.galerkin || s->located->parts >= MOST_PARTS) return code;
  for (int k = 0; k < PARTS && code == NSM_FAILED && !s->located->capture && s->now.t == from; k++) {
    nsm_error again;
    double next = from + 0.25 * (*to - from);
    if (next <= from) return code;
    *to = next;
    code = one_piece(s, next, 1, located, &again);
    s->located->parts += code == NSM_OK;
    s->now.count.halved += code == NSM_OK;
    if (e && code == NSM_OK) *e = (nsm_error){ .code = NSM_OK };
    else if (e && code != NSM_FAILED) *e = again;
  }
  return code;
}

// A piece whose equations are not solved, nor those of an impact at its end: what is left of the step is tried without
// location. Of a higher order that is not solved in parts either, only so much of it as slips need to stop.
static nsm_code piece(nsm_sim *s, double to, int *located, nsm_error *e) {
  double from = s->now.t, part = to;
  nsm_code code = part_of_piece(s, &part, located, e);
  if (code != NSM_FAILED || !s->located || !sim_located_give_up(s)) return code;
  nsm_error again;
  if (s->now.t == from && part < to) to = from + 4 * (part - from);
  s->located->parts += part < to;
  code = s->now.t >= to ? NSM_OK : one_piece(s, to, 1, located, &again);
  if (e && code == NSM_OK) *e = (nsm_error){ .code = NSM_OK };
  else if (e && (code != NSM_FAILED || s->n.galerkin)) *e = again;   // order 2 knows which statement is no number
  return code;
}

static nsm_code piece_to(nsm_sim *s, double to, nsm_error *e) { return piece(s, to, &s->w.at_event, e); }

nsm_code sim_events_step(nsm_sim *s, double t1, nsm_error *e) {
  if (s->now.stopped) return end_of_run(s, s->now.stopped - 1, e);
  if (s->a->start_error.code != NSM_OK) {
    if (e) *e = s->a->start_error;
    return s->a->start_error.code;
  }
  memset(s->w.fired, 0, (size_t)s->a->nwhen * sizeof *s->w.fired);
  if (s->located) sim_located_step(s, t1);
  s->w.stopped_at_event = 0;
  long newton = s->now.count.newton_iterations, solver = s->now.count.solver_iterations, pieces = s->now.k;
  if (s->located && sim_rests_on(s, length_of(s, t1, 0))) {
    sim_parts_none(s);
    s->w.begin_of = -1;
    return sim_rest(s, t1, e);
  }
  while (s->now.t < t1 && !s->w.stopped_at_event) {
    long events = s->now.count.events + s->now.count.located;
    double due = sim_next_instant(s), to = due < t1 - sim_time_round_off(s, t1) ? due : t1;
    if (s->a->ndelay > 0) to = sim_next_arrival(s, to);
    if (s->a->nwhen > 0) to = sim_next_by_time(s, to);
    if (s->a->nsignal > 0) to = sim_next_row(s, to);
    nsm_code code = sim_take_part(s, to, piece_to, e);
    int fires = s->a->m->nblock > 0 || s->a->rows_jump;
    if (code == NSM_OK && fires) code = fire_and_settle(s, s->now.t, 0, s->w.at_event, e);
    if (code == NSM_OK && sim_interrupted(s)) code = NSM_INTERRUPTED;
    if (code != NSM_OK) return code;
    if (s->w.left && s->now.count.events + s->now.count.located != events && !s->w.stopped_at_event)
      s->w.stopped_at_event = 1;
  }
  if (s->located && pieces + 1 == s->now.k && s->now.sets_known) sim_see_rest(s, newton, solver);
  else s->w.rest.steps = 0;
  return NSM_OK;
}
