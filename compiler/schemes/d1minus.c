// D1-minus, the half-explicit scheme from discontinuous Galerkin methods, its contacts on velocities [Schindler and
// Acary 2014; Schindler, Rezaei, Kursawe and Acary 2015], the only text of its equations; docs/numerics/d1minus.md says
// how good it is. A step has two kicks, of half its length each, and an impact at its end:
//
//   M(q_B) (u_H - u_B) = (h/2) f(t_B, q_B, u_B) + H(q_B)^T p1       0 <= u_B + (h/2) (H a + kappa) _|_ p1 >= 0    (1)
//   q_E = q_B + h u_H,   t_E = t_B + h,   a = (u_H - u_B)/(h/2)                                                   (2)
//   M(q_E) (u_- - u_H) = (h/2) f(t_E, q_E, u_B + h a) + H(q_E)^T p2    0 <= H(q_E) u_- + chi _|_ p2 >= 0          (3)
//   M(q_E) (u_E - u_-) = H(q_E)^T p3             0 <= (H u_E + chi) + e (H u_- + chi) _|_ p3 >= 0                 (4)
//
// kappa is what the motion adds to the acceleration of a gap: d/dt (H u + chi) for constant u. In (1) contacts act that
// are closed at q_B and do not open, in (3) these and those that are closed at both ends, in (4) those with a gap that
// is not positive at q_E. Constraints act in all three, with equalities; friction with its normal row, with its slip.
//
// What follows from the equations of one kick are its kernels: a kick is affine in its unknowns, at a point that is
// known. Here that is (3), with u_B for the mean velocity u_H of the way.
#include "equations.h"

enum { AHEAD = END + 1, LATER };

static void points(const Piece *p, Point *to) {
  Ex none = number(p, 0), one = number(p, 1);
  to[AHEAD] = (Point){ BEGIN, one, one, none, none };                                                            // (2)
  to[END] = (Point){ AHEAD, none, none, none, one };
  to[LATER] = (Point){ AHEAD, none, none, none, one };                          // (t_E, q_E, u_E)
}

static Ex momentum(const Piece *p) {                                                                        // (1), (3)
  Ex forces = plus(p, at(p, FORCE, AHEAD), at(p, REACTION, AHEAD));
  return minus(p, at(p, INERTIA, AHEAD), times(p, length(p), forces));
}
static Ex impulse(const Piece *p) { return at(p, IMPULSE, AHEAD); }
static Ex relation(const Piece *p) { return at(p, OUTPUT, LATER); }
static Ex rate(const Piece *p) { return at(p, RATE, LATER); }                                          // (1), (3), (4)
static Ex before(const Piece *p) { return at(p, RATE, AHEAD); }                                                  // (4)
static Ex closed(const Piece *p) { return at(p, GAP, AHEAD); }

const Equations d1minus = { .points = points, .momentum = momentum, .impulse = impulse, .relation = relation,
                            .rate = rate, .before = before, .closed = closed };

// ---- what it asks of a model ----------------------------------------------------------------------------------------
void check_d1minus(Arena *a, const System *s, const SchemeDescriptor *d, DiagBag *bag) {
  (void)a;
  if (refuse_states(s, d, bag)) return;
  for (int i = 0; i < s->model->ntouch; i++) {
    Diag *g = refuse_in_scheme(s, d, s->model->touch[i].span, "contacts between shapes", bag);
    no_formulas(s->model, &s->model->touch[i], g);
    diag_note(g, "they touch in more points than bodies have freedoms, and accelerations of these contradict each "
                 "other by rounding");
  }
  for (int i = 0; i < s->ncls; i++) {
    const SysClass *c = &s->cls[i];
    if (c->kind == CLASS_RELATION || c->compliant || c->of_compliant) {
      Diag *g = refuse_in_scheme(s, d, c->span, c->kind == CLASS_RELATION ? "relations" : "compliant contacts", bag);
      diag_label(g, "%s", c->shown);
      diag_note(g, "its forces are known before the velocities of a kick, and this one follows from them");
    } else if (c->kind == CLASS_FRICTION && c->direction == 0 && c->radius != EX_NONE) {
      for (int k = 0; k < c->nslot; k++) {
        if (c->slot[k].kind != SLOT_L || !ex_depends(s->pool, c->radius, c->slot[k].value)) continue;
        diag_note(refuse_in_scheme(s, d, c->span, "a normal force that depends on forces of the step", bag),
                  "the law of friction is looked at before the forces of a kick are known");
        break;
      }
    }
  }
}
