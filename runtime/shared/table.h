// Functions given by points: what `table`, `spline` and inputs from files are made of. Used by the compiler (slopes of
// splines) and by the runtime.
//
// data: [0] number n of points, [1] NSM_TABLE_HOLD, LINEAR or CUBIC, [2] 1: periodic with period x[n-1] - x[0]; then
// x[n], rising; y[n]; slope[n] of CUBIC.
#pragma once

enum { NSM_TABLE_HOLD = 0, NSM_TABLE_LINEAR = 1, NSM_TABLE_CUBIC = 3, NSM_TABLE_HEAD = 3 };

// times = 0, 1, 2, 3: derivative of this order at a. times = 10 m + n: the divided difference over m times a and n
// times b; of a cubic for m + n <= 6. NaN where a or b is.
// times = -1: the number of the interval that a lies in.
double nsm_table_value(const double *data, double a, double b, double times);
// Slopes of a monotone cubic [Fritsch, Carlson 1980]; slope [n].
void   nsm_table_slopes(int n, const double *x, const double *y, int periodic, double *slope);
