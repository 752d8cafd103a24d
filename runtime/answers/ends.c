// phi: what ends a piece. The functions are those that the run has watched (docs/numerics/located.md, 3; radau.md, 3).
#include "play.h"
#include <stddef.h>
#include <string.h>

static dual column(const player *p, const sim_class *k, int i, int at) {
  return p->at->num[k - p->s->a->cls][(size_t)i * (size_t)k->c->nnum + (size_t)at];
}

// A force at the end of the piece, from its mean and that of the piece before.
static dual at_end(const player *p, const tape_entry *e, int row, dual mean, dual h) {
  if (e->history == 0 || e->plain) return mean;
  dual share = dual_div(h, dual_add(h, p->at->history));
  return dual_add(mean, dual_mul(dual_sub(mean, p->at->mean[row]), share));
}

// ---- friction -------------------------------------------------------------------------------------------------------
// The part of a block that friction row `row` is in, with the axes of the block.
static const sim_friction *part_with_axes(player *p, int row, int *first, int *n, dual *A) {
  int number = p->s->n.r.friction_of[row];
  const sim_friction *f = &p->s->n.r.friction[number];
  *n = play_part(f, row, first);
  play_friction_axes(p, number, A);
  return f;
}

// What is left of the force to its limit.
static dual margin(player *p, int row, dual h) {
  const sim_rows *r = &p->s->n.r;
  int first, n;
  dual A[SIM_SLIPS], sum = dual_of(0);
  const sim_friction *f = part_with_axes(p, row, &first, &n, A);
  for (int d = first; d < first + n; d++) {
    if (!dual_above(A[d], dual_of(0))) continue;
    dual x = dual_div(p->pull[r->l[f->row[d]]], A[d]);
    sum = dual_add(sum, dual_mul(x, x));
  }
  dual limit = play_pressed(p, r->friction_of[row], p->press, h);
  return dual_div(dual_mul(A[first], dual_sub(limit, dual_sqrt(sum))), h);
}

// Slip along the direction that it had. By `consistent` a slip in a plane may end with a part across it, for which it
// counts how the direction at the begin of the piece varies.
static dual along(player *p, const tape_entry *e, int row) {
  int first, n;
  dual A[SIM_SLIPS], sum = dual_of(0), length = dual_of(0);
  const sim_friction *f = part_with_axes(p, row, &first, &n, A);
  for (int d = first; d < first + n; d++) {
    dual x = dual_mul(A[d], p->u0[f->row[d]]);
    length = dual_add(length, dual_mul(x, x));
  }
  int varies = p->s->n.con && n > 1 && e->slide && length.a[0] > 0;
  if (varies) length = dual_sqrt(length);
  for (int d = first; d < first + n && varies; d++)
    varies = fabs(A[d].a[0] * p->u0[f->row[d]].a[0] / length.a[0] - e->slide[f->row[d]]) <= 1e-6;
  for (int d = first; d < first + n; d++) {
    int r = f->row[d];
    dual way = varies ? dual_div(dual_mul(A[d], p->u0[r]), length) : dual_of(e->slide ? e->slide[r] : 0);
    sum = dual_add(sum, dual_mul(A[d], dual_mul(p->y[r], way)));
  }
  return sum;
}

// A slip ends. Of `consistent` it is that of the velocities at the end; where friction has stopped these, it has just
// been able to.
static dual of_slip(player *p, const tape_entry *e, dual h) {
  if (e->polynomials) return along(p, e, e->row);
  if (!p->s->n.con) return play_stops(p, e) ? margin(p, e->row, h) : along(p, e, e->row);
  return e->end_law && e->end_law[e->row] == TAPE_RATE ? margin(p, e->row, h) : along(p, e, e->row);
}

// ---- sets -----------------------------------------------------------------------------------------------------------
static dual of_relation(const player *p, const tape_entry *e, int row, int set, int side, int *extrapolate) {
  const sim_rows *r = &p->s->n.r;
  const sim_class *k = &p->s->a->cls[r->cls[row]];
  double gamma = e->gamma ? e->gamma[r->cls[row]] : 1;
  dual l = p->l1[r->l[row]];
  *extrapolate = e->kind == TAPE_PIECE && (set == SIM_INSIDE ? !(k->theta == 1 && gamma == 1) : gamma < 1);
  if (set == SIM_INSIDE) return side ? dual_sub(p->hi[row], l) : dual_sub(l, p->lo[row]);
  return set == SIM_HIGH ? dual_scale(p->y[row], -1) : p->y[row];
}

static dual of_contact(player *p, const tape_entry *e, int row, dual h) {
  const sim_rows *r = &p->s->n.r;
  const sim_class *k = &p->s->a->cls[r->cls[row]];
  if (e->set == SIM_CLOSED && e->polynomials) return play_instant_force(p, row);
  if (e->set == SIM_CLOSED) return at_end(p, e, row, dual_div(p->l1[r->l[row]], h), h);
  PLAY(p, k, gap, &p->now.end, p->gap + k->row0, p->u0 + k->row0);
  return e->ground == 0 ? p->gap[row] : dual_sub(p->gap[row], p->at->ground[row]);
}

static dual of_set(player *p, const tape_entry *e, dual h) {
  int row = e->row, extrapolate = 0, kind = p->s->a->cls[p->s->n.r.cls[row]].c->kind;
  if (kind == NSM_CONTACT) return of_contact(p, e, row, h);
  if (kind == NSM_FRICTION && e->set == SIM_SLIPS_ON) return of_slip(p, e, h);
  if (kind == NSM_FRICTION && e->polynomials) return margin(p, row, dual_of(1));
  if (kind == NSM_FRICTION) return at_end(p, e, row, margin(p, row, h), h);
  dual x = of_relation(p, e, row, e->set, e->side, &extrapolate);
  return extrapolate ? at_end(p, e, row, x, h) : x;
}

// ---- the end --------------------------------------------------------------------------------------------------------
static dual clock_time(const player *p, long k) {
  if (k >= p->s->a->total) return p->at->until;
  return dual_add(p->at->start, dual_scale(p->at->step, (double)k));
}

dual play_end(player *p, const tape_entry *e, dual h) {
  const sim_class *k = e->cls >= 0 ? &p->s->a->cls[e->cls] : NULL;
  dual t1 = dual_add(p->at->t, h), at;
  switch (e->end) {
  case TAPE_SET: return e->let_go ? h : of_set(p, e, h);
  case TAPE_WHEN: case TAPE_BY_TIME:
    PLAY(p, k, out, &p->now.end, p->m);
    return p->m[e->instance];
  case TAPE_EVERY:
    at = dual_add(dual_add(p->at->start, column(p, k, e->instance, 1)),
                  dual_scale(column(p, k, e->instance, 0), (double)e->number));
    return dual_sub(t1, at);
  case TAPE_SHORT: return dual_sub(h, dual_of(h.a[0]));
  case TAPE_CLOCK: return dual_sub(t1, clock_time(p, e->number));
  default: return dual_sub(t1, dual_of(t1.a[0]));
  }
}

// Where closed contacts are: a gap that has drifted is where it opens, and closes again.
static void grounds(player *p, const tape_entry *e) {
  nsm_sim *s = p->s;
  memcpy(p->ground, p->at->ground, (size_t)s->n.r.n * sizeof(dual));
  SIM_EACH(s, contact, k) {
    int closed = 0;
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) closed |= e->law[row] == TAPE_RATE;
    if (!closed) continue;
    PLAY(p, k, gap, &p->now.end, p->gap + k->row0, p->u0 + k->row0);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++)
      if (e->law[row] == TAPE_RATE) p->ground[row] = p->gap[row];
  }
}

void play_means(player *p, const tape_entry *e, dual h) {
  nsm_sim *s = p->s;
  if (e->kind == TAPE_PIECE) grounds(p, e);
  else memcpy(p->ground, p->at->ground, (size_t)s->n.r.n * sizeof(dual));
  const sim_rows *r = &s->n.r;
  if (e->polynomials) memcpy(p->mean, p->at->mean, (size_t)r->n * sizeof(dual));     // no force is extrapolated
  for (int row = 0; row < r->n && !e->polynomials; row++) {
    int kind = s->a->cls[r->cls[row]].c->kind, unused;
    if (kind == NSM_CONTACT) p->mean[row] = dual_div(p->l1[r->l[row]], h);
    else if (kind == NSM_FRICTION)
      p->mean[row] = e->law[row] == TAPE_RATE && r->friction_of[row] >= 0 ? margin(p, row, h) : dual_of(0);
    else if (kind == NSM_RELATION) {
      int set = e->law[row] == TAPE_LOW ? SIM_LOW : e->law[row] == TAPE_HIGH ? SIM_HIGH : SIM_INSIDE;
      dual l = p->l1[r->l[row]];
      int side = set == SIM_INSIDE && dual_above(dual_sub(l, p->lo[row]), dual_sub(p->hi[row], l));
      p->mean[row] = of_relation(p, e, row, set, side, &unused);
    }
  }
}
