// Radau IIA takes f, g, y, their derivatives and M at its stages (docs/numerics/radau.md), and a step of implicit Euler
// where sets are looked for: the kernels of moreau with theta = gamma = 1.
#include "parts.h"

const Plan *scheme_radau(Arena *a, const System *s, const SchemeDescriptor *d) {
  Plan *p = (Plan *)scheme_equations(a, s, d, &moreau);
  p->theta = p->gamma = 1;
  return p;
}
