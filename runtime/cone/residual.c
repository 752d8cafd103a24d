// The verifier. Computes u = M lambda + q and the natural-map residual (one-step-problem.md (2)) from the problem
// alone, with its own product and its own projections (residual_rows.h): nothing here is shared with the solvers, so
// that a mistake there cannot hide here. What it needs of them is a few vectors of memory.
//
//   r_i = |lambda_i - P_i(lambda_i - (|lambda_i| / U_i)(u_i + s_i))| / |lambda_i|,  U_i = sum_j |M_ij lambda_j| + |q_i|
//
// so that lambda solves the problem with entries of M and q changed by r of their size (Oettli and Prager 1964). An
// answer is accepted where every row and block has
//
//   r_i <= max( min(tol, max(sqrt(tol) |q_i| / U_i, min(sqrt(tol), 1000 tol) sigma_i)), 8 eps )  and  2^-33 <= sigma_i.
//
// sigma_i in [0, 1] says by how much lambda is explained by q and the bounds (residual_closer.c). It matters where a
// problem has no solution: a huge lambda makes r small while u stays wrong by the size of q; and a singular M, once
// rounded, has solutions so large that q drowns in round-off. |q_i| / U_i <= sigma_i is enough where it is large.
//
// q_i is known to the round-off of the terms that it was made of, q_terms_i: they are part of U_i, and u_i within 8 eps
// of them is zero.
#include "residual_rows.h"
#include <stdlib.h>

enum { CHUNK = 64, ROOM = 10, FEW = 8 };

// Row i of a small dense problem, with n constant: everything stays in registers.
VERIFY_INLINE verify_sum small_row(const int n, const nsm_cone_problem *p, const double *lambda, int i) {
  double sum = p->q[i], terms = 0;
#pragma GCC unroll 8
  for (int k = 0; k < n; k++) {
    double t = p->M[i + k * n] * lambda[k];
    sum += t;
    terms += fabs(t);
  }
  return verify_terms(p, i, sum, terms, p->M[i + i * n]);
}

// Intervals that are right to round-off; 0 where some row needs more than a glance.
VERIFY_INLINE int check_quickly(const int n, const nsm_cone_problem *p, const double *lambda, double *u,
                               nsm_cone_check *c) {
  double worst = 0;
  int row = 0;
#pragma GCC unroll 8
  for (int i = 0; i < n; i++) {
    verify_sum s = small_row(n, p, lambda, i);
    double r = verify_quick(lambda[i], p->lo[i], p->hi[i], s);
    if (u) u[i] = s.u;
    row = r > worst ? i : row;
    worst = r > worst ? r : worst;
  }
  *c = (nsm_cone_check){ worst, DBL_EPSILON, row, 1 };
  return worst <= verify_round_off;
}

double nsm_cone_glance(const nsm_cone_problem *p, const double *lambda, double *u) {
  nsm_cone_check c;
  return check_quickly(1, p, lambda, u, &c) ? c.residual : -1;
}

VERIFY_INLINE void check_small(const int n, const nsm_cone_problem *p, const double *lambda, verifier *j, double *u) {
  verify_block f;
  f.next = f.n = 0;
#pragma GCC unroll 8
  for (int i = 0; i < n; i++) {
    verify_sum s = small_row(n, p, lambda, i);
    if (u) u[i] = s.u;
    verify_feed(j, &f, p, lambda, i, verify_terms(p, i, s.u, s.terms, s.diagonal));
  }
}

// Dense, any size: CHUNK rows at a time, so that M is read along its columns.
static void check_dense(const nsm_cone_problem *p, const double *lambda, verifier *j, double *u) {
  verify_block f;
  f.next = f.n = 0;
  for (int first = 0; first < p->m; first += CHUNK) {
    int rows = p->m - first < CHUNK ? p->m - first : CHUNK;
    double sum[CHUNK], terms[CHUNK];
    for (int i = 0; i < rows; i++) { sum[i] = p->q[first + i]; terms[i] = 0; }
    for (int k = 0; k < p->m; k++) {
      const double *column = p->M + (size_t)k * (size_t)p->m + first;
      for (int i = 0; i < rows; i++) {
        double t = column[i] * lambda[k];
        sum[i] += t;
        terms[i] += fabs(t);
      }
    }
    for (int i = 0; i < rows; i++) {
      int g = first + i;
      if (u) u[g] = sum[i];
      double diagonal = p->M[(size_t)g * (size_t)p->m + (size_t)g];
      verify_feed(j, &f, p, lambda, g, verify_terms(p, g, sum[i], terms[i], diagonal));
    }
  }
}

static void check_sparse(const nsm_cone_problem *p, const double *lambda, verifier *j, double *u) {
  verify_block f;
  f.next = f.n = 0;
  for (int i = 0; i < p->m; i++) {
    double sum = p->q[i], terms = 0, diagonal = 0;
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++) {
      double t = p->M[k] * lambda[p->col[k]];
      sum += t;
      terms += fabs(t);
      diagonal = p->col[k] == i ? p->M[k] : diagonal;
    }
    if (u) u[i] = sum;
    verify_feed(j, &f, p, lambda, i, verify_terms(p, i, sum, terms, diagonal));
  }
}

static void check_any(const nsm_cone_problem *p, const double *lambda, verifier *j, double *u) {
  if (p->row_start) check_sparse(p, lambda, j, u);
  else              check_dense(p, lambda, j, u);
}

static void check_sized(const nsm_cone_problem *p, const double *lambda, verifier *j, double *u) {
  if (!p->row_start && p->cones > 0)
    switch (p->m) {
      case 2:  check_small(2, p, lambda, j, u); return;
      case 3:  check_small(3, p, lambda, j, u); return;
      case 4:  check_small(4, p, lambda, j, u); return;
      case 6:  check_small(6, p, lambda, j, u); return;
    }
  check_any(p, lambda, j, u);
}

// *j := what is known with sigma for every row.
static void with_strength(const nsm_cone_problem *p, const double *U, const double *sigma, verifier *j) {
  j->unsure = 0;
  for (int i = 0; i < p->m; i++) verify_again(j, i, sigma[i], U[i] > 0 ? fabs(p->q[i]) / U[i] : 1);
}

// Is it accepted with less than sigma, which is sooner known? sigma is t to begin with, and afterwards. scratch [6m].
static int explained_at_least(const nsm_cone_problem *p, const double *lambda, const double *U, double enough,
                              double *sigma, double *scratch, verifier *j) {
  size_t bytes = (size_t)p->m * sizeof(double);
  double *t = scratch + 3 * (size_t)p->m;
  verifier known = *j;
  if (j->rejected) return 0;
  memcpy(t, sigma, bytes);
  int ok = nsm_cone_strength_at_least(p, lambda, U, enough, sigma, scratch);
  if (ok) with_strength(p, U, sigma, &known);
  if (ok && !known.unsure) *j = known;
  memcpy(sigma, t, bytes);
  return ok && !known.unsure;
}

// The second look: with L of (2) where |lambda_c| was too strict, and sigma of (5) where some row has little of q in
// it. room [ROOM m]. brief: what L does not help is refused without sigma.
static void look_closer(const nsm_cone_problem *p, nsm_cone_work *w, const double *lambda, int brief,
                        double *room, verifier *j) {
  size_t m = (size_t)p->m;
  double *L = room + 4 * m, *sigma = room + m;
  verifier kept = verify_open(j->tol, j->sqrt_tol);
  for (int pass = 0; pass <= j->rejected; pass++) {
    kept = verify_open(j->tol, j->sqrt_tol);
    kept.U = room;
    kept.t = sigma;
    kept.r = room + 2 * m;
    kept.seen = room + 3 * m;
    kept.L = pass ? L : NULL;
    check_any(p, lambda, &kept, NULL);
    if (pass < j->rejected) nsm_cone_lengths(p, lambda, kept.U, L);
  }
  if (brief && kept.rejected) { *j = kept; return; }
  // no more of sigma is looked for than the largest r needs
  double need = j->tol > 0 ? fmin(verify_explained, kept.worst / j->tol * verify_explained) : 0;
  double enough = fmax(need, fmax(1e-5, j->sqrt_tol));
  *j = kept;
  if (explained_at_least(p, lambda, kept.U, enough, sigma, room + 4 * m, j)) return;
  nsm_cone_strength(p, w, lambda, kept.U, enough, sigma, room + 4 * m);
  with_strength(p, kept.U, sigma, j);
}

// A sufficient case of (5a) for a few dense rows of intervals: strong rows make their unknowns strong, these their
// rows, all along terms of at least verify_explained of their row, and along no entry that is small beside its row and
// column.
static int explained_quickly(const nsm_cone_problem *p, const double *lambda) {
  int m = p->m;
  double row_most[FEW] = { 0 }, column_most[FEW] = { 0 };
  unsigned wide[FEW] = { 0 }, strong_rows = 0, strong = 0;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      double M = fabs(p->M[i + j * m]);
      if (M > row_most[i]) row_most[i] = M;
      if (M > column_most[j]) column_most[j] = M;
    }
  for (int i = 0; i < m; i++) {
    double q = fabs(p->q[i]), U = q;
    if (p->q_terms && p->q_terms[i] > q) U = p->q_terms[i];
    for (int j = 0; j < m; j++) U += fabs(p->M[i + j * m] * lambda[j]);
    if (q >= verify_explained * U) strong_rows |= 1u << i;
    for (int j = 0; j < m; j++) {
      double M = fabs(p->M[i + j * m]);
      if (M * fabs(lambda[j]) >= verify_explained * U && M > 0 && M >= 0x1p-13 * row_most[i] &&
          M >= 0x1p-13 * column_most[j])
        wide[i] |= 1u << j;
    }
  }
  for (unsigned before = ~0u; strong_rows != before;) {
    before = strong_rows;
    for (int i = 0; i < m; i++) if (strong_rows >> i & 1) strong |= wide[i];
    for (int i = 0; i < m; i++) if (wide[i] & strong) strong_rows |= 1u << i;
  }
  return strong_rows == (1u << m) - 1;
}

void nsm_cone_check_answer(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *t, const double *lambda,
                           double *u, nsm_cone_check *c) {
  nsm_cone_charge(w, 4 * nsm_cone_entries(p));
  if (!p->row_start && p->cones == 0)
    switch (p->m) {
      case 1:  if (check_quickly(1, p, lambda, u, c)) return; break;
      case 2:  if (check_quickly(2, p, lambda, u, c)) return; break;
      case 3:  if (check_quickly(3, p, lambda, u, c)) return; break;
      case 4:  if (check_quickly(4, p, lambda, u, c)) return; break;
    }
  verifier j = verify_open(t->tolerance, t->sqrt_tolerance);
  check_sized(p, lambda, &j, u);
  verify_close(&j, c);
  if (c->residual > t->tolerance && c->residual <= 64 * DBL_EPSILON) {   // round-off of the sums may be in the way
    verifier twice = verify_open(t->tolerance, t->sqrt_tolerance);
    nsm_cone_check_twice(p, lambda, &twice, u);
    if (twice.worst < HUGE_VAL) { j = twice; verify_close(&j, c); }
    else check_any(p, lambda, &twice, u);
  }
  if (c->accepted || j.surely_off) return;
  if (!j.rejected && p->cones == 0 && !p->row_start && p->m <= FEW && explained_quickly(p, lambda)) {
    c->accepted = 1;
    return;
  }
  size_t mark = w->used;
  nsm_cone_charge(w, 30 * nsm_cone_entries(p));
  double few[ROOM * CHUNK], *room = p->m <= CHUNK ? few : nsm_cone_take_doubles(w, ROOM * (size_t)p->m);
  if (!room) return;                                     // no memory: refused
  look_closer(p, w, lambda, t->brief, room, &j);
  verify_close(&j, c);
  w->used = mark;
}

double nsm_cone_distance(const nsm_cone_problem *p, nsm_cone_work *w, const double *lambda) {
  size_t mark = w->used, m = (size_t)p->m;
  double *room = nsm_cone_take_doubles(w, 5 * m), least = HUGE_VAL;
  nsm_cone_charge(w, 8 * nsm_cone_entries(p));
  for (int with_lengths = 0; room && with_lengths < 2; with_lengths++) {
    verifier look = verify_open(0, 0);
    look.U = room;
    look.t = room + m;
    look.r = room + 2 * m;
    look.seen = room + 3 * m;
    look.L = with_lengths ? room + 4 * m : NULL;
    check_any(p, lambda, &look, NULL);
    if (look.worst < least) least = look.worst;
    if (!with_lengths) nsm_cone_lengths(p, lambda, look.U, room + 4 * m);
  }
  w->used = mark;
  return least;
}

double nsm_cone_residual(const nsm_cone_problem *p, const double *lambda, double *floor, int *worst) {
  nsm_cone_check c = { HUGE_VAL, 0, 0, 0 };
  verifier j = verify_open(0, 0);
  if (p->m < 0) return HUGE_VAL;
  if (nsm_cone_blocks_ok(p)) {
    double *room = malloc(ROOM * (size_t)p->m * sizeof *room + 1);
    for (int with_lengths = 0; room && with_lengths < 2; with_lengths++) {   // either counts, as above
      verifier look = verify_open(0, 0);
      look.rejected = with_lengths;
      look_closer(p, NULL, lambda, 0, room, &look);
      if (!with_lengths || look.worst < j.worst) j = look;
    }
    free(room);
    if (j.worst <= 64 * DBL_EPSILON) {                    // round-off: by the numbers in lambda alone
      verifier twice = verify_open(0, 0);
      nsm_cone_check_twice(p, lambda, &twice, NULL);
      if (twice.worst < j.worst) j = twice;
    }
    verify_close(&j, &c);
  }
  if (floor) *floor = c.floor;
  if (worst) *worst = c.worst;
  return c.residual;
}
