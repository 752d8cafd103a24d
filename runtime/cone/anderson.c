// Anderson's acceleration of a fixed-point iteration (Anderson, J. ACM 12 (1965) 547-560; Walker and Ni, SIAM J. Numer.
// Anal. 49 (2011) 1715-1735). With F = G(x) - x and the differences dG, dF of the last points
//
//   x := G(x) - dG y,    y = argmin |F - dF y|
//
// by the normal equations with a little on their diagonal. Where |F| has grown threefold the differences are forgotten.
#include "anderson.h"
#include <math.h>
#include <string.h>

static const double shift = 1e-10, growth = 3;

int nsm_anderson_take(nsm_cone_work *w, int size, const double *weight, nsm_anderson *a) {
  *a = (nsm_anderson){ .size = size, .weight = weight };
  int ok = 1;
  for (int i = 0; i < NSM_ANDERSON; i++) {
    ok &= (a->dG[i] = nsm_cone_take_doubles(w, (size_t)size)) != NULL;
    ok &= (a->dF[i] = nsm_cone_take_doubles(w, (size_t)size)) != NULL;
  }
  double **vector[] = { &a->G, &a->F, &a->now };
  for (int i = 0; i < 3; i++) ok &= (*vector[i] = nsm_cone_take_doubles(w, (size_t)size)) != NULL;
  return ok;
}

void nsm_anderson_forget(nsm_anderson *a) {
  a->count = a->next = 0;
  a->last = 0;
}

// In four sums, which processors add up side by side.
static double dot(const nsm_anderson *a, const double *x, const double *y) {
  double sum[4] = { 0, 0, 0, 0 };
  int i = 0;
  for (; i + 4 <= a->size; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += a->weight[i + k] * x[i + k] * y[i + k];
  for (; i < a->size; i++) sum[0] += a->weight[i] * x[i] * y[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// The differences between the present point and the last one.
static void learn(nsm_anderson *a, const double *G) {
  int new = a->next;
  a->next = (new + 1) % NSM_ANDERSON;
  if (a->count < NSM_ANDERSON) a->count++;
  for (int i = 0; i < a->size; i++) {
    a->dG[new][i] = G[i] - a->G[i];
    a->dF[new][i] = a->now[i] - a->F[i];
  }
  for (int j = 0; j < a->count; j++)
    a->product[new][j] = a->product[j][new] = dot(a, a->dF[new], a->dF[j]);
}

// y of the head, by Cholesky's factors. 0 where they do not exist.
static int coefficients(const nsm_anderson *a, double *y) {
  double L[NSM_ANDERSON][NSM_ANDERSON], trace = 0;
  int n = a->count;
  for (int i = 0; i < n; i++) { y[i] = dot(a, a->dF[i], a->now); trace += a->product[i][i]; }
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

double nsm_anderson_step(nsm_anderson *a, double *x, const double *G) {
  size_t bytes = (size_t)a->size * sizeof(double);
  double y[NSM_ANDERSON], norm;
  for (int i = 0; i < a->size; i++) a->now[i] = G[i] - x[i];
  norm = sqrt(dot(a, a->now, a->now));
  memcpy(x, G, bytes);
  if (a->last > 0 && !(norm <= growth * a->last)) { nsm_anderson_forget(a); return norm; }
  if (a->last > 0) learn(a, G);
  memcpy(a->G, G, bytes);
  memcpy(a->F, a->now, bytes);
  a->last = norm;
  if (!coefficients(a, y)) { nsm_anderson_forget(a); return norm; }
  for (int j = 0; j < a->count; j++)
    for (int i = 0; i < a->size; i++) x[i] -= y[j] * a->dG[j][i];
  return norm;
}
