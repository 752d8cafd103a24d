// Schemes whose equations stand in schemes/<name>.c: the kernels follow from these (schemes/piece.c). Everything is
// taken at one point that the begin of the piece knows, so the equations are affine in the unknowns, one iteration is
// exact, and no kernel gives a derivative of f or g with respect to the motion.
#include "../base/fatal.h"
#include "parts.h"

const Plan *scheme_equations(Arena *a, const System *s, const SchemeDescriptor *d) {
  Plan *p = plan_open(a, s, d, 0);
  INVARIANT(d->equations->point.end == 0);
  p->one_iteration = true;
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = class_of_piece(a, s, d->equations, &s->cls[i]);
    PlanClass *pc = &p->cls[i];
    Hoist h = { .arena = a, .sys = s };
    class_kernels(pc, &h, c, false);
    if (pc->c->kind == CLASS_KINEMATICS) kinematics_kernel(pc, &h, d);
    class_columns(pc, &h);
    plan_matrices(p, pc);
  }
  return p;
}
