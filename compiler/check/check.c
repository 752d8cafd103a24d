// The checks of a derived system, in the order in which a reader would ask.
#include "parts.h"

void check_system(Arena *a, const System *s, bool steps, DiagBag *bag) {
  Check k = { .arena = a, .s = s, .steps = steps, .bag = bag };
  check_open(&k, false, false);
  diag_one_each(bag, true);
  check_numbers(&k);
  check_sizes(&k);
  check_inertia(&k);
  check_equations(&k);
  check_circuit(&k);
  check_impulses(&k);
  check_breaks(&k);
  check_reach(&k);
  check_falls(&k);
  check_contradictions(&k);
  check_slips(&k);
  check_overlap(&k);
  check_untouched(&k);
  check_touch_laws(&k);
  check_impact_laws(&k);
  check_laws(&k);
  check_power(&k);
  if (!k.x) check_open(&k, true, false);
  check_restitution(&k);
  diag_one_each(bag, false);
}
