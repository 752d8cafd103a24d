// A piece of order 2 s of the energy-consistent scheme (galerkin.h has the tour): Newton's method on (3)-(6) of
// docs/numerics/galerkin.md with the exact derivative, kept as long as it contracts.
#include "galerkin.h"

enum { MOST_ITERATIONS = 25, MOST_UNBALANCED = 12,
       RESTS = 1 };                      // pieces that make factors of their own, where old ones did not do
static const double contracts = 0.25,     // at least so much an iteration, or the derivative is made anew
                    floor_of = 4,        // roundings beside which a correction is nothing
                    rounding = 100,      // those that a correction by old factors may be made of
                    settled = DBL_EPSILON / 16,      // what the next correction would be, by the last two
                    resting = 1e-3,      // of velocities: more than that is rounding of the places over the length
                    exact = 64 * DBL_EPSILON,        // of the momentum
                    from = 1 << 27, less = 8,        // of the share of instant_slips.c: where a slip begins
                    worth = 1e-9;        // below this correction a matrix is not worth making anew

static int slides_in_plane(const nsm_sim *s) {
  int any = 0;
  for (int f = 0; f < s->n.r.nfriction; f++) any |= s->n.galerkin->slides[f] && s->n.r.friction[f].n > 1;
  return any;
}

// The force of a slip of several directions turns the faster, the slower it slips, and jumps where it turns back: the
// corrections may be nothing where the momentum is still off, by more than is nothing of the energy. Of a slip near 0
// it is known to what rounding leaves of the direction. *last: what was off when this was asked before.
static int balanced(nsm_sim *s, double *last) {
  if (!slides_in_plane(s)) return 1;
  galerkin_residual(s);
  double off = galerkin_momentum_off(s);
  int falls = off < contracts * *last;
  *last = off;
  return off <= exact || (!falls && off <= 0.5 * s->a->tolerance);
}

// Iterations until it is found, with the factors that are there where they are `good`; 0: it is not. The last
// correction, relative, in *off. The next one is at most the last by what each of the last two was of the one before,
// by the same factors.
static int iterate(nsm_sim *s, int good, double *off) {
  struct sim_galerkin *g = s->n.galerkin;
  double last = INFINITY, momentum = INFINITY, rate = 1, before;
  int fresh = 0, unbalanced = 0;
  for (int it = 1; it <= MOST_ITERATIONS; it++) {
    galerkin_residual(s);
    if (!good) {
      if (!galerkin_matrix(s)) return 0;
      if (it > 1 && !fresh) s->now.piece.rest = RESTS;
      last = INFINITY;
      rate = 1;
      fresh = good = 1;
    }
    memcpy(g->dx, g->res, (size_t)g->n * sizeof(double));
    galerkin_solve(s, g->dx);
    for (int i = 0; i < g->n; i++) g->x[i] -= g->dx[i];
    s->now.count.newton_iterations++;
    *off = galerkin_measure(s);
    if (!isfinite(*off)) return 0;
    before = rate;
    rate = last < INFINITY ? *off / last : 1;
    double next = *off * fmax(rate, before), placed = floor_of * DBL_EPSILON * g->places;
    int falls = *off < contracts * last, small = *off <= floor_of * DBL_EPSILON * g->pushes || next <= settled,
        noise = !falls && *off <= (fresh ? s->a->tolerance : rounding * DBL_EPSILON),
        rests = !falls && fresh && placed >= resting && *off <= placed;
    int ends = small || noise || rests;
    if (ends && (placed >= 1 || balanced(s, &momentum))) {
      if (small) *off = fmin(*off / g->pushes, next);
      else if (rests) *off = DBL_EPSILON;
      return it;
    }
    if (last < INFINITY && rate > contracts) good = fresh && *off < worth && !slides_in_plane(s);
    if (ends && ++unbalanced > MOST_UNBALANCED) return 0;
    if (ends) good = 0;
    last = *off;
  }
  return *off <= s->a->tolerance && balanced(s, &momentum) ? MOST_ITERATIONS : 0;
}

// A slip in a plane begins: first its direction is known, then it is more and more that of the velocity.
static int begin_slips(nsm_sim *s, double *off) {
  struct sim_galerkin *g = s->n.galerkin;
  int iterations = 0;
  galerkin_lost(s);
  for (int row = 0; row < s->n.r.n; row++) g->in.small[row] *= from;
  galerkin_start(s, 1);
  for (double by = from; by >= 1; by /= less) {
    iterations = iterate(s, 0, off);
    for (int row = 0; by > 1 && row < s->n.r.n; row++) g->in.small[row] /= less;
  }
  return iterations;
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
           2 * s->a->stages, t1, sim_step_number(s), MOST_ITERATIONS, off);
  return NSM_FAILED;
}

nsm_code sim_step_galerkin(nsm_sim *s, double t1, nsm_error *e) {
  struct sim_galerkin *g = s->n.galerkin;
  struct sim_consistent *c = s->n.con;
  double off = INFINITY;
  size_t bytes = (size_t)s->a->nv * sizeof(double);
  galerkin_rows(s);
  at_begin(s);
  galerkin_push(s);
  int begins = sim_instant_slips(s, &g->in, s->now.t, s->now.q, s->now.z, g->q[0], g->u[0]);
  int good = galerkin_handed(s), iterations = begins ? begin_slips(s, &off) : 0;
  memset(s->w.l1, 0, ((size_t)s->a->nl + 1) * sizeof(double));
  if (!begins) {
    galerkin_start(s, 0);
    iterations = iterate(s, good, &off);
  }
  if (!iterations) {
    galerkin_lost(s);
    galerkin_start(s, 1);
    iterations = iterate(s, 0, &off);
  }
  if (!iterations) return failed(s, t1, off, e);
  galerkin_hand_on(s, iterations);
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
  sim_instant_share(s, &g->in, s->a->nv + g->m, s->n.h, s->w.l1);
  memset(s->now.impulse, 0, (size_t)s->a->nl * sizeof(double));
  memcpy(s->now.force, s->w.l1, (size_t)s->a->nl * sizeof(double));
  c->moves_on = 1;
  nsm_view v = sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1);
  SIM_EACH(s, compliant, k) k->c->lambda_fn(&v, &k->tab, s->w.l1 + s->a->var[k->c->row_var].base);
  return NSM_OK;
}
