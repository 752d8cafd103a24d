// Numbers that are read at a time of the clock where the piece before ends at another time: an instant of `every` or of
// the time, which a parameter moves, one at which a condition becomes true, or one that was asked for, which stays. The
// state stands there, and goes with it.
// What is read stands at its time t_k, which moves where the start, the step or the end of the run do,
//
//     dY at t = dY - Y' (dt - dt_k),    Y' = dY/dt along the piece that the instant has ended
//
// It is Y' of the side before. A block that resets coordinates, velocities or states leaves none: what is read has no
// derivative then (unread).
#include "play.h"
#include <math.h>
#include <string.h>

static int numbers(const nsm_sim *s) { return s->a->nq + s->a->nz + s->a->nl + 1; }

double play_number(const player *p, int i) {
  const play_state *y = &p->of[0];
  int nq = p->s->a->nq;
  return p->numbers ? p->numbers[i] : i < nq ? y->q[i].a[0] : y->z[i - nq].a[0];
}

void play_remember_slope(player *p) {
  const nsm_sim *s = p->s;
  for (int i = 0; i < s->a->nq + s->a->nz; i++) p->slope_at[i] = play_number(p, i);
  p->slopes = 1;
}

static int moves_in_time(const tape_entry *e) {
  return tape_has_slope(e) || e->end == TAPE_BY_TIME || e->end == TAPE_WHEN;
}

// Behind a piece: the derivative of its end by phi, over that of its length.
void play_slope(player *p, const tape_entry *e) {
  const nsm_sim *s = p->s;
  p->slopes = 0;
  if (!moves_in_time(e) || !play_has_forces(e)) return;
  int points = play_at_points(e), nq = points ? s->a->nq : 0, nl = s->a->nl + 1, n = p->nw + 1;
  int last = e->kind == TAPE_STAGES ? (s->n.radau->m.s - 1) * s->n.radau->n : 0;
  const double *by_end = p->rhs + n;
  double by_phi = by_end[p->nw];
  if (by_phi == 0) return;
  double *q = p->slope, *z = q + s->a->nq, *l = z + s->a->nz;
  for (int i = 0; i < nq + nl; i++) {
    const double *row = p->O + (size_t)i * (size_t)p->stride + p->np;
    double sum = 0;
    for (int k = 0; k < n; k++) sum += row[k] * by_end[k];
    *(i < nq ? &q[i] : &l[i - nq]) = sum/by_phi;
  }
  for (int i = 0; i < s->a->nz; i++) z[i] = by_end[last + i]/by_phi;
  play_remember_slope(p);
}

// The same of a phase, before its length is put in.
void play_phase_slope(player *p, const tape_entry *e) {
  const nsm_sim *s = p->s;
  const play_state *y = &p->of[p->phase / DUAL_LANES];
  int lane = 1 + p->phase % DUAL_LANES, at = 0;
  p->slopes = 0;
  if (!e->last || !moves_in_time(e) || y->t.a[lane] == 0) return;
  const struct { const dual *of; int n; } all[] = { { y->q, s->a->nq }, { y->z, s->a->nz }, { y->l, s->a->nl + 1 } };
  for (int k = 0; k < 3; k++) for (int i = 0; i < all[k].n; i++) p->slope[at++] = all[k].of[i].a[lane] / y->t.a[lane];
  play_remember_slope(p);
}

const double *play_slope_here(const player *p) {
  const nsm_sim *s = p->s;
  int same = p->slopes;
  for (int i = 0; i < s->a->nq + s->a->nz && same; i++) same = p->slope_at[i] == play_number(p, i);
  return same ? p->slope : NULL;
}

static dual *number(play_state *y, const nsm_sim *s, int i) {
  int nq = s->a->nq, nz = s->a->nz;
  return i < nq ? &y->q[i] : i < nq + nz ? &y->z[i - nq] : &y->l[i - nq - nz];
}

int play_row_time(const nsm_sim *s, double t, double *number) {
  double near = 2 * sim_time_round_off(s, t), k = round((t - s->a->start) / s->a->step);
  *number = k;
  return fabs(t - s->a->until) <= near ? 1 : fabs(t - (s->a->start + k * s->a->step)) <= near ? 0 : -1;
}

// The time at which what is read stands.
dual play_stands_at(const nsm_sim *s, const play_state *y, int asked) {
  double k;
  int end = play_row_time(s, y->t.a[0], &k);
  dual at = asked ? dual_of(0) : end < 0 ? y->t : end ? y->until : dual_add(y->start, dual_scale(y->step, k));
  at.a[0] = y->t.a[0];
  return at;
}

void play_hold_time(player *p, int asked) {
  const nsm_sim *s = p->s;
  const double *slope = play_slope_here(p);
  double k;
  int n = numbers(s), moves = p->np == 0 && p->reset == 2 && (asked || play_row_time(s, p->of[0].t.a[0], &k) >= 0);
  p->holds = p->unread = 0;
  for (int c = 0; c < p->nc && (slope || p->reset); c++)
    moves |= dual_varies(dual_sub(p->of[c].t, play_stands_at(s, &p->of[c], asked)));
  if (!moves) return;
  if (p->helds++ == 0) p->held_at = p->of[0].t.a[0];
  if (!slope) { p->unread = 1; return; }
  p->holds = 1;
  for (int c = 0; c < p->nc; c++) {
    play_state *y = &p->of[c];
    dual *kept = p->held + (size_t)c * ((size_t)n + 1), at = play_stands_at(s, y, asked), t = dual_sub(y->t, at);
    kept[n] = y->t;
    for (int i = 0; i < n; i++) {
      dual *x = number(y, s, i);
      kept[i] = *x;
      for (int j = 1; j < DUAL_WIDTH; j++) x->a[j] -= slope[i] * t.a[j];
    }
    y->t = at;
  }
}

void play_let_go(player *p) {
  int n = numbers(p->s);
  for (int c = 0; c < p->nc && p->holds; c++) {
    const dual *kept = p->held + (size_t)c * ((size_t)n + 1);
    for (int i = 0; i < n; i++) *number(&p->of[c], p->s, i) = kept[i];
    p->of[c].t = kept[n];
  }
  p->holds = p->unread = 0;
}
