// Where a law of impact means nothing (E0418): beside another law, beside what takes part in impacts without being a
// contact, and with numbers that none of its terms allows. Newton's law takes all of this.
#include "parts.h"

static Diag *wrong(const Check *k, Span at, const char *what) {
  return diag(k->bag, DIAG_E0418, at, "%s", what);
}

// --- one law for all contacts ---

typedef struct Laws { MImpactLaw law; Span at; } Laws;

static void beside(const Check *k, Laws *first, MImpactLaw law, Span at) {
  if (law == MI_ANY || (first->at.file && law == first->law)) return;
  if (!first->at.file) { *first = (Laws){ law, at }; return; }
  Diag *d = wrong(k, at, "contacts of one model have one law of impact");
  diag_label(d, "%s", impact_law_row(law)->word);
  diag_also(d, first->at, "%s here", impact_law_row(first->law)->word);
  diag_note(d, "an impact at several contacts is one problem, whose law is that of all of them");
  diag_help(d, "give all contacts one law, with coefficients of their own; inelastic and elastic go with each");
}

static void one_law(const Check *k) {
  const Model *m = k->s->model;
  Laws first = { MI_ANY, { 0 } };
  for (int i = 0; i < m->ncontact; i++)
    if (m->contact[i].has_impact_law) beside(k, &first, m->contact[i].impact, m->contact[i].law_span);
  for (int i = 0; i < m->ntouch; i++) beside(k, &first, m->touch[i].impact, m->touch[i].law_span);
}

// --- what else takes part ---

static void others(const Check *k, MImpactLaw law) {
  const char *word = impact_law_row(law)->word;
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    const char *what = NULL;
    bool velocities = false;
    for (int j = 0; j < c->h.n; j++) velocities |= c->h.at[j].wrt == WRT_V;
    if (c->kind == CLASS_FRICTION && c->normal >= 0 && k->s->cls[c->normal].kind == CLASS_CONSTRAINT)
      what = "friction on a constraint takes part in impacts";
    if (c->kind == CLASS_RELATION && c->row_type == 0 && velocities)
      what = "a one-sided relation of velocities takes part in impacts";
    if (law == MI_LZB && c->kind == CLASS_FRICTION && c->normal >= 0 && c->friction != MF_COULOMB &&
        c->direction == 0 && k->s->cls[c->normal].kind == CLASS_CONTACT)
      what = "this friction is not Coulomb's";
    if (!what) continue;
    Diag *d = wrong(k, c->span, what);
    diag_note(d, "%s is a law of contacts alone%s", word, law == MI_LZB ? ", with Coulomb's friction" : "");
    diag_help(d, "with newton(e)");
  }
  const Model *m = k->s->model;
  for (int i = 0; law == MI_LZB && i < m->ntouch; i++) {
    if (m->touch[i].friction == MF_NONE || m->touch[i].friction == MF_COULOMB) continue;
    Diag *d = wrong(k, m->touch[i].law_span, "this friction is not Coulomb's");
    diag_help(d, "with newton(e), or %s with coulomb(mu)", word);
  }
}

// --- numbers ---

typedef struct Number { Ex e; const char *what; double least, most; bool told; Span at; } Number;

static void inside(const Check *k, Number *n, double v) {
  if (n->told || !(v < n->least || v > n->most)) return;
  n->told = true;
  Diag *d = diag(k->bag, DIAG_E0418, n->at, "a %s of %g has no meaning in this law", n->what, v);
  const char *with = parameters_text(k, &n->e, 1);
  if (with) diag_label(d, "with %s", with);
  if (n->most < 2) diag_help(d, "it lies between %g and %g", n->least, n->most);
  else diag_help(d, "it is at least %g", n->least);
}

static void of_instance(Check *k, const SysClass *c, void *ctx) {
  Number *n = ctx;
  (void)c;
  inside(k, n, value_of(k->s, n->e, k->loop, 8));
}

enum { NUMBERS = 3 };
static const Number bounds[NUMBERS] = { { .what = "restitution", .least = 0, .most = 1 },
                                        { .what = "ratio of stiffnesses", .least = 1e-6, .most = 1e6 },
                                        { .what = "exponent", .least = 1, .most = 10 } };

static void numbers(Check *k) {
  const Model *m = k->s->model;
  for (int i = 0; i < k->s->ncls; i++) {
    const SysClass *c = &k->s->cls[i];
    if (c->kind != CLASS_CONTACT) continue;
    const Ex e[NUMBERS] = { c->e, c->ratio, c->exponent };
    for (int j = 0; j < NUMBERS; j++) {
      Number n = bounds[j];
      n.e = e[j];
      n.at = c->law_span;
      if (n.e != EX_NONE) every_instance(k, c, of_instance, &n);
    }
  }
  static const int which[NUMBERS] = { ML_E, ML_RATIO, ML_EXPONENT };
  for (int i = 0; i < m->ntouch; i++) {
    const SysTouch *t = &k->s->touch[i];
    int pairs = t->of->by_material ? (m->nmaterial + 1)*(m->nmaterial + 1) : 1;
    for (int j = 0; j < NUMBERS; j++) {
      Number n = bounds[j];
      n.at = t->of->law_span;
      for (int p = 0; p < pairs; p++)
        if ((n.e = t->law[p][which[j]]) != EX_NONE) inside(k, &n, value_of(k->s, n.e, NULL, 0));
    }
  }
}

void check_impact_laws(Check *k) {
  MImpactLaw law = model_impact(k->s->model);
  if (law == MI_NEWTON) return;
  one_law(k);
  others(k, law);
  numbers(k);
}
