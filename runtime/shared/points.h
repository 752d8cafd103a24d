// Reads a file of points: a first line with the names of the columns, then a line of numbers for each point, as many as
// there are names; the first column rises. The first line says what separates: semicolons, tabs, or else commas. Empty
// lines are skipped.
#pragma once
#include <stddef.h>

typedef struct nsm_points_error {
  size_t lo, hi;                        // where in the text
  int    row, column;                   // from 1; row 1 has the names; 0: the whole file
  const char *what;
} nsm_points_error;

// x, y [lines of the text]: the first column, and the one called `name` (NULL: the second). How many points, 0: see e.
int nsm_points_read(const char *text, size_t n, const char *name, double *x, double *y, nsm_points_error *e);
// Of a file of measurements: the times are in column `time`, wherever it is (NULL: there are none, and no x), rows
// without a value are passed over, and one is enough.
int nsm_points_measured(const char *text, size_t n, const char *time, const char *name, double *x, double *y,
                        nsm_points_error *e);
// The first name of the first line (name NULL), or the one that is `name`, or `name` with a unit in brackets behind it,
// as "u [mV]", into whole. 0: there is none, or it is longer.
int nsm_points_name(const char *text, size_t n, const char *name, char *whole, size_t size);
// Numbers x [count] of a column whose name ends with a unit in brackets, into SI; wanted: the unit of what it is for,
// or "". 1: done; 0: it has none, as x[2]; -1: the unit is not known; -2: it has another dimension.
int nsm_points_in_si(const char *name, const char *wanted, double *x, int count);
int nsm_points_lines(const char *text, size_t n);
// What separates the cells of a first line that ends at `end`.
char nsm_points_comma(const char *text, size_t end);
