// Explicit Euler, but for multipliers and rows.
//
//   q_E = q_B + h u_B                                                                                             (1)
//   M(q_B) (z_E - z_B) = h f_B + h g_E(lambda) + H^T p,   H of constraints at the begin, of others at the end     (2)
#include "compiler/schemes/equations.h"

static void points(const Piece *p, Point *to) {                                                                // (1)
  Ex one = number(p, 1);
  to[END] = (Point){ BEGIN, one, one, number(p, 0), one };
}

static Ex momentum(const Piece *p) {                                                                           // (2)
  Ex f = plus(p, at(p, FORCE, BEGIN), at(p, REACTION, END));
  return minus(p, at(p, INERTIA, BEGIN), times(p, length(p), f));
}
static Ex impulse(const Piece *p) { return at(p, IMPULSE, p->cls->kind == CLASS_CONSTRAINT ? BEGIN : END); }   // (2)
static Ex relation(const Piece *p) { return at(p, OUTPUT, END); }
static Ex rate(const Piece *p) { return at(p, RATE, END); }
static Ex before(const Piece *p) { return at(p, RATE, BEGIN); }
static Ex closed(const Piece *p) { return at(p, GAP, BEGIN); }

const Equations explicit_euler = { .points = points, .momentum = momentum, .impulse = impulse, .relation = relation,
                                   .rate = rate, .before = before, .closed = closed };
