// Derivatives of computed variables by states, inputs and tunable parameters; for model exchange alone.
#pragma once
#include "exchange.h"

// An array stands for its elements. Along a direction: seed [elements of knowns], out [elements of unknowns]; adjoint:
// the other way round.
typedef struct fmi_derivative {
  const uint32_t *unknown, *known;
  size_t nunknown, nknown;
  const double *seed;
  int adjoint;
} fmi_derivative;
// 0: with the reason; of code NSM_FAILED where the model has no derivative at this point. The instance is as it was.
int fmi_derive(fmi_component *c, const fmi_derivative *of, double *out);
