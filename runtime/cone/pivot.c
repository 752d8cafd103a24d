// Block principal pivoting (Kostreva 1978; Judice & Pires, Computers & OR 21 (1994) 587) for intervals.
//
// A state gives lambda_N = bound and u_B = 0, hence lambda_B and u_N from one linear system (basis.c). All infeasible
// rows change sides at once while their number falls; after a few iterations without progress only the one of largest
// index does (Murty), which terminates for P-matrices, until the number is below its best again. Free rows are always
// basic. Round-off must not make rows change sides for ever: a row is infeasible only by more than
//   1e-14 |lambda|_inf on lambda,   4 eps (|q_i| + |M_i.|_1 |lambda|_inf) on u.
#include "solver.h"
#include <float.h>
#include <math.h>

enum { PATIENCE = 10,         // block iterations without progress
       STALL = 60,            // + m/4: iterations without progress before a dense problem is left to Lemke (a chain or
                              // a band has no Lemke to go to)
       CHAIN_PATIENCE = 8 };  // iterations for a guess before chain.c is asked

// lambda := bounds outside the basis, zero inside; and is any of them not zero?
static int set_bounds(const nsm_cone_problem *p, const nsm_cone_work *w, double *lambda) {
  int any = 0;
  for (int i = 0; i < p->m; i++) {
    double x = w->state[i] == NSM_LOW ? p->lo[i] : w->state[i] == NSM_HIGH ? p->hi[i] : 0.0;
    lambda[i] = x;
    any |= x != 0.0;
  }
  return any;
}

// lambda and u of the present state; rhs [m] is scratch. 0 where the basis is singular.
static int solve_state(const nsm_cone_problem *p, nsm_cone_work *w, double shift, const double *center, double *lambda,
                       double *u, double *rhs) {
  int m = p->m;
  if (!nsm_cone_basis_factor(p, w, shift)) return 0;
  int any = set_bounds(p, w, lambda);
  if (any) {
    nsm_cone_apply(p, w, lambda, rhs);
    for (int i = 0; i < m; i++) rhs[i] = -rhs[i];
  } else
    for (int i = 0; i < m; i++) rhs[i] = -p->q[i];
  if (shift != 0)
    for (int i = 0; i < m; i++) rhs[i] += shift * center[i];
  nsm_cone_basis_solve(w, rhs);
  if (any) for (int i = 0; i < m; i++) lambda[i] += rhs[i];
  else     for (int i = 0; i < m; i++) lambda[i] = rhs[i];
  nsm_cone_apply(p, w, lambda, u);
  if (shift != 0)
    for (int i = 0; i < m; i++) u[i] += shift * (lambda[i] - center[i]);
  return 1;
}

// The side that row i should be on. Free rows have no bound to be beyond, fixed ones (lo = hi) no reason to leave it.
static inline unsigned char better_side(const nsm_cone_problem *p, int i, unsigned char now, double lambda, double u,
                                        double small_lambda, double small_u) {
  if (now == NSM_BASIC)
    return lambda < p->lo[i] - small_lambda ? NSM_LOW : lambda > p->hi[i] + small_lambda ? NSM_HIGH : NSM_BASIC;
  if (now == NSM_LOW) return u < -small_u && p->lo[i] < p->hi[i] ? NSM_BASIC : NSM_LOW;
  return u > small_u && p->lo[i] < p->hi[i] ? NSM_BASIC : NSM_HIGH;
}

// One step of iterative refinement on u_B = 0.
static void refine(const nsm_cone_problem *p, nsm_cone_work *w, double shift, const double *center, double *lambda,
                   double *u, double *rhs) {
  int m = p->m;
  for (int i = 0; i < m; i++) rhs[i] = -u[i];
  nsm_cone_basis_solve(w, rhs);
  for (int i = 0; i < m; i++) lambda[i] += rhs[i];
  nsm_cone_apply(p, w, lambda, u);
  if (shift != 0)
    for (int i = 0; i < m; i++) u[i] += shift * (lambda[i] - center[i]);
}

int nsm_cone_pivot_loop(const nsm_cone_problem *p, nsm_cone_work *w, double shift, const double *center,
                        int max_iterations, double *lambda, double *u) {
  int m = p->m, fewest = m + 1, patience = PATIENCE, stalled = 0, solved = 0;
  size_t mark = w->used;
  double *rhs = nsm_cone_take_doubles(w, (size_t)m);
  if (!rhs || w->form == NSM_FORM_SPARSE) { w->used = mark; return 0; }

  for (int iteration = 0; iteration < max_iterations; iteration++) {
    w->iterations++;
    if (!solve_state(p, w, shift, center, lambda, u, rhs)) break;
    double largest = 0, off = 0, size = 0;
    for (int i = 0; i < m; i++) largest = fabs(lambda[i]) > largest ? fabs(lambda[i]) : largest;
    if (!(largest < HUGE_VAL)) break;
    int infeasible = 0, last = -1;
    unsigned char last_side = 0;
    for (int i = 0; i < m; i++) {
      double small_u = 4 * DBL_EPSILON * (fabs(p->q[i]) + w->row_norm[i] * largest);
      unsigned char side = better_side(p, i, w->state[i], lambda[i], u[i], 1e-14 * largest, small_u);
      if (side != w->state[i]) { infeasible++; last = i; last_side = side; }
      if (w->state[i] == NSM_BASIC && fabs(u[i]) > off) off = fabs(u[i]);
      if (small_u > size) size = small_u;
    }
    if (infeasible == 0) {
      if (off > size) refine(p, w, shift, center, lambda, u, rhs);
      solved = 1;
      break;
    }
    if (infeasible < fewest) { fewest = infeasible; patience = PATIENCE; stalled = 0; }
    else if (w->form == NSM_FORM_DENSE && ++stalled > STALL + m / 4) break;
    else if (patience > 0) patience--;
    if (patience == 0) { w->state[last] = last_side; continue; }
    for (int i = 0; i < m; i++) {
      double small_u = 4 * DBL_EPSILON * (fabs(p->q[i]) + w->row_norm[i] * largest);
      w->state[i] = better_side(p, i, w->state[i], lambda[i], u[i], 1e-14 * largest, small_u);
    }
  }
  w->used = mark;
  return solved;
}

// Where to start: at the guess, or at the last active set of the same matrix, or with every row that has only one bound
// at it.
static void first_state(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, const double *lambda) {
  for (int i = 0; i < p->m; i++) {
    int below = p->lo[i] > -HUGE_VAL, above = p->hi[i] < HUGE_VAL;
    unsigned char s;
    if (t->warm) s = below && lambda[i] <= p->lo[i] ? NSM_LOW : above && lambda[i] >= p->hi[i] ? NSM_HIGH : NSM_BASIC;
    else if (w->state_known) s = w->state[i];
    else s = below == above ? NSM_BASIC : below ? NSM_LOW : NSM_HIGH;
    // the bounds may have changed since: a state at an infinite bound is none
    if ((s == NSM_LOW && !below) || (s == NSM_HIGH && !above)) s = NSM_BASIC;
    w->state[i] = s;
  }
}

nsm_cone_outcome nsm_cone_pivot(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                double *u) {
  if (w->form == NSM_FORM_SPARSE || !w->state) return NSM_CONE_GAVE_UP;
  int limit = t->max_iterations > 0 ? t->max_iterations : 100 + 3 * p->m, guessed = t->warm || w->state_known,
      solved = 0;
  first_state(p, w, t, lambda);
  // On a chain a bad start costs one iteration for each row that a boundary is off: look for a better one, after a
  // short try of a guess.
  if (guessed && limit > CHAIN_PATIENCE && w->form == NSM_FORM_TRIDIAGONAL)
    solved = nsm_cone_pivot_loop(p, w, 0.0, NULL, CHAIN_PATIENCE, lambda, u);
  if (!solved) {
    if (!nsm_cone_chain_state(p, w) && !guessed) first_state(p, w, t, lambda);
    solved = nsm_cone_pivot_loop(p, w, 0.0, NULL, limit, lambda, u);
  }
  if (!solved) { w->state_known = 0; return NSM_CONE_GAVE_UP; }
  w->state_known = 1;
  nsm_cone_project_all(p, lambda);
  return NSM_CONE_PROPOSED;
}
