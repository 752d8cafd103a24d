// A tape is played: pieces (piece.c) and blocks in their order; what is told of them.
#include "play.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double agrees = 1e-6;       // of the largest: what is solved again, and the run

// ---- what is told ---------------------------------------------------------------------------------------------------
static void tell_event(player *p, const tape_entry *e) {
  p->joint += e->hits > 1;
  if (p->event) p->event(p, e, p->to);
}

// A gap that is hit so slowly that rounding decides whether it is: u^2 < 2 |a| 10^3 eps q, with the acceleration a of a
// parabola from the begin of the piece.
static void look_at_grazing(player *p, const tape_entry *e) {
  nsm_sim *s = p->s;
  if (e->end != TAPE_SET || e->kind != TAPE_PIECE || (e->set != SIM_OPEN && e->set != SIM_LEFT) || !(e->h > 0)) return;
  const sim_class *k = &s->a->cls[s->n.r.cls[e->row]];
  double u = p->u0[e->row].a[0], size = 0;
  PLAY(p, k, gap, &p->now.begin, p->gap + k->row0, p->u0 + k->row0);
  double a = fabs(u - p->u0[e->row].a[0]) / e->h;
  for (int i = 0; i < s->a->nq; i++) size = fmax(size, fabs(p->q1[i].a[0]));
  if (!(u * u < 2 * a * 1e3 * DBL_EPSILON * size)) return;
  if (p->grazing++ > 0) return;
  p->grazed = e->t + e->h;
  p->grazer = e->row;
}

// ---- the tape -------------------------------------------------------------------------------------------------------
// Which unknown of a piece is off is not known: how far the farthest is, beside the largest.
static int refuse(const player *p, nsm_error *e) {
  if (!(p->mismatch > 0))
    sim_fail(e, NSM_FAILED, "E0774: a piece has no finite derivative, t = %.10g s", p->mismatch_at);
  else if (p->unique > 0)
    sim_fail(e, NSM_FAILED, "E0774: the derivative is not determined from t = %.10g s on: rows depend on each other to "
             "the accuracy to which the run meets them, and what decides is %.2g of the largest velocity apart",
             p->mismatch_at, p->mismatch);
  else
    sim_fail(e, NSM_FAILED, "E0774: the piece that is differentiated is %.2g of the largest velocity off the run, "
             "a fault of nsm, t = %.10g s", p->mismatch, p->mismatch_at);
  return 0;
}

// The largest coordinate, and velocity or state, of the run so far; at rest a velocity that would be seen over the run.
static void look_at_size(player *p, const tape *t) {
  const nsm_sim *s = t->s;
  double length = s->a->until - s->a->start, place = p->place, size = p->size;
  int nq = s->a->nq, nz = s->a->nz;
  for (long i = p->index; i < t->n; i++) {
    const tape_entry *e = &t->at[i];
    for (int q = 0; e->begin && q < nq; q++) if (fabs(e->begin[q]) > place) place = fabs(e->begin[q]);
    for (int z = 0; e->solution && z < nz; z++) if (fabs(e->solution[z]) > size) size = fabs(e->solution[z]);
  }
  p->place = place;
  p->size = size;
  if (length > 0) p->size = fmax(p->size, p->place / length);
}

// Unknowns are solved to 1e-13 of the largest (piece.c), which is a force where nothing has moved yet.
static void look_at_forces(player *p, const tape_entry *e) {
  for (int j = 0; j < p->nw && e->kind == TAPE_PIECE; j++)
    p->size = fmax(p->size, 1e-13 / agrees * fabs(e->solution[j]));
  p->place = fmax(p->place, p->size * e->h);
}

static void compare(player *p, const tape_entry *e, double off, double size) {
  if (size > 0 && !(off / size <= p->mismatch)) { p->mismatch = off / size; p->mismatch_at = e->t; }
}

// What is played has the rounding of its own, which grows with the motion: each piece begins with the values of the
// run.
// Phases are extrapolated, so that they go on with what has been solved to round-off, until that has come off the run.
// All that one piece may do is rounding: else something that the run did is not on the tape.
static void stand_as_run(player *p, const tape_entry *e) {
  const double parted = p->phase < 0 ? 0 : 1e-9;           // of the largest
  const nsm_sim *s = p->s;
  const int n[] = { s->a->nq, s->a->nz, s->a->nl, s->a->nd }, moving = n[0] + n[1] + n[2];
  double off[2] = { 0 }, size[] = { p->place, p->size };
  p->stood = 0;
  if (!e->begin) return;
  for (int i = 0; i < n[0] + n[1]; i++) {
    double d = fabs(play_number(p, i) - e->begin[i]), *most = &off[i >= n[0]];
    if (!(d <= *most)) *most = d;
  }
  if (!p->light) compare(p, e, off[0], size[0]);           // else the piece before may have been passed over
  if (!p->light) compare(p, e, off[1], size[1]);
  if (off[0] <= parted * size[0] && off[1] <= parted * size[1]) return;
  p->stood = 1;
  if (p->numbers) {                                        // one multiplier more is always 0
    memcpy(p->numbers, e->begin, (size_t)moving * sizeof(double));
    memcpy(p->numbers + moving + 1, e->begin + moving, (size_t)n[3] * sizeof(double));
    return;
  }
  for (int c = 0; c <= p->nc; c++) {
    const double *x = e->begin;
    dual *to[] = { p->of[c].q, p->of[c].z, p->of[c].l, p->of[c].d };
    for (int k = 0; k < 4; x += n[k++]) for (int i = 0; i < n[k]; i++) to[k][i].a[0] = x[i];
  }
}

// The next piece begins where the run was, and what else this one leaves it leaves as well.
static int is_passed(const player *p, const tape *t) {
  const tape_entry *e = &t->at[p->index], *next = e + 1;
  int time = e->end == TAPE_CLOCK || e->end == TAPE_SHORT;
  return p->light && p->index + 1 < t->n && time && play_has_forces(e) && play_has_forces(next) &&
         e->kind == next->kind && next->begin && p->s->a->ndelay == 0 &&
         memcmp(e->law, next->law, (size_t)p->s->n.r.n) == 0;
}

// A piece, an impact, or a jump of states.
static void piece(player *p, const tape_entry *e) {
  double off = 0;
  p->captured += e->captured;
  p->weak += e->weak;
  if (is_passed(p, p->tape)) return;
  stand_as_run(p, e);
  if (play_by_trace(p, e, &off)) {
    if (!(off <= agrees * p->size)) look_at_forces(p, e);
    compare(p, e, off, p->size);
    return;
  }
  play_catch_up(p);
  off = play_piece(p, e);
  if (!(off <= agrees * p->size)) look_at_forces(p, e);
  compare(p, e, off, p->size);
  if (p->keep) p->keep(p, e, p->nw + play_takes_time(e), p->in);
  look_at_grazing(p, e);
  play_stand(p, e);
  for (int c = 0; c <= p->nc && e->kind != TAPE_JUMP; c++) {
    p->at = &p->of[c];
    play_keep_past(p, !play_takes_time(e));
  }
  if (p->phase < 0) play_slope(p, e);
  else play_phase_slope(p, e);
  if (e->last) play_phase_ends(p);
  if (e->end == TAPE_SET && play_takes_time(e)) tell_event(p, e);
}

int play_refuse_unread(const player *p, nsm_error *e) {
  sim_fail(e, NSM_USAGE, "E0772: at t = %.10g s a block resets what moves, at an instant that moves: what is read "
           "there has another derivative before and behind it; read it at another time", p->of[p->nc].t.a[0]);
  return 0;
}

int play(player *p, nsm_error *e) {
  const tape *t = p->tape;
  int had, by_condition = 0;
  look_at_size(p, t);
  for (; p->index < t->n; p->index++) {
    const tape_entry *entry = &t->at[p->index];
    int jumps = p->jump && (entry->kind == TAPE_IMPACT || entry->kind == TAPE_JUMP || entry->kind == TAPE_BLOCK);
    if (jumps || entry->kind > TAPE_JUMP) play_catch_up(p);
    if (p->numbers) p->numbers[p->nnumbers - 2] = entry->t;           // sums of lengths have their rounding
    for (int c = 0; c <= p->nc && !p->numbers; c++) p->of[c].t.a[0] = entry->t;
    if (jumps) p->jump(p, 0, p->to);
    if (p->keep && entry->kind > TAPE_JUMP) p->keep(p, entry, 0, p->in);
    switch (entry->kind) {
    case TAPE_ROW: case TAPE_STOP:
      if (entry->kind == TAPE_STOP || p->rows_count) play_hold_time(p, entry->kind == TAPE_STOP);
      if (entry->kind == TAPE_ROW && p->row) p->row(p, p->to);
      if (entry->kind == TAPE_STOP && p->stop) p->stop(p, entry->number, p->to);
      if (entry->kind == TAPE_STOP && p->unread) return play_refuse_unread(p, e);
      play_let_go(p);
      break;
    case TAPE_BLOCK:
      had = play_slope_here(p) != NULL;
      for (int c = 0; c <= p->nc; c++) {
        p->at = &p->of[c];
        play_block(p, entry);
      }
      if (had && !play_slope_here(p)) p->reset = by_condition ? 2 : 1;
      break;
    default:
      p->reset = 0;
      piece(p, entry);
      by_condition = entry->end == TAPE_WHEN;
    }
    if (jumps) p->jump(p, 1, p->to);
    if (p->failed) return sim_no_memory(e, "derivatives"), 0;
    if (p->without) {
      sim_fail(e, NSM_USAGE, "E0772: line %d asks for contacts of shapes, which have no derivative yet", p->without);
      return 0;
    }
    if (p->late_jump) {
      sim_fail(e, NSM_USAGE, "E0772: line %d: what is late jumps at t = %.10g s, at an instant that moves: when "
               "it comes is not kept, so that the run has no derivative by that", p->late_jump, p->of[0].t.a[0]);
      return 0;
    }
    if (p->flat) {
      sim_fail(e, NSM_USAGE, "E0771: line %d: this condition jumps where it becomes true, so that it does not say how "
               "its instant moves; compare what moves without jumps: x >= 1 in the place of floor(x) >= 1", p->flat);
      return 0;
    }
    if (!(p->mismatch <= agrees)) return refuse(p, e);
  }
  if (p->in_numbers) play_end_by_numbers(p);
  else play_catch_up(p);
  return 1;
}
