// The symbols of units; used by units.c and for suggestions.
#pragma once
#include <stddef.h>
#include "units.h"

bool        unit_symbol(const char *s, size_t n, Unit *out);   // "mH": prefix and symbol, scale included
const char *unit_common_name(Unit u);                          // "N" for kg*m/s^2; NULL when it has no common name
const char *unit_symbol_at(int i);  // i = 0, 1, ...: the symbols without prefix; NULL at the end
double      unit_to_si(double x, Unit u);                      // x as written in u, in SI
