// What the files of steps by an energy-consistent scheme share (schemes/consistent.c).
//
//   two_point_terms.c   the equations, written out for the instances of the model, and Newton's matrix of them
//   two_point_strike.c  a contact that is struck alone
//   two_point_solve.c   an iterate, its residual, does it stand, Newton's step
//   whole_two_point.c   the step, and the loop over steps
#pragma once
#include "solve.h"

// With nq velocities and ns constraints: unknowns z = (du, lambda, kappa), of which there are n; du = u_E - u_B.
typedef struct Motion {
  Step *p;
  const Equations *text;
  const Point *end;                       // of the scheme: q_E = q_B + h (begin u_B + end u_E) - P kappa
  const Instance **constraint, **contact;
  int nq, ns, ncontact, n;
  // two_point_terms.c: R1, its derivatives by q_E and u_E, M [nq, nq]; of constraints [ns, nq], [ns]
  Ex *R, *Rq, *Ru, *M;
  Ex *dg, *dr, *H, *rq, *gq;              // where lambda, kappa act along; d rate/du; the derivatives of rate and gap
  Ex *rate, *back, *terms;                // at the end; the gap at the begin, and the size of its terms
  Ex *K; bool *pattern;                   // [n, n]
  bool *mass_pattern, *has_P, mass_moves, exact;      // exact: one iteration is
  Ex energy[2], work[2];
  int lambda_at, kappa_at, P_at;          // locals
  Ex *begin, *root, *more, *left; int nbegin, nroot, nmore, at_back, at_terms, at_H;   // roots
  // constants and variables
  KValue tolerance, *q, *q_low, *u, *u_low, *l, *k, *gain, *gain0, *off, *cost, phase, count, *book;
  KValue *inverse, *mass, *reach;         // 1/M_ii and M_ii at the start
  Factors mass_factors, kept;             // of a constant M; of K
  KValue *du, *l1, *k1, *try_du, *try_l, *try_k, *most, *dz, before, iterations, done, ok, keep, moves, trial;
  // of the step: at the begin; the gap where it is more than round-off, P [ns, nq]
  KValue *QB, *QL, *UB, *UL, *gap_before, *P;
  // two_point_strike.c: contacts that can be struck, by number; H of them, where they act along, e
  int nstruck, struck[WHOLE_STRUCK];
  Ex *hit_H, *hit_dg, *hit_e;
  // variables: the contact closed in this step plus one, 0: none; the step in which each was closed; its losses; the
  // impulses of contact and constraints in that step; strikes, problems; of this step: impulses, loss, u and u_low
  KValue hit, *hit_at, *lost, *push, *strikes, *new_push, loss, *saved;
} Motion;

typedef struct Ending { KValue *dq, *q, *u; } Ending;   // of a step

// two_point_terms.c
bool motion_terms(Motion *m);                           // false: no order of elimination
void motion_roots(Motion *m);                           // what is evaluated, and the constants of it
KValue motion_plus(const Motion *m, KValue x, KValue y), motion_minus(const Motion *m, KValue x, KValue y);
KValue motion_times(const Motion *m, KValue x, KValue y), motion_larger(const Motion *m, KValue x, KValue y);
KValue motion_name(const Motion *m, KValue v, const char *what, int i);
KValue *motion_values(const Motion *m, int n);          // [n] K_NONE
// two_point_strike.c
void motion_strikes(Motion *m);                         // which contacts can be struck
int  motion_struck_open(Motion *m, int at);             // variables, from s[at] on; where the next ones are
void motion_struck_close(const Motion *m, int at);
KValue motion_hit(const Motion *m);                     // the condition that a contact is closed
void motion_strike(const Motion *m, const KValue *begin);
void motion_struck(const Motion *m, const Ending *end, KValue i);
// two_point_solve.c
Ending motion_place(const Motion *m, const char *tag, const KValue *du, const KValue *kappa);
void motion_iterate(Motion *m);                         // sets du, l1, k1, and `ok` where they stand
