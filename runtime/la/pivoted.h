// LU of a sparse matrix by columns with exchanges of rows, real or complex:
//
//   A(row of place k, column of place k):  P A Q = L U
//
// Q is the caller's, an order that keeps the factors sparse (sparse.h has one); P is found: the largest entry that is
// left of a column is its pivot; of several, that of the row with the column's own number.
// The pattern of a column of the factors is what its entries reach in the graph of L, so that time goes with the
// multiplications [Gilbert and Peierls, SIAM J. Sci. Stat. Comput. 9 (1988) 862-874]. Nothing is said about the pattern
// of A: equations without an entry on the diagonal, and unknowns of no equation of their own, are what it is for.
#pragma once
#include <stddef.h>
#include "sparse.h"

// A by columns: entries start[j] .. start[j+1] of column j; im NULL: real. seen, or NULL: of each entry, whether it was
// not 0 in a matrix that was factored before: such an entry belongs to the pattern where it is 0 as well.
typedef struct nsm_columns {
  int n;
  const int *start, *row;
  const double *re, *im;
  unsigned char *seen;
} nsm_columns;

typedef struct nsm_lu {
  int     n, pairs, complex;         // pairs: room for complex ones; complex: these are
  int     dropped;                   // columns without a pivot: of what the others determine; n: there are no factors
  int    *order;                     // [n] column of each place
  int    *row;                       // [n] row of the pivot of each place; -1: none
  size_t *l_start, *u_start;         // [n + 1]
  double *d[2];                      // [n] pivots, real and imaginary part
  int    *l_at, *u_at;               // rows of L; places of U
  double *l[2], *u[2];
  size_t  l_room, u_room;            // entries
  int     l_grown, u_grown;          // they have blocks of their own
} nsm_lu;

// What a factorization and a solution need besides, of any factors of up to n unknowns.
typedef struct nsm_lu_work {
  int *place, *mark, *stack, *list;  // [n]
  size_t *next;                      // [n]
  double *x[2];                      // [n]
} nsm_lu_work;

// 0: no memory. pairs: room for complex factors too. guess: entries of L, or of U, to begin with. One block is taken,
// which is never given back; where factors grow they have blocks of their own.
int  nsm_lu_open(nsm_lu *f, int n, int pairs, size_t guess, const nsm_la_memory *memory);
// An order of A's columns that keeps the factors sparse, [A->n]: that of the graph of A + A^T (sparse.h; node: as
// there). 0: no memory.
int  nsm_lu_order(const nsm_columns *A, const int *node, int *order, const nsm_la_memory *memory);
int  nsm_lu_work_open(nsm_lu_work *w, int n, const nsm_la_memory *memory);
// Factors of A with columns in this order [A.n], A.n <= n of open. A pivot of at most `small` is none (matrices are
// scaled to entries of at most 1). The columns without a pivot are counted; where there are any the factors serve for
// null vectors only. -1: no memory. Entries that come out as 0 stay in the pattern, so that it is that of all matrices
// with these entries.
int  nsm_lu_factor(nsm_lu *f, const nsm_columns *A, const int *order, double small, nsm_lu_work *w,
                   const nsm_la_memory *memory);
// Of a real A with the pivots of the factors that f has; 0: the pattern of A is another one, a pivot is small beside
// its column, or there are no factors of this kind, and nsm_lu_factor has to make them.
int  nsm_lu_again(nsm_lu *f, const nsm_columns *A, double small, nsm_lu_work *w);
// x := A^-1 x, real and imaginary part; xi is not looked at where the factors are real.
void nsm_lu_solve(const nsm_lu *f, double *xr, double *xi, nsm_lu_work *w);
// Of many right sides at once, real: b [n, lanes] by rows, lanes a multiple of four. Unknown order[k] stands in row
// row[k] afterwards.
void nsm_lu_solve_lanes(const nsm_lu *f, double *b, int lanes);
// Rows of A^-1, real, of the unknowns at `n` ascending places: b [n of A, lanes], b[i, j]: what unknown order[place[j]]
// has of the right side of row i. lanes: n rounded up to sixteen.
void nsm_lu_inverse(const nsm_lu *f, const int *place, int n, double *b, int lanes);
// Null vectors of a real A of which `dropped` columns have no pivot, x [n]: A x = 0, x A = 0; number `which` of them.
void nsm_lu_null_right(const nsm_lu *f, int which, double *x, nsm_lu_work *w);
void nsm_lu_null_left(const nsm_lu *f, int which, double *x, nsm_lu_work *w);
