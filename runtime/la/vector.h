// Steps along a column, four elements at a time: the elements are independent, so that the digits do not depend on the
// width of the vectors. For this folder, and sums as small in schemes/consistent_near_matrix.c.
#pragma once
#include <stddef.h>
#include <string.h>

typedef double four __attribute__((vector_size(32)));

#define LA_INLINE static inline __attribute__((always_inline))

// May columns of n numbers stand ld apart?
static inline int la_holds(int ld, int n) { return n >= 0 && ld >= n; }

// Bodies of loops are written once and compiled twice, for any processor and for wider vectors; the digits are the
// same.
#if defined(__x86_64__) && defined(__GNUC__)
#define LA_WIDE __attribute__((target("avx2")))
static inline int la_wide(void) { return __builtin_cpu_supports("avx2"); }
#else
#define LA_WIDE
static inline int la_wide(void) { return 0; }
#endif

// y -= f x, [n]; x and y do not overlap.
LA_INLINE void la_subtract(int n, double f, const double *x, double *y) {
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

// y -= f_0 x_0, then f_1 x_1, f_2 x_2, f_3 x_3, in this order for every element; the columns x are `stride` apart.
LA_INLINE void la_subtract_four(int n, const double *f, const double *x, size_t stride, double *y) {
  const double *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    four a, b, c, d, s;
    memcpy(&a, x + i, sizeof a);
    memcpy(&b, x1 + i, sizeof b);
    memcpy(&c, x2 + i, sizeof c);
    memcpy(&d, x3 + i, sizeof d);
    memcpy(&s, y + i, sizeof s);
    s -= a * f[0];
    s -= b * f[1];
    s -= c * f[2];
    s -= d * f[3];
    memcpy(y + i, &s, sizeof s);
  }
  for (; i < n; i++) y[i] = (((y[i] - x[i] * f[0]) - x1[i] * f[1]) - x2[i] * f[2]) - x3[i] * f[3];
}

// x := L^-1 x for a unit lower triangle, or one with a diagonal, [n].
LA_INLINE void la_lower(int n, int unit, const double *L, size_t ld, double *x) {
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    const double *l = L + (size_t)j * ld + (size_t)j;
    for (int p = 0; p < 4; p++) {
      const double *c = l + (size_t)p * ld;
      if (!unit) x[j + p] /= c[p];
      for (int i = p + 1; i < 4; i++) x[j + i] -= c[i] * x[j + p];
    }
    la_subtract_four(n - j - 4, x + j, l + 4, ld, x + j + 4);
  }
  for (; j < n; j++) {
    const double *l = L + (size_t)j * ld;
    if (!unit) x[j] /= l[j];
    la_subtract(n - j - 1, x[j], l + j + 1, x + j + 1);
  }
}

// y += factor (f_0 V_0 + f_1 V_1 + ... ), n columns V that are `room` apart: eight elements, four. y stays in
// registers.
LA_INLINE void la_add_eight(int n, double factor, const double *V, int room, const double *f, double *y) {
  four a, b, s, t;
  memcpy(&s, y, sizeof s);
  memcpy(&t, y + 4, sizeof t);
#pragma GCC unroll 6
  for (int j = 0; j < n; j++, V += room) {
    double g = factor * f[j];
    memcpy(&a, V, sizeof a);
    memcpy(&b, V + 4, sizeof b);
    s += a * g;
    t += b * g;
  }
  memcpy(y, &s, sizeof s);
  memcpy(y + 4, &t, sizeof t);
}
LA_INLINE void la_add_four(int n, double factor, const double *V, int room, const double *f, double *y) {
  four a, s;
  memcpy(&s, y, sizeof s);
  for (int j = 0; j < n; j++, V += room) {
    memcpy(&a, V, sizeof a);
    s += a * (factor * f[j]);
  }
  memcpy(y, &s, sizeof s);
}

// The same of columns of `room` elements, whole vectors. Those of bodies (6) and hinges (5) are the most.
LA_INLINE void la_add_columns(int room, int n, double factor, const double *V, const double *f, double *y) {
  int i = 0;
  if (room == 8 && n == 6) { la_add_eight(6, factor, V, 8, f, y); return; }
  if (room == 8 && n == 5) { la_add_eight(5, factor, V, 8, f, y); return; }
  for (; i + 8 <= room; i += 8) la_add_eight(n, factor, V + i, room, f, y + i);
  for (; i < room; i += 4) la_add_four(n, factor, V + i, room, f, y + i);
}

// x /= f, by the reciprocal where that is a normal number.
LA_INLINE void la_divide(int n, double f, double *x) {
  double r = 1 / f;
  if (r - r == 0 && (r >= 0x1p-1000 || r <= -0x1p-1000)) for (int i = 0; i < n; i++) x[i] *= r;
  else for (int i = 0; i < n; i++) x[i] /= f;
}
