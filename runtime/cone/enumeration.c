// Every way to satisfy (1), row by row, for up to five rows: exact, also where M is singular.
//
// Row i is one of: basic (u_i = 0); at a finite bound; at a finite bound with u_i = 0 as well. The solution set of (1)
// is a union of polyhedra, and a nonempty one has a minimal face (Rockafellar, Convex Analysis, 18-19), which is an
// affine set
//   M_RC lambda_C = -(q + M lambda_N)_R,   C the basic rows, R = C and the tight ones.
// Any point of that face will do, so a consistent system of deficient rank is solved with its undetermined unknowns at
// zero. Trying all choices of (C, R) therefore finds a solution if there is one; the answer "none" needs a clear margin
// on every one of them.
#include "solver.h"
#include <math.h>

enum { N = NSM_BASES_MAX };

typedef enum { BASIC, LOW, LOW_TIGHT, HIGH, HIGH_TIGHT, CHOICES } choice;

static int allowed(const nsm_cone_problem *p, int i, choice c) {
  if (c == BASIC) return 1;
  return c == LOW || c == LOW_TIGHT ? p->lo[i] > -HUGE_VAL : p->hi[i] < HUGE_VAL;
}

// lambda for one choice per row; 0 where the equations are inconsistent.
static int lambda_of(const nsm_cone_problem *p, const choice *at, double *lambda, int *doubtful) {
  int m = p->m, C[N], R[N], columns = 0, rows = 0;
  double A[N * N], b[N], terms[N], x[N];
  for (int i = 0; i < m; i++) {
    if (at[i] == BASIC) C[columns++] = i;
    if (at[i] == BASIC || at[i] == LOW_TIGHT || at[i] == HIGH_TIGHT) R[rows++] = i;
    lambda[i] = at[i] == BASIC ? 0 : at[i] <= LOW_TIGHT ? p->lo[i] : p->hi[i];
  }
  for (int r = 0; r < rows; r++) {
    b[r] = -p->q[R[r]];
    terms[r] = nsm_cone_terms(p, R[r]);
    for (int j = 0; j < m; j++) {
      double known = p->M[R[r] + j * m] * lambda[j];
      b[r] -= known;
      terms[r] += fabs(known);
    }
    for (int c = 0; c < columns; c++) A[r * N + c] = p->M[R[r] + C[c] * m];
  }
  if (!nsm_cone_solve_rectangular(&(nsm_rectangular){ rows, columns, N, A, b, terms, x }, doubtful)) return 0;
  for (int c = 0; c < columns; c++) lambda[C[c]] = nsm_cone_project(x[c], p->lo[C[c]], p->hi[C[c]]);
  return 1;
}

nsm_cone_outcome nsm_cone_enumeration(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t,
                                      double *lambda, double *u) {
  int m = p->m, doubtful = 0;
  if (m < 1 || m > N || p->row_start) return NSM_CONE_GAVE_UP;
  double x[N], best[N], best_residual = HUGE_VAL;
  for (int i = 0; i < m; i++) best[i] = nsm_cone_project(0, p->lo[i], p->hi[i]);

  // First without tight rows (the ordinary case), then with at least one.
  for (int pass = 0; pass < 2; pass++) {
    choice at[N] = { BASIC };
    for (;;) {
      int tight = 0, possible = 1;
      for (int i = 0; i < m; i++) {
        tight |= at[i] == LOW_TIGHT || at[i] == HIGH_TIGHT;
        possible &= allowed(p, i, at[i]);
      }
      if (possible && tight == pass && lambda_of(p, at, x, &doubtful)) {
        nsm_cone_check c;
        w->iterations++;
        nsm_cone_check_answer(p, w, t, x, u, &c);
        if (!c.accepted) nsm_cone_held(p, w, t, x, u, &c);
        if (c.accepted || c.residual < best_residual) {
          best_residual = c.residual;
          for (int i = 0; i < m; i++) best[i] = x[i];
        }
        if (c.accepted) {
          for (int i = 0; i < m; i++) lambda[i] = x[i];
          return NSM_CONE_PROPOSED;
        }
      }
      int i = 0;
      while (i < m && ++at[i] == CHOICES) at[i++] = BASIC;
      if (i == m) break;
    }
  }
  for (int i = 0; i < m; i++) lambda[i] = best[i];
  return best_residual > 1e-6 && !doubtful ? NSM_CONE_PROVED_NONE : NSM_CONE_GAVE_UP;
}
