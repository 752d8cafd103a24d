// Charts as SVG for papers: lines over a column, and a map of colours over two.
#pragma once
#include "../base/text.h"
#include "table.h"

// A line, or points; without a name, "", it is not in the legend. Texts and numbers are the caller's.
typedef struct ChartSeries { const char *name; const double *x, *y; long n; bool points; } ChartSeries;

void chart_series(const char *x, const char *y, const ChartSeries *s, int n, Text *out);
void chart_lines(const Table *t, int x, const int *y, int ny, Text *out);
// z over the values of x and y that occur; where several rows have the same, the last one is shown.
void chart_map(const Table *t, int x, int y, int z, Text *out);
