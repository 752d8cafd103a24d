// Results and what is said about them. The only header of this folder that others include.
//
//   csv.c         rows of numbers to a file, in large writes, with a count of what really arrived
//   number.c      a double with 17 significant digits, as printf("%.17g") gives it
//   statistics.c  min, max, mean, ... of outputs over a run, for the claims of a model
//   units.c       "3 mm" as a number in SI
#pragma once
#include <stdio.h>
#include "runtime/nsm_run.h"
#include "runtime/shared/unit.h"

// ---- numbers --------------------------------------------------------------------------------------------------------
enum { NSM_NUMBER_ROOM = 32 };
int nsm_number(double x, char *out);                       // returns the length; not terminated

// ---- CSV (RFC 4180, lines end with \n) ------------------------------------------------------------------------------
// The writer owns nothing: file and buffer are the caller's. error: errno of the first write that failed, 0 else.
enum { NSM_CSV_BUFFER = 1 << 17 };
// Nothing is buffered between the writer and the file, so `lines` is what stands there; a row that was cut short is
// taken back where the file allows it.
typedef struct nsm_csv {
  FILE  *file;
  char  *buffer;
  size_t used, part;                                       // part: bytes of the row under way that the file has
  long   lines;                                            // complete lines that the file took
  int    error;
} nsm_csv;
void nsm_csv_text(nsm_csv *w, const char *field, int last);// quoted where it must be
void nsm_csv_row(nsm_csv *w, const double *row, const int *column, int n);
void nsm_csv_flush(nsm_csv *w);

// ---- statistics -----------------------------------------------------------------------------------------------------
// outside: the time of an `at` lies before the start or, while the run goes on, still ahead
typedef struct nsm_statistic {
  double value, start, previous, t_start, t_previous, time;
  int    done, outside;
} nsm_statistic;
// One statistic, NSM_STAT_..., of a value y at time t: at the start (time: of an `at`), after a step, its result.
void   nsm_statistic_start(nsm_statistic *a, int kind, double time, double y, double t, double step);
void   nsm_statistic_step(nsm_statistic *a, int kind, double y, double t);
double nsm_statistic_end(const nsm_statistic *a, int kind);
int    nsm_statistic_follows(const nsm_statistic *a, int kind);    // does it need values to come?
// Before this time it needs the last value alone; -inf: it needs each.
double nsm_statistic_idle(const nsm_statistic *a, int kind);

// ---- reading numbers with units -------------------------------------------------------------------------------------
// nsm_read_quantity (include/nsm.h) without an expectation: *has_unit says whether there is a unit, and *unit which.
const char *nsm_read_any_quantity(const char *text, double *value, int *has_unit, nsm_unit *unit);
