// Chooses the scheme and checks that the system has what it needs.
#include <math.h>
#include <string.h>
#include "parts.h"

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

static void refuse_stages(const System *s, const char *scheme, DiagBag *bag) {
  Diag *d = diag(bag, DIAG_E0604, s->model->sim.stages_span, "the scheme '%s' has no stages", scheme);
  diag_help(d, "scheme = radau(stages = %d)", s->model->sim.stages);
}

static void refuse_tolerances(const System *s, const char *scheme, DiagBag *bag) {
  Diag *d = diag(bag, DIAG_E0604, s->model->sim.rtol_span, "the scheme '%s' has no rtol and no atol", scheme);
  diag_help(d, "scheme = event_driven(rtol = 1e-9)");
}

static void refuse_unlocated(const System *s, const char *scheme, DiagBag *bag) {
  Diag *d = diag(bag, DIAG_E0604, s->model->sim.located_span, "the scheme '%s' goes from event to event", scheme);
  diag_label(d, "so it cannot be had without location");
  diag_help(d, "scheme = %s", scheme);
}

static void refuse_order(const System *s, const char *scheme, DiagBag *bag) {
  Diag *d = diag(bag, DIAG_E0604, s->model->sim.order_span, "the scheme '%s' has no order to choose", scheme);
  diag_help(d, "scheme = consistent(order = %d)", s->model->sim.order);
}

static void refuse_projection(const System *s, const SchemeDescriptor *scheme, DiagBag *bag) {
  const MExperiment *x = &s->model->sim;
  bool located = x->located > 0 && scheme->projects;
  Span at = x->projection_span.file ? x->projection_span : x->scheme ? x->scheme_span : s->model->span;
  Diag *d = diag(bag, DIAG_E0604, at, located ? "the scheme '%s' projects or locates, and not both"
                                                              : "the scheme '%s' has no projection", scheme->name);
  diag_help(d, located ? "leave `located` or `projection` out" : "scheme = moreau(projection = true)");
}

// Of contacts of shapes the pair of features is that of the begin of the step: its gap elsewhere is not theirs.
static void refuse_projected_shapes(const System *s, DiagBag *bag) {
  Diag *d = diag(bag, DIAG_E0705, s->model->touch[0].span, "the projection does not take contacts between shapes");
  no_formulas(s->model, &s->model->touch[0], d);
  diag_help(d, "leave `projection` out, or write the gap as a formula");
}

// Events are located by some schemes alone.
static void refuse_located(const System *s, const char *scheme, DiagBag *bag) {
  Diag *d = diag(bag, DIAG_E0604, s->model->sim.located_span, "the scheme '%s' does not locate events", scheme);
  Text list = {0};
  for (int i = 0; i < SCHEME_COUNT; i++)
    if (schemes[i].located && !schemes[i].flows)
      text_printf(&list, "%s%s(located = true)", list.n ? " or " : "", schemes[i].name);
  diag_help(d, "scheme = %s", text_str(&list));
  text_free(&list);
}

// Impacts ask for velocities that impulses move; unknowns without inertia have none, and a one-sided law about
// velocities would take part in them.
void refuse_beside_contacts(const System *s, DiagBag *bag) {
  const SysClass *contact = NULL;
  for (int i = 0; i < s->ncls && !contact; i++)
    if (s->cls[i].kind == CLASS_CONTACT) contact = &s->cls[i];
  if (!contact && !s->model->ntouch) return;
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    bool moves = false, at_once = false, bounded = c->row_type == 1 && c->lo != EX_NONE && c->hi != EX_NONE &&
        !ex_is_num(s->pool, c->lo, -INFINITY) && !ex_is_num(s->pool, c->hi, INFINITY);
    for (int e = 0; e < c->h.n && c->kind == CLASS_RELATION; e++) {
      moves |= c->h.at[e].wrt == WRT_V;
      at_once |= c->h.at[e].wrt == WRT_L;
    }
    bool acts = moves && !at_once && !bounded, free_row = c->row_type == 2;
    if (!c->at_end && !acts) continue;
    Diag *d = diag(bag, DIAG_E0705, c->span, "events are not located in a model with %s",
                   c->at_end  ? "unknowns without inertia beside contacts"
                   : free_row ? "a law about velocities without bounds beside contacts"
                              : "a one-sided law about velocities beside contacts");
    diag_label(d, c->at_end ? "has no inertia" : "would take part in every impact");
    if (contact) diag_also(d, contact->span, "a contact");
    diag_help(d, c->at_end  ? "leave `located` out, or solve the equation for its unknown by hand"
                 : free_row ? "leave `located` out, or write it as a constraint"
                            : "leave `located` out, or give the law two bounds, as u in -K*sgn(v)");
    return;
  }
}

static const SchemeDescriptor *unknown(const System *s, const char *name, bool own, const char *near, DiagBag *bag) {
  Diag *d = diag(bag, DIAG_E0603, own ? s->model->sim.scheme_span : s->model->span, "there is no scheme '%s'", name);
  if (near) { diag_mean(d, near); return NULL; }
  Text list = {0};
  for (int i = 0; i < SCHEME_COUNT; i++)
    text_printf(&list, "%s%s%s", i ? ", " : "", schemes[i].name, schemes[i].weights ? "(theta, gamma)" : "");
  diag_help(d, "leave it out, and the compiler chooses; schemes: %s", text_str(&list));
  text_free(&list);
  return NULL;
}

static const SchemeDescriptor *choose(Arena *a, const System *s, const char *override, DiagBag *bag) {
  const char *own = s->model->sim.scheme, *name = override ? override : own, *near;
  if (!name) return default_scheme(a, s, bag);
  const SchemeDescriptor *d = scheme_named(name, &near);
  return d ? d : unknown(s, name, own && !override, near, bag);
}

const Plan *make_plan(Arena *a, const System *s, const char *override, DiagBag *bag) {
  const MExperiment *x = &s->model->sim;
  const SchemeDescriptor *scheme = choose(a, s, override, bag);
  if (!scheme) return NULL;
  int before = diag_errors(bag);
  check_number(s, bag, s->theta, "theta", x->theta);
  check_number(s, bag, s->gamma, "gamma", x->gamma);
  if (s->gamma != EX_NONE && ex_is_num(s->pool, s->gamma, 0)) {
    Diag *d = diag(bag, DIAG_E0604, x->gamma->span, "gamma = 0 leaves nothing for the multipliers to act on");
    diag_help(d, "gamma = 1 (implicit) or gamma = 1/2");
  }
  if (!scheme->weights && !override) refuse_weights(s, scheme->name, bag);
  if (x->stages && !scheme->collocates && !override) refuse_stages(s, scheme->name, bag);
  if ((x->rtol || x->atol) && !scheme->flows && !override) refuse_tolerances(s, scheme->name, bag);
  if (scheme->flows && x->located < 0) refuse_unlocated(s, scheme->name, bag);
  bool ordered = x->order > 0 && scheme->two_point && scheme->located;
  if (x->order && !ordered && !override) refuse_order(s, scheme->name, bag);
  int degree = ordered ? x->order / 2 : 1;
  bool projects = x->projection && (scheme->projects || !override);
  if (projects && (!scheme->projects || x->located > 0)) refuse_projection(s, scheme, bag);
  else if (projects && s->model->ntouch > 0) refuse_projected_shapes(s, bag);
  if (x->located > 0 && !scheme->located && !override && x->located_span.file) refuse_located(s, scheme->name, bag);
  else if (x->located > 0 && scheme->located) refuse_beside_contacts(s, bag);
  if (scheme->equations && !scheme->two_point) check_form(a, s, scheme, bag);
  if (scheme->check) scheme->check(a, s, scheme, bag);
  if (degree > 1) check_galerkin(s, scheme, bag);
  if (diag_errors(bag) > before) return NULL;
  return scheme->two_point   ? scheme_consistent(a, s, scheme, degree)
         : scheme->equations ? scheme_equations(a, s, scheme, scheme->equations)
                             : scheme_radau(a, s, scheme);
}
