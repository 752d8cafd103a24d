// A sequence of impacts of one contact each: that which approaches fastest strikes, by Poisson's law with its friction,
// until none approaches. Contacts of the same rate strike together, so that what is symmetric stays so. With e < 1 the
// sequence may have no end: what is left after 10000 strikes takes e = 0.
#include "impact.h"
#include <math.h>
#include <string.h>

enum { STRIKES = 10000 };
static const double ends = 1e-13, together = 1e-12;

// The contacts that strike next, all but the fastest within `together` of it.
static int next(const nsm_impact *p, const double *u, double fastest, int *which) {
  double worst = -ends * fastest;
  int n = 0;
  for (int c = 0; c < p->contacts; c++) worst = fmin(worst, u[p->contact[c].first]);
  if (!(worst < -ends * fastest)) return 0;
  for (int c = 0; c < p->contacts; c++) if (u[p->contact[c].first] <= worst * (1 - together)) which[n++] = c;
  return n;
}

int impact_binary(const nsm_impact *p, impact_work w, nsm_impact_answer *a) {
  size_t m = (size_t)p->m;
  double *u = impact_take(&w, m), *after = impact_take(&w, m), fastest = impact_fastest(p);
  impact_blow b = impact_of_all(p, u, &w);
  b.P = impact_take(&w, m);
  b.scale = 1;
  memcpy(u, p->before, m * sizeof(double));
  memset(a->impulse, 0, m * sizeof(double));
  a->loss = 0;
  for (int k = 0; (b.n = next(p, u, fastest, b.which)) > 0; k++) {
    if (k == STRIKES || !impact_phases(p, &b, w)) {
      double rest;
      int ok = impact_rest(p, u, w, a, &rest);
      a->loss += rest;
      return ok;
    }
    memcpy(after, u, m * sizeof(double));
    impact_apply(p, b.P, after);
    a->loss -= impact_gain(p->m, b.P, u, after);
    a->share = fmin(a->share, b.share);
    for (size_t i = 0; i < m; i++) a->impulse[i] += b.P[i];
    memcpy(u, after, m * sizeof(double));
  }
  return 1;
}
