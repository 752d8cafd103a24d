// Every way to satisfy (1) where all blocks are planar, for a few contacts: exact, also where M is singular or of no
// definite sign (Painleve's rod has no solution, or three). The counterpart of enumeration.c.
//
// Each row or block contributes a polyhedron of each of its modes; the solution set is their union, and a nonempty
// polyhedron without lines has a minimal face, which is an affine set. So besides the modes themselves, those with some
// of their inequalities tight are tried:
//   interval  basic; low, high; low and high with u = 0        (DISK with one row likewise)
//   COULOMB   stick; stick at +mu, at -mu, with lambda = 0; slip+, slip-; open; open with u_N = 0
//   GRIP      stick; stick at +mu, at -mu, with lambda = 0; slip+, slip-; lambda = 0 with u_N = 0
// A consistent system of deficient rank is solved with its undetermined unknowns at zero; any point of a minimal face
// will do.
#include "solver.h"
#include <math.h>

enum { N = NSM_PLANAR_MAX, COMBINATIONS = 40000 };
enum { STICK, PLUS, MINUS, OPEN, STICK_PLUS, STICK_MINUS, STICK_ZERO, OPEN_TIGHT, CHOICES };
enum { BASIC, LOW, HIGH, LOW_TIGHT, HIGH_TIGHT, INTERVAL_CHOICES };

typedef struct place { int first, kind; double mu, lo, hi; } place;   // kind: 0 interval, 1 COULOMB, 2 GRIP

// The rows and blocks in order; 0 where there is one that is not planar, or too many combinations.
static int look(const nsm_cone_problem *p, place *at, double *combinations) {
  int n = 0;
  *combinations = 1;
  for (int i = 0, c = 0; i < p->m; n++) {
    const nsm_cone_block *b = nsm_cone_block_at(p, i, &c);
    if (!b) at[n] = (place){ i, 0, 0, p->lo[i], p->hi[i] };
    else if (b->type == NSM_CONE_DISK) at[n] = (place){ i, 0, 0, -b->radius, b->radius };
    else at[n] = (place){ i, b->type == NSM_CONE_GRIP ? 2 : 1, b->mu, 0, 0 };
    *combinations *= at[n].kind ? CHOICES : INTERVAL_CHOICES;
    i += b ? b->size : 1;
  }
  return n;
}

static int allowed(const place *at, int choice) {
  if (at->kind == 0)
    return choice < INTERVAL_CHOICES &&
           (choice == BASIC || (choice == LOW || choice == LOW_TIGHT ? at->lo > -HUGE_VAL : at->hi < HUGE_VAL));
  if (at->kind == 2) return choice != OPEN;
  return 1;
}

// lambda of one choice for each place; 0 where its equations are inconsistent.
static int lambda_of(const nsm_cone_problem *p, const place *at, int places, const int *choice, double *lambda,
                     int *doubtful) {
  int m = p->m, columns = 0, rows = 0, R[N];
  double E[N][N] = { { 0 } }, A[N * N], b[N], terms[N], x[N];     // E[column][row]
  for (int i = 0; i < m; i++) lambda[i] = 0;
  for (int k = 0; k < places; k++) {
    int i = at[k].first, c = choice[k];
    if (at[k].kind == 0) {
      if (c == BASIC) E[columns++][i] = 1;
      else lambda[i] = c == LOW || c == LOW_TIGHT ? at[k].lo : at[k].hi;
      if (c == BASIC || c >= LOW_TIGHT) R[rows++] = i;
      continue;
    }
    if (c == STICK) { E[columns++][i] = 1; E[columns++][i + 1] = 1; }
    if (c == PLUS || c == MINUS || c == STICK_PLUS || c == STICK_MINUS) {
      E[columns][i] = 1;
      E[columns++][i + 1] = c == PLUS || c == STICK_PLUS ? at[k].mu : -at[k].mu;
    }
    if (c != OPEN) R[rows++] = i;
    if (c == STICK || (c >= STICK_PLUS && c <= STICK_ZERO)) R[rows++] = i + 1;
  }
  for (int r = 0; r < rows; r++) {
    b[r] = -p->q[R[r]];
    terms[r] = nsm_cone_terms(p, R[r]);
    for (int j = 0; j < m; j++) {
      double known = p->M[R[r] + j * m] * lambda[j];
      b[r] -= known;
      terms[r] += fabs(known);
    }
    for (int c = 0; c < columns; c++) {
      double sum = 0;
      for (int j = 0; j < m; j++) sum += p->M[R[r] + j * m] * E[c][j];
      A[r * N + c] = sum;
    }
  }
  if (!nsm_cone_solve_rectangular(&(nsm_rectangular){ rows, columns, N, A, b, terms, x }, doubtful)) return 0;
  for (int c = 0; c < columns; c++)
    for (int j = 0; j < m; j++) lambda[j] += x[c] * E[c][j];
  nsm_cone_clip(p, lambda);
  return 1;
}

static void keep(int m, const double *from, double *to) {
  for (int i = 0; i < m; i++) to[i] = from[i];
}

nsm_cone_outcome nsm_cone_planar(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, double *lambda,
                                 double *u) {
  int m = p->m, places, doubtful = 0, choice[N] = { 0 };
  place at[N];
  double combinations, x[N], best[N] = { 0 }, best_residual = HUGE_VAL;
  if (m < 1 || m > N || p->row_start || !nsm_cone_is_planar(p)) return NSM_CONE_GAVE_UP;
  places = look(p, at, &combinations);
  if (combinations > COMBINATIONS) return NSM_CONE_GAVE_UP;
  for (;;) {
    int possible = 1, k = 0;
    for (int i = 0; i < places; i++) possible &= allowed(&at[i], choice[i]);
    if (possible && lambda_of(p, at, places, choice, x, &doubtful)) {
      nsm_cone_check c;
      w->iterations++;
      nsm_cone_check_answer(p, w, t, x, u, &c);
      if (c.accepted || c.residual < best_residual) {
        best_residual = c.residual;
        keep(m, x, best);
      }
      if (c.accepted) {
        keep(m, x, lambda);
        return NSM_CONE_PROPOSED;
      }
    }
    while (k < places && ++choice[k] == CHOICES) choice[k++] = 0;
    if (k == places) break;
  }
  keep(m, best, lambda);
  return best_residual > 1e-6 && !doubtful ? NSM_CONE_PROVED_NONE : NSM_CONE_GAVE_UP;
}
