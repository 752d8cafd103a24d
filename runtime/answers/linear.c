// The equations of any piece, and what the next piece begins with (piece.c).
#include "play.h"
#include <string.h>

int play_takes_time(const tape_entry *e) { return e->kind == TAPE_PIECE || e->kind == TAPE_STAGES; }

int play_has_forces(const tape_entry *e) { return play_takes_time(e) && !e->at_once; }

// The length of a part of a phase, in chunk c: that of the phase is a direction.
static dual part_of_phase(const player *p, const tape_entry *e, int c) {
  dual h = dual_of(e->h);
  return p->phase / DUAL_LANES == c ? dual_along(h, p->phase % DUAL_LANES, 1 / (double)e->parts) : h;
}

static int larger(int a, int b) { return a > b ? a : b; }

int play_unknowns(const nsm_sim *s, const tape_entry *e) {
  int own = s->n.radau ? s->n.radau->n : 0, stages = s->n.radau ? larger(s->n.radau->m.s, 2) * own : 0;
  if (e && e->kind == TAPE_STAGES) return s->n.radau->m.s * own;
  if (e && e->kind == TAPE_JUMP) return 2 * own;
  if (e && e->polynomials) return play_polynomial_unknowns(s, e);
  int points = s->n.con && (!e || e->kind == TAPE_PIECE) ? play_two_points_unknowns(s, e) : s->a->nz + s->n.r.n;
  return e ? points : larger(larger(points, stages), s->n.galerkin ? play_polynomial_unknowns(s, NULL) : 0);
}

void play_scheme(player *p, const tape_entry *e, dual h) {
  if (e->kind == TAPE_STAGES) play_stages(p, e, h);
  else if (e->kind == TAPE_JUMP) play_jump(p, e);
  else if (e->polynomials) play_polynomials_of(p, e, h);
  else if (p->s->n.con) play_two_points(p, e, h);
  else play_points(p, e, h);
}

// At p->w and h, and what ends it behind them; what ends a phase is p->end.
void play_equations(player *p, const tape_entry *e, dual h, int c) {
  play_scheme(p, e, h);
  if (!play_takes_time(e)) return;
  if (!e->parts) { p->eq[p->nw] = play_end(p, e, h); return; }
  p->eq[p->nw] = dual_sub(h, part_of_phase(p, e, c));
  if (e->last) p->end = play_end(p, e, h);
}

int play_at_points(const tape_entry *e) { return e->kind == TAPE_PIECE || e->kind == TAPE_IMPACT; }

// What the next piece begins with, into p->out; what the piece does not change is not in it.
int play_outputs(player *p, const tape_entry *e, dual h) {
  const nsm_sim *s = p->s;
  size_t nq = play_at_points(e) ? (size_t)s->a->nq : 0, nl = (size_t)s->a->nl + 1, rows = (size_t)s->n.r.n;
  dual *to = p->out;
  memcpy(to, p->q1, nq * sizeof *to);
  memcpy(to += nq, p->l1, nl * sizeof *to);
  to += nl;
  if (play_has_forces(e) && rows > 0) {
    play_means(p, e, h);
    memcpy(to, p->mean, rows * sizeof *to);
    memcpy(to += rows, p->ground, rows * sizeof *to);
    to += rows;
  }
  if (e->last) *to++ = p->end;
  return (int)(to - p->out);
}
