// Is an answer of augmented.c a solution? Found from the kernels' outputs, without the assembled matrix, its factors or
// the choice of basic rows:
//
//   |(W dz - B lambda)_z| <= tolerance sum of |terms|,
//   |lambda_i - P_i(lambda_i - (L_i/U_i) u_i)| <= tolerance L_i,   u = q + C dz + D lambda
//
// the second is (2) of docs/numerics/one-step-problem.md with U_i the size of the terms of u_i and L_i of lambda_i.
#include "augmented.h"
#include <math.h>
#include <string.h>

static const double nothing = 0x1p-1000;   // what terms below this are made of has lost digits to underflow: 0

static double of_the_motion(const nsm_sim *s, const double *motion, const double *lambda, double *left,
                            double *terms) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  double most = 0;
  memset(left, 0, (size_t)s->n.w.n * sizeof(double));
  memset(terms, 0, (size_t)s->n.w.n * sizeof(double));
  sim_assembly_multiply(s, motion, left, terms);
  for (int i = 0; i < is->nactive; i++)
    for (int row = r->row_at[is->active[i]], e = r->b0[row]; e < r->b0[row + 1]; e++) {
      double d = r->b[e] * lambda[i];
      left[r->bz[e]] -= d;
      terms[r->bz[e]] += fabs(d);
    }
  for (int z = 0; z < s->n.w.n; z++) {
    double x = terms[z] < nothing ? 0 : fabs(left[z]) / terms[z];
    if (!(x <= most)) most = x;
  }
  return most;
}

double sim_augmented_residual(const nsm_sim *s, const double *motion, const double *lambda, double *u,
                              double *scratch[2]) {
  const sim_rows *r = &s->n.r;
  const sim_islands *is = &s->n.isl;
  double most = of_the_motion(s, motion, lambda, scratch[0], scratch[1]);
  for (int i = 0; i < is->nactive; i++) {
    int at = is->active[i], row = r->row_at[at];
    double size = is->terms[i] + fabs(is->q[i]), l = lambda[i];
    u[i] = is->q[i];
    for (int e = r->c0[row]; e < r->c0[row + 1]; e++) {
      double d = r->c[e] * motion[r->cz[e]];
      u[i] += d;
      size += fabs(d);
    }
    for (int e = r->d0[row]; e < r->d0[row + 1]; e++) {
      if (!r->active[r->ds[e]]) continue;
      double d = r->d[e] * lambda[is->index[r->at_row[r->ds[e]]]];
      u[i] += d;
      size += fabs(d);
    }
    double inertia = sim_assembly_inertia(s, row), length = fabs(l) + (inertia > 0 ? size / inertia : size),
           p = l - (size > 0 ? length / size : 1) * u[i];
    p = p < is->lo[i] ? is->lo[i] : p > is->hi[i] ? is->hi[i] : p;
    double x = size < nothing && fabs(l) < nothing ? 0 : fabs(l - p) / length;
    if (!(x <= most)) most = x;
  }
  return most;
}
