// Small linear systems that need not be square or regular, for the two enumerations.
#include "solver.h"
#include <math.h>

// A x = b, rows x columns (A by rows, `stride` apart; at most NSM_PLANAR_MAX each), by Gauss with complete pivoting; pivots below 1e-13 of the largest entry count as zero, unknowns without a
// pivot are zero. Returns 0 where the rows left over are inconsistent by more than 1e-9 of the largest right-hand side.
int nsm_cone_solve_rectangular(int rows, int columns, double *A, int stride, double *b, double *x) {
  int order[NSM_PLANAR_MAX], rank = 0;
  double largest = 0, b_max = 0;
  for (int j = 0; j < columns; j++) { order[j] = j; x[j] = 0; }
  for (int i = 0; i < rows; i++) {
    b_max = fmax(b_max, fabs(b[i]));
    for (int j = 0; j < columns; j++) largest = fmax(largest, fabs(A[i * stride + j]));
  }
  for (; rank < rows && rank < columns; rank++) {
    int r = rank, c = rank;
    for (int i = rank; i < rows; i++)
      for (int j = rank; j < columns; j++)
        if (fabs(A[i * stride + j]) > fabs(A[r * stride + c])) { r = i; c = j; }
    if (!(fabs(A[r * stride + c]) > 1e-13 * largest)) break;
    for (int j = 0; j < columns; j++) { double t = A[r * stride + j]; A[r * stride + j] = A[rank * stride + j]; A[rank * stride + j] = t; }
    { double t = b[r]; b[r] = b[rank]; b[rank] = t; }
    for (int i = 0; i < rows; i++) { double t = A[i * stride + c]; A[i * stride + c] = A[i * stride + rank]; A[i * stride + rank] = t; }
    { int t = order[c]; order[c] = order[rank]; order[rank] = t; }
    for (int i = rank + 1; i < rows; i++) {
      double f = A[i * stride + rank] / A[rank * stride + rank];
      if (f == 0) continue;
      for (int j = rank; j < columns; j++) A[i * stride + j] -= f * A[rank * stride + j];
      b[i] -= f * b[rank];
    }
  }
  for (int i = rank; i < rows; i++)
    if (!(fabs(b[i]) <= 1e-9 * b_max)) return 0;
  for (int i = rank - 1; i >= 0; i--) {
    double s = b[i];
    for (int j = i + 1; j < rank; j++) s -= A[i * stride + j] * x[order[j]];
    x[order[i]] = s / A[i * stride + i];
  }
  return 1;
}
