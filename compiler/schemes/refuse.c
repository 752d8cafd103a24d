// What schemes of mechanics refuse, in one wording (E0705).
#include "scheme.h"

// What takes the model: of states, relations and networks alone their default.
static const char *instead(const System *s) {
  const Model *m = s->model;
  bool moves = m->ncontact > 0 || m->nconstraint > 0 || m->nbody > 0;
  for (int i = 0; i < m->nvar; i++) moves |= m->var[i].kind == MV_COORD;
  return moves ? "moreau(theta = 1/2)" : "radau";
}

Diag *refuse_in_scheme(const System *s, const SchemeDescriptor *d, Span at, const char *what, DiagBag *bag) {
  Diag *g = diag(bag, DIAG_E0705, at, "the scheme '%s' does not take %s", d->name, what);
  diag_help(g, "scheme = %s", instead(s));
  return g;
}

void no_formulas(const Model *m, const MTouch *t, Diag *d) {
  diag_label(d, "`%s` is one", t->name);
  if (m->no_formulas) diag_also(d, m->no_formulas_at, "%s", m->no_formulas);
}

// First-order states, and the unknowns of a circuit that elimination leaves: they have rows of the same system.
bool refuse_states(const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  int before = diag_errors(bag);
  for (int i = 0; i < s->model->nvar; i++) {
    const MVar *v = &s->model->var[i];
    if (v->kind != MV_STATE) continue;
    const char *what = v->algebraic ? "algebraic unknowns that are left" : "first-order states";
    Diag *g = refuse_in_scheme(s, d, v->span, what, bag);
    if (v->algebraic) diag_label(g, "`%s` is left: its equations are not solved when compiling", v->plain);
    else diag_label(g, "`%s` is one", v->plain);
  }
  return diag_errors(bag) > before;
}
