// Smooth motions between events by a solver of ordinary differential equations, the scheme `event_driven`: what its
// files share. docs/numerics/event_driven.md has the equations; numbers in comments are its own.
//
//   flow_setup.c     what fits, room, the solver               flow_solver.c   its plug-in (flow_solver.h)
//   flow_instant.c   accelerations and forces of an instant     instant*.c      its mass, sliding friction, solution
//   flow_moves.c     q' of velocities, attitudes among them    flow_project.c  onto constraints and closed contacts
//   flow_hidden.c    constraints that relations hide
//   flow_holds.c     conditions on what is held at 0
//   flow_books.c     works and impulses along the motion       flow_verify.c   the check of what is to stand
//   step_flow.c      a piece with fixed sets
//
// Unknowns of an instant: z' [nz], then the multipliers of the rows that are kept [m].
#pragma once
#include "flow_solver.h"
#include "instant.h"

enum { FLOW_MOST = 400 };                // unknowns of an instant

typedef struct sim_hidden {              // flow_hidden.c
  int     k, m, first;                   // rows without derivatives, multipliers; rows from `first` have none left
  int    *at, *row;                      // [k] kept row whose place a row has; kept row by the columns of G
  double *D, *G, *scale, *sum;           // [k m] [k k]; [n] of rows of the instant; [nz + 1]
} sim_hidden;

struct sim_flow {
  const nsm_flow_solver *solver;
  void   *motion;                        // the solver's own
  int     stiff;                         // which formulas it has
  long    taken, first;                  // steps of the solver before this piece, and as it began
  int     copied, again;                 // its memory is another run's: it takes its steps again; it does
  int     n, nq, nquad, nroot;           // n = nq + nz
  double  rtol, atol;                    // of the solver; atol 0: by the sizes of what has the same unit
  int    *group;                         // [n] the first of its unit
  double *y, *dy, *tolerance;            // [n] state; its derivative; absolute tolerances
  double *there_y;                       // [n] a state a little later
  double *quad, *before, *quad_size;     // [nquad] at the end of the trial, at the begin of the piece; their sizes
  int    *hits;                          // [nroot]
  double *terms;                         // [nz] sizes of the forces where they were looked at last
  double *there;                         // [nroot] what is watched, at a root
  double *compared;                      // [3 (nwhen + r.n)] by conditions, gaps (flow_holds.c)
  int     reached;                       // the solver has been beyond the state of now
  int     stops, fixed_end;              // it looks at nothing beyond the end of a piece; trials end where asked
  int     rooted;                        // the trial ended at a root, at `at`
  double  at;
  double *end_q, *end_z, end_t;          // where the last piece ended
  // an instant
  sim_instant in;
  int     m, *row;                       // rows kept
  unsigned char *slides, *level;         // [nfriction]; [r.n] 1: its rate or y is kept, through the derivative; 0: y
  sim_hidden hidden;
  int     hides;                         // the instant at hand has hidden constraints
  int     iterates;                      // the system is not affine in its multipliers
  double *x, *rate[5], *weight;          // solution; rates shortly before and after; weights of the derivative
  double *known;                         // [nz] to what accelerations are
  double *f, *q, *qa, *qb, *z, *dz;      // [nz] [nq] scratch
  unsigned char *angle;                  // [nq] 1: an angle that is remembered
  int     remembers;                     // there is one
  double  from, to;                      // where d/dt may look: between two instants at which something jumps
  // [nroot] functions that end a piece where they fall through 0, of the state in w.q1, w.z1 (clock/flow_pieces.c)
  void  (*watch)(nsm_sim *s, double t, double *g);
  int   (*ends)(nsm_sim *s);             // is the root at hand, by hits, one that ends the piece?
};

// flow_instant.c: at (t, q, z) with the sets of now; z' into x, forces into force, where they are not unique the
// smallest. 0: its equations have no solution. Then those that the laws allow; the factors are lost where they are used
int  flow_instant(nsm_sim *s, double t, const double *q, const double *z);
int  flow_guessed_anew(nsm_sim *s);      // it begins from multipliers nearest to 0 then; 0: they were there
void flow_allow(nsm_sim *s);
int  flow_allowed(nsm_sim *s, double t, const double *q, const double *z);            // both
void flow_rows(nsm_sim *s);                                // those that are kept
// flow_moves.c: the state y [n] as q and z, attitudes of length 1; the derivative of q and z, of z' = dz
void flow_take(nsm_sim *s, const double *y, double *q, double *z);
void flow_moves_open(nsm_sim *s);
void flow_derivative(nsm_sim *s, const double *q, const double *z, const double *dz, double *dy);
// flow_hidden.c: the singular system at hand with the constraints that its relations hide, 0: they hide none; their
// right sides in a correction
int  flow_hidden(nsm_sim *s, const nsm_view *v);
void flow_hidden_off(const nsm_sim *s, const double *y, double *e);
void flow_hidden_open(nsm_sim *s);
int  flow_project(nsm_sim *s, double t, double *q, double *z);
void flow_rates_off(nsm_sim *s, double t, const double *q, const double *z, double *e);   // right sides of (4), of z
// flow_verify.c: the sums f + g + H^T lambda into z, and sizes of their terms into terms
void flow_terms(nsm_sim *s, double t, const double *q, const double *z);
// Gaps and rates are known to so many of the solver's tolerances. Size of the terms of a rate, by the largest
// velocities of their units so far. Has a slip in a plane, of these rates, stopped but for the error of the solver? Its
// direction, and what hangs on it, is that of the error.
static const double FLOW_KNOWN = 4;
double sim_flow_speed(const nsm_sim *s, int row);
int    sim_flow_stopped(const nsm_sim *s, const double *rate);
// flow_holds.c: s->now.flow_holds by the sets of now, where it is not known; what moves, what is held
enum { FLOW_MOVES = 1, FLOW_HOLDS = 2 };
void sim_flow_holds(nsm_sim *s);
// flow_books.c: powers and forces of the instant at hand; books of the piece at hand
void flow_powers(nsm_sim *s, double t, const double *q, const double *z, double *dq);
void flow_book(nsm_sim *s);
