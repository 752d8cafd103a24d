// The judge's first look (residual.c) at intervals of which each is coupled with its neighbours alone: u = M lambda + q
// from the problem's own entries, and every row right to round-off. What the first look does not accept is for the
// whole judge, with the solvers of the table.
#include "residual_rows.h"

int nsm_cone_check_tridiagonal(const nsm_cone_tridiagonal *p, const double *lambda, double *u, double *residual) {
  const nsm_cone_problem right = { .q = p->q, .q_terms = p->q_terms };
  double worst = 0;
  for (int i = 0; i < p->m; i++) {
    double own = p->diagonal[i] * lambda[i], before = i > 0 ? p->below[i] * lambda[i - 1] : 0,
           after = i + 1 < p->m ? p->above[i] * lambda[i + 1] : 0;
    judge_sum s = judge_terms(&right, i, p->q[i] + before + own + after, fabs(before) + fabs(own) + fabs(after),
                              p->diagonal[i]);
    double r = judge_quick(lambda[i], p->lo[i], p->hi[i], s);
    u[i] = s.u;
    worst = r <= worst ? worst : r;
  }
  *residual = worst;
  return worst <= judge_round_off;
}
