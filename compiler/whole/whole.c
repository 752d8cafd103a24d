// Which models have a whole step, and of which kind.
#include <string.h>
#include "step.h"

const Whole *whole_of_plan(Arena *a, const Plan *p) {
  for (int i = 0; i < p->ncls; i++) if (p->cls[i].c->compliant || p->cls[i].c->of_compliant) return NULL;
  Written *w = write_out(a, p);
  if (!w) return NULL;
  const Whole *o = NULL;
  if (!strcmp(p->scheme, "moreau")) {
    const Whole *called = whole_linear(a, w, false), *here = called ? whole_linear(a, w, true) : NULL;
    o = called ? called : whole_newton(a, w);
    if (here) {
      Whole *both = ARENA_NEW(a, Whole);
      *both = *here;
      both->called = called->kernel;
      o = both;
    }
  }
  if (!strcmp(p->scheme, "consistent") || !strcmp(p->scheme, "consistent1")) o = whole_two_point(a, w);
  return o;
}
