// The equations of an energy-consistent scheme (consistent.c) as expressions of a class over a step from (q0, v0) to
// (q, v): what its kernels evaluate. The class reads coordinates only.
#pragma once
#include "scheme.h"

typedef struct TwoPoint {
  Ex *r;                  // smooth: [nrow], the class's part of R1 (runtime/nsm_abi.h, c_fn)
  Entries cjac;           // d r / d(q, v)
  bool affine;            // r affine in (q, v), Jacobian constant for a given step
  Ex force, damping;      // work done in the step; EX_NONE where the class does none
  Ex *dg;                 // rows: one for each entry of the class's h
  Ex *hm;                 // constraints on bodies: the mean of H over the step, for each entry of h; NULL else
  Entries rq, dr, curve;
  Entries bend;           // constraints on bodies: 1/2 d (lambda H)^T/dq along the turns of each
  Ex gap;                 // constraints on velocities H(q) v = 0: H(qm) (q - q0), in place of the gap; EX_NONE else
  Entries gq;             // its derivative with respect to q; of a constraint on bodies that of the gap
  Entries h;              // contacts on bodies: derivatives of the gap with respect to the increments, pattern h
} TwoPoint;

TwoPoint two_point_smooth(Arena *a, const System *s, const SysClass *c, const Equations *q);
// c with a derivative by each turn in its rows, 0 too: a discrete one need not be 0 there.
const SysClass *two_point_whole_turns(Arena *a, const System *s, const SysClass *c);
// both_levels: a contact acts along the discrete derivative of its rate too, as a constraint does
TwoPoint two_point_row(Arena *a, const System *s, const SysClass *c, const Equations *q, bool both_levels);
