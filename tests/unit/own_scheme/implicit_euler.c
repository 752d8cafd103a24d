// Implicit Euler on momentum, as docs/adding.md adds a scheme: all that is its own.
//
//   q_E = q_B + h u_E,   t_E = t_B + h                                                                            (1)
//   M(q_E) (z_E - z_B) = h f_E + h g_E(lambda) + H(q_E)^T p                                                       (2)
//   relations     -y_E(lambda) in N_[lo, hi](lambda)                                                              (3)
//   constraints   rate_E = 0
//   contacts      0 <= rate_E + e rate_B _|_ p >= 0   where gap_B <= 0                                            (4)
//   friction      the same with e_t and the slip velocity against p_T in D(p_N)
#include "compiler/schemes/equations.h"

static void points(const Piece *p, Point *to) {                                                                // (1)
  Ex none = number(p, 0), one = number(p, 1);
  to[END] = (Point){ BEGIN, one, none, one, one };
}

static Ex momentum(const Piece *p) {                                                                           // (2)
  return minus(p, at(p, INERTIA, END), times(p, length(p), plus(p, at(p, FORCE, END), at(p, REACTION, END))));
}
static Ex impulse(const Piece *p) { return at(p, IMPULSE, END); }                                              // (2)
static Ex relation(const Piece *p) { return at(p, OUTPUT, END); }                                              // (3)
static Ex rate(const Piece *p) { return at(p, RATE, END); }                                                    // (4)
static Ex before(const Piece *p) { return at(p, RATE, BEGIN); }                                                // (4)
static Ex closed(const Piece *p) { return at(p, GAP, BEGIN); }                                                 // (4)

const Equations implicit_euler = { .points = points, .momentum = momentum, .impulse = impulse, .relation = relation,
                                   .rate = rate, .before = before, .closed = closed };
