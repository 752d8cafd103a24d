// What every problem must satisfy, whatever its format: the rules of runtime/cone/problem.h, said with rows and blocks.
#include "scan.h"
#include <math.h>

static int finite_values(scan *s, const double *x, size_t n, const char *what) {
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i]) < HUGE_VAL)) return scan_fail(s, NULL, NULL, "entry %zu of %s is not a finite number", i, what);
  return 1;
}

static int coefficient(scan *s, int k, const char *name, double x) {
  if (x >= 0 && x < HUGE_VAL) return 1;
  return scan_fail(s, NULL, NULL, "%s of cone %d is %.9g: it must be a finite number, 0 or more", name, k, x);
}

static int check_cones(scan *s, const nsm_cone_problem *p) {
  int end = 0;
  for (int k = 0; k < p->cones; k++) {
    const nsm_cone_block *b = &p->cone[k];
    if (!nsm_cone_has_size(b->type, b->size)) return scan_fail(s, NULL, NULL,
        "cone %d has %d rows, which its type does not allow", k, b->size);
    if (b->first < end)
      return scan_fail(s, NULL, "cones are listed in the order of their rows",
                       "cone %d starts at row %d, and the one before ends at row %d", k, b->first, end);
    if (b->size > p->m - b->first)
      return scan_fail(s, NULL, NULL, "cone %d ends at row %lld, and the problem has %d rows", k,
                       (long long)b->first + b->size, p->m);
    if (!coefficient(s, k, "mu", b->mu) || !coefficient(s, k, "mu2", b->mu2) || !coefficient(s, k, "radius", b->radius))
      return 0;
    end = b->first + b->size;
  }
  return 1;
}

int prob_check(scan *s, nsm_problem *p) {
  int m = p->p.m;
  p->p.q = p->own_q;
  p->p.lo = p->own_lo;
  p->p.hi = p->own_hi;
  p->p.cone = p->own_cone;
  p->p.q_terms = p->own_terms;
  if (!finite_values(s, p->own_M, p->entries, "M") || !finite_values(s, p->own_q, (size_t)m, "q")) return 0;
  for (int i = 0; i < m && p->own_terms; i++)
    if (!(p->own_terms[i] >= 0))
      return scan_fail(s, NULL, NULL, "entry %d of q_terms is %.9g: a size is not negative", i, p->own_terms[i]);
  for (int i = 0; i < m; i++) {
    if (!(p->own_lo[i] <= p->own_hi[i]))
      return scan_fail(s, NULL, NULL, "the bounds of row %d are %.9g and %.9g: the lower one is larger", i,
                       p->own_lo[i], p->own_hi[i]);
    if (p->own_lo[i] == HUGE_VAL || p->own_hi[i] == -HUGE_VAL)
      return scan_fail(s, NULL, NULL, "the bounds of row %d leave no finite number", i);
  }
  return check_cones(s, &p->p);
}
