// The linear model at a point: x' = A x + B u, y = C x + D u, on the active set. docs/answers.md, 7
#pragma once
#include "field.h"
#include "lapack.h"

typedef struct linear {
  int     n, nu, ny;                    // states, inputs, outputs
  double *A, *B, *C, *D;                // by columns
  int    *state;                        // [n] columns of the field: delta, v, x
  double *all;                          // [columns of the field - 1, n]: delta, v, x, lambda of a state
  double *E, *J;                        // [n, n] of the pencil E y' = J y
  double *base;                         // [columns of the field - 1, n]: delta, v, x, lambda of y
  int     dropped, shared;              // columns that laws determine; rows that others imply: no force
  int     rates;                        // an input acts by its rate: E w' = A w + B u, y = C w + D u of all columns
} linear;

// outputs [ny] columns of results. input [f->p->np] of field_inputs. NSM_FAILED with the reason; where it is that an
// input acts by its rate, l->rates may be asked for: then the pencil is kept.
nsm_code linear_make(linear *l, field *f, const nsm_lapack *la, const int *output, int ny, int rates, nsm_error *e);
void     linear_free(linear *l);
// A row that is on the edge of its law, where there are several linear models; -1: none.
int      linear_weak(const field *f);
// kink.c: the column (delta, v, x) along which the equations have a kink at the point, likewise; -1: none. 0: failed
int      linear_kink(field *f, int *column, nsm_error *e);

// Eigenvalues [n] of the model, sorted: |lambda|, then Im, rising; V [columns of the field - 1, n], of a pair its real
// and its imaginary part, the largest displacement or state 1.
typedef struct modes { int n; double *re, *im, *V; } modes;
nsm_code modes_make(modes *m, const linear *l, const field *f, const nsm_lapack *la, nsm_error *e);
void     modes_free(modes *m);
