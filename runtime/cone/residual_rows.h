// The judge's measure of one row and of one cone block: only for residual.c and residual_twice.c, which differ in how u
// is summed.
//
//   r_c = |lambda_c - P_K(lambda_c - rho_c (u_c + s_c))|_2,
//   rho_c = n / trace M_cc  (1 where that is <= 0)   mathematics.md (2)
//
// COULOMB, ELLIPTIC and CONTENSOU are measured in the frame y_i = lambda_i / d_i, v_i = d_i u_i in which K is the
// circular cone |y_T| <= mu y_N and s = mu |v_T|: d = 1 but for CONTENSOU d_s = radius and ELLIPTIC d_i = mu_i /
// max(mu_1, mu_2), mu = max(mu_1, mu_2). The difference is measured in lambda again. Rows with d = 0 have lambda = 0
// and any u.
#pragma once
#include "solver.h"
#include <float.h>
#include <math.h>

#define JUDGE_INLINE static inline __attribute__((always_inline))

typedef struct judge {
  double scale, limit, guard, cap;  // s, tol s, sqrt(tol) |q|_inf, |q|_inf / 100
  double worst, floor;              // not yet divided by s
  int    row, accepted;
} judge;

// The rows of the block that is being collected: rows are fed in order.
typedef struct judge_block {
  int    next, n;                   // block, rows of it seen
  double u[4], size[4], diagonal[4];
} judge_block;

JUDGE_INLINE judge judge_open(double lambda_max, double q_max, double tol, double sqrt_tol) {
  judge j = { 0 };
  j.scale = lambda_max >= DBL_MIN ? lambda_max : 1.0;   // a subnormal scale has no inverse
  j.limit = tol * j.scale;
  j.guard = q_max > 0 ? sqrt_tol * q_max : HUGE_VAL;
  j.cap = q_max > 0 ? 0.01 * q_max : HUGE_VAL;
  j.worst = -1;
  j.accepted = 1;
  return j;
}

// r and floor of row i or of the block that starts there, both in the unit of lambda. Written so that any nan is not
// accepted.
JUDGE_INLINE void judge_note(judge *j, int i, double r, double floor, double rho, int valid) {
  double limit = rho * j->guard;
  limit = j->limit < limit ? j->limit : limit;
  limit = limit > 8 * floor ? limit : 8 * floor;
  if (!(r <= limit && limit < HUGE_VAL && 8 * floor <= rho * j->cap && valid)) j->accepted = 0;
  if (!(r <= j->worst) && j->worst == j->worst) { j->worst = r; j->row = i; }   // the first nan stays
  j->floor = floor > j->floor ? floor : j->floor;
}

// One interval row: u = (M lambda + q)_i, size = sum_j |M_ij lambda_j| + |q_i|, diagonal = M_ii.
JUDGE_INLINE void judge_row(judge *j, int i, double lambda, double lo, double hi, double u, double size,
                            double diagonal) {
  double rho = diagonal >= DBL_MIN ? 1.0 / diagonal : 1.0;
  double x = lambda - rho * u;
  x = x < lo ? lo : x > hi ? hi : x;
  judge_note(j, i, fabs(lambda - x), DBL_EPSILON * rho * size, rho, lo <= hi);
}

// |x|_2 without underflow or overflow.
JUDGE_INLINE double judge_norm(int n, const double *x) {
  double largest = 0, sum = 0;
  if (n == 1) return fabs(x[0]);
  // a nan stays
  for (int k = 0; k < n; k++) largest = fabs(x[k]) <= largest || largest != largest ? largest : fabs(x[k]);
  if (largest > 1e-140 && largest < 1e140) {
    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
  }
  if (!(largest > 0 && largest < HUGE_VAL)) return largest;
  for (int k = 0; k < n; k++) sum += x[k] / largest * (x[k] / largest);
  return largest * sqrt(sum);
}

// A trace that overflows has no rho: nothing is accepted then.
JUDGE_INLINE double judge_rho(double n, double trace) {
  return trace < DBL_MIN ? 1.0 : trace < HUGE_VAL ? n / trace : NAN;
}

// x := its nearest point with |x| <= radius.
JUDGE_INLINE void judge_disk(int n, double radius, double *x) {
  double t = judge_norm(n, x);
  if (t <= radius) return;
  for (int k = 0; k < n; k++) x[k] *= radius / t;
}

// off := y - P(y - rho (v + s)) on |x_T| <= mu x_0 with s = mu |v_T|. Where a contact slides fast under a small force,
// x_0 + mu |x_T| cancels; it is y_0 - rho v_0 + mu (|x_T| - rho |v_T|), and the difference of the norms is y_T.(y_T - 2
// rho v_T) / (|x_T| + rho |v_T|).
JUDGE_INLINE void judge_cone(int n, double mu, double rho, const double *y, const double *v, double *off) {
  double x[4], dot = 0, slip = judge_norm(n - 1, v + 1), shift = v[0] + mu * slip;
  for (int k = 1; k < n; k++) { x[k] = y[k] - rho * v[k]; dot += y[k] * (y[k] - 2 * rho * v[k]); }
  double t = judge_norm(n - 1, x + 1), both = t + rho * slip,
         sum = y[0] - rho * v[0] + (both == 0 ? 0.0 : mu * (dot / both));
  if (t <= mu * (y[0] - rho * shift) && y[0] - rho * shift >= 0) {   // inside; mu = 0: 0 <= -0 holds
    off[0] = rho * shift;
    for (int k = 1; k < n; k++) off[k] = rho * v[k];
  } else if (sum <= 0) {                             // P = 0
    for (int k = 0; k < n; k++) off[k] = y[k];
  } else {                                           // on the side; a nan ends here
    double normal = sum / (1 + mu * mu);
    off[0] = y[0] - normal;
    for (int k = 1; k < n; k++) off[k] = y[k] - (t > 0 ? mu * normal * (x[k] / t) : 0.0);
  }
}

JUDGE_INLINE int judge_coefficient(double x) { return x >= 0 && x < HUGE_VAL; }

// A block with s = mu |v_T|: see the head.
JUDGE_INLINE void judge_contact(judge *j, const nsm_cone_block *b, const int n, const double *lambda,
                                const judge_block *f) {
  double d[4] = { 1, 1, 1, 1 }, mu = b->mu, y[4], v[4], size[4], trace = 0, count = 0, off[4];
  int valid = judge_coefficient(b->mu);
  if (b->type == NSM_CONE_ELLIPTIC) {
    valid &= judge_coefficient(b->mu2);
    mu = b->mu > b->mu2 ? b->mu : b->mu2;
    if (mu > 0) { d[1] = b->mu / mu; d[2] = b->mu2 / mu; }
  }
  if (b->type == NSM_CONE_CONTENSOU) { valid &= judge_coefficient(b->radius); d[3] = b->radius; }
  for (int k = 0; k < n; k++) {
    y[k] = d[k] > 0 ? lambda[k] / d[k] : 0.0;
    v[k] = d[k] * f->u[k];
    size[k] = d[k] * f->size[k];
    trace += d[k] * d[k] * f->diagonal[k];
    count += d[k] > 0;
  }
  double rho = judge_rho(count, trace);
  judge_cone(n, mu, rho, y, v, off);
  for (int k = 0; k < n; k++) off[k] = d[k] > 0 ? d[k] * off[k] : lambda[k];
  size[0] += mu * judge_norm(n - 1, size + 1);
  for (int k = 1; k < n; k++) size[k] *= d[k];
  judge_note(j, b->first, judge_norm(n, off), DBL_EPSILON * rho * judge_norm(n, size), rho, valid);
}

// Friction under a free or a given normal force; `normal` is 1 or 0.
JUDGE_INLINE void judge_friction(judge *j, const nsm_cone_block *b, const int n, int normal, const double *lambda,
                                 const judge_block *f) {
  double x[4], trace = 0, coefficient = normal ? b->mu : b->radius,
               radius = normal ? b->mu * fabs(lambda[0]) : b->radius;
  for (int k = 0; k < n; k++) trace += f->diagonal[k];
  double rho = judge_rho(n, trace);
  for (int k = 0; k < n; k++) x[k] = lambda[k] - rho * f->u[k];
  judge_disk(n - normal, radius, x + normal);
  for (int k = 0; k < n; k++) x[k] = lambda[k] - x[k];
  judge_note(j, b->first, judge_norm(n, x), DBL_EPSILON * rho * judge_norm(n, f->size), rho,
             judge_coefficient(coefficient));
}

static inline void judge_any_block(judge *j, const nsm_cone_block *b, const double *lambda, const judge_block *f) {
  lambda += b->first;
  if (b->type == NSM_CONE_DISK)       judge_friction(j, b, b->size, 0, lambda, f);
  else if (b->type == NSM_CONE_GRIP)  judge_friction(j, b, b->size, 1, lambda, f);
  else if (b->size == 2)              judge_contact(j, b, 2, lambda, f);
  else if (b->size == 3)              judge_contact(j, b, 3, lambda, f);
  else                                judge_contact(j, b, 4, lambda, f);
}

// Row i of a problem with or without blocks.
JUDGE_INLINE void judge_feed(judge *j, judge_block *f, const nsm_cone_problem *p, const double *lambda, int i, double u,
                             double size, double diagonal) {
  if (f->next < p->cones && i >= p->cone[f->next].first) {
    f->u[f->n] = u;
    f->size[f->n] = size;
    f->diagonal[f->n] = diagonal;
    if (++f->n < p->cone[f->next].size) return;
    judge_any_block(j, &p->cone[f->next], lambda, f);
    f->n = 0;
    f->next++;
  } else
    judge_row(j, i, lambda[i], p->lo[i], p->hi[i], u, size, diagonal);
}

JUDGE_INLINE void judge_close(const judge *j, nsm_cone_check *c) {
  double inverse = 1.0 / j->scale;
  c->residual = j->worst < 0 ? 0.0 : j->worst * inverse;
  c->residual = c->residual < HUGE_VAL ? c->residual : HUGE_VAL;   // nan too: lambda is infinite or none
  c->floor = j->floor * inverse;
  c->worst = j->row;
  c->accepted = j->accepted && c->residual < HUGE_VAL;
}

// max |x_i|; a nan anywhere gives nan.
JUDGE_INLINE double judge_largest(const int n, const double *x) {
  double a = 0;
  for (int i = 0; i < n; i++) a = fabs(x[i]) <= a ? a : fabs(x[i]);
  return a;
}

// residual_twice.c: the whole check with M lambda + q summed in twice the working precision.
void nsm_cone_check_twice(const nsm_cone_problem *p, const double *lambda, double tolerance, double sqrt_tolerance,
                          double *u, nsm_cone_check *c);
