// Room of a tape and its entries; what all that writes into it asks of a row and of a piece (tape.h).
#include "tape.h"
#include "runtime/schemes/consistent.h"
#include <stdlib.h>

enum { BLOCK = 1 << 16, ROUNDS = 4 };

void *tape_take(tape *t, size_t bytes) {
  bytes = (bytes + 15) & ~(size_t)15;
  if (!t->memory || t->memory->used + bytes > t->memory->room) {
    size_t room = bytes > BLOCK ? bytes : BLOCK;
    tape_block *b = malloc(sizeof *b + room);
    if (!b) { t->failed = 1; return NULL; }
    *b = (tape_block){ t->memory, 0, room };
    t->memory = b;
    t->bytes += (double)room;
  }
  void *at = (char *)(t->memory + 1) + t->memory->used;
  t->memory->used += bytes;
  return at;
}

tape_entry *tape_add(tape *t, tape_kind kind) {
  if (t->n == t->room) {
    long room = t->room ? 2 * t->room : 256;
    tape_entry *more = realloc(t->at, (size_t)room * sizeof *more);
    if (!more) { t->failed = 1; return NULL; }
    t->at = more;
    t->room = room;
  }
  t->at[t->n] = (tape_entry){ .kind = kind, .t = t->s->now.t, .row = -1, .cls = -1 };
  return &t->at[t->n++];
}

// The gap at which an open row closes. An impact leaves one of round-off, which no derivative follows: that is 0.
double tape_ground(const nsm_sim *s, int row) {
  double ground = s->now.ground[row];
  return s->n.radau || fabs(ground) <= ROUNDS * s->located->tolerance[row] ? 0 : ground;
}

// How many numbers a piece has for its solution (two_points.c has those of `consistent`).
size_t tape_solved(const nsm_sim *s) {
  size_t n = (size_t)s->a->nz, rows = (size_t)s->n.r.n;
  return s->n.con ? (con_settles(s) ? 4 : 3) * (n + rows) + 1 : n + rows + 1;
}
