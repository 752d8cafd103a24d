// Steps of the schemes that hold constraints on velocities alone, `moreau` and `midpoint`, without the constraints that
// others imply (assembly/implied.c; docs/numerics/bodies.md, "Redundant mechanisms").
//
//   found      at the first step, now and then where there are such, and where a step fails; a row counts as dependent
//              where it is nearer to the others than `apart` times the largest miss of a constraint: these schemes
//              drift off, and what the lengths of a mechanism make dependent is so up to the drift
//   looked at  at the end of a step: rates of implied rows are 0 up to that. Else the mechanism has changed: rows are
//              found anew by H at the end, and the step is taken again; where that does not help it fails
//   shared     the multipliers that are recorded are the smallest that make the same forces
#include "schemes.h"
#include "runtime/ledger/ledger.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { TRIES = 2 };
// Of the largest miss of a constraint: sines of angles between rows that depend on each other; rates of such rows
// beside their terms. Measured on Bennett's linkage, whose flat positions take a hundred times the miss.
static const double apart = 100, most_apart = 1e-3, may_turn = 1000, most_turn = 0.1, least_turn = 1e-8;
static const double at_rest = 1e-12;     // of the size of a gap: a way in the step that says nothing
// Of the terms of a row, what no drift explains where H stays as it was; of the rates that time alone gives to rows.
static const double contradicted = 1e-3, of_time = 1e-6;

static void directions_at(nsm_sim *s, const nsm_view *v) {
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    if (k->c->h_stage > NSM_EVENT) k->c->h_fn(v, &k->tab, k->h);
  }
}

static double missed(const nsm_sim *s) {
  int at = 0;
  return fmax(sim_miss_now(s, &at), s->now.drifted);
}

// How many rows have changed their part.
static int look(nsm_sim *s, const nsm_view *v, double miss, int as_many) {
  directions_at(s, v);
  sim_implied_within(s, fmin(apart * miss, most_apart), as_many);
  int changed = sim_implied_find(s);
  if (changed) s->now.past.known = 0;                    // multipliers of other rows
  return changed;
}

// Rows of the one-step problem; those on the border of W are left out there (assembly.c).
static void take_part(nsm_sim *s) {
  sim_rows *r = &s->n.r;
  int changed = 0;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) {
      unsigned char acts = !sim_is_implied(s, row);
      if (r->border_of[row] >= 0 || r->active[row] == acts) continue;
      r->active[row] = acts;
      changed = 1;
    }
  }
  if (!changed) return;
  sim_islands_list(s);
  if (r->x_follows && !r->constant) sim_rows_couple(s);
}

// Is the rate of an implied row more than its terms explain?
static int is_off(const nsm_sim *s, const sim_class *k, int i, double rate, double size, double within) {
  const double *h = k->h + (size_t)i * (size_t)k->c->h.n;
  double terms = 0;
  for (int e = 0; e < k->c->h.n; e++) {
    int z = sim_z_of(s, k, i, k->c->h.col[e]);
    terms += fabs(h[e]) * (fabs(s->w.z1[z]) + fabs(s->now.z[z]));
  }
  return fabs(rate) > within * terms && s->n.h * fabs(rate) > at_rest * size;
}

static double explained(double miss) { return fmax(fmin(may_turn * miss, most_turn), least_turn); }

// y of the `a`th class of constraints := what the scheme makes 0, its rates, or gaps over h; always its rates.
static const sim_class *zeros(nsm_sim *s, const nsm_view *v, int a) {
  const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
  double *y = s->n.r.y + k->row0;
  if (!s->a->m->place_at || k->c->velocity_level) k->c->rate_fn(v, &k->tab, y);
  else {
    k->c->gap_fn(v, &k->tab, y, s->n.r.drift + k->row0);
    for (int i = 0; i < k->tab.count; i++) y[i] /= s->n.h;
  }
  return k;
}

static const sim_class *rates(nsm_sim *s, const nsm_view *v, int a) {
  const sim_class *k = &s->a->cls[s->a->on.constraint.of[a]];
  k->c->rate_fn(v, &k->tab, s->n.r.y + k->row0);
  return k;
}

// The implied row whose rate at the view, which the scheme makes 0, is off; -1: none.
static int first_off(nsm_sim *s, const nsm_view *v, double within) {
  const sim_rows *r = &s->n.r;
  if (s->now.implied_n == 0) return -1;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = zeros(s, v, a);
    if (k->c->size_fn) k->c->size_fn(v, &k->tab, r->terms + k->row0);
    for (int i = 0, row = k->row0; i < k->tab.count; i++, row++) {
      double size = k->c->size_fn ? r->terms[row] : 0;
      if (sim_is_implied(s, row) && is_off(s, k, i, r->y[row], size, within)) return row;
    }
  }
  return -1;
}

int sim_independent_first(nsm_sim *s) {
  nsm_view begin = sim_now(s);
  if (s->n.implied && s->now.k == 0) look(s, &begin, missed(s), 0);
  return s->now.implied_n == 0;
}

// The largest rate of a constraint where nothing moves. Without such rates H v = 0 can be met by all rows at once.
static double rate_of_time(nsm_sim *s, const nsm_view *v) {
  sim_rows *r = &s->n.r;
  nsm_view still = *v;
  double most = 0;
  still.v = still.v0 = s->a->zero;
  for (int a = 0; a < s->a->on.constraint.n; a++) {
    const sim_class *k = rates(s, &still, a);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) most = fmax(most, fabs(r->y[row]));
  }
  return most;
}

// The row, if any, whose right side does not fit the others: H has the rank that it had, and the row is not met by far.
static int first_contradicted(nsm_sim *s, const nsm_view *v, double within) {
  double of_time_alone = rate_of_time(s, v);
  int row = of_time_alone > 0 ? first_off(s, v, fmax(contradicted, within)) : -1;
  return row >= 0 && fabs(s->n.r.y[row]) > of_time * of_time_alone ? row : -1;
}

static nsm_code contradiction(nsm_sim *s, int row, double t, nsm_error *e) {
  char name[256];
  sim_row_name(s, row, name, sizeof name);
  sim_fail_at(e, NSM_FAILED, sim_at_row(s, row),
              "no solution at t = %.10g s, step %ld: worst at %s, which other constraints contradict: its rate is %.3g "
              "where they hold", t, sim_step_number(s), name, s->n.r.y[row]);
  return NSM_FAILED;
}

// All rows would hold back what moves, by the drift alone.
static nsm_code undecided(nsm_sim *s, int row, double t, nsm_error *e) {
  char name[256];
  sim_row_name(s, row, name, sizeof name);
  s->w.astray = 1;
  sim_fail_at(e, NSM_FAILED, sim_at_row(s, row),
              "constraints depend on each other up to what they are missed by, %.2g, and %s is no longer met by the "
              "others at t = %.10g s, step %ld: '%s' holds constraints on velocities, and places drift; take a smaller "
              "step, or consistent", missed(s), name, t, sim_step_number(s), s->a->scheme->name);
  return NSM_FAILED;
}

nsm_code sim_independent(nsm_sim *s, double t1, nsm_error *e, sim_step_of *step) {
  if (!s->n.implied) return step(s, t1, e);
  nsm_view begin = sim_now(s), end = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  double miss = s->now.k == 0 || s->now.implied_n > 0 ? missed(s) : 0;
  sim_implied_within(s, fmin(apart * miss, most_apart), 0);           // sharing asks for it too
  if (s->now.k == 0 || sim_implied_is_time(s)) look(s, &begin, miss, s->now.k > 0);
  for (int n = 0;; n++) {
    take_part(s);
    sim_implied_leave(s, s->w.l1);
    nsm_code code = step(s, t1, e);
    if (code != NSM_OK && (code != NSM_FAILED || n >= TRIES || look(s, &begin, missed(s), 0) == 0)) return code;
    if (code != NSM_OK) continue;
    if (sim_has_point(s)) end = sim_view(s, s->now.t + sim_point(s)->time * s->n.h, s->w.qm, s->w.z1, s->w.l1);
    int row = first_off(s, &end, explained(miss));
    if (row >= 0 && look(s, &end, miss, 0) == 0) {       // H tells no others: round-off of rates at rest, or worse
      if ((row = first_contradicted(s, &end, explained(miss))) >= 0) return contradiction(s, row, t1, e);
    }
    if (row < 0) break;
    if (n >= TRIES) return undecided(s, row, t1, e);
  }
  sim_implied_share(s, sim_row_b, s->w.l1);
  return NSM_OK;
}
