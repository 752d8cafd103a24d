// Delayed quantities: y(t - T) is linear between the values at times of the clock (assembly/signals.c), and so are its
// derivatives, by what y was, by T and by the times. Where t - T is a time of the clock the slopes of both sides
// differ: the derivative by T is their mean, which has the order of the scheme.
#include "play.h"
#include <float.h>
#include <math.h>
#include <stddef.h>

static dual kept(const player *p, const sim_signal *g, long k) {
  long newest = (long)p->at->kept.a[0];
  if (k < 0) k = 0;
  if (k > newest) k = newest;
  return p->at->ring[g->ring + k % g->room];
}

void play_past(player *p, int signal, dual t, dual *value, dual *rate) {
  const nsm_sim *s = p->s;
  const sim_signal *g = &s->a->signal[signal];
  dual T = p->at->num[g->cls][(size_t)g->instance * (size_t)s->a->cls[g->cls].c->nnum];
  dual part = dual_div(dual_sub(dual_sub(t, T), p->at->start), p->at->step);
  double at = part.a[0], near = nearbyint(at);
  if (fabs(at - near) <= 8 * DBL_EPSILON * (fabs(at) + g->delay / s->a->step)) at = near;
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

// Between its value at the end of the piece before and y now, at time k of the clock.
static dual between(const play_state *at, dual last, dual y, long k) {
  dual next = dual_add(at->start, dual_scale(at->step, (double)k)), way = dual_sub(at->t, at->last_t);
  if (!(way.a[0] > 0)) return y;
  dual part = dual_div(dual_sub(next, at->last_t), way), more = dual_mul(dual_sub(y, last), part);
  if (part.a[0] < 1) return dual_add(last, more);
  more = dual_add(last, more);
  more.a[0] = y.a[0];
  return more;
}

// Called with each delayed quantity, number n of them, whose value is y.
typedef void taken(play_state *to, const sim_signal *g, int n, dual y);

static void each(player *p, const dual_view *v, taken *take) {
  nsm_sim *s = p->s;
  for (int c = 0; c < s->a->m->nclass; c++) {
    const sim_class *k = &s->a->cls[c];
    if (k->c->kind != NSM_DELAY || !PLAY(p, k, out, v, p->m)) continue;
    int base = s->a->var[k->c->row_var].base - s->a->nheld, first = s->a->nsignal - s->a->ndelay;
    for (int i = 0; i < k->tab.count; i++) take(p->at, &s->a->signal[base + i], base + i - first, p->m[i]);
  }
}

static void keep(play_state *to, const sim_signal *g, int n, dual y) {
  dual *last = &to->last[n];
  for (long k = to->newest + 1; k <= (long)to->kept.a[0]; k++)
    to->ring[g->ring + k % g->room] = between(to, *last, y, k);
  *last = y;
}

void play_keep_past(player *p) {
  const nsm_sim *s = p->s;
  play_state *y = p->at;
  if (s->a->ndelay == 0) return;
  dual_view v = play_view(p, y->t, y->q, y->z, y->l, dual_of(s->n.h));
  double end = y->t.a[0] + sim_time_round_off(s, y->t.a[0]);
  y->newest = (long)y->kept.a[0];
  while (s->a->start + (y->kept.a[0] + 1) * s->a->step <= end) y->kept.a[0]++;
  each(p, &v, keep);
  y->last_t = y->t;
}

static void stay(play_state *to, const sim_signal *g, int n, dual y) {
  (void)g;
  to->last[n] = y;
}

// One may read another.
void play_still(player *p, const dual_view *v) {
  for (int round = 0; round < 2 && p->s->a->ndelay > 0; round++) {
    dual_view now = play_view(p, v->t, v->q, v->v, v->l, v->h);
    each(p, &now, stay);
    play_start_past(p, p->at);
  }
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
