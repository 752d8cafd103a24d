// What is kept of delayed quantities where a piece or a block ends (delays.c), as assembly/signals.c does.
#include "play.h"
#include <stddef.h>

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
