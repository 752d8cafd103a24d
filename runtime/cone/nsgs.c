// Gauss-Seidel by blocks: each cone block in turn is solved exactly with the others held (local.c)
// [Moreau 1999; Jean, CMAME 177 (1999) 235],
//
//   lambda_c := S_c(q_c + sum_{d != c} M_cd lambda_d);   rows  y_i := P_i(y_i - v_i / M_ii),  v = M y + q  [Cryer 1971]
//
// with 1/|M_i.|_1 in place of 1/M_ii where M_ii <= 0. Problems without blocks are projected Gauss-Seidel.
//
// No factorization and little memory: the last resort of the driver. No proof of convergence with friction; slow where
// M is ill-conditioned or contacts are redundant in long chains. Dense: v is kept up to date by columns, and recomputed
// at each look at the residual. Rows: v is formed where it is needed.
#include "solver.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { OWN = NSM_CONE_MOST_ROWS * NSM_CONE_MOST_ROWS, LOOK = 10, PAUSE = 20 * LOOK, SWEEPS_LEAST = 200,
       SWEEPS_MOST = 10000,
       LOCAL = 500 };                  // operations of a block that is solved exactly, roughly
static const double work_most = 4e9;   // entries of M that all sweeps may read, beyond SWEEPS_LEAST

typedef struct relaxation {
  const nsm_cone_problem *p;
  double *y, *v, *step;         // [m] unknowns, M y + q, 1 / M_ii
  double *own;                  // [OWN * cones] M_cc, column-major
} relaxation;

// v_i := row i of M y + q.
static void form_row(const relaxation *x, int i) {
  const nsm_cone_problem *p = x->p;
  double sum = p->q[i];
  for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) sum += p->M[k] * x->y[p->col[k]];
  x->v[i] = sum;
}

// v := M y + q, of a dense M.
static void product(const relaxation *x) {
  int m = x->p->m;
  for (int i = 0; i < m; i++) x->v[i] = x->p->q[i];
  for (int j = 0; j < m; j++) {
    const double *C = x->p->M + (size_t)j * (size_t)m;
    if (x->y[j] != 0) for (int i = 0; i < m; i++) x->v[i] += C[i] * x->y[j];
  }
}

static int open_relaxation(const nsm_cone_problem *p, nsm_cone_work *w, relaxation *x) {
  size_t m = (size_t)p->m;
  *x = (relaxation){ .p = p, .y = nsm_cone_take_doubles(w, m), .v = nsm_cone_take_doubles(w, m),
                     .step = nsm_cone_take_doubles(w, m), .own = nsm_cone_take_doubles(w, OWN * (size_t)p->cones) };
  if (!x->y || !x->v || !x->step || !x->own) return 0;
  for (int i = 0; i < p->m; i++) {
    double d = nsm_cone_diagonal(p, i), norm = w->row_norm ? w->row_norm[i] : 0;
    x->step[i] = d >= DBL_MIN ? 1 / d : norm > 0 ? 1 / norm : 1;
  }
  for (int c = 0; c < p->cones; c++) {
    int n = p->cone[c].size, first = p->cone[c].first;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) x->own[OWN * c + i + j * n] = nsm_cone_entry(p, first + i, first + j);
  }
  return 1;
}

// y_i := to; v follows (dense), or is formed when it is needed (rows).
static void set_row(relaxation *x, int i, double to) {
  const nsm_cone_problem *p = x->p;
  double d = to - x->y[i];
  x->y[i] = to;
  if (p->row_start || d == 0) return;
  const double *C = p->M + (size_t)i * (size_t)p->m;
  for (int r = 0; r < p->m; r++) x->v[r] += d * C[r];
}

static void need_row(relaxation *x, int i) {
  if (x->p->row_start) form_row(x, i);
}

// The exact answer of block c with the others held; where it alone has none, a step of projection.
static void solve_block(relaxation *x, int c) {
  const nsm_cone_block *b = &x->p->cone[c];
  const double *M = x->own + OWN * c;
  int n = b->size, first = b->first;
  double *y = x->y + first, *v = x->v + first, q[NSM_CONE_MOST_ROWS], to[NSM_CONE_MOST_ROWS] = { 0 };
  for (int i = 0; i < n; i++) need_row(x, first + i);
  for (int i = 0; i < n; i++) {
    q[i] = v[i];
    for (int j = 0; j < n; j++) q[i] -= M[i + j * n] * y[j];
  }
  if (!nsm_cone_local(b, M, q, to)) {
    double trace = 0;
    for (int i = 0; i < n; i++) trace += M[i + i * n];
    double rho = trace >= DBL_MIN ? n / trace : 1;
    for (int i = 0; i < n; i++) to[i] = y[i] - rho * v[i];
    if (nsm_cone_normals(b->type) == 1 && b->type != NSM_CONE_GRIP) to[0] -= rho * nsm_cone_support(b, v + 1);
    nsm_cone_project_block(b, to);
  }
  for (int i = 0; i < n; i++) set_row(x, first + i, to[i]);
}

static void sweep(relaxation *x) {
  const nsm_cone_problem *p = x->p;
  for (int i = 0, c = 0; i < p->m; i++)
    if (c < p->cones && i == p->cone[c].first) {
      solve_block(x, c);
      i += p->cone[c++].size - 1;
    } else {
      need_row(x, i);
      set_row(x, i, nsm_cone_project(x->y[i] - x->step[i] * x->v[i], p->lo[i], p->hi[i]));
    }
}

nsm_cone_outcome nsm_cone_nsgs(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                               double *u) {
  size_t mark = w->used, bytes = (size_t)p->m * sizeof(double);
  int limit = t->max_iterations > 0 ? t->max_iterations
                                    : (int)fmin(SWEEPS_MOST, fmax(SWEEPS_LEAST, work_most / (nsm_cone_entries(p) + 1)));
  double last_look = HUGE_VAL;
  relaxation x;
  nsm_cone_check c;
  if (!open_relaxation(p, w, &x)) { w->used = mark; return NSM_CONE_GAVE_UP; }
  nsm_cone_project_all(p, lambda);
  memcpy(x.y, lambda, bytes);
  for (int k = 0;; k++) {
    if (k % LOOK == 0 || k >= limit) {
      memcpy(lambda, x.y, bytes);
      nsm_cone_check_answer(p, w, t, lambda, u, &c);
      if (c.accepted || k >= limit || !(c.residual < HUGE_VAL)) break;
      if (k % PAUSE == 0) {
        if (c.residual > 0.99 * last_look) break;
        last_look = c.residual;
      }
      if (!p->row_start) product(&x);
    }
    w->iterations++;
    nsm_cone_charge(w, 2 * nsm_cone_entries(p) + LOCAL * p->cones);
    sweep(&x);
  }
  if (!(c.residual < HUGE_VAL)) nsm_cone_start(p, lambda);   // run away: nothing of it is of use
  w->used = mark;
  return c.accepted ? NSM_CONE_PROPOSED : NSM_CONE_GAVE_UP;
}
