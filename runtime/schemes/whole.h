// Whole steps: what the runtime does for the functions that the compiler writes (docs/numerics/whole-steps.md).
//
//   whole.c         does this model's function fit; constants; a run of whole steps between two of the generic step
//   whole_state.c   what the kinds share
//   whole_located.c runs that locate events: whole steps between two of them
//   whole_piece.c   the state of steps by the equations of a scheme
//   whole_two_point.c  the state of steps of the energy-consistent schemes
//   whole_linear.c  the matrix A of linear models, rows that act
//   whole_rows.c    by maps from q to the forces, one for each way in which they act
//   whole_affine.c  of rows that always act, a step by such a map as one affine function of its begin
#pragma once
#include "schemes.h"

enum { WHOLE_ROWS = 16, WHOLE_UNKNOWNS = 24, WHOLE_ENTRIES = 8, WHOLE_MAPS = 32, WHOLE_FEW = 3 };
enum { WHOLE_TOGETHER = 32 };           // steps for which several runs wait for each other; fewer are taken alone

// A contact that stays closed, in s: its number (-1: none), what holds it, forces N and T, L by rows, mu, whether it
// sticks, steps done with it; of the last that was struck its number, that of the step (of the last step in which any
// contact had a force) and its impulse, and how many were; located: N and T of the step before the last one, |slip| at
// its end and that of the last one
// (compiler/whole/linear_contacts.c).
enum { WHOLE_ON, WHOLE_HELD, WHOLE_PRESS, WHOLE_RUB, WHOLE_L, WHOLE_MU = WHOLE_L + 4, WHOLE_STICKS, WHOLE_STEPS,
       WHOLE_HIT, WHOLE_HIT_STEP, WHOLE_HIT_PUSH, WHOLE_HITS, WHOLE_PRESS0, WHOLE_RUB0,
       WHOLE_SLIP, WHOLE_SLIP0, WHOLE_KEPT };

// How a row acts: an interval, and then a contact with friction (its normal row; TANGENT is the other).
enum { WHOLE_BASIC, WHOLE_LOW, WHOLE_HIGH, WHOLE_OPEN, WHOLE_STICK, WHOLE_UP, WHOLE_DOWN, WHOLE_TANGENT };

// lambda = L q + l0 of m active rows; M, X = W^-1 B of them (whole_rows.c). Matrices [m, m] by columns, X [nt, m] by
// rows.
typedef struct sim_whole_map {
  unsigned mask;                        // the rows
  int      m, nt, zeros;
  int      row[WHOLE_ROWS], l[WHOLE_ROWS], zero[WHOLE_ROWS], touched[WHOLE_UNKNOWNS], nc[WHOLE_ROWS];
  unsigned char act[WHOLE_ROWS], contact[WHOLE_ROWS];
  double   lo[WHOLE_ROWS], hi[WHOLE_ROWS], e[WHOLE_ROWS], mu[WHOLE_ROWS], l0[WHOLE_ROWS];
  double   L[WHOLE_ROWS * WHOLE_ROWS], M[WHOLE_ROWS * WHOLE_ROWS], Z[WHOLE_ROWS * WHOLE_ROWS];
  double   X[WHOLE_UNKNOWNS * WHOLE_ROWS];
  int      nL;                          // entries of L that are not 0, by columns
  unsigned char L_row[WHOLE_ROWS * WHOLE_ROWS], L_col[WHOLE_ROWS * WHOLE_ROWS];
  double   L_value[WHOLE_ROWS * WHOLE_ROWS];
  int      cz[WHOLE_ROWS][WHOLE_ENTRIES];
  double   c[WHOLE_ROWS][WHOLE_ENTRIES];   // entries of C
  double   C[WHOLE_ROWS][WHOLE_FEW];       // the same, where there are few unknowns
} sim_whole_map;

// The state that a whole step reads and writes; its emitted code gets `s`.
struct sim_whole {
  const nsm_whole *of;
  double *c;                            // constants
  double *before;                       // [nq + nz + nl] q, z, l before a step whose books the runtime keeps
  long    rows_at;                      // WHOLE_LINEAR: the last step in which rows acted
  int     maps, nmap, next;             // may they be kept; how many there are; the place of the next one
  unsigned acting;                      // rows that act, where events are located: from the sets
  unsigned always, with[WHOLE_ROWS];    // rows that always act; a contact's row with those of its friction
  sim_whole_map *map, *recent;
  const sim_whole_map *shown;           // the map that s has
  double  *affine, *room_affine;        // of each map what whole_affine.c makes of it; room for that
  unsigned char *affine_made;           // [WHOLE_MAPS] is it there?
  int     monotone;                     // have rows that always act one answer?
  const sim_whole_map *written;         // the map that wrote multipliers and what holds contacts; NULL: another
  int     ncontact, contact[WHOLE_ROWS];   // rows of contacts
  double  nearly;                       // sim_whole_nearly
  long    look;                         // steps ahead in which instants of time are looked for
  long    called;                       // steps of this run that nsm_whole_rows made
  nsm_sim *sim;
  size_t  room;                         // of s
  // where events are located: [room] s before a call; [rows] at the end of the last step |slip|, |y| of rows at their
  // bounds; of the step before that [nl] multipliers, and [rows] the same
  double *begin, *rate, *l0, *rate0;
  double *rows;                         // [CHUNK, nq + nz] behind the steps of the last call; NULL: they are not kept
  long    ahead, steps_before;          // steps that the clock has not counted yet; steps less times of the clock
  double  s[];
};


// whole_state.c
double sim_whole_nearly(const nsm_sim *s);   // above this no round-off closes a contact in the steps to come
void sim_whole_forget(nsm_sim *s);        // no contact had a force in the last step
int  sim_whole_call(nsm_sim *s, long tick, int m);  // up to m steps from step `tick` on by the emitted code; how many
// n numbers into the array of a whole step, or out of it; where the next ones are.
double *sim_whole_put(double *to, const double *from, int n);
const double *sim_whole_take(double *to, const double *from, int n);
// q, z and the multipliers of constraints, in the order of the emitted code; how near contacts may be, for each row;
// the multipliers of contacts that are struck in the loop.
double *sim_whole_put_motion(const nsm_sim *s, double *x);
double *sim_whole_put_near(const nsm_sim *s, double *x);
double *sim_whole_put_struck(const nsm_sim *s, const struct sim_whole *w, double *x);
const double *sim_whole_take_motion(nsm_sim *s, const double *x);
const double *sim_whole_take_struck(nsm_sim *s, const struct sim_whole *w, const double *x);

// whole_located.c: can it be sure that no event lies within its steps? May the next step keep its sets, and be a whole
// one? Up to m whole steps from step `tick` on, the last one without an event, too; how many. They were taken.
int  sim_whole_locates(const nsm_sim *s);
int  sim_whole_keeps_sets(const nsm_sim *s);
int  sim_whole_located(nsm_sim *s, long tick, int m);
void sim_whole_kept_sets(nsm_sim *s);
int  sim_whole_is_closed(const nsm_sim *s, int row);      // by its set; where no events are located by what it was held
unsigned sim_whole_act_by_sets(nsm_sim *s);               // s->now.acts, from the sets; the rows that act

// The kinds, each in whole_<kind>.c.
typedef struct sim_whole_kind {
  int    (*fits)(const nsm_sim *);
  size_t (*room)(const nsm_sim *);
  int    (*books)(const nsm_sim *);     // can the code keep the ledger? NULL: the runtime does, after each step
  void   (*load)(nsm_sim *, struct sim_whole *);
  void   (*store)(nsm_sim *, struct sim_whole *, long done);
} sim_whole_kind;
extern const sim_whole_kind sim_whole_linear, sim_whole_piece, sim_whole_two_point;

// whole_linear.c
// The constants of the kind into c; 0: there are entries that the code has not.
int  sim_whole_linear_matrix(nsm_sim *s, const nsm_whole *w, double *c);
void sim_whole_linear_open(nsm_sim *s, struct sim_whole *w);

// whole_affine.c: how many numbers; the rest of s of rows that act in the emitted code, by the recent map.
size_t sim_whole_affine_size(const nsm_sim *s, const nsm_whole *o);
void sim_whole_affine_open(nsm_sim *s, struct sim_whole *w);
void sim_whole_show_affine(const nsm_sim *s, struct sim_whole *w, double *to);

double sim_whole_coupling(const nsm_sim *s, int row, int col);     // M, X by number
double sim_whole_x(const nsm_sim *s, int z, int row);
// whole_rows.c. y [r.n]: rates and outputs of the free motion; rate0 [r.n] at the begin.
int  sim_whole_by_map(nsm_sim *s, struct sim_whole *w, double *state, unsigned mask, const double *y, double *rate0);
void sim_whole_learn(nsm_sim *s, struct sim_whole *w);      // of the generic step's answer: the map to try
int  sim_whole_find(nsm_sim *s, struct sim_whole *w, const double *y);   // the same, of a map at hand; 0: there is none
void sim_whole_recall(nsm_sim *s, struct sim_whole *w);     // w->recent is that of the state
int  sim_whole_monotone(nsm_sim *s);      // is M of all rows?
