// The last look at an answer whose free rows, constraints, are off by no more than what their multipliers are known to.
//
// Multipliers that hang together are found together, each to the round-off of the largest, so where symmetry makes a
// multiplier 0 its row has no terms to be measured by. M = H W^-1 H^T is known as H is, so |M_ij| <= sqrt(M_ii M_jj)
// bounds what round-off makes of row i [Arioli et al. 1989, section 2]: it is known to the round-off of
//
//   f_i = sqrt(M_ii) max_j sqrt(M_jj) |lambda_j|;   where all are 0, sqrt(M_ii) max_j max(|q_j|, q_terms_j)/sqrt(M_jj)
//
// (q is H u, and a motion in a plane is known to leave it by no less than its own round-off). It is handed to the
// verifier as the size of the terms of q_i: u_i within 8 eps of it is 0. It does not depend on units. Only of
// multipliers that are as large as q asks for: those of a problem without a solution have no size.
#include "solver.h"
#include <math.h>

// Largest sqrt(M_jj) |lambda_j| beside the largest |q_j| / sqrt(M_jj), or size of its terms: what comes to rest has a q
// that is nothing but their round-off.
static const double natural = 1e3;

static double diagonal(const nsm_cone_problem *p, int i) {
  if (!p->row_start) return p->M[(size_t)i * (size_t)p->m + (size_t)i];
  for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) if (p->col[e] == i) return p->M[e];
  return 0;
}

// M_ij^2 <= M_ii M_jj, up to round-off, in row i: the premise. A matrix of which it is not true is none of bodies.
static int is_definite_in(const nsm_cone_problem *p, int i) {
  double slack = 1 + 1e-9, mine = sqrt(fmax(diagonal(p, i), 0)) * slack;
  int from = p->row_start ? p->row_start[i] : 0, to = p->row_start ? p->row_start[i + 1] : p->m, bounded = 1;
  for (int e = from; e < to; e++) {
    int j = p->row_start ? p->col[e] : e;
    double entry = p->row_start ? p->M[e] : p->M[(size_t)i + (size_t)j * (size_t)p->m];
    bounded &= fabs(entry) <= mine * sqrt(fmax(diagonal(p, j), 0));
  }
  return bounded;
}

int nsm_cone_held(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, const double *lambda, double *u,
                  nsm_cone_check *c) {
  double most = 0, asked = 0;
  int free_rows = 0;
  for (int i = 0; i < p->m; i++) {
    double d = sqrt(fmax(diagonal(p, i), 0));
    most = fmax(most, d * fabs(lambda[i]));
    if (d > 0) asked = fmax(asked, fmax(fabs(p->q[i]), p->q_terms ? p->q_terms[i] : 0) / d);
  }
  size_t mark = w->used;
  double *terms = nsm_cone_take_doubles(w, (size_t)p->m);
  if (!terms || !(most <= natural * asked)) { w->used = mark; return 0; }
  if (most == 0) most = asked;
  for (int i = 0; i < p->m; i++) terms[i] = p->q_terms ? p->q_terms[i] : 0;
  for (int i = 0, k = 0; i < p->m; i++) {
    if (k < p->cones && i == p->cone[k].first) { i += p->cone[k++].size - 1; continue; }
    if (p->lo[i] > -HUGE_VAL || p->hi[i] < HUGE_VAL || !is_definite_in(p, i)) continue;
    terms[i] = fmax(terms[i], sqrt(fmax(diagonal(p, i), 0)) * most);
    free_rows++;
  }
  nsm_cone_problem held = *p;
  held.q_terms = terms;
  nsm_cone_check seen = { HUGE_VAL, 0, 0, 0 };
  if (free_rows) nsm_cone_check_answer(&held, w, t, lambda, u, &seen);
  if (seen.accepted) *c = seen;
  w->used = mark;
  return seen.accepted;
}
