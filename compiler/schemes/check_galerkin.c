// What `consistent` does not take at an order above 2 (E0705), and what does: docs/numerics/galerkin.md.
#include "scheme.h"

static Diag *refuse(const SchemeDescriptor *d, Span at, const char *what, const char *why, DiagBag *bag) {
  Diag *g = diag(bag, DIAG_E0705, at, "the scheme '%s' of order 4 and above does not take %s", d->name, what);
  diag_note(g, "%s", why);
  diag_help(g, "scheme = %s(located = true), which is of order 2", d->name);
  return g;
}

static bool is_disk(MFrictionLaw law) {
  static const MFrictionLaw known[] = { MF_COULOMB, MF_ELLIPTIC, MF_CONTENSOU, MF_GIVEN, MF_GRIP, MF_GRIP2, MF_GRIP3 };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) if (law == known[i]) return true;
  return false;
}

// Coefficients are those of an instant, whose forces are not known before them.
static const char *by_forces(const System *s, const SysClass *c) {
  const Ex by[] = { c->mu, c->mu2, c->radius };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < c->nslot && by[i] != EX_NONE; k++)
      if (c->slot[k].kind == SLOT_L && ex_depends(s->pool, by[i], c->slot[k].value))
        return "a coefficient of friction that depends on forces";
  return NULL;
}

const char *friction_beyond_disk(const System *s, const SysClass *c) {
  if (c->kind != CLASS_FRICTION || c->direction != 0) return NULL;
  return is_disk(c->friction) ? by_forces(s, c) : "this law of friction";
}

// The two disks of rolling friction slide each for itself.
static const char *friction_beyond_disks(const System *s, const SysClass *c) {
  bool rolls = c->kind == CLASS_FRICTION && c->direction == 0 && c->friction == MF_ROLLING;
  return rolls ? by_forces(s, c) : friction_beyond_disk(s, c);
}

static const char of_shapes[] = "their features are those of the begin of a step: where others take their place within "
                                "it the gap has a kink",
                  of_friction[] = "its force at an instant is solved for as that of disks, whose radius goes with the "
                                  "normal force alone";

void check_galerkin(const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  const Model *m = s->model;
  if (m->ntouch > 0) {
    no_formulas(m, &m->touch[0], refuse(d, m->touch[0].span, "contacts between shapes", of_shapes, bag));
    return;
  }
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    const char *what = friction_beyond_disks(s, c);
    if (what) diag_label(refuse(d, c->span, what, of_friction, bag), "%s", c->shown);
  }
}
