// The judge. Computes u = M lambda + q and the natural-map residual (mathematics.md (2)) from the problem alone, with its own
// product and its own projection: nothing here is shared with the solvers, so that a mistake there cannot hide here.
//
//   r_i = |lambda_i - P_i(lambda_i - rho_i u_i)| / |lambda|_inf,   rho_i = 1/M_ii  (1 where M_ii <= 0; absolute where lambda = 0)
//
// An answer is accepted where every row has, with s = |lambda|_inf (1 where that is 0),
//
//   r_i s <= max( min(tol s, sqrt(tol) rho_i |q|_inf), 8 floor_i s ),   floor_i s = eps rho_i (sum_j |M_ij lambda_j| + |q_i|).
//
// The minimum matters where a problem has no solution: a huge lambda makes r small while u stays wrong by the size of q.
// The floor matters where round-off in u alone exceeds the tolerance. Written so that any nan is not accepted.
#include "solver.h"
#include <float.h>
#include <math.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))
enum { CHUNK = 64 };

typedef struct judge {
  double scale, limit, guard;       // s, tol s, sqrt(tol) |q|_inf
  double worst, floor;              // not yet divided by s
  int    row, accepted;
} judge;

ALWAYS_INLINE judge open_judge(double lambda_max, double q_max, double tol, double sqrt_tol) {
  judge j = { 0 };
  j.scale = lambda_max >= DBL_MIN ? lambda_max : 1.0;   // a subnormal scale has no inverse
  j.limit = tol * j.scale;
  j.guard = q_max > 0 ? sqrt_tol * q_max : HUGE_VAL;
  j.worst = -1;
  j.accepted = 1;
  return j;
}

// One row: u = (M lambda + q)_i, size = sum_j |M_ij lambda_j| + |q_i|, diagonal = M_ii.
ALWAYS_INLINE void judge_row(judge *j, int i, double lambda, double lo, double hi, double u, double size, double diagonal) {
  double rho = diagonal >= DBL_MIN ? 1.0 / diagonal : 1.0;
  double x = lambda - rho * u;
  x = x < lo ? lo : x > hi ? hi : x;
  double r = fabs(lambda - x), floor = DBL_EPSILON * rho * size, limit = rho * j->guard;
  limit = j->limit < limit ? j->limit : limit;
  limit = limit > 8 * floor ? limit : 8 * floor;
  if (!(r <= limit && limit < HUGE_VAL && lo <= hi)) j->accepted = 0;
  if (!(r <= j->worst)) { j->worst = r; j->row = i; }
  j->floor = floor > j->floor ? floor : j->floor;
}

ALWAYS_INLINE void close_judge(const judge *j, nsm_cone_check *c) {
  double inverse = 1.0 / j->scale;
  c->residual = j->worst < 0 ? 0.0 : j->worst * inverse;
  c->floor = j->floor * inverse;
  c->worst = j->row;
  c->accepted = j->accepted && c->residual < HUGE_VAL;
}

// max |x_i|; a nan anywhere gives nan.
ALWAYS_INLINE double largest(const int n, const double *x) {
  double a = 0;
  for (int i = 0; i < n; i++) a = fabs(x[i]) <= a ? a : fabs(x[i]);
  return a;
}

// A small dense problem, with n constant: everything stays in registers.
ALWAYS_INLINE void check_small(const int n, const nsm_cone_problem *p, const double *lambda, double tol, double sqrt_tol,
                               double *u, nsm_cone_check *c) {
  const double *M = p->M, *q = p->q;
  judge j = open_judge(largest(n, lambda), largest(n, q), tol, sqrt_tol);
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
    judge_row(&j, i, lambda[i], p->lo[i], p->hi[i], sum, size, M[i + i * n]);
  }
  close_judge(&j, c);
}

// Dense, any size: CHUNK rows at a time, so that M is read along its columns.
static void check_dense(const nsm_cone_problem *p, const double *lambda, judge *j, double *u) {
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
      judge_row(j, g, lambda[g], p->lo[g], p->hi[g], sum[i], size[i], p->M[(size_t)g * (size_t)p->m + (size_t)g]);
    }
  }
}

static void check_sparse(const nsm_cone_problem *p, const double *lambda, judge *j, double *u) {
  for (int i = 0; i < p->m; i++) {
    double sum = p->q[i], size = fabs(sum), diagonal = 0;
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
      double t = p->M[k] * lambda[p->col[k]];
      sum += t;
      size += fabs(t);
      diagonal = p->col[k] == i ? p->M[k] : diagonal;
    }
    if (u) u[i] = sum;
    judge_row(j, i, lambda[i], p->lo[i], p->hi[i], sum, size, diagonal);
  }
}

void nsm_cone_check_answer(const nsm_cone_problem *p, const double *lambda, double tolerance, double sqrt_tolerance,
                           double *u, nsm_cone_check *c) {
  if (!p->row_start)
    switch (p->m) {
      case 1: check_small(1, p, lambda, tolerance, sqrt_tolerance, u, c); return;
      case 2: check_small(2, p, lambda, tolerance, sqrt_tolerance, u, c); return;
      case 3: check_small(3, p, lambda, tolerance, sqrt_tolerance, u, c); return;
      case 4: check_small(4, p, lambda, tolerance, sqrt_tolerance, u, c); return;
      default: break;
    }
  judge j = open_judge(largest(p->m, lambda), largest(p->m, p->q), tolerance, sqrt_tolerance);
  if (p->row_start) check_sparse(p, lambda, &j, u);
  else              check_dense(p, lambda, &j, u);
  close_judge(&j, c);
}

double nsm_cone_residual(const nsm_cone_problem *p, const double *lambda, double *floor, int *worst) {
  nsm_cone_check c;
  nsm_cone_check_answer(p, lambda, 0.0, 0.0, NULL, &c);
  if (floor) *floor = c.floor;
  if (worst) *worst = c.worst;
  return c.residual;
}
