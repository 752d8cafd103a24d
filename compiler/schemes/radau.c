// What Radau IIA cannot step is refused, statement by statement (E0705): it has equations for first-order states,
// networks and relations, and none for velocities (docs/numerics/radau.md).
#include "scheme.h"

void check_radau(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  (void)a;
  for (int i = 0; i < s->model->nvar; i++) {
    const MVar *v = &s->model->var[i];
    if (v->kind != MV_COORD) continue;
    diag_label(refuse_in_scheme(s, d, v->span, "coordinates with velocities", bag), "`%s` is one", v->plain);
    return;                                                // contacts and constraints are about them
  }
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT || c->kind == CLASS_FRICTION)
      diag_label(refuse_in_scheme(s, d, c->span, "contacts, constraints and friction", bag), "%s", c->shown);
  }
}
