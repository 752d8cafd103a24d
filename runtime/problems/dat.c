// The plain-text problem files of Siconos 4.4 (docs/problems.md, 3): words between blanks, line breaks carry no
// meaning.
//
//   matrix   := storage rows cols ...       0: dense, by columns;  1: blocks;  2: sparse, not read (dat_matrix.c)
//   lcp      := n matrix q                  0 <= w = M z + q  perp  z >= 0
//   relay    := n matrix q lower upper      -w in N_[lower, upper](z)
//   friction := d contacts matrix q mu      per contact normal first: the cones of problem.h
#include "scan.h"
#include <limits.h>
#include <stdlib.h>

// A problem of n rows: M, then q.
static int read_affine(scan *s, nsm_problem *p, int n) {
  return scan_room(s, (size_t)n, "entries of q") && prob_vectors(s, p, n) && prob_dat_matrix(s, p, n) &&
    scan_reals(s, p->own_q, (size_t)n, 0, "an entry of q");
}

static int read_bounds(scan *s, nsm_problem *p, int n) {
  if (!scan_reals(s, p->own_lo, (size_t)n, 1, "a lower bound")) return 0;
  for (int i = 0; i < n; i++) {
    scan_blanks(s);
    const char *at = s->at;
    if (!scan_real(s, &p->own_hi[i], 1, "an upper bound")) return 0;
    if (!(p->own_lo[i] <= p->own_hi[i]))
      return scan_fail(s, at, "all lower bounds stand first, then all upper bounds",
                       "the bounds of row %d are %.9g and %.9g: the lower one is larger", i, p->own_lo[i],
                       p->own_hi[i]);
  }
  return 1;
}

static int read_friction(scan *s, nsm_problem *p, nsm_problem_kind kind) {
  long d, contacts;
  scan_blanks(s);
  const char *at = s->at;
  if (!scan_count(s, INT_MAX, &d, "the dimension (2 or 3)")) return 0;
  if (d != (kind == NSM_PROBLEM_FC2D ? 2 : 3))
    return scan_fail(s, at,
                     d == 2   ? "use --kind fc2d"
                     : d == 3 ? "use --kind fc3d"
                              : "the kind of the problem may be another one: --kind",
                     "the dimension of %s must be %d, and is %ld", nsm_problem_kind_name(kind),
                     kind == NSM_PROBLEM_FC2D ? 2 : 3, d);
  if (!scan_count(s, NSM_PROBLEM_MAX_ROWS / d, &contacts, "the number of contacts") ||
      !read_affine(s, p, (int)(d * contacts)))
    return 0;
  p->own_cone = scan_new(s, (size_t)contacts, sizeof *p->own_cone);
  if (!p->own_cone) return 0;
  p->p.cone = p->own_cone;
  p->p.cones = (int)contacts;
  for (int i = 0; i < contacts; i++) {
    double mu;
    scan_blanks(s);
    at = s->at;
    if (!scan_real(s, &mu, 0, "a coefficient of friction")) return 0;
    if (mu < 0)
      return scan_fail(s, at, "the order is: all of q, then one coefficient per contact",
                       "the coefficient of friction of contact %d is negative: %.9g", i, mu);
    p->own_cone[i] = (nsm_cone_block){ .type = NSM_CONE_COULOMB, .first = i * (int)d, .size = (int)d, .mu = mu };
  }
  return 1;
}

int prob_read_dat(scan *s, nsm_problem *p, nsm_problem_kind kind) {
  long n = 0;
  int good;
  p->kind = kind;
  if (kind == NSM_PROBLEM_MLCP) return prob_read_mlcp(s, p);
  if (kind == NSM_PROBLEM_FC2D || kind == NSM_PROBLEM_FC3D) good = read_friction(s, p, kind);
  else good = scan_count(s, NSM_PROBLEM_MAX_ROWS, &n, "the number of rows") && read_affine(s, p, (int)n) &&
              (kind != NSM_PROBLEM_RELAY || read_bounds(s, p, (int)n));
  if (!good) return 0;
  p->unknowns = p->p.m;
  prob_finish_matrix(p);
  prob_stored(s, p, 0);
  return 1;
}
