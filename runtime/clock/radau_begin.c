// Sets at the begin of a piece of a scheme that collocates, and its step without location (docs/numerics/radau.md, 5
// and 6).
//
// They are looked for at the start, after events and after a piece of implicit Euler: by a short step of implicit Euler
// with all laws, which the one-step problem solves. That step chooses and carries nothing.
#include "radau_pieces.h"
#include <math.h>
#include <string.h>

enum { PROBE = 64, SHORTER = 8, LOOKS = 7 };   // e = h/64, a piece of e/8 shows whether the sets hold, else e/8, ...
static const double loose = 10;          // of tolerances, in that piece

// ---- sets -----------------------------------------------------------------------------------------------------------
// Implicit Euler of length e from the present state, with all laws, in w.z1 and w.l1.
static nsm_code euler(nsm_sim *s, double e, nsm_error *why) {
  if ((s->n.h != e || !s->a->linear) && !sim_prepare(s, e, why)) return why ? why->code = NSM_FAILED : NSM_FAILED;
  return s->a->scheme->euler(s, s->now.t + e, why);
}

// A consistent begin with the sets of now, and whether they hold in a short piece from it. What a jump of states takes
// from the energy is booked with resets.
static int holds_on(nsm_sim *s, double e) {
  struct sim_radau *w = s->n.radau;
  size_t x = (size_t)w->nz * sizeof(double), l = (size_t)w->nl * sizeof(double);
  w->fresh = 0;
  if (!radau_project(s, s->a->step, w->zp)) return 0;
  memcpy(w->before, s->now.z, x);
  memcpy(w->before + w->nz, s->now.l, l);
  memcpy(s->now.z, w->zp, x);
  memcpy(s->now.l, w->zp + w->nz, l);
  w->fresh = 0;
  if (radau_trial(s, e / SHORTER) == RADAU_GOOD && radau_holds(s, loose)) return 1;
  memcpy(s->now.z, w->before, x);
  memcpy(s->now.l, w->before + w->nz, l);
  w->fresh = 0;
  return 0;
}

// Where something floats the potential that it has by (4) may be one that a law forbids, although others are allowed:
// then the law that is broken most holds it, with a multiplier of 0. 0: no such sets hold on.
static int pivots(nsm_sim *s, double e) {
  struct sim_radau *w = s->n.radau;
  for (int k = 0; k < 2 * w->ncase; k++) {
    if (w->outcome != RADAU_GOOD || !w->now || w->now->free == 0) return 0;
    int worst = radau_worst(s);
    if (worst < 0) return 0;
    unsigned char *set = &s->now.set[worst / 2];
    *set = *set != SIM_INSIDE ? SIM_INSIDE : worst % 2 ? SIM_HIGH : SIM_LOW;
    if (holds_on(s, e)) return 1;
  }
  return 0;
}

// 0 in *found: no sets that hold on were found; the next piece is one of implicit Euler.
static nsm_code look_for_sets(nsm_sim *s, int *found, nsm_error *why) {
  struct sim_radau *w = s->n.radau;
  double e = s->a->step / PROBE;
  *found = 0;
  if (!sim_refresh(s, why)) return why ? why->code = NSM_FAILED : NSM_FAILED;
  memcpy(w->old, s->now.set, (size_t)s->n.r.n);
  for (int k = 0; k < LOOKS && !*found; k++, e /= SHORTER) {
    memcpy(s->now.set, w->old, (size_t)s->n.r.n);
    nsm_code code = euler(s, e, why);
    if (code != NSM_OK) return code;
    radau_sets_of(s, s->now.t + e, k == 0 && s->now.sets_known != 0, w->next);
    memcpy(s->now.set, w->next, (size_t)s->n.r.n);
    *found = holds_on(s, e) || pivots(s, e);
  }
  s->now.sets_known = 1;
  if (*found) sim_ledger_reset(s);
  return NSM_OK;
}

void sim_radau_stale(nsm_sim *s) {
  s->now.sets_known = s->now.sets_known ? RADAU_SETS_OLD : 0;
  s->n.radau->fresh = 0;
}

nsm_code sim_radau_sets(nsm_sim *s, nsm_error *e) {
  if (s->now.sets_known == 1) return NSM_OK;
  int found;
  nsm_code code = look_for_sets(s, &found, e);
  s->n.radau->euler |= !found;
  return code;
}

// The next piece begins here: its sets and its consistent begin are found now. So what is recorded at the instant of an
// event is what holds after it: potentials and currents, as discrete variables. Where none are found it looks again.
nsm_code sim_radau_after(nsm_sim *s, nsm_error *e) {
  if (s->now.sets_known == 1) return NSM_OK;
  int found;
  nsm_code code = look_for_sets(s, &found, e);
  if (!found) s->now.sets_known = RADAU_SETS_OLD;
  else radau_renew(s, s->a->step, s->n.radau->zp);
  if (found && s->tape) s->tape->at_once(s->tape, s);
  return code;
}

// ---- without location -----------------------------------------------------------------------------------------------
// The stages with the sets of the begin where they break no law, else implicit Euler, whose sets are those of the next
// step.
nsm_code sim_radau_checked(nsm_sim *s, double h, double t1, nsm_error *e) {
  struct sim_radau *w = s->n.radau;
  w->takes = 0;
  int row = 0;
  nsm_code code = sim_radau_sets(s, e);
  if (code != NSM_OK) return code;
  int holds = !w->euler && radau_trial(s, h) == RADAU_GOOD && radau_holds(s, 1);
  double off = holds ? radau_verify(s, &row) : INFINITY;
  w->euler = 0;
  if (off <= RADAU_WRONG) {
    s->now.count.max_residual = fmax(s->now.count.max_residual, off);
    return NSM_OK;
  }
  if ((code = euler(s, h, e)) != NSM_OK) return code;
  radau_sets_of(s, t1, 0, w->next);
  w->takes = 1;
  return NSM_OK;
}
