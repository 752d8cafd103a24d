// The step of moreau by Newton's method: what its files share. Equations are those of step_newton.c.
//
//   step_newton.c       one step: start values, which iterates stand, other starts
//   newton_room.c       does the model fit; room
//   newton_force.c      f at the points of the scheme, its derivatives
//   newton_residual.c   kernels at an iterate, R and the laws with the sizes of their terms
//   newton_iteration.c  one step of Newton's method: matrices, the one-step problem
//   newton_factors.c    factors of steps before
//   newton_rounding.c   what rounding leaves of an iterate
//   newton_turn.c       roots where the slope is not bounded
//   newton_failed.c     what is said where it fails
#pragma once
#include "josephy_newton.h"

static inline nsm_view newton_end(const nsm_sim *s, double t1) { return sim_view(s, t1, s->w.q1, s->w.z1, s->w.l1); }

// Where M is taken; its increments are those of the step.
static inline nsm_view newton_between(nsm_sim *s, double t1) {
  nsm_view v = sim_view(s, t1 - (1 - s->a->point[s->a->m->inertia_at].time) * s->n.h, s->w.qm, s->w.zm, s->w.l1);
  v.dv = s->w.inc;
  v.dx = s->w.inc + s->a->nv;
  return v;
}

// Where g and the laws of relations of degree 0 are taken.
static inline nsm_view newton_law(nsm_sim *s, double t1) { return sim_between(s, t1, s->w.q1, s->w.z1, s->w.l1); }

// newton_room.c: [nz + nl] of z and multipliers of one unit the number of the first; of a velocity its own
int   *newton_units(nsm_sim *s);

// newton_force.c
void newton_force_analyse(nsm_sim *s);
void newton_explicit_part(nsm_sim *s);                     // S
void newton_forces(nsm_sim *s, double t1);                 // R = -S - h sum of f at the iterate's points, into w.smooth
nsm_view newton_along(nsm_sim *s, double t1, const nsm_view *mid);   // where H of constraints' impulses is taken
void newton_jacobians(nsm_sim *s, double t1, const nsm_view *mid);   // those that move

// places.c, where rows are gaps: the gap of each row of a class as a rate, and H there; the share of h u_E in the place
// of a row's gap
void     newton_place(nsm_sim *s, const sim_class *k, double t1);
double   newton_place_share(const nsm_sim *s, int row);
static inline int newton_is_place(const nsm_sim *s, const sim_class *k) {
  return s->a->m->place_at && (k->c->kind == NSM_CONTACT || (k->c->kind == NSM_CONSTRAINT && !k->c->velocity_level));
}

// A row of those that act: the i-th of the one-step problem, then of those on the border of W.
static inline int newton_row(const nsm_sim *s, int i) {
  return i < s->n.isl.nactive ? s->n.r.row_at[s->n.isl.active[i]] : s->n.r.border[i - s->n.isl.nactive];
}

// newton_residual.c
void   newton_position(nsm_sim *s);                        // q1 of z1
void   newton_evaluate(nsm_sim *s, double t1);             // kernels at the iterate
void   newton_round_off(nsm_sim *s);                       // of the terms, into w.round
double newton_residual(nsm_sim *s, int rounded, int *worst);

// newton_iteration.c: sim_newton_method.step and .go
nsm_code newton_step(nsm_sim *s, const nsm_view *v, sim_iteration *it, nsm_error *e);
void     newton_go(nsm_sim *s, double alpha);
void     newton_polish(nsm_sim *s);

// newton_factors.c
void newton_factors_begin(nsm_sim *s, int foretold);
int  newton_factors_do(nsm_sim *s, sim_iteration *it);

// newton_rounding.c: does z1 stand, corrected for what rounding leaves of it? Else it is as before. *error and *worst
// are of the residual; one above `stagnation` is no round-off.
int newton_rounded(nsm_sim *s, double t1, double stagnation, double *error, int *worst);
int newton_known(nsm_sim *s, double *error, int *worst);   // z1 is not changed

// newton_turn.c
void   newton_remember(nsm_sim *s);                        // R of the iterate which the next step starts from
int    newton_turned(nsm_sim *s);                          // groups whose R has turned along the last step
double newton_to_the_turn(nsm_sim *s, double t1, int *worst);  // the residual where it does

// newton_failed.c
nsm_code newton_failed(nsm_sim *s, const nsm_view *v, const sim_iteration *it, nsm_error *e);
nsm_code newton_singular(nsm_sim *s, double t1, int z, nsm_error *e);
nsm_code newton_mass(nsm_sim *s, double t1, nsm_error *e); // a mass matrix that moves must stay positive definite
