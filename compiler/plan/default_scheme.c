// The scheme of an experiment that names none. A mechanical system gets `consistent`, with one exception: where all
// rows are affine and the mass is constant, Moreau's theta = 1/2 rule keeps the energy of the smooth motion exactly too
// (not with bodies, whose turns are not affine), costs a third and is what others compute. Where `consistent` refuses
// something, first-order states and relations above all, such a system falls back to moreau, and a note says why
// (N0706).
//
// A system without velocities gets `radau`, of order 5 through its events, where it is so small that to locate each of
// them costs little: thousands of laws that change one after another are better captured by moreau. That is decided
// before the system is derived, as events are located by it.
#include "parts.h"

enum { SMALL = 400 };                    // states, unknowns and multipliers

const SchemeDescriptor *default_without_velocities(const Model *m) {
  if (m->ncontact > 0 || m->nconstraint > 0 || m->nbody > 0 || m->ntouch > 0) return NULL;
  for (int i = 0; i < m->nvar; i++) {
    const MVar *v = &m->var[i];
    if (v->kind == MV_COORD || v->kind == MV_POSITION || v->kind == MV_ROW) return NULL;
  }
  double unknowns = model_unknowns(m);  // a network of resistances and diodes has no states
  return unknowns > 0 && unknowns <= SMALL ? &schemes[SCHEME_RADAU] : NULL;
}

static bool has_inertia(const System *s) {
  for (int i = 0; i < s->ncls; i++) if (s->cls[i].kinetic != EX_NONE) return true;
  return false;
}

// Their law has a kink, at which theta = 1/2 does not keep the energy; consistent takes them as potentials.
static bool has_compliant_contacts(const System *s) {
  for (int i = 0; i < s->ncls; i++) if (s->cls[i].compliant) return true;
  return false;
}

static bool is_linear(const System *s) {
  for (int i = 0; i < s->ncls; i++)
    for (int k = 0; k < s->cls[i].mass.n; k++) if (stage_of(s, s->cls[i].mass.at[k].value) > STAGE_CONST) return false;
  return s->affine;
}

// The first of what `consistent` refuses.
static void say_why(DiagBag *refused, DiagBag *bag) {
  DiagText *why;
  int n = diag_list(refused, &why), first = 0;
  while (first < n - 1 && why[first].severity != SEV_ERROR) first++;
  Diag *d = diag(bag, DIAG_N0706, why[first].at,
                 "`moreau` steps this model, which does not keep its energy to round-off");
  diag_label(d, "%s", why[first].label);
  diag_note(d, "%s; it is the default of mechanical models", why[first].headline);
  diag_help(d, "to say that this is meant: scheme = moreau(theta = 1/2)");
}

const SchemeDescriptor *default_scheme(Arena *a, const System *s, DiagBag *bag) {
  bool shapes = s->model->nbody > 0 || s->model->ntouch > 0;
  bool short_way = is_linear(s) && !has_compliant_contacts(s) && !shapes;
  if (!has_inertia(s) || short_way) return &schemes[SCHEME_MOREAU];
  DiagBag *unheard = diag_bag_new(a);
  check_consistent(a, s, &schemes[SCHEME_CONSISTENT], unheard);
  if (!diag_errors(unheard)) return &schemes[SCHEME_CONSISTENT];
  say_why(unheard, bag);
  return &schemes[SCHEME_MOREAU];
}
