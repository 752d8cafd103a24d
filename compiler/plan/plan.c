// Chooses the scheme and checks that the system has what it needs.
#include <string.h>
#include "../base/suggest.h"
#include "scheme.h"

static const char *const names[] = {
#define SCHEME(name, order, needs, source) #name,
#include "schemes.def"
#undef SCHEME
};

bool scheme_known(const char *name, const char **near) {
  size_t n = sizeof names / sizeof *names;
  *near = suggest(name, names, (int)n);
  for (size_t i = 0; i < n; i++) {
    if (!strcmp(names[i], name)) return true;
    if (!*near && !strncasecmp(names[i], name, strlen(names[i]))) *near = names[i];   // moreau_jean, MoreauJeanOSI
  }
  return false;
}

static void check_number(const System *s, DiagBag *bag, Ex e, const char *name, const MExpr *at) {
  if (e == EX_NONE || ex_operator(s->pool, e) != OP_NUM) return;
  double v = ex_value(s->pool, e);
  if (v >= 0 && v <= 1) return;
  Diag *d = diag(bag, DIAG_E0604, at->span, "%s = %g is outside of [0, 1]", name, v);
  diag_help(d, "%s", !strcmp(name, "theta") ? "theta = 1/2 (second order) or theta = 1 (implicit)"
                                            : "gamma = 1 (implicit) or gamma = 1/2");
}

// theta and gamma of a scheme that has none.
static void refuse_weights(const System *s, const char *scheme, DiagBag *bag) {
  const MExpr *given[] = { s->model->sim.theta, s->model->sim.gamma };
  for (int i = 0; i < 2; i++) {
    if (!given[i]) continue;
    Diag *d = diag(bag, DIAG_E0604, given[i]->span, "the scheme '%s' has no %s", scheme, i ? "gamma" : "theta");
    diag_help(d, "scheme = %s", scheme);
  }
}

const Plan *make_plan(Arena *a, const System *s, const char *override, DiagBag *bag) {
  const MExperiment *x = &s->model->sim;
  const char *scheme = override ? override : x->scheme ? x->scheme : default_scheme(a, s);
  const char *near;
  if (!scheme_known(scheme, &near)) {
    Diag *d = diag(bag, DIAG_E0603, x->scheme && !override ? x->scheme_span : s->model->span, "there is no scheme '%s'",
                   scheme);
    if (near) diag_help(d, "did you mean `%s`?", near);
    else diag_help(d, "schemes: moreau(theta, gamma), midpoint, consistent, consistent1, consistent_explicit_mass");
    return NULL;
  }
  int before = diag_errors(bag);
  check_number(s, bag, s->theta, "theta", x->theta);
  check_number(s, bag, s->gamma, "gamma", x->gamma);
  if (s->gamma != EX_NONE && ex_is_num(s->pool, s->gamma, 0)) {
    Diag *d = diag(bag, DIAG_E0604, x->gamma->span, "gamma = 0 leaves nothing for the multipliers to act on");
    diag_help(d, "gamma = 1 (implicit) or gamma = 1/2");
  }
  bool moreau = !strcmp(scheme, "moreau"), midpoint = !strcmp(scheme, "midpoint");
  if (!moreau && !override) refuse_weights(s, scheme, bag);
  if (midpoint) check_midpoint(a, s, bag);
  else if (!moreau) check_consistent(a, s, scheme, bag);
  if (diag_errors(bag) > before) return NULL;
  return moreau ? scheme_moreau(a, s) : midpoint ? scheme_midpoint(a, s) : scheme_consistent(a, s, scheme);
}
