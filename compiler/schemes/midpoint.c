// Moreau's midpoint rule [Möller 2011, (5.3)-(5.8)], the only text of its equations; docs/numerics/midpoint.md says how
// good it is.
//
//   q_M = q_B + (h/2) u_B,   t_M = t_B + h/2                                                                      (1)
//   M(q_M, t_M)(u_E - u_B) = h f(t_M, q_M, u_B) + h g(t_M, q_M, u_B, lambda) + H(q_M, t_M)^T p                    (2)
//   q_E = q_M + (h/2) u_E                                                                                         (3)
//   relations     -y(t_M, q_M, u_E, lambda) in N_[lo, hi](lambda)                                                 (4)
//   constraints   H u_E + chi = 0                                                                                 (5)
//   contacts      0 <= (H u_E + chi) + e (H u_B + chi) _|_ p >= 0   where g_N(q_M, t_M) <= 0                      (6)
//   friction      the same with e_t and the slip velocity against p_T in D(p_N)                                  (6a)
//
// H, chi, bounds and coefficients of friction are taken at (t_M, q_M, u_B). So (2) and (4) to (6) are affine in the
// unknowns u_E, lambda, p, and one iteration is exact: what is not affine in them is refused.
#include "equations.h"

enum { MIDDLE = END + 1, LATER };

static void points(const Piece *p, Point *to) {
  Ex none = number(p, 0), half = number(p, 0.5), one = number(p, 1);
  to[MIDDLE] = (Point){ BEGIN, half, half, none, none };                                                     // (1)
  to[END] = (Point){ MIDDLE, half, none, half, one };                                                        // (3)
  to[LATER] = (Point){ MIDDLE, none, none, none, one };                         // (t_M, q_M, u_E)
}

static Ex momentum(const Piece *p) {                                                                         // (2)
  Ex forces = plus(p, at(p, FORCE, MIDDLE), at(p, REACTION, MIDDLE));
  return minus(p, at(p, INERTIA, MIDDLE), times(p, length(p), forces));
}
static Ex impulse(const Piece *p) { return at(p, IMPULSE, MIDDLE); }                                         // (2)
static Ex relation(const Piece *p) { return at(p, OUTPUT, LATER); }                                          // (4)
static Ex rate(const Piece *p) { return at(p, RATE, LATER); }                                           // (5), (6)
static Ex before(const Piece *p) { return at(p, RATE, MIDDLE); }                                             // (6)
static Ex closed(const Piece *p) { return at(p, GAP, MIDDLE); }                                              // (6)

const Equations midpoint = { .points = points, .momentum = momentum, .impulse = impulse, .relation = relation,
                             .rate = rate, .before = before, .closed = closed };

// ---- what it asks of a model ----------------------------------------------------------------------------------------
typedef struct Check { const System *s; const SchemeDescriptor *by; DiagBag *bag; } Check;

static void ask_relation(const Check *k, const Piece *p) {
  const SysClass *c = p->cls;
  bool any = false;
  for (int i = 0; i < c->h.n; i++) any |= c->h.at[i].wrt == WRT_V || c->h.at[i].wrt == WRT_L;
  if (!affine_in_unknowns(p, &midpoint, relation(p))) {
    const char *what = "relations that are not affine in velocities and multipliers";
    diag_note(refuse_in_scheme(k->s, k->by, c->span, what, k->bag), "%s is solved once a step, without iteration",
              c->shown);
  } else if (!any) {
    Diag *d = refuse_in_scheme(k->s, k->by, c->span, "relations on positions alone", k->bag);
    diag_note(d, "the output is taken at the middle of the step, which no multiplier of the step moves");
    diag_help(d, "a contact: its law is on the velocity where the gap is closed");
  }
}

static void ask_momentum(const Check *k, const Piece *p) {
  if (!affine_in_unknowns(p, &midpoint, momentum(p)))
    (void)refuse_in_scheme(k->s, k->by, p->cls->span, "forces that are not affine in the multipliers", k->bag);
}

// Forces of the step are known when it is solved, and friction is solved with them.
static void ask_friction(const Check *k, const Piece *p) {
  const SysClass *c = p->cls;
  for (int i = 0; i < c->nslot && c->radius != EX_NONE; i++)
    if (c->slot[i].kind == SLOT_L && ex_depends(p->pool, c->radius, c->slot[i].value)) {
      diag_note(refuse_in_scheme(k->s, k->by, c->span, "a normal force that depends on forces of the step", k->bag),
                "the law of friction is looked at once a step, before its forces are known");
      return;
    }
}

void check_midpoint(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  Check k = { s, d, bag };
  if (refuse_states(s, d, bag)) return;                         // relations may speak of them: one cause, one message
  for (int i = 0; i < s->ncls; i++) {
    Piece p = { a, s, s->pool, &s->cls[i] };
    if (p.cls->kind == CLASS_RELATION) ask_relation(&k, &p);
    else if (p.cls->kind == CLASS_FRICTION) ask_friction(&k, &p);
    else if (p.cls->kind == CLASS_SMOOTH && !p.cls->is_equation) ask_momentum(&k, &p);
  }
}
