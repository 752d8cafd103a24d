// What the laws of impact share.
#include "impact.h"
#include <math.h>

void impact_apply(const nsm_impact *p, const double *P, double *u) {
  for (int j = 0; j < p->m; j++)
    for (int i = 0; P[j] != 0 && i < p->m; i++) u[i] += p->D[i + (size_t)j * (size_t)p->m] * P[j];
}

double impact_gain(int m, const double *P, const double *from, const double *to) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum += 0.5 * P[i] * (from[i] + to[i]);
  return sum;
}

double impact_fastest(const nsm_impact *p) {
  double most = 0;
  for (int i = 0; i < p->m; i++) most = fmax(most, fabs(p->before[i]));
  return most;
}

impact_blow impact_of_all(const nsm_impact *p, const double *from, impact_work *w) {
  impact_blow b = { .which = w->whole, .n = p->contacts, .from = from, .share = 1 };
  for (int c = 0; c < p->contacts; c++) b.which[c] = c;
  w->whole += p->contacts;
  return b;
}
