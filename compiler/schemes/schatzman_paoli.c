// Schatzman's and Paoli's scheme, with contacts on places [Siconos notes, "Schatzman-Paoli's scheme and its
// linearizations"; Paoli and Schatzman 2002], the only text of its equations; docs/numerics/schatzman-paoli.md says how
// good it is. Its unknown is q_E; here it is u_E, the mean velocity of the step, so that u_B = (q_B - q_-)/h:
//
//   q_E = q_B + h u_E,   t_E = t_B + h                                                                            (1)
//   c: q_E with the velocity (q_E - q_-)/(2h) = (u_B + u_E)/2                                                     (2)
//   *: (q_E + e q_-)/(1 + e), and times likewise                                                                  (3)
//   M(q_B) (u_E - u_B) = h theta f_c + h (1 - theta) f_B + h g(lambda) + H(q*)^T p                                (4)
//   relations     -y(lambda) in N_[lo, hi](lambda)                                                                (5)
//   constraints   gap(q_E) = 0,   contacts   0 <= gap(q*) _|_ p >= 0                                              (6)
//
// f_B is taken with the velocity that the last step had at c. Constraints have e = 0. The source has no friction.
#include "equations.h"

enum { CENTRAL = END + 1, STAR, LAW };

static void points(const Piece *p, Point *to) {
  Ex none = number(p, 0), one = number(p, 1), e = restitution_of(p), share = over(p, one, plus(p, one, e));
  to[END] = (Point){ BEGIN, one, none, one, one };                                                               // (1)
  to[CENTRAL] = (Point){ BEGIN, one, none, one, number(p, 0.5) };                                                // (2)
  to[STAR] = (Point){ BEGIN, times(p, share, minus(p, one, e)), minus(p, none, times(p, share, e)), share,
                      one };                                                                                     // (3)
  to[LAW] = part_of(p, &to[END], gamma_of(p));
}

static void weights(const System *s, double *theta, double *gamma) {
  (void)s;
  *theta = 0.5;
  *gamma = 1;
}

static Ex momentum(const Piece *p) {                                                                             // (4)
  Ex one = number(p, 1), theta = theta_of(p), f = plus(p, times(p, theta, at(p, FORCE, CENTRAL)),
                                                       times(p, minus(p, one, theta), at(p, FORCE, BEGIN)));
  return minus(p, at(p, INERTIA, BEGIN), times(p, length(p), plus(p, f, at(p, REACTION, LAW))));
}
static Ex impulse(const Piece *p) { return at(p, IMPULSE, STAR); }                                               // (4)
static Ex relation(const Piece *p) { return at(p, OUTPUT, LAW); }                                                // (5)
static Ex place(const Piece *p) { return at(p, GAP, STAR); }                                                     // (6)
static Ex closed(const Piece *p) { return at(p, GAP, BEGIN); }

const Equations schatzman_paoli = { .points = points, .weights = weights, .momentum = momentum, .impulse = impulse,
                                    .relation = relation, .rate = place, .before = NULL, .closed = closed };

// ---- what it asks of a model ----------------------------------------------------------------------------------------
void check_schatzman_paoli(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  (void)a;
  if (refuse_states(s, d, bag)) return;
  for (int i = 0; i < s->model->ntouch; i++) {
    const MTouch *t = &s->model->touch[i];
    no_formulas(s->model, t, refuse_in_scheme(s, d, t->span, "contacts between shapes", bag));
  }
  for (int i = 0; i < s->model->nblock; i++) {
    const MBlock *b = &s->model->block[i];
    if (b->timed || !b->crossing || b->by_time) continue;
    diag_note(refuse_in_scheme(s, d, b->span, "events that cut steps", bag),
              "a velocity is the way of a step over its length, and says nothing where that is as small as rounding");
  }
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind == CLASS_FRICTION && c->direction == 0) {
      Diag *g = refuse_in_scheme(s, d, c->span, "friction", bag);
      diag_label(g, "%s", c->shown);
      diag_note(g, "its contacts are on places, and friction is a law of velocities");
    } else if (c->kind == CLASS_CONTACT && !c->compliant && model_impact(s->model) != MI_NEWTON) {
      Diag *g = refuse_in_scheme(s, d, c->law_span, "this law of impact", bag);
      diag_note(g, "e is in the place at which its gap is taken; there is no impact that another law could be about");
    }
  }
}
