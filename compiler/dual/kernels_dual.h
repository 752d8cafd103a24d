// The kernels of a plan run in dual numbers, node by node: derivatives of what they compute with respect to all that
// they read, columns of constants included.
#pragma once
#include "slopes.h"
#include "../../runtime/answers/dual.h"

typedef struct DualKernels DualKernels;
DualKernels *dual_kernels(const PlanKernels *k, const char *jumps);    // jumps: of dual_with
void dual_kernels_free(DualKernels *d);                    // NULL is allowed
// A dual_kernel: `with` is a DualKernels. It is run by one thread at a time. 0: there is no such kernel, or it asks for
// contacts of shapes, which have no derivative here.
int dual_kernel_run(void *with, int cls, int offset, const dual_view *v, const dual_table *t, dual *const *out);
dual_any *recorded_kernels(void);                          // the same in recorded numbers

// Those that have slopes (slopes.h), to be compiled before the first run: their `run` is the caller's. How many.
int dual_slopes(const DualKernels *d, Slopes *const **all);
// slopes_run.c: a kernel whose slopes have been compiled.
void slopes_run(const Slopes *s, const dual_view *v, const dual_table *t, dual *const *out);
