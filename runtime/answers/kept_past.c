// What is kept of delayed quantities where a piece or a block ends (delays.c), as assembly/signals.c does.
#include "play.h"
#include <math.h>
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

// The largest of what is kept: a place that an obstacle stops at 0 has no size of its own.
static double size_of(const player *p, const sim_signal *g) {
  double most = 0;
  for (int k = 0; k < 2 * g->room; k++) most = fmax(most, fabs(p->at->ring[g->ring + k].a[0]));
  return most;
}

static void each(player *p, const dual_view *v, taken *take) {
  nsm_sim *s = p->s;
  for (int c = 0; c < s->a->m->nclass; c++) {
    const sim_class *k = &s->a->cls[c];
    if (k->c->kind != NSM_DELAY || !PLAY(p, k, out, v, p->m)) continue;
    int base = s->a->var[k->c->row_var].base - s->a->nheld, first = s->a->nsignal - s->a->ndelay;
    for (int i = 0; i < k->tab.count; i++) {
      const sim_signal *g = &s->a->signal[base + i];
      double was = p->at->last[base + i - first].a[0], is = p->m[i].a[0], by = fabs(is - was);
      if (p->jump_moves && by > 1e-9 * (fabs(is) + fabs(was)) && by > 1e-9 * size_of(p, g)) p->late_jump = k->c->line;
      take(p->at, g, base + i - first, p->m[i]);
    }
  }
}

static void keep(play_state *to, const sim_signal *g, int n, dual y) {
  dual *last = &to->last[n];
  for (long k = to->newest + 1; k <= (long)to->kept.a[0]; k++) {
    dual *here = to->ring + g->ring + 2 * (k % g->room);
    here[0] = here[1] = between(to, *last, y, k);
  }
  *last = y;
}

static void stay(play_state *to, const sim_signal *g, int n, dual y) {
  (void)g;
  to->last[n] = y;
}

// At a time of the clock a jump is kept as one. Within a step it is not: its time is not to move (p->late_jump).
static void keep_behind(play_state *to, const sim_signal *g, int n, dual y) {
  dual *here = to->ring + g->ring + 2 * ((long)to->kept.a[0] % g->room);
  int same = y.a[0] == to->last[n].a[0];
  if (!same || to->newest < 0) here[1] = y;                // what a block assigns may depend on more
  if (same) here[1].a[0] = here[0].a[0];
  stay(to, g, n, y);
}

// jumps: behind a block or an impact, which have nothing before them.
void play_keep_past(player *p, int jumps) {
  const nsm_sim *s = p->s;
  play_state *y = p->at;
  if (s->a->ndelay == 0) return;
  double near = sim_time_round_off(s, y->t.a[0]), end = y->t.a[0] + near;
  y->newest = (long)y->kept.a[0];
  while (s->a->start + (y->kept.a[0] + 1) * s->a->step <= end) y->kept.a[0]++;
  int on_clock = fabs(y->t.a[0] - (s->a->start + y->kept.a[0] * s->a->step)) <= near;
  dual since = dual_sub(y->t, dual_add(y->start, dual_scale(y->step, y->kept.a[0])));
  if (jumps) y->newest = -1;
  p->jump_moves = jumps && (p->keep ? !on_clock : dual_varies(since));
  for (int side = jumps; side < 2; side++) {
    p->left = side == 0;
    dual_view v = play_view(p, y->t, y->q, y->z, y->l, dual_of(s->n.h));
    each(p, &v, side == 0 ? keep : on_clock ? keep_behind : stay);
    p->left = 0;
  }
  y->last_t = y->t;
}

static void rest(play_state *to, const sim_signal *g, int n, dual y) { to->ring[g->ring] = to->last[n] = y; }

// One may read another.
void play_still(player *p, const dual_view *v) {
  for (int round = 0; round < 2 && p->s->a->ndelay > 0; round++) {
    dual_view now = play_view(p, v->t, v->q, v->v, v->l, v->h);
    each(p, &now, rest);
    play_start_past(p, p->at);
  }
}
