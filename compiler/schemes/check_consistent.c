// What the energy-consistent schemes cannot step is refused, statement by statement (E0705); where there is no energy
// to keep, the user is told what still holds (W0820).
#include <math.h>
#include <string.h>
#include "compliant.h"
#include "scheme.h"

typedef struct Check { Arena *arena; const System *s; const SchemeDescriptor *scheme; DiagBag *bag; } Check;

static Diag *refuse(const Check *k, Span at, const char *what) {
  return refuse_in_scheme(k->scheme, at, what, k->bag);
}

// Is e zero where all velocities are?
static bool all_at_rest(const Check *k, const SysClass *c, Ex *e, int n) {
  Pool *p = k->s->pool;
  int *rate = ARENA_ARRAY(k->arena, int, c->nslot + 1), moving = 0;
  Ex *zero = ARENA_ARRAY(k->arena, Ex, c->nslot + 1);
  for (int i = 0; i < c->nslot; i++)
    if (c->slot[i].rate >= 0) {
      rate[moving] = c->slot[i].rate;
      zero[moving++] = ex_num(p, 0);
    }
  ex_subst_all(p, e, n, rate, zero, moving);
  for (int i = 0; i < n; i++)
    if (!ex_is_num(p, ex_expand(p, e[i]), 0)) return false;
  return true;
}

static bool at_rest(const Check *k, const SysClass *c, Ex e) { return all_at_rest(k, c, &e, 1); }

// T must be a quadratic form: no part of degree 0 or 1 in the velocities, and no time.
static void kinetic(const Check *k, const SysClass *c) {
  Pool *p = k->s->pool;
  if (moves_in_time(k->s, c->kinetic)) {
    refuse(k, c->span, "a kinetic energy that depends on time");
    return;
  }
  int *rate = ARENA_ARRAY(k->arena, int, c->nslot + 1);
  Ex *momentum = ARENA_ARRAY(k->arena, Ex, c->nslot + 1);
  int n = 0;
  for (int i = 0; i < c->nslot; i++) if (c->slot[i].rate >= 0) rate[n++] = c->slot[i].rate;
  ex_gradient(p, c->kinetic, rate, n, momentum);
  if (at_rest(k, c, c->kinetic) && all_at_rest(k, c, momentum, n)) return;
  Diag *d = refuse(k, c->span, "a kinetic energy with terms that are not of second degree in the velocities");
  diag_note(d, "terms free of velocities belong in a potential, with the opposite sign");
}

static void row(const Check *k, const SysClass *c) {
  const char *name = c->shown;
  if (c->velocity_level && (moves_in_time(k->s, c->y) || !at_rest(k, c, c->y))) {
    Diag *d = refuse(k, c->span, "a constraint that prescribes a velocity");
    diag_label(d, "%s", name);
    diag_note(d, "a drive supplies energy; what the scheme keeps is a constraint that all velocities at zero meet");
  } else if (!c->velocity_level && moves_in_time(k->s, c->y))
    diag_label(
        refuse(k, c->span,
               c->kind == CLASS_CONTACT ? "a gap that changes with time" : "a constraint that changes with time"),
        "%s", name);
}

static void elastic(const Check *k, const SysClass *c) {
  if (model_impact(k->s->model) != MI_NEWTON) {
    Diag *d = diag(k->bag, DIAG_E0705, c->law_span, "the scheme '%s' has no impacts", k->scheme->name);
    diag_label(d, "so it takes newton(1) alone");
    diag_help(d, "scheme = consistent, or: with newton(1)");
    return;
  }
  double e = c->e == EX_NONE ? 0 : value_of(k->s, c->e, NULL, 0);
  if (e == 1 || isnan(e)) return;
  Diag *d = diag(k->bag, DIAG_E0705, c->span, "the scheme '%s' takes elastic contacts only", k->scheme->name);
  diag_label(d, "%s has restitution %g", c->shown, e);
  diag_help(d, "scheme = consistent, or: with newton(1)");
}

static void touch(const Check *k, const MTouch *t) {
  if (k->scheme->one_step) diag_label(refuse(k, t->span, "contacts between shapes"), "`%s` is one", t->name);
}

static void no_energy(const Check *k) {
  const System *s = k->s;
  const SysClass *force = NULL;
  bool potential = false;
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind != CLASS_SMOOTH) continue;
    potential |= c->potential != EX_NONE;
    if (c->kinetic == EX_NONE && c->potential == EX_NONE && c->dissipation == EX_NONE && !force) force = c;
    if (c->potential == EX_NONE || !moves_in_time(s, c->potential)) continue;
    Diag *d = diag(k->bag, DIAG_W0820, c->span, "the potential changes with time, so the energy is not constant");
    diag_note(
        d,
        "within each step it is taken at the middle: the energy changes by what its change in time supplies (`forces` "
        "in the ledger)");
  }
  if (!force || potential) return;
  Diag *d = diag(k->bag, DIAG_W0820, force->span, "forces but no potential: there is no energy to keep");
  diag_note(
      d,
      "'%s' still guarantees that the kinetic energy changes by the work of the forces and the losses, and by nothing "
      "else",
      k->scheme->name);
  diag_help(d, "where a force has a potential, write it as: potential ...;");
}

void check_consistent(Arena *a, const System *s, const SchemeDescriptor *scheme, DiagBag *bag) {
  Check k = { a, s, scheme, bag };
  int before = diag_errors(bag);
  (void)refuse_states(s, scheme, bag);
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->compliant) {
      const char *why = compliant_refused(s, c);
      if (!why) continue;
      Diag *d = refuse(&k, c->span, "this compliant contact");
      diag_label(d, "%s", c->shown);
      diag_note(d, "%s, so it has no potential", why);
    } else if (c->kind == CLASS_RELATION)
      diag_label(refuse(&k, c->span, "relations between outputs and multipliers"), "%s", c->shown);
    else if (c->kind == CLASS_FRICTION) {
      if (c->direction == 0 && scheme->one_step) diag_label(refuse(&k, c->span, "friction"), "%s", c->shown);
    }
    else if (c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT) row(&k, c);
    else if (c->kind == CLASS_SMOOTH && c->kinetic != EX_NONE) kinetic(&k, c);
    if (c->kind == CLASS_CONTACT && scheme->one_step) elastic(&k, c);
  }
  for (int i = 0; i < s->model->ntouch; i++) touch(&k, &s->model->touch[i]);
  if (diag_errors(bag) == before) no_energy(&k);
}
