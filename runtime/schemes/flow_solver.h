// The solver of smooth motions between events: CVODES of SUNDIALS, which is optional. What calls it is a plug-in,
// libnsm_sundials.so (sundials/plugin.c), opened for `event_driven` alone; flow_solver.c finds it.
#pragma once
#include "include/nsm.h"

// y' = rhs(t, y) [n]; quadratures [nquad] along it, each to rtol of itself and of its size; functions [nroot] that end
// it where one falls through 0. Each gives 0, or 1: not there (a shorter step is tried), -1: never.
typedef struct nsm_flow_problem {
  int    n, nquad, nroot;
  double rtol, longest;                                    // of its steps, 0: any
  int (*rhs)(void *with, double t, const double *y, double *dy);
  int (*quad)(void *with, double t, const double *y, double *dq);
  int (*root)(void *with, double t, const double *y, double *g);
  // at the begin of each of its steps: absolute tolerances [n]
  void (*grow)(void *with, double t, const double *y, double *atol);
  const double *quad_size;                                 // [nquad] as they are at a begin, above 0
  void  *with;
} nsm_flow_problem;

enum { NSM_FLOW_THERE = 0, NSM_FLOW_ROOT = 1, NSM_FLOW_FAILED = -1, NSM_FLOW_TOO_MUCH = -2, NSM_FLOW_NEAR = -3 };
enum { NSM_FLOW_VERSION = 5 };
typedef struct nsm_flow_solver {
  int    version;
  // stiff: backward differences with Newton's method, else Adams' formulas with fixed-point iteration. NULL: no memory.
  void *(*open)(const nsm_flow_problem *p, int stiff);
  void  (*close)(void *solver);
  // A begin from (t, y); quadratures begin at 0. first: length of the first step, 0: by itself. 0: done
  int   (*begin)(void *solver, double t, const double *y, double first);
  // On to `to`, or to the first root; the state there, its time, the quadratures. Nothing beyond `stop` is asked at.
  // most: steps that it may take. NSM_FLOW_...; NEAR: a root that was told before lies there; nothing is written. hits
  // [nroot] of a root: -1 it falls, 1 it rises, 0 it is none
  int   (*go)(void *solver, double to, double stop, long most, double *t, double *y, double *quad, int *hits);
  void  (*counts)(void *solver, long *steps, long *evaluations);   // since it was opened
  int   (*order)(void *solver);                            // of its last step
  double (*first)(void *solver);                           // length of the first step
} nsm_flow_solver;

const nsm_flow_solver *nsm_flow_plugin(nsm_error *e);      // NULL, and why not
