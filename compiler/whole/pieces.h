// What the files of steps by the equations of a scheme share (schemes/scheme.h).
//
//   piece_terms.c   the equations, written out for the instances of the model, and their derivatives
//   piece_solve.c   values at an iterate, does it stand, Newton's step
//   whole_piece.c   the step, and the loop over steps
#pragma once
#include "solve.h"

enum { STRUCK = WHOLE_STRUCK, SYSTEMS = 1 << STRUCK };

typedef struct Weight { Ex e; KValue v; } Weight;        // v K_NONE: 0

// A point of the piece. Positions, velocities that it shares with another point are those of that one.
typedef struct Spot {
  bool used, late, own_q, own_z;        // late: unknowns have a part in it
  int from;
  Moment q, z;                          // whose positions and time; whose velocities and states
  Weight time, begin, end, rest, share; // the first three times h; rest = 1 - share
  Weight way;                           // how far z_E moves its positions
  KValue *by_begin, *kept;              // what z_B makes of its positions, of z; K_NONE: nothing
  KValue *Q, *Z, t;                     // now
} Spot;

typedef struct Row { const Instance *at; Ex rate, before, e, *along, *H; } Row;   // of H^T p; d rate/du

// The rows of one system: all constraints, then the contacts that are struck.
typedef struct Rows {
  const Row **row; int n, nstruck, struck[STRUCK];         // their numbers among those that can be
  const char *suffix;
  Ex *J, *C;                            // [nz, nz], [n, nz] derivatives of R and of the rates
  Ex *root, *more, *left; int nroot, nmore, at_M, at_along, at_H, at_rate;
  KValue kick[STRUCK];                  // e before of the contacts
} Rows;

typedef struct Pieces {
  Step *p; const Equations *text; const Point *point;
  bool iterates, mass_moves, carried;   // carried: f at the end is that of the next begin
  int nweight; struct { Ex of; Weight is; } weight[64];
  Spot spot[PIECE_POINTS];
  Ex *force[PIECE_POINTS]; Weight by[PIECE_POINTS];    // [nz]; NULL: none there
  int mass_at; Ex *M;                   // [nz, nz]
  Row *constraint, *contact; int nc, ncontact, nstruck, number[STRUCK];
  Ex *gap, *rate; Weight lead;          // a contact may be closed where gap + lead rate <= 0
  Rows rows[SYSTEMS]; int nsystem;      // by the contacts that are struck, the sum of 2^number
  KValue rate_before[STRUCK];           // of contacts that can be struck
  int *inc_at, *impulse_at;             // locals z1 - z, p
  // constants, variables
  KValue tolerance, *q, *z, *pv, *push, *gain, *off, *z1, *p1, *fv, count, strikes, solved, ok;
  Factors factors;                      // of M, where it is constant and there are no rows
  // of the step
  KValue *Q, *Z, *S, *mass, *old, *before, *size_of_M;
} Pieces;

// piece_terms.c
void  piece_spots(Pieces *m);
void  piece_forces(Pieces *m);
void  piece_inertia(Pieces *m);                          // M
void  piece_contacts(Pieces *m);                         // contact, gap, rate, lead
void  piece_constraints(Pieces *m);
Ex    piece_row(const Pieces *m, const Instance *at);    // output or rate of a row, at its point
Weight piece_weight(Pieces *m, Ex e);                   // a number of the scheme, before the loop
void  piece_rows(Pieces *m, int system);                 // which rows; then the expressions
void  piece_expressions(Pieces *m, Rows *r);
bool  piece_fits(const Pieces *m, const Rows *r);        // is there an order of elimination?
Ex    piece_none(const Pieces *m);                       // 0
// piece_solve.c
void  piece_time(Pieces *m, int point, KValue i);        // the time of a point, in step i of this call
void  piece_place(Pieces *m, int point, const KValue *z1);     // its positions and velocities, for expressions to come
void  piece_sizes_of_mass(Pieces *m);
void  piece_factor_mass(Pieces *m);
void  piece_solve(Pieces *m, const Rows *r);             // sets the state and `ok` where the step stands
void  piece_start(Pieces *m);                            // what z1 begins with, and what stays the same in a step
