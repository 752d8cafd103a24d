// What `event_driven` does not take (E0705), and what does: docs/numerics/event_driven.md.
#include "scheme.h"

static Diag *refuse(const SchemeDescriptor *d, Span at, const char *what, const char *instead, DiagBag *bag) {
  Diag *g = diag(bag, DIAG_E0705, at, "the scheme '%s' does not take %s", d->name, what);
  diag_help(g, "scheme = %s", instead);
  return g;
}

// `consistent` has no first-order states; `moreau` takes everything.
static const char *instead(const Model *m) {
  for (int i = 0; i < m->nvar; i++)
    if (m->var[i].kind == MV_STATE) return "moreau(theta = 1/2, located = true)";
  return "consistent(located = true)";
}

void check_event_driven(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  const Model *m = s->model;
  (void)a;
  if (m->ntouch > 0)
    no_formulas(m, &m->touch[0], refuse(d, m->touch[0].span, "contacts between shapes", instead(m), bag));
  if (m->ndelay > 0) diag_label(refuse(d, m->delay[0].span, "delays", "moreau(theta = 1/2)", bag), "one of them");
  for (int i = 0; i < m->nvar; i++) {
    const MVar *v = &m->var[i];
    if (v->kind != MV_STATE || !v->algebraic) continue;
    Diag *g = refuse(d, v->span, "algebraic unknowns that are left", "radau", bag);
    diag_label(g, "`%s` is left: its equations are not solved when compiling", v->plain);
  }
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    const char *what = friction_beyond_disk(s, c);
    if (what) diag_label(refuse(d, c->span, what, instead(m), bag), "%s", c->shown);
  }
}
