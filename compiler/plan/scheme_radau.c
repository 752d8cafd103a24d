// Radau IIA takes f, g, y, their derivatives and M at its stages (docs/numerics/radau.md), and a step of implicit Euler
// where sets are looked for: the kernels of moreau with theta = gamma = 1. Velocities it has no equation for (E0705).
#include "scheme.h"

const Plan *scheme_radau(Arena *a, const System *s, const SchemeDescriptor *d) {
  Plan *p = (Plan *)scheme_moreau(a, s, d);
  p->theta = p->gamma = 1;
  return p;
}

void check_radau(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  (void)a;
  for (int i = 0; i < s->model->nvar; i++) {
    const MVar *v = &s->model->var[i];
    if (v->kind != MV_COORD) continue;
    diag_label(refuse_in_scheme(d, v->span, "coordinates with velocities", bag), "`%s` is one", v->plain);
    return;                                                // contacts and constraints are about them
  }
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT || c->kind == CLASS_FRICTION)
      diag_label(refuse_in_scheme(d, c->span, "contacts, constraints and friction", bag), "%s", c->shown);
  }
}
