// Both ends of a piece in the symbols of a class: what the functions of two points (two_point.c) are written with.
//
//   ends.c      values at the begin, at the end and in the middle
//   discrete.c  the discrete derivative D from the begin to the end, and derivatives by the unknowns at the end
//
// The increments dq = q - q0 and dv = v - v0 are symbols of their own: the runtime knows them better than the
// difference of the rounded values (docs/numerics/consistent.md, section 6).
//
// A body (docs/numerics/bodies.md, section 3) has its attitude p among the slots, and dq of its turn is the increment
// xi_w with p = p0 cay(xi_w). All derivatives are then along the turn: those of the rotation matrix (rotations.h), and
// where p stands by itself D := 1/2 k (D/Dp) G(pm).
#pragma once
#include "../system/slots.h"
#include "rotations.h"
#include "scheme.h"


// A body's turn in the step: its attitude at both ends and between them, with the slots; c = 1/sqrt(1 + |xi|^2/4), the
// cosine of half the angle, and the factor k = 2c/(1 + c) of the discrete derivatives.
// by_turn: d p/d xi_i of the attitude at the end, p = p0 cay(xi), by number of i.
// R: what the discrete derivatives take; slope: of R at the end, by number of i; EX_NONE: not made.
typedef struct Turn {
  int p[4], slot[4]; Ex px[4], p0x[4], mean[4], c, k, by_turn[3][4];
  Rotation R; RotationSlope slope[3];
} Turn;

typedef struct BothEnds {
  Arena *arena; Pool *p; const System *s; const SysClass *c;
  int n;                       // all slots of the class: coordinates, and what forces read besides: multipliers, states
  int *q, *v, *q0, *v0, *qd, *vd; // [n] symbols
  Ex *q0x, *v0x, *qm, *vm, *dq, *dv; // [n]
  Ex h, tm;
  Turn **turn;                 // [n] of turns whose attitude the class reads; NULL of others
  Turn **body;                 // [nbody] the same, once for each attitude
  Rotation *rotation;          // [nbody]
  int nbody;
  Point point[PIECE_POINTS];   // of the scheme: the ends, and the middle
} BothEnds;

// ---- ends.c ---------------------------------------------------------------------------------------------------------
BothEnds ends_of_piece(Arena *a, const System *s, const SysClass *c, const Equations *q);
Ex   ends_at_middle(const BothEnds *j, Ex e, const Ex *by);               // q -> qm, t -> tm, v -> by
void ends_at_middle_all(const BothEnds *j, Ex *e, int n, const Ex *by);
void ends_at_all(const BothEnds *j, Ex *e, int n, int point);        // of the scheme
Ex   ends_at(const BothEnds *j, Ex e, int point);
Ex   ends_at_time(const BothEnds *j, Ex e, int point);                     // e with the time of the point alone
Ex   ends_at_velocities(const BothEnds *j, Ex e, int point);               // with its velocities alone
void add_to(const BothEnds *j, Ex *to, Ex e);
void entry_push(const BothEnds *j, Entries *to, int row, int col, Wrt wrt, Ex value);   // none where it is 0

// ---- discrete.c -----------------------------------------------------------------------------------------------------
// Df/Dq from q0 to q; false where f is free of coordinates. on: angles of atan2 go on over +-pi.
bool discrete_over(const BothEnds *j, Ex f, bool on, Ex *out);
bool discrete_of(const BothEnds *j, Ex f, Ex *out);
// The rate of f(q) by both its arguments together, docs/numerics/bodies.md (13): by_q and by_v with
//   by_q . (q - q0) + by_v . (v - v0) = rate(v, q) - rate(v0, q0)
void discrete_rate(const BothEnds *j, Ex f, Ex *by_q, Ex *by_v);
// Numbers of R become those of p again.
void back_from_rotations(const BothEnds *j, Ex *e, int n);
void entries_back(const BothEnds *j, Entries *e);
Ex   along_slot(const BothEnds *j, Ex e, int k);                      // d e/dq along slot k at one time
// By the unknowns at the end, their increments moving along: of e by q_k; of rows r [m] by the q_k, then the v_k: [m, 2
// n], multipliers and states left out. large: of intermediate quantities, and no body turns.
Ex   by_position(const BothEnds *j, Ex e, int k);
const Ex *slopes_of(const BothEnds *j, const Ex *r, int m, bool large);
// The same of e [m] in the middle, where bodies turn; e is in the symbols of the end still. Velocities are w, each is
// `per` times its increment of position.
const Ex *slopes_in_middle(const BothEnds *j, const Ex *e, int m, const Ex *w, Ex per);
