// Linear least squares, and Student's distribution: what a fit needs.
#pragma once

// min |A x - b| by Householder's reflections [Golub and Van Loan 2013, 5.2]; A [m, n] by columns and b [m] are lost,
// m >= n. Returns the smallest |R_ii| beside the length of its column: 0 where columns depend on each other, and there
// is no x.
double least_squares(int m, int n, double *A, double *b, double *x);
// (A^T A)^-1 [n, n] from the R that least_squares left in A.
void   least_covariance(int m, int n, const double *A, double *C);
// The t with P(|T| <= t) = p of `freedom` degrees.
double student_quantile(double p, double freedom);
