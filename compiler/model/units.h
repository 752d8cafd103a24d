// Units: exponents of the seven SI base units and a scale. Values in a model are stored in SI; the unit of a quantity
// keeps the scale of the unit that it was declared in, so that a bare number beside it can be doubted.
#pragma once
#include <stdbool.h>
#include "../../runtime/shared/unit.h"
#include "../base/arena.h"
#include "../base/text.h"

typedef enum {
  UNIT_KNOWN,     // dim[] holds
  UNIT_LITERAL,   // a bare number: fits anything in + and comparisons, dimensionless in * and /
  UNIT_UNKNOWN    // never declared: fits anything, spreads through * and /
} UnitState;

// A parameter without a unit in an unknown unit, to the power twice/2; its number in Elab.unit_name, 0: none. What no
// name stands in may be anything; else the unit is that of num[] times that of the names (elab_infer.c).
enum { UNIT_NAMES = 3 };
typedef struct UnitName { short id; signed char twice; } UnitName;

typedef struct Unit {
  UnitState state;
  signed char num[7];  // exponents of m, kg, s, A, K, mol, cd ...
  signed char den;     // ... over this common denominator (1 or 2: square roots)
  double scale;        // factor to SI of the unit as written; 1 for quantities computed from several
  const char *written; // that unit's text; NULL: not known
  UnitName by[UNIT_NAMES];   // UNIT_UNKNOWN
} Unit;

extern const Unit UNIT_ONE, UNIT_ANY, UNIT_BARE;

// Parses "m/s^2", "N*m/rad", "mH", "kohm", "rev/min", "deg", "1". False with the offending part in *bad (bad_len
// bytes).
bool unit_parse(const char *text, Unit *out, const char **bad, int *bad_len);
Unit unit_mul(Unit a, Unit b);                        // of quantities: 2*l is in mm as l is, l*m is in SI
Unit unit_div(Unit a, Unit b);
Unit unit_plain(Unit a);                              // the same dimension, in SI
bool unit_scaled(Unit a);                             // known, and not an SI unit
bool unit_pow(Unit a, double exponent, Unit *out);    // false: the exponent does not give whole (or half) powers
Unit unit_of_name(int id);                            // of a parameter without a unit
bool unit_named_by(Unit u);                           // unknown, by names
Unit unit_nameless(Unit u);                           // as it is; UNIT_ANY of names
bool unit_compatible(Unit a, Unit b);                 // same dimension, or one of them not known
Unit unit_merge(Unit a, Unit b);                      // the more informative of two compatible ones; mixed scales: SI
Unit unit_of_elements(Unit a, Unit b);                // the same for elements of a list, which may have different ones
Unit unit_of_shared(const nsm_unit *u);               // as read by runtime/shared/unit.h; UNIT_ANY: exponents too large
double unit_to_si(double x, Unit u);                  // x as written in u, in SI
// The unit as written; where only the value had one (g = 9.81 [m/s^2]), that; "" for none.
const char *unit_shown(Arena *a, Unit u, const char *written);
// Of results, language.md 21.1: the unit as declared (`: deg`), else the SI unit (N*m where that is written, not J); of
// their rates. "" where it is not known or 1.
const char *unit_of_results(Arena *a, Unit u, bool declared);
const char *unit_of_rates(Arena *a, Unit u, bool declared);
void unit_print(Unit u, Text *out);                   // "m/s^2", "N", "1", "kg*m^2/s"
void unit_print_composed(Unit u, Text *out);          // as it is said: N/m and not kg/s^2
