// Proximal point iteration (Rockafellar 1976) for monotone problems that pivoting alone cannot do: M semidefinite,
// redundant contacts.
//
//   lambda+ solves (1) with  M + delta I  and  q - delta lambda.
// Each is a problem with a P-matrix, for the pivoting loop; where the active set stays, so do its factors. It converges
// to a solution if there is one (finitely many active sets, then with ratio delta / (delta + smallest positive singular
// value)). If there is none, lambda+ - lambda tends to a direction that proves it, which certificate.c checks. Started
// at zero it ends near the solution of least norm.
#include "trial.h"
#include <float.h>
#include <math.h>
#include <string.h>

// to := x, but 0 for what has died out: a multiplier that nothing drives falls by delta / (delta + M_ii) at each step,
// and below the smallest normal number products with it say nothing.
static void copy_living(const nsm_cone_problem *p, const double *x, double *to) {
  for (int i = 0; i < p->m; i++) to[i] = fabs(x[i]) < DBL_MIN && p->lo[i] <= 0 && p->hi[i] >= 0 ? 0 : x[i];
}

// Continues from lambda with one delta; center [m] is scratch, a->c is not used. GAVE_UP with *stuck = 1 where the
// pivoting loop failed: M is not monotone at this delta.
static nsm_cone_outcome iterate(const nsm_cone_trial *a, double delta, int limit, double *center, int *stuck) {
  const nsm_cone_problem *p = a->p;
  const nsm_cone_try *t = a->t;
  nsm_cone_work *w = a->w;
  double *lambda = a->lambda, *u = a->u;
  int m = p->m;
  double last_step = 0, first_lambda = 0, last_residual = HUGE_VAL;
  int wants_proof = !(w->once && t->max_iterations > 0);   // a correction of what rounding left needs none
  *stuck = 0;
  copy_living(p, lambda, center);
  for (int k = 0; k < limit; k++) {
    if (!nsm_cone_pivot_loop(p, w, delta, center, 100 + 3 * m, lambda, u)) { *stuck = 1; return NSM_CONE_GAVE_UP; }
    double step = 0, largest = 0;
    for (int i = 0; i < m; i++) {
      center[i] = lambda[i] - center[i];
      step = fmax(step, fabs(center[i]));
      largest = fmax(largest, fabs(lambda[i]));
    }
    if (k == 0) first_lambda = largest;
    if (wants_proof && k >= 2 && step > 0.5 * last_step && nsm_cone_proves(p, w, center)) return NSM_CONE_PROVED_NONE;
    nsm_cone_check c;
    copy_living(p, lambda, center);
    nsm_cone_project_all(p, center);
    nsm_cone_check_answer(p, w, t, center, NULL, &c);
    if (c.accepted && (c.residual <= 8 * DBL_EPSILON || c.residual > 0.5 * last_residual)) {   // down to round-off
      memcpy(lambda, center, (size_t)m * sizeof(double));
      return NSM_CONE_PROPOSED;
    }
    last_residual = c.accepted ? c.residual : HUGE_VAL;
    // at rest without a solution, or on the way to infinity
    if (step <= 1e-15 * largest || largest > 1e10 * (first_lambda + 1)) break;
    copy_living(p, lambda, center);
    last_step = step;
  }
  return NSM_CONE_GAVE_UP;
}

nsm_cone_outcome nsm_cone_proximal(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                   double *u) {
  const nsm_cone_trial a = { p, w, t, lambda, u, NULL };
  int m = p->m, stuck = 0;
  if (w->form == NSM_FORM_SPARSE || !w->state) return NSM_CONE_GAVE_UP;
  size_t mark = w->used;
  double *center = nsm_cone_take_doubles(w, (size_t)m);
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  double size = 0;
  if (w->row_norm) for (int i = 0; i < m; i++) size += w->row_norm[i] / m;
  if (center && size > 0) {
    int limit = t->max_iterations > 0 ? t->max_iterations : 200;
    double delta = 1e-5 * size;
    if (!t->warm) memset(lambda, 0, (size_t)m * sizeof(double));
    nsm_cone_project_all(p, lambda);
    for (int trial = 0; trial < 3; trial++, delta *= 100) {
      nsm_cone_apply(p, w, lambda, u);
      nsm_cone_guess_state(p, lambda, u, w->state);
      outcome = iterate(&a, delta, limit, center, &stuck);
      if (outcome != NSM_CONE_GAVE_UP || !stuck) break;
      for (int i = 0; i < m; i++) lambda[i] = nsm_cone_project(0, p->lo[i], p->hi[i]);
    }
  }
  w->factor_kind = 0;
  w->state_known = 0;
  w->used = mark;
  nsm_cone_project_all(p, lambda);
  return outcome;
}
