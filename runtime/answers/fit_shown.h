// What a fit has found, for a page of it. All of it belongs to the fit; numbers are in the units that are shown.
#pragma once

typedef struct fit_shown_value { const char *name, *unit; double value, sd, lo, hi; int held; } fit_shown_value;

// A column that is matched, with the data of one file, or times of impacts over their numbers; and of a column the run
// that comes nearest, step by step.
typedef struct fit_shown_column {
  char    name[280];
  const char *unit, *path;
  int     events, n, nline;
  double *x, *data, *model, *sigma, *t, *line;
} fit_shown_column;

typedef struct fit_shown_start { double rss; int converged, iterations; } fit_shown_start;
// best, least: the value that was found, and the sum there.
typedef struct fit_shown_profile {
  const char *name;
  int n;
  const double *value, *rss;
  double best, least, lo, hi;
} fit_shown_profile;

typedef struct fit_shown {
  const char *model;
  int points, freedom, iterations, agree;
  double rss;
  const char *note;                     // what the data do not tell; "" where they do
  const double *covariance;             // [nvalue, nvalue]; 0 where a value is held
  int nvalue;   fit_shown_value   *value;
  int ncolumn;  fit_shown_column  *column;
  int nstart;   fit_shown_start   *start;
  int nprofile; fit_shown_profile *profile;
} fit_shown;
