// One cone block alone, exactly: the problem of a single contact, and the local step of nsgs.c.
//
// In the frame of the unit cone (lambda = d y, v = d u; rows with d = 0 are left out) the cases are
//   open    y = 0 where q_N >= 0
//   stick   v = 0 where |y_T| <= y_N
//   slip    |y_T| = y_N,  v_N = 0,  v_T = -alpha y_T,  alpha > 0
// With v_N = 0 the normal force is eliminated, y_N = n + c.y_T, and what stick and slip have in common is
//   (W + alpha I) y_T = -b,   W = M_TT - M_TN M_NT / M_NN,  b = q_T - M_TN q_N / M_NN,
//   n = -q_N / M_NN,  c = -M_NT / M_NN.
// Slip asks for a root of h(alpha) = y_N / |y_T| - 1. h < 0 at alpha = 0 where stick does not hold, h > 0 for large
// alpha as n > 0: there is a root, and it stays bracketed. Multiplied out it is the quartic of Bonnefon and Daviet
// [Siconos notes, chapter 12]; h itself is almost linear in alpha (as in the trust-region problem: More and Sorensen
// 1983), so that Newton's method needs three to five steps, and where it leaves the bracket the bracket is halved. One
// tangential row: the two signs of slip in closed form, so that M may be anything. GRIP: |y_N| instead of y_N, no open
// case. DISK, ELLIPSE: W = M, b = q, n = radius, c = 0.
#include "solver.h"
#include <float.h>
#include <math.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))
enum { STEPS = 200 };

typedef struct slip {
  double W[9], b[3], n, c[3];   // W [k*k] column-major
  double size, size_b;          // of what W and b were made from: eps of it counts as zero
  int    absolute;              // |n + c.y| (GRIP)
} slip;

// x := -A^{-1} b, y := -A^{-1} x for A = W + alpha I, with row pivoting. 0 where a pivot is below 1e-13 of the size of
// the matrix.
ALWAYS_INLINE int solve_twice(const int k, const slip *s, double alpha, double *x, double *y) {
  double A[9], f[3], zero = alpha > 0 ? 0 : 1e-13 * s->size;
  for (int i = 0; i < k * k; i++) A[i] = s->W[i] + (i % (k + 1) == 0 ? alpha : 0);
  int at[3] = { 0, 1, 2 };
  for (int p = 0; p < k; p++) {
    int r = p;
    for (int i = p + 1; i < k; i++) r = fabs(A[at[i] + p * k]) > fabs(A[at[r] + p * k]) ? i : r;
    int t = at[r]; at[r] = at[p]; at[p] = t;
    if (!(fabs(A[at[p] + p * k]) > zero)) return 0;
    for (int i = p + 1; i < k; i++) {
      double m = A[at[i] + p * k] /= A[at[p] + p * k];
      for (int j = p + 1; j < k; j++) A[at[i] + j * k] -= m * A[at[p] + j * k];
    }
  }
  for (int pass = 0; pass < 2; pass++) {
    const double *right = pass ? x : s->b;
    double *out = pass ? y : x;
    for (int i = 0; i < k; i++) {
      f[i] = -right[at[i]];
      for (int j = 0; j < i; j++) f[i] -= A[at[i] + j * k] * f[j];
    }
    for (int i = k - 1; i >= 0; i--) {
      for (int j = i + 1; j < k; j++) f[i] -= A[at[i] + j * k] * f[j];
      f[i] /= A[at[i] + i * k];
    }
    for (int i = 0; i < k; i++) out[i] = f[i];
  }
  return 1;
}

ALWAYS_INLINE double dot(const int k, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < k; i++) sum += x[i] * y[i];
  return sum;
}

// y_T, y_N at alpha; h and its derivative. 0 where W + alpha I is singular.
ALWAYS_INLINE int evaluate(const int k, const slip *s, double alpha, double *x, double *N, double *h, double *dh) {
  double y[3];
  if (!solve_twice(k, s, alpha, x, y)) return 0;
  double t = sqrt(dot(k, x, x)), n = s->n + dot(k, s->c, x), dn = dot(k, s->c, y);
  if (s->absolute && n < 0) { n = -n; dn = -dn; *N = -n; }
  else *N = n;
  if (!(t > 0)) { *h = n >= 0 ? HUGE_VAL : -HUGE_VAL; *dh = 0; return 1; }
  *h = n / t - 1;
  *dh = (dn - n * dot(k, x, y) / (t * t)) / t;
  return 1;
}

// W is singular. Stick at the point of least norm, x = -W^+ b, by refinement with W + delta I; 0 where b has a part
// outside its range.
ALWAYS_INLINE int singular_stick(const int k, const slip *s, double *x, double *N) {
  slip step = *s;
  double unused[3], d[3], off = 0, size = s->size_b;
  for (int i = 0; i < k; i++) x[i] = 0;
  for (int pass = 0; pass < 5; pass++) {
    if (!solve_twice(k, &step, 1e-5 * s->size, d, unused)) return 0;
    off = 0;
    for (int i = 0; i < k; i++) x[i] += d[i];
    for (int i = 0; i < k; i++) {
      step.b[i] = s->b[i];
      size = fmax(size, s->size * fabs(x[i]));
      for (int j = 0; j < k; j++) step.b[i] += s->W[i + j * k] * x[j];
      off = fmax(off, fabs(step.b[i]));
    }
  }
  *N = s->n + dot(k, s->c, x);
  return off <= 1e-14 * size && sqrt(dot(k, x, x)) <= (s->absolute ? fabs(*N) : *N);
}

// The root of h between two points of a grid where its sign changes, by bisection: for matrices that are singular or of
// no definite sign, where h need not be negative at zero.
ALWAYS_INLINE int scan(const int k, const slip *s, double *x, double *N) {
  double right = 1e8 * s->size, h_right, h, dh;
  if (!(right < HUGE_VAL) || !evaluate(k, s, right, x, N, &h_right, &dh)) return 0;   // halving an infinity never ends
  for (double left = 0.5 * right; left > 1e-14 * s->size; right = left, h_right = h, left *= 0.5) {
    if (!evaluate(k, s, left, x, N, &h, &dh)) return 0;
    if ((h < 0) == (h_right < 0)) continue;
    double from = left, to = right, middle = 0;
    for (int step = 0; step < 60; step++) {
      double g;
      middle = 0.5 * (from + to);
      if (!evaluate(k, s, middle, x, N, &g, &dh)) break;
      if (fabs(g) <= 1e-13) return 1;
      if ((g < 0) == (h < 0)) from = middle;
      else to = middle;
    }
  }
  return 0;
}

// A root of h by Newton's method in a bracket.
ALWAYS_INLINE int slip_root(const int k, const slip *s, double low, double *x, double *N) {
  double size = s->size, high = HUGE_VAL, h = -1, dh;
  double alpha = sqrt(dot(k, s->b, s->b)) / fabs(s->n) - size / k;   // the root for W near a multiple of I, c near 0
  if (!(alpha > low)) alpha = low + 0.1 * size;
  for (int step = 0; step < STEPS; step++) {
    double next = HUGE_VAL;
    if (evaluate(k, s, alpha, x, N, &h, &dh)) {
      if (fabs(h) <= 2 * DBL_EPSILON) break;
      if (h < 0) low = alpha;
      else high = alpha;
      if (dh > 0) next = alpha - h / dh;
    } else low = alpha;  // regular to the right of its last singular point
    if (!(next > low && next < high)) {
      if (high < HUGE_VAL) next = low > 0 && high > 4 * low ? sqrt(low) * sqrt(high) : low + 0.5 * (high - low);
      else next = 4 * (alpha > size ? alpha : size);
    }
    if (!(next < 1e300)) return 0;
    if (fabs(next - alpha) <= 2 * DBL_EPSILON * alpha) break;
    alpha = next;
  }
  return fabs(h) <= 1e-9;
}

// v_T = b whatever y_T is.
ALWAYS_INLINE int slip_without_matrix(const int k, const slip *s, double *x, double *N) {
  double t = sqrt(dot(k, s->b, s->b));
  *N = s->n;
  for (int i = 0; i < k; i++) x[i] = t > 0 ? -fabs(s->n) * (s->b[i] / t) : 0;
  return 1;
}

// Stick or slip. 1: x [k] = y_T and *N = y_N satisfy one of them.
ALWAYS_INLINE int stick_or_slip(const int k, const slip *s, double *x, double *N) {
  double low = 0, h, dh;
  if (!(s->size > 0)) return slip_without_matrix(k, s, x, N);
  if (evaluate(k, s, low, x, N, &h, &dh)) {
    if (h >= 0) return 1;
  } else {
    if (singular_stick(k, s, x, N)) return 1;
    low = 4 * DBL_EPSILON * s->size;
  }
  if (!slip_root(k, s, low, x, N) && !scan(k, s, x, N)) return 0;
  double f = fabs(*N) / sqrt(dot(k, x, x));
  for (int i = 0; i < k; i++) x[i] *= f;
  return f > 0.5 && f < 2;
}

// By how much, relative to its terms, stick violates |T| <= N.
static double planar_stick(const double *M, const double *q, int grip, double det, double *y) {
  double r0 = q[0], r1 = q[1];
  y[0] = y[1] = 0;
  for (int round = 0; round < 2; round++) {   // refined once: Cramer's rule alone is not backward stable
    y[0] += (-r0 * M[3] + M[2] * r1) / det;
    y[1] += (-r1 * M[0] + M[1] * r0) / det;
    r0 = M[0] * y[0] + M[2] * y[1] + q[0];
    r1 = M[1] * y[0] + M[3] * y[1] + q[1];
  }
  double N = grip ? fabs(y[0]) : y[0], T = fabs(y[1]);
  return T <= N ? 0 : N > 0 ? (T - N) / T : HUGE_VAL;
}

// The same for slip with T = sign N: v_T T <= 0.
static double planar_slip(const double *M, const double *q, int grip, int sign, double *y) {
  double a = M[0] + sign * M[2], N = -q[0] / a, T = sign * N;
  y[0] = N;
  y[1] = T;
  if (!(fabs(a) > 4 * DBL_EPSILON * (fabs(M[0]) + fabs(M[2]))) || !(grip || N >= 0)) return HUGE_VAL;
  double f = M[1] * N, g = M[3] * T, v = f + g + q[1], wrong = v * (T > 0 ? 1 : -1) / (fabs(f) + fabs(g) + fabs(q[1]));
  return wrong > 0 ? wrong : 0;
}

// Stick first, but last where M is so close to singular that its answer means little.
static int planar(const double *M, const double *q, int grip, double *y) {
  double det = M[0] * M[3] - M[1] * M[2], size = fabs(M[0] * M[3]) + fabs(M[1] * M[2]), best = HUGE_VAL, x[2];
  int    regular = fabs(det) > 1e-11 * size, solvable = fabs(det) > 4 * DBL_EPSILON * size;
  double small = regular ? 0 : 1e-13;
  for (int attempt = regular ? 0 : 1; attempt < 4; attempt++) {
    if (attempt % 3 == 0 && !solvable) continue;
    double wrong =
        attempt % 3 == 0 ? planar_stick(M, q, grip, det, x) : planar_slip(M, q, grip, attempt == 1 ? -1 : 1, x);
    if (wrong < best) { best = wrong; y[0] = x[0]; y[1] = x[1]; }
    if (best <= small) return 1;
  }
  return best < 1e-8;
}

static void eliminate_normal(int n, const double *M, const double *q, slip *s) {
  int k = n - 1;
  double inverse = 1 / M[0];
  s->n = -q[0] * inverse;
  for (int j = 0; j < k; j++) {
    s->c[j] = -M[(j + 1) * n] * inverse;
    s->b[j] = q[j + 1] + M[j + 1] * s->n;
    s->size_b = fmax(s->size_b, fabs(q[j + 1]) + fabs(M[j + 1] * s->n));
    for (int i = 0; i < k; i++) s->W[i + j * k] = M[i + 1 + (j + 1) * n] + M[i + 1] * s->c[j];
    s->size += fabs(M[(j + 1) * (n + 1)]);
  }
}

static int disk(int k, const double *M, const double *q, double radius, double *y) {
  slip s = { .n = radius };
  double N = 0;
  if (k == 1) {
    y[0] = M[0] > 0 ? nsm_cone_project(-q[0] / M[0], -radius, radius) : q[0] > 0 ? -radius : q[0] < 0 ? radius : 0;
    return 1;
  }
  for (int i = 0; i < k; i++) { s.b[i] = q[i]; s.size_b = fmax(s.size_b, fabs(q[i])); }
  for (int i = 0; i < k * k; i++) s.W[i] = M[i];
  for (int i = 0; i < k; i++) s.size += fabs(M[i * (k + 1)]);
  return k == 2 ? stick_or_slip(2, &s, y, &N) : stick_or_slip(3, &s, y, &N);
}

// The block in the unit frame, n rows.
static int unit(int n, const double *M, const double *q, int grip, double *y) {
  slip s = { .absolute = grip };
  if (grip ? q[0] == 0 && n > 1 : q[0] >= 0) return 1;               // open; a grip without normal force
  if (n == 1) { y[0] = -q[0] / M[0]; return grip ? M[0] != 0 : M[0] > 0; }
  if (n == 2) return planar(M, q, grip, y);
  if (grip ? M[0] == 0 : !(M[0] > 0)) return 0;
  eliminate_normal(n, M, q, &s);
  return n == 3 ? stick_or_slip(2, &s, y + 1, y) : stick_or_slip(3, &s, y + 1, y);
}

// Contensou's exact set, from the answer for its ellipsoid.
static int exact(const nsm_cone_block *b, const double *M, const double *q, double *lambda) {
  nsm_cone_block ellipsoid = *b;
  ellipsoid.type = nsm_cone_is_given(b->type) ? NSM_CONE_ELLIPSE : NSM_CONE_CONTENSOU;
  int found = nsm_cone_local(&ellipsoid, M, q, lambda);
  return nsm_cone_is_exact(b) ? nsm_cone_local_contensou(b, M, q, found, lambda) : found;   // else no difference
}

int nsm_cone_local(const nsm_cone_block *b, const double *M, const double *q, double *lambda) {
  double d[NSM_CONE_MOST_ROWS] = { 1 }, A[16] = { 0 }, f[4] = { 0 }, y[4] = { 0 }, radius = 0;
  int at[4], n = 0, size = b->size, given = nsm_cone_is_given(b->type);
  if (b->type == NSM_CONE_DISK && b->radius > 0) return disk(size, M, q, b->radius, lambda);
  if ((nsm_cone_set_of(b->type).exact && !given) || nsm_cone_is_exact(b)) return exact(b, M, q, lambda);
  if (nsm_cone_set_of(b->type).parts == 2) return nsm_cone_local_rolling(b, M, q, lambda);
  if (nsm_cone_normals(b->type) > 1) return nsm_cone_local_grip(b, M, q, lambda);
  if (given) radius = nsm_cone_round(b, d);
  else nsm_cone_half_axes(b, d + 1);
  for (int i = 0; i < size; i++)
    if (d[i] > 0 && (!given || radius > 0)) at[n++] = i;
  for (int j = 0; j < n; j++) {
    f[j] = d[at[j]] * q[at[j]];
    for (int i = 0; i < n; i++) A[i + j * n] = d[at[i]] * M[at[i] + at[j] * size] * d[at[j]];
  }
  int ok = given ? n == 0 || disk(n, A, f, radius, y) : unit(n, A, f, b->type == NSM_CONE_GRIP, y);
  for (int i = 0; i < size; i++) lambda[i] = 0;
  for (int i = 0; i < n; i++) lambda[at[i]] = d[at[i]] * y[i];
  return ok;
}

nsm_cone_outcome nsm_cone_contact(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                  double *u) {
  (void)t;
  (void)u;
  if (p->cones != 1 || p->cone[0].size != p->m || p->row_start) return NSM_CONE_GAVE_UP;
  w->iterations++;
  return nsm_cone_local(&p->cone[0], p->M, p->q, lambda) ? NSM_CONE_PROPOSED : NSM_CONE_GAVE_UP;
}
