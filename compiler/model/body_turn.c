// Attitudes q, unit quaternions with the scalar first (docs/numerics/bodies.md, section 1): the rotation R(q), the spin
// of a motion q(t), and q' by the spin.
#include "body_parts.h"

// R(q), homogeneous of second degree in q.
void rotation_matrix(Elab *e, MExpr *const *q, MExpr **R) {
  MExpr *s[4], *two = number(e, 2, q[0]->span);
  for (int k = 0; k < 4; k++) s[k] = times(e, q[k], q[k]);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    R[4 * i] = minus(e, minus(e, plus(e, s[0], s[i + 1]), s[j + 1]), s[k + 1]);
    MExpr *sym = times(e, q[i + 1], q[j + 1]), *skew = times(e, q[0], q[k + 1]);
    R[3 * i + j] = times(e, two, minus(e, sym, skew));
    R[3 * j + i] = times(e, two, plus(e, sym, skew));
  }
}

// The spin of q(t), in body axes: the vector of 2 conj(q) o q'.
void spin_of_motion(Elab *e, MExpr *const *q, MExpr **spin) {
  MExpr *d[4], *two = number(e, 2, q[0]->span);
  for (int k = 0; k < 4; k++) d[k] = rate_of(e, q[k]);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3 + 1, k = (i + 2) % 3 + 1;
    MExpr *x = minus(e, times(e, q[0], d[i + 1]), times(e, q[i + 1], d[0]));
    x = plus(e, x, minus(e, times(e, q[k], d[j]), times(e, q[j], d[k])));
    spin[i] = times(e, two, x);
  }
}

MExpr *attitude_derivative(Elab *e, const MExpr *q) {
  const MVar *v = &e->var.at[q->id];
  int n = q->nargs, turn = v->partner - 1, number_ = (int)q->arg[n - 1]->num - 1;
  MExpr *index[MAX_INDICES], *p[4], *w[3], *half = number(e, 0.5, q->span), *x;
  for (int k = 0; k < n; k++) index[k] = q->arg[k];
  for (int k = 0; k < 4; k++) {
    index[n - 1] = number(e, k + 1, q->span);
    p[k] = mx_var(e->a, v, q->id, index, n, false, q->span);
    if (k < 3) w[k] = mx_var(e->a, &e->var.at[turn], turn, index, n, true, q->span);
  }
  if (number_ == 0)
    x = minus(e, minus(e, times(e, mx_neg(e->a, p[1], q->span), w[0]), times(e, p[2], w[1])), times(e, p[3], w[2]));
  else {
    int i = number_ - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    x = plus(e, times(e, p[0], w[i]), minus(e, times(e, p[j + 1], w[k]), times(e, p[k + 1], w[j])));
  }
  return times(e, half, x);
}
