// Moreau's midpoint rule ([Möller 2011, (5.3)-(5.8)]; docs/numerics/midpoint.md): everything is evaluated once a step,
// at the middle positions and the velocities of the begin. Nothing is iterated, so no kernel gives a derivative of f or
// g.
#include "scheme.h"

const Plan *scheme_midpoint(Arena *a, const System *s, const SchemeDescriptor *d) {
  Plan *p = plan_open(a, s, d, 0);  // rows see the middle positions, which the end velocities do not move
  p->one_iteration = true;
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    PlanClass *pc = &p->cls[i];
    Hoist h = { .arena = a, .sys = s };
    class_kernels(pc, &h, c, false);
    if (pc->c->kind == CLASS_KINEMATICS) kinematics_kernel(pc, &h, d);
    if (c->kind == CLASS_SMOOTH) {
      p->constant_iteration_matrix &= pc->kernel[KERNEL_MASS].stage <= STAGE_CONST;
      p->constant_problem_matrix &= pc->kernel[KERNEL_B].stage <= STAGE_CONST;
    } else if (pc->c->kind <= CLASS_FRICTION)
      p->constant_problem_matrix &= pc->kernel[KERNEL_H].stage <= STAGE_CONST;
    class_columns(pc, &h);
  }
  p->constant_problem_matrix &= p->constant_iteration_matrix;
  return p;
}
