// A stable merge sort for the parts of sums and products; the order needs the pool, which qsort cannot pass on.
#include <stdlib.h>
#include <string.h>
#include "pool_impl.h"

void parts_sort(const Pool *p, Part *at, size_t n, PartOrder order) {
  enum { FEW = 32 };
  bool sorted = true;                              // the common case: merging parts that were sorted before
  for (size_t i = 1; sorted && i < n; i++) sorted = order(p, at[i - 1], at[i]) <= 0;
  if (sorted) return;

  Part few[FEW], *other = n <= FEW ? few : memory_for(sizeof *other*n), *from = at, *to = other;
  for (size_t run = 1; run < n; run *= 2) {        // bottom up: runs of length 1, 2, 4, ...
    for (size_t lo = 0; lo < n; lo += 2*run) {
      size_t mid = lo + run < n ? lo + run : n, hi = lo + 2*run < n ? lo + 2*run : n;
      for (size_t i = lo, j = mid, k = lo; k < hi; k++)
        to[k] = j >= hi || (i < mid && order(p, from[i], from[j]) <= 0) ? from[i++] : from[j++];
    }
    Part *swap = from; from = to; to = swap;
  }
  if (from != at) memcpy(at, from, sizeof *from*n);
  if (other != few) free(other);
}
