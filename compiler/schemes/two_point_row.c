// Constraints and contacts in functions of two points (two_point.c): where the multipliers of a row act along, and the
// derivatives of what its law speaks of.
#include "../base/fatal.h"
#include "ends.h"
#include "two_point.h"

const SysClass *two_point_whole_turns(Arena *a, const System *s, const SysClass *c) {
  if (!reads_positions(c) || c->velocity_level) return c;
  SysClass *whole = ARENA_NEW(a, SysClass);
  *whole = *c;
  whole->h = (Entries){ 0, ARENA_ARRAY(a, Entry, c->nslot + 1) };
  for (int k = 0, i = 0; k < c->nslot; k++) {
    bool has = i < c->h.n && c->h.at[i].col == k;
    if (has) whole->h.at[whole->h.n++] = c->h.at[i++];
    else if (is_turn(s, &c->slot[k])) whole->h.at[whole->h.n++] = (Entry){ 0, k, WRT_V, ex_num(s->pool, 0) };
  }
  INVARIANT(whole->h.n >= c->h.n);
  return whole;
}

// The row under construction: the sum of its terms, [slots]. bodies: their rows are functions of their places, and the
// term of kappa is not in the sum.
typedef struct RowTerms { const BothEnds *j; TwoPoint *t; Terms terms; Ex *force; bool bodies; } RowTerms;

static const Term *term_of(const RowTerms *r, ModelFunction of) {
  for (int i = 0; i < r->terms.n; i++) if (r->terms.at[i].of == of) return &r->terms.at[i];
  return NULL;
}

// Dg/Dq by lambda; of a constraint on velocities H at the point, in place of its gap H (q - q0).
static void along_gap(RowTerms *r) {
  const BothEnds *j = r->j;
  const SysClass *c = j->c;
  const Term *term = term_of(r, GAP_SLOPE);
  TwoPoint *t = r->t;
  Ex *d = ARENA_ARRAY(j->arena, Ex, j->n + 1);
  t->dg = ARENA_ARRAY(j->arena, Ex, c->h.n + 1);
  if (c->velocity_level) t->gap = ex_num(j->p, 0); else discrete_of(j, c->y, d);
  for (int i = 0; i < c->h.n; i++) {
    int k = c->h.at[i].col;
    t->dg[i] = c->velocity_level ? ends_at(j, c->h.at[i].value, term->point) : d[k];
    if (c->velocity_level) add_to(j, &t->gap, ex_mul(j->p, t->dg[i], j->dq[k]));
    add_to(j, &r->force[k], ex_mul(j->p, term->weight, t->dg[i]));
  }
}

// D rate/Dq by kappa. Of constraints on bodies by both arguments (docs/numerics/bodies.md (13)), and the mean of H.
static void along_rate(RowTerms *r) {
  const BothEnds *j = r->j;
  const SysClass *c = j->c;
  const Term *term = term_of(r, RATE_SLOPE);
  Ex *d = ARENA_ARRAY(j->arena, Ex, j->n + 1);
  if (!term) return;
  INVARIANT(term->point == END);
  if (r->bodies) {
    Ex *by_v = ARENA_ARRAY(j->arena, Ex, j->n + 1);
    discrete_rate(j, c->y, d, by_v);
    r->t->hm = ARENA_ARRAY(j->arena, Ex, c->h.n + 1);
    for (int i = 0; i < c->h.n; i++) r->t->hm[i] = by_v[c->h.at[i].col];
  } else if (!discrete_of(j, c->rate, d)) return;
  for (int k = 0; k < j->n; k++) {
    if (c->slot[k].kind != SLOT_Q) continue;
    entry_push(j, &r->t->dr, 0, k, WRT_Q, d[k]);
    if (!r->bodies) add_to(j, &r->force[k], ex_mul(j->p, term->weight, d[k]));
  }
}

// By the unknowns at the end: of the gap and the rate. Of rows on bodies the gap has other derivatives than H = d
// rate/dv.
static void slopes_of_law(const RowTerms *r) {
  const BothEnds *j = r->j;
  const SysClass *c = j->c;
  TwoPoint *t = r->t;
  bool touches = reads_positions(c) && !c->velocity_level && c->kind == CLASS_CONTACT;
  for (int i = 0; touches && i < c->h.n; i++)
    entry_push(j, &t->h, 0, c->h.at[i].col, WRT_V, by_position(j, c->y, c->h.at[i].col));
  for (int k = 0; k < j->n; k++) {
    if (c->slot[k].kind != SLOT_Q) continue;
    if (r->bodies) entry_push(j, &t->gq, 0, k, WRT_Q, by_position(j, c->y, k));
    if (c->velocity_level) entry_push(j, &t->gq, 0, k, WRT_Q, by_position(j, t->gap, k));
    entry_push(j, &t->rq, 0, k, WRT_Q, j->turn[k] ? by_position(j, c->rate, k) : ex_diff(j->p, c->rate, j->q[k]));
  }
}

// Where bodies turn: 1/2 d (lambda H)^T/dq, both ends at the begin.
static void bend(const RowTerms *r) {
  const BothEnds *j = r->j;
  const SysClass *c = j->c;
  Ex half = ex_mul(j->p, ex_num(j->p, 0.5), term_of(r, GAP_SLOPE)->weight);
  for (int i = 0; i < c->h.n; i++)
    for (int k = 0, at = c->h.at[i].col; k < j->n; k++) {
      if (!j->turn[k] || j->turn[k] != j->turn[at]) continue;
      entry_push(j, &r->t->bend, at, k, WRT_Q, ex_mul(j->p, half, along_slot(j, c->h.at[i].value, k)));
    }
}

// The derivatives of what the multipliers add. Of constraints on bodies the matrix takes those of lambda alone.
static void curve(const RowTerms *r) {
  const BothEnds *j = r->j;
  const SysClass *c = j->c;
  if (r->bodies) bend(r);
  const Ex *slope = slopes_of(j, r->force, j->n, false);
  for (int i = 0; i < j->n; i++)
    for (int k = 0; k < j->n; k++) {
      if (c->slot[k].kind != SLOT_Q) continue;
      entry_push(j, &r->t->curve, i, k, WRT_Q, slope[i * 2 * j->n + k]);
      entry_push(j, &r->t->curve, i, k, WRT_V, slope[i * 2 * j->n + j->n + k]);
    }
}

TwoPoint two_point_row(Arena *a, const System *s, const SysClass *c, const Equations *q, bool both_levels) {
  BothEnds j = ends_of_piece(a, s, c, q);
  TwoPoint t = { .affine = false };
  SysClass as_constraint = *c;
  if (both_levels) as_constraint.kind = CLASS_CONSTRAINT;
  Piece piece = { a, s, s->pool, &as_constraint };
  RowTerms r = { .j = &j, .t = &t, .terms = terms_of(&piece, q->impulse(&piece)),
                 .force = ARENA_ARRAY(a, Ex, j.n + 1),
                 .bodies = reads_positions(c) && !c->velocity_level && c->kind == CLASS_CONSTRAINT };
  for (int k = 0; k < j.n; k++) r.force[k] = ex_num(s->pool, 0);
  along_gap(&r);
  slopes_of_law(&r);
  along_rate(&r);
  curve(&r);
  back_from_rotations(&j, t.dg, c->h.n);
  if (t.hm) back_from_rotations(&j, t.hm, c->h.n);
  Entries *made[] = { &t.gq, &t.rq, &t.dr, &t.bend, &t.curve, &t.h };
  for (int i = 0; i < 6; i++) entries_back(&j, made[i]);
  return t;
}
