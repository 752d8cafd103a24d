// Where a piece ends (docs/numerics/radau.md, 4). What is watched is known at the stages of a trial; the polynomial
// through them says where it crosses zero, and a trial of that length whether it does: what is looked for is the root
// of the value at the end of a trial, as a function of its length, by Newton's method with the slope of the polynomial
// at its end, in a bracket; else by the secant, else at the middle.
//
//   the last stage is below 0             the root of the polynomial in (0, 1]; where it has none, a quarter
//   an inner stage is, or the minimum     a trial that ends there decides; where it ends above 0 there is no event
#include "radau_pieces.h"
#include <math.h>
#include <string.h>

enum { MOST_TRIALS = 60, HALVES = 8 };

typedef struct crossing { int which; double at; } crossing;   // number of what is watched, -1; place in (0, 1]

// The first place in (0, 1] at which the polynomial through the stages falls below 0; 0: it does not.
static double first_root(const radau_method *m, const double *f) {
  double f0 = radau_polynomial(m, f, 0), f1 = f[m->s - 1], b = radau_slope(m, f, 0), a = f1 - f0 - b, best = 0;
  if (m->s == 2) { a = 0; b = f1 - f0; }
  double disc = b * b - 4 * a * f0, root[2] = { -1, -1 };
  if (fabs(a) <= 1e-14 * (fabs(b) + fabs(f0))) root[0] = b != 0 ? -f0 / b : -1;
  else if (disc >= 0) {
    double q = -0.5 * (b + (b > 0 ? sqrt(disc) : -sqrt(disc)));
    root[0] = q / a;
    root[1] = q != 0 ? f0 / q : -1;
  }
  for (int i = 0; i < 2; i++)
    if (root[i] > 0 && root[i] <= 1 && radau_slope(m, f, root[i]) < 0 && (best == 0 || root[i] < best)) best = root[i];
  return best;
}

// The place of an inner value below -tol: the lowest stage or the minimum of the polynomial; 0: none.
static double dips(const radau_method *m, const double *f, double tol) {
  double best = 0, low = -tol;
  for (int i = 0; i + 1 < m->s; i++) if (f[i] < low) { low = f[i]; best = m->c[i]; }
  if (m->s == 3) {
    double b = radau_slope(m, f, 0), c = radau_slope(m, f, 1), x = b - c != 0 ? b / (b - c) : -1;
    if (x > 0 && x < 1 && radau_polynomial(m, f, x) < low) best = x;
  }
  return best;
}

// What crosses first in the trial at hand, at its end or (inner) before it; *inner: only before it.
static crossing look(const nsm_sim *s, int inner) {
  const struct sim_radau *w = s->n.radau;
  crossing first = { -1, INFINITY };
  for (int c = 0; c < 2 * w->ncase; c++) {
    int which = 2 * w->cases[c / 2] + c % 2;
    if (!radau_is_watched(s, which)) continue;
    const double *f = w->f + which * RADAU_STAGES;
    double tol = radau_tolerance(s, which, w->r), at = 0;
    if (inner) at = dips(&w->m, f, tol);
    else if (f[w->m.s - 1] < -tol && !((at = first_root(&w->m, f)) > 0)) at = 0.25;
    if (at > 0 && at < first.at) first = (crossing){ which, at };
  }
  return first;
}

static double end_value(const nsm_sim *s, int which) {
  const struct sim_radau *w = s->n.radau;
  return w->f[which * RADAU_STAGES + w->m.s - 1];
}

// Where Newton's method with the slope at the end of the trial leads.
static double newton(const nsm_sim *s, int which) {
  const struct sim_radau *w = s->n.radau;
  double slope = radau_slope(&w->m, w->f + which * RADAU_STAGES, 1) / w->r;
  return slope < 0 ? w->r - end_value(s, which) / slope : NAN;
}

// The rows whose sets end at the trial at hand.
static void take_hits(nsm_sim *s, int which) {
  const struct sim_radau *w = s->n.radau;
  memset(s->located->hit, 0, (size_t)s->n.r.n);
  for (int c = 0; c < 2 * w->ncase; c++) {
    int other = 2 * w->cases[c / 2] + c % 2;
    if (!radau_is_watched(s, other)) continue;
    if (other == which || end_value(s, other) < -radau_tolerance(s, other, w->r)) s->located->hit[other / 2] = 1;
  }
  s->n.radau->ended = which / 2;
  s->located->events = 1;
}

// Between lo, where nothing has crossed, and hi, whose trial is at hand and where `c` has. Where the stages of pieces
// that end nearer to the crossing are not found, as the slope of a square root grows without bound there, the piece
// ends before it, and implicit Euler passes it.
static nsm_code locate(nsm_sim *s, crossing c, double *length, nsm_error *e) {
  struct sim_radau *w = s->n.radau;
  double lo = 0, hi = w->r, flo = NAN, fhi = end_value(s, c.which), guess = c.at * hi,
         least = fmax(4 * DBL_EPSILON * s->a->step, sim_time_round_off(s, s->now.t + hi));
  for (int k = 0; k < MOST_TRIALS && hi - lo > least; k++) {
    double r = guess;
    if (!(r > lo && r < hi) && flo > 0) r = lo + (hi - lo) * flo / (flo - fhi);
    if (!(r > lo && r < hi) || k % 8 == 7) r = lo + 0.5 * (hi - lo);
    r = fmin(fmax(r, lo + 0.25 * least), hi - 0.25 * least);
    nsm_code code = sim_try(s, r, s->now.t + r, e);
    if (code != NSM_OK) return code;
    if (w->outcome != RADAU_GOOD) { hi = r; fhi = -1; guess = NAN; flo = NAN; continue; }
    crossing first = look(s, 0);
    if (first.which >= 0) {
      c = first;
      hi = r;
      fhi = end_value(s, c.which);
      guess = c.at < 1 ? c.at * r : newton(s, c.which);
      double by_slope = newton(s, c.which);
      if (by_slope > lo && by_slope < hi && fabs(by_slope - r) < 0.1 * r) guess = by_slope;
      if (fhi >= -2 * radau_tolerance(s, c.which, r)) break;
    } else {
      lo = r;
      flo = end_value(s, c.which);
      guess = newton(s, c.which);
      if (flo <= radau_tolerance(s, c.which, r)) { hi = r; break; }
    }
  }
  if (w->r != hi) {
    nsm_code code = sim_try(s, hi, s->now.t + hi, e);
    if (code != NSM_OK) return code;
  }
  *length = hi;
  if (w->outcome == RADAU_GOOD) take_hits(s, c.which);
  if (w->outcome == RADAU_GOOD || lo == 0) return NSM_OK;
  w->ended = c.which / 2;
  w->short_of = 1;
  *length = lo;
  return sim_try(s, lo, s->now.t + lo, e);
}

// A step of implicit Euler, over a part of the step first.
static nsm_code by_euler(nsm_sim *s, double *length, nsm_error *e) {
  struct sim_radau *w = s->n.radau;
  double part = RADAU_EULER * s->a->step;
  if (w->pieces >= RADAU_PIECES || *length <= part) return NSM_OK;
  *length = part;
  return sim_try(s, part, s->now.t + part, e);
}

// Stages that are not found: shorter pieces, then implicit Euler.
static nsm_code shorten(nsm_sim *s, double *length, nsm_error *e) {
  struct sim_radau *w = s->n.radau;
  for (int k = 0; k < HALVES && w->outcome == RADAU_DIVERGES; k++) {
    *length *= 0.5;
    nsm_code code = sim_try(s, *length, s->now.t + *length, e);
    if (code != NSM_OK) return code;
  }
  if (w->outcome == RADAU_GOOD) return NSM_OK;
  s->w.euler = 1;
  nsm_code code = sim_try(s, *length, s->now.t + *length, e);
  return code == NSM_OK ? by_euler(s, length, e) : code;
}

nsm_code sim_radau_find(nsm_sim *s, double *length, nsm_error *e) {
  struct sim_radau *w = s->n.radau;
  s->located->events = w->short_of = 0;
  if (s->w.euler) return by_euler(s, length, e);
  if (w->outcome != RADAU_GOOD) {
    nsm_code code = shorten(s, length, e);
    if (code != NSM_OK || s->w.euler) return code;
  }
  crossing c = look(s, 0);
  if (c.which < 0) {
    double whole = *length;
    c = look(s, 1);
    if (c.which < 0) return NSM_OK;
    nsm_code code = sim_try(s, c.at * whole, s->now.t + c.at * whole, e);
    if (code != NSM_OK) return code;
    c = w->outcome == RADAU_GOOD ? look(s, 0) : (crossing){ -1, 0 };
    if (c.which < 0) return sim_try(s, whole, s->now.t + whole, e);
  }
  return locate(s, c, length, e);
}
