// A solution that stands after the data of a .dat file. It is looked at only where everything that is left is numbers,
// and their count fits:
//
//   lcp, relay   z | z w                 friction   [flag] | [flag] reaction | [flag] reaction velocity
//   mlcp         (u without one) v w, as all the files that we have | u v w | u v | v w
#include "scan.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The free rows come first in lambda wherever files have a stored solution; otherwise it is not used.
static int free_first(const nsm_problem *p, int n) {
  for (int i = 0; i < p->unknowns; i++)
    if ((p->own_lo[i] < 0) != (i < n)) return 0;
  return 1;
}

static int keep(nsm_problem *p, const double *lambda, size_t n, size_t at, const double *u, size_t nu, size_t u_at) {
  size_t m = (size_t)p->p.m;
  double *l = malloc((m + 1) * sizeof *l), *w = malloc((m + 1) * sizeof *w);
  if (!l || !w) { free(l); free(w); return 0; }
  for (size_t i = 0; i < m; i++) l[i] = w[i] = NAN;
  if (n) memcpy(l + at, lambda, n * sizeof *l);
  if (nu) memcpy(w + u_at, u, nu * sizeof *w);
  p->stored_lambda = l;
  p->stored_u = w;
  return 1;
}

void prob_stored(scan *s, nsm_problem *p, int n) {
  nsm_problem_error ignored = { 0 };
  scan rest = *s;
  numbers v = { 0 };
  rest.e = &ignored;
  double x;
  size_t all = (size_t)p->unknowns, nf = (size_t)n, m = all - nf;
  for (scan_blanks(&rest); rest.at < rest.end && scan_real(&rest, &x, 0, "") && v.n <= 2 * all + 1; scan_blanks(&rest))
    numbers_add(&rest, &v, x);
  if (!rest.failed && rest.at == rest.end && v.n > 0 && all > 0) {
    const double *a = v.at;
    if (p->kind == NSM_PROBLEM_MLCP) {
      if (!free_first(p, n)) { /* another order: nothing is known about it */ }
      else if (nf > 0 && v.n == nf - 1 + 2 * m) keep(p, a + (nf - 1), m, nf, a + (nf - 1) + m, m, nf);
      else if (v.n == nf + 2 * m) keep(p, a, all, 0, a + all, m, nf);
      else if (v.n == all) keep(p, a, all, 0, NULL, 0, 0);
      else if (v.n == 2 * m) keep(p, a, m, nf, a + m, m, nf);
    } else {
      size_t flag = (p->kind == NSM_PROBLEM_FC2D || p->kind == NSM_PROBLEM_FC3D) && v.n % all == 1 && all > 1 ? 1 : 0;
      if (v.n - flag == all) keep(p, a + flag, all, 0, NULL, 0, 0);
      else if (v.n - flag == 2 * all) keep(p, a + flag, all, 0, a + flag + all, all, 0);
    }
  }
  free(v.at);
}
