// The table of the schemes (runtime/schemes.def), and what their steps do by their form.
#include "schemes.h"
#include <string.h>

// Contacts of shapes that act and move in the step: their directions turn.
static int turns(nsm_sim *s) {
  if (!s->a->follows || s->n.h == 0) return 0;
  sim_active_set(s);
  return sim_touch_acts(s);
}

static nsm_code solve_implicit(nsm_sim *s, double t1, nsm_error *e) {
  return s->a->linear && !turns(s) ? sim_step_linear(s, t1, e) : sim_step_newton(s, t1, e);
}

static nsm_code step_implicit(nsm_sim *s, double t1, nsm_error *e) {
  return sim_reaches(s) ? sim_step_projected(s, t1, e, solve_implicit) : sim_independent(s, t1, e, solve_implicit);
}

static nsm_code step_kicks(nsm_sim *s, double t1, nsm_error *e) { return sim_independent(s, t1, e, sim_step_kicks); }

static nsm_code step_point(nsm_sim *s, double t1, nsm_error *e) { return sim_independent(s, t1, e, sim_step_affine); }

// An impact is a step of length 0, which sim_prepare was called for: forces and relations take no part.
static nsm_code impact_implicit(nsm_sim *s, nsm_error *e) {
  const sim_rows *r = &s->n.r;
  SIM_EACH(s, relation, k) {
    memset(r->active + k->row0, 0, (size_t)k->tab.count);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) s->w.l1[r->l[row]] = 0;
  }
  nsm_code code = step_implicit(s, s->now.t, e);
  SIM_EACH(s, relation, k) {
    memset(r->active + k->row0, 1, (size_t)k->tab.count);
    for (int row = k->row0; row < k->row0 + k->tab.count; row++) s->w.l1[r->l[row]] = s->now.l[r->l[row]];
  }
  return code;
}

// What impulses did, for the books, for the next step and for the summary.
static void accept_impulses(nsm_sim *s) {
  if (s->now.ledger.on) sim_ledger_impulses(s);
  if (s->a->on.contact.n > 0) sim_hold(s);
  if (s->n.isl.nactive > 0 && !s->a->located) sim_count_impacts(s);
}

static void accept_implicit(nsm_sim *s) {
  accept_impulses(s);
  sim_newton_learn(s);
}

static void accept_kicks(nsm_sim *s) {
  if (s->a->on.contact.n > 0) sim_hold(s);
  if (s->n.isl.nactive > 0) sim_count_impacts(s);
  if (s->now.ledger.on) sim_ledger_whole_step(s);
}

static void accept_places(nsm_sim *s) {
  accept_impulses(s);
  sim_places_accept(s);
}

static void accept_radau(nsm_sim *s) {
  sim_radau_accept(s);
  accept_impulses(s);
}

static void analyse_implicit(nsm_sim *s) {
  sim_newton_analyse(s);
  sim_projection_analyse(s);
  sim_places_analyse(s);
}

static int fits_two_point(nsm_sim *s, nsm_error *e) { return sim_consistent_fits(s, e) && sim_galerkin_fits(s, e); }

static void analyse_two_point(nsm_sim *s) {
  sim_consistent_analyse(s);
  sim_galerkin_analyse(s);
}

// Sets that are not known are those of a step of order 2, which has all laws.
static nsm_code step_two_point(nsm_sim *s, double t1, nsm_error *e) {
  int known = !s->located || s->now.sets_known == 1;
  return s->n.galerkin && known ? sim_step_galerkin(s, t1, e) : sim_step_consistent(s, t1, e);
}

// Sets that are not known are those of a step of implicit Euler, which has all laws.
static nsm_code euler_flow(nsm_sim *s, double t1, nsm_error *e) {
  s->w.flows = 0;
  sim_flow_stale(s);
  return step_implicit(s, t1, e);
}

static nsm_code step_flow(nsm_sim *s, double t1, nsm_error *e) {
  return s->now.sets_known == 1 ? sim_step_flow(s, t1, e) : euler_flow(s, t1, e);
}

static nsm_code impact_flow(nsm_sim *s, nsm_error *e) {
  s->w.flows = 0;
  sim_flow_stale(s);
  s->n.isl.solver.least = 1;
  nsm_code code = impact_implicit(s, e);
  s->n.isl.solver.least = 0;
  return code;
}

static void accept_flow(nsm_sim *s) {
  if (s->w.flows == SIM_FLOW_SETTLES) sim_ledger_whole_step(s);
  else if (s->w.flows) sim_flow_accept(s);
  else accept_impulses(s);
}

// ---- pieces with fixed sets -----------------------------------------------------------------------------------------
double sim_fixed_force(const nsm_sim *s, int row) {
  return s->n.flow ? sim_flow_force(s, row) : sim_galerkin_force(s, row);
}

double sim_fixed_pressed(const nsm_sim *s, int friction) {
  return s->n.flow ? sim_flow_pressed(s, friction) : sim_galerkin_pressed(s, friction);
}

double sim_fixed_verify(nsm_sim *s, double t1) {
  return s->n.flow ? sim_flow_verify(s, t1) : sim_galerkin_verify(s, t1);
}

#define FORM_point .step = step_point, .accept = accept_impulses
#define FORM_kicks .kicks = 1, .analyse = sim_kicks_analyse, .step = step_kicks, .accept = accept_kicks
#define FORM_implicit .implicit = 1, .fits = sim_own_velocities, .analyse = analyse_implicit, \
                      .step = step_implicit, .impact = impact_implicit, .accept = accept_implicit
#define FORM_places .implicit = 1, .fits = sim_own_velocities, .analyse = analyse_implicit, \
                    .step = step_implicit, .accept = accept_places
#define FORM_two_point .two_point = 1, .theta = 0.5, .fits = fits_two_point, .analyse = analyse_two_point, \
                       .step = step_two_point, .euler = sim_step_consistent, .impact = sim_impact_consistent, \
                       .accept = sim_accept_consistent
#define FORM_stages .implicit = 1, .collocates = 1, .fits = sim_radau_fits, .analyse = sim_radau_analyse, \
                    .step = sim_step_radau, .euler = step_implicit, .accept = accept_radau
#define FORM_flow .implicit = 1, .flows = 1, .theta = 1, .fits = sim_flow_fits, .analyse = sim_flow_analyse, \
                  .step = step_flow, .euler = euler_flow, .impact = impact_flow, .accept = accept_flow
static const sim_scheme schemes[] = {
#define SCHEME(name, number, form, order, needs, source, closes, ...) \
  [NSM_SCHEME_##number] = { #name, FORM_##form, __VA_ARGS__ },
#include "runtime/schemes.def"
#undef SCHEME
};

const sim_scheme *sim_scheme_at(int number) {
  return number >= 0 && number < (int)(sizeof schemes / sizeof *schemes) ? &schemes[number] : NULL;
}

const sim_scheme *sim_scheme_named(const char *name) {
  for (int i = 0; sim_scheme_at(i); i++) if (strcmp(schemes[i].name, name) == 0) return &schemes[i];
  return NULL;
}
