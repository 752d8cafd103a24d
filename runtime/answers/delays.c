// Delayed quantities: y(t - T) is linear between the values at times of the clock (assembly/signals.c), and so are its
// derivatives, by what y was, by T and by the times. Where t - T is a time of the clock the slopes of both sides
// differ: the derivative by T is their mean, which has the order of the scheme.
#include "play.h"
#include <float.h>
#include <math.h>

static dual kept(const player *p, const sim_signal *g, long k) {
  long newest = (long)p->at->kept.a[0];
  if (k < 0) k = 0;
  if (k > newest) k = newest;
  return p->at->ring[g->ring + k % g->room];
}

// Of higher orders the polynomial through up to four values around `at`, as assembly/signals.c has it.
static void past_cubic(const player *p, const sim_signal *g, dual at, dual *value, dual *rate) {
  long newest = (long)p->at->kept.a[0], n = newest + 1 < 4 ? newest + 1 : 4, first = (long)floor(at.a[0]) - 1;
  if (first > newest + 1 - n) first = newest + 1 - n;
  if (first < 0) first = 0;
  *value = *rate = dual_of(0);
  for (long i = 0; i < n; i++) {
    dual product = dual_of(1), slope = dual_of(0), y = kept(p, g, first + i);
    for (long j = 0; j < n; j++) {
      if (j == i) continue;
      dual x = dual_sub(at, dual_of((double)(first + j)));
      slope = dual_scale(dual_add(dual_mul(slope, x), product), 1 / (double)(i - j));
      product = dual_scale(dual_mul(product, x), 1 / (double)(i - j));
    }
    *value = dual_add(*value, dual_mul(y, product));
    *rate = dual_add(*rate, dual_mul(y, slope));
  }
  *rate = dual_div(*rate, p->at->step);
}

void play_past(player *p, int signal, dual t, dual *value, dual *rate) {
  const nsm_sim *s = p->s;
  const sim_signal *g = &s->a->signal[signal];
  dual T = p->at->num[g->cls][(size_t)g->instance * (size_t)s->a->cls[g->cls].c->nnum];
  dual part = dual_div(dual_sub(dual_sub(t, T), p->at->start), p->at->step);
  double at = part.a[0], near = nearbyint(at);
  if (fabs(at - near) <= 8 * DBL_EPSILON * (fabs(at) + g->delay / s->a->step)) at = near;
  part.a[0] = at;
  if (s->n.galerkin && at > 0) { past_cubic(p, g, part, value, rate); return; }
  long k = (long)floor(at);
  dual y0 = kept(p, g, k), y1 = kept(p, g, k + 1), slope = dual_sub(y1, y0);
  part.a[0] = at - (double)k;
  *rate = at < 0 ? dual_of(0) : dual_div(slope, p->at->step);
  if (part.a[0] == 0) {
    dual before = kept(p, g, k - 1);
    slope = k < (long)p->at->kept.a[0] ? dual_scale(dual_sub(y1, before), 0.5) : dual_sub(y0, before);
  }
  *value = dual_add(y0, dual_mul(part, slope));
}

void play_start_past(const player *p, play_state *y) {
  const nsm_sim *s = p->s;
  int first = s->a->nsignal - s->a->ndelay;
  for (int i = 0; i < s->a->ndelay; i++) {
    const sim_signal *g = &s->a->signal[first + i];
    for (int k = 0; k < g->room; k++) y->ring[g->ring + k] = y->last[i];
  }
  y->kept = dual_of(0);
  y->last_t = y->start;
}
