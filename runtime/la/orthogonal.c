// The pseudo-inverse by a complete orthogonal factorization, A P = Q [T 0; 0 0] Z with T upper triangular: Householder
// reflections with exchanges of columns from the left, then reflections from the right that bring the rows of the
// trapezoid to triangular form; A+ = P Z^T [T^-1 0; 0 0] Q^T. Golub and Van Loan, Matrix Computations, 4th ed. 2013,
// 5.4.2 and 5.4.7. Sums in a fixed order.
#include "la.h"
#include <math.h>
#include <string.h>

// Reflection I - b v v^T that takes x [n], `stride` apart, to (alpha, 0, ..., 0); v = (1, x_2 ...) stays in x behind
// alpha. Returns b.
static double reflect(int n, double *x, int stride) {
  double largest = 0, sum = 0;
  for (int i = 1; i < n; i++) largest = fmax(largest, fabs(x[i * stride]));
  if (!(largest > 0)) return 0;
  largest = fmax(largest, fabs(x[0]));
  for (int i = 0; i < n; i++) sum += x[i * stride] / largest * (x[i * stride] / largest);
  double alpha = x[0] > 0 ? -largest * sqrt(sum) : largest * sqrt(sum), pivot = x[0] - alpha, b = -pivot / alpha;
  for (int i = 1; i < n; i++) x[i * stride] /= pivot;
  x[0] = alpha;
  return b;
}

// y := (I - b v v^T) y; v_0 = 1, the rest `stride` apart; y `by` apart.
static void apply(int n, double b, const double *v, int stride, double *y, int by) {
  double sum = y[0];
  for (int i = 1; i < n; i++) sum += v[i * stride] * y[i * by];
  sum *= b;
  y[0] -= sum;
  for (int i = 1; i < n; i++) y[i * by] -= sum * v[i * stride];
}

static double length(int n, const double *x) {
  double largest = 0, sum = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
  if (!(largest > 0)) return 0;
  for (int i = 0; i < n; i++) sum += x[i] / largest * (x[i] / largest);
  return largest * sqrt(sum);
}

// A P = Q R, A [n, columns]; the scalars of the reflections into beta. Returns how many pivots are above rcond
// times the first.
static int triangular_with_exchanges(int n, int columns, double *A, double rcond, int *jpvt, double *beta) {
  int least = n < columns ? n : columns;
  for (int j = 0; j < columns; j++) jpvt[j] = j;
  for (int k = 0; k < least; k++) {
    int best = k;
    double most = -1;
    for (int j = k; j < columns; j++) {
      double x = length(n - k, A + (size_t)j * (size_t)n + k);
      if (x > most) { most = x; best = j; }
    }
    if (k > 0 && !(most > rcond * fabs(A[0]))) return k;
    if (!(most > 0)) return k;
    for (int i = 0; i < n && best != k; i++) {
      double *a = A + (size_t)k * (size_t)n + i, *b = A + (size_t)best * (size_t)n + i, t = *a;
      *a = *b;
      *b = t;
    }
    int t = jpvt[k];
    jpvt[k] = jpvt[best];
    jpvt[best] = t;
    double *x = A + (size_t)k * (size_t)n + k;
    beta[k] = reflect(n - k, x, 1);
    for (int j = k + 1; j < columns; j++) apply(n - k, beta[k], x, 1, A + (size_t)j * (size_t)n + k, 1);
  }
  return least;
}

int nsm_la_independent(int n, int columns, double *A, double small, int *order, double *work) {
  return n < 1 || columns < 1 ? 0 : triangular_with_exchanges(n, columns, A, small, order, work);
}

int nsm_la_pseudo_inverse_work(int n) { return 3 * n; }

int nsm_la_pseudo_inverse(int n, double *A, double rcond, double *X, int *jpvt, double *work, int lwork) {
  if (n < 1 || lwork < nsm_la_pseudo_inverse_work(n)) return -1;
  double *left = work, *right = work + n, *row = work + 2 * n;
  size_t ld = (size_t)n;
  int rank = triangular_with_exchanges(n, n, A, rcond, jpvt, left);
  // rows of the trapezoid from the last to the first: the entries k, rank, rank + 1, ... of row k to one
  for (int k = rank - 1; k >= 0 && rank < n; k--) {
    double *a = A + k;
    row[0] = a[(size_t)k * ld];
    for (int j = rank; j < n; j++) row[1 + j - rank] = a[(size_t)j * ld];
    right[k] = reflect(n - rank + 1, row, 1);
    for (int i = 0; i < k; i++) {
      double sum = A[i + (size_t)k * ld];
      for (int j = rank; j < n; j++) sum += row[1 + j - rank] * A[i + (size_t)j * ld];
      sum *= right[k];
      A[i + (size_t)k * ld] -= sum;
      for (int j = rank; j < n; j++) A[i + (size_t)j * ld] -= sum * row[1 + j - rank];
    }
    a[(size_t)k * ld] = row[0];
    for (int j = rank; j < n; j++) a[(size_t)j * ld] = row[1 + j - rank];
  }
  for (int c = 0; c < n; c++) {
    double *x = X + (size_t)c * ld;
    memset(x, 0, ld * sizeof(double));
    x[c] = 1;
    for (int k = 0; k < rank; k++) apply(n - k, left[k], A + (size_t)k * ld + k, 1, x + k, 1);
    for (int k = rank - 1; k >= 0; k--) {
      x[k] /= A[k + (size_t)k * ld];
      for (int i = 0; i < k; i++) x[i] -= A[i + (size_t)k * ld] * x[k];
    }
    for (int i = rank; i < n; i++) x[i] = 0;
    for (int k = 0; k < rank && rank < n; k++) {
      double sum = x[k];
      for (int j = rank; j < n; j++) sum += A[k + (size_t)j * ld] * x[j];
      sum *= right[k];
      x[k] -= sum;
      for (int j = rank; j < n; j++) x[j] -= sum * A[k + (size_t)j * ld];
    }
    for (int i = 0; i < n; i++) row[jpvt[i]] = x[i];
    memcpy(x, row, ld * sizeof(double));
  }
  return rank;
}

double nsm_la_orthogonalise(int n, int k, double *V) {
  double *v = V + (size_t)k * (size_t)n, size = 0;
  for (int turn = 0; turn < 2; turn++)
    for (int j = 0; j < k; j++) {
      const double *u = V + (size_t)j * (size_t)n;
      double dot = 0;
      for (int i = 0; i < n; i++) dot += u[i] * v[i];
      for (int i = 0; i < n; i++) v[i] -= dot * u[i];
    }
  for (int i = 0; i < n; i++) size = hypot(size, v[i]);
  return size;
}
