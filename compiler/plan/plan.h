// The step plan: which kernels a scheme needs of every class, how often each runs, and what is computed once per
// instance.
#pragma once
#include "../schemes/scheme.h"

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
  int like;                     // -1, or an earlier class whose kernels these are, written in the symbols of that one
  Kernel kernel[KERNEL_COUNT];  // stage STAGE_NONE: not needed
  Entries mcurve, cjac, rq, dr, curve, gq, bend;  // patterns of kernels that a scheme derives, values before hoisting
  bool f_mean;                  // f is taken where M is, and not where it is of other classes
  bool c_affine;                // R1 affine in the end values with constant Jacobian
  int nnum; Ex *num;            // [nnum] hoisted: parameter-stage expressions, computed once per instance
  int nguard; ColumnGuard *guard;  // elements of arrays in them that are out of range for some instances
  int e_num;                    // column of num with the restitution; -1
  int ratio_num, exponent_num;  // contacts with lzb: columns; -1
  int mu_num, mu2_num, radius_num; // friction: columns of its coefficients; -1
  int compliance_num;           // compliant contacts as potentials: column of the compliance; -1
  int index_num;                // first of the nloop last columns, which hold the loop indices of rows and outputs
} PlanClass;

typedef struct Plan {
  const System *sys;
  const SchemeDescriptor *scheme;
  const Equations *equations;   // that it is made from, where the runtime takes functions at points; NULL: others
  Point point[PIECE_POINTS];    // of these; in which M, and g and outputs are taken; h force: the weight of f there
  int inertia_at, along_at, law_at, place_at;   // place_at: of gaps that are rows, 0: rates are
  double lead;                  // a contact acts where gap + h lead rate <= 0
  Ex force[PIECE_POINTS];
  double theta, gamma;          // their defaults for this system
  int degree;                   // of the polynomials of a piece, half the order: energy-consistent schemes; else 0
  bool projection;              // places are projected after each step
  bool constant_iteration_matrix, constant_problem_matrix, one_iteration;
  PlanClass *cls; int ncls;
} Plan;

// scheme: overrides the model's (from the command line); NULL: the model's own, or the default. NULL on errors.
const Plan *make_plan(Arena *a, const System *s, const char *scheme, DiagBag *bag);
void plan_print(const Plan *p, Text *out);
// The scheme of an experiment that names none, where the model alone decides; else NULL.
const SchemeDescriptor *default_without_velocities(const Model *m);
// Of an experiment that names no scheme: why its events are not located; 0: they are, if the system can have it so.
MUnlocated unlocated_by_default(const Model *m);
bool       can_be_located(Arena *a, const System *s);

int  hoisted_symbol(const System *s, int column);                 // the DAG symbol that stands for num[column]
