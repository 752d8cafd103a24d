// Pieces of a scheme that collocates (schemes/radau.h): sets at the begin of a piece, its end, and the step without
// location. docs/numerics/radau.md, 4 and 5; where a piece ends: radau_find.c.
//
// A piece has the sets of its begin. They are looked for at the start, after events and after a piece of implicit
// Euler: by a short step of implicit Euler with all laws, which the one-step problem solves. That step chooses and
// carries nothing.
#include "radau_pieces.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE = 64, SHORTER = 8, LOOKS = 7 };   // e = h/64, a piece of e/8 shows whether the sets hold, else e/8, ...
static const double loose = 10;          // of tolerances, in that piece
static const double wrong = 1e-6;        // a residual of the judge that no piece may have

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

static void book_jump(nsm_sim *s) {
  sim_ledger *g = &s->now.ledger;
  if (!g->on) return;
  double kinetic, potential;
  sim_energy(s, &kinetic, &potential);
  g->resets += g->kinetic + g->potential - kinetic - potential;
  g->kinetic = kinetic;
  g->potential = potential;
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
  memcpy(w->old, s->now.set, (size_t)s->n.r.n);
  *found = 0;
  for (int k = 0; k < LOOKS && !*found; k++, e /= SHORTER) {
    memcpy(s->now.set, w->old, (size_t)s->n.r.n);
    nsm_code code = euler(s, e, why);
    if (code != NSM_OK) return code;
    radau_sets_of(s, s->now.t + e, k == 0 && s->now.sets_known != 0, w->next);
    memcpy(s->now.set, w->next, (size_t)s->n.r.n);
    *found = holds_on(s, e) || pivots(s, e);
  if (getenv("RD")) { fprintf(stderr, "   look t %.12g k %d found %d outcome %d free %d ", s->now.t, k, *found, w->outcome, w->now ? w->now->free : -1); for (int row = 0; row < s->n.r.n; row++) fprintf(stderr, "%d ", w->next[row]);
for (int c = 0; c < 2 * w->ncase; c++) { int which = 2 * w->cases[c / 2] + c % 2; if (!radau_is_watched(s, which)) continue; const double *f = w->f + which * RADAU_STAGES; if (f[0] < 0 || f[2] < 0) fprintf(stderr, " [%d: %.3g %.3g %.3g tol %.3g]", which, f[0], f[1], f[2], radau_tolerance(s, which, w->r)); }
 fprintf(stderr, "\n"); }
  }
  s->now.sets_known = 1;
  if (*found) book_jump(s);
  return NSM_OK;
}

void sim_radau_stale(nsm_sim *s) {
  s->now.sets_known = s->now.sets_known ? RADAU_SETS_OLD : 0;
  s->n.radau->fresh = 0;
}

static nsm_code sets_at_begin(nsm_sim *s, nsm_error *e) {
  if (s->now.sets_known == 1) return NSM_OK;
  if (!sim_refresh(s, e)) return e ? e->code = NSM_FAILED : NSM_FAILED;
  int found;
  nsm_code code = look_for_sets(s, &found, e);
  s->n.radau->euler |= !found;
  return code;
}

// ---- located --------------------------------------------------------------------------------------------------------
nsm_code sim_radau_begin(nsm_sim *s, nsm_error *e) {
  struct sim_radau *w = s->n.radau;
  if (s->w.euler) return NSM_OK;
  nsm_code code = w->euler ? NSM_OK : sets_at_begin(s, e);
  if (code != NSM_OK) return code;
  if (w->tells) {
    for (int row = 0; row < s->n.r.n; row++)                // those that went with it
      s->located->ended[row] |= s->located->was[row] != s->now.set[row];
    sim_tell_sets(s);
  }
  w->tells = 0;
  if (w->euler) s->w.euler = 1;
  return NSM_OK;
}

void sim_radau_step(nsm_sim *s) {
  struct sim_radau *w = s->n.radau;
  w->pieces = w->shorts = w->euler = w->counted = 0;
  s->w.euler = 0;
  w->tells = 0;
}

// The rest of the step by implicit Euler; 0: it is already.
int sim_radau_give_up(nsm_sim *s) {
  if (s->w.euler) return 0;
  return s->w.euler = 1;
}

static void captured(nsm_sim *s) {
  s->now.count.captured += !s->n.radau->counted;
  s->n.radau->counted = 1;
}

// What stands is judged: the laws at every stage, by code that shares nothing with what found them.
static nsm_code judged(nsm_sim *s, double t1, nsm_error *e) {
  int row = 0;
  double off = radau_verify(s, &row);
  s->now.count.max_residual = fmax(s->now.count.max_residual, off);
  if (getenv("RD") && off > 1e-9) for (int i = 0; i < s->n.radau->m.s; i++) fprintf(stderr, "  judged %g row %d stage %d l %.17g y %.17g sizes %g %g lo %g hi %g\n", off, row, i, s->n.radau->Z[i][s->n.radau->nz + s->n.r.l[row]], s->n.radau->y[i][row], s->now.size_z[s->n.radau->group[s->n.radau->nz+s->n.r.l[row]]], s->now.size_y[row], s->n.radau->lo[i][row], s->n.radau->hi[i][row]);
  if (off <= wrong) return NSM_OK;
  char name[256];
  sim_row_name(s, row, name, sizeof name);
  sim_fail_at(e, NSM_FAILED, sim_at_row(s, row), "a piece that ends at t = %.10g s breaks the law of %s by %.3g of its "
              "terms", t1, name, off);
  return NSM_FAILED;
}

nsm_code sim_radau_end(nsm_sim *s, double t1, double length, int ends, nsm_error *e) {
  struct sim_radau *w = s->n.radau;
  struct sim_located *all = s->located;
  int was_euler = s->w.euler;
  if (!was_euler && w->outcome != RADAU_GOOD) {
    s->w.astray = 1;
    return NSM_FAILED;
  }
  nsm_code code = was_euler ? NSM_OK : judged(s, t1, e);
  if (code == NSM_OK) code = sim_accept(s, t1, e);
  if (code != NSM_OK) return code;
  s->w.euler = w->euler = 0;
  if (getenv("RD")) { fprintf(stderr, "t %.12g len %.3g euler %d events %d pieces %d ", t1, length, was_euler, all->events, w->pieces); for (int row = 0; row < s->n.r.n; row++) fprintf(stderr, "%d%s", s->now.set[row], all->hit[row] && all->events ? "*" : " "); fprintf(stderr, "\n"); }
  if (was_euler) {
    captured(s);
    w->pieces++;
    sim_radau_stale(s);
    s->now.sets_known = 0;
    return NSM_OK;
  }
  if (!ends || !all->events) return NSM_OK;
  w->pieces++;
  w->shorts = length < RADAU_SHORT * s->a->step ? w->shorts + 1 : 0;
  s->now.count.located++;
  w->euler = w->pieces >= RADAU_PIECES || w->shorts >= RADAU_SHORTS;
  if (w->euler) w->shorts = 0;
  memcpy(all->was, s->now.set, (size_t)s->n.r.n);
  memcpy(all->ended, all->hit, (size_t)s->n.r.n);
  w->tells = 1;
  sim_radau_stale(s);
  return NSM_OK;
}

// ---- without location -----------------------------------------------------------------------------------------------
// The stages with the sets of the begin where they break no law, else implicit Euler, whose sets are those of the next
// step.
nsm_code sim_radau_checked(nsm_sim *s, double h, double t1, nsm_error *e) {
  struct sim_radau *w = s->n.radau;
  w->takes = 0;
  int row = 0;
  nsm_code code = sets_at_begin(s, e);
  if (code != NSM_OK) return code;
  int stands = !w->euler && radau_trial(s, h) == RADAU_GOOD && radau_holds(s, 1) && radau_verify(s, &row) <= wrong;
  w->euler = 0;
  if (stands) {
    s->now.count.max_residual = fmax(s->now.count.max_residual, radau_verify(s, &row));
    return NSM_OK;
  }
  if ((code = euler(s, h, e)) != NSM_OK) return code;
  radau_sets_of(s, t1, 0, w->next);
  w->takes = 1;
  return NSM_OK;
}
