// Switches of `if`, where events are located.
#pragma once
#include "model.h"

// The model of a run that locates its events: conditions of `if` in equations and forces are discrete variables that
// change at located instants. located: of the command line, 1 or -1; 0: as the model says. Conditions that cannot be
// located are warned of (W0845).
// kinks: of abs, min, max, sign and floor too, and of energies, which a scheme of higher order needs; it locates unless
// it is told not to, and then branches are no columns of the results.
const Model *with_switches(Arena *a, const Model *m, int located, bool kinks, DiagBag *bag);
