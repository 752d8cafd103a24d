// The motion (2), (4), (5) of bodies on joints with a matrix that is near to K (consistent_near_matrix.c),
// docs/numerics/consistent.md, section 4, "A near matrix". It is made once a step, at the first iterate; the residual
// falls by some 10^4 an iteration. Where it falls too slowly the step is taken with K itself, from the start, and so
// are the next ones.
//
// A step starts from speeds and multipliers that are extrapolated from the last steps, by polynomials of the degree
// that was nearest lately.
#include "consistent_near.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 16, BACK_AFTER = 8 };
// Relative residuals. What one more correction may leave, because it adds up over the steps; what an iterate that is
// corrected once more may have; what round-off may leave where it falls no more; the slowest fall in two iterations
// that is worth going on.
static const double left = 1e-16, checked = 1e-12, floor_of_rounding = 1e-13, stands = 0.25, slow = 0.1;
// What has fallen so fast and falls no more is round-off, up to the tolerance of the run.
static const double fast = 0.1, near_by = 1e-10;
// Residual of a start that says little of the forces to come, in (19) and in what residuals are measured by: both are
// made once more.
static const double poor = 1e-3;

// ---- the motion -----------------------------------------------------------------------------------------------------
// Speeds and multipliers of the next iterate, by the correction.
static void go(nsm_sim *s) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  const sim_rows *r = &s->n.r;
  con_near_solve(s, s->n.h);
  for (int i = 0; i < s->a->nv; i++) {
    c->inc_u[i] += near->du[near->seat[i]];
    s->w.z1[i] = c->uc[i] + (c->uc_low[i] + c->inc_u[i]);
  }
  for (int j = 0; j < c->ns; j++) {
    s->w.l1[r->l[c->row[j]]] += near->dlambda[near->row_seat[j]];
    c->kappa1[r->l[c->row[j]]] += near->dkappa[near->row_seat[j]];
  }
}

// The residuals of the iterate (consistent_residual.c), which the matrix has by seats.
static int evaluate(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  struct con_near *near = c->near;
  if (!con_evaluate_rows(s, v)) return 0;
  for (int z = 0; z < s->a->nv; z++) near->momentum[near->seat[z]] = c->res[z];
  for (int j = 0; j < c->ns; j++) {
    near->rate[near->row_seat[j]] = c->res[s->a->nv + j];
    near->gap[near->row_seat[j]] = c->res[s->a->nv + c->ns + j];
  }
  return 1;
}

// The sizes that the residuals of the step are measured by, at an iterate.
static void measure(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  con_measures(s);
  for (int j = 0; j < c->ns; j++) c->near->terms[j] = con_gap_terms(s, v->h, c->row[j]) + DBL_MIN;
}

// As con_residual, by these; infinite where a number is not finite.
static double residual(const nsm_sim *s, double h) {
  const struct sim_consistent *c = s->n.con;
  const double *rate = c->res + s->a->nv, *gap = rate + c->ns;
  double most = 0;
  int finite = 1;
  for (int z = 0; z < s->a->nv; z++) {
    double x = fabs(c->res[z]) / (c->size[z] + DBL_MIN);
    most = x > most ? x : most;
    finite &= x - x == 0;
  }
  for (int j = 0; j < c->ns; j++) {
    double u = h * fabs(rate[j]) / c->near->terms[j], g = fabs(gap[j]) / c->near->terms[j], x = u > g ? u : g;
    most = x > most ? x : most;
    finite &= (u - u) + (g - g) == 0;
  }
  return finite ? most : INFINITY;
}

// Does an iterate that is no better than the one before meet the tolerance, by the measure that all steps have? Where
// it does not, rows are measured with the terms of K that the near matrix leaves out, as by K itself.
static int meets(nsm_sim *s, const nsm_view *v) {
  int worst = 0;
  if (!con_evaluate(s, v)) return 0;
  if (con_residual(s, v->h, &worst) <= s->a->tolerance) return 1;
  con_near_curvature(s, v);
  return con_evaluate(s, v) && con_residual(s, v->h, &worst) <= s->a->tolerance;
}

// Of the residual e of an iterate, which is the residual before times `rate`, one more correction leaves e times rate.
// *error_of_last: the residual of the last iterate.
static int iterate(nsm_sim *s, const nsm_view *v, double *error_of_last) {
  memset(s->now.r1_most, 0, (size_t)s->a->nv * sizeof(double));
  if (!evaluate(s, v) || !con_near_matrix(s, v)) return 0;
  measure(s, v);
  double before = residual(s, v->h), twice = INFINITY, first = before, best = 1;
  for (int n = 1; n <= MOST; n++) {
    go(s);
    evaluate(s, v);
    s->now.count.newton_iterations++;
    if (n == 1 && !(first <= poor)) {
      if (!con_near_matrix(s, v)) return 0;
      measure(s, v);
    }
    double error = *error_of_last = residual(s, v->h), rate = error > 0 ? error / before : 0;   // 0/0: at rest
    double rounding = best <= fast ? s->a->tolerance : floor_of_rounding;
    int floor = rate > stands && (error <= rounding || (best <= fast && error <= near_by && meets(s, v)));
    if ((error <= checked && error * rate <= left) || floor) {
      if (!con_credible(s, v->h)) return 0;
      go(s);
      con_place(s, v);
      return 1;
    }
    if (!(error <= slow * twice)) return 0;
    twice = before;
    before = error;
    best = n > 1 && rate < best ? rate : best;           // of the first one the start is to blame
  }
  return 0;
}

// ---- start ----------------------------------------------------------------------------------------------------------
static void start(nsm_sim *s) {
  con_start(s);
  if (sim_foretells(s)) con_start_foretold(s);
}

// ---- the motion -----------------------------------------------------------------------------------------------------
int con_near_motion(nsm_sim *s, const nsm_view *v) {
  struct sim_consistent *c = s->n.con;
  if (!c->near || c->na > 0 || s->now.con.redundant || s->now.k < s->now.con.near_again) return 0;
  long before = s->now.count.newton_iterations;
  start(s);
  double error = INFINITY;
  int found = iterate(s, v, &error);
  c->iterations = s->now.count.newton_iterations - before;
  // what round-off alone kept above the tolerance says nothing about the next step
  if (!found) s->now.con.near_again = s->now.k + (error <= near_by ? 1 : BACK_AFTER);
  return found;
}
