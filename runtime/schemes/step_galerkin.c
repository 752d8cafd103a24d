// A piece of order 2 s of the energy-consistent scheme (galerkin.h has the tour): Newton's method on (3)-(6) of
// docs/numerics/galerkin.md with the exact derivative, kept as long as it contracts.
#include "galerkin.h"

enum { MOST_ITERATIONS = 25 };
static const double contracts = 0.25,    // at least so much an iteration, or the derivative is made anew
                    floor_of = 4;        // roundings beside which a correction is nothing
static const double worth = 1e-9;        // below this correction a matrix is not worth making anew

// A motion with the accelerations and the forces of the begin.
static void start(nsm_sim *s) {
  struct sim_galerkin *g = s->n.galerkin;
  double h = s->n.h;
  galerkin_instant(s, s->now.t, s->now.q, s->now.z);
  memset(g->x, 0, (size_t)g->n * sizeof(double));
  for (int i = 0; i < s->a->nv; i++) {
    g->x[galerkin_at(s, 0, IN_PLACES, i)] = h * (s->now.z[i] + 0.5 * h * g->in.e[i]);
    g->x[galerkin_at(s, 1, IN_PLACES, i)] = h * h * g->in.e[i] / (2 * sqrt(3));
    g->x[galerkin_at(s, 0, IN_SPEEDS, i)] = h * g->in.e[i];
  }
  for (int r = 0; r < g->m; r++) g->x[galerkin_at(s, 0, IN_FORCES, r)] = h * g->in.force[s->n.r.l[g->row[r]]];
}

// Newton's step beside the velocities, in the mass metric of the start: sqrt(sum m du^2)/sqrt(sum m u^2), u with what
// was gained in the piece.
static double measure(const nsm_sim *s) {
  const struct sim_galerkin *g = s->n.galerkin;
  double off = 0, all = DBL_MIN;
  for (int i = 0; i < s->a->nv; i++) {
    double m = s->n.con->mass_inverse[i] > 0 ? 1 / s->n.con->mass_inverse[i] : 1;
    all += m * s->now.z[i] * s->now.z[i];
    for (int j = 0; j < g->t.s; j++) {
      int at[] = { galerkin_at(s, j, IN_PLACES, i), galerkin_at(s, j, IN_SPEEDS, i) };
      double h[] = { s->n.h, 1 };
      for (int k = 0; k < 2; k++) {
        off += m * (g->dx[at[k]] / h[k]) * (g->dx[at[k]] / h[k]);
        all += m * (g->x[at[k]] / h[k]) * (g->x[at[k]] / h[k]);
      }
    }
  }
  return sqrt(off / all);
}

// 1: found; the last correction, relative, in *off.
static int iterate(nsm_sim *s, double *off) {
  struct sim_galerkin *g = s->n.galerkin;
  double last = INFINITY;
  int made = 0;
  for (int it = 0; it < MOST_ITERATIONS; it++) {
    galerkin_residual(s);
    if (!made && !galerkin_matrix(s)) return 0;
    made = 1;
    for (int i = 0; i < g->n; i++) g->dx[i] = g->res[i];
    galerkin_solve(s, g->dx);
    for (int i = 0; i < g->n; i++) g->x[i] -= g->dx[i];
    s->now.count.newton_iterations++;
    *off = measure(s);
    if (!isfinite(*off)) return 0;
    if (*off <= floor_of * DBL_EPSILON) return 1;
    if (*off <= s->a->tolerance && !(*off < 0.25 * last)) return 1;      // falls no more
    if (it > 0 && *off > contracts * last) made = *off < worth;
    last = *off;
  }
  return *off <= s->a->tolerance;
}

// The gap that a constraint has at the begin, as far as it is more than round-off (step_consistent.c).
static void at_begin(nsm_sim *s) {
  nsm_view v = sim_now(s);
  SIM_EACH(s, constraint, k) {
    k->c->gap_fn(&v, &k->tab, s->n.r.gap + k->row0, s->n.r.rate0 + k->row0);
    con_pull_back(s, k, &v);
  }
}

static nsm_code failed(nsm_sim *s, double t1, double off, nsm_error *e) {
  s->w.astray = 1;
  sim_fail(e, NSM_FAILED, "the piece of order %d is not solved at t = %.10g s, step %ld: after %d iterations its "
           "velocities still change by %.3g of themselves; a smaller step, or a lower order, may help",
           2 * s->a->stages, t1, s->now.k + 1, MOST_ITERATIONS, off);
  return NSM_FAILED;
}

nsm_code sim_step_galerkin(nsm_sim *s, double t1, nsm_error *e) {
  struct sim_galerkin *g = s->n.galerkin;
  struct sim_consistent *c = s->n.con;
  double off = INFINITY;
  size_t bytes = (size_t)s->a->nv * sizeof(double);
  galerkin_rows(s);
  if (sim_instant_shares(s, e) != NSM_OK) return NSM_FAILED;
  at_begin(s);
  start(s);
  memset(s->w.l1, 0, ((size_t)s->a->nl + 1) * sizeof(double));
  if (!iterate(s, &off)) return failed(s, t1, off, e);
  memcpy(c->uc, s->now.z, bytes);
  memcpy(c->uc_low, s->now.z_low, bytes);
  for (int i = 0; i < s->a->nv; i++) {
    c->inc_q[i] = g->x[galerkin_at(s, 0, IN_PLACES, i)];
    c->inc_u[i] = g->x[galerkin_at(s, 0, IN_SPEEDS, i)];
  }
  if (g->nturn > 0) {
    galerkin_turns_between(s, g->t.at[1][0], g->t.at[1][1]);
    galerkin_turns_forth(s, c->inc_q);
  }
  con_carry(s);
  sim_move_bodies(s, s->now.q, c->inc_q, s->w.q1);
  s->now.count.max_residual = fmax(s->now.count.max_residual, off);
  galerkin_book(s);
  galerkin_instant(s, t1, s->w.q1, s->w.z1);
  memset(s->now.impulse, 0, (size_t)s->a->nl * sizeof(double));
  memcpy(s->now.force, s->w.l1, (size_t)s->a->nl * sizeof(double));
  c->moves_on = 1;
  nsm_view v = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  SIM_EACH(s, compliant, k) k->c->lambda_fn(&v, &k->tab, s->w.l1 + s->a->var[k->c->row_var].base);
  return NSM_OK;
}
