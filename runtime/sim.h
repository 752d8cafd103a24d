// The running simulation: its parts. What rooms of the runtime share (others include nsm_run.h); each room has one
// header with the functions that those above it may call:
//
//   command/   the command line of a simulation, summary        sweep/     many runs
//   clock/     opening, times, states as values
//   schemes/   one step
//   touching/  contacts of shapes: rows that come and go
//   assembly/  analysis, tables, matrices, rows, islands
//   ledger/    energy, work, losses
//   move.h     q' = B(q) u: how velocities move positions
//   cone/  la/  record/  problems/  shared/                     libraries that know nothing of a simulation
//
// A room includes only what stands below it (tests/house). The constant model (nsm_model) and the running data are
// apart. Everything here is allocated by nsm_open from one list of blocks and released by nsm_close; in between only
// pools grow.
#pragma once
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include "nsm_run.h"
#include "runtime/cone/problem.h"
#include "runtime/la/la.h"
#include "runtime/la/sparse.h"

enum { NSM_NEWTON_MAX = 50, SIM_TOUCH_CLASSES = 20 };    // classes of rows of one statement about shapes

// The loops of a class of rows, level by level (loops.c).
typedef struct sim_loop_node { long lo, n, below; } sim_loop_node;
typedef struct sim_loop { long n, below; sim_loop_node *node; } sim_loop;
typedef struct sim_loops { int nlevel; sim_loop level[NSM_MOST_INDICES]; } sim_loops;

// A class while it runs: its table, what its kernels gave, and where that goes.
typedef struct sim_class {
  const nsm_class *c;
  nsm_table tab;
  double *mass, *jac, *b, *k, *h;       // [count][n] of the pattern
  double *mcurve, *curve, *rq;          // likewise: d(M dz)/dz, d(H^T p)/dz, d rate/d q
  double *h_mid;                        // constraints with moving H: H at q~, the direction of the impulse; NULL: h
  int    *mass_at, *jac_at, *k_at, *mcurve_at, *curve_at; // [count][n] place in W
  int    *inertia_at;                   // [count][mass.n] place in sim.inertia
  int    *rq_at;                        // [count][rq.n] place in C
  int    *b_at;                         // [count][b.n] place in B
  int    *h_at;                         // [count][h.n] place in C, or ~place in D for multipliers
  int    *h_b_at;                       // [count][h.n] contacts and constraints: place in B, -1 for none
  int     row0;                         // its first row (relations, contacts, constraints); -1 else
  int     friction0;                    // of direction 0: its first block
  sim_loops loops;                      // of rows with a multiplier of their own
  double  theta, gamma;                 // weights of f, of g and of the laws of relations at t_k + gamma h (weights.c)
  int     lasts;                        // relations: weight 1 from here on, and nothing of it is located
  int     recorded;                     // its multipliers are made those of the end of the step then (weights_sets.c)
} sim_class;

typedef struct sim_points { int n, at[NSM_POINTS]; } sim_points;      // points of a step

typedef struct sim_var {
  int  base;                            // number of its first element, within its kind
  int  count;
  long lo[NSM_MOST_INDICES], n[NSM_MOST_INDICES];   // of its indices; rows have the loops of their class
} sim_var;

// A diagonal block of W after reordering.
enum { BLOCK_SCALAR, BLOCK_SMALL, BLOCK_DENSE, BLOCK_BAND, BLOCK_TRIDIAGONAL, BLOCK_SPARSE };
typedef struct sim_block {
  nsm_sparse *sparse;                   // its factors by fronts; its unknowns are the rows in their order here
  int  n, first;                        // rows order[first .. first+n)
  int  at;                              // place of its values
  int  reach, ld;                       // half bandwidth; columns of dense and banded ones are so far apart
  short kind, banded;                   // banded: the factors of a sparse one are those of its band
  int  scaled;                          // factored with rows and columns times `by`
  double *band;                         // [n (3 reach + 1)] for that, once it was needed
} sim_block;

enum { SIM_LENGTHS = 8 };               // lengths of pieces of steps that are remembered

typedef struct sim_matrix {
  int        n, nblock, diagonal;       // diagonal: every block is a scalar
  sim_block *block;
  int       *order, *place, *block_of;  // [n]: order of W, its inverse, block of each z
  int        nval;
  double    *base, *val;                // [nval] sum of the constant parts; current values, then factors
  double    *kept;                      // [nval] current values, where somebody needs them; else NULL
  double    *inverse;                   // [n] scalars: 1/W_ii
  double    *by;                        // [n] in its order: the metric of the masses, beside constraints; or NULL
  int       *pivot;                     // [n]
  double    *work;                      // [n]
  int        constant;                  // the whole of W is
  int        large;                     // some block is factored by fronts: to make it anew is dear
  int        factored;                  // val are the factors of what is kept
  double    *of_length;                 // [SIM_LENGTHS] base, val, inverse as they are for a length; NULL: not kept
  double     length[SIM_LENGTHS];
  int        lengths;                   // how many there were
} sim_matrix;

// A coefficient of friction that depends on what the step is solved for: of the iteration before, what the one-step
// problem had and what the law then gave; between which values they meet.
typedef struct sim_guess { double used, law, lo, hi, width, reach; int known, slow; } sim_guess;

// A block `every` or `when` (clock/events.c).
// An input or a delayed quantity (assembly/signals.c): points of a function of time (shared/table.h); else what now.d
// holds, or of a delay what is kept of its past.
typedef struct sim_signal {
  double *points;                       // NULL: none
  int     cls, instance;                // of a delay; -1
  double  delay;
  int     ring, room;                   // its place in now.ring, values kept
} sim_signal;
// Signals at a time that some view has, beside what is discrete.
enum { SIM_MOMENTS = 4 };
typedef struct sim_moments {
  double t[SIM_MOMENTS], *d[SIM_MOMENTS], *rate[SIM_MOMENTS];
  int    ends[SIM_MOMENTS], last, left; // ends: of a step, before jumps; left: so is the present, before its events
} sim_moments;

typedef struct sim_event {
  int cls, crossing;                    // its class; that of what crosses zero, -1: looked at after each step
  int n, base, timed;                   // instances; place of the first in `instant` or `was`
  int by_time;                          // a condition of time and discrete variables alone: its instants are known
  int instant;                          // made for such an instant: looked at by the round-off of time later
  int naction, *action;                 // classes
  struct sim_laws *laws;                // relations of the block (clock/laws.c); NULL
} sim_event;
// Of a condition (now.was): false; true; became true at a located instant just now; true since the start, without
// having fired.
enum { SIM_ARMED, SIM_HOLDS, SIM_CROSSED, SIM_UNARMED };
enum { SIM_DISCRETE = 1, SIM_MOTION = 2, SIM_PLACES = 4 }; // what events changed; of the motion places

// Friction of one contact or constraint: its rows are neighbours in the one-step problem, the normal ones first. The
// parts of the tangential set that are limited by themselves: one, of ROLLING two. Each is round in the frame
// lambda_d = w_d y_d, of the radius mu times the normal impulse; exact: there it is Contensou's set.
enum { SIM_SLIPS = 4 };
typedef struct sim_disk { int first, n, exact; double mu, w[SIM_SLIPS]; } sim_disk;
typedef struct sim_friction {
  nsm_cone_type type;
  int    normals, normal[3];  // normal rows; none (0, and normal[0] = -1) under a given normal force
  int    n, row[SIM_SLIPS];   // the rows of the n directions of slip; ROLLING: the second half rolls
  double mu, mu2, radius;               // in the one-step problem; DISK: radius is a force, times h an impulse
  double at[3];                         // by the law at the iterate; the same where they are constant
  int    parts;                         // how many, as they were made last, and of which mu, mu2, radius; 0: not yet
  double parts_of[3];
  sim_disk part[2];
  sim_guess guess[3];
} sim_friction;

// Room that grows, in rare cases while the run goes on: where many more contacts are closed than ever before.
typedef struct sim_pool { void *at; size_t bytes; } sim_pool;
enum {
  SIM_XZ, SIM_X, SIM_K0, SIM_KS, SIM_KX, SIM_START, SIM_NEIGHBOUR, SIM_SCRATCH, SIM_ORDER, SIM_MC, SIM_M, SIM_ROWS,
  SIM_LAST, SIM_SEAT, SIM_POOLS
};

// Islands that are solved without M_osns (piles.c): the places of pile k end before first + end[k]. It stands in
// slabs[k] of them (slabs.c): its parts begin at part[part0[k] ...] of its nodes, the unknowns of its slabs at
// owned[part0[k] ...]; number [w.n]: of an unknown, + 1.
typedef struct sim_piles { int n, first, *end, *slabs, *part0, *part, *owned, *number; sim_pool room[24]; } sim_piles;

typedef struct sim_rows {
  int     n;
  int    *l, *cls;                      // [n] number of its multiplier; its class
  int    *of_l;                         // [nl] row of a multiplier
  double *lo, *hi, *e, *rate0, *y;      // [n] law; restitution; rate at the start of the step; output or rate
  int     law;                          // of impact, NSM_IMPACT_...: of all contacts
  double *rebound, *struck;             // [n] of laws but Newton's: minus the rates, and the impulses, of the impact at
                                        // hand (schemes/rebound.c)
  double *ratio, *exponent;             // [n] of NSM_IMPACT_LZB
  double *gap;                          // [n] at the start of the step
  double *terms;                        // [n] size of the terms of the gap
  double *drift;                        // [n] mean of the rate that is there at rest, of a moving partner (ledger.c)
  unsigned char *active;                // [n]
  int           nfriction;
  sim_friction *friction;               // [nfriction]
  double       *coefficients;           // [3 largest count of a class of them]
  int          *friction_of;            // [n] its number, -1 for other rows
  // B [nz, n] by columns, C [n, nz] and D [n, n] by rows, X = W^{-1} B by columns: start, index, value
  int    *b0, *bz, *c0, *cz, *d0, *ds, *x0, *xz, *bx;  // bx: place in X of an entry of B
  double *b, *c, *d, *x;
  int    *z0, *zs, *zx;                 // rows of X: for each z the rows s and places in x; NULL where X follows
  int    *k0, *ks, *kx;                 // the same, where M_osns follows of the active rows only
  // M_osns [n, n] in the order `row_at`, compressed rows
  int    *row_at, *at_row;              // [n] order and its inverse
  int     in_order;                     // row_at[i] = i
  int    *m0, *mc, *mark, *diagonal;    // diagonal: place of M_ii in m
  double *m;
  // rows_couple.c: patterns are those of the active rows; those they were made for, and whether they could be made
  int     x_follows, m_follows, made, no_room;
  unsigned char *made_for;              // [n]
  sim_pool pool[SIM_POOLS];
  sim_piles piles;
  struct sim_augmented *augmented;      // augmented.c; NULL: not for this model
  int     whole;                        // it solves the problem at hand: there are no X and M_osns
  int     constant;                     // B, C, D and W are
  int     always;                       // every row is active in every step
  int     contacts;                     // every row is a contact's
  int     bandwidth;
  // rows of constraints that are eliminated with W and never active in the one-step problem (assembly.c)
  int     nborder;
  int    *border, *border_of;           // [nborder] row; [n] its number, -1 for the others
  int    *border_b_at, *border_c_at;    // [entries of B, C] place in W
  double *gives;                        // [nborder] d of the border; 0: nothing is eliminated by it
  unsigned char *blocked;               // [n] rows along which the border lets nothing move (rows_couple.c)
} sim_rows;

enum { SIM_TINY = 5, SIM_TINY_BLOCKS = 8 };  // islands up to this size (the second: with friction) are dense, with a
                                             // workspace per size


// The last matrix of each size that islands of few rows had: the same problem again keeps its factors and its last
// answer (island.c).
typedef struct sim_tiny {
  uint64_t       next_id, id[SIM_TINY_BLOCKS + 1];         // id 0: none
  double         matrix[SIM_TINY_BLOCKS + 1][SIM_TINY_BLOCKS * SIM_TINY_BLOCKS];
  nsm_cone_block cone[SIM_TINY_BLOCKS + 1][SIM_TINY_BLOCKS];
  int            cones[SIM_TINY_BLOCKS + 1];
  unsigned       kinds[SIM_TINY_BLOCKS + 1];               // which bounds are finite
} sim_tiny;

// The one-step problem of rows that are coupled with each other; its row i is row[at[i]] of the simulation.
typedef struct sim_island {
  nsm_cone_problem p;
  const int *row, *at;
  double    *lambda, *u;                // [m] start and answer; rates
  int        warm;                      // lambda is a start worth having
  void      *work;                      // of this island alone, p.matrix_id known; NULL: the solver's
} sim_island;

// What stands in the rows: their laws; those of another problem with the same matrix, which is not met again;
// corrections of what rounding left, rows of friction too being intervals.
typedef enum { SIM_BY_LAW, SIM_APART, SIM_CORRECTION } sim_island_kind;

// Where the islands of one matrix are solved (island.c).
typedef struct sim_solver {
  sim_island_kind kind;
  sim_tiny       *tiny;                 // in the state
  int             tiny_most;            // rows up to which an island is small
  void           *tiny_work[SIM_TINY_BLOCKS + 1], *apart;  // of small ones by size; of small ones of the other kinds
  void           *work;                 // of all others
  nsm_cone_block *cone;                 // [2 nfriction] blocks of the island at hand
  const double   *disk;  // [nfriction] or NULL: >= 0, friction is that under this normal impulse, whatever presses
  int             brief;                // likewise: it need not be solved, cone/problem.h
  int             strict;               // likewise: an answer must be near to what is enough
  int             sharp;                // likewise: to a part of its tolerance, where that can be had
  int             least;                // likewise: of several answers the smallest (assembly/least.c)
  sim_pool        least_room;
  const char     *only;                 // likewise: the solver of islands of several contacts with friction, or NULL
  double          enough;               // the tolerance of a problem that is one of an iteration, 0: that of the run
  int             failed_row;           // after a failure
  nsm_cone_result result;
} sim_solver;

// Where impacts by other laws than Newton's are solved (schemes/rebound.c).
typedef struct sim_rebounds { sim_pool numbers, places, contacts, room; void *work; } sim_rebounds;

enum { SIM_NOT_COUNTED = -1 };
typedef struct sim_islands {
  sim_solver     solver;
  int            nactive;
  int           *active, *index;        // [n] places (in row_at) of the active rows; inverse
  double        *q, *lo, *hi, *lambda, *u;
  double        *terms;                 // sizes of the terms of q
  double        *dense;                 // [cap*cap]
  int            dense_cap;             // islands of up to this many rows are passed dense
  int           *row_start, *col;
  double        *val;
  int            chains;                // each row is coupled with two others at most:
  double        *diagonals[3];          // M by the place of the row, below, on and above the diagonal
  unsigned char *joined;                // with the next place
  sim_pool       room[5];               // of val, row_start, col, solver.work, take_columns, where the patterns follow
  unsigned char *zero;                  // [n] the law makes the rate 0 (closed.c)
  unsigned char *equation;              // [n] of the problem at hand: constraints that cone/reduced.c may eliminate
  int            zeros;                 // how many of the active rows at most
  int            impacts;               // active contacts that had no force before, or SIM_NOT_COUNTED
  int            leaves;                // an island that is not solved has u = nan and does not end the search
  double        *kept;                  // [n] u before a refinement
  char           why[512];              // there is no solution, in words
  int            loop;                  // and these are those of assembly/loop.c
  // islands that never change, with their own factors
  int            nfixed;
  uint64_t       fixes;                 // how often their matrices were made: the id of all of them
  struct sim_fixed { int first, m; nsm_cone_problem p; nsm_cone_block *cone; void *work; } *fixed;
} sim_islands;

// Where the energy went, docs/numerics/consistent.md (15). Work of forces; losses (>= 0) at dampers and contacts.
typedef struct sim_ledger {
  int    on;
  double kinetic, potential;            // now
  double initial, drift, gain;          // energy at the start, largest |E - E0|, largest rise in one step
  double forces, dampers, contacts;     // totals
  double residue, residue_now, residue_sum; // largest |residue| of a step, of the last step, of all
  double friction;                      // of the contacts' loss
  double gains, exchanged, scale;       // what a residue is checked by (misses.c)
  double missed;                        // the largest |residue| of a step that moves
  int    rested, still;                 // no motion but round-off: at the end of the last step; in all of it
  double gross;                         // in the step under construction: |impulses| times |rates| at contacts
  // in the step under construction: at impacts, by friction, work of moving partners (a belt); of forces and dampers
  // where the scheme books them itself
  double loss, loss_friction, drive, forces_now, dampers_now;
  double projected, projected_now;      // given by projections of places (schemes/projection.c), so far and in the step
  double resets;                        // taken by events: resets, and what discrete variables hold
  // what impacts made: in all, the most of one and when; the row that gave it, -1 none; of the step under construction;
  // what the last step took
  double made, made_most, made_time, least, taken;
  int    made_at, least_at;
} sim_ledger;

typedef struct sim_list { int n; int *of; } sim_list;    // numbers of classes

// Where the residual of a group of unknowns and laws changes its direction along the last step.
typedef struct sim_turn { double psi, start, a, b, fa, fb, at; int turns, side, up; } sim_turn;

// Numbers of the schemes.
enum {
#define SCHEME(name, number, ...) NSM_SCHEME_##number,
#include "runtime/schemes.def"
#undef SCHEME
};
// A scheme: one line of schemes.def. What the rooms below must know of it, and what it does (schemes/schemes.c).
typedef struct sim_scheme {
  const char *name;
  unsigned char weights;                // has parameters theta and gamma
  unsigned char implicit;               // Newton's matrix W has derivatives of all
  unsigned char kicks;                  // two kicks and an impact (schemes/step_kicks.c)
  unsigned char two_point;              // steps the kernels of two points, and books energy and losses itself
  unsigned char located;                // can locate events in its steps
  unsigned char projects;               // can project places after a step
  unsigned char one_step;               // two_point: without an impact
  unsigned char mass_at_begin;          // two_point: M of (9) stays that of q_B
  unsigned char flows;                  // pieces with fixed sets, by a solver of differential equations (flow.h)
  unsigned char collocates;             // pieces with fixed sets, which steps of implicit Euler find (radau.h)
  double        theta;                  // without points: q that rows see is q_k + h (theta v + (1-theta) v_k)
  int         (*fits)(nsm_sim *s, nsm_error *e);           // may this model be stepped so? NULL: any
  void        (*analyse)(nsm_sim *s);                      // takes what the step needs; after rows and matrices
  nsm_code    (*step)(nsm_sim *s, double t1, nsm_error *e);  // (q, z, l) -> (q1, z1, l1)
  nsm_code    (*euler)(nsm_sim *s, double t1, nsm_error *e); // with all laws, where step has fixed sets: of low order
  void        (*accept)(nsm_sim *s);                       // the step stands, q and q1 are not exchanged yet
  // (q, z) -> (q1, z1, l1) at the present instant, by the impulses of the active contacts, where it is located
  nsm_code    (*impact)(nsm_sim *s, nsm_error *e);
} sim_scheme;

// A simulation has four parts. What each holds, and from when on it is valid:
//
//   analysis  a    made by nsm_open, constant afterwards: tables, sizes, lists of classes, the experiment and options
//   state     now  all that one step hands to the next (state.def, state.c): copied, saved, restored, bit for bit
//   numbers   n    what follows from the analysis for one step h, and is made anew where h or the iterate moves it:
//                  matrices with their shapes and factors, rows, islands; nothing of it has to be kept with a state
//   work      w    scratch of one thread within one step; each array has one meaning
typedef struct sim_analysis {
  const nsm_model *m, *given;           // given: as emitted; m: with the rows of contacts of shapes (touching/)
  const sim_scheme *scheme;
  double   *p;                          // parameters
  sim_var  *var;
  sim_class *cls;
  int       nq, nv, nx, nz, nl, ndeclared;  // nz = nv + nx
  int       nl_shown;                   // multipliers that are recorded: all but those of contacts of shapes
  const unsigned char *held;            // [rows] contacts that a start takes as constraints; NULL (runtime/analyse)
  int       ntouch, ngroup;             // of contacts of shapes: room in now.touch, kinds of rows
  void    (*touch_name)(const nsm_sim *s, int cls, int i, char *out, size_t size);  // of their rows
  void    (*touch_there)(nsm_sim *s, const nsm_view *v);   // their rows elsewhere (touching.h)
  int       renewed;                    // classes whose H is that of the begin of each step
  int       nshown, *shown;             // [nshown] of q: those recorded, all but the turns of bodies
  unsigned char *algebraic;             // [nz] unknowns without inertia; NULL: none
  int       nown;                       // coordinates with a velocity of the same number, the first of both (move.h)

  // experiment (runtime/clock/clock.c) and the scheme's parameters
  double start, until, step, theta, gamma;
  int    gamma_given;                   // and is not what it is by default
  nsm_point point[NSM_POINTS];          // of the scheme with these weights (move.h)
  sim_points early, late;               // those where f is taken: the begin knows them; the unknowns move them
  double instant;                       // where laws hold whose gamma is below 1: t_k + instant h
  long   full, total;                   // full steps, and all (one more where the last one is shorter)
  double rtol, atol;                    // of event_driven; atol 0: by sizes
  double tolerance, accept;  // of the outer Newton; of one-step problems, 0: sim_cone_accept
  nsm_settings settings;                // as given, copied: nsm_clone opens with them again
  double *q_start, *z_start, *d_start;
  int       nd, ndiscrete, nevent, nheld;   // of d: discrete variables; with them those of instants; with these flags
                                            // of inputs; then signals
  int       nsignal, ndelay, nring;     // inputs and delayed quantities; values kept of the past
  int       rows_jump;                  // an input holds the values of its rows
  sim_signal *signal;                   // [nsignal]
  sim_event *event;                     // [m->nblock]
  int       nevery, nwhen;              // instances of both
  int       event_values, event_matrix; // kernels that change at events: any; any that a matrix has
  nsm_error start_error;                // of events at the start: given by the first step
  int start_held;                       // the values of the start were compared with the laws (start.c)
  const double *zero, *zero_l;          // [nz], [nl + 1]

  // phases: the classes that take part
  struct {
    sim_list smooth, f_moving, f_mean, g, mass, mass_moving, jac, jac_moving, k, k_moving, b, b_moving, energy, mcurve,
             row, relation, contact, constraint, friction, mu, driven, h_moving, mid, law, law_moving, rq, rq_moving,
             curve, contact_curve, compliant, output, assertion,
             kinematics;                // curve: those whose curves belong to W (assembly.c)
  } on;
  int     project_start;                // values of the start are moved onto the laws, however far off they are
  int     located;                      // steps are taken in pieces that end at impacts and switches (clock/located.h)
  int     unlocated;                    // NSM_UNLOCATED_...: why they are not
  int     projects;                     // places are projected after each step (schemes/projection.c)
  int     stages;                       // of a scheme that collocates; two_point: half of the order
  int     linear;                       // step_linear applies
  int     piles;                        // large problems of contacts are solved to a pile's tolerance (island.c)
  int     follows;                      // but where contacts of shapes act: their rows follow step_newton's iterate
  int     iterates;                     // step_newton or consistent_newton may be taken
  int     one_iteration;                // else: step_newton, exact after one iteration
  int     ncolumn;
  double *scale;                        // [ncolumn] SI units in the unit of a column; NULL: all are 1
  char    note[512];                    // what a person should know about the start; "" for nothing
} sim_analysis;

// A contact of shapes that has rows (touching/): its name (bodies, shapes, pair of features); as the step began its gap
// and, in world axes, its normal, first direction of slip and place on B.
typedef struct sim_touch {
  int a, b, shape_a, shape_b;
  uint64_t feature;
  double gap, slip[3], normal[3], at[3];
} sim_touch;

// What state.def counts by: rows, multipliers.
#define SIM_PER_ROW(s) ((s)->n.r.n)
#define SIM_PER_MULTIPLIER(s) ((s)->a->nl)
#define SIM_TELLS_APART(s) ((s)->a->scheme->two_point && (s)->a->ngroup > 0)     // impact, motion and end of contacts
#define SIM_HAS_SETS(s) ((s)->a->located || (s)->a->scheme->collocates)
#define SIM_UNKNOWNS(s) ((s)->a->nz + (s)->a->nl)
#define SIM_SIZES(s) ((s)->a->scheme->collocates || (s)->a->nv == 0 || (s)->a->algebraic)   // are those of terms kept?
// Values of the last steps that the next one is predicted from (schemes/foretell.c): velocities and states, multipliers
// of constraints. Where there are whole steps, the generic step begins as they do.
enum { SIM_DIFFERENCES = 10, SIM_PAST_PIECES = 8 };
#define SIM_HIGH(s) ((size_t)((s)->a->scheme->two_point && (s)->a->stages > 1))   // pieces of a higher order
#define SIM_PIECE(s) (SIM_HIGH(s) * 2 * (size_t)(s)->a->stages * ((size_t)(s)->a->nv + (size_t)(s)->n.r.n))
#define SIM_FLOWS(s) ((size_t)(s)->a->scheme->flows)
#define SIM_ON_JOINTS(s) ((s)->a->on.kinematics.n > 0 && (s)->a->on.constraint.n > 0)
#define SIM_HOLDING(s) ((s)->a->on.constraint.n > 0 ? (s)->a->nl_shown : 0)
#define SIM_KEEPS(s) \
  (SIM_PREDICTED(s) > 0 && !(s)->a->scheme->two_point && !(s)->a->one_iteration && !(s)->n.w.constant)  // factors
#define SIM_PREDICTED(s) \
  (!(s)->a->iterates || (s)->a->m->whole ? 0 \
  : (s)->a->scheme->two_point ? (SIM_ON_JOINTS(s) || (s)->a->ngroup == 0) * ((s)->a->nv + 2 * SIM_HOLDING(s)) \
  : (s)->a->scheme->implicit && !(s)->a->scheme->collocates && !(s)->a->scheme->flows ? (s)->a->nz + SIM_HOLDING(s) : 0)

// Numbers first, then the arrays that state.def lists; both are what nsm_save writes.
typedef struct sim_state {
  double  t, h;                         // h: of the last step, or of the first one to come
  long    k;                            // steps done
  long    tick;                         // times of the clock that were reached; the present one lies between two
  int     between;                      // (clock.c)
  int     holds;                        // any of `held` is not 0
  double  extent;                       // largest |q| + h |v| (closed.c)
  double  off[3];                       // how far guesses of the change of z were off: none, that of the step before,
                                        // its extrapolation (josephy_newton.c)
  sim_ledger   ledger;
  nsm_counters count;
  double  worst_time;                   // of count.worst_residual
  double  miss_time;                    // of count.max_miss, and its row
  int     miss_at;
  double  residual_taken;               // the largest that nsm_take_residual gave
  int     worst_at;                     // its row: z, or ~row
  double  length[SIM_LENGTHS];          // of pieces of steps; how many there were
  long    lengths;
  double  last_t;                       // signals.c: time of `last`; number of the newest values in `ring`
  long    kept;
  int     sets_known;                   // `set` is that of the present state (clock/located.h); or SIM_CAPTURES
  double  set_h;                        // length of the last piece with the same sets, 0: none
  int     centred;                      // `central` is known, and z is a mean of the last step (schemes/places.c)
  double  drifted;                      // by what constraints were missed in the last step before its projection
  int     implied_n;                    // how many constraints others imply (implied.c)
  int     parts;                        // of this step that were taken, and are in l_parts; 0: it is one so far
  double  span;                         // of a step in several pieces, whose impulses are in l: its length; 0: n.h
  double  captured_t;                   // of a scheme that collocates, the first captured step: its time, and the row
  int     captured_row;                 // whose set had ended in it, and 2; 1: none had; 0: there is no such step
  int     stopped;                      // class of the `stop` that ended the run, and 1; 0: it goes on
  struct {                              // pieces of a higher order (schemes/galerkin_handed.c)
    double h, made_h;                   // length of the last one; that of the factors, 0: there are none
    int    m, known, by;                // its rows; pieces whose unknowns are known; how many of them tell a start
    int    inverted, spent;             // the factors are a pseudo-inverse; iterations that old factors have cost
    int    rest;                        // pieces to come that make their own, as old ones did not do
  } piece;
  struct {                              // event_driven (schemes/flow.h)
    int    runs, jumped;                // its solver goes on from the state of now; sets may be others at the begin
    double begun, first;                // where the solver began, its first step; 0: to come
    int    stops;                       // at which it has stopped since, in flow_stop
    double strong;                      // largest force so far
    int    stiff, tires, is_not;        // formulas it has; it shall have backward differences; they were no better
    int    low;                         // pieces in a row of many steps of low order, or by backward differences
    long   steps;                       // of the solver in these pieces
    double span, adams;                 // time in them; steps in a time by Adams' formulas, 0: decided
  } flow;
  struct {                              // energy-consistent schemes
    double most;                        // kinetic energy so far, by M_ii of the start
    double cost[2];                     // iterations with either start
    double made_for;                    // the step that K of r1_most was made for, where it is constant
    long   projections;                 // steps (2.72), in all
    long   stagnant;                    // steps in a row that stood above the tolerance
    int    redundant;                   // dependent constraints were met in a step that stands
    int    at_begin;                    // P has H of the begin: a body is light (con_move)
    int    worn;                        // implied constraints are to be found anew
    int    firm;                        // small pivots of K are those of light bodies: H says so
    long   near_again;                  // the step that tries the near matrix again (consistent_near.c)
  } con;
  struct {                              // factors of steps before (schemes/newton_factors.c)
    double h;                           // the length that `made` is of, 0: none
    int    rest, wait;                  // steps to come that make their own; how many when old ones did not do again,
                                        // -1: the last step took one iteration with old ones
  } old;
  struct {                              // schemes/foretell.c
    int    known;                       // how many of `differences` are, of steps of the length
    double h;
    long   next;                        // and for which step
    double miss[3][SIM_DIFFERENCES + 1];  // of velocities, kappa, lambda: how far predictions by the first 0, 1, ...
                                          // of them were off
  } past;
#define SIM_STATE(type, name, count, what) type *name;
#include "runtime/state.def"
#undef SIM_STATE
} sim_state;

typedef struct sim_numbers {
  double  h;                            // the step that W, B, C, X and M_osns were made for
  int     stale;                        // events changed what constants were made of: 1, and matrices: 2
  double *f_constant;                   // [nz]
  double *dz_constant;                  // [nz] W^{-1} h f where f is constant; step_linear only
  double  terms, reach;                 // largest terms of a gap, sum |H| at the start (closed.c)
  sim_matrix  w;                        // [nz + r.nborder]
  sim_matrix  inertia;                  // [nv] M by itself (mass.c)
  double     *inertia_start;            // [nv] M_ii at the start
  int         inertia_factored;         // its values are factors, made while the start values were mended
  sim_rows    r;
  sim_islands isl;
  sim_rebounds rebounds;
  struct sim_consistent *con;           // energy-consistent schemes only
  struct sim_radau *radau;              // schemes that collocate only (schemes/radau.h)
  struct sim_flow *flow;                // event_driven only (schemes/flow.h)
  struct sim_galerkin *galerkin;        // energy-consistent scheme of order 4 and above (schemes/galerkin.h)
  double *push;                         // [nz] velocities that forces of its begin would make in a piece of it, if
                                        // nothing held them
  struct sim_implied *implied;          // constraints that hang together (assembly/implied.c); NULL: none
  struct sim_whole *whole;              // whole steps (schemes/whole.h); NULL where the model has none that fits
  struct sim_unknowns *unknowns;        // without inertia (assembly/unknowns.c); NULL: there are none
  unsigned char *by_theta;              // [nz] those that the states determine; NULL: none
  double *theta;                        // [nz] weight of f of each row
  struct sim_weights *weights;          // assembly/weights.h; NULL: they are as given throughout
  long    weighed;                      // how often they have changed
  int     checked;                       // that is known for the constants of now
} sim_numbers;

typedef struct sim_work {
  nsm_cone_options cone;                // of the solve under way: `warm` and `once` are set for each
  double *q1, *z1, *l1;                 // [nq] [nz] [nl + 1] the state under construction
  double *q1_low, *z1_low;              // [nz] as q_low, z_low
  double *pressed;                      // [2 r.nfriction + nl] for assembly/pressed.c
  long    trembles;                     // steps in which a switch of an `if` went to and fro; of the first: class, time
  int     trembles_of;
  double  trembles_from;
  double *misses;                       // [3 r.n] for ledger/misses.c; NULL: no constraint on places
  unsigned char *turns;                 // [nv] likewise: a spin of a body in space
  double *gap0, *rate0;                 // [r.n] of contacts at the begin of step `begin_of`, where they are known
  long    begin_of;                     // (clock/located.h); -1: they are not
  unsigned char *reached;               // [r.n] contacts that a step found violated at its end (schemes/projection.c)
  double *gained;                       // [nz] now.gain as a step with a projection began
  double *placed;                       // [r.n] multipliers of its projection
  int     strikes;                      // an impact is under way in which contacts close (clock/located.c)
  double  work;                         // operations of the step under way (schemes/josephy_newton.h)
  int     late;                         // it is given up
  int     astray;                       // the step was not solved: a part of it may be; or SIM_UNREASONABLE (advance.c)
  int     frozen;                       // step_newton: this attempt leaves the derivatives of M, H and the rates out
  long    terms_of;                     // step whose terms r.terms has of the class terms_class (closed.c)
  int     terms_class;
  double *q_force, *z_force;            // [nq] [nz] where forces are taken (schemes/newton_force.c)
  double *jac;                          // of a class there, where they are taken at several points of the iterate
  double *z_from_begin;                 // [nz] for forces at the begin (schemes/places.c)
  struct sim_kicks *kicks;              // schemes/step_kicks.c; [nz] velocities of its forces at the end, before the
  double *z_predicted, *z_struck;       // impact there
  int     struck;                       // there was one
  double *q_place;                      // [nq] where a gap is taken
  double *qm, *zm;                      // [nq] [nz] the point between both ends where a scheme takes M, H, forces
  double *f;                            // [nz] forces at a view
  double *way;                          // [nv] displacement of a move (move.h); without kinematics none
  double *rhs;                          // [w.n] h f of step_linear.c and step_affine.c, then what it does to z
  double *mean;                         // [nz] mean velocity of a step (ledger.c)
  double *size;                         // [w.n] of the terms of what impulses act on, else 0; [nz] 0 between two steps
  double *push;                         // [w.n] what impulses add there, else 0 (schemes.h)
  int    *pushed;                       // [w.n + 1] the numbers of those
  double *l_try;                        // [nl] multipliers that Newton's step leads to
  double *qg, *zg;                      // [nq] [nz] the point t_k + gamma h, where gamma < 1
  // step_newton.c, newton_*.c, [nz]
  const double *press;                  // what presses on friction: sim_implied_forces of the iterate
  double *g, *s;                        // reactions at a view; S of (12)
  double *inc, *inc_size;               // z1 - z; of what it is the difference of, by rows of M
  double *smooth, *smooth_size;         // R without multipliers, size of its terms
  double *diag, *drive, *own;           // M_ii; size of what multipliers do to z; h |df_i/dz_i| without inertia
  double *hold;                         // [nz + 2 r.nborder] for sim_held_sizes
  int    *unit;                         // [nz] z of one unit: the first of them (newton_room.c)
  double *unit_size;                    // [nz] the largest of a unit
  double *lost, *lost_before, *round;   // round-off of terms as multiples of eps: of this iterate, the largest, what
                                        // counts
  double *z_from, *l_from, *z_try;      // iterate before the last step (l_from: [nl]); where the whole step leads
  double *z_kept;                       // iterate while a correction is tried
  int     by_parts;                     // the residual is measured by the parts in w.size that z1 is summed from, too
  double *off, ahead, *z_path, *l_path; // R at the begin of a path of roots [nz]; its share that is left; the last root
  int     old;                          // iterations of the step with factors of one before (newton_factors.c); 0:
                                        // it has its own
  double  old_error;                    // the residual of the iterate before
  double *z_begin;                      // z at the begin, where unknowns without inertia lie over it; else NULL
  // the same, [nz + r.n]: R, then natural maps
  double *residual, *residual_size;     // and the size of their terms
  double *before, *top;                 // the same one iteration ago
  double *dz;                           // [nz + r.nborder] Newton's step
  sim_turn *turn;                       // [w.nblock + r.n]
  double *out;                          // [largest count of an output class]
  sim_moments *moments;                 // signals.c
  double *present;                      // [ndelay]
  // clock/events.c
  double *value;                        // of the actions of a block
  double *truth, *low, *high, *cross;   // [nwhen] conditions; what crosses zero at both ends of a bracket, at a trial
  double *at_kink;                      // [nwhen] the same of kinks
  unsigned char *fire;                  // [nevery + nwhen] instances of a block that are due
  int    *fired;                        // [nwhen] how often in this step
  int     changed;                      // SIM_DISCRETE, SIM_MOTION, SIM_PLACES
  int     reset_by;                     // class of the block that moved places
  double *gap_before, deepest;          // [r.n] gaps before it; of shapes the deepest
  int     at_event;                     // the last piece ended where a condition became true
  double *left;                         // [ncolumn] the row before a jump goes here (nsm_stop_at_events); NULL: nowhere
  int     stopped_at_event;             // the last step ended at an event: 1; and it wrote `left`: 2
  int     euler;                        // of a scheme that collocates: the piece at hand is one step of implicit Euler
  int     flows;                        // what the step at hand is of event_driven (schemes/schemes.h)
  double  length;                       // of the step at hand, as it was asked for
  double  until;                        // where the step of the clock at hand ends
  void  (*keep)(nsm_sim *s);            // before the first of several parts of it stands (clock/clock.c); or NULL
  int     begun;                        // a part of it stands: the state before it is in
  sim_pool begin;
  struct { int steps; long newton, solver; } rest;  // steps in a row that left all as it was, at rest; iterations of
                                        // the last one (clock/advance.c)
  char    name[512];
} sim_work;

// What holds at a row between two events of a run that locates them (clock/located.h). A contact is open, open since
// the instant at hand, or closed; a multiplier is at its lower or upper bound, or inside; friction slips or sticks.
enum { SIM_FLOW_STOPS = 256 };           // of event_driven until its solver begins anew
enum { SIM_OPEN, SIM_LEFT, SIM_CLOSED, SIM_LOW, SIM_HIGH, SIM_INSIDE, SIM_SLIPS_ON, SIM_STICKS };
enum { SIM_CAPTURES = 2 };              // contacts that are open close as without location

// Who records a run (answers/tape.h): a piece, or an impact, is about to stand; sets end where a piece begins; a block
// is about to assign; what events moved is to be projected on constraints.
typedef struct sim_tape {
  void (*piece)(struct sim_tape *t, nsm_sim *s, double t1);
  void (*at_once)(struct sim_tape *t, nsm_sim *s);
  void (*block)(struct sim_tape *t, nsm_sim *s, int block, int first, int n, double at);
  void (*mended)(struct sim_tape *t, nsm_sim *s);
} sim_tape;

// What looks behind each step of a run, fused ones too (clock/clock.h).
struct sim_watch { void (*step)(struct sim_watch *w, nsm_sim *s); };

// Runs whose fused steps are taken together, each in a vector's lane (sweep/together.c). call: as sim_whole_call.
struct sim_together { int (*call)(struct sim_together *t, nsm_sim *s, long tick, int m); };

// What somebody keeps beside a simulation until it is closed (answers/jacobian.c).
typedef struct sim_beside { void (*close)(struct sim_beside *b); } sim_beside;

// An array by rows or multipliers, not of the state, that follows contacts of shapes to other rows.
typedef struct sim_carried { void *at; size_t size; int by_multiplier; } sim_carried;
enum { SIM_CARRIED = 8 };

struct nsm_sim {
  sim_analysis *a;
  sim_state     now;
  sim_numbers   n;
  sim_work      w;
  struct sim_located *located;          // clock/located.h; NULL where events are not located
  struct nsm_touching *touching;        // contacts of shapes; NULL where the model has none
  sim_carried   carried[SIM_CARRIED];
  int           ncarried;
  struct sim_dump *dump;                // --dump-problems; NULL without
  struct sim_unique *unique;            // --check-unique; NULL without
  struct sim_impulses *impulses;        // clock/impulses.c; NULL where there is no network
  struct sim_claims *claims;            // clock/claims.c; NULL where they are not kept
  struct sim_tape *tape;                // NULL where nobody differentiates the run
  struct sim_watch *watch;              // what looks at each step (clock/clock.h); NULL: nobody
  struct sim_together *together;        // the runs beside it; NULL: it is alone
  nsm_event_hook *told;                 // of events; NULL: nobody is (located_tell.c)
  void       *told_with;
  struct sim_beside *beside;            // NULL where nothing is kept beside it
  // while it is opened (memory.c, address.c)
  struct sim_memory *memory;
  size_t     taken;
  jmp_buf    no_memory;
  nsm_error *setup_error;               // while filling
  int        fill_failed, filling;      // filling: the class under way
};

// What the law of impact adds to the rate of a row: e rate_B, or minus the rate that it leaves.
static inline double sim_bounce(const sim_rows *r, int row) {
  return r->law ? r->rebound[row] : r->e[row] * r->rate0[row];
}

static inline int sim_has_no_bounce(const sim_rows *r, int row) { return (r->law ? r->rebound : r->e)[row] == 0; }

// For each class k of a list in sim_analysis.on; no `break` inside.
#define SIM_EACH(s, list, k)                                                \
  for (int k##_at = 0; k##_at < (s)->a->on.list.n; k##_at++)                \
    for (sim_class *k = &(s)->a->cls[(s)->a->on.list.of[k##_at]]; k; k = NULL)

// Somebody wants the run to end (nsm_settings.stop).
static inline int sim_interrupted(const nsm_sim *s) { return s->w.cone.stop && *s->w.cone.stop; }

// Where step k of the run ends; 0: its start.
static inline double sim_time_of_step(const nsm_sim *s, long k) {
  return k >= s->a->total ? s->a->until : s->a->start + (double)k * s->a->step;
}

// The experiment of the model with these parameters: NaN, or what is usual, where it does not say so.
static inline nsm_experiment sim_experiment(const nsm_model *m, const double *p) {
  nsm_experiment x = { .until = NAN, .step = NAN, .theta = 0.5, .gamma = 1, .tolerance = NAN, .accept = NAN,
                       .own_weights = 3 };
  m->experiment(p, &x);
  return x;
}

static inline const char *sim_text(const nsm_sim *s, int at) { return (const char *)s->a->m->text + at; }
// The energies now (assembly/columns.c).
void sim_energy(const nsm_sim *s, double *kinetic, double *potential);
// Discrete variables and signals at time t; valid for the last SIM_MOMENTS times that were asked for.
const double *sim_signals(const nsm_sim *s, double t);
// The same in a step that begins at another time than now.
const double *sim_signals_from(const nsm_sim *s, double begin, double t);

static inline nsm_view sim_view(const nsm_sim *s, double t, const double *q, const double *z, const double *l) {
  nsm_view v = { .t = t, .q = q, .v = z, .x = z + s->a->nv, .l = l, .t0 = t, .h = s->n.h, .q0 = q, .v0 = z,
                 .dq = s->a->zero, .dv = s->a->zero, .dx = s->a->zero, .d = s->now.d,
                 .touching = s->touching };
  if (s->a->nsignal > 0) {
    v.d = sim_signals(s, t);
    v.d_rate = s->w.moments->rate[s->w.moments->last];
  }
  return v;
}
static inline nsm_view sim_now(const nsm_sim *s) { return sim_view(s, s->now.t, s->now.q, s->now.z, s->now.l); }
#define SIM_SWAP(a, b) do { double *swap_ = (a); (a) = (b); (b) = swap_; } while (0)
// A kernel whose values stand between two events.
static inline int sim_fixed(int stage) { return stage == NSM_CONST || stage == NSM_EVENT; }
static inline double sim_max_residual(const nsm_sim *s) {
  return fmax(s->now.count.max_residual, s->now.residual_taken);
}
// What rounding can make of a time.
static inline double sim_time_round_off(const nsm_sim *s, double t) {
  return 4 * DBL_EPSILON * fmax(fabs(t), fabs(s->a->start));
}
// Rows with an impulse of their own, H^T p.
// Blocks of the model's own, beside those that end steps at instants of time.
static inline int sim_has_events(const nsm_sim *s) {
  int n = 0;
  for (int b = 0; b < s->a->m->nblock; b++) n += !s->a->event[b].instant;
  return n > 0;
}
static inline int sim_contactlike(const nsm_class *c) {
  return c->kind == NSM_CONTACT || c->kind == NSM_CONSTRAINT || c->kind == NSM_FRICTION;
}
// Rows that act only where a contact is closed (those of friction on a constraint or under a given force are always
// active too)
static inline int sim_opens(const nsm_class *c) { return c->kind == NSM_CONTACT || c->kind == NSM_FRICTION; }
// The table of instances first ... first + n - 1: kernels are loops, so some of them can be evaluated alone.
static inline nsm_table sim_part(const sim_class *k, int first, int n) {
  return (nsm_table){ n, k->tab.ix + (size_t)first * (size_t)k->c->nslot,
                      k->tab.num + (size_t)first * (size_t)k->c->nnum, k->tab.even };
}
// Number of z = (v, x) that slot `slot` of instance i stands for.
static inline int sim_z_of(const nsm_sim *s, const sim_class *k, int i, int slot) {
  int ix = k->tab.ix[(size_t)i * (size_t)k->c->nslot + (size_t)slot];   // of Q and V the velocity's own
  return k->c->slot[slot] == NSM_SLOT_X ? s->a->nv + ix : ix;
}
// How an entry of a Jacobian enters d/dz: q depends on v through q = q_k + h (theta v + (1-theta) v_k), (8).
// Is it an unknown without inertia that is taken at the end of the step?
static inline int sim_is_at_end(const nsm_sim *s, int z) {
  return s->a->algebraic && s->a->algebraic[z] && !(s->n.by_theta && s->n.by_theta[z]);
}
// Weights of f and g at the end of the step: algebraic rows hold there, and such unknowns are taken there.
static inline double sim_theta_of(const nsm_sim *s, const sim_class *k, int z) {
  return sim_is_at_end(s, z) ? 1.0 : k->theta;
}
static inline double sim_chain(const nsm_sim *s, int wrt) {
  return wrt == NSM_WRT_Q ? s->n.h * s->a->point[NSM_END].end : 1.0;
}

// Place in w->val of an entry; both in the same block.
static inline int sim_matrix_place(const sim_matrix *w, int row, int col) {
  const sim_block *b = &w->block[w->block_of[row]];
  int i = w->place[row] - b->first, j = w->place[col] - b->first;
  if (b->kind == BLOCK_SPARSE) return b->at + (int)nsm_sparse_place(b->sparse, i, j);
  int banded = b->kind == BLOCK_BAND || b->kind == BLOCK_TRIDIAGONAL;
  return b->at + (banded ? (int)nsm_la_band_index(b->reach, b->reach, b->ld, i, j) : i + j * b->ld);
}
