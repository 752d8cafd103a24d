// Statements that are alike: joints that are named one by one say the same of other bodies with other parameters.
#pragma once
#include "../base/map.h"
#include "plan.h"

typedef struct Alike Alike;

Alike *alike_new(Arena *a, const System *s);
// Class i of the plan becomes a copy of an earlier one that is planned already, if there is such: its kernels, its
// columns in its own parameters. Else the class is kept, as one that later ones may be copies of.
bool   class_alike(Alike *a, Plan *p, int i);
