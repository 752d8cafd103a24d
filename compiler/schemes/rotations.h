// Rotations of bodies in two-point forms (docs/numerics/bodies.md, section 3). An attitude p stands in an expression by
// the rotation matrix R(p), quadratic in p. Its discrete derivative is taken in the nine numbers of R, with their means
// over the step: a function of vectors of the bodies and of their places then has a discrete derivative that turns
// with them, and so angular momentum is kept. R' = R spin^ is nine numbers of its own in the same way.
//
//   expression of p --written--> of R, r, ... --ex_discrete--> by R, R' --along the turn--> --back--> of p again
#pragma once
#include "../system/along.h"

// Symbols of one body: R and R' at the begin and at the end, row by row. xi, spin, spin0, gain: increments, velocities
// and their increments of its three turns.
typedef struct Rotation {
  int p[4], p0[4], R[9], R0[9], rate[9], rate0[9];
  Ex xi[3], spin[3], spin0[3], gain[3];
} Rotation;

Rotation rotation_of(const System *s, const Slot *turn);

// f with products of two numbers of an attitude replaced by numbers of R, |p| = 1: what is even in p is free of p then.
Ex rotation_written(Arena *a, const System *s, Ex f, const Rotation *body, int n);

// to[i] for from[i]: R, R' by p and spin at both ends. [36] symbols.
void rotation_back(const System *s, const Rotation *body, int *from, Ex *to);

// Along the turn of what has the discrete derivatives by_R[9] and by_rate[9] (NULL: none). In the world that is the sum
// of moments m = R~_j x by_R_j + R'~_j x by_rate_j of columns j, tildes: means of both ends. In axes of the body
//
//   out = R~^-1 m = v - c^2/4 xi (xi.v),   v = e_j x z_j + x_j x z'_j,   c^2 = 1/(1 + |xi|^2/4)
//   z = R~^-1 by_R,  z' = R~^-1 by_rate,  x = R~^-1 R'~,   R~^-1 = (I - 1/2 xi^) R(p0)^T       [bodies.md (7)]
void rotation_along(const System *s, const Rotation *body, const Ex *by_R, const Ex *by_rate, Ex *out);

// With respect to the spin: the sum of e_j x z'_j                                             [bodies.md (13)]
void rotation_by_spin(const System *s, const Rotation *body, const Ex *by_rate, Ex *out);

// d R/d xi_k at the end, R eta^, eta = c^2 (I - 1/2 xi^) e_k, c^2 = 1/(1 + |xi|^2/4), then those of R' = R spin^ and d
// R'/d spin_k: [9] each.
typedef struct RotationSlope { Ex R[9], rate[9], by_spin[9]; } RotationSlope;
RotationSlope rotation_slope(const System *s, const Rotation *body, int k);

// The same of R(pm), pm half way, p0 and xi/2: d R(pm)/d xi_k = R eta^, in the symbols R of the end, with
//   eta = c/2 e_k - c^2/(4 (1 + c)) (xi x e_k + c/2 xi_k xi),   c = 1/sqrt(1 + |xi|^2/4)
void rotation_middle_slope(const System *s, const Rotation *body, int k, Ex *eta, Ex *by_R);
