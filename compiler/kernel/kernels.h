// The kernels of a plan: one for each class and kind that its scheme needs.
#pragma once
#include "kernel.h"
#include "../plan/plan.h"

// The model points to it at byte `offset` of nsm_class number `cls`, or of nsm_model where cls is -1.
// Classes that compute the same share the function: `first` is the entry that it was made for, with its name.
// seldom: long, and called in rare steps; not worth more than a quick compiler.
// An entry of a matrix that a kernel has: the slots of its row and its column; whether these are states of first order.
typedef struct KernelEntry { int row, col; bool row_state, col_state; } KernelEntry;
typedef struct PlanKernel {
  int cls;
  KernelKind kind;
  size_t offset;
  const KKernel *kernel;
  int first;
  bool seldom;
  bool together;                       // for several runs at a time, too, where the backend can
  int nentry; const KernelEntry *entry;  // of a mass matrix that moves; else 0
} PlanKernel;
typedef struct PlanKernels { int n; PlanKernel *at; } PlanKernels;   // in order of class, then of KernelKind

PlanKernels kernels_of_plan(Arena *a, const Plan *p, bool comments);
// Its name in the emitted code: "mass_0".
const char *kernel_name(Arena *a, KernelKind kind, int cls);
