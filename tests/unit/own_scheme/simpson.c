// A scheme with forces at three points, by Simpson's weights, M at the begin, and impulses along H of the end.
//
//   q_E = q_B + (h/2) (u_B + u_E),   ~: half of the way from B to E                                               (1)
//   M(q_B) (z_E - z_B) = (h/6) (f_B + 4 f~ + f_E) + h g_E(lambda) + H(q_E)^T p                                    (2)
//
// relations, constraints, contacts, friction as those of implicit Euler
#include "compiler/schemes/equations.h"

enum { HALFWAY = END + 1 };

static void points(const Piece *p, Point *to) {                                                                // (1)
  Ex half = number(p, 0.5), one = number(p, 1);
  to[END] = (Point){ BEGIN, one, half, half, one };
  to[HALFWAY] = part_of(p, &to[END], half);
}

static Ex momentum(const Piece *p) {                                                                           // (2)
  Ex sixth = number(p, 1.0 / 6), ends = plus(p, at(p, FORCE, BEGIN), at(p, FORCE, END)),
     f = plus(p, times(p, sixth, ends), times(p, number(p, 2.0 / 3), at(p, FORCE, HALFWAY)));
  return minus(p, at(p, INERTIA, BEGIN), times(p, length(p), plus(p, f, at(p, REACTION, END))));
}
static Ex impulse(const Piece *p) { return at(p, IMPULSE, END); }                                              // (2)
static Ex relation(const Piece *p) { return at(p, OUTPUT, END); }
static Ex rate(const Piece *p) { return at(p, RATE, END); }
static Ex before(const Piece *p) { return at(p, RATE, BEGIN); }
static Ex closed(const Piece *p) { return at(p, GAP, BEGIN); }

const Equations simpson = { .points = points, .momentum = momentum, .impulse = impulse, .relation = relation,
                            .rate = rate, .before = before, .closed = closed };
