// Contacts between shapes as contacts of formulas.
#pragma once
#include "model.h"

// The model in which each contact between shapes is one of formulas (docs/numerics/touching.md, "Gaps in closed form"):
// spheres, capsules, boxes and polyhedra on half-spaces, spheres on spheres, and those of the plane. m itself where it
// has no contacts between shapes. Where one has no such form, or they would be more than `most` (each pair is one, near
// or not), all stay, and the model says why (no_formulas). round: of spheres, disks and capsules alone.
const Model *with_gaps_as_formulas(Arena *a, const Model *m, int most, bool round);
