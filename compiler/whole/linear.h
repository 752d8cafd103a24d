// What the files of the linear kind share.
//
//   linear_pattern.c  which entries of A, M and X can differ from 0; what time gives
//   linear_rows.c     rows that always act, by the map in s, with the whole step in it
//   linear_contacts.c a contact that stays closed, by the map in s; one that is struck
//   whole_linear.c    the step
#pragma once
#include "pieces.h"

typedef struct Pattern2 { int n, *row, *col; KValue *at; } Pattern2;   // at [rows][cols]: K_NONE where 0

// A block of the map: [rows][V] variables, K_NONE: 0 or constant; its place in s.
typedef struct Block { KValue *at; int rows, place; const char *name; } Block;
enum { NEVER, ABOVE_0, WITHIN };        // a row is not looked at; is not below 0; is within the bounds of the map

typedef struct Linear {
  Step *p; Pieces m;                    // the equations of the scheme
  const Instance **contact; int ncontact;
  bool always, here;                    // some row acts in every step; rows act here, not in the runtime alone
  bool stays;                           // a contact that stays closed acts here, and one that is struck
  bool timed_gaps, timed_y, drifts;     // time changes gaps, outputs; some rate or slip of a contact is not 0 at rest
  bool called, all;                     // the runtime makes some of the steps, all
  bool direct;                          // a step changes the state in place, and one that does not go on is set back:
                                        // code that keeps nothing in registers would wait for copies from step to step
  const Instance **friction;            // [ncontact] of each contact; NULL
  int *comp;                            // [nz] component of W
  int width;                            // columns of A: q, z, tau, 1
  int ntimed, *timed, *tau;             // tau [nz]: number of the row's tau, -1
  Ex h;                                 // the step
  Ex *rest, *phi[PIECE_POINTS];         // [nz] f at rest; [ntimed] at each point, NULL: no f there
  Ex *y, *lo, *hi;                      // [nrow] at the free motion without multipliers; bounds
  Pattern2 A, M, X;                     // X [nz][nrow]
  int nconstant;                        // of c, so far
  int q, z, q1, z1, gap, rate, reach, y_at, l_at, worst;     // places in s
  KValue way;                           // h (begin + end) of the point END
  KValue *qv, *zv, *reach_v, *carried, *next;              // variables: the state, reach, phi at the begin; phi at END
  KValue first, *before;                // variables: the step and the state with which free steps in a row began
  KValue *fall;                         // [nq] what q gets of dz where that is constant, K_NONE
  // rows that act here: y at rest; the map (linear_rows.c): which entries are read, those that change, what the
  // constant ones come to; bounds, how a row is looked at; forces, and what is looked at in the last step: variables
  Ex *at_rest;
  bool *read[3]; Block affine[3]; KValue *fixed[3];
  KValue *bound[2], *rest_value, there;
  int *looked, bounds_at;
  KValue *l, *watched, *v, *w;
  KValue *before_l, *before_w, *basic;  // where events are located: of the step before the last one; is a row basic?
  KValue worst_value, least;            // contacts that act here: the largest |u|/U: variables
  int kept; struct Stays *stay;         // linear_contacts.c: places in s; its own
} Linear;

Ex   linear_without(Written *w, RoleKind first, Ex e);   // variables from this kind on are 0: multipliers, or all
bool linear_timed(const Written *w, Ex e);
void linear_time(Linear *l);                             // timed, tau, rest, phi, of the forces in m
void linear_patterns(Linear *l);                         // A; where rows or contacts act here, M and X
KValue *linear_load(Linear *l, Pattern2 *m, const char *name);   // its constants, the next of c

bool linear_is_dry(const SysClass *c);                   // friction under a given force?
bool linear_rows_fit(const Linear *l);                   // few intervals with constant bounds that always act?
void linear_rows_open(Linear *l);                        // before the loop
// In the loop: the condition that step i is as the map says; the state after it; the forces of the last one, behind it.
KValue linear_rows_hold(Linear *l, const KValue *tau);
void linear_rows_move(Linear *l);
void linear_rows_forces(Linear *l);
void linear_rows_load(Linear *l);                        // what the runtime has put into s
void linear_rows_close(Linear *l);                       // after the loop

// Where events are located: does what is to be positive, a mean over the step, last to its end, 3 now > before? There
// it is extrapolated from the last two steps (docs/numerics/located.md, 3).
KValue linear_lasts(const Linear *l, KValue now, KValue before);
// Can a slip, or the y of a multiplier at its bound, not have been negative within the step? It has not halved, and had
// not in the step before: then the parabola through the three values is positive.
KValue linear_goes_on(const Linear *l, KValue now, KValue before);

bool linear_stays_fit(Linear *l);                        // few contacts, each with Coulomb friction in one direction
void linear_stays_open(Linear *l);                       // before the loop
void linear_stays_load(Linear *l);                       // what the runtime has put into s
// Within the branch for steps in which some contact may be closed. gap, near [ncontact]: near = gap + lead rate is
// above `reach` of a contact that is open; rate at the begin, and q0, z0; variables: reach, and q, z, which have the
// free motion. finite: is the free motion? step: its number. The variable that it gives is 1 where the step is done,
// with its forces in q and z.
typedef struct LinearMotion {
  const KValue *gap, *near, *rate, *reach, *q0, *z0, *q, *z;
  KValue finite, step;
} LinearMotion;
KValue linear_stays_act(Linear *l, const LinearMotion *m);
void linear_stays_close(Linear *l);                      // into s, for the runtime
