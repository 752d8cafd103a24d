// The step plan: which kernels a scheme needs of every class, how often each runs, and what is computed once per
// instance.
#pragma once
#include "../system/system.h"

typedef enum {
#define KERNEL(name, field, what) KERNEL_##name,
#include "kernels.def"
#undef KERNEL
  KERNEL_COUNT
} KernelKind;

// value[i] goes to place i: of f and g the row i, of Jacobians the entry i, of rows what kernels.def says.
typedef struct Kernel { Stage stage; int n; Ex *value; } Kernel;

// Element of an array parameter (its symbol) that the columns need where a condition holds; elsewhere it may not exist.
typedef struct ColumnGuard { int symbol; Ex where; } ColumnGuard;

typedef struct PlanClass {
  const SysClass *c;
  Kernel kernel[KERNEL_COUNT];  // stage STAGE_NONE: not needed
  Entries mcurve, cjac, rq, dr, curve, gq, bend;  // patterns of kernels that a scheme derives, values before hoisting
  bool f_mean;                  // moreau takes f at the mean of the step: inertia of what turns
  bool c_affine;                // R1 affine in the end values with constant Jacobian
  int nnum; Ex *num;            // [nnum] hoisted: parameter-stage expressions, computed once per instance
  int nguard; ColumnGuard *guard;  // elements of arrays in them that are out of range for some instances
  int e_num;                    // column of num with the restitution; -1
  int mu_num, mu2_num, radius_num; // friction: columns of its coefficients; -1
  int compliance_num;           // compliant contacts as potentials: column of the compliance; -1
  int index_num;                // first of the nloop last columns, which hold the loop indices of rows and outputs
} PlanClass;

// One scheme: a line of schemes.def.
typedef struct Plan Plan;
typedef struct SchemeDescriptor SchemeDescriptor;
struct SchemeDescriptor {
  const char *name, *number;    // number: NSM_SCHEME_* of nsm_abi.h, by its name
  const char *order, *needs, *source;
  bool weights;                 // has the parameters theta and gamma
  bool located;                 // can locate events within its steps
  bool explicit_step;           // nothing is iterated: the iteration matrix is M
  bool two_point;               // energy-consistent: steps kernels of two points
  bool one_step;                // energy-consistent, without an impact: elastic contacts without friction
  bool collocates;              // Radau IIA: takes the kernels of weights, with stages of its own
  bool mass_at_begin;           // energy-consistent, with M and H of constraints at the begin of the step
  const char *closed;           // which contacts a step takes as closed, in words
  // What the scheme cannot step is refused, statement by statement (E0705); NULL: it takes every system.
  void (*check)(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag);
  const Plan *(*plan)(Arena *a, const System *s, const SchemeDescriptor *d);
};

struct Plan {
  const System *sys;
  const SchemeDescriptor *scheme;
  double theta, gamma;          // their defaults for this system
  bool constant_iteration_matrix, constant_problem_matrix, one_iteration;
  PlanClass *cls; int ncls;
};

// scheme: overrides the model's (from the command line); NULL: the model's own, or the default. NULL on errors.
const Plan *make_plan(Arena *a, const System *s, const char *scheme, DiagBag *bag);
const SchemeDescriptor *scheme_named(const char *name, const char **near); // NULL; *near: a similar name, NULL if none
const SchemeDescriptor *scheme_with_weights(void);                // the one that theta and gamma belong to
void plan_print(const Plan *p, Text *out);

int  hoisted_symbol(const System *s, int column);                 // the DAG symbol that stands for num[column]
