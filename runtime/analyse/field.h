// The equations of a model at one point, at rest or moving, with what holds of each law there. docs/answers.md, 7
//
//     E (v', x') = F(t, q, v, x, lambda) + H^T lambda,    0 = law_i(t, q, v, x, lambda)                          (1)
//
// q moves from the point by delta [nv], q' = B(q) v, so that delta' = v at delta = 0. Derivatives are by dual numbers.
#pragma once
#include "runtime/answers/play.h"

// What a row has for its equation: no force; its gap, its rate or its output is 0; friction at its limit, against the
// slip or in a direction that is given; its multiplier is at a bound.
typedef enum { FIELD_OPEN, FIELD_GAP, FIELD_RATE, FIELD_SLIDES, FIELD_LIMIT, FIELD_LOW, FIELD_HIGH,
               FIELD_ZERO } field_law;

typedef struct field {
  nsm_sim *s;
  player  *p;                           // kernels, views; after an evaluation gap, y, lo, hi of rows
  int      nv, nx, nz, rows;
  int      n, m;                        // columns delta, v, x, lambda, t; equations: nz, then rows
  double  *q, *v, *x, *l;               // the point: [nq] [nv] [nx] [rows]
  double   t;
  unsigned char *law;                   // [rows] field_law
  double  *way;                         // [rows] of FIELD_LIMIT: force over its limit
  double  *r, *J, *E;                   // [m], [m, n] by columns: of law - F; [nz, nz] by columns: inertia
  double  *B;                           // [m, p->np] by columns: of the same by parameters, field_inputs
  dual    *delta, *dq, *dz, *dl, *eq;
  unsigned char *none;                  // [rows] zeros
  double  *ones;                        // [classes]
} field;

// The start of s. names [npar]: parameters that field_inputs derives by; columns npar ... np - 1 of B are for inputs of
// the model (field_vary_input). 0 with the reason.
typedef struct field_given { const play_name *names; int npar, np; } field_given;
int  field_open(field *f, nsm_sim *s, dual_kernel *run, void *with, const field_given *by, nsm_error *e);
void field_vary_input(field *f, int column, int input);
void field_close(field *f);
int  field_evaluate(field *f, nsm_error *e);               // r, J, E at the point
int  field_values(field *f, double *r, nsm_error *e);      // r [m] alone
int  field_inputs(field *f, nsm_error *e);                 // B
void field_move(field *f, const double *delta);            // q moves
// Output columns: value, d by columns delta, v, x, lambda, t [n]; by parameters [np], either may be NULL.
double field_column(field *f, int column, double *d, double *by);
// "q", "v", "x" number i of columns delta, v, x, lambda: the name of column j.
void field_name(const field *f, int j, char *to, size_t size);
