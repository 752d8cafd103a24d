// The active set of a tridiagonal problem with off-diagonal entries <= 0 and lower bounds, in O(m).
//
// For an M-matrix rows enter the basis and never leave it: with B growing, lambda_B grows and u_N falls (Chandrasekaran
// 1970; Cryer 1983 has an O(m) form for Minkowski matrices). So every row with u < 0 may enter at once, in any order.
// What is needed to check a row is only the ends of the runs of basic rows beside it. A run s..e, solved inside, is a
// two-port
//   z_s = A1 + B1 z_{s-1} + C1 z_{e+1},   z_e = A2 + B2 z_{s-1} + C2 z_{e+1},      z = lambda - lo,
// and two runs that come to touch are joined by eliminating the two values at the seam. Every row enters at most once:
// O(m) in all. The result is a start for the pivoting loop, which confirms it in one iteration, or goes on from it
// where an upper bound matters.
#include "solver.h"
#include <float.h>
#include <math.h>

// kept at its first row; `first` is valid at its last row too
typedef struct run { double A1, B1, C1, A2, B2, C2; int first, last; } run;

// X then Y. 0 where the seam is singular: M is no M-matrix.
static int join(const run *X, const run *Y, run *out) {
  double D = 1 - Y->B1 * X->C2;
  if (!(D > DBL_EPSILON)) return 0;
  double inverse = 1 / D;
  double xA = (X->A2 + X->C2 * Y->A1) * inverse, xB = X->B2 * inverse, xC = X->C2 * Y->C1 * inverse;
  double yA = (Y->A1 + Y->B1 * X->A2) * inverse, yB = Y->B1 * X->B2 * inverse, yC = Y->C1 * inverse;
  run r = { X->A1 + X->C1 * yA, X->B1 + X->C1 * yB, X->C1 * yC,
            Y->A2 + Y->B2 * xA, Y->B2 * xB, Y->C2 + Y->B2 * xC, X->first, Y->last };
  *out = r;
  return 1;
}

// Row i becomes basic; joins the runs on both sides. Returns the first row of its run, or -1.
static int enter(const nsm_cone_work *w, const double *q, run *runs, int i) {
  if (!(w->diagonal[i] > 0)) return -1;
  double inverse = 1 / w->diagonal[i], A = -q[i] * inverse, B = -w->below[i] * inverse, C = -w->above[i] * inverse;
  run r = { A, B, C, A, B, C, i, i };
  w->state[i] = NSM_BASIC;
  if (i > 0 && w->state[i - 1] == NSM_BASIC && !join(&runs[runs[i - 1].first], &r, &r)) return -1;
  if (i + 1 < w->m && w->state[i + 1] == NSM_BASIC && !join(&r, &runs[i + 1], &r)) return -1;
  int s = r.first, e = r.last;
  runs[e].first = s;
  runs[s] = r;
  return s;
}

static int suits(const nsm_cone_problem *p, const nsm_cone_work *w) {
  if (w->form != NSM_FORM_TRIDIAGONAL) return 0;
  int ok = 1;
  for (int i = 0; i < p->m; i++)
    ok &= w->below[i] <= 0 && w->above[i] <= 0 && (p->lo[i] > -HUGE_VAL || p->hi[i] == HUGE_VAL);
  return ok;
}

int nsm_cone_chain_state(const nsm_cone_problem *p, nsm_cone_work *w) {
  int m = p->m, ok = 0;
  size_t mark = w->used;
  if (!suits(p, w)) return 0;
  double *z = nsm_cone_take_doubles(w, (size_t)m), *q = nsm_cone_take_doubles(w, (size_t)m);
  run *runs = nsm_cone_take(w, (size_t)m * sizeof(run));
  int *todo = nsm_cone_take_ints(w, 3 * (size_t)m), count = 0;
  if (!z || !q || !runs || !todo) goto done;

  // z = lambda - lo: q moves by M lo
  for (int i = 0; i < m; i++) {
    z[i] = p->lo[i] > -HUGE_VAL ? p->lo[i] : 0.0;
    w->state[i] = NSM_LOW;
  }
  nsm_cone_apply(p, w, z, q);
  for (int i = 0; i < m; i++)
    if (p->lo[i] == -HUGE_VAL && enter(w, q, runs, i) < 0) goto done;
  for (int i = m - 1; i >= 0; i--)
    if (w->state[i] != NSM_BASIC) todo[count++] = i;
  while (count > 0) {
    int i = todo[--count];
    if (w->state[i] == NSM_BASIC || !(p->lo[i] < p->hi[i])) continue;
    double left = i > 0 && w->state[i - 1] == NSM_BASIC ? runs[runs[i - 1].first].A2 : 0.0;
    double right = i + 1 < m && w->state[i + 1] == NSM_BASIC ? runs[i + 1].A1 : 0.0;
    double u = q[i] + w->below[i] * left + w->above[i] * right;
    if (!(u < -4 * DBL_EPSILON * (fabs(q[i]) - w->below[i] * fabs(left) - w->above[i] * fabs(right)))) continue;
    int s = enter(w, q, runs, i);
    if (s < 0) goto done;
    int e = runs[s].last;
    if (s > 0) todo[count++] = s - 1;
    if (e + 1 < m) todo[count++] = e + 1;
  }
  ok = 1;
done:
  w->used = mark;
  return ok;
}
