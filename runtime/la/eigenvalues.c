// Eigenvalues of a general real matrix: to Hessenberg form by elimination with exchanges, then the QR iteration with
// implicit double shifts (Francis), one eigenvalue or pair after the other from below. Golub and Van Loan, Matrix
// Computations, 7.4 and 7.5; Wilkinson's exceptional shifts after 10 and 20 turns.
#include "la.h"
#include <float.h>
#include <math.h>

enum { TURNS = 60, EXCEPTION = 10 };
#define A(i, j) a[(i) + (long)(j) * n]

static void exchange(double *x, double *y) { double t = *x; *x = *y; *y = t; }

static void to_hessenberg(int n, double *a) {
  for (int m = 1; m < n - 1; m++) {
    int at = m;
    for (int i = m + 1; i < n; i++) if (fabs(A(i, m - 1)) > fabs(A(at, m - 1))) at = i;
    if (A(at, m - 1) == 0) continue;
    for (int j = m - 1; at != m && j < n; j++) exchange(&A(at, j), &A(m, j));
    for (int j = 0; at != m && j < n; j++) exchange(&A(j, at), &A(j, m));
    for (int i = m + 1; i < n; i++) {
      double f = A(i, m - 1) / A(m, m - 1);
      if (f == 0) continue;
      for (int j = m - 1; j < n; j++) A(i, j) -= f * A(m, j);
      for (int j = 0; j < n; j++) A(j, m) += f * A(j, i);
      A(i, m - 1) = 0;
    }
  }
}

// The eigenvalues of the 2 x 2 block that begins at k.
static void pair(int n, const double *a, int k, double *re, double *im) {
  double half = 0.5 * (A(k, k) - A(k + 1, k + 1)), mean = 0.5 * (A(k, k) + A(k + 1, k + 1)),
         d = half * half + A(k, k + 1) * A(k + 1, k);
  if (d >= 0) {
    double big = mean + copysign(sqrt(d), mean), product = A(k, k) * A(k + 1, k + 1) - A(k, k + 1) * A(k + 1, k);
    re[k] = big;
    re[k + 1] = big != 0 ? product / big : 0;
    im[k] = im[k + 1] = 0;
  } else {
    re[k] = re[k + 1] = mean;
    im[k] = sqrt(-d);
    im[k + 1] = -im[k];
  }
}

// P = I - 2 v v^T/(v^T v) with P x parallel to e_1, x [m], m = 2 or 3; 0: x is 0. v in place of x, *scale = 2/(v^T v).
static int reflector(int m, double *x, double *scale) {
  double size = 0, sum = 0;
  for (int i = 0; i < m; i++) size = fmax(size, fabs(x[i]));
  if (!(size > 0)) return 0;
  for (int i = 0; i < m; i++) { x[i] /= size; sum += x[i] * x[i]; }
  double norm = copysign(sqrt(sum), x[0]);
  *scale = 1 / (sum + norm * x[0]);
  x[0] += norm;
  return 1;
}

// P on rows and columns k ... k+m-1 of the matrix.
typedef struct reflection { int k, m; const double *v; double scale; } reflection;

// Of columns `from` ... `last`, and of rows up to `to`.
static void reflect(int n, double *a, const reflection *P, int from, int last, int to) {
  int k = P->k, m = P->m;
  for (int j = from; j <= last; j++) {
    double sum = 0;
    for (int i = 0; i < m; i++) sum += P->v[i] * A(k + i, j);
    for (int i = 0; i < m; i++) A(k + i, j) -= P->scale * sum * P->v[i];
  }
  for (int j = 0; j <= to; j++) {
    double sum = 0;
    for (int i = 0; i < m; i++) sum += P->v[i] * A(j, k + i);
    for (int i = 0; i < m; i++) A(j, k + i) -= P->scale * sum * P->v[i];
  }
}

// One double step on rows and columns lo ... hi; sum and product of the shifts.
static void francis(int n, double *a, int lo, int hi, double s, double t) {
  double x[3] = { A(lo, lo) * A(lo, lo) + A(lo, lo + 1) * A(lo + 1, lo) - s * A(lo, lo) + t,
                  A(lo + 1, lo) * (A(lo, lo) + A(lo + 1, lo + 1) - s), A(lo + 1, lo) * A(lo + 2, lo + 1) };
  for (int k = lo; k < hi; k++) {
    int m = k + 2 <= hi ? 3 : 2;
    double scale;
    if (reflector(m, x, &scale))
      reflect(n, a, &(reflection){ k, m, x, scale }, k > lo ? k - 1 : lo, hi, k + 3 < hi ? k + 3 : hi);
    for (int i = k + 1; k > lo && i < k + m; i++) A(i, k - 1) = 0;
    for (int i = 0; i < 3; i++) x[i] = k + 1 + i <= hi ? A(k + 1 + i, k) : 0;
  }
}

int nsm_la_eigenvalues(int n, double *a, double *re, double *im) {
  double size = 0, sum = 0;
  for (int i = 0; i < n * n; i++) sum += a[i];
  if (!isfinite(sum)) return 0;
  to_hessenberg(n, a);
  for (int j = 0; j < n; j++) for (int i = 0; i <= j + 1 && i < n; i++) size = fmax(size, fabs(A(i, j)));
  if (!isfinite(size)) return 0;
  for (int hi = n - 1, turn = 0; hi >= 0;) {
    int lo = hi;
    for (; lo > 0; lo--) {
      double near = fabs(A(lo, lo)) + fabs(A(lo - 1, lo - 1));
      if (fabs(A(lo, lo - 1)) <= DBL_EPSILON * (near > 0 ? near : size)) { A(lo, lo - 1) = 0; break; }
    }
    if (lo == hi) { re[hi] = A(hi, hi); im[hi--] = 0; turn = 0; continue; }
    if (lo == hi - 1) { pair(n, a, lo, re, im); hi -= 2; turn = 0; continue; }
    if (turn++ == TURNS) return 0;
    double s = A(hi - 1, hi - 1) + A(hi, hi), t = A(hi - 1, hi - 1) * A(hi, hi) - A(hi - 1, hi) * A(hi, hi - 1);
    if (turn % EXCEPTION == 0) {
      double w = fabs(A(hi, hi - 1)) + fabs(A(hi - 1, hi - 2));
      s = 1.5 * w;
      t = w * w;
    }
    francis(n, a, lo, hi, s, t);
  }
  return 1;
}
