// The loop of josephy_newton.h.
#include "josephy_newton.h"
#include <string.h>

enum { HALVINGS = 6, UNHURRIED = 3,      // iterations that do not ask what they have cost
       ITERATION = 1000 };               // operations of an unknown or a row in an iteration, beside its problem

int sim_is_late(nsm_sim *s) {
  if (sim_interrupted(s)) return s->w.late = 1;
  s->w.work += ITERATION * ((double)s->a->nz + s->n.r.n);
  if (s->w.work > SIM_STEP_BUDGETS * s->w.cone.budget * NSM_CONE_OPERATIONS) s->w.late = 1;
  return s->w.late;
}

static nsm_code given_up(nsm_sim *s, const nsm_view *v, const sim_iteration *it, nsm_error *e) {
  char name[256];
  if (it->worst >= 0) sim_z_name(s, it->worst, name, sizeof name);
  else sim_row_name(s, ~it->worst, name, sizeof name);
  sim_fail_at(e, NSM_FAILED, it->worst >= 0 ? sim_at_z(s, it->worst) : sim_at_row(s, ~it->worst),
              "the step was not found within %.4g billion operations, %d times --solve-budget, at t = %.10g s, step "
              "%ld: after %d iterations the relative residual of %s is %.3g (tolerance %.3g)",
              SIM_STEP_BUDGETS * s->w.cone.budget, SIM_STEP_BUDGETS, v->t, sim_step_number(s), it->number, name,
              it->error, s->a->tolerance);
  return NSM_FAILED;
}

// Of the residual after one iteration; of its rate in the iteration before. Small factors are kept for the last
// iteration: where the residual is small and they contract, as the step before did, to below rounding.
static const double near_enough = 1e-4, contracts = 1e-2, nearly_done = 1e-8, rounding = 2e-16;

int sim_keeps_factors(const sim_matrix *w, const sim_iteration *it) {
  if (it->number == 0 || it->alpha != 1) return 0;
  if (!w->large) return it->error <= nearly_done && it->error * it->rate <= rounding;
  return it->number == 1 ? it->error <= near_enough : it->rate <= contracts;
}

// A coefficient of friction that is sought between two values: its residual need not fall.
static int moves(const nsm_sim *s, const sim_iteration *it) {
  return it->worst < 0 && sim_friction_moves(s, ~it->worst);
}

nsm_code sim_josephy_newton(nsm_sim *s, const sim_newton_method *m, int most, int shortens, const nsm_view *v,
                            nsm_error *e) {
  sim_iteration it = { .error = INFINITY, .before = INFINITY, .rate = INFINITY, .alpha = 1 };
  for (;; it.number++) {
    m->measure(s, v, &it);
    if (it.number > 0) {
      sim_verdict verdict = m->verify(s, v, &it);
      if (verdict != SIM_GO_ON) return verdict == SIM_STANDS ? NSM_OK : m->failed(s, v, &it, e);
      if (it.halvings >= 0 && !(it.error <= (it.number <= m->free ? 2 : 1) * it.before) && !moves(s, &it)) {
        if (it.halvings < HALVINGS) { it.halvings++; m->go(s, it.alpha *= 0.5); }
        else if (isnan(it.error)) return m->failed(s, v, &it, e);
        else { it.halvings = -1; m->go(s, it.alpha = 1); }   // no descent: laws have kinks, contacts open and close
        it.number--;
        continue;
      }
      if (isnan(it.error)) return m->failed(s, v, &it, e);
      if (m->rests && m->rests(s, v, &it)) return NSM_OK;
      if (it.number >= most) return m->failed(s, v, &it, e);
      if (it.number > UNHURRIED && sim_is_late(s))
        return sim_interrupted(s) ? NSM_INTERRUPTED : given_up(s, v, &it, e);
      it.rate = it.error / it.before;
      it.before = it.error;
    }
    else if (m->still && m->still(s, v)) return NSM_OK;
    nsm_code code = m->step(s, v, &it, e);
    if (code != NSM_OK) return code;
    s->now.count.newton_iterations++;
    if (it.exact) return NSM_OK;
    it.alpha = 1;
    it.halvings = shortens && !it.leaps ? 0 : -1;
    it.leaps = 0;
  }
}

void sim_learn(nsm_sim *s, int n, const double *change, const double *weight, int inverse) {
  sim_state *now = &s->now;
  int three = s->a->scheme->two_point;                     // gain0 is kept
  double off[3] = { 0 };
  for (int i = 0; i < n; i++) {
    double g = change[i], d = g - now->gain[i], m = sim_metric(weight, inverse, i);
    off[0] += m * g * g;
    off[1] += m * d * d;
    if (three) {
      double x = g - 2 * now->gain[i] + now->gain0[i];
      off[2] += m * x * x;
      now->gain0[i] = now->gain[i];
    }
    now->gain[i] = g;
  }
  for (int k = 0; k < 3; k++) now->off[k] = 0.25 * now->off[k] + off[k];
}

void sim_stagnated(nsm_sim *s, double t1, const sim_iteration *it) {
  s->now.count.stagnations++;
  if (it->error <= s->now.count.worst_residual) return;
  s->now.count.worst_residual = it->error;
  s->now.worst_time = t1;
  s->now.worst_at = it->worst;
}
