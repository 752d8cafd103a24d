// Dual numbers: a value and its derivatives in seven directions at once; x + dx eps with eps^2 = 0. Kernels are run in
// them (compiler/dual), so that no derivative of a formula is written twice [Griewank and Walther 2008, 3.1].
#pragma once
#include <math.h>
#include <stddef.h>
//
// The same text is compiled once more with numbers that note what they are made of, for derivatives backwards.
#ifdef DUAL_RECORDED
#include "recorded.h"
#else
enum { DUAL_LANES = 7, DUAL_WIDTH = DUAL_LANES + 1 };      // with its value a number fills a line of the cache
typedef struct dual { double a[DUAL_WIDTH]; } dual;        // a[0]: the value

static inline dual dual_of(double x) { return (dual){ { x } }; }
// f(x) with the value y and the slope f'; f(x, z) likewise.
static inline dual dual_by(double y, double slope, dual x) {
  dual r;
  for (int i = 1; i < DUAL_WIDTH; i++) r.a[i] = slope * x.a[i];
  r.a[0] = y;
  return r;
}
static inline dual dual_by2(double y, double by_x, dual x, double by_z, dual z) {
  dual r;
  for (int i = 1; i < DUAL_WIDTH; i++) r.a[i] = by_x * x.a[i] + by_z * z.a[i];
  r.a[0] = y;
  return r;
}
static inline dual dual_add(dual x, dual y) {
  for (int i = 0; i < DUAL_WIDTH; i++) x.a[i] += y.a[i];
  return x;
}
static inline dual dual_sub(dual x, dual y) {
  for (int i = 0; i < DUAL_WIDTH; i++) x.a[i] -= y.a[i];
  return x;
}
static inline dual dual_scale(dual x, double by) {
  for (int i = 0; i < DUAL_WIDTH; i++) x.a[i] *= by;
  return x;
}
// The derivatives of sum and by x; its value is not that of a sum.
static inline void dual_more(dual *sum, double by, const dual *x) {
  for (int i = 0; i < DUAL_WIDTH; i++) sum->a[i] += by * x->a[i];
}
static inline int dual_varies(dual x) {
  for (int i = 1; i < DUAL_WIDTH; i++) if (x.a[i] != 0) return 1;
  return 0;
}
// x, which varies with direction number `lane` as well.
static inline dual dual_along(dual x, int lane, double by) {
  x.a[1 + lane] = by;
  return x;
}
static inline dual dual_mul(dual x, dual y) { return dual_by2(x.a[0] * y.a[0], y.a[0], x, x.a[0], y); }
static inline dual dual_div(dual x, dual y) {
  double q = x.a[0] / y.a[0];
  return dual_by2(q, 1 / y.a[0], x, -q / y.a[0], y);
}
static inline dual dual_sqrt(dual x) {
  double r = sqrt(x.a[0]);
  return dual_by(r, r > 0 ? 0.5 / r : 0, x);
}
// Where a formula asks for values, and where an interpreter does.
static inline void dual_asks_value(void) { }
static inline int dual_above(dual x, dual y) { return x.a[0] > y.a[0]; }
#endif

// What kernels read (nsm_view, nsm_table of runtime/nsm_abi.h), in dual numbers.
struct nsm_touching;
typedef struct dual_view {
  dual t, t0, h;
  const dual *q, *v, *x, *l, *q0, *v0, *k, *dq, *dv, *dx, *d, *d_rate;
  const int *length;                    // of q, v, x, l, d
} dual_view;
// Values and slopes of kernels in the order of their calls. again: the calls are those of before, with the same values
// and other directions.
typedef struct dual_memo { double *at; size_t used, room; int again; } dual_memo;
// plain: the values of num; memo: NULL where there is none
typedef struct dual_table {
  int count;
  const int *ix;
  const dual *num;
  const double *plain;
  dual_memo *memo;
} dual_table;

// The kernel at byte `offset` of nsm_class number `cls`; out: its arrays of results. 0: it cannot be run so.
// DUAL_INERTIA in the place of the offset: M d of a mass matrix that moves, d: dv and dx of the view, which is added to
// out; 0: there is none, M itself is to be asked for.
enum { DUAL_INERTIA = -1 };
typedef int dual_kernel(void *with, int cls, int offset, const dual_view *v, const dual_table *t, dual *const *out);
// What `with` begins with: the same in recorded numbers (recorded.h).
typedef void dual_any(void);
typedef struct dual_with {
  dual_any   *recorded;
  const char *jumps;                    // what jumps where no step ends, of W0822, W0845, W0847; NULL: nothing
} dual_with;
