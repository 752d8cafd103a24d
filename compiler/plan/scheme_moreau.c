// Moreau's theta-gamma scheme (mathematics.md (3)-(10)): every step evaluates f at both ends, assembles
// W = M - h theta (J_v + h theta J_q) - h gamma K, and solves the one-step problem in the rows.
#include "scheme.h"
#include "two_point.h"

const Plan *scheme_moreau(Arena *a, const System *s) {
  Plan *p = plan_open(a, s, "moreau", s->second_order ? 0.5 : 1.0);
  p->weights = true;
  p->one_iteration = s->affine;
  for (int i = 0; i < s->ncls; i++) {
    PlanClass *pc = &p->cls[i];
    Hoist h = { .arena = a, .sys = s };
    class_kernels(pc, &h, &s->cls[i], true);
    if (s->cls[i].kind == CLASS_SMOOTH) {
      TwoPoint t = two_point_work(a, s, &s->cls[i]);
      work_kernel(pc, &h, t.force, t.damping);
    }
    class_columns(pc, &h);
    if (s->cls[i].kind == CLASS_SMOOTH) {
      p->constant_iteration_matrix &= pc->kernel[KERNEL_MASS].stage <= STAGE_CONST &&
                                      pc->kernel[KERNEL_JAC].stage <= STAGE_CONST &&
                                      pc->kernel[KERNEL_K].stage <= STAGE_CONST;
      p->constant_problem_matrix &= pc->kernel[KERNEL_B].stage <= STAGE_CONST;
    } else p->constant_problem_matrix &= pc->kernel[KERNEL_H].stage <= STAGE_CONST;
  }
  p->constant_problem_matrix &= p->constant_iteration_matrix;
  return p;
}
