// The judge. Computes u = M lambda + q and the natural-map residual (mathematics.md (2)) from the problem alone, with
// its own product and its own projections (residual_rows.h): nothing here is shared with the solvers, so that a mistake
// there cannot hide here.
//
//   r_i = |lambda_i - P_i(lambda_i - rho_i (u_i + s_i))| / |lambda|_inf,
//   rho_i = n / trace M_ii  (1 where <= 0; absolute where lambda = 0)
//
// An answer is accepted where every row and block has, with s = |lambda|_inf (1 where that is 0),
//
//   r_i s <= max( min(tol s, sqrt(tol) rho_i |q|_inf), 8 floor_i s )   and   8 floor_i s <= rho_i |q|_inf / 100,
//   floor_i s = eps rho_i |sum_j |M_ij lambda_j| + |q_i||,
//
// the floor of a contact counting mu |u_T| too. What contains |q| matters where a problem has no solution: a huge
// lambda makes r small while u stays wrong by the size of q; and a singular M, once rounded, has solutions so large
// that q drowns in round-off. The floor matters where round-off in u alone exceeds the tolerance; there r is measured
// again with u summed in twice the working precision (residual_twice.c).
#include "residual_rows.h"

enum { CHUNK = 64 };

// A small dense problem, with n constant: everything stays in registers. `blocks` 0: intervals only.
JUDGE_INLINE void check_small(const int n, const int blocks, const nsm_cone_problem *p, const double *lambda,
                              double tol, double sqrt_tol, double *u, nsm_cone_check *c) {
  const double *M = p->M, *q = p->q;
  judge j = judge_open(judge_largest(n, lambda), judge_largest(n, q), tol, sqrt_tol);
  judge_block f;
  f.next = f.n = 0;
#pragma GCC unroll 8
  for (int i = 0; i < n; i++) {
    double sum = q[i], size = fabs(q[i]);
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) {
      double t = M[i + k * n] * lambda[k];
      sum += t;
      size += fabs(t);
    }
    if (u) u[i] = sum;
    if (blocks) judge_feed(&j, &f, p, lambda, i, sum, size, M[i + i * n]);
    else        judge_row(&j, i, lambda[i], p->lo[i], p->hi[i], sum, size, M[i + i * n]);
  }
  judge_close(&j, c);
}

// Dense, any size: CHUNK rows at a time, so that M is read along its columns.
static void check_dense(const nsm_cone_problem *p, const double *lambda, judge *j, double *u) {
  judge_block f = { 0 };
  for (int first = 0; first < p->m; first += CHUNK) {
    int rows = p->m - first < CHUNK ? p->m - first : CHUNK;
    double sum[CHUNK], size[CHUNK];
    for (int i = 0; i < rows; i++) { sum[i] = p->q[first + i]; size[i] = fabs(sum[i]); }
    for (int k = 0; k < p->m; k++) {
      const double *column = p->M + (size_t)k * (size_t)p->m + first;
      for (int i = 0; i < rows; i++) {
        double t = column[i] * lambda[k];
        sum[i] += t;
        size[i] += fabs(t);
      }
    }
    for (int i = 0; i < rows; i++) {
      int g = first + i;
      if (u) u[g] = sum[i];
      judge_feed(j, &f, p, lambda, g, sum[i], size[i], p->M[(size_t)g * (size_t)p->m + (size_t)g]);
    }
  }
}

static void check_sparse(const nsm_cone_problem *p, const double *lambda, judge *j, double *u) {
  judge_block f = { 0 };
  for (int i = 0; i < p->m; i++) {
    double sum = p->q[i], size = fabs(sum), diagonal = 0;
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
      double t = p->M[k] * lambda[p->col[k]];
      sum += t;
      size += fabs(t);
      diagonal = p->col[k] == i ? p->M[k] : diagonal;
    }
    if (u) u[i] = sum;
    judge_feed(j, &f, p, lambda, i, sum, size, diagonal);
  }
}

static void check_any(const nsm_cone_problem *p, const double *lambda, double tolerance, double sqrt_tolerance,
                      double *u, nsm_cone_check *c) {
  judge j = judge_open(judge_largest(p->m, lambda), judge_largest(p->m, p->q), tolerance, sqrt_tolerance);
  if (p->row_start) check_sparse(p, lambda, &j, u);
  else              check_dense(p, lambda, &j, u);
  judge_close(&j, c);
}

void nsm_cone_check_answer(const nsm_cone_problem *p, const double *lambda, double tolerance, double sqrt_tolerance,
                           double *u, nsm_cone_check *c) {
  if (!p->row_start && p->cones == 0)
    switch (p->m) {
      case 1:  check_small(1, 0, p, lambda, tolerance, sqrt_tolerance, u, c); break;
      case 2:  check_small(2, 0, p, lambda, tolerance, sqrt_tolerance, u, c); break;
      case 3:  check_small(3, 0, p, lambda, tolerance, sqrt_tolerance, u, c); break;
      case 4:  check_small(4, 0, p, lambda, tolerance, sqrt_tolerance, u, c); break;
      default: check_any(p, lambda, tolerance, sqrt_tolerance, u, c);
    }
  else if (!p->row_start)
    switch (p->m) {
      case 2:  check_small(2, 1, p, lambda, tolerance, sqrt_tolerance, u, c); break;
      case 3:  check_small(3, 1, p, lambda, tolerance, sqrt_tolerance, u, c); break;
      case 4:  check_small(4, 1, p, lambda, tolerance, sqrt_tolerance, u, c); break;
      case 6:  check_small(6, 1, p, lambda, tolerance, sqrt_tolerance, u, c); break;
      default: check_any(p, lambda, tolerance, sqrt_tolerance, u, c);
    }
  else
    check_any(p, lambda, tolerance, sqrt_tolerance, u, c);

  if (c->residual > tolerance && c->residual <= 64 * c->floor) {   // near the floor, and that above the tolerance
    nsm_cone_check twice;
    nsm_cone_check_twice(p, lambda, tolerance, sqrt_tolerance, u, &twice);
    if (twice.residual < HUGE_VAL) {
      twice.accepted |= c->accepted;
      *c = twice;
    } else
      check_any(p, lambda, tolerance, sqrt_tolerance, u, c);
  }
}

double nsm_cone_residual(const nsm_cone_problem *p, const double *lambda, double *floor, int *worst) {
  nsm_cone_check c = { HUGE_VAL, 0, 0, 0 };
  if (p->m < 0) return HUGE_VAL;
  if (nsm_cone_blocks_ok(p)) {
    nsm_cone_check_twice(p, lambda, 0.0, 0.0, NULL, &c);
    if (!(c.residual < HUGE_VAL)) check_any(p, lambda, 0.0, 0.0, NULL, &c);   // entries near the largest double
  }
  if (floor) *floor = c.floor;
  if (worst) *worst = c.worst;
  return c.residual;
}
