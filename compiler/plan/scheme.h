// The schemes, one function each: derived system -> plan.
#pragma once
#include "plan.h"

const Plan *scheme_moreau(Arena *a, const System *s);
