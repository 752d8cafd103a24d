// Switches of `if`, where events are located.
#pragma once
#include "model.h"

// The model of a run that locates its events: conditions of `if` in equations and forces are discrete variables that
// change at located instants. located: of the command line, 1 or -1; 0: as the model says. Conditions that cannot be
// located are warned of (W0845).
// KINKS: of abs, min, max, sign and floor too, and of energies, which a scheme of higher order needs. AND_SLIDES: it
// has relations, on which a switch slides that both sides drive back; it locates unless it is told not to, and then
// branches are no columns of the results.
typedef enum { KINKS_STAY, KINKS, KINKS_AND_SLIDES } MKinks;
const Model *with_switches(Arena *a, const Model *m, int located, MKinks asks, DiagBag *bag);
