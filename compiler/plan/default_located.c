// Are the events of an experiment located (docs/numerics/located.md) that names no scheme and does not say so? Yes,
// where it has so few contacts and laws that to find each of their events costs little, and where nothing excludes it:
// contacts of shapes, whose rows only a run knows, and laws that located runs refuse beside contacts (plan.c). Who
// names a scheme says with it whether it locates.
#include "parts.h"

enum { FEW = 40 };                       // contacts and laws

MUnlocated unlocated_by_default(const Model *m) {
  if (m->ntouch > 0) return UNLOCATED_SHAPES;
  return model_laws(m) <= FEW ? UNLOCATED_SAID : UNLOCATED_MANY;
}

bool can_be_located(Arena *a, const System *s) {
  DiagBag *unheard = diag_bag_new(a);
  refuse_beside_contacts(s, unheard);
  return diag_errors(unheard) == 0;
}
