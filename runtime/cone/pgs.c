// Projected Gauss-Seidel, also over-relaxed: one row after the other,
//   lambda_i := P_i(lambda_i - omega rho_i u_i),   rho_i = 1/M_ii  (1/|M_i.|_1 where M_ii <= 0)         (Cryer 1971)
// Needs no factorization and little memory; converges for symmetric definite M and 0 < omega < 2. The last resort of
// the driver. Problems with cone blocks go to jacobi.c, which has the blocks. Dense: u is kept up to date by columns (M
// is column-major), and recomputed at each look. Sparse: u_i is formed from its row.
#include "solver.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { LOOK = 10, SWEEPS = 1000 };   // sweeps between two looks at the residual; the default number of them

static double step_of(const nsm_cone_problem *p, const nsm_cone_work *w, int i) {
  double d = nsm_cone_diagonal(p, i);
  if (d >= DBL_MIN) return 1.0 / d;
  return w->row_norm && w->row_norm[i] > 0 ? 1.0 / w->row_norm[i] : 1.0;
}

static void sweep_dense(const nsm_cone_problem *p, const nsm_cone_work *w, double omega, double *lambda, double *u) {
  int m = p->m;
  for (int i = 0; i < m; i++) {
    double x = nsm_cone_project(lambda[i] - omega * step_of(p, w, i) * u[i], p->lo[i], p->hi[i]), d = x - lambda[i];
    if (d == 0) continue;
    const double *column = p->M + (size_t)i * (size_t)m;
    for (int r = 0; r < m; r++) u[r] += d * column[r];
    lambda[i] = x;
  }
}

static void sweep_sparse(const nsm_cone_problem *p, const nsm_cone_work *w, double omega, double *lambda) {
  for (int i = 0; i < p->m; i++) {
    double u = p->q[i], diagonal = 0;
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
      u += p->M[k] * lambda[p->col[k]];
      diagonal = p->col[k] == i ? p->M[k] : diagonal;
    }
    double rho = diagonal >= DBL_MIN ? 1.0 / diagonal : step_of(p, w, i);
    lambda[i] = nsm_cone_project(lambda[i] - omega * rho * u, p->lo[i], p->hi[i]);
  }
}

static nsm_cone_outcome relax(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double omega,
                              double *lambda, double *u) {
  if (p->cones > 0) return nsm_cone_relax(p, w, t, omega, 1, lambda, u);
  int limit = t->max_iterations > 0 ? t->max_iterations : SWEEPS;
  double last_look = HUGE_VAL;
  if (!t->warm) memset(lambda, 0, (size_t)p->m * sizeof(double));
  nsm_cone_project_all(p, lambda);
  for (int k = 0;; k++) {
    if (k % LOOK == 0 || k >= limit) {
      nsm_cone_check c;
      nsm_cone_check_answer(p, w, t, lambda, u, &c);
      if (c.accepted) return NSM_CONE_PROPOSED;
      if (!(c.residual < HUGE_VAL)) {          // run away: nothing of it is of use
        memset(lambda, 0, (size_t)p->m * sizeof(double));
        nsm_cone_project_all(p, lambda);
        return NSM_CONE_GAVE_UP;
      }
      if (k >= limit) return NSM_CONE_GAVE_UP;
      if (k % (10 * LOOK) == 0) {
        if (c.residual > 0.99 * last_look) return NSM_CONE_GAVE_UP;
        last_look = c.residual;
      }
    }
    w->iterations++;
    nsm_cone_charge(w, 2 * nsm_cone_entries(p));
    if (p->row_start) sweep_sparse(p, w, omega, lambda);
    else              sweep_dense(p, w, omega, lambda, u);
  }
}

nsm_cone_outcome nsm_cone_pgs(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                              double *u) {
  return relax(p, w, t, 1.0, lambda, u);
}

nsm_cone_outcome nsm_cone_psor(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                               double *u) {
  return relax(p, w, t, 1.4, lambda, u);
}
