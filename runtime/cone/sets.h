// The set of a cone block, as its row in laws.def has it: of how many parts, and with which half axes. Projection,
// support function, solvers and the friction of a simulation ask here; the verifier (residual_rows.h) does not.
#pragma once
#include "runtime/cone/problem.h"

// A half axis of the set of the normal force 1: 1, mu, mu2, or mu times the radius of the area (SPIN).
typedef enum { NSM_AXIS_ONE, NSM_AXIS_MU, NSM_AXIS_MU2, NSM_AXIS_SPIN } nsm_cone_axis;

typedef struct nsm_cone_set {
  int           parts;       // 1, or 2: two disks, each of half of the directions
  int           exact;       // the exact set of Contensou, in the frame of its half axes
  nsm_cone_axis last;        // the half axis of the last direction or part
} nsm_cone_set;

static inline nsm_cone_set nsm_cone_set_of(nsm_cone_type type) {
  switch (type) {
#define LAW(...)
#define BLOCK(name, number, word, normals, sizes, mu, mu2, radius, parts, exact, axis) \
    case NSM_CONE_##name: return (nsm_cone_set){ parts, exact, NSM_AXIS_##axis };
#include "runtime/shared/laws.def"
    default: return (nsm_cone_set){ 1, 0, NSM_AXIS_MU };
  }
}

// The half axis of direction k of n.
static inline nsm_cone_axis nsm_cone_axis_of(nsm_cone_type type, int n, int k) {
  nsm_cone_set set = nsm_cone_set_of(type);
  int last = set.parts == 2 ? 2 * k >= n : k == n - 1;
  return last || set.last == NSM_AXIS_ONE ? set.last : NSM_AXIS_MU;
}

// Its length; area: the radius of the area of contact.
static inline double nsm_cone_axis_length(nsm_cone_axis axis, double mu, double mu2, double area) {
  return axis == NSM_AXIS_ONE ? 1 : axis == NSM_AXIS_MU2 ? mu2 : axis == NSM_AXIS_SPIN ? mu * area : mu;
}

// The frame in which the set of a block is round: lambda_T = d y, |y| <= the radius that is returned, under a normal
// impulse of 1 or the given one. d [size less normals]
double nsm_cone_round(const nsm_cone_block *b, double *d);
// Its half axes under a normal impulse of 1. d [size less normals]
void nsm_cone_half_axes(const nsm_cone_block *b, double *d);
