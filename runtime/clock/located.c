// Begin and end of a piece between located events (located.h): impacts, new sets, accumulations.
#include "flow_pieces.h"
#include "runtime/schemes/whole.h"
#include "radau_pieces.h"
#include <math.h>
#include <string.h>

enum { MOST_PIECES = 20, MANY_PIECES = 1000,               // pieces of a step
       PROBE = 64 };                    // a step is so many times as long as one that shows the sets
static const double short_flight = 1024, // roundings of the time: no flight is shorter
                    low = 0x1p18;        // of a gap: a contact that is lifted no higher than 1e-9 of it stays closed
static const double quarter = 0.25;     // of the rest of a step: what a contact that goes on bouncing may still take

// ---- analysis -------------------------------------------------------------------------------------------------------
// A relation of velocities whose multiplier has no bound takes part in impacts; here only contacts and constraints do.
static int relation_in_impacts(const nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  SIM_EACH(s, relation, k) {
    int moves = 0;
    for (int e = 0; e < k->c->h.n; e++) moves |= k->c->h.wrt[e] == NSM_WRT_V;
    for (int row = k->row0; moves && row < k->row0 + k->tab.count; row++)
      if (r->d0[row] == r->d0[row + 1] && (r->hi[row] == INFINITY || r->lo[row] == -INFINITY)) return 1;
  }
  return 0;
}

static int refuse(nsm_error *e, const char *what) {
  sim_fail(e, NSM_USAGE, "events are not located in a model with %s; leave `located` out", what);
  return 0;
}

// Once bounds have their values of the start: those made of parameters are known to no compiler.
int sim_located_fits(const nsm_sim *s, nsm_error *e) {
  if (s->a->on.contact.n == 0 || !relation_in_impacts(s)) return 1;
  return refuse(e, "a one-sided relation of velocities beside contacts");
}

int sim_located_analyse(nsm_sim *s, nsm_error *e) {
  sim_rows *r = &s->n.r;
  if (s->a->algebraic && s->a->on.contact.n > 0) return refuse(e, "unknowns without inertia beside contacts");
  struct sim_located *w = s->located = SIM_NEW(s, 1, struct sim_located);
  double **by_row[] = { &w->f, &w->low, &w->high, &w->last, &w->past, &w->older, &w->above, &w->low_rate, &w->high_rate,
                        &w->tolerance, &w->near, &w->gap, &w->rate, &s->w.gap0, &s->w.rate0, &w->mean, &w->shown, &w->e,
                        &w->fall, &w->before, &w->stops };
  for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++) *by_row[i] = SIM_NEW(s, r->n, double);
  unsigned char **flag[] = { &w->hit, &w->often, &w->was, &w->ended, &w->out };
  for (size_t i = 0; i < sizeof flag / sizeof *flag; i++) *flag[i] = SIM_NEW(s, r->n, unsigned char);
  memcpy(w->e, r->e, (size_t)r->n * sizeof(double));
  for (int i = 0; i < r->n; i++) w->f[i] = INFINITY;
  const sim_carried follow[] = { { w->hit, 1, 0 }, { w->often, 1, 0 }, { w->was, 1, 0 }, { w->ended, 1, 0 },
                                 { w->fall, sizeof(double), 0 } };
  s->ncarried = sizeof follow / sizeof *follow;
  memcpy(s->carried, follow, sizeof follow);
  w->relation = SIM_NEW(s, r->n, int);
  w->live = SIM_NEW(s, r->n, int);
  w->block = SIM_NEW(s, r->nfriction, int);
  sim_list_live(s);
  s->w.begin_of = w->touched = -1;
  return 1;
}

void sim_located_stale(nsm_sim *s) {
  if (s->n.radau) { sim_radau_stale(s); return; }
  if (s->n.flow) sim_flow_stale(s);
  s->w.begin_of = -1;
  s->now.set_h = 0;                                        // forces before are those of another motion
  s->located->shown_h = 0;
}

void sim_located_step(nsm_sim *s, double t1) {
  struct sim_located *w = s->located;
  if (s->n.radau) { sim_radau_step(s); return; }
  w->until = t1;
  if (w->pieces > 0 || w->begins) {
    memset(w->fall, 0, (size_t)s->n.r.n * sizeof(double));
    memset(w->often, 0, (size_t)s->n.r.n);
  }
  w->pieces = w->capture = w->begins = w->parts = 0;
  if (s->n.flow) s->n.flow->fixed_end = 0;
}

// The forces of the last two steps are watched as if these had been tried: the state is the end of the last one.
void sim_located_kept(nsm_sim *s) {
  double h = s->a->step;
  if (s->now.set_h == 0) return;                           // all contacts are open
  sim_active_set(s);
  memcpy(s->w.q1, s->now.q, (size_t)s->a->nq * sizeof(double));
  memcpy(s->w.z1, s->now.z, (size_t)s->a->nz * sizeof(double));
  s->located->measured = 0;
  for (int last = 0; last < 2; last++) {
    s->now.set_h = last ? h : 0;
    memcpy(s->w.l1, last ? s->now.l : s->n.whole->l0, (size_t)s->a->nl * sizeof(double));
    sim_watch(s, h, s->now.t);
    if (!last) memcpy(s->now.mean, s->located->mean, (size_t)s->n.r.n * sizeof(double));
    if (!last) memcpy(s->now.watched, s->n.whole->rate0, (size_t)s->n.r.n * sizeof(double));
  }
  sim_watch_keep(s, h);
}

// ---- sets -----------------------------------------------------------------------------------------------------------
// Restitution is for the contacts that close at this instant; what lasts has none. captured: for all that are open.
static void restitution(nsm_sim *s, int captured) {
  sim_rows *r = &s->n.r;
  SIM_EACH_LIVE(s, row) {
    int f = r->friction_of ? r->friction_of[row] : -1;
    int head = f >= 0 && r->friction[f].normals > 0 ? r->friction[f].normal[0] : row;
    r->e[row] = captured && s->now.set[head] != SIM_CLOSED ? s->located->e[row] : 0;
  }
}

// Friction that slides on in several directions acts against the mean slip of the piece, u_E + u_B: a restitution of 1.
// Against u_E a slip that turns would be of first order. `consistent` and event_driven have laws of their own.
static void by_mean_slip(nsm_sim *s, int on) {
  if (s->n.con || s->n.flow || s->n.r.nfriction == 0) return;
  SIM_EACH_PART(s, p)
    for (int d = 0; p.disk->n > 1 && d < p.disk->n; d++)
      s->n.r.e[p.row[d]] = on && s->now.set[p.row[0]] == SIM_SLIPS_ON;
}

// Is the slip at the begin no more than what friction, as it presses in the trial, could take from it?
static int may_stop(const nsm_sim *s, int number, const sim_disk *part) {
  const sim_rows *r = &s->n.r;
  const int *row = r->friction[number].row + part->first;
  if (!r->active[row[0]]) return 0;
  double slip = 0, m = sim_rows_inertia(s, r->at_row[row[0]]);
  for (int d = 0; d < part->n; d++) slip = hypot(slip, part->w[d] * r->rate0[row[d]]);
  return slip <= part->mu * fabs(sim_friction_pressed(s, number, s->w.l1)) * fabs(m);
}

// What stops in the trial, or turns by a right angle, acts against u_E all the same: where u_E is 0 that is its end. So
// does what is so slow that friction could stop it: of bodies that touch in more points than hold them, forces are not
// unique, and a slip of round-off goes on by its mean where u_E = 0 holds it. Is there any that did not?
int sim_located_stops(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  int any = 0;
  if (s->n.con || s->n.flow || r->nfriction == 0) return 0;
  SIM_EACH_GRIP(s, p) {
    int head = p.row[0], on = s->now.set[head] == SIM_SLIPS_ON && r->e[head] != 0;
    int ends = on && (s->located->f[head] < -s->located->tolerance[head] || may_stop(s, p.block, p.disk));
    for (int d = 0; ends && d < p.disk->n; d++) r->e[p.row[d]] = 0;
    any |= ends;
  }
  return any;
}

// Nothing is known of forces before the event.
static void forget_forces(nsm_sim *s) {
  s->now.set_h = s->located->shown_h = 0;
  SIM_EACH_LIVE(s, row) s->now.watched[row] = NAN;
}

// What is left of the step; where an event is at its end, that is not nothing: the motion goes on.
static double rest_of(const nsm_sim *s) {
  return fmax(s->located->until - s->now.t, sim_time_round_off(s, s->now.t) + DBL_MIN);
}

// Sets of friction and relations: a short piece shows them, no longer than the rest. Forces are extrapolated
// to the end of a set; what ends a little early by that goes on in a rest that is shorter than the error.
static nsm_code probe_others(nsm_sim *s, double h, nsm_error *e) {
  static const double shortest = 1e-6;
  if (!s->located->watches) return NSM_OK;
  double r = h / (s->n.flow ? FLOW_PROBE : PROBE), least = 16 * sim_time_round_off(s, s->now.t), rest = rest_of(s);
  if (!s->n.flow && rest > shortest * h) r = fmin(r, rest);
  nsm_code code;
  by_mean_slip(s, 0);
  for (int too_long = 1; too_long; r /= FLOW_SHORTER) {
    code = sim_try_implicit(s, r, e);
    if (code != NSM_OK) return code;
    sim_watch_others(s, s->now.t + r);
    if (s->n.galerkin) sim_watch_still_slides(s);
    too_long = s->n.flow && sim_flow_mend_sets(s, r < FLOW_SHORTER * least) && r >= FLOW_SHORTER * least;
  }
  if (s->n.flow) sim_flow_rests(s);
  else if (!s->n.galerkin) sim_watch_show(s, s->w.length);
  by_mean_slip(s, 1);
  return code;
}

// Contacts of shapes that may close within a step of length h, from the present state; their rows may be others now.
static nsm_code find_touches(nsm_sim *s, double h, nsm_error *e) {
  struct sim_located *w = s->located;
  if (!s->touching) return NSM_OK;
  s->touching->further = w->further;
  if (!sim_touch_update(s, 2 * h)) return sim_no_memory(e, "contacts of shapes");          // or no room: clock.c
  if (s->touching->changes != w->touched) {
    sim_list_live(s);
    sim_touch_restitution(s, w->e);
  }
  w->touched = s->touching->changes;
  restitution(s, 0);
  SIM_EACH_LIVE(s, row) w->f[row] = INFINITY;
  w->measured = 0;
  s->w.begin_of = -1;
  return NSM_OK;
}

// ---- impacts --------------------------------------------------------------------------------------------------------
static nsm_code impulses(nsm_sim *s, nsm_error *e) {
  if (s->a->scheme->implicit && s->n.h != 0 && !sim_prepare(s, 0, e)) return e ? e->code = NSM_FAILED : NSM_FAILED;
  return s->a->scheme->impact(s, e);
}

// Gaps of contacts, their rates and those of slip, after the impulses.
static void rates_after(nsm_sim *s) {
  struct sim_located *w = s->located;
  nsm_view v = sim_view(s, s->now.t, s->w.q1, s->w.z1, s->w.l1);
  SIM_EACH(s, contact, k) k->c->gap_fn(&v, &k->tab, w->gap + k->row0, w->rate + k->row0);
  SIM_EACH(s, friction, k) k->c->rate_fn(&v, &k->tab, w->rate + k->row0);
}

// Does a contact come to rest at this impact? Where its flights end within a part of what is left of the step: their
// sum is (2 rate/|fall|)/(1 - e). Where it has taken most pieces of the step for itself. And where the bounce is no
// higher than what rounding leaves of the gap.
static int comes_to_rest(const nsm_sim *s, int row, double rest) {
  const struct sim_located *w = s->located;
  double e = s->n.r.e[row], rate = w->rate[row], fall = -w->fall[row], height = w->near[row];
  if (!w->hit[row] || e == 0 || e >= 1) return 0;
  if (rate * s->a->step <= height || (fall > 0 && rate * rate <= 2 * fall * height)) return 1;
  if (w->flies_on) return 2 * rate <= short_flight * sim_time_round_off(s, s->now.t) * fall;
  if (w->often[row] < 2 || !(fall > 0)) return 0;
  if (s->n.flow) return 2 * rate < FLOW_REST * s->a->step * (1 - e) * fall;
  if (w->pieces + 1 >= MOST_PIECES && w->often[row] >= MOST_PIECES / 2) return 1;
  return 2 * rate < quarter * rest * (1 - e) * fall;
}

static int accumulates(nsm_sim *s, double rest) {
  sim_rows *r = &s->n.r;
  int any = 0;
  rates_after(s);
  SIM_EACH(s, contact, k) {
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      if (!comes_to_rest(s, row, rest)) continue;
      r->e[row] = 0;
      any = 1;
    }
  }
  return any;
}

// A contact that opens does so where it is: what its gap has drifted while it was closed is not made up for.
static void left(nsm_sim *s, int row) {
  s->now.set[row] = SIM_LEFT;
  s->now.ground[row] = fmin(s->w.gap0[row], 0);
  s->located->tolerance[row] = s->located->near[row];
}

// A contact that other impacts lift so little that it is back within a part of the rest, again and again, stays in the
// set: its law decides within the piece.
static int falls_back(const nsm_sim *s, int row, double rest) {
  const struct sim_located *w = s->located;
  double rate = w->rate[row], fall = -w->fall[row], height = low * w->near[row];
  if (s->n.r.e[row] > 0 && w->hit[row]) return 0;
  if (s->n.flow && rest == 0 && w->hit[row]) return 1;
  if (rate * s->a->step <= height || (fall > 0 && rate * rate <= 2 * fall * height)) return 1;
  if (s->n.flow) rest = FLOW_REST * s->a->step;
  return w->often[row] >= 2 && fall > 0 && 2 * rate < quarter * rest * fall;
}

// Does the impact at hand lift this closed contact?
static int is_lifted(const nsm_sim *s, int row) {
  double leaves = 1024 * DBL_EPSILON * (sim_velocity_terms(s, row, s->now.z) +
                                        sim_velocity_terms(s, row, s->w.z1));
  return s->now.set[row] == SIM_CLOSED && s->located->rate[row] > leaves;
}

// Closed contacts that would be back at once are not lifted: their rates are made 0 with the others', whatever the sign
// of their impulses. That takes energy, as the impacts of such flights would.
static nsm_code hold_down(nsm_sim *s, double rest, nsm_error *e) {
  sim_rows *r = &s->n.r;
  int any = 0, later = s->n.con && !s->n.galerkin;         // by the impact that begins the next piece
  rates_after(s);
  if (!later) SIM_EACH_LIVE(s, row) {
    if (r->friction_of[row] >= 0 || !is_lifted(s, row) || !falls_back(s, row, rest)) continue;
    r->lo[row] = -INFINITY;
    any = 1;
  }
  nsm_code code = any ? impulses(s, e) : NSM_OK;
  if (any) SIM_EACH_LIVE(s, row)
    if (s->a->cls[r->cls[row]].c->kind == NSM_CONTACT) r->lo[row] = 0;
  return code;
}

static void sets_after(nsm_sim *s, double rest) {
  SIM_EACH(s, contact, k) {
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      if (is_lifted(s, row) && !falls_back(s, row, rest)) left(s, row);
    }
  }
}

// The velocities after the impulses at hand stand; gap0 and rate0 are those after it.
static nsm_code stand(nsm_sim *s, nsm_error *e) {
  struct sim_located *w = s->located;
  long steps = s->now.count.steps;
  nsm_code code = sim_accept(s, s->now.t, e);
  s->now.count.steps = steps;
  SIM_SWAP(w->gap, s->w.gap0);
  memcpy(s->w.rate0, w->rate, (size_t)s->n.r.n * sizeof(double));
  s->w.begin_of = s->now.k;
  if (code != NSM_OK || !sim_impact_from_nothing(s)) return code;
  w->capture = 1;                                          // what is left of the step is not tried otherwise
  sim_fail(e, NSM_FAILED,
           "the energy of the impact at t = %.10g s, step %ld, is off by %.3g J, which its impulses do not explain; "
           "constraints that all but depend on each other there? a smaller step may help",
           s->now.t, sim_step_number(s), s->now.ledger.residue_now);
  return NSM_FAILED;
}

// The energy-consistent motion keeps closed gaps, and leaves their rates at 0 to second order in its length only; the
// impact that begins the next piece makes them 0. So what is hit is hit with velocities after that.
static nsm_code closed_rates(nsm_sim *s, nsm_error *e) {
  int any = 0;
  SIM_EACH_LIVE(s, row)
    any |= s->now.set[row] == SIM_CLOSED && s->a->cls[s->n.r.cls[row]].c->kind == NSM_CONTACT;
  if (!s->n.con || !any) return NSM_OK;
  nsm_code code = impulses(s, e);
  if (code != NSM_OK) return code;
  rates_after(s);
  return stand(s, e);
}

// By laws of several contacts an impact elsewhere has a closed contact rebound too.
static void all_rebound(nsm_sim *s) {
  SIM_EACH_LIVE(s, row)
    if (s->now.set[row] == SIM_CLOSED && s->a->cls[s->n.r.cls[row]].c->kind == NSM_CONTACT)
      s->n.r.e[row] = s->located->e[row];
}

// The contacts that are hit close, and the closed ones take what impulses they need. rest: of the step; 0: they come to
// rest.
static nsm_code impact(nsm_sim *s, double rest, nsm_error *e) {
  struct sim_located *w = s->located;
  sim_rows *r = &s->n.r;
  by_mean_slip(s, 0);
  nsm_code code = closed_rates(s, e);
  if (code != NSM_OK) return code;
  SIM_EACH_LIVE(s, row) {
    int normal = s->a->cls[r->cls[row]].c->kind == NSM_CONTACT;
    if (!w->hit[row] || !normal || s->now.set[row] == SIM_CLOSED) { w->hit[row] = 0; continue; }
    s->now.set[row] = SIM_CLOSED;
    r->e[row] = rest > 0 ? w->e[row] : 0;
    int f = r->friction_of[row];
    for (int d = 0; rest > 0 && f >= 0 && d < r->friction[f].n; d++)
      r->e[r->friction[f].row[d]] = w->e[r->friction[f].row[d]];
    if (w->often[row] < 255) w->often[row]++;
  }
  if (r->law && rest > 0) all_rebound(s);
  memcpy(w->before, s->w.rate0, (size_t)r->n * sizeof(double));
  nsm_view now = sim_now(s);
  for (int a = 0; s->told && a < s->a->on.friction.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.friction.of[a]];
    k->c->rate_fn(&now, &k->tab, w->before + k->row0);
  }
  s->w.strikes = 1;
  code = impulses(s, e);
  if (code == NSM_OK && accumulates(s, rest)) code = impulses(s, e);
  if (code == NSM_OK) code = hold_down(s, rest, e);
  s->w.strikes = 0;
  if (code != NSM_OK) return code;
  SIM_EACH_LIVE(s, row) s->now.count.impacts += w->hit[row] && s->w.l1[r->l[row]] > 0;
  rates_after(s);
  sim_tell_impact(s);
  code = stand(s, e);
  sets_after(s, rest);
  restitution(s, 0);
  if (s->a->iterates) memset(s->now.gain, 0, (size_t)s->a->nz * sizeof(double));
  return code;
}

// What an impact has left of the rates of contacts that stay closed.
static nsm_code settle(nsm_sim *s, nsm_error *e) {
  if (s->n.flow && s->n.h != 0 && !sim_prepare(s, 0, e)) return e ? e->code = NSM_FAILED : NSM_FAILED;
  if (!sim_instant_settle(s)) return NSM_OK;
  rates_after(s);
  return stand(s, e);
}

static nsm_code probe(nsm_sim *s, double h, nsm_error *e) {
  nsm_code code = probe_others(s, h, e);
  if (!sim_has_fixed_sets(s) || code != NSM_OK) return code;
  if (s->n.flow && sim_flow_touches(s)) code = probe_others(s, h, e);
  if (s->n.flow && code == NSM_OK) sim_flow_jump(s);
  return code == NSM_OK ? settle(s, e) : code;
}

// ---- pieces ---------------------------------------------------------------------------------------------------------
// Gaps that are closed at the begin and approach: at the start, and after what was captured.
static int arrived(nsm_sim *s) {
  struct sim_located *w = s->located;
  int any = 0;
  memset(w->hit, 0, (size_t)s->n.r.n);
  SIM_EACH(s, contact, k) {
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      any |= w->hit[row] = s->now.set[row] == SIM_OPEN && s->w.gap0[row] - s->now.ground[row] <= w->near[row] &&
                           s->w.rate0[row] < 0;
  }
  return any;
}

nsm_code sim_located_begin(nsm_sim *s, double h, nsm_error *e) {
  struct sim_located *w = s->located;
  if (s->n.radau) return sim_radau_begin(s, e);
  w->measured = 0;
  w->further = 0;
  nsm_code code = find_touches(s, h, e);
  if (code != NSM_OK) return code;
  if (s->now.sets_known == SIM_CAPTURES) restitution(s, 1);
  if (s->now.sets_known == 1) by_mean_slip(s, 1);
  if (s->now.sets_known == 1 && s->n.flow && s->now.flow.jumped && sim_flow_off(s)) code = probe(s, h, e);
  if (s->now.sets_known) { sim_watch_begin(s); return code; }
  if (!sim_refresh(s, e)) return e ? e->code = NSM_FAILED : NSM_FAILED;
  s->w.begin_of = -1;
  w->begins = 1;
  sim_watch_begin(s);
  sim_watch_contacts(s);
  s->now.sets_known = 1;
  restitution(s, 0);
  forget_forces(s);
  int arrives = arrived(s);
  if (s->tape && arrives) s->tape->at_once(s->tape, s);
  code = arrives ? impact(s, rest_of(s), e) : NSM_OK;
  return code == NSM_OK ? probe(s, h, e) : code;
}

int sim_located_further(nsm_sim *s, double h, double t1, nsm_error *e) {
  struct sim_located *w = s->located;
  nsm_view end = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  double more = s->touching ? sim_touch_further(s, h, &end) : 0;
  if (!(more > w->further)) return 0;
  long before = s->touching->changes;
  w->further = 2 * more;
  if (find_touches(s, h, e) != NSM_OK) return -1;
  if (s->now.sets_known == 1) by_mean_slip(s, 1);
  sim_watch_begin(s);
  return s->touching->changes != before;
}

// Contacts that have lost their force are left.
static int leave(nsm_sim *s) {
  struct sim_located *w = s->located;
  int closes = 0;
  SIM_EACH_LIVE(s, row) {
    if (!w->hit[row]) continue;
    if (sim_is_open(s, row)) closes = 1;
    else if (s->now.set[row] == SIM_CLOSED) left(s, row);
  }
  return closes;
}

int sim_located_give_up(nsm_sim *s) {
  struct sim_located *w = s->located;
  if (s->n.radau) return sim_radau_give_up(s);
  if (w->capture) return 0;
  restitution(s, 1);
  if (s->n.flow) sim_flow_give_up(s);
  w->capture = 1;
  s->now.sets_known = SIM_CAPTURES;
  s->now.count.captured++;
  return 1;
}

// After so many pieces the rest of the step is taken as without location. What has bounced in this step and loses
// energy by it comes to rest before: a captured step gives a resting contact a speed of the size of its own length. By
// event_driven so does what bounces without a loss, a thousand times: implicit Euler would put it below its ground.
static nsm_code capture(nsm_sim *s, nsm_error *e) {
  struct sim_located *w = s->located;
  int any = 0;
  SIM_EACH_LIVE(s, row)
    any |= w->hit[row] = w->often[row] >= 2 && (w->e[row] < 1 || s->n.flow) && s->now.set[row] != SIM_CLOSED;
  nsm_code code = any ? impact(s, 0, e) : NSM_OK;
  sim_located_give_up(s);
  return code;
}

// Of what has flown, its acceleration; of what was closed, that of its gap without its own force. Of a short piece
// where the change of the rate is well above rounding: a flight of 1e-9 s has an acceleration, too.
static void remember_fall(nsm_sim *s, double length) {
  struct sim_located *w = s->located;
  int is_long = length > 1e-6 * s->a->step;
  if (length > 0) SIM_EACH_LIVE(s, row) {
    int flew = s->now.set[row] != SIM_CLOSED;
    if (!flew && s->n.con) continue;
    double change = flew ? w->rate[row] - s->w.rate0[row]
                         : -s->w.l1[s->n.r.l[row]] * sim_rows_inertia(s, s->n.r.at_row[row]);
    if (is_long || fabs(change) > 16 * sim_watch_noise(s, row)) w->fall[row] = change / length;
  }
}

// Of the sets that ended, those that hold on all the same: their forces had been extrapolated to what they are not.
static void doubt(nsm_sim *s, double length) {
  struct sim_located *w = s->located;
  SIM_EACH_LIVE(s, row) {
    int was = w->was[row], now = s->now.set[row];
    if (!w->ended[row]) continue;
    if (s->n.flow && was == now && s->now.doubt[row] && length <= FLOW_REST * s->a->step) {
      sim_flow_other_set(s, row);
      continue;
    }
    if (s->n.flow) { s->now.doubt[row] = was == now; continue; }
    if (was == now && (was == SIM_STICKS || was == SIM_INSIDE)) {
      s->now.doubt[row] = 1;
      w->ended[row] = 0;
    } else s->now.doubt[row] = 0;
  }
}

// A contact that was left and is hit at once has not opened.
static void doubt_of_opening(nsm_sim *s, double length) {
  struct sim_located *w = s->located;
  SIM_EACH_LIVE(s, row)
    if (w->hit[row] && s->now.set[row] == SIM_LEFT) s->now.doubt[row] = length == 0;
}

// A piece of fixed sets is checked before it stands.
static nsm_code verified(nsm_sim *s, double t1, nsm_error *e) {
  static const double wrong = 1e-6;
  if (!sim_has_fixed_sets(s) || s->located->capture) return NSM_OK;
  double off = sim_fixed_verify(s, t1);
  if (off <= wrong) {
    s->now.count.max_residual = fmax(s->now.count.max_residual, off);   // of what stands, not of a first try
    return NSM_OK;
  }
  s->w.astray = 1;
  sim_fail(e, NSM_FAILED, "a piece that ends at t = %.10g s breaks the laws of its contacts by %.3g of their terms", t1,
           off);
  return NSM_FAILED;
}

nsm_code sim_located_end(nsm_sim *s, double t1, double length, int ends, nsm_error *e) {
  struct sim_located *w = s->located;
  nsm_code code = NSM_OK;
  if (s->n.radau) return sim_radau_end(s, t1, length, ends, e);
  ends = ends && w->events;
  if (s->n.flow) s->n.flow->fixed_end = 0;
  if (s->n.flow && ends) sim_flow_stale(s);
  if (ends) remember_fall(s, length);
  if (w->pieces == 0) sim_parts_none(s);
  if (length > 0) {
    if ((code = verified(s, t1, e)) != NSM_OK) return code;
    code = sim_accept(s, t1, e);
    if (w->capture) {
      w->capture = w->pieces = 0;
      s->now.sets_known = 0;
      w->begins = 1;
      return code;
    }
    sim_watch_keep(s, length);
  }
  if (code != NSM_OK || !ends) return code;
  w->pieces++;
  s->now.count.located++;
  if (s->tape && length == 0) s->tape->at_once(s->tape, s);
  forget_forces(s);
  doubt_of_opening(s, length);
  memcpy(w->was, s->now.set, (size_t)s->n.r.n);
  int closes = leave(s);
  memcpy(w->ended, w->hit, (size_t)s->n.r.n);
  if (s->touching) {
    if ((code = find_touches(s, s->a->step, e)) != NSM_OK) return code;
    sim_watch_begin(s);
  }
  if (closes) {
    sim_before_jump(s);
    code = impact(s, rest_of(s), e);
  }
  if (code == NSM_OK) code = probe(s, s->a->step, e);
  doubt(s, length);
  sim_tell_sets(s);
  int most = s->n.flow ? FLOW_PIECES : w->flies_on ? MANY_PIECES : MOST_PIECES;
  return code == NSM_OK && w->pieces >= most ? capture(s, e) : code;
}
