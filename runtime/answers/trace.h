// The equations of a piece as a list of operations, made once for all pieces that have the same laws, and done again
// for each of them: values, then derivatives along all directions in one pass. docs/answers.md, 2
//
//   trace.c       made by running the equations in recorded numbers (recorded.h)
//   trace_note.c  what these numbers tell
//   trace_short.c what is to be done again
//   trace_sums.c  its derivatives as sums
//   replay.c      done again: values, derivatives
//   by_trace.c    a piece that is played by its trace; backwards.c does it backwards
//
// A node is a number. Inputs come first: node 0, which is 0; constants (columns, times of the clock), the state, the
// unknowns w, the length. A call is a kernel with its slopes; the numbers it reads are put into arrays before.
#pragma once
#include "tape.h"
#include "traced.h"

typedef enum { TRACE_SUM, TRACE_DIFFERENCE, TRACE_PRODUCT, TRACE_QUOTIENT, TRACE_ROOT, TRACE_RESULT, TRACE_FILL,
               TRACE_CALL } trace_op;
// of: nodes; of a result the call and which of its numbers; of a call its own number; of a fill that of the array.
// level: of those that are done again.
typedef struct trace_step { trace_op op; int to, of[2], level; } trace_step;
// Derivatives: of one node by others, from term `first` on, each times *by; nodes by the places of their first lanes.
typedef struct trace_term { int at; const double *by; double times; } trace_term;
typedef struct trace_sum { int to, first, n; } trace_sum;
typedef struct trace_sums { trace_sum *at; trace_term *term; int n, nterm; } trace_sums;

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

typedef struct trace_stand { int node, number; } trace_stand;        // of the state behind a piece

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
  trace_sums given, matrix, follow;     // by what is given; of eq by w; of outputs by all, w known
  unsigned char *depends, *leads;       // [n]
  int    *moves, *stays;                // [n] not the same in all pieces; [nstep] is to be done again (trace_short.c)
  double *lane, *column;                // [n, lanes] [n, columns]
  const double **by_factor;             // [nfactor] factors of the matrix that change; those of the last one
  double *factor; int nfactor;
  int lanes, columns;
  trace_sums back;                      // all that leads to equations and to outputs, to be swept backwards
  trace_stand *stands; int nstands;     // by_trace.c
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

// replay.c
void replay_call(const trace *t, trace_call *c);
int  replay_values(trace *t);                              // from inputs; 0: a guard differs
void replay_sums(const trace_sums *s, double *lane, int lanes);
void replay_back(const trace *t, double *bar);             // to the inputs; nodes between are 0 then
