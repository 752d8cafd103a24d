// Relaxation, block after block or all at once, by name:
//
//   nsgs    each cone block in turn is solved exactly with the others held (local.c)   (Moreau 1999; Jean, CMAME 177
//           (1999) 235): lambda_c := S_c(q_c + sum_{d != c} M_cd lambda_d). Every kind of block.
//   pgs, psor, jacobi    projected Gauss-Seidel, over-relaxed, and projected Jacobi     [Möller 2011, 2.5.1 - 2.5.4]
//           y_i := P_i(y_i - r_i (v_i + s_i)),   v = M y + q,   r_i = omega / lambda_max(M_ii)           (2.45), (2.67)
//   rows    y_i := P_i(y_i - omega v_i / M_ii),   1/|M_i.|_1 where M_ii <= 0                               (Cryer 1971)
//
// Set transformation (2.5.2): the projection methods work on the standard form (standard.c), in whose scaled unknowns
// lambda = d y all cones are circular. It is applied to the inclusion, not to the projection, so the norm stays
// Euclidean. Recovering (2.5.3): one r_i for a block is slow where the diagonal of M_ii is uneven. Where the argument
// of the projection lies inside of the set the step is multiplied by Q_i = (omega / r_i) diag(M_ii)^{-1}, which makes
// it that of the iteration for linear equations (2.63). (2.44) takes r_i from the largest diagonal entry; with strong
// coupling in the block that over-corrects, lambda_max does not. Simultaneous steps converge for omega < 2 / rho(D^{-1}
// M) only: omega is lowered to 1.6 / rho, estimated by power iteration.
//
// No factorization and little memory: the last resort of the driver. No proof of convergence with friction; slow where
// M is ill-conditioned or contacts are redundant in long chains. Dense: v is kept up to date by columns, and recomputed
// at each look at the residual. Rows: v is formed where it is needed.
#include "solver.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { OWN = NSM_CONE_MOST_ROWS * NSM_CONE_MOST_ROWS, LOOK = 10, SWEEPS = 1000, SWEEPS_LEAST = 200, SWEEPS_MOST = 10000,
       POWER = 30, LOCAL = 500 };      // LOCAL: operations of a block that is solved exactly, roughly
static const double work_most = 4e9;   // entries of M that all sweeps by blocks may read, beyond SWEEPS_LEAST

typedef enum { EXACTLY, IN_TURN, AT_ONCE } manner;

typedef struct relaxation {
  const nsm_cone_problem *p;    // of y and v: as given (EXACTLY), or the standard form
  nsm_cone_standard       s;
  manner  how;
  double  omega;
  double *y, *v, *step;         // [m] unknowns, M y + q, omega-free factors 1 / M_ii
  double *next;                 // [m] of AT_ONCE
  double *r;                    // [units] 1 / lambda_max(M'_ii)
  double *own;                  // [OWN * cones] M_cc, column-major, of EXACTLY
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

// v_i := row i of M y + q (+ 0 q).
static void form_row(const relaxation *x, int i, int with_q) {
  const nsm_cone_problem *p = x->p;
  double sum = with_q ? p->q[i] : 0;
  for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) sum += p->M[k] * x->y[p->col[k]];
  x->v[i] = sum;
}

static void product(const relaxation *x, int with_q) {
  int m = x->p->m;
  if (x->p->row_start) {
    for (int i = 0; i < m; i++) form_row(x, i, with_q);
    return;
  }
  for (int i = 0; i < m; i++) x->v[i] = with_q ? x->p->q[i] : 0;
  for (int j = 0; j < m; j++) {
    const double *C = x->p->M + (size_t)j * (size_t)m;
    if (x->y[j] != 0) for (int i = 0; i < m; i++) x->v[i] += C[i] * x->y[j];
  }
}

// 1 / rho(D^{-1} M), from below; uses y and v as scratch.
static double spectral_factor(relaxation *x) {
  int m = x->p->m;
  double rho = 1;
  for (int i = 0; i < m; i++) x->y[i] = 1 + 0.37 * (i % 7) - 0.61 * (i % 3);
  for (int k = 0; k < POWER; k++) {
    double before = 0, after = 0;
    product(x, 0);
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

static void open_blocks(relaxation *x) {
  for (int c = 0; c < x->p->cones; c++) {
    int n = x->p->cone[c].size, first = x->p->cone[c].first;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) x->own[OWN * c + i + j * n] = nsm_cone_entry(x->p, first + i, first + j);
  }
}

static void open_units(relaxation *x) {
  for (int k = 0; k < x->s.units; k++) {
    const nsm_cone_unit *unit = &x->s.unit[k];
    double A[16] = { 0 }, largest;
    for (int i = 0; i < unit->size; i++)
      for (int j = 0; j < unit->size; j++) A[i + 4 * j] = nsm_cone_entry(x->p, unit->row[i], unit->row[j]);
    largest = largest_eigenvalue(unit->size, A, unit->trace);
    x->r[k] = largest > 0 ? 1 / largest : x->step[unit->row[0]];
  }
  if (x->how == AT_ONCE) x->omega = fmin(x->omega, 1.6 * spectral_factor(x));
}

static int open_relaxation(const nsm_cone_problem *p, nsm_cone_work *w, manner how, double omega, relaxation *x) {
  size_t m = (size_t)p->m;
  *x = (relaxation){ .p = p, .how = how, .omega = omega };
  if (how != EXACTLY) {
    if (!nsm_cone_standard_make(p, w, p->cones > 0, &x->s)) return 0;
    if (p->cones == 0) { x->s.p.M = p->M; x->s.p.row_start = p->row_start; x->s.p.col = p->col; }
    x->p = &x->s.p;
  }
  x->y = nsm_cone_take_doubles(w, m);
  x->v = nsm_cone_take_doubles(w, m);
  x->step = nsm_cone_take_doubles(w, m);
  x->next = nsm_cone_take_doubles(w, m);
  x->r = nsm_cone_take_doubles(w, m);
  x->own = nsm_cone_take_doubles(w, how == EXACTLY ? OWN * (size_t)p->cones : 0);
  if (!x->y || !x->v || !x->step || !x->next || !x->r || !x->own) return 0;
  for (int i = 0; i < p->m; i++) {
    double d = nsm_cone_diagonal(x->p, i), norm = w->row_norm ? w->row_norm[i] : 0;
    if (how != EXACTLY) norm *= x->s.d[i] * x->s.d[i];
    x->step[i] = d >= DBL_MIN ? 1 / d : norm > 0 ? 1 / norm : 1;
  }
  if (how == EXACTLY) open_blocks(x);
  else open_units(x);
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
  if (x->p->row_start) form_row(x, i, 1);
}

static double relax_row(const relaxation *x, int i) {
  return nsm_cone_project(x->y[i] - x->omega * x->step[i] * x->v[i], x->p->lo[i], x->p->hi[i]);
}

// New values of one block, from its y and v: (2.63).
static void relax_unit(const relaxation *x, int k, double *out) {
  const nsm_cone_unit *unit = &x->s.unit[k];
  double a[4] = { 0 }, b[4] = { 0 }, f[4] = { 0 }, shift = 0, r = x->omega * x->r[k];
  int n = unit->size, first = unit->kind == NSM_UNIT_GRIP, inside = 1;
  for (int j = 0; j < n; j++) { f[j] = x->v[unit->row[j]]; if (j > 0) shift += f[j] * f[j]; }
  if (unit->kind == NSM_UNIT_CONE) f[0] += sqrt(shift);
  for (int j = 0; j < n; j++) a[j] = b[j] = x->y[unit->row[j]] - r * f[j];
  if (unit->kind == NSM_UNIT_CONE)      nsm_cone_project_cone(n, 1, a, b);
  else if (unit->kind == NSM_UNIT_DISK) nsm_cone_project_disk(n, unit->radius, a, b);
  else {
    b[0] = x->y[unit->row[0]] - x->omega * x->step[unit->row[0]] * f[0];
    nsm_cone_project_disk(n - 1, fabs(b[0]), a + 1, b + 1);
  }
  for (int j = first; j < n; j++) inside &= a[j] == b[j];
  for (int j = 0; j < n; j++) out[j] = inside ? x->y[unit->row[j]] - x->omega * x->step[unit->row[j]] * f[j] : b[j];
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

static void sweep_blocks(relaxation *x) {
  for (int i = 0, c = 0; i < x->p->m; i++)
    if (c < x->p->cones && i == x->p->cone[c].first) {
      solve_block(x, c);
      i += x->p->cone[c++].size - 1;
    } else {
      need_row(x, i);
      set_row(x, i, relax_row(x, i));
    }
}

static void sweep_units(relaxation *x) {
  for (int i = 0; i < x->p->m; i++) {
    int k = x->s.unit_of[i];
    if (k < 0) {
      need_row(x, i);
      set_row(x, i, relax_row(x, i));
    } else if (x->s.unit[k].row[0] == i) {
      double out[4];
      for (int j = 0; j < x->s.unit[k].size; j++) need_row(x, x->s.unit[k].row[j]);
      relax_unit(x, k, out);
      for (int j = 0; j < x->s.unit[k].size; j++) set_row(x, x->s.unit[k].row[j], out[j]);
    }
  }
}

static void sweep_at_once(relaxation *x) {
  product(x, 1);
  for (int i = 0; i < x->p->m; i++)
    if (x->s.unit_of[i] < 0) x->next[i] = relax_row(x, i);
  for (int k = 0; k < x->s.units; k++) {
    double out[4];
    relax_unit(x, k, out);
    for (int j = 0; j < x->s.unit[k].size; j++) x->next[x->s.unit[k].row[j]] = out[j];
  }
  memcpy(x->y, x->next, (size_t)x->p->m * sizeof(double));
}

static int sweeps_of(const nsm_cone_problem *p, const nsm_cone_try *t, manner how) {
  if (t->max_iterations > 0) return t->max_iterations;
  return how == EXACTLY ? (int)fmin(SWEEPS_MOST, fmax(SWEEPS_LEAST, work_most / (nsm_cone_entries(p) + 1))) : SWEEPS;
}

static nsm_cone_outcome relax(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, manner how,
                              double omega, double *lambda, double *u) {
  size_t mark = w->used, bytes = (size_t)p->m * sizeof(double);
  int limit = sweeps_of(p, t, how), pause = how == EXACTLY ? 20 * LOOK : 10 * LOOK;
  double last_look = HUGE_VAL;
  relaxation x;
  if (!open_relaxation(p, w, how, omega, &x)) { w->used = mark; return NSM_CONE_GAVE_UP; }
  nsm_cone_project_all(p, lambda);
  if (how == EXACTLY) memcpy(x.y, lambda, bytes);
  else nsm_cone_to_standard(&x.s, lambda, x.y);
  nsm_cone_check c;
  for (int k = 0;; k++) {
    if (k % LOOK == 0 || k >= limit) {
      if (how == EXACTLY) memcpy(lambda, x.y, bytes);
      else { nsm_cone_from_standard(&x.s, x.y, lambda); nsm_cone_project_all(p, lambda); }
      nsm_cone_check_answer(p, w, t, lambda, u, &c);
      if (c.accepted || k >= limit || !(c.residual < HUGE_VAL)) break;
      if (k % pause == 0) {
        if (c.residual > 0.99 * last_look) break;
        last_look = c.residual;
      }
      if (!p->row_start && how != AT_ONCE) product(&x, 1);
    }
    w->iterations++;
    nsm_cone_charge(w, 2 * nsm_cone_entries(p) + (how == EXACTLY ? LOCAL * p->cones : 0));
    if (how == EXACTLY) sweep_blocks(&x);
    else if (how == IN_TURN) sweep_units(&x);
    else sweep_at_once(&x);
  }
  if (!(c.residual < HUGE_VAL)) nsm_cone_start(p, lambda);   // run away: nothing of it is of use
  w->used = mark;
  return c.accepted ? NSM_CONE_PROPOSED : NSM_CONE_GAVE_UP;
}

nsm_cone_outcome nsm_cone_nsgs(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                               double *u) {
  return relax(p, w, t, EXACTLY, 1.0, lambda, u);
}

nsm_cone_outcome nsm_cone_pgs(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                              double *u) {
  return relax(p, w, t, IN_TURN, 1.0, lambda, u);
}

nsm_cone_outcome nsm_cone_psor(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                               double *u) {
  return relax(p, w, t, IN_TURN, 1.4, lambda, u);
}

nsm_cone_outcome nsm_cone_jacobi(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                 double *u) {
  return relax(p, w, t, AT_ONCE, 1.0, lambda, u);
}
