// What can be said only about the whole model. Requires: all statements elaborated without error.
#include <math.h>

#include "elab.h"
#include "model_print.h"

// --- every state has an equation ---

// within: x stands below a derivative
static void collect_rates(const MExpr *x, bool within, char *has, Map *seen) {
  const void *key = (const char *)x + within;
  if (!(x->uses & (within ? MU_VAR : MU_RATE)) || map_get(seen, key)) return;
  map_put(seen, key, (void *)x);
  if (x->kind == MX_VAR && (x->derivative || within)) has[x->id] = 1;
  for (int i = 0; i < x->nargs; i++) collect_rates(x->arg[i], within || x->kind == MX_RATE, has, seen);
}

// A position that was declared as a state: its rate stands in an energy.
static bool moves(const Elab *e, const MVar *v) {
  Map *seen = map_new(e->a);
  char *in = ARENA_ARRAY(e->a, char, e->var.n + 1);
  size_t id = (size_t)(v - e->var.at);
  for (size_t i = 0; i < e->energy.n; i++) collect_rates(e->energy.at[i].value, false, in, seen);
  return in[id];
}

static void check_equations(Elab *e) {
  char *has = ARENA_ARRAY(e->a, char, e->var.n + 1);
  Map *seen = map_new(e->a);
  for (size_t i = 0; i < e->equation.n; i++) {
    collect_rates(e->equation.at[i].lhs, false, has, seen);
    collect_rates(e->equation.at[i].rhs, false, has, seen);
  }
  for (size_t i = 0; i < e->var.n; i++) {
    const MVar *v = &e->var.at[i];
    if (v->kind != MV_STATE || has[i]) continue;
    Diag *d = diag(e->bag, DIAG_E0203, v->span, "missing equation for state `%s`", v->plain);
    diag_label(d, "nothing says how it changes");
    int n = (int)(v->span.hi - v->span.lo);
    const char *name = v->span.file->text + v->span.lo;
    if (moves(e, v)) diag_help(d, "what has a kinetic energy is a coordinate: coord %.*s = ...;", n, name);
    else diag_help(d, "%.*s' = ...;", n, name);
  }
}

// --- every multiplier has one relation ---

static bool differ(const MExpr *a, const MExpr *b) {
  bool numbers = true;
  for (int i = 0; i < a->nargs; i++) {
    if (a->arg[i]->kind != MX_NUM || b->arg[i]->kind != MX_NUM) numbers = false;
    else if (a->arg[i]->num != b->arg[i]->num) return true;
  }
  return !numbers;   // loop indices: not decided here
}

// 0 <= u perp w >= 0 between two multipliers determines either. The right one is taken, unless another relation has it.
static void choose_sides(Elab *e) {
  for (size_t i = 0; i < e->relation.n; i++) {
    MRelation *r = &e->relation.at[i];
    if (r->law != ML_NONNEG || r->y->kind != MX_VAR || r->y->derivative || e->var.at[r->y->id].kind != MV_MULTIPLIER)
      continue;
    bool right = false, left = false;
    for (size_t k = 0; k < e->relation.n; k++) {
      if (k == i) continue;
      right = right || mx_same(e->relation.at[k].lambda, r->lambda);
      left = left || mx_same(e->relation.at[k].lambda, r->y);
    }
    if (!right || left) continue;
    MExpr *y = r->y;
    Span at = r->y_span;
    r->y = r->lambda;
    r->y_span = r->lambda_span;
    r->lambda = y;
    r->lambda_span = at;
  }
}

static void check_multipliers(Elab *e) {
  choose_sides(e);
  for (size_t i = 0; i < e->relation.n; i++)
    for (size_t k = 0; k < i && e->relation.n < 3000; k++) {
      const MRelation *a = &e->relation.at[k], *b = &e->relation.at[i];
      if (a->lambda->id != b->lambda->id || differ(a->lambda, b->lambda)) continue;
      Diag *d = diag(e->bag, DIAG_E0206, b->lambda_span, "multiplier `%s` is tied by two relations",
                     e->var.at[b->lambda->id].plain);
      diag_label(d, "tied again by `%s`", name_shown(e->a, b->name, &b->ctx));
      diag_also(d, a->lambda_span, "tied by `%s`", name_shown(e->a, a->name, &a->ctx));
      diag_help(d, "declare a second multiplier: each relation has its own");
    }
  char *tied = ARENA_ARRAY(e->a, char, e->var.n + 1);
  for (size_t i = 0; i < e->relation.n; i++) tied[e->relation.at[i].lambda->id] = 1;
  for (size_t i = 0; i < e->var.n; i++) {
    const MVar *v = &e->var.at[i];
    if (v->kind != MV_MULTIPLIER || tied[i]) continue;
    Diag *d = diag(e->bag, DIAG_E0205, v->span, "multiplier `%s` has no relation", v->plain);
    diag_label(d, "nothing determines its value");
    int n = (int)(v->span.hi - v->span.lo);
    const char *name = v->span.file->text + v->span.lo;
    diag_help(d, "tie it to an output: relation r_%.*s: 0 <= y perp %.*s >= 0;", n, name, n, name);
  }
}

// --- names that nobody used ---

// A discrete variable that is assigned is recorded: that is a use.
static bool is_assigned(const Elab *e, const Symbol *y) {
  for (size_t i = 0; i < e->action.n; i++)
    if (e->action.at[i].on && e->action.at[i].on->id == y->id) return true;
  return false;
}

static void unused(Elab *e, const Symbol *y) {
  if (y->kind == SY_VAR && y->var_kind != MV_INPUT) {
    Diag *d = diag(e->bag, DIAG_W0801, y->span, "`%s` is never used", y->name);
    diag_label(d, "a `var` is only an abbreviation");
    diag_help(d, "to record it write `output`, or remove it");
    return;
  }
  const char *what = y->kind == SY_PARAM ? "parameter" : y->var_kind == MV_INPUT ? "input" : "discrete variable";
  Diag *d = diag(e->bag, DIAG_W0801, y->span, "the %s `%.80s` is never used", what, y->name);
  diag_label(d, "it changes nothing%s", y->nset ? ", whatever --set gives it" : "");
  diag_help(d, "use it where it is meant, or remove it");
}

static void check_unused(Elab *e) {
  for (size_t i = 0; i < e->symbols.n; i++) {
    const Symbol *y = e->symbols.at[i];
    if (y->used || y->env.scope->parent || y->env.scope == e->globals) continue;  // parts: as far as their user likes
    bool held = y->kind == SY_VARIABLE && (y->var_kind == MV_DISCRETE || y->var_kind == MV_INPUT);
    if (diag_errors(e->bag) && y->kind != SY_VAR) continue;       // what would use it may have been refused
    if (y->kind != SY_VAR && y->kind != SY_PARAM && !(held && !is_assigned(e, y))) continue;
    unused(e, y);
  }
}

// --- angles that look like degrees (W0828) ---

// 30, 45, 90, ...: as radians they would be several turns.
static bool degrees(double x) { return fabs(x) >= 10 && fabs(x) <= 3600 && fmod(x, 5) == 0; }

static void warn_degrees(Elab *e, Span at, double x, Span declared) {
  Diag *d = diag(e->bag, DIAG_W0828, at, "this angle is %g rad, which looks like degrees", x);
  if (declared.file) diag_also(d, declared, "its value");
  diag_help(d, "%g [deg] is %.4g rad", x, x * 3.14159265358979323846 / 180);
}

void note_angle(const Env *env, const Value *v) {
  Elab *e = env->e;
  const MExpr *x = v->at[0];
  double value;
  if (x->kind == MX_OP && x->op == MOP_NEG) x = x->arg[0];
  if (x->kind == MX_VAR && !x->derivative) vec_push(&e->angles, x);
  if (x->kind != MX_NUM && (x->kind != MX_PARAM || x->nargs)) return;
  if (!try_eval(e, x, false, NULL, 0, &value) || !degrees(value)) return;
  const Span nowhere = {0};
  bool param = x->kind == MX_PARAM && e->param.at[x->id].value;
  warn_degrees(e, v->span, value, param ? e->param.at[x->id].value->span : nowhere);
}

// Initial values of variables that are used as angles.
static void check_angles(Elab *e) {
  char *reported = ARENA_ARRAY(e->a, char, e->var.n + 1), *angle = ARENA_ARRAY(e->a, char, e->var.n + 1);
  for (size_t i = 0; i < e->angles.n; i++) angle[e->angles.at[i]->id] = 1;
  for (size_t i = 0; i < e->init.n; i++) {
    const MInit *m = &e->init.at[i];
    double value;
    if (m->velocity || !angle[m->on->id] || reported[m->on->id]) continue;
    if (!try_eval(e, m->value, false, NULL, 0, &value) || !degrees(value)) continue;
    reported[m->on->id] = 1;
    const Span nowhere = {0};
    warn_degrees(e, m->value->span, value, nowhere);
  }
}

void check_model(Elab *e) {
  check_angles(e);
  check_equations(e);
  check_multipliers(e);
  check_unused(e);
}
