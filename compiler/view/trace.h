// What a page shows of a run, collected while it goes on (nsm_watch): every recorded row; at most TRACE_POINTS sums and
// largest values of the ledger and of the one-step problems; at most so many pictures; marks; bands of contacts. What
// is too much for a page is left out by thin.h.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "../../runtime/command/command.h"
#include "../api/program.h"
#include "../base/vec.h"

enum {
  TRACE_POINTS = 2000,                  // of the ledger and the one-step problems
  TRACE_MARKS = 10000,                  // instants of impacts and events that are marked, unless all are wanted
  TRACE_CONTACTS = 200,                 // whose bands are shown
  TRACE_BANDS = 20000,                  // changes of them, unless all are wanted
  TRACE_NUMBERS = 100000                // of pictures: 4 bytes each
};

// output: one of the model itself, not of its parts. kept: what thin_columns left, where it did.
typedef struct TraceColumn {
  const char *name, *unit, *doc;
  bool output;
  Vec(double) value, kept_time, kept_value;
} TraceColumn;

// The ledger at a time [J], as sums since the start; the residue that is the largest since the point before. Of the
// steps since then the largest residual, iterations and impacts.
typedef struct TracePoint {
  float time, kinetic, potential, forces, dampers, contacts, friction, residue, residual, newton, solver, steps;
} TracePoint;

typedef struct TraceMark { float time; int impacts, events; } TraceMark;
typedef struct TraceBand { int contact; float time; int state; } TraceBand;

// Bodies and drawings that move, and points of contact, at the rows `row`.
typedef struct TraceBody { const char *name; bool moves; nsm_part *part; int npart; double pose[12]; } TraceBody;
typedef struct TraceDrawing { nsm_drawing of; int members, numbers; } TraceDrawing;

typedef struct Trace {
  const nsm_program *p;
  Arena      *a;
  TraceColumn *column; int ncolumn;
  const int  *number;                   // [ncolumn] of the simulation
  long        rows, steps_total, every, per_point, per_picture;
  bool        ledger, lacks_ledger;     // lacks: it would have changed digits; a second run can give it
  bool        again;                    // this is the second run: only points and energies are taken
  Vec(TracePoint) point;
  bool        full;                     // nothing is left out
  long        kept;                     // about so many numbers of each column, where they were thinned; else 0
  bool        packed;                   // the page has its numbers by pack.h
  Vec(TraceMark) mark;
  float       mark_span, band_span;     // [s] what is closer together is one
  int        *last_band;                // of each contact, its last change
  Vec(TraceBand) band;
  const char **contact; int ncontact, *state;              // state: of each now
  TraceBody  *body; int nbody;
  TraceDrawing *drawing; int ndrawing;
  Vec(float)  picture;                  // poses of moving bodies, drawings: numbers_per_picture each
  Vec(float)  touch;                    // x, y, z, impulse (3) each
  Vec(int)    touches;                  // how many there are in each picture
  Vec(double) picture_time;
  int         picture_numbers;
  nsm_outcome *claim; int nclaim; bool claims_known;
  double     *parameter;                // values
  nsm_counters before, count, counted;  // counted: of the first run, during the second
  float       residue, residual;        // largest since the last point
  nsm_energy  energy;
  double      time, seconds;
  nsm_code    code;
  const char *message;                  // of a run that failed, "" for none
  bool        began;
} Trace;

// watch: to be given to a run; the trace is its `with` and belongs to the caller. All memory but the lists is the
// arena's.
void trace_open(Trace *t, Arena *a, const nsm_program *p, nsm_watch *watch);
// The same trace for a second run of the same, which gives the ledger.
void trace_again(Trace *t, nsm_watch *watch);
void trace_close(Trace *t);
