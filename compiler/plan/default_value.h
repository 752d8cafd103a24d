// The value of an expression over parameters at their defaults, or at what --set gives when the model is compiled for a
// run; nan where it depends on a loop index or a parameter without value.
#pragma once
#include "../system/system.h"

double default_value(const System *s, Ex e);
