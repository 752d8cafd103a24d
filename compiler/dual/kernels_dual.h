// The kernels of a plan run in dual numbers, node by node: derivatives of what they compute with respect to all that
// they read, columns of constants included.
#pragma once
#include "../kernel/kernels.h"
#include "../../runtime/answers/dual.h"

typedef struct DualKernels DualKernels;
DualKernels *dual_kernels(const PlanKernels *k);
void dual_kernels_free(DualKernels *d);                    // NULL is allowed
// A dual_kernel: `with` is a DualKernels. It is run by one thread at a time. 0: there is no such kernel, or it asks for
// contacts of shapes, which have no derivative here.
int dual_kernel_run(void *with, int cls, int offset, const dual_view *v, const dual_table *t, dual *const *out);
dual_any *recorded_kernels(void);                          // the same in recorded numbers
