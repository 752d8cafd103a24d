// The scheme of an experiment that names none. A mechanical system gets `consistent`, with one exception: where all
// rows are affine and the mass is constant, Moreau's theta = 1/2 rule keeps the energy of the smooth motion exactly
// too (not with bodies, whose turns are not affine), costs a third and is what others compute. First-order states,
// relations and what `consistent` refuses get moreau as well.
#include "scheme.h"

static bool is_mechanical(const System *s) {
  bool inertia = false;
  for (int i = 0; i < s->model->nvar; i++) if (s->model->var[i].kind == MV_STATE) return false;
  for (int i = 0; i < s->ncls; i++) {
    if (s->cls[i].kind == CLASS_RELATION && !s->cls[i].compliant) return false;
    inertia |= s->cls[i].kinetic != EX_NONE;
  }
  return inertia;
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

const SchemeDescriptor *default_scheme(Arena *a, const System *s) {
  bool shapes = s->model->nbody > 0 || s->model->ntouch > 0;
  bool short_way = is_linear(s) && !has_compliant_contacts(s) && !shapes;
  if (!is_mechanical(s) || short_way) return &schemes[SCHEME_MOREAU];
  DiagBag *unheard = diag_bag_new(a);
  check_consistent(a, s, &schemes[SCHEME_CONSISTENT], unheard);
  return &schemes[diag_errors(unheard) ? SCHEME_MOREAU : SCHEME_CONSISTENT];
}
