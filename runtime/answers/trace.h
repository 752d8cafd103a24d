// The equations of a piece as a list of operations, made once for all pieces that have the same laws, and done again
// for each of them: values, then derivatives along all directions in one pass. docs/answers.md, 2
//
//   trace.c       made by running the equations in recorded numbers (recorded.h)
//   trace_note.c  what these numbers tell
//   trace_short.c what is to be done again
//   trace_sums.c  its derivatives as sums
//   trace_rows.c  rows of the matrices of these
//   trace_units.c what results have along single numbers
//   replay.c      done again: values, derivatives
//   by_trace.c    a piece that is played by its trace; backwards.c does it backwards
//
// A node is a number. Inputs come first: node 0, which is 0; constants (columns, times of the clock), the state, the
// unknowns w, the length. A call is a kernel with its slopes; the numbers it reads are put into arrays before.
#pragma once
#include "tape.h"
#include "traced.h"

typedef enum { TRACE_SUM, TRACE_DIFFERENCE, TRACE_PRODUCT, TRACE_QUOTIENT, TRACE_ROOT, TRACE_RESULT, TRACE_FILL,
               TRACE_CALL, TRACE_END } trace_op;
// of: nodes; of a result the call and which of its numbers; of a call its own number; of a fill that of the array. An
// end stands behind the last one.
// level: of those that are done again.
typedef struct trace_step { trace_op op; int to, of[2], level; } trace_step;
// Derivatives: of one node by others, from term `first` on, each times *by, trace_one where that never changes.
typedef struct trace_term { int at; const double *by; double times; } trace_term;
typedef struct trace_sum { int to, first, n; } trace_sum;              // nodes by the places of their first lanes
extern const double trace_one;
typedef struct trace_sums { trace_sum *at; trace_term *term; int n, nterm; } trace_sums;

// Derivatives by seeds, the inputs that directions may have: those that are given, then the unknowns. The row of a node
// has an entry for each seed that it hangs on: a sum of products of two values each, entries or factors.
typedef struct trace_pair { int by, x; } trace_pair;
typedef struct trace_factor { const double *by; double times; } trace_factor;
typedef struct trace_run { int n, pairs; } trace_run;
typedef struct trace_row { int first, given, n; } trace_row;         // entries; those of what is given come first
typedef struct trace_rows {
  int nseed, ngiven, *seed;             // nodes
  trace_pair *pair;                     // of all entries, one after the other
  int npair, *end, moving;              // [nvalue] behind the pairs of each; the first entry that is to be done again
  trace_pair *again; int *to, nto;      // pairs of those, in the order in which they are; [nto] these entries
  struct trace_run *run; int nrun;      // of as many pairs each
  double *value; int *of, nvalue;       // entries, and the seed of each; the first are those of the seeds, 1. Behind
                                        // them factors and constants
  trace_row *eq, *out;                  // of results
  trace_factor *factor; int nfactor;    // what changes
  int room[2];                          // of pairs, entries
} trace_rows;

typedef struct trace_array { int n, length; int *node; double *value; } trace_array;
typedef struct trace_call {
  trace_kernel *run;
  nsm_view  view;
  nsm_table table;
  int t[3];                             // nodes of t, t0, h
  int nvalue, nslope, to;               // to: the node of its first value
  double *slope;
  int *first; trace_slope *by;          // [nvalue + 1] of each value, by which nodes
} trace_call;
typedef struct trace_guard { int of[2], above; } trace_guard_of;

typedef struct trace_matrix trace_matrix;
typedef struct trace_units trace_units;
// Of the state behind a piece: its node, and the row of that.
typedef struct trace_stand { int node, number; trace_row row; } trace_stand;

typedef struct trace {
  tape_entry is;                        // what it is of; arrays are copies
  int fails;                            // it cannot be done again
  int fixed;                            // its length is that of all pieces which it is of: a step
  int n, room, nconst, nstate, nw, h;   // nodes; h: that of the length
  int state, w;                         // first nodes
  double *value, (*by)[2];              // [n]
  trace_step *step; int nstep, step_room;
  trace_call *call; int ncall;
  trace_array *array; int narray;
  trace_guard_of *guard; int nguard;
  int *eq, *out, nout;                  // [nw] [nout] nodes
  trace_rows rows;                      // of the equations by w; with many directions, of all results by all
  int lanes;                            // few directions; 0: many
  double *lane;                         // [n, lanes] of few: of each node those that it has
  trace_sums given, follow;             // by what is given; of outputs by all, w known
  unsigned char *depends, *leads;       // [n]
  int    *moves, *stays;                // [n] not the same in all pieces; [nstep] is to be done again (trace_short.c)
  trace_matrix *matrix;                 // NULL: it is dense
  trace_units *units;                   // NULL: none were asked for
  trace_sums back;                      // all that leads to equations and to outputs, to be swept backwards
  trace_stand *stands; int nstands;     // by_trace.c; and the numbers of the state that stay
  int *unmoved, nunmoved;
  const double **seed; int *unit;       // [rows.nseed] directions of the seeds; of one, or which kind (by_trace.c)
  double *bar;                          // [outputs, n] of each derivative that is wanted
  struct trace *next;
} trace;

// trace.c: a maker has equations of its own in recorded numbers.
typedef struct tracer tracer;
tracer *tracer_open(nsm_sim *s, void *with, nsm_error *e);            // NULL: no memory
void    tracer_close(tracer *t);                                      // NULL is allowed
// At this state, these unknowns [play_unknowns]. NULL: no memory. trace_finish, or trace_finish_back, is to follow.
trace  *trace_made(tracer *t, const tape_entry *e, const double *state, const double *w);
void    trace_free(trace *t);
int     trace_can_be(const nsm_sim *s, const tape_entry *e);          // its end is a known time
int     trace_is_of(const trace *t, const tape_entry *e, const nsm_sim *s);

// trace_note.c: a node of this value; that of a number which may be a constant
int  trace_add_node(trace *t, double value);
int  trace_node_of(trace *t, int node, double value);

// trace_short.c: steps that come out the same each time, or that nothing needs, are left out; their values stand.
int  trace_look(trace *t);                                 // which these are; 0: no memory
void trace_shorten(trace *t);

// trace_sums.c: 0: no memory
int  trace_finish(trace *t, const unsigned char *varies, int lanes);
int  trace_finish_back(trace *t, int nof);

// trace_rows.c: rows of the nodes that these sums make, 0: no memory; done again, 0: nothing has changed
int  trace_rows_of(trace *t, const trace_sums *sums);
int  trace_rows_again(trace_rows *r);
void trace_rows_free(trace_rows *r);

// trace_matrix.c: the matrix of the equations by the unknowns, sparse. open: 0: no memory; factor: what rows are scaled
// by, NULL: it is singular
int  trace_matrix_open(trace *t, nsm_sim *s);
const double *trace_matrix_factor(trace *t, nsm_sim *s, double singular);
void trace_matrix_solve(const trace *t, double *x);
void trace_matrix_solve_lanes(const trace *t, double *b, int lanes, int *place);      // place [nw]: the row of each

void trace_matrix_places(const trace *t, const unsigned char *of, int *unknown, int *place);  // of these, ascending
void trace_matrix_inverse(const trace *t, const int *place, int n, double *b, int lanes);     // nsm_lu_inverse

// Directions, `lanes` of each seed. Which one of length 1 it has alone; or, as of all where unit is NULL, lanes.
enum { TRACE_NO_DIRECTION = -1, TRACE_HAS_LANES = -2 };
typedef struct trace_along { int lanes; const double **seed; int *unit; double *b; } trace_along;

// trace_units.c: seeds of the unknowns that numbers with a unit of their own hang on behind the piece; 0: no memory
int trace_units_push(trace *t, const trace_along *a, const int *unit, const double *scale);

// replay.c
void replay_call(const trace *t, trace_call *c);
int  replay_values(trace *t);                              // from inputs; 0: a guard differs
void replay_sums(const trace_sums *s, double *lane, int lanes);
void replay_back(const trace *t, double *bar);             // to the inputs; nodes between are 0 then
