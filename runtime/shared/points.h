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
// The numbers of a column in their order: cells without one are passed over.
int nsm_points_numbers(const char *text, size_t n, const char *name, double *y, nsm_points_error *e);
// The first name of the first line (name NULL), or the one that is `name` with a unit in brackets behind it: "u [mV]",
// into whole. 0: there is none, or it is longer.
int nsm_points_name(const char *text, size_t n, const char *name, char *whole, size_t size);
int nsm_points_lines(const char *text, size_t n);
// What separates the cells of a first line that ends at `end`.
char nsm_points_comma(const char *text, size_t end);
