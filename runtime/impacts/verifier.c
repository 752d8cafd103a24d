// Is an answer an impact by its law? From D, rates, impulses and coefficients alone; nothing here is used to find one.
//
//   balance      after = before + D P                                                                               (1)
//   contact      N >= 0, after_N >= 0, the impulse of friction lies in the set of N  (2)
//   energy       P.(before + after)/2 <= 0, and it is minus the loss that the law kept account of  (3)
//   poisson      0 <= u_C _|_ N_C >= 0;  0 <= N_E - e N_C _|_ after_N >= 0;  in both phases friction takes all that it
//                can: N s(u_T) + P_T.u_T = 0 with the support function s of its set  (4)
//
// What is left of each, relative to the largest rate, impulse or their product.
#include "impact.h"
#include <math.h>

static double D_times(const nsm_impact *p, int i, const double *P) {
  long double sum = p->before[i];
  for (int j = 0; j < p->m; j++) sum += (long double)p->D[i + (size_t)j * (size_t)p->m] * P[j];
  return (double)sum;
}

static double length(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum = hypot(sum, x[i]);
  return sum;
}

// By how much P_T leaves the set of N.
static double outside(const nsm_cone_block *b, const double *P) {
  const double *T = P + 1;
  int n = b->size - 1;
  double N = fmax(P[0], 0);
  switch (b->type) {
    case NSM_CONE_COULOMB: return length(T, n) - b->mu * N;
    case NSM_CONE_ELLIPTIC:
      return b->mu > 0 && b->mu2 > 0 ? fmin(b->mu, b->mu2) * (hypot(T[0] / b->mu, T[1] / b->mu2) - N) : 0;
    case NSM_CONE_CONTENSOU:
    case NSM_CONE_CONTENSOU_EXACT:                         // is within it
      return b->radius > 0 ? hypot(length(T, 2), T[2] / b->radius) - b->mu * N : 0;
    case NSM_CONE_ROLLING: return fmax(length(T, n / 2) - b->mu * N, length(T + n / 2, n / 2) - b->mu2 * N);
    default: return INFINITY;                              // a set that is not known here is not called right
  }
}

// The support function of the set of N = 1.
static double support(const nsm_cone_block *b, const double *u) {
  int n = b->size - 1;
  switch (b->type) {
    case NSM_CONE_COULOMB: return b->mu * length(u, n);
    case NSM_CONE_ELLIPTIC: return hypot(b->mu * u[0], b->mu2 * u[1]);
    case NSM_CONE_CONTENSOU: return b->mu * hypot(length(u, 2), b->radius * u[2]);
    case NSM_CONE_ROLLING: return b->mu * length(u, n / 2) + b->mu2 * length(u + n / 2, n / 2);
    default: return NAN;
  }
}

typedef struct sizes { double rate, impulse, work; } sizes;

// (4) for one contact: N beyond what is given, the impulse and the rates of a phase.
static double phase(const nsm_cone_block *b, double N, const double *P, const double *u, const sizes *s) {
  double wrong = fmax(fmax(-N / s->impulse, -u[0] / s->rate), fabs(N * u[0]) / s->work), sum = 0;
  if (b->size == 1) return wrong;
  for (int i = 1; i < b->size; i++) sum += P[i] * u[i];
  double left = fabs(P[0] * support(b, u + 1) + sum) / s->work;
  return isnan(left) ? wrong : fmax(wrong, left);
}

static double poisson(const nsm_impact *p, const nsm_impact_answer *a, const sizes *s) {
  double worst = 0;
  for (int c = 0; c < p->contacts; c++) {
    const nsm_cone_block *b = &p->contact[c];
    double u[NSM_CONE_MOST_ROWS], E[NSM_CONE_MOST_ROWS];
    for (int i = 0; i < b->size; i++) {
      u[i] = D_times(p, b->first + i, a->compression);
      E[i] = a->impulse[b->first + i] - a->compression[b->first + i];
    }
    worst = fmax(worst, phase(b, a->compression[b->first], a->compression + b->first, u, s));
    if (a->share < 1) continue;                            // (2) and (3) are asked of all
    double z = E[0] - p->e[c] * a->compression[b->first];
    worst = fmax(worst, phase(b, z, E, a->after + b->first, s));
  }
  return worst;
}

double nsm_impact_verify(const nsm_impact *p, const nsm_impact_answer *a) {
  sizes s = { 0 };
  double worst = 0, gain = 0;
  for (int i = 0; i < p->m; i++) {
    s.rate = fmax(s.rate, fabs(p->before[i]));
    s.impulse = fmax(s.impulse, fabs(a->impulse[i]));
    s.work = fmax(s.work, fabs(a->impulse[i] * p->before[i]));
    gain += 0.5 * a->impulse[i] * (p->before[i] + a->after[i]);
  }
  if (!(s.work > 0)) return s.impulse > 0 ? INFINITY : 0;
  for (int i = 0; i < p->m; i++)
    worst = fmax(worst, fabs(D_times(p, i, a->impulse) - a->after[i]) / s.rate);
  for (int c = 0; c < p->contacts; c++) {
    int n = p->contact[c].first;
    worst = fmax(worst, fmax(-a->impulse[n] / s.impulse, -a->after[n] / s.rate));
    if (p->contact[c].size > 1) worst = fmax(worst, outside(&p->contact[c], a->impulse + n) / s.impulse);
  }
  worst = fmax(worst, gain / s.work);
  if (!isnan(a->loss)) worst = fmax(worst, fabs(gain + a->loss) / s.work);
  return p->law == IMPACT_POISSON ? fmax(worst, poisson(p, a, &s)) : worst;
}
