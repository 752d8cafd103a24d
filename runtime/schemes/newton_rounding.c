// What rounding leaves of an iterate, where the residual of the dynamics falls no more: corrections that do not cancel,
// and what R cannot be told from.
#include "newton.h"
#include <string.h>

enum { PATTERNS = 4, ROUNDINGS = 16 };

// -W^{-1} R with the multipliers as they are, into dz.
static void toward_root(nsm_sim *s) {
  for (int i = 0; i < s->a->nz; i++) s->w.dz[i] = -s->w.residual[i];
  for (int j = 0; j < s->n.r.nborder; j++) s->w.dz[s->a->nz + j] = 0;
  sim_matrix_solve(s, s->w.dz);
}

// (18) sums parts that cancel where multipliers hold the motion: z1 is known to the round-off of these. z1 - W^{-1} R
// with the multipliers as they are is free of that. 1 where it meets the tolerance; where it is far from that, all is
// as before.
static int corrected(nsm_sim *s, double t1, double stagnation, double *error, int *worst) {
  memcpy(s->w.z_kept, s->w.z1, (size_t)s->a->nz * sizeof(double));
  toward_root(s);
  for (int i = 0; i < s->a->nz; i++) s->w.z1[i] += s->w.dz[i];
  newton_position(s);
  newton_evaluate(s, t1);
  double now = newton_residual(s, 1, worst);
  if (now <= stagnation) {
    *error = now;
    return now <= s->a->tolerance;
  }
  memcpy(s->w.z1, s->w.z_kept, (size_t)s->a->nz * sizeof(double));
  newton_position(s);
  newton_evaluate(s, t1);
  newton_residual(s, 1, worst);
  return 0;
}

// X d to dz, with M d = -(y + C dz) of the rows that a law of relations holds at 0. 0: there are none, or no d is
// found.
static int hold_rows(nsm_sim *s) {
  const sim_rows *r = &s->n.r;
  sim_islands *is = &s->n.isl;
  int any = 0;
  for (int i = 0; i < is->nactive; i++) {
    int row = r->row_at[is->active[i]];
    double l = s->w.l1[r->l[row]], y = r->y[row];
    int zero = s->a->cls[r->cls[row]].c->kind == NSM_RELATION && l > r->lo[row] && l < r->hi[row];
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) y += r->c[e] * s->w.dz[r->cz[e]];
    any |= zero;
    is->kept[i] = is->u[i];
    is->q[i] = zero ? y : 0;
    is->terms[i] = fabs(is->q[i]);
    is->lo[i] = zero ? -INFINITY : 0;
    is->hi[i] = zero ? INFINITY : 0;
    is->lambda[i] = 0;
  }
  is->solver.kind = SIM_CORRECTION;
  any = any && sim_islands_solve(s);
  is->solver.kind = SIM_BY_LAW;
  if (any) sim_rows_motion(s, is->lambda, s->w.dz);
  for (int i = 0; i < is->nactive; i++) {
    is->lambda[i] = s->w.l1[r->l[r->row_at[is->active[i]]]];
    is->u[i] = is->kept[i];
  }
  return any;
}

// (18) leaves y of the rows that are held at 0 at the round-off of its parts, and |y|^(1/2) in a force makes much of
// that. First these rows are met with the multipliers as they are, then R, whose terms are small by then: their
// corrections do not cancel. Kept where R then meets the tolerance.
static int held(nsm_sim *s, double t1, double *error, int *worst) {
  double kept = *error;
  int kept_worst = *worst;
  memcpy(s->w.z_kept, s->w.z1, (size_t)s->a->nz * sizeof(double));
  memset(s->w.dz, 0, (size_t)s->n.w.n * sizeof(double));
  for (int pass = 0; pass < 2 && hold_rows(s); pass++) {
    for (int i = 0; i < s->a->nz; i++) s->w.z1[i] += s->w.dz[i];
    newton_position(s);
    newton_evaluate(s, t1);
    *error = newton_residual(s, 1, worst);
    if (*error <= s->a->tolerance) return 1;
    toward_root(s);
  }
  memcpy(s->w.z1, s->w.z_kept, (size_t)s->a->nz * sizeof(double));
  newton_position(s);
  newton_evaluate(s, t1);
  newton_residual(s, 1, worst);
  *error = kept;
  *worst = kept_worst;
  return 0;
}

// Of the parts of (18) that z1 is summed from, into w.size.
static void sizes_of_parts(nsm_sim *s) {
  for (int i = 0; i < s->n.w.n; i++) s->w.size[i] = i < s->a->nz ? fabs(s->w.z1[i]) : 0;
  sim_rows_sizes(s, s->n.isl.lambda, s->w.size);
}

// At a root where the slope is not bounded the derivatives of (19) do not say what rounding makes of R: of |x|^(1/2) at
// x = 0 they say nothing. So R is evaluated at z1 with each component rounded up or down, by 16 eps of it and of the
// parts of (18) that it was summed from; R that is not above what it changes by cannot be told from 0. Some patterns of
// signs are taken, as sums may cancel in one of them.
static int drowned(nsm_sim *s, double t1, double *error, int *worst) {
  size_t n = (size_t)s->a->nz * sizeof(double);
  memcpy(s->w.z_kept, s->w.z1, n);
  memcpy(s->w.dz, s->w.residual, n);
  memset(s->w.lost, 0, n);
  sizes_of_parts(s);
  for (int pattern = 0; pattern < PATTERNS; pattern++) {
    for (int i = 0; i < s->a->nz; i++) {
      double d = ROUNDINGS * DBL_EPSILON * s->w.size[i];
      s->w.z1[i] = s->w.z_kept[i] + ((unsigned)(i + 1) * (unsigned)(2 * pattern + 1) & 2 ? d : -d);
    }
    newton_position(s);
    newton_evaluate(s, t1);
    newton_residual(s, 1, worst);
    for (int i = 0; i < s->a->nz; i++) s->w.lost[i] = fmax(s->w.lost[i], fabs(s->w.residual[i] - s->w.dz[i]));
  }
  for (int i = 0; i < s->a->nz; i++) s->w.round[i] = fmax(s->w.round[i], s->w.lost[i] / (ROUNDINGS * DBL_EPSILON));
  memcpy(s->w.z1, s->w.z_kept, n);
  newton_position(s);
  newton_evaluate(s, t1);
  *error = newton_residual(s, 1, worst);
  return *error <= s->a->tolerance;
}

// Where many rows stick and one moves, what should be 0 is the round-off of parts of (18) far larger than the terms of
// its own equations: forces of springs between masses that stick, of some 1e-28, and multipliers of that size. R and
// the laws are measured by these parts, in place of their own terms: z_i is known to 16 eps of its parts P_i, and
// lambda_r to that of sum_j |C_rj| P_j/M_rr.
int newton_known(nsm_sim *s, double *error, int *worst) {
  const sim_rows *r = &s->n.r;
  double kept = *error;
  int kept_worst = *worst;
  sizes_of_parts(s);
  for (int i = 0; i < s->a->nz; i++) s->w.lost[i] = s->w.diag[i] * s->w.size[i];
  for (int i = 0; i < s->n.isl.nactive; i++) {
    int row = r->row_at[s->n.isl.active[i]];
    double sum = 0, m = sim_rows_inertia(s, r->at_row[row]);
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) sum += fabs(r->c[e]) * s->w.size[r->cz[e]];
    for (int e = r->b0[row]; m > 0 && e < r->b0[row + 1]; e++)
      if (r->bz[e] < s->a->nz) s->w.lost[r->bz[e]] += fabs(r->b[e]) * sum / m;
  }
  for (int i = 0; i < s->a->nz; i++) s->w.round[i] = fmax(s->w.round[i], s->w.lost[i]);
  s->w.by_parts = 1;
  *error = newton_residual(s, 1, worst);
  s->w.by_parts = 0;
  if (*error <= s->a->tolerance) return 1;
  *error = kept;
  *worst = kept_worst;
  return 0;
}

int newton_rounded(nsm_sim *s, double t1, double stagnation, double *error, int *worst) {
  return corrected(s, t1, stagnation, error, worst) || held(s, t1, error, worst) ||
         (*error <= stagnation && drowned(s, t1, error, worst));
}
