// What `consistent` does not take at an order above 2 (E0705), and what does: docs/numerics/galerkin.md.
#include "scheme.h"

static Diag *refuse(const SchemeDescriptor *d, Span at, const char *what, const char *why, DiagBag *bag) {
  Diag *g = diag(bag, DIAG_E0705, at, "the scheme '%s' of order 4 and above does not take %s", d->name, what);
  diag_note(g, "%s", why);
  diag_help(g, "scheme = %s(located = true), which is of order 2", d->name);
  return g;
}

const char *friction_beyond_disk(const System *s, const SysClass *c) {
  static const MFrictionLaw known[] = { MF_COULOMB, MF_ELLIPTIC, MF_CONTENSOU, MF_GIVEN, MF_GRIP, MF_GRIP2, MF_GRIP3 };
  bool any = false;
  if (c->kind != CLASS_FRICTION || c->direction != 0) return NULL;
  if (friction_moves(s, c)) return "a coefficient of friction that moves";
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) any |= c->friction == known[i];
  return any ? NULL : "this law of friction";
}

static const char of_shapes[] = "their features are those of the begin of a step: where others take their place within "
                                "it the gap has a kink",
                  of_delays[] = "what is remembered is linear between steps, of second order",
                  of_friction[] = "its force at an instant is solved for as that of one disk, whose radius goes with "
                                  "the normal force alone";

void check_galerkin(const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  const Model *m = s->model;
  if (m->ntouch > 0) {
    diag_label(refuse(d, m->touch[0].span, "contacts between shapes", of_shapes, bag), "one of them");
    return;
  }
  if (m->ndelay > 0) {
    diag_label(refuse(d, m->delay[0].span, "delays", of_delays, bag), "one of them");
    return;
  }
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    const char *what = friction_beyond_disk(s, c);
    if (what) diag_label(refuse(d, c->span, what, of_friction, bag), "%s", c->shown);
  }
}
