// Systems of equations with a known sparsity, unrolled: Gaussian elimination without pivoting, in an order that fills
// little. Where a pivot is too small the answer is of no use, and whoever asks looks at the residual.
#pragma once
#include "step.h"

// A [n, n] by rows, K_NONE where zero; is overwritten. b [n] := A^-1 b. The first `first` unknowns are eliminated first.
// The condition that no later pivot is what rounding left of its terms; K_NONE: there are none.
KValue solve_unrolled(Step *p, int n, int first, KValue *A, KValue *b);
// The condition that the symmetric A [n, n] is positive definite, as runtime/mass.c asks. A stays as it is.
KValue definite_unrolled(Step *p, int n, const KValue *A);
