// What a step is started from: predicted from the last steps by polynomials, docs/numerics/moreau.md, section 4.
//
// Backward differences of what a step changes, d[m] the m-th one. The polynomial through the last n values, one step
// on, is the sum of the first n; it is off by the n-th difference of the values to come (Hairer, Norsett and Wanner,
// Solving Ordinary Differential Equations I, III.1). Round-off of the values counts for more in each further
// difference: speeds and multipliers have a degree of their own, the one that was nearest in the last step. A mean of
// several steps would remember each impact for long: of the humanoid's 400 steps it takes 1.4 times the iterations.
#include "schemes.h"
#include <string.h>

int sim_foretells(const nsm_sim *s) {
  return s->now.past.known > 0 && s->now.past.h == s->n.h && s->now.past.next == s->now.k;
}

static int terms_of_least_miss(const nsm_sim *s, int of) {
  const double *miss = s->now.past.miss[of];
  int best = 0;
  for (int n = 1; n < s->now.past.known; n++)
    if (miss[n] < miss[best]) best = n;
  return best;
}

void sim_foretell(const nsm_sim *s, int of, int first, int n, double *x) {
  const double *d = s->now.differences + first;
  memset(x, 0, (size_t)n * sizeof(double));
  for (int m = terms_of_least_miss(s, of); m > 0; m--, d += SIM_PREDICTED(s))
    for (int i = 0; i < n; i++) x[i] += d[i];
}

void sim_past_of(nsm_sim *s, int of, int first, int n, const double *x, const double *weight, int inverse) {
  const int known = s->now.past.known, each = SIM_PREDICTED(s);
  double *miss = s->now.past.miss[of];
  memset(miss, 0, (size_t)(known + 1) * sizeof *miss);
  for (int i = 0; i < n; i++) {                            // number by number, through all its differences
    double *d = s->now.differences + first + i, metric = sim_metric(weight, inverse, i), now = x[i];
    for (int m = 0; m <= known; m++, d += each) {
      miss[m] += metric * now * now;
      if (m == SIM_DIFFERENCES) break;
      double before = *d;
      *d = now;
      now -= before;
    }
  }
}

void sim_past_opens(nsm_sim *s) {
  if (!sim_foretells(s)) s->now.past.known = 0;
  s->now.past.h = s->n.h;
  s->now.past.next = s->now.k + 1;
}

void sim_past_closes(nsm_sim *s) { s->now.past.known += s->now.past.known < SIM_DIFFERENCES; }
