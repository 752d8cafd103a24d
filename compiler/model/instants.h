// Instants that depend on time alone.
#pragma once
#include "model.h"

// The model of a run whose steps end where a function of time alone jumps or has a kink (docs/numerics/events.md, 8);
// m itself where there is none. Warned of (W0845): those of indices whose bounds depend on other indices.
const Model *with_instants(Arena *a, const Model *m, DiagBag *bag);
