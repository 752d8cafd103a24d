// The table of the schemes, by NSM_SCHEME_*. When adding one: nsm_abi.h, compiler/plan/schemes.def, docs/adding.md.
#include "schemes.h"
#include <string.h>

static nsm_code step_moreau(nsm_sim *s, double t1, nsm_error *e) {
  return s->a->linear ? sim_step_linear(s, t1, e) : sim_step_newton(s, t1, e);
}

// What impulses did, for the books, for the next step and for the summary.
static void accept_impulses(nsm_sim *s) {
  if (s->now.ledger.on) sim_ledger_impulses(s);
  if (s->a->on.contact.n > 0) sim_hold(s);
  if (s->n.isl.nactive > 0) sim_count_impacts(s);
}

static const sim_scheme schemes[] = {
  [NSM_SCHEME_MOREAU] = { .name = "moreau", .weights = 1, .analyse = sim_newton_analyse, .step = step_moreau,
                          .accept = accept_impulses },
  [NSM_SCHEME_MIDPOINT] = { .name = "midpoint", .at_middle = 1, .theta = 0, .fits = sim_midpoint_fits,
                            .step = sim_step_midpoint, .accept = accept_impulses },
  [NSM_SCHEME_CONSISTENT] = { .name = "consistent", .two_point = 1, .theta = 0.5, .fits = sim_consistent_fits,
                              .analyse = sim_consistent_analyse, .step = sim_step_consistent,
                              .accept = sim_accept_consistent },
  [NSM_SCHEME_CONSISTENT1] = { .name = "consistent1", .two_point = 1, .one_step = 1, .theta = 0.5,
                               .fits = sim_consistent_fits, .analyse = sim_consistent_analyse,
                               .step = sim_step_consistent, .accept = sim_accept_consistent },
  [NSM_SCHEME_CONSISTENT_EXPLICIT_MASS] = { .name = "consistent_explicit_mass", .two_point = 1, .mass_at_begin = 1,
                                            .theta = 0.5, .fits = sim_consistent_fits,
                                            .analyse = sim_consistent_analyse, .step = sim_step_consistent,
                                            .accept = sim_accept_consistent }
};

const sim_scheme *sim_scheme_at(int number) {
  return number >= 0 && number < (int)(sizeof schemes / sizeof *schemes) ? &schemes[number] : NULL;
}

const sim_scheme *sim_scheme_named(const char *name) {
  for (int i = 0; sim_scheme_at(i); i++) if (strcmp(schemes[i].name, name) == 0) return &schemes[i];
  return NULL;
}
