// The kernel that moves an attitude by an increment xi of the turn, p1 = p o E(xi) (docs/numerics/bodies.md, section
// 2):
//
//   consistent  E = cay: (1, xi/2)/sqrt(1 + |xi|^2/4)          [docs/numerics/bodies.md (5)]
//   others      E = exp: (cos(a/2), sinc(a/2) xi/2), a = |xi|
//
// A class that remembers an angle (turned(y, x)) takes it where the step begins, whatever the increment.
//
// Both are unit quaternions, so |p| = 1 stays but for rounding; (3 - |p|^2)/2 takes that away, one step of Newton for
// 1/|p|, which changes |p| = 1 + e to 1 - 3/2 e^2.
#include "../system/along.h"
#include "parts.h"

void kinematics_kernel(PlanClass *pc, Hoist *h, const SchemeDescriptor *d) {
  const System *s = h->sys;
  Pool *p = s->pool;
  const SysClass *c = pc->c;
  if (c->remembers) {
    kernel_set(pc, h, KERNEL_MOVE, (Ex[]){ c->value }, 1);
    return;
  }
  Ex xi[3], attitude[4], moved[4], half = ex_num(p, 0.5), square = ex_num(p, 0), length = ex_num(p, 0);
  for (int i = 0; i < 3; i++) {
    xi[i] = ex_sym(p, turn_symbol(s, &c->slot[c->turn[i]], i, SYM_VALUE_D));
    square = ex_add(p, square, ex_mul(p, xi[i], xi[i]));
  }
  for (int k = 0; k < 4; k++) {
    attitude[k] = ex_sym(p, c->slot[c->row[k]].value);
    length = ex_add(p, length, ex_mul(p, attitude[k], attitude[k]));
  }
  Ex scalar, vector, quarter = ex_mul(p, ex_num(p, 0.25), square);    // E = (scalar, vector xi/2)
  if (d->two_point) {
    scalar = ex_div(p, ex_num(p, 1), ex_1(p, OP_SQRT, ex_add(p, ex_num(p, 1), quarter)));
    vector = scalar;
  } else {
    Ex angle = ex_1(p, OP_SQRT, quarter);
    scalar = ex_1(p, OP_COS, angle);
    vector = ex_2(p, OP_SINC, angle, ex_num(p, 0));
  }
  Ex mends = ex_mul(p, half, ex_sub(p, ex_num(p, 3), length));
  for (int k = 0; k < 4; k++) {
    Ex turned = ex_num(p, 0);
    for (int i = 0; i < 3; i++) turned = ex_add(p, turned, ex_mul(p, half_g(p, attitude, k, i), xi[i]));
    moved[k] = ex_mul(p, mends, ex_add(p, ex_mul(p, scalar, attitude[k]), ex_mul(p, vector, turned)));
  }
  kernel_set(pc, h, KERNEL_MOVE, moved, 4);
}
