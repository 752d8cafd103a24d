// Delayed quantities: y(t - T) is linear between the values at times of the clock (assembly/signals.c), and so are its
// derivatives, by what y was, by T and by the times. Where t - T is a time of the clock the slopes of both sides
// differ: the derivative by T is their mean, which has the order of the scheme.
#include "play.h"
#include <float.h>
#include <math.h>

enum { BEFORE, BEHIND };                   // the events of a time of the clock
static dual kept(const player *p, const sim_signal *g, long k, int side) {
  long newest = (long)p->at->kept.a[0];
  if (k < 0) side = BEFORE;
  k = k < 0 ? 0 : k > newest ? newest : k;
  return p->at->ring[g->ring + 2 * (k % g->room) + side];
}

static int jumps(const player *p, const sim_signal *g, long k) {
  return kept(p, g, k, BEFORE).a[0] != kept(p, g, k, BEHIND).a[0];
}

// Of higher orders the polynomial through up to four values around k and k + 1, as assembly/signals.c has it.
static void past_cubic(const player *p, const sim_signal *g, dual at, long k, dual *value, dual *rate) {
  long newest = (long)p->at->kept.a[0], n = newest + 1 < 4 ? newest + 1 : 4, first = k - 1, last;
  if (first > newest + 1 - n) first = newest + 1 - n;
  if (first < 0) first = 0;
  last = first + n - 1;
  for (long i = k; i > first; i--) if (jumps(p, g, i)) first = i;
  for (long i = k + 1; i < last; i++) if (jumps(p, g, i)) last = i;
  *value = *rate = dual_of(0);
  for (long i = first; i <= last; i++) {
    dual product = dual_of(1), slope = dual_of(0), y = kept(p, g, i, i > k ? BEFORE : BEHIND);
    for (long j = first; j <= last; j++) {
      if (j == i) continue;
      dual x = dual_sub(at, dual_of((double)j));
      slope = dual_scale(dual_add(dual_mul(slope, x), product), 1 / (double)(i - j));
      product = dual_scale(dual_mul(product, x), 1 / (double)(i - j));
    }
    *value = dual_add(*value, dual_mul(y, product));
    *rate = dual_add(*rate, dual_mul(y, slope));
  }
  *rate = dual_div(*rate, p->at->step);
}

// From time k to k + 1 of the clock: without a jump at k, or with it, as a line.
static dual slope_of(const player *p, const sim_signal *g, long k, int side) {
  return dual_sub(kept(p, g, k + 1, BEFORE), kept(p, g, k, side));
}

// At time k of the clock the mean of both sides.
static dual slope_at(const player *p, const sim_signal *g, long k, int side) {
  dual before = slope_of(p, g, k - 1, side);
  return k < (long)p->at->kept.a[0] ? dual_scale(dual_add(slope_of(p, g, k, side), before), 0.5) : before;
}

static dual without_value(dual x) { x.a[0] = 0; return x; }

// The times move what is between two jumps; T moves the jumps as well.
void play_past(player *p, int signal, dual t, dual *value, dual *rate) {
  const nsm_sim *s = p->s;
  const sim_signal *g = &s->a->signal[signal];
  dual T = p->at->num[g->cls][(size_t)g->instance * (size_t)s->a->cls[g->cls].c->nnum];
  dual now = dual_div(dual_sub(t, p->at->start), p->at->step), late = dual_div(T, p->at->step), part;
  double at = dual_sub(now, late).a[0], near = nearbyint(at);
  if (fabs(at - near) <= 8 * DBL_EPSILON * (fabs(at) + g->delay / s->a->step)) at = near;
  int whole = at == floor(at), ends = p->left || t.a[0] > p->at->t.a[0] + 4 * sim_time_round_off(s, t.a[0]);
  long k = (long)floor(at) - (ends && whole);
  part = dual_sub(now, late);
  part.a[0] = at;
  if (s->n.galerkin && at > 0) { past_cubic(p, g, part, k, value, rate); return; }
  dual slope = slope_of(p, g, k, BEHIND), y = kept(p, g, k, BEHIND);
  *rate = at < 0 ? dual_of(0) : dual_div(slope, p->at->step);
  y = at - (double)k == 1 ? kept(p, g, k + 1, BEFORE) : dual_add(y, dual_scale(slope, at - (double)k));
  dual by_now = whole ? slope_at(p, g, (long)at, BEHIND) : slope,
       by_late = whole ? slope_at(p, g, (long)at, BEFORE) : slope_of(p, g, k, BEFORE);
  *value = dual_add(y, dual_sub(dual_mul(without_value(now), by_now), dual_mul(without_value(late), by_late)));
}

void play_start_past(const player *p, play_state *y) {
  const nsm_sim *s = p->s;
  int first = s->a->nsignal - s->a->ndelay;
  for (int i = 0; i < s->a->ndelay; i++) {
    const sim_signal *g = &s->a->signal[first + i];
    for (int k = 1; k < 2 * g->room; k++) y->ring[g->ring + k] = y->ring[g->ring];
    y->ring[g->ring + BEHIND] = y->last[i];
  }
  y->kept = dual_of(0);
  y->last_t = y->start;
}
