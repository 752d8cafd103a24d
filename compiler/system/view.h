// What `nsm derive` shows, as a list of named vectors and matrices; the printers walk it.
#pragma once
#include "expand.h"

typedef struct Matrix {
  const char *name, *latex;      // "M", "M"; "K_t" , "K_t"
  const char *meaning;           // "mass matrix"
  int rows, cols;
  const Ex *at;                  // row-major; EX_NONE: 0
  const char *kind;              // "identity" and the like for short forms; NULL
} Matrix;

typedef struct View {
  const System *sys;
  const Expanded *x;             // NULL: too large to write out
  int nq; int *q;                // symbols of the positions: coordinates but for turns, then attitudes
  const int *u;                  // with bodies: symbols of the velocities [x->nq]; NULL where they are q'
  Matrix *first; int nfirst;     // first-order part: M, A, B, C, D, K, f where not linear
  Matrix *second; int nsecond;   // mechanical part
  Matrix *coupling; int ncoupling;
} View;

View make_view(Arena *a, const System *s);
