// Sparse linear systems of small dense blocks, as bodies on joints have: one block for each node of a graph and one
// each way for each edge, in padded columns so that all work is along whole vectors. No pivots are sought: meant for
// matrices near to symmetric positive definite ones, whose pivots are positive, and that is proved. Chains and trees
// have no fill-in: factors and solves are O(nodes).
//
//   analyse   the order [approximate minimum degree, sparse.h] and the places of the blocks
//   factor    A = L D U by blocks, D inverted
//   solve     x := A^-1 x
//
// Several matrices may share one analysis: the values are the caller's. All sums are taken in a fixed order.
#pragma once
#include "sparse.h"

enum { NSM_BLOCK_LANES = 4, NSM_BLOCK_MOST = 32 };    // numbers of a vector; rows of the largest block
// Rows of a block of n unknowns with those that fill its last vector; these are 0 in every value and vector.
static inline int nsm_block_room(int n) { return (n + NSM_BLOCK_LANES - 1) / NSM_BLOCK_LANES * NSM_BLOCK_LANES; }

typedef struct nsm_blocks {
  int     n;                 // nodes
  int    *size, *at;         // [n] unknowns; [n+1] where a node begins in a vector, which has room(size) places for it
  int    *order, *rank;      // [n] nodes as they are eliminated, and the inverse
  size_t *start;             // [n+1] by rank: for each node the later ones that it is coupled with, in their order
  int    *later;             // [start[n]]
  size_t *diagonal;          // [n] place of A_kk in the values, by node
  size_t *lower, *upper;     // [start[n]] places of A_jk and A_kj, j = later[e]
  size_t  values;
} nsm_blocks;

// size [n], at most NSM_BLOCK_MOST; neighbours of i are neighbour[start[i] .. start[i+1]), both ways, also more than
// once. NULL where there is not enough memory.
nsm_blocks *nsm_blocks_analyse(int n, const int *size, const int *start, const int *neighbour,
                               const nsm_la_memory *memory);
// Place of block (row, col), nodes of the pattern: columns of room(size[row]) numbers.
size_t nsm_blocks_place(const nsm_blocks *b, int row, int col);
// A in place by its factors. -1; or the node of the first pivot that is not above `small` times what it was before its
// block was inverted, or not above 0.
int  nsm_blocks_factor(const nsm_blocks *b, double *A, double small);
void nsm_blocks_solve(const nsm_blocks *b, const double *A, double *x);

// A := A^-1, n columns of room(n), by the same rule; 0 where a pivot is too small.
int nsm_block_invert(int n, double *A, double small);
