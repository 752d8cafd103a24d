// Small linear systems that need not be square or regular, for the two enumerations.
#include "solver.h"
#include <float.h>
#include <math.h>

enum { SWEEPS = 12 };

// Half of the exponent of x, towards zero.
static int half_exponent(double x) {
  int e = 0;
  if (x > 0 && x < HUGE_VAL) frexp(x, &e);
  return e / 2;
}

// Rows and columns := multiples of themselves with largest entry near 1 (powers of 2: no round-off; Ruiz 2001). A x = b
// becomes (R A C) (x / C) = R b; by_column: exponents of C.
static void equilibrate(const nsm_rectangular *s, int *by_column) {
  int rows = s->rows, columns = s->columns, stride = s->stride;
  double *A = s->A;
  for (int j = 0; j < columns; j++) by_column[j] = 0;
  for (int sweep = 0, moved = 1; sweep < SWEEPS && moved; sweep++) {
    int row[NSM_PLANAR_MAX], column[NSM_PLANAR_MAX];
    moved = 0;
    for (int i = 0; i < rows; i++) {
      double largest = 0;
      for (int j = 0; j < columns; j++) largest = fmax(largest, fabs(A[i * stride + j]));
      moved |= row[i] = half_exponent(largest);
    }
    for (int j = 0; j < columns; j++) {
      double largest = 0;
      for (int i = 0; i < rows; i++) largest = fmax(largest, fabs(A[i * stride + j]));
      moved |= column[j] = half_exponent(largest);
      by_column[j] -= column[j];
    }
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) A[i * stride + j] = ldexp(A[i * stride + j], -row[i] - column[j]);
      s->b[i] = ldexp(s->b[i], -row[i]);
      s->terms[i] = ldexp(s->terms[i], -row[i]);
    }
  }
}

// The next pivot: where an equation has one unknown left, that one, so that what it says holds to the last bit (an
// unknown that is 0 is 0, and not the rounding of other rows, of which the verifier could make nothing); else the
// largest entry.
static void next_pivot(int rank, int rows, int columns, const double *A, int stride, int *r, int *c) {
  *r = *c = rank;
  for (int i = rank; i < rows; i++)
    for (int j = rank; j < columns; j++)
      if (fabs(A[i * stride + j]) > fabs(A[*r * stride + *c])) { *r = i; *c = j; }
  double enough = 1.0 * fabs(A[*r * stride + *c]);
  for (int i = rank; i < rows; i++) {
    int left = 0, at = rank;
    for (int j = rank; j < columns; j++)
      if (A[i * stride + j] != 0) { left++; at = j; }
    if (left == 1 && fabs(A[i * stride + at]) >= enough) { *r = i; *c = at; return; }
  }
}

// By Gauss with complete pivoting after equilibration; pivots below 1e-13 count as zero, unknowns without a pivot are
// zero. Returns 0 where the rows left over are inconsistent by more than 1e-9 of the largest terms of a right-hand
// side. *doubtful := 1 (else as it was) where a pivot lies between 1e-14 and 1e-8, so that the rank is not certain, or
// where x is too large or too small for a double: nothing can be proved by such a system.
int nsm_cone_solve_rectangular(const nsm_rectangular *s, int *doubtful) {
  int order[NSM_PLANAR_MAX], by_column[NSM_PLANAR_MAX], rank = 0, rows = s->rows, columns = s->columns,
      stride = s->stride;
  double largest = 0, *A = s->A, *b = s->b, *x = s->x;
  equilibrate(s, by_column);
  for (int j = 0; j < columns; j++) { order[j] = j; x[j] = 0; }
  for (int i = 0; i < rows; i++) largest = fmax(largest, fmax(fabs(b[i]), s->terms[i]));
  for (; rank < rows && rank < columns; rank++) {
    int r, c;
    next_pivot(rank, rows, columns, A, stride, &r, &c);
    double pivot = fabs(A[r * stride + c]);
    if (pivot > 1e-14 && pivot < 1e-8) *doubtful = 1;
    if (!(pivot > 1e-13)) break;
    for (int j = 0; j < columns; j++) {
      double t = A[r * stride + j];
      A[r * stride + j] = A[rank * stride + j];
      A[rank * stride + j] = t;
    }
    { double t = b[r]; b[r] = b[rank]; b[rank] = t; }
    for (int i = 0; i < rows; i++) {
      double t = A[i * stride + c];
      A[i * stride + c] = A[i * stride + rank];
      A[i * stride + rank] = t;
    }
    { int t = order[c]; order[c] = order[rank]; order[rank] = t; }
    for (int i = rank + 1; i < rows; i++) {
      double f = A[i * stride + rank] / A[rank * stride + rank];
      if (f == 0) continue;
      for (int j = rank; j < columns; j++) A[i * stride + j] -= f * A[rank * stride + j];
      b[i] -= f * b[rank];
    }
  }
  for (int i = rank; i < rows; i++)
    if (!(fabs(b[i]) <= 1e-9 * largest)) return 0;
  for (int i = rank - 1; i >= 0; i--) {
    double sum = b[i];
    for (int j = i + 1; j < rank; j++) sum -= A[i * stride + j] * x[order[j]];
    x[order[i]] = sum / A[i * stride + i];
  }
  for (int j = 0; j < columns; j++) {
    int something = x[j] != 0;
    x[j] = ldexp(x[j], by_column[j]);
    if (something && !(fabs(x[j]) >= DBL_MIN && fabs(x[j]) < HUGE_VAL)) *doubtful = 1;
  }
  return 1;
}
