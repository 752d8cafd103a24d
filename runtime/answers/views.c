// Dual views of a state, and kernels that read them.
#include "play.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *play_take(player *p, size_t n, size_t size) {
  play_memory *m = calloc(1, sizeof *m + (n + 1) * size);
  if (!m) { p->failed = 1; return NULL; }
  m->next = p->memory;
  p->memory = m;
  return m + 1;
}

int play_holds_signals(const nsm_sim *s) {
  return s->a->nsignal == 0 || (s->a->ndelay == 0 && sim_inputs_held(s));
}

// Discrete variables, then signals: functions of the time, or held.
static const dual *discrete(player *p, dual t, const dual **rate) {
  nsm_sim *s = p->s;
  *rate = p->zero;
  if (play_holds_signals(s)) return p->at->d;
  const double *now = sim_signals_from(s, p->left ? -INFINITY : p->at->t.a[0], t.a[0]);
  const double *slope = s->w.moments->rate[s->w.moments->last];
  dual *to = p->signal + 2 * (size_t)s->a->nd * (size_t)(p->seen++ % PLAY_VIEWS);
  for (int i = 0; i < s->a->nd; i++) {
    dual own = p->at->d[i], varied = dual_sub(own, dual_of(own.a[0]));               // an input is varied
    to[i] = i < s->a->nheld ? own : dual_add(dual_by(now[i], slope[i], t), varied);
  }
  for (int i = 0; i < s->a->nd; i++) to[s->a->nd + i] = dual_of(slope[i]);
  for (int i = s->a->nd - s->a->ndelay; i < s->a->nd; i++)
    play_past(p, i - s->a->nheld, t, &to[i], &to[s->a->nd + i]);
  *rate = to + s->a->nd;
  return to;
}

dual_view play_view(player *p, dual t, const dual *q, const dual *z, const dual *l, dual h) {
  const dual *rate, *zero = p->zero;
  const dual *d = discrete(p, t, &rate);
  return (dual_view){ .t = t, .t0 = t, .h = h, .q = q, .v = z, .x = z + p->s->a->nv, .l = l, .q0 = q, .v0 = z,
                      .dq = zero, .dv = zero, .dx = zero, .d = d, .d_rate = rate, .length = p->length };
}

int play_kernel(player *p, const sim_class *k, int there, size_t offset, const dual_view *v, dual *const *out) {
  int cls = (int)(k - p->s->a->cls);
  dual_table t = { k->tab.count, k->tab.ix, p->at->num[cls], k->tab.num, p->remembers ? &p->memo : NULL };
  if (!there || k->tab.count == 0) return there;
  if (!p->run(p->with, cls, (int)offset, v, &t, out)) p->without = k->c->line;
  return 1;
}

// q0 moved by a u + b v, as sim_move_mean.
void play_move(player *p, const dual *q0, dual a, const dual *u, dual b, const dual *v, dual *q1) {
  nsm_sim *s = p->s;
  for (int i = 0; i < s->a->nv; i++) p->way[i] = dual_add(dual_mul(a, u[i]), dual_mul(b, v[i]));
  for (int i = 0; i < s->a->nown; i++) q1[i] = dual_add(q0[i], p->way[i]);
  if (s->a->on.kinematics.n == 0) return;
  const dual *zero = p->zero;
  dual_view view = play_view(p, p->at->t, q0, zero, zero, dual_of(0));
  view.dq = p->way;
  SIM_EACH(s, kinematics, k) PLAY(p, k, move, &view, q1);
}
