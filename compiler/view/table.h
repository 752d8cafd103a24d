// A table of numbers from a CSV file as nsm writes them. A field that is no number is NaN.
#pragma once
#include <stdbool.h>
#include "../base/arena.h"

typedef struct Table { int ncolumn; const char **name; long rows; double **value; } Table;   // value[column][row]

// NULL: *why says what is wrong, with the line. path "-": standard input.
const Table *table_read(Arena *a, const char *path, const char **why);
int table_column(const Table *t, const char *name);        // -1: none
