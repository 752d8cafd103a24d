// Anderson's acceleration of a fixed-point iteration (Anderson, J. ACM 12 (1965) 547-560; Walker and Ni, SIAM J. Numer.
// Anal. 49 (2011) 1715-1735). With F = G(x) - x and the differences dG, dF of the last points
//
//   x := G(x) - dG y,    y = argmin |F - dF y|
//
// by the normal equations with a little on their diagonal. Where |F| has grown threefold the differences are forgotten.
#include "anderson.h"
#include <math.h>
#include <string.h>

// As SIM_WIDE of schemes.h: wider vectors where the processor has them, nothing reassociated.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
#define ANDERSON_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define ANDERSON_WIDE
#endif

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

// sum w x y and sum w x z, each in four sums, which processors add up side by side: the same bits with and without.
ANDERSON_WIDE static void dots(int size, const double *restrict w, const double *restrict x, const double *restrict y,
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

static double dot(const nsm_anderson *a, const double *x, const double *y) {
  double xy, xx;
  dots(a->size, a->weight, x, y, x, &xy, &xx);
  return xy;
}

// x -= sum_j y_j d_j
ANDERSON_WIDE static void take_off(int size, int count, const double *y, double *const *d, double *restrict x) {
  for (int j = 0; j < count; j++) {
    const double *restrict dj = d[j];
    double yj = y[j];
    for (int i = 0; i < size; i++) x[i] -= yj * dj[i];
  }
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
  for (int j = 0; j < a->count; j++) {
    dots(a->size, a->weight, a->dF[j], a->dF[new], a->now, &a->product[new][j], &a->right[j]);
    a->product[j][new] = a->product[new][j];
  }
}

// y of the head, by Cholesky's factors. 0 where they do not exist.
static int coefficients(const nsm_anderson *a, double *y) {
  double L[NSM_ANDERSON][NSM_ANDERSON], trace = 0;
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
  take_off(a->size, a->count, y, a->dG, x);
  return norm;
}
