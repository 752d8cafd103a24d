// A stable merge sort for the parts of sums and products; the order needs the pool, which qsort cannot pass on.
#include <string.h>
#include "pool_impl.h"

void parts_sort(const Pool *p, PartVec *v, PartOrder order) {
  bool sorted = true;                              // the common case: merging parts that were sorted before
  for (size_t i = 1; sorted && i < v->n; i++) sorted = order(p, v->at[i - 1], v->at[i]) <= 0;
  if (sorted) return;

  PartVec other = {0};
  for (size_t i = 0; i < v->n; i++) vec_push(&other, v->at[i]);
  Part *from = v->at, *to = other.at;
  for (size_t run = 1; run < v->n; run *= 2) {     // bottom up: runs of length 1, 2, 4, ...
    for (size_t lo = 0; lo < v->n; lo += 2*run) {
      size_t mid = lo + run < v->n ? lo + run : v->n, hi = lo + 2*run < v->n ? lo + 2*run : v->n;
      for (size_t i = lo, j = mid, k = lo; k < hi; k++)
        to[k] = j >= hi || (i < mid && order(p, from[i], from[j]) <= 0) ? from[i++] : from[j++];
    }
    Part *swap = from; from = to; to = swap;
  }
  if (from != v->at) memcpy(v->at, from, sizeof *from*v->n);
  vec_free(&other);
}
