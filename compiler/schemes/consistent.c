// The energy-consistent schemes [Möller 2011, (5.106), (5.107), (5.95)], the only text of their equations;
// docs/numerics/consistent.md has their energy, says how they are solved, and how good they are.
//
// u_C: the velocities after the impact (1) at q_B; m: the middle of the step, in time, positions and velocities;
// dq = q_E - q_B; D: the discrete derivative from q_B to q_E, Df/Dq dq = f(q_E) - f(q_B) exactly.
//
//   M(q_B) (u_C - u_B) = H(q_B)^T L,   0 <= H(q_B) (u_C + e u_B) _|_ L >= 0 where gap_B <= 0,   rate_C = 0      (1)
//   R1 = sum of (Dg/Dq)^T lambda + (Drate(u_E)/Dq)^T kappa                                                      (2)
//   q_E = q_B + (h/2) (u_C + u_E) - M~^-1 H(q_B)^T kappa,   M~ = (M(q_B) + M(q_E))/2                            (3)
//   constraints   gap_E = 0,   rate_E = 0;   on velocities H(q_m) dq = 0 for the first                    (4), (5)
//   contacts      0 <= gap_E - gap_B _|_ lambda >= 0   where gap_B <= 0                                         (6)
//   friction      H_T dq against lambda_T in D(lambda)                                                         (6a)
//
//   R1 = M~ (u_E - u_C) + G(q_m, u_m) dq + (h/2) (DT/Dq(u_C) + DT/Dq(u_E)) + h DV/Dq + h dR/du(q_m, dq/h)
//        - h F(t_m, q_m, u_m),   G_ij = (dM_ik/dq_j - dM_jk/dq_i) u_k                                           (7)
//
// `consistent1` is without (1), u_C = u_B. With the mass matrix at the begin [Möller 2011, (5.58)], of first order,
// M~ is M(q_B) in (3) and the kinetic terms of R1 are
//
//   M(q_B) (u_E - u_C) + G(q_B, u_C) dq + h DT/Dq(u_E)                                                         (7b)
//
// Of bodies dq is their turn, and dq x dT/dspin comes to G dq (docs/numerics/bodies.md, section 3).
#include <math.h>
#include <string.h>
#include "compliant.h"
#include "equations.h"

enum { MIDDLE = END + 1 };

static void points(const Piece *p, Point *to) {
  Ex half = number(p, 0.5), one = number(p, 1);
  to[END] = (Point){ BEGIN, one, half, half, one };                                                            // (3)
  to[MIDDLE] = part_of(p, &to[END], half);
}

static Ex mean(const Piece *p, ModelFunction of) {
  return times(p, number(p, 0.5), plus(p, at(p, of, BEGIN), at(p, of, END)));
}

// What both forms of R1 share: h (DV/Dq + dR/du - F).
static Ex forces(const Piece *p) {
  Ex inner = plus(p, at(p, POTENTIAL_SLOPE, MIDDLE), at(p, DAMPING, MIDDLE));
  return times(p, length(p), minus(p, inner, at(p, APPLIED, MIDDLE)));
}

static Ex momentum(const Piece *p) {                                                                           // (7)
  Ex inertia = plus(p, mean(p, INERTIA), plus(p, at(p, GYROSCOPIC, MIDDLE), mean(p, TURNING)));
  return plus(p, plus(p, inertia, times(p, length(p), mean(p, KINETIC_SLOPE))), forces(p));
}

static Ex momentum_by_begin(const Piece *p) {                                                                 // (7b)
  Ex inertia = plus(p, at(p, INERTIA, BEGIN), plus(p, at(p, GYROSCOPIC, BEGIN), at(p, TURNING, BEGIN)));
  return plus(p, plus(p, inertia, times(p, length(p), at(p, KINETIC_SLOPE, END))), forces(p));
}

static Ex impulse(const Piece *p) {                                                                            // (2)
  Ex by_gap = times(p, lambda_of(p), at(p, GAP_SLOPE, MIDDLE));
  return p->cls->kind == CLASS_CONTACT ? by_gap : plus(p, by_gap, times(p, kappa_of(p), at(p, RATE_SLOPE, END)));
}

static Ex shift(const Piece *p) { return times(p, kappa_of(p), at(p, IMPULSE, BEGIN)); }                       // (3)
static Ex gap(const Piece *p) {                                                                           // (4), (6)
  return p->cls->kind == CLASS_CONTACT ? minus(p, at(p, GAP, END), at(p, GAP, BEGIN)) : at(p, GAP, END);
}
static Ex rate(const Piece *p) { return at(p, RATE, END); }                                                    // (5)
static Ex before(const Piece *p) { return at(p, RATE, BEGIN); }                                                // (1)
static Ex closed(const Piece *p) { return at(p, GAP, BEGIN); }                                                 // (1)

#define ROWS .points = points, .impulse = impulse, .shift = shift, .gap = gap, .rate = rate, .before = before, \
             .closed = closed
const Equations consistent = { ROWS, .momentum = momentum };
const Equations consistent1 = { ROWS, .momentum = momentum };
const Equations consistent_explicit_mass = { ROWS, .momentum = momentum_by_begin };

// ---- what they ask of a model: refused statement by statement (E0705); where there is no energy to keep, the user is
// told what still holds (W0820) ---------------------------------------------------------------------------------------
typedef struct Check { Arena *arena; const System *s; const SchemeDescriptor *scheme; DiagBag *bag; } Check;

static Diag *refuse(const Check *k, Span at, const char *what) {
  return refuse_in_scheme(k->s, k->scheme, at, what, k->bag);
}

static bool at_rest(const Check *k, const SysClass *c, Ex e) { return all_at_rest(k->arena, k->s, c, &e, 1); }

// T must be a quadratic form: no part of degree 0 or 1 in the velocities, and no time.
static void ask_kinetic(const Check *k, const SysClass *c) {
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
  if (at_rest(k, c, c->kinetic) && all_at_rest(k->arena, k->s, c, momentum, n)) return;
  Diag *d = refuse(k, c->span, "a kinetic energy with terms that are not of second degree in the velocities");
  diag_note(d, "terms free of velocities belong in a potential, with the opposite sign");
}

static void ask_row(const Check *k, const SysClass *c) {
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

static void ask_elastic(const Check *k, const SysClass *c) {
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

static void ask_touch(const Check *k, const MTouch *t) {
  if (k->scheme->one_step) no_formulas(k->s->model, t, refuse(k, t->span, "contacts between shapes"));
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
    else if (c->kind == CLASS_CONTACT || c->kind == CLASS_CONSTRAINT) ask_row(&k, c);
    else if (c->kind == CLASS_SMOOTH && c->kinetic != EX_NONE) ask_kinetic(&k, c);
    if (c->kind == CLASS_CONTACT && scheme->one_step) ask_elastic(&k, c);
  }
  for (int i = 0; i < s->model->ntouch; i++) ask_touch(&k, &s->model->touch[i]);
  if (diag_errors(bag) == before) no_energy(&k);
}
