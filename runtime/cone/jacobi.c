// Projected Jacobi and projected Gauss-Seidel for problems with cone blocks                [Möller 2011, 2.5.1 - 2.5.4]
//
//   y_i := P_i(y_i - r_i (v_i + s_i)),   v = M y + q,   r_i = omega / lambda_max(M_ii)                  (2.45), (2.67)
//
// Set transformation (2.5.2): it is not the cones of the problem that are projected on but those of the standard form
// (standard.c), in whose scaled unknowns lambda = A y all of them are circular. It is applied to the inclusion, not to
// the projection, so the norm stays Euclidean. Recovering (2.5.3): one r_i for a block is slow where the diagonal of
// M_ii is uneven. Where the argument of the projection lies inside of
// the set the step is multiplied by Q_i = (omega / r_i) diag(M_ii)^{-1}, which makes it that of the iteration
// for linear equations (2.63).
// (2.44) takes r_i from the largest diagonal entry; with strong coupling in the block that over-corrects, lambda_max
// does not. Simultaneous steps converge for omega < 2 / rho(D^{-1} M) only: omega is lowered to 1.6 / rho, estimated by
// power iteration.
#include "solver.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { LOOK = 10, SWEEPS = 1000, POWER = 30 };

typedef struct relaxation {
  const nsm_cone_problem *p;    // as given
  nsm_cone_standard       s;
  double *y, *v, *step;         // [m] unknowns, M y + q, omega-free factors 1 / M'_ii
  double *r;                    // [units] 1 / lambda_max(M'_ii)
} relaxation;

// Largest eigenvalue of the symmetric part of a block, n <= 4, by power iteration with the trace as its bound.
static double largest_eigenvalue(int n, const double *A, double trace) {
  double x[4] = { 1, 0.7, -0.4, 0.2 }, value = 0;
  for (int k = 0; k < POWER; k++) {
    double z[4] = { 0 }, norm = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) z[i] += 0.5 * (A[i + 4 * j] + A[j + 4 * i]) * x[j];
      norm += z[i] * z[i];
    }
    norm = sqrt(norm);
    if (!(norm > 0)) return trace;
    for (int i = 0; i < n; i++) x[i] = z[i] / norm;
    value = norm;
  }
  return fmin(1.01 * value, fmax(trace, value));
}

// v := M' y + q' (+ 0 q').
static void product(const nsm_cone_problem *p, const double *y, int with_q, double *v) {
  int m = p->m;
  if (p->row_start) {
    for (int i = 0; i < m; i++) {
      v[i] = with_q ? p->q[i] : 0;
      for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) v[i] += p->M[k] * y[p->col[k]];
    }
    return;
  }
  for (int i = 0; i < m; i++) v[i] = with_q ? p->q[i] : 0;
  for (int j = 0; j < m; j++) {
    const double *C = p->M + (size_t)j * (size_t)m;
    if (y[j] != 0) for (int i = 0; i < m; i++) v[i] += C[i] * y[j];
  }
}

// 1 / rho(D^{-1} M), from below; uses y and v as scratch.
static double spectral_factor(relaxation *x) {
  int m = x->p->m;
  double rho = 1;
  for (int i = 0; i < m; i++) x->y[i] = 1 + 0.37 * (i % 7) - 0.61 * (i % 3);
  for (int k = 0; k < POWER; k++) {
    double before = 0, after = 0;
    product(&x->s.p, x->y, 0, x->v);
    for (int i = 0; i < m; i++) {
      before += x->y[i] * x->y[i];
      x->v[i] *= x->step[i];
      after += x->v[i] * x->v[i];
    }
    if (!(after > 0 && before > 0 && after < HUGE_VAL)) return 1;
    rho = sqrt(after / before);
    for (int i = 0; i < m; i++) x->y[i] = x->v[i] / rho;
  }
  return 1 / rho;
}

static int open_relaxation(relaxation *x, const nsm_cone_problem *p, nsm_cone_work *w) {
  size_t m = (size_t)p->m;
  memset(x, 0, sizeof *x);
  x->p = p;
  if (!nsm_cone_standard_make(p, w, p->cones > 0, &x->s)) return 0;
  if (p->cones == 0) { x->s.p.M = p->M; x->s.p.row_start = p->row_start; x->s.p.col = p->col; }
  x->y = nsm_cone_take_doubles(w, m);
  x->v = nsm_cone_take_doubles(w, m);
  x->step = nsm_cone_take_doubles(w, m);
  x->r = nsm_cone_take_doubles(w, m);
  if (!x->y || !x->v || !x->step || !x->r) return 0;
  for (int i = 0; i < p->m; i++) {
    double d = nsm_cone_diagonal(&x->s.p, i), norm = w->row_norm ? w->row_norm[i] * x->s.d[i] * x->s.d[i] : 0;
    x->step[i] = d >= DBL_MIN ? 1 / d : norm > 0 ? 1 / norm : 1;
  }
  for (int k = 0; k < x->s.units; k++) {
    const nsm_cone_unit *unit = &x->s.unit[k];
    double A[16] = { 0 }, largest;
    for (int i = 0; i < unit->size; i++)
      for (int j = 0; j < unit->size; j++) A[i + 4 * j] = nsm_cone_entry(&x->s.p, unit->row[i], unit->row[j]);
    largest = largest_eigenvalue(unit->size, A, unit->trace);
    x->r[k] = largest > 0 ? 1 / largest : x->step[unit->row[0]];
  }
  return 1;
}

// New values of one block, from its y and v: (2.63).
static void relax_unit(const relaxation *x, int k, double omega, double *out) {
  const nsm_cone_unit *unit = &x->s.unit[k];
  double a[4] = { 0 }, b[4] = { 0 }, f[4] = { 0 }, shift = 0, r = omega * x->r[k];
  int n = unit->size, first = unit->kind == NSM_UNIT_GRIP, inside = 1;
  for (int j = 0; j < n; j++) { f[j] = x->v[unit->row[j]]; if (j > 0) shift += f[j] * f[j]; }
  if (unit->kind == NSM_UNIT_CONE) f[0] += sqrt(shift);
  for (int j = 0; j < n; j++) a[j] = b[j] = x->y[unit->row[j]] - r * f[j];
  if (unit->kind == NSM_UNIT_CONE)      nsm_cone_project_cone(n, 1, a, b);
  else if (unit->kind == NSM_UNIT_DISK) nsm_cone_project_disk(n, unit->radius, a, b);
  else {
    b[0] = x->y[unit->row[0]] - omega * x->step[unit->row[0]] * f[0];
    nsm_cone_project_disk(n - 1, fabs(b[0]), a + 1, b + 1);
  }
  for (int j = first; j < n; j++) inside &= a[j] == b[j];
  for (int j = 0; j < n; j++) out[j] = inside ? x->y[unit->row[j]] - omega * x->step[unit->row[j]] * f[j] : b[j];
}

static double relax_row(const relaxation *x, int i, double omega) {
  return nsm_cone_project(x->y[i] - omega * x->step[i] * x->v[i], x->s.p.lo[i], x->s.p.hi[i]);
}

static void sweep_simultaneous(relaxation *x, double omega, double *next) {
  product(&x->s.p, x->y, 1, x->v);
  for (int i = 0; i < x->p->m; i++)
    if (x->s.unit_of[i] < 0) next[i] = relax_row(x, i, omega);
  for (int k = 0; k < x->s.units; k++) {
    double out[4];
    relax_unit(x, k, omega, out);
    for (int j = 0; j < x->s.unit[k].size; j++) next[x->s.unit[k].row[j]] = out[j];
  }
  memcpy(x->y, next, (size_t)x->p->m * sizeof(double));
}

// y_i := to; v follows (dense), or is formed when it is needed (rows).
static void set_row(relaxation *x, int i, double to) {
  const nsm_cone_problem *p = &x->s.p;
  double d = to - x->y[i];
  x->y[i] = to;
  if (p->row_start || d == 0) return;
  const double *C = p->M + (size_t)i * (size_t)p->m;
  for (int r = 0; r < p->m; r++) x->v[r] += d * C[r];
}

static void need_row(relaxation *x, int i) {
  const nsm_cone_problem *p = &x->s.p;
  if (!p->row_start) return;
  x->v[i] = p->q[i];
  for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) x->v[i] += p->M[k] * x->y[p->col[k]];
}

static void sweep_in_turn(relaxation *x, double omega) {
  if (!x->s.p.row_start) product(&x->s.p, x->y, 1, x->v);
  for (int i = 0; i < x->p->m; i++) {
    int k = x->s.unit_of[i];
    if (k < 0) {
      need_row(x, i);
      set_row(x, i, relax_row(x, i, omega));
    } else if (x->s.unit[k].row[0] == i) {
      double out[4];
      for (int j = 0; j < x->s.unit[k].size; j++) need_row(x, x->s.unit[k].row[j]);
      relax_unit(x, k, omega, out);
      for (int j = 0; j < x->s.unit[k].size; j++) set_row(x, x->s.unit[k].row[j], out[j]);
    }
  }
}

nsm_cone_outcome nsm_cone_relax(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double omega,
                                int in_turn, double *lambda, double *u) {
  relaxation x;
  size_t mark = w->used;
  nsm_cone_outcome outcome = NSM_CONE_GAVE_UP;
  double last_look = HUGE_VAL, *next = nsm_cone_take_doubles(w, (size_t)p->m);
  int limit = t->max_iterations > 0 ? t->max_iterations : SWEEPS, finite = 1;
  if (next && open_relaxation(&x, p, w)) {
    if (!in_turn) omega = fmin(omega, 1.6 * spectral_factor(&x));
    if (!t->warm) memset(lambda, 0, (size_t)p->m * sizeof(double));
    nsm_cone_project_all(p, lambda);
    nsm_cone_to_standard(&x.s, lambda, x.y);
    for (int k = 0;; k++) {
      if (k % LOOK == 0 || k >= limit) {
        nsm_cone_check c;
        nsm_cone_from_standard(&x.s, x.y, lambda);
        nsm_cone_project_all(p, lambda);
        nsm_cone_check_answer(p, w, t, lambda, u, &c);
        finite = c.residual < HUGE_VAL;
        if (c.accepted) { outcome = NSM_CONE_PROPOSED; break; }
        if (k >= limit || !finite) break;
        if (k % (10 * LOOK) == 0) {
          if (c.residual > 0.99 * last_look) break;
          last_look = c.residual;
        }
      }
      w->iterations++;
      nsm_cone_charge(w, 2 * nsm_cone_entries(p));
      if (in_turn) sweep_in_turn(&x, omega);
      else         sweep_simultaneous(&x, omega, next);
    }
  }
  if (!finite) {          // run away: nothing of it is of use
    memset(lambda, 0, (size_t)p->m * sizeof(double));
    nsm_cone_project_all(p, lambda);
  }
  w->used = mark;
  return outcome;
}

nsm_cone_outcome nsm_cone_jacobi(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                 double *u) {
  return nsm_cone_relax(p, w, t, 1.0, 0, lambda, u);
}
