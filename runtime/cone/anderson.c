// Anderson's acceleration of a fixed-point iteration (Anderson, J. ACM 12 (1965) 547-560; Walker and Ni, SIAM J. Numer.
// Anal. 49 (2011) 1715-1735). With F = G(x) - x and the differences dG, dF of the last points
//
//   x := G(x) - dG y,    y = argmin |F - dF y|
//
// by the normal equations with a little on their diagonal. Where |F| has grown threefold the differences are forgotten.
// They are kept in single precision: what they are wrong by is of the size of the step, and the next step takes it.
#include "anderson.h"
#include "runtime/shared/wide.h"
#include <math.h>
#include <string.h>

static const double shift = 1e-10, growth = 3;

enum { SUMS = 1 + 2 * NSM_ANDERSON };

int nsm_anderson_take(nsm_cone_work *w, int size, int parts, const double *weight, nsm_anderson *a) {
  *a = (nsm_anderson){ .size = size, .parts = parts, .weight = weight };
  int ok = (a->sum = nsm_cone_take_doubles(w, (size_t)parts * SUMS)) != NULL;
  for (int i = 0; i < NSM_ANDERSON; i++) {
    ok &= (a->dG[i] = nsm_cone_take(w, (size_t)size * sizeof(float))) != NULL;
    ok &= (a->dF[i] = nsm_cone_take(w, (size_t)size * sizeof(float))) != NULL;
  }
  ok &= (a->G = nsm_cone_take_doubles(w, (size_t)size)) != NULL;
  ok &= (a->F = nsm_cone_take_doubles(w, (size_t)size)) != NULL;
  return ok;
}

void nsm_anderson_forget(nsm_anderson *a) {
  a->count = a->next = 0;
  a->last = 0;
}

// sum w x y and sum w x z, each in four sums, which processors add up side by side: the same bits with and without.
NSM_WIDE static void dots(int size, const double *restrict w, const float *restrict x, const float *restrict y,
                               const double *restrict z, double *xy, double *xz) {
  double a[4] = { 0, 0, 0, 0 }, b[4] = { 0, 0, 0, 0 };
  int i = 0;
  for (; i + 4 <= size; i += 4)
    for (int k = 0; k < 4; k++) {
      double wx = w[i + k] * x[i + k];
      a[k] += wx * y[i + k];
      b[k] += wx * z[i + k];
    }
  for (; i < size; i++) {
    a[0] += w[i] * x[i] * y[i];
    b[0] += w[i] * x[i] * z[i];
  }
  *xy = (a[0] + a[1]) + (a[2] + a[3]);
  *xz = (b[0] + b[1]) + (b[2] + b[3]);
}

// (G, F) := the point at hand in rows [from, to), the newest (dG, dF) := what they change by. Returns |F|^2.
NSM_WIDE static double differ(const nsm_anderson *a, int from, int to, const double *x, const double *g) {
  const double *restrict w = a->weight;
  double *restrict G = a->G, *restrict F = a->F, sum[4] = { 0, 0, 0, 0 };
  float *restrict dG = a->dG[a->next], *restrict dF = a->dF[a->next];
  for (int i = from; i < to; i++) {
    double f = g[i] - x[i];
    dG[i] = (float)(g[i] - G[i]);
    dF[i] = (float)(f - F[i]);
    sum[i & 3] += w[i] * f * f;
    G[i] = g[i];
    F[i] = f;
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static int known(const nsm_anderson *a) { return a->count < NSM_ANDERSON ? a->count + 1 : NSM_ANDERSON; }

void nsm_anderson_feed(nsm_anderson *a, int part, int from, int to, const double *x, const double *G) {
  int new = a->next, size = to - from, learns = a->last > 0;
  double *sum = a->sum + (size_t)part * SUMS;
  const double *w = a->weight + from;
  sum[0] = differ(a, from, to, x, G);
  for (int j = 0; learns && j < known(a); j++)
    dots(size, w, a->dF[j] + from, a->dF[new] + from, a->F + from, &sum[1 + 2 * j], &sum[2 + 2 * j]);
}

// y of the head, by Cholesky's factors. 0 where they do not exist.
static int coefficients(nsm_anderson *a) {
  double L[NSM_ANDERSON][NSM_ANDERSON], trace = 0, *y = a->y;
  int n = a->count;
  for (int i = 0; i < n; i++) { y[i] = a->right[i]; trace += a->product[i][i]; }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = a->product[i][j] + (i == j ? shift * trace : 0);
      for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      if (i == j && !(sum > 0)) return 0;
      L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
    }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) y[i] -= L[i][k] * y[k];
    y[i] /= L[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) y[i] -= L[k][i] * y[k];
    y[i] /= L[i][i];
  }
  return 1;
}

double nsm_anderson_decide(nsm_anderson *a) {
  int learns = a->last > 0, new = a->next, sums = learns ? 1 + 2 * known(a) : 1;
  double sum[SUMS] = { 0 };
  for (int p = 0; p < a->parts; p++)
    for (int i = 0; i < sums; i++) sum[i] += a->sum[(size_t)p * SUMS + (size_t)i];
  double norm = sqrt(sum[0]);
  if (learns && !(norm <= growth * a->last)) { nsm_anderson_forget(a); return norm; }
  a->last = norm;
  if (!learns) return norm;
  a->count = known(a);
  a->next = (new + 1) % NSM_ANDERSON;
  for (int j = 0; j < a->count; j++) {
    a->product[new][j] = a->product[j][new] = sum[1 + 2 * j];
    a->right[j] = sum[2 + 2 * j];
  }
  if (!coefficients(a)) nsm_anderson_forget(a);
  return norm;
}

// x -= sum_j y_j dG_j, four at a time, so that x is read and written a quarter as often.
NSM_WIDE static void take_off(const nsm_anderson *a, int from, int to, double *restrict x) {
  int j = 0;
  for (; j + 4 <= a->count; j += 4) {
    const float *restrict d0 = a->dG[j], *restrict d1 = a->dG[j + 1], *restrict d2 = a->dG[j + 2],
                *restrict d3 = a->dG[j + 3];
    double y0 = a->y[j], y1 = a->y[j + 1], y2 = a->y[j + 2], y3 = a->y[j + 3];
    for (int i = from; i < to; i++) x[i] -= (y0 * d0[i] + y1 * d1[i]) + (y2 * d2[i] + y3 * d3[i]);
  }
  for (; j < a->count; j++) {
    const float *restrict d = a->dG[j];
    double y = a->y[j];
    for (int i = from; i < to; i++) x[i] -= y * d[i];
  }
}

void nsm_anderson_move(const nsm_anderson *a, int from, int to, double *x) {
  memcpy(x + from, a->G + from, (size_t)(to - from) * sizeof *x);
  take_off(a, from, to, x);
}

double nsm_anderson_step(nsm_anderson *a, double *x, const double *G) {
  nsm_anderson_feed(a, 0, 0, a->size, x, G);
  double norm = nsm_anderson_decide(a);
  nsm_anderson_move(a, 0, a->size, x);
  return norm;
}
