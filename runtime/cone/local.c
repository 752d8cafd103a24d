// One cone block alone, exactly: the problem of a single contact, and the local step of nsgs.c.
//
// In the frame of the unit cone (lambda = d y, v = d u; rows with d = 0 are left out) the cases are
//   open    y = 0 where q_N >= 0
//   stick   v = 0 where |y_T| <= y_N
//   slip    |y_T| = y_N,  v_N = 0,  v_T = -alpha y_T,  alpha > 0
// With v_N = 0 the normal force is eliminated, y_N = n + c.y_T, and what stick and slip have in common is
//   (W + alpha I) y_T = -b,   W = M_TT - M_TN M_NT / M_NN,  b = q_T - M_TN q_N / M_NN,  n = -q_N / M_NN,  c = -M_NT / M_NN.
// Slip asks for a root of h(alpha) = y_N / |y_T| - 1. h < 0 at alpha = 0 where stick does not hold, h > 0 for large alpha as n > 0: there
// is a root, and it stays bracketed. Multiplied out it is the quartic of Bonnefon and Daviet (seed 002, chapter 12); h itself is almost
// linear in alpha (as in the trust-region problem: More and Sorensen 1983), so that Newton's method needs three to five steps, and where it
// leaves the bracket the bracket is halved. One tangential row: the two signs of slip in closed form, so that M may be anything.
// GRIP: |y_N| instead of y_N, no open case. DISK: W = M, b = q, n = radius, c = 0.
#include "solver.h"
#include <float.h>
#include <math.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))
enum { STEPS = 200 };

typedef struct slip {
  double W[9], b[3], n, c[3];   // W [k*k] column-major
  int    absolute;              // |n + c.y| (GRIP)
} slip;

// x := -A^{-1} f, y := -A^{-1} x for A = W + alpha I, with row pivoting. 0 where a pivot is below 1e-15 of the largest entry of A.
ALWAYS_INLINE int solve_twice(const int k, const slip *s, double alpha, double *x, double *y) {
  double A[9], f[3], largest = 0;
  for (int i = 0; i < k * k; i++) { A[i] = s->W[i] + (i % (k + 1) == 0 ? alpha : 0); largest = fabs(A[i]) > largest ? fabs(A[i]) : largest; }
  int at[3] = { 0, 1, 2 };
  for (int p = 0; p < k; p++) {
    int r = p;
    for (int i = p + 1; i < k; i++) r = fabs(A[at[i] + p * k]) > fabs(A[at[r] + p * k]) ? i : r;
    int t = at[r]; at[r] = at[p]; at[p] = t;
    if (!(fabs(A[at[p] + p * k]) > 1e-15 * largest)) return 0;
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

// Stick or slip. 1: x [k] = y_T and *N = y_N satisfy one of them.
ALWAYS_INLINE int stick_or_slip(const int k, const slip *s, double *x, double *N) {
  double size = 0, low = 0, high = HUGE_VAL, h, dh, alpha;
  for (int i = 0; i < k; i++) size += fabs(s->W[i + i * k]);
  if (!(size > 0)) size = DBL_MIN;
  if (!evaluate(k, s, low, x, N, &h, &dh)) {
    low = DBL_EPSILON * size;                       // W is singular: stick, if anywhere, close to zero
    if (!evaluate(k, s, low, x, N, &h, &dh)) h = -1;
  }
  if (h >= 0) return 1;
  alpha = sqrt(dot(k, s->b, s->b)) / fabs(s->n) - size / k;   // h(alpha) for W near a multiple of I, c near 0
  if (!(alpha > low)) alpha = low + 0.1 * size;
  for (int step = 0; step < STEPS; step++) {
    double next = alpha;
    if (evaluate(k, s, alpha, x, N, &h, &dh)) {
      if (fabs(h) <= 2 * DBL_EPSILON) break;
      if (h < 0) low = alpha;
      else high = alpha;
      next = dh > 0 ? alpha - h / dh : HUGE_VAL;
    } else low = alpha;                             // the matrix is regular to the right of its last singular point
    if (!(next > low && next < high)) {
      if (high < HUGE_VAL) next = low > 0 && high > 4 * low ? sqrt(low) * sqrt(high) : low + 0.5 * (high - low);
      else next = 4 * (alpha > size ? alpha : size);
    }
    if (!(next < 1e300)) return 0;
    if (fabs(next - alpha) <= 2 * DBL_EPSILON * alpha) break;
    alpha = next;
  }
  double t = sqrt(dot(k, x, x)), f = t > 0 ? fabs(*N) / t : 1;
  for (int i = 0; i < k; i++) x[i] *= f;
  return f > 0.5 && f < 2;
}

// One tangential row. The cases are tried and the one that violates its own conditions least is taken, so that no sign of M is assumed.
static int planar(const double *M, const double *q, int grip, double *y) {
  double det = M[0] * M[3] - M[1] * M[2], best = HUGE_VAL;
  double stick[2] = { (-q[0] * M[3] + M[2] * q[1]) / det, (-q[1] * M[0] + M[1] * q[0]) / det };
  if (fabs(det) > 4 * DBL_EPSILON * (fabs(M[0] * M[3]) + fabs(M[1] * M[2]))) {
    double r0 = M[0] * stick[0] + M[2] * stick[1] + q[0], r1 = M[1] * stick[0] + M[3] * stick[1] + q[1];
    stick[0] += (-r0 * M[3] + M[2] * r1) / det;     // refined once: Cramer's rule alone is not backward stable
    stick[1] += (-r1 * M[0] + M[1] * r0) / det;
    double N = grip ? fabs(stick[0]) : stick[0];
    if (fabs(stick[1]) <= N) { y[0] = stick[0]; y[1] = stick[1]; return 1; }
    if (N > 0) { best = (fabs(stick[1]) - N) / fabs(stick[1]); y[0] = stick[0]; y[1] = stick[1]; }
  }
  for (int sign = -1; sign <= 1; sign += 2) {
    double a = M[0] + sign * M[2], N = -q[0] / a, T = sign * N;
    if (!(fabs(a) > 4 * DBL_EPSILON * (fabs(M[0]) + fabs(M[2]))) || !(grip || N >= 0)) continue;
    double f = M[1] * N, g = M[3] * T, v = f + g + q[1], wrong = v * (T > 0 ? 1 : -1) / (fabs(f) + fabs(g) + fabs(q[1]));
    if (wrong <= 0) { y[0] = N; y[1] = T; return 1; }
    if (wrong < best) { best = wrong; y[0] = N; y[1] = T; }
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
    for (int i = 0; i < k; i++) s->W[i + j * k] = M[i + 1 + (j + 1) * n] + M[i + 1] * s->c[j];
  }
}

static int disk(int k, const double *M, const double *q, double radius, double *y) {
  slip s = { .n = radius };
  double N;
  if (k == 1 && M[0] > 0) { y[0] = nsm_cone_project(-q[0] / M[0], -radius, radius); return 1; }
  for (int i = 0; i < k; i++) s.b[i] = q[i];
  for (int i = 0; i < k * k; i++) s.W[i] = M[i];
  return k == 1 ? stick_or_slip(1, &s, y, &N) : stick_or_slip(2, &s, y, &N);
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

int nsm_cone_local(const nsm_cone_block *b, const double *M, const double *q, double *lambda) {
  double d[4] = { 1, b->mu, b->mu, b->mu }, A[16] = { 0 }, f[4] = { 0 }, y[4] = { 0 };
  int at[4], n = 0, size = b->size;
  if (b->type == NSM_CONE_DISK) {
    if (b->radius > 0) return disk(size, M, q, b->radius, lambda);
    for (int i = 0; i < size; i++) lambda[i] = 0;
    return 1;
  }
  if (b->type == NSM_CONE_ELLIPTIC) d[2] = b->mu2;
  if (b->type == NSM_CONE_CONTENSOU) d[3] = b->mu * b->radius;
  for (int i = 0; i < size; i++)
    if (d[i] > 0) at[n++] = i;
  for (int j = 0; j < n; j++) {
    f[j] = d[at[j]] * q[at[j]];
    for (int i = 0; i < n; i++) A[i + j * n] = d[at[i]] * M[at[i] + at[j] * size] * d[at[j]];
  }
  int ok = unit(n, A, f, b->type == NSM_CONE_GRIP, y);
  for (int i = 0; i < size; i++) lambda[i] = 0;
  for (int i = 0; i < n; i++) lambda[at[i]] = d[at[i]] * y[i];
  return ok;
}

nsm_cone_outcome nsm_cone_contact(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda, double *u) {
  (void)t;
  (void)u;
  if (p->cones != 1 || p->cone[0].size != p->m || p->row_start) return NSM_CONE_GAVE_UP;
  w->iterations++;
  return nsm_cone_local(&p->cone[0], p->M, p->q, lambda) ? NSM_CONE_PROPOSED : NSM_CONE_GAVE_UP;
}
