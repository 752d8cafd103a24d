// Equations that no step takes: impulses of contacts along H of the begin, and rates of the end.
#include "compiler/schemes/equations.h"

static void points(const Piece *p, Point *to) {
  Ex one = number(p, 1);
  to[END] = (Point){ BEGIN, one, number(p, 0), one, one };
}
static Ex momentum(const Piece *p) {
  return minus(p, at(p, INERTIA, END), times(p, length(p), plus(p, at(p, FORCE, END), at(p, REACTION, END))));
}
static Ex impulse(const Piece *p) { return at(p, IMPULSE, BEGIN); }
static Ex relation(const Piece *p) { return at(p, OUTPUT, END); }
static Ex rate(const Piece *p) { return at(p, RATE, END); }
static Ex before(const Piece *p) { return at(p, RATE, BEGIN); }
static Ex closed(const Piece *p) { return at(p, GAP, BEGIN); }

const Equations no_step = { .points = points, .momentum = momentum, .impulse = impulse, .relation = relation,
                            .rate = rate, .before = before, .closed = closed };
