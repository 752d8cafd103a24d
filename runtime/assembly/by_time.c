// Conditions of time and discrete variables alone (docs/numerics/events.md, 3 and 8): the next instant at which one
// becomes true is found before a step is tried, to the last bit, from the condition alone.
//
//   plain   where the sign of a function that is affine in time decides, the ends of a piece say whether there is one
//   wavy    else a condition may hold within a piece for less than its length: PARTS samples, and between them the
//           places where what crosses zero is largest (golden section)
//
// Two times within the round-off of the clock are one. So an instant that time reaches within that is now: conditions
// that were made for such instants (`instant`) are looked at this much later.
#include "assembly.h"
#include <float.h>
#include <math.h>

enum { PARTS = 8, SECTIONS = 60, SECANTS = 4 };      // PARTS: of a step
static const double golden = 0.6180339887498949;

double sim_instant_tolerance(const nsm_sim *s, double t) {
  return fmax(4 * DBL_EPSILON * s->a->step, sim_time_round_off(s, t));
}

double sim_instant_of(const nsm_sim *s, const sim_event *v, int i) {
  const sim_class *k = &s->a->cls[v->cls];
  const double *num = k->tab.num + (size_t)i * (size_t)k->c->nnum;
  return s->a->start + num[1] + s->now.instant[v->base + i] * num[0];
}

double sim_next_instant(const nsm_sim *s) {
  double t = INFINITY;
  for (int b = 0; b < s->a->m->nblock; b++)
    for (int i = 0; s->a->event[b].timed && i < s->a->event[b].n; i++)
      t = fmin(t, sim_instant_of(s, &s->a->event[b], i));
  return t;
}

// Value of a class without states for instance i at time t, discrete variables as they are.
static double value_at(nsm_sim *s, int cls, int i, double t) {
  const sim_class *k = &s->a->cls[cls];
  nsm_view view = sim_view(s, t, s->now.q, s->now.z, s->now.l);
  nsm_table one = sim_part(k, i, 1);
  double value;
  k->c->out_fn(&view, &one, &value);
  return value;
}

static int holds_at(nsm_sim *s, const sim_event *v, int i, double t) { return value_at(s, v->cls, i, t) != 0; }

// The zero of the secant of what crosses zero, and as much as time rounds to on either side: where that encloses the
// first time, little is left to halve.
static void secant(nsm_sim *s, const sim_event *v, int i, double *lo, double *hi) {
  double a = value_at(s, v->crossing, i, *lo), b = value_at(s, v->crossing, i, *hi);
  double r = *lo + (*hi - *lo) * (a / (a - b)), near = 4 * DBL_EPSILON * fabs(r);
  if (!(a < 0 && b >= 0) || !isfinite(a - b)) return;
  if (r - near > *lo && r - near < *hi) *(holds_at(s, v, i, r - near) ? hi : lo) = r - near;
  if (r + near < *hi && r + near > *lo) *(holds_at(s, v, i, r + near) ? hi : lo) = r + near;
}

// The first time at which a condition holds that is false at lo and true at hi: to the last bit. Halves and secants by
// turns: what crosses zero may have a corner, as at the begin of a period.
static double first_time(nsm_sim *s, const sim_event *v, int i, double lo, double hi) {
  for (int k = 0;; k++) {
    double middle = lo + 0.5 * (hi - lo);
    if (!(middle > lo && middle < hi)) return hi;
    if (holds_at(s, v, i, middle)) hi = middle;
    else lo = middle;
    if (k < SECANTS && v->crossing >= 0 && hi - lo > 16 * DBL_EPSILON * fabs(hi)) secant(s, v, i, &lo, &hi);
  }
}

// Where between lo and hi what crosses zero is largest, or a time before at which the condition holds; hi: nowhere.
static double hump(nsm_sim *s, const sim_event *v, int i, double lo, double hi) {
  double end = hi, a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
  double fa = value_at(s, v->crossing, i, a), fb = value_at(s, v->crossing, i, b);
  for (int k = 0; k < SECTIONS && a < b; k++) {
    if (fa >= 0 && holds_at(s, v, i, a)) return a;
    if (fb >= 0 && holds_at(s, v, i, b)) return b;
    if (fa >= fb) {
      hi = b;
      b = a;
      fb = fa;
      fa = value_at(s, v->crossing, i, a = hi - golden * (hi - lo));
    } else {
      lo = a;
      a = b;
      fa = fb;
      fb = value_at(s, v->crossing, i, b = lo + golden * (hi - lo));
    }
  }
  return end;
}

// The first time in (lo, hi] at which a condition holds that is false at lo; INFINITY.
static double first_of_wave(nsm_sim *s, const sim_event *v, int i, double lo, double hi) {
  int parts = (int)(PARTS * ceil(fmin((hi - lo) / s->a->step, 1 << 20)));
  double x[3] = { lo, lo, lo }, c[3], part = (hi - lo) / parts;
  c[0] = c[1] = c[2] = value_at(s, v->crossing, i, lo);
  for (int k = 1; k <= parts; k++) {
    x[0] = x[1]; x[1] = x[2]; x[2] = k < parts ? lo + k * part : hi;
    c[0] = c[1]; c[1] = c[2]; c[2] = value_at(s, v->crossing, i, x[2]);
    double rise = fmax(fabs(c[1] - c[0]), fabs(c[2] - c[1])), top;
    if (k > 1 && c[1] >= c[0] && c[1] >= c[2] && c[1] + 2 * rise >= 0 &&
        (top = hump(s, v, i, x[0], x[2])) < x[2]) return first_time(s, v, i, x[0], top);
    if (holds_at(s, v, i, x[2])) return first_time(s, v, i, x[1], x[2]);
  }
  return INFINITY;
}

static double first_in(nsm_sim *s, const sim_event *v, int i, double to) {
  double lo = s->now.t + (v->instant ? sim_instant_tolerance(s, s->now.t) : 0);
  if (!(lo < to)) return INFINITY;
  if (s->a->cls[v->cls].c->wavy) return first_of_wave(s, v, i, lo, to);
  return holds_at(s, v, i, to) ? first_time(s, v, i, lo, to) : INFINITY;
}

// One that holds at the begin may be false for a while and hold again, as pulses do: the first of the samples at which
// it is false, where it holds again later.
static double first_gap(nsm_sim *s, const sim_event *v, int i, double to) {
  double t = s->now.t, gap = INFINITY;
  int parts = (int)(PARTS * ceil(fmin((to - t) / s->a->step, 1 << 20)));
  for (int k = 1; k <= parts; k++) {
    double at = k < parts ? t + k * ((to - t) / parts) : to;
    int holds = holds_at(s, v, i, at);
    if (holds && gap < INFINITY) return gap;
    if (!holds && !(gap < INFINITY)) gap = at;
  }
  return INFINITY;
}

// Where that is not wavy, and just became true: where it is false at the longest part h/2^k, and holds at the end.
static double first_leave(nsm_sim *s, const sim_event *v, int i, double to) {
  double t = s->now.t, r = 0.5 * (to - t), least = sim_time_round_off(s, t);
  if (!holds_at(s, v, i, to)) return INFINITY;
  while (r > least && holds_at(s, v, i, t + r)) r *= 0.5;
  if (r > least) return t + r;
  s->now.was[v->base + i] = SIM_HOLDS;
  return INFINITY;
}

double sim_next_by_time(nsm_sim *s, double t1) {
  double to = t1;
  for (int b = 0; b < s->a->m->nblock; b++) {
    const sim_event *v = &s->a->event[b];
    for (int i = 0; v->by_time && i < v->n; i++) {
      int was = s->now.was[v->base + i];
      if (was == SIM_ARMED) to = fmin(to, first_in(s, v, i, to));
      else {
        if (s->a->cls[v->cls].c->wavy) to = fmin(to, first_gap(s, v, i, to));
        if (was == SIM_CROSSED) to = fmin(to, first_leave(s, v, i, to));
      }
    }
  }
  return t1 - to <= sim_time_round_off(s, t1) ? t1 : to;
}
