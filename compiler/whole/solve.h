// Systems of equations with a known sparsity, unrolled: Gaussian elimination without pivoting, in an order that fills
// little. Where a pivot is too small the answer is of no use, and whoever asks looks at the residual.
#pragma once
#include "step.h"

// Of A [n, n] by rows, K_NONE where zero: an order of elimination, the first `first` unknowns before the others, and
// after it A as factors, inverse pivots apart. Two unknowns in a row that are coupled are eliminated at once, by the
// inverse of their block: one division in place of two that wait for each other. pair [n], by place in the order: it
// and the next are such a block, whose inverse has its diagonal in `inverse` and the rest in A. What is multiplied by
// 1/d, d its determinant, waits for a division, so that comes last: of a block at the end A and `inverse` have d times
// the inverse, and `last` is 1/d (else K_NONE). Names begin with `tag`.
typedef struct Factors { int n, *order; bool *pair; KValue *A, *inverse, last; } Factors;

// Is there such an order? Asked before the others are called.
bool factors_exist(Arena *a, int n, int first, const bool *pattern);
// Inside of the block at hand. *good: the condition that no later pivot is what rounding left of its terms; K_NONE
// where there are none.
Factors factor_unrolled(Step *p, const char *tag, int n, int first, const KValue *A, KValue *good);
void    solve_unrolled(Step *p, const char *tag, const Factors *f, KValue *b);      // b [n] := A^-1 b; K_NONE: 0
// The factors in variables, so that other blocks can use them: declared before (from the pattern that factor_unrolled
// gives for the same pattern), set, gotten.
Factors factors_declare(Step *p, const char *tag, int n, int first, const bool *pattern);
void    factors_set(Step *p, const Factors *variables, const Factors *f);
Factors factors_get(Step *p, const char *tag, const Factors *variables);
// The condition that the symmetric A [n, n] is positive definite, as runtime/assembly/mass.c asks.
KValue definite_unrolled(Step *p, int n, const KValue *A);
