// What `consistent` does not take at an order above 2 (E0705), and what does: docs/numerics/galerkin.md.
#include "scheme.h"

static Diag *refuse(const SchemeDescriptor *d, Span at, const char *what, DiagBag *bag) {
  Diag *g = diag(bag, DIAG_E0705, at, "the scheme '%s' of order 4 and above does not take %s", d->name, what);
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

void check_galerkin(const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  const Model *m = s->model;
  if (m->ntouch > 0) { diag_label(refuse(d, m->touch[0].span, "contacts between shapes", bag), "one of them"); return; }
  if (m->ndelay > 0) { diag_label(refuse(d, m->delay[0].span, "delays", bag), "one of them"); return; }
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    const char *what = friction_beyond_disk(s, c);
    if (what) diag_label(refuse(d, c->span, what, bag), "%s", c->shown);
  }
}
