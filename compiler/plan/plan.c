// Chooses the scheme and checks that the system has what it needs.
#include <string.h>
#include "../base/suggest.h"
#include "scheme.h"

static const char *const names[] = {
#define SCHEME(name, order, needs, source) #name,
#include "schemes.def"
#undef SCHEME
};
static const char *const planned[] = { "consistent_explicit_mass", "midpoint" };

static bool listed(const char *name, const char *const *list, size_t n) {
  for (size_t i = 0; i < n; i++) if (!strcmp(list[i], name)) return true;
  return false;
}

int scheme_status(const char *name, const char **near) {
  *near = suggest(name, names, sizeof names / sizeof *names);
  return listed(name, names, sizeof names / sizeof *names) ? 2 : listed(name, planned, sizeof planned / sizeof *planned) ? 1 : 0;
}

static void check_number(const System *s, DiagBag *bag, Ex e, const char *name, const MExpr *at) {
  if (e == EX_NONE || ex_operator(s->pool, e) != OP_NUM) return;
  double v = ex_value(s->pool, e);
  if (!(v >= 0 && v <= 1)) diag(bag, DIAG_E0604, at->span, "%s = %g is outside of [0, 1]", name, v);
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
  const char *scheme = override ? override : x->scheme ? x->scheme : "moreau";
  const char *near;
  int status = scheme_status(scheme, &near);
  if (status == 1) {
    Diag *d = diag(bag, DIAG_E0702, x->scheme && !override ? x->scheme_span : s->model->span, "the scheme '%s' is not supported yet", scheme);
    diag_help(d, "scheme = moreau(theta = 1/2)");
  } else if (status == 0) {
    Diag *d = diag(bag, DIAG_E0603, x->scheme && !override ? x->scheme_span : s->model->span, "there is no scheme '%s'", scheme);
    diag_help(d, "%s", near ? near : "schemes: moreau(theta, gamma), consistent, consistent1");
  }
  if (status != 2) return NULL;
  int before = diag_errors(bag);
  check_number(s, bag, s->theta, "theta", x->theta);
  check_number(s, bag, s->gamma, "gamma", x->gamma);
  if (s->gamma != EX_NONE && ex_is_num(s->pool, s->gamma, 0)) {
    Diag *d = diag(bag, DIAG_E0604, x->gamma->span, "gamma = 0 leaves nothing for the multipliers to act on");
    diag_help(d, "gamma = 1 (implicit) or gamma = 1/2");
  }
  bool consistent = strcmp(scheme, "moreau") != 0;
  if (consistent && !override) refuse_weights(s, scheme, bag);
  if (consistent) check_consistent(s, scheme, bag);
  if (diag_errors(bag) > before) return NULL;
  check_restitution(a, s, bag);
  return consistent ? scheme_consistent(a, s, scheme) : scheme_moreau(a, s);
}
