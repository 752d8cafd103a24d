// Nonsmooth Gauss-Seidel by blocks (Moreau 1999; Jean, CMAME 177 (1999) 235): each cone block in turn is solved exactly
// with the others held (local.c), each interval row likewise,
//   lambda_c := (1 - omega) lambda_c + omega S_c(q_c + sum_{d != c} M_cd lambda_d),
//   lambda_i := P_i(lambda_i - omega u_i / M_ii).
// Needs no factorization, takes every kind of block, dense or rows. Slow where M is ill-conditioned or contacts are
// redundant in long chains; no proof of convergence with friction. Where a block alone has no answer it takes a step of
// projection instead. Dense: u is kept up to date by columns, and recomputed at each look at the residual. Rows: u is
// formed where it is needed.
#include "solver.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { OWN = NSM_CONE_MOST_ROWS * NSM_CONE_MOST_ROWS, LOOK = 10, SWEEPS_LEAST = 200, SWEEPS_MOST = 10000 };
enum { LOCAL = 500 };                  // operations of a block, roughly
static const double work_most = 4e9;   // entries of M that all sweeps together may read, beyond SWEEPS_LEAST

typedef struct sweep {
  const nsm_cone_problem *p;
  double *own;        // [OWN * cones] M_cc, column-major
  double *diagonal;   // [m]
  double  omega;
} sweep;

static int prepare(const nsm_cone_problem *p, nsm_cone_work *w, double omega, sweep *s) {
  *s = (sweep){ p, nsm_cone_take_doubles(w, OWN * (size_t)p->cones), nsm_cone_take_doubles(w, (size_t)p->m), omega };
  if (!s->own || !s->diagonal) return 0;
  for (int i = 0; i < p->m; i++) s->diagonal[i] = nsm_cone_diagonal(p, i);
  for (int c = 0; c < p->cones; c++) {
    int n = p->cone[c].size, first = p->cone[c].first;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) s->own[OWN * c + i + j * n] = nsm_cone_entry(p, first + i, first + j);
  }
  return 1;
}

// u of `size` rows from `first`.
static inline void rows_of_u(const nsm_cone_problem *p, const double *lambda, int first, int size, double *u) {
  for (int i = first; i < first + size; i++) {
    double sum = p->q[i];
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) sum += p->M[k] * lambda[p->col[k]];
    u[i] = sum;
  }
}

static inline void change(const nsm_cone_problem *p, int i, double to, double *lambda, double *u) {
  double d = to - lambda[i];
  if (d == 0) return;
  lambda[i] = to;
  if (p->row_start) return;
  const double *column = p->M + (size_t)i * (size_t)p->m;
  for (int r = 0; r < p->m; r++) u[r] += d * column[r];
}

static void interval_step(const sweep *s, int i, double *lambda, double *u) {
  const nsm_cone_problem *p = s->p;
  if (p->row_start) rows_of_u(p, lambda, i, 1, u);
  double rho = s->diagonal[i] >= DBL_MIN ? 1 / s->diagonal[i] : 1;
  change(p, i, nsm_cone_project(lambda[i] - s->omega * rho * u[i], p->lo[i], p->hi[i]), lambda, u);
}

static void block_step(const sweep *s, int c, double *lambda, double *u) {
  const nsm_cone_problem *p = s->p;
  const nsm_cone_block *b = &p->cone[c];
  const double *M = s->own + OWN * c;
  int n = b->size, first = b->first;
  double *x = lambda + first, q[NSM_CONE_MOST_ROWS], y[NSM_CONE_MOST_ROWS] = { 0 };
  if (p->row_start) rows_of_u(p, lambda, first, n, u);
  for (int i = 0; i < n; i++) {
    q[i] = u[first + i];
    for (int j = 0; j < n; j++) q[i] -= M[i + j * n] * x[j];
  }
  if (!nsm_cone_local(b, M, q, y)) {
    double trace = 0;
    for (int i = 0; i < n; i++) trace += M[i + i * n];
    double rho = trace >= DBL_MIN ? n / trace : 1;
    for (int i = 0; i < n; i++) y[i] = x[i] - rho * u[first + i];
    if (nsm_cone_normals(b->type) == 1 && b->type != NSM_CONE_GRIP) y[0] -= rho * nsm_cone_support(b, u + first + 1);
    nsm_cone_project_block(b, y);
  }
  for (int i = 0; i < n; i++) change(p, first + i, x[i] + s->omega * (y[i] - x[i]), lambda, u);
}

static nsm_cone_outcome relax(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double omega,
                              double *lambda, double *u) {
  size_t mark = w->used;
  sweep s;
  if (!prepare(p, w, omega, &s)) { w->used = mark; return NSM_CONE_GAVE_UP; }
  double entries = p->row_start ? p->row_start[p->m] + 1.0 : (double)p->m * p->m, last_look = HUGE_VAL;
  int limit =
      t->max_iterations > 0 ? t->max_iterations : (int)fmin(SWEEPS_MOST, fmax(SWEEPS_LEAST, work_most / entries));
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  nsm_cone_project_all(p, lambda);
  for (int k = 0;; k++) {
    if (k % LOOK == 0 || k >= limit) {
      nsm_cone_check c;
      nsm_cone_check_answer(p, w, t, lambda, u, &c);
      if (c.accepted) { outcome = NSM_CONE_PROPOSED; break; }
      if (k >= limit || !(c.residual < HUGE_VAL)) break;
      if (k % (20 * LOOK) == 0) {
        if (c.residual > 0.99 * last_look) break;
        last_look = c.residual;
      }
    }
    w->iterations++;
    nsm_cone_charge(w, 2 * nsm_cone_entries(p) + LOCAL * p->cones);
    for (int i = 0, c = 0; i < p->m;) {
      if (c < p->cones && i == p->cone[c].first) {
        block_step(&s, c, lambda, u);
        i += p->cone[c++].size;
      } else
        interval_step(&s, i++, lambda, u);
    }
  }
  w->used = mark;
  return outcome;
}

nsm_cone_outcome nsm_cone_nsgs(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                               double *u) {
  return relax(p, w, t, 1.0, lambda, u);
}

nsm_cone_outcome nsm_cone_nsgs_over(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                    double *u) {
  return relax(p, w, t, 1.3, lambda, u);
}
