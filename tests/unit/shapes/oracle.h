// A second opinion on distances, in long double, which shares no code with runtime/shapes: the shapes of random pairs
// and the value of the support function, an enumeration for polyhedra, a search over all directions for the rest.
#ifndef TESTS_SHAPES_ORACLE_H
#define TESTS_SHAPES_ORACLE_H
#include "runtime/shapes/shape.h"

typedef long double real;

// f(n) = min over B of n.x - max over A of n.x with all roundings: for unit n a lower bound of the signed distance.
real oracle_value(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb, const real n[3]);

// The signed distance and its direction. `sharp` is set to how far the direction can be trusted (0: not at all).
real oracle_distance(const nsm_shape *A, const nsm_pose *pa, const nsm_shape *B, const nsm_pose *pb, real n[3],
                     real *sharp);

// Random numbers, the same on every machine.
typedef struct { unsigned long long s; } chance;
double uniform(chance *c, double from, double to);
void random_direction(chance *c, double n[3]);
void random_rotation(chance *c, double R[9]);
// R turned by cay(w) in body axes: R_E of R_E - R_B = (R_B + R_E)/2 [w]x.
void turn_cayley(const double R[9], const double w[3], double out[9]);

// A random shape of a kind, size about `size`; hulls are kept in a store of the oracle's own until `forget_hulls`.
nsm_shape random_shape(chance *c, nsm_shape_kind kind, double size);
const nsm_hull *hull_of_points(int n, const double *points); // no four in a plane
void forget_hulls(void);

// A random pair: A about the origin, B moved along a random direction until the gap is about `gap`.
void random_pair(chance *c, const nsm_shape *A, const nsm_shape *B, double gap, nsm_pose *pa, nsm_pose *pb);

#endif
