// Whole steps: for a small model whose sizes are known when compiling, one kernel that takes many steps, with the
// integrator in it (docs/numerics/whole-steps.md).
//
//   int whole(double *s, const double *c, double k, int n)
//
// takes up to n steps from step k on and gives how many it did. s is the state, in and out; c are the constants of the
// run, c[0 .. WHOLE_SCALARS) those below, then `constant`, then what the kind has. Before a step that the kernel does
// not take (a contact closes, Newton's method does not converge at once, a value is not finite) it returns, with s as
// it was at the begin of that step: the runtime then takes it on the generic step.
#pragma once
#include "../kernel/kernels.h"
#include "../plan/plan.h"

typedef enum { WHOLE_LINEAR = 1, WHOLE_PIECE = 2, WHOLE_TWO_POINT = 3 } WholeKind;   // numbers as in nsm_abi.h
enum { WHOLE_START, WHOLE_STEP, WHOLE_THETA, WHOLE_GAMMA, WHOLE_TOLERANCE, WHOLE_SCALARS = 8, WHOLE_STRUCK = 2 };

// The constant in column `column` of instance `instance` of class `cls`.
typedef struct WholeConstant { int cls, instance, column; } WholeConstant;   // cls -1: discrete variable `instance`

typedef struct Whole {
  WholeKind kind;
  int ncls, *count;             // [ncls] instances
  int nix, *ix;                 // slots of all instances, class by class: what the runtime must find
  int nrow, *row_l;             // [nrow] multiplier of each row, in order of the classes
  int nconstant; WholeConstant *constant;
  int npattern, *row, *col;     // WHOLE_LINEAR: entries (row, col) of dz/d(q, z, what time gives, 1)
  int ntimed, *timed;           // WHOLE_LINEAR: rows of f that time changes
  int nm, *m_row, *m_col, nx, *x_row, *x_col;     // WHOLE_LINEAR with rows `here`: of M, X
  bool here, stays;             // rows act in it; contacts that stay closed do
  int nstruck, struck[WHOLE_STRUCK];     // but WHOLE_LINEAR: rows of contacts that it lets be struck
  bool located;                 // steps that may have an event within are left to the runtime (step_open_for_sure)
  bool records;                 // the state behind each step goes into `rows`
  bool drifts;                  // some contact's rate or slip is not 0 at rest
  unsigned with_rest;           // WHOLE_LINEAR with rows `here`: bit i: y of row i is not 0 at rest, or not always
  const KKernel *kernel;
} Whole;

// The kernels with that of a whole step, which the model points to.
PlanKernels with_whole(Arena *a, PlanKernels k, const Whole *w, bool together);

// NULL where the model has none: too large, sizes not known, or a scheme or statement that is not taken. located: for
// runs that locate their events; records: that look at each step.
const Whole *whole_of_plan(Arena *a, const Plan *p, bool located, bool records);
