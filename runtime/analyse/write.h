// What an analysis writes: JSON, or CSV where the file is called so.
#pragma once
#include "analyse.h"
#include <stdio.h>

void  analysis_number(FILE *f, double x);                     // "null" where it is not finite
void  analysis_text(FILE *f, const char *text);               // "text" in JSON
// The rows of a matrix of JSON, by columns [m, n]; order [n]: which column stands where; NULL.
void  analysis_matrix(FILE *f, int m, int n, const double *a, const int *order);
int   analysis_is_csv(const analysis *a);
FILE *analysis_open(const analysis *a, nsm_error *e);         // NULL with the reason
nsm_code analysis_close(const analysis *a, FILE *f, nsm_code code, nsm_error *e);
