// Inferred classes of relations, contacts and of the whole system; asserted ones are held against them (language.md
// section 3).
#include <string.h>
#include "along.h"
#include "derive.h"

typedef struct Kinds { bool time, q, v, x, lambda; } Kinds;

static Kinds kinds_of(const System *s, Ex e) {
  Kinds k = {0};
  if (e == EX_NONE) return k;
  const int *ids;
  int n = ex_symbols(s->pool, e, &ids);
  for (int i = 0; i < n; i++) {
    const Sym *y = symtab_at(s->sym, ids[i]);
    if (y->kind == SYM_TIME) k.time = true;
    else if (y->kind == SYM_RATE) k.v = true;
    else if (y->kind == SYM_VALUE) {
      MVarKind v = s->model->var[y->id].kind;
      if (v == MV_COORD || v == MV_POSITION) k.q = true; else if (v == MV_STATE) k.x = true;
      else if (v < MV_DISCRETE) k.lambda = true;
      else if (v == MV_INPUT || v == MV_DELAY) k.time = true;
    }
  }
  return k;
}

// All variables of the class that e may be affine in: values and rates, multipliers on request.
static int unknowns(Arena *a, const SysClass *c, bool multipliers, int **out) {
  int *ids = ARENA_ARRAY(a, int, 2 * c->nslot + 1), n = 0;
  for (int k = 0; k < c->nslot; k++) {
    if ((c->slot[k].kind == SLOT_L && !multipliers) || c->slot[k].kind == SLOT_D) continue;
    ids[n++] = c->slot[k].value;
    if (c->slot[k].kind == SLOT_Q) ids[n++] = c->slot[k].rate;
  }
  *out = ids;
  return n;
}

static bool all_constant(const System *s, const Entries *e) {
  for (int i = 0; i < e->n; i++) if (stage_of(s, e->at[i].value) > STAGE_EVENT) return false;
  return true;
}

static void classify_smooth(Deriver *d, SysClass *c) {
  System *s = d->sys;
  int *ids, *all;
  int n = unknowns(d->arena, c, false, &ids), m = unknowns(d->arena, c, true, &all);
  c->affine = all_constant(s, &c->mass) && all_constant(s, &c->b) && !reads_positions(c);
  for (int r = 0; r < c->nrow && c->affine; r++)
    c->affine = ex_affine(s->pool, c->f[r], ids, n) && ex_affine(s->pool, c->g[r], all, m);
}

static const char *relation_class_of(Deriver *d, const SysClass *c) {
  System *s = d->sys;
  Kinds y = kinds_of(s, c->y);
  bool linear = c->affine && all_constant(s, &c->h) && stage_of(s, c->y) != STAGE_TIME;
  if (c->compliant) return linear ? "compliant h(q, lambda), linear" : "compliant h(q, lambda)";
  if (y.q && !y.x) {
    if (y.lambda) return linear ? "compliant h(q, lambda), linear" : "compliant h(q, lambda)";
    return linear ? "Lagrangian h(q, q'), linear" : "Lagrangian h(q, q', t)";
  }
  // r = g(t,x,lambda): nonlinear as soon as a smooth class that reads this multiplier has K = dg/dx
  bool g_depends_on_state = d->moving_lambda[c->slot[c->lambda_slot].var];
  if (g_depends_on_state) return "nonlinear r = g(t, x, lambda)";
  const char *invariant = linear && !y.time ? ", linear time-invariant" : linear ? ", linear" : "";
  return arena_printf(d->arena, "%s%s", y.lambda ? "type 2, y = h(t, x, lambda)" : "type 1, y = h(t, x)", invariant);
}

static void asserted_relation(Deriver *d, const SysClass *c, const MRelation *m) {
  Kinds y = kinds_of(d->sys, c->y);
  if ((m->asserted & MA_TYPE1) && y.lambda) {
    Diag *g = diag(d->bag, DIAG_E0410, m->y_span, "'type1' is asserted, but the output uses a multiplier");
    diag_note(g, "type 1 is y = h(t, x); with lambda in y it is type 2");
    diag_help(g, "leave the assertion out: the compiler infers the class, or write: with type2");
  }
  if ((m->asserted & MA_TYPE2) && !y.lambda) {
    Diag *g = diag(d->bag, DIAG_E0410, m->y_span, "'type2' is asserted, but the output uses no multiplier");
    diag_help(g, "leave the assertion out: the compiler infers the class, or write: with type1");
  }
}

static void asserted_contact(Deriver *d, const SysClass *c, const MContact *m) {
  Kinds y = kinds_of(d->sys, c->y);
  if ((m->asserted & MA_SCLERONOMOUS) && y.time) {
    Diag *g = diag(d->bag, DIAG_E0410, m->gap_span, "'scleronomous' is asserted, but the gap uses `time`");
    diag_also(g, m->assert_span, "asserted here");
    diag_note(g, "scleronomous is h(q); a gap h(q, t) is rheonomous and its rate has the extra term dh/dt");
    diag_help(g, "leave the assertion out: the compiler infers the class, or write: with rheonomous");
  }
  if ((m->asserted & MA_RHEONOMOUS) && !y.time) {
    Diag *g = diag(d->bag, DIAG_E0410, m->gap_span, "'rheonomous' is asserted, but the gap does not use `time`");
    diag_also(g, m->assert_span, "asserted here");
    diag_help(g, "leave the assertion out: the compiler infers the class, or write: with scleronomous");
  }
}

static void classify_row(Deriver *d, SysClass *c) {
  System *s = d->sys;
  int *ids;
  int n = unknowns(d->arena, c, true, &ids);
  bool linear_gap = !reads_positions(c) && ex_affine(s->pool, c->y, ids, n);
  c->affine = linear_gap && all_constant(s, &c->h) && (c->lo == EX_NONE || stage_of(s, c->lo) <= STAGE_TIME)
              && (c->hi == EX_NONE || stage_of(s, c->hi) <= STAGE_TIME);
  c->affine &= !friction_moves(s, c);
  if (c->velocity_level) c->affine &= !kinds_of(s, c->rate).q;      // the row has no derivative with respect to q
  if (c->kind == CLASS_RELATION) { c->inferred = relation_class_of(d, c); return; }
  Kinds y = kinds_of(s, c->y);
  if (c->kind == CLASS_FRICTION) {
    c->inferred = arena_printf(d->arena, "slip velocity H_T%s v%s%s",
                               y.q      ? y.time ? "(q, t)" : "(q)"
                               : y.time ? "(t)"
                                        : "",
                               y.time ? " + w(q, t)" : "", c->affine ? ", linear" : "");
    return;
  }
  const char *level = c->velocity_level ? "velocity level, " : "";
  c->inferred = arena_printf(d->arena, "%s%s%s", level, y.time ? "rheonomous h(q, t)" : "scleronomous h(q)",
                             linear_gap ? ", linear" : "");
}

static void whole_system(System *s) {
  bool coords = false, states = false, constant_mass = true, linear = true, diagonal = true, time = false;
  for (int i = 0; i < s->model->nvar; i++) {
    coords |= s->model->var[i].kind == MV_COORD;
    states |= s->model->var[i].kind == MV_STATE;
  }
  bool first_linear = true, first_invariant = true;
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind != CLASS_SMOOTH) continue;
    for (int r = 0; r < c->nrow; r++) time |= kinds_of(s, c->f[r]).time;
    if (c->is_equation) {
      first_linear &= c->affine;
      first_invariant &= all_constant(s, &c->jac) && all_constant(s, &c->b);
      continue;
    }
    constant_mass &= all_constant(s, &c->mass);
    linear &= c->affine && all_constant(s, &c->jac);
    for (int k = 0; k < c->mass.n; k++) diagonal &= c->mass.at[k].row == c->mass.at[k].col;
  }
  if (coords)
    s->second_order = !constant_mass ? "Lagrangian, coordinate-dependent mass"
                      : !linear      ? (diagonal ? "Lagrangian, constant diagonal mass, nonlinear forces"
                                                 : "Lagrangian, constant mass, nonlinear forces")
                      : time         ? "Lagrangian, linear time-invariant, forced"
                                     : "Lagrangian, linear time-invariant";
  if (s->model->nbody > 0) s->second_order = constant_mass ? "Newton-Euler, constant mass"
                                                           : "Newton-Euler, coordinate-dependent mass";
  if (states) s->first_order = first_linear && first_invariant ? "first order, linear time-invariant"
                             : first_linear ? "first order, linear" : "first order, nonlinear";
}

// By variable: multipliers that a smooth class with K = dg/dx reads.
static bool *moving_multipliers(Deriver *d) {
  const System *s = d->sys;
  bool *moving = ARENA_ARRAY(d->arena, bool, s->model->nvar + 1);
  for (int i = 0; i < s->ncls; i++) {
    if (s->cls[i].kind != CLASS_SMOOTH || !s->cls[i].k.n) continue;
    for (int k = 0; k < s->cls[i].nslot; k++)
      if (s->cls[i].slot[k].kind == SLOT_L) moving[s->cls[i].slot[k].var] = true;
  }
  return moving;
}

void classify(Deriver *d) {
  System *s = d->sys;
  d->moving_lambda = moving_multipliers(d);
  s->affine = true;
  for (int i = 0; i < s->ncls; i++) {
    SysClass *c = &s->cls[i];
    if (c->kind == CLASS_SMOOTH) { classify_smooth(d, c); s->affine &= c->affine; }
    else if (c->kind <= CLASS_FRICTION) { classify_row(d, c); s->affine &= c->affine; }
  }
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->relation) asserted_relation(d, c, c->relation);
    if (c->kind == CLASS_CONTACT) asserted_contact(d, c, c->contact);
  }
  whole_system(s);
}
