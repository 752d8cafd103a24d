// nsm_cone_solve for problems in factors (problem.h): sweeps, from the last forces where there are some, and the
// verifier. One that misses both levels has failed with the best answer, whose forces lie in their sets.
#include "solver.h"
#include "sweeps.h"
#include <float.h>
#include <math.h>

// Vectors: of rows those of sweeps.c and of Anderson's method, of unknowns those of sweeps and of the verifier.
enum { OF_ROWS = 12 + NSM_ANDERSON, OF_UNKNOWNS = 5, OF_PARTS = 3 + 2 * NSM_ANDERSON, ALIGN = 64,
       ARRAYS = 64 };

size_t nsm_cone_factors_workspace(int m, int nodes, int n) {
  size_t rows = (size_t)m, count = (size_t)nodes;
  return sizeof(nsm_cone_work) + ARRAYS * ALIGN + OF_ROWS * rows * sizeof(double) + 4 * (rows + 1) * sizeof(int) +
         rows * sizeof(nsm_node) + OF_UNKNOWNS * (size_t)n * sizeof(double) +
         count * (2 * NSM_NODE_BLOCK * sizeof(double) + 6 * sizeof(size_t) + 4 * sizeof(int) + sizeof(nsm_plain)) +
         OF_PARTS * (2 * count / NSM_SLAB + 1) * sizeof(double);
}

nsm_cone_status nsm_cone_solve_factors(const nsm_cone_problem *p, nsm_cone_work *w, const nsm_cone_try *asked,
                                       double *lambda, double *u, nsm_cone_result *r) {
  nsm_cone_try t = *asked;
  nsm_cone_result found = { .status = NSM_CONE_BAD_INPUT, .residual = HUGE_VAL, .floor = DBL_EPSILON,
                            .solver = "sweeps" };
  w->iterations = 0;
  w->m = p->m;
  t.asked = t.tolerance;
  if (nsm_cone_vectors_ok(p)) {
    nsm_cone_sweeps(p, w, &t, lambda, u);
    found.residual = nsm_cone_factors_distance(p, w, lambda, u, &found.worst);
    found.status = found.residual <= t.tolerance ? NSM_CONE_SOLVED
                   : found.residual <= t.accept  ? NSM_CONE_ACCEPTED
                                                 : NSM_CONE_FAILED;
  }
  found.iterations = w->iterations;
  found.late = found.status == NSM_CONE_FAILED && w->late;
  found.work = w->work;
  if (r) *r = found;
  return found.status;
}
