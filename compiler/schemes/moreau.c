// The theta-gamma scheme: Moreau and Jean for what moves, Euler and Moreau for first-order states, in one [Siconos
// notes, chapter 8], the only text of its equations; docs/numerics/moreau.md says how they are solved, and how good it
// is.
//
//   q_E = q_B + h (theta u_E + (1 - theta) u_B),   t_E = t_B + h                                                  (1)
//   ~: theta of the way from B to E, in time, positions, velocities and states                                    (2)
//   g: gamma of it                                                                                               (2a)
//   M(q~, x~) (z_E - z_B) = h theta f_E + h (1 - theta) f_B + h g_g(lambda) + sum of H^T p                        (3)
//   relations     -y_g(lambda) in N_[lo, hi](lambda)                                                              (4)
//   constraints   rate_E = 0,   p along H at ~                                                                    (5)
//   contacts      0 <= rate_E + e rate_B _|_ p >= 0   where gap_B + (h/2) rate_B <= 0,   p along H at E           (6)
//   friction      the same with e_t and the slip velocity against p_T in D(p_N)                                  (6a)
//
// M at ~ makes theta = 1/2 second order where M moves. The inertial forces of what turns are quadratic in velocities:
// both halves of f are taken at ~ there. theta is 1 for what has no inertia, and theta and gamma are 1 where laws ask
// for it (runtime/assembly/weights.c): they are numbers of each group of statements.
#include "equations.h"

enum { BETWEEN = END + 1, LAW };

static void points(const Piece *p, Point *to) {
  Ex one = number(p, 1), theta = theta_of(p);
  to[END] = (Point){ BEGIN, one, minus(p, one, theta), theta, one };                                           // (1)
  to[BETWEEN] = part_of(p, &to[END], theta);                                                                   // (2)
  to[LAW] = part_of(p, &to[END], gamma_of(p));                                                                // (2a)
}

static void weights(const System *s, double *theta, double *gamma) {
  bool located = s->model->sim.located > 0;
  *theta = s->second_order || located ? 0.5 : 1;
  *gamma = located ? 0.5 : 1;
}

static Ex momentum(const Piece *p) {                                                                           // (3)
  Ex one = number(p, 1), theta = theta_of(p),
     ends = plus(p, times(p, theta, at(p, FORCE, END)), times(p, minus(p, one, theta), at(p, FORCE, BEGIN))),
     smooth = turns(p) ? at(p, FORCE, BETWEEN) : ends;
  return minus(p, at(p, INERTIA, BETWEEN), times(p, length(p), plus(p, smooth, at(p, REACTION, LAW))));
}
static Ex impulse(const Piece *p) { return at(p, IMPULSE, p->cls->kind == CLASS_CONSTRAINT ? BETWEEN : END); } // (5)
static Ex relation(const Piece *p) { return at(p, OUTPUT, LAW); }                                              // (4)
static Ex rate(const Piece *p) { return at(p, RATE, END); }                                               // (5), (6)
static Ex before(const Piece *p) { return at(p, RATE, BEGIN); }                                                // (6)
static Ex closed(const Piece *p) {                                                                             // (6)
  Ex half = times(p, number(p, 0.5), length(p));
  return plus(p, at(p, GAP, BEGIN), times(p, half, at(p, RATE, BEGIN)));
}

const Equations moreau = { .points = points, .weights = weights, .momentum = momentum, .impulse = impulse,
                           .relation = relation, .rate = rate, .before = before, .closed = closed };
// Impacts, and steps that show the sets, of the scheme that goes from event to event: implicit Euler, so no weights.
const Equations event_driven = { .points = points, .momentum = momentum, .impulse = impulse, .relation = relation,
                                 .rate = rate, .before = before, .closed = closed };
