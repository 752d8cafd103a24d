// Kernels with their slopes, compiled: the derivative of each value that a kernel stores by each number that it reads,
// written out backwards from the value [Griewank and Walther 2008, 3.2]. Only kernels that run straight through have
// one; the others are interpreted (kernels_dual.c).
#pragma once
#include "../kernel/kernels.h"

// Which number of an array: first + by instance; or the one of `ix` that stands there.
typedef struct SlopePlace { int array; bool by_ix; int first, by; } SlopePlace;
enum { SLOPE_num = KF_COUNT, SLOPE_ARRAYS };               // array: a KField of a view, or columns

typedef struct SlopeValue { SlopePlace to; bool adds; int first; } SlopeValue;  // array: parameter; first of its slopes

// A kernel (const nsm_view *, const nsm_table *, int stride, double *value, double *slope): arrays of the view and
// columns have `stride` numbers for one; value [instances, nvalue], slope [instances, nslope].
typedef void slope_fn(const void *view, const void *table, int stride, double *value, double *slope);
typedef struct Slopes {
  const KKernel *kernel;
  int nvalue, nslope;
  SlopeValue *value;                    // [nvalue + 1]
  int *by;                              // [nslope] which of what it reads
  bool *moves;                          // [nslope] this slope hangs on more than columns
  int nread;
  SlopePlace *read;                     // [nread], all different
  bool fields[KF_COUNT];                // of the view, which it reads
  slope_fn *run;                        // NULL: it has not been compiled
} Slopes;

// NULL: it has none. name: of the function that is made. entry [n]: the values are those of a matrix M, and the kernel
// that is made adds M d to its first result, of states the second, d being dv and dx of the view; NULL: they are put
// where k puts them.
Slopes *slopes_made(Arena *a, const KKernel *k, const KernelEntry *entry, int n, const char *name);
