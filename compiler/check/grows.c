// Is the step short enough for what grows (W0852)? Of a linear system of states
//
//   M x' = J x + ...,    growth  a = max Re(eigenvalues of M^-1 J)
//
// a step multiplies by R(h lambda), which is near e^(h lambda) for small h lambda alone: the theta rule has its pole at
// 1/theta, Radau IIA of three stages at 3.64, and beyond that |R| falls: what grows seems to decay.
//
// The growth in a step is the spectral radius of e^(hA), from the norms of its powers of two; e^(hA) is (I - hA/N)^-N.
#include <math.h>
#include <string.h>
#include "parts.h"

enum { MOST = 40, HALVES = 16, SQUARES = 12 };
static const double AS_MUCH = 1.0;       // h a from which it is told: e-fold in a step

static void square(double *p, double *scratch, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += p[i*n + k]*p[k*n + j];
      scratch[i*n + j] = sum;
    }
  memcpy(p, scratch, sizeof *p*(size_t)(n*n));
}

static double norm(const double *p, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(p[i*n + j]);
    most = fmax(most, sum);
  }
  return most;
}

// h times the growth; nan where it cannot be told.
static double growth_of(double *step, double *power, double *scratch, int n) {
  for (int i = 0; i < n*n; i++) power[i] = i % (n + 1) == 0;
  if (!solve_dense_system(step, power, n, n)) return NAN;
  for (int k = 0; k < HALVES; k++) square(power, scratch, n);
  double log_of = 0, share = 1;                            // the power is e^log_of times what `power` has
  for (int k = 0; k < SQUARES; k++) {
    double size = norm(power, n);
    if (!(size > 0 && size < INFINITY)) return size > 0 ? NAN : -INFINITY;
    for (int i = 0; i < n*n; i++) power[i] /= size;
    log_of += share*log(size);
    share /= 2;
    square(power, scratch, n);
  }
  return log_of + 2*share*log(fmax(norm(power, n), 1e-300))/2;
}

void check_growth(const Check *k, double h, double own) {
  const Expanded *x = k->x;
  int n = x->nz;
  if (x->clipped || x->nq > 0 || n == 0 || n > MOST) return;
  Point p = start_point(k);
  double *M = ARENA_ARRAY(k->arena, double, n*n + 1), *J = ARENA_ARRAY(k->arena, double, n*n + 1),
         *P = ARENA_ARRAY(k->arena, double, n*n + 1), *S = ARENA_ARRAY(k->arena, double, n*n + 1);
  for (int i = 0; i < n*n; i++) {
    if (moves(k, x->M[i]) || moves(k, x->Jx[i])) return;
    M[i] = at_point(&p, x->M[i]);
    J[i] = at_point(&p, x->Jx[i]);
    if (!isfinite(M[i]) || !isfinite(J[i])) return;
  }
  if (!solve_dense_system(M, J, n, n)) return;
  for (int i = 0; i < n*n; i++) J[i] = (i % (n + 1) == 0) - J[i]*ldexp(h, -HALVES);
  double grows = growth_of(J, P, S, n);
  if (!(grows > AS_MUCH)) return;
  const Model *m = k->s->model;
  Diag *d = diag(k->bag, DIAG_W0852, m->sim.step && !(own > 0) ? m->sim.step->span : m->span,
                 "the step %.3g is too long for what grows: by a factor of %.3g in each", h, exp(grows));
  diag_note(d, "a scheme follows e^(a t) where the step is short beside 1/a = %.3g; beyond that it may even decay",
            h/grows);
  diag_help(d, "a step of %.1g shows it well", h/grows/20);
}
