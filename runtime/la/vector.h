// Steps along a column, four elements at a time: the elements are independent, so that the digits do not depend on the
// width of the vectors. Only for this folder.
#pragma once
#include <stddef.h>
#include <string.h>

typedef double four __attribute__((vector_size(32)));

// y -= f x, [n]; x and y do not overlap.
static inline void la_subtract(int n, double f, const double *x, double *y) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    four a, b;
    memcpy(&a, x + i, sizeof a);
    memcpy(&b, y + i, sizeof b);
    b -= a * f;
    memcpy(y + i, &b, sizeof b);
  }
  for (; i < n; i++) y[i] -= x[i] * f;
}

// x /= f, by the reciprocal where that is a normal number.
static inline void la_divide(int n, double f, double *x) {
  double r = 1 / f;
  if (r - r == 0 && (r >= 0x1p-1000 || r <= -0x1p-1000)) for (int i = 0; i < n; i++) x[i] *= r;
  else for (int i = 0; i < n; i++) x[i] /= f;
}
