// How the multiplier of a row comes into the derivatives of its output: for printing.
#pragma once
#include "expand.h"

enum { DEGREE_SIZE = 48, DEGREE_CLIP = 3, MAX_DEGREE = 6 };    // the copy of the system that degrees are found on

typedef struct Chain { int n; const char **text; } Chain;

// y, y', ... up to the relative degree of the row's class
Chain  chain_of_row(Arena *a, const Expanded *x, int r);
Chain *derivative_chains(Arena *a, const System *s);   // [ncls] of the first row of each class; n = 0: not known
