// A tape is played: the pieces of a run are solved again with what held in them, in dual numbers. docs/answers.md, 2
//
//   tape.[ch]     the record of a run             views.c    dual views of a state, kernels
//   start.c       the start by parameters         points.c   equations of a piece of moreau, and of an impact
//   play.c        pieces and blocks in their order   stages.c   equations of a piece of radau
//   piece.c       a piece: Newton, tangents       ends.c     what ends a piece
//   rows.c        equations of rows               words.c    --of and --by
//   two_points.c  equations of `consistent`        polynomials.c  of its higher orders
//   take.c        a run with its outputs          check.c    differences with the same events
//   held_time.c   numbers at times of the clock at which instants end pieces
//   linear.c      the equations of any piece      columns.c  columns of results, blocks
//   delays.c      delayed quantities               kept_past.c  what is kept of them
//   sens.c        `nsm sens`                      aligned.c  equal steps from event to event (refine.c)
//   by_trace.c    pieces that are alike, as a list of operations (trace.h)
//   adjoint.c     the tape backwards              backwards.c  a piece backwards, in recorded numbers (recorded.h)
//
// A piece has the unknowns w (velocities and states, multipliers) and its length h:
//
//     R(w; Y, t, h, c) = 0,    phi(w; Y, t, h, c) = 0                                                          (1)
//
// with R the equations of the scheme on the active set and phi what ends the piece, Y the state at its begin, c the
// columns of constants. The derivative of (1) is all there is: no formula for a jump is written anywhere.
#pragma once
#include "dual.h"
#include "tape.h"

// The state in seven directions; the last of them all has none, and is for derivatives by the unknowns.
typedef struct play_state {
  dual *q, *z, *l, *d;                  // [nq] [nz] [nl + 1] [nd]
  dual *mean, *ground;                  // [rows] forces of the last piece; gaps at which contacts close
  // of delayed quantities, as the state of a run has them (assembly/signals.c); newest: what was kept before
  dual *ring, *last, kept, last_t;
  long  newest;
  dual  t, history;                     // history: length of the last piece with the same sets
  dual **num;                           // [nclass] columns
  dual  start, step, until;             // of the clock
} play_state;

typedef struct play_views { dual_view begin, middle, law, end; dual h; } play_views;
typedef struct play_memory { struct play_memory *next; double align; } play_memory;

enum { PLAY_VIEWS = 16 };               // so many views have discrete variables and signals of their own

struct play_traces;
typedef struct play_polynomials play_polynomials;
typedef struct player {
  nsm_sim *s;
  const tape *tape;
  dual_kernel *run;
  void *with;
  int np, nc;                           // directions: parameters, and the length of a phase; chunks of seven
  int phase;                            // the direction of that length; -1: there are no phases
  play_state *of;                       // [nc + 1]
  play_state *at;                       // that of the equations at hand
  dual_memo memo;                       // of kernels, from one chunk to the next
  int remembers;                        // it is in use
  int light;                            // pieces that the next one knows all of are passed over
  int stood;                            // the piece at hand begins with other values than those of the one before
  play_views now;                       // and their views
  play_polynomials *polynomials;        // NULL: pieces are of order 2

  int nw;                               // unknowns of the piece at hand
  // what the equations at hand have made
  dual *w, *eq, *q1, *l1;               // [nw + 1] [nw + 1] [nq] [nl + 1]
  dual *press, *pull;                   // [nl + 1] what limits friction, and its forces: of `consistent` those of the
                                        // motion and at its end, without the impact before it; else l1
  dual *mean, *ground;                  // [rows]
  // the linear model of the piece at hand, by rows of `stride` directions: parameters, then unknowns and the length
  int nfollow, stride;                  // nfollow: outputs that the piece has
  dual end;                             // what ends a phase
  dual *out;                            // q1, l1, mean, ground
  double *E, *O;                        // [nw + 1, stride] of eq, [nfollow, stride] of what the next piece begins with
  // scratch
  dual *qm, *zm, *qg, *zg, *zb, *inc, *dq, *dv, *kappa, *way, *f, *g, *y, *gap, *lo, *hi, *u0, *slip,
       *mu, *h, *m, *zero,
       *signal;                         // [PLAY_VIEWS, 2 nd] of the last views
  unsigned seen;                        // how many there were
  double *J, *rhs; int *pivot; double *work;
  double *solved;                       // [nw] unknowns at which the linear model was made
  double *matrix, *scale;               // [n, n] by rows: its factors are in J, of rows scaled by `scale`
  double *slope, *slope_at;             // [nq + nz + nl + 1] by the time, where an instant ends a piece (held_time.c)
  dual   *held;                         // [nc, nq + nz + nl + 2] the state while numbers are read
  int     slopes, holds, rows_count;    // rows_count: numbers of rows are asked for
  int     reset, unread;                // a block has reset the state at an instant, 2: of a condition; what is read
                                        // there has no derivative
  double  held_at; long helds;          // the first time at which that made a difference; how often
  int factored, pseudo;                 // n, -1: none; J is a pseudo-inverse
  const void *factored_of;              // the trace whose matrix it is; NULL: of none
  long made;                            // how many matrices have been factored
  // what the run told
  long captured, weak, grazing, joint, unique;
  double grazed;                         // the first event that grazes, and its row
  int    grazer;
  double mismatch, mismatch_at;         // how far what was solved again is off the run, of the largest
  double size, place;                   // the largest z and q
  long dropped, index;                  // entries of the tape that are forgotten; the one that is played
  void (*row)(struct player *p, void *to);                  // a row of results
  void (*stop)(struct player *p, long number, void *to);
  void (*jump)(struct player *p, int after, void *to);      // before and after what takes no time
  void (*event)(struct player *p, const tape_entry *e, void *to);      // sets end at the state at hand
  void  *to;
  void (*keep)(struct player *p, const tape_entry *e, int n, void *in);  // before the state at hand changes; its matrix
  void  *in;
  double *numbers; int nnumbers;        // the state at hand where pieces by their traces have it alone, in the order
                                        // of play_places; NULL: p->of has it (play_catch_up)
  int in_numbers;                       // the tape ends with these
  void (*close_traces)(struct play_traces *t);
  struct play_traces *traces;           // by_trace.c; NULL: none has been asked for
  int length[5];                        // of what views read (dual_view)
  play_memory *memory;
  int failed;                           // no memory
  int without;                          // line of a statement that has no kernel in dual numbers; 0
  int left;                             // what is late is that before the events of the present (kept_past.c)
  int jump_moves, late_jump;            // an instant moves at hand; line of a delay of what jumps there; 0
  int flat;                             // line of a condition that ends a piece by a jump; 0
} player;

// views.c
void     *play_take(player *p, size_t n, size_t size);    // zeroed, to player_close; NULL: p->failed
int       play_holds_signals(const nsm_sim *s);           // no signal is a function of the time
dual_view play_view(player *p, dual t, const dual *q, const dual *z, const dual *l, dual h);
// A kernel of a class; 0: it has none.
int       play_kernel(player *p, const sim_class *k, int there, size_t offset, const dual_view *v, dual *const *out);
#define PLAY(p, k, name, view, ...) \
  play_kernel((p), (k), (k)->c->name##_fn != NULL, offsetof(nsm_class, name##_fn), (view), \
              (dual *const[]){ __VA_ARGS__ })
void      play_move(player *p, const dual *q0, dual a, const dual *u, dual b, const dual *v, dual *q1);

// points.c, two_points.c, stages.c: eq [nw] of p->w at length h, from p->at; q1, l1
void play_add_inertia(player *p, const dual_view *v, double sign, dual *eq);        // sign E(v) p->inc to eq
void play_points(player *p, const tape_entry *e, dual h);
void play_two_points(player *p, const tape_entry *e, dual h);
int  play_two_points_unknowns(const nsm_sim *s, const tape_entry *e);         // of a piece; NULL: of the largest
// eq += by value^T l, along the velocities of the pattern, l by instances; of row i with numbers along velocities
// value x; eq += by M(v) x
void play_add_along(const nsm_sim *s, const sim_class *k, const nsm_pattern *of, const dual *value, const dual *l,
                    double by, dual *eq);
dual play_along(const nsm_sim *s, const sim_class *k, int i, const dual *value, const dual *x);
void play_add_mass(player *p, const dual_view *v, const dual *x, double by, dual *eq);
void play_polynomials_of(player *p, const tape_entry *e, dual h);
int  play_polynomial_unknowns(const nsm_sim *s, const tape_entry *e);         // likewise
int  play_polynomials_open(player *p);                    // its room; 0: no memory
dual play_instant_force(const player *p, int row);        // at the end of a piece that a force ends
void play_stages(player *p, const tape_entry *e, dual h);
void play_jump(player *p, const tape_entry *e);
// ends.c: phi of the same
dual play_end(player *p, const tape_entry *e, dual h);
void play_means(player *p, const tape_entry *e, dual h);   // forces that the next piece extrapolates from

// rows.c: of rows at the end of a piece, with multipliers l1: coefficients of friction, rates, outputs, bounds; then
// their equations into eq [rows]. `before`: views at the begin, the middle and where laws hold
void play_rows(player *p, const tape_entry *e, const play_views *v);
void play_row_laws(player *p, const tape_entry *e, const play_views *v, dual *eq);
// Slip in several directions stops where the piece ends: its direction there is unknown, so the piece has slip 0 and
// friction at its limit for its equations, and not the law and slip along a direction.
int  play_stops(const player *p, const tape_entry *e);
// The part of a block that a row is in: slip, or rolling. Returns how many directions it has, from `first`.
int  play_part(const sim_friction *f, int row, int *first);
// Of friction number i: diagonal of A (docs/numerics/friction.md, (1)), and what presses.
void play_friction_axes(player *p, int i, dual *A);
dual play_pressed(player *p, int i, const dual *l, dual h);
// Coefficients of friction at a view, for the two above.
void play_coefficients(player *p, const dual_view *middle);
// The law of a row that slides by the slips u of its block [directions], 0 where it holds; limit: what presses; of one
// direction, negative: the force is.
dual play_slides(player *p, int row, const dual *u, dual lambda, dual limit, int negative);

// What runs kernels in dual numbers.
typedef struct play_kernels { dual_kernel *run; void *with; } play_kernels;

// start.c: columns, start values and times with their derivatives by `n` parameters or initial values; or, where it is
// neither, by the end of the run, whose steps keep their number
typedef struct play_name { const char *text; int parameter, column; double scale; } play_name;
static inline int play_is_end(const play_name *by) { return by->parameter < 0 && by->column < 0; }
int  play_start(player *p, const play_name *name, int n, nsm_error *e);
// `take` is given the derivative of constants, state and times by name j: [play_start_size].
typedef void play_start_taken(void *with, int j, const double *d);
size_t play_start_size(const nsm_sim *s);
int    play_start_by(player *p, const play_name *name, int n, play_start_taken *take, void *with, nsm_error *e);

// linear.c: of any piece, at p->w and h, in chunk c: p->eq; what it begins the next with, p->out: returns how many
int  play_takes_time(const tape_entry *e);
int  play_has_forces(const tape_entry *e);
int  play_at_points(const tape_entry *e);
int  play_unknowns(const nsm_sim *s, const tape_entry *e);                    // NULL: of the largest piece
void play_scheme(player *p, const tape_entry *e, dual h);                     // eq without what ends the piece
void play_equations(player *p, const tape_entry *e, dual h, int c);
int  play_outputs(player *p, const tape_entry *e, dual h);

// piece.c
// Solved and differentiated: p->rhs has dw, dh. Returns how far the solution is off that of the run.
double play_piece(player *p, const tape_entry *e);
void play_factor(player *p, int n);                        // the matrix that stands in p->E
// by_trace.c: solved and differentiated, and its end is the state at hand; 0: not so
int  play_by_trace(player *p, const tape_entry *e, double *off);
void play_catch_up(player *p);
// The state at hand is that of p->of[0], and its numbers number[j] have direction first + j alone; 0: no memory.
int  play_begin_by_units(player *p, int first, const int *number, int n);
void play_end_by_numbers(player *p);                       // after that, the state at hand is in p->numbers
const double *play_directions(const player *p, int number);      // of a number of these, [np], to the next one
void play_stand(player *p, const tape_entry *e);           // its end is the state at hand
void play_phase_ends(player *p);                           // and that of a phase: its length follows from what ends it

double play_number(const player *p, int i);                // of the state at hand: coordinates, velocities, states

// held_time.c: behind a piece, behind the last of a phase; the slope of the state at hand, NULL: its time does not
// move; derivatives of the state are those at the time while what is read is read: one that was asked for, or that of a
// row, which is a time of the clock
void play_slope(player *p, const tape_entry *e);
void play_phase_slope(player *p, const tape_entry *e);
void play_remember_slope(player *p);                       // p->slope is that of the state at hand
const double *play_slope_here(const player *p);
void play_hold_time(player *p, int asked);
// The time t of a row: the end of the run, 1; time *number of the clock, 0; neither, -1
int  play_row_time(const nsm_sim *s, double t, double *number);
dual play_stands_at(const nsm_sim *s, const play_state *y, int asked);      // where what is read stands
void play_let_go(player *p);
int  play_refuse_unread(const player *p, nsm_error *e);    // 0, with the reason why it is not read there

// delays.c, kept_past.c
// Delayed quantity number `signal` of the signals, and its rate; what is kept of p->at where a piece or a block ends;
// of the past before the start, by what `last` is.
void play_past(player *p, int signal, dual t, dual *value, dual *rate);
void play_keep_past(player *p, int jumps);
void play_start_past(const player *p, play_state *y);
void play_still(player *p, const dual_view *v);           // all that is late is what it is now

// room.c
// The numbers of a state, as the way back has them: those of the time are the last two.
typedef struct play_place { dual *of; int n; } play_place;
enum { PLAY_PLACES = 12 };
void play_places(const nsm_sim *s, play_state *y, play_place *at);
// phases: pieces are equal parts of phases (aligned.h), whose length is one more direction.
player *player_open(nsm_sim *s, const tape *t, const play_kernels *run, int np, int phases, nsm_error *e);
void    player_again(player *p);                           // nothing has been played yet
void    player_close(player *p);
// play.c
int     play(player *p, nsm_error *e);                     // what is on the tape, from entry `index`
// columns.c
void    play_block(player *p, const tape_entry *e);        // p->at after it
dual    play_column(player *p, int chunk, int column);     // of the state at hand, in SI
int     play_column_refused(player *p, int column, char *why, size_t size);
int     play_reads_impulse(const nsm_sim *s, const sim_class *k, int instance);       // of a contact or constraint
