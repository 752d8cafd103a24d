// Sparse linear systems A x = b with a symmetric pattern: one direct solver for all of the runtime.
//
//   analyse   the order, the fronts and the room, from the pattern alone                     sparse_analyse.c
//   place     where an entry of A stands in the values
//   factor    LU by fronts, as often as the values change                                   sparse_factor.c
//   solve     x := A^-1 x from the last factors                                             sparse_solve.c
//
// These are the functions of an interface to linear systems [O'Donoghue et al. 2016, linsys.h of SCS]; the memory is
// the caller's. The order
// is that of approximate minimum degree (sparse_order.c). All sums are taken in a fixed order: the same digits on every
// processor.
#pragma once
#include <stddef.h>

// Where memory comes from and goes to: take gives zeroed memory or NULL, give takes back what take gave (NULL: never).
typedef struct nsm_la_memory {
  void *(*take)(void *of, size_t bytes);
  void (*give)(void *of, void *memory);
  void *of;
} nsm_la_memory;

// A front eliminates its own unknowns, neighbours in the order, and hands what is left on its border to its parent.
typedef struct nsm_sparse_front {
  int    first, own;         // unknowns first ... first + own - 1 of the order
  int    border, children;   // rows of the border; fronts whose contributions it takes off the stack
  size_t list, at;           // places of the border in `index`, of the factors in `factor`
} nsm_sparse_front;

typedef struct nsm_sparse {
  int     n;                 // unknowns
  int    *order, *place;     // [n] unknown of each place in the order, and its inverse
  size_t *start;             // [n+1] of the pattern: for each place the later ones that it is coupled with, ascending
  int    *later;             // [start[n]]
  size_t  values;            // entries of A as factor() reads them: n + 2 start[n]
  int     fronts, most_rows; // the largest front
  nsm_sparse_front *front;   // [fronts] children before parents
  int    *index;             // places of the borders, ascending in each
  size_t  factor_size, stack_size;   // doubles
  double  work;              // multiplications of a factorization
  // numbers
  double *factor, *stack, *dense;    // factors; contributions that wait; the front at hand
  double *x, *border;        // [4 n], [4 most_rows]: numbers of NSM_SPARSE_LANES right-hand sides
  int    *pivot, *local;     // [n] rows exchanged within a front; place of a row in the front at hand
  int    *waiting;           // [fronts]
  int     dropped;           // pivots that vanished in the last factorization and were left out
} nsm_sparse;

// From the graph of the pattern: neighbours of i are neighbour[start[i] .. start[i+1]), both ways, in any order, also
// more than once. node [n] or NULL: unknowns of the same node are eliminated together, so that pivots are sought among
// them; nodes are numbered from 0. NULL where there is not enough memory.
nsm_sparse *nsm_sparse_analyse(int n, const int *start, const int *neighbour, const int *node,
                               const nsm_la_memory *memory);
// Gives all of it back.
void nsm_sparse_free(nsm_sparse *s, const nsm_la_memory *memory);
// Place of entry (row, col) in the values; it must be in the pattern.
size_t nsm_sparse_place(const nsm_sparse *s, int row, int col);
int    nsm_sparse_has(const nsm_sparse *s, int row, int col);   // is it?

// How pivots are chosen: the largest of the front's own rows; or the diagonal as it comes, where `pivots` [n] takes
// them by unknown: of a positive definite matrix they are positive, and that is proved.
typedef enum { NSM_SPARSE_PIVOTS, NSM_SPARSE_DIAGONAL } nsm_sparse_rule;
// Factors of the matrix with these values. A pivot of at most `small` times the largest entry of its column of A counts
// as zero. -1; or the unknown of the first such pivot, and the factors are of no use. With drop such unknowns are left
// out instead: they are 0 in every solution, and their equations are not looked at (a basic solution where equations
// depend on each other), and NSM_SPARSE_DROPPED is their pivot.
#define NSM_SPARSE_DROPPED 0x1p1000
int nsm_sparse_factor(nsm_sparse *s, const double *values, nsm_sparse_rule rule, double small, int drop,
                      double *pivots);
// x := A^-1 x, [n].
void nsm_sparse_solve(const nsm_sparse *s, double *x);
// The same of several right-hand sides at once, to which it gives other digits than one by one.
enum { NSM_SPARSE_LANES = 4 };
void nsm_sparse_solve_lanes(const nsm_sparse *s, double *const x[NSM_SPARSE_LANES]);
// y += factor A x with the values that factor() would read, [n].
void nsm_sparse_multiply(const nsm_sparse *s, const double *values, double factor, const double *x, double *y);

// A_ij := A_ij by_i by_j
void nsm_sparse_scale(const nsm_sparse *s, double *values, const double *by);
// Scales rows, then columns, of A to a largest entry of 1: A_ij rows_i columns_j; rows, columns [n] out, by unknown.
void nsm_sparse_balance(const nsm_sparse *s, double *values, double *rows, double *columns);
// AB := the matrix with these values as a band of half width `reach` (la.h), ldab >= 3 reach + 1.
void nsm_sparse_expand_band(const nsm_sparse *s, const double *values, int reach, int ldab, double *AB);
// A [n, n] := the same, dense.
void nsm_sparse_expand(const nsm_sparse *s, const double *values, double *A);

// An order of elimination of n nodes with weights (unknowns of each), by approximate minimum degree. count of pivots;
// pivot [count]: the node; own, border [count]: unknowns that it eliminates and that it is left coupled with; parent
// [count]: its element goes into that of pivot number parent, -1 for none; of [n]: number of the pivot that eliminates
// each node. -1: not enough memory.
typedef struct nsm_elimination { int count; int *pivot, *own, *border, *parent, *of; } nsm_elimination;
int nsm_sparse_order(int n, const int *start, const int *neighbour, const int *weight, nsm_elimination *e,
                     const nsm_la_memory *memory);
